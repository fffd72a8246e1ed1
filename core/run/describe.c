#include "core/run/describe.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <assay/roles/llm.h>
#include <assay/structured.h>

static const char answer_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"description\"],\"properties\":{"
	"\"description\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":4000}}}";

static int input_of(const assay_tool *tool, assay_text *out, assay_error *err)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "name", as_json_string(tool->name));
	rc |= as_json_set(o, "description", as_json_string(tool->description));
	rc |= as_json_set(o, "input_schema", tool->input_schema ? as_json_clone(tool->input_schema) : as_json_null());
	rc = rc < 0 ? as_fail_memory(err) : as_json_dump(o, ASSAY_JSON_PRETTY, out, err);
	as_json_free(o);
	return rc;
}

/* Ask under the tool's own name, so that the reply is stored once for the run and found again whoever needs it first.
 */
static int ask(as_context *c, const as_use *use, const char *subject, assay_str input, assay_json **answer,
	       assay_error *err)
{
	const assay_structured_api *structured = as_host()->service("structured", 1);
	as_context own;
	assay_json *schema = NULL;
	int rc = as_json_parse(as_str(answer_schema), ASSAY_JSON_STRICT, &schema, err);
	as_context_init(&own, c->worker, use->use, subject, 0, 0);
	own.model = as_manifest_model(c->engine->manifest, use->model);
	if (rc == 0) {
		const assay_question question = {.size = sizeof question,
						 .prompt = as_json_str(as_json_pointer(use->options, "/prompt/text")),
						 .input = input,
						 .name = "emit_description",
						 .description = "Give the tool's new description.",
						 .schema = schema};
		rc = structured->ask(&own.call.pub, &question, answer, err);
	}
	if (rc < 0) {
		c->fault = own.fault;
		c->dialogue.end = own.dialogue.end;
	}
	as_json_free(schema);
	return rc;
}

/* Under the lock: what the model made of it, or the server's own words where it made nothing. */
static int find_or_ask(as_context *c, const as_use *use, const char *subject, const assay_tool *tool, assay_str *said,
		       assay_error *err)
{
	assay_json *all = c->engine->descriptions, *answer = NULL;
	const assay_json *known = as_json_get(all, subject);
	assay_text input = {0};
	assay_error why = {0};
	int rc = known ? 0 : input_of(tool, &input, err);
	if (rc == 0 && !known) {
		rc = ask(c, use, subject, as_text_str(input), &answer, &why);
		if (rc < 0 && !(rc == ASSAY_EDATA && why.reason == ASSAY_LLM_MALFORMED)) {
			if (err) {
				*err = why;
			}
		} else {
			assay_str text =
				answer ? as_trim(as_json_str(as_json_get(answer, "description"))) : tool->description;
			rc = as_json_set(all, subject, as_json_string(text)) < 0 ? as_fail_memory(err) : 0;
			known = as_json_get(all, subject);
		}
	}
	*said = as_json_str(known);
	as_json_free(answer);
	as_text_free(&input);
	return rc;
}

static int name_subject(as_buf *out, const as_condition_spec *condition, const assay_tool *tool, assay_error *err)
{
	as_buf_printf(out, "describe:%s:%.*s__%.*s", condition->name, ASSAY_FMT(tool->server), ASSAY_FMT(tool->name));
	return as_buf_check(out, err);
}

int as_describe_known(as_engine *e, const as_condition_spec *condition, const assay_tool *tool, assay_str text,
		      assay_error *err)
{
	as_buf subject = {0};
	int rc = name_subject(&subject, condition, tool, err);
	if (rc == 0 && as_json_set(e->descriptions, subject.ptr, as_json_string(text)) < 0) {
		rc = as_fail_memory(err);
	}
	as_buf_free(&subject);
	return rc;
}

int as_describe(void *payload, as_call *call, const assay_tool *tool, assay_text *out, assay_error *err)
{
	const as_condition_spec *condition = payload;
	as_context *c = call->context;
	as_buf subject = {0}, copy = {0};
	assay_str said;
	int rc = name_subject(&subject, condition, tool, err);
	if (rc == 0) {
		pthread_mutex_lock(&c->engine->describing);
		rc = find_or_ask(c, &condition->describer, subject.ptr, tool, &said, err);
		if (rc == 0) {
			as_buf_add(&copy, said);
		}
		pthread_mutex_unlock(&c->engine->describing);
	}
	rc = rc < 0 ? rc : as_buf_take(&copy, out, err);
	as_buf_free(&copy);
	as_buf_free(&subject);
	return rc;
}
