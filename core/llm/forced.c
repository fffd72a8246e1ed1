/* A forced call of a tool, for models that cannot be made to call one: the same answer as JSON, by a schema that the
 * provider enforces, or by mere words. Whoever asks reads JSON in the content as it reads a call
 * (core/plugin/host_structured.c). */
#include "core/base/error.h"
#include "core/llm/hub.h"

static const assay_json *forced_tool(const assay_json *request)
{
	assay_str name = as_json_str(as_json_get(as_json_get(request, "tool_choice"), "name"));
	for (const assay_json *t = as_json_first(as_json_get(request, "tools")); t && name.len > 0;
	     t = as_json_next(t)) {
		if (as_str_eq(as_json_str(as_json_get(t, "name")), name)) {
			return t;
		}
	}
	return NULL;
}

bool as_llm_is_forced(const as_llm_settings *settings, const assay_json *request)
{
	return settings->answers && !as_str_is(as_str(settings->answers), "tool") && forced_tool(request);
}

/* One more message of the system, with the schema. */
static int say_schema(assay_json *request, const assay_json *schema)
{
	assay_json *message = as_json_object();
	as_buf text = {0};
	int rc;
	as_buf_puts(
		&text,
		"Answer with one JSON object and nothing else: no words around it, no fence. Its JSON Schema is:\n");
	as_json_write(&text, schema, ASSAY_JSON_COMPACT);
	rc = text.failed ? ASSAY_ENOMEM : as_json_set(message, "role", as_json_cstring("system"));
	rc |= as_json_set(message, "content", as_json_string(as_buf_str(&text)));
	rc |= as_json_append(as_json_edit(as_json_get(request, "messages")), message);
	as_buf_free(&text);
	return rc;
}

int as_llm_unforce(const as_llm_settings *settings, assay_json *request, assay_error *err)
{
	const assay_json *tool = forced_tool(request);
	int rc;
	if (as_str_is(as_str(settings->answers), "schema")) {
		assay_json *format = as_json_object();
		rc = as_json_set(format, "name", as_json_clone(as_json_get(tool, "name")));
		rc |= as_json_set(format, "schema", as_json_clone(as_json_get(tool, "parameters")));
		rc |= as_json_set(request, "response_format", format);
	} else {
		rc = say_schema(request, as_json_get(tool, "parameters"));
	}
	as_json_free(as_json_detach(request, "tools"));
	as_json_free(as_json_detach(request, "tool_choice"));
	return rc < 0 ? as_fail_memory(err) : 0;
}
