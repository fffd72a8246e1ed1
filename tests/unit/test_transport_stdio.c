/* transport/stdio as a module, with sh, cat and printf as its peers. */
#include "core/base/error.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/transport.h>

#include <stdio.h>
#include <string.h>

#define AMPLE 20000

static const assay_transport_ops *ops(void)
{
	return fake_load("transport_stdio", ASSAY_ROLE_TRANSPORT, "stdio")->ops;
}

static int open_with(const char *options, void **self, assay_error *err)
{
	assay_json *v = NULL;
	int rc;

	*self = NULL;
	ck_assert_int_eq(as_json_parse(as_str(options), ASSAY_JSON_STRICT, &v, NULL), 0);
	rc = ops()->open(fake_host(), v, self, err);
	as_json_free(v);
	return rc;
}

/* An instance that runs a shell script, connected. */
static void *connected(const char *script, as_call *call)
{
	assay_json *options = as_json_object(), *args = as_json_array();
	assay_error err = {0};
	void *self = NULL;

	as_json_append(args, as_json_cstring("-c"));
	as_json_append(args, as_json_cstring(script));
	as_json_set(options, "command", as_json_cstring("sh"));
	ck_assert_int_eq(as_json_set(options, "args", args), 0);
	fake_call(call, AS_FOREVER);
	ck_assert_int_eq(ops()->open(fake_host(), options, &self, NULL), 0);
	as_json_free(options);
	ck_assert_msg(ops()->connect(self, &call->pub, &err) == 0, "%s", err.message);
	return self;
}

static void finish(void *self)
{
	ops()->close(self);
	ck_assert_int_eq(fake_live_blocks(), 0);
	ck_assert(fake_group_gone(fake_last_pid()));
}

/* Receive until the end of the output; all lines joined by "|". */
static void check_lines(const char *script, const char *expected)
{
	as_call call;
	void *self = connected(script, &call);
	assay_error err = {0};
	fake_sink sink;
	as_buf joined = {0};
	int rc = 0;

	fake_sink_init(&sink);
	for (size_t seen = 0; rc == 0; seen = as_json_count(sink.texts)) {
		rc = ops()->receive(self, &call.pub, AMPLE, &sink.sink, &err);
		ck_assert(rc || as_json_count(sink.texts) > seen);
	}
	ck_assert_int_eq(rc, ASSAY_EUNREACH);
	for (const assay_json *t = as_json_first(sink.texts); t; t = as_json_next(t)) {
		as_buf_puts(&joined, joined.len ? "|" : "");
		as_buf_add(&joined, as_json_str(t));
	}
	ck_assert_str_eq(joined.ptr ? joined.ptr : "", expected);
	as_buf_free(&joined);
	fake_sink_free(&sink);
	finish(self);
}

START_TEST(test_descriptor)
{
	const assay_impl *impl = fake_load("transport_stdio", ASSAY_ROLE_TRANSPORT, "stdio");
	assay_json *schema = NULL;

	ck_assert_uint_eq(impl->role_version, 1);
	ck_assert_uint_eq(ops()->size, sizeof(assay_transport_ops));
	ck_assert(ops()->open && ops()->close && ops()->connect && ops()->send && ops()->receive && ops()->diagnostics);
	ck_assert_int_eq(as_json_parse(as_str(impl->options), ASSAY_JSON_STRICT, &schema, NULL), 0);
	ck_assert_int_eq(as_json_boolean(as_json_get(schema, "additionalProperties"), 0), 1);
	as_json_free(schema);
}
END_TEST

START_TEST(test_options)
{
	static const struct {
		const char *options, *message;
	} bad[] = {
		{"{}", "command is not a string"},
		{"{\"command\":7}", "command is not a string"},
		{"{\"command\":\"x\",\"args\":[\"a\",7]}", "an argument is not a string"},
		{"{\"command\":\"x\",\"env\":{\"A\":7}}", "a variable of env is not a string"},
		{"{\"command\":\"x\",\"env\":{\"A=B\":\"c\"}}", "env has a variable called \"A=B\", which is no name"},
		{"{\"command\":\"x\",\"env\":{\"\":\"c\"}}", "env has a variable called \"\", which is no name"},
		{"{\"command\":\"x\",\"cwd\":[]}", "cwd is not a string"},
	};
	void *self;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assay_error err = {0};

		ck_assert_int_eq(open_with(bad[i].options, &self, &err), ASSAY_EINVAL);
		ck_assert_str_eq(err.message, bad[i].message);
		ck_assert_ptr_null(self);
		ck_assert_int_eq(fake_live_blocks(), 0);
	}
	ck_assert_int_eq(open_with("{\"command\":\"x\",\"type\":\"stdio\",\"disabled\":false,\"icon\":{}}", &self,
				   NULL),
			 0);
	finish(self);
	ops()->close(NULL);
}
END_TEST

START_TEST(test_nul_in_an_option)
{
	assay_json *v = NULL;
	assay_error err = {0};
	void *self = NULL;

	ck_assert_int_eq(as_json_parse(ASSAY_STR("{\"command\":\"rm\\u0000x\"}"), ASSAY_JSON_PEER, &v, NULL), 0);
	ck_assert_int_eq(ops()->open(fake_host(), v, &self, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "command contains a NUL character");
	as_json_free(v);
}
END_TEST

START_TEST(test_out_of_memory)
{
	const char *options =
		"{\"command\":\"true\",\"args\":[\"a\",\"b\"],\"env\":{\"A\":\"1\",\"B\":\"2\"},\"cwd\":\"/\"}";
	void *self;
	int rc = ASSAY_ENOMEM;
	long n;

	for (n = 0; n < 100 && rc; n++) {
		fake_fail_alloc(n);
		rc = open_with(options, &self, NULL);
		ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
		ck_assert((rc == 0) == (self != NULL));
		ck_assert(rc == 0 || fake_live_blocks() == 0);
	}
	ck_assert_int_gt(n, 8);
	fake_fail_alloc(-1);
	finish(self);
}
END_TEST

START_TEST(test_out_of_memory_while_connected)
{
	as_call call;
	void *self = connected("echo hello; cat", &call);
	fake_sink sink;

	fake_sink_init(&sink);
	fake_fail_alloc(0);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), ASSAY_ENOMEM);
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR("x"), NULL), ASSAY_ENOMEM);
	fake_fail_alloc(-1);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), 0);
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_lines)
{
	check_lines("printf 'a\\nbc\\r\\n\\n \\t\\r\\n\\r\\nd e\\n'", "a|bc|d e");
	check_lines("printf 'a\\nunfinished'", "a");
	check_lines("", "");
	check_lines("printf 'x'; sleep 0.1; printf 'y'; sleep 0.1; printf 'z\\n'", "xyz");
	check_lines("printf '\\377\\n'",
		    "\xEF\xBF\xBD"); /* the sink's JSON string mends it; the plugin does not care */
}
END_TEST

START_TEST(test_environment)
{
	as_call call;
	void *self;
	fake_sink sink;

	ck_assert_int_eq(open_with("{\"command\":\"sh\",\"args\":[\"-c\",\"echo $A-$B-$SECRET_OF_OURS-$PWD\"],"
				   "\"env\":{\"A\":\"1=2\",\"B\":\"\"},\"cwd\":\"/usr\"}",
				   &self, NULL),
			 0);
	ck_assert_int_eq(setenv("SECRET_OF_OURS", "x", 1), 0);
	fake_call(&call, AMPLE);
	ck_assert_int_eq(ops()->connect(self, &call.pub, NULL), 0);
	fake_sink_init(&sink);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), 0);
	ck_assert_str_eq(as_json_cstr(as_json_at(sink.texts, 0), ""), "1=2---/usr");
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_send)
{
	as_call call;
	void *self = connected("cat", &call);
	assay_error err = {0};
	fake_sink sink;

	fake_sink_init(&sink);
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR("{\"a\":1}"), NULL), 0);
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR("{\"b\":2}"), NULL), 0);
	for (int rc = 0; rc == 0 && as_json_count(sink.texts) < 2;) {
		rc = ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL);
		ck_assert_int_eq(rc, 0);
	}
	ck_assert_str_eq(as_json_cstr(as_json_at(sink.texts, 0), ""), "{\"a\":1}");
	ck_assert_str_eq(as_json_cstr(as_json_at(sink.texts, 1), ""), "{\"b\":2}");
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR("a\nb"), &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "a message is one line that is not empty");
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR(""), NULL), ASSAY_EINVAL);
	ck_assert_int_eq(ops()->connect(self, &call.pub, NULL), ASSAY_EINVAL);
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

/* A sink that has enough gets the rest next time, and nothing is lost. */
START_TEST(test_sink_stops)
{
	as_call call;
	void *self = connected("printf '1\\n2\\n3\\n'; cat", &call);
	fake_sink sink;

	fake_sink_init(&sink);
	for (size_t i = 1; i <= 3; i++) {
		sink.stop_after = i;
		ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), 0);
		ck_assert_uint_eq(as_json_count(sink.texts), i);
	}
	ck_assert_str_eq(as_json_cstr(as_json_at(sink.texts, 2), ""), "3");
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_time)
{
	as_call call;
	void *self = connected("while :; do printf x; sleep 0.02; done", &call);
	int64_t begin = as_now_ms();
	as_cancel *cancel = NULL;
	fake_sink sink;

	fake_sink_init(&sink);
	ck_assert_int_eq(ops()->receive(self, &call.pub, 200, &sink.sink, NULL), ASSAY_ETIMEOUT);
	ck_assert_int_eq(ops()->receive(self, &call.pub, 0, &sink.sink, NULL), ASSAY_ETIMEOUT);
	ck_assert_int_eq(ops()->receive(self, &call.pub, -5, &sink.sink, NULL), ASSAY_ETIMEOUT);
	call.deadline_ms = as_deadline(100);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), ASSAY_ETIMEOUT);
	ck_assert_int_eq(as_cancel_new(&cancel, NULL), 0);
	as_cancel_set(cancel);
	call.deadline_ms = AS_FOREVER;
	call.cancel = cancel;
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), ASSAY_ECANCELED);
	ck_assert_int_lt(as_now_ms() - begin, 5000);
	ck_assert_uint_eq(as_json_count(sink.texts), 0);
	as_cancel_free(cancel);
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_line_limit)
{
	as_call call;
	void *self = connected("head -c 17000000 /dev/zero | tr '\\0' x; cat", &call);
	assay_error err = {0};
	fake_sink sink;

	fake_sink_init(&sink);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "a line of more than 16777216 bytes on its stdout");
	ck_assert_uint_eq(as_json_count(sink.texts), 0);
	fake_sink_free(&sink);
	finish(self);

	/* A long one within the limit arrives whole, and a short one after it. */
	self = connected("head -c 9000000 /dev/zero | tr '\\0' x; printf '\\nshort\\n'; cat", &call);
	fake_sink_init(&sink);
	while (as_json_count(sink.texts) < 2) {
		ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), 0);
	}
	ck_assert_uint_eq(as_json_str(as_json_at(sink.texts, 0)).len, 9000000);
	ck_assert_str_eq(as_json_cstr(as_json_at(sink.texts, 1), ""), "short");
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_diagnostics)
{
	as_call call;
	void *self = connected("echo oh dear >&2", &call);
	assay_text text = {0};
	fake_sink sink;

	fake_sink_init(&sink);
	ck_assert_int_eq(ops()->receive(self, &call.pub, AMPLE, &sink.sink, NULL), ASSAY_EUNREACH);
	ck_assert_int_eq(ops()->diagnostics(self, &text, NULL), 0);
	ck_assert_str_eq(text.ptr, "oh dear\n");
	as_text_free(&text);
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

START_TEST(test_not_connected)
{
	as_call call;
	assay_error err = {0};
	assay_text text = {0};
	fake_sink sink;
	void *self;

	fake_call(&call, AMPLE);
	fake_sink_init(&sink);
	ck_assert_int_eq(open_with("{\"command\":\"no-such-command-here\"}", &self, NULL), 0);
	ck_assert_int_eq(ops()->send(self, &call.pub, ASSAY_STR("x"), &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "not connected");
	ck_assert_int_eq(ops()->receive(self, &call.pub, 1, &sink.sink, NULL), ASSAY_EINVAL);
	ck_assert_int_eq(ops()->diagnostics(self, &text, NULL), ASSAY_EINVAL);
	as_error_clear(&err);
	ck_assert_int_eq(ops()->connect(self, &call.pub, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.where, "no-such-command-here");
	fake_sink_free(&sink);
	finish(self);
}
END_TEST

UNIT_SUITE(make_suite, "transport stdio", test_descriptor, test_options, test_nul_in_an_option, test_out_of_memory,
	   test_out_of_memory_while_connected, test_lines, test_environment, test_send, test_sink_stops, test_time,
	   test_line_limit, test_diagnostics, test_not_connected)

UNIT_MAIN(make_suite)
