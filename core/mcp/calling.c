/* tools/call, with the rounds of input that a stateless server may ask for. */
#include "core/base/error.h"
#include "core/mcp/policy.h"
#include "core/mcp/session_private.h"

#define MAX_ROUNDS 10   /* of input for one call */
#define FIRST_PAUSE 100 /* ms before a call is repeated that only has to wait; doubles each time */

static assay_json *call_params(assay_str tool, const assay_json *arguments)
{
	const assay_member members[] = {assay_with_text("name", tool),
					arguments ? assay_with_copy("arguments", arguments)
						  : assay_with_value("arguments", as_json_object())};

	return as_json_record(members, sizeof members / sizeof *members);
}

/* {"content":[{"type":"text","text":MESSAGE}],"isError":true} */
static int result_of_error(const assay_json *error, assay_json **out, assay_error *err)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *block = as_json_object();
	as_buf text = {0};
	int rc = as_session_error_text(error, &text, err);

	rc = as_json_set(block, "type", as_json_cstring("text")) || rc;
	rc = as_json_set(block, "text", as_json_string(as_buf_str(&text))) || rc;
	rc = as_json_append(content, block) || rc;
	rc = as_json_set(result, "content", content) || rc;
	rc = as_json_set(result, "isError", as_json_truth(1)) || rc;
	as_buf_free(&text);
	if (rc) {
		as_json_free(result);
		return as_fail_memory(err);
	}
	*out = result;
	return 0;
}

typedef enum result_kind { RESULT_COMPLETE, RESULT_WANTS_INPUT, RESULT_TASK, RESULT_UNKNOWN } result_kind;

/* Servers of older revisions know no resultType; what they send is complete. */
static result_kind kind_of(const as_mcp_session *s, const assay_json *result)
{
	const assay_json *type = as_json_get(result, "resultType");

	if (as_session_is_task(s, result)) {
		return RESULT_TASK;
	}
	if (!s->wire.stateless || !type || as_str_is(as_json_str(type), "complete")) {
		return RESULT_COMPLETE;
	}
	return as_str_is(as_json_str(type), "input_required") ? RESULT_WANTS_INPUT : RESULT_UNKNOWN;
}

int as_session_pause(as_mcp_session *s, const assay_call *call, int64_t ms, int64_t deadline, assay_error *err)
{
	const as_call *c = (const as_call *)(const void *)call;
	int64_t until = as_deadline(ms);
	int rc;

	until = until < deadline ? until : deadline;
	rc = as_wait_fd(-1, 0, until < c->deadline_ms ? until : c->deadline_ms, c->cancel, NULL);
	return rc == ASSAY_ECANCELED ? as_wire_fail(&s->wire, err, rc, "tools/call was cancelled") : 0;
}

/* Make the params of the next round out of those of the first and what this one asks for: inputResponses, and the
 * requestState as it came, or none. */
static int answer_input(as_mcp_session *s, const assay_call *call, int round, int64_t deadline,
			const as_wire_answer *answer, assay_json *params, assay_error *err)
{
	const assay_json *result = answer->result;
	const assay_json *requests = as_json_get(result, "inputRequests"), *state = as_json_get(result, "requestState");
	assay_json *responses = NULL;
	assay_error why = {0};
	int rc;

	as_json_free(as_json_detach(params, "inputResponses"));
	as_json_free(as_json_detach(params, "requestState"));
	if ((!requests && !state) || (requests && as_json_type(requests) != ASSAY_JSON_OBJECT) ||
	    (state && as_json_type(state) != ASSAY_JSON_STRING)) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO,
				    "its result wants input but has no fitting inputRequests or requestState");
	}
	if (as_json_count(requests) > 0) {
		rc = as_policy_respond(s->options.elicitation, requests, NULL, &s->wire.asked, answer->bytes,
				       &responses, &why);
		if (rc) {
			return as_wire_fail(&s->wire, err, rc, "its result wants input: %s", why.message);
		}
		if (s->wire.log) {
			as_log_put(s->wire.log, s->server_id, ASSAY_LOG_INFO, "round %d: %zu inputs answered",
				   round + 1, as_json_count(responses));
		}
		rc = as_json_set(params, "inputResponses", responses);
	} else {
		/* A polite "later": wait a little, longer each time. */
		rc = as_session_pause(s, call, (int64_t)FIRST_PAUSE << round, deadline, err);
		if (rc) {
			return rc;
		}
	}
	if (!rc && state) {
		rc = as_json_set(params, "requestState", as_json_clone(state));
	}
	return rc ? as_fail_memory(err) : 0;
}

/* One request of the call with its headers. The server may know better which headers it wants: then its tools are
 * listed again, once. */
static int ask_once(as_mcp_session *s, assay_call *call, as_wire_request *request, as_wire_answer *answer,
		    assay_error *err)
{
	int rc = as_session_ask(s, call, request, answer, err);

	if (!rc && s->wire.stateless && as_session_is_error(answer, AS_RPC_HEADER_MISMATCH)) {
		assay_json *tools = NULL;
		as_wire_answer again = {0};

		rc = as_session_list(s, call, &tools, err);
		as_json_free(tools);
		rc = rc ? rc : as_session_ask(s, call, request, &again, err);
		as_json_free(answer->message);
		*answer = again;
	}
	return rc;
}

/* What the revision adds to every result says nothing about this one, and is not for those who only want a tool called.
 */
static void strip_envelope(assay_json *result)
{
	assay_json *meta = as_json_edit(as_json_get(result, "_meta"));

	as_json_free(as_json_detach(result, "resultType"));
	if (as_json_get(meta, AS_MCP_META_SERVER)) {
		as_json_free(as_json_detach(meta, AS_MCP_META_SERVER));
		if (as_json_count(meta) == 0) {
			as_json_free(as_json_detach(result, "_meta"));
		}
	}
}

static int take_result(const as_mcp_session *s, as_wire_answer *answer, assay_json **result, bool *rpc_error,
		       assay_error *err)
{
	if (answer->error) {
		*rpc_error = true;
		return result_of_error(answer->error, result, err);
	}
	if (kind_of(s, answer->result) == RESULT_UNKNOWN) {
		assay_str type = as_json_str(as_json_get(answer->result, "resultType"));

		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "its result is of the unknown type \"%.*s\"",
				    (int)(type.len < 64 ? type.len : 64), type.len ? type.ptr : "");
	}
	*result = as_json_narrow(answer->message, "result");
	*answer = (as_wire_answer){0};
	if (!*result) {
		return as_fail_memory(err);
	}
	if (s->wire.stateless) {
		strip_envelope(*result);
	}
	return 0;
}

/* Ask, in as many rounds of input as the server wants. */
static int ask_in_rounds(as_mcp_session *s, assay_call *call, as_wire_request *request, int64_t deadline,
			 as_wire_answer *answer, assay_error *err)
{
	for (int round = 0;; round++) {
		int rc = ask_once(s, call, request, answer, err);

		if (rc || answer->error || kind_of(s, answer->result) != RESULT_WANTS_INPUT) {
			return rc;
		}
		if (round >= MAX_ROUNDS) {
			return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "it still wants input after %d rounds",
					    MAX_ROUNDS);
		}
		rc = answer_input(s, call, round, deadline, answer, request->params, err);
		as_json_free(answer->message);
		*answer = (as_wire_answer){0};
		request->limit_ms = request->limit_ms ? request->limit_ms : request->timeout_ms;
		request->timeout_ms = as_remaining(deadline);
		if (rc) {
			return rc;
		}
	}
}

int as_mcp_call_tool(as_mcp_session *s, assay_call *call, assay_str tool, const assay_json *arguments,
		     int64_t timeout_ms, assay_json **result, bool *rpc_error, assay_error *err)
{
	int64_t limit = timeout_ms > 0 ? timeout_ms : s->limits.call_ms, deadline;
	as_wire_request request = {.method = "tools/call",
				   .subject = tool,
				   .params = call_params(tool, arguments),
				   .timeout_ms = limit,
				   .progress = true};
	as_wire_answer answer = {0};
	int rc;

	*result = NULL;
	*rpc_error = false;
	as_json_free(as_mcp_take_asked(s));
	rc = as_session_know_tools(s, call, err);
	if (!rc && as_json_get_n(s->tasks, tool) && as_json_set(request.params, "task", as_json_object())) {
		rc = as_fail_memory(err);
	}
	deadline = as_deadline(limit);
	s->wire.noting = true;
	if (!rc) {
		rc = ask_in_rounds(s, call, &request, deadline, &answer, err);
	}
	if (!rc && kind_of(s, answer.result) == RESULT_TASK) {
		rc = as_session_finish_task(s, call, &request, deadline, &answer, err);
	}
	if (!rc) {
		rc = take_result(s, &answer, result, rpc_error, err);
	}
	s->wire.noting = false;
	as_json_free(answer.message);
	as_json_free(request.params);
	return rc;
}
