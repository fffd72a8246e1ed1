/* Growing buffers, arenas and arrays. Failure is sticky: append as you like and check once at the end.
 * Thread: an object is used by one thread at a time. */
#ifndef AS_MEMORY_H
#define AS_MEMORY_H

#include <assay/host.h>
#include <assay/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* A byte buffer; zero-initialise. ptr is NUL-terminated past len once anything was appended. */
typedef struct as_buf {
	char *ptr;
	size_t len, cap;
	bool failed; /* an allocation failed; everything since was ignored */
} as_buf;

void as_buf_printf(as_buf *b, const char *format, ...) ASSAY_PRINTF(2, 3);
void as_buf_vprintf(as_buf *b, const char *format, va_list args) ASSAY_PRINTF(2, 0);
bool as_buf_grow(as_buf *b, size_t more); /* as_buf_reserve where there may be no room yet */
void as_buf_clear(as_buf *b);             /* len = 0, memory and failure kept */
void as_buf_free(as_buf *b);
assay_str as_buf_str(const as_buf *b);               /* borrowed */
int as_buf_check(const as_buf *b, assay_error *err); /* 0, or ASSAY_ENOMEM */
/* Move the content out (free with as_text_free); b is empty after it. ASSAY_ENOMEM when it had failed. */
int as_buf_take(as_buf *b, assay_text *out, assay_error *err);
void as_text_free(assay_text *t);

/* Memory that goes all at once; zero-initialise. Answers NULL when memory is out (and stays failed). */
typedef struct as_arena {
	struct as_arena_block *head;
	bool failed;
} as_arena;

void *as_arena_alloc(as_arena *a, size_t size);   /* zeroed, aligned for any type */
assay_str as_arena_str(as_arena *a, assay_str s); /* a copy, NUL-terminated past len */
char *as_arena_cstr(as_arena *a, assay_str s);
char *as_arena_printf(as_arena *a, const char *format, ...) ASSAY_PRINTF(2, 3);
void as_arena_free(as_arena *a);

/* Make *items (elements of `size` bytes, *cap allocated) hold at least `need`; what is new is zero. False when
 * memory is out. */
bool as_grow(void *items, size_t *cap, size_t need, size_t size);

/* Overflow-checked zeroed allocation. NULL when memory is out. */
void *as_new(size_t count, size_t size);
char *as_strdup(const char *s); /* NULL for NULL */
char *as_strndup(assay_str s);

/* Room for `more` bytes past len, to be filled by hand. False: it has failed. */
static inline bool as_buf_reserve(as_buf *b, size_t more)
{
	return (!b->failed && b->cap - b->len > more) || as_buf_grow(b, more);
}
static inline void as_buf_add(as_buf *b, assay_str s)
{
	if (as_buf_reserve(b, s.len)) {
		if (s.len > 0) {
			memcpy(b->ptr + b->len, s.ptr, s.len);
		}
		b->len += s.len;
		b->ptr[b->len] = '\0';
	}
}
static inline void as_buf_byte(as_buf *b, char c)
{
	if (as_buf_reserve(b, 1)) {
		b->ptr[b->len++] = c;
		b->ptr[b->len] = '\0';
	}
}

static inline assay_str as_str(const char *s)
{
	size_t n = 0;
	while (s && s[n]) {
		n++;
	}
	return (assay_str){s, n};
}
/* Inline, so that the length of a literal is known. */
static inline void as_buf_puts(as_buf *b, const char *s)
{
	if (s) {
		as_buf_add(b, (assay_str){s, strlen(s)});
	}
}
static inline assay_str as_text_str(assay_text t)
{
	return (assay_str){t.ptr, t.len};
}
/* From any place, in the machine's byte order. */
static inline uint64_t as_load64(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x;
}
static inline uint32_t as_load32(const char *p)
{
	uint32_t x;
	memcpy(&x, p, sizeof x);
	return x;
}
/* Most are short: a call would take longer. Pieces may overlap, which saves a loop over the last bytes. */
static inline bool as_bytes_eq(const char *a, const char *b, size_t n)
{
	if (n > 16) {
		return memcmp(a, b, n) == 0;
	}
	if (n >= 8) {
		return ((as_load64(a) ^ as_load64(b)) | (as_load64(a + n - 8) ^ as_load64(b + n - 8))) == 0;
	}
	if (n >= 4) {
		return ((as_load32(a) ^ as_load32(b)) | (as_load32(a + n - 4) ^ as_load32(b + n - 4))) == 0;
	}
	while (n > 0 && a[n - 1] == b[n - 1]) {
		n--;
	}
	return n == 0;
}
static inline bool as_str_eq(assay_str a, assay_str b)
{
	return a.len == b.len && as_bytes_eq(a.ptr, b.ptr, a.len);
}
/* Inline, so that the length of a literal is known. */
static inline bool as_str_is(assay_str a, const char *b)
{
	return as_str_eq(a, (assay_str){b, strlen(b)});
}
int as_str_cmp(assay_str a, assay_str b); /* by bytes, which is by code point for UTF-8 */
bool as_str_starts(assay_str s, assay_str prefix);
bool as_str_contains(assay_str s, assay_str needle);

#endif
