#include "core/run/figures_rate.h"

#include "core/stats/stats.h"
#include <stdlib.h>
#include <string.h>

#define Z95 1.96
#define DIGITS 6
#define RESAMPLES 2000u

int as_count_tries(const as_figures *f, const figure_row *row, assay_str category, figure_counts *out)
{
	*out = (figure_counts){.seed = f->seed, .all_tasks = f->n_tasks, .k = UINT64_MAX};
	out->n = as_new(f->n_tasks + 1, sizeof *out->n);
	out->c_lo = as_new(f->n_tasks + 1, sizeof *out->c_lo);
	out->c_hi = as_new(f->n_tasks + 1, sizeof *out->c_hi);
	if (!out->n || !out->c_lo || !out->c_hi) {
		return ASSAY_ENOMEM;
	}
	for (size_t i = 0; i < row->n; i++) {
		const figure_try *t = &row->tries[i];
		if (category.len > 0 && !as_str_eq(f->tasks[t->task].category, category)) {
			continue;
		}
		if (t->voided && !t->pending) {
			out->voided++;
			continue;
		}
		out->attempts++;
		out->pending += t->pending;
		out->unknown += t->unknown;
		out->calls += t->calls;
		out->turns += t->turns > 0 ? (uint64_t)t->turns : 0;
		out->mines += t->mines;
		out->tools += t->tools;
		out->checkpoints += t->checkpoints;
		out->reachable += t->reachable;
		out->full += t->reachable == t->checkpoints;
		out->done.attempts += t->done.wrong > 0;
		out->done.wrong += t->done.wrong;
		out->done.expected += t->done.expected;
		out->done.right += t->done.right;
		out->tried.attempts += t->tried.wrong > 0;
		out->tried.wrong += t->tried.wrong;
		out->tried.expected += t->tried.expected;
		out->tried.right += t->tried.right;
		out->n[t->task]++;
		out->c_lo[t->task] += t->passed;
		out->c_hi[t->task] += t->passed_hi;
		for (size_t s = 0; s < SERVED_LEVELS; s++) {
			out->served[s] += t->served[s];
		}
	}
	for (size_t i = 0; i < f->n_tasks; i++) {
		out->n_tasks += out->n[i] > 0;
		out->passes_lo += out->c_lo[i];
		out->passes_hi += out->c_hi[i];
		out->k = out->n[i] > 0 && out->n[i] < out->k ? out->n[i] : out->k;
	}
	out->k = out->n_tasks ? out->k : 0;
	return 0;
}

void as_counts_free(figure_counts *c)
{
	free(c->n);
	free(c->c_lo);
	free(c->c_hi);
	c->n = c->c_lo = c->c_hi = NULL;
}

assay_json *as_served_shares(const uint64_t served[SERVED_LEVELS])
{
	assay_json *o = as_json_object();
	uint64_t total = 0;
	int rc = o ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < SERVED_LEVELS; i++) {
		total += served[i];
	}
	for (uint32_t i = 0; i < SERVED_LEVELS && rc == 0; i++) {
		double share = total ? (double)served[i] / (double)total : 0.0;
		rc = as_json_set(o, as_served_name(i), as_json_real(as_round(share, DIGITS)));
	}
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static assay_json *interval_json(as_interval i)
{
	assay_json *a = as_json_array();
	int rc = as_json_append(a, as_json_real(as_round(i.lo, DIGITS)));
	rc |= as_json_append(a, as_json_real(as_round(i.hi, DIGITS)));
	if (rc < 0) {
		as_json_free(a);
		return NULL;
	}
	return a;
}

static assay_json *rate_json(double lo, double hi, as_interval around_lo, as_interval around_hi)
{
	assay_json *r = as_json_object();
	int rc = as_json_set(r, "lo", as_json_real(as_round(lo, DIGITS)));
	rc |= as_json_set(r, "hi", as_json_real(as_round(hi, DIGITS)));
	rc |= as_json_set(r, "interval_lo", interval_json(around_lo));
	rc |= as_json_set(r, "interval_hi", interval_json(around_hi));
	if (rc < 0) {
		as_json_free(r);
		return NULL;
	}
	return r;
}

assay_json *as_attempt_rate(const figure_counts *c)
{
	double n = c->attempts ? (double)c->attempts : 1.0;
	return rate_json((double)c->passes_lo / n, (double)c->passes_hi / n, as_wilson(c->passes_lo, c->attempts, Z95),
			 as_wilson(c->passes_hi, c->attempts, Z95));
}

assay_json *as_plain_rate(uint64_t successes, uint64_t n)
{
	double rate = n ? (double)successes / (double)n : 0.0;
	as_interval around = as_wilson(successes, n, Z95);
	return rate_json(rate, rate, around, around);
}

/* Mean over tasks of the unbiased estimate, with a bootstrap interval over tasks. */
static int task_mean(const figure_counts *c, const uint64_t *passes, bool all_of_k, double *mean, as_interval *interval)
{
	double *x = as_new(c->n_tasks + 1, sizeof *x);
	size_t m = 0;
	int rc;
	if (!x) {
		return ASSAY_ENOMEM;
	}
	for (size_t i = 0; i < c->all_tasks; i++) {
		if (c->n[i] > 0) {
			x[m++] = all_of_k ? as_pass_hat_k(c->n[i], passes[i], c->k)
					  : as_pass_at_k(c->n[i], passes[i], c->k);
		}
	}
	*mean = as_mean(x, m);
	rc = as_bootstrap_mean(x, m, RESAMPLES, c->seed, 0.95, interval, NULL);
	free(x);
	return rc;
}

assay_json *as_task_rate(const figure_counts *c, bool all_of_k)
{
	double lo = 0, hi = 0;
	as_interval around_lo = {0, 0}, around_hi = {0, 0};
	if (c->k == 0) {
		return rate_json(0, 0, around_lo, around_hi);
	}
	if (task_mean(c, c->c_lo, all_of_k, &lo, &around_lo) < 0 ||
	    task_mean(c, c->c_hi, all_of_k, &hi, &around_hi) < 0) {
		return NULL;
	}
	return rate_json(lo, hi, around_lo, around_hi);
}
