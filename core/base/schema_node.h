/* A compiled schema. Only schema*.c include this. */
#ifndef AS_SCHEMA_NODE_H
#define AS_SCHEMA_NODE_H

#include "core/base/regex.h"
#include "core/base/schema.h"

#define AS_SCHEMA_MAX_STEPS ((uint64_t)10 * 1000 * 1000) /* of one validation: about a second */
#define AS_SCHEMA_MAX_DEPTH 1500u                        /* schemas inside schemas, $ref included: the stack's bound */

/* Bits of as_schema_node.types: 1 << ASSAY_JSON_... and this one. */
#define AS_SCHEMA_INTEGER 1u

/* Where we are in a document; a chain on the stack. */
struct as_place {
	const struct as_place *up;
	const char *key; /* NULL: an index */
	size_t index;
};

/* Put the place before the error's pointer, as a JSON Pointer. */
void as_place_report(const struct as_place *at, assay_error *err);

enum as_schema_bound { AS_MINIMUM, AS_MAXIMUM, AS_EXCLUSIVE_MINIMUM, AS_EXCLUSIVE_MAXIMUM, AS_N_BOUNDS };

/* A size is -1 when there is no such keyword. */
enum as_schema_size {
	AS_MIN_LENGTH,
	AS_MAX_LENGTH,
	AS_MIN_ITEMS,
	AS_MAX_ITEMS,
	AS_MIN_PROPERTIES,
	AS_MAX_PROPERTIES,
	AS_MIN_CONTAINS,
	AS_MAX_CONTAINS,
	AS_N_SIZES
};

struct as_schema_node;

struct as_schema_list {
	struct as_schema_node **items;
	size_t n;
};

struct as_schema_entry {
	const char *key;
	struct as_schema_node *schema;
	const as_regex *regex; /* patternProperties */
};

/* Sorted by key. */
struct as_schema_map {
	struct as_schema_entry *entries;
	size_t n;
};

/* A part of the document with a URI of its own, which "#..." refers to. */
struct as_schema_resource {
	const struct as_schema_resource *next;
	const assay_json *root;
	const char *uri;
};

struct as_schema_node {
	const assay_json *source;
	const struct as_schema_resource *resource;
	bool never;     /* the schema false */
	unsigned types; /* 0: all */
	const assay_json *values, *constant, *default_value;
	const assay_json *bounds[AS_N_BOUNDS];
	const assay_json *multiple_of;
	int64_t sizes[AS_N_SIZES];
	bool unique;
	const as_regex *pattern;
	const char *pattern_text;
	const assay_json *required;       /* array of strings */
	const assay_json *dependent_keys; /* object of arrays of strings */
	struct as_schema_map properties, patterns, dependents, defs;
	struct as_schema_node *additional, *names, *rest_items, *contains, *negation, *condition, *then, *otherwise;
	struct as_schema_node *ref;
	struct as_schema_list prefix, all, any, one;
};

struct as_schema {
	as_arena arena;
	struct as_schema_node *root;
	as_regex **regexes;
	size_t n_regexes, cap_regexes;
	bool has_defaults;
};

struct as_schema_entry *as_schema_lookup(const struct as_schema_map *map, const char *key);

/* Is v a multiple of divisor (> 0), by their decimal notations? */
bool as_schema_is_multiple(const assay_json *v, const assay_json *divisor);

/* A short description of a value: string "abc", number 5, array of 3 items. */
void as_schema_describe(as_buf *out, const assay_json *v);
/* "string or null" */
void as_schema_type_names(as_buf *out, unsigned types);
bool as_schema_type_fits(unsigned types, const assay_json *v);

#endif
