/* What a check of a release found. Thread: one object, one thread. */
#ifndef AS_RELEASE_FINDINGS_H
#define AS_RELEASE_FINDINGS_H

#include "core/base/memory.h"

#define AS_MAX_FINDINGS 20 /* kept; all are counted */

typedef struct as_release_findings {
	assay_error list[AS_MAX_FINDINGS]; /* where: file of the release; line, pointer, message */
	size_t n;
	uint64_t total; /* with those that are not kept */
	char name[65], version[33], identity[65];
	uint64_t files, servers, tasks, attempts, traces;
	uint64_t verdicts;        /* worked out again */
	uint64_t verdicts_stored; /* of scorers that ask a model or a live server: taken as they are */
	uint64_t certificates;    /* worked out again */
	uint64_t replays;         /* attempts walked through their tape again */
	uint64_t figures;         /* numbers worked out again */
	uint64_t reports;         /* rendered again, this page's README included */
} as_release_findings;

/* pointer may be NULL. The message is cut to size. */
void as_finding(as_release_findings *f, const char *file, uint32_t line, const char *pointer, const char *format, ...)
	ASSAY_PRINTF(5, 6);

/* Make a finding of an error in what the release holds and answer 0; anything else (no memory, interrupted, the
 * operating system refused) is copied to err and answered. prefix: put before its pointer, may be NULL. */
int as_finding_of(as_release_findings *f, const char *file, uint32_t line, const char *prefix, const assay_error *found,
		  assay_error *err);

#endif
