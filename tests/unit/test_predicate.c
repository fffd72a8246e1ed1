/* Argument and value predicates. What follows from the reference's rules is in the golden vectors, too; here are the
 * edges and what is no predicate at all. */
#include "core/base/regex.h"
#include "core/task/checks.h"
#include "tests/unit/model_kit.h"
#include <stdio.h>

static int args(const char *predicate, const char *arguments)
{
	assay_error err = {0};
	assay_json *p = predicate ? json(predicate) : NULL, *a = arguments ? json(arguments) : NULL;
	int met = as_args_match(p, a, &err);
	as_json_free(p);
	as_json_free(a);
	return met;
}

static int value(const char *predicate, const char *text)
{
	assay_error err = {0};
	assay_json *p = predicate ? json(predicate) : NULL;
	int met = as_value_match(p, as_str(text), &err);
	as_json_free(p);
	return met;
}

START_TEST(test_empty)
{
	ck_assert_int_eq(args(NULL, NULL), 1);
	ck_assert_int_eq(args("null", "{'a':1}"), 1);
	ck_assert_int_eq(args("{}", NULL), 1);
	ck_assert_int_eq(args("{'must_include':{},'must_match':null}", "null"), 1);
	ck_assert_int_eq(args("{'must_include':{'a':1}}", NULL), 0);
	ck_assert_int_eq(args("{'must_include':{'a':1}}", "null"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':{}}}", "{}"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':{}}}", "{'a':null}"), 1);
}
END_TEST

START_TEST(test_equality)
{
	ck_assert_int_eq(args("{'must_include':{'n':9007199254740993}}", "{'n':9007199254740993}"), 1);
	ck_assert_int_eq(args("{'must_include':{'n':9007199254740993}}", "{'n':9007199254740992.0}"), 0);
	ck_assert_int_eq(args("{'must_include':{'n':5}}", "{'n':'5'}"), 0);
	ck_assert_int_eq(args("{'must_include':{'n':null}}", "{'n':null}"), 1);
	ck_assert_int_eq(args("{'must_match':{'n':{'equals':[1,{'a':true}]}}}", "{'n':[1.0,{'a':1}]}"), 1);
	ck_assert_int_eq(args("{'must_match':{'n':{'equals':false}}}", "{'n':0}"), 1);
}
END_TEST

/* Matchers are anded, whatever order they stand in. */
START_TEST(test_all_of_them)
{
	ck_assert_int_eq(args("{'must_match':{'s':{'starts_with':'ab','contains':'c','regex':'d$'}}}", "{'s':'abcd'}"),
			 1);
	ck_assert_int_eq(args("{'must_match':{'s':{'regex':'d$','contains':'c','starts_with':'ab'}}}", "{'s':'abcd'}"),
			 1);
	ck_assert_int_eq(args("{'must_match':{'s':{'starts_with':'ab','contains':'c','regex':'^d'}}}", "{'s':'abcd'}"),
			 0);
	ck_assert_int_eq(args("{'must_match':{'s':{'starts_with':'b','contains':'c'}}}", "{'s':'abcd'}"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':{'contains':'x'},'b':{'contains':'y'}}}", "{'b':'y','a':'x'}"), 1);
	ck_assert_int_eq(args("{'must_include':{'a':1},'must_match':{'b':{'contains':'y'}}}", "{'b':'z','a':1}"), 0);
}
END_TEST

START_TEST(test_leaves)
{
	ck_assert_int_eq(args("{'must_match':{'v':{'starts_with':'ab'}}}", "{'v':{'k':[1,['abc']]}}"), 1);
	ck_assert_int_eq(args("{'must_match':{'v':{'starts_with':'1'}}}", "{'v':[12]}"), 0);
	ck_assert_int_eq(args("{'must_match':{'v':{'contains':'False'}}}", "{'v':[false]}"), 1);
	ck_assert_int_eq(args("{'must_match':{'v':{'contains':'1e-05'}}}", "{'v':0.00001}"), 1);
	ck_assert_int_eq(args("{'must_match':{'v':{'contains':'ab'}}}", "{'v':['abc']}"), 0);
	ck_assert_int_eq(args("{'must_match':{'v':{'regex':'^True$'}}}", "{'v':{'a':{'b':true}}}"), 1);
	ck_assert_int_eq(args("{'must_match':{'v':{'regex':'k'}}}", "{'v':{'k':1}}"), 0);
}
END_TEST

/* A predicate of the wrong shape is not met, not even by nothing. */
START_TEST(test_wrong_shapes)
{
	ck_assert_int_eq(args("'x'", "{'a':1}"), 0);
	ck_assert_int_eq(args("[]", NULL), 0);
	ck_assert_int_eq(args("{'must_include':[1]}", "{'':1}"), 0);
	ck_assert_int_eq(args("{'must_match':'a'}", "{'a':1}"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':'b'}}", "{'a':'b'}"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':{'contains':5}}}", "{'a':'5'}"), 0);
	ck_assert_int_eq(args("{'must_match':{'a':{'regex':'('}}}", "{'a':'('}"), 0);
	ck_assert_int_eq(args("{'must_include':{'a':1}}", "[]"), 0);
	ck_assert_int_eq(value(NULL, "x"), 0);
	ck_assert_int_eq(value("'x'", "x"), 0);
	ck_assert_int_eq(value("{'contains_all':[5]}", "5"), 0);
	ck_assert_int_eq(value("{'contains_any':'x'}", "x"), 0);
	ck_assert_int_eq(value("{'contains_all':['x'],'regex':7}", "x7"), 0);
	ck_assert_int_eq(value("{'contains_all':['x'],'contains_any':null,'regex':null}", "x"), 1);
	ck_assert_int_eq(value("{'contains_any':['']}", "x"), 1);
}
END_TEST

/* A search that would never end is told apart from one that finds nothing. */
START_TEST(test_limits)
{
	assay_error err = {0};
	as_buf text = {0};
	assay_json *p = json("{'regex':'^(a|aa|aaa)*$'}"), *q = json("{'must_match':{'a':{'regex':'^(a|aa|aaa)*$'}}}");
	assay_json *a = as_json_object();
	for (int i = 0; i < 60; i++) {
		as_buf_byte(&text, 'a');
	}
	as_buf_byte(&text, 'b');
	ck_assert_int_eq(as_value_match(p, as_buf_str(&text), &err), ASSAY_ELIMIT);
	ck_assert_int_ne(err.message[0], 0);
	ck_assert_int_eq(as_json_set(a, "a", as_json_string(as_buf_str(&text))), 0);
	ck_assert_int_eq(as_args_match(q, a, NULL), ASSAY_ELIMIT);
	as_json_free(p);
	as_json_free(q);
	as_json_free(a);
	as_buf_free(&text);
}
END_TEST

/* All of one attempt's checks together have a bound; the next attempt begins anew. */
START_TEST(test_work)
{
	as_checks c = {0};
	assay_error err = {0};
	as_buf text = {0};
	assay_json *hard = json("{'regex':'(a+)+$'}"), *easy = json("{'contains_all':['aa']}");
	assay_json *args = json("{'must_match':{'k':{'regex':'a$'}}}"), *given = json("{'k':'ba'}");
	int asked = 0;
	for (int i = 0; i < 40; i++) {
		as_buf_byte(&text, 'a');
	}
	as_buf_byte(&text, '!');
	as_checks_begin(&c);
	ck_assert_int_eq(as_checks_value(&c, easy, as_buf_str(&text), &err), 1);
	while (err.detail != AS_REGEX_STOCK && asked++ < 50) {
		err = (assay_error){0};
		ck_assert_int_eq(as_checks_value(&c, hard, as_buf_str(&text), &err), ASSAY_ELIMIT);
	}
	ck_assert_int_eq(asked, (int)(AS_CHECK_WORK / AS_REGEX_WORK) + 1);
	ck_assert_ptr_nonnull(strstr(err.message, "used up"));
	ck_assert_int_eq(as_checks_value(&c, easy, as_buf_str(&text), NULL), ASSAY_ELIMIT);
	ck_assert_int_eq(as_checks_args(&c, args, given, NULL), ASSAY_ELIMIT);
	as_checks_begin(&c);
	ck_assert_int_eq(as_checks_value(&c, easy, as_buf_str(&text), NULL), 1);
	ck_assert_int_eq(as_checks_args(&c, args, given, NULL), 1);
	ck_assert_int_eq(as_checks_args(&c, NULL, given, NULL), 1);
	ck_assert_int_eq(as_checks_value(&c, NULL, as_buf_str(&text), NULL), 0);
	as_checks_free(&c);
	as_json_free(hard);
	as_json_free(easy);
	as_json_free(args);
	as_json_free(given);
	as_buf_free(&text);
}
END_TEST

/* More predicates than are kept are read anew, to the same answers. */
START_TEST(test_many_kept)
{
	as_checks c = {0};
	assay_json *all = as_json_array();
	for (int i = 0; i < 10000; i++) {
		char text[64];
		snprintf(text, sizeof text, "{'contains_all':['%d']}", i);
		ck_assert_int_eq(as_json_append(all, json(text)), 0);
	}
	for (int round = 0; round < 2; round++) {
		int i = 0;
		as_checks_begin(&c);
		for (const assay_json *p = as_json_first(all); p; p = as_json_next(p), i++) {
			char text[32];
			snprintf(text, sizeof text, "%d", i + round);
			ck_assert_int_eq(as_checks_value(&c, p, as_str(text), NULL), round == 0);
		}
	}
	as_checks_free(&c);
	as_json_free(all);
}
END_TEST

static void checks(int (*check)(const assay_json *, assay_error *), const char *predicate, const char *line)
{
	assay_error err = {0};
	assay_json *p = json(predicate);
	ck_assert_int_eq(check(p, &err), line ? ASSAY_EDATA : 0);
	ck_assert_str_eq(error_line(&err), line ? line : "OK");
	ck_assert_int_eq(check(p, NULL), line ? ASSAY_EDATA : 0);
	as_json_free(p);
}

START_TEST(test_checking)
{
	checks(as_args_predicate_check, "null", NULL);
	checks(as_args_predicate_check, "{'must_include':{'a':[1]},'must_match':{'b':{'equals':1,'regex':'^x'}}}",
	       NULL);
	checks(as_args_predicate_check, "{'must_include':null}", NULL);
	checks(as_args_predicate_check, "5", "an argument predicate is an object with must_include and must_match");
	checks(as_args_predicate_check, "{'must_match':[]}", "/must_match: \"must_match\" is an object");
	checks(as_args_predicate_check, "{'must_match':{'b':1}}",
	       "/must_match/b: a matcher is an object with equals, starts_with, contains or regex");
	checks(as_args_predicate_check, "{'must_match':{'b':{'contains':1}}}",
	       "/must_match/b/contains: \"contains\" is a text or null");
	checks(as_args_predicate_check, "{'must_match':{'b':{'regex':1}}}",
	       "/must_match/b/regex: a regular expression is a text or null");
	checks(as_value_predicate_check, "{'contains_all':['a']}", NULL);
	checks(as_value_predicate_check, "null",
	       "a value predicate is an object with contains_any, contains_all or regex");
	checks(as_value_predicate_check, "{'contains_any':[1]}",
	       "/contains_any: \"contains_any\" is an array of texts or null");
	checks(as_value_predicate_check, "{'contains_any':[],'regex':''}",
	       "a value predicate without any condition never matches");
}
END_TEST

START_TEST(test_bad_pattern)
{
	assay_error err = {0};
	assay_json *p = json("{'regex':'a('}");
	ck_assert_int_eq(as_value_predicate_check(p, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/regex");
	ck_assert_int_ne(err.message[0], 0);
	as_json_free(p);
}
END_TEST

UNIT_SUITE(suite, "predicate", test_empty, test_equality, test_all_of_them, test_leaves, test_wrong_shapes, test_limits,
	   test_work, test_many_kept, test_checking, test_bad_pattern)
UNIT_MAIN(suite)
