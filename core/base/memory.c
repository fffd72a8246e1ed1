#include "core/base/memory.h"

#include "core/base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST 64u
#define SPARE_MAX 1024u
#define ARENA_BLOCK ((size_t)4096)

bool as_buf_grow(as_buf *b, size_t more)
{
	if (b->failed) {
		return false;
	}
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
		b->failed = true;
		return false;
	}
	size_t need = b->len + more + 1;
	if (need <= b->cap) {
		return true;
	}
	size_t cap = b->cap < BUF_FIRST ? BUF_FIRST : b->cap + b->cap / 2;
	if (cap < need) {
		cap = need;
	}
	char *ptr = realloc(b->ptr, cap);
	if (!ptr) {
		b->failed = true;
		return false;
	}
	b->ptr = ptr;
	b->cap = cap;
	b->ptr[b->len] = '\0';
	return true;
}

void as_buf_vprintf(as_buf *b, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	if (n < 0) {
		b->failed = true;
	} else if (as_buf_reserve(b, (size_t)n)) {
		vsnprintf(b->ptr + b->len, (size_t)n + 1, format, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void as_buf_printf(as_buf *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_buf_vprintf(b, format, args);
	va_end(args);
}

void as_buf_clear(as_buf *b)
{
	b->len = 0;
	if (b->ptr) {
		b->ptr[0] = '\0';
	}
}

void as_buf_free(as_buf *b)
{
	if (b) {
		free(b->ptr);
		*b = (as_buf){0};
	}
}

assay_str as_buf_str(const as_buf *b)
{
	return (assay_str){b->ptr ? b->ptr : "", b->len};
}

int as_buf_check(const as_buf *b, assay_error *err)
{
	return b->failed ? as_fail_memory(err) : 0;
}

/* A large text may be kept for long: what it does not need goes back. */
static void give_back_rest(as_buf *b)
{
	char *less = b->cap - b->len > SPARE_MAX ? realloc(b->ptr, b->len + 1) : NULL;
	if (less) {
		b->ptr = less;
		b->cap = b->len + 1;
	}
}

int as_buf_take(as_buf *b, assay_text *out, assay_error *err)
{
	*out = (assay_text){0};
	as_buf_reserve(b, 0); /* an empty text is NUL-terminated too */
	if (b->failed) {
		as_buf_free(b);
		return as_fail_memory(err);
	}
	give_back_rest(b);
	*out = (assay_text){b->ptr, b->len};
	*b = (as_buf){0};
	return 0;
}

void as_text_free(assay_text *t)
{
	if (t) {
		free(t->ptr);
		*t = (assay_text){0};
	}
}

struct as_arena_block {
	struct as_arena_block *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

static struct as_arena_block *arena_block(as_arena *a, size_t size)
{
	size_t usual = a->head ? ARENA_BLOCK : ARENA_BLOCK / 4; /* many arenas hold a few short texts */
	size_t room = size > ARENA_BLOCK / 4 ? size : usual;
	struct as_arena_block *block = calloc(1, sizeof *block + room);
	if (!block) {
		return NULL;
	}
	block->size = room;
	if (room == size && a->head) {
		/* A big piece fills its block: keep the current one in front, it may still have room. */
		block->next = a->head->next;
		a->head->next = block;
	} else {
		block->next = a->head;
		a->head = block;
	}
	return block;
}

void *as_arena_alloc(as_arena *a, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	if (a->failed || size > SIZE_MAX / 2) {
		a->failed = true;
		return NULL;
	}
	size = size == 0 ? align : (size + align - 1) / align * align;
	struct as_arena_block *block = a->head;
	if (!block || block->size - block->used < size) {
		block = arena_block(a, size);
		if (!block) {
			a->failed = true;
			return NULL;
		}
	}
	void *p = block->data + block->used;
	block->used += size;
	return p;
}

char *as_arena_cstr(as_arena *a, assay_str s)
{
	char *copy = s.len < SIZE_MAX / 2 ? as_arena_alloc(a, s.len + 1) : NULL;
	if (!copy) {
		a->failed = true;
		return NULL;
	}
	if (s.len > 0) {
		memcpy(copy, s.ptr, s.len);
	}
	return copy;
}

assay_str as_arena_str(as_arena *a, assay_str s)
{
	char *copy = as_arena_cstr(a, s);
	return (assay_str){copy, copy ? s.len : 0};
}

char *as_arena_printf(as_arena *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *out = n < 0 ? NULL : as_arena_alloc(a, (size_t)n + 1);
	if (!out) {
		a->failed = true;
		return NULL;
	}
	va_start(args, format);
	vsnprintf(out, (size_t)n + 1, format, args);
	va_end(args);
	return out;
}

void as_arena_free(as_arena *a)
{
	if (!a) {
		return;
	}
	while (a->head) {
		struct as_arena_block *next = a->head->next;
		free(a->head);
		a->head = next;
	}
	*a = (as_arena){0};
}

bool as_grow(void *items, size_t *cap, size_t need, size_t size)
{
	void *old;
	if (need <= *cap) {
		return true;
	}
	size_t wanted = *cap < 8 ? 8 : *cap;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 2) {
			return false;
		}
		wanted *= 2;
	}
	if (size == 0 || wanted > SIZE_MAX / 2 / size) {
		return false;
	}
	memcpy(&old, items, sizeof old); /* items points to a pointer of the caller's own type */
	char *grown = realloc(old, wanted * size);
	if (!grown) {
		return false;
	}
	memset(grown + *cap * size, 0, (wanted - *cap) * size);
	void *moved = grown;
	memcpy(items, &moved, sizeof moved);
	*cap = wanted;
	return true;
}

void *as_new(size_t count, size_t size)
{
	if (size > 0 && count > SIZE_MAX / 2 / size) {
		return NULL;
	}
	return calloc(count ? count : 1, size ? size : 1);
}

char *as_strndup(assay_str s)
{
	char *copy = s.len < SIZE_MAX / 2 ? malloc(s.len + 1) : NULL;
	if (copy) {
		if (s.len > 0) {
			memcpy(copy, s.ptr, s.len);
		}
		copy[s.len] = '\0';
	}
	return copy;
}

char *as_strdup(const char *s)
{
	return s ? as_strndup((assay_str){s, strlen(s)}) : NULL;
}

int as_str_cmp(assay_str a, assay_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
	return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool as_str_starts(assay_str s, assay_str prefix)
{
	return s.len >= prefix.len && as_str_eq((assay_str){s.ptr, prefix.len}, prefix);
}

/* Not memmem, which is not POSIX: memchr finds the candidates. */
/* The two-way algorithm (Crochemore and Perrin 1991): linear whatever the texts, without memory. Where the needle's
 * greatest suffix begins, less one (which may be "before the first"), and its period. */
static size_t greatest_suffix(const unsigned char *n, size_t len, bool reversed, size_t *period)
{
	size_t before = SIZE_MAX, at = 0, k = 1, p = 1;
	while (at + k < len) {
		unsigned char a = n[before + k], b = n[at + k];
		if (a == b) {
			at += k == p ? p : 0;
			k = k == p ? 1 : k + 1;
		} else if (reversed ? a < b : a > b) {
			at += k;
			k = 1;
			p = at - before;
		} else {
			before = at++;
			k = p = 1;
		}
	}
	*period = p;
	return before;
}

static bool contains_linear(const unsigned char *h, size_t left, const unsigned char *n, size_t len)
{
	size_t p, p_reversed, keep = 0, known = 0, k;
	size_t cut = greatest_suffix(n, len, false, &p) + 1,
	       cut_reversed = greatest_suffix(n, len, true, &p_reversed) + 1;
	if (cut_reversed > cut) {
		cut = cut_reversed;
		p = p_reversed;
	}
	if (memcmp(n, n + p, cut) == 0) { /* periodic: what matched is known after a step */
		keep = len - p;
	} else {
		p = (cut - 1 > len - cut ? cut - 1 : len - cut) + 1;
	}
	while (left >= len) {
		size_t step = p;
		for (k = cut > known ? cut : known; k < len && n[k] == h[k];) {
			k++;
		}
		if (k < len) {
			step = k - cut + 1;
			known = 0;
		} else {
			for (k = cut; k > known && n[k - 1] == h[k - 1];) {
				k--;
			}
			if (k <= known) {
				return true;
			}
			known = keep;
		}
		h += step;
		left -= step;
	}
	return false;
}

/* Comparing at each place where the first byte stands is fastest on all but hostile texts. */
bool as_str_contains(assay_str s, assay_str needle)
{
	size_t work = 0;
	if (needle.len == 0) {
		return true;
	}
	for (size_t i = 0; i + needle.len <= s.len;) {
		const char *hit = memchr(s.ptr + i, needle.ptr[0], s.len - needle.len - i + 1);
		if (!hit) {
			return false;
		}
		if (memcmp(hit, needle.ptr, needle.len) == 0) {
			return true;
		}
		i = (size_t)(hit - s.ptr) + 1;
		work += needle.len;
		if (work > 16 * s.len) {
			return contains_linear((const unsigned char *)s.ptr + i, s.len - i,
					       (const unsigned char *)needle.ptr, needle.len);
		}
	}
	return false;
}
