/* What a session does beside asking and being answered: tasks, questions of the server, tools that change. */
#include "tests/unit/session_kit.h"
#include "tests/unit/unit.h"

#include <string.h>

static const as_mcp_options declining = {.elicitation = AS_MCP_ELICIT_DECLINE};

static void begin(peer *p, const char *behaviour)
{
	int rc = peer_start_with(p, "bad-server", behaviour, NULL, &declining);

	ck_assert_msg(rc == 0, "%s: %s", behaviour, p->err.message);
}

/* What was asked during the last call; expected NULL: nothing. */
static void check_asked(peer *p, const char *expected)
{
	assay_json *asked = as_mcp_take_asked(p->session);
	assay_text text = {0};

	ck_assert((asked != NULL) == (expected != NULL));
	if (expected) {
		ck_assert_int_eq(as_json_dump(asked, ASSAY_JSON_COMPACT, &text, NULL), 0);
		ck_assert_str_eq(text.ptr, expected);
	}
	as_text_free(&text);
	as_json_free(asked);
	ck_assert_ptr_null(as_mcp_take_asked(p->session));
}

#define DECLINED "\"result\":{\"action\":\"decline\"}}"
#define NO_METHOD "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}"

START_TEST(test_questions_are_kept)
{
	peer p;

	begin(&p, "call-asks");
	peer_check_call(&p, "a", NULL, SAID("fine"));
	check_asked(&p, "[{\"method\":\"roots/list\"," NO_METHOD
			",{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":7}," NO_METHOD
			",{\"method\":\"elicitation/create\"," DECLINED "]");
	peer_end(&p);
	begin(&p, "list-roots"); /* outside of a call */
	peer_check_call(&p, "a", NULL, SAID("fine"));
	check_asked(&p, NULL);
	peer_end(&p);
}
END_TEST

START_TEST(test_questions_are_bounded)
{
	peer p;
	assay_json *asked;

	begin(&p, "call-asks-much");
	peer_check_call(&p, "a", NULL, SAID("fine"));
	asked = as_mcp_take_asked(p.session);
	ck_assert_uint_eq(as_json_count(asked), 32);
	ck_assert_ptr_null(as_json_pointer(asked, "/0/params"));
	ck_assert_int_gt(as_json_i64(as_json_pointer(asked, "/0/bytes"), 0), 70000);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(asked, "/31/params/message"), ""), "mmm");
	as_json_free(asked);
	peer_check_call(&p, "a", NULL, SAID("fine")); /* those of a call that nobody wants go with the next */
	peer_check_call(&p, "a", NULL, SAID("fine"));
	peer_end(&p);
}
END_TEST

START_TEST(test_tasks)
{
	peer p;

	begin(&p, "task");
	peer_check_call(&p, "b", NULL, SAID("fine"));
	peer_check_call(&p, "a", NULL, SAID("fine"));
	check_asked(&p, NULL);
	peer_end(&p);
	begin(&p, "task-asks");
	peer_check_call(&p, "a", NULL, "{\"content\":[],\"isError\":true}");
	check_asked(&p, "[{\"method\":\"elicitation/create\"," DECLINED "]");
	peer_end(&p);
	begin(&p, "modern-task");
	peer_check_call(&p, "a", NULL, SAID("fine"));
	check_asked(&p, "[{\"method\":\"elicitation/create\",\"params\":{\"message\":\"which?\",\"requestedSchema\":{"
			"\"type\":\"object\"}}," DECLINED "]");
	peer_end(&p);
}
END_TEST

/* A call that ends badly leaves a session that can be used. */
static void check_failure(const char *behaviour, int code, const char *message)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error = false;
	int rc;

	begin(&p, behaviour);
	rc = peer_call(&p, "a", NULL, 1000, &result, &rpc_error);
	ck_assert_msg(rc == code, "%s: %d %s", behaviour, rc, p.err.message);
	ck_assert_msg(strstr(p.err.message, message), "%s: %s", behaviour, p.err.message);
	ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, AMPLE, &p.err), 0);
	peer_end(&p);
}

START_TEST(test_tasks_that_fail)
{
	peer p;
	assay_json *result = NULL;
	assay_text said = {0};
	bool rpc_error = false;

	check_failure("task-strange", ASSAY_EPROTO, "unknown state \"dreaming\"");
	check_failure("task-nameless", ASSAY_EPROTO, "its taskId is none");
	check_failure("task-lost", ASSAY_ETIMEOUT, "tasks/get of a was not answered within 1000 ms");
	check_failure("modern-insatiable", ASSAY_ELIMIT, "still wants input after 10 rounds");
	check_failure("modern-wordy", ASSAY_ELIMIT, "names an input by more than 256 bytes");
	check_failure("modern-empty", ASSAY_EPROTO, "is over but has no result");
	begin(&p, "modern-failed");
	ck_assert_int_eq(peer_call(&p, "a", NULL, AMPLE, &result, &rpc_error), 0);
	ck_assert(rpc_error);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(result, "/content/0/text"), ""), "out of paper");
	as_json_free(result);
	peer_end(&p);
	begin(&p, "task-endless");
	ck_assert_int_eq(peer_call(&p, "a", NULL, SHORT, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_ptr_nonnull(strstr(p.err.message, "within 300 ms"));
	ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, AMPLE, &p.err), 0);
	ck_assert_int_eq(p.ops->diagnostics(p.transport, &said, NULL), 0);
	ck_assert_str_eq(said.ptr, "cancelled as it should be\n");
	as_text_free(&said);
	peer_end(&p);
}
END_TEST

static void check_list(peer *p, const char *name)
{
	assay_json *tools = NULL;

	ck_assert_int_eq(as_mcp_list_tools(p->session, &p->call.pub, &tools, &p->err), 0);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(tools, "/0/name"), ""), name);
	as_json_free(tools);
}

START_TEST(test_changing_tools)
{
	peer p;

	begin(&p, "modern-news");
	check_list(&p, "list2"); /* four notices came with the first: it is listed once again */
	check_list(&p, "list2"); /* fresh for a minute */
	peer_check_call(&p, "a", NULL, SAID("fine"));
	ck_assert(as_mcp_tools_changed(p.session));
	check_list(&p, "list3");
	check_list(&p, "list3");
	peer_end(&p);
}
END_TEST

UNIT_SUITE(make_suite, "mcp tasks", test_questions_are_kept, test_questions_are_bounded, test_tasks,
	   test_tasks_that_fail, test_changing_tools)

UNIT_MAIN(make_suite)
