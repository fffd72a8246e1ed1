/* Objects made in one go: one block for the object, its members and their texts. */
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include <math.h>
#include <stdlib.h>

#define NUMBER_SIZE 32u /* bytes of a number's spelling */

static size_t size_of(const assay_member *m)
{
	size_t n = sizeof(cJSON) + strlen(m->key) + 1;
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
static assay_text keep(as_json_block *b, assay_str text)
{
	assay_text kept = {as_json_block_bytes(b, text.len + 1), text.len};
	char *made;
	if (kept.ptr && as_json_copy(kept.ptr, text, false)) {
		kept.ptr[kept.len] = '\0';
	} else if (kept.ptr && as_json_text_is_fit(text)) {
		memcpy(kept.ptr, text.ptr, text.len);
		kept.ptr[kept.len] = '\0';
	} else if (kept.ptr) {
		made = as_json_text_made_fit(text);
		kept = made ? (assay_text){as_json_block_text(b, as_str(made)), strlen(made)} : (assay_text){NULL, 0};
		free(made);
	}
	return kept;
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

static cJSON *number_node(as_json_block *b, double value, assay_str spelling)
{
	return with_text(as_json_block_node(b, cJSON_Number), keep(b, spelling), value);
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
		node = number_node(b, d, as_buf_str(&spelling));
	}
	as_buf_free(&spelling);
	return node;
}

static cJSON *node_of(as_json_block *b, const assay_member *m)
{
	char digits[AS_JSON_INTEGER_SIZE];
	switch (m->kind) {
	case ASSAY_WITH_TEXT:
		return text_node(b, m->text);
	case ASSAY_WITH_INTEGER:
		return number_node(b, (double)m->integer, as_json_integer_spelling(m->integer, digits));
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

/* The key lies in the block, which outlives the member. Of two with one key the last one counts. */
static bool add(as_json_block *b, const assay_member *m)
{
	cJSON *node = node_of(b, m);
	assay_text key = node ? keep(b, (assay_str){m->key, strlen(m->key)}) : (assay_text){NULL, 0};
	if (!key.ptr) {
		return false;
	}
	as_json_node_drop_key(node);
	as_json_node_point_key(node, key.ptr, key.len);
	node->valueint |= AS_NODE_KEY_IN_BLOCK;
	as_json_node_put(&b->root, node);
	return true;
}

assay_json *as_json_record(const assay_member *members, size_t n)
{
	size_t size = sizeof(cJSON), added = 0;
	as_json_block *b;
	for (size_t i = 0; i < n; i++) {
		size += size_of(&members[i]);
	}
	b = as_json_block_new(size, NULL);
	if (b) {
		as_json_block_node(b, cJSON_Object);
		while (added < n && add(b, &members[added])) {
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
