/* Values of one document or one copy lie in one block: making and freeing them takes no call a value. */
#include "core/base/json_node.h"
#include <stddef.h>
#include <stdlib.h>

#define FIRST_SIZE ((size_t)256)
#define LARGEST_PIECE ((size_t)1 << 20)
#define LARGEST_KEPT ((size_t)4 << 20) /* of a room */
#define ALL_IN_BLOCK (AS_NODE_IN_BLOCK | AS_NODE_KEY_IN_BLOCK)

struct piece {
	struct piece *next;
	_Alignas(max_align_t) char bytes[];
};

/* What a block's memory begins with. */
struct first {
	as_json_block block;
	_Alignas(max_align_t) char bytes[];
};

as_json_block *as_json_block_new(size_t expected, as_json_room *room)
{
	size_t size = expected > FIRST_SIZE ? expected : FIRST_SIZE;
	struct first *f = room ? (struct first *)(void *)room->kept : NULL;
	if (f) {
		room->kept = NULL;
	}
	if (f && f->block.piece_size < size) {
		free(f);
		f = NULL;
	} else if (f) {
		size = f->block.piece_size;
	}
	f = f ? f : malloc(sizeof *f + size);
	if (!f) {
		return NULL;
	}
	f->block = (as_json_block){.next = f->bytes, .end = f->bytes + size, .piece_size = size, .room = room};
	return &f->block;
}

bool as_json_block_grow(as_json_block *b, size_t least)
{
	size_t size = b->piece_size < LARGEST_PIECE / 2 ? b->piece_size * 2 : LARGEST_PIECE;
	struct piece *p;
	size = size > least ? size : least;
	p = malloc(sizeof *p + size);
	if (!p) {
		return false;
	}
	p->next = b->pieces;
	b->pieces = p;
	b->next = p->bytes;
	b->end = p->bytes + size;
	b->piece_size = size;
	return true;
}

char *as_json_block_text(as_json_block *b, assay_str s)
{
	char *copy = as_json_block_bytes(b, s.len + 1);
	if (copy) {
		if (s.len > 0) {
			memcpy(copy, s.ptr, s.len);
		}
		copy[s.len] = '\0';
	}
	return copy;
}

void as_json_block_free(as_json_block *b)
{
	as_json_room *room = b ? b->room : NULL;
	bool whole = b && !b->pieces; /* else it was too small, and its size is not known any more */
	for (struct piece *p = b ? b->pieces : NULL, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	if (room && whole && !room->kept && b->piece_size <= LARGEST_KEPT) {
		room->kept = b;
	} else {
		free(b);
	}
}

assay_text as_json_block_fit(as_json_block *b, assay_str s)
{
	bool fit = as_json_text_is_fit(s);
	char *made = fit ? NULL : as_json_text_made_fit(s);
	assay_str text = made ? as_str(made) : s;
	assay_text kept = {fit || made ? as_json_block_text(b, text) : NULL, text.len};
	free(made);
	return kept;
}

void *as_json_block_room(as_json_block *b, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	char *p;
	if (size > SIZE_MAX - 2 * align ||
	    ((size_t)(b->end - b->next) < size + 2 * align && !as_json_block_grow(b, size + 2 * align))) {
		return NULL;
	}
	p = b->next + (align - (uintptr_t)b->next % align) % align;
	/* The next node stands behind it. */
	b->next = p + (size + align - 1) / align * align;
	return p;
}

void *as_json_with(assay_json *document, size_t size)
{
	cJSON *root = as_json_node(document);
	void *p = root && (root->valueint & AS_NODE_ROOT) ? as_json_block_room((as_json_block *)(void *)root, size)
							  : NULL;
	return p ? memset(p, 0, size) : NULL;
}

void as_json_room_free(as_json_room *room)
{
	free(room->kept);
	room->kept = NULL;
}

/* What was put into a block's values later on has memory of its own. */
static void free_parts(cJSON *node)
{
	for (cJSON *m = node->child, *next; m; m = next) {
		int from = m->valueint & ~AS_NODE_LINE;
		next = m->next;
		/* Most are scalars: of the block, which goes as a whole, or in one piece with a key. */
		if (m->child || (from != ALL_IN_BLOCK && from != AS_NODE_KEY_INSIDE)) {
			as_json_node_free(m);
		} else if (from == AS_NODE_KEY_INSIDE) {
			free(m);
		}
	}
}

void as_json_block_share(as_json_block *b)
{
	b->room = NULL; /* another thread may be the last */
	b->frozen = true;
	atomic_init(&b->holders, 1);
}

void as_json_block_hold(as_json_block *b)
{
	atomic_fetch_add_explicit(&b->holders, 1, memory_order_relaxed);
}

void as_json_block_release(as_json_block *b)
{
	if (atomic_fetch_sub_explicit(&b->holders, 1, memory_order_acq_rel) == 1) {
		if (b->mixed) {
			free_parts(&b->root);
		}
		as_json_index_drop(&b->root); /* a record's is made while the record is */
		as_json_block_free(b);
	}
}

bool as_json_node_is_alone(const cJSON *shared)
{
	return atomic_load_explicit(&as_json_node_shared(shared)->holders, memory_order_acquire) == 1;
}

void as_json_node_free(cJSON *node)
{
	as_json_block *shared = node ? as_json_node_shared(node) : NULL;
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
	as_json_block *b = node->valueint & AS_NODE_ROOT ? (as_json_block *)(void *)node : NULL;
	if (!b || b->mixed) {
		free_parts(node);
	}
	if (node->child && as_json_is_container(node)) {
		as_json_index_drop(node);
	}
	as_json_node_drop_key(node);
	if (b) {
		as_json_block_free(b);
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
	as_json_node_point_key(node, NULL, 0);
}
