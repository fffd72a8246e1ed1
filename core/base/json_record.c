/* Objects made in one go: one block for the object, its members and their texts. */
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include <math.h>
#include <stdlib.h>

#define NUMBER_SIZE 32u /* bytes of a number's spelling */
#define KEY_SIZE 24u    /* of most keys; a block grows */

static size_t size_of(const assay_member *m)
{
	size_t n = sizeof(cJSON) + KEY_SIZE;
	switch (m->kind) {
	case ASSAY_WITH_TEXT:
		return n + m->text.len + 1;
	case ASSAY_WITH_INTEGER:
	case ASSAY_WITH_REAL:
		return n + NUMBER_SIZE;
	case ASSAY_WITH_COPY:
		return n + (m->copied ? as_json_block_copy_size(as_json_node(m->copied)) : 0);
	default:
		return n;
	}
}

/* A copy that is fit for a string or a key; ptr NULL: no memory. */
static inline assay_text keep(as_json_block *b, assay_str text)
{
	char *room = as_json_block_bytes(b, text.len + 1);
	if (!room || !as_json_copy(room, text, false)) {
		return as_json_block_fit(b, text);
	}
	room[text.len] = '\0';
	return (assay_text){room, text.len};
}

static cJSON *with_text(cJSON *node, assay_text kept, double value)
{
	if (!node || !kept.ptr) {
		return NULL;
	}
	node->valuestring = kept.ptr;
	node->valuedouble = value;
	return node;
}

static cJSON *text_node(as_json_block *b, assay_str text)
{
	assay_text kept = keep(b, text);
	return with_text(as_json_block_node(b, cJSON_String), kept, (double)kept.len);
}

static cJSON *integer_node(as_json_block *b, int64_t n)
{
	char *room = as_json_block_bytes(b, AS_JSON_INTEGER_SIZE + 1);
	assay_text kept = {NULL, 0};
	if (room) {
		kept.ptr = room + AS_JSON_INTEGER_SIZE - as_json_integer_spelling(n, room).len;
		room[AS_JSON_INTEGER_SIZE] = '\0';
	}
	return with_text(as_json_block_node(b, cJSON_Number), kept, (double)n);
}

static cJSON *real_node(as_json_block *b, double d)
{
	as_buf spelling = {0};
	cJSON *node = NULL;
	if (!isfinite(d)) {
		return as_json_block_node(b, cJSON_NULL);
	}
	as_json_write_double(&spelling, d);
	if (!spelling.failed) {
		node = with_text(as_json_block_node(b, cJSON_Number), keep(b, as_buf_str(&spelling)), d);
	}
	as_buf_free(&spelling);
	return node;
}

static cJSON *node_of(as_json_block *b, const assay_member *m)
{
	switch (m->kind) {
	case ASSAY_WITH_TEXT:
		return text_node(b, m->text);
	case ASSAY_WITH_INTEGER:
		return integer_node(b, m->integer);
	case ASSAY_WITH_REAL:
		return real_node(b, m->real);
	case ASSAY_WITH_TRUTH:
		return as_json_block_node(b, m->integer ? cJSON_True : cJSON_False);
	case ASSAY_WITH_VALUE:
		b->mixed = true;
		return as_json_node(m->value);
	default:
		return m->copied ? as_json_block_copy(b, as_json_node(m->copied)) : as_json_block_node(b, cJSON_NULL);
	}
}

/* The key lies in the block, which outlives the member. Of two with one key the last one counts. keys: bits of those
 * that may be there. */
static bool add(as_json_block *b, const assay_member *m, uint64_t *keys)
{
	cJSON *node = node_of(b, m);
	assay_text key = node ? keep(b, (assay_str){m->key, strlen(m->key)}) : (assay_text){NULL, 0};
	if (!key.ptr) {
		return false;
	}
	if (node->string) {
		as_json_node_drop_key(node);
	}
	as_json_node_point_key(node, key.ptr, key.len);
	node->valueint |= AS_NODE_KEY_IN_BLOCK;
	uint64_t bit = as_json_key_bit(as_text_str(key));
	if (*keys & bit) {
		as_json_node_put(&b->root, node);
	} else {
		as_json_node_append(&b->root, node);
	}
	*keys |= bit;
	return true;
}

assay_json *as_json_record(const assay_member *members, size_t n)
{
	uint64_t keys = n < AS_INDEX_LEAST ? 0 : UINT64_MAX; /* many are put into an index */
	size_t size = sizeof(cJSON), added = 0;
	as_json_block *b;
	for (size_t i = 0; i < n; i++) {
		size += size_of(&members[i]);
	}
	b = as_json_block_new(size, NULL);
	if (b) {
		as_json_block_node(b, cJSON_Object);
		while (added < n && add(b, &members[added], &keys)) {
			added++;
		}
		if (added == n) {
			return as_json_value(&b->root);
		}
	}
	for (size_t i = added; i < n; i++) {
		if (members[i].kind == ASSAY_WITH_VALUE) {
			as_json_free(members[i].value);
		}
	}
	as_json_free(b ? as_json_value(&b->root) : NULL);
	return NULL;
}
