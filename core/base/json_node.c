#include "core/base/json_node.h"

#include "core/base/error.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the last piece of a block, beside which others are smaller, that is kept for a part of it. */
#define NARROW_MOST ((size_t)4096)

/* Most texts are ASCII without a NUL. */
static bool is_plain(assay_str s)
{
	size_t i = 0;
	uint64_t eight, odd = 0;
	for (; s.len - i >= sizeof eight; i += sizeof eight) {
		eight = as_load64(s.ptr + i);
		odd |= eight | ((eight - AS_EACH_BYTE(1)) & ~eight); /* not ASCII; a NUL */
	}
	for (; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		odd |= c | (c - 1u);
	}
	return !(odd & AS_EACH_BYTE(0x80));
}

bool as_json_text_is_fit(assay_str s)
{
	return s.len == 0 || is_plain(s) || (as_utf8_check(s) == s.len && !memchr(s.ptr, 0, s.len));
}

/* Text that came from a value passes through as it is. */
char *as_json_text_made_fit(assay_str s)
{
	as_buf b = {0};
	assay_text out;
	for (size_t i = 0; i < s.len;) {
		size_t start = i;
		if (s.ptr[i] == '\0' || (i + 1 < s.len && memcmp(s.ptr + i, "\xC0\x80", 2) == 0)) {
			i += s.ptr[i] == '\0' ? 1 : 2;
			as_buf_puts(&b, "\xC0\x80");
			continue;
		}
		uint32_t cp = as_utf8_next(s, &i);
		if (cp == 0xFFFD) {
			as_buf_puts(&b, "\xEF\xBF\xBD");
		} else {
			as_buf_add(&b, (assay_str){s.ptr + start, i - start});
		}
	}
	return as_buf_take(&b, &out, NULL) == 0 ? out.ptr : NULL;
}

/* Memory: the node, room for a key, the text. */
static cJSON *new_node(int type, assay_str text, bool with_text)
{
	size_t before = sizeof(cJSON) + AS_NODE_KEY_SIZE;
	cJSON *node = malloc(before + (with_text ? text.len + 1 : 0));
	if (!node) {
		return NULL;
	}
	memset(node, 0, sizeof *node);
	node->type = type;
	if (with_text) {
		node->valuestring = (char *)node + before;
		if (text.len > 0) {
			memcpy(node->valuestring, text.ptr, text.len);
		}
		node->valuestring[text.len] = '\0';
		node->valuedouble = (double)text.len;
	}
	return node;
}

cJSON *as_json_node_new(int type, assay_str text)
{
	bool with_text = type == cJSON_String || type == cJSON_Number;
	char *fit;
	cJSON *node;
	if (!with_text || as_json_text_is_fit(text)) {
		return new_node(type, text, with_text);
	}
	fit = as_json_text_made_fit(text);
	node = fit ? new_node(type, as_str(fit), true) : NULL;
	free(fit);
	return node;
}

/* The key may be the node's own. */
static int put_key(cJSON *node, assay_str key)
{
	bool inside = !(node->valueint & AS_NODE_IN_BLOCK) && key.len < AS_NODE_KEY_SIZE;
	char *kept = inside ? (char *)(node + 1) : as_new(key.len + 1, 1);
	if (!kept) {
		return ASSAY_ENOMEM;
	}
	if (key.len > 0) {
		memmove(kept, key.ptr, key.len);
	}
	kept[key.len] = '\0';
	as_json_node_drop_key(node);
	as_json_node_point_key(node, kept, key.len);
	node->valueint |= inside ? AS_NODE_KEY_INSIDE : 0;
	return 0;
}

int as_json_node_set_key(cJSON *node, assay_str key)
{
	char *made;
	int rc;
	if (as_json_text_is_fit(key)) {
		return put_key(node, key);
	}
	made = as_json_text_made_fit(key);
	rc = made ? put_key(node, as_str(made)) : ASSAY_ENOMEM;
	free(made);
	return rc;
}

/* Most numbers are small integers; "-0" is the integer zero, which has no sign, and "-0.0" keeps its own. */
double as_json_node_double(const char *spelling)
{
	const char *p = spelling + (*spelling == '-');
	int64_t n = 0;
	int digits = 0;
	double d;
	for (; *p >= '0' && *p <= '9' && digits < 16; p++, digits++) {
		n = n * 10 + (*p - '0');
	}
	if (*p == '\0' && digits < 16) {
		return (double)(*spelling == '-' ? -n : n);
	}
	d = strtod(spelling, NULL);
	return d == 0.0 && !strpbrk(spelling, ".eE") ? 0.0 : d;
}

cJSON *as_json_node_number(assay_str spelling)
{
	cJSON *node = as_json_node_new(cJSON_Number, spelling);
	if (node) {
		node->valuedouble = as_json_node_double(node->valuestring);
	}
	return node;
}

void as_json_node_append(cJSON *container, cJSON *node)
{
	cJSON *first = container->child;
	node->next = NULL;
	if (!first) {
		container->child = node;
		node->prev = node;
		return;
	}
	node->prev = first->prev;
	first->prev->next = node;
	first->prev = node;
}

void as_json_node_unlink(cJSON *container, cJSON *node)
{
	as_json_index_drop(container);
	if (node->next) {
		node->next->prev = node->prev;
	} else {
		container->child->prev = node->prev;
	}
	if (node == container->child) {
		container->child = node->next;
	} else {
		node->prev->next = node->next;
	}
	node->next = NULL;
	node->prev = NULL;
}

void as_json_node_replace(cJSON *container, cJSON *old, cJSON *node)
{
	as_json_index *index = as_json_node_index(container);
	cJSON **place = index ? as_json_index_find(index, as_json_node_key(old)) : NULL;
	if (place) {
		*place = node;
	}
	node->next = old->next;
	node->prev = old->prev == old ? node : old->prev;
	if (old->next) {
		old->next->prev = node;
	} else {
		container->child->prev = node;
	}
	if (container->child == old) {
		container->child = node;
	} else {
		node->prev->next = node;
	}
	old->next = NULL;
	old->prev = NULL;
	as_json_node_free(old);
}

int as_json_key_cmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	/* C0 occurs only in C0 80, the NUL: rank it between the end of a key and all other bytes. */
	int left = (unsigned char)*a == 0xC0 ? 1 : (unsigned char)*a * 2;
	int right = (unsigned char)*b == 0xC0 ? 1 : (unsigned char)*b * 2;
	return (left > right) - (left < right);
}

static int by_key(const void *a, const void *b)
{
	return as_json_key_cmp((*(cJSON *const *)a)->string, (*(cJSON *const *)b)->string);
}

cJSON **as_json_sorted_members(const cJSON *object, size_t *n)
{
	size_t count = 0;
	for (const cJSON *m = object->child; m; m = m->next) {
		count++;
	}
	*n = count;
	cJSON **members = count > 0 ? as_new(count, sizeof *members) : NULL;
	if (!members) {
		return NULL;
	}
	count = 0;
	for (cJSON *m = object->child; m; m = m->next) {
		members[count++] = m;
	}
	qsort(members, count, sizeof *members, by_key);
	return members;
}

/* Makers. */

assay_json *as_json_object(void)
{
	return as_json_value(as_json_node_new(cJSON_Object, (assay_str){0}));
}

assay_json *as_json_array(void)
{
	return as_json_value(as_json_node_new(cJSON_Array, (assay_str){0}));
}

assay_json *as_json_string(assay_str s)
{
	return as_json_value(as_json_node_new(cJSON_String, s));
}

assay_json *as_json_cstring(const char *s)
{
	return s ? as_json_string(as_str(s)) : as_json_null();
}

assay_str as_json_integer_spelling(int64_t n, char *buffer)
{
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	size_t at = AS_JSON_INTEGER_SIZE;
	do {
		buffer[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (n < 0) {
		buffer[--at] = '-';
	}
	return (assay_str){buffer + at, AS_JSON_INTEGER_SIZE - at};
}

assay_json *as_json_integer(int64_t n)
{
	char buffer[AS_JSON_INTEGER_SIZE];
	cJSON *node = new_node(cJSON_Number, as_json_integer_spelling(n, buffer), true);
	if (node) {
		node->valuedouble = (double)n; /* nearest to it, as strtod's would be */
	}
	return as_json_value(node);
}

assay_json *as_json_number(assay_str spelling)
{
	if (spelling.len == 0 || as_json_number_span(spelling) != spelling.len) {
		return NULL;
	}
	return as_json_value(as_json_node_number(spelling));
}

assay_json *as_json_real(double d)
{
	as_buf spelling = {0};
	cJSON *node = NULL;
	if (!isfinite(d)) {
		return as_json_null();
	}
	as_json_write_double(&spelling, d);
	if (!spelling.failed) {
		node = as_json_node_new(cJSON_Number, as_buf_str(&spelling));
	}
	if (node) {
		node->valuedouble = d; /* what the digits read back as */
	}
	as_buf_free(&spelling);
	return as_json_value(node);
}

assay_json *as_json_truth(int b)
{
	return as_json_value(as_json_node_new(b ? cJSON_True : cJSON_False, (assay_str){0}));
}

assay_json *as_json_null(void)
{
	return as_json_value(as_json_node_new(cJSON_NULL, (assay_str){0}));
}

size_t as_json_block_copy_size(const cJSON *v)
{
	size_t n = sizeof *v + as_json_node_text(v).len + 1, members = 0;
	for (const cJSON *m = as_json_node_shared(v) ? NULL : v->child; m; m = m->next, members++) {
		n += as_json_block_copy_size(m) + as_json_node_key(m).len + 1;
	}
	return n + (as_json_kind(v) == cJSON_Object ? as_json_index_size(members) : 0);
}

cJSON *as_json_block_copy(as_json_block *b, const cJSON *from)
{
	cJSON *node = as_json_block_node(b, as_json_kind(from));
	assay_str text = as_json_node_text(from);
	size_t members = 0;
	if (!node) {
		return NULL;
	}
	node->valuedouble = as_json_is_container(from) ? 0 : from->valuedouble;
	node->valueint |= from->valueint & AS_NODE_LINE;
	if (as_json_node_shared(from)) {
		as_json_node_lend(node, from);
		b->mixed = true;
		return node;
	}
	if (text.ptr) {
		node->valuestring = as_json_block_text(b, text);
		if (!node->valuestring) {
			return NULL;
		}
	}
	for (const cJSON *m = from->child; m; m = m->next, members++) {
		cJSON *part = as_json_block_copy(b, m);
		if (!part) {
			return NULL;
		}
		if (m->string) {
			assay_str key = as_json_node_key(m);
			as_json_node_point_key(part, as_json_block_text(b, key), key.len);
			part->valueint |= AS_NODE_KEY_IN_BLOCK;
		}
		if (m->string && !part->string) {
			return NULL;
		}
		as_json_node_append(node, part);
	}
	if (as_json_kind(node) == cJSON_Object) {
		as_json_index_make(node, b, members);
	}
	return node;
}

/* One node without children of its own. */
static cJSON *clone_node(const cJSON *from)
{
	cJSON *node = as_json_node_new(as_json_kind(from), as_json_node_text(from));
	if (node) {
		node->valuedouble = as_json_is_container(from) ? 0 : from->valuedouble;
		node->valueint = from->valueint & AS_NODE_LINE;
		if (as_json_node_shared(from)) {
			as_json_node_lend(node, from);
		}
	}
	return node;
}

cJSON *as_json_node_clone(const cJSON *from)
{
	as_json_block *b;
	cJSON *node;
	if (!from->child || as_json_node_shared(from)) {
		return clone_node(from);
	}
	b = as_json_block_new(as_json_block_copy_size(from), NULL);
	node = b ? as_json_block_copy(b, from) : NULL;
	if (!node) {
		as_json_block_free(b);
	}
	return node;
}

assay_json *as_json_clone(const assay_json *v)
{
	return v ? as_json_value(as_json_node_clone(as_json_node(v))) : NULL;
}

void as_json_free(assay_json *v)
{
	as_json_node_free(as_json_node(v));
}

/* Changing. */

/* The member that has the node's key; *others: how many had to be looked at that have not. */
static cJSON *member_like(const cJSON *object, const cJSON *node, size_t *others)
{
	const as_json_index *index = as_json_node_index(object);
	*others = 0;
	if (index) {
		cJSON **found = as_json_index_find(index, as_json_node_key(node));
		return found ? *found : NULL;
	}
	for (cJSON *m = object->child; m; m = m->next) {
		/* The lengths of their keys stand in their types. */
		if ((m->type ^ node->type) >> 8 == 0 && as_str_eq(as_json_node_key(m), as_json_node_key(node))) {
			return m;
		}
		++*others;
	}
	return NULL;
}

/* A member under a key that is new. others: how many members are known to be there. */
static void add_member(cJSON *object, cJSON *node, size_t others)
{
	as_json_node_append(object, node);
	if (as_json_node_index(object)) {
		as_json_index_add(object, node);
	} else {
		as_json_index_make(object, NULL, others + 1);
	}
}

void as_json_node_put(cJSON *object, cJSON *node)
{
	size_t others;
	cJSON *old = member_like(object, node, &others);
	if (old) {
		as_json_node_replace(object, old, node);
	} else {
		add_member(object, node, others);
	}
}

int as_json_set_n(assay_json *object, assay_str key, assay_json *value)
{
	cJSON *parent = as_json_node(object);
	cJSON *node = as_json_node(value);
	if (!parent || !node || as_json_kind(parent) != cJSON_Object) {
		as_json_node_free(node);
		return parent && node ? ASSAY_EINVAL : ASSAY_ENOMEM;
	}
	int rc = as_json_node_open(parent);
	if (rc < 0 || as_json_node_set_key(node, key) < 0) {
		as_json_node_free(node);
		return rc < 0 ? rc : ASSAY_ENOMEM;
	}
	as_json_node_mix(parent);
	as_json_node_put(parent, node);
	return 0;
}

int as_json_set(assay_json *object, const char *key, assay_json *value)
{
	return as_json_set_n(object, as_str(key), value);
}

int as_json_append(assay_json *array, assay_json *value)
{
	cJSON *parent = as_json_node(array);
	cJSON *node = as_json_node(value);
	if (!parent || !node || as_json_kind(parent) != cJSON_Array) {
		as_json_node_free(node);
		return parent && node ? ASSAY_EINVAL : ASSAY_ENOMEM;
	}
	int rc = as_json_node_open(parent);
	if (rc < 0) {
		as_json_node_free(node);
		return rc;
	}
	as_json_node_drop_key(node);
	as_json_node_mix(parent);
	as_json_node_append(parent, node);
	return 0;
}

/* Out of its container. What lies in the container's block does not survive it, so a copy goes in its stead. */
static cJSON *take_out(cJSON *container, cJSON *node)
{
	cJSON *out = node;
	if ((node->valueint & (AS_NODE_IN_BLOCK | AS_NODE_ROOT)) == AS_NODE_IN_BLOCK) {
		out = as_json_node_clone(node);
		if (!out) {
			return NULL;
		}
	}
	as_json_node_unlink(container, node);
	if (out != node) {
		as_json_node_free(node);
	} else {
		as_json_node_drop_key(node);
	}
	return out;
}

assay_json *as_json_detach(assay_json *object, const char *key)
{
	cJSON *parent = as_json_node(object);
	if (!as_json_get(object, key) || as_json_node_open(parent) < 0) {
		return NULL;
	}
	return as_json_value(take_out(parent, as_json_node(as_json_get(object, key))));
}

/* Do the object and its member lie in one block, in which nothing has memory of its own and little is wasted when the
 * member alone is wanted? */
static bool is_of_block(const cJSON *object, const cJSON *member)
{
	const as_json_block *b = (const as_json_block *)(const void *)object;
	return (object->valueint & AS_NODE_ROOT) && !as_json_node_shared(object) && !b->mixed &&
	       b->piece_size <= NARROW_MOST && (member->valueint & AS_NODE_IN_BLOCK);
}

assay_json *as_json_narrow(assay_json *document, const char *key)
{
	cJSON *root = as_json_node(document), *part = as_json_node(as_json_get(document, key));
	assay_json *out;
	if (!part || !is_of_block(root, part)) {
		out = as_json_detach(document, key);
		as_json_free(document);
		return out;
	}
	as_json_index_drop(root);
	root->child = part->child;
	root->valuestring = part->valuestring;
	root->valuedouble = part->valuedouble; /* an index goes along */
	root->valueint = (root->valueint & ~AS_NODE_LINE) | (part->valueint & AS_NODE_LINE);
	as_json_node_point_key(part, NULL, 0);
	root->type = part->type;
	return document;
}

assay_json *as_json_take_first(assay_json *array)
{
	cJSON *parent = as_json_node(array);
	if (!as_json_first(array) || as_json_node_open(parent) < 0) {
		return NULL;
	}
	return as_json_value(take_out(parent, parent->child));
}

assay_json *as_json_edit(const assay_json *part)
{
	return as_json_value(as_json_node(part));
}
