/* What JSON is made of, read one after another: strings, numbers, words, white space; and what to say where something
 * else stands. It works in a copy of the text that is its own, so that a string is decoded in its place, where it is
 * never longer than it was written, and the NUL behind the end stops every loop. Only json*.c include this. */
#ifndef AS_JSON_SCAN_H
#define AS_JSON_SCAN_H

#include "core/base/json.h"
#include <string.h>

/* Bytes that must be readable from the end on; the first is NUL. */
#define AS_JSON_SCAN_PAD 8u

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
/* p is at the first byte of a number. */
int as_json_scan_number(struct as_json_scan *s, assay_str *spelling);

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

/* Over plain bytes up to a quote, a backslash or a control character, eight at a time. *seen gathers their bits. */
static inline char *as_json_scan_plain(char *p, uint64_t *seen)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (;; p += 8) {
		uint64_t x, special;
		memcpy(&x, p, sizeof x);
		special = as_json_special(x);
		if (special) {
			unsigned before = (unsigned)__builtin_ctzll(special) & ~7u;
			*seen |= x & ((UINT64_C(1) << before) - 1);
			return p + before / 8;
		}
		*seen |= x;
	}
#else
	for (; *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20; p++) {
		*seen |= (unsigned char)*p;
	}
	return p;
#endif
}

/* p is at the opening quote. The text is as decoded, in its place, and not yet followed by a NUL; there is room for
 * one. */
static inline int as_json_scan_string(struct as_json_scan *s, assay_text *out)
{
	char *start = s->p + 1;
	uint64_t seen = 0;
	char *end = as_json_scan_plain(start, &seen);
	if (*end == '"' && !(seen & AS_EACH_BYTE(0x80))) { /* the most common of all */
		*out = (assay_text){start, (size_t)(end - start)};
		s->p = end + 1;
		return 0;
	}
	return as_json_scan_coded(s, out);
}

#endif
