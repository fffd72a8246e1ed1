#include "core/mcp/inbox.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/policy.h"

#include <stdio.h>
#include <string.h>

#define MAX_OWED ((size_t)1 << 20) /* bytes of answers to the server's requests that may wait */

static int note_noise(as_wire *w, const char *why)
{
	w->noise++;
	snprintf(w->odd, sizeof w->odd, "%s", why);
	if (w->noise > w->max_noise) {
		return as_wire_fail(w, &w->fault, ASSAY_EPROTO, "%u lines %s are no message; the last: %s", w->noise,
				    as_wire_source(w), why);
	}
	return 0;
}

/* What a server asks of us is answered when the transport is not busy receiving. */
static int take_request(as_wire *w, const as_rpc_message *m, size_t bytes)
{
	as_served served;
	int rc = 0;

	if (w->stateless) {
		return note_noise(w, "a request, which servers do not send in this revision");
	}
	as_policy_serve(w->elicitation, m->method, m->params, &served);
	if (w->log && !as_str_is(m->method, "ping")) {
		as_log_put(w->log, w->server_id, ASSAY_LOG_INFO, "it asks %.*s: %s", ASSAY_FMT(m->method), served.said);
	}
	if (served.result) {
		as_rpc_write_result(&w->owed, m->id, served.result);
	} else {
		as_rpc_write_error(&w->owed, m->id, served.code, as_str(served.said));
	}
	if (w->noting && !as_str_is(m->method, "ping")) {
		rc = as_policy_note(&w->asked, m->method, m->params, &served, bytes);
	}
	as_json_free(served.result);
	as_buf_byte(&w->owed, '\n');
	if (rc || w->owed.failed) {
		return as_fail_memory(&w->fault);
	}
	if (w->owed.len > MAX_OWED) {
		return as_wire_fail(w, &w->fault, ASSAY_ELIMIT, "it asks for more than it lets us answer");
	}
	return 0;
}

/* What a server has to say of its work, for whoever wants to read it. */
static void take_log(const as_wire *w, const assay_json *params)
{
	const assay_json *data = as_json_get(params, "data");
	as_buf text = {0};
	assay_str shown;

	if (!as_log_on(w->log, w->server_id, ASSAY_LOG_DEBUG)) {
		return;
	}
	if (as_json_type(data) == ASSAY_JSON_STRING) {
		as_buf_add(&text, as_json_str(data));
	} else {
		as_json_write(&text, data, ASSAY_JSON_COMPACT);
	}
	shown = as_buf_str(&text);
	as_log_put(w->log, w->server_id, ASSAY_LOG_DEBUG, "it says, %.*s: %.*s",
		   ASSAY_FMT(as_json_str(as_json_get(params, "level"))), ASSAY_FMT(shown));
	as_buf_free(&text);
}

static void take_notification(as_wire *w, const as_rpc_message *m)
{
	if (as_str_is(m->method, "notifications/message")) {
		take_log(w, m->params);
	} else if (as_str_is(m->method, "notifications/tools/list_changed")) {
		w->tools_changed = true;
	} else if (as_str_is(m->method, "notifications/progress") && w->open_id &&
		   as_rpc_id_is(as_json_get(m->params, "progressToken"), w->open_id)) {
		int64_t anew = as_deadline(w->timeout_ms);

		w->deadline_ms = anew < w->latest_ms ? anew : w->latest_ms;
	}
}

/* An answer with an id that no request had may be the one that is missed. */
static void note_stray(as_wire *w, const as_rpc_message *m)
{
	int64_t id = as_json_i64(m->id, 0);
	as_buf text = {0};

	if (!w->open_id || w->answer || (id > 0 && id <= w->open_id)) {
		return;
	}
	if (m->id) {
		as_json_write(&text, m->id, ASSAY_JSON_COMPACT);
	}
	as_utf8_cut(w->stray, sizeof w->stray, text.len ? as_buf_str(&text) : ASSAY_STR("none"));
	as_buf_free(&text);
}

/* One message. *taken: it was the answer that we wait for, and the document now belongs to w. */
static int take_message(as_wire *w, assay_json *doc, const assay_json *part, const as_rpc_message *m, size_t bytes,
			bool *taken)
{
	switch (m->kind) {
	case AS_RPC_REQUEST:
		return take_request(w, m, bytes);
	case AS_RPC_NOTIFICATION:
		take_notification(w, m);
		return 0;
	case AS_RPC_RESPONSE:
		if (w->standing_id && as_rpc_id_is(m->id, w->standing_id)) {
			w->standing_id = 0; /* it has ended, or is refused */
		}
		/* Others are late answers to what was given up, or second ones; or to what nobody asked. */
		if (!w->open_id || w->answer || !as_rpc_id_is(m->id, w->open_id)) {
			note_stray(w, m);
			return 0;
		}
		w->answer = part == doc ? doc : as_json_clone(part);
		w->answer_bytes = bytes;
		*taken = part == doc;
		return w->answer ? 0 : as_fail_memory(&w->fault);
	default:
		break;
	}
	if (as_json_type(part) == ASSAY_JSON_OBJECT && !as_str_is(as_json_str(as_json_get(part, "jsonrpc")), "2.0")) {
		return note_noise(w, "JSON without \"jsonrpc\": \"2.0\"");
	}
	return note_noise(w, "JSON that is neither a request nor an answer");
}

static int take_line(as_wire *w, assay_str line)
{
	assay_json *doc = NULL;
	assay_error why = {0};
	as_rpc_message m;
	bool taken = false;
	int rc;

	if (line.len > w->max_message) {
		return as_wire_fail(w, &w->fault, ASSAY_ELIMIT, "a message of %zu bytes; the limit is %zu", line.len,
				    w->max_message);
	}
	rc = as_rpc_parse(line, w->max_message, &doc, &why);
	rc = rc ? rc : as_redact_json(w->redactor, &doc, &why);
	as_redact_error(w->redactor, &why);
	if (rc == ASSAY_ENOMEM) {
		as_json_free(doc);
		return as_fail_memory(&w->fault);
	}
	if (rc == ASSAY_ELIMIT) {
		return as_wire_fail(w, &w->fault, rc, "a message beyond our limits: %s", why.message);
	}
	if (rc) {
		return note_noise(w, why.message);
	}
	m = as_rpc_read(doc);
	if (m.kind == AS_RPC_BATCH && w->batches) {
		for (const assay_json *v = as_json_first(doc); v && !rc; v = as_json_next(v)) {
			m = as_rpc_read(v);
			rc = take_message(w, doc, v, &m, line.len, &taken);
		}
	} else {
		rc = take_message(w, doc, doc, &m, line.len, &taken);
	}
	if (!taken) {
		as_json_free(doc);
	}
	return rc;
}

static int inbox_write(assay_sink *sink, assay_str line, assay_error *err)
{
	as_wire *w = ((as_inbox *)(void *)sink)->wire;
	int rc = take_line(w, line);

	if (rc) {
		return as_fail(err, rc, "%s", w->fault.message);
	}
	return w->open_id && w->answer ? ASSAY_STOP : ASSAY_OK;
}

static int inbox_emit(assay_sink *sink, assay_json *value, assay_error *err)
{
	(void)sink;
	as_json_free(value);
	return as_fail(err, ASSAY_EPLUGIN, "a transport writes lines, it does not emit values");
}

as_inbox as_inbox_of(as_wire *w)
{
	return (as_inbox){.sink = {.size = sizeof(assay_sink), .emit = inbox_emit, .write = inbox_write}, .wire = w};
}
