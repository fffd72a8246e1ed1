#include "core/mcp/policy.h"
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/mcp/jsonrpc.h"

#define MAX_REQUESTS 64u
#define MAX_KEY 256u

static assay_json *action(const char *name, assay_json *content)
{
	assay_json *result = as_json_object();
	int rc = as_json_set(result, "action", as_json_cstring(name));

	if (content) {
		rc = as_json_set(result, "content", content) || rc;
	}
	if (rc) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

/* The form filled in with its defaults, or NULL when that is no valid answer to it. */
static assay_json *filled(const assay_json *form)
{
	assay_json *content = as_json_object();
	as_schema *schema = NULL;
	bool fits = as_json_type(form) == ASSAY_JSON_OBJECT && content && !as_schema_compile(form, &schema, NULL) &&
		    !as_schema_fill_defaults(schema, content, NULL) && !as_schema_validate(schema, content, NULL);

	as_schema_free(schema);
	if (!fits) {
		as_json_free(content);
		return NULL;
	}
	return content;
}

static void elicit(as_mcp_elicitation policy, const assay_json *params, as_served *out)
{
	assay_str mode = as_json_str(as_json_get(params, "mode"));
	assay_json *content = NULL;

	if (mode.len > 0 && !as_str_is(mode, "form")) {
		*out = (as_served){.code = AS_RPC_INVALID_PARAMS, .said = "this client only fills in forms"};
		return;
	}
	if (policy == AS_MCP_ELICIT_DEFAULTS) {
		content = filled(as_json_get(params, "requestedSchema"));
	}
	out->said = content ? "accepted with the defaults" : "declined";
	out->result = action(content ? "accept" : "decline", content);
	if (!out->result) {
		*out = (as_served){.code = AS_RPC_INTERNAL, .said = "out of memory"};
	}
}

void as_policy_serve(as_mcp_elicitation elicitation, assay_str method, const assay_json *params, as_served *out)
{
	*out = (as_served){.code = AS_RPC_NO_METHOD, .said = "Method not found"};
	if (as_str_is(method, "ping")) {
		out->result = as_json_object();
		out->code = AS_RPC_INTERNAL;
		out->said = "out of memory";
	} else if (as_str_is(method, "elicitation/create")) {
		elicit(elicitation, params, out);
	}
}

assay_json *as_policy_capabilities(as_mcp_elicitation elicitation, bool stateless)
{
	assay_json *capabilities = as_json_object(), *extensions = NULL;
	int rc = 0;

	/* An empty object stands for forms only, in every revision that has elicitation. */
	if (elicitation != AS_MCP_ELICIT_NONE) {
		rc = as_json_set(capabilities, "elicitation", as_json_object());
	}
	if (stateless) {
		extensions = as_json_object();
		rc = as_json_set(extensions, AS_MCP_META "tasks", as_json_object()) || rc;
		rc = as_json_set(capabilities, "extensions", extensions) || rc;
	}
	if (rc) {
		as_json_free(capabilities);
		return NULL;
	}
	return capabilities;
}

static assay_json *refusal(const as_served *served)
{
	assay_json *error = as_json_object();
	int rc = as_json_set(error, "code", as_json_integer(served->code));

	rc = as_json_set(error, "message", as_json_cstring(served->said)) || rc;
	if (rc) {
		as_json_free(error);
		return NULL;
	}
	return error;
}

int as_policy_note(assay_json **notes, assay_str method, const assay_json *params, const as_served *served,
		   size_t bytes)
{
	assay_json *note;
	int rc;

	*notes = *notes ? *notes : as_json_array();
	if (as_json_count(*notes) >= AS_POLICY_NOTES) {
		return 0;
	}
	note = as_json_object();
	rc = as_json_set(note, "method", as_json_string(method));
	if (bytes > AS_POLICY_NOTED) {
		rc = as_json_set(note, "bytes", as_json_integer((int64_t)bytes)) || rc;
	} else if (params) {
		rc = as_json_set(note, "params", as_json_clone(params)) || rc;
	}
	rc = (served->result ? as_json_set(note, "result", as_json_clone(served->result))
			     : as_json_set(note, "error", refusal(served))) ||
	     rc;
	if (rc) {
		as_json_free(note);
		return ASSAY_ENOMEM;
	}
	return as_json_append(*notes, note);
}

int as_policy_respond(as_mcp_elicitation elicitation, const assay_json *requests, const assay_json *answered,
		      assay_json **notes, size_t bytes, assay_json **responses, assay_error *err)
{
	assay_json *all = as_json_object();
	int rc = all ? 0 : as_fail_memory(err);

	*responses = NULL;
	if (as_json_count(requests) > MAX_REQUESTS) {
		rc = as_fail(err, ASSAY_ELIMIT, "it asks for more than %u inputs at once", MAX_REQUESTS);
	}
	for (const assay_json *r = as_json_first(requests); r && !rc; r = as_json_next(r)) {
		assay_str method = as_json_str(as_json_get(r, "method"));
		as_served served;

		if (as_json_get_n(answered, as_json_key(r))) {
			continue;
		}
		if (as_json_key(r).len > MAX_KEY) {
			rc = as_fail(err, ASSAY_ELIMIT, "it names an input by more than %u bytes", MAX_KEY);
			break;
		}
		if (!as_str_is(method, "elicitation/create") || elicitation == AS_MCP_ELICIT_NONE) {
			rc = as_fail(err, ASSAY_EPROTO, "it asks for \"%.*s\", which this client did not announce",
				     (int)(method.len < 64 ? method.len : 64), method.len ? method.ptr : "");
			break;
		}
		as_policy_serve(elicitation, method, as_json_get(r, "params"), &served);
		if (!served.result) {
			rc = as_fail(err, ASSAY_EPROTO, "its elicitation cannot be answered: %s", served.said);
		} else if (as_policy_note(notes, method, as_json_get(r, "params"), &served, bytes)) {
			as_json_free(served.result);
			rc = as_fail_memory(err);
		} else if (as_json_set_n(all, as_json_key(r), served.result)) {
			rc = as_fail_memory(err);
		}
	}
	if (rc) {
		as_json_free(all);
		return rc;
	}
	*responses = all;
	return 0;
}
