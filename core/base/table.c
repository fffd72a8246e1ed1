#include "core/base/table.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 64

typedef struct layout {
	size_t n, width[MAX_COLUMNS];
	bool right[MAX_COLUMNS];
	uint32_t style;
} layout;

/* A cell as it is printed: one line, nothing that a terminal or Markdown would take for more than text. */
static void clean_cell(assay_str cell, uint32_t style, as_buf *out)
{
	as_buf plain = {0};
	as_printable(&plain, cell);
	for (size_t i = 0; i < plain.len; i++) {
		if (style == AS_TABLE_MARKDOWN && (plain.ptr[i] == '|' || plain.ptr[i] == '\\')) {
			as_buf_byte(out, '\\');
		}
		if (style == AS_TABLE_MARKDOWN && plain.ptr[i] == '<') {
			as_buf_puts(out, "&lt;");
		} else {
			as_buf_byte(out, plain.ptr[i]);
		}
	}
	out->failed = out->failed || plain.failed;
	as_buf_free(&plain);
}

static void widen(layout *l, size_t column, assay_str text, as_buf *scratch)
{
	size_t width;
	as_buf_clear(scratch);
	clean_cell(text, l->style, scratch);
	width = as_utf8_length(as_buf_str(scratch));
	l->width[column] = width > l->width[column] ? width : l->width[column];
}

static int measure(const assay_json *columns, const assay_json *rows, layout *l)
{
	as_buf cell = {0};
	bool failed;
	for (const assay_json *c = as_json_first(columns); c; c = as_json_next(c)) {
		l->right[l->n] = as_str_is(as_json_str(as_json_get(c, "align")), "right");
		widen(l, l->n++, as_json_str(as_json_get(c, "title")), &cell);
	}
	for (const assay_json *r = as_json_first(rows); r; r = as_json_next(r)) {
		size_t i = 0;
		for (const assay_json *c = as_json_first(r); c && i < l->n; c = as_json_next(c), i++) {
			widen(l, i, as_json_str(c), &cell);
		}
	}
	failed = cell.failed;
	as_buf_free(&cell);
	return failed ? ASSAY_ENOMEM : 0;
}

static void put_cell(const layout *l, size_t column, assay_str text, as_buf *out)
{
	as_buf cell = {0};
	size_t width;
	clean_cell(text, l->style, &cell);
	width = as_utf8_length(as_buf_str(&cell));
	for (size_t i = width; l->right[column] && i < l->width[column]; i++) {
		as_buf_byte(out, ' ');
	}
	as_buf_add(out, as_buf_str(&cell));
	for (size_t i = width; !l->right[column] && i < l->width[column]; i++) {
		as_buf_byte(out, ' ');
	}
	out->failed = out->failed || cell.failed;
	as_buf_free(&cell);
}

static void put_row(const layout *l, const assay_json *first, const char *key, as_buf *out)
{
	const assay_json *c = first;
	size_t start = out->len;
	as_buf_puts(out, l->style == AS_TABLE_MARKDOWN ? "| " : "");
	for (size_t i = 0; i < l->n; i++) {
		put_cell(l, i, as_json_str(key ? as_json_get(c, key) : c), out);
		c = c ? as_json_next(c) : NULL;
		as_buf_puts(out, i + 1 < l->n ? (l->style == AS_TABLE_MARKDOWN ? " | " : "  ") : "");
	}
	while (l->style == AS_TABLE_TERMINAL && out->len > start && out->ptr[out->len - 1] == ' ') {
		out->len--; /* no padding at the end of a line */
	}
	as_buf_puts(out, l->style == AS_TABLE_MARKDOWN ? " |\n" : "\n");
}

static void put_rule(const layout *l, as_buf *out)
{
	bool markdown = l->style == AS_TABLE_MARKDOWN;
	as_buf_puts(out, markdown ? "|" : "");
	for (size_t i = 0; i < l->n; i++) {
		size_t dashes = l->width[i] + (markdown ? (l->right[i] ? 1 : 2) : 0);
		for (size_t k = 0; k < dashes; k++) {
			as_buf_byte(out, '-');
		}
		as_buf_puts(out, markdown ? (l->right[i] ? ":|" : "|") : i + 1 < l->n ? "  " : "");
	}
	as_buf_byte(out, '\n');
}

int as_table_render(const assay_json *table, uint32_t style, as_buf *out, assay_error *err)
{
	layout l = {.style = style};
	const assay_json *columns = as_json_get(table, "columns"), *rows = as_json_get(table, "rows");
	if (as_json_type(columns) != ASSAY_JSON_ARRAY || as_json_type(rows) != ASSAY_JSON_ARRAY ||
	    as_json_count(columns) == 0 || as_json_count(columns) > MAX_COLUMNS) {
		return as_fail(err, ASSAY_EINVAL, "a table has 1 to %d \"columns\" and an array \"rows\"", MAX_COLUMNS);
	}
	if (measure(columns, rows, &l) < 0) {
		return as_fail_memory(err);
	}
	put_row(&l, as_json_first(columns), "title", out);
	put_rule(&l, out);
	for (const assay_json *r = as_json_first(rows); r; r = as_json_next(r)) {
		put_row(&l, as_json_first(r), NULL, out);
	}
	return as_buf_check(out, err);
}

assay_json *as_table_new(void)
{
	assay_json *t = as_json_object();
	int rc = as_json_set(t, "columns", as_json_array());
	rc |= as_json_set(t, "rows", as_json_array());
	if (rc < 0) {
		as_json_free(t);
		return NULL;
	}
	return t;
}

int as_table_column(assay_json *table, const char *title, bool right)
{
	assay_json *c = as_json_object();
	int rc = as_json_set(c, "title", as_json_cstring(title));
	rc |= as_json_set(c, "align", as_json_cstring(right ? "right" : "left"));
	if (rc < 0 || !table) {
		as_json_free(c);
		return ASSAY_ENOMEM;
	}
	return as_json_append(as_json_edit(as_json_get(table, "columns")), c);
}

int as_table_row(assay_json *table, const char *const *cells, size_t n)
{
	assay_json *r = as_json_array();
	int rc = r && table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = as_json_append(r, as_json_cstring(cells[i] ? cells[i] : ""));
	}
	if (rc < 0) {
		as_json_free(r);
		return rc;
	}
	return as_json_append(as_json_edit(as_json_get(table, "rows")), r);
}
