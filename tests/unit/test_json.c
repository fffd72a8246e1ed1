#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static assay_json *parse_n(const char *text, size_t n, uint32_t profile)
{
	assay_json *v = NULL;
	assay_error err = {0};
	int rc = as_json_parse((assay_str){text, n}, profile, &v, &err);
	ck_assert_msg(rc == 0, "%.*s: %s", (int)n, text, err.message);
	ck_assert_ptr_nonnull(v);
	return v;
}

static assay_json *parse(const char *text, uint32_t profile)
{
	return parse_n(text, strlen(text), profile);
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

static void check_same(const char *text)
{
	check_written(text, ASSAY_JSON_STRICT, ASSAY_JSON_COMPACT, text);
}

static void check_fails(const char *text, size_t len, uint32_t profile, uint32_t line, int64_t offset,
			const char *message)
{
	assay_json *v = (assay_json *)&line;
	assay_error err = {0};
	ck_assert_int_eq(as_json_parse((assay_str){text, len}, profile, &v, &err), ASSAY_EDATA);
	ck_assert_ptr_null(v);
	ck_assert_str_eq(err.message, message);
	ck_assert_uint_eq(err.line, line);
	ck_assert_int_eq(err.detail, offset);
	ck_assert_int_eq(as_json_parse((assay_str){text, len}, profile, &v, NULL), ASSAY_EDATA);
}

static void check_error(const char *text, uint32_t line, int64_t offset, const char *message)
{
	check_fails(text, strlen(text), ASSAY_JSON_STRICT, line, offset, message);
}

START_TEST(test_round_trips)
{
	check_same("null");
	check_same("true");
	check_same("false");
	check_same("0");
	check_same("-0");
	check_same("-12.50e+03");
	check_same("123456789012345678901234567890");
	check_same("\"\"");
	check_same("[]");
	check_same("{}");
	check_same("[[],{},[[]],[{\"\":[]}]]");
	check_same("{\"b\":1,\"a\":[true,false,null,\"x\",1.0]}");
	check_same("\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \x7F \xE2\x80\xA8\"");
	check_same("\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\"");
	check_written(" \r\n\t[ 1 ,\n 2 ] \n", ASSAY_JSON_STRICT, ASSAY_JSON_COMPACT, "[1,2]");
	check_written("\"\\u00e9\\/\\uD83D\\uDE00\\u0041x\"", ASSAY_JSON_STRICT, ASSAY_JSON_COMPACT,
		      "\"\xC3\xA9/\xF0\x9F\x98\x80"
		      "Ax\"");
}
END_TEST

START_TEST(test_syntax_errors)
{
	check_error("", 1, 0, "expected a value, found the end of the text");
	check_fails(NULL, 0, ASSAY_JSON_PEER, 1, 0, "expected a value, found the end of the text");
	check_error(" \n ", 2, 3, "expected a value, found the end of the text");
	check_error("{\"a\":1 x", 1, 7, "expected ',' or '}' after a member, found 'x'");
	check_error("[1,\n2\n\"x\"]", 3, 6, "expected ',' or ']' after an element, found '\"'");
	check_error("[1,]", 1, 3, "expected a value after ',', found ']'");
	check_error("[,1]", 1, 1, "expected a value or ']', found ','");
	check_error("{,}", 1, 1, "expected a key or '}', found ','");
	check_error("{\"a\":1,}", 1, 7, "expected a key after ',', found '}'");
	check_error("{\"a\"}", 1, 4, "expected ':' after a key, found '}'");
	check_error("{\"a\" 1}", 1, 5, "expected ':' after a key, found '1'");
	check_error("{\"a\":}", 1, 5, "expected a value, found '}'");
	check_error("{a:1}", 1, 1, "expected a key or '}', found 'a'");
	check_error("{'a':1}", 1, 1, "expected a key or '}', found '''");
	check_error("{\"a\":1", 1, 6, "expected ',' or '}' after a member, found the end of the text");
	check_error("[1}", 1, 2, "expected ',' or ']' after an element, found '}'");
	check_error("]", 1, 0, "expected a value, found ']'");
	check_error("1 2", 1, 2, "expected the end of the text, found '2'");
	check_error("{}\n\n{}", 3, 4, "expected the end of the text, found '{'");
	check_error("True", 1, 0, "expected a value, found 'True'");
	check_error("nul", 1, 0, "expected a value, found 'nul'");
	check_error("nullx", 1, 0, "expected a value, found 'nullx'");
	check_error("NaN", 1, 0, "expected a value, found 'NaN'");
	check_error("-Infinity", 1, 1, "expected a digit, found 'Infinity'");
	check_error("[1] // c", 1, 4, "expected the end of the text, found '/'");
	check_error("\xEF\xBB\xBF{}", 1, 0, "expected a value, found a byte order mark");
	check_error("\xE2\x80\x9C", 1, 0, "expected a value, found '\xE2\x80\x9C'");
	check_error("\xFF", 1, 0, "expected a value, found byte 0xFF");
	check_error("\x01", 1, 0, "expected a value, found control character U+0001");
	check_error("\xC2\x9B", 1, 0, "expected a value, found control character U+009B");
	check_fails("1\0", 2, ASSAY_JSON_PEER, 1, 1, "expected the end of the text, found control character U+0000");
}
END_TEST

START_TEST(test_number_errors)
{
	check_error("01", 1, 0, "a number must not begin with a zero");
	check_error("[-012]", 1, 1, "a number must not begin with a zero");
	check_error("-", 1, 1, "expected a digit, found the end of the text");
	check_error("-a", 1, 1, "expected a digit, found 'a'");
	check_error("+1", 1, 0, "expected a value, found '+'");
	check_error(".5", 1, 0, "expected a value, found '.'");
	check_error("1.", 1, 2, "expected a digit, found the end of the text");
	check_error("1.e5", 1, 2, "expected a digit, found 'e5'");
	check_error("1e", 1, 2, "expected a digit, found the end of the text");
	check_error("1e+", 1, 3, "expected a digit, found the end of the text");
	check_error("0x10", 1, 1, "expected the end of the text, found 'x10'");
	check_error("1_000", 1, 1, "expected the end of the text, found '_000'");
	check_error("[1e999]", 1, 1, "number 1e999 is too large for a double");
	check_same("1e-999");
}
END_TEST

START_TEST(test_string_errors)
{
	check_error("\"abc", 1, 4, "a string is not closed, found the end of the text");
	check_error("\"a\\", 1, 3, "expected one of \" \\ / b f n r t u after a backslash, found the end of the text");
	check_error("\"a\\x\"", 1, 3, "expected one of \" \\ / b f n r t u after a backslash, found 'x'");
	check_error("\"\\u12", 1, 5, "expected four hexadecimal digits after \\u, found the end of the text");
	check_error("\"\\u12G4\"", 1, 5, "expected four hexadecimal digits after \\u, found 'G4'");
	check_error("\"a\nb\"", 1, 2,
		    "expected the rest of a string, found control character U+000A, which must be escaped");
	check_error("\"\\ud800\"", 1, 1, "lone surrogate \\ud800 is no character");
	check_error("\"x\\udc00y\"", 1, 2, "lone surrogate \\udc00 is no character");
	check_error("\"\\ud800\\ud800\"", 1, 1, "lone surrogate \\ud800 is no character");
	check_error("\"\\ud800\\u00\"", 1, 11, "expected four hexadecimal digits after \\u, found '\"'");
	check_error("\"a\\u0000\"", 1, 2, "\\u0000 is not allowed in a string");
	check_fails("\"a\0\"", 4, ASSAY_JSON_PEER, 1, 2,
		    "expected the rest of a string, found control character U+0000, which must be escaped");
}
END_TEST

START_TEST(test_utf8_errors)
{
	/* Overlong forms, surrogates, too large, stray and missing continuation bytes: wrong in both profiles. */
	static const struct {
		const char *text;
		int64_t offset;
	} bad[] = {
		{"\"a\x80\"", 2},
		{"\"\xC0\x80\"", 1},
		{"\"\xC1\xBF\"", 1},
		{"\"\xC3\"", 1},
		{"\"\xE0\x80\x80\"", 1},
		{"\"ab\xED\xA0\x80\"", 3},
		{"\"\xE2\x82\"", 1},
		{"\"\xF0\x80\x80\x80\"", 1},
		{"\"\xF4\x90\x80\x80\"", 1},
		{"\"\xF5\x80\x80\x80\"", 1},
		{"\"\xFF\"", 1},
		{"\"\xC3\xA9\xC3\"", 3},
		{"\"\\n\xF0\x9F\x98\"", 3},
		{"{\"\xFE\":1}", 2},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		for (uint32_t profile = ASSAY_JSON_STRICT; profile <= ASSAY_JSON_PEER; profile++) {
			assay_json *v;
			assay_error err = {0};
			ck_assert_int_eq(as_json_parse(as_str(bad[i].text), profile, &v, &err), ASSAY_EDATA);
			ck_assert_msg(err.detail == bad[i].offset, "case %zu: offset %d", i, (int)err.detail);
			ck_assert_msg(strstr(err.message, "is not valid UTF-8 here") != NULL, "%s", err.message);
		}
	}
}
END_TEST

START_TEST(test_duplicate_keys)
{
	check_error("{\"a\":1,\n\"b\":2,\n \"a\":3,\"b\":4}", 3, 16, "key \"a\" occurs twice in one object");
	check_error("[{\"x\":{\"a\":1,\"a\":1}}]", 1, 13, "key \"a\" occurs twice in one object");
	check_error("{\"\\u0061\":1,\"a\":1}", 1, 12, "key \"a\" occurs twice in one object");
	check_same("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}");
	check_written("{\"a\":1,\"b\":[1],\"a\":{\"c\":1},\"d\":4,\"a\":3,\"b\":5}", ASSAY_JSON_PEER,
		      ASSAY_JSON_COMPACT, "{\"a\":3,\"b\":5,\"d\":4}");
	check_written("{\"d\":4,\"a\":[],\"a\":{\"c\":[7]}}", ASSAY_JSON_PEER, ASSAY_JSON_COMPACT,
		      "{\"d\":4,\"a\":{\"c\":[7]}}");
	check_written("{\"a\":1,\"a\":2}", ASSAY_JSON_PEER, ASSAY_JSON_COMPACT, "{\"a\":2}");
	as_json_notes notes;
	assay_json *v;
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("[{\"a\":1,\"a\":2}]"), ASSAY_JSON_PEER, NULL, &notes, &v, NULL),
			 0);
	ck_assert(notes.duplicate_keys && !notes.lone_surrogates && !notes.nul);
	/* The list is sound at both ends: appending after the last one works. */
	assay_json *object = as_json_edit(as_json_at(v, 0));
	ck_assert_int_eq(as_json_set(object, "z", as_json_integer(1)), 0);
	ck_assert_uint_eq(as_json_count(object), 2);
	as_json_free(v);
}
END_TEST

/* What pydantic does at these limits is in tests/golden/vectors/models.json, too. */
START_TEST(test_python_profiles)
{
	static const char text[] = "{\"a\":NaN,\"b\":[Infinity,-Infinity],\"c\":1e400}";
	char *digits = malloc(4400), deep[512];
	assay_json *v = parse(text, AS_JSON_PYTHON);
	check_written(text, AS_JSON_PYTHON, ASSAY_JSON_CANONICAL,
		      "{\"a\":NaN,\"b\":[Infinity,-Infinity],\"c\":Infinity}");
	check_written(text, AS_JSON_PYDANTIC, ASSAY_JSON_PYTHON,
		      "{\"a\": NaN, \"b\": [Infinity, -Infinity], \"c\": Infinity}");
	check_written(text, AS_JSON_PYDANTIC, ASSAY_JSON_COMPACT, "{\"a\":null,\"b\":[null,null],\"c\":1e400}");
	ck_assert_double_eq(as_json_f64(as_json_get(v, "a"), 7), 7);
	ck_assert_int_eq(as_json_i64(as_json_pointer(v, "/b/0"), 7), 7);
	ck_assert(!as_json_is_integer(as_json_pointer(v, "/b/1")) && !as_json_is_integer(as_json_get(v, "a")));
	ck_assert(!as_json_equal(as_json_get(v, "a"), as_json_get(v, "a")));
	ck_assert(as_json_equal(as_json_pointer(v, "/b/0"), as_json_get(v, "c")));
	ck_assert(!as_json_equal(as_json_pointer(v, "/b/0"), as_json_pointer(v, "/b/1")));
	as_json_free(v);
	check_error("[NaN]", 1, 1, "expected a value or ']', found 'NaN'");
	check_error("-Infinity", 1, 1, "expected a digit, found 'Infinity'");
	check_fails("[Nan]", 5, AS_JSON_PYTHON, 1, 1, "expected a value or ']', found 'Nan'");
	check_fails("NaNs", 4, AS_JSON_PYDANTIC, 1, 0, "expected a value, found 'NaNs'");
	check_written("\"\\ud800\"", AS_JSON_PYTHON, ASSAY_JSON_COMPACT, "\"\xEF\xBF\xBD\"");
	check_fails("\"\\ud800\"", 8, AS_JSON_PYDANTIC, 1, 1, "lone surrogate \\ud800 is no character");
	ck_assert_ptr_nonnull(digits);
	memset(digits, '7', 4400);
	as_json_free(parse_n(digits, 4301, AS_JSON_PYTHON));
	as_json_free(parse_n(digits, 4300, AS_JSON_PYDANTIC));
	check_fails(digits, 4301, AS_JSON_PYDANTIC, 1, 0, "an integer of more than 4300 digits");
	free(digits);
	memset(deep, '[', 202);
	memset(deep + 202, ']', 202);
	as_json_free(parse_n(deep + 1, 402, AS_JSON_PYDANTIC));
	as_json_free(parse_n(deep, 404, AS_JSON_PYTHON));
	ck_assert_int_eq(as_json_parse((assay_str){deep, 404}, AS_JSON_PYDANTIC, &v, NULL), ASSAY_ELIMIT);
}
END_TEST

START_TEST(test_peer_profile)
{
	as_json_notes notes;
	assay_json *v;
	static const char text[] = "[\"a\\u0000b\",\"\\ud800x\\udc00\\ud800\\ud83d\\ude00\"]";
	ck_assert_int_eq(as_json_parse_with(as_str(text), ASSAY_JSON_PEER, NULL, &notes, &v, NULL), 0);
	ck_assert(!notes.duplicate_keys && notes.lone_surrogates && notes.nul);
	ck_assert_str_eq(as_json_cstr(as_json_at(v, 0), ""), "a\xC0\x80"
							     "b");
	ck_assert_str_eq(as_json_cstr(as_json_at(v, 1), ""), "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80");
	as_json_free(v);
	check_written("\"a\\u0000b\"", ASSAY_JSON_PEER, ASSAY_JSON_COMPACT, "\"a\\u0000b\"");
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("[]"), ASSAY_JSON_PEER, NULL, &notes, &v, NULL), 0);
	ck_assert(!notes.duplicate_keys && !notes.lone_surrogates && !notes.nul);
	as_json_free(v);
	assay_json *deep = parse("{\"a\\u0000\":1}", ASSAY_JSON_PEER);
	ck_assert_int_eq(as_json_i64(as_json_get_n(deep, ASSAY_STR("a\0")), -1), 1);
	ck_assert_ptr_null(as_json_get(deep, "a"));
	ck_assert_ptr_null(as_json_get_n(deep, ASSAY_STR("a\0b")));
	as_json_free(deep);
}
END_TEST

START_TEST(test_limits)
{
	enum { DEPTH = 100000 };
	char *deep = malloc(DEPTH + 1);
	assay_json *v;
	assay_error err = {0};
	as_json_limits limits = {.max_depth = 3};
	ck_assert_ptr_nonnull(deep);
	memset(deep, '[', DEPTH);
	deep[DEPTH] = '\0';
	ck_assert_int_eq(as_json_parse(as_str(deep), ASSAY_JSON_PEER, &v, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "nested deeper than 256 levels");
	ck_assert_int_eq(err.detail, 256);
	memset(deep + 256, ']', 256);
	ck_assert_int_eq(as_json_parse((assay_str){deep, 512}, ASSAY_JSON_STRICT, &v, NULL), 0);
	as_json_free(v);
	free(deep);
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("[{\"a\":[]}]"), 0, &limits, NULL, &v, NULL), 0);
	as_json_free(v);
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("[{\"a\":[[]]}]"), 0, &limits, NULL, &v, NULL), ASSAY_ELIMIT);
	limits = (as_json_limits){.max_bytes = 4};
	as_error_clear(&err);
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("12345"), 0, &limits, NULL, &v, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "document of 5 bytes, at most 4 are accepted");
	ck_assert_int_eq(as_json_parse_with(ASSAY_STR("1234"), 0, &limits, NULL, &v, NULL), 0);
	as_json_free(v);
}
END_TEST

START_TEST(test_every_cut_is_an_error)
{
	static const char text[] = "{\"k\\u00e9y\":[1.5e+3,true,null,\"\xC3\xA9\\n\"],\"o\":{\"a\":-0.1}}";
	assay_json *v;
	for (size_t n = 0; n + 1 < sizeof text; n++) {
		char *copy = malloc(n + 1); /* exact size: a read behind the end is seen by the sanitizer */
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, text, n);
		ck_assert_int_eq(as_json_parse((assay_str){copy, n}, ASSAY_JSON_STRICT, &v, NULL), ASSAY_EDATA);
		free(copy);
	}
	check_written(text, ASSAY_JSON_STRICT, ASSAY_JSON_COMPACT,
		      "{\"k\xC3\xA9y\":[1.5e+3,true,null,\"\xC3\xA9\\n\"],\"o\":{\"a\":-0.1}}");
}
END_TEST

static double seconds_since(clock_t start)
{
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The text as it is read, or what is wrong with it. */
static void tell(const char *text, uint32_t profile, const as_json_without *without, as_buf *out)
{
	const as_json_limits limits = {.without = without};
	assay_json *v = NULL;
	assay_error err = {0};
	if (as_json_parse_with(as_str(text), profile, &limits, NULL, &v, &err) == 0) {
		as_json_write(out, v, ASSAY_JSON_COMPACT);
	} else {
		as_buf_puts(out, err.message);
	}
	as_json_free(v);
}

/* Objects are read alike whatever others stand before them, whose keys the parser remembers. */
static void check_in_company(const char *first, const char *second, uint32_t profile, const as_json_without *without)
{
	const as_json_without elements[] = {AS_JSON_WITHOUT("*", without), AS_JSON_WITHOUT_END};
	as_buf one = {0}, other = {0}, text = {0}, expected = {0}, got = {0};
	tell(first, profile, without, &one);
	tell(second, profile, without, &other);
	if (one.ptr[0] != '{' || other.ptr[0] != '{') { /* the first thing that is wrong */
		as_buf_puts(&expected, one.ptr[0] != '{' ? one.ptr : other.ptr);
	} else {
		as_buf_printf(&expected, "[%s,%s,%s,%s]", one.ptr, other.ptr, one.ptr, other.ptr);
	}
	as_buf_printf(&text, "[%s,%s,%s,%s]", first, second, first, second);
	tell(text.ptr, profile, without ? elements : NULL, &got);
	ck_assert_msg(strcmp(got.ptr, expected.ptr) == 0, "%s: %s, expected %s", text.ptr, got.ptr, expected.ptr);
	as_buf_free(&one);
	as_buf_free(&other);
	as_buf_free(&text);
	as_buf_free(&expected);
	as_buf_free(&got);
}

START_TEST(test_objects_in_company)
{
	static const as_json_without inside[] = {AS_JSON_WITHOUT("a", NULL), AS_JSON_WITHOUT_END};
	static const as_json_without without[] = {AS_JSON_WITHOUT("b", inside), AS_JSON_WITHOUT("d", NULL),
						  AS_JSON_WITHOUT_END};
	static const char *const objects[] = {
		"{}",
		"{\"a\":1}",
		"{\"a\":1,\"b\":2,\"c\":3}",
		"{\"a\":1,\"b\":2,\"c\":3,\"d\":4}",
		"{\"a\":1,\"c\":2,\"b\":3}",
		"{\"a\":1,\"b\":2,\"a\":3}",
		"{\"a\":1,\"b\":2,\"b\":3}",
		"{\"d\":1,\"b\":2,\"d\":3,\"a\":{\"a\":5}}",
		"{\"a\":{\"a\":1,\"b\":2},\"b\":{\"a\":1,\"b\":{\"b\":6,\"a\":7}}}",
		"{\"b\":{\"a\":1,\"b\":{\"a\":7}},\"a\":{\"b\":1}}",
		"{\"d\":{\"a\":1,\"b\":2},\"c\":{\"a\":1,\"b\":2}}",
		"{\"\\u0061\":1,\"b\":2}",
		"{\"a\":1,\"\\u0062\":2,\"c\":3}",
		"{\"a\\\"b\":1,\"c\":2}",
		"{\"a\"b\":1}",
		"{\"a\\\\\":1,\"\xC3\xA4\":2}",
		"{\"\":1,\"a\":2}",
		"{ \"a\" : 1 , \"b\" : 2 }",
		"{\"a\",\"b\":2}",
		"{\"a\":1,}",
		"{\"k01\":1,\"k02\":2,\"k03\":3,\"k04\":4,\"k05\":5,\"k06\":6,\"k07\":7,\"k08\":8,\"k09\":9,\"k10\":10,"
		"\"k11\":1,\"k12\":2,\"k13\":3,\"k14\":4,\"k15\":5,\"k16\":6,\"k17\":7,\"k18\":8,\"k19\":9,\"k20\":10,"
		"\"k21\":1,\"k22\":2,\"k03\":3}",
	};
	const size_t n = sizeof objects / sizeof *objects;
	for (size_t i = 0; i < n * n; i++) {
		for (uint32_t profile = ASSAY_JSON_STRICT; profile <= ASSAY_JSON_PEER; profile++) {
			check_in_company(objects[i / n], objects[i % n], profile, NULL);
			check_in_company(objects[i / n], objects[i % n], profile, without);
		}
	}
}
END_TEST

START_TEST(test_big_documents)
{
	as_buf b = {0};
	assay_json *v, *w;
	clock_t start = clock();
	as_buf_byte(&b, '{');
	for (int i = 0; i < 100000; i++) {
		as_buf_printf(&b, "%s\"key%d\":[%d]", i ? "," : "", i, i);
	}
	as_buf_byte(&b, '}');
	ck_assert_int_eq(as_json_parse(as_buf_str(&b), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_uint_eq(as_json_count(v), 100000);
	w = as_json_clone(v);
	ck_assert(as_json_equal(v, w));
	ck_assert_int_eq(as_json_set(w, "key99999", as_json_null()), 0);
	ck_assert(!as_json_equal(v, w));
	as_json_free(v);
	as_json_free(w);
	b.len--;
	as_buf_puts(&b, ",\"key500\":0}");
	ck_assert_int_eq(as_json_parse(as_buf_str(&b), ASSAY_JSON_STRICT, &v, NULL), ASSAY_EDATA);
	ck_assert_int_eq(as_json_parse(as_buf_str(&b), ASSAY_JSON_PEER, &v, NULL), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(v, "key500"), -1), 0);
	as_json_free(v);
	as_buf_clear(&b);
	for (int i = 0; i < 300000; i++) {
		as_buf_puts(&b, i ? ",1" : "[1");
	}
	as_buf_byte(&b, ']');
	ck_assert_int_eq(as_json_parse(as_buf_str(&b), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_uint_eq(as_json_count(v), 300000);
	as_json_free(v);
	as_buf_free(&b);
	ck_assert_double_lt(seconds_since(start), 20.0 * unit_slow()); /* quadratic would take minutes */
}
END_TEST

START_TEST(test_too_many_values)
{
	assay_json *v;
	assay_error err = {0};
	as_buf b = {0};
	ck_assert(as_buf_reserve(&b, 9000000));
	as_buf_puts(&b, "[0");
	for (int i = 0; i < 4200000; i++) {
		as_buf_puts(&b, ",0");
	}
	ck_assert_int_eq(as_json_parse(as_buf_str(&b), ASSAY_JSON_PEER, &v, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "more than 4194304 values in one document");
	as_buf_free(&b);
}
END_TEST

START_TEST(test_reading)
{
	assay_json *v = parse("{\"a\":{\"b\":[10,\"x\",true,1.5,1e2,9223372036854775807,9223372036854775808,"
			      "-9223372036854775808,3.0]},\"t\":\"text\",\"n\":null}",
			      ASSAY_JSON_STRICT);
	const assay_json *b = as_json_get(as_json_get(v, "a"), "b");
	ck_assert_int_eq(as_json_type(v), ASSAY_JSON_OBJECT);
	ck_assert_int_eq(as_json_type(b), ASSAY_JSON_ARRAY);
	ck_assert_int_eq(as_json_type(NULL), ASSAY_JSON_NONE);
	ck_assert_int_eq(as_json_type(as_json_get(v, "n")), ASSAY_JSON_NULL);
	ck_assert_int_eq(as_json_type(as_json_at(b, 2)), ASSAY_JSON_BOOL);
	ck_assert_uint_eq(as_json_count(b), 9);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 0), -1), 10);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 1), -1), -1);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 2), -1), -1);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 3), -1), -1);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 4), -1), 100);
	ck_assert(as_json_i64(as_json_at(b, 5), -1) == INT64_MAX);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 6), -1), -1);
	ck_assert(as_json_i64(as_json_at(b, 7), -1) == INT64_MIN);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 8), -1), 3);
	ck_assert_int_eq(as_json_i64(as_json_at(b, 9), -1), -1);
	ck_assert_double_eq(as_json_f64(as_json_at(b, 3), 0), 1.5);
	ck_assert_double_eq(as_json_f64(as_json_at(b, 1), 7), 7);
	ck_assert(as_json_is_integer(as_json_at(b, 6)) && !as_json_is_integer(as_json_at(b, 4)));
	ck_assert(!as_json_is_integer(as_json_at(b, 1)) && !as_json_is_integer(NULL));
	ck_assert_int_eq(as_json_boolean(as_json_at(b, 2), 0), 1);
	ck_assert_int_eq(as_json_boolean(as_json_at(b, 0), 5), 5);
	ck_assert(as_str_is(as_json_str(as_json_get(v, "t")), "text"));
	ck_assert_uint_eq(as_json_str(as_json_get(v, "n")).len, 0);
	ck_assert_str_eq(as_json_cstr(NULL, "no"), "no");
	ck_assert(as_str_is(as_json_spelling(as_json_at(b, 4)), "1e2"));
	ck_assert_uint_eq(as_json_spelling(v).len, 0);
	ck_assert(as_str_is(as_json_key(as_json_first(v)), "a"));
	ck_assert(as_str_is(as_json_key(as_json_next(as_json_first(v))), "t"));
	ck_assert_uint_eq(as_json_key(v).len, 0);
	ck_assert_ptr_null(as_json_next(v));
	ck_assert_ptr_null(as_json_first(NULL));
	ck_assert_ptr_null(as_json_at(v, 0));
	ck_assert_ptr_null(as_json_get(b, "a"));
	ck_assert_ptr_null(as_json_get(v, NULL));
	ck_assert_ptr_eq(as_json_get_n(v, ASSAY_STR("t")), as_json_get(v, "t"));
	ck_assert_ptr_null(as_json_get_n(v, ASSAY_STR("tt")));
	as_json_free(v);
	as_json_free(NULL);
}
END_TEST

START_TEST(test_pointer)
{
	/* The examples of RFC 6901, section 5. */
	assay_json *v = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
			      "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"01\":9}",
			      ASSAY_JSON_STRICT);
	static const char *const numbers[] = {"/",     "/a~1b", "/c%d", "/e^f",  "/g|h",
					      "/i\\j", "/k\"l", "/ ",   "/m~0n", "/01"};
	ck_assert_ptr_eq(as_json_pointer(v, ""), v);
	ck_assert_uint_eq(as_json_count(as_json_pointer(v, "/foo")), 2);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(v, "/foo/0"), ""), "bar");
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(as_json_i64(as_json_pointer(v, numbers[i]), -1), i);
	}
	static const char *const nothing[] = {"foo",
					      "/foo/2",
					      "/foo/00",
					      "/foo/-",
					      "/foo/",
					      "/foo/+1",
					      "/m~n",
					      "/m~2n",
					      "/foo/0/x",
					      "/m~",
					      "/foo/99999999999999999999"};
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		ck_assert_ptr_null(as_json_pointer(v, nothing[i]));
	}
	ck_assert_ptr_null(as_json_pointer(NULL, ""));
	ck_assert_ptr_null(as_json_pointer(v, NULL));
	as_json_free(v);
}
END_TEST

START_TEST(test_building)
{
	assay_json *v = as_json_object();
	assay_json *list = as_json_array();
	assay_text out;
	ck_assert_int_eq(as_json_append(list, as_json_integer(INT64_MIN)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_real(0.1)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_real(2.0)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_real((double)NAN)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_real((double)INFINITY)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_truth(1)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_cstring(NULL)), 0);
	ck_assert_int_eq(as_json_append(list, as_json_number(ASSAY_STR("1.50"))), 0);
	ck_assert_int_eq(as_json_set(v, "list", list), 0);
	ck_assert_int_eq(as_json_set(v, "x", as_json_cstring("one")), 0);
	ck_assert_int_eq(as_json_set(v, "y", as_json_null()), 0);
	ck_assert_int_eq(as_json_set(v, "x", as_json_string(ASSAY_STR("t\0w\xFFo\xC3"))), 0);
	ck_assert_int_eq(as_json_set_n(v, ASSAY_STR("k\0"), as_json_truth(0)), 0);
	ck_assert_int_eq(as_json_set_n(v, ASSAY_STR("k\0"), as_json_truth(1)), 0);
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_COMPACT, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, "{\"list\":[-9223372036854775808,0.1,2.0,null,null,true,null,1.50],"
				  "\"x\":\"t\\u0000w\xEF\xBF\xBDo\xEF\xBF\xBD\",\"y\":null,\"k\\u0000\":true}");
	as_text_free(&out);
	assay_json *x = as_json_detach(v, "x");
	ck_assert_uint_eq(as_json_key(x).len, 0);
	ck_assert_ptr_null(as_json_next(x));
	assay_json *copy = as_json_string(as_json_str(x));
	ck_assert(as_json_equal(x, copy));
	as_json_free(copy);
	as_json_free(x);
	ck_assert_ptr_null(as_json_detach(v, "x"));
	ck_assert_uint_eq(as_json_line(v), 0);
	ck_assert_ptr_null(as_json_number(ASSAY_STR("1.")));
	ck_assert_ptr_null(as_json_number(ASSAY_STR("")));
	ck_assert_ptr_null(as_json_number(ASSAY_STR("1 ")));
	ck_assert_ptr_null(as_json_number(ASSAY_STR("Infinity")));
	as_json_free(v);
}
END_TEST

/* The member of a document that was parsed, changed, built or frozen, alone and as what it was. */
START_TEST(test_narrow)
{
	static const char text[] =
		"{\"id\":1,\"none\":[],\"s\":\"t\\u0000\",\"n\":1.50,\n\"o\":{\"a\":[1,{\"b\":null}]}}";
	static const char *const parts[][2] = {{"o", "{\"a\":[1,{\"b\":null}]}"},
					       {"s", "\"t\\u0000\""},
					       {"n", "1.50"},
					       {"none", "[]"}};
	for (size_t i = 0; i < 4 * sizeof parts / sizeof *parts; i++) {
		const char *key = parts[i / 4][0];
		assay_json *v = parse(text, ASSAY_JSON_PEER), *part;
		assay_text out;
		uint32_t line = as_json_line(as_json_get(v, key));
		if (i % 4 == 1) {
			ck_assert_int_eq(as_json_set(v, "id", as_json_cstring("its own memory")), 0);
		} else if (i % 4 == 2) {
			part = as_json_object();
			ck_assert_int_eq(as_json_set(part, key, as_json_clone(as_json_get(v, key))), 0);
			as_json_free(v);
			v = part;
		} else if (i % 4 == 3) {
			part = as_json_freeze(v);
			v = as_json_clone(part);
			as_json_free(part);
		}
		part = as_json_narrow(v, key);
		ck_assert_ptr_nonnull(part);
		ck_assert(part == v || i % 4 != 0); /* it stays where it was parsed */
		ck_assert_uint_eq(as_json_key(part).len, 0);
		ck_assert_ptr_null(as_json_next(part));
		ck_assert_uint_eq(as_json_line(part), line);
		ck_assert_int_eq(as_json_dump(part, ASSAY_JSON_COMPACT, &out, NULL), 0);
		ck_assert_str_eq(out.ptr, parts[i / 4][1]);
		as_text_free(&out);
		if (as_json_type(part) == ASSAY_JSON_OBJECT) { /* and may be changed as any other */
			ck_assert_int_eq(as_json_set(part, "more", as_json_integer(2)), 0);
			as_json_free(as_json_detach(part, "a"));
			ck_assert_uint_eq(as_json_count(part), 1);
		}
		as_json_free(part);
	}
	ck_assert_ptr_null(as_json_narrow(parse(text, ASSAY_JSON_PEER), "absent"));
	ck_assert_ptr_null(as_json_narrow(NULL, "absent"));
}
END_TEST

/* An object that is wide enough to have an index takes it along. */
START_TEST(test_narrow_wide)
{
	as_buf text = {0};
	assay_member members[100];
	char keys[100][16];
	assay_json *v, *whole;
	for (int i = 0; i < 200; i++) {
		as_buf_printf(&text, "%s\"k%d\":%d", i ? "," : "{\"in\":{", i, i);
	}
	for (int i = 0; i < 100; i++) {
		as_buf_printf(&text, "%s\"o%d\":%d", i ? "," : "},", i, i);
	}
	as_buf_byte(&text, '}');
	v = as_json_narrow(parse(text.ptr, ASSAY_JSON_PEER), "in");
	ck_assert_uint_eq(as_json_count(v), 200);
	ck_assert_int_eq(as_json_i64(as_json_get(v, "k199"), 0), 199);
	ck_assert_ptr_null(as_json_get(v, "o1"));
	ck_assert_int_eq(as_json_set(v, "k7", as_json_integer(-7)), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(v, "k7"), 0), -7);
	as_json_free(v);
	/* A record of many members has an index with memory of its own. */
	for (int i = 0; i < 100; i++) {
		snprintf(keys[i], sizeof keys[i], "k%d", i);
		members[i] = assay_with_text(keys[i], ASSAY_STR("t"));
	}
	v = as_json_narrow(as_json_record(members, 100), "k99");
	ck_assert_str_eq(as_json_cstr(v, ""), "t");
	as_json_free(v);
	/* Of what is large the member alone is kept. */
	as_buf_clear(&text);
	as_buf_printf(&text, "{\"in\":[1],\"rest\":\"%05000d\"}", 0);
	whole = parse(text.ptr, ASSAY_JSON_PEER);
	v = as_json_narrow(whole, "in");
	ck_assert(v != whole);
	ck_assert_uint_eq(as_json_count(v), 1);
	as_json_free(v);
	as_buf_free(&text);
}
END_TEST

START_TEST(test_building_takes_over)
{
	assay_json *array = as_json_array();
	assay_json *object = as_json_object();
	/* What cannot be placed is freed (the leak checkers watch). */
	ck_assert_int_eq(as_json_set(array, "a", as_json_integer(1)), ASSAY_EINVAL);
	ck_assert_int_eq(as_json_append(object, as_json_integer(1)), ASSAY_EINVAL);
	ck_assert_int_eq(as_json_set(NULL, "a", as_json_integer(1)), ASSAY_ENOMEM);
	ck_assert_int_eq(as_json_set(object, "a", NULL), ASSAY_ENOMEM);
	ck_assert_int_eq(as_json_append(array, NULL), ASSAY_ENOMEM);
	ck_assert_int_eq(as_json_append(NULL, as_json_null()), ASSAY_ENOMEM);
	ck_assert_uint_eq(as_json_count(array) + as_json_count(object), 0);
	as_json_free(array);
	/* Replacing the first, a middle, the last and the only member, and detaching each of them. */
	static const char *const keys[] = {"a", "b", "c"};
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(as_json_set(object, keys[i], as_json_integer(i)), 0);
		for (int k = 0; k <= i; k++) {
			ck_assert_int_eq(as_json_set(object, keys[k], as_json_integer(10 * i + k)), 0);
			ck_assert_uint_eq(as_json_count(object), (size_t)i + 1);
			ck_assert(as_str_is(as_json_key(as_json_first(object)), "a"));
		}
	}
	as_json_free(as_json_detach(object, "b"));
	as_json_free(as_json_detach(object, "c"));
	ck_assert_int_eq(as_json_set(object, "d", as_json_integer(1)), 0);
	as_json_free(as_json_detach(object, "a"));
	as_json_free(as_json_detach(object, "d"));
	ck_assert_uint_eq(as_json_count(object), 0);
	ck_assert_int_eq(as_json_set(object, "e", as_json_integer(1)), 0);
	ck_assert_uint_eq(as_json_count(object), 1);
	as_json_free(object);
}
END_TEST

START_TEST(test_clone)
{
	assay_json *v = parse("{\"a\":[1,{\"b\":\"x\"}],\n\"c\":1.50}", ASSAY_JSON_STRICT);
	assay_json *w = as_json_clone(v);
	ck_assert(as_json_equal(v, w));
	ck_assert(as_str_is(as_json_spelling(as_json_get(w, "c")), "1.50"));
	ck_assert_uint_eq(as_json_line(as_json_get(w, "c")), 2);
	as_json_free(v);
	ck_assert_int_eq(as_json_append(as_json_edit(as_json_get(w, "a")), as_json_clone(as_json_get(w, "c"))), 0);
	ck_assert_uint_eq(as_json_key(as_json_at(as_json_get(w, "a"), 2)).len, 0);
	ck_assert_uint_eq(as_json_count(as_json_get(w, "a")), 3);
	as_json_free(w);
	ck_assert_ptr_null(as_json_clone(NULL));
}
END_TEST

START_TEST(test_lines)
{
	assay_json *v = parse("\n{\n\"a\": [1,\n2],\n\"b\":\n\"x\"\n}", ASSAY_JSON_STRICT);
	ck_assert_uint_eq(as_json_line(v), 2);
	ck_assert_uint_eq(as_json_line(as_json_get(v, "a")), 3);
	ck_assert_uint_eq(as_json_line(as_json_pointer(v, "/a/1")), 4);
	ck_assert_uint_eq(as_json_line(as_json_get(v, "b")), 6);
	ck_assert_uint_eq(as_json_line(NULL), 0);
	as_json_free(v);
}
END_TEST

START_TEST(test_read_file)
{
	assay_json *v;
	assay_error err = {0};
	static const char path[] = "test_json.tmp";
	ck_assert_int_eq(as_json_read_file("no/such.json", 0, &v, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.where, "no/such.json");
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	fputs("{\n\"a\": 1,\n}\n", f);
	fclose(f);
	as_error_clear(&err);
	ck_assert_int_eq(as_json_read_file(path, 0, &v, &err), ASSAY_EDATA);
	char line[200];
	as_error_format(&err, line, sizeof line);
	ck_assert_str_eq(line, "test_json.tmp:3: expected a key after ',', found '}'");
	as_error_clear(&err);
	ck_assert_int_eq(as_json_read_file(path, 4, &v, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.where, path);
	remove(path);
}
END_TEST

START_TEST(test_api_table)
{
	const assay_json_api *J = as_json_api();
	assay_json *v;
	assay_text out;
	ck_assert_uint_eq(J->size, sizeof *J);
	const void *const *members = (const void *const *)((const char *)J + 8);
	for (size_t i = 0; i < (sizeof *J - 8) / sizeof *members; i++) {
		ck_assert_ptr_nonnull(members[i]);
	}
	ck_assert_int_eq(J->parse(ASSAY_STR("{\"a\":[1]}"), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_int_eq(J->equal(v, v), 1);
	ck_assert_int_eq(J->i64(J->at(J->get(v, "a"), 0), 0), 1);
	ck_assert_int_eq(J->dump(v, ASSAY_JSON_PYTHON, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, "{\"a\": [1]}");
	J->text_free(&out);
	J->free(v);
}
END_TEST

UNIT_SUITE(json_suite, "json", test_round_trips, test_syntax_errors, test_number_errors, test_string_errors,
	   test_utf8_errors, test_duplicate_keys, test_peer_profile, test_python_profiles, test_limits,
	   test_every_cut_is_an_error, test_objects_in_company, test_big_documents, test_too_many_values, test_reading,
	   test_pointer, test_building, test_building_takes_over, test_narrow, test_narrow_wide, test_clone, test_lines,
	   test_read_file, test_api_table)
UNIT_MAIN(json_suite)
