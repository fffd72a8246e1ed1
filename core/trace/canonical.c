#include "core/trace/canonical.h"

#include "core/base/similarity.h"
#include "core/base/text.h"

#include <stdlib.h>

int as_canonical_arguments(const assay_json *arguments, as_buf *out)
{
	int type = as_json_type(arguments);

	if (type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL) {
		as_buf_puts(out, "{}");
	} else {
		as_json_write(out, arguments, ASSAY_JSON_CANONICAL);
	}
	return as_buf_check(out, NULL);
}

/* A normalised value. Arrays become tuples, objects tuples of (key, value) pairs sorted by key, so that the two compare
 * alike: [] is {} and [["k",1]] is {"k":1}. */
enum kind { KIND_TEXT, KIND_TUPLE, KIND_NAN, KIND_OTHER };

typedef struct value {
	enum kind kind;
	assay_str text;
	struct value *items;
	size_t n;
	const assay_json *leaf; /* of KIND_OTHER: number, boolean or null */
} value;

typedef struct field {
	assay_str key;
	value value;
} field;

struct as_near {
	as_arena arena;
	assay_str text;
	assay_json *document; /* NULL: the text cannot be parsed */
	bool is_object;
	field *fields; /* sorted by key */
	size_t n;
};

/* --- reading --- */

/* False when memory is out. A text that cannot be parsed leaves *out NULL. */
static bool read_document(assay_str text, assay_json **out)
{
	return as_json_parse(text, AS_JSON_PYTHON, out, NULL) != ASSAY_ENOMEM;
}

/* --- normalising: everything lies in the arena, whose failure is looked at in the end --- */

static assay_str normal_text(as_arena *a, assay_str s)
{
	as_buf b = {0};
	assay_str text;

	as_normalise(&b, s);
	text = as_arena_str(a, as_buf_str(&b));
	a->failed = a->failed || b.failed;
	as_buf_free(&b);
	return text;
}

static int by_key(const void *x, const void *y)
{
	const field *a = x, *b = y;

	return as_str_cmp(a->key, b->key);
}

static value normal_value(as_arena *a, const assay_json *v);

/* The members of an object, sorted. NULL when there are none or memory is out. */
static field *normal_fields(as_arena *a, const assay_json *object, size_t *n)
{
	size_t count = as_json_count(object), i = 0;
	field *fields = count > 0 ? as_arena_alloc(a, count * sizeof *fields) : NULL;

	*n = 0;
	if (!fields) {
		return NULL;
	}
	for (const assay_json *m = as_json_first(object); m; m = as_json_next(m)) {
		fields[i].key = as_json_key(m);
		fields[i++].value = normal_value(a, m);
	}
	qsort(fields, i, sizeof *fields, by_key);
	*n = i;
	return fields;
}

static value normal_tuple(as_arena *a, const assay_json *v)
{
	value out = {.kind = KIND_TUPLE};
	size_t count = as_json_count(v);
	field *fields = NULL;

	if (as_json_type(v) == ASSAY_JSON_OBJECT) {
		fields = normal_fields(a, v, &count);
	}
	out.items = count > 0 ? as_arena_alloc(a, count * sizeof *out.items) : NULL;
	if (!out.items) {
		return out;
	}
	if (!fields) {
		for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
			out.items[out.n++] = normal_value(a, m);
		}
		return out;
	}
	for (size_t i = 0; i < count; i++) {
		value *pair = as_arena_alloc(a, 2 * sizeof *pair);

		if (!pair) {
			break;
		}
		pair[0] = (value){.kind = KIND_TEXT, .text = fields[i].key}; /* keys are taken as they are */
		pair[1] = fields[i].value;
		out.items[out.n++] = (value){.kind = KIND_TUPLE, .items = pair, .n = 2};
	}
	return out;
}

static value normal_value(as_arena *a, const assay_json *v)
{
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING:
		return (value){.kind = KIND_TEXT, .text = normal_text(a, as_json_str(v))};
	case ASSAY_JSON_ARRAY:
	case ASSAY_JSON_OBJECT:
		return normal_tuple(a, v);
	case ASSAY_JSON_NUMBER:
		if (as_str_is(as_json_spelling(v), "NaN")) {
			return (value){.kind = KIND_NAN};
		}
		break;
	default:
		break;
	}
	return (value){.kind = KIND_OTHER, .leaf = v};
}

as_near *as_near_new(assay_str canonical)
{
	as_near *near = as_new(1, sizeof *near);

	if (!near) {
		return NULL;
	}
	near->text = as_arena_str(&near->arena, canonical);
	if (!read_document(canonical, &near->document)) {
		near->arena.failed = true;
	}
	near->is_object = as_json_type(near->document) == ASSAY_JSON_OBJECT;
	if (near->is_object) {
		near->fields = normal_fields(&near->arena, near->document, &near->n);
	}
	if (near->arena.failed) {
		as_near_free(near);
		return NULL;
	}
	return near;
}

void as_near_free(as_near *near)
{
	if (near) {
		as_json_free(near->document);
		as_arena_free(&near->arena);
		free(near);
	}
}

/* --- comparing --- */

/* Python's == of two items of a container: identity counts, and its parser makes one NaN for all. */
static bool same_item(const value *a, const value *b)
{
	if (a->kind != b->kind) {
		return false;
	}
	switch (a->kind) {
	case KIND_TEXT:
		return as_str_eq(a->text, b->text);
	case KIND_NAN:
		return true;
	case KIND_OTHER:
		return as_json_equal(a->leaf, b->leaf);
	default:
		break;
	}
	if (a->n != b->n) {
		return false;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (!same_item(&a->items[i], &b->items[i])) {
			return false;
		}
	}
	return true;
}

static bool contained(const value *a, const value *b)
{
	return a->kind == KIND_TEXT && b->kind == KIND_TEXT && a->text.len > 0 && b->text.len > 0 &&
	       (as_str_contains(a->text, b->text) || as_str_contains(b->text, a->text));
}

static double field_score(const as_near *a, const as_near *b)
{
	size_t exact = 0, partly = 0, common = 0, keys;

	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		int order = as_str_cmp(a->fields[i].key, b->fields[j].key);

		if (order == 0) {
			const value *x = &a->fields[i].value, *y = &b->fields[j].value;

			common++;
			if (x->kind != KIND_NAN && same_item(x, y)) {
				exact++;
			} else if (contained(x, y)) {
				partly++;
			}
		}
		i += order <= 0;
		j += order >= 0;
	}
	keys = a->n + b->n - common;
	return keys == 0 ? 1 : (double)(exact * 10 + partly * 7) / (double)(10 * keys);
}

static double text_score(const as_near *a, const as_near *b)
{
	assay_text x = {0}, y = {0};
	double score = -1;

	if (!a->document || !b->document) {
		score = as_ratio(a->text, b->text);
	} else if (as_json_dump(a->document, ASSAY_JSON_PYTHON_SORTED, &x, NULL) == 0 &&
		   as_json_dump(b->document, ASSAY_JSON_PYTHON_SORTED, &y, NULL) == 0) {
		score = as_ratio(as_text_str(x), as_text_str(y));
	}
	as_text_free(&x);
	as_text_free(&y);
	return score < -1 ? 0 : score;
}

double as_near_score_prepared(const as_near *candidate, const as_near *recorded)
{
	return candidate->is_object && recorded->is_object ? field_score(candidate, recorded)
							   : text_score(candidate, recorded);
}

double as_near_score(assay_str candidate, assay_str recorded)
{
	as_near *a = as_near_new(candidate), *b = as_near_new(recorded);
	double score = a && b ? as_near_score_prepared(a, b) : -1;

	as_near_free(a);
	as_near_free(b);
	return score;
}
