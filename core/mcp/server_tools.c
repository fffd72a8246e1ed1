/* Tools on the server's side: reading their schemas, listing and running them. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/arguments.h"
#include "core/mcp/mirror.h"
#include "core/mcp/server_private.h"

#include <stdio.h>
#include <stdlib.h>

int as_mcp_refuse(as_mcp_answer *answer, const char *format, ...)
{
	as_buf b = {0};
	va_list args, again;
	int n;

	as_server_clear_answer(answer);
	answer->failed = true;
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

static int list_tool(const as_server_tool *t, assay_json *list)
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

int as_server_load(as_server *s, assay_error *err)
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
		as_server_tool *t = &s->tools[i];

		t->tool = &s->def->tools[i];
		s->names[i] = t->tool->name;
		rc = read_schema(t->tool->name, "input schema", t->tool->input_schema, &t->input, &t->check_input, err);
		if (!rc && t->tool->output_schema) {
			rc = read_schema(t->tool->name, "output schema", t->tool->output_schema, &t->output,
					 &t->check_output, err);
		}
		if (!rc) {
			rc = as_mirror_scan_schema(t->input, &t->mirrors, err);
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

void as_server_unload(as_server *s)
{
	for (size_t i = 0; s->tools && i < s->def->n_tools; i++) {
		as_schema_free(s->tools[i].check_input);
		as_schema_free(s->tools[i].check_output);
		as_json_free(s->tools[i].mirrors);
		as_json_free(s->tools[i].input);
		as_json_free(s->tools[i].output);
	}
	free(s->tools);
	free(s->names);
	as_json_free(s->listing);
}

const as_server_tool *as_server_find(const as_server *s, assay_str name)
{
	for (size_t i = 0; i < s->def->n_tools; i++) {
		if (as_str_is(name, s->tools[i].tool->name)) {
			return &s->tools[i];
		}
	}
	return NULL;
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

void as_server_error(as_buf *b, const assay_json *id, int code, const char *format, ...)
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

	if (answer->content) {
		as_json_free(content);
		content = answer->content;
		answer->content = NULL;
	} else if (!answer->text.ptr && answer->structured) {
		rc = as_json_dump(answer->structured, ASSAY_JSON_COMPACT, &answer->text, NULL);
	}
	if (answer->text.ptr && as_json_count(content) == 0 && !rc) {
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

/* {"inputRequests":{...},"requestState":"..."} */
static assay_json *input_result(as_mcp_answer *answer)
{
	assay_json *result = as_json_object();
	int rc = as_json_set(result, "inputRequests", answer->input_requests);

	answer->input_requests = NULL;
	if (answer->state) {
		rc = as_json_set(result, "requestState", as_json_cstring(answer->state)) || rc;
	}
	if (rc) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

static void add_tool_result(const as_mcp_exchange *x, as_buf *b, const assay_json *id, as_mcp_answer *answer)
{
	bool wants_input = answer->input_requests && x->stateless;

	as_server_result(x, b, id, wants_input ? input_result(answer) : tool_result(answer),
			 wants_input ? "input_required" : "complete");
}

void as_server_clear_answer(as_mcp_answer *answer)
{
	as_json_free(answer->structured);
	as_json_free(answer->content);
	as_json_free(answer->input_requests);
	as_text_free(&answer->text);
	*answer = (as_mcp_answer){0};
}

/* A promise of the output schema that is not kept is this server's defect, and is said to be one. */
static int check_output(const as_server_tool *t, const as_mcp_answer *answer, assay_error *err)
{
	if (!t->check_output || answer->failed || answer->input_requests) {
		return 0;
	}
	if (!answer->structured) {
		return as_fail(err, ASSAY_EINTERNAL, "the tool has an output schema but gave no structured result");
	}
	return as_schema_validate(t->check_output, answer->structured, err);
}

static int call_tool(as_mcp_exchange *x, const as_server_tool *t, const assay_json *arguments, as_mcp_answer *answer,
		     assay_error *err)
{
	void *payload = x->server->def->payload;

	return t->tool->run ? t->tool->run(payload, x, arguments, answer, err)
			    : t->tool->call(payload, arguments, answer, err);
}

void as_server_run(as_mcp_exchange *x, const as_server_tool *t, const assay_json *id, assay_json *arguments, as_buf *b)
{
	as_mcp_answer answer = {0};
	as_buf complaint = {0};
	assay_error err = {0};
	int rc = as_mcp_check_arguments(t->tool->name, t->check_input, t->input, arguments, &complaint, &err);

	if (rc == ASSAY_EDATA) {
		answer.failed = true;
		rc = as_buf_take(&complaint, &answer.text, &err);
	} else if (!rc && t->tool->needs && !as_mcp_client_has(x, t->tool->needs)) {
		rc = as_mcp_refuse(&answer, "%s needs a client with %s", t->tool->name, t->tool->needs);
	} else if (!rc) {
		rc = call_tool(x, t, arguments, &answer, &err);
		if (!rc) {
			rc = check_output(t, &answer, &err);
		}
	}
	if (rc) {
		as_server_error(b, id, AS_RPC_INTERNAL, "%s: %s%s%s", t->tool->name, err.pointer,
				err.pointer[0] ? ": " : "", err.message[0] ? err.message : as_error_name(rc));
	} else {
		add_tool_result(x, b, id, &answer);
	}
	as_server_clear_answer(&answer);
	as_buf_free(&complaint);
}
