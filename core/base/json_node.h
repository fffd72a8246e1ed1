/* How a value is kept: an assay_json is a cJSON item of which this layer uses only the shape, never cJSON's parser or
 * printer, nor its memory. Only json*.c include this.
 *
 *   next, prev, child   as cJSON: a first child's prev is the last child, so appending takes no walk
 *   string              a member's key
 *   valuestring         a string's text; a number's own spelling
 *   valuedouble         a number's value, infinite when it is too large for a double
 *   valueint            ours: where the memory comes from (AS_NODE_...), and below that the line the value started on,
 *                       0 for a built value
 *
 * A built value has memory of its own, its text and a short key included. A parsed document, and a copy, lies in one
 * block, which goes with its root; built values may be put into it and go with it.
 *
 * Frozen values (as_json_freeze) are shared: valuestring of their objects and arrays points to their block, which
 * counts who holds it. A copy of one is a node of its own that borrows the children (AS_NODE_LENT) and holds the block.
 */
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

#define AS_NODE_IN_BLOCK 0x40000000     /* the node and its text */
#define AS_NODE_KEY_IN_BLOCK 0x20000000 /* its key */
#define AS_NODE_ROOT 0x10000000         /* the block's first node, which the block goes with */
#define AS_NODE_KEY_INSIDE 0x08000000   /* its key stands behind the node, in the same memory */
#define AS_NODE_KEY_SIZE 24u            /* bytes there for it */
#define AS_NODE_LENT 0x04000000         /* its children are a frozen value's */
#define AS_NODE_LINE 0x03FFFFFF

/* A block with room for some bytes; NULL when memory is out. Its first node is its root. */
struct as_json_block;
void as_json_block_start(struct as_json_block **block, size_t expected);
cJSON *as_json_block_node(struct as_json_block *b, int type);
char *as_json_block_text(struct as_json_block *b, assay_str s); /* a copy */
char *as_json_block_bytes(struct as_json_block *b, size_t n);
void as_json_block_free(struct as_json_block *b); /* one that has no root yet; NULL is fine */

static inline bool as_json_node_has_text(const cJSON *node)
{
	return node->type == cJSON_String || node->type == cJSON_Number;
}
/* The block that a frozen or lent object or array shares; NULL: it is neither. */
static inline struct as_json_block *as_json_node_shared(const cJSON *node)
{
	return as_json_node_has_text(node) ? NULL : (struct as_json_block *)(void *)node->valuestring;
}
/* Of a block that is frozen from now on, and whose root the caller holds: count holders. */
void as_json_block_share(struct as_json_block *b);
void as_json_block_hold(struct as_json_block *b);
void as_json_block_release(struct as_json_block *b);
bool as_json_node_is_alone(const cJSON *shared); /* nobody else holds its block */
/* Make an empty node one that borrows the children of a shared one. */
void as_json_node_lend(cJSON *node, const cJSON *shared);
/* Make an object or array ready to be changed: a lent one gets children of its own. ASSAY_EINVAL: it is frozen. */
int as_json_node_open(cJSON *container);
cJSON *as_json_node_clone(const cJSON *from); /* without its key; NULL when memory is out */

/* Free a node without siblings and all in it. NULL is fine. */
void as_json_node_free(cJSON *node);
/* Give a node another key (a copy, fit for a key), or none. */
int as_json_node_set_key(cJSON *node, assay_str key);
void as_json_node_drop_key(cJSON *node);
/* A number's value out of its spelling. */
double as_json_node_double(const char *spelling);

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
