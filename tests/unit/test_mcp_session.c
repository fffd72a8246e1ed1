/* Client sessions against real child processes: a well-behaved one and one that misbehaves in every way we know of. */
#include "core/base/error.h"
#include "tests/unit/session_kit.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- what works -------------------------------------------------------------------------------------------------- */

START_TEST(test_whole_session)
{
	peer p;
	assay_json *tools = NULL;
	const assay_json *info;

	peer_start_well(&p, "fixture-server", "", NULL);
	info = as_mcp_info(p.session);
	ck_assert_str_eq(as_json_cstr(as_json_get(info, "server_name"), ""), "fixture");
	ck_assert_str_eq(as_json_cstr(as_json_get(info, "server_version"), ""), "1.2.3");
	ck_assert_str_eq(as_json_cstr(as_json_get(info, "protocol_version"), ""), "2025-11-25");
	ck_assert_str_eq(as_json_cstr(as_json_get(info, "instructions"), ""), "For tests only.");
	ck_assert_int_eq(as_json_type(as_json_pointer(info, "/capabilities/tools")), ASSAY_JSON_OBJECT);

	ck_assert_int_eq(as_mcp_list_tools(p.session, &p.call.pub, &tools, &p.err), 0);
	ck_assert_uint_eq(as_json_count(tools), 8);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(tools, "/0/name"), ""), "echo");
	ck_assert_int_eq(as_json_boolean(as_json_pointer(tools, "/0/annotations/readOnlyHint"), 0), 1);
	as_json_free(tools);

	peer_check_call(&p, "echo", "{\"text\":\"h\\u00e9\"}", SAID("h\xC3\xA9"));
	peer_check_call(&p, "add", "{\"a\":1,\"b\":2.5}",
			"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"sum\\\":3.5,\\\"calls\\\":1}\"}],"
			"\"structuredContent\":{\"sum\":3.5,\"calls\":1}}");
	peer_check_call(&p, "find_note", "{\"name\":\"x\"}",
			"{\"content\":[{\"type\":\"text\",\"text\":\"no note called \\\"x\\\"\"}],\"isError\":true}");
	ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, 0, &p.err), 0);
	ck_assert_uint_eq(as_mcp_noise(p.session), 0);
	ck_assert(!as_mcp_is_dead(p.session));
	peer_end(&p);
}
END_TEST

START_TEST(test_arguments_may_be_missing)
{
	peer p;

	peer_start_well(&p, "fixture-server", "", NULL);
	peer_check_call(&p, "raw", NULL,
			SAID("a\xEF\xBF\xBD"
			     "b\\nc\\u0001"));
	peer_end(&p);
}
END_TEST

START_TEST(test_big_messages)
{
	peer p;
	assay_json *result = NULL;
	as_buf args = {0};
	bool rpc_error;

	peer_start_well(&p, "fixture-server", "", NULL);
	ck_assert_int_eq(peer_call(&p, "big", "{\"bytes\":3000000}", AMPLE, &result, &rpc_error), 0);
	ck_assert_uint_eq(as_json_str(as_json_pointer(result, "/content/0/text")).len, 3000000);
	as_json_free(result);
	as_buf_puts(&args, "{\"text\":\"");
	for (int i = 0; i < 300000; i++) {
		as_buf_puts(&args, "0123456789");
	}
	as_buf_puts(&args, "\"}");
	ck_assert_int_eq(peer_call(&p, "echo", args.ptr, AMPLE, &result, &rpc_error), 0);
	ck_assert_uint_eq(as_json_str(as_json_pointer(result, "/content/0/text")).len, 3000000);
	as_json_free(result);
	as_buf_free(&args);
	peer_end(&p);
}
END_TEST

START_TEST(test_rpc_error_is_a_result)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error = false;

	peer_start_well(&p, "bad-server", "call-error", NULL);
	ck_assert_int_eq(peer_call(&p, "zz", NULL, AMPLE, &result, &rpc_error), 0);
	ck_assert(rpc_error);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(result, "/content/0/text"), ""), "Unknown tool: zz");
	ck_assert_int_eq(as_json_boolean(as_json_get(result, "isError"), 0), 1);
	as_json_free(result);
	peer_end(&p);

	peer_start_well(&p, "bad-server", "call-error-bare", NULL);
	ck_assert_int_eq(peer_call(&p, "zz", NULL, AMPLE, &result, &rpc_error), 0);
	ck_assert(rpc_error);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(result, "/content/0/text"), ""), "{\"code\":-32603}");
	as_json_free(result);
	peer_end(&p);
}
END_TEST

/* Odd but allowed, or odd and suffered: list and call succeed. */
START_TEST(test_oddities)
{
	static const struct {
		const char *name, *version;
		size_t tools;
		uint32_t noise;
	} odd[] = {
		{"good", "2025-11-25", 2, 0},
		{"banner", "2025-11-25", 2, 4},
		{"init-early", "2025-11-25", 2, 0},
		{"stubborn", "2025-11-25", 2, 0},
		{"parent", "2025-11-25", 2, 0},
		{"init-old", "2024-11-05", 2, 0},
		{"init-supported", "2025-06-18", 2, 0},
		{"init-bare", "2025-06-18", 0, 0},
		{"list-pages", "2025-11-25", 2, 0},
		{"list-roots", "2025-11-25", 2, 0},
		{"call-null-error", "2025-11-25", 2, 0},
		{"call-float-id", "2025-11-25", 2, 0},
		{"call-batch", "2025-03-26", 2, 1},
		{"call-list-changed", "2025-11-25", 2, 0},
	};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		peer p;
		assay_json *tools = NULL;
		int rc;

		peer_start_well(&p, "bad-server", odd[i].name, NULL);
		ck_assert_str_eq(as_json_cstr(as_json_get(as_mcp_info(p.session), "protocol_version"), ""),
				 odd[i].version);
		rc = as_mcp_list_tools(p.session, &p.call.pub, &tools, &p.err);
		ck_assert_msg(rc == 0, "%s: %s", odd[i].name, p.err.message);
		ck_assert_msg(as_json_count(tools) == odd[i].tools, "%s", odd[i].name);
		as_json_free(tools);
		peer_check_call(&p, "a", NULL, SAID("fine"));
		ck_assert_msg(as_mcp_noise(p.session) == odd[i].noise, "%s", odd[i].name);
		ck_assert(as_mcp_tools_changed(p.session) == !strcmp(odd[i].name, "call-list-changed"));
		ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, AMPLE, &p.err), 0);
		peer_end(&p);
	}
}
END_TEST

START_TEST(test_second_answer_is_ignored)
{
	peer p;

	peer_start_well(&p, "bad-server", "call-twice", NULL);
	peer_check_call(&p, "a", NULL, SAID("first"));
	peer_check_call(&p, "a", NULL, SAID("second"));
	peer_end(&p);
}
END_TEST

/* --- time -------------------------------------------------------------------------------------------------------- */

/* The server sees the cancellation and then answers all the same. */
START_TEST(test_timeout_cancels_and_late_answer_is_ignored)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;

	peer_start_well(&p, "bad-server", "call-late", NULL);
	ck_assert_int_eq(peer_call(&p, "slow", NULL, SHORT, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_str_eq(p.err.where, "srv");
	ck_assert_str_eq(p.err.message, "tools/call of slow was not answered within 300 ms");
	ck_assert_uint_eq(p.err.flags, ASSAY_ERR_PEER);
	ck_assert(!as_mcp_is_dead(p.session));
	peer_check_call(&p, "a", NULL, SAID("fine"));
	peer_end(&p);
}
END_TEST

START_TEST(test_progress_extends)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;
	int64_t begin = as_now_ms();

	/* Eight pauses of 60 ms, each within 250 ms. */
	peer_start_well(&p, "bad-server", "call-progress", NULL);
	begin = as_now_ms();
	ck_assert_int_eq(peer_call(&p, "a", NULL, 250, &result, &rpc_error), 0);
	ck_assert_int_ge(as_now_ms() - begin, 8 * 60);
	as_json_free(result);
	peer_end(&p);
}
END_TEST

START_TEST(test_progress_has_an_end)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;
	int64_t begin;

	peer_start_well(&p, "bad-server", "call-progress-endless", NULL);
	begin = as_now_ms();
	ck_assert_int_eq(peer_call(&p, "a", NULL, 150, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_int_ge(as_now_ms() - begin, 1400);
	ck_assert_int_lt(as_now_ms() - begin, 1500 + SLACK);
	ck_assert_str_eq(p.err.message, "tools/call of a was not answered within 1500 ms");
	peer_end(&p);
}
END_TEST

START_TEST(test_progress_of_others_does_not_count)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;
	int64_t begin;

	peer_start_well(&p, "bad-server", "call-progress-other", NULL);
	begin = as_now_ms();
	ck_assert_int_eq(peer_call(&p, "a", NULL, 200, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_int_lt(as_now_ms() - begin, 1900);
	peer_end(&p);
}
END_TEST

START_TEST(test_deadline_of_the_caller)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;
	int64_t begin;
	const char *before = "the time of the caller, ";
	char *after = NULL;
	long had;

	peer_start_well(&p, "bad-server", "call-silent", NULL);
	p.call.deadline_ms = as_deadline(SHORT);
	begin = as_now_ms();
	ck_assert_int_eq(peer_call(&p, "a", NULL, AMPLE, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_int_lt(as_now_ms() - begin, SHORT + SLACK);
	ck_assert(as_str_starts(as_str(p.err.message), as_str(before)));
	had = strtol(p.err.message + strlen(before), &after, 10);
	ck_assert(had > 0 && had <= SHORT);
	ck_assert_str_eq(after, " ms, was up before tools/call of a was answered");
	/* Nothing is sent any more, and the session is none the worse. */
	ck_assert_int_eq(peer_call(&p, "a", NULL, AMPLE, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_str_eq(p.err.message, "the time of the caller was up before tools/call was sent");
	p.call.deadline_ms = AS_FOREVER;
	ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, AMPLE, &p.err), 0);
	peer_end(&p);
}
END_TEST

static void *cancel_soon(void *cancel)
{
	nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
	as_cancel_set(cancel);
	return NULL;
}

START_TEST(test_cancellation)
{
	peer p;
	assay_json *result = NULL;
	as_cancel *cancel = NULL;
	pthread_t thread;
	bool rpc_error;
	int64_t begin;

	peer_start_well(&p, "bad-server", "call-late", NULL);
	ck_assert_int_eq(as_cancel_new(&cancel, NULL), 0);
	p.call.cancel = cancel;
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, cancel), 0);
	begin = as_now_ms();
	ck_assert_int_eq(peer_call(&p, "slow", NULL, AMPLE, &result, &rpc_error), ASSAY_ECANCELED);
	ck_assert_int_lt(as_now_ms() - begin, SLACK);
	ck_assert_str_eq(p.err.message, "tools/call of slow was cancelled");
	ck_assert_uint_eq(p.err.flags, 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(peer_call(&p, "a", NULL, AMPLE, &result, &rpc_error), ASSAY_ECANCELED);
	/* The server was told, or it would not answer now. */
	p.call.cancel = NULL;
	peer_check_call(&p, "a", NULL, SAID("fine"));
	as_cancel_free(cancel);
	peer_end(&p);
}
END_TEST

/* --- what fails -------------------------------------------------------------------------------------------------- */

#define OPEN 0
#define LIST 1
#define CALL 2

typedef struct failure {
	const char *name;
	int stage;
	int code;
	bool dead;
	const char *says; /* part of the message */
} failure;

static int reach_stage(peer *p, const failure *f, const as_mcp_limits *limits)
{
	assay_json *result = NULL;
	bool rpc_error;
	int rc;

	/* What must work before the fault has ample time. */
	rc = peer_start(p, "bad-server", f->name, limits);
	if (f->stage == OPEN) {
		ck_assert_ptr_null(p->session);
		return rc;
	}
	ck_assert_msg(rc == 0, "%s: %s", f->name, p->err.message);
	if (f->stage == LIST) {
		rc = as_mcp_list_tools(p->session, &p->call.pub, &result, &p->err);
	} else {
		rc = peer_call(p, "a", NULL, 0, &result, &rpc_error);
	}
	ck_assert_ptr_null(result);
	return rc;
}

static void check_failure(const failure *f, const as_mcp_limits *given)
{
	as_mcp_limits limits = given ? *given : (as_mcp_limits){0};
	int64_t begin = as_now_ms();
	peer p;
	int rc;

	limits.start_ms = f->stage == OPEN && f->code == ASSAY_ETIMEOUT ? SHORT : AMPLE;
	limits.list_ms = f->stage == LIST && f->code == ASSAY_ETIMEOUT ? SHORT : AMPLE;
	limits.call_ms = f->stage == CALL && f->code == ASSAY_ETIMEOUT ? SHORT : AMPLE;
	rc = reach_stage(&p, f, &limits);
	ck_assert_msg(rc == f->code, "%s: got %s: %s", f->name, as_error_name(rc), p.err.message);
	ck_assert_int_eq(p.err.code, f->code);
	ck_assert_msg(strstr(p.err.message, f->says) != NULL, "%s says: %s", f->name, p.err.message);
	ck_assert_str_eq(p.err.where, "srv");
	ck_assert_msg(p.err.flags == ASSAY_ERR_PEER, "%s", f->name);
	for (const char *c = p.err.message; *c; c++) {
		ck_assert_msg((unsigned char)*c >= ' ' && *c != 127, "%s: control character in the message", f->name);
	}
	ck_assert_int_lt(as_now_ms() - begin, AMPLE);
	if (p.session) {
		ck_assert_msg(as_mcp_is_dead(p.session) == f->dead, "%s", f->name);
	}
	if (p.session && f->dead) {
		as_error_clear(&p.err);
		ck_assert_int_eq(as_mcp_ping(p.session, &p.call.pub, 0, &p.err), ASSAY_EUNREACH);
		ck_assert_ptr_nonnull(strstr(p.err.message, "the session is over: "));
	}
	peer_end(&p);
}

START_TEST(test_failures_at_the_start)
{
	static const failure failures[] = {
		{"deaf", OPEN, ASSAY_ETIMEOUT, true, "initialize was not answered within 300 ms"},
		{"exits", OPEN, ASSAY_EUNREACH, true, "(stderr: bad-server: cannot open "},
		{"long-words", OPEN, ASSAY_EUNREACH, true, "word word the end)"},
		{"init-silent", OPEN, ASSAY_ETIMEOUT, true, "initialize was not answered within 300 ms"},
		{"init-version", OPEN, ASSAY_EPROTO, true,
		 "MCP revision \"1999-01-01\", which is not one of ours (2025-11-25,"},
		{"init-no-version", OPEN, ASSAY_EPROTO, true, "names no protocolVersion"},
		{"init-error", OPEN, ASSAY_EPROTO, true, "it answered initialize with error -32603: no licence"},
		{"init-wide", OPEN, ASSAY_EPROTO, true, "it speaks MCP revision \xE2\x82\xAC"},
		{"init-string", OPEN, ASSAY_EPROTO, true,
		 "the answer to initialize is neither a result object nor an error"},
	};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		check_failure(&failures[i], NULL);
	}
}
END_TEST

START_TEST(test_failures_of_lists)
{
	static const failure failures[] = {
		{"half-line", LIST, ASSAY_EUNREACH, true,
		 "tools/list: it exited with status 1 in the middle of a line (stderr: bad-server: out of paper)"},
		{"list-silent", LIST, ASSAY_ETIMEOUT, false, "tools/list was not answered within 300 ms"},
		{"list-endless", LIST, ASSAY_ELIMIT, false, "its tools/list has more than 1000 pages"},
		{"list-many", LIST, ASSAY_ELIMIT, false, "it has more than 100 tools"},
		{"list-circle", LIST, ASSAY_EPROTO, false,
		 "its tools/list goes round in a circle: page 3 has a cursor"},
		{"list-heavy", LIST, ASSAY_ELIMIT, false, "the pages of its tools/list have more than 400000 bytes"},
		{"list-no-array", LIST, ASSAY_EPROTO, false, "its answer to tools/list has no array \"tools\""},
		{"list-no-name", LIST, ASSAY_EPROTO, false, "number 2 of its tools has no name"},
		{"list-bad-cursor", LIST, ASSAY_EPROTO, false, "nextCursor of its tools/list is not a string"},
		{"list-unknown", LIST, ASSAY_EPROTO, false,
		 "it answered tools/list with error -32601: Method not found"},
	};
	const as_mcp_limits limits = {.max_tools = 100, .max_message = 100000};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		check_failure(&failures[i], &limits);
	}
}
END_TEST

START_TEST(test_failures_of_calls)
{
	static const failure failures[] = {
		{"call-silent", CALL, ASSAY_ETIMEOUT, false, "tools/call of a was not answered within 300 ms"},
		{"call-wrong-id", CALL, ASSAY_ETIMEOUT, false, "within 300 ms; an answer with the id 100"},
		{"call-string-id", CALL, ASSAY_ETIMEOUT, false, "within 300 ms; an answer with the id \""},
		{"call-wide-id", CALL, ASSAY_ETIMEOUT, false, "an answer with the id \"\xE2\x82\xAC"},
		{"call-unversioned", CALL, ASSAY_ETIMEOUT, false, "the last: JSON without \"jsonrpc\": \"2.0\""},
		{"call-no-id", CALL, ASSAY_ETIMEOUT, false, "tools/call of a was not answered within 300 ms"},
		{"call-both", CALL, ASSAY_EPROTO, false, "the answer to tools/call of a is neither"},
		{"call-array", CALL, ASSAY_EPROTO, false, "the answer to tools/call of a is neither"},
		{"call-bytes", CALL, ASSAY_ETIMEOUT, false,
		 "within 300 ms; 1 line on its stdout was no message, the last: "},
		{"call-batch-new", CALL, ASSAY_ETIMEOUT, false,
		 "was no message, the last: JSON that is neither a request"},
		{"call-dies", CALL, ASSAY_EUNREACH, true,
		 "tools/call of a: it was killed by SIGKILL (stderr: bad-server: segmentation fault, they say)"},
		{"call-closes", CALL, ASSAY_EUNREACH, true, "tools/call of a: it closed its stdout"},
	};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		check_failure(&failures[i], NULL);
	}
}
END_TEST

START_TEST(test_floods)
{
	static const failure failures[] = {
		{"call-huge", CALL, ASSAY_ELIMIT, true, "a line of more than 16777216 bytes"},
		{"call-deep", CALL, ASSAY_ELIMIT, true, "a message beyond our limits: "},
		{"call-flood", CALL, ASSAY_ETIMEOUT, false, "tools/call of a was not answered within 300 ms"},
		{"call-blank", CALL, ASSAY_ETIMEOUT, false, "tools/call of a was not answered within 300 ms"},
		{"call-drip", CALL, ASSAY_ETIMEOUT, false, "tools/call of a was not answered within 300 ms"},
		{"call-noise", CALL, ASSAY_EPROTO, true, "1001 lines on its stdout are no message; the last: "},
	};
	const failure small = {"call-long", CALL, ASSAY_ELIMIT, true, "; the limit is 1000000"};
	const as_mcp_limits limits = {.max_message = 1000000};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		check_failure(&failures[i], NULL);
	}
	check_failure(&small, &limits);
}
END_TEST

/* Requests without end from a server that reads no answers: the session ends one way or the other, in time. */
START_TEST(test_request_flood)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;
	int64_t begin;
	int rc;

	peer_start_well(&p, "bad-server", "call-pings", NULL);
	begin = as_now_ms();
	rc = peer_call(&p, "a", NULL, SHORT, &result, &rpc_error);
	ck_assert_msg(rc == ASSAY_ETIMEOUT || rc == ASSAY_ELIMIT, "%s", p.err.message);
	ck_assert_str_eq(p.err.where, "srv");
	ck_assert_int_lt(as_now_ms() - begin, SHORT + SLACK);
	peer_end(&p);
}
END_TEST

/* A server that stops reading cannot make us wait in a write either. */
START_TEST(test_server_does_not_read)
{
	peer p;
	assay_json *result = NULL;
	const as_mcp_limits limits = {.list_ms = SHORT};
	as_buf args = {0};
	bool rpc_error;

	peer_start_well(&p, "bad-server", "list-deaf", &limits);
	ck_assert_int_eq(as_mcp_list_tools(p.session, &p.call.pub, &result, &p.err), ASSAY_ETIMEOUT);
	ck_assert(!as_mcp_is_dead(p.session));
	as_buf_puts(&args, "{\"x\":\"");
	for (int i = 0; i < 100000; i++) {
		as_buf_puts(&args, "0123456789");
	}
	as_buf_puts(&args, "\"}");
	ck_assert_int_eq(peer_call(&p, "a", args.ptr, SHORT, &result, &rpc_error), ASSAY_ETIMEOUT);
	ck_assert_str_eq(p.err.message, "it did not take tools/call of a in time");
	ck_assert(as_mcp_is_dead(p.session));
	as_buf_free(&args);
	peer_end(&p);
}
END_TEST

START_TEST(test_no_such_command)
{
	const assay_transport_ops *ops = peer_ops();
	assay_json *options = peer_launch("no-such-server", "");
	as_mcp_session *session = NULL;
	assay_error err = {0};
	void *transport = NULL;
	as_call call;

	fake_call(&call, AS_FOREVER);
	ck_assert_int_eq(ops->open(fake_host(), options, &transport, NULL), 0);
	ck_assert_int_eq(as_mcp_open("notes", ops, transport, NULL, &call.pub, &session, &err), ASSAY_EUNREACH);
	ck_assert_ptr_null(session);
	ck_assert_str_eq(err.where, "notes");
	ck_assert_ptr_nonnull(strstr(err.message, "tests/mcp/no-such-server"));
	ops->close(transport);
	ck_assert_int_eq(fake_live_blocks(), 0);
	as_json_free(options);
}
END_TEST

START_TEST(test_server_dies_by_itself)
{
	peer p;
	assay_json *result = NULL;
	bool rpc_error;

	peer_start_well(&p, "fixture-server", "", NULL);
	ck_assert_int_eq(peer_call(&p, "die", NULL, AMPLE, &result, &rpc_error), ASSAY_EUNREACH);
	ck_assert_ptr_nonnull(strstr(p.err.message, "(stderr: fixture: told to "));
	ck_assert(as_mcp_is_dead(p.session));
	peer_end(&p);
}
END_TEST

/* --- surface ----------------------------------------------------------------------------------------------------- */

static void check_hash(const char *tools, const char *expected)
{
	assay_json *v = NULL;
	char hash[17];

	ck_assert_int_eq(as_json_parse(as_str(tools), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_int_eq(as_tool_surface_hash(v, hash, NULL), 0);
	ck_assert_str_eq(hash, expected);
	as_json_free(v);
}

START_TEST(test_surface_hash)
{
	assay_json *v = NULL;
	assay_error err = {0};
	char hash[17];

	check_hash("[]", "e3b0c44298fc1c14");
	check_hash("[{\"name\":\"b\"},{\"name\":\"a\"}]", "7e18f737311b2dc3");
	check_hash("[{\"name\":\"a\\nb\"}]", "7e18f737311b2dc3");
	check_hash("[{\"name\":\"Z\"},{\"name\":\"a\"},{\"name\":\"_x\"},{\"name\":\"1\"}]", "7deecd6eac754170");
	check_hash("[{\"name\":\"\\u00e9\"},{\"name\":\"z\"},{\"name\":\"a\"}]", "581269566147b659");
	check_hash("[{\"name\":\"search\"},{\"name\":\"search\"}]", "d796c9eac5c3b241");
	ck_assert_int_eq(as_json_parse(ASSAY_STR("[{\"name\":\"a\"},{\"title\":\"b\"}]"), ASSAY_JSON_STRICT, &v, NULL),
			 0);
	ck_assert_int_eq(as_tool_surface_hash(v, hash, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.pointer, "/1/name");
	as_json_free(v);
}
END_TEST

UNIT_SUITE(make_suite, "mcp session", test_whole_session, test_arguments_may_be_missing, test_big_messages,
	   test_rpc_error_is_a_result, test_oddities, test_second_answer_is_ignored,
	   test_timeout_cancels_and_late_answer_is_ignored, test_progress_extends, test_progress_has_an_end,
	   test_progress_of_others_does_not_count, test_deadline_of_the_caller, test_cancellation,
	   test_failures_at_the_start, test_failures_of_lists, test_failures_of_calls, test_floods, test_request_flood,
	   test_server_does_not_read, test_no_such_command, test_server_dies_by_itself, test_surface_hash)

UNIT_MAIN(make_suite)
