/* What can a model do? A few requests tell, before money is spent on a thousand. */
#include "core/base/error.h"
#include "core/run/context.h"
#include "core/run/embed.h"
#include <assay/roles/llm.h>
#include <assay/structured.h>
#include <string.h>

static const char plain[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"Reply with the one word: ready\"}],"
			    "\"max_tokens\":2048}";
static const char one_call[] =
	"{\"messages\":[{\"role\":\"user\",\"content\":\"Call the tool add with a = 2 and b = 3. Do not work it out "
	"yourself.\"}],\"max_tokens\":2048,\"tool_choice\":\"auto\",\"tools\":[{\"name\":\"add\",\"description\":\"Adds two "
	"numbers.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
	"\"integer\"}},\"required\":[\"a\",\"b\"]}}]}";
static const char two_calls[] =
	"{\"messages\":[{\"role\":\"user\",\"content\":\"In one and the same reply call the tool weather twice: for the city "
	"of Rome and for the city of Oslo.\"}],\"max_tokens\":2048,\"tool_choice\":\"auto\",\"tools\":[{\"name\":\"weather\","
	"\"description\":\"The weather in a city.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":"
	"\"string\"}},\"required\":[\"city\"]}}]}";

static const char shape[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"city\",\"country\"],\"properties\":{\"city\":"
	"{\"type\":\"string\",\"minLength\":1},\"country\":{\"type\":\"string\",\"minLength\":1}}}";

static int ask(as_context *c, const char *text, assay_json **reply, assay_error *err)
{
	const assay_host *host = c->call.pub.host;
	assay_json *request = NULL;
	int rc = as_json_parse(as_str(text), ASSAY_JSON_STRICT, &request, err);
	if (rc == 0) {
		rc = host->llm->chat(&c->call.pub, request, reply, err);
	}
	as_json_free(request);
	return rc;
}

/* Calls of `tool` with a member `argument` in their arguments. */
static size_t count_calls(const assay_json *reply, const char *tool, const char *argument)
{
	size_t n = 0;
	for (const assay_json *c = as_json_first(as_json_pointer(reply, "/message/tool_calls")); c;
	     c = as_json_next(c)) {
		assay_json *arguments = NULL;
		bool ours = as_str_is(as_json_str(as_json_get(c, "name")), tool);
		if (ours &&
		    as_json_parse(as_json_str(as_json_get(c, "arguments")), ASSAY_JSON_PEER, &arguments, NULL) == 0) {
			n += as_json_get(arguments, argument) != NULL;
		}
		as_json_free(arguments);
	}
	return n;
}

static int probe_plain(as_context *c, as_model_abilities *out, assay_error *err)
{
	assay_json *reply = NULL;
	int rc = ask(c, plain, &reply, err);
	out->plain = rc == 0 && as_json_str(as_json_pointer(reply, "/message/content")).len > 0;
	as_json_free(reply);
	return rc;
}

static int probe_calls(as_context *c, as_model_abilities *out, assay_error *err)
{
	assay_json *reply = NULL;
	int rc = ask(c, one_call, &reply, err);
	out->tool_call = rc == 0 && count_calls(reply, "add", "a") > 0;
	as_json_free(reply);
	reply = NULL;
	if (rc == 0 && out->tool_call) {
		rc = ask(c, two_calls, &reply, err);
		out->parallel_calls = rc == 0 && count_calls(reply, "weather", "city") > 1;
	}
	as_json_free(reply);
	return rc;
}

/* One reply in the way that authors and judges get theirs. */
static int probe_shaped(as_context *c, as_model_abilities *out, assay_error *err)
{
	const assay_structured_api *structured = as_host()->service("structured", 1);
	assay_json *schema = NULL, *answer = NULL;
	assay_error why = {0};
	int rc = as_json_parse(as_str(shape), ASSAY_JSON_STRICT, &schema, err);
	if (rc == 0) {
		const assay_question question = {.size = sizeof question,
						 .replies = 1,
						 .prompt = ASSAY_STR("Find the city in the sentence, and its country."),
						 .input = ASSAY_STR("Last week we were in Oslo."),
						 .name = "emit_place",
						 .description = "Hand over what was found.",
						 .schema = schema,
						 .max_tokens = 2048};
		rc = structured->ask(&c->call.pub, &question, &answer, &why);
		out->shaped = rc == 0;
		if (rc == ASSAY_EDATA && why.reason == ASSAY_LLM_MALFORMED) {
			rc = 0; /* it cannot */
		} else if (rc < 0 && err) {
			*err = why;
		}
	}
	as_json_free(answer);
	as_json_free(schema);
	return rc;
}

int as_probe_model(as_engine *e, const as_model_spec *model, as_model_abilities *out, assay_error *err)
{
	as_worker *w = NULL;
	as_instance *instance;
	as_context c;
	int rc = as_worker_new(e, &w, err);
	*out = (as_model_abilities){0};
	if (rc == 0) {
		rc = as_worker_instance(w, &model->llm, ASSAY_ROLE_LLM, &instance, err);
	}
	if (rc == 0 && (as_instance_info(instance)->impl->flags & ASSAY_IMPL_PURE)) {
		out->rules = true;
	} else if (rc == 0) {
		as_context_init(&c, w, "doctor", "doctor", 0, 0);
		c.model = model;
		rc = as_llm_ready(e->llm, (size_t)(model - e->manifest->models), instance, &c.call, err);
		rc = rc < 0 ? rc : probe_plain(&c, out, err);
		rc = rc < 0 ? rc : probe_calls(&c, out, err);
		out->needs_shaped = as_asks_for_shape(e->manifest, model->name);
		rc = rc < 0 || !out->needs_shaped ? rc : probe_shaped(&c, out, err);
	}
	as_worker_free(w);
	return rc;
}

typedef struct measure {
	assay_vector_sink sink;
	size_t length;
} measure;

static int take_length(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	(void)vector;
	(void)err;
	((measure *)sink)->length = n;
	return 0;
}

int as_probe_embedder(as_engine *e, const as_model_spec *model, size_t *length, assay_error *err)
{
	measure m = {{sizeof m.sink, 0, take_length}, 0};
	const assay_str text = ASSAY_STR("Which way to the station?");
	as_worker *w = NULL;
	as_context c;
	int rc = as_worker_new(e, &w, err);
	if (rc == 0) {
		as_context_init(&c, w, "doctor", "doctor", 0, 0);
		rc = as_embed(&c, model->name, &text, 1, &m.sink, err);
	}
	if (rc == 0 && m.length == 0) {
		rc = as_fail(err, ASSAY_EPLUGIN, "%s gave no vector", model->llm.use);
	}
	*length = m.length;
	as_worker_free(w);
	return rc;
}
