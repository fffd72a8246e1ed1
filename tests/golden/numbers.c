/* The published numbers, computed again from the counts beside them. */
#include "tests/golden/golden.h"

#include "core/stats/stats.h"

#include <math.h>
#include <stdio.h>
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

/* ---- what follows from the pass counts of the exposure matrix, "e9.1_numbers.json" in the same folder ---- */

static assay_json *cells_beside(const golden_case *c)
{
	const char *slash = strrchr(c->path, '/');
	as_buf path = {0};
	assay_json *cells = NULL;
	as_buf_add(&path, (assay_str){c->path, slash ? (size_t)(slash - c->path) + 1 : 0});
	as_buf_puts(&path, "e9.1_numbers.json");
	if (!path.failed) {
		as_json_read_file(path.ptr, 0, &cells, NULL);
	}
	as_buf_free(&path);
	return cells;
}

/* Percent passed of a cell, not rounded; NaN: there is no such cell. */
static double cell_percent(const assay_json *cells, assay_str model, assay_str condition)
{
	char name[160];
	const assay_json *cell;
	snprintf(name, sizeof name, "%.*s|%.*s", ASSAY_FMT(model), ASSAY_FMT(condition));
	cell = as_json_get(cells, name);
	return cell ? 100.0 * number(cell, "passed") / number(cell, "n") : (double)NAN;
}

/* Best minus worst, and best minus second. */
static void spread_of(const double *x, size_t n, double *spread, double *margin)
{
	double best = -1, second = -1, worst = 101;
	for (size_t i = 0; i < n; i++) {
		second = x[i] > best ? best : x[i] > second ? x[i] : second;
		best = x[i] > best ? x[i] : best;
		worst = x[i] < worst ? x[i] : worst;
	}
	*spread = best - worst;
	*margin = best - second;
}

static void run_spread_row(golden_case *c, const assay_json *cells, const assay_json *row)
{
	static const char *const keys[] = {
		"spread",     "curated_spread_same_models",     "retained_pct_of_curated_spread",
		"top_margin", "curated_top_margin_same_models", "rho_skill_vs_loss"};
	double curated[MAX_ROWS], exposed[MAX_ROWS], loss[MAX_ROWS], rho = (double)NAN, got[6];
	size_t n = 0;
	for (const assay_json *m = as_json_first(as_json_get(row, "model_ids")); m && n < MAX_ROWS;
	     m = as_json_next(m)) {
		curated[n] = cell_percent(cells, as_json_str(m), ASSAY_STR("curated"));
		exposed[n] = cell_percent(cells, as_json_str(m), as_json_key(row));
		loss[n] = curated[n] - exposed[n];
		put(&c->expected, number(as_json_get(row, "loss"), as_json_cstr(m, "")));
		put(&c->got, as_round(loss[n++], 1));
	}
	put(&c->expected, number(row, "models"));
	put(&c->got, (double)n);
	spread_of(exposed, n, &got[0], &got[3]);
	spread_of(curated, n, &got[1], &got[4]);
	got[2] = 100.0 * got[0] / got[1];
	as_spearman(curated, loss, n, true, &rho, NULL);
	got[5] = rho;
	for (size_t i = 0; i < 6; i++) {
		put(&c->expected, number(row, keys[i]));
		put(&c->got, as_round(got[i], i == 5 ? 2 : i == 2 ? 0 : 1));
	}
}

/* {"rag-8": {"model_ids", "spread", ...}}. The row "curated" is over all of the models that the others name. */
static void run_spread(golden_case *c)
{
	assay_json *cells = cells_beside(c);
	const assay_json *all = NULL, *whole = as_json_get(c->one, "curated");
	double curated[MAX_ROWS], spread, margin;
	size_t n = 0;
	for (const assay_json *row = as_json_first(c->one); row; row = as_json_next(row)) {
		const assay_json *ids = as_json_get(row, "model_ids");
		all = as_json_count(ids) > as_json_count(all) ? ids : all;
		if (ids) {
			run_spread_row(c, cells, row);
		}
	}
	for (const assay_json *m = as_json_first(all); m && n < MAX_ROWS; m = as_json_next(m)) {
		curated[n++] = cell_percent(cells, as_json_str(m), ASSAY_STR("curated"));
	}
	spread_of(curated, n, &spread, &margin);
	put(&c->expected, number(whole, "spread"));
	put(&c->expected, number(whole, "top_margin"));
	put(&c->got, as_round(spread, 1));
	put(&c->got, as_round(margin, 1));
	as_json_free(cells);
}

/* Is this mean one that whole numbers over n can have, to so many digits? */
static double whole_mean(double mean, double n, int digits)
{
	return as_round(as_round(mean * n, 0) / n, digits);
}

/* {"model|condition|reachable": {"failures", means over them}}: the failures of a cell are those that it did not pass,
 * and the means are those of whole numbers. */
static void run_failures(golden_case *c)
{
	static const struct {
		const char *key;
		int digits;
	} means[] = {{"calls_mean", 2}, {"calls_ok_mean", 2}, {"E3", 3}, {"E4", 3}, {"E6", 3}, {"E7", 3}};
	assay_json *cells = cells_beside(c), *sums = as_json_object();
	for (const assay_json *v = as_json_first(c->one); v; v = as_json_next(v)) {
		assay_str name = as_json_key(v);
		const double n = number(v, "failures");
		while (name.len > 0 && name.ptr[name.len - 1] != '|') {
			name.len--;
		}
		name.len -= name.len > 0;
		as_json_set_n(sums, name, as_json_real(as_json_f64(as_json_get_n(sums, name), 0) + n));
		for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
			put(&c->expected, number(v, means[i].key));
			put(&c->got, whole_mean(number(v, means[i].key), n, means[i].digits));
		}
	}
	for (const assay_json *v = as_json_first(sums); v; v = as_json_next(v)) {
		const assay_json *cell = as_json_get_n(cells, as_json_key(v));
		put(&c->expected, as_json_f64(v, (double)NAN));
		put(&c->got, number(cell, "n") - number(cell, "passed"));
	}
	as_json_free(sums);
	as_json_free(cells);
}

static void put_share(golden_case *c, double percent, double n)
{
	put(&c->expected, percent);
	put(&c->got, as_round(100.0 * as_round(percent * n / 100.0, 0) / n, 1));
}

/* {"8": {"checkpoint_recall", "tasks_fully_reachable", ...}}: shares that counts can have; the single servers' of the
 * buckets, which have a third of the tasks each, add up to the whole. */
static void run_recall(golden_case *c)
{
	const assay_json *hier = as_json_get(c->one, "hier_oracle_ceiling");
	double tasks = 0, sum = 0;
	for (const assay_json *v = as_json_first(c->one); v; v = as_json_next(v)) {
		if (v != hier) {
			tasks = number(v, "tasks");
			put_share(c, number(v, "checkpoint_recall"), number(v, "checkpoints"));
			put_share(c, number(v, "tasks_fully_reachable"), tasks);
		}
	}
	for (const assay_json *b = as_json_first(as_json_get(hier, "by_bucket")); b; b = as_json_next(b)) {
		double third = tasks / 3;
		put_share(c, as_json_f64(b, (double)NAN), third);
		sum += as_round(as_json_f64(b, (double)NAN) * third / 100.0, 0);
	}
	put(&c->expected, number(hier, "tasks_single_server_sufficient_pct"));
	put(&c->got, as_round(100.0 * sum / tasks, 1));
}

const golden_kind golden_numbers[] = {
	{"e9.1_numbers", "*passed *n *pass_pct *ci95", run_exposure_cells},
	{"e9.3_numbers", "decay", run_families_and_decay},
	{"lofo_numbers", "lofo", run_families_and_decay},
	{"e9.13_eqset_numbers", "multi_tool_pct buckets", run_equivalence_sets},
	{"e9.1_recall", "hier_oracle_ceiling", run_recall},
	{"e9.1_errors", "*failures *calls_mean *calls_ok_mean", run_failures},
	{"e9.1_spread", "curated rag-8", run_spread},
	{0},
};
