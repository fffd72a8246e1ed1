/* llm/heuristic: what the calls found, as records and leaves. */
#include "heuristic.h"
#include <string.h>

assay_json *heur_own(struct heur_run *r, assay_json *v)
{
	assay_json **slot = v ? text_push(&r->arena, &r->owned, &r->n_owned, &r->cap_owned, sizeof *slot) : NULL;
	if (!slot) {
		r->json->free(v);
		return NULL;
	}
	*slot = v;
	return v;
}

assay_json *heur_parse(struct heur_run *r, assay_str text)
{
	assay_json *v = NULL;
	if (r->json->parse(text, ASSAY_JSON_PEER, &v, NULL) != 0) {
		return NULL;
	}
	return heur_own(r, v);
}

assay_str heur_dump(struct heur_run *r, const assay_json *v)
{
	assay_text text = {0};
	if (r->json->dump(v, ASSAY_JSON_COMPACT, &text, NULL) != 0) {
		r->arena.failed = true;
		return (assay_str){0};
	}
	assay_str copy = text_copy(&r->arena, (assay_str){text.ptr, text.len});
	r->json->text_free(&text);
	return copy;
}

assay_str heur_scalar(struct heur_run *r, const assay_json *v)
{
	switch (r->json->type(v)) {
	case ASSAY_JSON_STRING:
		return r->json->str(v);
	case ASSAY_JSON_NUMBER:
		return r->json->spelling(v);
	case ASSAY_JSON_BOOL:
		return r->json->boolean(v, 0) ? ASSAY_STR("true") : ASSAY_STR("false");
	default:
		return (assay_str){0};
	}
}

/* --- Building --- */

static int add_record(struct heur_run *r, int step, int parent, assay_str noun, bool listed, size_t index)
{
	struct heur_record *rec = text_push(&r->arena, &r->records, &r->n_records, &r->cap_records, sizeof *rec);
	if (!rec) {
		return -1;
	}
	*rec = (struct heur_record){.step = step, .parent = parent, .noun = noun, .listed = listed, .index = index};
	return (int)r->n_records - 1;
}

static void add_leaf(struct heur_run *r, int record, assay_str key, const assay_json *value, assay_str text)
{
	struct heur_leaf *leaf = record >= 0 && r->n_leaves < HEUR_MAX_LEAVES && text.len > 0
					 ? text_push(&r->arena, &r->leaves, &r->n_leaves, &r->cap_leaves, sizeof *leaf)
					 : NULL;
	if (!leaf) {
		return;
	}
	*leaf = (struct heur_leaf){
		.record = record, .step = r->records[record].step, .key = key, .value = value, .text = text};
	heur_split_name(&r->arena, key, &leaf->words);
	leaf->numeric = heur_number(text, &leaf->number);
	if (!leaf->numeric && r->json->type(value) == ASSAY_JSON_NUMBER) {
		leaf->numeric = true;
		leaf->number = r->json->f64(value, 0);
	}
}

static assay_str noun_of_key(struct heur_run *r, assay_str key, assay_str otherwise)
{
	static const char *const vague[] = {"result", "row",     "hit",      "match",  "element", "list",
					    "page",   "respons", "response", "output", "value",   NULL};
	struct heur_words words = {0};
	heur_split_name(&r->arena, key, &words);
	assay_str last = words.n > 0 ? words.list[words.n - 1].stem : (assay_str){0};
	return last.len == 0 || heur_generic_noun(last) || text_in(last, vague) ? otherwise : last;
}

static void walk(struct heur_run *r, const assay_json *v, int record, assay_str key, int depth);

static void walk_object(struct heur_run *r, const assay_json *v, int record, int depth)
{
	for (const assay_json *m = r->json->first(v); m && r->n_leaves < HEUR_MAX_LEAVES; m = r->json->next(m)) {
		if (r->json->type(m) == ASSAY_JSON_OBJECT) {
			int inner = add_record(r, r->records[record].step, record,
					       noun_of_key(r, r->json->key(m), r->records[record].noun), false, 0);
			if (inner >= 0 && depth < 24) {
				walk_object(r, m, inner, depth + 1);
			}
		} else {
			walk(r, m, record, r->json->key(m), depth);
		}
	}
}

/* A scalar or an array that is called `key` in `record`. */
static void walk(struct heur_run *r, const assay_json *v, int record, assay_str key, int depth)
{
	size_t index = 0;
	if (r->json->type(v) != ASSAY_JSON_ARRAY) {
		add_leaf(r, record, key, v, heur_scalar(r, v));
		return;
	}
	assay_str noun = noun_of_key(r, key, r->records[record].noun);
	for (const assay_json *e = r->json->first(v); e && depth < 24 && r->n_leaves < HEUR_MAX_LEAVES;
	     e = r->json->next(e)) {
		if (r->json->type(e) == ASSAY_JSON_OBJECT) {
			int inner = add_record(r, r->records[record].step, record, noun, true, index++);
			if (inner >= 0) {
				walk_object(r, e, inner, depth + 1);
			}
		} else if (r->json->type(e) != ASSAY_JSON_NULL) {
			walk(r, e, record, key, depth + 1);
		}
	}
}

/* --- Text that is no JSON --- */

static assay_str strip_marks(assay_str line)
{
	line = text_trim(line);
	while (line.len > 0 && strchr("-*#>|", line.ptr[0])) {
		line = text_trim(heur_sub(line, 1, line.len));
	}
	while (line.len > 0 && strchr("*|,", line.ptr[line.len - 1])) {
		line = text_trim(heur_sub(line, 0, line.len - 1));
	}
	return line;
}

/* "key: value" with a short key. */
static bool key_value(assay_str line, assay_str *key, assay_str *value)
{
	for (size_t i = 1; i + 1 < line.len && i <= 40; i++) {
		bool colon = line.ptr[i] == ':' && (line.ptr[i + 1] == ' ' || line.ptr[i + 1] == '*');
		if (colon || (line.ptr[i] == '=' && line.ptr[i + 1] != '=')) {
			*key = strip_marks(heur_sub(line, 0, i));
			*value = strip_marks(heur_sub(line, i + 1, line.len));
			return key->len > 0 && value->len > 0;
		}
		if (line.ptr[i] == '.' || line.ptr[i] == '"') {
			return false;
		}
	}
	return false;
}

/* Ids and numbers of a sentence, each under the word before it. */
static void take_tokens(struct heur_run *r, int record, assay_str line)
{
	struct heur_words words = {0};
	heur_split(&r->arena, heur_sub(line, 0, text_head(line, 600).len), &words);
	for (size_t i = 0; i < words.n; i++) {
		size_t from = words.list[i].from, to = words.list[i].to;
		bool digits = false;
		while (i + 1 < words.n && words.list[i + 1].from == to + 1 &&
		       (line.ptr[to] == '-' || line.ptr[to] == '.')) {
			to = words.list[++i].to; /* ORD-2024-7, 19.99 */
		}
		for (size_t k = from; k < to; k++) {
			digits = digits || text_digit(line.ptr[k]);
		}
		if (digits) {
			size_t first = i;
			while (first > 0 && words.list[first].from > from) {
				first--;
			}
			assay_str key = first > 0 ? words.list[first - 1].lower : ASSAY_STR("value");
			add_leaf(r, record, key, NULL, heur_sub(line, from, to));
		}
	}
}

static void take_quotes(struct heur_run *r, int record, assay_str line)
{
	for (size_t i = 0; i < line.len; i++) {
		char quote = line.ptr[i];
		if ((quote != '"' && quote != '\'' && quote != '`') || (i > 0 && text_word_byte(line.ptr[i - 1]))) {
			continue;
		}
		const char *end = memchr(line.ptr + i + 1, quote, line.len - i - 1);
		if (!end) {
			return;
		}
		size_t to = (size_t)(end - line.ptr);
		add_leaf(r, record, ASSAY_STR("name"), NULL, heur_sub(line, i + 1, to));
		i = to;
	}
}

static bool bullet(assay_str line)
{
	line = text_trim(line);
	size_t i = 0;
	while (i < line.len && text_digit(line.ptr[i])) {
		i++;
	}
	return (line.len > 2 && strchr("-*", line.ptr[0]) && line.ptr[1] == ' ') ||
	       (i > 0 && i <= 3 && i + 1 < line.len && (line.ptr[i] == '.' || line.ptr[i] == ')'));
}

static void walk_text(struct heur_run *r, int step, int top, assay_str text)
{
	int record = top;
	size_t items = 0, lines = 0;
	for (size_t at = 0; at < text.len && lines < 400; lines++) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = end ? (size_t)(end - text.ptr) : text.len;
		assay_str raw = heur_sub(text, at, to), line = strip_marks(raw), key, value;
		at = to + 1;
		if (bullet(raw) && raw.ptr[0] != ' ') {
			record = add_record(r, step, top, r->records[top].noun, true, items++);
		} else if (line.len == 0) {
			record = top;
		}
		if (line.len == 0 || record < 0) {
			continue;
		}
		if (key_value(line, &key, &value)) {
			add_leaf(r, record, key, NULL, value);
		} else {
			add_leaf(r, record, ASSAY_STR("text"), NULL, line);
		}
		take_quotes(r, record, line);
		take_tokens(r, record, line);
	}
}

/* --- JSON that was cut short --- */

static assay_str cut_string(assay_str t, size_t *at)
{
	size_t from = ++*at;
	while (*at < t.len && t.ptr[*at] != '"') {
		*at += t.ptr[*at] == '\\' ? 2 : 1;
	}
	assay_str s = heur_sub(t, from, *at);
	*at = *at < t.len ? *at + 1 : t.len;
	return s;
}

static void walk_cut(struct heur_run *r, int step, int top, assay_str t)
{
	int stack[32] = {top};
	size_t depth = 0, index = 0;
	assay_str key = ASSAY_STR("value");
	for (size_t i = 0; i < t.len && r->n_leaves < HEUR_MAX_LEAVES;) {
		char c = t.ptr[i];
		if (c == '"') {
			assay_str s = cut_string(t, &i);
			if (i < t.len && t.ptr[i] == ':') {
				key = s;
			} else {
				add_leaf(r, stack[depth], key, NULL, s);
			}
			continue;
		}
		if (c == '{' && depth + 1 < sizeof stack / sizeof *stack) {
			int inner = add_record(r, step, stack[depth], r->records[top].noun, depth > 0, index++);
			stack[++depth] = inner;
			if (inner < 0) {
				return;
			}
		} else if (c == '}' && depth > 0) {
			depth--;
		} else if (text_digit(c) || c == '-' || heur_alpha(c)) {
			size_t from = i;
			while (i < t.len && !strchr(",]} \n\r\t", t.ptr[i])) {
				i++;
			}
			add_leaf(r, stack[depth], key, NULL, heur_sub(t, from, i));
			continue;
		}
		i++;
	}
}

/* --- Steps --- */

/* {"content": [{"type": "text", "text": ...}]}: the text inside. */
static assay_str unwrapped(struct heur_run *r, const assay_json *v, bool *failed)
{
	struct text_buf b = {.arena = &r->arena};
	const assay_json *content = r->json->get(v, "content");
	if (r->json->type(content) != ASSAY_JSON_ARRAY) {
		return (assay_str){0};
	}
	for (const assay_json *e = r->json->first(content); e; e = r->json->next(e)) {
		assay_str text = r->json->str(r->json->get(e, "text"));
		if (b.len > 0 && text.len > 0) {
			text_puts(&b, "\n");
		}
		text_add(&b, text);
	}
	*failed = *failed || r->json->boolean(r->json->get(v, "isError"), 0) != 0;
	return text_of(&b);
}

static bool says_error(const struct heur_run *r, const assay_json *v)
{
	const assay_json *error = r->json->get(v, "error");
	int type = r->json->type(error);
	return (type == ASSAY_JSON_STRING && r->json->str(error).len > 0) || type == ASSAY_JSON_OBJECT ||
	       (type == ASSAY_JSON_BOOL && r->json->boolean(error, 0)) ||
	       r->json->boolean(r->json->get(v, "success"), 1) == 0 ||
	       r->json->boolean(r->json->get(v, "isError"), 0) != 0;
}

static assay_str strip_error(assay_str text, bool *failed)
{
	static const char *const marks[] = {"[tool error]", "[exception]", "error:", "error executing"};
	text = text_trim(text);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		if (text_starts(text, marks[i])) {
			*failed = true;
			return i < 2 ? text_trim(heur_sub(text, strlen(marks[i]), text.len)) : text;
		}
	}
	return text;
}

/* An empty list, or words to that effect. */
static bool found_nothing(const struct heur_run *r, const assay_json *v, assay_str text, size_t listed)
{
	static const char *const phrases[] = {"no results", "nothing found", "no matches",
					      "none found", "0 results",     NULL};
	int type = r->json->type(v);
	if (listed > 0) {
		return false;
	}
	for (const assay_json *m = type == ASSAY_JSON_OBJECT ? r->json->first(v) : NULL; m; m = r->json->next(m)) {
		if (r->json->type(m) == ASSAY_JSON_ARRAY && r->json->count(m) == 0) {
			return true;
		}
	}
	for (size_t i = 0; phrases[i] && type == ASSAY_JSON_NONE; i++) {
		if (text_starts(text, phrases[i])) {
			return true;
		}
	}
	return type == ASSAY_JSON_ARRAY && r->json->count(v) == 0;
}

/* Read the result of a step into records and leaves. */
void heur_remember(struct heur_run *r, int index)
{
	struct heur_step *s = &r->steps[index];
	const struct heur_tool *t = s->call.tool >= 0 ? &r->tools[s->call.tool] : NULL;
	s->text = strip_error(heur_sub(s->text, 0, text_head(s->text, HEUR_MAX_TEXT).len), &s->failed);
	assay_json *v = heur_parse(r, s->text);
	assay_str inner = unwrapped(r, v, &s->failed);
	if (inner.len > 0) {
		s->text = strip_error(inner, &s->failed);
		v = heur_parse(r, s->text);
	}
	s->failed = s->failed || says_error(r, v);
	s->document = v;
	s->first_record = r->n_records;
	s->first_leaf = r->n_leaves;
	int top = s->failed ? -1 : add_record(r, index, -1, t ? t->head : (assay_str){0}, false, 0);
	if (top >= 0 && v && r->json->type(v) == ASSAY_JSON_OBJECT) {
		walk_object(r, v, top, 0);
	} else if (top >= 0 && v) {
		walk(r, v, top, ASSAY_STR("result"), 0);
	} else if (top >= 0 && s->text.len > 0 && (s->text.ptr[0] == '{' || s->text.ptr[0] == '[')) {
		walk_cut(r, index, top, s->text);
	} else if (top >= 0) {
		walk_text(r, index, top, s->text);
	}
	r->steps[index].n_records = r->n_records - r->steps[index].first_record;
	r->steps[index].n_leaves = r->n_leaves - r->steps[index].first_leaf;
	size_t listed = 0;
	for (size_t i = r->steps[index].first_record; i < r->n_records; i++) {
		listed += r->records[i].listed;
	}
	r->steps[index].empty = !r->steps[index].failed && found_nothing(r, v, r->steps[index].text, listed);
}

static bool lies_in(const struct heur_run *r, int record, int around)
{
	while (record >= 0 && record != around) {
		record = r->records[record].parent;
	}
	return record >= 0;
}

/* Does the record, or one below it, hold this text? 2: as a whole leaf, 1: within one, 0: no. */
int heur_record_says(const struct heur_run *r, int record, assay_str text)
{
	const struct heur_step *s = &r->steps[r->records[record].step];
	int says = 0;
	for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves && says < 2; i++) {
		const struct heur_leaf *leaf = &r->leaves[i];
		bool whole = text_same_fold(leaf->text, text);
		bool part =
			!whole && says == 0 && leaf->text.len <= 400 && text_find_word(leaf->text, text) != SIZE_MAX;
		if ((whole || part) && lies_in(r, leaf->record, record)) {
			says = whole ? 2 : 1;
		}
	}
	return says;
}
