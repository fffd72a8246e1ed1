/* Answers of a given shape: what is asked, what passes, what is told to the model, when it is given up. */
#include "tests/unit/unit.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/plugin/call.h"
#include "core/plugin/prompts.h"
#include <assay/roles/llm.h>
#include <assay/structured.h>
#include <string.h>

#define SCHEMA                                                                                                         \
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"n\"],"                                    \
	"\"properties\":{\"n\":{\"type\":\"integer\"}}}"
#define CALL(arguments)                                                                                                \
	"{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"emit\","       \
	"\"arguments\":\"" arguments "\"}]},\"finish_reason\":\"tool_calls\"}"
#define SAY(text) "{\"message\":{\"role\":\"assistant\",\"content\":\"" text "\"},\"finish_reason\":\"stop\"}"

typedef struct stage {
	const char *const *replies; /* NULL: the provider fails */
	size_t asked;
	assay_json *requests;
} stage;

static int chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	stage *s = context;
	const char *text = s->replies[s->asked++];
	ck_assert_int_eq(as_json_append(s->requests, as_json_clone(request)), 0);
	if (!text) {
		return as_fail(err, ASSAY_EUNREACH, "nobody there");
	}
	return as_json_parse(as_str(text), ASSAY_JSON_PEER, reply, err);
}

static const as_call_hooks hooks = {.chat = chat};

static int small(void *payload, const assay_json *answer, assay_error *why)
{
	int64_t n = as_json_i64(as_json_get(answer, "n"), 0), bound = *(const int64_t *)payload;
	if (n == 13) {
		return as_fail(why, ASSAY_ECANCELED, "enough");
	}
	return n < bound ? 0 : as_fail(why, ASSAY_EDATA, "%d is too much", (int)n);
}

static int ask(stage *s, assay_json **answer, assay_error *err)
{
	const assay_structured_api *api = as_host()->service("structured", 1);
	assay_json *schema = NULL;
	int64_t bound = 100;
	as_call call;
	ck_assert_int_eq(as_json_parse(ASSAY_STR(SCHEMA), ASSAY_JSON_STRICT, &schema, NULL), 0);
	const assay_question q = {.size = sizeof q,
				  .prompt = ASSAY_STR("Think of a number."),
				  .input = ASSAY_STR("{}"),
				  .name = "emit",
				  .description = "say it",
				  .schema = schema,
				  .max_tokens = 50,
				  .check = small,
				  .payload = &bound};
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = s;
	s->requests = as_json_array();
	int rc = api->ask(&call.pub, &q, answer, err);
	as_json_free(schema);
	return rc;
}

static void check_usable(const char *reply, int64_t n)
{
	const char *const replies[] = {reply, NULL};
	stage s = {.replies = replies};
	assay_json *answer = NULL;
	assay_error err = {0};
	int rc = ask(&s, &answer, &err);
	ck_assert_msg(rc == 0, "%s: %s", reply, err.message);
	ck_assert_int_eq(as_json_i64(as_json_get(answer, "n"), -1), n);
	ck_assert_uint_eq(s.asked, 1);
	as_json_free(answer);
	as_json_free(s.requests);
}

START_TEST(test_request)
{
	const char *const replies[] = {CALL("{\\\"n\\\":1}")};
	stage s = {.replies = replies};
	assay_json *answer = NULL;
	assay_text text = {0};
	ck_assert_int_eq(ask(&s, &answer, NULL), 0);
	ck_assert_int_eq(as_json_dump(as_json_at(s.requests, 0), ASSAY_JSON_COMPACT, &text, NULL), 0);
	ck_assert_str_eq(
		text.ptr,
		"{\"messages\":[{\"role\":\"system\",\"content\":\"Think of a number.\"},"
		"{\"role\":\"user\",\"content\":\"{}\"}],\"tools\":[{\"name\":\"emit\",\"description\":\"say it\","
		"\"parameters\":" SCHEMA
		"}],\"tool_choice\":{\"name\":\"emit\"},\"temperature\":0.0,\"max_tokens\":50}");
	as_text_free(&text);
	as_json_free(answer);
	as_json_free(s.requests);
}
END_TEST

START_TEST(test_usable)
{
	check_usable(CALL("{\\\"n\\\":1}"), 1);
	check_usable(SAY("{\\\"n\\\":2}"), 2); /* a provider that cannot force a call */
	check_usable(SAY("Here it is:\\n```json\\n{\\\"n\\\":3}\\n```\\nHave fun."), 3);
	check_usable(
		"{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"name\":\"other\",\"arguments\":\"{}\"},"
		"{\"id\":\"2\",\"name\":\"emit\",\"arguments\":\"{\\\"n\\\":4}\"}]}}",
		4);
	check_usable("{\"message\":{\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"emit\",\"arguments\":"
		     "\"{\\\"n\\\":5}\"}]},\"finish_reason\":\"length\"}",
		     5); /* cut after what matters */
}
END_TEST

/* Each unusable reply is told to the model with its reason, and the next one counts. */
START_TEST(test_asked_again)
{
	static const struct {
		const char *reply, *told;
	} cases[] = {
		{CALL("{\\\"n\\\":"), "Your last reply could not be used"},
		{CALL("[1]"), "it is no JSON object"},
		{CALL("{\\\"n\\\":\\\"x\\\"}"), "/n: "},
		{CALL("{\\\"m\\\":1}"), "unknown member \"m\""},
		{CALL("{\\\"n\\\":100}"), "100 is too much"},
		{SAY("I would rather not."), "it holds no JSON object"},
		{SAY(""), "it is empty"},
		{"{\"message\":{\"content\":\"\",\"tool_calls\":[{\"name\":\"other\",\"arguments\":\"{}\"}]}}",
		 "it calls \"other\", which is not offered"},
		{"{\"message\":{\"content\":\"{\\\"n\\\":\"},\"finish_reason\":\"length\"}", "be brief"},
		{"{}", "it is empty"},
		{"{\"message\":7,\"finish_reason\":[]}", "it is empty"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const replies[] = {cases[i].reply, CALL("{\\\"n\\\":7}")};
		stage s = {.replies = replies};
		assay_json *answer = NULL;
		assay_error err = {0};
		int rc = ask(&s, &answer, &err);
		ck_assert_msg(rc == 0, "%s: %s", cases[i].reply, err.message);
		assay_str told = as_json_str(as_json_pointer(s.requests, "/1/messages/2/content"));
		ck_assert_msg(as_str_contains(told, as_str(cases[i].told)), "%s: %.*s", cases[i].reply,
			      ASSAY_FMT(told));
		ck_assert(as_str_contains(told, ASSAY_STR("calling emit")));
		ck_assert_uint_eq(as_json_count(as_json_pointer(s.requests, "/0/messages")), 2);
		as_json_free(answer);
		as_json_free(s.requests);
	}
}
END_TEST

START_TEST(test_given_up)
{
	const char *const never[] = {SAY("no"), CALL("{}"), CALL("{\\\"n\\\":200}"), CALL("{\\\"n\\\":1}")};
	const char *const dead[] = {SAY("no"), NULL};
	const char *const stopped[] = {CALL("{\\\"n\\\":13}")};
	stage s = {.replies = never};
	assay_json *answer = NULL;
	assay_error err = {0};
	ck_assert_int_eq(ask(&s, &answer, &err), ASSAY_EDATA);
	ck_assert_uint_eq(err.reason, ASSAY_LLM_MALFORMED);
	ck_assert_str_eq(err.message, "none of 3 replies of the model was usable; of the last: 200 is too much");
	ck_assert_uint_eq(s.asked, 3);
	ck_assert_ptr_null(answer);
	as_json_free(s.requests);

	s = (stage){.replies = dead};
	err = (assay_error){0};
	ck_assert_int_eq(ask(&s, &answer, &err), ASSAY_EUNREACH);
	ck_assert_str_eq(err.message, "nobody there");
	as_json_free(s.requests);

	s = (stage){.replies = stopped};
	ck_assert_int_eq(ask(&s, &answer, NULL), ASSAY_ECANCELED);
	ck_assert_ptr_null(answer);
	as_json_free(s.requests);
}
END_TEST

START_TEST(test_prompts)
{
	assay_json *p = NULL;
	ck_assert(!as_prompt_shipped(ASSAY_STR("scorer/none"), &p));
	ck_assert(as_prompt_shipped(ASSAY_STR("explorer/loop"), &p));
	ck_assert(as_str_starts(as_json_str(as_json_get(p, "label")), ASSAY_STR("explorer/loop ")));
	ck_assert(as_str_starts(as_json_str(as_json_get(p, "text")), ASSAY_STR("You are an agent")));
	ck_assert_ptr_null(as_json_get(p, "file"));
	as_json_free(p);
	static const struct {
		const char *content, *label, *text;
	} cases[] = {{"<!-- mine 2 -->\nDo it.\n", "mine 2", "Do it."},
		     {"Do it.\n<!-- not first -->\n", "", "Do it.\n<!-- not first -->"},
		     {"<!-- open\nDo it.", "", "<!-- open\nDo it."},
		     {"<!-->\nx", "", "<!-->\nx"},
		     {"<!-- all -->", "all", ""},
		     {"", "", ""}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		p = as_prompt_of(ASSAY_STR("a.md"), as_str(cases[i].content));
		ck_assert_str_eq(as_json_cstr(as_json_get(p, "file"), ""), "a.md");
		ck_assert_str_eq(as_json_cstr(as_json_get(p, "label"), "-"), cases[i].label);
		ck_assert_str_eq(as_json_cstr(as_json_get(p, "text"), "-"), cases[i].text);
		as_json_free(p);
	}
}
END_TEST

UNIT_SUITE(structured_suite, "structured", test_request, test_usable, test_asked_again, test_given_up, test_prompts)
UNIT_MAIN(structured_suite)
