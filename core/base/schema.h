/* JSON Schema, the part that options, manifests and tool schemas use (dialects 2020-12 and draft-07 alike):
 * type properties required enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength
 * pattern minItems maxItems uniqueItems items prefixItems contains additionalProperties patternProperties propertyNames
 * minProperties maxProperties allOf anyOf oneOf not if/then/else dependentRequired default, and $ref to a place in the
 * same document. The keywords that are not looked at are listed by as_schema_unsupported. Thread: a compiled schema is
 * constant and may be used by many threads. */
#ifndef AS_SCHEMA_H
#define AS_SCHEMA_H

#include "core/base/json.h"

typedef struct as_schema as_schema;

/* The schema document is borrowed and must outlive the result. ASSAY_EDATA: not a schema (pointer says where),
 * ASSAY_ENOTSUP: a $ref that leaves the document. */
int as_schema_compile(const assay_json *schema, as_schema **out, assay_error *err);
void as_schema_free(as_schema *s);

/* 0, or ASSAY_EDATA with pointer (into value), line where known, and a message that says what was found and what was
 * expected. An unknown key under additionalProperties: false names the nearest known key in hint. Work is bounded:
 * ASSAY_ELIMIT. What "not" excludes is explained by the "description" of its schema. */
int as_schema_validate(const as_schema *s, const assay_json *value, assay_error *err);

/* Set every missing member that has a "default" (recursively through properties, items and local $ref), but for those
 * that the object's "not" excludes beside what it has. */
int as_schema_fill_defaults(const as_schema *s, assay_json *value, assay_error *err);

/* NULL-terminated list of the assertion keywords of 2020-12 that are ignored here. */
const char *const *as_schema_unsupported(void);

/* The candidate nearest to `word` by edit distance (at most a third of its length, at least 1), or NULL. */
const char *as_nearest(assay_str word, const char *const *candidates, size_t n);

#endif
