/* Deep equality as Python's ==: numbers and booleans by value, integers exact, objects whatever their order. */
#include "core/base/json_node.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_OBJECT 8

static bool is_number(const cJSON *n)
{
	return n->type == cJSON_Number || n->type == cJSON_True || n->type == cJSON_False;
}

/* The digits of an integer or a boolean, or NULL for a double. */
static const char *integer_digits(const cJSON *n)
{
	if (n->type != cJSON_Number) {
		return n->type == cJSON_True ? "1" : "0";
	}
	if (!as_json_is_integer((const assay_json *)n)) {
		return NULL;
	}
	return strcmp(n->valuestring, "-0") == 0 ? "0" : n->valuestring;
}

/* An integer of any size against a double: a double that is integral has an exact decimal notation. */
static bool integer_is_double(const char *digits, double d)
{
	char exact[DBL_MAX_10_EXP + 16];
	if (!isfinite(d) || floor(d) != d) {
		return false;
	}
	snprintf(exact, sizeof exact, "%.0f", d == 0.0 ? 0.0 : d);
	return strcmp(exact, digits) == 0;
}

static bool numbers_equal(const cJSON *a, const cJSON *b)
{
	const char *left = integer_digits(a);
	const char *right = integer_digits(b);
	if (left && right) {
		return strcmp(left, right) == 0;
	}
	if (left) {
		return integer_is_double(left, b->valuedouble);
	}
	if (right) {
		return integer_is_double(right, a->valuedouble);
	}
	return a->valuedouble == b->valuedouble;
}

static bool equal(const cJSON *a, const cJSON *b);

static bool arrays_equal(const cJSON *a, const cJSON *b)
{
	const cJSON *x = a->child;
	const cJSON *y = b->child;
	for (; x && y; x = x->next, y = y->next) {
		if (!equal(x, y)) {
			return false;
		}
	}
	return !x && !y;
}

/* Keys are unique within an object and both have as many, so looking in one direction is enough. */
static bool members_found(const cJSON *a, const cJSON *b)
{
	for (const cJSON *x = a->child; x; x = x->next) {
		const cJSON *y = b->child;
		while (y && strcmp(x->string, y->string) != 0) {
			y = y->next;
		}
		if (!y || !equal(x, y)) {
			return false;
		}
	}
	return true;
}

static bool objects_equal(const cJSON *a, const cJSON *b)
{
	size_t n = as_json_count((const assay_json *)a);
	if (n != as_json_count((const assay_json *)b)) {
		return false;
	}
	if (n <= SMALL_OBJECT) {
		return members_found(a, b);
	}
	cJSON **left = as_json_sorted_members(a, &n);
	cJSON **right = as_json_sorted_members(b, &n);
	bool same = true;
	if (!left || !right) {
		same = members_found(a, b); /* out of memory: slow is better than wrong */
		n = 0;
	}
	for (size_t i = 0; i < n && same; i++) {
		same = strcmp(left[i]->string, right[i]->string) == 0 && equal(left[i], right[i]);
	}
	free(left);
	free(right);
	return same;
}

static bool equal(const cJSON *a, const cJSON *b)
{
	if (is_number(a) && is_number(b)) {
		return numbers_equal(a, b);
	}
	if (a->type != b->type) {
		return false;
	}
	switch (a->type) {
	case cJSON_String:
		return strcmp(a->valuestring, b->valuestring) == 0;
	case cJSON_Array:
		return arrays_equal(a, b);
	case cJSON_Object:
		return objects_equal(a, b);
	default:
		return true;
	}
}

bool as_json_equal(const assay_json *a, const assay_json *b)
{
	return a && b ? equal(as_json_node(a), as_json_node(b)) : a == b;
}
