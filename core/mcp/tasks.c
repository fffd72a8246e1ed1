/* Calls that a server makes tasks of: asked after until they are over. Source: mcp-protocol reference, section 13. Two
 * forms: that of 2025-11-25, where the client asks for a task and fetches the result by a request of its own, and the
 * extension of the stateless revisions, where the server decides and the state holds the result. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/policy.h"
#include "core/mcp/session_private.h"

#define USUAL_MS 1000 /* between two questions, when the server says nothing of it */
#define LEAST_MS 5
#define MOST_MS 10000
#define FAREWELL_MS 500
#define MAX_ID 4096u
#define MAX_UPDATES 10 /* rounds of input for one task */

typedef struct task {
	as_mcp_session *s;
	assay_call *call;
	assay_str tool;
	int64_t deadline, limit_ms;
	assay_json *params;   /* {"taskId"} */
	assay_json *answered; /* keys of the input requests that were; stateless */
	int updates;
} task;

static bool is_modern(const task *t)
{
	return t->s->wire.stateless;
}

static const assay_json *handle_of(const as_mcp_session *s, const assay_json *result)
{
	return s->wire.stateless ? result : as_json_get(result, "task");
}

bool as_session_is_task(const as_mcp_session *s, const assay_json *result)
{
	if (s->wire.stateless) {
		return as_str_is(as_json_str(as_json_get(result, "resultType")), "task");
	}
	return s->has_tasks && as_json_type(as_json_get(result, "task")) == ASSAY_JSON_OBJECT &&
	       !as_json_get(result, "content");
}

static int ask(const task *t, const char *method, assay_json *params, as_wire_answer *answer, assay_error *err)
{
	as_wire_request request = {.method = method,
				   .subject = t->tool,
				   .params = params,
				   .timeout_ms = as_remaining(t->deadline),
				   .limit_ms = t->limit_ms};

	return as_session_ask(t->s, t->call, &request, answer, err);
}

/* What a finished task holds takes the place of the answer: member `key` of `holder`, which is taken over. */
static int settle(const task *t, assay_json *holder, const char *key, as_wire_answer *answer, assay_error *err)
{
	bool is_object = as_json_type(as_json_get(holder, key)) == ASSAY_JSON_OBJECT;
	assay_json *inner = as_json_narrow(holder, key), *message;

	if (!is_object) {
		as_json_free(inner);
		return as_wire_fail(&t->s->wire, err, ASSAY_EPROTO, "its task is over but has no %s", key);
	}
	message = as_json_object();
	if (as_json_set(message, key, inner)) {
		as_json_free(message);
		return as_fail_memory(err);
	}
	as_json_free(answer->message);
	answer->message = message;
	answer->result = as_json_get(message, "result");
	answer->error = as_json_get(message, "error");
	return 0;
}

/* Nobody will ask after it any more. */
static void cancel(const task *t)
{
	as_call farewell = *(const as_call *)(const void *)t->call;
	as_wire_request request = {.method = "tasks/cancel", .params = t->params, .timeout_ms = FAREWELL_MS};
	as_wire_answer answer;

	farewell.deadline_ms = as_deadline(FAREWELL_MS);
	farewell.cancel = NULL;
	if (!t->s->wire.dead && as_session_ask(t->s, &farewell.pub, &request, &answer, NULL) == 0) {
		as_json_free(answer.message);
	}
}

/* The extension's questions come with the state and are answered by a request. */
static int update(task *t, const as_wire_answer *state, assay_error *err)
{
	const assay_json *requests = as_json_get(state->result, "inputRequests");
	assay_json *responses = NULL, *params = as_json_clone(t->params);
	as_wire_answer answer = {0};
	assay_error why = {0};
	int rc = as_policy_respond(t->s->options.elicitation, requests, t->answered, &t->s->wire.asked, state->bytes,
				   &responses, &why);

	if (rc) {
		rc = as_wire_fail(&t->s->wire, err, rc, "its task wants input: %s", why.message);
		goto out;
	}
	if (as_json_count(responses) == 0) {
		goto out;
	}
	if (++t->updates > MAX_UPDATES) {
		rc = as_wire_fail(&t->s->wire, err, ASSAY_ELIMIT, "its task still wants input after %d rounds",
				  MAX_UPDATES);
		goto out;
	}
	for (const assay_json *r = as_json_first(responses); r && !rc; r = as_json_next(r)) {
		rc = as_json_set_n(t->answered, as_json_key(r), as_json_truth(1));
	}
	rc = as_json_set(params, "inputResponses", responses) || rc;
	responses = NULL;
	rc = rc ? as_fail_memory(err) : ask(t, "tasks/update", params, &answer, err);
	if (!rc && answer.error) {
		rc = as_session_refused(t->s, "tasks/update", answer.error, err);
	}
out:
	as_json_free(answer.message);
	as_json_free(responses);
	as_json_free(params);
	return rc;
}

/* Look at the state. *over: what was asked for is in *answer now. */
static int look(task *t, as_wire_answer *state, bool *over, as_wire_answer *answer, assay_error *err)
{
	assay_str status = as_json_str(as_json_get(state->result, "status"));

	*over = as_str_is(status, "completed") || as_str_is(status, "failed") || as_str_is(status, "cancelled");
	if (as_str_is(status, "cancelled") && is_modern(t)) {
		return as_wire_fail(&t->s->wire, err, ASSAY_EPROTO, "it has cancelled the task of the call");
	}
	if (as_str_is(status, "input_required")) {
		if (is_modern(t)) {
			return update(t, state, err);
		}
		*over = true; /* its questions come while the result is waited for */
	}
	if (*over && is_modern(t)) {
		return settle(t, as_json_detach(state->message, "result"),
			      as_str_is(status, "failed") ? "error" : "result", answer, err);
	}
	if (!*over && !as_str_is(status, "working")) {
		return as_wire_fail(&t->s->wire, err, ASSAY_EPROTO, "its task is in the unknown state \"%.*s\"",
				    (int)as_utf8_prefix(status, 64), status.len ? status.ptr : "");
	}
	return 0;
}

static int64_t interval_of(const as_mcp_session *s, const assay_json *state)
{
	int64_t ms = as_json_i64(as_json_get(state, s->wire.stateless ? "pollIntervalMs" : "pollInterval"), USUAL_MS);

	return ms < LEAST_MS ? LEAST_MS : ms > MOST_MS ? MOST_MS : ms;
}

static int follow(task *t, int64_t wait_ms, as_wire_answer *answer, assay_error *err)
{
	bool over = false;
	int rc = 0;

	while (!rc && !over) {
		as_wire_answer state = {0};

		rc = as_session_pause(t->s, t->call, wait_ms, t->deadline, err);
		if (!rc && as_remaining(t->deadline) == 0) {
			rc = as_wire_fail(&t->s->wire, err, ASSAY_ETIMEOUT,
					  "tools/call of %.*s: its task was not over within %lld ms",
					  (int)as_utf8_prefix(t->tool, 64), t->tool.ptr, (long long)t->limit_ms);
		}
		rc = rc ? rc : ask(t, "tasks/get", t->params, &state, err);
		if (!rc && state.error) {
			rc = as_session_refused(t->s, "tasks/get", state.error, err);
		}
		if (!rc) {
			wait_ms = interval_of(t->s, state.result);
			rc = look(t, &state, &over, answer, err);
		}
		as_json_free(state.message);
	}
	if (!rc && !is_modern(t)) {
		as_json_free(answer->message);
		*answer = (as_wire_answer){0};
		rc = ask(t, "tasks/result", t->params, answer, err);
	}
	return rc;
}

int as_session_finish_task(as_mcp_session *s, assay_call *call, const as_wire_request *request, int64_t deadline,
			   as_wire_answer *answer, assay_error *err)
{
	const assay_json *handle = handle_of(s, answer->result), *id = as_json_get(handle, "taskId");
	task t = {.s = s,
		  .call = call,
		  .tool = request->subject,
		  .deadline = deadline,
		  .limit_ms = request->limit_ms ? request->limit_ms : request->timeout_ms};
	int rc;

	if (as_json_str(id).len == 0 || as_json_str(id).len > MAX_ID) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "it made a task of the call, but its taskId is none");
	}
	t.params = as_json_object();
	t.answered = as_json_object();
	rc = !t.answered || as_json_set(t.params, "taskId", as_json_clone(id)) ? as_fail_memory(err) : 0;
	if (!rc) {
		rc = follow(&t, interval_of(s, handle), answer, err);
	}
	if (rc == ASSAY_ETIMEOUT || rc == ASSAY_ECANCELED) {
		cancel(&t);
	}
	as_json_free(t.params);
	as_json_free(t.answered);
	return rc;
}
