/* Benchmark statistics. All functions are pure; sums run in index order, so the same numbers give the same bits.
 * Sources: reference page part 8 (Wilson, pass^k), HumanEval (pass@k), design page (bounds). Thread: any. */
#ifndef AS_STATS_H
#define AS_STATS_H

#include "core/base/memory.h"

typedef struct as_interval {
	double lo, hi;
} as_interval;

/* Wilson score interval of a proportion at quantile z (1.96). n = 0: [0, 0]. */
as_interval as_wilson(uint64_t successes, uint64_t n, double z);

/* Unbiased estimates from c successes in n tries: at least one of k, all of k. NaN when k > n. */
double as_pass_at_k(uint64_t n, uint64_t c, uint64_t k);
double as_pass_hat_k(uint64_t n, uint64_t c, uint64_t k);

double as_mean(const double *x, size_t n); /* 0 for none */

/* Percentile bootstrap interval of the mean over n items (tasks): `resamples` draws with MT19937 seeded by `seed`.
 * level: 0.95. n = 0: [0, 0]. ASSAY_ENOMEM. */
int as_bootstrap_mean(const double *x, size_t n, uint32_t resamples, uint64_t seed, double level, as_interval *out,
                      assay_error *err);

/* Python's round(x, digits): correctly rounded, half to even on the exact binary value. */
double as_round(double x, int digits);

#endif
