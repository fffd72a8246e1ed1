/* Deep equality and the order of numbers. Integers are exact whatever their size, objects equal in any order. Python's
 * equality takes true for 1, JSON's does not. */
#include "core/base/json_node.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_OBJECT 8

enum rule { PYTHON, JSON };

static bool is_number(const cJSON *n, enum rule rule)
{
	return as_json_kind(n) == cJSON_Number ||
	       (rule == PYTHON && (as_json_kind(n) == cJSON_True || as_json_kind(n) == cJSON_False));
}

/* The digits of an integer or a boolean, or NULL for a double. */
static const char *integer_digits(const cJSON *n)
{
	if (as_json_kind(n) != cJSON_Number) {
		return as_json_kind(n) == cJSON_True ? "1" : "0";
	}
	if (!as_json_is_integer((const assay_json *)n)) {
		return NULL;
	}
	return strcmp(n->valuestring, "-0") == 0 ? "0" : n->valuestring;
}

static int compare_digits(const char *a, const char *b)
{
	int sign = a[0] == '-' ? -1 : 1;
	if ((a[0] == '-') != (b[0] == '-')) {
		return sign;
	}
	size_t left = strlen(a);
	size_t right = strlen(b);
	int order = left == right ? strcmp(a, b) : left < right ? -1 : 1;
	return order < 0 ? -sign : order > 0 ? sign : 0;
}

/* An integer of any size against a double. Rounding the integer keeps the order; only when they meet are the digits
 * needed, and an integral double has an exact decimal notation. */
static int compare_integer(const char *digits, double rounded, double d)
{
	char exact[DBL_MAX_10_EXP + 16];
	if (rounded != d) {
		return rounded < d ? -1 : 1;
	}
	if (isinf(d)) {
		return d > 0 ? -1 : 1;
	}
	snprintf(exact, sizeof exact, "%.0f", d == 0.0 ? 0.0 : d);
	return compare_digits(digits, exact);
}

static int compare_numbers(const cJSON *a, const cJSON *b)
{
	const char *left = integer_digits(a);
	const char *right = integer_digits(b);
	double x = as_json_kind(a) == cJSON_Number ? a->valuedouble : as_json_kind(a) == cJSON_True;
	double y = as_json_kind(b) == cJSON_Number ? b->valuedouble : as_json_kind(b) == cJSON_True;
	if (left && right) {
		return compare_digits(left, right);
	}
	if (left) {
		return compare_integer(left, x, y);
	}
	if (right) {
		return -compare_integer(right, y, x);
	}
	return (x > y) - (x < y);
}

static bool equal(const cJSON *a, const cJSON *b, enum rule rule);

static bool arrays_equal(const cJSON *a, const cJSON *b, enum rule rule)
{
	const cJSON *x = a->child;
	const cJSON *y = b->child;
	for (; x && y; x = x->next, y = y->next) {
		if (!equal(x, y, rule)) {
			return false;
		}
	}
	return !x && !y;
}

/* Keys are unique within an object and both have as many, so looking in one direction is enough. */
static bool members_found(const cJSON *a, const cJSON *b, enum rule rule)
{
	for (const cJSON *x = a->child; x; x = x->next) {
		const cJSON *y = b->child;
		while (y && strcmp(x->string, y->string) != 0) {
			y = y->next;
		}
		if (!y || !equal(x, y, rule)) {
			return false;
		}
	}
	return true;
}

static bool objects_equal(const cJSON *a, const cJSON *b, enum rule rule)
{
	size_t n = as_json_count((const assay_json *)a);
	if (n != as_json_count((const assay_json *)b)) {
		return false;
	}
	if (n <= SMALL_OBJECT) {
		return members_found(a, b, rule);
	}
	cJSON **left = as_json_sorted_members(a, &n);
	cJSON **right = as_json_sorted_members(b, &n);
	bool same = true;
	if (!left || !right) {
		same = members_found(a, b, rule); /* out of memory: slow is better than wrong */
		n = 0;
	}
	for (size_t i = 0; i < n && same; i++) {
		same = strcmp(left[i]->string, right[i]->string) == 0 && equal(left[i], right[i], rule);
	}
	free(left);
	free(right);
	return same;
}

static bool equal(const cJSON *a, const cJSON *b, enum rule rule)
{
	if (is_number(a, rule) && is_number(b, rule)) { /* a NaN is not even equal to itself */
		return !isnan(a->valuedouble) && !isnan(b->valuedouble) && compare_numbers(a, b) == 0;
	}
	if (as_json_kind(a) != as_json_kind(b)) {
		return false;
	}
	switch (as_json_kind(a)) {
	case cJSON_String:
		return strcmp(a->valuestring, b->valuestring) == 0;
	case cJSON_Array:
		return arrays_equal(a, b, rule);
	case cJSON_Object:
		return objects_equal(a, b, rule);
	default:
		return true;
	}
}

bool as_json_equal(const assay_json *a, const assay_json *b)
{
	return a && b ? equal(as_json_node(a), as_json_node(b), PYTHON) : a == b;
}

bool as_json_same(const assay_json *a, const assay_json *b)
{
	return a && b ? equal(as_json_node(a), as_json_node(b), JSON) : a == b;
}

int as_json_number_cmp(const assay_json *a, const assay_json *b)
{
	return compare_numbers(as_json_node(a), as_json_node(b));
}
