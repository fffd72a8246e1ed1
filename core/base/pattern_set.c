/* Characters and sets of characters. */
#include "core/base/error.h"
#include "core/base/pattern_part.h"
#include "core/base/text.h"
#include "core/base/unicode.h"

#include <stdlib.h>
#include <string.h>

/* Categories that stay categories; the others are spelled out as ranges. */
#define DIGIT 1u
#define NOT_DIGIT 2u
#define WORD 4u
#define NOT_WORD 8u

typedef struct range {
	uint32_t first, last;
} range;

typedef struct set {
	range *at;
	size_t n, cap;
	unsigned categories;
	bool failed;
} set;

static const range unicode_spaces[] = {{0x09, 0x0d},     {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
				       {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
				       {0x205f, 0x205f}, {0x3000, 0x3000}};
static const range ascii_spaces[] = {{0x09, 0x0d}, {0x20, 0x20}};
static const range ascii_digits[] = {{'0', '9'}};
static const range ascii_words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool add(void *payload, uint32_t first, uint32_t last)
{
	set *s = payload;

	if (s->failed || !as_grow(&s->at, &s->cap, s->n + 1, sizeof *s->at)) {
		s->failed = true;
		return false;
	}
	s->at[s->n++] = (range){first, last};
	return true;
}

/* Add n sorted ranges, or everything but them. */
static void add_ranges(set *s, const range *ranges, size_t n, bool negate)
{
	uint32_t from = 0;

	for (size_t i = 0; i < n; i++) {
		if (!negate) {
			add(s, ranges[i].first, ranges[i].last);
		} else if (ranges[i].first > from) {
			add(s, from, ranges[i].first - 1);
		}
		from = ranges[i].last + 1;
	}
	if (negate) {
		add(s, from, AS_MAX_CODE_POINT);
	}
}

static void add_category(set *s, const as_pattern *p, char name)
{
	bool ascii = (p->flags & AS_FLAG_ASCII) != 0;
	bool negate = name >= 'A' && name <= 'Z';

	switch (name) {
	case 's':
	case 'S':
		if (ascii) {
			add_ranges(s, ascii_spaces, COUNT(ascii_spaces), negate);
		} else {
			add_ranges(s, unicode_spaces, COUNT(unicode_spaces), negate);
		}
		break;
	case 'd':
	case 'D':
		if (ascii) {
			add_ranges(s, ascii_digits, COUNT(ascii_digits), negate);
		} else {
			s->categories |= negate ? NOT_DIGIT : DIGIT;
		}
		break;
	default:
		if (ascii) {
			add_ranges(s, ascii_words, COUNT(ascii_words), negate);
		} else {
			s->categories |= negate ? NOT_WORD : WORD;
		}
		break;
	}
}

/* Add the other cases of what is in the set. */
static void fold(set *s, const as_pattern *p)
{
	size_t n = s->n;

	for (size_t i = 0; i < n && !s->failed; i++) {
		range r = s->at[i];

		if (!(p->flags & AS_FLAG_ASCII)) {
			as_char_fold(r.first, r.last, add, s);
			continue;
		}
		for (uint32_t c = 'A'; c <= 'Z'; c++) {
			if (r.first <= c && c <= r.last) {
				add(s, c + 32, c + 32);
			}
			if (r.first <= c + 32 && c + 32 <= r.last) {
				add(s, c, c);
			}
		}
	}
}

static int by_first(const void *x, const void *y)
{
	const range *a = x, *b = y;

	return (a->first > b->first) - (a->first < b->first);
}

/* PCRE2 refuses lone surrogates as ends of a range, and no text has them. */
static bool without_surrogates(range *r)
{
	if (r->first >= 0xd800 && r->first < 0xe000) {
		r->first = 0xe000;
	}
	if (r->last >= 0xd800 && r->last < 0xe000) {
		r->last = 0xd7ff;
	}
	return r->first <= r->last;
}

/* Sort, and join what touches. */
static void merge(set *s)
{
	size_t kept = 0;

	if (s->n == 0) {
		return;
	}
	qsort(s->at, s->n, sizeof *s->at, by_first);
	for (size_t i = 1; i < s->n; i++) {
		if (s->at[i].first > s->at[kept].last + 1) {
			s->at[++kept] = s->at[i];
		} else if (s->at[i].last > s->at[kept].last) {
			s->at[kept].last = s->at[i].last;
		}
	}
	s->n = 0;
	for (size_t i = 0; i <= kept; i++) {
		range r = s->at[i];

		if (without_surrogates(&r)) {
			s->at[s->n++] = r;
		}
	}
}

#define OWN_WORD "\\p{L}\\p{N}_"

/* What stands between the brackets; nothing when it matches nothing. */
static void write_members(const as_pattern *p, const set *s, unsigned categories)
{
	for (size_t i = 0; i < s->n; i++) {
		range r = s->at[i];

		as_buf_printf(p->out, "\\x{%x}", (unsigned)r.first);
		if (r.last > r.first) {
			as_buf_printf(p->out, "-\\x{%x}", (unsigned)r.last);
		}
	}
	if (categories & DIGIT) {
		as_buf_puts(p->out, "\\p{Nd}");
	}
	if (categories & NOT_DIGIT) {
		as_buf_puts(p->out, "\\P{Nd}");
	}
	if (categories & WORD) {
		as_buf_puts(p->out, p->own_words ? OWN_WORD : "\\w");
	}
	if (categories & NOT_WORD) {
		as_buf_puts(p->out, "\\W");
	}
}

/* "[...]" or "[^...]"; a set without members matches nothing, its negation any character. */
static void write_set(const as_pattern *p, const set *s, unsigned categories, bool negate, bool *loose)
{
	size_t start = p->out->len, members;

	as_buf_puts(p->out, negate ? "[^" : "[");
	members = p->out->len;
	write_members(p, s, categories);
	if (p->out->failed) {
		return;
	}
	if (p->out->len > members) {
		as_buf_byte(p->out, ']');
		return;
	}
	p->out->len = start;
	as_buf_puts(p->out, negate ? "(?s:.)" : "(?!)");
	*loose = *loose || !negate;
}

/* A set with our own \W in it, which no bracket can hold. */
static void write_set_without_words(const as_pattern *p, const set *s, bool negate, bool *loose)
{
	unsigned categories = s->categories & ~NOT_WORD;
	bool ignored = false;

	*loose = false;
	if (s->n == 0 && categories == 0) {
		as_buf_puts(p->out, negate ? "[" OWN_WORD "]" : "[^" OWN_WORD "]");
		return;
	}
	as_buf_puts(p->out, negate ? "(?:(?!" : "(?:");
	write_set(p, s, categories, false, &ignored);
	as_buf_puts(p->out, negate ? ")[" OWN_WORD "])" : "|[^" OWN_WORD "])");
}

/* Write the set, whose reading began at `at`, and free it. */
static int finish(as_pattern *p, size_t at, set *s, bool negate, bool *loose)
{
	int code = 0;

	*loose = false;
	if (p->flags & AS_FLAG_IGNORECASE) {
		merge(s); /* folding looks at every range: the fewer the better */
		fold(s, p);
	}
	merge(s);
	p->widest = s->n > p->widest ? s->n : p->widest;
	if (s->failed) {
		code = as_fail_memory(p->err);
	} else if (s->n > AS_PATTERN_MAX_RANGES) {
		code = as_pattern_too_large(p, at, "has too many ranges in a set", AS_PATTERN_MAX_RANGES);
	} else if (p->own_words && (s->categories & NOT_WORD)) {
		write_set_without_words(p, s, negate, loose);
	} else {
		write_set(p, s, s->categories, negate, loose);
	}
	free(s->at);
	return code;
}

int as_pattern_category(as_pattern *p, char name, bool *loose)
{
	set s = {0};

	*loose = false;
	if (!(p->flags & AS_FLAG_ASCII) && strchr("dD", name)) {
		as_buf_puts(p->out, name == 'd' ? "\\p{Nd}" : "\\P{Nd}");
		return 0;
	}
	if (!(p->flags & AS_FLAG_ASCII) && !p->own_words && strchr("wW", name)) {
		as_buf_puts(p->out, name == 'w' ? "\\w" : "\\W");
		return 0;
	}
	add_category(&s, p, name);
	return finish(p, p->next.at, &s, false, loose);
}

void as_pattern_boundary(as_pattern *p, bool negate)
{
	const char *word = p->flags & AS_FLAG_ASCII ? "[A-Za-z0-9_]" : "[" OWN_WORD "]";

	if (!(p->flags & AS_FLAG_ASCII) && !p->own_words) {
		as_buf_puts(p->out, negate ? "\\B" : "\\b");
	} else {
		as_buf_printf(p->out, negate ? "(?:(?<=%s)(?=%s)|(?<!%s)(?!%s))" : "(?:(?<=%s)(?!%s)|(?<!%s)(?=%s))",
			      word, word, word, word);
	}
	if (negate) {
		as_buf_puts(p->out, "(?!\\A\\z)"); /* Python's \B never matches in an empty text */
	}
}

static void write_character(const as_pattern *p, uint32_t c)
{
	char bytes[4];

	if (c < 0x20 || c == 0x7f) {
		as_buf_printf(p->out, "\\x{%x}", (unsigned)c);
		return;
	}
	if (c < 0x80 && !as_is_alnum(c) && c != '_') {
		as_buf_byte(p->out, '\\');
	}
	as_buf_add(p->out, (assay_str){bytes, as_utf8_put(bytes, c)});
}

/* Characters of which neither is the other's upper case, and which Python takes for one because both have one. */
static bool is_python_pair(uint32_t c)
{
	static const uint32_t all[] = {0x390, 0x1fd3, 0x3b0, 0x1fe3, 0xfb05, 0xfb06};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (all[i] == c) {
			return true;
		}
	}
	return false;
}

int as_pattern_literal(as_pattern *p, uint32_t c, bool *loose)
{
	set s = {0};
	size_t cases = 0;
	int code;

	*loose = false;
	if (!(p->flags & AS_FLAG_IGNORECASE)) {
		range r = {c, c};

		*loose = !without_surrogates(&r);
		if (*loose) {
			as_buf_puts(p->out, "(?!)");
		} else {
			write_character(p, c);
		}
		return 0;
	}
	add(&s, c, c);
	fold(&s, p);
	merge(&s);
	for (size_t i = 0; i < s.n; i++) {
		cases += s.at[i].last - s.at[i].first + 1;
	}
	/* PCRE2 knows pairs of cases as Python does, but not all of the larger sets; ASCII folding it does not know. */
	if (s.failed || cases > 2 || is_python_pair(c) || (p->flags & AS_FLAG_ASCII) || (c >= 0xd800 && c < 0xe000)) {
		p->flags &= ~AS_FLAG_IGNORECASE; /* done already */
		code = finish(p, p->next.at, &s, false, loose);
		p->flags |= AS_FLAG_IGNORECASE;
		return code;
	}
	free(s.at);
	write_character(p, c);
	return 0;
}

/* --- reading --- */

static bool is_digit(uint32_t c, unsigned base)
{
	return base == 16 ? (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
			  : c >= '0' && c < '0' + base;
}

/* Append up to `most` digits that come next to value; *n of them. */
static uint32_t take_digits(as_pattern *p, uint32_t value, unsigned base, unsigned most, unsigned *n)
{
	for (*n = 0; *n < most && !p->next.end && !p->next.escaped && is_digit(p->next.c, base); ++*n) {
		uint32_t c = as_pattern_take(p).c;

		value = value * base + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	return value;
}

static int escape_hex(as_pattern *p, const as_token *t, unsigned digits, uint32_t *c)
{
	unsigned n;

	*c = take_digits(p, 0, 16, digits, &n);
	if (n < digits) {
		return as_pattern_refuse(p, t->at, "incomplete escape \\%c: it takes %u hexadecimal digits", (char)t->c,
					 digits);
	}
	if (*c > AS_MAX_CODE_POINT) {
		return as_pattern_refuse(p, t->at, "bad escape \\%c: %x is no character", (char)t->c, (unsigned)*c);
	}
	return 0;
}

int as_pattern_escape(as_pattern *p, const as_token *t, bool in_set, uint32_t *c)
{
	static const char letters[] = "afnrtvb\\", meant[] = "\a\f\n\r\t\v\b\\";
	const char *known = t->c != 0 && t->c < 0x80 ? strchr(letters, (int)t->c) : NULL;
	unsigned n;

	if (known && (t->c != 'b' || in_set)) {
		*c = (unsigned char)meant[known - letters];
		return 0;
	}
	switch (t->c) {
	case 'x':
		return escape_hex(p, t, 2, c);
	case 'u':
		return escape_hex(p, t, 4, c);
	case 'U':
		return escape_hex(p, t, 8, c);
	case 'N':
		return as_pattern_refuse(p, t->at, "characters by name (\\N{...}) are not supported");
	default:
		break;
	}
	if (t->c == '0' || (in_set && is_digit(t->c, 8))) {
		*c = take_digits(p, t->c - '0', 8, 2, &n);
		return *c <= 0377 ? 0 : as_pattern_refuse(p, t->at, "octal escape value outside of range 0-0o377");
	}
	if (t->c < 0x80 && as_is_alnum(t->c)) {
		return as_pattern_refuse(p, t->at, "bad escape \\%c", (char)t->c);
	}
	*c = t->c;
	return 0;
}

/* One member of a set: a character, or a category (*name is set, else 0). */
static int take_member(as_pattern *p, const as_token *t, uint32_t *c, char *name)
{
	*c = 0;
	*name = 0;
	if (!t->escaped) {
		*c = t->c;
		return 0;
	}
	if (t->c != 0 && t->c < 0x80 && strchr("dDsSwW", (int)t->c)) {
		*name = (char)t->c;
		return 0;
	}
	return as_pattern_escape(p, t, true, c);
}

/* The second end of a range that began with `t`; its "-" has been consumed. *closed: the set ended instead. */
static int take_range(as_pattern *p, set *s, const as_token *t, uint32_t c, char name, bool *closed)
{
	as_token that = as_pattern_take(p);
	uint32_t last;
	char last_name;
	int code;

	*closed = !that.escaped && !that.end && that.c == ']';
	if (*closed) { /* the "-" stands for itself */
		if (name) {
			add_category(s, p, name);
		} else {
			add(s, c, c);
		}
		add(s, '-', '-');
		return 0;
	}
	if (that.end) {
		return 0; /* said by the caller */
	}
	code = take_member(p, &that, &last, &last_name);
	if (code != 0) {
		return code;
	}
	if (name || last_name || last < c) {
		assay_str from = as_pattern_text(p, t), to = as_pattern_text(p, &that);

		return as_pattern_refuse(p, t->at, "bad character range %.*s-%.*s", ASSAY_FMT(from), ASSAY_FMT(to));
	}
	add(s, c, last);
	return 0;
}

int as_pattern_set(as_pattern *p, size_t at, bool *loose)
{
	set s = {0};
	bool negate = as_pattern_match(p, '^'), closed = false;
	int code = 0;

	for (bool first = true; code == 0 && !closed; first = false) {
		as_token t = as_pattern_take(p);
		uint32_t c;
		char name;

		if (t.end) {
			code = as_pattern_refuse(p, at, "unterminated character set");
			break;
		}
		if (t.c == ']' && !t.escaped && !first) {
			break;
		}
		code = take_member(p, &t, &c, &name);
		if (code != 0) {
			break;
		}
		if (as_pattern_match(p, '-')) {
			code = take_range(p, &s, &t, c, name, &closed);
		} else if (name) {
			add_category(&s, p, name);
		} else {
			add(&s, c, c);
		}
	}
	if (code != 0) {
		free(s.at);
		return code;
	}
	return finish(p, at, &s, negate, loose);
}
