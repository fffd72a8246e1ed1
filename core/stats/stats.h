/* Benchmark statistics. All functions are pure; sums run in index order, so the same numbers give the same bits.
 * Sources: reference page part 8 (Wilson, pass^k, tests, agreement), HumanEval (pass@k), the LiveMCPBench page part 9
 * (Kendall, McNemar), the MCPMark page 15.1 (compensated sums), design page (bounds). Where there is no answer it is
 * NaN. Thread: any. */
#ifndef AS_STATS_H
#define AS_STATS_H

#include "core/base/memory.h"

typedef struct as_interval {
	double lo, hi;
} as_interval;

/* Wilson score interval of a proportion at quantile z (1.96). n = 0: [0, 0]. */
as_interval as_wilson(uint64_t successes, uint64_t n, double z);

/* Unbiased estimates from c successes in n tries: at least one of k, all of k. NaN when k > n or c > n. */
double as_pass_at_k(uint64_t n, uint64_t c, uint64_t k);
double as_pass_hat_k(uint64_t n, uint64_t c, uint64_t k);

double as_mean(const double *x, size_t n); /* 0 for none */
double as_sum(const double *x, size_t n);  /* Python's sum() of floats since 3.12: compensated */
/* Standard deviation of a whole population, by compensated sums. 0 for none. */
double as_deviation(const double *x, size_t n);

/* Percentile bootstrap interval of the mean over n items (tasks): `resamples` draws with MT19937 seeded by `seed`.
 * level: 0.95. n = 0: [0, 0]. For a paired comparison give it the differences. ASSAY_ENOMEM; ASSAY_EINVAL: no resample,
 * a level outside (0, 1), a value that is no number, or 2^32 items. */
int as_bootstrap_mean(const double *x, size_t n, uint32_t resamples, uint64_t seed, double level, as_interval *out,
		      assay_error *err);

/* Two-sided p of a mean difference of 0 by random flips of sign, (1 + as extreme) / (1 + resamples). Errors as above.
 */
int as_sign_flip(const double *difference, size_t n, uint32_t resamples, uint64_t seed, double *p, assay_error *err);

/* Python's round(x, digits): correctly rounded, half to even on the exact binary value. digits may be negative. */
double as_round(double x, int digits);

/* Tests on counts. */

/* A table of counts [[a, b], [c, d]]. Over 2^40 in a cell: NaN. */
typedef struct as_table2 {
	uint64_t a, b, c, d;
} as_table2;

/* Pearson's chi-square without continuity correction, and its p. An empty margin: 0 and 1. */
double as_chi_square(as_table2 t, double *p);
double as_fisher(as_table2 t);     /* two-sided p; a table counts up to 1e-12 above the observed probability */
bool as_needs_fisher(as_table2 t); /* a cell below 5: what the comparison of strategies uses then */

/* Exact two-sided McNemar p from the discordant counts. Over 2^40: NaN. */
double as_mcnemar(uint64_t b, uint64_t c);

/* Holm-Bonferroni adjusted p values, input order kept. adjusted may be p. ASSAY_EINVAL: a p outside [0, 1]. */
int as_holm(const double *p, size_t n, double *adjusted, assay_error *err);

/* Sample size a group to tell p1 from p2 (5 % two-sided, power 80 %). 0 when equal or no proportions. */
uint64_t as_power_n(double p1, double p2);

/* Rank correlation. ASSAY_ENOMEM, ASSAY_EINVAL: a value that is no number. */

/* Pearson over ranks: ties share their average rank, or, `ordinal`, get consecutive ranks in index order (reference
 * page 8.6). NaN below two points or without variance. */
int as_spearman(const double *x, const double *y, size_t n, bool ordinal, double *rho, assay_error *err);

typedef struct as_kendall {
	int64_t s;               /* concordant less discordant pairs */
	uint64_t ties_x, ties_y; /* tied pairs */
	double tau_b;            /* NaN when a list is all one value */
	double z, p;             /* normal approximation, two-sided */
	double p_exact;          /* NaN with ties or over 33 points */
} as_kendall;
/* ASSAY_EINVAL: over 20,000 points. */
int as_kendall_tau(const double *x, const double *y, size_t n, as_kendall *out, assay_error *err);

/* Agreement between raters. Tables are row-major: `items` rows, counts of each category in the columns. */

/* Percent agreement over items with two ratings and more; Fleiss' kappa; Gwet's AC1 (reference page 8.8). Each NaN when
 * there is nothing to compare, AC1 below two categories, either where chance alone agrees always. */
typedef struct as_agreement {
	double percent, fleiss, gwet;
} as_agreement;
as_agreement as_agree(const uint32_t *table, size_t items, size_t categories);

/* Cohen's kappa of a square table of counts (first rater's category by second's). NaN when expected agreement is 1. */
double as_cohen_kappa(const uint64_t *table, size_t categories);

/* Krippendorff's nominal alpha. Ratings that stand alone in their item are left out. pooled: the observed disagreement
 * is pooled over items with weight m(m - 1) (reference page 8.8) and not weighted by 1/(m - 1). NaN without
 * disagreement to expect. */
double as_krippendorff(const uint32_t *table, size_t items, size_t categories, bool pooled);

/* Drift of servers, pooled (reference page 8.7): counts add up, rates are weighted by calls; identical and drifted are
 * rounded to whole percent, broken to one decimal. Rates of no calls are 0. */
typedef struct as_decay {
	uint64_t servers, calls;
	double identical, drifted, broken; /* percent of calls */
} as_decay;
as_decay as_decay_pool(const as_decay *rows, size_t n);

/* Equivalence sets of tool_effect checkpoints (reference page 8.9). Start with zeros. */
typedef struct as_set_sizes {
	uint64_t sets, multi, members, largest; /* multi: of two members or more */
	uint64_t buckets[5];                    /* of 1, 2, 3, 4, and 5 or more members; none of 0 */
} as_set_sizes;
void as_set_sizes_add(as_set_sizes *s, uint64_t size, uint64_t times);
double as_set_sizes_multi(const as_set_sizes *s); /* percent, 3 decimals; NaN without sets */
double as_set_sizes_mean(const as_set_sizes *s);  /* 3 decimals; NaN without sets */

#endif
