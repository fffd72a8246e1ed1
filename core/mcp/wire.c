#include "core/mcp/wire.h"
#include "config.h"
#include "core/base/called.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/inbox.h"
#include "core/mcp/policy.h"

#include <stdio.h>
#include <string.h>

#define PROGRESS_FACTOR 10
#define FAREWELL_MS 500    /* to tell the server of a cancellation, when the call itself has no time left */
#define REQUEST_BYTES 512u /* most requests are no longer */
#define REQUEST_NAME 160u

/* --- errors ------------------------------------------------------------------------------------------------------ */

static int fail_v(const as_wire *w, assay_error *err, int code, const char *format, va_list args) ASSAY_PRINTF(4, 0);
static int fail_v(const as_wire *w, assay_error *err, int code, const char *format, va_list args)
{
	if (err && err->code == 0) {
		as_failv(err, code, format, args);
		as_error_where(err, w->server_id, 0);
		if (code != ASSAY_ENOMEM && code != ASSAY_ECANCELED && code != ASSAY_EINVAL) {
			err->flags |= ASSAY_ERR_PEER;
		}
		as_redact_error(w->redactor, err);
	}
	return code;
}

int as_wire_fail(const as_wire *w, assay_error *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_v(w, err, code, format, args);
	va_end(args);
	return code;
}

const char *as_wire_source(const as_wire *w)
{
	return ASSAY_HAS(w->ops, send_message) && w->ops->send_message ? "in its replies" : "on its stdout";
}

/* How many lines were no message and what was wrong with the last, when that may explain a silence. */
static void add_noise(const as_wire *w, as_buf *out)
{
	if (w->noise > 0) {
		as_buf_printf(out, "; %u line%s %s %s no message, the last: %s", w->noise, w->noise == 1 ? "" : "s",
			      as_wire_source(w), w->noise == 1 ? "was" : "were", w->odd);
	}
	if (w->stray[0]) {
		as_buf_printf(out, "; an answer with the id %s came instead of one with %lld", w->stray,
			      (long long)w->open_id);
	}
}

static int die(as_wire *w, assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(4, 5);
static int die(as_wire *w, assay_error *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!w->dead) {
		w->dead = true;
		fail_v(w, &w->death, code, format, args);
	}
	va_end(args);
	if (err && err->code == 0) {
		*err = w->death;
	}
	return code;
}

/* "tools/call of add_note", for messages; answers `out`. */
static const char *name_request(const as_wire_request *r, char out[REQUEST_NAME])
{
	as_buf b = {0};

	as_printable(&b, (assay_str){r->subject.ptr, as_utf8_prefix(r->subject, 64)});
	snprintf(out, REQUEST_NAME, "%s%s%s", r->method, b.len ? " of " : "", b.len ? b.ptr : "");
	as_buf_free(&b);
	return out;
}

/* The transport failed: `cause` is its own error. */
static int die_of(as_wire *w, assay_error *err, const char *during, const assay_error *cause, int code)
{
	as_buf said = {0};
	bool unreachable = code == ASSAY_ENOENT || code == ASSAY_EIO || code == ASSAY_EUNREACH;
	const char *message = cause->message[0] ? cause->message : as_error_name(code);
	bool named = cause->where[0] == '\0' || strstr(message, cause->where), first = !w->dead;

	as_wire_said(w, &said);
	die(w, err, unreachable ? ASSAY_EUNREACH : code, "%s: %s%s%s%s", during, named ? "" : cause->where,
	    named ? "" : ": ", message, said.len ? said.ptr : "");
	as_buf_free(&said);
	if (first && cause->hint[0]) {
		as_error_hint(&w->death, "%s", cause->hint);
		as_redact_error(w->redactor, &w->death);
		as_error_hint(err, "%s", w->death.hint);
	}
	return w->death.code;
}

static int is_over(as_wire *w, assay_error *err)
{
	return as_wire_fail(w, err, ASSAY_EUNREACH, "the session is over: %s", w->death.message);
}

/* --- what goes out ----------------------------------------------------------------------------------------------- */

/* The caller's call with a deadline of ours, when that is the earlier one. */
static as_call inner_call(const assay_call *call, int64_t deadline_ms)
{
	as_call inner = *(const as_call *)(const void *)call;

	if (deadline_ms < inner.deadline_ms) {
		inner.deadline_ms = deadline_ms;
	}
	return inner;
}

/* The body of a refusal as "": <its first words>". */
static void add_body(const as_wire *w, as_buf *out, assay_str body)
{
	as_buf clean = {0};

	as_buf_add(&clean, as_trim(body));
	as_redact(w->redactor, &clean); /* before it is cut */
	body = as_buf_str(&clean);
	if (body.len > 0 && body.ptr[0] != '<') { /* pages of HTML explain nothing */
		as_buf_puts(out, ": ");
		as_printable(out, (assay_str){body.ptr, as_utf8_prefix(body, AS_WIRE_SAID)});
	}
	as_buf_free(&clean);
}

static int refusal_code(int status)
{
	if (status == 401 || status == 403) {
		return ASSAY_EAUTH;
	}
	return status == 429 || status >= 500 ? ASSAY_EUNREACH : ASSAY_EPROTO;
}

/* The peer refused a message by HTTP. A JSON-RPC error in the reply is the answer to it, whatever id it has; anything
 * else is a failure of this one request. */
static int take_refusal(as_wire *w, const char *what, const assay_error *cause, assay_error *err)
{
	assay_json *doc = NULL;
	as_rpc_message m;
	as_buf about = {0};
	int32_t status = 0;
	assay_str body = {0};
	int code;

	as_called before = as_called_enter(w->use, "refusal");
	w->ops->refusal(w->transport, &status, &body);
	as_called_leave(before);
	w->refused = status;
	w->session_lost =
		!w->stateless && (status == 404 || (status == 400 && as_str_contains(body, ASSAY_STR("ession"))));
	if (w->open_id && !w->answer && body.len > 0 && !as_rpc_parse(body, w->max_message, &doc, NULL)) {
		m = as_rpc_read(doc);
		if (m.kind == AS_RPC_RESPONSE && m.error) {
			w->answer = doc;
			w->answer_bytes = body.len;
			return as_redact_json(w->redactor, &w->answer, err);
		}
	}
	as_json_free(doc);
	code = refusal_code(status);
	if (w->noise > w->noise_before) {
		as_buf_printf(&about, " (%s)", w->odd);
	}
	add_body(w, &about, body);
	as_wire_fail(w, err, code, "%s %s %s%s", what,
		     status >= 200 && status < 300 ? "was not answered:" : "was refused with", cause->message,
		     about.len ? about.ptr : "");
	as_buf_free(&about);
	if (err) {
		err->detail = status;
		err->flags |= code == ASSAY_EUNREACH ? ASSAY_ERR_RETRYABLE : 0;
		if (cause->hint[0]) {
			as_error_hint(err, "%s", cause->hint);
		}
		if (code == ASSAY_EAUTH) {
			as_error_hint(
				err,
				"give what it asks for (a key, a token) in \"headers\" of its entry under \"mcpServers\"");
		}
	}
	return code;
}

/* Transports may have nothing to say of what is told in other words here: a time that is over. */
static int leave(as_called before, int rc, assay_error *cause)
{
	rc = rc == ASSAY_ETIMEOUT || rc == ASSAY_ECANCELED ? rc : as_called_status(rc, cause);
	as_called_leave(before);
	return rc;
}

static int transmit(as_wire *w, as_call *call, uint32_t kind, assay_str line, const char *const *headers,
		    assay_error *cause)
{
	const assay_message message = {
		.size = sizeof message, .kind = kind, .text = line, .revision = w->revision, .headers = headers};
	bool whole = ASSAY_HAS(w->ops, send_message) && w->ops->send_message;
	as_called before = as_called_enter(w->use, whole ? "send_message" : "send");

	return leave(before,
		     whole ? w->ops->send_message(w->transport, &call->pub, &message, cause)
			   : w->ops->send(w->transport, &call->pub, line, cause),
		     cause);
}

/* A send that fails may have left half a line behind, so it ends the session, whatever the reason; unless the peer
 * refused the message, which concerns a request alone. */
static int take_send_failure(as_wire *w, uint32_t kind, const char *what, const assay_error *cause, int rc,
			     assay_error *err)
{
	char during[192];

	if (rc == ASSAY_EDATA && ASSAY_HAS(w->ops, refusal) && w->ops->refusal) {
		return kind == ASSAY_MESSAGE_REQUEST ? take_refusal(w, what, cause, err) : 0;
	}
	if (rc == ASSAY_ETIMEOUT) {
		return die(w, err, rc, "it did not take %s in time", what);
	}
	/* Whether a peer that is gone is found out by asking or by waiting for the answer is chance. */
	snprintf(during, sizeof during, "%s%s", rc == ASSAY_EUNREACH ? "" : "sending ", what);
	return die_of(w, err, during, cause, rc);
}

static int send_line(as_wire *w, as_call *call, uint32_t kind, assay_str line, const char *what,
		     const char *const *headers, assay_error *err)
{
	assay_error cause = {0};
	int rc = transmit(w, call, kind, line, headers, &cause);

	return rc ? take_send_failure(w, kind, what, &cause, rc, err) : 0;
}

static int pay_owed(as_wire *w, as_call *call, assay_error *err)
{
	size_t at = 0;
	int rc = 0;

	while (at < w->owed.len && !rc) {
		size_t n = strcspn(w->owed.ptr + at, "\n");

		rc = send_line(w, call, ASSAY_MESSAGE_RESPONSE, (assay_str){w->owed.ptr + at, n},
			       "the answer to its request", NULL, err);
		at += n + 1;
	}
	as_buf_clear(&w->owed);
	return rc;
}

static int tell(as_wire *w, as_call *call, const char *method, const assay_json *params, assay_error *err)
{
	char header[96];
	const char *const headers[] = {header, NULL};
	as_buf line = {0};
	int rc;

	as_rpc_write_notification(&line, method, params);
	rc = as_buf_check(&line, err);
	if (!rc) {
		snprintf(header, sizeof header, "Mcp-Method: %s", method);
		rc = send_line(w, call, ASSAY_MESSAGE_NOTIFICATION, as_buf_str(&line), method,
			       w->stateless ? headers : NULL, err);
	}
	as_buf_free(&line);
	return rc;
}

/* Give the open request up, and say so with a little time of its own: the call has none left. Where a request has a
 * stream, its end says so; in stateless revisions nothing else does. */
static void cancel_open(as_wire *w, const assay_call *call, const char *reason, bool silently)
{
	as_call farewell = *(const as_call *)(const void *)call;
	bool has_stream = ASSAY_HAS(w->ops, abandon) && w->ops->abandon;
	assay_json *params;
	int rc;

	if (has_stream) {
		as_called before = as_called_enter(w->use, "abandon");
		w->ops->abandon(w->transport);
		as_called_leave(before);
	}
	if (silently || (has_stream && w->stateless)) {
		return;
	}
	params = as_json_object();
	rc = as_json_set(params, "requestId", as_json_integer(w->open_id));

	farewell.deadline_ms = as_deadline(FAREWELL_MS);
	farewell.cancel = NULL;
	rc = as_json_set(params, "reason", as_json_cstring(reason)) || rc;
	if (!rc) {
		tell(w, &farewell, "notifications/cancelled", params, NULL);
	}
	as_json_free(params);
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

static int give_up(as_wire *w, const assay_call *call, const as_wire_request *r, int rc, assay_error *err)
{
	as_buf about = {0};
	char room[REQUEST_NAME];
	const char *name = name_request(r, room);

	if (rc == ASSAY_ECANCELED) {
		as_wire_fail(w, err, rc, "%s was cancelled", name);
	} else if (as_remaining(((const as_call *)(const void *)call)->deadline_ms) == 0) {
		int64_t had = ((const as_call *)(const void *)call)->deadline_ms - w->started_ms;

		as_wire_fail(w, err, rc, "the time of the caller, %lld ms, was up before %s was answered",
			     (long long)(had > 0 ? had : 0), name);
	} else {
		add_noise(w, &about);
		as_wire_said(w, &about);
		as_wire_fail(w, err, rc, "%s was not answered within %lld ms%s", name,
			     (long long)(r->limit_ms ? r->limit_ms : w->deadline_ms - w->started_ms),
			     about.len ? about.ptr : "");
	}
	cancel_open(w, call, rc == ASSAY_ECANCELED ? "the user stopped" : "timeout", r->not_cancel);
	as_buf_free(&about);
	return rc;
}

static int wait_answer(as_wire *w, assay_call *call, const as_wire_request *r, assay_error *err)
{
	char name[REQUEST_NAME];

	while (!w->answer) {
		as_inbox in = as_inbox_of(w);
		as_call inner = inner_call(call, w->deadline_ms);
		assay_error cause = {0};
		int64_t left = as_remaining(inner.deadline_ms);
		int rc = ASSAY_ETIMEOUT;

		if (left > 0) {
			as_called before = as_called_enter(w->use, "receive");
			rc = w->ops->receive(w->transport, &inner.pub, left, &in.sink, &cause);
			rc = leave(before, rc, &cause);
		}
		if (w->fault.code) {
			return die(w, err, w->fault.code, "%s", w->fault.message);
		}
		if (rc == ASSAY_EDATA && ASSAY_HAS(w->ops, refusal) && w->ops->refusal) {
			rc = take_refusal(w, name_request(r, name), &cause, err);
			if (rc) {
				return rc;
			}
			continue;
		}
		if (rc < 0 && rc != ASSAY_ETIMEOUT && rc != ASSAY_ECANCELED) {
			return die_of(w, err, name_request(r, name), &cause, rc);
		}
		/* What was asked is answered even when our own time is up: progress may just have moved the deadline.
		 */
		inner = inner_call(call, w->deadline_ms);
		if (w->owed.len > 0) {
			int sent = pay_owed(w, &inner, err);

			if (sent && !w->answer) {
				return sent;
			}
		}
		if (!w->answer && (rc == ASSAY_ECANCELED || as_remaining(inner.deadline_ms) == 0)) {
			return give_up(w, call, r, rc == ASSAY_ECANCELED ? rc : ASSAY_ETIMEOUT, err);
		}
	}
	return 0;
}

/* Is `v` there and not null? Some servers send "error": null beside a result. */
static bool is_given(const assay_json *v)
{
	return as_json_type(v) != ASSAY_JSON_NONE && as_json_type(v) != ASSAY_JSON_NULL;
}

static int read_answer(as_wire *w, const as_wire_request *r, as_wire_answer *out, assay_error *err)
{
	const assay_json *result = as_json_get(w->answer, "result"), *error = as_json_get(w->answer, "error");
	char name[REQUEST_NAME];

	*out = (as_wire_answer){.message = w->answer, .bytes = w->answer_bytes, .status = w->refused};
	w->answer = NULL;
	if (as_json_type(result) == ASSAY_JSON_OBJECT && !is_given(error)) {
		out->result = result;
		return 0;
	}
	if (as_json_type(error) == ASSAY_JSON_OBJECT && !is_given(result)) {
		out->error = error;
		return 0;
	}
	as_json_free(out->message);
	*out = (as_wire_answer){0};
	return as_wire_fail(w, err, ASSAY_EPROTO, "the answer to %s is neither a result object nor an error object",
			    name_request(r, name));
}

/* What stateless revisions want to hear with every request. */
static int add_identity(const as_wire *w, assay_json *meta)
{
	assay_json *client = as_json_object();
	int rc = as_json_set(client, "name", as_json_cstring(PACKAGE_NAME));

	rc = as_json_set(client, "version", as_json_cstring(PACKAGE_VERSION)) || rc;
	rc = as_json_set(meta, AS_MCP_META_VERSION, as_json_cstring(w->revision)) || rc;
	rc = as_json_set(meta, AS_MCP_META_CLIENT, client) || rc;
	return as_json_set(meta, AS_MCP_META_CAPABILITIES, as_policy_capabilities(w->elicitation, true)) || rc;
}

static int write_request(as_wire *w, const as_wire_request *r, as_buf *line, assay_error *err)
{
	assay_json *meta;
	int rc = 0;

	if (!r->params) {
		return as_fail_memory(err);
	}
	if (r->progress || w->stateless) {
		meta = as_json_object();
		if (r->progress) {
			rc = as_json_set(meta, "progressToken", as_json_integer(w->open_id));
		}
		if (w->stateless) {
			rc = add_identity(w, meta) || rc;
		}
		if (rc) {
			as_json_free(meta);
			return as_fail_memory(err);
		}
		if (as_json_set(r->params, "_meta", meta)) {
			return as_fail_memory(err);
		}
	}
	as_rpc_write_request(line, w->open_id, r->method, r->params);
	return as_buf_check(line, err);
}

/* A call that may not wait is not begun: sending would fail half-way and take the session with it. */
static int check_ready(as_wire *w, const assay_call *call, const as_wire_request *r, assay_error *err)
{
	const as_call *outer = (const as_call *)(const void *)call;

	if (w->dead) {
		return is_over(w, err);
	}
	if (as_cancel_is_set(outer->cancel)) {
		return as_wire_fail(w, err, ASSAY_ECANCELED, "%s was cancelled", r->method);
	}
	if (as_remaining(outer->deadline_ms) == 0) {
		return as_wire_fail(w, err, ASSAY_ETIMEOUT, "the time of the caller was up before %s was sent",
				    r->method);
	}
	return 0;
}

/* From one and the same moment, so that a message about a limit tells that limit. */
static int64_t later(int64_t moment, int64_t ms)
{
	return ms < AS_FOREVER - moment ? moment + ms : AS_FOREVER;
}

/* As send_line; its name is made only where it is told, which is seldom. */
static int send_request(as_wire *w, const assay_call *call, const as_wire_request *r, assay_str line, assay_error *err)
{
	as_call inner = inner_call(call, w->deadline_ms);
	assay_error cause = {0};
	char name[REQUEST_NAME];
	int rc = transmit(w, &inner, ASSAY_MESSAGE_REQUEST, line, r->headers, &cause);

	return rc ? take_send_failure(w, ASSAY_MESSAGE_REQUEST, name_request(r, name), &cause, rc, err) : 0;
}

int as_wire_ask(as_wire *w, assay_call *call, const as_wire_request *r, as_wire_answer *answer, assay_error *err)
{
	as_buf line = {0};
	int rc;

	*answer = (as_wire_answer){0};
	w->refused = 0;
	w->session_lost = false;
	w->log = ((const as_call *)(const void *)call)->log;
	rc = check_ready(w, call, r, err);
	if (rc) {
		goto out;
	}
	w->open_id = ++w->last_id;
	w->timeout_ms = r->timeout_ms;
	w->noise_before = w->noise;
	w->stray[0] = '\0';
	w->started_ms = as_now_ms();
	w->deadline_ms = later(w->started_ms, r->timeout_ms);
	w->latest_ms = w->deadline_ms;
	if (r->progress && r->timeout_ms < AS_FOREVER / PROGRESS_FACTOR) {
		w->latest_ms = later(w->started_ms, r->timeout_ms * PROGRESS_FACTOR);
	}
	as_buf_reserve(&line, REQUEST_BYTES);
	rc = write_request(w, r, &line, err);
	rc = rc ? rc : send_request(w, call, r, as_buf_str(&line), err);
	if (!rc) {
		rc = wait_answer(w, call, r, err);
	}
	if (!rc) {
		rc = read_answer(w, r, answer, err);
	}
out:
	w->open_id = 0;
	as_json_free(w->answer);
	w->answer = NULL;
	as_buf_free(&line);
	return rc;
}

int as_wire_subscribe(as_wire *w, assay_call *call, assay_error *err)
{
	static const char method[] = "subscriptions/listen";
	static const char *const headers[] = {"Mcp-Method: subscriptions/listen", NULL};
	as_call inner = inner_call(call, as_deadline(w->timeout_ms > 0 ? w->timeout_ms : FAREWELL_MS));
	assay_json *params = as_json_object(), *meta = as_json_object(), *wanted = as_json_object();
	as_buf line = {0};
	int rc = as_json_set(wanted, "toolsListChanged", as_json_truth(1));

	rc = add_identity(w, meta) || rc;
	rc = as_json_set(params, "notifications", wanted) || rc;
	rc = as_json_set(params, "_meta", meta) || rc;
	as_rpc_write_request(&line, ++w->last_id, method, params);
	rc = rc ? as_fail_memory(err) : as_buf_check(&line, err);
	if (!rc) {
		rc = send_line(w, &inner, ASSAY_MESSAGE_STANDING, as_buf_str(&line), method, headers, err);
	}
	w->standing_id = rc ? 0 : w->last_id;
	as_buf_free(&line);
	as_json_free(params);
	return rc;
}

int as_wire_tell(as_wire *w, assay_call *call, const char *method, const assay_json *params, assay_error *err)
{
	as_call inner = inner_call(call, as_deadline(w->timeout_ms));

	return w->dead ? is_over(w, err) : tell(w, &inner, method, params, err);
}

int as_wire_connect(as_wire *w, assay_call *call, int64_t timeout_ms, assay_error *err)
{
	as_call inner = inner_call(call, as_deadline(timeout_ms));
	assay_error cause = {0};
	as_called before = as_called_enter(w->use, "connect");
	int rc = leave(before, w->ops->connect(w->transport, &inner.pub, &cause), &cause);

	return rc ? die_of(w, err, "it cannot be started", &cause, rc) : 0;
}

int as_wire_listen(as_wire *w, assay_call *call, assay_error *err)
{
	assay_error cause = {0};
	int rc;

	if (!ASSAY_HAS(w->ops, listen) || !w->ops->listen) {
		return 0;
	}
	as_called before = as_called_enter(w->use, "listen");

	rc = leave(before, w->ops->listen(w->transport, call, &cause), &cause);
	return rc ? die_of(w, err, "listening", &cause, rc) : 0;
}

int as_wire_fall_back(as_wire *w, assay_call *call, int64_t timeout_ms, assay_error *err)
{
	as_call inner = inner_call(call, as_deadline(timeout_ms));

	if (!ASSAY_HAS(w->ops, fall_back) || !w->ops->fall_back) {
		return ASSAY_ENOTSUP;
	}
	as_called before = as_called_enter(w->use, "fall_back");
	int rc = leave(before, w->ops->fall_back(w->transport, &inner.pub, err), err);

	w->older = rc == 0;
	return rc;
}

void as_wire_restart(as_wire *w)
{
	as_called before = as_called_enter(w->use, "restart");

	w->ops->restart(w->transport);
	as_called_leave(before);
}

bool as_call_is_over(const assay_call *call)
{
	const as_call *c = (const as_call *)(const void *)call;

	return as_cancel_is_set(c->cancel) || as_remaining(c->deadline_ms) == 0;
}

void as_wire_free(as_wire *w)
{
	as_json_free(w->answer);
	as_json_free(w->asked);
	as_buf_free(&w->owed);
	*w = (as_wire){.dead = true};
}
