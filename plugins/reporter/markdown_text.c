/* Text and tables of the Markdown report. */
#include "markdown.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for n more bytes and a NUL. */
static int reserve(markdown_text *t, size_t n)
{
	size_t need = t->len + n + 1, cap = t->cap ? t->cap : 256;
	char *p;
	if (t->failed || need < n) {
		t->failed = 1;
		return 0;
	}
	while (cap < need) {
		cap *= 2;
	}
	if (cap > t->cap) {
		p = t->host->resize(t->ptr, cap);
		if (!p) {
			t->failed = 1;
			return 0;
		}
		t->ptr = p;
		t->cap = cap;
	}
	return 1;
}

void text_add_n(markdown_text *t, assay_str s)
{
	if (s.len > 0 && reserve(t, s.len)) {
		memcpy(t->ptr + t->len, s.ptr, s.len);
		t->len += s.len;
		t->ptr[t->len] = '\0';
	}
}

void markdown_add(markdown_text *t, const char *s)
{
	text_add_n(t, (assay_str){s, strlen(s)});
}

void markdown_printf(markdown_text *t, const char *format, ...)
{
	va_list args, again;
	int n;
	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n < 0) {
		t->failed = 1;
	} else if (reserve(t, (size_t)n)) {
		vsnprintf(t->ptr + t->len, (size_t)n + 1, format, again);
		t->len += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

void markdown_clear(markdown_text *t)
{
	t->len = 0;
	if (t->ptr) {
		t->ptr[0] = '\0';
	}
}

void markdown_free(markdown_text *t)
{
	t->host->free(t->ptr);
	t->ptr = NULL;
	t->len = t->cap = 0;
}

static int is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Is there a dot with something behind it in the word from i on? Then an "@" before it makes a link. */
static int is_domain(assay_str s, size_t i)
{
	for (; i + 1 < s.len && (is_word(s.ptr[i]) || s.ptr[i] == '-' || s.ptr[i] == '.' || s.ptr[i] == '_'); i++) {
		if (s.ptr[i] == '.' && is_word(s.ptr[i + 1])) {
			return 1;
		}
	}
	return 0;
}

/* Would this byte, as the first of a line or behind a line's first digits, begin a block? */
static int begins_block(assay_str s, size_t i)
{
	static const char marks[] = {'-', '+', '=', '#', '>', '[', ':', '|'};
	size_t digits = 0;
	if (i == 0) {
		return memchr(marks, s.ptr[0], sizeof marks) != NULL;
	}
	while (digits < i && s.ptr[digits] >= '0' && s.ptr[digits] <= '9') {
		digits++;
	}
	return digits == i && digits < 10 && (s.ptr[i] == '.' || s.ptr[i] == ')') &&
	       (i + 1 == s.len || s.ptr[i + 1] == ' ');
}

/* Is this byte of s more than itself to a reader of Markdown? What is, is written as a character reference: a backslash
 * would be escaped by the table writer. The rest stays readable in the source, too. */
static int is_markup(assay_str s, size_t i)
{
	char c = s.ptr[i], next = i + 1 < s.len ? s.ptr[i + 1] : ' ';
	switch (c) {
	case '\\':
	case '`':
	case '*':
	case '<':
	case '~':
	case '$':
		return 1;
	case '_': /* within a word it is only itself */
		return i == 0 || i + 1 == s.len || !is_word(s.ptr[i - 1]) || !is_word(next);
	case '&':
		return next == '#' || is_word(next);
	case ']':
		return next == '(' || next == '[' || next == ':';
	case ':': /* http:// is a link by itself */
		return i + 2 < s.len && next == '/' && s.ptr[i + 2] == '/';
	case '.': /* and so is www. */
		return begins_block(s, i) || (i >= 3 && (s.ptr[i - 1] | 0x20) == 'w' && (s.ptr[i - 2] | 0x20) == 'w' &&
					      (s.ptr[i - 3] | 0x20) == 'w');
	case '@': /* and a mail address */
		return is_domain(s, i + 1);
	default:
		return begins_block(s, i);
	}
}

/* Characters that turn the order of others around; UTF-8, three bytes but for U+061C. */
static size_t direction_mark(assay_str s, size_t i)
{
	const unsigned char *p = (const unsigned char *)s.ptr + i;
	if (i + 1 < s.len && p[0] == 0xD8 && p[1] == 0x9C) {
		return 2;
	}
	if (i + 2 < s.len && p[0] == 0xE2 &&
	    ((p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || (p[2] >= 0xA8 && p[2] <= 0xAE))) ||
	     (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9))) {
		return 3;
	}
	return 0;
}

void markdown_escape(markdown_text *t, assay_str s, size_t cut)
{
	size_t characters = 0;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		size_t mark = direction_mark(s, i);
		if ((c & 0xC0) != 0x80 && cut > 0 && ++characters > cut) {
			markdown_add(t, "…");
			return;
		}
		if (mark > 0) {
			i += mark - 1;
		} else if (c < 0x20 || c == 0x7F) {
			markdown_add(t, " ");
		} else if (is_markup(s, i)) {
			markdown_printf(t, "&#%d;", c);
		} else {
			text_add_n(t, (assay_str){s.ptr + i, 1});
		}
	}
}

/* ---- tables ---- */

assay_json *table_new(const markdown_report *r)
{
	assay_json *t = r->json->object();
	int rc = r->json->set(t, "columns", r->json->array());
	rc |= r->json->set(t, "rows", r->json->array());
	if (rc < 0) {
		r->json->free(t);
		return NULL;
	}
	return t;
}

/* The table's own list, to be changed: the table is ours. */
static assay_json *list_of(const markdown_report *r, assay_json *table, const char *key)
{
	return r->json->detach(table, key);
}

static void add_column(const markdown_report *r, assay_json *table, assay_str title, int right)
{
	const assay_json_api *J = r->json;
	assay_json *columns = list_of(r, table, "columns"), *c = J->object();
	int rc = J->set(c, "title", J->string(title));
	rc |= J->set(c, "align", J->string(right ? ASSAY_STR("right") : ASSAY_STR("left")));
	if (rc < 0) {
		J->free(c);
		c = NULL;
	}
	if (J->append(columns, c) < 0) {
		J->free(columns); /* the table lacks its columns now, which put_table sees */
	} else {
		(void)J->set(table, "columns", columns);
	}
}

void table_column(const markdown_report *r, assay_json *table, const char *title, int right)
{
	add_column(r, table, (assay_str){title, strlen(title)}, right);
}

void table_column_text(markdown_report *r, assay_json *table, assay_str title, int right)
{
	markdown_clear(&r->cell);
	markdown_escape(&r->cell, title, 0);
	add_column(r, table, (assay_str){r->cell.ptr, r->cell.len}, right);
}

assay_json *row_new(const markdown_report *r)
{
	return r->json->array();
}

static void add_cell(const markdown_report *r, assay_json **row, assay_str text)
{
	if (*row && r->json->append(*row, r->json->string(text)) < 0) {
		r->json->free(*row);
		*row = NULL;
	}
}

void row_add(const markdown_report *r, assay_json **row, const char *text)
{
	add_cell(r, row, (assay_str){text, strlen(text)});
}

void row_add_text(markdown_report *r, assay_json **row, assay_str text, size_t cut)
{
	markdown_clear(&r->cell);
	markdown_escape(&r->cell, text, cut);
	add_cell(r, row, (assay_str){r->cell.ptr, r->cell.len});
}

void row_add_number(const markdown_report *r, assay_json **row, int64_t n)
{
	char text[24];
	snprintf(text, sizeof text, "%lld", (long long)n);
	row_add(r, row, text);
}

void row_add_mean(const markdown_report *r, assay_json **row, const assay_json *mean)
{
	char text[32] = "–";
	if (mean) {
		snprintf(text, sizeof text, "%.1f", r->json->f64(mean, 0));
	}
	row_add(r, row, text);
}

void row_add_share(const markdown_report *r, assay_json **row, double share)
{
	char text[24];
	snprintf(text, sizeof text, "%.1f %%", share * 100.0);
	row_add(r, row, text);
}

/* "0.625 (0.453–0.771)", or "[0.625, 0.708] (0.453–0.830)" where the tape leaves room; "–" when nothing was counted. */
void row_add_rate(const markdown_report *r, assay_json **row, const assay_json *rate, int64_t n)
{
	const assay_json_api *J = r->json;
	double lo = J->f64(J->get(rate, "lo"), 0), hi = J->f64(J->get(rate, "hi"), 0);
	double low = J->f64(J->at(J->get(rate, "interval_lo"), 0), 0),
	       high = J->f64(J->at(J->get(rate, "interval_hi"), 1), 0);
	char text[96];
	if (n == 0) {
		snprintf(text, sizeof text, "–");
	} else if (hi > lo) {
		snprintf(text, sizeof text, "[%.3f, %.3f] (%.3f–%.3f)", lo, hi, low, high);
	} else {
		snprintf(text, sizeof text, "%.3f (%.3f–%.3f)", lo, low, high);
	}
	row_add(r, row, text);
}

void table_row(const markdown_report *r, assay_json *table, assay_json *row)
{
	assay_json *rows = list_of(r, table, "rows");
	if (r->json->append(rows, row) < 0) {
		r->json->free(rows); /* the table lacks its rows now, which put_table sees */
	} else {
		(void)r->json->set(table, "rows", rows);
	}
}

int put_table(markdown_report *r, assay_json *table, assay_error *err)
{
	assay_text text = {NULL, 0};
	int rc = 0;
	if (r->cell.failed || !r->json->get(table, "columns") || !r->json->get(table, "rows")) {
		rc = r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = rc < 0 ? rc : r->table->render(table, ASSAY_TABLE_MARKDOWN, &text, err);
	if (rc == 0) {
		text_add_n(&r->out, (assay_str){text.ptr, text.len});
		markdown_add(&r->out, "\n");
		r->json->text_free(&text);
	}
	r->json->free(table);
	return rc;
}
