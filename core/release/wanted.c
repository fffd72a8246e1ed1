#include "core/release/wanted.h"

#include "core/base/error.h"
#include "core/run/attempt.h"
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *a, const void *b)
{
	return strcmp(((const as_wanted_attempt *)a)->id, ((const as_wanted_attempt *)b)->id);
}

/* How many attempts there are to be, or more than max. */
static uint64_t count_wanted(const as_manifest *m, size_t n_tasks, uint64_t max)
{
	uint64_t each = 0; /* task */
	for (size_t k = 0; k < m->n_conditions; k++) {
		for (size_t c = 0; c < m->n_candidates; c++) {
			each += as_manifest_pairs(&m->conditions[k], &m->candidates[c]) ? m->conditions[k].attempts : 0;
		}
	}
	return n_tasks && each > max / n_tasks ? max + 1 : each * n_tasks;
}

int as_wanted_list(const as_manifest *m, const assay_str *tasks, size_t n_tasks, uint64_t max, as_wanted *out,
		   assay_error *err)
{
	uint64_t n = count_wanted(m, n_tasks, max);
	*out = (as_wanted){0};
	if (n > max) {
		return as_fail(err, ASSAY_ELIMIT, "the manifest asks for more than %llu attempts",
			       (unsigned long long)max);
	}
	out->list = as_new((size_t)n + 1, sizeof *out->list);
	if (!out->list) {
		return as_fail_memory(err);
	}
	for (uint32_t k = 0; k < m->n_conditions; k++) {
		for (uint32_t c = 0; c < m->n_candidates; c++) {
			bool pair = as_manifest_pairs(&m->conditions[k], &m->candidates[c]);
			for (size_t t = 0; t < n_tasks && pair; t++) {
				for (uint32_t r = 0; r < m->conditions[k].attempts; r++) {
					as_wanted_attempt *a = &out->list[out->n++];
					int rc = as_attempt_id(tasks[t], &m->candidates[c], &m->conditions[k], r, a->id,
							       err);
					if (rc < 0) {
						return rc;
					}
					a->condition = k;
					a->candidate = c;
					a->repeat = r;
					a->task = t;
				}
			}
		}
	}
	qsort(out->list, out->n, sizeof *out->list, compare_ids);
	return 0;
}

void as_wanted_free(as_wanted *w)
{
	free(w->list);
	*w = (as_wanted){0};
}

as_wanted_attempt *as_wanted_find(const as_wanted *w, assay_str id)
{
	as_wanted_attempt key = {0};
	if (w->n == 0 || id.len != sizeof key.id - 1) {
		return NULL;
	}
	memcpy(key.id, id.ptr, id.len);
	return bsearch(&key, w->list, w->n, sizeof *w->list, compare_ids);
}

int as_wanted_note(as_wanted_attempt *a, int64_t try_number, bool voided, assay_error *err)
{
	if (a->settled) {
		return as_fail(err, ASSAY_EDATA, "a further try of an attempt that has one that counts");
	}
	if (try_number != a->tries + 1) {
		return as_fail(err, ASSAY_EDATA, "try %lld of an attempt, expected try %lld", (long long)try_number,
			       (long long)a->tries + 1);
	}
	a->tries++;
	a->settled = !voided;
	return 0;
}

static bool stands_before(const as_wanted_attempt *a, const as_wanted_attempt *b)
{
	if (a->condition != b->condition) {
		return a->condition < b->condition;
	}
	if (a->candidate != b->candidate) {
		return a->candidate < b->candidate;
	}
	return a->task != b->task ? a->task < b->task : a->repeat < b->repeat;
}

size_t as_wanted_missing(const as_wanted *w, const as_manifest *m, const as_wanted_attempt **first)
{
	size_t n = 0;
	*first = NULL;
	for (size_t i = 0; i < w->n; i++) {
		const as_wanted_attempt *a = &w->list[i];
		if (a->settled || a->tries > (int64_t)m->retry_void || m->candidates[a->candidate].recorded) {
			continue; /* of what others recorded there is what there is */
		}
		n++;
		if (!*first || stands_before(a, *first)) {
			*first = a;
		}
	}
	return n;
}
