/* Rank correlation. */
#include "core/base/error.h"
#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const double *x, const double *y, size_t n, assay_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(x[i]) || !isfinite(y[i])) {
			return as_fail(err, ASSAY_EINVAL, "point %zu is no finite number", i);
		}
	}
	return 0;
}

struct ranked {
	double value;
	size_t index;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->value != y->value) {
		return x->value < y->value ? -1 : 1;
	}
	return (x->index > y->index) - (x->index < y->index);
}

/* order is room for n. */
static void rank(const double *x, size_t n, bool ordinal, struct ranked *order, double *ranks)
{
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct ranked){x[i], i};
	}
	qsort(order, n, sizeof *order, compare);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !ordinal && order[end].value == order[i].value; end++) {
		}
		for (size_t k = i; k < end; k++) {
			ranks[order[k].index] = (double)(i + end - 1) / 2 + 1;
		}
	}
}

static double pearson(const double *x, const double *y, size_t n)
{
	const double mean_x = as_mean(x, n), mean_y = as_mean(y, n);
	double xy = 0, xx = 0, yy = 0;
	for (size_t i = 0; i < n; i++) {
		const double dx = x[i] - mean_x, dy = y[i] - mean_y;
		xy += dx * dy;
		xx += dx * dx;
		yy += dy * dy;
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

int as_spearman(const double *x, const double *y, size_t n, bool ordinal, double *rho, assay_error *err)
{
	*rho = (double)NAN;
	int rc = check(x, y, n, err);
	if (rc != 0 || n < 2) {
		return rc;
	}
	struct ranked *order = as_new(n, sizeof *order);
	double *ranks_x = as_new(n, sizeof *ranks_x);
	double *ranks_y = as_new(n, sizeof *ranks_y);
	if (order && ranks_x && ranks_y) {
		rank(x, n, ordinal, order, ranks_x);
		rank(y, n, ordinal, order, ranks_y);
		*rho = pearson(ranks_x, ranks_y, n);
	} else {
		rc = as_fail_memory(err);
	}
	free(order);
	free(ranks_x);
	free(ranks_y);
	return rc;
}

/* Sums over the groups of ties of a list, t the size of a group. */
struct ties {
	double pairs; /* t(t-1) */
	double wide;  /* t(t-1)(2t+5) */
	double three; /* t(t-1)(t-2) */
};

static void count_ties(const double *x, size_t n, struct ties *out)
{
	*out = (struct ties){0, 0, 0};
	for (size_t i = 0; i < n; i++) {
		double t = 1;
		bool first = true;
		for (size_t k = 0; k < n && first; k++) {
			first = k >= i || x[k] != x[i];
			t += k > i && x[k] == x[i];
		}
		if (first) {
			out->pairs += t * (t - 1);
			out->wide += t * (t - 1) * (2 * t + 5);
			out->three += t * (t - 1) * (t - 2);
		}
	}
}

#define MAX_POINTS 20000 /* as all pairs are looked at */
#define MAX_EXACT 33
#define MAX_INVERSIONS (MAX_EXACT * (MAX_EXACT - 1) / 2)

/* Two-sided p from the exact distribution of the number of inversions of n things in random order. */
static double exact_p(size_t n, size_t inversions)
{
	double share[MAX_INVERSIONS + 1] = {1}, next[MAX_INVERSIONS + 1];
	const size_t pairs = n * (n - 1) / 2;
	double tail = 0;
	for (size_t m = 2; m <= n; m++) { /* the m-th thing adds 0 to m - 1 inversions, each as likely */
		for (size_t i = 0; i <= m * (m - 1) / 2; i++) {
			next[i] = 0;
			for (size_t k = 0; k < m && k <= i; k++) {
				next[i] += share[i - k] / (double)m;
			}
		}
		memcpy(share, next, (m * (m - 1) / 2 + 1) * sizeof *next);
	}
	const size_t last = inversions < pairs - inversions ? inversions : pairs - inversions;
	for (size_t i = 0; i <= last; i++) {
		tail += share[i];
	}
	return fmin(1, 2 * tail);
}

static void count_pairs(const double *x, const double *y, size_t n, as_kendall *out)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			const int dx = (x[k] > x[i]) - (x[k] < x[i]);
			const int dy = (y[k] > y[i]) - (y[k] < y[i]);
			out->s += dx * dy;
			out->ties_x += dx == 0;
			out->ties_y += dy == 0;
		}
	}
}

int as_kendall_tau(const double *x, const double *y, size_t n, as_kendall *out, assay_error *err)
{
	struct ties tx, ty;
	const double nan_value = (double)NAN;
	*out = (as_kendall){.tau_b = nan_value, .z = nan_value, .p = nan_value, .p_exact = nan_value};
	int rc = check(x, y, n, err);
	if (rc != 0 || n < 2) {
		return rc;
	}
	if (n > MAX_POINTS) {
		return as_fail(err, ASSAY_EINVAL, "%zu points are too many for Kendall's tau", n);
	}
	count_pairs(x, y, n, out);
	count_ties(x, n, &tx);
	count_ties(y, n, &ty);
	const double m = (double)n, pairs = m * (m - 1) / 2;
	const double room = (pairs - (double)out->ties_x) * (pairs - (double)out->ties_y);
	if (room > 0) {
		out->tau_b = (double)out->s / sqrt(room);
	}
	double variance =
		(m * (m - 1) * (2 * m + 5) - tx.wide - ty.wide) / 18 + tx.pairs * ty.pairs / (2 * m * (m - 1));
	if (n > 2) {
		variance += tx.three * ty.three / (9 * m * (m - 1) * (m - 2));
	}
	if (variance > 0 && room > 0) {
		out->z = (double)out->s / sqrt(variance);
		out->p = erfc(fabs(out->z) / sqrt(2));
	}
	if (out->ties_x == 0 && out->ties_y == 0 && n <= MAX_EXACT) {
		out->p_exact = exact_p(n, (size_t)((int64_t)(n * (n - 1) / 2) - out->s) / 2);
	}
	return 0;
}
