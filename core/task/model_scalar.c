#include "core/task/model_scalar.h"

#include "core/base/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DIGITS 4300 /* of an integer, as Python limits them */
#define MAX_REAL 400    /* bytes of a double written as text */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int give(assay_json *v, assay_json **out)
{
	*out = v;
	return v ? 0 : ASSAY_ENOMEM;
}

/* Between 1e-5 and 1e16 as_json_write_double agrees but for the range down from 1e-4, which it writes with an exponent;
 * elsewhere the exponent has no padding here. */
static void respell(assay_str shortest, as_buf *out)
{
	const char *e = memchr(shortest.ptr, 'e', shortest.len);
	long exponent = e ? strtol(e + 1, NULL, 10) : 0;
	if (!e) {
		as_buf_add(out, shortest);
	} else if (exponent != -5) {
		as_buf_add(out, (assay_str){shortest.ptr, (size_t)(e - shortest.ptr)});
		as_buf_printf(out, exponent < 0 ? "e%ld" : "e+%ld", exponent);
	} else {
		as_buf_puts(out, shortest.ptr[0] == '-' ? "-0.0000" : "0.0000");
		for (const char *p = shortest.ptr; p < e; p++) {
			if (is_digit(*p)) {
				as_buf_byte(out, *p);
			}
		}
	}
}

assay_json *as_scalar_double(double d)
{
	as_buf shortest = {0}, text = {0};
	assay_json *v = NULL;
	if (!isfinite(d)) {
		return as_json_null();
	}
	as_json_write_double(&shortest, d);
	if (as_buf_check(&shortest, NULL) == 0) {
		respell(as_buf_str(&shortest), &text);
		if (as_buf_check(&text, NULL) == 0) {
			v = as_json_number(as_buf_str(&text));
		}
	}
	as_buf_free(&shortest);
	as_buf_free(&text);
	return v;
}

/* The text without white space at both ends, and without the underscores that may stand between two digits. False: not
 * that, or too long for `size`. */
static bool plain_number(assay_str s, char *out, size_t size)
{
	size_t n = 0;
	while (s.len > 0 && strchr(" \t\n\r\f\v", s.ptr[0]) && s.ptr[0] != '\0') {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && strchr(" \t\n\r\f\v", s.ptr[s.len - 1]) && s.ptr[s.len - 1] != '\0') {
		s.len--;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_') {
			if (i == 0 || i + 1 == s.len || !is_digit(s.ptr[i - 1]) || !is_digit(s.ptr[i + 1])) {
				return false;
			}
		} else if (n + 1 < size && s.ptr[i] != '\0') {
			out[n++] = s.ptr[i];
		} else {
			return false;
		}
	}
	out[n] = '\0';
	return n > 0;
}

/* "+003.00" as the integer "3"; NULL in *out when it is none. */
static int integer_of_text(const char *text, assay_json **out)
{
	const char *p = text + (text[0] == '-' || text[0] == '+');
	size_t n = strspn(p, "0123456789"), zeros;
	char spelled[MAX_DIGITS + 2];
	bool zero;
	if (n == 0 || n > MAX_DIGITS || (p[n] == '.' && (p[n + 1] == '\0' || p[n + 1 + strspn(p + n + 1, "0")]))) {
		return 0;
	}
	if (p[n] != '\0' && p[n] != '.') {
		return 0;
	}
	zeros = strspn(p, "0");
	zero = zeros >= n;
	zeros = zero ? n - 1 : zeros;
	snprintf(spelled, sizeof spelled, "%s%.*s", text[0] == '-' && !zero ? "-" : "", (int)(n - zeros), p + zeros);
	return give(as_json_number(as_str(spelled)), out);
}

int as_scalar_int(const assay_json *v, assay_json **out)
{
	char text[MAX_DIGITS + 16];
	double d;
	*out = NULL;
	switch (as_json_type(v)) {
	case ASSAY_JSON_BOOL:
		return give(as_json_integer(as_json_boolean(v, 0)), out);
	case ASSAY_JSON_STRING:
		return plain_number(as_json_str(v), text, sizeof text) ? integer_of_text(text, out) : 0;
	case ASSAY_JSON_NUMBER:
		if (as_json_is_integer(v)) {
			return plain_number(as_json_spelling(v), text, sizeof text) ? integer_of_text(text, out) : 0;
		}
		d = as_json_f64(v, (double)NAN);
		if (!(fabs(d) < 9.2e18) || floor(d) != d) {
			return 0;
		}
		return give(as_json_integer((int64_t)d), out);
	default:
		return 0;
	}
}

/* A decimal number, or inf and nan in Rust's spellings, whole. */
static bool real_of_text(const char *text, double *out)
{
	const char *p = text + (text[0] == '-' || text[0] == '+');
	char *end;
	if (strspn(p, "0123456789.eE+-") != strlen(p) && strcasecmp(p, "inf") != 0 && strcasecmp(p, "infinity") != 0 &&
	    strcasecmp(p, "nan") != 0) {
		return false;
	}
	*out = strtod(text, &end);
	return end != text && *end == '\0';
}

int as_scalar_real(const assay_json *v, assay_json **out)
{
	char text[MAX_REAL];
	double d;
	*out = NULL;
	switch (as_json_type(v)) {
	case ASSAY_JSON_BOOL:
		return give(as_scalar_double(as_json_boolean(v, 0)), out);
	case ASSAY_JSON_STRING:
		if (!plain_number(as_json_str(v), text, sizeof text) || !real_of_text(text, &d)) {
			return 0;
		}
		return give(as_scalar_double(d), out);
	case ASSAY_JSON_NUMBER:
		d = as_json_f64(v, (double)NAN);
		return give(as_scalar_double(d == 0 && as_json_is_integer(v) ? 0.0 : d), out);
	default:
		return 0;
	}
}

int as_scalar_bool(const assay_json *v, assay_json **out)
{
	static const char *const words[] = {"0", "f", "n", "no", "off", "false", "1", "t", "y", "yes", "on", "true"};
	double d;
	*out = NULL;
	switch (as_json_type(v)) {
	case ASSAY_JSON_BOOL:
		return give(as_json_truth(as_json_boolean(v, 0)), out);
	case ASSAY_JSON_NUMBER:
		d = as_json_f64(v, -1);
		return d == 0 || d == 1 ? give(as_json_truth(d == 1), out) : 0;
	case ASSAY_JSON_STRING:
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			const char *text = as_json_cstr(v, "");
			if (strcasecmp(text, words[i]) == 0 && strlen(text) == as_json_str(v).len) {
				return give(as_json_truth(i >= 6), out);
			}
		}
		return 0;
	default:
		return 0;
	}
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int as_scalar_uuid(const assay_json *v, assay_json **out)
{
	assay_str s = as_json_str(v);
	char text[37];
	bool bare;
	size_t n = 0;
	*out = NULL;
	if (as_str_starts(s, ASSAY_STR("urn:uuid:")) && s.len == 45) {
		s = (assay_str){s.ptr + 9, s.len - 9};
	} else if (s.len == 38 && s.ptr[0] == '{' && s.ptr[37] == '}') {
		s = (assay_str){s.ptr + 1, 36};
	}
	bare = s.len == 32;
	if (as_json_type(v) != ASSAY_JSON_STRING || (!bare && s.len != 36)) {
		return 0;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (n == 8 || n == 13 || n == 18 || n == 23) {
			text[n++] = '-';
			if (!bare && s.ptr[i] != '-') {
				return 0;
			}
			i += !bare;
		}
		if (!is_hex(s.ptr[i])) {
			return 0;
		}
		text[n++] = (char)(s.ptr[i] >= 'A' && s.ptr[i] <= 'F' ? s.ptr[i] + ('a' - 'A') : s.ptr[i]);
	}
	return give(as_json_string((assay_str){text, n}), out);
}
