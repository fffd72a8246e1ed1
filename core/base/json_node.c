#include "core/base/json_node.h"

#include "core/base/error.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy fit for a string or key: valid UTF-8, a NUL as C0 80. Text that came from a value passes through as it is. */
static char *text_copy(assay_str s)
{
	if (s.len == 0 || (as_utf8_check(s) == s.len && !memchr(s.ptr, 0, s.len))) {
		return as_strndup(s);
	}
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

cJSON *as_json_node_new(int type, assay_str text)
{
	cJSON *node = cJSON_CreateNull();
	if (!node) {
		return NULL;
	}
	node->type = type;
	if (type == cJSON_String || type == cJSON_Number) {
		node->valuestring = text_copy(text);
		if (!node->valuestring) {
			cJSON_Delete(node);
			return NULL;
		}
	}
	return node;
}

cJSON *as_json_node_number(assay_str spelling)
{
	cJSON *node = as_json_node_new(cJSON_Number, spelling);
	if (node) {
		double d = strtod(node->valuestring, NULL);
		/* "-0" is the integer zero, which has no sign; "-0.0" keeps its own. */
		node->valuedouble = d == 0.0 && as_json_is_integer(as_json_value(node)) ? 0.0 : d;
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
	cJSON_Delete(old);
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

assay_json *as_json_integer(int64_t n)
{
	char spelling[32];
	snprintf(spelling, sizeof spelling, "%" PRId64, n);
	return as_json_value(as_json_node_number(as_str(spelling)));
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
		node = as_json_node_number(as_buf_str(&spelling));
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

static cJSON *clone(const cJSON *from)
{
	cJSON *node = as_json_node_new(from->type, as_str(from->valuestring));
	if (!node) {
		return NULL;
	}
	node->valuedouble = from->valuedouble;
	node->valueint = from->valueint;
	for (const cJSON *m = from->child; m; m = m->next) {
		cJSON *copy = clone(m);
		if (copy) {
			copy->string = as_strdup(m->string);
			as_json_node_append(node, copy);
		}
		if (!copy || (m->string && !copy->string)) {
			cJSON_Delete(node);
			return NULL;
		}
	}
	return node;
}

assay_json *as_json_clone(const assay_json *v)
{
	return v ? as_json_value(clone(as_json_node(v))) : NULL;
}

void as_json_free(assay_json *v)
{
	cJSON_Delete(as_json_node(v));
}

/* Changing. */

int as_json_set_n(assay_json *object, assay_str key, assay_json *value)
{
	cJSON *parent = as_json_node(object);
	cJSON *node = as_json_node(value);
	if (!parent || !node || parent->type != cJSON_Object) {
		cJSON_Delete(node);
		return parent && node ? ASSAY_EINVAL : ASSAY_ENOMEM;
	}
	char *name = text_copy(key);
	if (!name) {
		cJSON_Delete(node);
		return ASSAY_ENOMEM;
	}
	free(node->string);
	node->string = name;
	cJSON *old = as_json_node(as_json_get_n(object, key));
	if (old) {
		as_json_node_replace(parent, old, node);
	} else {
		as_json_node_append(parent, node);
	}
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
	if (!parent || !node || parent->type != cJSON_Array) {
		cJSON_Delete(node);
		return parent && node ? ASSAY_EINVAL : ASSAY_ENOMEM;
	}
	free(node->string);
	node->string = NULL;
	as_json_node_append(parent, node);
	return 0;
}

assay_json *as_json_detach(assay_json *object, const char *key)
{
	cJSON *node = as_json_node(as_json_get(object, key));
	if (node) {
		as_json_node_unlink(as_json_node(object), node);
		free(node->string);
		node->string = NULL;
	}
	return as_json_value(node);
}

assay_json *as_json_take_first(assay_json *array)
{
	cJSON *node = as_json_node(as_json_first(array));
	if (node) {
		as_json_node_unlink(as_json_node(array), node);
	}
	return as_json_value(node);
}

assay_json *as_json_edit(const assay_json *part)
{
	return as_json_value(as_json_node(part));
}
