/* distiller/provenance: arguments and results taken apart into leaves. */
#include "provenance.h"
#include <string.h>

enum { MAX_WHOLE = 2000, MAX_LINE = 200 }; /* bytes of a text, of a line of it, that can be one value */

/* A decimal number as people write it: "-12", "1,234", "24.90". The cleaned text has no commas. */
static bool looks_like_number(assay_str s, char clean[40], size_t *n)
{
	size_t i = 0, dots = 0, count = 0;
	*n = 0;
	if (s.len > 0 && s.ptr[0] == '-') {
		clean[(*n)++] = s.ptr[i++];
	}
	for (; i < s.len && *n < 39; i++) {
		char c = s.ptr[i];
		if (c == ',' && count > 0 && dots == 0 && s.len - i >= 4 && text_digit(s.ptr[i + 1]) &&
		    text_digit(s.ptr[i + 2]) && text_digit(s.ptr[i + 3]) &&
		    (s.len - i == 4 || !text_digit(s.ptr[i + 4]))) {
			continue;
		}
		if (c == '.' && dots == 0 && count > 0 && i + 1 < s.len) {
			dots++;
		} else if (text_digit(c)) {
			count++;
		} else {
			return false;
		}
		clean[(*n)++] = c;
	}
	return i == s.len && count > 0;
}

static assay_str dump_number(struct prov *p, const assay_json *value)
{
	assay_text text = {0};
	assay_str out = {"", 0};
	if (p->J->dump(value, ASSAY_JSON_PYTHON, &text, NULL) == 0) {
		out = text_copy(&p->arena, (assay_str){text.ptr, text.len});
		p->J->text_free(&text);
	} else {
		p->arena.failed = true;
	}
	return out;
}

assay_str prov_normal(struct prov *p, assay_str s, bool *number)
{
	char clean[40];
	size_t n;
	assay_json *value = NULL;
	*number = false;
	if (s.len > 40 || !looks_like_number(s, clean, &n) ||
	    p->J->parse((assay_str){clean, n}, ASSAY_JSON_PEER, &value, NULL) < 0) {
		return s; /* 0042 is an id, not a number */
	}
	*number = true;
	s = dump_number(p, value);
	if (s.len > 2 && memcmp(s.ptr + s.len - 2, ".0", 2) == 0) {
		s.len -= 2; /* 5.0 is 5 */
	}
	p->J->free(value);
	return s;
}

assay_str prov_scalar(struct prov *p, const assay_json *value, bool *number)
{
	*number = false;
	if (p->J->type(value) == ASSAY_JSON_STRING) {
		assay_str s = p->J->str(value);
		return s.len <= MAX_WHOLE ? prov_normal(p, s, number) : s;
	}
	if (p->J->type(value) == ASSAY_JSON_NUMBER) {
		assay_str s = dump_number(p, value);
		if (s.len > 2 && memcmp(s.ptr + s.len - 2, ".0", 2) == 0) {
			s.len -= 2;
		}
		*number = true;
		return s;
	}
	return (assay_str){"", 0};
}

/* Where a result's leaves go. */
struct sink {
	struct prov *p;
	struct prov_leaf **list;
	size_t *n, *cap;
	size_t left; /* leaves that may still come */
	const struct prov_record *record;
};

static void put_leaf(struct sink *s, assay_str key, assay_str text, assay_str spelled, bool number, bool part)
{
	struct prov_leaf *leaf;
	if (text.len == 0 || s->left == 0) {
		return;
	}
	leaf = text_push(&s->p->arena, s->list, s->n, s->cap, sizeof **s->list);
	if (leaf) {
		*leaf = (struct prov_leaf){.record = s->record,
					   .key = key,
					   .text = text,
					   .spelled = spelled,
					   .hash = prov_hash(text),
					   .number = number,
					   .part = part};
		s->left--;
	}
}

/* A line of a text, and what stands behind its first ": ". */
static void put_line(struct sink *s, assay_str key, assay_str line)
{
	size_t colon;
	while (line.len > 0 && strchr("-*#> \t", line.ptr[0]) && line.ptr[0]) {
		line = prov_sub(line, 1, line.len);
	}
	line = text_trim(line);
	if (line.len >= 3 && line.len <= MAX_LINE) {
		put_leaf(s, key, line, line, false, true);
	}
	colon = prov_find(line, ASSAY_STR(": "), 0);
	if (colon != PROV_NONE) {
		assay_str rest = text_trim(prov_sub(line, colon + 2, line.len));
		if (rest.len >= 3 && rest.len <= MAX_LINE && !prov_is_id(rest)) {
			put_leaf(s, prov_sub(line, 0, colon), rest, rest, false, true);
		}
	}
}

/* What a running text holds: its lines, and the ids and numbers in it. */
static void put_parts(struct sink *s, assay_str key, assay_str text)
{
	size_t at = 0;
	assay_str token;
	text = text_head(text, PROV_MAX_TEXT);
	while (at < text.len && s->left > 0) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = end ? (size_t)(end - text.ptr) : text.len;
		if (to - at < text.len) {
			put_line(s, key, prov_sub(text, at, to));
		}
		at = to + 1;
	}
	at = 0;
	while (s->left > 0 && prov_next_token(text, &at, &token)) {
		bool number;
		assay_str normal = prov_normal(s->p, token, &number);
		put_leaf(s, key, normal, token, number, true);
	}
}

static void put_json(struct sink *s, assay_str key, const assay_json *parsed, unsigned depth);

/* What comes next stands in a record of its own. Returns the one around it. */
static const struct prov_record *enter_record(struct sink *s)
{
	const struct prov_record *around = s->record;
	struct prov_record *inner = text_alloc(&s->p->arena, 1, sizeof *inner);
	if (inner) {
		inner->around = around;
		s->record = inner;
	}
	return around;
}

/* A text: JSON where it is JSON, else one value and what it holds. */
static void put_string(struct sink *s, assay_str key, assay_str text, unsigned depth)
{
	const assay_str trimmed = text_trim(text);
	assay_json *parsed = NULL;
	assay_str normal;
	bool number = false;
	if (trimmed.len > 1 && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '[') &&
	    s->p->J->parse(trimmed, ASSAY_JSON_PEER, &parsed, NULL) == 0) {
		put_json(s, key, parsed, depth);
		s->p->J->free(parsed);
		return;
	}
	normal = text.len <= MAX_WHOLE ? prov_normal(s->p, text, &number) : text;
	if (text.len <= MAX_WHOLE) {
		put_leaf(s, key, normal, text, number, false);
	}
	if (prov_has_space(normal)) {
		put_parts(s, key, text);
	}
}

static void put_value(struct sink *s, assay_str key, const assay_json *v, unsigned depth)
{
	const assay_json_api *J = s->p->J;
	int type = J->type(v);
	if (s->left == 0 || depth > PROV_MAX_NESTING) {
		return;
	}
	if (type == ASSAY_JSON_OBJECT || type == ASSAY_JSON_ARRAY) {
		const struct prov_record *around = type == ASSAY_JSON_OBJECT ? enter_record(s) : s->record;
		for (const assay_json *e = J->first(v); e && s->left > 0; e = J->next(e)) {
			put_value(s, type == ASSAY_JSON_OBJECT ? J->key(e) : key, e, depth + 1);
		}
		s->record = around;
		return;
	}
	if (type == ASSAY_JSON_STRING) {
		put_string(s, key, J->str(v), depth);
	} else if (type == ASSAY_JSON_NUMBER) {
		bool number;
		put_leaf(s, key, prov_scalar(s->p, v, &number), J->spelling(v), true, false);
	}
}

/* What was read out of a text outlives the text's value tree. */
static void put_json(struct sink *s, assay_str key, const assay_json *parsed, unsigned depth)
{
	size_t before = *s->n;
	put_value(s, key, parsed, depth + 1);
	for (size_t i = before; i < *s->n; i++) {
		struct prov_leaf *leaf = &(*s->list)[i];
		leaf->key = text_copy(&s->p->arena, leaf->key);
		leaf->spelled = text_copy(&s->p->arena, leaf->spelled);
		leaf->text = text_copy(&s->p->arena, leaf->text);
	}
}

int prov_flatten_result(struct prov *p, const assay_json *result, struct prov_leaf **list, size_t *n, size_t *cap,
			assay_error *err)
{
	const assay_json_api *J = p->J;
	struct sink s = {p, list, n, cap, PROV_MAX_LEAVES, NULL};
	size_t room = *n < PROV_MAX_ALL ? PROV_MAX_ALL - *n : 0;
	const assay_json *structured = J->get(result, "structuredContent"), *content = J->get(result, "content");
	int type = J->type(structured);
	s.left = room < s.left ? room : s.left;
	if ((type == ASSAY_JSON_OBJECT || type == ASSAY_JSON_ARRAY) && J->count(structured) > 0) {
		put_value(&s, (assay_str){"", 0}, structured, 0);
	} else if (J->type(content) == ASSAY_JSON_ARRAY) {
		for (const assay_json *part = J->first(content); part; part = J->next(part)) {
			if (text_is(J->str(J->get(part, "type")), "text")) {
				put_string(&s, (assay_str){"", 0}, text_trim(J->str(J->get(part, "text"))), 0);
			}
		}
	}
	return p->arena.failed ? prov_fail_memory(p, err) : 0;
}

/* --- Arguments --------------------------------------------------------------------------------------------------- */

static struct prov_input *put_input(struct prov *p, struct prov_call *c, const struct prov_input *input)
{
	struct prov_input *slot;
	if (c->n_inputs >= PROV_MAX_INPUTS) {
		return NULL;
	}
	slot = text_push(&p->arena, &c->inputs, &c->n_inputs, &c->cap_inputs, sizeof *c->inputs);
	if (slot) {
		*slot = *input;
		slot->producer = PROV_NONE;
	}
	return slot;
}

static void put_argument(struct prov *p, struct prov_call *c, struct prov_input at, unsigned depth)
{
	const assay_json_api *J = p->J;
	int type = J->type(at.value);
	if (depth > PROV_MAX_NESTING) {
		return;
	}
	if (type == ASSAY_JSON_OBJECT || type == ASSAY_JSON_ARRAY) {
		const assay_json *v = at.value, *schema = at.schema;
		at.element = true;
		for (const assay_json *e = J->first(v); e; e = J->next(e)) {
			at.value = e;
			if (type == ASSAY_JSON_OBJECT) {
				at.key = J->key(e);
				at.schema = J->get_n(J->get(schema, "properties"), at.key);
			} else {
				at.schema = J->get(schema, "items");
			}
			put_argument(p, c, at, depth + 1);
		}
		return;
	}
	at.text = prov_scalar(p, at.value, &at.number);
	put_input(p, c, &at);
}

/* The values inside a free text are leaves of their own. */
static void put_argument_parts(struct prov *p, struct prov_call *c)
{
	size_t n = c->n_inputs;
	for (size_t i = 0; i < n; i++) {
		struct prov_input whole = c->inputs[i];
		size_t at = 0;
		assay_str token;
		if (whole.element || p->J->type(whole.value) != ASSAY_JSON_STRING || !prov_has_space(whole.text)) {
			continue;
		}
		whole.text = text_head(whole.text, PROV_MAX_TEXT);
		while (c->n_inputs < PROV_MAX_INPUTS && prov_next_token(whole.text, &at, &token)) {
			struct prov_input part = whole;
			part.element = part.part = true;
			part.schema = NULL;
			part.text = token; /* as it stands there: the check looks for it */
			prov_normal(p, token, &part.number);
			put_input(p, c, &part);
		}
	}
}

int prov_flatten_arguments(struct prov *p, struct prov_call *c, assay_error *err)
{
	const assay_json_api *J = p->J;
	const assay_json *properties = c->tool ? J->get(c->tool->input_schema, "properties") : NULL;
	if (J->type(c->arguments) == ASSAY_JSON_OBJECT) {
		for (const assay_json *a = J->first(c->arguments); a; a = J->next(a)) {
			struct prov_input top = {.parameter = J->key(a),
						 .key = J->key(a),
						 .value = a,
						 .schema = J->get_n(properties, J->key(a))};
			put_argument(p, c, top, 0);
		}
	}
	put_argument_parts(p, c);
	return p->arena.failed ? prov_fail_memory(p, err) : 0;
}

bool prov_is_echo(const struct prov_call *c, const struct prov_leaf *leaf)
{
	for (size_t i = 0; i < c->n_inputs; i++) {
		const struct prov_input *in = &c->inputs[i];
		if (in->part ? leaf->part && text_same(in->text, leaf->spelled) : text_same(in->text, leaf->text)) {
			return true;
		}
	}
	return false;
}
