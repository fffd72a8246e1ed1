#include "core/mcp/session.h"
#include "config.h"
#include "core/base/error.h"
#include "core/mcp/wire.h"

#include <stdlib.h>

#define MAX_PAGES 1000u
#define LIST_FACTOR 4u /* all pages of a list together may be this many times the largest message */

struct as_mcp_session {
	char *server_id;
	as_mcp_limits limits;            /* none of them 0 */
	const as_mcp_revision *revision; /* the era: what was agreed */
	assay_json *info;
	bool has_tools; /* the server announced them */
	as_wire wire;
};

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

/* The message of a JSON-RPC error object, or the object itself when it has none. */
static int error_text(const assay_json *error, as_buf *out, assay_error *err)
{
	assay_str message = as_json_str(as_json_get(error, "message"));

	if (message.len > 0) {
		as_buf_add(out, message);
	} else {
		as_json_write(out, error, ASSAY_JSON_COMPACT);
	}
	return as_buf_check(out, err);
}

/* An error answer to a request that cannot go on without a result. */
static int refused(const as_mcp_session *s, const char *method, const assay_json *error, assay_error *err)
{
	as_buf text = {0};
	int rc = error_text(error, &text, err);

	if (!rc) {
		rc = as_wire_fail(&s->wire, err, ASSAY_EPROTO, "it answered %s with error %lld: %.*s", method,
				  (long long)as_json_i64(as_json_get(error, "code"), 0),
				  (int)(text.len < 300 ? text.len : 300), text.ptr ? text.ptr : "");
	}
	as_buf_free(&text);
	return rc;
}

/* --- handshake --------------------------------------------------------------------------------------------------- */

static assay_json *initialize_params(const char *version)
{
	assay_json *params = as_json_object(), *client = as_json_object();
	int rc = as_json_set(client, "name", as_json_cstring(PACKAGE_NAME));

	rc = as_json_set(client, "version", as_json_cstring(PACKAGE_VERSION)) || rc;
	rc = as_json_set(params, "protocolVersion", as_json_cstring(version)) || rc;
	/* No roots, no sampling, no elicitation: only what is truly served is announced. */
	rc = as_json_set(params, "capabilities", as_json_object()) || rc;
	rc = as_json_set(params, "clientInfo", client) || rc;
	if (rc) {
		as_json_free(params);
		return NULL;
	}
	return params;
}

static assay_json *text_or_null(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_STRING ? as_json_clone(v) : as_json_null();
}

static int take_info(as_mcp_session *s, const assay_json *result, assay_error *err)
{
	const assay_json *server = as_json_get(result, "serverInfo"),
			 *capabilities = as_json_get(result, "capabilities");
	int rc;

	s->info = as_json_object();
	s->has_tools = as_json_type(as_json_get(capabilities, "tools")) == ASSAY_JSON_OBJECT;
	rc = as_json_set(s->info, "server_name", as_json_string(as_json_str(as_json_get(server, "name"))));
	rc = as_json_set(s->info, "server_version", as_json_string(as_json_str(as_json_get(server, "version")))) || rc;
	rc = as_json_set(s->info, "protocol_version", as_json_cstring(s->revision->name)) || rc;
	rc = as_json_set(s->info, "capabilities",
			 as_json_type(capabilities) == ASSAY_JSON_OBJECT ? as_json_clone(capabilities)
									 : as_json_object()) ||
	     rc;
	rc = as_json_set(s->info, "instructions", text_or_null(as_json_get(result, "instructions"))) || rc;
	return rc ? as_fail_memory(err) : 0;
}

/* The newest of our revisions among those that an error answer names as supported, or NULL. */
static const as_mcp_revision *offered_instead(const assay_json *error)
{
	const assay_json *supported = as_json_get(as_json_get(error, "data"), "supported");
	const as_mcp_revision *best = NULL;

	for (const assay_json *v = as_json_first(supported); v; v = as_json_next(v)) {
		const as_mcp_revision *r = as_mcp_revision_find(as_json_str(v));

		/* The table is sorted, newest first. */
		if (r && r->handshake && (!best || r < best)) {
			best = r;
		}
	}
	return best;
}

static int agree(as_mcp_session *s, const assay_json *result, assay_error *err)
{
	const assay_json *version = as_json_get(result, "protocolVersion");
	assay_str name = as_json_str(version);

	if (as_json_type(version) != ASSAY_JSON_STRING) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "its answer to initialize names no protocolVersion");
	}
	s->revision = as_mcp_revision_find(name);
	if (!s->revision || !s->revision->handshake) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO,
				    "it wants to speak MCP revision \"%.*s\", which is not one of ours (%s)",
				    (int)(name.len < 64 ? name.len : 64), name.ptr, as_mcp_revision_list());
	}
	s->wire.batches = s->revision->batches;
	return take_info(s, result, err);
}

static int shake_hands(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err)
{
	const as_mcp_revision *asked = as_mcp_revision_newest();
	int rc;

	for (int round = 0;; round++) {
		as_wire_request request = {.method = "initialize",
					   .params = initialize_params(asked->name),
					   .timeout_ms = as_remaining(deadline),
					   .limit_ms = s->limits.start_ms,
					   .not_cancel = true};
		const as_mcp_revision *instead;
		as_wire_answer answer;

		rc = as_wire_ask(&s->wire, call, &request, &answer, err);
		if (rc) {
			return rc;
		}
		instead = answer.error && round == 0 ? offered_instead(answer.error) : NULL;
		if (instead && instead != asked) {
			asked = instead;
			as_json_free(answer.message);
			continue;
		}
		rc = answer.error ? refused(s, "initialize", answer.error, err) : agree(s, answer.result, err);
		as_json_free(answer.message);
		return rc ? rc : as_wire_tell(&s->wire, call, "notifications/initialized", NULL, err);
	}
}

int as_mcp_open(const char *server_id, const assay_transport_ops *ops, void *transport, const as_mcp_limits *limits,
		assay_call *call, as_mcp_session **out, assay_error *err)
{
	as_mcp_session *s = as_new(1, sizeof *s);
	int64_t deadline;
	int rc;

	*out = NULL;
	if (!s) {
		return as_fail_memory(err);
	}
	s->limits = fill_limits(limits);
	s->server_id = as_strdup(server_id);
	s->wire = (as_wire){.server_id = s->server_id,
			    .ops = ops,
			    .transport = transport,
			    .max_message = s->limits.max_message,
			    .max_noise = s->limits.max_noise};
	deadline = as_deadline(s->limits.start_ms);
	rc = s->server_id ? as_wire_connect(&s->wire, call, s->limits.start_ms, err) : as_fail_memory(err);
	if (!rc) {
		rc = shake_hands(s, call, deadline, err);
	}
	if (rc) {
		as_mcp_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void as_mcp_close(as_mcp_session *s)
{
	if (s) {
		as_wire_free(&s->wire);
		as_json_free(s->info);
		free(s->server_id);
		free(s);
	}
}

const assay_json *as_mcp_info(const as_mcp_session *s)
{
	return s->info;
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

int as_mcp_ping(as_mcp_session *s, assay_call *call, int64_t timeout_ms, assay_error *err)
{
	as_wire_request request = {.method = "ping",
				   .params = as_json_object(),
				   .timeout_ms = timeout_ms > 0 ? timeout_ms : s->limits.list_ms};
	as_wire_answer answer;
	int rc = as_wire_ask(&s->wire, call, &request, &answer, err);

	/* An error is a sign of life too. */
	as_json_free(answer.message);
	return rc;
}

/* --- listing ----------------------------------------------------------------------------------------------------- */

/* A list being put together from its pages. */
typedef struct listing {
	assay_json *tools;
	assay_json *cursors; /* those that were followed */
	uint32_t n_tools;
	size_t bytes;
} listing;

static int add_tools(as_mcp_session *s, listing *l, const assay_json *tools, assay_error *err)
{
	for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
		if (as_json_str(as_json_get(t, "name")).len == 0) {
			return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "number %u of its tools has no name",
					    l->n_tools + 1);
		}
		if (l->n_tools++ >= s->limits.max_tools) {
			return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "it has more than %u tools",
					    s->limits.max_tools);
		}
		if (as_json_append(l->tools, as_json_clone(t))) {
			return as_fail_memory(err);
		}
	}
	return 0;
}

/* Follow nextCursor. *more: there is another page. An empty string is a cursor like any other. */
static int next_page(as_mcp_session *s, listing *l, const assay_json *cursor, bool *more, assay_error *err)
{
	*more = as_json_type(cursor) != ASSAY_JSON_NONE && as_json_type(cursor) != ASSAY_JSON_NULL;
	if (!*more) {
		return 0;
	}
	if (as_json_type(cursor) != ASSAY_JSON_STRING) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "nextCursor of its tools/list is not a string");
	}
	for (const assay_json *c = as_json_first(l->cursors); c; c = as_json_next(c)) {
		if (as_str_eq(as_json_str(c), as_json_str(cursor))) {
			return as_wire_fail(&s->wire, err, ASSAY_EPROTO,
					    "its tools/list goes round in a circle: page %zu has a cursor "
					    "that was followed before",
					    as_json_count(l->cursors) + 1);
		}
	}
	if (as_json_count(l->cursors) + 1 >= MAX_PAGES) {
		return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "its tools/list has more than %u pages", MAX_PAGES);
	}
	return as_json_append(l->cursors, as_json_clone(cursor)) ? as_fail_memory(err) : 0;
}

static int take_page(as_mcp_session *s, listing *l, const as_wire_answer *answer, bool *more, assay_error *err)
{
	const assay_json *tools = as_json_get(answer->result, "tools");
	int rc;

	if (answer->error) {
		bool no_method = as_json_i64(as_json_get(answer->error, "code"), 0) == AS_RPC_NO_METHOD;

		*more = false;
		return no_method && !s->has_tools ? 0 : refused(s, "tools/list", answer->error, err);
	}
	l->bytes += answer->bytes;
	if (l->bytes / LIST_FACTOR > s->limits.max_message) {
		return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "the pages of its tools/list have more than %zu bytes",
				    s->limits.max_message * LIST_FACTOR);
	}
	if (as_json_type(tools) != ASSAY_JSON_ARRAY) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "its answer to tools/list has no array \"tools\"");
	}
	rc = add_tools(s, l, tools, err);
	return rc ? rc : next_page(s, l, as_json_get(answer->result, "nextCursor"), more, err);
}

int as_mcp_list_tools(as_mcp_session *s, assay_call *call, assay_json **tools, assay_error *err)
{
	listing l = {.tools = as_json_array(), .cursors = as_json_array()};
	int64_t deadline = as_deadline(s->limits.list_ms);
	bool more = true;
	int rc = l.tools && l.cursors ? 0 : as_fail_memory(err);

	*tools = NULL;
	s->wire.tools_changed = false;
	while (!rc && more) {
		size_t page = as_json_count(l.cursors);
		as_wire_request request = {.method = "tools/list",
					   .params = as_json_object(),
					   .timeout_ms = as_remaining(deadline),
					   .limit_ms = s->limits.list_ms};
		as_wire_answer answer;

		if (page > 0 && as_json_set(request.params, "cursor", as_json_clone(as_json_at(l.cursors, page - 1)))) {
			as_json_free(request.params);
			rc = as_fail_memory(err);
			break;
		}
		rc = as_wire_ask(&s->wire, call, &request, &answer, err);
		if (!rc) {
			rc = take_page(s, &l, &answer, &more, err);
			as_json_free(answer.message);
		}
	}
	if (!rc) {
		*tools = l.tools;
		l.tools = NULL;
	}
	as_json_free(l.tools);
	as_json_free(l.cursors);
	return rc;
}

/* --- calling ----------------------------------------------------------------------------------------------------- */

static assay_json *call_params(assay_str tool, const assay_json *arguments)
{
	assay_json *params = as_json_object();
	int rc = as_json_set(params, "name", as_json_string(tool));

	rc = as_json_set(params, "arguments", arguments ? as_json_clone(arguments) : as_json_object()) || rc;
	if (rc) {
		as_json_free(params);
		return NULL;
	}
	return params;
}

/* {"content":[{"type":"text","text":MESSAGE}],"isError":true} */
static int result_of_error(const assay_json *error, assay_json **out, assay_error *err)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *block = as_json_object();
	as_buf text = {0};
	int rc = error_text(error, &text, err);

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

int as_mcp_call_tool(as_mcp_session *s, assay_call *call, assay_str tool, const assay_json *arguments,
		     int64_t timeout_ms, assay_json **result, bool *rpc_error, assay_error *err)
{
	as_wire_request request = {.method = "tools/call",
				   .subject = tool,
				   .params = call_params(tool, arguments),
				   .timeout_ms = timeout_ms > 0 ? timeout_ms : s->limits.call_ms,
				   .progress = true};
	as_wire_answer answer;
	int rc = as_wire_ask(&s->wire, call, &request, &answer, err);

	*result = NULL;
	*rpc_error = false;
	if (rc) {
		return rc;
	}
	if (answer.error) {
		*rpc_error = true;
		rc = result_of_error(answer.error, result, err);
	} else {
		*result = as_json_detach(answer.message, "result");
	}
	as_json_free(answer.message);
	return rc;
}
