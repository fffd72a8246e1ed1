/* From a schema document to nodes. Every keyword's value is checked here, so that validation need not. */
#include "core/base/schema_compile.h"

#include "core/base/error.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int bad(struct as_schema_compiler *c, const struct as_place *at, const assay_json *v, const char *expected)
{
	as_buf found = {0};
	as_schema_describe(&found, v);
	if (c->err && c->err->code == 0) {
		as_fail(c->err, ASSAY_EDATA, "not a schema: found %s, expected %s", found.ptr ? found.ptr : "",
			expected);
		c->err->line = as_json_line(v);
		as_place_report(at, c->err);
	}
	as_buf_free(&found);
	return ASSAY_EDATA;
}

/* What a keyword's handler works on: the member of the node that the keyword fills, and the keyword's value. */
struct keyword_use {
	struct as_schema_compiler *c;
	struct as_schema_node *node;
	void *member;
	const assay_json *v;
	const struct as_place *at;
};

typedef int (*keyword_fn)(const struct keyword_use *u);

static int on_schema(const struct keyword_use *u)
{
	struct as_schema_node **member = u->member;
	return as_schema_compile_node(u->c, u->v, u->node->resource, u->at, member);
}

static int on_schema_list(const struct keyword_use *u)
{
	struct as_schema_list *list = u->member;
	size_t n = as_json_count(u->v);
	if (as_json_type(u->v) != ASSAY_JSON_ARRAY || n == 0) {
		return bad(u->c, u->at, u->v, "a list of at least one schema");
	}
	list->n = 0;
	list->items = as_arena_alloc(&u->c->schema->arena, n * sizeof *list->items);
	if (!list->items) {
		return as_fail_memory(u->c->err);
	}
	for (const assay_json *v = as_json_first(u->v); v; v = as_json_next(v)) {
		struct as_place at = {.up = u->at, .index = list->n};
		int rc = as_schema_compile_node(u->c, v, u->node->resource, &at, &list->items[list->n++]);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct as_schema_entry *left = a;
	const struct as_schema_entry *right = b;
	return strcmp(left->key, right->key);
}

static int on_schema_map(const struct keyword_use *u)
{
	struct as_schema_map *map = u->member;
	if (as_json_type(u->v) != ASSAY_JSON_OBJECT) {
		return bad(u->c, u->at, u->v, "an object of schemas");
	}
	map->n = 0;
	map->entries = as_arena_alloc(&u->c->schema->arena, as_json_count(u->v) * sizeof *map->entries);
	if (!map->entries) {
		return as_fail_memory(u->c->err);
	}
	for (const assay_json *v = as_json_first(u->v); v; v = as_json_next(v)) {
		struct as_schema_entry *e = &map->entries[map->n++];
		e->key = as_json_key(v).ptr;
		struct as_place at = {.up = u->at, .key = e->key};
		int rc = as_schema_compile_node(u->c, v, u->node->resource, &at, &e->schema);
		if (rc < 0) {
			return rc;
		}
	}
	qsort(map->entries, map->n, sizeof *map->entries, by_key);
	return 0;
}

static int compile_pattern(struct as_schema_compiler *c, assay_str text, const struct as_place *at,
			   const as_regex **out)
{
	struct as_schema *s = c->schema;
	as_regex *regex = NULL;
	if (!as_grow(&s->regexes, &s->cap_regexes, s->n_regexes + 1, sizeof *s->regexes)) {
		return as_fail_memory(c->err);
	}
	bool fresh = c->err && c->err->code == 0;
	int rc = as_regex_compile(text, &regex, c->err);
	if (rc < 0) {
		if (fresh) {
			as_place_report(at, c->err);
		}
		return rc;
	}
	s->regexes[s->n_regexes++] = regex;
	*out = regex;
	return 0;
}

static int on_pattern(const struct keyword_use *u)
{
	u->node->pattern_text = as_json_cstr(u->v, NULL);
	if (!u->node->pattern_text) {
		return bad(u->c, u->at, u->v, "a regular expression");
	}
	return compile_pattern(u->c, as_json_str(u->v), u->at, &u->node->pattern);
}

static int on_pattern_map(const struct keyword_use *u)
{
	struct as_schema_map *map = u->member;
	int rc = on_schema_map(u);
	for (size_t i = 0; i < map->n && rc == 0; i++) {
		struct as_place at = {.up = u->at, .key = map->entries[i].key};
		rc = compile_pattern(u->c, as_str(map->entries[i].key), &at, &map->entries[i].regex);
	}
	return rc;
}

static int on_bound(const struct keyword_use *u)
{
	const assay_json **member = u->member;
	*member = u->v;
	return as_json_type(u->v) == ASSAY_JSON_NUMBER ? 0 : bad(u->c, u->at, u->v, "a number");
}

static int on_multiple(const struct keyword_use *u)
{
	u->node->multiple_of = u->v;
	return as_json_f64(u->v, 0) > 0 ? 0 : bad(u->c, u->at, u->v, "a number above 0");
}

static int on_size(const struct keyword_use *u)
{
	int64_t *member = u->member;
	*member = as_json_i64(u->v, -1);
	return *member >= 0 ? 0 : bad(u->c, u->at, u->v, "a whole number not below 0");
}

static int on_flag(const struct keyword_use *u)
{
	bool *member = u->member;
	*member = as_json_boolean(u->v, 0) != 0;
	return as_json_type(u->v) == ASSAY_JSON_BOOL ? 0 : bad(u->c, u->at, u->v, "true or false");
}

static int on_value(const struct keyword_use *u)
{
	const assay_json **member = u->member;
	*member = u->v;
	return 0;
}

static int on_enum(const struct keyword_use *u)
{
	u->node->values = u->v;
	return as_json_type(u->v) == ASSAY_JSON_ARRAY ? 0 : bad(u->c, u->at, u->v, "a list of values");
}

static int names_only(const struct keyword_use *u, const assay_json *list, const struct as_place *at)
{
	struct as_place below = {.up = at};
	if (as_json_type(list) != ASSAY_JSON_ARRAY) {
		return bad(u->c, at, list, "a list of names");
	}
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v), below.index++) {
		if (as_json_type(v) != ASSAY_JSON_STRING) {
			return bad(u->c, &below, v, "a name");
		}
	}
	return 0;
}

static int on_required(const struct keyword_use *u)
{
	u->node->required = u->v;
	return names_only(u, u->v, u->at);
}

static int on_dependent_keys(const struct keyword_use *u)
{
	u->node->dependent_keys = u->v;
	if (as_json_type(u->v) != ASSAY_JSON_OBJECT) {
		return bad(u->c, u->at, u->v, "an object of lists of names");
	}
	for (const assay_json *v = as_json_first(u->v); v; v = as_json_next(v)) {
		struct as_place at = {.up = u->at, .key = as_json_key(v).ptr};
		int rc = names_only(u, v, &at);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static unsigned type_bit(const assay_json *name)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {
		{"object", 1u << ASSAY_JSON_OBJECT}, {"array", 1u << ASSAY_JSON_ARRAY},
		{"string", 1u << ASSAY_JSON_STRING}, {"number", 1u << ASSAY_JSON_NUMBER},
		{"integer", AS_SCHEMA_INTEGER},      {"boolean", 1u << ASSAY_JSON_BOOL},
		{"null", 1u << ASSAY_JSON_NULL},
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(as_json_cstr(name, ""), types[i].name) == 0) {
			return types[i].bits;
		}
	}
	return 0;
}

static int on_type(const struct keyword_use *u)
{
	static const char expected[] = "object, array, string, number, integer, boolean or null";
	if (as_json_type(u->v) != ASSAY_JSON_ARRAY) {
		u->node->types = type_bit(u->v);
		return u->node->types ? 0 : bad(u->c, u->at, u->v, expected);
	}
	struct as_place at = {.up = u->at};
	for (const assay_json *v = as_json_first(u->v); v; v = as_json_next(v), at.index++) {
		unsigned bit = type_bit(v);
		if (!bit) {
			return bad(u->c, &at, v, expected);
		}
		u->node->types |= bit;
	}
	return u->node->types ? 0 : bad(u->c, u->at, u->v, "at least one type");
}

/* A list of schemas was draft-07's way to say prefixItems. */
static int on_items(const struct keyword_use *u)
{
	if (as_json_type(u->v) != ASSAY_JSON_ARRAY) {
		return on_schema(u);
	}
	struct keyword_use prefix = *u;
	prefix.member = &u->node->prefix;
	return as_json_count(u->v) == 0 ? 0 : on_schema_list(&prefix);
}

static int on_additional_items(const struct keyword_use *u)
{
	return as_json_type(as_json_get(u->node->source, "items")) == ASSAY_JSON_ARRAY ? on_schema(u) : 0;
}

/* Draft-07's dependencies, lists of names and schemas mixed: tool schemas use it whatever dialect they declare. */
static int on_dependencies(const struct keyword_use *u)
{
	struct as_schema_map *map = &u->node->dependents;
	if (as_json_type(u->v) != ASSAY_JSON_OBJECT) {
		return bad(u->c, u->at, u->v, "an object of schemas or lists of names");
	}
	map->n = 0;
	map->entries = as_arena_alloc(&u->c->schema->arena, as_json_count(u->v) * sizeof *map->entries);
	if (!map->entries) {
		return as_fail_memory(u->c->err);
	}
	u->node->dependent_keys = u->v; /* validation passes over those that are no lists */
	for (const assay_json *v = as_json_first(u->v); v; v = as_json_next(v)) {
		struct as_place at = {.up = u->at, .key = as_json_key(v).ptr};
		int rc;
		if (as_json_type(v) == ASSAY_JSON_ARRAY) {
			rc = names_only(u, v, &at);
		} else {
			struct as_schema_entry *e = &map->entries[map->n++];
			e->key = at.key;
			rc = as_schema_compile_node(u->c, v, u->node->resource, &at, &e->schema);
		}
		if (rc < 0) {
			return rc;
		}
	}
	qsort(map->entries, map->n, sizeof *map->entries, by_key);
	return 0;
}

static int on_ref(const struct keyword_use *u)
{
	if (as_json_type(u->v) != ASSAY_JSON_STRING) {
		return bad(u->c, u->at, u->v, "a reference");
	}
	return as_schema_note_ref(u->c, u->node, u->v, u->at);
}

static int on_anchor(const struct keyword_use *u)
{
	if (as_json_type(u->v) != ASSAY_JSON_STRING) {
		return bad(u->c, u->at, u->v, "a name");
	}
	return as_schema_note_anchor(u->c, u->node, as_json_cstr(u->v, ""));
}

static int on_default(const struct keyword_use *u)
{
	u->c->schema->has_defaults = true;
	return on_value(u);
}

#define NODE(member) offsetof(struct as_schema_node, member)
#define BOUND(which) (NODE(bounds) + (which) * sizeof(const assay_json *))
#define SIZE(which) (NODE(sizes) + (which) * sizeof(int64_t))

static const struct keyword {
	const char *name;
	keyword_fn handle;
	size_t member;
} keywords[] = {
	{"$anchor", on_anchor, 0},
	{"$dynamicAnchor", on_anchor, 0},
	{"$defs", on_schema_map, NODE(defs)},
	{"$ref", on_ref, 0},
	{"additionalItems", on_additional_items, NODE(rest_items)},
	{"additionalProperties", on_schema, NODE(additional)},
	{"allOf", on_schema_list, NODE(all)},
	{"anyOf", on_schema_list, NODE(any)},
	{"const", on_value, NODE(constant)},
	{"contains", on_schema, NODE(contains)},
	{"default", on_default, NODE(default_value)},
	{"definitions", on_schema_map, NODE(defs)},
	{"dependencies", on_dependencies, 0},
	{"dependentRequired", on_dependent_keys, 0},
	{"dependentSchemas", on_schema_map, NODE(dependents)},
	{"else", on_schema, NODE(otherwise)},
	{"enum", on_enum, 0},
	{"exclusiveMaximum", on_bound, BOUND(AS_EXCLUSIVE_MAXIMUM)},
	{"exclusiveMinimum", on_bound, BOUND(AS_EXCLUSIVE_MINIMUM)},
	{"if", on_schema, NODE(condition)},
	{"items", on_items, NODE(rest_items)},
	{"maxContains", on_size, SIZE(AS_MAX_CONTAINS)},
	{"maxItems", on_size, SIZE(AS_MAX_ITEMS)},
	{"maxLength", on_size, SIZE(AS_MAX_LENGTH)},
	{"maxProperties", on_size, SIZE(AS_MAX_PROPERTIES)},
	{"maximum", on_bound, BOUND(AS_MAXIMUM)},
	{"minContains", on_size, SIZE(AS_MIN_CONTAINS)},
	{"minItems", on_size, SIZE(AS_MIN_ITEMS)},
	{"minLength", on_size, SIZE(AS_MIN_LENGTH)},
	{"minProperties", on_size, SIZE(AS_MIN_PROPERTIES)},
	{"minimum", on_bound, BOUND(AS_MINIMUM)},
	{"multipleOf", on_multiple, 0},
	{"not", on_schema, NODE(negation)},
	{"oneOf", on_schema_list, NODE(one)},
	{"pattern", on_pattern, 0},
	{"patternProperties", on_pattern_map, NODE(patterns)},
	{"prefixItems", on_schema_list, NODE(prefix)},
	{"properties", on_schema_map, NODE(properties)},
	{"propertyNames", on_schema, NODE(names)},
	{"required", on_required, 0},
	{"then", on_schema, NODE(then)},
	{"type", on_type, 0},
	{"uniqueItems", on_flag, NODE(unique)},
};

static int compile_keywords(struct as_schema_compiler *c, struct as_schema_node *node, const struct as_place *at)
{
	/* Until draft-07 a $ref stood alone: what is beside it does not count. */
	const assay_json *only = c->draft7 ? as_json_get(node->source, "$ref") : NULL;
	for (const assay_json *v = as_json_first(node->source); v; v = as_json_next(v)) {
		const char *name = as_json_key(v).ptr;
		struct as_place below = {.up = at, .key = name};
		for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
			const struct keyword *k = &keywords[i];
			if (strcmp(name, k->name) != 0 || (only && v != only && k->member != NODE(defs))) {
				continue;
			}
			struct keyword_use use = {c, node, (char *)node + k->member, v, &below};
			int rc = k->handle(&use);
			if (rc < 0) {
				return rc;
			}
			break;
		}
	}
	return 0;
}

int as_schema_compile_node(struct as_schema_compiler *c, const assay_json *v, const struct as_schema_resource *resource,
			   const struct as_place *at, struct as_schema_node **out)
{
	int type = as_json_type(v);
	*out = as_schema_find_node(c, v);
	if (*out) {
		return 0;
	}
	if (type != ASSAY_JSON_OBJECT && type != ASSAY_JSON_BOOL) {
		return bad(c, at, v, "a schema (an object, true or false)");
	}
	struct as_schema_node *node = as_arena_alloc(&c->schema->arena, sizeof *node);
	if (!node) {
		return as_fail_memory(c->err);
	}
	*out = node;
	node->source = v;
	node->resource = resource;
	node->never = type == ASSAY_JSON_BOOL && !as_json_boolean(v, 1);
	for (size_t i = 0; i < AS_N_SIZES; i++) {
		node->sizes[i] = -1;
	}
	int rc = as_schema_add_node(c, node);
	if (rc == 0 && type == ASSAY_JSON_OBJECT) {
		rc = as_schema_note_id(c, node);
	}
	if (rc < 0 || type == ASSAY_JSON_BOOL) {
		return rc;
	}
	if (++c->depth > AS_JSON_MAX_DEPTH) {
		return as_fail(c->err, ASSAY_ELIMIT, "schema nested deeper than %u levels", AS_JSON_MAX_DEPTH);
	}
	rc = compile_keywords(c, node, at);
	c->depth--;
	return rc;
}

struct as_schema_entry *as_schema_lookup(const struct as_schema_map *map, const char *key)
{
	struct as_schema_entry wanted = {.key = key};
	return map->n ? bsearch(&wanted, map->entries, map->n, sizeof wanted, by_key) : NULL;
}

int as_schema_compile(const assay_json *schema, as_schema **out, assay_error *err)
{
	struct as_place root = {0};
	as_schema *s = as_new(1, sizeof *s);
	*out = NULL;
	if (!s) {
		return as_fail_memory(err);
	}
	struct as_schema_compiler c = {.schema = s, .err = err};
	const char *dialect = as_json_cstr(as_json_get(schema, "$schema"), "");
	c.draft7 = strstr(dialect, "/draft-0") != NULL;
	struct as_schema_resource *whole = as_schema_add_resource(&c, schema, "");
	int rc = whole ? as_schema_compile_node(&c, schema, whole, &root, &s->root) : as_fail_memory(err);
	if (rc == 0) {
		rc = as_schema_resolve_refs(&c);
	}
	free(c.nodes);
	free(c.refs);
	if (rc < 0) {
		as_schema_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void as_schema_free(as_schema *s)
{
	if (!s) {
		return;
	}
	for (size_t i = 0; i < s->n_regexes; i++) {
		as_regex_free(s->regexes[i]);
	}
	free(s->regexes);
	as_arena_free(&s->arena);
	free(s);
}

const char *const *as_schema_unsupported(void)
{
	static const char *const names[] = {"$dynamicRef", "unevaluatedItems", "unevaluatedProperties", NULL};
	return names;
}
