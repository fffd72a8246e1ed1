/* The members of wide objects by key, so that n look-ups take no walk along n members each. The index is a help and no
 * more: where memory is out, or a peer has thought up keys that share their places, members are looked for one by one.
 * Whoever changes an object keeps it, and readers only read it: any number of threads may. */
#include "core/base/json_node.h"
#include <stdlib.h>

#define FARTHEST 256u /* places from the one that a key belongs to; where half are free, a million keys need fewer */

struct as_json_index {
	size_t n, places; /* a power of two, at least twice n */
	bool own;         /* it has memory of its own; else it goes with its object's block */
	cJSON *members[];
};

static void put_index(cJSON *object, as_json_index *x)
{
	memset(&object->valuedouble, 0, sizeof object->valuedouble);
	memcpy(&object->valuedouble, (void *)&x, sizeof x);
}

/* Where the key belongs. The place of the index in memory, which no peer knows, is part of it. */
static size_t place_of(const as_json_index *x, assay_str key)
{
	uint64_t h = (uintptr_t)x ^ key.len, word;
	for (size_t i = 0; i < key.len; i += sizeof word) {
		size_t n = key.len - i < sizeof word ? key.len - i : sizeof word;
		word = 0;
		memcpy(&word, key.ptr + i, n);
		h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		h ^= h >> 32;
	}
	return (size_t)h & (x->places - 1);
}

static bool put_member(as_json_index *x, cJSON *node)
{
	size_t place = place_of(x, as_json_node_key(node));
	for (size_t far = 0; far < FARTHEST; far++, place = (place + 1) & (x->places - 1)) {
		if (!x->members[place]) {
			x->members[place] = node;
			x->n++;
			return true;
		}
	}
	return false;
}

static size_t places_for(size_t members)
{
	size_t places = 4 * AS_INDEX_LEAST;
	while (places < 2 * members) {
		places *= 2;
	}
	return places;
}

size_t as_json_index_size(size_t members)
{
	return members < AS_INDEX_LEAST ? 0 : sizeof(as_json_index) + places_for(members) * sizeof(cJSON *);
}

void as_json_index_make(cJSON *object, as_json_block *b, size_t members)
{
	size_t size = as_json_index_size(members);
	as_json_index *x = size == 0 ? NULL : b ? as_json_block_room(b, size) : malloc(size);
	bool good = x != NULL;
	if (!good) {
		return;
	}
	memset(x, 0, size);
	x->places = places_for(members);
	x->own = !b;
	for (cJSON *m = object->child; m && good; m = m->next) {
		good = put_member(x, m);
	}
	put_index(object, x);
	if (!good) {
		as_json_index_drop(object);
	}
}

void as_json_index_drop(cJSON *object)
{
	as_json_index *x = as_json_node_index(object);
	if (x) {
		put_index(object, NULL);
		if (x->own) {
			free(x);
		}
	}
}

void as_json_index_add(cJSON *object, cJSON *node)
{
	as_json_index *x = as_json_node_index(object);
	if (2 * (x->n + 1) > x->places) {
		size_t members = 2 * x->n;
		as_json_index_drop(object);
		as_json_index_make(object, NULL, members);
	} else if (!put_member(x, node)) {
		as_json_index_drop(object);
	}
}

cJSON **as_json_index_find(const as_json_index *x, assay_str key)
{
	size_t place = place_of(x, key);
	for (size_t far = 0; far < FARTHEST && x->members[place]; far++, place = (place + 1) & (x->places - 1)) {
		assay_str kept = as_json_node_key(x->members[place]);
		if (kept.len == key.len && memcmp(kept.ptr, key.ptr, key.len) == 0) {
			return (cJSON **)&x->members[place];
		}
	}
	return NULL;
}
