/* llm/heuristic: as much of block YAML as a route reply uses (maps, lists, scalars on one or more lines). */
#include "heuristic.h"
#include <string.h>

enum { MAX_LINES = 4000, MAX_DEPTH = 24 };

struct line {
	size_t indent;
	assay_str text;
};

struct yaml {
	struct heur_run *r;
	struct line *lines;
	size_t n, at;
};

static void add_line(struct yaml *y, size_t *cap, assay_str raw)
{
	size_t indent = 0;
	while (indent < raw.len && raw.ptr[indent] == ' ') {
		indent++;
	}
	assay_str text = text_trim(raw);
	struct line *l = text.len > 0 && text.ptr[0] != '#' && y->n < MAX_LINES
				 ? text_push(&y->r->arena, &y->lines, &y->n, cap, sizeof *l)
				 : NULL;
	if (l) {
		*l = (struct line){indent, text};
	}
}

/* Where "key: value" parts: behind the key's colon, or SIZE_MAX. */
static size_t colon(assay_str t)
{
	for (size_t i = 0; i < t.len && i < 200; i++) {
		if (t.ptr[i] == ':' && (i + 1 == t.len || t.ptr[i + 1] == ' ')) {
			return i;
		}
		if (t.ptr[0] == '\'' || t.ptr[0] == '"') {
			return SIZE_MAX;
		}
	}
	return SIZE_MAX;
}

static bool list_item(assay_str t)
{
	return t.len > 0 && t.ptr[0] == '-' && (t.len == 1 || t.ptr[1] == ' ');
}

static assay_str unquoted(struct yaml *y, assay_str t)
{
	char q = t.len > 1 ? t.ptr[0] : ' ';
	if ((q != '\'' && q != '"') || t.ptr[t.len - 1] != q) {
		return t;
	}
	struct text_buf b = {.arena = &y->r->arena};
	for (size_t i = 1; i + 1 < t.len; i++) {
		bool doubled = q == '\'' && t.ptr[i] == '\'' && t.ptr[i + 1] == '\'' && i + 2 < t.len;
		bool escaped = q == '"' && t.ptr[i] == '\\' && i + 2 < t.len;
		i += doubled || escaped;
		text_add(&b, escaped && t.ptr[i] == 'n' ? ASSAY_STR("\n") : heur_sub(t, i, i + 1));
	}
	return text_of(&b);
}

/* A scalar that may go on over deeper lines. */
static assay_json *scalar(struct yaml *y, assay_str first, size_t indent)
{
	struct text_buf b = {.arena = &y->r->arena};
	double number;
	bool block = first.len > 0 && (first.ptr[0] == '|' || first.ptr[0] == '>');
	text_add(&b, block ? (assay_str){0} : first);
	while (y->at < y->n && y->lines[y->at].indent > indent) {
		text_puts(&b, b.len > 0 ? " " : "");
		text_add(&b, y->lines[y->at++].text);
	}
	assay_str text = text_of(&b);
	if (text_is(text, "null") || text_is(text, "~")) {
		return y->r->json->null();
	}
	if (text_is(text, "true") || text_is(text, "false")) {
		return y->r->json->truth(text_is(text, "true"));
	}
	if (text_is(text, "{}")) {
		return y->r->json->object();
	}
	if (text_is(text, "[]")) {
		return y->r->json->array();
	}
	if (heur_number(text, &number)) {
		return y->r->json->real(number);
	}
	return y->r->json->string(unquoted(y, text));
}

static assay_json *block(struct yaml *y, size_t indent, int depth);

/* What stands behind "key:" or "- ": on the line, or below it. */
static assay_json *value(struct yaml *y, assay_str rest, size_t indent, int depth)
{
	rest = text_trim(rest);
	bool below = y->at < y->n && (y->lines[y->at].indent > indent ||
				      (y->lines[y->at].indent == indent && list_item(y->lines[y->at].text)));
	if (rest.len == 0 && below) {
		return block(y, y->lines[y->at].indent, depth + 1);
	}
	return rest.len == 0 ? y->r->json->null() : scalar(y, rest, indent);
}

static assay_json *list_block(struct yaml *y, size_t indent, int depth)
{
	assay_json *list = y->r->json->array();
	while (list && y->at < y->n && y->lines[y->at].indent == indent && list_item(y->lines[y->at].text)) {
		struct line *l = &y->lines[y->at];
		assay_str rest = text_trim(heur_sub(l->text, 1, l->text.len));
		assay_json *item;
		if (colon(rest) != SIZE_MAX) {
			/* "- a: 1": the item is a map whose first line stands here. */
			l->indent += (size_t)(rest.ptr - l->text.ptr);
			l->text = rest;
			item = block(y, l->indent, depth + 1);
		} else {
			y->at++;
			item = value(y, rest, indent, depth);
		}
		if (y->r->json->append(list, item) != 0) {
			break;
		}
	}
	return list;
}

static assay_json *map_block(struct yaml *y, size_t indent, int depth)
{
	assay_json *map = y->r->json->object();
	while (map && y->at < y->n && y->lines[y->at].indent == indent) {
		assay_str text = y->lines[y->at].text;
		size_t at = colon(text);
		y->at++;
		if (at == SIZE_MAX) {
			break;
		}
		assay_str key = heur_sub(text, 0, at);
		if (y->r->json->set_n(map, key, value(y, heur_sub(text, at + 1, text.len), indent, depth)) != 0) {
			break;
		}
	}
	return map;
}

static assay_json *block(struct yaml *y, size_t indent, int depth)
{
	if (depth >= MAX_DEPTH || y->at >= y->n) {
		y->at += y->at < y->n;
		return y->r->json->null();
	}
	return list_item(y->lines[y->at].text) ? list_block(y, indent, depth) : map_block(y, indent, depth);
}

assay_json *heur_parse_yaml(struct heur_run *r, assay_str text)
{
	struct yaml y = {.r = r};
	size_t cap = 0;
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = end ? (size_t)(end - text.ptr) : text.len;
		add_line(&y, &cap, heur_sub(text, at, to));
		at = to + 1;
	}
	return y.n > 0 ? heur_own(r, block(&y, y.lines[0].indent, 0)) : NULL;
}
