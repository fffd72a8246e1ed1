/* The loop of the toy worlds. */
#include "tests/unit/heuristic_kit.h"
#include "core/plugin/registry.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* --- Tools --- */

static void set(assay_json *object, const char *key, assay_json *value)
{
	ck_assert_int_eq(as_json_set(object, key, value), 0);
}

static assay_json *type_schema(const char *type)
{
	assay_json *schema = as_json_object(), *options = as_json_array();
	bool date = strcmp(type, "date") == 0, list = strcmp(type, "list") == 0, of = strchr(type, '|') != NULL;
	set(schema, "type", as_json_cstring(list ? "array" : date || of || !*type ? "string" : type));
	if (date) {
		set(schema, "format", as_json_cstring("date"));
	} else if (list) {
		set(schema, "items", type_schema("string"));
	}
	for (const char *at = type; of && *at; at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|')) {
		ck_assert_int_eq(as_json_append(options, as_json_string((assay_str){at, strcspn(at, "|")})), 0);
	}
	if (of) {
		set(schema, "enum", options);
	} else {
		as_json_free(options);
	}
	return schema;
}

/* Parameters up to the end or a closing brace; *at moves behind it. */
static assay_json *params_schema(const char **at)
{
	assay_json *schema = as_json_object(), *properties = as_json_object(), *required = as_json_array();
	while (**at && **at != '}') {
		char name[64], type[64] = "";
		size_t n = strcspn(*at, " :!{");
		ck_assert_uint_lt(n, sizeof name);
		memcpy(name, *at, n);
		name[n] = '\0';
		*at += n;
		if (**at == ':') {
			n = strcspn(++*at, " !");
			ck_assert_uint_lt(n, sizeof type);
			memcpy(type, *at, n);
			type[n] = '\0';
			*at += n;
		}
		bool inner = **at == '{';
		*at += inner ? 2 : 0;
		set(properties, name, inner ? params_schema(at) : type_schema(type));
		*at += inner;
		if (**at == '!') {
			ck_assert_int_eq(as_json_append(required, as_json_cstring(name)), 0);
			++*at;
		}
		*at += **at == ' ';
	}
	set(schema, "type", as_json_cstring("object"));
	set(schema, "properties", properties);
	set(schema, "required", required);
	return schema;
}

assay_json *toy_tools(const toy_world *world)
{
	assay_json *all = as_json_array();
	for (size_t i = 0; i < 4 && world->tools[i]; i++) {
		for (const toy_tool *t = world->tools[i]; t->name; t++) {
			assay_json *tool = as_json_object();
			const char *params = t->params;
			set(tool, "name", as_json_cstring(t->name));
			set(tool, "description", as_json_cstring(t->about));
			set(tool, "parameters", params_schema(&params));
			ck_assert_int_eq(as_json_append(all, tool), 0);
		}
	}
	return all;
}

/* --- Asking --- */

assay_json *toy_request(const assay_json *messages, const assay_json *tools, const char *policy, uint32_t left)
{
	assay_json *request = as_json_object(), *extra = as_json_object();
	int bad = as_json_set(request, "messages", as_json_clone(messages));
	bad |= as_json_set(request, "tools", as_json_clone(tools));
	if (policy) {
		bad |= as_json_set(extra, "policy", as_json_cstring(policy));
	}
	if (left > 0) {
		bad |= as_json_set(extra, "turns_left", as_json_integer(left));
	}
	bad |= as_json_set(request, "extra", extra);
	ck_assert_int_eq(bad, 0);
	return request;
}

assay_json *toy_ask(const assay_json *options, const assay_json *request, assay_error *err)
{
	const assay_llm_ops *ops = llm_heuristic_LTX_assay_plugin_v1()->impls[0]->ops;
	void *self = NULL;
	as_call call;
	as_collect got;
	assay_json *reply = NULL;
	as_call_init(&call);
	as_collect_init(&got, 2, 0);
	ck_assert_int_eq(ops->open(as_host(), options, &self, err), 0);
	if (ops->complete(self, &call.pub, request, &got.sink, err) == 0) {
		ck_assert_int_eq(as_collect_one(&got, "llm/heuristic", &reply, err), 0);
	}
	ops->close(self);
	as_collect_free(&got);
	return reply;
}

static void say(assay_json *messages, const char *role, const char *id, const char *text)
{
	assay_json *m = as_json_object();
	int bad = as_json_set(m, "role", as_json_cstring(role));
	if (id) {
		bad |= as_json_set(m, "tool_call_id", as_json_cstring(id));
	}
	bad |= as_json_set(m, "content", as_json_cstring(text));
	bad |= as_json_append(messages, m);
	ck_assert_int_eq(bad, 0);
}

const char *toy_answer(const toy_world *world, const char *tool, const char *arguments)
{
	for (size_t i = 0; i < 4 && world->replies[i]; i++) {
		for (const toy_reply *r = world->replies[i]; r->tool; r++) {
			if (strcmp(r->tool, tool) == 0 && (!r->argument || strstr(arguments, r->argument))) {
				return r->text;
			}
		}
	}
	return "[tool error] no such tool";
}

static void carry_out(const toy_world *world, const assay_json *call, toy_run *out)
{
	char *name = as_strndup(as_json_str(as_json_get(call, "name")));
	char *arguments = as_strndup(as_json_str(as_json_get(call, "arguments")));
	char *id = as_strndup(as_json_str(as_json_get(call, "id")));
	ck_assert(name && arguments && id);
	as_buf_printf(&out->calls, "%s %s\n", name, arguments);
	say(out->messages, "tool", id, toy_answer(world, name, arguments));
	free(name);
	free(arguments);
	free(id);
}

/* One turn; false when the agent has answered. */
static bool one_turn(const toy_world *world, const assay_json *tools, const char *policy, uint32_t left, toy_run *out)
{
	assay_error err = {0};
	assay_json *request = toy_request(out->messages, tools, policy, left);
	assay_json *reply = toy_ask(NULL, request, &err);
	ck_assert_msg(reply != NULL, "%s", err.message);
	const assay_json *message = as_json_get(reply, "message");
	const assay_json *calls = as_json_get(message, "tool_calls");
	ck_assert_int_eq(as_json_append(out->messages, as_json_clone(message)), 0);
	out->turns++;
	for (const assay_json *c = as_json_first(calls); c; c = as_json_next(c)) {
		carry_out(world, c, out);
	}
	if (!calls) {
		as_buf_add(&out->answer, as_json_str(as_json_get(message, "content")));
	}
	bool more = calls != NULL;
	as_json_free(reply);
	as_json_free(request);
	return more;
}

static void take_turns(const toy_world *world, const char *policy, uint32_t turns, toy_run *out)
{
	assay_json *tools = toy_tools(world);
	for (uint32_t i = 0; i < turns && one_turn(world, tools, policy, turns - i, out); i++) {
	}
	as_json_free(tools);
}

void toy_work(const toy_world *world, const char *goal, const char *policy, uint32_t turns, toy_run *out)
{
	*out = (toy_run){.messages = as_json_array()};
	as_buf_puts(&out->calls, "");
	as_buf_puts(&out->answer, "");
	say(out->messages, "system", NULL, "You work with tools.");
	say(out->messages, "user", NULL, goal);
	take_turns(world, policy, turns, out);
}

void toy_go_on(const toy_world *world, const char *goal, uint32_t turns, toy_run *run)
{
	as_buf_clear(&run->calls);
	as_buf_puts(&run->calls, "");
	as_buf_clear(&run->answer);
	say(run->messages, "user", NULL, goal);
	take_turns(world, "careful", turns, run);
}

void toy_free(toy_run *run)
{
	as_buf_free(&run->calls);
	as_buf_free(&run->answer);
	as_json_free(run->messages);
}

void toy_expect(const toy_world *world, const char *goal, const char *calls, const char *answer_has)
{
	toy_run run;
	toy_work(world, goal, "careful", 12, &run);
	ck_assert_msg(strcmp(run.calls.ptr, calls) == 0, "goal: %s\nexpected:\n%sgot:\n%sanswer: %s", goal, calls,
		      run.calls.ptr, run.answer.ptr);
	if (answer_has) {
		ck_assert_msg(strstr(run.answer.ptr, answer_has) != NULL,
			      "goal: %s\nexpected in the answer: %s\ngot: %s", goal, answer_has, run.answer.ptr);
	}
	toy_free(&run);
}
