/* distiller/provenance: memory. */
#include "provenance.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 16384 };

struct prov_block {
	struct prov_block *next;
	size_t used, size;
	max_align_t data[];
};

void *prov_alloc(struct prov_arena *a, size_t count, size_t size)
{
	const size_t unit = sizeof(max_align_t);
	size_t bytes, room;
	struct prov_block *b = a->head;
	if (a->failed || (size && count > (SIZE_MAX / 4) / size)) {
		a->failed = true;
		return NULL;
	}
	bytes = (count * size + unit - 1) / unit * unit;
	bytes = bytes ? bytes : unit;
	if (!b || b->size - b->used < bytes) {
		room = bytes > BLOCK ? bytes : BLOCK;
		b = a->host->alloc(sizeof *b + room);
		if (!b) {
			a->failed = true;
			return NULL;
		}
		b->size = room;
		b->next = a->head;
		a->head = b;
	}
	b->used += bytes;
	return (char *)b->data + (b->used - bytes);
}

void prov_arena_free(struct prov_arena *a)
{
	while (a->head) {
		struct prov_block *next = a->head->next;
		a->host->free(a->head);
		a->head = next;
	}
}

assay_str prov_copy(struct prov_arena *a, assay_str s)
{
	char *copy = prov_alloc(a, s.len + 1, 1);
	if (!copy) {
		return (assay_str){"", 0};
	}
	if (s.len > 0) {
		memcpy(copy, s.ptr, s.len);
	}
	return (assay_str){copy, s.len};
}

assay_str prov_format(struct prov_arena *a, const char *format, ...)
{
	va_list args;
	char *text;
	int n;
	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = n < 0 ? NULL : prov_alloc(a, (size_t)n + 1, 1);
	if (!text) {
		a->failed = true;
		return (assay_str){"", 0};
	}
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return (assay_str){text, (size_t)n};
}

void *prov_push(struct prov_arena *a, void *items, size_t *n, size_t *cap, size_t size)
{
	char *list;
	memcpy(&list, items, sizeof list);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		char *grown = prov_alloc(a, more, size);
		if (!grown) {
			return NULL;
		}
		if (*n > 0) {
			memcpy(grown, list, *n * size);
		}
		memcpy(items, &grown, sizeof grown);
		list = grown;
		*cap = more;
	}
	return list + (*n)++ * size;
}

void prov_add(struct prov_buf *b, assay_str s)
{
	if (s.len > b->cap - b->len) {
		size_t more = (b->len + s.len) * 2 + 32;
		char *grown = prov_alloc(b->arena, more, 1);
		if (!grown) {
			return;
		}
		if (b->len > 0) {
			memcpy(grown, b->ptr, b->len);
		}
		b->ptr = grown;
		b->cap = more;
	}
	if (s.len > 0) {
		memcpy(b->ptr + b->len, s.ptr, s.len);
		b->len += s.len;
	}
}

void prov_puts(struct prov_buf *b, const char *s)
{
	prov_add(b, (assay_str){s, strlen(s)});
}

assay_str prov_text(const struct prov_buf *b)
{
	return (assay_str){b->ptr ? b->ptr : "", b->len};
}
