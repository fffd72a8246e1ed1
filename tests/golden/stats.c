/* Vectors of the statistics. A number that is not defined is null there and NaN here. */
#include "tests/golden/golden.h"

#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#define MAX_VALUES 4096 /* in one list or table of a case */

static void put(as_buf *out, double value)
{
	if (isnan(value)) {
		as_buf_puts(out, "null");
	} else {
		golden_number(out, value);
	}
	as_buf_byte(out, ' ');
}

/* A member of the case as `put` writes it: 1 and 1.0 are the same here. */
static void expect(golden_case *c, const char *key)
{
	put(&c->expected, as_json_f64(as_json_get(c->one, key), (double)NAN));
}

static uint64_t count(const assay_json *v)
{
	const int64_t n = as_json_i64(v, -1);
	return n < 0 ? UINT64_MAX : (uint64_t)n;
}

static size_t read_list(const assay_json *list, double values[MAX_VALUES])
{
	size_t n = 0;
	for (const assay_json *v = as_json_first(list); v && n < MAX_VALUES; v = as_json_next(v)) {
		values[n++] = as_json_f64(v, (double)NAN);
	}
	return n;
}

static void run_wilson(golden_case *c)
{
	const assay_json *ci = as_json_get(c->one, "ci");
	const as_interval got = as_wilson(count(as_json_get(c->one, "k")), count(as_json_get(c->one, "n")), 1.96);
	put(&c->expected, as_json_f64(as_json_at(ci, 0), (double)NAN));
	put(&c->expected, as_json_f64(as_json_at(ci, 1), (double)NAN));
	put(&c->got, got.lo);
	put(&c->got, got.hi);
}

static void run_contingency(golden_case *c)
{
	const assay_json *t = as_json_get(c->one, "table");
	const as_table2 table = {count(as_json_at(t, 0)), count(as_json_at(t, 1)), count(as_json_at(t, 2)),
				 count(as_json_at(t, 3))};
	double p = (double)NAN;
	expect(c, "chi2");
	expect(c, "chi2_p");
	expect(c, "fisher_p");
	as_buf_add(&c->expected, as_json_str(as_json_get(c->one, "used")));
	put(&c->got, as_chi_square(table, &p));
	put(&c->got, p);
	put(&c->got, as_fisher(table));
	as_buf_puts(&c->got, as_needs_fisher(table) ? "fisher" : "chi2");
}

static void run_holm(golden_case *c)
{
	double p[MAX_VALUES], expected[MAX_VALUES];
	const size_t n = read_list(as_json_get(c->one, "p"), p);
	const size_t n_expected = read_list(as_json_get(c->one, "adjusted"), expected);
	if (as_holm(p, n, p, NULL) != 0) {
		as_buf_puts(&c->got, "refused");
	}
	for (size_t i = 0; i < n_expected; i++) {
		put(&c->expected, expected[i]);
	}
	for (size_t i = 0; i < n; i++) {
		put(&c->got, p[i]);
	}
}

static void run_power_n(golden_case *c)
{
	const double p1 = as_json_f64(as_json_get(c->one, "p1"), (double)NAN);
	const double p2 = as_json_f64(as_json_get(c->one, "p2"), (double)NAN);
	expect(c, "n");
	put(&c->got, (double)as_power_n(p1, p2));
}

static void run_spearman(golden_case *c)
{
	double a[MAX_VALUES], b[MAX_VALUES], rho = 0;
	const size_t n = read_list(as_json_get(c->one, "a"), a);
	expect(c, "rho");
	if (read_list(as_json_get(c->one, "b"), b) != n || as_spearman(a, b, n, false, &rho, NULL) != 0) {
		as_buf_puts(&c->got, "refused");
	}
	put(&c->got, rho);
}

static void run_agreement(golden_case *c)
{
	const assay_json *table = as_json_get(c->one, "table");
	const size_t categories = as_json_count(as_json_first(table));
	uint32_t counts[MAX_VALUES];
	size_t items = 0;
	for (const assay_json *row = as_json_first(table); row && (items + 1) * categories <= MAX_VALUES;
	     row = as_json_next(row), items++) {
		for (size_t k = 0; k < categories; k++) {
			counts[items * categories + k] = (uint32_t)as_json_i64(as_json_at(row, k), 0);
		}
	}
	const as_agreement got = as_agree(counts, items, categories);
	expect(c, "percent_agreement");
	expect(c, "fleiss_kappa");
	expect(c, "gwet_ac1");
	put(&c->got, got.percent);
	put(&c->got, got.fleiss);
	put(&c->got, got.gwet);
}

/* 0 and 1 for the verdicts that count; a tie or a missing rating is 2. */
static size_t verdict(const assay_json *v)
{
	const assay_str text = as_json_str(v);
	if (as_str_is(text, "pass")) {
		return 0;
	}
	return as_str_is(text, "fail") ? 1 : 2;
}

static void run_cohen_kappa(golden_case *c)
{
	uint64_t table[4] = {0};
	for (const assay_json *pair = as_json_first(as_json_get(c->one, "pairs")); pair; pair = as_json_next(pair)) {
		const size_t first = verdict(as_json_at(pair, 0)), second = verdict(as_json_at(pair, 1));
		if (first < 2 && second < 2) {
			table[first * 2 + second]++;
		}
	}
	expect(c, "kappa");
	put(&c->got, as_cohen_kappa(table, 2));
}

static void run_krippendorff(golden_case *c)
{
	uint32_t table[MAX_VALUES] = {0};
	size_t items = 0;
	for (const assay_json *cell = as_json_first(as_json_get(c->one, "grid")); cell && items * 2 + 1 < MAX_VALUES;
	     cell = as_json_next(cell), items++) {
		for (const assay_json *v = as_json_first(cell); v; v = as_json_next(v)) {
			const size_t which = verdict(v);
			if (which < 2) {
				table[items * 2 + which]++;
			}
		}
	}
	expect(c, "alpha");
	put(&c->got, as_krippendorff(table, items, 2, true));
}

const golden_kind golden_stats[] = {
	{"wilson", "k n ci", run_wilson},
	{"contingency", "table chi2", run_contingency},
	{"holm", "p adjusted", run_holm},
	{"power_n", "p1 p2 n", run_power_n},
	{"spearman", "a b rho", run_spearman},
	{"agreement", "table fleiss_kappa", run_agreement},
	{"cohen_kappa", "pairs kappa", run_cohen_kappa},
	{"krippendorff", "grid alpha", run_krippendorff},
	{0},
};
