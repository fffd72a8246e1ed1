#include "core/mcp/jsonrpc.h"

/* Newest first: the order in which a version is offered. */
static const as_mcp_revision revisions[] = {
	{"2026-07-28", false, false}, {"2025-11-25", true, false}, {"2025-06-18", true, false},
	{"2025-03-26", true, true},   {"2024-11-05", true, false},
};

const as_mcp_revision *as_mcp_revision_find(assay_str name)
{
	for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++) {
		if (as_str_is(name, revisions[i].name)) {
			return &revisions[i];
		}
	}
	return NULL;
}

const as_mcp_revision *as_mcp_revision_newest(void)
{
	return &revisions[1];
}

const as_mcp_revision *as_mcp_revision_stateless(void)
{
	return &revisions[0];
}

const char *as_mcp_revision_list(void)
{
	return "2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05";
}

int as_rpc_parse(assay_str line, size_t max_bytes, assay_json **doc, assay_error *err)
{
	as_json_limits limits = {.max_bytes = max_bytes ? max_bytes : AS_MCP_MAX_MESSAGE,
				 .max_depth = AS_MCP_MAX_DEPTH};

	return as_json_parse_with(line, ASSAY_JSON_PEER, &limits, NULL, doc, err);
}

/* A text or a whole number: 2.0 is one, however it is spelled. */
static bool usable_id(const assay_json *id)
{
	return as_json_type(id) == ASSAY_JSON_STRING || as_json_is_integer(id) ||
	       as_json_i64(id, 0) == as_json_i64(id, 1);
}

as_rpc_message as_rpc_read(const assay_json *doc)
{
	enum { VERSION, ID, METHOD, PARAMS, RESULT, ERROR, N };
	static const as_member_rule rules[N] = {
		[VERSION] = AS_MEMBER("jsonrpc", ASSAY_JSON_NONE, false),
		[ID] = AS_MEMBER("id", ASSAY_JSON_NONE, false),
		[METHOD] = AS_MEMBER("method", ASSAY_JSON_NONE, false),
		[PARAMS] = AS_MEMBER("params", ASSAY_JSON_NONE, false),
		[RESULT] = AS_MEMBER("result", ASSAY_JSON_NONE, false),
		[ERROR] = AS_MEMBER("error", ASSAY_JSON_NONE, false),
	};
	as_rpc_message m = {.kind = AS_RPC_MALFORMED};
	const assay_json *found[N], *method, *id;

	if (as_json_type(doc) == ASSAY_JSON_ARRAY && as_json_count(doc) > 0) {
		m.kind = AS_RPC_BATCH;
		return m;
	}
	if (as_json_type(doc) != ASSAY_JSON_OBJECT) {
		return m;
	}
	as_json_find(doc, rules, N, found);
	method = found[METHOD];
	id = found[ID];
	m.id = usable_id(id) ? id : NULL;
	m.params = found[PARAMS];
	m.method = as_json_str(method);
	m.result = found[RESULT];
	m.error = found[ERROR];
	/* Without the version it is somebody's log record that happens to be JSON. */
	if (!as_str_is(as_json_str(found[VERSION]), "2.0")) {
		return m;
	}
	if (method) {
		if (as_json_type(method) == ASSAY_JSON_STRING && (!id || m.id)) {
			m.kind = id ? AS_RPC_REQUEST : AS_RPC_NOTIFICATION;
		}
	} else if ((m.result && m.id) || m.error) {
		m.kind = AS_RPC_RESPONSE; /* an error about what could not be read has no id */
	}
	return m;
}

bool as_rpc_id_is(const assay_json *id, int64_t n)
{
	return as_json_i64(id, n == INT64_MIN ? 0 : INT64_MIN) == n;
}

static void write_id(as_buf *b, const assay_json *id)
{
	as_json_write(b, id, ASSAY_JSON_COMPACT);
}

static void write_call(as_buf *b, const char *method, const assay_json *params)
{
	as_buf_puts(b, "\"method\":");
	as_json_write_string(b, as_str(method), false);
	if (params) {
		as_buf_puts(b, ",\"params\":");
		as_json_write(b, params, ASSAY_JSON_COMPACT);
	}
	as_buf_byte(b, '}');
}

void as_rpc_write_request(as_buf *b, int64_t id, const char *method, const assay_json *params)
{
	as_buf_puts(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	as_json_write_integer(b, id);
	as_buf_byte(b, ',');
	write_call(b, method, params);
}

void as_rpc_write_notification(as_buf *b, const char *method, const assay_json *params)
{
	as_buf_puts(b, "{\"jsonrpc\":\"2.0\",");
	write_call(b, method, params);
}

void as_rpc_write_result(as_buf *b, const assay_json *id, const assay_json *result)
{
	as_buf_puts(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	write_id(b, id);
	as_buf_puts(b, ",\"result\":");
	as_json_write(b, result, ASSAY_JSON_COMPACT);
	as_buf_byte(b, '}');
}

void as_rpc_write_error(as_buf *b, const assay_json *id, int code, assay_str message)
{
	as_buf_puts(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	write_id(b, id);
	as_buf_printf(b, ",\"error\":{\"code\":%d,\"message\":", code);
	as_json_write_string(b, message, false);
	as_buf_puts(b, "}}");
}
