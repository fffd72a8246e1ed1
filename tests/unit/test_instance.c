/* Opening instances: options, defaults, paths; and the sink that collects. */
#include "tests/unit/plugin_dirs.h"
#include "tests/unit/unit.h"

#include "core/plugin/call.h"
#include "core/plugin/role.h"
#include <assay/roles/reporter.h>
#include <assay/roles/sampler.h>
#include <assay/roles/scorer.h>
#include <unistd.h>

static assay_json *json(const char *text)
{
	assay_error err = {0};
	assay_json *out = NULL;
	ck_ok(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &out, &err));
	return out;
}

static int open_with(as_registry *r, const char *use, const char *options, const char *base_dir, as_instance **out,
		     assay_error *err)
{
	assay_json *given = options ? json(options) : NULL;
	assay_text before = {0}, after = {0};
	ck_assert_int_eq(as_json_dump(given, ASSAY_JSON_COMPACT, &before, NULL), 0);
	int rc = as_instance_open(r, use, 0, given, base_dir, out, err);
	/* The caller's options are not changed. */
	ck_assert_int_eq(as_json_dump(given, ASSAY_JSON_COMPACT, &after, NULL), 0);
	ck_assert_str_eq(before.ptr, after.ptr);
	as_text_free(&before);
	as_text_free(&after);
	as_json_free(given);
	return rc;
}

/* The options that scorer/good was opened with: its verdict. */
static char *seen_options(as_instance *i)
{
	assay_error err = {0};
	as_collect c;
	as_call call;
	assay_json *verdict = NULL;
	assay_text text = {0};
	const assay_subject subject = {.size = sizeof subject};
	const assay_scorer_ops *ops = as_instance_ops(i);
	as_call_init(&call);
	as_collect_init(&c, 1, 0);
	ck_ok(ops->score(as_instance_self(i), &call.pub, &subject, &c.sink, &err));
	ck_ok(as_collect_one(&c, "scorer/good", &verdict, &err));
	ck_ok(as_json_dump(verdict, ASSAY_JSON_COMPACT, &text, &err));
	as_json_free(verdict);
	as_collect_free(&c);
	return text.ptr;
}

START_TEST(test_defaults)
{
	assay_error err = {0};
	as_instance *i = NULL;
	uint32_t picked[1] = {0};
	size_t n = 0;
	as_call call;
	as_registry *r = registry_over(GOOD_DIR);
	as_call_init(&call);
	ck_ok(as_instance_open(r, "sampler/good", ASSAY_ROLE_SAMPLER, NULL, NULL, &i, &err));
	const assay_sampler_ops *ops = as_instance_ops(i);
	ck_ok(ops->draw(as_instance_self(i), &call.pub, (assay_tools){0}, (assay_tools){0}, 1, picked, &n, &err));
	ck_assert_uint_eq(picked[0], 42);
	ck_assert_str_eq(as_instance_info(i)->use, "sampler/good");
	as_instance_close(i);
	ck_ok(open_with(r, "sampler/good", "{\"answer\": 7}", NULL, &i, &err));
	ops = as_instance_ops(i);
	ck_ok(ops->draw(as_instance_self(i), &call.pub, (assay_tools){0}, (assay_tools){0}, 1, picked, &n, &err));
	ck_assert_uint_eq(picked[0], 7);
	as_instance_close(i);
	as_instance_close(NULL);
	as_registry_free(r);
}
END_TEST

/* A table of earlier days is shorter: what it lacks reads as NULL. It has no open and no close either. */
START_TEST(test_older_table)
{
	assay_error err = {0};
	as_instance *i = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_ok(as_instance_open(r, "sampler/older", 0, NULL, NULL, &i, &err));
	const assay_sampler_ops *ops = as_instance_ops(i);
	ck_assert_ptr_null(as_instance_self(i));
	ck_assert_uint_eq(ops->size, offsetof(assay_sampler_ops, seed_sets));
	ck_assert(ops->seed_sets == NULL);
	ck_assert(ops->draw != NULL);
	as_instance_close(i);
	as_registry_free(r);
}
END_TEST

static void expect_open(as_registry *r, const char *use, const char *options, int code, const char *line)
{
	assay_error err = {0};
	as_instance *i = NULL;
	ck_assert_int_eq(open_with(r, use, options, NULL, &i, &err), code);
	ck_assert_str_eq(error_line(&err), line);
	ck_assert_int_eq(err.code, code);
	ck_assert_ptr_null(i);
}

START_TEST(test_refused_options)
{
	assay_error err = {0};
	as_instance *i = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_assert_int_eq(open_with(r, "sampler/good", "{\n\"answer\": 7,\n\"nam\": \"x\"}", NULL, &i, &err),
			 ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/nam");
	ck_assert_uint_eq(err.line, 3);
	ck_assert_ptr_nonnull(strstr(err.hint, "name"));
	as_error_clear(&err);
	ck_assert_int_eq(open_with(r, "sampler/good", "{\"answer\": -1}", NULL, &i, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/answer");
	as_error_clear(&err);
	ck_assert_int_eq(open_with(r, "sampler/good", "{\"answer\": \"many\"}", NULL, &i, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/answer");
	as_error_clear(&err);
	ck_assert_int_eq(open_with(r, "sampler/good", "[]", NULL, &i, &err), ASSAY_EDATA);
	as_error_clear(&err);
	/* One that takes no options. */
	ck_assert_int_eq(open_with(r, "reporter/plain-text", "{\"colour\": true}", NULL, &i, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/colour");
	ck_assert_ptr_null(i);
	as_registry_free(r);
}
END_TEST

START_TEST(test_failing_open)
{
	as_registry *r = registry_over(GOOD_DIR);
	expect_open(r, "sampler/good", "{\"answer\": 1}", ASSAY_EDATA, "option answer must not be 1");
	expect_open(r, "sampler/good", "{\"answer\": 2}", ASSAY_EPLUGIN,
		    "sampler/good: its operation open answered 7, expected 0 or a negative ASSAY_E code "
		    "(\"assay plugins check sampler/good\" tells more)");
	expect_open(r, "sampler/good", "{\"answer\": 3}", ASSAY_EIO,
		    "sampler/good: its operation open failed (EIO) and does not say why");
	as_registry_free(r);
}
END_TEST

static void expect_paths(as_registry *r, const char *options, const char *base_dir, const char *seen)
{
	assay_error err = {0};
	as_instance *i = NULL;
	ck_ok(open_with(r, "scorer/good", options, base_dir, &i, &err));
	char *text = seen_options(i);
	ck_assert_str_eq(text, seen);
	free(text);
	as_instance_close(i);
}

START_TEST(test_paths)
{
	as_registry *r = registry_over(GOOD_DIR);
	expect_paths(r, "{\"file\":\"a/b\",\"other\":\"a/b\"}", "/base", "{\"file\":\"/base/a/b\",\"other\":\"a/b\"}");
	expect_paths(r, "{\"file\":\"/a/b\"}", "/base", "{\"file\":\"/a/b\"}");
	expect_paths(r, "{\"file\":\"\"}", "/base", "{\"file\":\"\"}");
	expect_paths(r, "{\"file\":\"a\"}", NULL, "{\"file\":\"a\"}");
	expect_paths(r, "{\"many\":[\"x\",\"/y\"],\"map\":{\"k\":\"z\"}}", "/base",
		     "{\"many\":[\"/base/x\",\"/y\"],\"map\":{\"k\":\"/base/z\"}}");
	expect_paths(r, "{\"sure\":\"good.so\",\"inner\":{\"sure\":\".\"}}", GOOD_DIR,
		     "{\"sure\":\"" GOOD_DIR "/good.so\",\"inner\":{\"sure\":\"" GOOD_DIR "/.\"}}");
	as_registry_free(r);
}
END_TEST

START_TEST(test_missing_paths)
{
	assay_error err = {0};
	as_instance *i = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_assert_int_eq(open_with(r, "scorer/good", "{\"sure\":\"absent\"}", "/base", &i, &err), ASSAY_ENOENT);
	ck_assert_str_eq(error_line(&err), "/sure: there is no file or folder /base/absent");
	as_error_clear(&err);
	ck_assert_int_eq(open_with(r, "scorer/good", "{\"inner\":{\"sure\":\"absent\"},\"sure\":\"more\"}", "/base", &i,
				   &err),
			 ASSAY_ENOENT);
	ck_assert_str_eq(error_line(&err), "/inner/sure: there is no file or folder /base/absent");
	ck_assert_ptr_null(i);
	as_registry_free(r);
}
END_TEST

START_TEST(test_unknown)
{
	assay_error err = {0};
	as_instance *i = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_assert_int_eq(as_instance_open(r, "sampler/good", ASSAY_ROLE_LLM, NULL, NULL, &i, &err), ASSAY_EINVAL);
	as_error_clear(&err);
	ck_assert_int_eq(as_instance_open(r, "sampler/none", 0, NULL, NULL, &i, &err), ASSAY_EPLUGIN);
	ck_assert_ptr_null(i);
	as_registry_free(r);
}
END_TEST

/* Two instances share nothing. */
START_TEST(test_two)
{
	assay_error err = {0};
	as_instance *a = NULL, *b = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_ok(open_with(r, "scorer/good", "{\"n\":1}", NULL, &a, &err));
	ck_ok(open_with(r, "scorer/good", "{\"n\":2}", NULL, &b, &err));
	ck_assert_ptr_ne(as_instance_self(a), as_instance_self(b));
	char *x = seen_options(a);
	char *y = seen_options(b);
	ck_assert_str_eq(x, "{\"n\":1}");
	ck_assert_str_eq(y, "{\"n\":2}");
	free(x);
	free(y);
	as_instance_close(a);
	as_instance_close(b);
	as_registry_free(r);
}
END_TEST

/* A plugin of a stranger: built by the compiler with sdk/ as its only include path, found through ASSAY_PLUGIN_PATH. */
START_TEST(test_sample)
{
	const assay_tool tools[] = {{.size = sizeof tools[0], .description = ASSAY_STR("short")},
				    {.size = sizeof tools[0], .description = ASSAY_STR("the longest of them")},
				    {.size = sizeof tools[0], .description = ASSAY_STR("middling")},
				    {.size = sizeof tools[0], .description = ASSAY_STR("as_short")}};
	const assay_tool *list[] = {&tools[0], &tools[1], &tools[2], &tools[3]};
	const as_registry_options options = {.path = "/no/such/folder:" GOOD_DIR, .lib_dir = NO_DIR};
	assay_error err = {0};
	as_registry *r = NULL;
	as_instance *i = NULL;
	as_call call;
	uint32_t picked[4] = {9, 9, 9, 9};
	size_t n = 0;
	as_call_init(&call);
	ck_ok(as_registry_new(&options, &r, &err));
	ck_ok(as_instance_open(r, "sampler/longest", ASSAY_ROLE_SAMPLER, NULL, NULL, &i, &err));
	const assay_sampler_ops *ops = as_instance_ops(i);
	ck_ok(ops->draw(NULL, &call.pub, (assay_tools){0}, (assay_tools){list, 4}, 3, picked, &n, &err));
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(picked[0], 1);
	ck_assert_uint_eq(picked[1], 2);
	ck_assert_uint_eq(picked[2], 3);
	ck_assert_uint_eq(picked[3], 9);
	ck_ok(ops->draw(NULL, &call.pub, (assay_tools){0}, (assay_tools){list, 2}, 4, picked, &n, &err));
	ck_assert_uint_eq(n, 2);
	ck_ok(ops->draw(NULL, &call.pub, (assay_tools){0}, (assay_tools){list, 4}, 0, picked, &n, &err));
	ck_assert_uint_eq(n, 0);
	as_instance_close(i);
	as_registry_free(r);
}
END_TEST

START_TEST(test_collect)
{
	assay_error err = {0};
	as_collect c = {0};
	assay_json *one = NULL;
	as_collect_init(&c, 2, 5);
	ck_assert_int_eq(as_collect_one(&c, "x/y", &one, &err), ASSAY_EPLUGIN);
	ck_assert_str_eq(error_line(&err), "x/y: emitted 0 values, expected 1");
	as_error_clear(&err);
	ck_ok(c.sink.emit(&c.sink, as_json_integer(1), &err));
	ck_ok(c.sink.emit(&c.sink, as_json_integer(2), &err));
	ck_assert_int_eq(c.sink.emit(&c.sink, as_json_integer(3), &err), ASSAY_ELIMIT);
	ck_assert_str_eq(error_line(&err), "more than 2 values were emitted");
	as_error_clear(&err);
	ck_assert_uint_eq(as_json_count(c.values), 2);
	ck_assert_int_eq(as_collect_one(&c, "x/y", &one, &err), ASSAY_EPLUGIN);
	ck_assert_str_eq(error_line(&err), "x/y: emitted 3 values, expected 1");
	as_error_clear(&err);
	ck_assert_int_eq(c.sink.emit(&c.sink, NULL, &err), ASSAY_ENOMEM);
	as_error_clear(&err);
	ck_ok(c.sink.write(&c.sink, ASSAY_STR("abc"), &err));
	ck_ok(c.sink.write(&c.sink, ASSAY_STR("de"), &err));
	ck_ok(c.sink.write(&c.sink, ASSAY_STR(""), &err));
	ck_assert_int_eq(c.sink.write(&c.sink, ASSAY_STR("f"), &err), ASSAY_ELIMIT);
	ck_assert_str_eq(error_line(&err), "more than 5 bytes were written");
	ck_assert_str_eq(c.text.ptr, "abcde");
	as_collect_free(&c);
	as_collect_free(&c);
	as_collect_free(NULL);
	ck_assert_ptr_null(one);
}
END_TEST

START_TEST(test_collect_unlimited)
{
	assay_error err = {0};
	as_collect c;
	as_collect_init(&c, 0, 0);
	for (int i = 0; i < 1000; i++) {
		ck_ok(c.sink.emit(&c.sink, as_json_integer(i), &err));
		ck_ok(c.sink.write(&c.sink, ASSAY_STR("0123456789"), &err));
	}
	ck_assert_uint_eq(as_json_count(c.values), 1000);
	ck_assert_uint_eq(c.text.len, 10000);
	as_collect_free(&c);
}
END_TEST

/* As many as a sampler may emit: looking at all that came before with each of them would take longer than a test may.
 */
START_TEST(test_collect_many)
{
	assay_error err = {0};
	as_collect c;
	as_collect_init(&c, AS_ROLE_SETS_MAX, 0);
	for (uint32_t i = 0; i < AS_ROLE_SETS_MAX; i++) {
		ck_ok(c.sink.emit(&c.sink, as_json_integer(i), &err));
	}
	ck_assert_int_eq(c.sink.emit(&c.sink, as_json_integer(0), &err), ASSAY_ELIMIT);
	ck_assert_str_eq(error_line(&err), "more than 100000 values were emitted");
	ck_assert_uint_eq(as_json_count(c.values), AS_ROLE_SETS_MAX);
	as_collect_free(&c);
}
END_TEST

UNIT_SUITE(instance_suite, "instance", test_defaults, test_older_table, test_refused_options, test_failing_open,
	   test_paths, test_missing_paths, test_unknown, test_two, test_sample, test_collect, test_collect_unlimited,
	   test_collect_many)
UNIT_MAIN(instance_suite)
