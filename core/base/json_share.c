/* Frozen values: what many hold and nobody changes lies in memory once. */
#include "core/base/json_node.h"
#include <stdlib.h>

void as_json_node_lend(cJSON *node, const cJSON *shared)
{
	as_json_block *b = as_json_node_shared(shared);
	as_json_block_hold(b);
	node->child = shared->child;
	node->valuestring = (char *)(void *)b;
	node->valuedouble = shared->valuedouble; /* the index */
	node->valueint |= AS_NODE_LENT;
}

/* A lent node's children, copied one by one: what lies in them stays shared. */
static int copy_children(const cJSON *from, cJSON *into)
{
	for (const cJSON *m = from->child; m; m = m->next) {
		cJSON *own = as_json_node_clone(m);
		if (!own || (m->string && as_json_node_set_key(own, as_str(m->string)) < 0)) {
			as_json_node_free(own);
			return ASSAY_ENOMEM;
		}
		as_json_node_append(into, own);
	}
	return 0;
}

int as_json_node_open(cJSON *container)
{
	as_json_block *b = as_json_node_shared(container);
	cJSON *own;
	if (!b) {
		return 0;
	}
	if (!(container->valueint & AS_NODE_LENT)) {
		return ASSAY_EINVAL;
	}
	own = as_json_node_new(as_json_kind(container), (assay_str){0});
	if (!own || copy_children(container, own) < 0) {
		as_json_node_free(own);
		return ASSAY_ENOMEM;
	}
	container->child = own->child;
	container->valuestring = NULL;
	container->valuedouble = 0; /* the index is not its own */
	container->valueint &= ~AS_NODE_LENT;
	own->child = NULL;
	as_json_node_free(own);
	as_json_block_release(b);
	return 0;
}

/* Does all of it lie in its root's block, but for what is lent? Such a document is frozen where it is. */
static bool is_whole(const cJSON *node)
{
	for (const cJSON *m = as_json_node_shared(node) ? NULL : node->child; m; m = m->next) {
		if ((m->valueint & (AS_NODE_IN_BLOCK | AS_NODE_ROOT)) != AS_NODE_IN_BLOCK || !is_whole(m)) {
			return false;
		}
	}
	return true;
}

assay_json *as_json_freeze(assay_json *v)
{
	cJSON *node = as_json_node(v);
	if (!node || !node->child || as_json_node_shared(node)) {
		return v;
	}
	if (!(node->valueint & AS_NODE_ROOT) || !is_whole(node)) {
		cJSON *whole = as_json_node_clone(node);
		as_json_node_free(node);
		node = whole;
	}
	if (node) {
		as_json_block_share((as_json_block *)(void *)node); /* which the root is the beginning of */
	}
	return as_json_value(node);
}

bool as_json_shares(const assay_json *a, const assay_json *b)
{
	const cJSON *x = as_json_node(a), *y = as_json_node(b);
	return x && y && x->child == y->child && as_json_node_shared(x) &&
	       as_json_node_shared(x) == as_json_node_shared(y);
}
