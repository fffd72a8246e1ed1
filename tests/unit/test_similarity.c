#include "tests/unit/unit.h"

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/similarity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double ratio(const char *a, const char *b)
{
	return as_ratio(as_str(a), as_str(b));
}

/* Expected values: Python 3.11's difflib. */
START_TEST(ratios)
{
	ck_assert_double_eq(ratio("", ""), 1);
	ck_assert_double_eq(ratio("", "a"), 0);
	ck_assert_double_eq(ratio("a", ""), 0);
	ck_assert_double_eq(as_ratio((assay_str){NULL, 0}, (assay_str){NULL, 0}), 1);
	ck_assert_double_eq(ratio("abcd", "bcde"), 0.75);
	ck_assert_double_eq(ratio("tide", "diet"), 0.25);
	ck_assert_double_eq(ratio("diet", "tide"), 0.5);
	ck_assert_double_eq(ratio("list_branches", "list_branch"), 0.9166666666666666);
	ck_assert_double_eq(ratio("qabxcd", "abycdf"), 0.6666666666666666);
	/* code points, not bytes */
	ck_assert_double_eq(ratio("\xc3\xa9x", "\xc3\xa8x"), 0.5);
	ck_assert_double_eq(ratio("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81"), 0);
}
END_TEST

/* From 200 characters on, frequent ones of b start no block; they may still lengthen one. */
START_TEST(popular)
{
	char a[260], b[260];

	memset(a, 'a', 250);
	a[250] = '\0';
	memcpy(b, a, sizeof b);
	ck_assert_double_eq(ratio(a, b), 1); /* lengthened from the start */
	b[0] = 'z';
	ck_assert_double_eq(ratio(a, b), 0);
	a[199] = b[199] = '\0';
	ck_assert_double_eq(ratio(a, b), 2.0 * 198 / (2 * 199));
	memset(b, 'a', 250);
	b[100] = 'X';
	b[250] = '\0';
	memset(a, 'a', 250);
	a[90] = 'X';
	a[250] = '\0';
	ck_assert_double_eq(ratio(a, b), 0.96);
}
END_TEST

START_TEST(given_up)
{
	/* 200 characters in turn: none is frequent enough to be left out, and every row meets 1 % of b. */
	const size_t n = 600000;
	as_buf text = {0};
	as_rng r;

	as_rng_seed(&r, 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t c = 0x4e00 + as_rng_below(&r, 200);

		as_buf_byte(&text, (char)(0xe0 | c >> 12));
		as_buf_byte(&text, (char)(0x80 | (c >> 6 & 63)));
		as_buf_byte(&text, (char)(0x80 | (c & 63)));
	}
	ck_assert_double_eq(as_ratio(as_buf_str(&text), (assay_str){text.ptr + 3, text.len - 3}), -2);
	as_buf_free(&text);
}
END_TEST

START_TEST(jaccard)
{
	ck_assert_double_eq(as_jaccard(ASSAY_STR("Read a file"), ASSAY_STR("read the file")), 2.0 / 3);
	ck_assert_double_eq(as_jaccard(ASSAY_STR("a b c"), ASSAY_STR("a b c")), 0); /* too short to be tokens */
	ck_assert_double_eq(as_jaccard(ASSAY_STR(""), ASSAY_STR("word")), 0);
	ck_assert_double_eq(as_jaccard((assay_str){NULL, 0}, (assay_str){NULL, 0}), 0);
	ck_assert_double_eq(as_jaccard(ASSAY_STR("word word"), ASSAY_STR("word")), 1);
	ck_assert_double_eq(as_jaccard(ASSAY_STR("get_user.2go"), ASSAY_STR("2go,USER")), 2.0 / 3);
	ck_assert_double_eq(as_jaccard(ASSAY_STR("\xe2\x84\xaa"
						 "elvin"),
				       ASSAY_STR("kelvin")),
			    1);
	ck_assert_double_eq(as_jaccard(ASSAY_STR("\xc4\xb0"
						 "ce"),
				       ASSAY_STR("ice ce")),
			    0.5);
}
END_TEST

START_TEST(bm25_values)
{
	as_bm25 *index;
	double scores[3], idf;
	assay_error err = {0};

	ck_assert_int_eq(as_bm25_new(&index, &err), 0);
	ck_assert_int_eq(as_bm25_scores(index, ASSAY_STR("nothing"), scores, &err), 0);
	ck_assert_int_eq(as_bm25_add(index, ASSAY_STR("read a File, read it"), &err), 0);
	ck_assert_int_eq(as_bm25_add(index, ASSAY_STR("write a file"), &err), 0);
	ck_assert_int_eq(as_bm25_add(index, ASSAY_STR(""), &err), 0);
	ck_assert_uint_eq(as_bm25_count(index), 3);
	ck_assert_int_eq(as_bm25_scores(index, ASSAY_STR("READ!"), scores, &err), 0);
	idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5));
	ck_assert_double_eq_tol(scores[0], idf * 2.2 * 2 / (2 + 1.2 * (0.25 + 0.75 * 5 / (8.0 / 3))), 1e-12);
	ck_assert_double_eq(scores[1], 0);
	ck_assert_double_eq(scores[2], 0);
	ck_assert_int_eq(as_bm25_scores(index, ASSAY_STR("file"), scores, &err), 0);
	ck_assert_double_gt(scores[1], scores[0]); /* the shorter one */
	ck_assert_int_eq(as_bm25_scores(index, ASSAY_STR("unknown"), scores, &err), 0);
	ck_assert_double_eq(scores[0] + scores[1] + scores[2], 0);
	as_bm25_free(index);
	as_bm25_free(NULL);
}
END_TEST

static void random_words(as_buf *out, as_rng *r, uint32_t vocabulary, int n)
{
	as_buf_clear(out);
	for (int i = 0; i < n; i++) {
		as_buf_printf(out, "word%u ", as_rng_below(r, vocabulary));
	}
}

/* The score of a document must not depend on what stands in the hash table beside it. */
START_TEST(bm25_large)
{
	as_bm25 *index;
	as_buf text = {0};
	as_rng r;
	double *scores = calloc(10000, sizeof *scores);
	int64_t began, best = INT64_MAX;
	size_t found = 0;

	ck_assert_ptr_nonnull(scores);
	as_rng_seed(&r, 1);
	ck_assert_int_eq(as_bm25_new(&index, NULL), 0);
	for (int i = 0; i < 10000; i++) {
		random_words(&text, &r, 5000, 30);
		if (i == 7777) {
			as_buf_puts(&text, "needle");
		}
		ck_assert_int_eq(as_bm25_add(index, as_buf_str(&text), NULL), 0);
	}
	ck_assert_int_eq(as_bm25_scores(index, ASSAY_STR("needle"), scores, NULL), 0);
	for (size_t i = 0; i < 10000; i++) {
		found += scores[i] > 0;
	}
	ck_assert_uint_eq(found, 1);
	ck_assert_double_gt(scores[7777], 8);
	random_words(&text, &r, 5000, 13);
	for (int i = 0; i < 20; i++) {
		began = as_now_us();
		ck_assert_int_eq(as_bm25_scores(index, as_buf_str(&text), scores, NULL), 0);
		best = as_now_us() - began < best ? as_now_us() - began : best;
	}
	ck_assert_int_lt(best, 5000); /* usually some 50 us; loaded machines and sanitizers are slow */
	as_bm25_free(index);
	as_buf_free(&text);
	free(scores);
}
END_TEST

START_TEST(edit_distances)
{
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("kitten"), ASSAY_STR("sitting"), 10), 3);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("kitten"), ASSAY_STR("sitting"), 3), 3);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("kitten"), ASSAY_STR("sitting"), 2), 3);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("kitten"), ASSAY_STR("sitting"), 0), 1);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR(""), ASSAY_STR(""), 0), 0);
	ck_assert_uint_eq(as_edit_distance((assay_str){NULL, 0}, ASSAY_STR("abc"), 5), 3);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("same"), ASSAY_STR("same"), 0), 0);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("\xc3\xa9t\xc3\xa9"), ASSAY_STR("ete"), 9), 2);
	ck_assert_uint_eq(as_edit_distance(ASSAY_STR("a"), ASSAY_STR("abcdefghij"), 3), 4);
}
END_TEST

UNIT_SUITE(suite, "similarity", ratios, popular, given_up, jaccard, bm25_values, bm25_large, edit_distances)
UNIT_MAIN(suite)
