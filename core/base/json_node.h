/* How a value is kept: an assay_json is a cJSON item of which this layer uses only the shape, never cJSON's parser or
 * printer. Only json*.c include this.
 *
 *   next, prev, child   as cJSON: a first child's prev is the last child, so appending takes no walk
 *   string              a member's key
 *   valuestring         a string's text; a number's own spelling (cJSON_Delete frees both)
 *   valuedouble         a number's value, infinite when it is too large for a double
 *   valueint            ours: the line the value started on, 0 for a built value
 *
 * Everything is allocated by malloc, as cJSON's default hooks do; nobody changes the hooks. */
#ifndef AS_JSON_NODE_H
#define AS_JSON_NODE_H

#include "core/base/json.h"
#include <cjson/cJSON.h>

static inline cJSON *as_json_node(const assay_json *v)
{
	return (cJSON *)(uintptr_t)v;
}
static inline assay_json *as_json_value(cJSON *node)
{
	return (assay_json *)node;
}

/* A node of the given cJSON type holding a copy of text (for a string or a number), or NULL. */
cJSON *as_json_node_new(int type, assay_str text);
cJSON *as_json_node_number(assay_str spelling);
/* Put a node without siblings at the end of a container. */
void as_json_node_append(cJSON *container, cJSON *node);
void as_json_node_unlink(cJSON *container, cJSON *node);
/* Free old and put a node without siblings in its place. */
void as_json_node_replace(cJSON *container, cJSON *old, cJSON *node);

/* Keys by code point. Not strcmp: a NUL in a key is kept as C0 80 and must sort before everything else. */
int as_json_key_cmp(const char *a, const char *b);
/* The members of an object sorted by key, *n of them; free it. NULL when memory is out (or n is 0). */
cJSON **as_json_sorted_members(const cJSON *object, size_t *n);

#endif
