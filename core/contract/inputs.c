#include "core/contract/inputs.h"

#include "core/base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 120u                     /* elements of a huge list */
#define LONG_TEXT ((size_t)64 << 10)  /* bytes of a huge text */
#define LONG_WITHIN ((size_t)6 << 10) /* bytes of a text that is long wherever it stands */
#define LONG_NAME ((size_t)300)       /* bytes of a long name */
#define MALFORMED_MAX 48u             /* inputs with one value replaced */
#define DEPTH_MAX 12u

/* A copy in which every value was treated. */
typedef struct change {
	const assay_json *target; /* replaced, when not NULL */
	const assay_json *replacement;
	bool empty, huge, wordy;
} change;

static assay_json *changed(const change *c, const assay_json *v, unsigned depth);

static assay_json *long_text(assay_str s, char between, size_t least)
{
	as_buf b = {0};
	while (s.len > 0 && b.len < least && !b.failed) {
		as_buf_add(&b, s);
		as_buf_byte(&b, between);
	}
	assay_json *out = b.failed ? NULL : as_json_string(as_buf_str(&b));
	as_buf_free(&b);
	return out;
}

static bool is_one_of(assay_str word, const char *const *words)
{
	while (*words && !as_str_is(word, *words)) {
		words++;
	}
	return *words != NULL;
}

/* What people, servers and models may say at any length, deep within a document. The same text becomes the same one, so
 * that a tool is still called by its name. */
static assay_json *wordy(const assay_json *v)
{
	static const char *const names[] = {"name", "tool", "tool_name", NULL};
	static const char *const texts[] = {"description", "text",   "goal",  "content", "message", "final_message",
					    "prompt",      "answer", "value", "query",   "caption", NULL};
	if (is_one_of(as_json_key(v), names)) {
		return long_text(as_json_str(v), '_', LONG_NAME);
	}
	return is_one_of(as_json_key(v), texts) ? long_text(as_json_str(v), ' ', LONG_WITHIN) : as_json_clone(v);
}

/* Names within a repeated list get a number, so that they stay apart. */
static assay_json *numbered(const change *c, const assay_json *v, unsigned depth, unsigned number)
{
	static const char *const names[] = {"name", "id", "server_id", "task_id"};
	assay_json *out = changed(c, v, depth);
	for (size_t i = 0; i < sizeof names / sizeof *names && number > 0; i++) {
		const assay_json *name = as_json_get(out, names[i]);
		if (as_json_type(name) == ASSAY_JSON_STRING) {
			as_buf b = {0};
			as_buf_printf(&b, "%.*s_%u", ASSAY_FMT(as_json_str(name)), number);
			if (as_json_set(out, names[i], as_json_string(as_buf_str(&b))) < 0) {
				as_json_free(out);
				out = NULL;
			}
			as_buf_free(&b);
		}
	}
	return out;
}

static assay_json *changed_array(const change *c, const assay_json *v, unsigned depth)
{
	assay_json *out = as_json_array();
	size_t n = as_json_count(v);
	unsigned rounds = c->huge && depth < 4 && n > 0 ? (unsigned)(MANY / n) : 1;
	for (unsigned r = 0; r < rounds && !(c->empty && depth > 0); r++) {
		for (const assay_json *e = as_json_first(v); e; e = as_json_next(e)) {
			if (as_json_append(out, numbered(c, e, depth + 1, r)) < 0) {
				as_json_free(out);
				return NULL;
			}
		}
	}
	return out;
}

static assay_json *changed_object(const change *c, const assay_json *v, unsigned depth)
{
	assay_json *out = as_json_object();
	for (const assay_json *m = as_json_first(v); m && out; m = as_json_next(m)) {
		if (c->empty && depth > 0) {
			break;
		}
		if (as_json_set_n(out, as_json_key(m), changed(c, m, depth + 1)) < 0) {
			as_json_free(out);
			out = NULL;
		}
	}
	return out;
}

static assay_json *changed(const change *c, const assay_json *v, unsigned depth)
{
	if (v == c->target) {
		return as_json_clone(c->replacement);
	}
	switch (as_json_type(v)) {
	case ASSAY_JSON_ARRAY:
		return changed_array(c, v, depth);
	case ASSAY_JSON_OBJECT:
		return changed_object(c, v, depth);
	case ASSAY_JSON_STRING:
		if (c->empty) {
			return as_json_string(ASSAY_STR(""));
		}
		if (c->wordy) {
			return wordy(v);
		}
		return c->huge && depth == 1 ? long_text(as_json_str(v), ' ', LONG_TEXT) : as_json_clone(v);
	default:
		return as_json_clone(v);
	}
}

/* All values within a document, with their pointers. */
typedef struct places {
	struct place {
		const assay_json *value;
		char pointer[112];
	} * list;
	size_t n, cap;
} places;

static bool collect(places *p, const assay_json *v, const char *pointer, unsigned depth)
{
	size_t index = 0;
	for (const assay_json *m = as_json_first(v); m && depth < DEPTH_MAX; m = as_json_next(m), index++) {
		char at[112];
		if (as_json_type(v) == ASSAY_JSON_OBJECT) {
			snprintf(at, sizeof at, "%s/%.*s", pointer, ASSAY_FMT(as_json_key(m)));
		} else {
			snprintf(at, sizeof at, "%s/%zu", pointer, index);
		}
		if (!as_grow(&p->list, &p->cap, p->n + 1, sizeof *p->list)) {
			return false;
		}
		p->list[p->n].value = m;
		memcpy(p->list[p->n++].pointer, at, sizeof at);
		if (!collect(p, m, at, depth + 1)) {
			return false;
		}
	}
	return true;
}

static int add_input(as_input *in, assay_json *doc, bool malformed, assay_error *err)
{
	in->doc = doc;
	in->malformed = malformed;
	return doc ? 0 : as_fail_memory(err);
}

/* One value each replaced by one of another kind; when there are many places, every n-th is taken. */
static int add_malformed(const assay_json *plain, as_input *list, size_t *n, assay_error *err)
{
	static const char *const others[] = {"null",     "7",   "[[]]", "{\"\":[]}", "\"\\ud7ff\\u0001 text\"",
					     "-1.5e300", "true"};
	places p = {0};
	int rc = collect(&p, plain, "", 0) ? 0 : as_fail_memory(err);
	size_t step = p.n > MALFORMED_MAX ? (p.n + MALFORMED_MAX - 1) / MALFORMED_MAX : 1;
	for (size_t i = 0, k = 0; i < p.n && rc == 0; i += step, k++) {
		assay_json *other = NULL;
		const char *text = others[k % (sizeof others / sizeof *others)];
		rc = as_json_parse(as_str(text), ASSAY_JSON_STRICT, &other, err);
		if (rc == 0) {
			const change c = {.target = p.list[i].value, .replacement = other};
			snprintf(list[*n].name, sizeof list[*n].name, "malformed: %s is %s", p.list[i].pointer, text);
			rc = add_input(&list[*n], changed(&c, plain, 0), true, err);
			*n += 1;
		}
		as_json_free(other);
	}
	free(p.list);
	return rc;
}

int as_inputs_make(const char *text, as_input **out, size_t *n, assay_error *err)
{
	const change empty = {.empty = true}, huge = {.huge = true}, long_texts = {.wordy = true};
	as_input *list = as_new(MALFORMED_MAX + 5, sizeof *list);
	assay_json *plain = NULL;
	int rc = list ? as_json_parse(as_str(text), ASSAY_JSON_STRICT, &plain, err) : as_fail_memory(err);
	*n = 0;
	if (rc == 0) {
		memcpy(list[0].name, "plain", 6);
		memcpy(list[1].name, "empty", 6);
		memcpy(list[2].name, "huge", 5);
		memcpy(list[3].name, "long texts", 11);
		*n = 4;
		rc = add_input(&list[0], plain, false, err);
		rc = rc < 0 ? rc : add_input(&list[1], changed(&empty, plain, 0), false, err);
		rc = rc < 0 ? rc : add_input(&list[2], changed(&huge, plain, 0), false, err);
		rc = rc < 0 ? rc : add_input(&list[3], changed(&long_texts, plain, 0), false, err);
	}
	rc = rc < 0 ? rc : add_malformed(plain, list, n, err);
	if (rc < 0) {
		as_inputs_free(list, *n);
		return rc;
	}
	*out = list;
	return 0;
}

void as_inputs_free(as_input *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++) {
		as_json_free(list[i].doc);
	}
	free(list);
}
