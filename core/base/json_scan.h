/* What JSON is made of, read one after another: strings, numbers, words, white space; and what to say where something
 * else stands. It works in a copy of the text that is its own, so that a string is decoded in its place, where it is
 * never longer than it was written, and the NUL behind the end stops every loop. Only json*.c include this. */
#ifndef AS_JSON_SCAN_H
#define AS_JSON_SCAN_H

#include "core/base/json.h"
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bytes that must be readable from the end on; the first is NUL. */
#define AS_JSON_SCAN_PAD 16u

struct as_json_scan {
	char *text, *end;
	char *p; /* what is read next */
	uint32_t profile;
	uint32_t line; /* of p */
	as_json_notes notes;
	assay_error *err;
};

/* Fail with the place: line and byte offset. */
int as_json_scan_fail(const struct as_json_scan *s, int code, uint32_t line, size_t offset, const char *format, ...)
	ASSAY_PRINTF(5, 6);
/* "expected ..., found ..." at p. */
int as_json_scan_unexpected(const struct as_json_scan *s, const char *expected);

void as_json_scan_blanks(struct as_json_scan *s);
int as_json_scan_coded(struct as_json_scan *s, assay_text *out);
/* p is at the first byte of what is to be a number. */
int as_json_scan_any_number(struct as_json_scan *s, assay_text *out);

/* p is where no value begins: is one of Python's numbers there, which JSON has not, and may it be? */
bool as_json_scan_constant(struct as_json_scan *s, assay_text *out);

/* Bytes of the JSON number that text begins with, 0 when there is none. */
size_t as_json_number_span(assay_str text);

/* Does it go on a word? */
static inline bool as_json_scan_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline void as_json_scan_space(struct as_json_scan *s)
{
	if ((unsigned char)*s->p <= ' ') {
		as_json_scan_blanks(s);
	}
}

#define AS_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The high bit of each byte that is a quote, a backslash or a control character: of the first such byte for certain, of
 * other bytes only behind it. */
static inline uint64_t as_json_special(uint64_t x)
{
	uint64_t quote = x ^ AS_EACH_BYTE('"'), backslash = x ^ AS_EACH_BYTE('\\');
	return (((x - AS_EACH_BYTE(0x20)) & ~x) | ((quote - AS_EACH_BYTE(1)) & ~quote) |
		((backslash - AS_EACH_BYTE(1)) & ~backslash)) &
	       AS_EACH_BYTE(0x80);
}

/* Eight bytes: does one of them keep a text from being kept (written, if so asked) as it is? */
static inline bool as_json_is_odd(uint64_t x, bool written)
{
	uint64_t odd = x | (written ? as_json_special(x) : (x - AS_EACH_BYTE(1)) & ~x);
	return odd & AS_EACH_BYTE(0x80);
}

/* Copy a text, most of which are short ASCII, and look at it on the way. False: something in it is odd, and what was
 * copied is of no use. Pieces may overlap, which saves a loop over the last bytes. */
static inline bool as_json_copy(char *to, assay_str s, bool written)
{
	uint64_t x;
	uint32_t head, tail;
	if (s.len >= sizeof x) {
		for (size_t i = 0; i < s.len; i += sizeof x) {
			size_t at = i < s.len - sizeof x ? i : s.len - sizeof x;
			x = as_load64(s.ptr + at);
			if (as_json_is_odd(x, written)) {
				return false;
			}
			memcpy(to + at, &x, sizeof x);
		}
		return true;
	}
	if (s.len >= sizeof head) {
		head = as_load32(s.ptr);
		tail = as_load32(s.ptr + s.len - sizeof tail);
		memcpy(to, &head, sizeof head);
		memcpy(to + s.len - sizeof tail, &tail, sizeof tail);
		return !as_json_is_odd((uint64_t)head << 32 | tail, written);
	}
	if (s.len == 0) {
		return true;
	}
	x = AS_EACH_BYTE(' ') << 24 | (uint64_t)(unsigned char)s.ptr[0] << 16 |
	    (uint64_t)(unsigned char)s.ptr[s.len / 2] << 8 | (unsigned char)s.ptr[s.len - 1];
	to[0] = s.ptr[0];
	to[s.len / 2] = s.ptr[s.len / 2];
	to[s.len - 1] = s.ptr[s.len - 1];
	return !as_json_is_odd(x, written);
}

/* Over plain bytes up to a quote, a backslash or a control character, many at a time. *other gathers what is not ASCII:
 * 0 when all is. */
static inline char *as_json_scan_plain(char *p, uint64_t *other)
{
#if defined(__SSE2__)
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last = _mm_set1_epi8(0x1F);
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i special = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash));
		unsigned high = (unsigned)_mm_movemask_epi8(x), found;
		special = _mm_or_si128(special, _mm_cmpeq_epi8(_mm_min_epu8(x, last), x));
		found = (unsigned)_mm_movemask_epi8(special);
		if (found) {
			*other |= high & (found - 1) & ~found;
			return p + __builtin_ctz(found);
		}
		*other |= high;
	}
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (;; p += 8) {
		uint64_t x = as_load64(p), special = as_json_special(x);
		if (special) {
			unsigned before = (unsigned)__builtin_ctzll(special) & ~7u;
			*other |= x & ((UINT64_C(1) << before) - 1) & AS_EACH_BYTE(0x80);
			return p + before / 8;
		}
		*other |= x & AS_EACH_BYTE(0x80);
	}
#else
	for (; *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20; p++) {
		*other |= (unsigned char)*p & 0x80u;
	}
	return p;
#endif
}

/* p is at the opening quote. The text is as decoded, in its place, and not yet followed by a NUL; there is room for
 * one. */
static inline int as_json_scan_string(struct as_json_scan *s, assay_text *out)
{
	char *start = s->p + 1;
	uint64_t other = 0;
	char *end = as_json_scan_plain(start, &other);
	if (*end == '"' && !other) { /* the most common of all */
		*out = (assay_text){start, (size_t)(end - start)};
		s->p = end + 1;
		return 0;
	}
	return as_json_scan_coded(s, out);
}

/* p is at the first byte of a number, of which the spelling is told. Most are small integers with a mark behind them.
 */
static inline int as_json_scan_number(struct as_json_scan *s, assay_text *out)
{
	char *start = s->p, *end = start;
	if (*end == '0') {
		end++;
	} else {
		while (*end >= '0' && *end <= '9') {
			end++;
		}
	}
	if (end > start && (*end == ',' || *end == '}')) {
		*out = (assay_text){start, (size_t)(end - start)};
		s->p = end;
		return 0;
	}
	return as_json_scan_any_number(s, out);
}

#endif
