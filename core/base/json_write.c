#include "core/base/error.h"
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What grows step by step leaves pieces of every size behind, in hundreds of threads. */
#define FIRST_BYTES 1200u

#define MAX_DIGITS 17
#define SHORT 100u /* bytes of a text that is worth trying as a whole */

/* Significant digits and the exponent of the first one: 12.5 is "125", 1. */
struct decimal {
	char digits[MAX_DIGITS + 1];
	int n, exponent;
};

static void split(double d, int precision, struct decimal *out)
{
	char text[MAX_DIGITS + 16];
	snprintf(text, sizeof text, "%.*e", precision - 1, d);
	const char *e = strchr(text, 'e');
	out->n = 0;
	for (const char *p = text; p < e; p++) {
		if (*p >= '0' && *p <= '9') {
			out->digits[out->n++] = *p;
		}
	}
	out->exponent = (int)strtol(e + 1, NULL, 10);
}

static bool reads_back(const struct decimal *x, double d)
{
	char text[MAX_DIGITS + 32];
	snprintf(text, sizeof text, "%.*se%d", x->n, x->digits, x->exponent - x->n + 1);
	return strtod(text, NULL) == d;
}

static void next_up(struct decimal *x)
{
	int i = x->n - 1;
	while (i >= 0 && x->digits[i] == '9') {
		x->digits[i--] = '0';
	}
	if (i >= 0) {
		x->digits[i]++;
	} else {
		x->digits[0] = '1';
		x->exponent++;
	}
}

/* Most numbers have few decimals. The quotient of two integers that a double holds exactly is the double that the
 * decimal reads back as. */
static bool few_decimals(double d, struct decimal *x)
{
	static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4};
	char text[24];
	for (int k = 0; k < 5 && d >= 1e-4 && d < 1e9; k++) {
		uint64_t n = (uint64_t)(d * scales[k] + 0.5);
		int at = (int)sizeof text;
		if ((double)n / scales[k] != d) {
			continue;
		}
		for (; n > 0; n /= 10) {
			text[--at] = (char)('0' + n % 10);
		}
		x->n = (int)sizeof text - at;
		x->exponent = x->n - 1 - k;
		memcpy(x->digits, text + at, (size_t)x->n);
		return true;
	}
	return false;
}

/* The shortest digits that read back as d > 0, of those the nearest to d. */
static void shortest(double d, struct decimal *x)
{
	int exponent;
	if (few_decimals(d, x)) {
		while (x->n > 1 && x->digits[x->n - 1] == '0') {
			x->n--;
		}
		return;
	}
	/* Below a power of two the doubles lie twice as close as above it, so the nearest decimal below may fail where
	 * the one above reads back. */
	bool power = frexp(d, &exponent) == 0.5;
	/* Every decimal of DBL_DIG digits survives the way through a normal double: a shorter one shows as zeros at
	 * the end. Subnormal numbers have less precision and go through all lengths. */
	int precision = d < DBL_MIN ? 1 : DBL_DIG;
	for (;; precision++) {
		split(d, precision, x);
		if (precision == MAX_DIGITS || reads_back(x, d)) {
			break;
		}
		if (power) {
			next_up(x);
			if (reads_back(x, d)) {
				break;
			}
		}
	}
	while (x->n > 1 && x->digits[x->n - 1] == '0') {
		x->n--;
	}
}

void as_json_write_double(as_buf *b, double d)
{
	struct decimal x = {.digits = "0", .n = 1};
	if (isnan(d)) {
		as_buf_puts(b, "NaN");
		return;
	}
	if (signbit(d)) {
		as_buf_byte(b, '-');
		d = -d;
	}
	if (isinf(d)) {
		as_buf_puts(b, "Infinity");
		return;
	}
	if (d > 0) {
		shortest(d, &x);
	}
	int point = x.exponent + 1; /* digits before the point */
	if (x.exponent < -4 || x.exponent >= 16) {
		as_buf_printf(b, "%c%s%.*se%c%02d", x.digits[0], x.n > 1 ? "." : "", x.n - 1, x.digits + 1,
			      x.exponent < 0 ? '-' : '+', abs(x.exponent));
	} else if (point <= 0) {
		as_buf_add(b, (assay_str){"0.0000", (size_t)(2 - point)});
		as_buf_add(b, (assay_str){x.digits, (size_t)x.n});
	} else if (point >= x.n) {
		as_buf_add(b, (assay_str){x.digits, (size_t)x.n});
		as_buf_add(b, (assay_str){"0000000000000000", (size_t)(point - x.n)});
		as_buf_puts(b, ".0");
	} else {
		as_buf_add(b, (assay_str){x.digits, (size_t)point});
		as_buf_byte(b, '.');
		as_buf_add(b, (assay_str){x.digits + point, (size_t)(x.n - point)});
	}
}

void as_json_write_integer(as_buf *b, int64_t n)
{
	char room[AS_JSON_INTEGER_SIZE];
	as_buf_add(b, as_json_integer_spelling(n, room));
}

/* What stands behind the backslash of a character that two bytes escape; '\0' for others. */
static char mark_of(unsigned char c)
{
	static const char marks['\\' + 1] = {
		['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	return c < sizeof marks ? marks[c] : '\0';
}

static void write_escape(as_buf *b, uint32_t unit)
{
	as_buf_printf(b, "\\u%04x", (unsigned)unit);
}

static bool is_plain(unsigned char c, bool ascii)
{
	return c >= 0x20 && c != '"' && c != '\\' && (c < 0x7F || !ascii);
}

/* Where the bytes that are written as they are end, from i on. */
static size_t plain_end(assay_str s, size_t i, bool ascii)
{
	size_t start = i;
	uint64_t x, seen = 0;
	for (; s.len - i >= sizeof x; i += sizeof x) {
		x = as_load64(s.ptr + i);
		/* Adding one carries DEL into the high bit. */
		if (as_json_special(x) || (ascii && ((x | (x + AS_EACH_BYTE(1))) & AS_EACH_BYTE(0x80)))) {
			break;
		}
		seen |= x;
	}
	for (; i < s.len && is_plain((unsigned char)s.ptr[i], ascii); i++) {
		seen |= (unsigned char)s.ptr[i];
	}
	return seen & AS_EACH_BYTE(0x80) ? start + as_utf8_check((assay_str){s.ptr + start, i - start}) : i;
}

/* The character at *i, which is no plain one, nor one that has a mark. Python escapes DEL with the non-ASCII
 * characters. */
static void write_special(as_buf *b, assay_str s, size_t *i, bool ascii)
{
	char utf8[4];
	if (s.ptr[*i] == '\0') {
		++*i;
		write_escape(b, 0);
		return;
	}
	if (s.len - *i >= 2 && memcmp(s.ptr + *i, "\xC0\x80", 2) == 0) {
		*i += 2;
		write_escape(b, 0);
		return;
	}
	uint32_t cp = as_utf8_next(s, i);
	if (cp < 0x20) {
		write_escape(b, cp);
	} else if (!ascii) {
		as_buf_add(b, (assay_str){utf8, as_utf8_put(utf8, cp)});
	} else if (cp < 0x10000) {
		write_escape(b, cp);
	} else {
		write_escape(b, 0xD800 + ((cp - 0x10000) >> 10));
		write_escape(b, 0xDC00 + ((cp - 0x10000) & 0x3FF));
	}
}

/* The usual case: short, and nothing in it is special. */
static inline bool write_short(as_buf *b, assay_str s)
{
	char *p = as_buf_reserve(b, s.len + 2) ? b->ptr + b->len : NULL;
	if (!p || !as_json_copy(p + 1, s, true)) {
		return false;
	}
	p[0] = '"';
	p[s.len + 1] = '"';
	p[s.len + 2] = '\0';
	b->len += s.len + 2;
	return true;
}

/* As write_short where some characters have marks: JSON within JSON is full of them. */
static bool write_marked(as_buf *b, assay_str s)
{
	char *p = as_buf_reserve(b, 2 * s.len + 2) ? b->ptr + b->len : NULL;
	if (!p) {
		return false;
	}
	*p++ = '"';
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		char mark = mark_of(c);
		if (mark) {
			*p++ = '\\';
			*p++ = mark;
		} else if (is_plain(c, true)) {
			*p++ = (char)c;
		} else {
			return false;
		}
	}
	*p++ = '"';
	*p = '\0';
	b->len = (size_t)(p - b->ptr);
	return true;
}

static void write_any(as_buf *b, assay_str s, bool ascii)
{
	as_buf_byte(b, '"');
	for (size_t i = 0; i < s.len && !b->failed;) {
		size_t start = i;
		i = plain_end(s, start, ascii);
		as_buf_add(b, (assay_str){s.ptr + start, i - start});
		if (i < s.len && mark_of((unsigned char)s.ptr[i])) {
			const char escape[2] = {'\\', mark_of((unsigned char)s.ptr[i++])};
			as_buf_add(b, (assay_str){escape, sizeof escape});
		} else if (i < s.len) {
			write_special(b, s, &i, ascii);
		}
	}
	as_buf_byte(b, '"');
}

/* Python escapes DEL with what is not ASCII. */
static inline void write_string(as_buf *b, assay_str s, bool ascii)
{
	bool written = s.len <= SHORT && !(ascii && s.len > 0 && memchr(s.ptr, 0x7F, s.len)) &&
		       (write_short(b, s) || write_marked(b, s));
	if (!written) {
		write_any(b, s, ascii);
	}
}

void as_json_write_string(as_buf *b, assay_str s, bool ascii)
{
	write_string(b, s, ascii);
}

/* spaced_comma, spaced_colon: a space follows. */
struct style {
	bool spaced_comma, spaced_colon, ascii, sorted, normalised, indented;
};

static const struct style styles[] = {
	[ASSAY_JSON_COMPACT] = {0},
	[ASSAY_JSON_PRETTY] = {.spaced_colon = true, .indented = true},
	[ASSAY_JSON_CANONICAL] = {.sorted = true, .normalised = true},
	[ASSAY_JSON_PYTHON] = {.spaced_comma = true, .spaced_colon = true, .ascii = true, .normalised = true},
	[ASSAY_JSON_PYTHON_RAW] = {.spaced_comma = true, .spaced_colon = true, .normalised = true},
	[ASSAY_JSON_PYTHON_SORTED] =
		{.spaced_comma = true, .spaced_colon = true, .ascii = true, .sorted = true, .normalised = true},
	[ASSAY_JSON_PRETTY_ASCII] = {.spaced_colon = true, .ascii = true, .indented = true},
};

static void write_number(as_buf *b, const cJSON *node, const struct style *style)
{
	if (!style->normalised) { /* NaN and the infinities are no JSON */
		const char *spelling = node->valuestring;
		as_buf_puts(b, spelling[*spelling == '-'] > '9' ? "null" : spelling);
	} else if (!as_json_is_integer((const assay_json *)node)) {
		as_json_write_double(b, node->valuedouble);
	} else {
		as_buf_puts(b, strcmp(node->valuestring, "-0") == 0 ? "0" : node->valuestring);
	}
}

static void write_line(as_buf *b, const struct style *style, unsigned depth)
{
	if (style->indented) {
		as_buf_byte(b, '\n');
		for (unsigned i = 0; i < depth; i++) {
			as_buf_puts(b, "  ");
		}
	}
}

static void write_value(as_buf *b, const cJSON *node, const struct style *style, unsigned depth);

static void put_mark(as_buf *b, char mark, bool spaced)
{
	as_buf_byte(b, mark);
	if (spaced) {
		as_buf_byte(b, ' ');
	}
}

static void write_child(as_buf *b, const cJSON *child, const struct style *style, unsigned depth, bool first)
{
	if (!first) {
		put_mark(b, ',', style->spaced_comma);
	}
	write_line(b, style, depth);
	if (child->string) {
		write_string(b, as_json_node_key(child), style->ascii);
		put_mark(b, ':', style->spaced_colon);
	}
	write_value(b, child, style, depth);
}

static void write_container(as_buf *b, const cJSON *node, const struct style *style, unsigned depth)
{
	bool object = as_json_kind(node) == cJSON_Object;
	as_buf_byte(b, object ? '{' : '[');
	if (object && style->sorted && node->child) {
		size_t n;
		cJSON **members = as_json_sorted_members(node, &n);
		b->failed = b->failed || !members;
		for (size_t i = 0; i < n && !b->failed; i++) {
			write_child(b, members[i], style, depth + 1, i == 0);
		}
		free(members);
	} else {
		for (const cJSON *c = node->child; c && !b->failed; c = c->next) {
			write_child(b, c, style, depth + 1, c == node->child);
		}
	}
	if (node->child) {
		write_line(b, style, depth);
	}
	as_buf_byte(b, object ? '}' : ']');
}

static void write_value(as_buf *b, const cJSON *node, const struct style *style, unsigned depth)
{
	switch (as_json_kind(node)) {
	case cJSON_False:
		as_buf_add(b, ASSAY_STR("false"));
		break;
	case cJSON_True:
		as_buf_add(b, ASSAY_STR("true"));
		break;
	case cJSON_Number:
		write_number(b, node, style);
		break;
	case cJSON_String:
		write_string(b, as_json_node_text(node), style->ascii);
		break;
	case cJSON_Array:
	case cJSON_Object:
		write_container(b, node, style, depth);
		break;
	default:
		as_buf_add(b, ASSAY_STR("null"));
		break;
	}
}

void as_json_write(as_buf *b, const assay_json *v, uint32_t style)
{
	if (!v) {
		as_buf_puts(b, "null");
		return;
	}
	if (as_json_node(v)->child && !b->ptr) {
		as_buf_reserve(b, FIRST_BYTES);
	}
	uint32_t known = style < sizeof styles / sizeof *styles ? style : ASSAY_JSON_COMPACT;
	write_value(b, as_json_node(v), &styles[known], 0);
}

int as_json_dump(const assay_json *v, uint32_t style, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	*out = (assay_text){0};
	if (style >= sizeof styles / sizeof *styles) {
		return as_fail(err, ASSAY_EINVAL, "no such JSON style: %u", (unsigned)style);
	}
	as_json_write(&b, v, style);
	return as_buf_take(&b, out, err);
}
