#include "core/mcp/server.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/arguments.h"
#include "core/mcp/jsonrpc.h"
#include "core/mcp/lines.h"

#include <stdio.h>
#include <stdlib.h>

/* A tool with its schemas read. The compiled schemas borrow the documents. */
typedef struct tool_state {
	const as_mcp_tool *tool;
	assay_json *input, *output;
	as_schema *check_input, *check_output; /* check_output is NULL when the tool has no output schema */
} tool_state;

typedef struct server {
	const as_mcp_server *def;
	tool_state *tools; /* def->n_tools */
	const char **names;
	assay_json *listing;             /* the result of tools/list */
	const as_mcp_revision *revision; /* NULL before initialize */
	int out;
} server;

int as_mcp_refuse(as_mcp_answer *answer, const char *format, ...)
{
	as_buf b = {0};
	va_list args, again;
	int n;

	as_json_free(answer->structured);
	as_text_free(&answer->text);
	*answer = (as_mcp_answer){.failed = true};
	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n >= 0 && as_buf_reserve(&b, (size_t)n + 1)) {
		vsnprintf(b.ptr + b.len, (size_t)n + 1, format, again);
		b.len += (size_t)n;
		as_buf_take(&b, &answer->text, NULL);
	}
	va_end(again);
	va_end(args);
	as_buf_free(&b);
	return 0;
}

/* --- tools ------------------------------------------------------------------------------------------------------- */

static int read_schema(const char *tool, const char *what, const char *text, assay_json **document, as_schema **schema,
		       assay_error *err)
{
	int rc = as_json_parse(as_str(text), ASSAY_JSON_STRICT, document, err);

	if (!rc) {
		rc = as_schema_compile(*document, schema, err);
	}
	if (rc) {
		as_error_hint(err, "this is the %s of tool %s", what, tool);
	}
	return rc;
}

static assay_json *annotations_of(const as_mcp_tool *tool)
{
	assay_json *a = as_json_object();

	as_json_set(a, "readOnlyHint", as_json_truth((tool->hints & AS_MCP_READ_ONLY) != 0));
	as_json_set(a, "destructiveHint", as_json_truth((tool->hints & AS_MCP_DESTRUCTIVE) != 0));
	as_json_set(a, "idempotentHint", as_json_truth((tool->hints & AS_MCP_IDEMPOTENT) != 0));
	if (as_json_set(a, "openWorldHint", as_json_truth((tool->hints & AS_MCP_CLOSED_WORLD) == 0)) ||
	    as_json_count(a) != 4) {
		as_json_free(a);
		return NULL;
	}
	return a;
}

static int list_tool(const tool_state *t, assay_json *list)
{
	assay_json *entry = as_json_object();
	int rc = as_json_set(entry, "name", as_json_cstring(t->tool->name));

	if (!rc && t->tool->title) {
		rc = as_json_set(entry, "title", as_json_cstring(t->tool->title));
	}
	if (!rc && t->tool->description) {
		rc = as_json_set(entry, "description", as_json_cstring(t->tool->description));
	}
	if (!rc) {
		rc = as_json_set(entry, "inputSchema", as_json_clone(t->input));
	}
	if (!rc && t->output) {
		rc = as_json_set(entry, "outputSchema", as_json_clone(t->output));
	}
	if (!rc) {
		rc = as_json_set(entry, "annotations", annotations_of(t->tool));
	}
	if (rc) {
		as_json_free(entry);
		return rc;
	}
	return as_json_append(list, entry);
}

static int load_tools(server *s, assay_error *err)
{
	size_t n = s->def->n_tools;
	assay_json *list = as_json_array();
	int rc = 0;

	s->tools = as_new(n ? n : 1, sizeof *s->tools);
	s->names = as_new(n ? n : 1, sizeof *s->names);
	s->listing = as_json_object();
	if (!s->tools || !s->names || !s->listing || !list) {
		as_json_free(list);
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		tool_state *t = &s->tools[i];

		t->tool = &s->def->tools[i];
		s->names[i] = t->tool->name;
		rc = read_schema(t->tool->name, "input schema", t->tool->input_schema, &t->input, &t->check_input, err);
		if (!rc && t->tool->output_schema) {
			rc = read_schema(t->tool->name, "output schema", t->tool->output_schema, &t->output,
					 &t->check_output, err);
		}
		if (!rc && list_tool(t, list)) {
			rc = as_fail_memory(err);
		}
	}
	if (rc) {
		as_json_free(list);
		return rc;
	}
	return as_json_set(s->listing, "tools", list) ? as_fail_memory(err) : 0;
}

static void unload_tools(server *s)
{
	for (size_t i = 0; s->tools && i < s->def->n_tools; i++) {
		as_schema_free(s->tools[i].check_input);
		as_schema_free(s->tools[i].check_output);
		as_json_free(s->tools[i].input);
		as_json_free(s->tools[i].output);
	}
	free(s->tools);
	free(s->names);
	as_json_free(s->listing);
}

static tool_state *find_tool(const server *s, assay_str name)
{
	for (size_t i = 0; i < s->def->n_tools; i++) {
		if (as_str_is(name, s->tools[i].tool->name)) {
			return &s->tools[i];
		}
	}
	return NULL;
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

static void add_error(as_buf *b, const assay_json *id, int code, const char *format, ...) ASSAY_PRINTF(4, 5);
static void add_error(as_buf *b, const assay_json *id, int code, const char *format, ...)
{
	char text[768];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n < 0) {
		n = 0;
	}
	if ((size_t)n >= sizeof text) {
		n = (int)sizeof text - 1;
	}
	as_rpc_write_error(b, id, code, (assay_str){text, (size_t)n});
}

/* {"content":[...],"structuredContent":...,"isError":true} out of an answer, whose structured value moves into it. */
static assay_json *tool_result(as_mcp_answer *answer)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *block;
	int rc = 0;

	if (!answer->text.ptr && answer->structured) {
		rc = as_json_dump(answer->structured, ASSAY_JSON_COMPACT, &answer->text, NULL);
	}
	if (answer->text.ptr && !rc) {
		block = as_json_object();
		rc = as_json_set(block, "type", as_json_cstring("text"));
		if (!rc) {
			rc = as_json_set(block, "text", as_json_string(as_text_str(answer->text)));
		}
		if (rc) {
			as_json_free(block);
		} else {
			rc = as_json_append(content, block);
		}
	}
	if (rc) {
		as_json_free(content);
	} else {
		rc = as_json_set(result, "content", content);
	}
	if (!rc && answer->structured) {
		rc = as_json_set(result, "structuredContent", answer->structured);
		answer->structured = NULL;
	}
	if (!rc && answer->failed) {
		rc = as_json_set(result, "isError", as_json_truth(1));
	}
	if (rc) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

static void add_tool_result(as_buf *b, const assay_json *id, as_mcp_answer *answer)
{
	assay_json *result = tool_result(answer);

	if (result) {
		as_rpc_write_result(b, id, result);
	} else {
		add_error(b, id, AS_RPC_INTERNAL, "out of memory");
	}
	as_json_free(result);
}

/* A promise of the output schema that is not kept is this server's defect, and is said to be one. */
static int check_output(const tool_state *t, const as_mcp_answer *answer, assay_error *err)
{
	if (!t->check_output || answer->failed) {
		return 0;
	}
	if (!answer->structured) {
		return as_fail(err, ASSAY_EINTERNAL, "the tool has an output schema but gave no structured result");
	}
	return as_schema_validate(t->check_output, answer->structured, err);
}

static void run_tool(server *s, const tool_state *t, const assay_json *id, assay_json *arguments, as_buf *b)
{
	as_mcp_answer answer = {0};
	as_buf complaint = {0};
	assay_error err = {0};
	int rc = as_mcp_check_arguments(t->tool->name, t->check_input, t->input, arguments, &complaint, &err);

	if (rc == ASSAY_EDATA) {
		answer.failed = true;
		rc = as_buf_take(&complaint, &answer.text, &err);
	} else if (!rc) {
		rc = t->tool->call(s->def->payload, arguments, &answer, &err);
		if (!rc) {
			rc = check_output(t, &answer, &err);
		}
	}
	if (rc) {
		add_error(b, id, AS_RPC_INTERNAL, "%s: %s%s%s", t->tool->name, err.pointer, err.pointer[0] ? ": " : "",
			  err.message[0] ? err.message : as_error_name(rc));
	} else {
		add_tool_result(b, id, &answer);
	}
	as_json_free(answer.structured);
	as_text_free(&answer.text);
	as_buf_free(&complaint);
}

/* --- methods ----------------------------------------------------------------------------------------------------- */

static void do_ping(server *s, const as_rpc_message *m, as_buf *b)
{
	assay_json *empty = as_json_object();

	(void)s;
	as_rpc_write_result(b, m->id, empty);
	b->failed = b->failed || !empty;
	as_json_free(empty);
}

static assay_json *initialize_result(const server *s)
{
	const as_mcp_server *def = s->def;
	assay_json *result = as_json_object(), *info = as_json_object(), *capabilities = as_json_object();
	int rc = as_json_set(capabilities, "tools", as_json_object());

	rc = as_json_set(info, "name", as_json_cstring(def->name)) || rc;
	if (def->title) {
		rc = as_json_set(info, "title", as_json_cstring(def->title)) || rc;
	}
	rc = as_json_set(info, "version", as_json_cstring(def->version)) || rc;
	rc = as_json_set(result, "protocolVersion", as_json_cstring(s->revision->name)) || rc;
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

static void do_initialize(server *s, const as_rpc_message *m, as_buf *b)
{
	const assay_json *asked = as_json_get(m->params, "protocolVersion");
	assay_json *result;

	if (s->revision) {
		add_error(b, m->id, AS_RPC_INVALID_REQUEST, "initialize was already done");
		return;
	}
	if (as_json_type(asked) != ASSAY_JSON_STRING) {
		add_error(b, m->id, AS_RPC_INVALID_PARAMS, "initialize needs protocolVersion, a string");
		return;
	}
	s->revision = as_mcp_revision_find(as_json_str(asked));
	if (!s->revision || !s->revision->handshake) {
		s->revision = as_mcp_revision_newest();
	}
	result = initialize_result(s);
	if (result) {
		as_rpc_write_result(b, m->id, result);
	} else {
		add_error(b, m->id, AS_RPC_INTERNAL, "out of memory");
	}
	as_json_free(result);
}

static void do_list(server *s, const as_rpc_message *m, as_buf *b)
{
	/* Everything fits on one page, so no cursor was ever handed out. */
	if (as_json_get(m->params, "cursor")) {
		add_error(b, m->id, AS_RPC_INVALID_PARAMS, "no such cursor; the list has one page");
		return;
	}
	as_rpc_write_result(b, m->id, s->listing);
}

static void do_call(server *s, const as_rpc_message *m, as_buf *b)
{
	const assay_json *name = as_json_get(m->params, "name");
	const assay_json *arguments = as_json_get(m->params, "arguments");
	assay_json *none = NULL;
	tool_state *t;

	if (as_json_type(name) != ASSAY_JSON_STRING) {
		add_error(b, m->id, AS_RPC_INVALID_PARAMS, "tools/call needs name, a string");
		return;
	}
	t = find_tool(s, as_json_str(name));
	if (!t) {
		const char *near = as_nearest(as_json_str(name), s->names, s->def->n_tools);
		int shown = as_json_str(name).len < 128 ? (int)as_json_str(name).len : 128;

		add_error(b, m->id, AS_RPC_INVALID_PARAMS, "Unknown tool: %.*s%s%s%s", shown, as_json_str(name).ptr,
			  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		return;
	}
	if (as_json_type(arguments) == ASSAY_JSON_NONE || as_json_type(arguments) == ASSAY_JSON_NULL) {
		none = as_json_object();
		if (!none) {
			add_error(b, m->id, AS_RPC_INTERNAL, "out of memory");
			return;
		}
		run_tool(s, t, m->id, none, b);
		as_json_free(none);
	} else if (as_json_type(arguments) != ASSAY_JSON_OBJECT) {
		add_error(b, m->id, AS_RPC_INVALID_PARAMS, "arguments of tools/call must be an object");
	} else {
		run_tool(s, t, m->id, as_json_edit(arguments), b);
	}
}

typedef struct method {
	const char *name;
	bool early; /* allowed before initialize */
	void (*run)(server *s, const as_rpc_message *m, as_buf *b);
} method;

static void run_request(server *s, const as_rpc_message *m, as_buf *b, bool in_batch)
{
	static const method methods[] = {
		{"ping", true, do_ping},
		{"initialize", true, do_initialize},
		{"tools/list", false, do_list},
		{"tools/call", false, do_call},
	};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (!as_str_is(m->method, methods[i].name)) {
			continue;
		}
		if (!s->revision && !methods[i].early) {
			add_error(b, m->id, AS_RPC_INVALID_REQUEST, "send initialize before %s", methods[i].name);
		} else if (in_batch && methods[i].run == do_initialize) {
			add_error(b, m->id, AS_RPC_INVALID_REQUEST, "initialize must not be part of a batch");
		} else if (m->params && as_json_type(m->params) != ASSAY_JSON_OBJECT) {
			add_error(b, m->id, AS_RPC_INVALID_PARAMS, "params of %s must be an object", methods[i].name);
		} else {
			methods[i].run(s, m, b);
		}
		return;
	}
	add_error(b, m->id, AS_RPC_NO_METHOD, "Method not found: %.*s", m->method.len < 128 ? (int)m->method.len : 128,
		  m->method.ptr);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static void run_message(server *s, const assay_json *doc, as_buf *b, bool in_batch)
{
	as_rpc_message m = as_rpc_read(doc);

	if (m.kind == AS_RPC_REQUEST) {
		run_request(s, &m, b, in_batch);
	} else if (m.kind == AS_RPC_MALFORMED || m.kind == AS_RPC_BATCH) {
		add_error(b, m.id, AS_RPC_INVALID_REQUEST, "not a JSON-RPC 2.0 message");
	}
	/* Notifications ask for nothing, and we sent no request that a response could answer. */
}

static void run_batch(server *s, const assay_json *doc, as_buf *b)
{
	as_buf one = {0};

	for (const assay_json *v = as_json_first(doc); v; v = as_json_next(v)) {
		as_buf_clear(&one);
		run_message(s, v, &one, true);
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

static void run_line(server *s, assay_str line, as_buf *b)
{
	assay_json *doc = NULL;
	assay_error err = {0};

	if (as_rpc_parse(line, 0, &doc, &err)) {
		bool ours = err.code == ASSAY_ENOMEM;

		add_error(b, NULL, ours ? AS_RPC_INTERNAL : AS_RPC_PARSE, "Parse error: %s", err.message);
	} else if (as_rpc_read(doc).kind == AS_RPC_BATCH && s->revision && s->revision->batches) {
		run_batch(s, doc, b);
	} else {
		run_message(s, doc, b, false);
	}
	as_json_free(doc);
}

static int serve(server *s, as_line_reader *r, as_buf *reply, assay_error *err)
{
	for (;;) {
		assay_str line;
		bool overlong;
		int rc = as_line_next(r, &line, &overlong, err);

		if (rc) {
			return rc == ASSAY_ENOENT ? 0 : rc;
		}
		as_buf_clear(reply);
		if (overlong) {
			add_error(reply, NULL, AS_RPC_INVALID_REQUEST, "a message may have at most %zu bytes",
				  AS_MCP_MAX_MESSAGE);
		} else if (as_trim(line).len > 0) {
			run_line(s, line, reply);
		}
		if (reply->len > 0) {
			as_buf_byte(reply, '\n');
			rc = as_buf_check(reply, err);
			if (!rc) {
				rc = as_line_send(s->out, as_buf_str(reply), err);
			}
		}
		if (rc) {
			return rc;
		}
	}
}

int as_mcp_serve(const as_mcp_server *def, int in, int out, assay_error *err)
{
	server s = {.def = def, .out = out};
	as_line_reader r = {.fd = in, .max = AS_MCP_MAX_MESSAGE};
	as_buf reply = {0};
	int rc = load_tools(&s, err);

	if (!rc) {
		rc = serve(&s, &r, &reply, err);
	}
	unload_tools(&s);
	as_line_free(&r);
	as_buf_free(&reply);
	return rc;
}
