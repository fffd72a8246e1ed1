#include "core/base/json_scan.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { AT_VALUE, AT_FIRST_ELEMENT, AT_FIRST_MEMBER, AFTER_VALUE };

void as_json_scan_start(struct as_json_scan *s, assay_str text, uint32_t profile, uint32_t max_depth, assay_error *err)
{
	*s = (struct as_json_scan){.text = text.ptr ? text : ASSAY_STR(""),
				   .profile = profile,
				   .max_depth = max_depth,
				   .err = err,
				   .line = 1,
				   .state = AT_VALUE};
}

void as_json_scan_free(struct as_json_scan *s)
{
	as_buf_free(&s->open);
	as_buf_free(&s->scratch);
}

int as_json_scan_fail(const struct as_json_scan *s, int code, uint32_t line, size_t offset, const char *format, ...)
{
	va_list args;
	if (s->err && s->err->code == 0) {
		va_start(args, format);
		as_failv(s->err, code, format, args);
		va_end(args);
		s->err->line = line;
		s->err->detail = (int64_t)offset;
	}
	return code;
}

static int byte_at(const struct as_json_scan *s, size_t pos)
{
	return pos < s->text.len ? (unsigned char)s->text.ptr[pos] : -1;
}

static bool is_word(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#define FOUND_MAX 48

/* What stands at pos, in words: one character, or a whole word such as True. */
static const char *found(const struct as_json_scan *s, size_t pos, char out[FOUND_MAX])
{
	assay_str rest = {s->text.ptr + pos, s->text.len - pos};
	int c = byte_at(s, pos);
	size_t n = 1;
	if (c < 0) {
		snprintf(out, FOUND_MAX, "the end of the text");
	} else if (c < 0x20 || c == 0x7F) {
		snprintf(out, FOUND_MAX, "control character U+%04X", (unsigned)c);
	} else if (c < 0x80) {
		while (is_word(c) && n < 20 && is_word(byte_at(s, pos + n))) {
			n++;
		}
		snprintf(out, FOUND_MAX, "'%.*s'", (int)n, rest.ptr);
	} else {
		rest.len = rest.len > 4 ? 4 : rest.len;
		uint32_t cp = 0;
		if (as_utf8_check(rest) > 0) {
			n = 0;
			cp = as_utf8_next(rest, &n);
		}
		if (cp == 0xFEFF) {
			snprintf(out, FOUND_MAX, "a byte order mark");
		} else if (cp >= 0xA0) {
			snprintf(out, FOUND_MAX, "'%.*s'", (int)n, rest.ptr);
		} else if (cp > 0) {
			snprintf(out, FOUND_MAX, "control character U+%04X", (unsigned)cp);
		} else {
			snprintf(out, FOUND_MAX, "byte 0x%02X", (unsigned)c);
		}
	}
	return out;
}

static int unexpected(const struct as_json_scan *s, const char *expected)
{
	char what[FOUND_MAX];
	return as_json_scan_fail(s, ASSAY_EDATA, s->line, s->pos, "expected %s, found %s", expected,
				 found(s, s->pos, what));
}

static inline void skip_space(struct as_json_scan *s)
{
	if (s->pos < s->text.len && (unsigned char)s->text.ptr[s->pos] > ' ') {
		return;
	}
	for (; s->pos < s->text.len; s->pos++) {
		char c = s->text.ptr[s->pos];
		if (c == '\n') {
			s->line++;
		} else if (c != ' ' && c != '\t' && c != '\r') {
			break;
		}
	}
}

/* Strings. */

static int hex4(const struct as_json_scan *s, size_t pos, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < 4; i++) {
		int c = byte_at(s, pos + i);
		uint32_t digit;
		if (c >= '0' && c <= '9') {
			digit = (uint32_t)(c - '0');
		} else if (c >= 'a' && c <= 'f') {
			digit = (uint32_t)(c - 'a') + 10;
		} else if (c >= 'A' && c <= 'F') {
			digit = (uint32_t)(c - 'A') + 10;
		} else {
			char what[FOUND_MAX];
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, pos + i,
						 "expected four hexadecimal digits after \\u, found %s",
						 found(s, pos + i, what));
		}
		*out = *out << 4 | digit;
	}
	return 0;
}

/* pos is at the 'u' of \uXXXX; appends the character, a pair of surrogates as one. */
static int unicode_escape(struct as_json_scan *s)
{
	uint32_t cp, low;
	char utf8[4];
	size_t at = s->pos - 1;
	int rc = hex4(s, s->pos + 1, &cp);
	if (rc < 0) {
		return rc;
	}
	s->pos += 5;
	if (cp >= 0xD800 && cp <= 0xDBFF && byte_at(s, s->pos) == '\\' && byte_at(s, s->pos + 1) == 'u') {
		rc = hex4(s, s->pos + 2, &low);
		if (rc < 0) {
			return rc;
		}
		if (low >= 0xDC00 && low <= 0xDFFF) {
			cp = 0x10000 + ((cp - 0xD800) << 10 | (low - 0xDC00));
			s->pos += 6;
		}
	}
	if (cp >= 0xD800 && cp <= 0xDFFF) {
		if (s->profile == ASSAY_JSON_STRICT) {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, at, "lone surrogate \\u%04x is no character",
						 (unsigned)cp);
		}
		s->notes.lone_surrogates = true;
		cp = 0xFFFD;
	}
	if (cp == 0) {
		if (s->profile == ASSAY_JSON_STRICT) {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, at, "\\u0000 is not allowed in a string");
		}
		s->notes.nul = true;
		as_buf_puts(&s->scratch, "\xC0\x80");
		return 0;
	}
	as_buf_add(&s->scratch, (assay_str){utf8, as_utf8_put(utf8, cp)});
	return 0;
}

/* pos is at the backslash. */
static int escape(struct as_json_scan *s)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	char what[FOUND_MAX];
	int c = byte_at(s, ++s->pos);
	if (c == 'u') {
		return unicode_escape(s);
	}
	const char *known = c > 0 ? strchr(from, c) : NULL;
	if (!known) {
		return as_json_scan_fail(s, ASSAY_EDATA, s->line, s->pos,
					 "expected one of \" \\ / b f n r t u after a backslash, found %s",
					 found(s, s->pos, what));
	}
	as_buf_byte(&s->scratch, to[known - from]);
	s->pos++;
	return 0;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Marks the high bit of each of eight bytes that is a quote, a backslash or a control character. Bytes before the first
 * such byte in memory are never marked on a little-endian machine; what follows it may be. */
static uint64_t special_of(uint64_t x)
{
	uint64_t quote = x ^ EACH('"'), backslash = x ^ EACH('\\');
	return (((x - EACH(0x20)) & ~x) | ((quote - EACH(1)) & ~quote) | ((backslash - EACH(1)) & ~backslash)) &
	       EACH(0x80);
}

/* Over plain bytes, eight at a time, up to what is none. *other: were there others than ASCII? */
static inline size_t skip_plain(assay_str text, size_t pos, bool *other)
{
	uint64_t all = 0, eight;
	for (; text.len - pos >= sizeof eight; pos += sizeof eight) {
		uint64_t special;
		memcpy(&eight, text.ptr + pos, sizeof eight);
		special = special_of(eight);
		if (special) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			unsigned before = (unsigned)__builtin_ctzll(special) & ~7u;
			*other = ((all | (eight & ((UINT64_C(1) << before) - 1))) & EACH(0x80)) != 0;
			return pos + before / 8;
#else
			break;
#endif
		}
		all |= eight;
	}
	*other = (all & EACH(0x80)) != 0;
	for (; pos < text.len; pos++) {
		unsigned char c = (unsigned char)text.ptr[pos];
		if (c == '"' || c == '\\' || c < 0x20) {
			break;
		}
		*other = *other || c >= 0x80;
	}
	return pos;
}

static int plain_run(struct as_json_scan *s)
{
	size_t start = s->pos;
	bool other;
	s->pos = skip_plain(s->text, s->pos, &other);
	if (other) {
		assay_str run = {s->text.ptr + start, s->pos - start};
		size_t bad = as_utf8_check(run);
		if (bad < run.len) {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, start + bad,
						 "byte 0x%02X is not valid UTF-8 here",
						 (unsigned)(unsigned char)run.ptr[bad]);
		}
	}
	return 0;
}

static int coded_string(struct as_json_scan *s, struct as_json_event *e);

/* pos is at the opening quote. Text without escapes is a slice of the input, the rest is decoded into scratch. */
static int string(struct as_json_scan *s, struct as_json_event *e)
{
	size_t start = s->pos + 1;
	bool other;
	size_t end = skip_plain(s->text, start, &other);
	if (end < s->text.len && s->text.ptr[end] == '"' && !other) { /* the most common of all */
		e->text = (assay_str){s->text.ptr + start, end - start};
		s->pos = end + 1;
		return 0;
	}
	return coded_string(s, e);
}

static int coded_string(struct as_json_scan *s, struct as_json_event *e)
{
	bool decoded = false;
	char what[FOUND_MAX];
	s->scratch.len = 0;
	s->pos++;
	for (;;) {
		size_t run = s->pos;
		int rc = plain_run(s);
		if (rc < 0) {
			return rc;
		}
		assay_str slice = {s->text.ptr + run, s->pos - run};
		int c = byte_at(s, s->pos);
		if (c == '"' && !decoded) {
			e->text = slice;
			break;
		}
		as_buf_add(&s->scratch, slice);
		if (c == '"') {
			e->text = as_buf_str(&s->scratch);
			break;
		}
		if (c < 0) {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, s->pos,
						 "a string is not closed, found the end of the text");
		}
		if (c != '\\') {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, s->pos,
						 "expected the rest of a string, found %s, which must be escaped",
						 found(s, s->pos, what));
		}
		decoded = true;
		rc = escape(s);
		if (rc < 0) {
			return rc;
		}
	}
	s->pos++;
	return decoded ? as_buf_check(&s->scratch, s->err) : 0;
}

/* Numbers. */

static size_t digits(assay_str t, size_t i)
{
	while (i < t.len && t.ptr[i] >= '0' && t.ptr[i] <= '9') {
		i++;
	}
	return i;
}

/* As far as the grammar is kept; *ok tells whether what was seen is a whole number. */
static size_t number_prefix(assay_str t, bool *ok)
{
	size_t i = t.len > 0 && t.ptr[0] == '-' ? 1 : 0;
	size_t start = i;
	*ok = false;
	i = i < t.len && t.ptr[i] == '0' ? i + 1 : digits(t, i);
	if (i == start) {
		return i;
	}
	if (i < t.len && t.ptr[i] == '.') {
		start = i + 1;
		i = digits(t, start);
		if (i == start) {
			return i;
		}
	}
	if (i < t.len && (t.ptr[i] == 'e' || t.ptr[i] == 'E')) {
		start = i + 1;
		if (start < t.len && (t.ptr[start] == '+' || t.ptr[start] == '-')) {
			start++;
		}
		i = digits(t, start);
		if (i == start) {
			return i;
		}
	}
	*ok = true;
	return i;
}

size_t as_json_number_span(assay_str text)
{
	bool ok;
	size_t n = number_prefix(text, &ok);
	return ok ? n : 0;
}

static int number(struct as_json_scan *s, struct as_json_event *e)
{
	assay_str rest = {s->text.ptr + s->pos, s->text.len - s->pos};
	bool ok;
	size_t n = number_prefix(rest, &ok);
	bool zero = n > 0 && rest.ptr[n - 1] == '0' && (n == 1 || (n == 2 && rest.ptr[0] == '-'));
	if (!ok) {
		s->pos += n;
		return unexpected(s, "a digit");
	}
	if (zero && n < rest.len && rest.ptr[n] >= '0' && rest.ptr[n] <= '9') {
		return as_json_scan_fail(s, ASSAY_EDATA, s->line, s->pos, "a number must not begin with a zero");
	}
	e->text = (assay_str){rest.ptr, n};
	s->pos += n;
	return 0;
}

/* Structure. */

static int word(struct as_json_scan *s, const char *literal)
{
	size_t n = strlen(literal);
	if (s->text.len - s->pos < n || memcmp(s->text.ptr + s->pos, literal, n) != 0 ||
	    is_word(byte_at(s, s->pos + n))) {
		return unexpected(s, "a value");
	}
	s->pos += n;
	return 0;
}

static int open_container(struct as_json_scan *s, char bracket)
{
	if (s->open.len >= s->max_depth) {
		return as_json_scan_fail(s, ASSAY_ELIMIT, s->line, s->pos, "nested deeper than %u levels",
					 (unsigned)s->max_depth);
	}
	as_buf_byte(&s->open, bracket);
	s->state = bracket == '{' ? AT_FIRST_MEMBER : AT_FIRST_ELEMENT;
	s->pos++;
	return as_buf_check(&s->open, s->err);
}

static int close_container(struct as_json_scan *s, struct as_json_event *e)
{
	e->kind = s->open.ptr[--s->open.len] == '{' ? AS_JSON_EV_OBJECT_END : AS_JSON_EV_ARRAY_END;
	s->state = AFTER_VALUE;
	s->pos++;
	return 0;
}

static int value(struct as_json_scan *s, struct as_json_event *e, const char *expected)
{
	int c = byte_at(s, s->pos);
	s->state = AFTER_VALUE;
	switch (c) {
	case '{':
		e->kind = AS_JSON_EV_OBJECT;
		return open_container(s, '{');
	case '[':
		e->kind = AS_JSON_EV_ARRAY;
		return open_container(s, '[');
	case '"':
		e->kind = AS_JSON_EV_STRING;
		return string(s, e);
	case 't':
		e->kind = AS_JSON_EV_TRUE;
		return word(s, "true");
	case 'f':
		e->kind = AS_JSON_EV_FALSE;
		return word(s, "false");
	case 'n':
		e->kind = AS_JSON_EV_NULL;
		return word(s, "null");
	default:
		if (c == '-' || (c >= '0' && c <= '9')) {
			e->kind = AS_JSON_EV_NUMBER;
			return number(s, e);
		}
		return unexpected(s, expected);
	}
}

static int key(struct as_json_scan *s, struct as_json_event *e, const char *expected)
{
	if (byte_at(s, s->pos) != '"') {
		return unexpected(s, expected);
	}
	e->kind = AS_JSON_EV_KEY;
	int rc = string(s, e);
	if (rc < 0) {
		return rc;
	}
	skip_space(s);
	if (byte_at(s, s->pos) != ':') {
		return unexpected(s, "':' after a key");
	}
	s->pos++;
	s->state = AT_VALUE;
	return 0;
}

static void mark(struct as_json_scan *s, struct as_json_event *e)
{
	skip_space(s);
	e->offset = s->pos;
	e->line = s->line;
}

/* After a value: the separator that its container wants and what follows it, or the container's end. */
static int after_value(struct as_json_scan *s, struct as_json_event *e)
{
	int c = byte_at(s, s->pos);
	if (s->open.len == 0) {
		e->kind = AS_JSON_EV_END;
		return c < 0 ? 0 : unexpected(s, "the end of the text");
	}
	bool object = s->open.ptr[s->open.len - 1] == '{';
	if (c == (object ? '}' : ']')) {
		return close_container(s, e);
	}
	if (c != ',') {
		return unexpected(s, object ? "',' or '}' after a member" : "',' or ']' after an element");
	}
	s->pos++;
	mark(s, e);
	return object ? key(s, e, "a key after ','") : value(s, e, "a value after ','");
}

int as_json_scan_next(struct as_json_scan *s, struct as_json_event *event)
{
	event->text = (assay_str){"", 0};
	mark(s, event);
	switch (s->state) {
	case AT_FIRST_ELEMENT:
		if (byte_at(s, s->pos) == ']') {
			return close_container(s, event);
		}
		return value(s, event, "a value or ']'");
	case AT_FIRST_MEMBER:
		if (byte_at(s, s->pos) == '}') {
			return close_container(s, event);
		}
		return key(s, event, "a key or '}'");
	case AFTER_VALUE:
		return after_value(s, event);
	default:
		return value(s, event, "a value");
	}
}

int as_json_scan_skip(struct as_json_scan *s)
{
	struct as_json_event event;
	size_t depth = s->open.len;
	int rc;
	do {
		rc = as_json_scan_next(s, &event);
	} while (rc == 0 && s->open.len > depth);
	return rc;
}
