/* The statistics against values computed elsewhere: exact fractions, or the same formulas in Python. */
#include "core/base/error.h"
#include "core/stats/stats.h"
#include "tests/unit/unit.h"

#include <math.h>

#define N(array) (sizeof(array) / sizeof *(array))

static void close_to(double found, double expected, double tolerance)
{
	ck_assert_msg(fabs(found - expected) <= tolerance * fmax(fabs(expected), 1e-300), "%.17g, expected %.17g",
		      found, expected);
}

START_TEST(test_wilson)
{
	static const struct {
		uint64_t k, n;
		double lo, hi;
	} cases[] = {{0, 0, 0, 0},
		     {0, 1, 0.0, 0.7934567085261071},
		     {1, 1, 0.20654329147389294, 1.0},
		     {67, 67, 0.9457719757882374, 0.9999999999999999},
		     {359, 750, 0.44311447545593785, 0.5144362885241874},
		     {3, 7, 0.15821692226262685, 0.7495457695909742},
		     {123456, 999999, 0.12281280759466023, 0.12410233237127802}};
	for (size_t i = 0; i < N(cases); i++) {
		as_interval found = as_wilson(cases[i].k, cases[i].n, 1.96);
		ck_assert(found.lo == cases[i].lo && found.hi == cases[i].hi); /* the same bits */
	}
}
END_TEST

START_TEST(test_pass_at_k)
{
	close_to(as_pass_at_k(10, 3, 1), 0.3, 1e-15);
	close_to(as_pass_at_k(10, 3, 2), 0.5333333333333333, 1e-15);
	ck_assert_double_eq(as_pass_at_k(10, 3, 8), 1);
	ck_assert_double_eq(as_pass_at_k(10, 10, 10), 1);
	ck_assert_double_eq(as_pass_at_k(10, 0, 10), 0);
	ck_assert_double_eq(as_pass_at_k(0, 0, 0), 0);
	close_to(as_pass_at_k(200, 13, 100), 0.9999194971988055, 1e-14);
	close_to(as_pass_at_k(1000000, 37, 1000), 0.03634234684287299, 1e-12);
	close_to(as_pass_at_k(1000000, 1000, 37), as_pass_at_k(1000000, 37, 1000), 1e-12);
	close_to(as_pass_hat_k(10, 3, 2), 0.06666666666666667, 1e-15);
	ck_assert_double_eq(as_pass_hat_k(10, 10, 4), 1);
	ck_assert_double_eq(as_pass_hat_k(10, 3, 4), 0);
	ck_assert_double_eq(as_pass_hat_k(10, 3, 0), 1);
	close_to(as_pass_hat_k(4, 3, 3), 0.25, 1e-15);
	close_to(as_pass_hat_k(UINT64_MAX, UINT64_MAX / 2, 3), 0.125, 1e-12);
	ck_assert(isnan(as_pass_at_k(3, 1, 4)));
	ck_assert(isnan(as_pass_hat_k(3, 1, 4)));
	ck_assert(isnan(as_pass_at_k(3, 4, 1)));
}
END_TEST

START_TEST(test_sums)
{
	const double rates[] = {0.330709, 0.283465, 0.299213, 0.299213};
	const double apart[] = {1e100, 1, -1e100, 1};
	const double huge[] = {INFINITY, 1, 2};
	const double x[] = {1, 2, 3, 4};
	ck_assert_double_eq(as_mean(x, 4), 2.5);
	ck_assert_double_eq(as_mean(x, 0), 0);
	ck_assert_double_eq(as_sum(apart, 4), 2);
	ck_assert(isinf(as_sum(huge, 3)));
	/* Plain addition would give 0.3031 here. */
	ck_assert_double_eq(as_round(as_sum(rates, 4) / 4, 4), 0.3032);
	close_to(as_deviation(rates, 4), 0.017160985140719617, 1e-12);
	close_to(as_deviation(x, 4), sqrt(1.25), 1e-15);
	ck_assert_double_eq(as_deviation(x, 0), 0);
}
END_TEST

START_TEST(test_round)
{
	static const struct {
		double x;
		int digits;
		double expected;
	} cases[] = {{2.5, 0, 2.0},
		     {3.5, 0, 4.0},
		     {0.5, 0, 0.0},
		     {2.675, 2, 2.67},
		     {1.005, 2, 1.0},
		     {0.125, 2, 0.12},
		     {0.375, 2, 0.38},
		     {1e+22, 2, 1e+22},
		     {5e-324, 323, 0.0},
		     {5e-324, 324, 5e-324},
		     {50.0, -2, 0.0},
		     {1234567.891, -2, 1234600.0},
		     {150.0, -2, 200.0},
		     {250.0, -2, 200.0},
		     {50.0000001, -2, 100},
		     {49.9, -2, 0.0},
		     {99.9, -2, 100.0},
		     {999999.0, -1, 1000000.0},
		     {95.0, -1, 100.0},
		     {1e+300, -299, 1e+300},
		     {123.456, -309, 0.0},
		     {1.4e+308, -308, 1e+308},
		     {5e+307, -308, 1e+308},
		     {-1234.5, -1, -1230.0},
		     {7.0, -1, 10.0},
		     {9007199254740994.0, -1, 9007199254740990.0},
		     {4.0, -2, 0.0},
		     {9007199254740992.0, -1, 9007199254740990.0},
		     {37.33333333333333, 1, 37.3}};
	for (size_t i = 0; i < N(cases); i++) {
		double found = as_round(cases[i].x, cases[i].digits);
		ck_assert_msg(found == cases[i].expected, "%.17g, %d: %.17g", cases[i].x, cases[i].digits, found);
	}
	ck_assert(signbit(as_round(-0.5, 0)));
	ck_assert(signbit(as_round(-4, -1)));
	ck_assert(signbit(as_round(-4, -400)));
	ck_assert(isnan(as_round(NAN, 2)));
	ck_assert(isinf(as_round(-INFINITY, 2)));
	ck_assert(isfinite(as_round(-1.7976931348623157e308, 323)));
}
END_TEST

START_TEST(test_bootstrap)
{
	const double x[] = {0, 1, 1, 0, 1, 0.5, 1, 0, 0, 1}, bad[] = {1, NAN};
	as_interval found;
	assay_error err = {0};
	ck_assert_int_eq(as_bootstrap_mean(x, 10, 1000, 7, 0.95, &found, NULL), 0);
	ck_assert(found.lo == 0.25 && found.hi == 0.8);
	ck_assert_int_eq(as_bootstrap_mean(x, 10, 999, ((uint64_t)1 << 40) + 3, 0.9, &found, NULL), 0);
	ck_assert(found.lo == 0.3 && found.hi == 0.8);
	ck_assert_int_eq(as_bootstrap_mean(x + 1, 1, 10, 1, 0.95, &found, NULL), 0);
	ck_assert(found.lo == 1 && found.hi == 1);
	ck_assert_int_eq(as_bootstrap_mean(NULL, 0, 10, 1, 0.95, &found, NULL), 0);
	ck_assert(found.lo == 0 && found.hi == 0);
	ck_assert_int_eq(as_bootstrap_mean(x, 10, 0, 1, 0.95, &found, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "0 resamples, expected one at least");
	as_error_clear(&err);
	ck_assert_int_eq(as_bootstrap_mean(x, 10, 10, 1, 95, &found, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "level 95, expected one between 0 and 1");
	as_error_clear(&err);
	ck_assert_int_eq(as_bootstrap_mean(bad, 2, 10, 1, 0.95, &found, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "item 1 is no finite number");
}
END_TEST

START_TEST(test_sign_flip)
{
	const double d[] = {1, 1, 0, 1, -1, 1, 1, 0.5, 1, 1}, none[] = {0, 0};
	double p = 0;
	ck_assert_int_eq(as_sign_flip(d, 10, 2000, 5, &p, NULL), 0);
	ck_assert_double_eq(p, 0.033483258370814596);
	ck_assert_int_eq(as_sign_flip(none, 2, 100, 5, &p, NULL), 0);
	ck_assert_double_eq(p, 1);
	ck_assert_int_eq(as_sign_flip(d, 0, 100, 5, &p, NULL), 0);
	ck_assert_double_eq(p, 1);
	ck_assert_int_eq(as_sign_flip(d, 10, 0, 5, &p, NULL), ASSAY_EINVAL);
}
END_TEST

START_TEST(test_contingency)
{
	static const struct {
		as_table2 t;
		double x, x_p, fisher;
	} cases[] = {{{0, 0, 0, 0}, 0, 1, 1},
		     {{5, 0, 5, 0}, 0, 1, 1},
		     {{1000, 1100, 1050, 1150}, 0.005044639190980654, 0.9433773623959515, 0.9513051757185522},
		     {{3, 0, 0, 3}, 6.0, 0.014305878435429647, 0.1},
		     {{0, 10, 12, 3}, 15.384615384615385, 8.769942375590239e-05, 0.00010768609503297887},
		     {{5000, 100, 4900, 200}, 34.343434343434346, 4.61956155148855e-09, 4.816807655437407e-09},
		     {{50, 3, 20, 17}, 20.459313761200555, 6.091241192691079e-06, 1.1774242864744348e-05}};
	for (size_t i = 0; i < N(cases); i++) {
		double p = -1;
		ck_assert_double_eq(as_chi_square(cases[i].t, &p), cases[i].x);
		close_to(p, cases[i].x_p, 1e-14);
		close_to(as_fisher(cases[i].t), cases[i].fisher, 1e-12);
	}
	ck_assert(as_needs_fisher((as_table2){5, 5, 5, 4}));
	ck_assert(!as_needs_fisher((as_table2){5, 5, 5, 5}));
	ck_assert_double_eq(as_chi_square((as_table2){1, 2, 3, 4}, NULL), as_chi_square((as_table2){1, 3, 2, 4}, NULL));
	/* Huge tables end, and absurd ones have no answer. */
	const uint64_t big = (uint64_t)1 << 40;
	ck_assert_double_lt(as_fisher((as_table2){big, 0, 0, big}), 1e-6);
	ck_assert(isnan(as_fisher((as_table2){UINT64_MAX, 1, 1, 1})));
	ck_assert(isnan(as_chi_square((as_table2){UINT64_MAX, 1, 1, 1}, NULL)));
}
END_TEST

START_TEST(test_mcnemar)
{
	ck_assert_double_eq(as_mcnemar(0, 0), 1);
	ck_assert_double_eq(as_mcnemar(7, 7), 1);
	ck_assert_double_eq(as_mcnemar(1, 0), 1);
	close_to(as_mcnemar(22, 8), 0.016124801710247993, 1e-13);
	close_to(as_mcnemar(8, 22), 0.016124801710247993, 1e-13);
	close_to(as_mcnemar(5, 0), 0.0625, 1e-13);
	close_to(as_mcnemar(300, 200), 8.940066542253267e-06, 1e-12);
	close_to(as_mcnemar(0, 1000), 1.8665272370064378e-301, 1e-9);
	close_to(as_mcnemar(500000, 501500), 0.13416520696303894, 1e-4); /* normal approximation */
	ck_assert(isnan(as_mcnemar(UINT64_MAX, 1)));
}
END_TEST

START_TEST(test_holm)
{
	double p[] = {0.01, 0.04, 0.03, 0.005}, ties[] = {0.5, 0.5, 0.9}, bad[] = {0.5, NAN}, out[4];
	assay_error err = {0};
	ck_assert_int_eq(as_holm(p, 4, out, NULL), 0);
	ck_assert(out[0] == 0.03 && out[1] == 0.06 && out[2] == 0.06 && out[3] == 0.02);
	ck_assert_int_eq(as_holm(p, 4, p, NULL), 0);
	ck_assert(p[0] == 0.03 && p[3] == 0.02);
	ck_assert_int_eq(as_holm(ties, 3, out, NULL), 0);
	ck_assert(out[0] == 1 && out[1] == 1 && out[2] == 1);
	ck_assert_int_eq(as_holm(NULL, 0, NULL, NULL), 0);
	ck_assert_int_eq(as_holm(bad, 2, out, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "p value 1 is nan, expected one from 0 to 1");
}
END_TEST

START_TEST(test_power)
{
	ck_assert_uint_eq(as_power_n(0.5, 0.65), 167);
	ck_assert_uint_eq(as_power_n(0.65, 0.5), 167);
	ck_assert_uint_eq(as_power_n(0.5, 0.5), 0);
	ck_assert_uint_eq(as_power_n(0.0, 1.0), 0);
	ck_assert_uint_eq(as_power_n(NAN, 0.5), 0);
	ck_assert_uint_eq(as_power_n(0.5, 1.5), 0);
	ck_assert_uint_eq(as_power_n(0.5, 0.5 + 1e-15), UINT64_MAX);
}
END_TEST

START_TEST(test_spearman)
{
	const double x[] = {5, 3, 3, 9, 0}, y[] = {2, 2, 8, 9, 1}, flat[] = {1, 1, 1, 1, 1}, bad[] = {1, NAN};
	double rho = 0;
	ck_assert_int_eq(as_spearman(x, y, 5, false, &rho, NULL), 0);
	ck_assert_double_eq(rho, 0.7631578947368421);
	ck_assert_int_eq(as_spearman(x, y, 5, true, &rho, NULL), 0); /* ranks 4 2 3 5 1 and 2 3 4 5 1 */
	close_to(rho, 0.7, 1e-15);
	ck_assert_int_eq(as_spearman(x, flat, 5, false, &rho, NULL), 0);
	ck_assert(isnan(rho));
	ck_assert_int_eq(as_spearman(x, y, 1, false, &rho, NULL), 0);
	ck_assert(isnan(rho));
	ck_assert_int_eq(as_spearman(bad, y, 2, false, &rho, NULL), ASSAY_EINVAL);
}
END_TEST

START_TEST(test_kendall)
{
	const double up[] = {1, 2, 3, 4, 5, 6}, mixed[] = {2, 1, 4, 3, 5}, tied[] = {1, 1, 2, 2, 3, 3},
		     other[] = {1, 2, 2, 3, 3, 4}, flat[] = {1, 1, 1};
	double long_x[40];
	as_kendall k;
	ck_assert_int_eq(as_kendall_tau(up, up, 6, &k, NULL), 0);
	ck_assert_int_eq(k.s, 15);
	ck_assert_double_eq(k.tau_b, 1);
	close_to(k.z, 2.81800931, 1e-8);
	close_to(k.p, 0.004832240869, 1e-8);
	close_to(k.p_exact, 0.002777777777777778, 1e-14);
	ck_assert_int_eq(as_kendall_tau(up, mixed, 5, &k, NULL), 0);
	close_to(k.tau_b, 0.6, 1e-15);
	close_to(k.p_exact, 28.0 / 120, 1e-14);
	ck_assert_int_eq(as_kendall_tau(tied, other, 6, &k, NULL), 0);
	ck_assert_uint_eq(k.ties_x, 3);
	ck_assert_uint_eq(k.ties_y, 2);
	close_to(k.tau_b, 10 / sqrt(12 * 13), 1e-15);
	close_to(k.z, 2.052677068, 1e-8);
	ck_assert(isnan(k.p_exact));
	ck_assert_int_eq(as_kendall_tau(flat, up, 3, &k, NULL), 0);
	ck_assert(isnan(k.tau_b) && isnan(k.p));
	ck_assert_int_eq(as_kendall_tau(up, up, 1, &k, NULL), 0);
	ck_assert(isnan(k.tau_b));
	for (int i = 0; i < 40; i++) {
		long_x[i] = i;
	}
	ck_assert_int_eq(as_kendall_tau(long_x, long_x, 33, &k, NULL), 0);
	ck_assert(k.p_exact > 0 && k.p_exact < 1e-30);
	ck_assert_int_eq(as_kendall_tau(long_x, long_x, 34, &k, NULL), 0);
	ck_assert(isnan(k.p_exact));
	long_x[3] = INFINITY;
	ck_assert_int_eq(as_kendall_tau(long_x, long_x, 34, &k, NULL), ASSAY_EINVAL);
}
END_TEST

START_TEST(test_agreement)
{
	const uint32_t table[] = {4, 1, 1, 6, 0, 0, 2, 2, 2, 5, 1, 0}, alone[] = {1, 0, 0, 1}, same[] = {3, 0, 3, 0};
	as_agreement a = as_agree(table, 4, 3);
	ck_assert_double_eq(a.percent, 0.5666666666666667);
	ck_assert_double_eq(a.fleiss, 0.04732824427480923);
	ck_assert_double_eq(a.gwet, 0.43910112359550557);
	a = as_agree(alone, 2, 2);
	ck_assert(isnan(a.percent) && isnan(a.fleiss) && isnan(a.gwet));
	a = as_agree(same, 2, 2);
	ck_assert(a.percent == 1 && isnan(a.fleiss) && a.gwet == 1);
	a = as_agree(same, 4, 1);
	ck_assert(isnan(a.gwet));
	a = as_agree(NULL, 0, 3);
	ck_assert(isnan(a.percent) && isnan(a.gwet));
}
END_TEST

START_TEST(test_kappa)
{
	const uint64_t three[] = {20, 5, 1, 3, 30, 4, 2, 2, 9}, one_sided[] = {4, 0, 0, 0}, none[4] = {0};
	close_to(as_cohen_kappa(three, 3), 0.6386013986013986, 1e-14);
	ck_assert(isnan(as_cohen_kappa(one_sided, 2)));
	ck_assert(isnan(as_cohen_kappa(none, 2)));
	ck_assert(isnan(as_cohen_kappa(NULL, 0)));
}
END_TEST

START_TEST(test_krippendorff)
{
	const uint32_t table[] = {3, 0, 0, 1, 2, 0, 0, 0, 4, 1, 0, 0, 2, 1, 1, 0, 3, 0}, same[] = {2, 0, 2, 0, 0, 1};
	close_to(as_krippendorff(table, 6, 3, false), 0.5555555555555556, 1e-14);
	close_to(as_krippendorff(table, 6, 3, true), 0.5277777777777779, 1e-14);
	ck_assert(isnan(as_krippendorff(same, 3, 2, true)));
	ck_assert(isnan(as_krippendorff(NULL, 0, 2, false)));
}
END_TEST

UNIT_SUITE(stats_suite, "stats", test_wilson, test_pass_at_k, test_sums, test_round, test_bootstrap, test_sign_flip,
	   test_contingency, test_mcnemar, test_holm, test_power, test_spearman, test_kendall, test_agreement,
	   test_kappa, test_krippendorff)
UNIT_MAIN(stats_suite)
