/* Memory and texts that several modules need. */
#include "text.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- Memory ------------------------------------------------------------------------------------------------------ */

struct text_block {
	struct text_block *next;
	size_t used, size;
	max_align_t data[];
};

#define BLOCK_SIZE ((size_t)64 << 10)

void *text_alloc(struct text_arena *a, size_t count, size_t size)
{
	if (a->failed || (size > 0 && count > (SIZE_MAX / 2) / size)) {
		a->failed = true;
		return NULL;
	}
	size_t unit = _Alignof(max_align_t), need = (count * size + unit) / unit * unit; /* never 0 */
	if (!a->head || a->head->size - a->head->used < need) {
		size_t room = need > BLOCK_SIZE ? need : BLOCK_SIZE;
		struct text_block *b = a->host->alloc(sizeof *b + room);
		if (!b) {
			a->failed = true;
			return NULL;
		}
		b->next = a->head;
		b->size = room;
		a->head = b;
	}
	void *p = (char *)a->head->data + a->head->used;
	a->head->used += need;
	return p;
}

void text_arena_free(struct text_arena *a)
{
	while (a->head) {
		struct text_block *next = a->head->next;
		a->host->free(a->head);
		a->head = next;
	}
}

assay_str text_copy(struct text_arena *a, assay_str s)
{
	char *p = text_alloc(a, s.len + 1, 1);
	if (!p) {
		return (assay_str){0};
	}
	if (s.len > 0) {
		memcpy(p, s.ptr, s.len);
	}
	return (assay_str){p, s.len};
}

assay_str text_format(struct text_arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	char *p = n < 0 ? NULL : text_alloc(a, (size_t)n + 1, 1);
	if (p) {
		vsnprintf(p, (size_t)n + 1, format, again);
	}
	va_end(again);
	va_end(args);
	return p ? (assay_str){p, (size_t)n} : (assay_str){0};
}

void *text_push(struct text_arena *a, void *items, size_t *n, size_t *cap, size_t size)
{
	char *old;
	memcpy(&old, items, sizeof old);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		char *grown = text_alloc(a, more, size);
		if (!grown) {
			return NULL;
		}
		if (*n > 0) {
			memcpy(grown, old, *n * size);
		}
		memcpy(items, &grown, sizeof grown);
		*cap = more;
		old = grown;
	}
	return old + (*n)++ * size;
}

void text_add(struct text_buf *b, assay_str s)
{
	if (s.len >= b->cap - b->len) {
		size_t cap = (b->cap + s.len) * 2 + 64;
		char *grown = text_alloc(b->arena, cap, 1);
		if (!grown) {
			return;
		}
		if (b->len > 0) {
			memcpy(grown, b->ptr, b->len);
		}
		b->ptr = grown;
		b->cap = cap;
	}
	if (s.len > 0) {
		memcpy(b->ptr + b->len, s.ptr, s.len);
	}
	b->len += s.len;
	b->ptr[b->len] = '\0';
}

void text_puts(struct text_buf *b, const char *s)
{
	text_add(b, text_cstr(s));
}

assay_str text_of(const struct text_buf *b)
{
	return (assay_str){b->ptr ? b->ptr : "", b->len};
}

/* --- Strings ----------------------------------------------------------------------------------------------------- */

assay_str text_cstr(const char *s)
{
	return (assay_str){s, strlen(s)};
}

bool text_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool text_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

char text_lower(char c)
{
	return text_upper(c) ? (char)(c - 'A' + 'a') : c;
}

bool text_letter(char c)
{
	return text_upper(c) || (c >= 'a' && c <= 'z');
}

bool text_word_byte(char c)
{
	return text_letter(c) || text_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

bool text_same(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same_fold(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text_lower(a[i]) != text_lower(b[i])) {
			return false;
		}
	}
	return true;
}

bool text_same_fold(assay_str a, assay_str b)
{
	return a.len == b.len && same_fold(a.ptr, b.ptr, a.len);
}

bool text_is(assay_str a, const char *b)
{
	size_t i = 0;
	while (i < a.len && b[i] == a.ptr[i] && b[i] != '\0') {
		i++; /* mostly over at the first letter: no strlen */
	}
	return i == a.len && b[i] == '\0';
}

bool text_in(assay_str a, const char *const *list)
{
	for (; *list; list++) {
		if (text_is(a, *list)) {
			return true;
		}
	}
	return false;
}

bool text_starts(assay_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.len >= n && same_fold(s.ptr, prefix, n);
}

bool text_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

assay_str text_trim(assay_str s)
{
	while (s.len > 0 && text_blank(s.ptr[s.len - 1])) {
		s.len--;
	}
	while (s.len > 0 && text_blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	return s;
}

assay_str text_head(assay_str s, size_t max)
{
	if (s.len > max) {
		while (max > 0 && ((unsigned char)s.ptr[max] & 0xC0u) == 0x80u) {
			max--;
		}
		s.len = max;
	}
	return s;
}

size_t text_find_word(assay_str hay, assay_str needle)
{
	for (size_t i = 0; needle.len > 0 && i + needle.len <= hay.len; i++) {
		size_t end = i + needle.len;
		bool starts = i == 0 || !text_word_byte(hay.ptr[i - 1]) || !text_word_byte(needle.ptr[0]);
		bool ends =
			end == hay.len || !text_word_byte(hay.ptr[end]) || !text_word_byte(needle.ptr[needle.len - 1]);
		if (starts && ends && same_fold(hay.ptr + i, needle.ptr, needle.len)) {
			return i;
		}
	}
	return SIZE_MAX;
}
