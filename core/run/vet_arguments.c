/* Vetting: arguments from schemas and from what other tools have answered. */
#include "core/run/vet_private.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <string.h>

#define MAX_SEEN 400u
#define MAX_PER_RESULT 24u
#define MAX_VALUE 200u /* bytes of a value that is worth keeping */
#define MAX_DEPTH 4

static bool is_one_of(assay_str word, const char *const *list)
{
	for (; *list; list++) {
		if (as_str_is(word, *list)) {
			return true;
		}
	}
	return false;
}

static assay_str last_of(assay_str words)
{
	size_t from = words.len;
	while (from > 0 && words.ptr[from - 1] != ' ') {
		from--;
	}
	return (assay_str){words.ptr + from, words.len - from};
}

/* Names of things that somebody else has to know first. */
static bool names_a_thing(assay_str words)
{
	static const char *const things[] = {"id",   "ids",  "key",  "token", "path",   "paths", "url",   "uri",
					     "slug", "file", "name", "names", "code",   "title", "table", "directory",
					     "city", "repo", "uuid", "ref",   "branch", NULL};
	return is_one_of(last_of(words), things);
}

/* --- what was seen ------------------------------------------------------------------------------------------------ */

static int keep(vet_pool *pool, assay_str tool, assay_str key, const assay_json *value, size_t *left)
{
	assay_json *o;
	int rc;
	if (*left == 0 || as_json_count(pool->seen) >= MAX_SEEN || key.len == 0 || as_json_str(value).len > MAX_VALUE ||
	    (as_json_str(value).len > 0 && memchr(as_json_str(value).ptr, '\n', as_json_str(value).len))) {
		return 0;
	}
	(*left)--;
	o = as_json_object();
	rc = as_json_set(o, "key", as_json_string(key));
	rc |= as_json_set(o, "value", as_json_clone(value));
	rc |= as_json_set(o, "tool", as_json_string(tool));
	rc |= as_json_append(pool->seen, o);
	return rc < 0 ? ASSAY_ENOMEM : 0;
}

static int harvest_value(vet_pool *pool, assay_str tool, assay_str key, const assay_json *v, int depth, size_t *left)
{
	int type = as_json_type(v), rc = 0;
	size_t n = 0;
	if (type == ASSAY_JSON_STRING || type == ASSAY_JSON_NUMBER) {
		as_buf words = {0};
		as_words(&words, key);
		if (names_a_thing(as_buf_str(&words)) || depth > 0) {
			rc = keep(pool, tool, as_buf_str(&words), v, left);
		}
		as_buf_free(&words);
		return rc;
	}
	for (const assay_json *m = as_json_first(v); m && depth < MAX_DEPTH && rc == 0; m = as_json_next(m), n++) {
		if (type == ASSAY_JSON_ARRAY && n >= 3) {
			break;
		}
		rc = harvest_value(pool, tool, type == ASSAY_JSON_ARRAY ? key : as_json_key(m), m, depth + 1, left);
	}
	return rc;
}

/* Absolute paths in running text. */
static int harvest_prose(vet_pool *pool, assay_str tool, assay_str text, size_t *left)
{
	int rc = 0;
	for (size_t i = 0; i < text.len && i < 8192 && rc == 0; i++) {
		size_t end = i;
		if (text.ptr[i] != '/' || (i > 0 && !strchr(" \n\t\"'(:=", text.ptr[i - 1]))) {
			continue;
		}
		while (end < text.len && !strchr(" \n\r\t\"'),;", text.ptr[end])) {
			end++;
		}
		while (end > i && strchr(":.", text.ptr[end - 1])) { /* of the sentence that it stands in */
			end--;
		}
		if (end > i + 1 && text.ptr[i + 1] != '/') {
			assay_json *path = as_json_string((assay_str){text.ptr + i, end - i});
			rc = path ? keep(pool, tool, ASSAY_STR("path"), path, left) : ASSAY_ENOMEM;
			as_json_free(path);
		}
		i = end;
	}
	return rc;
}

int vet_harvest(vet_pool *pool, assay_str tool, const assay_json *arguments, const assay_json *result)
{
	const assay_json *structured = as_json_get(result, "structuredContent");
	assay_json *parsed = NULL;
	as_buf text = {0};
	size_t left = MAX_PER_RESULT;
	int rc = as_render_result(result, &text);
	if (!structured && rc == 0 && text.len > 0 && strchr("{[", text.ptr[0])) {
		as_json_parse(as_buf_str(&text), ASSAY_JSON_PEER, &parsed, NULL);
		structured = parsed;
	}
	rc = rc < 0 ? rc : harvest_value(pool, tool, ASSAY_STR(""), structured, 0, &left);
	rc = rc < 0 ? rc : harvest_prose(pool, tool, as_buf_str(&text), &left);
	rc = rc < 0 ? rc : harvest_value(pool, tool, ASSAY_STR(""), arguments, 0, &left);
	as_json_free(parsed);
	as_buf_free(&text);
	return rc;
}

/* --- finding a value ---------------------------------------------------------------------------------------------- */

static bool ends_in(assay_str words, assay_str tail)
{
	return words.len > tail.len && words.ptr[words.len - tail.len - 1] == ' ' &&
	       memcmp(words.ptr + words.len - tail.len, tail.ptr, tail.len) == 0;
}

static assay_str singular(assay_str word)
{
	return word.len > 3 && word.ptr[word.len - 1] == 's' ? (assay_str){word.ptr, word.len - 1} : word;
}

/* How well a key that was seen names a parameter; 0: not at all. */
static int fit(assay_str parameter, assay_str key)
{
	assay_str p = singular(parameter), k = singular(key);
	if (as_str_eq(p, k)) {
		return 4;
	}
	if (ends_in(p, k) || ends_in(k, p)) {
		return 3;
	}
	return as_str_eq(last_of(p), last_of(k)) ? 2 : 0;
}

static const assay_json *type_schema(const assay_json *root, const assay_json *schema, int depth)
{
	const assay_json *any = as_json_get(schema, "anyOf"), *ref = as_json_get(schema, "$ref");
	any = any ? any : as_json_get(schema, "oneOf");
	if (depth > 8) {
		return schema;
	}
	if (ref && as_str_starts(as_json_str(ref), ASSAY_STR("#"))) {
		const assay_json *target = as_json_pointer(root, as_json_cstr(ref, "#") + 1);
		return target ? type_schema(root, target, depth + 1) : schema;
	}
	for (const assay_json *a = as_json_first(any); a; a = as_json_next(a)) {
		if (!as_str_is(as_json_str(as_json_get(a, "type")), "null")) {
			return type_schema(root, a, depth + 1);
		}
	}
	return schema;
}

static assay_str type_name(const assay_json *schema)
{
	const assay_json *type = as_json_get(schema, "type");
	if (as_json_type(type) == ASSAY_JSON_ARRAY) {
		for (const assay_json *t = as_json_first(type); t; t = as_json_next(t)) {
			if (!as_str_is(as_json_str(t), "null")) {
				return as_json_str(t);
			}
		}
	}
	if (!type && as_json_get(schema, "properties")) {
		return ASSAY_STR("object");
	}
	return as_json_str(type);
}

static bool admits(assay_str type, const assay_json *value)
{
	bool number = as_json_type(value) == ASSAY_JSON_NUMBER;
	if (as_str_is(type, "integer")) {
		return number && as_json_is_integer(value);
	}
	return as_str_is(type, "number") ? number : as_json_type(value) == ASSAY_JSON_STRING;
}

static int seen_fit(const assay_json *seen, assay_str words, assay_str type)
{
	return admits(type, as_json_get(seen, "value")) ? fit(words, as_json_str(as_json_get(seen, "key"))) : 0;
}

/* The best named of what was seen: the first of its kind, or (try 1, 2, ...) the last, the last but one, ... */
static const assay_json *look_up(const vet_pool *pool, assay_str words, assay_str type, size_t try)
{
	size_t n = as_json_count(pool->seen), matches = 0, wanted, at = 0;
	int best = 1;
	for (const assay_json *s = as_json_first(pool->seen); s; s = as_json_next(s)) {
		int f = seen_fit(s, words, type);
		matches = f > best ? 1 : matches + (f == best);
		best = f > best ? f : best;
	}
	if (n == 0 || matches == 0) {
		return NULL;
	}
	wanted = try == 0 || try > matches ? 1 : matches + 1 - try;
	for (const assay_json *s = as_json_first(pool->seen); s; s = as_json_next(s)) {
		at += seen_fit(s, words, type) == best;
		if (at == wanted) {
			return s;
		}
	}
	return NULL;
}

static const char *placeholder(assay_str format, assay_str words)
{
	static const struct {
		const char *word, *text;
	} table[] = {{"date-time", "2026-01-15T12:00:00Z"},
		     {"date", "2026-01-15"},
		     {"time", "12:00"},
		     {"uri", "https://example.com/"},
		     {"url", "https://example.com/"},
		     {"email", "someone@example.com"},
		     {"uuid", "123e4567-e89b-42d3-a456-426614174000"},
		     {"timezone", "UTC"},
		     {"zone", "UTC"},
		     {"expression", "1 + 2"},
		     {"sql", "select 1"},
		     {"path", "vet.txt"},
		     {"file", "vet.txt"}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (as_str_is(format, table[i].word) || as_str_is(last_of(words), table[i].word)) {
			return table[i].text;
		}
	}
	return "test";
}

typedef struct making {
	const vet_pool *pool;
	const assay_tool *tool;
	size_t try;
	bool ready;
	assay_str consumer;
} making;

static assay_json *make_value(making *m, assay_str name, const assay_json *schema, int depth);

/* A new file goes into a folder that was seen, under a name of its own. */
static assay_json *new_path(const making *m, assay_str words, const assay_json *seen)
{
	assay_str value = as_json_str(seen);
	bool makes = (m->tool->flags & ASSAY_TOOL_WRITES) && !(m->tool->flags & ASSAY_TOOL_DESTRUCTIVE);
	as_buf path = {0};
	assay_json *out;
	if (!makes || value.len == 0 || value.ptr[0] != '/' || as_str_contains(value, ASSAY_STR("vet-")) ||
	    (!as_str_is(last_of(words), "path") && !as_str_is(last_of(words), "destination"))) {
		return as_json_clone(seen);
	}
	as_buf_printf(&path, "%.*s/vet-%.*s.txt", ASSAY_FMT(value), ASSAY_FMT(m->tool->name));
	out = as_json_string(as_buf_str(&path));
	as_buf_free(&path);
	return out;
}

static int note_dependency(const making *m, assay_str name, const assay_json *seen)
{
	assay_str producer = as_json_str(as_json_get(seen, "tool"));
	assay_json *d;
	int rc;
	if (m->consumer.len == 0 || as_str_eq(producer, m->consumer)) {
		return 0;
	}
	d = as_json_object();
	rc = as_json_set(d, "producer", as_json_string(producer));
	rc |= as_json_set(d, "consumer", as_json_string(m->consumer));
	rc |= as_json_set(d, "field", as_json_string(as_json_str(as_json_get(seen, "key"))));
	rc |= as_json_set(d, "via_key", as_json_string(name));
	rc |= as_json_append(m->pool->dependencies, d);
	return rc;
}

static assay_json *make_text(making *m, assay_str name, const assay_json *schema, assay_str type)
{
	const assay_json *seen;
	assay_json *out;
	as_buf words = {0};
	as_words(&words, name);
	/* Of what was seen, an amount fits nowhere else; an id does. */
	seen = (!as_str_is(type, "integer") && !as_str_is(type, "number")) || names_a_thing(as_buf_str(&words))
		       ? look_up(m->pool, as_buf_str(&words), type, m->try)
		       : NULL;
	if (seen) {
		out = note_dependency(m, name, seen) < 0 ? NULL
							 : new_path(m, as_buf_str(&words), as_json_get(seen, "value"));
	} else if (as_str_is(type, "integer") || as_str_is(type, "number")) {
		const assay_json *low = as_json_get(schema, "minimum");
		m->ready = m->ready && !names_a_thing(as_buf_str(&words));
		out = low ? as_json_clone(low) : as_json_integer(1);
	} else {
		m->ready = m->ready && !names_a_thing(as_buf_str(&words));
		out = as_json_cstring(placeholder(as_json_str(as_json_get(schema, "format")), as_buf_str(&words)));
	}
	as_buf_free(&words);
	return out;
}

static assay_json *make_object(making *m, const assay_json *schema, int depth)
{
	assay_json *out = as_json_object();
	int rc = 0;
	for (const assay_json *r = as_json_first(as_json_get(schema, "required")); r && rc == 0; r = as_json_next(r)) {
		const assay_json *property = as_json_get_n(as_json_get(schema, "properties"), as_json_str(r));
		rc = as_json_set_n(out, as_json_str(r), make_value(m, as_json_str(r), property, depth + 1));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *make_value(making *m, assay_str name, const assay_json *schema, int depth)
{
	static const char *const given[] = {"default", "const"}, *const lists[] = {"examples", "enum"};
	assay_json *out;
	assay_str type;
	schema = type_schema(m->tool->input_schema, schema, 0);
	for (size_t i = 0; i < 2; i++) {
		if (as_json_get(schema, given[i])) {
			return as_json_clone(as_json_get(schema, given[i]));
		}
	}
	for (size_t i = 0; i < 2; i++) {
		if (as_json_count(as_json_get(schema, lists[i])) > 0) {
			return as_json_clone(as_json_at(as_json_get(schema, lists[i]), 0));
		}
	}
	type = type_name(schema);
	if (depth > 5) {
		return as_json_null();
	}
	if (as_str_is(type, "boolean")) {
		return as_json_truth(1);
	}
	if (as_str_is(type, "array")) {
		out = as_json_array();
		if (as_json_append(out, make_value(m, name, as_json_get(schema, "items"), depth + 1)) < 0) {
			as_json_free(out);
			return NULL;
		}
		return out;
	}
	return as_str_is(type, "object") ? make_object(m, schema, depth) : make_text(m, name, schema, type);
}

int vet_arguments(const vet_pool *pool, const assay_tool *tool, size_t try, assay_str consumer, assay_json **out,
		  bool *ready, assay_error *err)
{
	making m = {pool, tool, try, true, consumer};
	*out = make_object(&m, tool->input_schema, 0);
	*ready = m.ready;
	return *out ? 0 : as_fail_memory(err);
}
