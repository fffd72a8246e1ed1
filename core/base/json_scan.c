#include "core/base/json_scan.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <stdio.h>

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

#define FOUND_MAX 48

/* What stands at p, in words: one character, or a whole word such as True. */
static const char *found(const struct as_json_scan *s, const char *p, char out[FOUND_MAX])
{
	assay_str rest = {p, (size_t)(s->end - p)};
	unsigned char c = (unsigned char)*p;
	size_t n = 1;
	if (rest.len == 0) {
		snprintf(out, FOUND_MAX, "the end of the text");
	} else if (c < 0x20 || c == 0x7F) {
		snprintf(out, FOUND_MAX, "control character U+%04X", (unsigned)c);
	} else if (c < 0x80) {
		while (as_json_scan_is_word(*p) && n < 20 && as_json_scan_is_word(p[n])) {
			n++;
		}
		snprintf(out, FOUND_MAX, "'%.*s'", (int)n, p);
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
			snprintf(out, FOUND_MAX, "'%.*s'", (int)n, p);
		} else if (cp > 0) {
			snprintf(out, FOUND_MAX, "control character U+%04X", (unsigned)cp);
		} else {
			snprintf(out, FOUND_MAX, "byte 0x%02X", (unsigned)c);
		}
	}
	return out;
}

/* "expected ..., found ..." at a place. */
static int unexpected_at(const struct as_json_scan *s, const char *p, const char *expected)
{
	char what[FOUND_MAX];
	return as_json_scan_fail(s, ASSAY_EDATA, s->line, (size_t)(p - s->text), "expected %s, found %s", expected,
				 found(s, p, what));
}

int as_json_scan_unexpected(const struct as_json_scan *s, const char *expected)
{
	return unexpected_at(s, s->p, expected);
}

void as_json_scan_blanks(struct as_json_scan *s)
{
	for (;; s->p++) {
		if (*s->p == '\n') {
			s->line++;
		} else if (*s->p != ' ' && *s->p != '\t' && *s->p != '\r') {
			return;
		}
	}
}

/* Strings. p is in the middle of one, `to` where the next decoded byte belongs. */

static int hex4(const struct as_json_scan *s, const char *p, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < 4; i++) {
		uint32_t digit;
		char c = p[i];
		if (c >= '0' && c <= '9') {
			digit = (uint32_t)(c - '0');
		} else if (c >= 'a' && c <= 'f') {
			digit = (uint32_t)(c - 'a') + 10;
		} else if (c >= 'A' && c <= 'F') {
			digit = (uint32_t)(c - 'A') + 10;
		} else {
			return unexpected_at(s, p + i, "four hexadecimal digits after \\u");
		}
		*out = *out << 4 | digit;
	}
	return 0;
}

/* p is at the 'u' of \uXXXX; puts the character, a pair of surrogates as one. */
static int unicode_escape(struct as_json_scan *s, char **to)
{
	uint32_t cp, low;
	size_t at = (size_t)(s->p - s->text) - 1;
	int rc = hex4(s, s->p + 1, &cp);
	if (rc < 0) {
		return rc;
	}
	s->p += 5;
	if (cp >= 0xD800 && cp <= 0xDBFF && s->p[0] == '\\' && s->p[1] == 'u') {
		rc = hex4(s, s->p + 2, &low);
		if (rc < 0) {
			return rc;
		}
		if (low >= 0xDC00 && low <= 0xDFFF) {
			cp = 0x10000 + ((cp - 0xD800) << 10 | (low - 0xDC00));
			s->p += 6;
		}
	}
	if (cp >= 0xD800 && cp <= 0xDFFF) {
		if (s->profile == ASSAY_JSON_STRICT || s->profile == AS_JSON_PYDANTIC) {
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
		memcpy(*to, "\xC0\x80", 2);
		*to += 2;
		return 0;
	}
	*to += as_utf8_put(*to, cp);
	return 0;
}

/* p is at the backslash. */
static int escape(struct as_json_scan *s, char **to)
{
	static const char plain[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['n'] = '\n',
					['t'] = '\t', ['r'] = '\r',  ['b'] = '\b', ['f'] = '\f'};
	unsigned char c = (unsigned char)*++s->p;
	if (c == 'u') {
		return unicode_escape(s, to);
	}
	if (c >= sizeof plain || !plain[c]) {
		return as_json_scan_unexpected(s, "one of \" \\ / b f n r t u after a backslash");
	}
	*(*to)++ = plain[c];
	s->p++;
	return 0;
}

/* The plain bytes from p on, moved to where they belong. */
static int plain_run(struct as_json_scan *s, char **to)
{
	uint64_t other = 0;
	char *start = s->p;
	size_t n;
	s->p = as_json_scan_plain(start, &other);
	n = (size_t)(s->p - start);
	if (other) {
		size_t bad = as_utf8_check((assay_str){start, n});
		if (bad < n) {
			return as_json_scan_fail(s, ASSAY_EDATA, s->line, (size_t)(start - s->text) + bad,
						 "byte 0x%02X is not valid UTF-8 here",
						 (unsigned)(unsigned char)start[bad]);
		}
	}
	if (*to != start) {
		memmove(*to, start, n);
	}
	*to += n;
	return 0;
}

/* Neither a quote nor a backslash ends the plain bytes. */
static int no_end(const struct as_json_scan *s)
{
	char what[FOUND_MAX];
	return s->p == s->end ? as_json_scan_fail(s, ASSAY_EDATA, s->line, (size_t)(s->p - s->text),
						  "a string is not closed, found the end of the text")
			      : as_json_scan_fail(s, ASSAY_EDATA, s->line, (size_t)(s->p - s->text),
						  "expected the rest of a string, found %s, which must be escaped",
						  found(s, s->p, what));
}

int as_json_scan_coded(struct as_json_scan *s, assay_text *out)
{
	char *start = ++s->p, *to = start;
	int rc = 0;
	while (rc == 0) {
		rc = plain_run(s, &to);
		if (rc == 0 && *s->p == '"') {
			*out = (assay_text){start, (size_t)(to - start)};
			s->p++;
			return 0;
		}
		while (rc == 0 && *s->p == '\\') { /* often several in a row */
			rc = escape(s, &to);
		}
		if (rc == 0 && (unsigned char)*s->p < 0x20) {
			rc = no_end(s);
		}
	}
	return rc;
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

bool as_json_scan_constant(struct as_json_scan *s, assay_text *out)
{
	static const assay_str words[] = {{"NaN", 3}, {"Infinity", 8}, {"-Infinity", 9}};
	assay_str rest = {s->p, (size_t)(s->end - s->p)};
	if (s->profile != AS_JSON_PYTHON && s->profile != AS_JSON_PYDANTIC) {
		return false;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (as_str_starts(rest, words[i]) && !as_json_scan_is_word(rest.ptr[words[i].len])) {
			*out = (assay_text){s->p, words[i].len};
			s->notes.constants = true;
			s->p += words[i].len;
			return true;
		}
	}
	return false;
}

int as_json_scan_any_number(struct as_json_scan *s, assay_text *out)
{
	bool ok;
	size_t n = number_prefix((assay_str){s->p, (size_t)(s->end - s->p)}, &ok);
	bool zero = n > 0 && s->p[n - 1] == '0' && (n == 1 || (n == 2 && *s->p == '-'));
	if (!ok && as_json_scan_constant(s, out)) {
		return 0;
	}
	if (!ok) {
		s->p += n;
		return as_json_scan_unexpected(s, "a digit");
	}
	if (zero && s->p[n] >= '0' && s->p[n] <= '9') {
		return as_json_scan_fail(s, ASSAY_EDATA, s->line, (size_t)(s->p - s->text),
					 "a number must not begin with a zero");
	}
	*out = (assay_text){s->p, n};
	s->p += n;
	return 0;
}
