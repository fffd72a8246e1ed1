/* The published numbers, computed again from the counts beside them. */
#include "tests/golden/golden.h"

#include "core/stats/stats.h"

#include <math.h>
#include <string.h>

#define MAX_ROWS 1024
#define TASKS 750 /* of the slice that the headline is over, where a file does not say */

static void put(as_buf *out, double value)
{
	if (isnan(value)) {
		as_buf_puts(out, "null");
	} else {
		golden_number(out, value);
	}
	as_buf_byte(out, ' ');
}

static double number(const assay_json *object, const char *key)
{
	return as_json_f64(as_json_get(object, key), (double)NAN);
}

static uint64_t count(const assay_json *object, const char *key)
{
	const int64_t n = as_json_i64(as_json_get(object, key), -1);
	return n < 0 ? UINT64_MAX : (uint64_t)n;
}

/* {"model|condition": {"passed", "n", "pass_pct", "ci95"}}, in percent with one decimal. */
static void run_exposure_cells(golden_case *c)
{
	for (const assay_json *cell = as_json_first(c->one); cell; cell = as_json_next(cell)) {
		const assay_json *ci = as_json_get(cell, "ci95");
		const uint64_t passed = count(cell, "passed"), n = count(cell, "n");
		const as_interval got = as_wilson(passed, n, 1.96);
		put(&c->expected, number(cell, "pass_pct"));
		put(&c->expected, as_json_f64(as_json_at(ci, 0), (double)NAN));
		put(&c->expected, as_json_f64(as_json_at(ci, 1), (double)NAN));
		put(&c->got, as_round(100 * ((double)passed / (double)n), 1));
		put(&c->got, as_round(100 * got.lo, 1));
		put(&c->got, as_round(100 * got.hi, 1));
	}
}

static void run_decay(golden_case *c, const assay_json *decay)
{
	static const char *const keys[] = {"servers", "calls", "identical", "drifted", "broken"};
	const assay_json *expected = as_json_get(decay, "pooled_expected");
	as_decay rows[MAX_ROWS], all;
	size_t n = 0;

	for (const assay_json *r = as_json_first(as_json_get(decay, "rows")); r && n < MAX_ROWS; r = as_json_next(r)) {
		rows[n++] = (as_decay){count(r, "servers"), count(r, "calls"), number(r, "identical"),
				       number(r, "drifted"), number(r, "broken")};
	}
	all = as_decay_pool(rows, n);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		put(&c->expected, number(expected, keys[i]));
	}
	put(&c->got, (double)all.servers);
	put(&c->got, (double)all.calls);
	put(&c->got, all.identical);
	put(&c->got, all.drifted);
	put(&c->got, all.broken);
}

/* The share of a model in whole tasks, and its interval. */
static void run_headline_interval(golden_case *c, const assay_json *models, const assay_json *ci)
{
	for (const assay_json *m = as_json_first(models); m; m = as_json_next(m)) {
		if (as_str_eq(as_json_str(as_json_get(m, "model")), as_json_key(ci))) {
			const double passed = as_round(number(m, "headline") * TASKS / 100, 0);
			const as_interval got = as_wilson((uint64_t)passed, TASKS, 1.96);
			put(&c->expected, as_json_f64(as_json_at(ci, 0), (double)NAN));
			put(&c->expected, as_json_f64(as_json_at(ci, 1), (double)NAN));
			put(&c->got, as_round(100 * got.lo, 1));
			put(&c->got, as_round(100 * got.hi, 1));
		}
	}
}

static void run_left_out(golden_case *c, const assay_json *lofo)
{
	const assay_json *models = as_json_get(lofo, "models");
	const assay_json *expected = as_json_get(lofo, "expected");
	const double wanted = number(expected, "spearman");
	double headline[MAX_ROWS], left[MAX_ROWS], rho = (double)NAN;
	size_t n = 0;

	for (const assay_json *m = as_json_first(models); m && n < MAX_ROWS; m = as_json_next(m), n++) {
		headline[n] = number(m, "headline");
		left[n] = number(m, "lofo");
	}
	if (!isnan(wanted) && as_spearman(headline, left, n, false, &rho, NULL) == 0) {
		put(&c->expected, wanted);
		put(&c->got, as_round(rho, 3));
	}
	for (const assay_json *ci = as_json_first(as_json_get(expected, "headline_ci")); ci; ci = as_json_next(ci)) {
		run_headline_interval(c, models, ci);
	}
}

static void run_families_and_decay(golden_case *c)
{
	if (as_json_get(c->one, "lofo")) {
		run_left_out(c, as_json_get(c->one, "lofo"));
	}
	if (as_json_get(c->one, "decay")) {
		run_decay(c, as_json_get(c->one, "decay"));
	}
}

/* Sizes of five and more are known together only: their mean is checked to be one that they can have. */
static void run_equivalence_sets(golden_case *c)
{
	static const char *const buckets[] = {"1", "2", "3", "4", ">=5"};
	const double mean = number(c->one, "mean_size"), largest = number(c->one, "max_size");
	as_set_sizes s = {0};
	double low, high, open;

	for (size_t i = 0; i < 5; i++) {
		as_set_sizes_add(&s, i + 1, count(as_json_get(c->one, "buckets"), buckets[i]));
	}
	open = (double)s.buckets[4];
	low = (double)s.members + (open > 0 ? largest - 5 : 0);
	high = (double)s.members + (largest - 5) * open;
	/* Sets without members are in no bucket. */
	as_set_sizes_add(&s, 0, count(c->one, "tool_effect_checkpoints") - s.sets);
	put(&c->expected, number(c->one, "multi_tool_checkpoints"));
	put(&c->expected, number(c->one, "multi_tool_pct"));
	put(&c->expected, mean);
	put(&c->got, (double)s.multi);
	put(&c->got, as_set_sizes_multi(&s));
	put(&c->got, mean * (double)s.sets >= low - 0.001 * (double)s.sets &&
				     mean * (double)s.sets <= high + 0.001 * (double)s.sets
			     ? mean
			     : as_set_sizes_mean(&s));
}

/* Of these the runs behind them would be needed. */
const golden_kind golden_numbers[] = {
	{"e9.1_numbers", "*passed *n *pass_pct *ci95", run_exposure_cells},
	{"e9.3_numbers", "decay", run_families_and_decay},
	{"lofo_numbers", "lofo", run_families_and_decay},
	{"e9.13_eqset_numbers", "multi_tool_pct buckets", run_equivalence_sets},
	{"e9.1_recall", "hier_oracle_ceiling", NULL},
	{"e9.1_errors", "*failures *calls_mean *calls_ok_mean", NULL},
	{"e9.1_spread", "curated rag-8", NULL},
	{0},
};
