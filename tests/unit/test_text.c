#include "tests/unit/unit.h"

#include "core/base/text.h"
#include "core/base/unicode.h"

#include <string.h>

typedef void (*change_fn)(as_buf *out, assay_str s);

/* Appends, so what is there already must stay. */
static void check(change_fn change, const char *in, const char *expected)
{
	as_buf out = {0};

	as_buf_puts(&out, "kept:");
	change(&out, as_str(in));
	ck_assert(!out.failed);
	ck_assert_uint_eq(out.len, strlen(out.ptr));
	ck_assert_int_eq(strncmp(out.ptr, "kept:", 5), 0);
	ck_assert_str_eq(out.ptr + 5, expected);
	as_buf_free(&out);
}

START_TEST(decoding)
{
	/* Python: bytes.decode("utf-8"), but one U+FFFD a byte */
	static const struct {
		const char *text;
		uint32_t points[5]; /* 0 ends */
	} cases[] = {
		{"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", {'a', 0xe9, 0x20ac, 0x1f600}},
		{"\x80z", {0xfffd, 'z'}},
		{"\xc3", {0xfffd}},
		{"\xc3(", {0xfffd, '('}},
		{"\xc1\x81", {0xfffd, 0xfffd}},
		{"\xe2\x82", {0xfffd, 0xfffd}},
		{"\xe0\x9f\xbf", {0xfffd, 0xfffd, 0xfffd}},
		{"\xed\xa0\x80", {0xfffd, 0xfffd, 0xfffd}},
		{"\xf0\x8f\xbf\xbf", {0xfffd, 0xfffd, 0xfffd, 0xfffd}},
		{"\xf4\x90\x80\x80", {0xfffd, 0xfffd, 0xfffd, 0xfffd}},
		{"\xf5\xff", {0xfffd, 0xfffd}},
		{"\xf4\x8f\xbf\xbf\xef\xbf\xbf", {0x10ffff, 0xffff}},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		assay_str s = as_str(cases[k].text);
		size_t i = 0, n = 0;

		for (; cases[k].points[n] != 0; n++) {
			ck_assert_uint_lt(i, s.len);
			ck_assert_uint_eq(as_utf8_next(s, &i), cases[k].points[n]);
		}
		ck_assert_uint_eq(i, s.len);
		ck_assert_uint_eq(as_utf8_length(s), n);
		ck_assert_int_eq(as_utf8_check(s) == s.len, cases[k].points[0] != 0xfffd);
	}
}
END_TEST

START_TEST(nul_of_json)
{
	assay_str s = ASSAY_STR("a\xc0\x80z");
	size_t i = 1;
	as_buf out = {0};

	ck_assert_uint_eq(as_utf8_next(s, &i), 0);
	ck_assert_uint_eq(i, 3);
	ck_assert_uint_eq(as_utf8_length(s), 3);
	ck_assert_uint_eq(as_utf8_check(s), 1);
	as_lower(&out, s);
	ck_assert(as_str_eq(as_buf_str(&out), s));
	as_buf_free(&out);
}
END_TEST

START_TEST(encoding)
{
	char bytes[4];

	for (uint32_t c = 1; c <= 0x10ffff; c += (uint32_t)unit_slow()) {
		assay_str s = {bytes, as_utf8_put(bytes, c)};
		size_t i = 0;
		bool surrogate = c >= 0xd800 && c < 0xe000;

		ck_assert_uint_eq(as_utf8_check(s), s.len);
		ck_assert_uint_eq(as_utf8_next(s, &i), surrogate ? 0xfffd : c);
		ck_assert_uint_eq(i, s.len);
	}
	ck_assert_uint_eq(as_utf8_put(bytes, 0x110000), 3);
}
END_TEST

START_TEST(prefixes)
{
	assay_str s = ASSAY_STR("a\xc3\xa9\xe2\x82\xac\xff");

	ck_assert_uint_eq(as_utf8_prefix(s, 0), 0);
	ck_assert_uint_eq(as_utf8_prefix(s, 2), 3);
	ck_assert_uint_eq(as_utf8_prefix(s, 3), 6);
	ck_assert_uint_eq(as_utf8_prefix(s, 4), 7);
	ck_assert_uint_eq(as_utf8_prefix(s, SIZE_MAX), 7);
	ck_assert_uint_eq(as_utf8_prefix((assay_str){NULL, 0}, 5), 0);
	static const char *const cut[] = {"",
					  "",
					  "",
					  "\xE2\x82\xAC",
					  "\xE2\x82\xAC",
					  "\xE2\x82\xAC\xC3\xA9",
					  "\xE2\x82\xAC\xC3\xA9z",
					  "\xE2\x82\xAC\xC3\xA9z"};
	for (size_t size = 1; size <= 8; size++) {
		char out[10];
		memset(out, '#', sizeof out);
		as_utf8_cut(out, size, ASSAY_STR("\xE2\x82\xAC\xC3\xA9z"));
		ck_assert_str_eq(out, cut[size - 1]);
		for (size_t i = size; i < sizeof out; i++) {
			ck_assert_int_eq(out[i], '#');
		}
	}
	char none[2] = "x";
	as_utf8_cut(none, sizeof none, (assay_str){NULL, 0});
	ck_assert_str_eq(none, "");
}
END_TEST

START_TEST(spaces)
{
	size_t count = 0;

	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		count += as_is_space(c);
	}
	ck_assert_uint_eq(count, 29);
	ck_assert(as_is_space(0x1c) && as_is_space(0x1f) && as_is_space(0x85) && as_is_space(0xa0) &&
		  as_is_space(0x2003));
	ck_assert(!as_is_space(0x200b) && !as_is_space(0x180e) && !as_is_space(0xfeff) && !as_is_space(0));
	ck_assert(as_str_is(as_trim(ASSAY_STR(" \t\xc2\xa0 a b\xe2\x80\x83\n")), "a b"));
	ck_assert_uint_eq(as_trim(ASSAY_STR(" \xe3\x80\x80\xc2\x85 ")).len, 0);
	ck_assert_uint_eq(as_trim((assay_str){NULL, 0}).len, 0);
	ck_assert(as_str_is(as_trim(ASSAY_STR(" \x85 ")), "\x85")); /* a stray byte is no U+0085 */
}
END_TEST

START_TEST(lower_case)
{
	check(as_lower, "", "");
	check(as_lower, "Hello, WORLD 42!", "hello, world 42!");
	check(as_lower,
	      "STRASSE Stra\xc3\x9f"
	      "e \xe1\xba\x9e",
	      "strasse stra\xc3\x9f"
	      "e \xc3\x9f");
	check(as_lower, "\xc4\xb0stanbul", "i\xcc\x87stanbul");
	check(as_lower, "\xce\x9c\xc3\x84\xf0\x90\x90\x80", "\xce\xbc\xc3\xa4\xf0\x90\x90\xa8");
	check(as_lower, "\xe2\x84\xaa", "k"); /* KELVIN SIGN */
	check(as_lower, "A\xff\xc3Z", "a\xff\xc3z");
}
END_TEST

START_TEST(final_sigma)
{
	check(as_lower, "\xce\xa3", "\xcf\x83");
	check(as_lower, "A\xce\xa3", "a\xcf\x82");
	check(as_lower,
	      "A\xce\xa3"
	      "B",
	      "a\xcf\x83"
	      "b");
	check(as_lower, "A\xce\xa3 B", "a\xcf\x82 b");
	check(as_lower, "\xce\xa3\xce\xa3\xce\xa3", "\xcf\x83\xcf\x83\xcf\x82");
	check(as_lower, "A'\xce\xa3'.", "a'\xcf\x82'.");
	check(as_lower, "A'\xce\xa3'B", "a'\xcf\x83'b");
	check(as_lower, "1\xce\xa3", "1\xcf\x83");
	check(as_lower, "\xcc\x81\xce\xa3", "\xcc\x81\xcf\x83");   /* only a combining mark before it */
	check(as_lower, "A\xcc\x81\xce\xa3", "a\xcc\x81\xcf\x82"); /* over a combining mark */
	check(as_lower, "A\xff\xce\xa3", "a\xff\xcf\x83");
	check(as_lower, "\xf0\x90\x90\x80\xce\xa3", "\xf0\x90\x90\xa8\xcf\x82");
}
END_TEST

/* Long runs of what a sigma skips must not make its test quadratic. */
START_TEST(many_sigmas)
{
	as_buf in = {0}, out = {0};

	as_buf_puts(&in, "A");
	for (int i = 0; i < 200000; i++) {
		as_buf_puts(&in, i % 1000 ? "'" : "\xce\xa3");
	}
	as_lower(&out, as_buf_str(&in));
	ck_assert_uint_eq(out.len, in.len);
	as_buf_free(&in);
	as_buf_free(&out);
}
END_TEST

START_TEST(normal_form)
{
	check(as_normalise, "", "");
	check(as_normalise, " \t\n ", "");
	check(as_normalise, "  Solar\t \n Power ", "solar power");
	check(as_normalise,
	      "\xc2\xa0"
	      "A\xe2\x80\x83\xc2\x85"
	      "B\x1c",
	      "a b");
	check(as_normalise, "A\xe2\x80\x8b B", "a\xe2\x80\x8b b");
	check(as_normalise, "\xc4\xb0 \xc4\xb0", "i\xcc\x87 i\xcc\x87");
	check(as_normalise, "A\xce\xa3 ", "a\xcf\x82");
}
END_TEST

START_TEST(printable)
{
	check(as_printable, "a\tb\r\nc", "a b  c");
	check(as_printable, "\x1b[31mred\x7f", "\xef\xbf\xbd[31mred\xef\xbf\xbd");
	check(as_printable,
	      "\xc2\x9b"
	      "1m",
	      "\xef\xbf\xbd"
	      "1m");
	check(as_printable,
	      "x\xe2\x80\xae"
	      "y",
	      "x\xef\xbf\xbdy");
	check(as_printable, "\xff\xc3\xa9", "\xef\xbf\xbd\xc3\xa9");
}
END_TEST

START_TEST(words)
{
	check(as_words, "getUserID", "get user id");
	check(as_words, "get_user-id", "get user id");
	check(as_words, "GetUserId", "get user id");
	check(as_words, "HTTPServerError", "http server error");
	check(as_words, "v2Delete", "v2 delete");
	check(as_words, "__a..b__", "a b");
	check(as_words, "x", "x");
	check(as_words, "", "");
	check(as_words, "--", "");
	check(as_words,
	      "Gr\xc3\xb6\xc3\x9f"
	      "e\xc3\x9c"
	      "ber",
	      "gr\xc3\xb6\xc3\x9f"
	      "e \xc3\xbc"
	      "ber");
}
END_TEST

typedef struct seen {
	uint32_t points[64];
	size_t n;
} seen;

static bool note(void *payload, uint32_t first, uint32_t last)
{
	seen *s = payload;

	for (uint32_t c = first; c <= last; c++) {
		bool known = false;

		for (size_t i = 0; i < s->n; i++) {
			known = known || s->points[i] == c;
		}
		if (!known) {
			ck_assert_uint_lt(s->n, 64);
			s->points[s->n++] = c;
		}
	}
	return true;
}

static bool refuse(void *payload, uint32_t first, uint32_t last)
{
	*(uint32_t *)payload += last - first + 1;
	return false;
}

static bool has(const seen *s, uint32_t c)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->points[i] == c) {
			return true;
		}
	}
	return false;
}

START_TEST(folding)
{
	seen s = {0};
	uint32_t refused = 0;

	ck_assert(as_char_fold('0', '9', note, &s));
	ck_assert_uint_eq(s.n, 0);
	ck_assert(as_char_fold('a', 'a', note, &s));
	ck_assert_uint_eq(s.n, 1);
	ck_assert(has(&s, 'A'));
	s.n = 0;
	ck_assert(as_char_fold('i', 'i', note, &s));
	ck_assert(s.n == 4 && has(&s, 'I') && has(&s, 0x130) && has(&s, 0x131));
	s.n = 0;
	ck_assert(as_char_fold(0x101, 0x103, note, &s)); /* alternating cases: only every second one */
	ck_assert(s.n >= 3 && has(&s, 0x100) && has(&s, 0x102) && has(&s, 0x103) && !has(&s, 0x104));
	s.n = 0;
	ck_assert(as_char_fold('@', '[', note, &s));
	ck_assert(has(&s, 'a') && has(&s, 'z') && has(&s, 0x212a) && has(&s, 0x17f));
	ck_assert(!as_char_fold('A', 'Z', refuse, &refused));
	ck_assert_uint_eq(refused, 26);
}
END_TEST

UNIT_SUITE(suite, "text", decoding, nul_of_json, encoding, prefixes, spaces, lower_case, final_sigma, many_sigmas,
	   normal_form, printable, words, folding)
UNIT_MAIN(suite)
