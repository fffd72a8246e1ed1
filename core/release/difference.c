#include "core/release/difference.h"

#include "core/base/text.h"
#include <stdio.h>
#include <string.h>

/* Members of objects are looked up one by one; beyond this many only objects of the same order are compared inside. */
#define MAX_LOOK_UPS 2000u

typedef struct comparison {
	as_buf pointer;
	const assay_json *expected, *found; /* the differing pair */
} comparison;

static void push_key(as_buf *pointer, assay_str key)
{
	as_buf_byte(pointer, '/');
	for (size_t i = 0; i < key.len; i++) {
		if (key.ptr[i] == '~' || key.ptr[i] == '/') {
			as_buf_puts(pointer, key.ptr[i] == '~' ? "~0" : "~1");
		} else {
			as_buf_byte(pointer, key.ptr[i]);
		}
	}
}

static void pop(as_buf *pointer, size_t len)
{
	if (pointer->ptr && len <= pointer->len) {
		pointer->len = len;
		pointer->ptr[len] = '\0';
	}
}

static bool note(comparison *c, const assay_json *expected, const assay_json *found)
{
	c->expected = expected;
	c->found = found;
	return true;
}

static bool differ(comparison *c, const assay_json *expected, const assay_json *found);

static bool arrays_differ(comparison *c, const assay_json *expected, const assay_json *found)
{
	const assay_json *e = as_json_first(expected), *f = as_json_first(found);
	for (size_t i = 0; e || f; i++) {
		size_t len = c->pointer.len;
		as_buf_printf(&c->pointer, "/%zu", i);
		if (!e || !f ? note(c, e, f) : differ(c, e, f)) {
			return true;
		}
		pop(&c->pointer, len);
		e = as_json_next(e);
		f = as_json_next(f);
	}
	return false;
}

/* The member of `found` that goes with e; `at` is the one in the same place. */
static const assay_json *partner(const assay_json *e, const assay_json *found, const assay_json *at, bool small)
{
	if (at && as_str_eq(as_json_key(at), as_json_key(e))) {
		return at;
	}
	return small ? as_json_get_n(found, as_json_key(e)) : NULL;
}

static bool objects_differ(comparison *c, const assay_json *expected, const assay_json *found)
{
	const assay_json *at = as_json_first(found);
	bool small = as_json_count(found) <= MAX_LOOK_UPS && as_json_count(expected) <= MAX_LOOK_UPS;
	for (const assay_json *e = as_json_first(expected); e; e = as_json_next(e)) {
		const assay_json *f = partner(e, found, at, small);
		size_t len = c->pointer.len;
		push_key(&c->pointer, as_json_key(e));
		if (!f ? note(c, e, NULL) : differ(c, e, f)) {
			return true;
		}
		pop(&c->pointer, len);
		at = at ? as_json_next(at) : NULL;
	}
	if (as_json_count(found) == as_json_count(expected)) {
		return false;
	}
	for (const assay_json *f = as_json_first(found); f; f = as_json_next(f)) {
		if (!as_json_get_n(expected, as_json_key(f))) {
			push_key(&c->pointer, as_json_key(f));
			return note(c, NULL, f);
		}
	}
	return note(c, expected, found);
}

static bool differ(comparison *c, const assay_json *expected, const assay_json *found)
{
	int type = as_json_type(expected);
	if (type != as_json_type(found)) {
		return note(c, expected, found);
	}
	switch (type) {
	case ASSAY_JSON_ARRAY:
		return arrays_differ(c, expected, found);
	case ASSAY_JSON_OBJECT:
		return objects_differ(c, expected, found);
	case ASSAY_JSON_STRING:
		return !as_str_eq(as_json_str(expected), as_json_str(found)) && note(c, expected, found);
	case ASSAY_JSON_NUMBER:
		return as_json_number_cmp(expected, found) != 0 && note(c, expected, found);
	case ASSAY_JSON_BOOL:
		return as_json_boolean(expected, 0) != as_json_boolean(found, 0) && note(c, expected, found);
	default:
		return false;
	}
}

static void show(const assay_json *v, char *out, size_t size)
{
	as_buf text = {0};
	size_t n;
	if (!v) {
		snprintf(out, size, "nothing");
		return;
	}
	as_json_write(&text, v, ASSAY_JSON_COMPACT);
	n = text.len < size ? text.len : as_utf8_within(as_buf_str(&text), size - 4); /* room for the dots */
	snprintf(out, size, "%.*s%s", (int)n, text.ptr ? text.ptr : "", n < text.len ? "..." : "");
	as_buf_free(&text);
}

bool as_values_differ(const assay_json *expected, const assay_json *found, as_difference *out)
{
	comparison c = {0};
	bool answer = differ(&c, expected, found);
	*out = (as_difference){0};
	if (answer) {
		size_t n = c.pointer.len < sizeof out->pointer ? c.pointer.len : sizeof out->pointer - 1;
		memcpy(out->pointer, c.pointer.ptr ? c.pointer.ptr : "", n);
		out->line = as_json_line(c.found);
		show(c.expected, out->expected, sizeof out->expected);
		show(c.found, out->found, sizeof out->found);
	}
	as_buf_free(&c.pointer);
	return answer;
}

uint64_t as_count_numbers(const assay_json *v)
{
	uint64_t n = as_json_type(v) == ASSAY_JSON_NUMBER;
	if (as_json_type(v) == ASSAY_JSON_ARRAY || as_json_type(v) == ASSAY_JSON_OBJECT) {
		for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
			n += as_count_numbers(m);
		}
	}
	return n;
}
