/* Bootstrap and permutation, from MT19937. */
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int check(const double *x, size_t n, uint32_t resamples, assay_error *err)
{
	if (resamples == 0) {
		return as_fail(err, ASSAY_EINVAL, "0 resamples, expected one at least");
	}
	if (n > UINT32_MAX) {
		return as_fail(err, ASSAY_EINVAL, "%zu items are too many to resample", n);
	}
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(x[i])) {
			return as_fail(err, ASSAY_EINVAL, "item %zu is no finite number", i);
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Linear interpolation between order statistics. */
static double quantile(const double *sorted, uint32_t n, double q)
{
	const double at = q * (double)(n - 1);
	const uint32_t below = (uint32_t)floor(at);
	const uint32_t above = below + 1 < n ? below + 1 : below;
	return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

int as_bootstrap_mean(const double *x, size_t n, uint32_t resamples, uint64_t seed, double level, as_interval *out,
		      assay_error *err)
{
	as_rng rng;
	*out = (as_interval){0, 0};
	int rc = check(x, n, resamples, err);
	if (rc == 0 && !(level > 0 && level < 1)) {
		rc = as_fail(err, ASSAY_EINVAL, "level %g, expected one between 0 and 1", level);
	}
	if (rc != 0 || n == 0) {
		return rc;
	}
	double *means = as_new(resamples, sizeof *means);
	if (!means) {
		return as_fail_memory(err);
	}
	as_rng_seed(&rng, seed);
	for (uint32_t r = 0; r < resamples; r++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			sum += x[as_rng_below(&rng, (uint32_t)n)];
		}
		means[r] = sum / (double)n;
	}
	qsort(means, resamples, sizeof *means, compare);
	out->lo = quantile(means, resamples, (1 - level) / 2);
	out->hi = quantile(means, resamples, 1 - (1 - level) / 2);
	free(means);
	return 0;
}

int as_sign_flip(const double *difference, size_t n, uint32_t resamples, uint64_t seed, double *p, assay_error *err)
{
	as_rng rng;
	uint64_t extreme = 0;
	double observed = 0, scale = 0;
	*p = 1;
	int rc = check(difference, n, resamples, err);
	if (rc != 0 || n == 0) {
		return rc;
	}
	for (size_t i = 0; i < n; i++) {
		observed += difference[i];
		scale += fabs(difference[i]);
	}
	/* Sums that are equal but for the rounding of another order count as equal. */
	const double enough = fabs(observed) - 1e-12 * scale;
	as_rng_seed(&rng, seed);
	for (uint32_t r = 0; r < resamples; r++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			sum += as_rng_bits(&rng, 1) ? difference[i] : -difference[i];
		}
		extreme += fabs(sum) >= enough;
	}
	*p = (1 + (double)extreme) / (1 + (double)resamples);
	return 0;
}
