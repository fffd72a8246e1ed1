/* Tests on tables of counts. */
#include "core/base/error.h"
#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#define MAX_COUNT ((uint64_t)1 << 40)

static bool sane(as_table2 t)
{
	return t.a <= MAX_COUNT && t.b <= MAX_COUNT && t.c <= MAX_COUNT && t.d <= MAX_COUNT;
}

double as_chi_square(as_table2 t, double *p)
{
	/* Wider than double, so that the quotient of whole numbers is rounded once for all counts that occur. */
	const long double a = (long double)t.a, b = (long double)t.b, c = (long double)t.c, d = (long double)t.d;
	const long double margins = (a + b) * (c + d) * (a + c) * (b + d);
	const long double cross = a * d - b * c;
	double x = 0;
	if (!sane(t)) {
		x = (double)NAN;
	} else if (margins > 0) {
		x = (double)((a + b + c + d) * cross * cross / margins);
	}
	if (p) {
		*p = erfc(sqrt(x / 2));
	}
	return x;
}

bool as_needs_fisher(as_table2 t)
{
	return t.a < 5 || t.b < 5 || t.c < 5 || t.d < 5;
}

/* A distribution over whole numbers lo..hi, known by the ratio of neighbours: hypergeometric, or binomial at one half.
 * No factorial is needed: weights relative to the mode, over their sum, are the probabilities. Weights too small to
 * count are not walked to, so that huge tables end. */
struct walk {
	uint64_t lo, hi, mode;
	uint64_t row, column; /* hypergeometric: margins of the cell; binomial: row = n */
	uint64_t rest;        /* hypergeometric: the other row's total */
	bool binomial;
	uint64_t first;            /* set by prepare: where the weights begin to count */
	long double weight, total; /* of first, and of all */
};

#define NEGLIGIBLE 1e-300L

/* weight(x + 1) / weight(x). rest + x + 1 > column wherever it is asked. */
static long double ratio(const struct walk *w, uint64_t x)
{
	const long double up = (long double)(w->row - x);
	if (w->binomial) {
		return up / (long double)(x + 1);
	}
	return up * (long double)(w->column - x) / ((long double)(x + 1) * (long double)(w->rest + x + 1 - w->column));
}

static void prepare(struct walk *w)
{
	long double weight = 1;
	w->total = 1;
	for (uint64_t x = w->mode; x < w->hi && weight > NEGLIGIBLE; x++) {
		weight *= ratio(w, x);
		w->total += weight;
	}
	w->first = w->mode;
	w->weight = 1;
	while (w->first > w->lo && w->weight > NEGLIGIBLE) {
		w->first--;
		w->weight /= ratio(w, w->first);
		w->total += w->weight;
	}
}

static double probability(const struct walk *w, uint64_t at)
{
	long double weight = w->weight;
	if (at < w->first) {
		return 0;
	}
	for (uint64_t x = w->first; x < at && (x < w->mode || weight > NEGLIGIBLE); x++) {
		weight *= ratio(w, x);
	}
	return weight > NEGLIGIBLE || at <= w->mode ? (double)(weight / w->total) : 0;
}

/* Sum of the probabilities up to `last` that are at most `most`, from below as the reference adds them. */
static double add_up(const struct walk *w, uint64_t last, double most)
{
	double sum = 0;
	long double weight = w->weight;
	for (uint64_t x = w->first; x <= last; x++) {
		const double p = (double)(weight / w->total);
		sum += p <= most ? p : 0;
		if (x >= w->hi || (x >= w->mode && weight <= NEGLIGIBLE)) {
			break;
		}
		weight *= ratio(w, x);
	}
	return sum;
}

double as_fisher(as_table2 t)
{
	if (!sane(t)) {
		return (double)NAN;
	}
	struct walk w = {.row = t.a + t.b, .rest = t.c + t.d, .column = t.a + t.c};
	w.lo = w.column > w.rest ? w.column - w.rest : 0;
	w.hi = w.row < w.column ? w.row : w.column;
	const long double mode =
		((long double)w.row + 1) * ((long double)w.column + 1) / ((long double)w.row + (long double)w.rest + 2);
	w.mode = (uint64_t)mode;
	w.mode = w.mode < w.lo ? w.lo : w.mode;
	w.mode = w.mode > w.hi ? w.hi : w.mode;
	prepare(&w);
	return add_up(&w, w.hi, probability(&w, t.a) + 1e-12);
}

double as_mcnemar(uint64_t b, uint64_t c)
{
	if (b > MAX_COUNT || c > MAX_COUNT) {
		return (double)NAN;
	}
	struct walk w = {.hi = b + c, .mode = (b + c) / 2, .row = b + c, .binomial = true};
	if (b == c) {
		return 1;
	}
	prepare(&w);
	return fmin(1, 2 * add_up(&w, b < c ? b : c, 1));
}

struct ranked {
	double p;
	size_t index;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->p != y->p) {
		return x->p < y->p ? -1 : 1;
	}
	return x->index < y->index ? -1 : 1;
}

int as_holm(const double *p, size_t n, double *adjusted, assay_error *err)
{
	double least = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(p[i] >= 0 && p[i] <= 1)) {
			return as_fail(err, ASSAY_EINVAL, "p value %zu is %g, expected one from 0 to 1", i, p[i]);
		}
	}
	struct ranked *order = as_new(n, sizeof *order);
	if (!order) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct ranked){p[i], i};
	}
	qsort(order, n, sizeof *order, compare);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, (double)(n - i) * order[i].p));
		adjusted[order[i].index] = least;
	}
	free(order);
	return 0;
}

uint64_t as_power_n(double p1, double p2)
{
	const double z = 1.959963984540054 + 0.8416212335729143; /* of 0.975 and 0.8 */
	const double gap = p1 - p2;
	if (!(p1 >= 0 && p1 <= 1 && p2 >= 0 && p2 <= 1)) {
		return 0;
	}
	const double n = gap == 0 ? 0 : ceil(z * z * (p1 * (1 - p1) + p2 * (1 - p2)) / (gap * gap));
	return n < 1e18 ? (uint64_t)n : UINT64_MAX;
}
