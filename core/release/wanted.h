/* The attempts that a manifest asks for: every task × candidate × condition × repeat. A release that lacks some, or has
 * others, would let its maker choose the figures. Thread: one object, one thread. */
#ifndef AS_RELEASE_WANTED_H
#define AS_RELEASE_WANTED_H

#include "core/run/manifest.h"

typedef struct as_wanted_attempt {
	char id[65];
	uint32_t condition, candidate, repeat;
	size_t task;   /* position in the list of tasks */
	int64_t tries; /* noted so far */
	bool settled;  /* one of them counts */
} as_wanted_attempt;

typedef struct as_wanted {
	as_wanted_attempt *list; /* sorted by id */
	size_t n;
} as_wanted;

/* tasks: ids. ASSAY_ELIMIT when there are more than `max` of them. Free with as_wanted_free in any case. */
int as_wanted_list(const as_manifest *m, const assay_str *tasks, size_t n_tasks, uint64_t max, as_wanted *out,
		   assay_error *err);
void as_wanted_free(as_wanted *w);
as_wanted_attempt *as_wanted_find(const as_wanted *w, assay_str id); /* NULL: not one of them */

/* Note a try. ASSAY_EDATA: tries are numbered from 1 on without a gap, and none follows one that counts. */
int as_wanted_note(as_wanted_attempt *a, int64_t try_number, bool voided, assay_error *err);

/* How many are not finished: no try at all, or void ones only and fewer than the manifest gives an attempt. *first is
 * one of them: the first in the order of conditions, candidates, tasks, repeats. */
size_t as_wanted_missing(const as_wanted *w, const as_manifest *m, const as_wanted_attempt **first);

#endif
