/* Proportions, sums and rounding. */
#include "core/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operations stand in the order that gives the reference's bits. */
as_interval as_wilson(uint64_t successes, uint64_t n, double z)
{
	if (n == 0) {
		return (as_interval){0, 0};
	}
	const double count = (double)n;
	const double p = (double)successes / count;
	const double scale = 1 + z * z / count;
	const double centre = (p + z * z / (2 * count)) / scale;
	const double half = z * sqrt((p * (1 - p) + z * z / (4 * count)) / count) / scale;
	return (as_interval){fmax(0, centre - half), fmin(1, centre + half)};
}

/* Probability that k draws without replacement from n things meet none of c: C(n-c, k) / C(n, k), as a product that
 * neither overflows nor cancels. It is symmetric in c and k, so the shorter of two products is taken. */
static double meets_none(uint64_t n, uint64_t c, uint64_t k)
{
	const uint64_t few = c < k ? c : k;
	const uint64_t many = c < k ? k : c;
	double product = 1;
	if (few > n - many) {
		return 0;
	}
	for (uint64_t i = 0; i < few && product > 0; i++) {
		product *= 1 - (double)many / (double)(n - i);
	}
	return product;
}

double as_pass_at_k(uint64_t n, uint64_t c, uint64_t k)
{
	return k > n || c > n ? (double)NAN : 1 - meets_none(n, c, k);
}

double as_pass_hat_k(uint64_t n, uint64_t c, uint64_t k)
{
	return k > n || c > n ? (double)NAN : meets_none(n, n - c, k);
}

double as_mean(const double *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += x[i];
	}
	return n > 0 ? sum / (double)n : 0;
}

/* Neumaier's summation, one value at a time. */
struct compensated {
	double sum, lost;
};

static void add(struct compensated *c, double x)
{
	const double t = c->sum + x;
	c->lost += fabs(c->sum) >= fabs(x) ? (c->sum - t) + x : (x - t) + c->sum;
	c->sum = t;
}

static double total(const struct compensated *c)
{
	/* Infinities leave NaN in the correction. */
	return isfinite(c->lost) ? c->sum + c->lost : c->sum;
}

double as_sum(const double *x, size_t n)
{
	struct compensated c = {0, 0};
	for (size_t i = 0; i < n; i++) {
		add(&c, x[i]);
	}
	return total(&c);
}

double as_deviation(const double *x, size_t n)
{
	struct compensated c = {0, 0};
	if (n == 0) {
		return 0;
	}
	const double mean = as_sum(x, n) / (double)n;
	for (size_t i = 0; i < n; i++) {
		add(&c, (x[i] - mean) * (x[i] - mean));
	}
	return sqrt(total(&c) / (double)n);
}

/* Round the digits of a whole number to a multiple of 10^places, half to even; `more`: something follows its last
 * digit. */
static void round_digits(char *digits, size_t places, bool more)
{
	size_t n = strlen(digits);
	if (places > n) {
		memcpy(digits, "0", 2);
		return;
	}
	/* digits[0] is a spare zero for the carry, so there is always one to look at. */
	size_t cut = n - places;
	int half = digits[cut] - '5';
	for (size_t i = cut + 1; i < n; i++) {
		more = more || digits[i] != '0';
	}
	bool up = half > 0 || (half == 0 && (more || (digits[cut - 1] - '0') % 2 != 0));
	memset(digits + cut, '0', n - cut);
	for (size_t i = cut; up && i > 0; i--) {
		up = digits[i - 1] == '9';
		digits[i - 1] = up ? '0' : (char)(digits[i - 1] + 1);
	}
}

double as_round(double x, int digits)
{
	char text[700]; /* 309 digits before the point and 323 behind it */
	if (!isfinite(x) || x == 0 || digits > 323) {
		return x;
	}
	if (digits < -308) {
		return copysign(0, x);
	}
	if (digits >= 0) {
		/* printf rounds the exact value, half to even, and strtod reads the nearest double. */
		snprintf(text, sizeof text, "%.*f", digits, x);
		return strtod(text, NULL);
	}
	double whole = trunc(fabs(x));
	snprintf(text, sizeof text, "0%.0f", whole);
	round_digits(text, (size_t)-digits, whole != fabs(x));
	return copysign(strtod(text, NULL), x);
}
