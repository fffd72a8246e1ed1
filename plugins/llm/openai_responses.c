/* llm/openai-responses: OpenAI's Responses API. https://platform.openai.com/docs/api-reference/responses/create
 *
 * Nothing is stored at the provider: the items of an answer are kept ("native") and go back, reasoning included, which
 * is encrypted for that purpose. */
#include "provider.h"

#include <string.h>

static const char *const url_variables[] = {"OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_BASE_URL", NULL};
static const char *const key_variables[] = {"OPENAI_API_KEY", NULL};
static const struct provider_api api = {.use = "llm/openai-responses",
					.name = "openai-responses",
					.base_url = "https://api.openai.com/v1",
					.url_variables = url_variables,
					.key_variables = key_variables,
					.key_header = "Authorization: Bearer "};

/* --- The request --- */

static bool is_type(const struct provider *p, const assay_json *item, const char *type)
{
	return provider_is(p->json->str(p->json->get(item, "type")), type);
}

static int add_call(const struct provider *p, assay_json *items, const assay_json *call)
{
	const assay_json_api *j = p->json;
	assay_json *item = j->object();
	int bad = j->set(item, "type", provider_text(p, "function_call"));
	bad |= j->set(item, "call_id", j->clone(j->get(call, "id")));
	bad |= j->set(item, "name", j->clone(j->get(call, "name")));
	bad |= j->set(item, "arguments", j->string(j->str(j->get(call, "arguments"))));
	return bad | j->append(items, item);
}

static size_t count_calls(const struct provider *p, const assay_json *items)
{
	size_t n = 0;
	for (const assay_json *i = p->json->first(items); i; i = p->json->next(i)) {
		n += is_type(p, i, "function_call");
	}
	return n;
}

/* Without its encrypted content a reasoning item is a reference to something that was not stored, and so are the ids of
 * the items beside it. */
static int add_native(const struct provider *p, assay_json *items, const assay_json *kept, const assay_json *calls)
{
	const assay_json_api *j = p->json;
	const assay_json *call = j->first(calls);
	bool sealed = false;
	int bad = 0;
	for (const assay_json *i = j->first(kept); i; i = j->next(i)) {
		sealed = sealed || j->str(j->get(i, "encrypted_content")).len > 0;
	}
	for (const assay_json *i = j->first(kept); i && !bad; i = j->next(i)) {
		assay_json *copy;
		if (is_type(p, i, "reasoning") && j->str(j->get(i, "encrypted_content")).len == 0) {
			continue;
		}
		copy = j->clone(i);
		if (!sealed) {
			j->free(j->detach(copy, "id"));
		}
		if (is_type(p, i, "function_call")) {
			bad |= j->set(copy, "call_id", j->clone(j->get(call, "id")));
			call = j->next(call);
		}
		bad |= j->append(items, copy);
	}
	return bad;
}

static int add_assistant(const struct provider *p, assay_json *items, const assay_json *message)
{
	const assay_json_api *j = p->json;
	const assay_json *calls = j->get(message, "tool_calls"), *kept = provider_native(p, message, "output");
	int bad = 0;
	if (kept && count_calls(p, kept) == j->count(calls)) {
		return add_native(p, items, kept, calls);
	}
	if (j->str(j->get(message, "content")).len > 0) {
		bad = j->append(items,
				provider_message(p, "assistant", "content", j->clone(j->get(message, "content"))));
	}
	for (const assay_json *c = j->first(calls); c && !bad; c = j->next(c)) {
		bad |= add_call(p, items, c);
	}
	return bad;
}

static int add_message(const struct provider *p, assay_json *items, const assay_json *m)
{
	const assay_json_api *j = p->json;
	assay_str role = j->str(j->get(m, "role"));
	if (provider_is(role, "assistant")) {
		return add_assistant(p, items, m);
	}
	if (provider_is(role, "tool")) {
		assay_json *item = j->object();
		assay_text text = {NULL, 0};
		int bad = j->set(item, "type", provider_text(p, "function_call_output"));
		bad |= j->set(item, "call_id", j->clone(j->get(m, "tool_call_id")));
		bad |= provider_content(p, j->get(m, "content"), &text);
		bad |= j->set(item, "output", j->string((assay_str){text.ptr, text.len}));
		p->host->free(text.ptr);
		return bad | j->append(items, item);
	}
	return j->append(items,
			 provider_message(p, role.ptr ? role.ptr : "user", "content", j->clone(j->get(m, "content"))));
}

static int set_input(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	assay_json *items = j->array();
	int bad = items ? 0 : ASSAY_ENOMEM;
	for (const assay_json *m = j->first(j->get(request, "messages")); m && !bad; m = j->next(m)) {
		bad = add_message(p, items, m);
	}
	return bad | j->set(body, "input", items);
}

static int set_tools(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *tools = j->get(request, "tools"), *choice = j->get(request, "tool_choice");
	assay_json *list;
	int bad = 0;
	if (j->count(tools) == 0) {
		return 0;
	}
	list = j->array();
	for (const assay_json *t = j->first(tools); t && !bad; t = j->next(t)) {
		assay_json *tool = j->clone(t);
		bad |= j->set(tool, "type", provider_text(p, "function"));
		bad |= j->set(tool, "strict", j->truth(0)); /* when not told, it would want every argument required */
		bad |= j->append(list, tool);
	}
	bad |= j->set(body, "tools", list);
	if (choice) {
		assay_json *copy = j->clone(choice);
		if (j->type(choice) == ASSAY_JSON_OBJECT) {
			bad |= j->set(copy, "type", provider_text(p, "function"));
		}
		bad |= j->set(body, "tool_choice", copy);
	}
	return bad;
}

static int set_format(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *given = provider_parameter(p, request, "response_format");
	assay_json *format, *text;
	if (!given) {
		return 0;
	}
	format = j->clone(given); /* {name, schema} */
	text = j->object();
	int bad = j->set(format, "type", provider_text(p, "json_schema"));
	bad |= j->set(text, "format", format);
	return bad | j->set(body, "text", text);
}

static bool starts(assay_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.len >= n && memcmp(s.ptr, prefix, n) == 0;
}

/* Only models that reason know what reasoning is. */
static int set_reasoning(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *effort = provider_parameter(p, request, "reasoning_effort");
	assay_str model = provider_model(p);
	int bad = 0;
	if (effort) {
		assay_json *reasoning = j->object();
		bad |= j->set(reasoning, "effort", j->clone(effort));
		bad |= j->set(body, "reasoning", reasoning);
	}
	if (effort || starts(model, "gpt-5") || starts(model, "o1") || starts(model, "o3") || starts(model, "o4")) {
		assay_json *include = j->array();
		bad |= j->append(include, provider_text(p, "reasoning.encrypted_content"));
		bad |= j->set(body, "include", include);
	}
	return bad;
}

static assay_json *wire_request(const struct provider *p, const assay_json *request)
{
	const assay_json_api *j = p->json;
	assay_json *body = j->object();
	int bad = j->set(body, "model", j->string(provider_model(p)));
	bad |= set_input(p, request, body);
	bad |= set_tools(p, request, body);
	bad |= set_format(p, request, body);
	bad |= set_reasoning(p, request, body);
	bad |= provider_copy(p, request, "temperature", body, "temperature");
	bad |= provider_copy(p, request, "top_p", body, "top_p");
	bad |= provider_copy(p, request, "max_tokens", body, "max_output_tokens");
	bad |= j->set(body, "store", j->truth(0));
	if (bad) {
		j->free(body);
		return NULL;
	}
	return body;
}

/* --- The reply --- */

static void read_item(struct provider_reply *r, const assay_json *item)
{
	const assay_json_api *j = r->p->json;
	if (is_type(r->p, item, "function_call")) {
		provider_reply_call(r, j->str(j->get(item, "call_id")), j->str(j->get(item, "name")),
				    j->string(j->str(j->get(item, "arguments"))));
	} else if (is_type(r->p, item, "message")) {
		for (const assay_json *c = j->first(j->get(item, "content")); c; c = j->next(c)) {
			const assay_json *text = j->get(c, is_type(r->p, c, "refusal") ? "refusal" : "text");
			provider_reply_text(r, j->str(text));
		}
	}
}

static const char *finish_of(const struct provider *p, const assay_json *answer, bool calls)
{
	assay_str reason = p->json->str(p->json->pointer(answer, "/incomplete_details/reason"));
	if (provider_is(reason, "max_output_tokens")) {
		return "length";
	}
	return provider_is(reason, "content_filter") ? "content_filter" : calls ? "tool_calls" : "stop";
}

static int read_reply(const struct provider *p, const assay_json *request, const assay_json *answer, assay_sink *sink,
		      assay_error *err)
{
	const assay_json_api *j = p->json;
	const assay_json *output = j->get(answer, "output"), *usage = j->get(answer, "usage");
	struct provider_reply r;
	(void)request;
	if (provider_is(j->str(j->get(answer, "status")), "failed")) {
		return provider_refusal(p, 200, answer, err);
	}
	if (j->type(output) != ASSAY_JSON_ARRAY) {
		return provider_malformed(p, "no list \"output\"", err);
	}
	provider_reply_begin(&r, p);
	for (const assay_json *item = j->first(output); item; item = j->next(item)) {
		read_item(&r, item);
	}
	provider_reply_native(&r, "output", j->clone(output));
	r.finish = finish_of(p, answer, r.calls != NULL);
	r.model = j->str(j->get(answer, "model")).len ? j->clone(j->get(answer, "model")) : NULL;
	provider_reply_usage(&r, j->i64(j->get(usage, "input_tokens"), -1), j->i64(j->get(usage, "output_tokens"), -1),
			     j->i64(j->pointer(usage, "/input_tokens_details/cached_tokens"), 0),
			     j->i64(j->pointer(usage, "/output_tokens_details/reasoning_tokens"), 0));
	return provider_reply_emit(&r, sink, err);
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	return provider_chat(self, call, "/responses", wire_request, read_reply, request, reply, err);
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return provider_open(host, &api, options, self, err);
}

static const assay_llm_dialect dialect = {.size = sizeof dialect,
					  .schema = ASSAY_LLM_SCHEMA_OBJECT,
					  .name_marks = "_-",
					  .name_max = 64};
static const assay_llm_ops ops = {.size = sizeof ops,
				  .open = open,
				  .close = provider_close,
				  .complete = complete,
				  .dialect = &dialect,
				  .ready = provider_ready};

static const assay_impl responses = {
	.size = sizeof responses,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "openai-responses",
	.summary = "OpenAI's Responses API",
	.options = "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"model\"], "
		   "\"properties\": {" PROVIDER_OPTIONS "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_openai_responses, "0.1.0", "Models behind OpenAI's Responses API", "Apache-2.0", &responses)
