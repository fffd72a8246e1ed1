/* llm/heuristic against what nobody should send: broken requests, hostile tools and results, missing memory. Whatever
 * comes, it answers in the shape of the role, the same every time, and makes no call twice. */
#include "core/base/random.h"
#include "core/plugin/registry.h"
#include "tests/unit/heuristic_kit.h"
#include "tests/unit/unit.h"
#include <string.h>

/* --- Random material --- */

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static const char *const words[] = {
	"Find",
	"the",
	"book",
	"'Dune'",
	"and",
	"then",
	"list",
	"all",
	"loans",
	"of",
	"member",
	"M-3",
	",",
	".",
	";",
	"\n",
	"1.",
	"2)",
	"if",
	"is",
	"below",
	"10",
	"otherwise",
	"delete",
	"renew",
	"each",
	"them",
	"\"",
	"'",
	"`",
	"\xE2\x80\x9C",
	"\xE2\x80\x9D",
	"about",
	"for",
	"to",
	"from",
	"key=value",
	"a=b=c=d",
	"=",
	"https://x.org/a,b",
	"/tmp/../a",
	"~/",
	"a@b.c",
	"2026-01-01",
	"12:30",
	"$1,200.50",
	"-3",
	"1e309",
	"99999999999999999999999999",
	"March",
	"3,",
	"2025",
	"USD",
	"\xC3\xA9",
	"\xFF\xFE",
	"\xC0\x80",
	"(",
	")",
	"[",
	"{",
	"}",
	"most",
	"the cheapest",
	"with",
	"no",
	"what",
	"how many",
	"in",
	"at most",
	"create",
	"an issue",
	"titled",
	"so that",
	"unless",
	"Ada Lovelace",
	"its",
	"one",
	"\t",
	"%s%n",
	"\\",
	"_",
	"__",
	"-",
	"--",
};

static void garble(as_buf *b, uint32_t most)
{
	for (uint32_t n = below(most + 1); n > 0; n--) {
		as_buf_puts(b, words[below(sizeof words / sizeof *words)]);
		as_buf_puts(b, below(5) ? " " : "");
	}
	as_buf_puts(b, "");
}

static assay_json *any_text(uint32_t most)
{
	as_buf b = {0};
	garble(&b, most);
	assay_json *v = as_json_string(as_buf_str(&b));
	as_buf_free(&b);
	return v;
}

static assay_json *any_json(int depth)
{
	static const char *const keys[] = {"id",         "name",      "type",    "properties",  "items",   "enum",
					   "$ref",       "default",   "content", "text",        "book_id", "error",
					   "required",   "anyOf",     "server",  "tool",        "params",  "title",
					   "tool_calls", "arguments", "role",    "inputSchema", "format",  "pattern"};
	assay_json *v;
	switch (below(depth > 0 ? 8 : 6)) {
	case 0:
		return as_json_null();
	case 1:
		return as_json_truth((int)below(2));
	case 2:
		return as_json_integer((int64_t)below(2000) - 1000);
	case 3:
		return as_json_real(1e300 * below(3));
	case 4:
		return as_json_cstring(below(2) ? "object" : "#/properties/a");
	case 5:
		return any_text(6);
	case 6:
		v = as_json_array();
		for (uint32_t n = below(5); n > 0; n--) {
			as_json_append(v, any_json(depth - 1));
		}
		return v;
	default:
		v = as_json_object();
		for (uint32_t n = below(6); n > 0; n--) {
			as_json_set(v, keys[below(sizeof keys / sizeof *keys)], any_json(depth - 1));
		}
		return v;
	}
}

static assay_json *any_call(const assay_json *tools)
{
	assay_json *c = as_json_object(), *arguments = any_json(2);
	as_buf text = {0};
	as_json_write(&text, arguments, ASSAY_JSON_COMPACT);
	const assay_json *tool = as_json_at(tools, below((uint32_t)as_json_count(tools) + 1));
	as_json_set(c, "id", below(4) ? as_json_cstring("call_1") : any_json(1));
	as_json_set(c, "name", tool && below(4) ? as_json_string(as_json_str(as_json_get(tool, "name"))) : any_json(1));
	as_json_set(c, "arguments", below(3) ? as_json_string(as_buf_str(&text)) : any_json(2));
	as_buf_free(&text);
	as_json_free(arguments);
	return c;
}

static assay_json *any_message(const assay_json *tools)
{
	static const char *const roles[] = {"system", "user", "assistant", "tool", "tool", "assistant", "robot"};
	assay_json *m = as_json_object();
	as_json_set(m, "role", below(20) ? as_json_cstring(roles[below(7)]) : any_json(1));
	as_json_set(m, "content", below(4) ? any_text(40) : any_json(3));
	as_json_set(m, "tool_call_id", as_json_cstring("call_1"));
	if (below(2)) {
		assay_json *calls = as_json_array();
		for (uint32_t n = below(4); n > 0; n--) {
			as_json_append(calls, any_call(tools));
		}
		as_json_set(m, "tool_calls", calls);
	}
	return m;
}

static assay_json *any_request(const assay_json *tools)
{
	assay_json *messages = as_json_array(), *mixed = as_json_clone(tools);
	for (uint32_t n = below(10); n > 0; n--) {
		as_json_append(messages, any_message(tools));
	}
	for (uint32_t n = below(4); n > 0; n--) {
		assay_json *t = any_json(5);
		if (as_json_type(t) == ASSAY_JSON_OBJECT) {
			as_json_set(t, "name", any_text(2));
			as_json_set(t, "parameters", any_json(6));
		}
		as_json_append(mixed, t);
	}
	static const char *const policies[] = {"careful", "greedy", "random", "other"};
	assay_json *request = toy_request(messages, mixed, policies[below(4)], below(4));
	as_json_free(messages);
	as_json_free(mixed);
	return request;
}

/* --- What must hold --- */

static void check_reply(const assay_json *reply, const assay_json *request)
{
	const assay_json *message = as_json_get(reply, "message"), *calls = as_json_get(message, "tool_calls");
	ck_assert(as_str_is(as_json_str(as_json_get(message, "role")), "assistant"));
	ck_assert_int_eq(as_json_type(as_json_get(message, "content")), ASSAY_JSON_STRING);
	ck_assert(calls || as_str_is(as_json_str(as_json_get(reply, "finish_reason")), "stop"));
	for (const assay_json *c = as_json_first(calls); c; c = as_json_next(c)) {
		assay_json *arguments = NULL;
		bool offered = false;
		ck_assert_int_eq(as_json_parse(as_json_str(as_json_get(c, "arguments")), ASSAY_JSON_PEER, &arguments,
					       NULL),
				 0);
		ck_assert_int_eq(as_json_type(arguments), ASSAY_JSON_OBJECT);
		const assay_json *tools = as_json_get(request, "tools");
		for (const assay_json *t = as_json_first(tools); t && !offered; t = as_json_next(t)) {
			const assay_json *f = as_json_get(t, "function") ? as_json_get(t, "function") : t;
			offered = as_str_eq(as_json_str(as_json_get(f, "name")), as_json_str(as_json_get(c, "name")));
		}
		ck_assert(offered);
		as_json_free(arguments);
	}
}

static void dump(as_buf *b, const assay_json *v)
{
	as_buf_clear(b);
	as_json_write(b, v, ASSAY_JSON_COMPACT);
}

START_TEST(test_garbage)
{
	assay_json *tools = toy_tools(_i % 2 ? &toy_router : &toy_all);
	as_buf one = {0}, two = {0};
	state = (uint64_t)_i + 1;
	for (int i = 0; i < 60; i++) {
		assay_json *request = any_request(tools);
		assay_error err = {0};
		assay_json *a = toy_ask(NULL, request, &err), *b = toy_ask(NULL, request, &err);
		ck_assert_msg(a && b, "%s", err.message);
		check_reply(a, request);
		dump(&one, a);
		dump(&two, b);
		ck_assert_str_eq(one.ptr, two.ptr);
		as_json_free(a);
		as_json_free(b);
		as_json_free(request);
	}
	as_buf_free(&one);
	as_buf_free(&two);
	as_json_free(tools);
}
END_TEST

/* Results made of noise: no call is made twice, and the end is reached. */
START_TEST(test_hostile_world)
{
	static const char *const goals[] = {
		"Find the book 'Dune', list the loans of the member 'Ada' and renew each, then delete the member.",
		"Search issues for 'login', then get each issue, assign them to 'bob' and set their state to closed.",
		"Read /a/b.txt; if the budget is over 3, write /a/c.txt with it. Move each of the files to /old.",
	};
	char *names[23];
	assay_json *tools = toy_tools(&toy_all);
	size_t n_tools = as_json_count(tools);
	ck_assert_uint_le(n_tools, 23);
	for (size_t k = 0; k < n_tools; k++) {
		names[k] = as_strndup(as_json_str(as_json_get(as_json_at(tools, k), "name")));
	}
	as_json_free(tools);
	state = (uint64_t)_i + 99;
	for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
		toy_reply replies[24];
		as_buf texts[23];
		memset(texts, 0, sizeof texts);
		memset(replies, 0, sizeof replies);
		size_t n = 0;
		for (; n < 23 && n < n_tools; n++) {
			assay_json *v = any_json(5);
			as_buf_puts(&texts[n], below(5) ? "" : "[tool error] did you mean ");
			if (below(3)) {
				as_json_write(&texts[n], v, below(2) ? ASSAY_JSON_COMPACT : ASSAY_JSON_PRETTY);
			}
			texts[n].len = texts[n].len > 7 && below(6) == 0 ? texts[n].len / 2 : texts[n].len;
			texts[n].ptr[texts[n].len] = '\0';
			if (below(3) == 0) {
				garble(&texts[n], 60);
			}
			replies[n] = (toy_reply){names[n], NULL, texts[n].ptr};
			as_json_free(v);
		}
		toy_world world = toy_all;
		memset(world.replies, 0, sizeof world.replies);
		world.replies[0] = replies;
		toy_run run;
		toy_work(&world, goals[i], "careful", 40, &run);
		ck_assert_uint_gt(run.answer.len, 0);
		for (char *line = run.calls.ptr; *line; line = strchr(line, '\n') + 1) {
			size_t len = (size_t)(strchr(line, '\n') + 1 - line);
			for (char *later = line + len; *later; later = strchr(later, '\n') + 1) {
				ck_assert_msg(strncmp(line, later, len) != 0, "twice: %.*s", (int)len, line);
			}
		}
		toy_free(&run);
		for (size_t k = 0; k < n; k++) {
			as_buf_free(&texts[k]);
		}
	}
	for (size_t k = 0; k < n_tools; k++) {
		free(names[k]);
	}
}
END_TEST

START_TEST(test_bad_requests)
{
	static const struct {
		const char *request, *message;
		int code;
	} cases[] = {
		{"{}", "the request has no array \"messages\"", ASSAY_EINVAL},
		{"{\"messages\":{}}", "the request has no array \"messages\"", ASSAY_EINVAL},
		{"{\"messages\":[],\"tool_choice\":{\"name\":\"emit\"}}",
		 "llm/heuristic cannot be made to call \"emit\": it only makes calls of its own choice", ASSAY_ENOTSUP},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_json *request = NULL;
		assay_error err = {0};
		ck_assert_int_eq(as_json_parse(as_str(cases[i].request), ASSAY_JSON_STRICT, &request, NULL), 0);
		ck_assert_ptr_null(toy_ask(NULL, request, &err));
		ck_assert_int_eq(err.code, cases[i].code);
		ck_assert_str_eq(err.message, cases[i].message);
		as_json_free(request);
	}
}
END_TEST

START_TEST(test_tool_choice_none)
{
	toy_run run;
	assay_error err = {0};
	toy_work(&toy_all, "Get the book B-12.", "careful", 1, &run);
	assay_json *tools = toy_tools(&toy_all), *request = toy_request(run.messages, tools, NULL, 0);
	ck_assert_int_eq(as_json_set(request, "tool_choice", as_json_cstring("none")), 0);
	assay_json *reply = toy_ask(NULL, request, &err);
	ck_assert_ptr_nonnull(reply);
	ck_assert_ptr_null(as_json_pointer(reply, "/message/tool_calls"));
	as_json_free(reply);
	as_json_free(request);
	as_json_free(tools);
	toy_free(&run);
}
END_TEST

/* Megabytes of everything are read up to the bounds, in no time. */
START_TEST(test_huge)
{
	assay_json *tools = toy_tools(&toy_all), *messages = as_json_array(), *enums = as_json_array();
	as_buf text = {0};
	assay_error err = {0};
	for (int i = 0; i < 20000; i++) {
		as_buf_printf(&text, "find 'x%d', then list the loans. a=%d; ", i, i);
	}
	for (int i = 0; i < 3; i++) {
		assay_json *m = as_json_object();
		as_json_set(m, "role", as_json_cstring(i == 2 ? "user" : "system"));
		as_json_set(m, "content", as_json_string(as_buf_str(&text)));
		as_json_append(messages, m);
	}
	for (int i = 0; i < 3000; i++) {
		assay_json *t = as_json_object();
		as_buf name = {0};
		as_buf_printf(&name, "srv%d__list_loans_%d", i % 7, i);
		as_json_set(t, "name", as_json_string(as_buf_str(&name)));
		as_json_set(t, "description", as_json_cstring("List the loans."));
		as_json_append(tools, t);
		as_buf_free(&name);
	}
	as_json_free(enums);
	assay_json *request = toy_request(messages, tools, "careful", 0);
	assay_json *reply = toy_ask(NULL, request, &err);
	ck_assert_msg(reply != NULL, "%s", err.message);
	check_reply(reply, request);
	as_json_free(reply);
	as_json_free(request);
	as_json_free(messages);
	as_json_free(tools);
	as_buf_free(&text);
}
END_TEST

/* --- Missing memory --- */

static long allocations_left;

static void *scarce_alloc(size_t size)
{
	return allocations_left-- > 0 ? as_host()->alloc(size) : NULL;
}

START_TEST(test_no_memory)
{
	const assay_llm_ops *ops = llm_heuristic_LTX_assay_plugin_v1()->impls[0]->ops;
	assay_host host = *as_host();
	assay_json *tools = toy_tools(&toy_all);
	toy_run run;
	host.alloc = scarce_alloc;
	toy_work(&toy_all, "Find the member 'Ada Lovelace', list their loans and renew each of them.", "careful", 12,
		 &run);
	assay_json *request = toy_request(run.messages, tools, "careful", 0);
	bool worked = false;
	for (long n = 0; n < 200 && !worked; n++) {
		void *self = NULL;
		as_call call;
		as_collect got;
		assay_error err = {0};
		as_call_init(&call);
		as_collect_init(&got, 2, 0);
		allocations_left = n;
		int status = ops->open(&host, NULL, &self, &err);
		if (status == 0) {
			status = ops->complete(self, &call.pub, request, &got.sink, &err);
		}
		worked = status == 0;
		ck_assert_msg(worked || status == ASSAY_ENOMEM, "%d: %s", status, err.message);
		ck_assert_uint_eq(as_json_count(got.values), worked);
		ops->close(self);
		as_collect_free(&got);
	}
	ck_assert(worked);
	as_json_free(request);
	as_json_free(tools);
	toy_free(&run);
}
END_TEST

START_TEST(test_close_null)
{
	const assay_llm_ops *ops = llm_heuristic_LTX_assay_plugin_v1()->impls[0]->ops;
	ops->close(NULL);
}
END_TEST

static Suite *robust_suite(void)
{
	Suite *suite = suite_create("heuristic_robust");
	TCase *loops = tcase_create("loops"), *rest = tcase_create("rest");
	tcase_set_timeout(loops, 60);
	tcase_set_timeout(rest, 60);
	tcase_add_loop_test(loops, test_garbage, 0, 12);
	tcase_add_loop_test(loops, test_hostile_world, 0, 40);
	tcase_add_test(rest, test_bad_requests);
	tcase_add_test(rest, test_tool_choice_none);
	tcase_add_test(rest, test_huge);
	tcase_add_test(rest, test_no_memory);
	tcase_add_test(rest, test_close_null);
	suite_add_tcase(suite, loops);
	suite_add_tcase(suite, rest);
	return suite;
}

UNIT_MAIN(robust_suite)
