#include "core/run/simulate.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/ends.h"
#include "core/trace/canonical.h"
#include <assay/roles/llm.h>
#include <assay/structured.h>
#include <string.h>

#define EXAMPLES 5u
#define EXAMPLE_BYTES 1200u

static const char answer_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"text\",\"is_error\"],\"properties\":{"
	"\"text\":{\"type\":\"string\"},\"is_error\":{\"type\":\"boolean\"}}}";

/* One recorded call of the tool, with its result as text. */
static int add_example(const as_tape_row *row, assay_json *list)
{
	assay_json *o = as_json_object();
	as_buf text = {0};
	int rc = as_render_result(row->result, &text);
	assay_str shown = as_buf_str(&text);
	shown.len = as_utf8_prefix(shown, EXAMPLE_BYTES);
	rc |= as_json_set(o, "arguments", row->arguments ? as_json_clone(row->arguments) : as_json_object());
	rc |= as_json_set(o, "result", as_json_string(shown));
	rc |= as_json_set(o, "is_error", as_json_truth(row->status != ASSAY_STEP_SUCCESS));
	as_buf_free(&text);
	return rc | as_json_append(list, o);
}

static int input_of(const as_context *c, const as_tape *tape, assay_str server, assay_str tool,
		    const assay_json *arguments, assay_text *out, assay_error *err)
{
	const assay_tool *known = as_catalogue_find(c->engine->catalogue, server, tool);
	assay_json *input = as_json_object(), *about = as_json_object(), *list = as_json_array();
	const uint32_t *rows;
	size_t n = as_tape_of_tool(tape, server, tool, &rows);
	int rc = as_json_set(about, "server_id", as_json_string(server));
	rc |= as_json_set(about, "tool_name", as_json_string(tool));
	rc |= as_json_set(about, "description", as_json_string(known ? known->description : (assay_str){NULL, 0}));
	rc |= as_json_set(about, "input_schema",
			  known && known->input_schema ? as_json_clone(known->input_schema) : as_json_null());
	for (size_t i = 0; i < n && i < EXAMPLES && rc == 0; i++) {
		rc = add_example(as_tape_row_at(tape, rows[i]), list);
	}
	rc |= as_json_set(input, "tool", about);
	rc |= as_json_set(input, "arguments", arguments ? as_json_clone(arguments) : as_json_object());
	rc |= as_json_set(input, "recorded", list);
	rc = rc < 0 ? as_fail_memory(err) : as_json_dump(input, ASSAY_JSON_PRETTY, out, err);
	as_json_free(input);
	return rc;
}

/* {"meta": null, "content": [text], "structuredContent": null, "isError": b}, as a server's result is recorded. */
static assay_json *result_of(const assay_json *answer)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *part = as_json_object();
	int rc = as_json_set(part, "type", as_json_cstring("text"));
	rc |= as_json_set(part, "text", as_json_string(as_json_str(as_json_get(answer, "text"))));
	rc |= as_json_set(part, "annotations", as_json_null());
	rc |= as_json_set(part, "meta", as_json_null());
	rc |= as_json_append(content, part);
	rc |= as_json_set(result, "meta", as_json_null());
	rc |= as_json_set(result, "content", content);
	rc |= as_json_set(result, "structuredContent", as_json_null());
	rc |= as_json_set(result, "isError", as_json_truth(as_json_boolean(as_json_get(answer, "is_error"), 0)));
	if (rc < 0) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

/* Whether there was an answer or none that could be used: *said led to it, and is evidence. */
static int keep(as_context *c, assay_json *said, assay_error *err)
{
	assay_json *one;
	int rc = 0;
	c->simulated = c->simulated ? c->simulated : as_json_array();
	while (rc == 0 && (one = as_json_take_first(said)) != NULL) {
		rc = as_json_append(c->simulated, one);
	}
	return rc < 0 || !c->simulated ? as_fail_memory(err) : 0;
}

static bool is_no_answer(int rc, const assay_error *why)
{
	return rc == ASSAY_EDATA && why->reason == ASSAY_LLM_MALFORMED;
}

static int ask(as_context *c, const as_use *simulator, assay_str input, assay_json **answer, assay_error *err)
{
	const assay_structured_api *structured = as_host()->service("structured", 1);
	const as_model_spec *before = c->model;
	bool exposing = c->for_exposure;
	assay_json *schema = NULL, *said = as_json_array();
	int rc = !said ? as_fail_memory(err) : as_json_parse(as_str(answer_schema), ASSAY_JSON_STRICT, &schema, err);
	if (rc == 0) {
		const assay_question question = {.size = sizeof question,
						 .prompt = as_json_str(
							 as_json_pointer(simulator->options, "/prompt/text")),
						 .input = input,
						 .name = "emit_result",
						 .description = "Give the result of the call.",
						 .schema = schema};
		c->model = as_manifest_model(c->engine->manifest, simulator->model);
		c->for_exposure = true; /* not the agent's model, but the attempt pays */
		c->evidence = said;
		rc = structured->ask(&c->call.pub, &question, answer, err);
		c->evidence = NULL; /* no scorer is at work */
		c->model = before;
		c->for_exposure = exposing;
	}
	if ((rc == 0 || is_no_answer(rc, err)) && keep(c, said, err) < 0) {
		rc = ASSAY_ENOMEM;
	}
	as_json_free(said);
	as_json_free(schema);
	return rc;
}

/* Who makes up replies is no part of the agent: neither its reach nor what fits in it. */
static void note_end(as_context *c)
{
	const char *end = c->dialogue.end;
	if (end && (strcmp(as_end_class(end), "infra") == 0 || strcmp(end, "context_overflow") == 0)) {
		c->dialogue.end = "simulator_unreachable";
	}
}

int as_simulate(void *payload, const as_tape *tape, as_call *call, assay_str server, assay_str tool,
		const assay_json *arguments, as_answer *out, assay_error *err)
{
	as_context *c = call->context;
	assay_text input = {0};
	assay_json *answer = NULL;
	assay_error why = {0};
	int rc;
	if (!c->acting) {
		return 0;
	}
	rc = input_of(c, tape, server, tool, arguments, &input, err);
	if (rc == 0) {
		rc = ask(c, payload, as_text_str(input), &answer, &why);
		if (is_no_answer(rc, &why)) {
			rc = 0; /* nothing was said: a miss */
		} else if (rc < 0) {
			note_end(c);
			if (err) {
				*err = why;
			}
		}
	}
	if (rc == 0 && answer) {
		bool failed = as_json_boolean(as_json_get(answer, "is_error"), 0);
		out->result = result_of(answer);
		out->error = failed ? as_tool_error(out->result) : NULL;
		out->status = failed ? ASSAY_STEP_ERROR : ASSAY_STEP_SUCCESS;
		out->served = ASSAY_SERVED_SIMULATED;
		rc = out->result && (!failed || out->error) ? 0 : as_fail_memory(err);
	}
	as_json_free(answer);
	as_text_free(&input);
	return rc;
}
