/* How a value is kept: an assay_json is a cJSON item of which this layer uses only the shape, never cJSON's parser or
 * printer, nor its memory. Only json*.c include this.
 *
 *   next, prev, child   as cJSON: a first child's prev is the last child, so appending takes no walk
 *   string              a member's key
 *   valuestring         a string's text; a number's own spelling; of a container in a block, that block
 *   valuedouble         a number's value, infinite when it is too large for a double; the bytes of a string; in its
 *                       memory, a wide object's index
 *   type                cJSON's, and above its eight bits the bytes of the key
 *   valueint            ours: where the memory comes from (AS_NODE_...), and below that the line the value started on,
 *                       0 for a built value
 *
 * A built value has memory of its own, its text and a short key included. A parsed document, and a copy, lies in one
 * block, which goes with its root; built values may be put into it and go with it.
 *
 * Frozen values (as_json_freeze) are shared: their block counts who holds it. A copy of one is a node of its own that
 * borrows the children (AS_NODE_LENT), holds the block, and has it in valuestring. */
#ifndef AS_JSON_NODE_H
#define AS_JSON_NODE_H

#include "core/base/json.h"
#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <string.h>

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
#define AS_NODE_LONG_KEY 0x7FFFFFu /* this long or longer: to be counted */

/* cJSON_Object and so on. */
static inline int as_json_kind(const cJSON *node)
{
	return node->type & 0xFF;
}
static inline bool as_json_is_container(const cJSON *node)
{
	return node->type & (cJSON_Object | cJSON_Array);
}
/* A string's text or a number's spelling. */
static inline assay_str as_json_node_text(const cJSON *node)
{
	if (as_json_kind(node) == cJSON_String) {
		return (assay_str){node->valuestring, (size_t)node->valuedouble};
	}
	return as_json_kind(node) == cJSON_Number ? as_str(node->valuestring) : (assay_str){NULL, 0};
}
/* A member's key; ptr NULL: none. */
static inline assay_str as_json_node_key(const cJSON *node)
{
	size_t n = (unsigned)node->type >> 8;
	return n < AS_NODE_LONG_KEY ? (assay_str){node->string, n} : as_str(node->string);
}
/* One of few bits, which few keys of an object share: where it is new among them the key is. */
static inline uint64_t as_json_key_bit(assay_str key)
{
	uint32_t head = 0, tail = 0;
	if (key.len >= sizeof head) {
		head = as_load32(key.ptr);
		tail = as_load32(key.ptr + key.len - sizeof tail);
	} else if (key.len > 0) {
		head = (unsigned char)*key.ptr;
		tail = (unsigned char)key.ptr[key.len - 1];
	}
	return UINT64_C(1) << (((head ^ tail * 31 ^ (uint32_t)key.len) * UINT32_C(0x9E3779B1)) >> 26);
}
static inline void as_json_node_point_key(cJSON *node, char *key, size_t n)
{
	node->string = key;
	node->type = as_json_kind(node) | (int)((n < AS_NODE_LONG_KEY ? n : AS_NODE_LONG_KEY) << 8);
}

/* The index of a wide object (json_index.c). */
#define AS_INDEX_LEAST 64u /* members that are not walked along */
typedef struct as_json_index as_json_index;
static inline as_json_index *as_json_node_index(const cJSON *object) /* NULL: it has none */
{
	as_json_index *x;
	memcpy((void *)&x, &object->valuedouble, sizeof x);
	return x;
}

/* A block with room for some bytes; NULL when memory is out. Its first node is its root. */
typedef struct as_json_block {
	cJSON root;        /* first: freeing it finds the rest */
	char *next, *end;  /* room in the last piece: nodes are taken from its front, texts from its back */
	void *pieces;      /* further ones */
	size_t piece_size; /* of the last */
	as_json_room *room;
	bool mixed;            /* values with memory of their own were put into it, or lent ones */
	bool frozen;           /* nothing in it changes any more */
	atomic_size_t holders; /* of a frozen one */
} as_json_block;
as_json_block *as_json_block_new(size_t expected, as_json_room *room);
bool as_json_block_grow(as_json_block *b, size_t least);
void as_json_block_free(as_json_block *b); /* one that has no root yet; NULL is fine */

static inline cJSON *as_json_block_node(as_json_block *b, int type)
{
	cJSON *node = &b->root;
	int from = AS_NODE_IN_BLOCK | AS_NODE_ROOT;
	if (node->valueint != 0) {
		if ((size_t)(b->end - b->next) < sizeof *node && !as_json_block_grow(b, sizeof *node)) {
			return NULL;
		}
		node = (cJSON *)(void *)b->next;
		b->next += sizeof *node;
		from = AS_NODE_IN_BLOCK;
	}
	memset(node, 0, sizeof *node);
	node->type = type;
	node->valueint = from;
	if (type & (cJSON_Object | cJSON_Array)) {
		node->valuestring = (char *)b;
	}
	return node;
}
static inline char *as_json_block_bytes(as_json_block *b, size_t n)
{
	if ((size_t)(b->end - b->next) < n && !as_json_block_grow(b, n)) {
		return NULL;
	}
	return b->end -= n;
}
char *as_json_block_text(as_json_block *b, assay_str s);     /* a copy */
assay_text as_json_block_fit(as_json_block *b, assay_str s); /* one that is fit for a string or a key */
void *as_json_block_room(as_json_block *b, size_t size);     /* fit for any type, not zeroed */

/* Bytes of the index of an object with so many members; 0: it needs none. */
size_t as_json_index_size(size_t members);
/* Index an object that has no index and that many members or fewer, in its block or (NULL) in memory of its own. */
void as_json_index_make(cJSON *object, as_json_block *b, size_t members);
void as_json_index_drop(cJSON *object);
void as_json_index_add(cJSON *object, cJSON *node); /* a member that the object got, which has an index */
/* Where the member of that key stands in the index; NULL: there is none. No key of a member holds a NUL. */
cJSON **as_json_index_find(const as_json_index *x, assay_str key);
/* A copy of a value in a block, and the bytes that it takes there, without its key. NULL when memory is out; what was
 * copied is in the block all the same. */
cJSON *as_json_block_copy(as_json_block *b, const cJSON *from);
size_t as_json_block_copy_size(const cJSON *v);

static inline bool as_json_node_has_text(const cJSON *node)
{
	return node->type & (cJSON_String | cJSON_Number);
}
/* The block that a frozen or lent object or array shares; NULL: it is neither. */
static inline as_json_block *as_json_node_shared(const cJSON *node)
{
	as_json_block *b = as_json_is_container(node) ? (as_json_block *)(void *)node->valuestring : NULL;
	return b && ((node->valueint & AS_NODE_LENT) || b->frozen) ? b : NULL;
}
/* Of a block that is frozen from now on, and whose root the caller holds: count holders. */
void as_json_block_share(as_json_block *b);
void as_json_block_hold(as_json_block *b);
void as_json_block_release(as_json_block *b);
bool as_json_node_is_alone(const cJSON *shared); /* nobody else holds its block */
/* Make an empty node one that borrows the children of a shared one. */
void as_json_node_lend(cJSON *node, const cJSON *shared);
/* Make an object or array ready to be changed: a lent one gets children of its own. ASSAY_EINVAL: it is frozen. */
int as_json_node_open(cJSON *container);
cJSON *as_json_node_clone(const cJSON *from); /* without its key; NULL when memory is out */

/* Something with memory of its own is about to be put into this container, which is open: its block no longer goes as
 * it is. One that was lent has no block, and the one it lies in is mixed. */
static inline void as_json_node_mix(cJSON *container)
{
	if ((container->valueint & AS_NODE_IN_BLOCK) && container->valuestring) {
		((as_json_block *)(void *)container->valuestring)->mixed = true;
	}
}

/* Free a node without siblings and all in it. NULL is fine. */
void as_json_node_free(cJSON *node);
/* Give a node another key (a copy, fit for a key), or none. */
int as_json_node_set_key(cJSON *node, assay_str key);
void as_json_node_drop_key(cJSON *node);
/* A number's value out of its spelling. */
double as_json_node_double(const char *spelling);

/* A copy of the text if it is not fit for a string or key as it is: valid UTF-8, and a NUL as C0 80. */
bool as_json_text_is_fit(assay_str s);
char *as_json_text_made_fit(assay_str s); /* NULL when memory is out */

/* An integer's spelling, in a buffer of AS_JSON_INTEGER_SIZE bytes. */
#define AS_JSON_INTEGER_SIZE 24u
assay_str as_json_integer_spelling(int64_t n, char *buffer);

/* A node of the given cJSON type holding a copy of text (for a string or a number), or NULL. */
cJSON *as_json_node_new(int type, assay_str text);
cJSON *as_json_node_number(assay_str spelling);
/* Put a node without siblings at the end of a container. */
void as_json_node_append(cJSON *container, cJSON *node);
void as_json_node_unlink(cJSON *container, cJSON *node);
/* The same as a member, which has its key, and in the stead of another one of that key. */
void as_json_node_put(cJSON *object, cJSON *node);
/* Free old and put a node without siblings in its place. */
void as_json_node_replace(cJSON *container, cJSON *old, cJSON *node);

/* Keys by code point. Not strcmp: a NUL in a key is kept as C0 80 and must sort before everything else. */
int as_json_key_cmp(const char *a, const char *b);
/* The members of an object sorted by key, *n of them; free it. NULL when memory is out (or n is 0). */
cJSON **as_json_sorted_members(const cJSON *object, size_t *n);

#endif
