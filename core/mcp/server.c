#include "core/mcp/server.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/lines.h"
#include "core/mcp/server_private.h"

#include <stdio.h>

/* --- exchanges --------------------------------------------------------------------------------------------------- */

static int level_of(assay_str name)
{
	static const char *const levels[] = {"debug", "info",     "notice", "warning",
					     "error", "critical", "alert",  "emergency"};

	for (int i = 0; i < (int)(sizeof levels / sizeof *levels); i++) {
		if (as_str_is(name, levels[i])) {
			return i;
		}
	}
	return -1;
}

static const assay_json *meta_of(const as_mcp_exchange *x, const char *key)
{
	return as_json_get(as_json_get(x->params, "_meta"), key);
}

bool as_mcp_client_has(const as_mcp_exchange *x, const char *capability)
{
	const assay_json *all = x->stateless ? meta_of(x, AS_MCP_META_CAPABILITIES)
				: x->peer    ? x->peer->capabilities
					     : NULL;

	return as_json_type(as_json_get(all, capability)) == ASSAY_JSON_OBJECT;
}

const assay_json *as_mcp_input(const as_mcp_exchange *x, const char *key)
{
	return x->stateless ? as_json_get(as_json_get(x->params, "inputResponses"), key) : NULL;
}

/* Sends a notification; params is taken over. */
static int notify(as_mcp_exchange *x, const char *method, assay_json *params, int rc, assay_error *err)
{
	as_buf line = {0};

	if (!rc) {
		as_rpc_write_notification(&line, method, params);
		rc = as_buf_check(&line, err);
		rc = rc ? rc : x->send(x->channel, as_buf_str(&line), err);
	} else {
		rc = as_fail_memory(err);
	}
	as_json_free(params);
	as_buf_free(&line);
	return rc;
}

int as_mcp_log(as_mcp_exchange *x, const char *level, const char *message, assay_error *err)
{
	assay_str wanted = as_json_str(meta_of(x, AS_MCP_META "logLevel"));
	int least = x->stateless ? level_of(wanted) : x->peer->log_level;
	assay_json *params;
	int rc;

	if (!x->send || least < 0 || level_of(as_str(level)) < least) {
		return 0;
	}
	params = as_json_object();
	rc = as_json_set(params, "level", as_json_cstring(level));
	rc = as_json_set(params, "data", as_json_cstring(message)) || rc;
	return notify(x, "notifications/message", params, rc, err);
}

int as_mcp_progress(as_mcp_exchange *x, double progress, double total, assay_error *err)
{
	const assay_json *token = meta_of(x, "progressToken");
	assay_json *params;
	int rc;

	if (!x->send || (as_json_type(token) != ASSAY_JSON_STRING && as_json_type(token) != ASSAY_JSON_NUMBER)) {
		return 0;
	}
	params = as_json_object();
	rc = as_json_set(params, "progressToken", as_json_clone(token));
	rc = as_json_set(params, "progress", as_json_real(progress)) || rc;
	rc = as_json_set(params, "total", as_json_real(total)) || rc;
	return notify(x, "notifications/progress", params, rc, err);
}

int as_mcp_ask(as_mcp_exchange *x, const char *method, const assay_json *params, assay_json **result, assay_error *err)
{
	assay_json *answer = NULL;
	int rc;

	*result = NULL;
	if (x->stateless || !x->ask) {
		return as_fail(err, ASSAY_ENOTSUP, "this client cannot be asked for %s", method);
	}
	rc = x->ask(x->channel, method, params, &answer, err);
	if (rc) {
		return rc;
	}
	if (!as_json_get(answer, "result")) {
		rc = as_fail(err, ASSAY_EPROTO, "the client answered %s with an error: %s", method,
			     as_json_cstr(as_json_pointer(answer, "/error/message"), "?"));
	}
	*result = as_json_narrow(answer, "result");
	return rc || *result ? rc : as_fail_memory(err);
}

void as_mcp_interrupt(as_mcp_exchange *x)
{
	if (x->interrupt) {
		x->interrupt(x->channel);
	}
}

/* --- methods ----------------------------------------------------------------------------------------------------- */

static void do_ping(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	as_server_result(x, b, m->id, as_json_object(), NULL);
}

/* Only tools that have their exchange can write log lines. */
static bool may_log(const as_mcp_server *def)
{
	for (size_t i = 0; i < def->n_tools; i++) {
		if (def->tools[i].run) {
			return true;
		}
	}
	return false;
}

static assay_json *initialize_result(const as_mcp_exchange *x)
{
	const as_mcp_server *def = x->server->def;
	assay_json *result = as_json_object(), *info = as_json_object(), *capabilities = as_json_object();
	int rc = as_json_set(capabilities, "tools", as_json_object());

	if (may_log(def)) {
		rc = as_json_set(capabilities, "logging", as_json_object()) || rc;
	}

	rc = as_json_set(info, "name", as_json_cstring(def->name)) || rc;
	if (def->title) {
		rc = as_json_set(info, "title", as_json_cstring(def->title)) || rc;
	}
	rc = as_json_set(info, "version", as_json_cstring(def->version)) || rc;
	rc = as_json_set(result, "protocolVersion", as_json_cstring(x->peer->revision->name)) || rc;
	rc = as_json_set(result, "capabilities", capabilities) || rc;
	rc = as_json_set(result, "serverInfo", info) || rc;
	if (def->instructions) {
		rc = as_json_set(result, "instructions", as_json_cstring(def->instructions)) || rc;
	}
	if (rc) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

static void do_initialize(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	const assay_json *asked = as_json_get(m->params, "protocolVersion");
	as_server_peer *peer = x->peer;

	if (peer->revision) {
		as_server_error(b, m->id, AS_RPC_INVALID_REQUEST, "initialize was already done");
		return;
	}
	if (as_json_type(asked) != ASSAY_JSON_STRING) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "initialize needs protocolVersion, a string");
		return;
	}
	peer->revision = as_mcp_revision_find(as_json_str(asked));
	if (!peer->revision || !peer->revision->handshake) {
		peer->revision = as_mcp_revision_newest();
	}
	peer->capabilities = as_json_clone(as_json_get(m->params, "capabilities"));
	as_server_result(x, b, m->id, initialize_result(x), NULL);
}

void as_server_list(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	/* Everything fits on one page, so no cursor was ever handed out. */
	if (as_json_get(m->params, "cursor")) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "no such cursor; the list has one page");
		return;
	}
	as_server_result(x, b, m->id, as_json_clone(x->server->listing), "complete");
}

void as_server_call(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	const as_server *s = x->server;
	const assay_json *name = as_json_get(m->params, "name");
	const assay_json *arguments = as_json_get(m->params, "arguments");
	assay_json *none = NULL;
	const as_server_tool *t;

	if (as_json_type(name) != ASSAY_JSON_STRING) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "tools/call needs name, a string");
		return;
	}
	t = as_server_find(s, as_json_str(name));
	if (!t) {
		const char *near = as_nearest(as_json_str(name), s->names, s->def->n_tools);
		int shown = as_json_str(name).len < 128 ? (int)as_json_str(name).len : 128;

		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "Unknown tool: %.*s%s%s%s", shown,
				as_json_str(name).ptr, near ? "; did you mean " : "", near ? near : "",
				near ? "?" : "");
		return;
	}
	if (as_json_type(arguments) == ASSAY_JSON_NONE || as_json_type(arguments) == ASSAY_JSON_NULL) {
		none = as_json_object();
		if (!none) {
			as_server_error(b, m->id, AS_RPC_INTERNAL, "out of memory");
			return;
		}
		as_server_run(x, t, m->id, none, b);
		as_json_free(none);
	} else if (as_json_type(arguments) != ASSAY_JSON_OBJECT) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "arguments of tools/call must be an object");
	} else {
		as_server_run(x, t, m->id, as_json_edit(arguments), b);
	}
}

static void do_set_level(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	int level = level_of(as_json_str(as_json_get(m->params, "level")));

	if (level < 0) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "logging/setLevel needs level, one of eight words");
		return;
	}
	x->peer->log_level = level;
	as_server_result(x, b, m->id, as_json_object(), NULL);
}

typedef struct handler {
	const char *name;
	bool early; /* allowed before initialize */
	void (*run)(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b);
} handler;

static void run_request(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b, bool in_batch)
{
	static const handler methods[] = {
		{"ping", true, do_ping},
		{"initialize", true, do_initialize},
		{"tools/list", false, as_server_list},
		{"tools/call", false, as_server_call},
		{"logging/setLevel", false, do_set_level},
	};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (!as_str_is(m->method, methods[i].name)) {
			continue;
		}
		if (!x->peer->revision && !methods[i].early) {
			as_server_error(b, m->id, AS_RPC_INVALID_REQUEST, "send initialize before %s", methods[i].name);
		} else if (in_batch && methods[i].run == do_initialize) {
			as_server_error(b, m->id, AS_RPC_INVALID_REQUEST, "initialize must not be part of a batch");
		} else if (m->params && as_json_type(m->params) != ASSAY_JSON_OBJECT) {
			as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "params of %s must be an object",
					methods[i].name);
		} else {
			methods[i].run(x, m, b);
		}
		return;
	}
	as_server_error(b, m->id, AS_RPC_NO_METHOD, "Method not found: %.*s",
			m->method.len < 128 ? (int)m->method.len : 128, m->method.ptr);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

void as_server_message(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b, bool in_batch)
{
	x->params = m->params;
	x->stateless = as_server_is_stateless(m);
	if (m->kind == AS_RPC_REQUEST && x->stateless) {
		as_server_stateless_request(x, m, b);
	} else if (m->kind == AS_RPC_REQUEST) {
		run_request(x, m, b, in_batch);
	} else if (m->kind == AS_RPC_MALFORMED || m->kind == AS_RPC_BATCH) {
		as_server_error(b, m->id, AS_RPC_INVALID_REQUEST, "not a JSON-RPC 2.0 message");
	}
	/* Notifications ask for nothing, and we sent no request that a response could answer. */
}

/* --- stdio ------------------------------------------------------------------------------------------------------- */

typedef struct stdio {
	as_mcp_exchange exchange;
	as_server_peer peer;
	as_line_reader reader;
	int out;
	int64_t asked; /* questions of ours so far */
} stdio;

static void run_batch(stdio *s, const assay_json *doc, as_buf *b)
{
	as_buf one = {0};
	as_rpc_message m;

	for (const assay_json *v = as_json_first(doc); v; v = as_json_next(v)) {
		as_buf_clear(&one);
		m = as_rpc_read(v);
		as_server_message(&s->exchange, &m, &one, true);
		if (one.len > 0) {
			as_buf_byte(b, b->len ? ',' : '[');
			as_buf_add(b, as_buf_str(&one));
		}
	}
	if (b->len > 0) {
		as_buf_byte(b, ']');
	}
	b->failed = b->failed || one.failed;
	as_buf_free(&one);
}

static void run_line(stdio *s, assay_str line, as_buf *b)
{
	assay_json *doc = NULL;
	assay_error err = {0};
	as_rpc_message m;

	if (as_rpc_parse(line, 0, &doc, &err)) {
		bool ours = err.code == ASSAY_ENOMEM;

		as_server_error(b, NULL, ours ? AS_RPC_INTERNAL : AS_RPC_PARSE, "Parse error: %s", err.message);
		return;
	}
	m = as_rpc_read(doc);
	if (m.kind == AS_RPC_BATCH && s->peer.revision && s->peer.revision->batches) {
		run_batch(s, doc, b);
	} else {
		as_server_message(&s->exchange, &m, b, false);
	}
	as_json_free(doc);
}

static int send_line(stdio *s, as_buf *line, assay_error *err)
{
	int rc;

	as_buf_byte(line, '\n');
	rc = as_buf_check(line, err);
	return rc ? rc : as_line_send(s->out, as_buf_str(line), err);
}

static int send_message(void *channel, assay_str message, assay_error *err)
{
	as_buf line = {0};
	int rc;

	as_buf_add(&line, message);
	rc = send_line(channel, &line, err);
	as_buf_free(&line);
	return rc;
}

static int next_message(stdio *s, as_buf *reply, int64_t awaited, assay_json **answer, assay_error *err);

/* Other messages that come before the answer are served meanwhile. */
static int ask_client(void *channel, const char *method, const assay_json *params, assay_json **answer,
		      assay_error *err)
{
	stdio *s = channel;
	const as_mcp_exchange outer = s->exchange;
	as_buf line = {0};
	int64_t id = ++s->asked;
	int rc;

	if (id > 1000000) {
		return as_fail(err, ASSAY_ELIMIT, "too many questions");
	}
	as_rpc_write_request(&line, id, method, params);
	rc = send_line(s, &line, err);
	while (!rc && !*answer) {
		rc = next_message(s, &line, id, answer, err);
	}
	s->exchange = outer;
	as_buf_free(&line);
	return rc == ASSAY_ENOENT ? as_fail(err, ASSAY_EUNREACH, "the client is gone") : rc;
}

/* Read one message and answer it; or, when it is the response to the request `awaited`, hand it out. ASSAY_ENOENT at
 * the end of the input. */
static int next_message(stdio *s, as_buf *reply, int64_t awaited, assay_json **answer, assay_error *err)
{
	assay_str line;
	bool overlong;
	int rc = as_line_next(&s->reader, &line, &overlong, err);

	if (rc) {
		return rc;
	}
	as_buf_clear(reply);
	if (overlong) {
		as_server_error(reply, NULL, AS_RPC_INVALID_REQUEST, "a message may have at most %zu bytes",
				AS_MCP_MAX_MESSAGE);
	} else if (as_trim(line).len > 0) {
		if (awaited && as_rpc_parse(line, 0, answer, NULL) == 0) {
			as_rpc_message m = as_rpc_read(*answer);

			if (m.kind == AS_RPC_RESPONSE && as_rpc_id_is(m.id, awaited)) {
				return 0;
			}
			as_json_free(*answer);
			*answer = NULL;
		}
		run_line(s, line, reply);
	}
	return reply->len > 0 ? send_line(s, reply, err) : 0;
}

int as_mcp_serve(const as_mcp_server *def, int in, int out, assay_error *err)
{
	as_server server = {.def = def};
	stdio s = {.exchange = {.server = &server, .send = send_message, .ask = ask_client},
		   .reader = {.fd = in, .max = AS_MCP_MAX_MESSAGE},
		   .out = out};
	as_buf reply = {0};
	sigset_t before;
	int rc = as_server_load(&server, err);

	as_line_hold_signal(&before);
	s.exchange.channel = &s;
	s.exchange.peer = &s.peer;
	while (!rc) {
		rc = next_message(&s, &reply, 0, NULL, err);
	}
	as_server_unload(&server);
	as_json_free(s.peer.capabilities);
	as_line_free(&s.reader);
	as_buf_free(&reply);
	as_line_release_signal(&before);
	return rc == ASSAY_ENOENT ? 0 : rc;
}
