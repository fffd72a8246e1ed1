#include "core/base/text.h"

#include "core/base/unicode.h"

#include <string.h>

#define CAPITAL_SIGMA 0x3a3u
#define SMALL_SIGMA 0x3c3u
#define FINAL_SIGMA 0x3c2u
#define CAPITAL_DOTTED_I 0x130u

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Length of the valid sequence at p (n > 0 bytes are left), 0 when there is none. */
static size_t sequence(const unsigned char *p, size_t n)
{
	if (p[0] < 0x80) {
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < 2 || !is_continuation(p[1])) {
		return 0;
	}
	if (p[0] < 0xe0) {
		return 2;
	}
	if (n < 3 || !is_continuation(p[2])) {
		return 0;
	}
	if (p[0] < 0xf0) { /* neither over-long nor a surrogate */
		return (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ? 0 : 3;
	}
	if (n < 4 || !is_continuation(p[3]) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) {
		return 0;
	}
	return 4;
}

uint32_t as_utf8_next(assay_str s, size_t *i)
{
	const unsigned char *p = (const unsigned char *)s.ptr + *i;
	size_t n = sequence(p, s.len - *i);

	switch (n) {
	case 1:
		*i += 1;
		return p[0];
	case 2:
		*i += 2;
		return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
	case 3:
		*i += 3;
		return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
	case 4:
		*i += 4;
		return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 |
		       (p[3] & 0x3f);
	default:
		break;
	}
	if (p[0] == 0xc0 && s.len - *i >= 2 && p[1] == 0x80) { /* a NUL, as the JSON layer holds it */
		*i += 2;
		return 0;
	}
	*i += 1;
	return AS_REPLACEMENT;
}

size_t as_utf8_put(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c > AS_MAX_CODE_POINT || (c >= 0xd800 && c < 0xe000)) {
		c = AS_REPLACEMENT;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t as_utf8_length(assay_str s)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; count++) {
		as_utf8_next(s, &i);
	}
	return count;
}

size_t as_utf8_prefix(assay_str s, size_t n)
{
	size_t i = 0;

	while (n-- > 0 && i < s.len) {
		as_utf8_next(s, &i);
	}
	return i;
}

size_t as_utf8_within(assay_str s, size_t bytes)
{
	size_t n = s.len < bytes ? s.len : bytes;

	while (n > 0 && n < s.len && ((unsigned char)s.ptr[n] & 0xC0u) == 0x80u) {
		n--;
	}
	return n;
}

void as_utf8_cut(char *out, size_t size, assay_str s)
{
	size_t n = as_utf8_within(s, size - 1);

	if (n > 0) {
		memcpy(out, s.ptr, n);
	}
	out[n] = '\0';
}

size_t as_utf8_check(assay_str s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0, n = 1;

	while (i < s.len && n > 0) {
		/* Most text is ASCII. */
		while (s.len - i >= 8 && !(as_load64(s.ptr + i) & UINT64_C(0x8080808080808080))) {
			i += 8;
		}
		n = i < s.len ? sequence(p + i, s.len - i) : 0;
		i += n;
	}
	return i;
}

bool as_is_space(uint32_t c)
{
	if (c < 0x80) {
		return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
	}
	return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

bool as_is_alnum(uint32_t c)
{
	return as_char_is_alnum(c);
}

/* The character that ends at `end` (> 0), as as_utf8_next reads it; *start is its offset. */
static uint32_t character_before(assay_str s, size_t end, size_t *start)
{
	unsigned char last = (unsigned char)s.ptr[end - 1];

	for (size_t n = 2; last >= 0x80 && n <= 4 && n <= end; n++) {
		size_t i = end - n;
		uint32_t c = as_utf8_next(s, &i);

		if (i == end) {
			*start = end - n;
			return c;
		}
	}
	*start = end - 1;
	return last < 0x80 ? last : AS_REPLACEMENT;
}

/* Does the capital sigma at start..end end a word: a cased letter before it and none after it, over ignorable ones? */
static bool sigma_is_final(assay_str s, size_t start, size_t end)
{
	bool cased = false;
	uint32_t c;

	while (start > 0) {
		c = character_before(s, start, &start);
		if (!as_char_is_ignorable(c)) {
			cased = as_char_is_cased(c);
			break;
		}
	}
	if (!cased) {
		return false;
	}
	while (end < s.len) {
		c = as_utf8_next(s, &end);
		if (!as_char_is_ignorable(c)) {
			return !as_char_is_cased(c);
		}
	}
	return true;
}

static void add_lower(as_buf *out, assay_str s, size_t start, size_t end, uint32_t c)
{
	char bytes[4];
	uint32_t lower = c == CAPITAL_SIGMA && sigma_is_final(s, start, end) ? FINAL_SIGMA : as_char_lower(c);

	if (lower == c) { /* as it was written: bytes that are no UTF-8 and the JSON layer's NUL stay what they are */
		as_buf_add(out, (assay_str){s.ptr + start, end - start});
		return;
	}
	as_buf_add(out, (assay_str){bytes, as_utf8_put(bytes, lower)});
	if (c == CAPITAL_DOTTED_I) {
		as_buf_add(out, ASSAY_STR("\xcc\x87")); /* U+0307: the dot stays */
	}
}

void as_lower(as_buf *out, assay_str s)
{
	size_t i = 0;

	if (!as_buf_reserve(out, s.len)) {
		return;
	}
	while (i < s.len) {
		size_t start = i;

		while (i < s.len && (unsigned char)s.ptr[i] < 0x80 && !(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')) {
			i++;
		}
		as_buf_add(out, (assay_str){s.ptr + start, i - start});
		if (i < s.len) {
			uint32_t c;

			start = i;
			c = as_utf8_next(s, &i);
			add_lower(out, s, start, i, c);
		}
	}
}

void as_normalise(as_buf *out, assay_str s)
{
	size_t from = out->len, to = out->len, i = 0;
	bool gap = false;
	assay_str lowered;

	as_lower(out, as_trim(s));
	if (out->failed) {
		return;
	}
	/* Lower case neither makes nor removes white space, so what was added is collapsed where it stands. */
	lowered = (assay_str){out->ptr ? out->ptr + from : NULL, out->len - from};
	while (i < lowered.len) {
		size_t start = i;
		uint32_t c;

		while (i < lowered.len && lowered.ptr[i] > ' ' && lowered.ptr[i] <= '~') {
			i++;
		}
		memmove(out->ptr + to, lowered.ptr + start, i - start);
		to += i - start;
		gap = gap && i == start;
		if (i == lowered.len) {
			break;
		}
		start = i;
		c = as_utf8_next(lowered, &i);
		if (!as_is_space(c)) {
			memmove(out->ptr + to, lowered.ptr + start, i - start);
			to += i - start;
		} else if (!gap) {
			out->ptr[to++] = ' ';
		}
		gap = as_is_space(c);
	}
	if (out->ptr) {
		out->len = to;
		out->ptr[to] = '\0';
	}
}

assay_str as_trim(assay_str s)
{
	while (s.len > 0) {
		size_t i = 0;

		if (!as_is_space(as_utf8_next(s, &i))) {
			break;
		}
		s.ptr += i;
		s.len -= i;
	}
	while (s.len > 0) {
		size_t start;

		if (!as_is_space(character_before(s, s.len, &start))) {
			break;
		}
		s.len = start;
	}
	return s;
}

/* Characters that steer a terminal or reorder what it shows. */
static bool steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void as_printable(as_buf *out, assay_str s)
{
	size_t i = 0;

	while (i < s.len) {
		char bytes[4];
		uint32_t c = as_utf8_next(s, &i);

		if (c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029) {
			c = ' ';
		} else if (steers(c)) {
			c = AS_REPLACEMENT;
		}
		as_buf_add(out, (assay_str){bytes, as_utf8_put(bytes, c)});
	}
}

/* What a character is to as_words. */
enum kind { KIND_NONE, KIND_OTHER, KIND_LOWER, KIND_UPPER };

static enum kind kind_of(uint32_t c)
{
	if (!as_char_is_alnum(c)) {
		return KIND_NONE;
	}
	if (as_char_lower(c) != c) {
		return KIND_UPPER;
	}
	return as_char_is_cased(c) ? KIND_LOWER : KIND_OTHER;
}

void as_words(as_buf *out, assay_str name)
{
	size_t from = out->len, i = 0;
	enum kind before = KIND_NONE;

	while (i < name.len) {
		char bytes[4];
		uint32_t c = as_utf8_next(name, &i);
		enum kind kind = kind_of(c), after = KIND_NONE;
		bool starts = before == KIND_NONE;

		if (kind == KIND_UPPER && i < name.len) {
			size_t next = i;

			after = kind_of(as_utf8_next(name, &next));
		}
		if (kind == KIND_UPPER && !starts) { /* "getUser", "v2Delete"; "HTTPServer" breaks before its S */
			starts = before != KIND_UPPER || after == KIND_LOWER;
		}
		if (kind != KIND_NONE) {
			if (starts && out->len > from) {
				as_buf_byte(out, ' ');
			}
			as_buf_add(out, (assay_str){bytes, as_utf8_put(bytes, as_char_lower(c))});
		}
		before = kind;
	}
}
