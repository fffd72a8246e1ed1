/* The index over a catalogue's tools against comparing them one by one. */
#include "core/task/likeness.h"

#include "core/base/random.h"
#include "core/base/similarity.h"
#include "core/task/catalogue.h"
#include "tests/unit/unit.h"
#include <stdio.h>

#define SERVERS 12
#define TOOLS 12 /* of each */
#define LEAST 0.85

static const char *const words[] = {"get", "list", "item",  "items",  "Order", "order", "\303\234ber", "a",
				    "of",  "2nd",  "price", "prices", "file",  "files", "--",          "the"};
#define N_WORDS (sizeof words / sizeof *words)

static void put_words(as_buf *out, as_rng *r, const char *between)
{
	for (uint32_t n = as_rng_below(r, 5); n > 0; n--) {
		as_buf_printf(out, "%s%s", words[as_rng_below(r, N_WORDS)], n > 1 ? between : "");
	}
}

static as_catalogue *make_catalogue(as_rng *r)
{
	as_buf out = {0};
	assay_json *records = NULL;
	as_catalogue *c = NULL;
	as_buf_puts(&out, "[");
	for (int s = 0; s < SERVERS; s++) {
		as_buf_printf(&out, "%s{\"server_id\":\"s%02d\",\"class\":\"static\",\"tools\":[", s ? "," : "", s);
		for (int t = 0; t < TOOLS; t++) {
			as_buf_printf(&out, "%s{\"name\":\"x", t ? "," : "");
			put_words(&out, r, "_");
			as_buf_puts(&out, "\",\"description\":\"");
			put_words(&out, r, " ");
			as_buf_puts(&out, "\"}");
		}
		as_buf_puts(&out, "]}");
	}
	as_buf_puts(&out, "]");
	ck_assert_int_eq(as_json_parse(as_buf_str(&out), ASSAY_JSON_STRICT, &records, NULL), 0);
	ck_assert_int_eq(as_catalogue_new(records, &c, NULL), 0);
	as_buf_free(&out);
	return c;
}

static double by_words(const assay_tool *a, const assay_tool *b)
{
	as_buf x = {0}, y = {0};
	double score;
	as_buf_printf(&x, "%.*s %.*s", ASSAY_FMT(a->description), ASSAY_FMT(a->name));
	as_buf_printf(&y, "%.*s %.*s", ASSAY_FMT(b->description), ASSAY_FMT(b->name));
	score = as_jaccard(as_buf_str(&x), as_buf_str(&y));
	as_buf_free(&x);
	as_buf_free(&y);
	return score;
}

static double by_names(const assay_tool *a, const assay_tool *b)
{
	double score = as_str_eq(a->name, b->name) ? 2.0 : as_ratio(a->name, b->name);
	return score >= LEAST ? score : -1.0;
}

/* Every score is the very number that the comparison gives. */
static void compare(uint32_t by, assay_tools required, assay_tools all, const double *scores)
{
	for (size_t i = 0; i < all.count; i++) {
		double best = by == ASSAY_LIKE_WORDS ? 0.0 : -1.0;
		for (size_t k = 0; k < required.count; k++) {
			double s = by == ASSAY_LIKE_WORDS ? by_words(all.list[i], required.list[k])
							  : by_names(all.list[i], required.list[k]);
			best = s > best ? s : best;
		}
		ck_assert_msg(!(scores[i] < best) && !(scores[i] > best), "%u, tool %zu: %.17g, expected %.17g",
			      (unsigned)by, i, scores[i], best);
	}
}

START_TEST(test_same_scores)
{
	as_rng r;
	as_rng_seed(&r, 5);
	as_catalogue *c = make_catalogue(&r);
	assay_tools all = as_catalogue_tools(c);
	double scores[SERVERS * TOOLS];
	uint32_t places[SERVERS * TOOLS];
	const as_likeness *l;
	int alike = 0;
	ck_assert_int_eq(as_catalogue_likeness(c, &l, NULL), 0);
	for (int round = 0; round < 60; round++) {
		const assay_tool *list[2] = {all.list[as_rng_below(&r, (uint32_t)all.count)],
					     all.list[as_rng_below(&r, (uint32_t)all.count)]};
		assay_tools required = {list, (size_t)round % 3};
		for (uint32_t by = ASSAY_LIKE_WORDS; by <= ASSAY_LIKE_NAMES; by++) {
			ck_assert_int_eq(as_likeness_rate(l, by, LEAST, required, all, scores, places, NULL), 1);
			compare(by, required, all, scores);
			for (size_t i = 0; i < all.count; i++) {
				ck_assert_uint_eq(places[i], i);
				alike += by == ASSAY_LIKE_NAMES && scores[i] >= LEAST && scores[i] < 2.0;
			}
		}
	}
	ck_assert_int_gt(alike, 10); /* nearly the same names were among them */
	as_catalogue_free(c);
}
END_TEST

/* Candidates may be some, in any order; what is no tool of the catalogue is not rated. */
START_TEST(test_others)
{
	as_rng r;
	as_rng_seed(&r, 6);
	as_catalogue *c = make_catalogue(&r);
	assay_tools all = as_catalogue_tools(c);
	assay_tool foreign = *all.list[3];
	const assay_tool *some[3] = {all.list[40], all.list[7], all.list[8]}, *mixed[2] = {all.list[1], &foreign};
	double scores[3];
	uint32_t places[3];
	const as_likeness *l;
	ck_assert_int_eq(as_catalogue_likeness(c, &l, NULL), 0);
	ck_assert_int_eq(as_likeness_rate(l, ASSAY_LIKE_WORDS, LEAST, (assay_tools){all.list, 1},
					  (assay_tools){some, 3}, scores, places, NULL),
			 1);
	compare(ASSAY_LIKE_WORDS, (assay_tools){all.list, 1}, (assay_tools){some, 3}, scores);
	ck_assert(places[0] == 40 && places[1] == 7 && places[2] == 8);
	ck_assert_int_eq(as_likeness_rate(l, ASSAY_LIKE_NAMES, LEAST, (assay_tools){all.list, 1},
					  (assay_tools){mixed, 2}, scores, places, NULL),
			 0);
	ck_assert_int_eq(as_likeness_rate(l, ASSAY_LIKE_WORDS, LEAST, (assay_tools){mixed, 2}, (assay_tools){some, 3},
					  scores, places, NULL),
			 0);
	as_catalogue_free(c);
}
END_TEST

UNIT_SUITE(suite, "likeness", test_same_scores, test_others)
UNIT_MAIN(suite)
