/* A value in one piece of memory of the caller's: what is lent to a plugin can then be sealed with its pages. */
#include "core/base/json_node.h"

#include <string.h>

#define ALIGN _Alignof(max_align_t)

static size_t padded(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t text_size(assay_str s)
{
	return s.ptr ? padded(s.len + 1) : 0;
}

size_t as_json_image_size(const assay_json *v)
{
	size_t size = 0;
	if (v) {
		const cJSON *node = as_json_node(v);
		size = padded(sizeof *node) + text_size(as_json_node_text(node)) + text_size(as_json_node_key(node));
		for (const cJSON *c = node->child; c; c = c->next) {
			size += as_json_image_size(as_json_value((cJSON *)(uintptr_t)c));
		}
	}
	return size;
}

static char *put_text(char **room, assay_str s)
{
	char *at = *room;
	if (!s.ptr) {
		return NULL;
	}
	memcpy(at, s.ptr, s.len + 1);
	*room += text_size(s);
	return at;
}

static cJSON *put_node(char **room, const cJSON *from)
{
	cJSON *node = (cJSON *)(void *)*room;
	cJSON *last = NULL;
	*room += padded(sizeof *node);
	*node = *from;
	node->next = node->prev = node->child = NULL;
	node->valuedouble = as_json_is_container(from) ? 0 : from->valuedouble;
	node->valueint &= ~AS_NODE_LENT;
	node->valuestring = put_text(room, as_json_node_text(from));
	node->string = put_text(room, as_json_node_key(from));
	for (const cJSON *c = from->child; c; c = c->next) {
		cJSON *copy = put_node(room, c);
		copy->prev = last;
		if (last) {
			last->next = copy;
		} else {
			node->child = copy;
		}
		last = copy;
	}
	if (node->child) {
		node->child->prev = last;
	}
	return node;
}

const assay_json *as_json_image(const assay_json *v, void *room)
{
	char *at = room;
	return v ? as_json_value(put_node(&at, as_json_node(v))) : NULL;
}
