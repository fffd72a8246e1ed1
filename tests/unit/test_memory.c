#include "core/base/error.h"
#include "core/base/memory.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <stdalign.h>
#include <string.h>

START_TEST(test_buf)
{
	as_buf b = {0};
	assay_text text;
	ck_assert_uint_eq(as_buf_str(&b).len, 0);
	ck_assert_ptr_nonnull(as_buf_str(&b).ptr);
	as_buf_puts(&b, "one");
	as_buf_byte(&b, ' ');
	as_buf_add(&b, ASSAY_STR("two\0three"));
	as_buf_add(&b, (assay_str){NULL, 0});
	as_buf_printf(&b, "-%d-%s", 42, "x");
	ck_assert_uint_eq(b.len, 18);
	ck_assert_mem_eq(b.ptr, "one two\0three-42-x", 19);
	ck_assert_int_eq(as_buf_check(&b, NULL), 0);
	ck_assert_int_eq(as_buf_take(&b, &text, NULL), 0);
	ck_assert_uint_eq(text.len, 18);
	ck_assert_ptr_null(b.ptr);
	as_text_free(&text);
	ck_assert_ptr_null(text.ptr);
	ck_assert_int_eq(as_buf_take(&b, &text, NULL), 0);
	ck_assert_str_eq(text.ptr, "");
	as_text_free(&text);
	for (int i = 0; i < 10000; i++) {
		as_buf_byte(&b, (char)('a' + i % 26));
	}
	ck_assert_uint_eq(strlen(b.ptr), 10000);
	as_buf_clear(&b);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_str_eq(b.ptr, "");
	as_buf_free(&b);
	as_buf_free(NULL);
}
END_TEST

START_TEST(test_buf_failure_sticks)
{
	as_buf b = {0};
	assay_text text;
	assay_error err = {0};
	as_buf_puts(&b, "kept");
	ck_assert(!as_buf_reserve(&b, SIZE_MAX - 2));
	as_buf_puts(&b, "ignored");
	as_buf_byte(&b, 'x');
	as_buf_printf(&b, "%d", 1);
	ck_assert_str_eq(b.ptr, "kept");
	ck_assert_int_eq(as_buf_check(&b, &err), ASSAY_ENOMEM);
	as_buf_clear(&b);
	ck_assert(b.failed);
	ck_assert_int_eq(as_buf_take(&b, &text, &err), ASSAY_ENOMEM);
	ck_assert_ptr_null(text.ptr);
	ck_assert_ptr_null(b.ptr);
}
END_TEST

START_TEST(test_arena)
{
	as_arena a = {0};
	const char *first = as_arena_cstr(&a, ASSAY_STR("first"));
	for (size_t i = 0; i < 3000; i++) {
		unsigned char *p = as_arena_alloc(&a, i);
		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t k = 0; k < i; k++) {
			ck_assert_uint_eq(p[k], 0);
		}
		memset(p, 0xFF, i);
	}
	ck_assert_str_eq(first, "first");
	assay_str s = as_arena_str(&a, ASSAY_STR("a\0b"));
	ck_assert_uint_eq(s.len, 3);
	ck_assert_mem_eq(s.ptr, "a\0b", 4);
	ck_assert_str_eq(as_arena_printf(&a, "%s/%d", "x", 7), "x/7");
	ck_assert_uint_eq(as_arena_str(&a, (assay_str){NULL, 0}).len, 0);
	ck_assert(!a.failed);
	ck_assert_ptr_null(as_arena_alloc(&a, SIZE_MAX));
	ck_assert(a.failed);
	ck_assert_ptr_null(as_arena_alloc(&a, 1));
	as_arena_free(&a);
	ck_assert(!a.failed);
	as_arena_free(NULL);
}
END_TEST

START_TEST(test_grow)
{
	int *items = NULL;
	size_t cap = 0;
	for (size_t i = 0; i < 1000; i++) {
		ck_assert(as_grow(&items, &cap, i + 1, sizeof *items));
		ck_assert_int_eq(items[i], 0);
		items[i] = (int)i;
	}
	ck_assert_uint_ge(cap, 1000);
	ck_assert_int_eq(items[999], 999);
	ck_assert(!as_grow(&items, &cap, SIZE_MAX / 2, sizeof *items));
	ck_assert(!as_grow(&items, &cap, SIZE_MAX, sizeof *items));
	ck_assert_int_eq(items[999], 999);
	free(items);
	ck_assert_ptr_null(as_new(SIZE_MAX / 2, 16));
	void *p = as_new(0, 0);
	ck_assert_ptr_nonnull(p);
	free(p);
}
END_TEST

/* Few letters, so that much of the needle matches at most places: what makes the plain search slow. */
START_TEST(test_contains_hostile)
{
	char text[600], needle[80];
	uint32_t state = 1;
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)(state >> 8) % sizeof text, m = 1 + (size_t)(state >> 16) % sizeof needle;
		uint32_t rare = 2 + (state >> 4) % 40;
		bool found = false;
		for (size_t i = 0; i < n + m; i++) {
			state = state * 1664525u + 1013904223u;
			char c = (state >> 12) % rare == 0 ? 'b' : 'a';
			if (i < n) {
				text[i] = c;
			} else {
				needle[i - n] = c;
			}
		}
		for (size_t i = 0; i + m <= n && !found; i++) {
			found = memcmp(text + i, needle, m) == 0;
		}
		ck_assert(as_str_contains((assay_str){text, n}, (assay_str){needle, m}) == found);
	}
}
END_TEST

START_TEST(test_strings)
{
	assay_str none = {NULL, 0};
	ck_assert(as_str_eq(none, ASSAY_STR("")));
	ck_assert(as_str_is(ASSAY_STR("ab"), "ab"));
	ck_assert(!as_str_is(ASSAY_STR("ab"), "abc"));
	ck_assert_int_lt(as_str_cmp(ASSAY_STR("a"), ASSAY_STR("ab")), 0);
	ck_assert_int_lt(as_str_cmp(ASSAY_STR("z"), ASSAY_STR("\xC3\xA9")), 0);
	ck_assert_int_gt(as_str_cmp(ASSAY_STR("\xF0\x9F\x98\x80"), ASSAY_STR("\xEF\xBF\xBD")), 0);
	ck_assert_int_eq(as_str_cmp(none, ASSAY_STR("")), 0);
	ck_assert(as_str_starts(ASSAY_STR("abc"), ASSAY_STR("ab")));
	ck_assert(!as_str_starts(ASSAY_STR("a"), ASSAY_STR("ab")));
	ck_assert(as_str_starts(none, none));
	ck_assert(as_str_contains(ASSAY_STR("aaab"), ASSAY_STR("aab")));
	ck_assert(as_str_contains(ASSAY_STR("ab"), ASSAY_STR("b")));
	ck_assert(!as_str_contains(ASSAY_STR("ab"), ASSAY_STR("ba")));
	ck_assert(!as_str_contains(none, ASSAY_STR("b")));
	ck_assert(as_str_contains(none, none));
	ck_assert_ptr_null(as_strdup(NULL));
	char *copy = as_strdup("copy");
	ck_assert_str_eq(copy, "copy");
	free(copy);
	copy = as_strndup((assay_str){NULL, 0});
	ck_assert_str_eq(copy, "");
	free(copy);
}
END_TEST

START_TEST(test_error_first_stays)
{
	assay_error err = {0};
	ck_assert_int_eq(as_fail(NULL, ASSAY_EDATA, "x"), ASSAY_EDATA);
	ck_assert_int_eq(as_fail(&err, ASSAY_EDATA, "found %d", 3), ASSAY_EDATA);
	ck_assert_int_eq(as_fail(&err, ASSAY_EIO, "later"), ASSAY_EIO);
	ck_assert_int_eq(err.code, ASSAY_EDATA);
	ck_assert_str_eq(err.message, "found 3");
	ck_assert_int_eq(as_error_where(&err, "a.json", 7), ASSAY_EDATA);
	as_error_where(&err, "b.json", 8);
	as_error_pointer(&err, "/%d", 2);
	as_error_pointer(&err, "/list");
	as_error_hint(&err, "use %s", "one");
	as_error_hint(&err, "use two");
	char text[200];
	as_error_format(&err, text, sizeof text);
	ck_assert_str_eq(text, "a.json:7: /list/2: found 3 (use one)");
	as_error_format(&err, text, 12);
	ck_assert_str_eq(text, "a.json:7: /");
	ck_assert_int_eq(as_error_where(NULL, "x", 0), ASSAY_EINTERNAL);
	as_error_clear(&err);
	ck_assert_int_eq(err.code, 0);
	as_error_format(&err, text, 0);
	as_error_format(NULL, text, sizeof text);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(test_error_text_is_harmless)
{
	assay_error err = {0};
	char text[100];
	as_fail(&err, ASSAY_EDATA, "a\nb\x1b[2J\x7f\xc2\x9b\xc3\xa9\xff\xe2\x80\xae");
	as_error_where(&err, NULL, 3);
	as_error_format(&err, text, sizeof text);
	ck_assert_str_eq(text, "line 3: a b?[2J??\xc3\xa9??");
	as_error_format(&err, text, 19);
	ck_assert_str_eq(text, "line 3: a b?[2J??");
}
END_TEST

START_TEST(test_error_cut_at_character)
{
	assay_error err = {0};
	char big[700];
	for (size_t i = 0; i + 3 < sizeof big; i += 3) {
		memcpy(big + i, "\xE2\x82\xAC", 4);
	}
	as_fail(&err, ASSAY_EDATA, "%s", big);
	ck_assert_uint_eq(strlen(err.message), 510);
	as_error_where(&err, big, 0);
	ck_assert_uint_eq(strlen(err.where), 255);
	as_error_pointer(&err, "/%s", big);
	ck_assert_uint_eq(strlen(err.pointer), 190);
	as_error_pointer(&err, "/root");
	ck_assert_uint_eq(strlen(err.pointer), 189);
}
END_TEST

START_TEST(test_error_errno)
{
	assay_error err = {0};
	ck_assert_int_eq(as_fail_errno(&err, ENOENT, "/no/such", "open"), ASSAY_ENOENT);
	ck_assert_str_eq(err.message, "cannot open: No such file or directory");
	ck_assert_str_eq(err.where, "/no/such");
	ck_assert_int_eq(err.detail, ENOENT);
	ck_assert_int_eq(as_fail_errno(NULL, EACCES, NULL, "read"), ASSAY_EIO);
	ck_assert_str_eq(as_error_name(ASSAY_EDATA), "EDATA");
	ck_assert_str_eq(as_error_name(ASSAY_EUNREACH), "EUNREACH");
	ck_assert_str_eq(as_error_name(ASSAY_EAGAIN), "EAGAIN");
	ck_assert_str_eq(as_error_name(ASSAY_EPLUGIN), "EPLUGIN");
	ck_assert_str_eq(as_error_name(0), "OK");
	ck_assert_str_eq(as_error_name(1), "STOP");
	ck_assert_str_eq(as_error_name(-99), "unknown error");
}
END_TEST

UNIT_SUITE(memory_suite, "memory", test_buf, test_buf_failure_sticks, test_arena, test_grow, test_contains_hostile,
	   test_strings, test_error_first_stays, test_error_text_is_harmless, test_error_cut_at_character,
	   test_error_errno)
UNIT_MAIN(memory_suite)
