#include "core/base/schema_node.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIVISOR_DIGITS 18 /* ten times it fits into 64 bits */
#define MAX_ZEROS 1000

/* digits * 10^exponent, without zeros at either end; n is 0 for the number 0. */
struct decimal {
	const char *digits; /* may hold a '.' */
	size_t n;           /* digits, the '.' not counted */
	int64_t exponent;
};

static struct decimal decimal_of(const char *spelling)
{
	struct decimal d = {0};
	const char *first = spelling + strspn(spelling, "-0.");
	const char *end = spelling + strcspn(spelling, "eE");
	const char *point = memchr(spelling, '.', (size_t)(end - spelling));
	const char *last = end;
	while (last > spelling && (last[-1] == '0' || last[-1] == '.')) {
		last--;
	}
	if (first >= last) {
		return d;
	}
	d.digits = first;
	d.n = (size_t)(last - first);
	if (point && point >= first && point < last) {
		d.n--;
	}
	d.exponent = *end ? strtoll(end + 1, NULL, 10) : 0;
	if (d.exponent > INT32_MAX || d.exponent < -INT32_MAX) {
		d.exponent = d.exponent < 0 ? -INT32_MAX : INT32_MAX;
	}
	/* The exponent of the last digit. */
	if (point && last > point) {
		d.exponent -= last - point - 1;
	} else {
		d.exponent += (point ? point : end) - last;
	}
	return d;
}

static uint64_t remainder_of(const struct decimal *d, uint64_t divisor)
{
	uint64_t r = 0;
	size_t i = 0;
	for (const char *p = d->digits; i < d->n; p++) {
		if (*p != '.') {
			r = (r * 10 + (uint64_t)(*p - '0')) % divisor;
			i++;
		}
	}
	return r;
}

/* Exact where doubles are not: 0.3 is a multiple of 0.1. */
bool as_schema_is_multiple(const assay_json *v, const assay_json *divisor)
{
	struct decimal a = decimal_of(as_json_spelling(v).ptr);
	struct decimal b = decimal_of(as_json_spelling(divisor).ptr);
	if (a.n == 0) {
		return true;
	}
	if (b.n == 0 || a.exponent < b.exponent) {
		/* a's last digit stands behind everything that a multiple of b can have. */
		return false;
	}
	if (b.n > MAX_DIVISOR_DIGITS || a.exponent - b.exponent > MAX_ZEROS) {
		double x = as_json_f64(v, HUGE_VAL);
		return isfinite(x) && fmod(x, as_json_f64(divisor, 1)) == 0;
	}
	/* All digits of b as one number: a remainder that no number reaches. */
	uint64_t m = remainder_of(&b, UINT64_MAX);
	uint64_t r = remainder_of(&a, m);
	for (int64_t k = a.exponent - b.exponent; k > 0 && r > 0; k--) {
		r = r * 10 % m;
	}
	return r == 0;
}
