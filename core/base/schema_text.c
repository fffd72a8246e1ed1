/* What the messages of the schema code are made of. */
#include "core/base/error.h"
#include "core/base/schema_node.h"
#include "core/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_CHARACTERS 60u
#define LONGEST_WORD 64u

void as_place_report(const struct as_place *at, assay_error *err)
{
	if (!err) {
		return;
	}
	for (; at && at->up; at = at->up) {
		char token[sizeof err->pointer];
		size_t n = 0;
		if (!at->key) {
			as_error_pointer(err, "/%zu", at->index);
			continue;
		}
		for (const char *p = at->key; *p && n + 2 < sizeof token; p++) {
			if (*p == '~' || *p == '/') {
				token[n++] = '~';
			}
			token[n++] = (char)(*p == '~' ? '0' : *p == '/' ? '1' : *p);
		}
		token[n] = '\0';
		as_error_pointer(err, "/%s", token);
	}
}

static void add_cut(as_buf *out, assay_str text)
{
	size_t n = as_utf8_prefix(text, SHOWN_CHARACTERS);
	as_buf_add(out, (assay_str){text.ptr, n});
	as_buf_puts(out, n < text.len ? "..." : "");
}

void as_schema_describe(as_buf *out, const assay_json *v)
{
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING: {
		as_buf quoted = {0};
		as_json_write_string(&quoted, as_json_str(v), false);
		as_buf_puts(out, "string ");
		add_cut(out, as_buf_str(&quoted));
		as_buf_free(&quoted);
		break;
	}
	case ASSAY_JSON_NUMBER:
		as_buf_puts(out, "number ");
		add_cut(out, as_json_spelling(v));
		break;
	case ASSAY_JSON_ARRAY: {
		size_t n = as_json_count(v);
		as_buf_printf(out, "array of %zu item%s", n, n == 1 ? "" : "s");
		break;
	}
	case ASSAY_JSON_OBJECT: {
		size_t n = as_json_count(v);
		as_buf_printf(out, "object of %zu member%s", n, n == 1 ? "" : "s");
		break;
	}
	case ASSAY_JSON_BOOL:
		as_buf_puts(out, as_json_boolean(v, 0) ? "true" : "false");
		break;
	default:
		as_buf_puts(out, "null");
		break;
	}
}

static const struct {
	unsigned bit;
	const char *name;
} type_names[] = {
	{1u << ASSAY_JSON_OBJECT, "object"}, {1u << ASSAY_JSON_ARRAY, "array"}, {1u << ASSAY_JSON_STRING, "string"},
	{1u << ASSAY_JSON_NUMBER, "number"}, {AS_SCHEMA_INTEGER, "integer"},    {1u << ASSAY_JSON_BOOL, "boolean"},
	{1u << ASSAY_JSON_NULL, "null"},
};

void as_schema_type_names(as_buf *out, unsigned types)
{
	size_t left = 0;
	for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
		left += (types & type_names[i].bit) != 0;
	}
	for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
		if (types & type_names[i].bit) {
			left--;
			as_buf_puts(out, type_names[i].name);
			as_buf_puts(out, left == 0 ? "" : left == 1 ? " or " : ", ");
		}
	}
}

/* Damerau's distance without repeated edits: a swap of neighbours counts once, as in most typing errors. */
static size_t edit_distance(assay_str a, assay_str b)
{
	size_t rows[3][LONGEST_WORD + 1];
	size_t *before = rows[0];
	size_t *last = rows[1];
	size_t *row = rows[2];
	memset(rows, 0, sizeof rows);
	for (size_t k = 0; k <= b.len; k++) {
		last[k] = k;
	}
	for (size_t i = 1; i <= a.len; i++) {
		row[0] = i;
		for (size_t k = 1; k <= b.len; k++) {
			size_t cost = last[k - 1] + (a.ptr[i - 1] != b.ptr[k - 1]);
			cost = last[k] + 1 < cost ? last[k] + 1 : cost;
			cost = row[k - 1] + 1 < cost ? row[k - 1] + 1 : cost;
			if (i > 1 && k > 1 && a.ptr[i - 1] == b.ptr[k - 2] && a.ptr[i - 2] == b.ptr[k - 1] &&
			    before[k - 2] + 1 < cost) {
				cost = before[k - 2] + 1;
			}
			row[k] = cost;
		}
		size_t *oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[b.len];
}

const char *as_nearest(assay_str word, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	size_t limit = word.len / 3 > 0 ? word.len / 3 : 1;
	if (word.len > LONGEST_WORD) {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		assay_str candidate = as_str(candidates[i]);
		if (candidate.len > LONGEST_WORD || candidate.len > word.len + limit ||
		    word.len > candidate.len + limit) {
			continue;
		}
		size_t distance = edit_distance(word, candidate);
		if (distance <= limit && distance < word.len + (word.len == 0) && (!best || distance < limit)) {
			best = candidates[i];
			limit = distance;
		}
	}
	return best;
}
