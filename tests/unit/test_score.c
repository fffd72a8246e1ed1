/* Scoring through the registry: verdicts that are taken, and those that no scorer may give. */
#include "core/run/score.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

static as_registry *registry(void)
{
	static const char *const dirs[] = {TEST_BUILDDIR "/tests/sdk", NULL};
	const as_registry_options where = {.dirs = dirs, .lib_dir = TEST_BUILDDIR "/lib"};
	assay_error err = {0};
	as_registry *r = NULL;
	ck_ok(as_registry_new(&where, &r, &err));
	return r;
}

/* The outcome of one scorer on an empty session: its verdict as text, or the complaint. */
static const char *outcome(const char *use, const char *options, int code)
{
	static char text[2048];
	assay_error err = {0};
	as_registry *r = registry();
	as_instance *scorer = NULL;
	as_trace *trace = NULL;
	assay_json *o = options ? json(options) : NULL, *task = json("{'checkpoints':[]}"), *verdict = NULL;
	as_call call;
	as_call_init(&call);
	ck_ok(as_trace_new(ASSAY_STR(""), NULL, &trace, &err));
	ck_ok(as_trace_finish(trace, &err));
	ck_ok(as_instance_open(r, use, ASSAY_ROLE_SCORER, o, NULL, &scorer, &err));
	ck_assert_int_eq(as_score_trace(scorer, &call, task, trace, NULL, &verdict, &err), code);
	ck_assert((verdict != NULL) == (code == 0));
	snprintf(text, sizeof text, "%s", code == 0 ? text_of(verdict) : error_line(&err));
	as_json_free(o);
	as_json_free(task);
	as_json_free(verdict);
	as_trace_free(trace);
	as_instance_close(scorer);
	as_registry_free(r);
	return text;
}

static const char *toy(const char *options, int code)
{
	return outcome("scorer/toy", options, code);
}

START_TEST(test_good_verdicts)
{
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass','lo':1,'hi':1}}", 0), "{'verdict':'pass','lo':1,'hi':1}");
	ck_assert_str_eq(
		toy("{'verdict':{'verdict':'unknown','lo':0.25,'hi':0.5,'metrics':{'a':null,'b':2.5},'checks':[],"
		    "'minefields':[],'ordering':{},'summary':{}}}",
		    0),
		"{'verdict':'unknown','lo':0.25,'hi':0.5,'metrics':{'a':null,'b':2.5},'checks':[],'minefields':[],"
		"'ordering':{},'summary':{}}");
	ck_assert_ptr_nonnull(strstr(outcome("scorer/effects", NULL, 0), "'verdict':'pass','lo':1,'hi':1,'checks':[]"));
}
END_TEST

START_TEST(test_bad_verdicts)
{
#define HEAD "{'verdict':{'verdict':'fail','lo':0,'hi':1,"
	static const char word[] = "scorer/toy: the verdict is neither \"pass\" nor \"fail\" nor \"unknown\"";
	static const char bounds[] = "scorer/toy: the verdict's \"lo\" and \"hi\" are no bounds within 0 and 1";
	ck_assert_str_eq(toy("{'verdict':{}}", ASSAY_EPLUGIN), word);
	ck_assert_str_eq(toy("{'verdict':[1]}", ASSAY_EPLUGIN), word);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'maybe','lo':0,'hi':1}}", ASSAY_EPLUGIN), word);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass'}}", ASSAY_EPLUGIN), bounds);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass','lo':1,'hi':0.5}}", ASSAY_EPLUGIN), bounds);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass','lo':1,'hi':1.5}}", ASSAY_EPLUGIN), bounds);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass','lo':true,'hi':true}}", ASSAY_EPLUGIN), bounds);
	ck_assert_str_eq(toy("{'verdict':{'verdict':'pass','lo':-0.5,'hi':1}}", ASSAY_EPLUGIN), bounds);
	ck_assert_str_eq(toy(HEAD "'checks':{}}}", ASSAY_EPLUGIN),
			 "scorer/toy: the verdict's \"checks\" and \"minefields\" are no arrays");
	ck_assert_str_eq(toy(HEAD "'ordering':[]}}", ASSAY_EPLUGIN),
			 "scorer/toy: the verdict's \"ordering\" and \"summary\" are no objects");
	ck_assert_str_eq(toy(HEAD "'metrics':{'a':'1'}}}", ASSAY_EPLUGIN),
			 "scorer/toy: the verdict's \"metrics\" is no object of numbers");
	ck_assert_str_eq(toy(HEAD "'metrics':[]}}", ASSAY_EPLUGIN),
			 "scorer/toy: the verdict's \"metrics\" is no object of numbers");
#undef HEAD
}
END_TEST

START_TEST(test_failures)
{
	ck_assert_str_eq(toy("{'fail':true}", ASSAY_EDATA), "scorer/toy: cannot judge this");
	ck_assert_ptr_nonnull(strstr(toy("{'times':0}", ASSAY_EPLUGIN), "emitted 0 values, expected 1"));
	ck_assert_ptr_nonnull(strstr(toy("{'times':2,'verdict':{}}", ASSAY_EPLUGIN), "emitted 2 values, expected 1"));
}
END_TEST

UNIT_SUITE(suite, "score", test_good_verdicts, test_bad_verdicts, test_failures)
UNIT_MAIN(suite)
