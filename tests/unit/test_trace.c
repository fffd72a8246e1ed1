/* Traces: building, reading, and what of a foreign one is kept and refused. */
#include "core/trace/trace.h"
#include "tests/unit/model_kit.h"

static as_trace *begun(void)
{
	assay_error err = {0};
	as_trace *t = NULL;
	ck_ok(as_trace_new(ASSAY_STR("find it"), json("{'llm_model':'m'}"), &t, &err));
	return t;
}

static void add_call(as_trace *t, const char *arguments, const char *result, uint32_t status, uint32_t served)
{
	assay_error err = {0};
	int64_t id = -1;
	as_call_record record = {.server = ASSAY_STR("notes"),
				 .tool = ASSAY_STR("read"),
				 .arguments = arguments ? json(arguments) : NULL,
				 .result = result ? json(result) : NULL,
				 .error = status == ASSAY_STEP_SUCCESS
						  ? NULL
						  : json("{'code':'Broken','message':'no','raw':null}"),
				 .status = status,
				 .served = served,
				 .version = ASSAY_STR("0")};
	ck_ok(as_trace_add_call(t, &record, &id, &err));
	ck_assert_int_ge(id, 0);
	ck_assert_ptr_null(record.arguments); /* moved */
}

static as_trace *session(const char *first_argument)
{
	assay_error err = {0};
	as_trace *t = begun();
	ck_ok(as_trace_add_server(t, ASSAY_STR("notes"), json("{'server_id':'notes'}"), json("[{'name':'read'}]"),
				  &err));
	add_call(t, first_argument, "{'content':[{'type':'text','text':'one'},{'type':'text','text':'two'}]}",
		 ASSAY_STEP_SUCCESS, ASSAY_SERVED_LIVE);
	ck_ok(as_trace_add_refused(t, ASSAY_STR("nowhere"), NULL, ASSAY_STR("no such tool"), &err));
	ck_ok(as_trace_add_answered(t, ASSAY_STR("search_tools"), NULL, ASSAY_STR("read"), &err));
	add_call(t, NULL, NULL, ASSAY_STEP_TIMEOUT, ASSAY_SERVED_MISS);
	ck_ok(as_trace_set_metadata(t, "exploration", json("{'final_message':'done: one'}"), &err));
	ck_ok(as_trace_finish(t, &err));
	return t;
}

/* What a server asked during a call is kept where it disturbs nobody: under our own key of the step. */
START_TEST(test_questions_of_servers)
{
	assay_error err = {0};
	as_trace *t = begun();
	as_call_record record = {.server = ASSAY_STR("notes"),
				 .tool = ASSAY_STR("read"),
				 .arguments = json("{}"),
				 .result = json("{'content':[]}"),
				 .asked = json("[{'method':'roots/list','error':{'code':-32601,'message':'no'}}]")};
	const assay_json *steps;
	ck_ok(as_trace_add_call(t, &record, NULL, &err));
	ck_assert_ptr_null(record.asked); /* moved */
	add_call(t, "{}", "{}", ASSAY_STEP_SUCCESS, ASSAY_SERVED_LIVE);
	ck_ok(as_trace_finish(t, &err));
	steps = as_json_get(as_trace_document(t), "steps");
	ck_assert_uint_eq(as_json_count(steps), 2);
	ck_assert_str_eq(text_of(as_json_pointer(steps, "/0/assay/asked")),
			 "[{'method':'roots/list','error':{'code':-32601,'message':'no'}}]");
	ck_assert_ptr_null(as_json_pointer(steps, "/1/assay/asked"));
	as_trace_free(t);
}
END_TEST

START_TEST(test_building)
{
	size_t n, refused;
	as_trace *t = session("{'b':1,'a':2}");
	const assay_json *d = as_trace_document(t);
	const assay_step *steps = as_trace_steps(t, &n), *aside = as_trace_refused(t, &refused);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(refused, 2);
	ck_str_is(steps[0].text, "one\ntwo");
	ck_assert_str_eq(text_of(steps[0].arguments), "{'b':1,'a':2}");
	ck_assert_int_eq(steps[1].id, 1);
	ck_assert_uint_eq(steps[1].status, ASSAY_STEP_TIMEOUT);
	ck_assert_uint_eq(steps[1].served, ASSAY_SERVED_MISS);
	ck_assert_ptr_null(steps[1].arguments);
	ck_assert_ptr_null(steps[1].result);
	ck_assert_uint_eq(steps[1].text.len, 0);
	ck_str_is(aside[0].tool, "nowhere");
	ck_assert_uint_eq(aside[0].server.len, 0);
	ck_assert_uint_eq(aside[0].status, ASSAY_STEP_ERROR);
	ck_assert_uint_eq(aside[0].served, ASSAY_SERVED_REFUSED);
	ck_assert_int_eq(aside[0].id, 1);
	ck_assert_uint_eq(aside[1].status, ASSAY_STEP_SUCCESS); /* answered by the exposure */
	ck_str_is(as_trace_final_message(t), "done: one");
	ck_assert_str_eq(member_text(d, "/steps/0"),
			 "{'step_id':0,'parent_step_id':null,'kind':'call_tool_agent','server_id':'notes','tool_name':"
			 "'read','arguments':{'b':1,'a':2},'arguments_canonical':'{\\'a\\':2,\\'b\\':1}','result':{"
			 "'content':[{'type':'text','text':'one'},{'type':'text','text':'two'}]},'result_truncated':"
			 "false,'started_at':'1970-01-01T00:00:00Z','ended_at':'1970-01-01T00:00:01Z','latency_ms':"
			 "1000.0,'status':'success','error':null,'assay':{'served':'live','version':'0'}}");
	ck_assert_str_eq(member_text(d, "/steps/1/arguments_canonical"), "'{}'");
	ck_assert_str_eq(member_text(d, "/steps/1/error/code"), "'Broken'");
	ck_assert_str_eq(member_text(d, "/ended_at"), "'1970-01-01T00:00:02Z'");
	ck_assert_str_eq(member_text(d, "/servers"), "[{'server_id':'notes','observed_at':'1970-01-01T00:00:00Z'}]");
	as_trace_free(t);
}
END_TEST

/* The order of the members is the reference's. */
START_TEST(test_order)
{
	static const char *const keys[] = {"trace_id",      "schema_version", "recorder_version", "goal",
					   "seed_metadata", "servers",        "tool_specs",       "steps",
					   "started_at",    "ended_at"};
	as_trace *t = session(NULL);
	const assay_json *m = as_json_first(as_trace_document(t));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++, m = as_json_next(m)) {
		ck_str_is(as_json_key(m), keys[i]);
	}
	ck_assert_ptr_null(m);
	as_trace_free(t);
}
END_TEST

START_TEST(test_ids)
{
	as_trace *a = session("{'n':1}"), *b = session("{'n':1}"), *c = session("{'n':2}");
	assay_text x, y;
	ck_assert_uint_eq(as_trace_id(a).len, 36);
	ck_assert(as_str_eq(as_trace_id(a), as_trace_id(b)));
	ck_assert(!as_str_eq(as_trace_id(a), as_trace_id(c)));
	ck_assert_int_eq(as_json_dump(as_trace_document(a), ASSAY_JSON_COMPACT, &x, NULL), 0);
	ck_assert_int_eq(as_json_dump(as_trace_document(b), ASSAY_JSON_COMPACT, &y, NULL), 0);
	ck_assert_str_eq(x.ptr, y.ptr);
	as_text_free(&x);
	as_text_free(&y);
	as_trace_free(a);
	as_trace_free(b);
	as_trace_free(c);
}
END_TEST

START_TEST(test_no_change_afterwards)
{
	assay_error err = {0};
	as_trace *t = session(NULL);
	as_call_record record = {.arguments = json("{}"), .result = json("{}")};
	ck_assert_int_eq(as_trace_add_call(t, &record, NULL, &err), ASSAY_EINTERNAL);
	ck_assert_str_eq(err.message, "the trace is finished already");
	ck_assert_int_eq(as_trace_add_refused(t, ASSAY_STR("x"), NULL, ASSAY_STR("y"), NULL), ASSAY_EINTERNAL);
	ck_assert_int_eq(as_trace_add_server(t, ASSAY_STR("x"), json("{}"), json("[]"), NULL), ASSAY_EINTERNAL);
	ck_assert_int_eq(as_trace_set_metadata(t, "x", json("1"), NULL), ASSAY_EINTERNAL);
	ck_assert_int_eq(as_trace_finish(t, NULL), ASSAY_EINTERNAL);
	as_trace_free(t);
	as_trace_free(NULL);
}
END_TEST

START_TEST(test_one_surface_a_server)
{
	assay_error err = {0};
	as_trace *t = begun();
	ck_ok(as_trace_add_server(t, ASSAY_STR("a"), json("{}"), json("[]"), &err));
	ck_ok(as_trace_add_server(t, ASSAY_STR("a"), json("{}"), json("[1]"), &err));
	ck_assert_int_eq(as_trace_add_server(t, ASSAY_STR("b"), NULL, json("[]"), &err), ASSAY_ENOMEM);
	ck_assert_uint_eq(as_json_count(as_json_get(as_trace_document(t), "servers")), 1);
	as_trace_free(t);
}
END_TEST

/* What another recorder wrote: times, unknown members, steps of other kinds, its own marks of replay. */
START_TEST(test_foreign)
{
	assay_error err = {0};
	size_t n;
	as_trace *t = NULL;
	static const char foreign[] =
		"{'trace_id':'t','recorder_version':'x+replay','extra':{'k':[1.50,1e3]},'started_at':'2026-01-01T10:00:00.5+02:00',"
		"'steps':[{'step_id':0,'kind':'list_tools','server_id':'s','tool_name':null,'status':'success','arguments':null},"
		"{'step_id':5,'kind':'call_tool_agent','server_id':'s','tool_name':'a','status':'success','latency_ms':851.7900000000001,"
		"'result':{'replay_tier':1},'mine':true},"
		"{'step_id':6,'kind':'call_tool_agent','server_id':'s','tool_name':'a','status':'success','result':{'replay_tier':2}},"
		"{'step_id':7,'kind':'call_tool_agent','server_id':'s','status':'error','result':{'replay_cache_miss':true}},"
		"{'step_id':8,'kind':'call_tool_agent','server_id':'s','tool_name':'a','status':'success','result':{'replay_tier':3}},"
		"{'step_id':9,'kind':'call_tool_server_internal','server_id':'s','tool_name':'a','status':'success'},"
		"{'step_id':10,'kind':'call_tool_agent','server_id':'s','tool_name':'a','status':'timeout','arguments':{}}]}";
	assay_json *document = json(foreign);
	const assay_step *steps;
	ck_ok(as_trace_from_json(document, &t, &err));
	steps = as_trace_steps(t, &n);
	ck_assert_uint_eq(n, 5);
	ck_assert_int_eq(steps[0].id, 5);
	ck_assert_uint_eq(steps[0].served, ASSAY_SERVED_EXACT);
	ck_str_is(steps[0].text, "{\"replay_tier\": 1}");
	ck_assert_uint_eq(steps[1].served, ASSAY_SERVED_NEAR);
	ck_assert_uint_eq(steps[2].served, ASSAY_SERVED_MISS);
	ck_assert_uint_eq(steps[2].tool.len, 0);
	ck_assert_uint_eq(steps[3].served, ASSAY_SERVED_SIMULATED);
	ck_assert_uint_eq(steps[4].served, ASSAY_SERVED_LIVE);
	ck_assert_uint_eq(steps[4].status, ASSAY_STEP_TIMEOUT);
	ck_assert_uint_eq(as_trace_final_message(t).len, 0);
	ck_str_is(as_trace_id(t), "t");
	ck_assert_str_eq(text_of(as_trace_document(t)), foreign); /* nothing is lost */
	as_trace_free(t);
}
END_TEST

static void refused(const char *text, int code, const char *line)
{
	assay_error err = {0};
	as_trace *t = NULL;
	assay_json *document = json(text);
	ck_assert_int_eq(as_trace_from_json(document, &t, &err), code);
	ck_assert_str_eq(error_line(&err), line);
	ck_assert_ptr_null(t);
	ck_assert_int_eq(as_trace_from_json(json(text), &t, NULL), code);
}

START_TEST(test_refusals)
{
	assay_error err = {0};
	as_trace *t = NULL;
	ck_assert_int_eq(as_trace_from_json(NULL, &t, &err), ASSAY_EDATA);
	ck_assert_int_eq(as_trace_parse(ASSAY_STR("{\"trace_id\""), &t, NULL), ASSAY_EDATA);
	refused("[]", ASSAY_EDATA, "a trace is an object");
	refused("{}", ASSAY_EDATA, "/trace_id: \"trace_id\" is missing: expected a text");
	refused("{'trace_id':5}", ASSAY_EDATA, "/trace_id: \"trace_id\" is not a text");
	refused("{'trace_id':'t','steps':{}}", ASSAY_EDATA, "/steps: \"steps\" is not an array");
	refused("{'trace_id':'t','seed_metadata':[]}", ASSAY_EDATA,
		"/seed_metadata: \"seed_metadata\" is not an object");
	refused("{'trace_id':'t','steps':[7]}", ASSAY_EDATA, "/steps/0: a step is not an object");
	refused("{'trace_id':'t','steps':[{}]}", ASSAY_EDATA,
		"/steps/0/step_id: \"step_id\" is missing: expected a number");
	refused("{'trace_id':'t','steps':[{'step_id':'3','kind':'k','server_id':'s','status':'error'}]}", ASSAY_EDATA,
		"/steps/0/step_id: \"step_id\" is not a number");
	refused("{'trace_id':'t','steps':[{'step_id':1,'kind':'k','server_id':'s','status':'error'}]}", ASSAY_EDATA,
		"/steps/0/kind: \"kind\" is none of list_tools, call_tool_agent, call_tool_server_internal");
	refused("{'trace_id':'t','steps':[{'step_id':9223372036854775808,'kind':'list_tools','server_id':'s',"
		"'status':'error'}]}",
		ASSAY_EDATA, "/steps/0/step_id: \"step_id\" is not an integer of 64 bits");
	refused("{'trace_id':'t','steps':[{'step_id':1.5,'kind':'list_tools','server_id':'s','status':'error'}]}",
		ASSAY_EDATA, "/steps/0/step_id: \"step_id\" is not an integer of 64 bits");
	refused("{'trace_id':'t','steps':[{'step_id':1,'kind':'list_tools','server_id':'s','status':'fine'}]}",
		ASSAY_EDATA, "/steps/0/status: \"status\" is neither \"success\" nor \"error\" nor \"timeout\"");
	refused("{'trace_id':'t','steps':[{'step_id':1,'kind':'k','server_id':'s','status':'error','arguments':[]}]}",
		ASSAY_EDATA, "/steps/0/arguments: \"arguments\" is not an object");
	refused("{'trace_id':'t','steps':[{'step_id':1,'kind':'k','server_id':'s','status':'error','result':'x'}]}",
		ASSAY_EDATA, "/steps/0/result: \"result\" is not an object");
}
END_TEST

static void renders(const char *result, const char *expected)
{
	as_buf out = {0};
	assay_json *v = json(result);
	ck_assert_int_eq(as_render_result(v, &out), 0);
	ck_str_is(as_buf_str(&out), expected);
	as_buf_free(&out);
	as_json_free(v);
}

START_TEST(test_render)
{
	as_buf out = {0};
	ck_assert_int_eq(as_render_result(NULL, &out), 0);
	ck_assert_uint_eq(out.len, 0);
	renders("null", "");
	renders("{'content':[{'type':'text','text':'a'},{'type':'image'},{'type':'text','text':'b'}]}", "a\nb");
	renders("{'content':[{'type':'text','text':''}]}", "");
	renders("{'content':[{'type':'text'},{'type':'text','text':'x'}]}", "\nx");
	renders("{'content':[]}", "{\"content\": []}");
	renders("{'content':'a'}", "{\"content\": \"a\"}");
	renders("{'content':{'type':'text','text':'a'}}", "{\"content\": {\"type\": \"text\", \"text\": \"a\"}}");
	renders("{'content':['a',null],'v':'\xc3\xa9'}", "{\"content\": [\"a\", null], \"v\": \"\\u00e9\"}");
}
END_TEST

static const char *for_model(const char *result, bool is_error, size_t cut)
{
	static char text[512];
	as_buf out = {0};
	assay_json *v = json(result);
	ck_assert_int_eq(as_render_for_model(v, is_error, cut, &out), 0);
	ck_assert_uint_lt(out.len, sizeof text);
	memcpy(text, out.ptr ? out.ptr : "", out.len + 1);
	as_buf_free(&out);
	as_json_free(v);
	return text;
}

START_TEST(test_render_for_model)
{
	ck_assert_str_eq(for_model("{'content':[{'type':'text','text':'a'}]}", false, 0), "a");
	ck_assert_str_eq(for_model("{'content':[{'type':'text','text':'a'}]}", true, 0), "[tool error] a");
	ck_assert_str_eq(for_model("{'v':'\xc3\xa9'}", false, 0), "{\"v\": \"\xc3\xa9\"}");
	/* Characters are counted, not bytes, and none is cut in two. */
	ck_assert_str_eq(for_model("{'content':[{'type':'text','text':'\xc3\xa9\xc3\xa9\xc3\xa9'}]}", false, 2),
			 "\xc3\xa9\xc3\xa9\n[... 1 more characters cut]");
	ck_assert_str_eq(for_model("{'content':[{'type':'text','text':'\xc3\xa9\xc3\xa9'}]}", false, 2),
			 "\xc3\xa9\xc3\xa9");
}
END_TEST

START_TEST(test_served_names)
{
	for (uint32_t i = ASSAY_SERVED_LIVE; i <= ASSAY_SERVED_REFUSED; i++) {
		ck_assert_uint_eq(as_served_from_name(as_str(as_served_name(i))), i);
	}
	ck_assert_str_eq(as_served_name(99), "live");
	ck_assert_uint_eq(as_served_from_name(ASSAY_STR("?")), ASSAY_SERVED_LIVE);
}
END_TEST

UNIT_SUITE(suite, "trace", test_building, test_questions_of_servers, test_order, test_ids, test_no_change_afterwards,
	   test_one_surface_a_server, test_foreign, test_refusals, test_render, test_render_for_model,
	   test_served_names)
UNIT_MAIN(suite)
