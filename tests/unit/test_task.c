/* Tasks: what a distiller's body becomes, what is refused, and the complexity of a session. */
#include "core/task/task.h"
#include "core/trace/trace.h"
#include "tests/unit/catalogue_kit.h"

#include <stdio.h>

#define BODY                                                                                                           \
	"{'prompt':'Note it','checkpoints':[{'kind':'tool_effect','checkpoint_id':'a','why':'extra',"                  \
	"'equivalence_set':[{'server_id':'notes','tool_name':'save','note':'extra'}],"                                 \
	"'arg_predicate':{'must_match':{'text':{'contains':'x','extra':1}},'extra':1}},"                               \
	"{'kind':'value_produced','checkpoint_id':'b','predicate':{'contains_all':['x'],'extra':1}}],"                 \
	"'minefields':[{'minefield_id':'m','forbidden_tool':{'server_id':'notes','tool_name':'delete_note','e':1}}],"  \
	"'ordering':[{'before_id':'a','after_id':'b','extra':1}],'extra':1}"

/* A session on the kit's catalogue: 'status' is one letter a step, s(uccess), e(rror), t(imeout). */
static as_trace *session(const char *const (*calls)[4], size_t n)
{
	assay_error err = {0};
	as_trace *t = NULL;
	ck_ok(as_trace_new(ASSAY_STR("goal"), NULL, &t, &err));
	for (size_t i = 0; i < n; i++) {
		char status = calls[i][3][0];
		as_call_record r = {.server = as_str(calls[i][0]),
				    .tool = ASSAY_STR("t"),
				    .arguments = json(calls[i][1]),
				    .result = json(calls[i][2]),
				    .status = status == 's'   ? ASSAY_STEP_SUCCESS
					      : status == 'e' ? ASSAY_STEP_ERROR
							      : ASSAY_STEP_TIMEOUT};
		ck_ok(as_trace_add_call(t, &r, NULL, &err));
	}
	ck_ok(as_trace_finish(t, &err));
	return t;
}

static assay_json *made(const char *body, const as_catalogue *c, const char *provenance)
{
	static const char *const calls[][4] = {{"notes", "{'text':'x'}", "{'ok':1}", "s"},
					       {"almanac", "{}", "{}", "e"}};
	assay_error err = {0};
	as_trace *trace = session(calls, 2);
	assay_json *b = json(body), *p = provenance ? json(provenance) : NULL, *task = NULL;
	as_task_frame frame = {.trace_id = ASSAY_STR("T"), .category = ASSAY_STR("office"), .provenance = p};
	frame.steps = as_trace_steps(trace, &frame.n_steps);
	ck_ok(as_task_make(b, &frame, c, &task, &err));
	as_json_free(b);
	as_json_free(p);
	as_trace_free(trace);
	return task;
}

/* Field by field as the reference's closed models have it: nothing is missing, nothing is too much. */
START_TEST(test_closed_form)
{
	as_catalogue *c = kit_catalogue();
	assay_json *task = made(BODY, c, "{'goal_id':'g'}");
	char expected[4096];
	snprintf(expected, sizeof expected,
		 "{'task_id':%s,'schema_version':'0.2.0','distiller_version':'0.2.0','source_trace_id':'T','prompt':"
		 "'Note it','dynamism':'stateful_write','servers_used':['notes'],'complexity':{'trace_depth':1,"
		 "'distinct_servers':1,'cross_server':false,'runtime_branching':false,'state_coupling':true,"
		 "'recovery_required':false},'checkpoints':[{'kind':'tool_effect','checkpoint_id':'a','description':'',"
		 "'equivalence_set':[{'server_id':'notes','tool_name':'save'}],'arg_predicate':{'must_include':{},"
		 "'must_match':{'text':{'equals':null,'starts_with':null,'contains':'x','regex':null}}},"
		 "'must_succeed':true},{'kind':'value_produced','checkpoint_id':'b','description':'','predicate':{"
		 "'contains_any':null,'contains_all':['x'],'regex':null},'scope':'any_tool_result'}],'minefields':[{"
		 "'minefield_id':'m','description':'','forbidden_tool':{'server_id':'notes','tool_name':'delete_note'},"
		 "'forbidden_arg_predicate':null}],'ordering':[{'before_id':'a','after_id':'b'}],'notes':null,"
		 "'provenance':{'goal_id':'g','assay':{'category':'office'}},'created_at':'1970-01-01T00:00:00Z'}",
		 member_text(task, "/task_id"));
	ck_assert_str_eq(text_of(task), expected);
	as_json_free(task);
	as_catalogue_free(c);
}
END_TEST

/* What is made of a task is a task: the same one but for the trace's part. */
START_TEST(test_identity)
{
	as_catalogue *c = kit_catalogue();
	assay_json *a = made(BODY, c, "{'goal_id':'g'}"), *b = made(BODY, c, "{'goal_id':'other'}"), *again;
	assay_text text;
	assay_error err = {0};
	ck_assert_uint_eq(as_json_str(as_json_get(a, "task_id")).len, 36);
	ck_assert_str_eq(member_text(a, "/task_id"), member_text(b, "/task_id"));
	ck_ok(as_json_dump(a, ASSAY_JSON_COMPACT, &text, &err));
	again = made(text.ptr, c, "{'goal_id':'g'}");
	ck_assert_str_eq(text_of(again), text_of(a));
	as_json_free(again);
	again = made("{'prompt':'Note it!','checkpoints':[{'kind':'state_condition','checkpoint_id':'a'}]}", c, NULL);
	ck_assert_str_ne(member_text(a, "/task_id"), member_text(again, "/task_id"));
	ck_assert_str_eq(member_text(again, "/checkpoints"),
			 "[{'kind':'state_condition','checkpoint_id':'a','description':'','probe':{}}]");
	ck_assert_str_eq(member_text(again, "/provenance"), "{'assay':{'category':'office'}}");
	as_text_free(&text);
	as_json_free(a);
	as_json_free(b);
	as_json_free(again);
	as_catalogue_free(c);
}
END_TEST

static void refused(const as_catalogue *c, const char *body, const char *line)
{
	assay_error err = {0};
	assay_json *b = json(body), *task = NULL;
	as_task_frame frame = {.trace_id = ASSAY_STR("T")};
	ck_assert_int_eq(as_task_make(b, &frame, c, &task, &err), ASSAY_EDATA);
	ck_assert_str_eq(error_line(&err), line);
	ck_assert_ptr_null(task);
	ck_assert_int_eq(as_task_make(b, &frame, c, &task, NULL), ASSAY_EDATA);
	as_json_free(b);
}

#define WITH(checkpoint) "{'prompt':'p','checkpoints':[" checkpoint "]}"
#define EFFECT "'kind':'tool_effect','checkpoint_id':'a','equivalence_set':[{'server_id':'notes','tool_name':'save'}]"
#define ORDERED(list)                                                                                                  \
	"{'prompt':'p','checkpoints':[{" EFFECT "},{'kind':'state_condition','checkpoint_id':'b'},"                    \
	"{'kind':'state_condition','checkpoint_id':'c'}],'ordering':[" list "]}"

START_TEST(test_refusals)
{
	as_catalogue *c = kit_catalogue();
	refused(c, "[]", "a task body is an object");
	refused(c, "{'checkpoints':[]}", "/prompt: \"prompt\" is missing or empty");
	refused(c, "{'prompt':' \\n '}", "/prompt: \"prompt\" is missing or empty");
	refused(c, "{'prompt':'p'}", "/checkpoints: \"checkpoints\" is not an array");
	refused(c, "{'prompt':'p','checkpoints':[]}", "/checkpoints: \"checkpoints\" has 0 entries: expected 1 to 256");
	refused(c, WITH("5"), "/checkpoints/0: \"checkpoint_id\" is missing or not a text");
	refused(c, WITH("{'checkpoint_id':'a'}"),
		"/checkpoints/0/kind: a checkpoint's kind is tool_effect, value_produced or state_condition, not \"\"");
	refused(c, WITH("{'checkpoint_id':'a','kind':'tool_effect'}"),
		"/checkpoints/0/equivalence_set: an equivalence set is a non-empty array");
	refused(c, WITH("{'checkpoint_id':'a','kind':'tool_effect','equivalence_set':[5]}"),
		"/checkpoints/0/equivalence_set/0: expected {\"server_id\", \"tool_name\"}");
	refused(c,
		WITH("{'checkpoint_id':'a','kind':'tool_effect','equivalence_set':[{'server_id':'notes','tool_name':'fly'}]}"),
		"/checkpoints/0/equivalence_set/0: there is no tool fly on server notes");
	refused(c, WITH("{" EFFECT ",'arg_predicate':{'must_match':{'x':{'starts_with':1}}}}"),
		"/checkpoints/0/arg_predicate/must_match/x/starts_with: \"starts_with\" is a text or null");
	refused(c, WITH("{" EFFECT ",'must_succeed':'yes'}"),
		"/checkpoints/0/must_succeed: \"must_succeed\" is not true or false");
	refused(c, WITH("{" EFFECT ",'description':5}"), "/checkpoints/0/description: \"description\" is not a text");
	refused(c, WITH("{" EFFECT "},{" EFFECT "}"), "/checkpoints/1: \"a\" stands twice");
	refused(c, WITH("{'checkpoint_id':'a','kind':'value_produced','predicate':{}}"),
		"/checkpoints/0/predicate: a value predicate without any condition never matches");
	refused(c, WITH("{'checkpoint_id':'a','kind':'value_produced','predicate':{'regex':'a'},'scope':'all'}"),
		"/checkpoints/0/scope: a scope is \"any_tool_result\" or \"final_assistant_message\"");
	refused(c, WITH("{'checkpoint_id':'a','kind':'state_condition','probe':[]}"),
		"/checkpoints/0/probe: \"probe\" is not an object");
	refused(c, "{'prompt':'p','checkpoints':[{" EFFECT "}],'notes':5}", "/notes: \"notes\" is not a text");
	refused(c, "{'prompt':'p','checkpoints':[{" EFFECT "}],'minefields':{}}",
		"/minefields: \"minefields\" is not an array");
	refused(c, "{'prompt':'p','checkpoints':[{" EFFECT "}],'minefields':[{}]}",
		"/minefields/0: \"minefield_id\" is missing or not a text");
	refused(c,
		"{'prompt':'p','checkpoints':[{" EFFECT "}],'minefields':[{'minefield_id':'m','forbidden_tool':'x'}]}",
		"/minefields/0/forbidden_tool: \"forbidden_tool\" is not an object");
	refused(c,
		"{'prompt':'p','checkpoints':[{" EFFECT
		"}],'minefields':[{'minefield_id':'m','forbidden_tool':{'server_id':'x','tool_name':'y'}}]}",
		"/minefields/0/forbidden_tool: there is no tool y on server x");
	refused(c, ORDERED("{'before_id':'a','after_id':'z'}"),
		"/ordering/0: \"before_id\" and \"after_id\" name checkpoints of this task");
	refused(c, ORDERED("{'before_id':'a','after_id':'b'},7"),
		"/ordering/1: \"before_id\" and \"after_id\" name checkpoints of this task");
	refused(c, ORDERED("{'before_id':'a','after_id':'a'}"),
		"/ordering: the order of the checkpoints runs in a circle");
	refused(c,
		ORDERED("{'before_id':'a','after_id':'b'},{'before_id':'b','after_id':'c'},{'before_id':'c','after_id':'a'}"),
		"/ordering: the order of the checkpoints runs in a circle");
	as_catalogue_free(c);
}
END_TEST

START_TEST(test_bounds)
{
	as_buf body = {0};
	as_catalogue *c = kit_catalogue();
	as_buf_puts(&body, "{'prompt':'p','checkpoints':[");
	for (int i = 0; i < 257; i++) {
		as_buf_printf(&body, "%s{'kind':'state_condition','checkpoint_id':'c%d'}", i ? "," : "", i);
	}
	as_buf_puts(&body, "]}");
	refused(c, body.ptr, "/checkpoints: \"checkpoints\" has 257 entries: expected 1 to 256");
	as_buf_free(&body);
	as_catalogue_free(c);
}
END_TEST

/* Null stands for nothing wherever a model would write it. */
START_TEST(test_nulls)
{
	as_catalogue *c = kit_catalogue();
	assay_json *task =
		made("{'prompt':'p','minefields':null,'ordering':null,'notes':null,'checkpoints':[{" EFFECT
		     ",'description':null,'must_succeed':null,'arg_predicate':{'must_include':null,'must_match':null}},"
		     "{'kind':'value_produced','checkpoint_id':'v','scope':null,'predicate':{'regex':'a'}}]}",
		     c, NULL);
	ck_assert_str_eq(member_text(task, "/checkpoints/0/arg_predicate"), "{'must_include':{},'must_match':{}}");
	ck_assert_str_eq(member_text(task, "/checkpoints/0/must_succeed"), "true");
	ck_assert_str_eq(member_text(task, "/checkpoints/0/description"), "''");
	ck_assert_str_eq(member_text(task, "/checkpoints/1/scope"), "'any_tool_result'");
	ck_assert_str_eq(member_text(task, "/minefields"), "[]");
	ck_assert_str_eq(member_text(task, "/ordering"), "[]");
	as_json_free(task);
	as_catalogue_free(c);
}
END_TEST

static void complexity_is(const char *const (*calls)[4], size_t n, const char *expected)
{
	assay_error err = {0};
	assay_json *out = NULL;
	as_catalogue *c = kit_catalogue();
	as_trace *trace = session(calls, n);
	size_t n_steps;
	const assay_step *steps = as_trace_steps(trace, &n_steps);
	ck_ok(as_task_complexity(steps, n_steps, c, &out, &err));
	ck_assert_str_eq(text_of(out), expected);
	as_json_free(out);
	as_trace_free(trace);
	as_catalogue_free(c);
}

#define COMPLEXITY(depth, servers, cross, branching, coupling, recovery)                                               \
	"{'trace_depth':" #depth ",'distinct_servers':" #servers ",'cross_server':" #cross                             \
	",'runtime_branching':" #branching ",'state_coupling':" #coupling ",'recovery_required':" #recovery "}"

START_TEST(test_complexity)
{
	static const char *const plain[][4] = {{"almanac", "{'q':'abc'}", "{'r':'xyz'}", "s"},
					       {"almanac", "{'q':'qrs'}", "{'r':'abc'}", "s"}};
	static const char *const fed[][4] = {{"almanac", "{}", "{'r':'an id: xyz!'}", "s"},
					     {"notes", "{'id':'xyz'}", "{}", "s"}};
	static const char *const short_text[][4] = {{"almanac", "{}", "{'r':'xy'}", "s"},
						    {"almanac", "{'id':'xy'}", "{}", "s"}};
	static const char *const digits[][4] = {{"almanac", "{}", "{'r':'call 12-34 56'}", "s"},
						{"almanac", "{'p':'+1 (234) 567'}", "{}", "s"}};
	static const char *const nested[][4] = {{"almanac", "{}", "{'r':'abcdef'}", "s"},
						{"almanac", "{'o':{'k':'abcdef'},'l':['abcdef']}", "{}", "s"}};
	static const char *const failed_source[][4] = {{"almanac", "{}", "{'r':'abcdef'}", "e"},
						       {"almanac", "{'p':'abcdef'}", "{}", "s"}};
	static const char *const timed_out[][4] = {{"index", "{}", "{}", "t"}, {"almanac", "{}", "{}", "s"}};
	static const char *const late_error[][4] = {{"almanac", "{}", "{}", "s"}, {"notes", "{}", "{}", "e"}};
	complexity_is(plain, 2, COMPLEXITY(2, 1, false, false, false, false));
	complexity_is(fed, 2, COMPLEXITY(2, 2, true, true, true, false));
	complexity_is(short_text, 2, COMPLEXITY(2, 1, false, false, false, false));
	complexity_is(digits, 2, COMPLEXITY(2, 1, false, true, false, false));
	complexity_is(nested, 2, COMPLEXITY(2, 1, false, false, false, false)); /* only texts at the top */
	complexity_is(failed_source, 2, COMPLEXITY(1, 1, false, false, false, true));
	complexity_is(timed_out, 2, COMPLEXITY(1, 1, false, false, false, false)); /* a timeout is no error here */
	complexity_is(late_error, 2, COMPLEXITY(1, 1, false, false, false, false));
	complexity_is(NULL, 0, COMPLEXITY(0, 0, false, false, false, false));
}
END_TEST

START_TEST(test_required)
{
	assay_error err = {0};
	as_arena arena = {0};
	assay_tools tools;
	as_catalogue *c = kit_catalogue();
	assay_json *task = json(
		"{'checkpoints':[{'equivalence_set':[{'server_id':'notes','tool_name':'save'},"
		"{'server_id':'index','tool_name':'rebuild'}]},{'kind':'value_produced'},"
		"{'equivalence_set':[{'server_id':'gone','tool_name':'x'},{'server_id':'notes','tool_name':'save'},"
		"{'server_id':'almanac','tool_name':'set_day'}]}]}");
	ck_ok(as_task_required(task, c, &arena, &tools, &err));
	ck_assert_uint_eq(tools.count, 3);
	ck_str_is(tools.list[0]->name, "save");
	ck_str_is(tools.list[1]->name, "rebuild");
	ck_str_is(tools.list[2]->name, "set_day");
	ck_ok(as_task_required(NULL, c, &arena, &tools, &err));
	ck_assert_uint_eq(tools.count, 0);
	as_json_free(task);
	as_arena_free(&arena);
	as_catalogue_free(c);
}
END_TEST

UNIT_SUITE(suite, "task", test_closed_form, test_identity, test_refusals, test_bounds, test_nulls, test_complexity,
	   test_required)
UNIT_MAIN(suite)
