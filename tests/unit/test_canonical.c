#include "tests/unit/unit.h"

#include "core/trace/canonical.h"

#include <string.h>

static void check_canonical(const char *json, const char *expected)
{
	assay_json *v = NULL;
	as_buf out = {0};

	ck_assert_int_eq(as_json_parse(as_str(json), ASSAY_JSON_PEER, &v, NULL), 0);
	ck_assert_int_eq(as_canonical_arguments(v, &out), 0);
	ck_assert_str_eq(out.ptr, expected);
	as_buf_free(&out);
	as_json_free(v);
}

START_TEST(canonical)
{
	as_buf out = {0};

	ck_assert_int_eq(as_canonical_arguments(NULL, &out), 0);
	ck_assert_str_eq(out.ptr, "{}");
	as_buf_free(&out);
	check_canonical("null", "{}");
	check_canonical("{}", "{}");
	check_canonical("{\"b\":1,\"a\":{\"d\":1.50,\"c\":[]}}", "{\"a\":{\"c\":[],\"d\":1.5},\"b\":1}");
	check_canonical("{\"\\ufffd\":1,\"\\ud83d\\ude00\":2}", "{\"\xef\xbf\xbd\":1,\"\xf0\x9f\x98\x80\":2}");
	check_canonical("{\"n\":12345678901234567890123,\"m\":-0,\"e\":1E3}",
			"{\"e\":1000.0,\"m\":0,\"n\":12345678901234567890123}");
}
END_TEST

static double near_score(const char *a, const char *b)
{
	return as_near_score(as_str(a), as_str(b));
}

START_TEST(fields)
{
	ck_assert_double_eq(near_score("{}", "{}"), 1);
	ck_assert_double_eq(near_score("{\"q\":\"covid\"}", "{\"q\":\"covid-19\"}"), 0.7);
	ck_assert_double_eq(near_score("{\"q\":\"covid\",\"n\":5}", "{\"n\":5,\"q\":\"covid-19\"}"), 0.85);
	ck_assert_double_eq(near_score("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", "{\"a\":1,\"b\":2,\"c\":3,\"d\":5}"), 0.75);
	ck_assert_double_eq(near_score("{\"q\":\" Solar  POWER\"}", "{\"q\":\"solar power\"}"), 1);
	ck_assert_double_eq(near_score("{\"a\":1}", "{\"b\":1}"), 0);
	ck_assert_double_eq(near_score("{\"A\":1}", "{\"a\":1}"), 0); /* names are taken as they are */
	ck_assert_double_eq(near_score("{\"a\":\"\"}", "{\"a\":\"x\"}"), 0);
	ck_assert_double_eq(near_score("{\"a\":\"\"}", "{\"a\":\" \"}"), 1);
	ck_assert_double_eq(near_score("{\"a\":[\"one\"]}", "{\"a\":[\"one two\"]}"),
			    0); /* contained at top level only */
	ck_assert_double_eq(near_score("{\"a\":\"x\",\"a\":\"y\"}", "{\"a\":\"y\"}"), 1);
}
END_TEST

START_TEST(equality)
{
	ck_assert_double_eq(near_score("{\"a\":1}", "{\"a\":1.0}"), 1);
	ck_assert_double_eq(near_score("{\"a\":1}", "{\"a\":true}"), 1);
	ck_assert_double_eq(near_score("{\"a\":0}", "{\"a\":false}"), 1);
	ck_assert_double_eq(near_score("{\"a\":0}", "{\"a\":null}"), 0);
	ck_assert_double_eq(near_score("{\"a\":5}", "{\"a\":\"5\"}"), 0);
	ck_assert_double_eq(near_score("{\"a\":9007199254740993}", "{\"a\":9007199254740992.0}"), 0);
	ck_assert_double_eq(near_score("{\"a\":[]}", "{\"a\":{}}"), 1);
	ck_assert_double_eq(near_score("{\"a\":[[\"k\",1]]}", "{\"a\":{\"k\":1}}"), 1);
	ck_assert_double_eq(near_score("{\"a\":[[\"K\",1]]}", "{\"a\":{\"k\":1}}"), 1); /* items are normalised */
	ck_assert_double_eq(near_score("{\"a\":[[\"k\",1]]}", "{\"a\":{\"K\":1}}"), 0); /* names are not */
	ck_assert_double_eq(near_score("{\"a\":{\"x\":1,\"y\":\"B\"}}", "{\"a\":{\"y\":\"b\",\"x\":1}}"), 1);
	ck_assert_double_eq(near_score("{\"a\":[1,2]}", "{\"a\":[2,1]}"), 0);
	ck_assert_double_eq(near_score("{\"a\":[1,2]}", "{\"a\":[1]}"), 0);
}
END_TEST

START_TEST(not_a_number)
{
	ck_assert_double_eq(near_score("{\"a\":NaN}", "{\"a\":NaN}"), 0);
	ck_assert_double_eq(near_score("{\"a\":[NaN]}", "{\"a\":[NaN]}"), 1);
	ck_assert_double_eq(near_score("{\"a\":[NaN]}", "{\"a\":[0.0]}"), 0);
	ck_assert_double_eq(near_score("{\"a\":Infinity,\"b\":-Infinity}", "{\"a\":Infinity,\"b\":1}"), 0.5);
	ck_assert_double_eq(near_score("{\"a\":-Infinity}", "{\"a\":-Infinity}"), 1);
	ck_assert_double_eq(near_score("{\"a\":\"NaN\"}", "{\"a\":\"nan\"}"), 1);
	ck_assert_double_eq(near_score("{\"a\":\"\\\"NaN\",\"b\":[NaN]}", "{\"a\":\"\\\"NaN\",\"b\":[NaN]}"), 1);
}
END_TEST

START_TEST(other_texts)
{
	ck_assert_double_eq(near_score("", ""), 1);
	ck_assert_double_eq(near_score("{", "{"), 1);
	ck_assert_double_eq(near_score("null", "{\"a\":1}"), 0); /* "null" against '{"a": 1}' */
	ck_assert_double_eq(near_score("[1,2]", "[1,2]"), 1);
	ck_assert_double_eq(near_score("[1,2]", "{}"), 0);
	ck_assert_double_eq(near_score("abcd", "bcde"), 0.75);
	ck_assert_double_eq(near_score("\"\\u00e9\"", "\"\xc3\xa9\""), 1);
}
END_TEST

START_TEST(prepared)
{
	as_near *recorded = as_near_new(ASSAY_STR("{\"q\":\"Solar Power\",\"n\":1}"));
	as_near *same = as_near_new(ASSAY_STR("{\"n\":1,\"q\":\"solar power\"}")),
		*other = as_near_new(ASSAY_STR("nonsense"));

	ck_assert(recorded && same && other);
	ck_assert_double_eq(as_near_score_prepared(same, recorded), 1);
	ck_assert_double_lt(as_near_score_prepared(other, recorded), 0.5);
	ck_assert_double_eq(as_near_score_prepared(same, recorded), 1);
	as_near_free(recorded);
	as_near_free(same);
	as_near_free(other);
	as_near_free(NULL);
}
END_TEST

/* Deep, long and broken texts come to a score. */
START_TEST(hostile)
{
	as_buf deep = {0}, wide = {0};

	as_buf_puts(&deep, "{\"a\":");
	for (int i = 0; i < 100000; i++) {
		as_buf_puts(&deep, "[");
	}
	ck_assert_double_eq(as_near_score(as_buf_str(&deep), ASSAY_STR("{}")) >= 0, 1);
	as_buf_clear(&deep);
	as_buf_puts(&deep, "{\"a\":");
	for (int i = 0; i < 200; i++) {
		as_buf_puts(&deep, "{\"b\":[");
	}
	ck_assert_double_ge(as_near_score(as_buf_str(&deep), as_buf_str(&deep)), 0);
	as_buf_puts(&wide, "{");
	for (int i = 0; i < 20000; i++) {
		as_buf_printf(&wide, "%s\"key%d\":\"Value %d\"", i ? "," : "", i, i);
	}
	as_buf_puts(&wide, "}");
	ck_assert_double_eq(as_near_score(as_buf_str(&wide), as_buf_str(&wide)), 1);
	as_buf_free(&deep);
	as_buf_free(&wide);
}
END_TEST

UNIT_SUITE(suite, "canonical", canonical, fields, equality, not_a_number, other_texts, prepared, hostile)
UNIT_MAIN(suite)
