/* Does a release prove its own numbers? Every digest is checked; then everything that follows from something else is
 * worked out again: identity, ids, tapes, tasks, certificates, replays, verdicts, figures, reports, card. So whoever
 * mends digests after a change is found out where the change does not follow. Starts no process, uses no network.
 * Thread: any. */
#ifndef AS_RELEASE_VERIFY_H
#define AS_RELEASE_VERIFY_H

#include "core/release/findings.h"
#include "core/run/engine.h"

typedef struct as_release_verify_options {
	const char *path;      /* .tar.zst or an unpacked folder */
	as_registry *registry; /* opened with shipped_only */
	as_log *log;           /* may be NULL, and so may the rest */
	const as_cancel *cancel;
	as_progress *progress;
} as_release_verify_options;

/* 0: it could be checked; out->total tells whether something differs. Fails when there is nothing to check: no archive,
 * no usable release.json, interrupted, no memory. */
int as_release_verify(const as_release_verify_options *options, as_release_findings *out, assay_error *err);

#endif
