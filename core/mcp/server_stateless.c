/* Requests of the stateless revisions: each says for what revision it is meant and what its sender can do. Source:
 * mcp-protocol reference, sections 4 and 8. */
#include "core/base/error.h"
#include "core/mcp/server_private.h"

bool as_server_is_stateless(const as_rpc_message *m)
{
	return as_str_is(m->method, "server/discover") ||
	       as_json_get(as_json_get(m->params, "_meta"), AS_MCP_META_VERSION) != NULL;
}

void as_server_error_data(as_buf *b, const assay_json *id, int code, const char *message, assay_json *data)
{
	assay_json *error = as_json_object();
	int rc = as_json_set(error, "code", as_json_integer(code));

	rc = as_json_set(error, "message", as_json_cstring(message)) || rc;
	rc = as_json_set(error, "data", data) || rc;
	as_buf_puts(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	as_json_write(b, id, ASSAY_JSON_COMPACT);
	as_buf_puts(b, ",\"error\":");
	as_json_write(b, error, ASSAY_JSON_COMPACT);
	as_buf_byte(b, '}');
	b->failed = b->failed || rc;
	as_json_free(error);
}

/* {"io.modelcontextprotocol/serverInfo":{"name","version"}} */
static assay_json *meta(const as_mcp_server *def)
{
	assay_json *m = as_json_object(), *info = as_json_object();
	int rc = as_json_set(info, "name", as_json_cstring(def->name));

	if (def->title) {
		rc = as_json_set(info, "title", as_json_cstring(def->title)) || rc;
	}
	rc = as_json_set(info, "version", as_json_cstring(def->version)) || rc;
	rc = as_json_set(m, AS_MCP_META_SERVER, info) || rc;
	if (rc) {
		as_json_free(m);
		return NULL;
	}
	return m;
}

void as_server_result(const as_mcp_exchange *x, as_buf *b, const assay_json *id, assay_json *result, const char *type)
{
	int rc = result ? 0 : ASSAY_ENOMEM;

	if (!rc && x->stateless) {
		rc = as_json_set(result, "resultType", as_json_cstring(type ? type : "complete"));
		rc = as_json_set(result, "_meta", meta(x->server->def)) || rc;
	}
	if (rc) {
		as_server_error(b, id, AS_RPC_INTERNAL, "out of memory");
	} else {
		as_rpc_write_result(b, id, result);
	}
	as_json_free(result);
}

/* How long a list may be kept: not at all, by anybody. */
static int set_caching(assay_json *result)
{
	int rc = as_json_set(result, "ttlMs", as_json_integer(0));

	return as_json_set(result, "cacheScope", as_json_cstring("public")) || rc;
}

static assay_json *supported_versions(void)
{
	assay_json *list = as_json_array();

	if (as_json_append(list, as_json_cstring(as_mcp_revision_stateless()->name))) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

static void discover(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	assay_json *result = as_json_object(), *capabilities = as_json_object();
	int rc = as_json_set(capabilities, "tools", as_json_object());

	rc = as_json_set(result, "supportedVersions", supported_versions()) || rc;
	rc = as_json_set(result, "capabilities", capabilities) || rc;
	if (x->server->def->instructions) {
		rc = as_json_set(result, "instructions", as_json_cstring(x->server->def->instructions)) || rc;
	}
	rc = set_caching(result) || rc;
	if (rc) {
		as_json_free(result);
		result = NULL;
	}
	as_server_result(x, b, m->id, result, "complete");
}

static void list(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	assay_json *result;

	if (as_json_get(m->params, "cursor")) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "no such cursor; the list has one page");
		return;
	}
	result = as_json_clone(x->server->listing);
	if (set_caching(result)) {
		as_json_free(result);
		result = NULL;
	}
	as_server_result(x, b, m->id, result, "complete");
}

/* A tool that cannot work for this client is refused before it runs. */
static void call(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	const as_server_tool *t = as_server_find(x->server, as_json_str(as_json_get(m->params, "name")));
	assay_json *data, *needed;
	int rc;

	if (!t || !t->tool->needs || as_mcp_client_has(x, t->tool->needs)) {
		as_server_call(x, m, b);
		return;
	}
	data = as_json_object();
	needed = as_json_object();
	rc = as_json_set(needed, t->tool->needs, as_json_object());
	rc = as_json_set(data, "requiredCapabilities", needed) || rc;
	b->failed = b->failed || rc;
	as_server_error_data(b, m->id, AS_RPC_NEEDS_CAPABILITY, "the client lacks a capability that this tool needs",
			     data);
}

static void refuse_version(const as_rpc_message *m, const assay_json *asked, as_buf *b)
{
	assay_json *data = as_json_object();
	int rc = as_json_set(data, "supported", supported_versions());

	rc = as_json_set(data, "requested", as_json_clone(asked)) || rc;
	b->failed = b->failed || rc;
	as_server_error_data(b, m->id, AS_RPC_NO_VERSION, "Unsupported protocol version", data);
}

void as_server_stateless_request(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b)
{
	const assay_json *given = as_json_get(m->params, "_meta"), *version = as_json_get(given, AS_MCP_META_VERSION);
	const as_mcp_revision *revision;

	if (as_json_type(version) != ASSAY_JSON_STRING) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "_meta needs %s, a string", AS_MCP_META_VERSION);
		return;
	}
	if (as_json_type(as_json_get(given, AS_MCP_META_CAPABILITIES)) != ASSAY_JSON_OBJECT) {
		as_server_error(b, m->id, AS_RPC_INVALID_PARAMS, "_meta needs %s, an object", AS_MCP_META_CAPABILITIES);
		return;
	}
	revision = as_mcp_revision_find(as_json_str(version));
	if (!revision || revision->handshake) {
		refuse_version(m, version, b);
	} else if (as_str_is(m->method, "server/discover")) {
		discover(x, m, b);
	} else if (as_str_is(m->method, "tools/list")) {
		list(x, m, b);
	} else if (as_str_is(m->method, "tools/call")) {
		call(x, m, b);
	} else {
		as_server_error(b, m->id, AS_RPC_NO_METHOD, "Method not found: %.*s",
				m->method.len < 128 ? (int)m->method.len : 128, m->method.ptr);
	}
}
