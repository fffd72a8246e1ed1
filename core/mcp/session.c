#include "core/mcp/session.h"
#include "core/base/error.h"
#include "core/mcp/mirror.h"
#include "core/mcp/session_private.h"

#include <stdlib.h>

static as_mcp_limits fill_limits(const as_mcp_limits *given)
{
	as_mcp_limits l = given ? *given : (as_mcp_limits){0};

	l.start_ms = l.start_ms > 0 ? l.start_ms : 30000;
	l.list_ms = l.list_ms > 0 ? l.list_ms : 30000;
	l.call_ms = l.call_ms > 0 ? l.call_ms : 60000;
	l.max_message = l.max_message > 0 ? l.max_message : AS_MCP_MAX_MESSAGE;
	l.max_tools = l.max_tools > 0 ? l.max_tools : 4096;
	l.max_noise = l.max_noise > 0 ? l.max_noise : 1000;
	return l;
}

int as_session_error_text(const assay_json *error, as_buf *out, assay_error *err)
{
	assay_str message = as_json_str(as_json_get(error, "message"));

	if (message.len > 0) {
		as_buf_add(out, message);
	} else {
		as_json_write(out, error, ASSAY_JSON_COMPACT);
	}
	return as_buf_check(out, err);
}

int as_session_refused(const as_mcp_session *s, const char *method, const assay_json *error, assay_error *err)
{
	as_buf text = {0};
	int rc = as_session_error_text(error, &text, err);

	if (!rc) {
		rc = as_wire_fail(&s->wire, err, ASSAY_EPROTO, "it answered %s with error %lld: %.*s", method,
				  (long long)as_json_i64(as_json_get(error, "code"), 0),
				  (int)(text.len < 300 ? text.len : 300), text.ptr ? text.ptr : "");
	}
	as_buf_free(&text);
	return rc;
}

int as_mcp_open_with(const char *server_id, const assay_transport_ops *ops, void *transport,
		     const as_mcp_limits *limits, const as_mcp_options *options, assay_call *call, as_mcp_session **out,
		     assay_error *err)
{
	as_mcp_session *s = as_new(1, sizeof *s);
	int64_t deadline;
	int rc;

	*out = NULL;
	if (!s) {
		return as_fail_memory(err);
	}
	s->limits = fill_limits(limits);
	s->options = options ? *options : (as_mcp_options){0};
	s->server_id = as_strdup(server_id);
	s->wire = (as_wire){.server_id = s->server_id,
			    .ops = ops,
			    .transport = transport,
			    .elicitation = s->options.elicitation,
			    .redactor = s->options.redactor,
			    .use = s->options.use ? s->options.use : "transport",
			    .max_message = s->limits.max_message,
			    .max_noise = s->limits.max_noise};
	deadline = as_deadline(s->limits.start_ms);
	rc = s->server_id ? as_wire_connect(&s->wire, call, s->limits.start_ms, err) : as_fail_memory(err);
	if (!rc) {
		rc = as_session_begin(s, call, deadline, err);
	}
	if (rc) {
		as_mcp_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

int as_mcp_open(const char *server_id, const assay_transport_ops *ops, void *transport, const as_mcp_limits *limits,
		assay_call *call, as_mcp_session **out, assay_error *err)
{
	return as_mcp_open_with(server_id, ops, transport, limits, NULL, call, out, err);
}

void as_mcp_close(as_mcp_session *s)
{
	if (s) {
		as_wire_free(&s->wire);
		as_json_free(s->info);
		as_json_free(s->tools);
		as_json_free(s->mirrors);
		as_json_free(s->tasks);
		free(s->server_id);
		free(s);
	}
}

const assay_json *as_mcp_info(const as_mcp_session *s)
{
	return s->info;
}

bool as_mcp_is_older(const as_mcp_session *s)
{
	return s->wire.older;
}

bool as_mcp_is_dead(const as_mcp_session *s)
{
	return s->wire.dead;
}

uint32_t as_mcp_noise(const as_mcp_session *s)
{
	return s->wire.noise;
}

bool as_mcp_tools_changed(const as_mcp_session *s)
{
	return s->wire.tools_changed;
}

assay_json *as_mcp_take_asked(as_mcp_session *s)
{
	assay_json *asked = s->wire.asked;

	s->wire.asked = NULL;
	return asked;
}

int as_mcp_ping(as_mcp_session *s, assay_call *call, int64_t timeout_ms, assay_error *err)
{
	as_wire_request request = {.method = s->wire.stateless ? "server/discover" : "ping",
				   .params = as_json_object(),
				   .timeout_ms = timeout_ms > 0 ? timeout_ms : s->limits.list_ms};
	as_wire_answer answer;
	int rc = as_session_ask(s, call, &request, &answer, err);

	/* An error is a sign of life too. */
	as_json_free(answer.message);
	as_json_free(request.params);
	return rc;
}

int as_mcp_request(as_mcp_session *s, assay_call *call, const char *method, const assay_json *params, assay_json **out,
		   assay_error *err)
{
	as_wire_request request = {.method = method,
				   .params = params ? as_json_clone(params) : as_json_object(),
				   .timeout_ms = s->limits.list_ms};
	as_wire_answer answer;
	int rc = as_session_ask(s, call, &request, &answer, err);

	*out = NULL;
	if (!rc && answer.error) {
		rc = as_session_refused(s, method, answer.error, err);
	} else if (!rc) {
		*out = as_json_narrow(answer.message, "result");
		answer.message = NULL;
		rc = *out ? 0 : as_fail_memory(err);
	}
	as_json_free(answer.message);
	as_json_free(request.params);
	return rc;
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

bool as_session_is_error(const as_wire_answer *answer, int code)
{
	return answer->error && as_json_i64(as_json_get(answer->error, "code"), 0) == code;
}

/* The server says that it speaks our revision after all. */
static bool may_ask_again(const as_wire_answer *answer)
{
	const assay_json *supported = as_json_get(as_json_get(answer->error, "data"), "supported");

	for (const assay_json *v = as_json_first(supported); v; v = as_json_next(v)) {
		if (as_str_is(as_json_str(v), as_mcp_revision_stateless()->name)) {
			return true;
		}
	}
	return false;
}

static int ask_stateless(as_mcp_session *s, assay_call *call, as_wire_request *request, as_wire_answer *answer,
			 assay_error *err)
{
	int rc = 0;

	for (int round = 0;; round++) {
		const assay_json *map = as_str_is(as_str(request->method), "tools/call")
						? as_json_get_n(s->mirrors, request->subject)
						: NULL;
		as_arena arena = {0};

		rc = as_mirror_headers(&arena, request->method, request->params, map, &request->headers, err);
		if (!rc) {
			rc = as_wire_ask(&s->wire, call, request, answer, err);
		}
		request->headers = NULL;
		as_arena_free(&arena);
		if (rc || round > 0 || !as_session_is_error(answer, AS_RPC_NO_VERSION) || !may_ask_again(answer)) {
			return rc;
		}
		as_json_free(answer->message);
	}
}

int as_session_ask(as_mcp_session *s, assay_call *call, as_wire_request *request, as_wire_answer *answer,
		   assay_error *err)
{
	assay_error why = {0};
	int rc;

	*answer = (as_wire_answer){0};
	if (s->wire.stateless) {
		return ask_stateless(s, call, request, answer, err);
	}
	rc = as_wire_ask(&s->wire, call, request, answer, &why);
	if (!s->wire.dead && s->wire.session_lost && ASSAY_HAS(s->wire.ops, restart) && s->wire.ops->restart) {
		as_json_free(answer->message);
		*answer = (as_wire_answer){0};
		as_error_clear(&why);
		/* What was asked was not done, so it may be asked again, whatever it is. */
		as_wire_restart(&s->wire);
		s->wire.tools_changed = true;
		rc = as_session_shake_hands(s, call, as_deadline(s->limits.start_ms), &why);
		rc = rc ? rc : as_wire_ask(&s->wire, call, request, answer, &why);
		if (!rc && s->wire.session_lost) {
			rc = as_wire_fail(&s->wire, &why, ASSAY_EUNREACH,
					  "it has forgotten the session, and a new one as soon as %s was asked",
					  request->method);
			as_json_free(answer->message);
			*answer = (as_wire_answer){0};
		}
	}
	if (rc && err && err->code == 0) {
		*err = why;
	}
	return rc;
}
