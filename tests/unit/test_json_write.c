/* Writing JSON and comparing values. */
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static assay_json *parse(const char *text, uint32_t profile)
{
	assay_json *v = NULL;
	assay_error err = {0};
	int rc = as_json_parse(as_str(text), profile, &v, &err);
	ck_assert_msg(rc == 0, "%s: %s", text, err.message);
	ck_assert_ptr_nonnull(v);
	return v;
}

/* Parse in the given profile, write in the given style, compare. */
static void check_written(const char *text, uint32_t profile, uint32_t style, const char *expected)
{
	assay_json *v = parse(text, profile);
	assay_text out;
	ck_assert_int_eq(as_json_dump(v, style, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, expected);
	ck_assert_uint_eq(out.len, strlen(expected));
	as_text_free(&out);
	as_json_free(v);
}

START_TEST(test_styles)
{
	static const char text[] = "{\"b\":[1,{\"d\":2,\"c\":[]},{}],\"a\":\"\\u007f\xC3\xA9\xF0\x9F\x98\x80/\\u0000\","
				   "\"n\":[1E3,-0,-0.0,1.50]}";
	check_written(text, ASSAY_JSON_PEER, ASSAY_JSON_PYTHON,
		      "{\"b\": [1, {\"d\": 2, \"c\": []}, {}], \"a\": \"\\u007f\\u00e9\\ud83d\\ude00/\\u0000\", "
		      "\"n\": [1000.0, 0, -0.0, 1.5]}");
	check_written(text, ASSAY_JSON_PEER, ASSAY_JSON_PYTHON_RAW,
		      "{\"b\": [1, {\"d\": 2, \"c\": []}, {}], \"a\": \"\x7F\xC3\xA9\xF0\x9F\x98\x80/\\u0000\", "
		      "\"n\": [1000.0, 0, -0.0, 1.5]}");
	check_written(text, ASSAY_JSON_PEER, ASSAY_JSON_PYTHON_SORTED,
		      "{\"a\": \"\\u007f\\u00e9\\ud83d\\ude00/\\u0000\", \"b\": [1, {\"c\": [], \"d\": 2}, {}], "
		      "\"n\": [1000.0, 0, -0.0, 1.5]}");
	check_written(text, ASSAY_JSON_PEER, ASSAY_JSON_CANONICAL,
		      "{\"a\":\"\x7F\xC3\xA9\xF0\x9F\x98\x80/\\u0000\",\"b\":[1,{\"c\":[],\"d\":2},{}],"
		      "\"n\":[1000.0,0,-0.0,1.5]}");
	check_written("{\"b\":[1,{}],\"a\":[],\"c\":{\"d\":1E3}}", ASSAY_JSON_STRICT, ASSAY_JSON_PRETTY,
		      "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": [],\n  \"c\": {\n    \"d\": 1E3\n  }\n}");
	check_written("1e999", ASSAY_JSON_PEER, ASSAY_JSON_CANONICAL, "Infinity");
	check_written("-1e999", ASSAY_JSON_PEER, ASSAY_JSON_COMPACT, "-1e999");
	/* Keys sort by code point: a NUL first, U+FFFD before U+1F600. */
	check_written("{\"\\uD83D\\uDE00\":1,\"\\uFFFD\":2,\"a\\u0001\":3,\"a\\u0000b\":4,\"a\":5,\"\xC3\xA9\":6}",
		      ASSAY_JSON_PEER, ASSAY_JSON_CANONICAL,
		      "{\"a\":5,\"a\\u0000b\":4,\"a\\u0001\":3,\"\xC3\xA9\":6,\"\xEF\xBF\xBD\":2,"
		      "\"\xF0\x9F\x98\x80\":1}");
	assay_text out;
	ck_assert_int_eq(as_json_dump(NULL, ASSAY_JSON_COMPACT, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, "null");
	as_text_free(&out);
	ck_assert_int_eq(as_json_dump(NULL, 99, &out, NULL), ASSAY_EINVAL);
	ck_assert_ptr_null(out.ptr);
}
END_TEST

static void check_double(double d, const char *expected)
{
	as_buf b = {0};
	as_json_write_double(&b, d);
	ck_assert_str_eq(b.ptr, expected);
	as_buf_free(&b);
}

START_TEST(test_doubles)
{
	/* Expected texts are Python's repr. */
	check_double(0.0, "0.0");
	check_double(-0.0, "-0.0");
	check_double(1.0, "1.0");
	check_double(-1.5, "-1.5");
	check_double(0.1, "0.1");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(100.0, "100.0");
	check_double(1e15, "1000000000000000.0");
	check_double(1234567890123456.7, "1234567890123456.8");
	check_double(9999999999999998.0, "9999999999999998.0");
	check_double(1e16, "1e+16");
	check_double(1e22, "1e+22");
	check_double(1e23, "1e+23");
	check_double(1.5e300, "1.5e+300");
	check_double(0.0001, "0.0001");
	check_double(0.00012345, "0.00012345");
	check_double(0.00001, "1e-05");
	check_double(1.5e-7, "1.5e-07");
	check_double(123456.789, "123456.789");
	check_double(5e-324, "5e-324");
	check_double(1.5e-323, "1.5e-323");
	check_double(2.2250738585072014e-308, "2.2250738585072014e-308");
	check_double(2.225073858507201e-308, "2.225073858507201e-308");
	check_double(1.7976931348623157e308, "1.7976931348623157e+308");
	check_double(0x1p-44, "5.684341886080802e-14"); /* the nearest 16 digits do not read back, others do */
	check_double(0x1p-1022, "2.2250738585072014e-308");
	check_double(0x1p1023, "8.98846567431158e+307");
	check_double(9007199254740993.0, "9007199254740992.0");
	check_double((double)NAN, "NaN");
	check_double((double)-INFINITY, "-Infinity");
}
END_TEST

START_TEST(test_doubles_read_back)
{
	uint64_t x = 88172645463325252u;
	as_buf b = {0};
	for (int i = 0; i < 20000; i++) {
		double d;
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&d, &x, sizeof d);
		if (!isfinite(d)) {
			continue;
		}
		as_buf_clear(&b);
		as_json_write_double(&b, d);
		ck_assert(strtod(b.ptr, NULL) == d);
	}
	for (int e = -1074; e < 1024; e++) {
		as_buf_clear(&b);
		as_json_write_double(&b, ldexp(1.0, e));
		ck_assert(strtod(b.ptr, NULL) == ldexp(1.0, e));
	}
	as_buf_free(&b);
}
END_TEST

/* The same as the writer, a character at a time. */
static void write_plainly(as_buf *b, assay_str s, bool ascii)
{
	static const char marked[] = "\"\\\b\f\n\r\t", marks[] = "\"\\bfnrt";
	as_buf_byte(b, '"');
	for (size_t i = 0; i < s.len;) {
		uint32_t c = as_utf8_next(s, &i);
		const char *found = c > 0 && c < 0x80 ? strchr(marked, (int)c) : NULL;
		char utf8[4];
		if (found) {
			as_buf_printf(b, "\\%c", marks[found - marked]);
		} else if (c >= 0x10000 && ascii) {
			as_buf_printf(b, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
				      0xDC00 + ((c - 0x10000) & 0x3FF));
		} else if (c < 0x20 || (c >= 0x7F && ascii)) {
			as_buf_printf(b, "\\u%04x", (unsigned)c);
		} else {
			as_buf_add(b, (assay_str){utf8, as_utf8_put(utf8, c)});
		}
	}
	as_buf_byte(b, '"');
}

/* Texts of all lengths that the writer treats each in its way, of what it lets through and what not. */
START_TEST(test_strings)
{
	static const char *const parts[] = {
		"a",        "bcdefghijk",       "\"",       "\\", "\n", "\x01", "\x1F", "\x7F", "/",
		"\xC3\xA9", "\xF0\x9F\x98\x80", "\xC0\x80", "\b", "\f", "\r",   "\t"};
	const unsigned kinds = sizeof parts / sizeof *parts;
	unsigned state = 1;
	as_buf text = {0}, expected = {0}, written = {0};
	for (unsigned round = 0; round < 20000; round++) {
		size_t most = round % 139;
		unsigned rare = 2 + round / 139 % 20; /* one in so many is no letter */
		as_buf_clear(&text);
		as_buf_clear(&expected);
		as_buf_clear(&written);
		while (text.len < most) {
			state = state * 1103515245u + 12345u;
			as_buf_puts(&text, (state >> 16) % rare ? "x" : parts[(state >> 20) % kinds]);
		}
		as_buf_byte(&written, 'w'); /* what is there stays */
		as_buf_byte(&expected, 'w');
		as_json_write_string(&written, as_buf_str(&text), round % 2);
		write_plainly(&expected, as_buf_str(&text), round % 2);
		ck_assert_str_eq(written.ptr, expected.ptr);
		ck_assert_uint_eq(written.len, expected.len);
	}
	as_buf_free(&text);
	as_buf_free(&expected);
	as_buf_free(&written);
}
END_TEST

START_TEST(test_integers)
{
	as_buf b = {0};
	as_json_write_integer(&b, 0);
	as_buf_byte(&b, ' ');
	as_json_write_integer(&b, INT64_MIN);
	as_buf_byte(&b, ' ');
	as_json_write_integer(&b, INT64_MAX);
	ck_assert_str_eq(b.ptr, "0 -9223372036854775808 9223372036854775807");
	as_buf_free(&b);
}
END_TEST

static void check_equal(const char *a, const char *b, bool expected)
{
	assay_json *x = parse(a, ASSAY_JSON_PEER);
	assay_json *y = parse(b, ASSAY_JSON_PEER);
	ck_assert_msg(as_json_equal(x, y) == expected, "%s and %s", a, b);
	ck_assert_msg(as_json_equal(y, x) == expected, "%s and %s", b, a);
	ck_assert(as_json_equal(x, x) && as_json_equal(y, y));
	as_json_free(x);
	as_json_free(y);
}

START_TEST(test_equality)
{
	check_equal("1", "1.0", true);
	check_equal("1", "true", true);
	check_equal("0", "false", true);
	check_equal("-0", "0", true);
	check_equal("-0", "-0.0", true);
	check_equal("-0.0", "false", true);
	check_equal("1.0", "true", true);
	check_equal("2", "true", false);
	check_equal("1e2", "100", true);
	check_equal("1.50", "15e-1", true);
	check_equal("null", "false", false);
	check_equal("null", "0", false);
	check_equal("null", "null", true);
	check_equal("\"1\"", "1", false);
	check_equal("[]", "{}", false);
	check_equal("9007199254740993", "9007199254740992.0", false);
	check_equal("9007199254740992", "9007199254740992.0", true);
	check_equal("9007199254740993", "9007199254740993.0", false); /* the double is ...992 */
	check_equal("100000000000000000000000", "1e23", false);
	check_equal("99999999999999991611392", "1e23", true);
	check_equal("-99999999999999991611392", "-1e23", true);
	check_equal("12345678901234567890123", "12345678901234567890124", false);
	check_equal("1e999", "1e998", true);
	check_equal("1e999", "-1e999", false);
	check_equal("0.1", "0", false);
	check_equal("{\"a\":1,\"b\":[true]}", "{\"b\":[1.0],\"a\":true}", true);
	check_equal("{\"a\":1}", "{\"b\":1}", false);
	check_equal("{\"a\":1}", "{\"a\":1,\"b\":1}", false);
	check_equal("[1,2]", "[2,1]", false);
	check_equal("[1,2]", "[1,2,3]", false);
	check_equal("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":{}}",
		    "{\"j\":{},\"b\":2,\"c\":3.0,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"a\":true}", true);
	check_equal("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":{}}",
		    "{\"j\":[],\"b\":2,\"c\":3.0,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"a\":true}", false);
	ck_assert(as_json_equal(NULL, NULL));
	assay_json *null = as_json_null();
	ck_assert(!as_json_equal(NULL, null));
	as_json_free(null);
	as_buf big = {0};
	for (int i = 0; i < 400; i++) {
		as_buf_byte(&big, '9');
	}
	check_equal(big.ptr, "1e999", false);
	as_buf_free(&big);
}
END_TEST

static int order(const char *a, const char *b)
{
	assay_json *x = parse(a, ASSAY_JSON_PEER);
	assay_json *y = parse(b, ASSAY_JSON_PEER);
	int result = as_json_number_cmp(x, y);
	ck_assert_int_eq(as_json_number_cmp(y, x), -result);
	as_json_free(x);
	as_json_free(y);
	return result;
}

START_TEST(test_number_order)
{
	ck_assert_int_eq(order("1", "2"), -1);
	ck_assert_int_eq(order("10", "9"), 1);
	ck_assert_int_eq(order("-10", "9"), -1);
	ck_assert_int_eq(order("-10", "-9"), -1);
	ck_assert_int_eq(order("0", "-0"), 0);
	ck_assert_int_eq(order("1", "1.0"), 0);
	ck_assert_int_eq(order("1.5", "1"), 1);
	ck_assert_int_eq(order("9007199254740993", "9007199254740992.0"), 1);
	ck_assert_int_eq(order("-9007199254740993", "-9007199254740992.0"), -1);
	ck_assert_int_eq(order("9007199254740991", "9007199254740992.0"), -1);
	ck_assert_int_eq(order("123456789012345678901", "123456789012345678902"), -1);
	ck_assert_int_eq(order("123456789", "1e999"), -1);
	ck_assert_int_eq(order("123456789", "-1e999"), 1);
}
END_TEST

START_TEST(test_same)
{
	assay_json *a = parse("[1,true,{\"a\":0}]", ASSAY_JSON_STRICT);
	assay_json *b = parse("[1.0,true,{\"a\":0.0}]", ASSAY_JSON_STRICT);
	assay_json *c = parse("[1,1,{\"a\":0}]", ASSAY_JSON_STRICT);
	ck_assert(as_json_same(a, b));
	ck_assert(as_json_equal(a, c));
	ck_assert(!as_json_same(a, c));
	ck_assert(as_json_same(NULL, NULL) && !as_json_same(a, NULL));
	as_json_free(a);
	as_json_free(b);
	as_json_free(c);
}
END_TEST

START_TEST(test_write_string)
{
	as_buf b = {0};
	as_json_write_string(&b, ASSAY_STR("a\0\"\xC0\x80\xFF\xC3\xA9\x1F"), true);
	ck_assert_str_eq(b.ptr, "\"a\\u0000\\\"\\u0000\\ufffd\\u00e9\\u001f\"");
	as_buf_clear(&b);
	as_json_write_string(&b, ASSAY_STR("\xFFx\xF0\x9F"), false);
	ck_assert_str_eq(b.ptr, "\"\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD\"");
	as_buf_clear(&b);
	as_json_write_string(&b, (assay_str){NULL, 0}, false);
	ck_assert_str_eq(b.ptr, "\"\"");
	as_buf_free(&b);
}
END_TEST

UNIT_SUITE(json_write_suite, "json_write", test_styles, test_strings, test_integers, test_doubles,
	   test_doubles_read_back, test_equality, test_number_order, test_same, test_write_string)
UNIT_MAIN(json_write_suite)
