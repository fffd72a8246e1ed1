#include "core/llm/schema.h"

#include <string.h>

#define MAX_DEPTH 32u    /* deeper, and behind a $ref that leads back to itself, anything goes */
#define MAX_NODES 20000u /* a schema may be built to grow without end when its references are followed */

typedef struct cleaning {
	const assay_json *root;
	uint32_t rules;
	uint32_t nodes;
} cleaning;

static assay_json *clean(cleaning *c, const assay_json *schema, unsigned depth);

static bool is_one_of(assay_str s, const char *const *list)
{
	for (size_t i = 0; list[i]; i++) {
		if (as_str_is(s, list[i])) {
			return true;
		}
	}
	return false;
}

/* What "#/$defs/X" stands for. NULL: somewhere else, or nowhere. */
static const assay_json *target_of(const cleaning *c, const assay_json *schema)
{
	const char *ref = as_json_cstr(as_json_get(schema, "$ref"), "");
	return ref[0] == '#' ? as_json_pointer(c->root, ref + 1) : NULL;
}

static bool is_null_type(const assay_json *schema)
{
	const assay_json *one = as_json_get(schema, "enum");
	return as_str_is(as_json_str(as_json_get(schema, "type")), "null") ||
	       as_json_type(as_json_get(schema, "const")) == ASSAY_JSON_NULL ||
	       (as_json_count(one) == 1 && as_json_type(as_json_first(one)) == ASSAY_JSON_NULL);
}

/* Take the members of `from` that `into` has none of. */
static int adopt(assay_json *into, const assay_json *from)
{
	int rc = 0;
	for (const assay_json *m = as_json_first(from); m && rc == 0; m = as_json_next(m)) {
		if (!as_json_get_n(into, as_json_key(m))) {
			rc = as_json_set_n(into, as_json_key(m), as_json_clone(m));
		}
	}
	return rc;
}

/* --- One keyword after another; each works on a copy that is already clean below --- */

static int inline_const(assay_json *s)
{
	assay_json *value = as_json_detach(s, "const"), *list;
	if (!value) {
		return 0;
	}
	list = as_json_array();
	int rc = as_json_append(list, value);
	return rc | as_json_set(s, "enum", list);
}

static int one_type(assay_json *s)
{
	const assay_json *types = as_json_get(s, "type");
	assay_json *options;
	const assay_json *only = NULL;
	size_t n = 0;
	int rc = 0;
	if (as_json_type(types) != ASSAY_JSON_ARRAY) {
		return 0;
	}
	for (const assay_json *t = as_json_first(types); t; t = as_json_next(t)) {
		if (as_str_is(as_json_str(t), "null")) {
			rc |= as_json_set(s, "nullable", as_json_truth(1));
		} else {
			only = t;
			n++;
		}
	}
	if (n == 1) {
		return rc | as_json_set(s, "type", as_json_clone(only));
	}
	options = as_json_array();
	for (const assay_json *t = as_json_first(types); t && n > 1; t = as_json_next(t)) {
		if (!as_str_is(as_json_str(t), "null")) {
			assay_json *option = as_json_object();
			rc |= as_json_set(option, "type", as_json_clone(t));
			rc |= as_json_append(options, option);
		}
	}
	as_json_free(as_json_detach(s, "type"));
	if (n > 1 && !as_json_get(s, "anyOf")) {
		return rc | as_json_set(s, "anyOf", options);
	}
	as_json_free(options);
	return rc;
}

/* "anyOf": [X, null] is a nullable X. */
static int nullable_options(assay_json *s)
{
	assay_json *options = as_json_edit(as_json_get(s, "anyOf")), *kept;
	int rc = 0;
	if (as_json_type(options) != ASSAY_JSON_ARRAY) {
		return 0;
	}
	kept = as_json_array();
	for (const assay_json *o = as_json_first(options); o; o = as_json_next(o)) {
		if (is_null_type(o)) {
			rc |= as_json_set(s, "nullable", as_json_truth(1));
		} else {
			rc |= as_json_append(kept, as_json_clone(o));
		}
	}
	as_json_free(as_json_detach(s, "anyOf"));
	if (as_json_count(kept) == 1) {
		rc |= adopt(s, as_json_first(kept));
		as_json_free(kept);
		return rc;
	}
	if (as_json_count(kept) == 0) {
		as_json_free(kept);
		return rc;
	}
	return rc | as_json_set(s, "anyOf", kept);
}

/* Put one schema's properties and required names to those of another. all: a name is required when either says so. */
static int merge(assay_json *into, const assay_json *from)
{
	assay_json *properties = as_json_edit(as_json_get(into, "properties"));
	const assay_json *more = as_json_get(from, "properties");
	int rc = 0;
	if (more && !properties) {
		rc = as_json_set(into, "properties", as_json_clone(more));
	} else if (more) {
		rc = adopt(properties, more);
	}
	const assay_json *required = as_json_get(from, "required");
	if (as_json_type(required) == ASSAY_JSON_ARRAY) {
		assay_json *list = as_json_edit(as_json_get(into, "required"));
		if (as_json_type(list) != ASSAY_JSON_ARRAY) {
			rc |= as_json_set(into, "required", as_json_array());
			list = as_json_edit(as_json_get(into, "required"));
		}
		for (const assay_json *r = as_json_first(required); r; r = as_json_next(r)) {
			bool known = false;
			for (const assay_json *k = as_json_first(list); k; k = as_json_next(k)) {
				known = known || as_json_equal(k, r);
			}
			rc |= known ? 0 : as_json_append(list, as_json_clone(r));
		}
	}
	return rc | adopt(into, from);
}

static int merge_all_of(assay_json *s)
{
	assay_json *parts = as_json_detach(s, "allOf");
	int rc = 0;
	for (const assay_json *p = as_json_first(parts); p; p = as_json_next(p)) {
		rc |= merge(s, p);
	}
	as_json_free(parts);
	return rc;
}

static int only_any_of(assay_json *s)
{
	assay_json *one = as_json_detach(s, "oneOf");
	int rc = 0;
	if (one && as_json_get(s, "anyOf")) {
		as_json_free(one); /* either alone is wider than both */
	} else if (one) {
		rc = as_json_set(s, "anyOf", one);
	}
	return rc | merge_all_of(s);
}

/* Gemini's enum is of texts; other values are told in words. */
static int enum_of_texts(assay_json *s)
{
	const assay_json *values = as_json_get(s, "enum");
	as_buf words = {0};
	bool texts = true;
	int rc = 0;
	for (const assay_json *v = as_json_first(values); v; v = as_json_next(v)) {
		texts = texts && as_json_type(v) == ASSAY_JSON_STRING && as_json_str(v).len > 0;
	}
	if (texts) {
		if (as_json_count(values) > 0 && !as_json_get(s, "type")) {
			rc = as_json_set(s, "type", as_json_string(ASSAY_STR("string")));
		}
		return rc;
	}
	as_buf_add(&words, as_json_str(as_json_get(s, "description")));
	as_buf_puts(&words, words.len ? " One of: " : "One of: ");
	for (const assay_json *v = as_json_first(values); v; v = as_json_next(v)) {
		as_json_write(&words, v, ASSAY_JSON_COMPACT);
		as_buf_puts(&words, as_json_next(v) ? ", " : ".");
	}
	rc = words.failed ? ASSAY_ENOMEM : as_json_set(s, "description", as_json_string(as_buf_str(&words)));
	as_buf_free(&words);
	as_json_free(as_json_detach(s, "enum"));
	return rc;
}

static bool known_format(assay_str format)
{
	static const char *const known[] = {"enum", "date-time", "float", "double", "int32", "int64", NULL};
	return is_one_of(format, known);
}

/* The keywords that Gemini's Schema has; an object or array without the rest is wider, not other. */
static assay_json *openapi(assay_json *s)
{
	static const char *const known[] = {"type",          "format",   "title",    "description",   "nullable",
					    "enum",          "maxItems", "minItems", "properties",    "required",
					    "minProperties", "minimum",  "maximum",  "maxProperties", "minLength",
					    "maxLength",     "pattern",  "anyOf",    "items",         NULL};
	assay_json *out = as_json_object();
	int rc = 0;
	for (const assay_json *m = as_json_first(s); m && rc == 0; m = as_json_next(m)) {
		bool keep = is_one_of(as_json_key(m), known) &&
			    !(as_str_is(as_json_key(m), "format") && !known_format(as_json_str(m)));
		rc = keep ? as_json_set_n(out, as_json_key(m), as_json_clone(m)) : 0;
	}
	as_json_free(s);
	if (rc == 0 && as_json_get(out, "enum")) {
		rc = enum_of_texts(out);
	}
	if (rc == 0 && as_json_get(out, "properties") && !as_json_get(out, "type")) {
		rc = as_json_set(out, "type", as_json_string(ASSAY_STR("object")));
	}
	if (rc == 0 && as_str_is(as_json_str(as_json_get(out, "type")), "array") && !as_json_get(out, "items")) {
		assay_json *items = as_json_object(); /* Gemini wants to be told of what */
		rc = as_json_set(items, "type", as_json_string(ASSAY_STR("string")));
		rc |= as_json_set(out, "items", items);
	}
	if (rc == 0 && as_json_get(out, "properties") && as_json_count(as_json_get(out, "properties")) == 0) {
		as_json_free(as_json_detach(out, "properties"));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* --- The tree --- */

static assay_json *clean_members(cleaning *c, const assay_json *object, unsigned depth)
{
	assay_json *out = as_json_object();
	for (const assay_json *m = as_json_first(object); m && out; m = as_json_next(m)) {
		if (as_json_set_n(out, as_json_key(m), clean(c, m, depth)) < 0) {
			as_json_free(out);
			out = NULL;
		}
	}
	return out;
}

static assay_json *clean_list(cleaning *c, const assay_json *list, unsigned depth)
{
	assay_json *out = as_json_array();
	for (const assay_json *m = as_json_first(list); m && out; m = as_json_next(m)) {
		if (as_json_append(out, clean(c, m, depth)) < 0) {
			as_json_free(out);
			out = NULL;
		}
	}
	return out;
}

/* A member of a schema: schemas below it are cleaned, the rest is copied. */
static assay_json *clean_member(cleaning *c, const assay_json *m, unsigned depth)
{
	static const char *const one[] = {
		"items",         "additionalProperties",  "not", "if", "then", "else", "contains",
		"propertyNames", "unevaluatedProperties", NULL};
	static const char *const named[] = {"properties",  "patternProperties", "$defs",
					    "definitions", "dependentSchemas",  NULL};
	static const char *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems", NULL};
	int type = as_json_type(m);
	if (type == ASSAY_JSON_OBJECT && is_one_of(as_json_key(m), one)) {
		return clean(c, m, depth);
	}
	if (type == ASSAY_JSON_OBJECT && is_one_of(as_json_key(m), named)) {
		return clean_members(c, m, depth);
	}
	if (type == ASSAY_JSON_ARRAY && is_one_of(as_json_key(m), lists)) {
		return clean_list(c, m, depth);
	}
	return as_json_clone(m);
}

static int apply(const cleaning *c, assay_json **s)
{
	int rc = 0;
	if (c->rules & ASSAY_LLM_SCHEMA_NO_CONST) {
		rc |= inline_const(*s);
	}
	if (c->rules & ASSAY_LLM_SCHEMA_ANY_OF_ONLY) {
		rc |= only_any_of(*s);
	}
	if (c->rules & ASSAY_LLM_SCHEMA_NULLABLE) {
		rc |= one_type(*s);
		rc |= nullable_options(*s);
	}
	if (rc == 0 && (c->rules & ASSAY_LLM_SCHEMA_OPENAPI)) {
		*s = openapi(*s);
		rc = *s ? 0 : ASSAY_ENOMEM;
	}
	return rc;
}

static assay_json *clean(cleaning *c, const assay_json *schema, unsigned depth)
{
	const assay_json *target = NULL;
	assay_json *out;
	int rc = 0;
	if (as_json_type(schema) != ASSAY_JSON_OBJECT) { /* true and false are schemas, too */
		return c->rules & ASSAY_LLM_SCHEMA_OPENAPI ? as_json_object() : as_json_clone(schema);
	}
	if (depth > MAX_DEPTH || ++c->nodes > MAX_NODES) {
		return as_json_object();
	}
	if (c->rules & ASSAY_LLM_SCHEMA_NO_REF) {
		target = target_of(c, schema);
	}
	out = target ? clean(c, target, depth + 1) : as_json_object();
	for (const assay_json *m = as_json_first(schema); m && out && rc == 0; m = as_json_next(m)) {
		bool gone = (c->rules & ASSAY_LLM_SCHEMA_NO_REF) &&
			    (as_str_is(as_json_key(m), "$ref") || as_str_is(as_json_key(m), "$defs") ||
			     as_str_is(as_json_key(m), "definitions"));
		rc = gone ? 0 : as_json_set_n(out, as_json_key(m), clean_member(c, m, depth + 1));
	}
	rc = out && rc == 0 ? apply(c, &out) : ASSAY_ENOMEM;
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* Names that every one of the options requires. */
static bool required_by_all(const assay_json *options, const assay_json *name)
{
	for (const assay_json *o = as_json_first(options); o; o = as_json_next(o)) {
		bool has = false;
		for (const assay_json *r = as_json_first(as_json_get(o, "required")); r; r = as_json_next(r)) {
			has = has || as_json_equal(r, name);
		}
		if (!has) {
			return false;
		}
	}
	return true;
}

/* Alternatives at the top become one object with the properties of all; required is what all require. */
static int flatten_options(assay_json *s, const char *keyword)
{
	assay_json *options = as_json_detach(s, keyword);
	int rc = 0;
	for (const assay_json *o = as_json_first(options); o; o = as_json_next(o)) {
		assay_json *part = as_json_object();
		assay_json *required = as_json_array();
		rc |= as_json_set(part, "properties",
				  as_json_get(o, "properties") ? as_json_clone(as_json_get(o, "properties"))
							       : as_json_object());
		for (const assay_json *r = as_json_first(as_json_get(o, "required")); r; r = as_json_next(r)) {
			if (required_by_all(options, r)) {
				rc |= as_json_append(required, as_json_clone(r));
			}
		}
		rc |= as_json_set(part, "required", required);
		rc |= merge(s, part);
		as_json_free(part);
	}
	as_json_free(options);
	return rc;
}

static int make_object(assay_json *s)
{
	static const char *const odd[] = {"enum", "const", "not", "if", "then", "else"};
	int rc = flatten_options(s, "anyOf") | flatten_options(s, "oneOf") | merge_all_of(s);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		as_json_free(as_json_detach(s, odd[i]));
	}
	if (!as_str_is(as_json_str(as_json_get(s, "type")), "object")) {
		rc |= as_json_set(s, "type", as_json_string(ASSAY_STR("object")));
	}
	if (as_json_type(as_json_get(s, "properties")) != ASSAY_JSON_OBJECT) {
		rc |= as_json_set(s, "properties", as_json_object());
	}
	return rc;
}

assay_json *as_llm_schema(const assay_json *schema, uint32_t rules)
{
	cleaning c = {.root = schema, .rules = rules};
	assay_json *out = as_json_type(schema) == ASSAY_JSON_OBJECT ? clean(&c, schema, 0) : as_json_object();
	if (out && (rules & ASSAY_LLM_SCHEMA_OBJECT) && make_object(out) < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}
