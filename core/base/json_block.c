/* Values of one document or one copy lie in one block: making and freeing them takes no call a value. */
#include "core/base/json_node.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE ((size_t)256)
#define ALL_IN_BLOCK (AS_NODE_IN_BLOCK | AS_NODE_KEY_IN_BLOCK)
#define LARGEST_PIECE ((size_t)1 << 20)

struct piece {
	struct piece *next;
	size_t used, size; /* of the bytes behind it */
};

/* What the first piece begins with. The root comes first: freeing it finds the rest. */
struct as_json_block {
	cJSON root;
	atomic_size_t holders; /* of a frozen one */
	struct piece first;
};

void as_json_block_start(struct as_json_block **block, size_t expected)
{
	size_t size = expected > FIRST_SIZE ? expected : FIRST_SIZE;
	struct as_json_block *b = malloc(sizeof *b + size);
	if (b) {
		memset(&b->root, 0, sizeof b->root);
		b->first = (struct piece){NULL, 0, size};
	}
	*block = b;
}

/* A further piece; it stands behind the first one, where the next request looks. */
static struct piece *add_piece(struct as_json_block *b, size_t least)
{
	struct piece *last = b->first.next ? b->first.next : &b->first, *p;
	size_t size = last->size < LARGEST_PIECE / 2 ? last->size * 2 : LARGEST_PIECE;
	size = size > least ? size : least;
	p = malloc(sizeof *p + size);
	if (p) {
		*p = (struct piece){b->first.next, 0, size};
		b->first.next = p;
	}
	return p;
}

static void *take_bytes(struct as_json_block *b, size_t n, size_t align)
{
	struct piece *p = b->first.next ? b->first.next : &b->first;
	size_t at = (p->used + align - 1) & ~(align - 1);
	if (at > p->size || p->size - at < n) {
		p = add_piece(b, n);
		at = 0;
	}
	if (!p) {
		return NULL;
	}
	p->used = at + n;
	return (char *)(p + 1) + at;
}

cJSON *as_json_block_node(struct as_json_block *b, int type)
{
	cJSON *node;
	if (b->root.valueint == 0) {
		node = &b->root;
		node->valueint = AS_NODE_IN_BLOCK | AS_NODE_ROOT;
	} else {
		node = take_bytes(b, sizeof *node, _Alignof(cJSON));
		if (!node) {
			return NULL;
		}
		memset(node, 0, sizeof *node);
		node->valueint = AS_NODE_IN_BLOCK;
	}
	node->type = type;
	return node;
}

char *as_json_block_bytes(struct as_json_block *b, size_t n)
{
	return take_bytes(b, n, 1);
}

char *as_json_block_text(struct as_json_block *b, assay_str s)
{
	char *copy = take_bytes(b, s.len + 1, 1);
	if (copy) {
		if (s.len > 0) {
			memcpy(copy, s.ptr, s.len);
		}
		copy[s.len] = '\0';
	}
	return copy;
}

void as_json_block_free(struct as_json_block *b)
{
	for (struct piece *p = b ? b->first.next : NULL, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	free(b);
}

/* What was put into a block's values later on has memory of its own. */
static void free_parts(cJSON *node)
{
	for (cJSON *m = node->child, *next; m; m = next) {
		next = m->next;
		/* Most are scalars of the block, which goes as a whole. */
		if (m->child || (m->valueint & ALL_IN_BLOCK) != ALL_IN_BLOCK || (m->valueint & AS_NODE_ROOT)) {
			as_json_node_free(m);
		}
	}
	as_json_node_drop_key(node);
}

void as_json_block_share(struct as_json_block *b)
{
	atomic_init(&b->holders, 1);
}

void as_json_block_hold(struct as_json_block *b)
{
	atomic_fetch_add_explicit(&b->holders, 1, memory_order_relaxed);
}

void as_json_block_release(struct as_json_block *b)
{
	if (atomic_fetch_sub_explicit(&b->holders, 1, memory_order_acq_rel) == 1) {
		free_parts(&b->root);
		as_json_block_free(b);
	}
}

bool as_json_node_is_alone(const cJSON *shared)
{
	return atomic_load_explicit(&as_json_node_shared(shared)->holders, memory_order_acquire) == 1;
}

void as_json_node_free(cJSON *node)
{
	struct as_json_block *shared = node ? as_json_node_shared(node) : NULL;
	if (!node) {
		return;
	}
	if (shared && (node->valueint & (AS_NODE_LENT | AS_NODE_ROOT))) {
		as_json_node_drop_key(node);
		if (!(node->valueint & AS_NODE_IN_BLOCK)) {
			free(node);
		}
		as_json_block_release(shared);
		return;
	}
	free_parts(node);
	if (node->valueint & AS_NODE_ROOT) {
		as_json_block_free((struct as_json_block *)node);
	} else if (!(node->valueint & AS_NODE_IN_BLOCK)) {
		free(node);
	}
}

void as_json_node_drop_key(cJSON *node)
{
	if (!(node->valueint & (AS_NODE_KEY_IN_BLOCK | AS_NODE_KEY_INSIDE))) {
		free(node->string);
	}
	node->valueint &= ~(AS_NODE_KEY_IN_BLOCK | AS_NODE_KEY_INSIDE);
	node->string = NULL;
}
