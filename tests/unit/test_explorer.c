/* explorer/loop: the agent loop of reference page 7.1, with a scripted model and world; and together with the
 * rule-based model. */
#include "core/base/error.h"
#include "core/plugin/prompts.h"
#include "core/plugin/registry.h"
#include "tests/unit/heuristic_kit.h"
#include "tests/unit/unit.h"
#include <assay/roles/explorer.h>
#include <string.h>

extern const assay_plugin *explorer_loop_LTX_assay_plugin_v1(void);

/* A model that says its lines, and a world that echoes. */
typedef struct stage {
	const char *const *replies; /* JSON; NULL-terminated; after the last: an error */
	size_t asked, acted;
	assay_json *requests; /* as they came */
	assay_json *offers;
	as_buf acts; /* "name {arguments}\n" */
	int act_status;
	const char *result; /* of every call; NULL: "ok" */
	bool refuse;
} stage;

static int hook_offers(void *context, const assay_json **tools, assay_error *err)
{
	stage *s = context;
	(void)err;
	*tools = s->offers;
	return 0;
}

static int hook_act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	stage *s = context;
	as_buf out = {0};
	s->acted++;
	if (s->act_status != 0) {
		return as_fail(err, s->act_status, "the world went away");
	}
	as_buf_printf(&s->acts, "%.*s ", ASSAY_FMT(name));
	as_json_write(&s->acts, arguments, ASSAY_JSON_COMPACT);
	as_buf_puts(&s->acts, "\n");
	as_buf_puts(&out, s->result ? s->result : "ok");
	*is_error = s->refuse;
	return as_buf_take(&out, text, err);
}

static int hook_chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	stage *s = context;
	ck_assert_int_eq(as_json_append(s->requests, as_json_clone(request)), 0);
	if (!s->replies[s->asked]) {
		return as_fail(err, ASSAY_EUNREACH, "no model here");
	}
	return as_json_parse(as_str(s->replies[s->asked++]), ASSAY_JSON_PEER, reply, err);
}

static const as_call_hooks hooks = {.offers = hook_offers, .act = hook_act, .chat = hook_chat};

/* Run an attempt; the result object, or NULL when nothing was emitted. */
static void add_prompt(assay_json *options)
{
	assay_json *shipped = NULL;
	if (!as_json_get(options, "prompt")) {
		ck_assert(as_prompt_shipped(ASSAY_STR("explorer/loop"), &shipped));
		ck_assert_int_eq(as_json_set(options, "prompt", shipped), 0);
	}
}

static assay_json *perform(stage *s, const char *options, const assay_assignment *assignment, int expected)
{
	const assay_explorer_ops *ops = explorer_loop_LTX_assay_plugin_v1()->impls[0]->ops;
	assay_json *given = NULL, *result = NULL;
	assay_error err = {0};
	as_call call;
	as_collect got;
	void *self = NULL;
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = s;
	as_collect_init(&got, 2, 0);
	s->requests = as_json_array();
	as_buf_puts(&s->acts, "");
	ck_assert_int_eq(as_json_parse(as_str(options ? options : "{}"), ASSAY_JSON_STRICT, &given, &err), 0);
	add_prompt(given);
	ck_assert_int_eq(ops->open(as_host(), given, &self, &err), 0);
	int status = ops->run(self, &call.pub, assignment, &got.sink, &err);
	ck_assert_msg(status == expected, "%d: %s", status, err.message);
	ck_assert_int_eq(as_collect_one(&got, "explorer/loop", &result, NULL), 0);
	ops->close(self);
	as_collect_free(&got);
	as_json_free(given);
	return result;
}

static void clear(stage *s)
{
	as_json_free(s->requests);
	as_json_free(s->offers);
	as_buf_free(&s->acts);
}

static const char *dump(const assay_json *v, as_buf *b)
{
	as_buf_clear(b);
	as_json_write(b, v, ASSAY_JSON_COMPACT);
	return b->ptr;
}

static void expect(const assay_json *result, const char *pointer, const char *json)
{
	as_buf b = {0};
	const char *got = dump(as_json_pointer(result, pointer), &b);
	ck_assert_msg(strcmp(got, json) == 0, "%s: expected %s, got %s", pointer, json, got);
	as_buf_free(&b);
}

static const assay_assignment task = {
	.size = sizeof task, .turns = 12, .prompt = {"Do it.", 6}, .persona = {"a busy clerk", 12}, .seed = 77};

#define SAY(text) "{\"message\":{\"role\":\"assistant\",\"content\":" text "},\"finish_reason\":\"stop\"}"
#define CALL(arguments)                                                                                                \
	"{\"message\":{\"role\":\"assistant\",\"content\":null,\"thought\":\"t\",\"tool_calls\":[{\"id\":\"a\","       \
	"\"name\":\"x__y\",\"arguments\":" arguments ",\"signature\":\"s\"}]},\"finish_reason\":\"tool_calls\"}"

START_TEST(test_finished)
{
	static const char *const replies[] = {CALL("\"{\\\"n\\\":1,\\\"s\\\":\\\"\xC3\xA9\\\"}\""), SAY("\"Done.\""),
					      NULL};
	stage s = {.replies = replies};
	assay_json *result = perform(&s, NULL, &task, 0);
	expect(result, "/outcome", "\"completed\"");
	expect(result, "/end", "\"finished\"");
	expect(result, "/final_message", "\"Done.\"");
	expect(result, "/tool_call_count", "1");
	expect(result, "/successful_tool_calls", "1");
	expect(result, "/turns", "2");
	ck_assert_str_eq(s.acts.ptr, "x__y {\"n\":1,\"s\":\"\xC3\xA9\"}\n");
	/* system, persona, user, assistant, tool, assistant */
	ck_assert_uint_eq(as_json_count(as_json_get(result, "messages")), 6);
	expect(result, "/messages/1", "{\"role\":\"system\",\"content\":\"Persona: a busy clerk\"}");
	expect(result, "/messages/2", "{\"role\":\"user\",\"content\":\"Do it.\"}");
	/* content null becomes "", arguments are written anew, other members stay. */
	expect(result, "/messages/3/content", "\"\"");
	expect(result, "/messages/3/thought", "\"t\"");
	expect(result, "/messages/3/tool_calls/0/arguments", "\"{\\\"n\\\": 1, \\\"s\\\": \\\"\\\\u00e9\\\"}\"");
	expect(result, "/messages/3/tool_calls/0/signature", "\"s\"");
	expect(result, "/messages/4", "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"ok\"}");
	as_json_free(result);
	clear(&s);
}
END_TEST

START_TEST(test_request)
{
	static const char *const replies[] = {SAY("\"Hi\""), NULL};
	stage s = {.replies = replies, .offers = as_json_array()};
	assay_json *tool = as_json_object();
	ck_assert_int_eq(as_json_set(tool, "name", as_json_cstring("x__y")), 0);
	ck_assert_int_eq(as_json_append(s.offers, tool), 0);
	assay_json *result =
		perform(&s, "{\"policy\":\"greedy\",\"max_tokens\":9,\"prompt\":{\"text\":\"Go, {turns}.\"}}", &task,
			0);
	expect(s.requests, "/0/tools", "[{\"name\":\"x__y\"}]");
	expect(s.requests, "/0/tool_choice", "\"auto\"");
	expect(s.requests, "/0/temperature", "0.2");
	expect(s.requests, "/0/max_tokens", "9");
	expect(s.requests, "/0/seed", "77");
	expect(s.requests, "/0/extra", "{\"policy\":\"greedy\",\"turns_left\":12}");
	expect(s.requests, "/0/messages/0", "{\"role\":\"system\",\"content\":\"Go, 12.\"}");
	expect(result, "/outcome", "\"no_tools_called\"");
	expect(result, "/end", "\"gave_up\"");
	as_json_free(result);
	clear(&s);

	/* Without a policy, a model of flesh and blood is not bothered with "extra"; our prompt names the budget. */
	stage plain = {.replies = replies};
	assay_assignment bare = task;
	bare.persona = (assay_str){0};
	result = perform(&plain, NULL, &bare, 0);
	ck_assert_ptr_null(as_json_pointer(plain.requests, "/0/extra"));
	ck_assert_ptr_null(as_json_pointer(plain.requests, "/0/tools"));
	ck_assert_uint_eq(as_json_count(as_json_get(result, "messages")), 3);
	ck_assert(as_str_contains(as_json_str(as_json_pointer(result, "/messages/0/content")),
				  ASSAY_STR("at most 12 turns")));
	as_json_free(result);
	clear(&plain);
}
END_TEST

START_TEST(test_arguments)
{
	static const struct {
		const char *given, *acted;
	} cases[] = {
		{"\"\"", "x__y {}\n"},
		{"\"  \"", "x__y {}\n"},
		{"null", "x__y {}\n"},
		{"\"null\"", "x__y {}\n"},
		{"{\"a\":1}", "x__y {\"a\":1}\n"},
		{"\"{oops\"", "x__y {\"_raw\":\"{oops\"}\n"},
		{"\"[1]\"", "x__y {\"_raw\":\"[1]\"}\n"},
		{"\"{\\\"a\\\":1,\\\"a\\\":2}\"", "x__y {\"a\":2}\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		as_buf reply = {0};
		as_buf_printf(&reply,
			      "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"name\":\"x__y\",\"arguments\":%s}]}}",
			      cases[i].given);
		const char *replies[] = {reply.ptr, SAY("\"end\""), NULL};
		stage s = {.replies = replies};
		assay_json *result = perform(&s, NULL, &task, 0);
		ck_assert_str_eq(s.acts.ptr, cases[i].acted);
		expect(result, "/messages/3/tool_calls/0/id", "\"call_1\"");
		expect(result, "/messages/4/tool_call_id", "\"call_1\"");
		as_json_free(result);
		clear(&s);
		as_buf_free(&reply);
	}
}
END_TEST

START_TEST(test_several_calls)
{
	static const char *const replies[] = {
		"{\"message\":{\"content\":\"Two.\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"a\",\"arguments\":\"\"},"
		"{\"id\":\"2\",\"name\":\"b\",\"arguments\":\"{}\"}]}}",
		SAY("\"\""), NULL};
	stage s = {.replies = replies, .refuse = true};
	assay_json *result = perform(&s, NULL, &task, 0);
	ck_assert_str_eq(s.acts.ptr, "a {}\nb {}\n");
	expect(result, "/tool_call_count", "2");
	expect(result, "/successful_tool_calls", "0");
	expect(result, "/outcome", "\"completed\"");
	expect(result, "/final_message", "\"Two.\""); /* the latest that is not empty */
	as_json_free(result);
	clear(&s);
}
END_TEST

START_TEST(test_turn_limit)
{
	static const char *const replies[] = {CALL("\"\""), CALL("\"\""), CALL("\"\""), NULL};
	stage s = {.replies = replies};
	assay_assignment brief = task;
	brief.turns = 2;
	assay_json *result = perform(&s, NULL, &brief, 0);
	expect(result, "/outcome", "\"budget_exhausted\"");
	expect(result, "/end", "\"turn_limit\"");
	expect(result, "/final_message", "null");
	expect(result, "/turns", "2");
	ck_assert_uint_eq(s.acted, 2);
	as_json_free(result);
	clear(&s);
	stage none = {.replies = replies};
	brief.turns = 0;
	result = perform(&none, NULL, &brief, 0);
	expect(result, "/end", "\"turn_limit\"");
	ck_assert_uint_eq(none.asked, 0);
	as_json_free(result);
	clear(&none);
}
END_TEST

START_TEST(test_unusable_replies)
{
	static const char *const bad[] = {"{}", "{\"message\":{\"tool_calls\":[{\"id\":\"1\",\"arguments\":\"{}\"}]}}",
					  "{\"message\":{\"tool_calls\":{}}}", "{}", NULL};
	stage s = {.replies = bad};
	assay_json *result = perform(&s, NULL, &task, 0);
	expect(result, "/outcome", "\"llm_error\"");
	expect(result, "/end", "\"malformed_call\"");
	expect(result, "/turns", "3");
	as_json_free(result);
	clear(&s);
	/* A usable one in between starts the count anew. */
	static const char *const mixed[] = {"{}", "[]", CALL("\"\""), "{}", "{}", SAY("\"ok\""), NULL};
	stage m = {.replies = mixed};
	result = perform(&m, NULL, &task, 0);
	expect(result, "/end", "\"finished\"");
	expect(result, "/turns", "6");
	as_json_free(result);
	clear(&m);
}
END_TEST

START_TEST(test_failures)
{
	static const char *const replies[] = {CALL("\"\""), NULL};
	stage s = {.replies = replies};
	assay_json *result = perform(&s, NULL, &task, ASSAY_EUNREACH);
	expect(result, "/outcome", "\"llm_error\"");
	expect(result, "/end", "null");
	expect(result, "/final_message", "\"ModelError: no model here\"");
	ck_assert_uint_eq(as_json_count(as_json_get(result, "messages")), 5);
	as_json_free(result);
	clear(&s);
	stage gone = {.replies = replies, .act_status = ASSAY_ETIMEOUT};
	result = perform(&gone, NULL, &task, ASSAY_ETIMEOUT);
	expect(result, "/outcome", "\"budget_exhausted\"");
	expect(result, "/tool_call_count", "1");
	expect(result, "/successful_tool_calls", "0");
	as_json_free(result);
	clear(&gone);
}
END_TEST

/* --- With the rule-based model --- */

typedef struct duet {
	assay_json *offers;
	as_buf acts;
} duet;

static int duet_offers(void *context, const assay_json **tools, assay_error *err)
{
	(void)err;
	*tools = ((duet *)context)->offers;
	return 0;
}

static int duet_act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	duet *d = context;
	as_buf given = {0}, out = {0};
	char *tool = as_strndup(name);
	as_json_write(&given, arguments, ASSAY_JSON_COMPACT);
	as_buf_printf(&d->acts, "%s %s\n", tool, given.ptr);
	const char *reply = toy_answer(&toy_all, tool, given.ptr);
	*is_error = strncmp(reply, "[tool error]", 12) == 0;
	as_buf_puts(&out, reply);
	free(tool);
	as_buf_free(&given);
	return as_buf_take(&out, text, err);
}

static int duet_chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	(void)context;
	*reply = toy_ask(NULL, request, err);
	return *reply ? 0 : err->code;
}

START_TEST(test_with_heuristic)
{
	static const as_call_hooks duet_hooks = {.offers = duet_offers, .act = duet_act, .chat = duet_chat};
	static const struct {
		uint32_t turns;
		const char *outcome;
	} cases[] = {{12, "\"completed\""}, {3, "\"completed\""}, {1, "\"no_tools_called\""}};
	const assay_explorer_ops *ops = explorer_loop_LTX_assay_plugin_v1()->impls[0]->ops;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		duet d = {.offers = toy_tools(&toy_all)};
		assay_assignment goal = {.size = sizeof goal, .turns = cases[i].turns};
		goal.prompt = as_str("Renew the first loan of the member 'Ada Lovelace'.");
		assay_json *result = NULL;
		assay_error err = {0};
		as_call call;
		as_collect got;
		void *self = NULL;
		as_call_init(&call);
		call.hooks = &duet_hooks;
		call.context = &d;
		as_collect_init(&got, 2, 0);
		assay_json *options = as_json_object();
		add_prompt(options);
		ck_assert_int_eq(ops->open(as_host(), options, &self, &err), 0);
		as_json_free(options);
		ck_assert_int_eq(ops->run(self, &call.pub, &goal, &got.sink, &err), 0);
		ck_assert_int_eq(as_collect_one(&got, "explorer/loop", &result, &err), 0);
		/* The agent reads its budget in the prompt and keeps the last turn for its answer. */
		expect(result, "/outcome", cases[i].outcome);
		ck_assert_uint_gt(as_json_str(as_json_get(result, "final_message")).len, 0);
		if (i == 0) {
			ck_assert_str_eq(d.acts.ptr, "lib__find_member {\"name\":\"Ada Lovelace\"}\n"
						     "lib__list_loans {\"member_id\":\"M-3\"}\n"
						     "lib__renew_loan {\"loan_id\":\"L-1\"}\n");
		}
		ops->close(self);
		as_collect_free(&got);
		as_json_free(result);
		as_json_free(d.offers);
		as_buf_free(&d.acts);
	}
}
END_TEST

UNIT_SUITE(explorer_suite, "explorer", test_finished, test_request, test_arguments, test_several_calls, test_turn_limit,
	   test_unusable_replies, test_failures, test_with_heuristic)
UNIT_MAIN(explorer_suite)
