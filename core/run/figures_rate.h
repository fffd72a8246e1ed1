/* Rates and their intervals. Private to figures. */
#ifndef AS_FIGURES_RATE_H
#define AS_FIGURES_RATE_H

#include "core/run/figures_table.h"

/* What one row's tries add up to, void ones apart but for those that are pending; per task for the k figures. */
typedef struct figure_counts {
	uint64_t tools, checkpoints, reachable, full; /* full: attempts on wholly reachable tasks */
	struct {
		uint64_t attempts, wrong, expected, right; /* attempts: with a wrong one */
	} done, tried;
	uint64_t attempts, pending, voided, unknown, calls, turns, mines, served[SERVED_LEVELS];
	uint64_t passes_lo, passes_hi;
	size_t n_tasks;            /* tasks with at least one attempt */
	uint64_t *n, *c_lo, *c_hi; /* per task of the figures: attempts, passes */
	uint64_t k;                /* attempts that every one of these tasks has */
	uint64_t seed;
	size_t all_tasks;
} figure_counts;

/* category empty: all. ASSAY_ENOMEM. Free with as_counts_free in any case. */
int as_count_tries(const as_figures *f, const figure_row *row, assay_str category, figure_counts *out);
void as_counts_free(figure_counts *c);

/* {level: share of all calls}. NULL: no memory. */
assay_json *as_served_shares(const uint64_t served[SERVED_LEVELS]);
/* What is counted without bounds: lo and hi are one. NULL: no memory. */
assay_json *as_plain_rate(uint64_t successes, uint64_t n);
/* pass_rate: the share of attempts that pass, whatever lies between pass and fail; mean scores are the scorers'. */
assay_json *as_attempt_rate(const figure_counts *c);
assay_json *as_task_rate(const figure_counts *c, bool all_of_k); /* pass_hat_k or pass_at_k */

#endif
