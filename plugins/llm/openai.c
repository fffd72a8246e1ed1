/* llm/openai: Chat Completions, of OpenAI and of all who speak it: OpenRouter, vLLM, llama.cpp, Ollama, LiteLLM.
 * https://platform.openai.com/docs/api-reference/chat/create */
#include "provider.h"

#include <string.h>

static const char *const url_variables[] = {"OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_BASE_URL", NULL};
static const char *const key_variables[] = {"OPENAI_API_KEY", NULL};
static const struct provider_api api = {.use = "llm/openai",
					.name = "openai",
					.base_url = "https://api.openai.com/v1",
					.url_variables = url_variables,
					.key_variables = key_variables,
					.key_header = "Authorization: Bearer "};

/* --- The request --- */

/* A call as the API nests it, with whatever else it carried when it came. */
static assay_json *wire_call(const struct provider *p, const assay_json *call)
{
	const assay_json_api *j = p->json;
	assay_json *out = j->object(), *function = j->object();
	int bad = j->set(out, "id", j->clone(j->get(call, "id")));
	bad |= j->set(out, "type", provider_text(p, "function"));
	bad |= j->set(function, "name", j->clone(j->get(call, "name")));
	bad |= j->set(function, "arguments", j->string(j->str(j->get(call, "arguments"))));
	bad |= j->set(out, "function", function);
	for (const assay_json *m = j->first(call); m && !bad; m = j->next(m)) {
		assay_str key = j->key(m);
		if (!provider_is(key, "id") && !provider_is(key, "name") && !provider_is(key, "arguments")) {
			bad |= j->set_n(out, key, j->clone(m));
		}
	}
	if (bad) {
		j->free(out);
		return NULL;
	}
	return out;
}

/* An assistant's message goes back with every member it came with. */
static assay_json *wire_assistant(const struct provider *p, const assay_json *message)
{
	const assay_json_api *j = p->json;
	const assay_json *calls = j->get(message, "tool_calls");
	assay_json *out = j->clone(message), *list = j->count(calls) > 0 ? j->array() : NULL;
	int bad = out ? 0 : ASSAY_ENOMEM;
	j->free(j->detach(out, "tool_calls"));
	j->free(j->detach(out, "native")); /* of another API */
	for (const assay_json *c = j->first(calls); c && !bad; c = j->next(c)) {
		bad |= j->append(list, wire_call(p, c));
	}
	if (list) {
		bad |= j->set(out, "tool_calls", list);
		if (j->str(j->get(message, "content")).len == 0) {
			bad |= j->set(out, "content", j->null());
		}
	}
	if (bad) {
		j->free(out);
		return NULL;
	}
	return out;
}

static assay_json *wire_messages(const struct provider *p, const assay_json *messages)
{
	const assay_json_api *j = p->json;
	assay_json *list = j->array();
	int bad = list ? 0 : ASSAY_ENOMEM;
	for (const assay_json *m = j->first(messages); m && !bad; m = j->next(m)) {
		bool assistant = provider_is(j->str(j->get(m, "role")), "assistant");
		bad |= j->append(list, assistant ? wire_assistant(p, m) : j->clone(m));
	}
	if (bad) {
		j->free(list);
		return NULL;
	}
	return list;
}

static int set_tools(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *tools = j->get(request, "tools"), *choice = j->get(request, "tool_choice");
	assay_json *list;
	int bad = 0;
	if (j->count(tools) == 0) {
		return 0; /* a choice without tools is an error */
	}
	list = j->array();
	for (const assay_json *t = j->first(tools); t && !bad; t = j->next(t)) {
		assay_json *tool = j->object();
		bad |= j->set(tool, "type", provider_text(p, "function"));
		bad |= j->set(tool, "function", j->clone(t));
		bad |= j->append(list, tool);
	}
	bad |= j->set(body, "tools", list);
	if (j->type(choice) == ASSAY_JSON_OBJECT) {
		assay_json *named = j->object();
		bad |= j->set(named, "type", provider_text(p, "function"));
		bad |= j->set(named, "function", j->clone(choice));
		bad |= j->set(body, "tool_choice", named);
	} else if (choice) {
		bad |= j->set(body, "tool_choice", j->clone(choice));
	}
	return bad;
}

static int set_format(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *format = provider_parameter(p, request, "response_format");
	assay_json *out, *schema;
	if (!format) {
		return 0;
	}
	out = j->object();
	schema = j->object();
	int bad = j->set(schema, "name", j->clone(j->get(format, "name")));
	bad |= j->set(schema, "schema", j->clone(j->get(format, "schema")));
	bad |= j->set(out, "type", provider_text(p, "json_schema"));
	bad |= j->set(out, "json_schema", schema);
	return bad | j->set(body, "response_format", out);
}

/* OpenAI itself no longer takes "max_tokens" for its newer models; most of the others know nothing else. */
static const char *limit_name(const struct provider *p)
{
	assay_str given = p->json->str(p->json->get(p->options, "max_tokens_name"));
	assay_str url = p->json->str(p->json->get(p->options, "base_url"));
	bool own = url.len == 0 || (url.len >= 22 && memcmp(url.ptr, "https://api.openai.com", 22) == 0);
	return given.len ? given.ptr : own ? "max_completion_tokens" : "max_tokens";
}

static assay_json *wire_request(const struct provider *p, const assay_json *request)
{
	const assay_json_api *j = p->json;
	assay_json *body = j->object();
	int bad = j->set(body, "model", j->string(provider_model(p)));
	bad |= j->set(body, "messages", wire_messages(p, j->get(request, "messages")));
	bad |= set_tools(p, request, body);
	bad |= set_format(p, request, body);
	bad |= provider_copy(p, request, "temperature", body, "temperature");
	bad |= provider_copy(p, request, "top_p", body, "top_p");
	bad |= provider_copy(p, request, "max_tokens", body, limit_name(p));
	bad |= provider_seed(p, request, body, "seed");
	bad |= provider_copy(p, request, "reasoning_effort", body, "reasoning_effort");
	if (bad) {
		j->free(body);
		return NULL;
	}
	return body;
}

/* --- The reply --- */

static void read_call(struct provider_reply *r, const assay_json *given)
{
	const assay_json_api *j = r->p->json;
	const assay_json *function = j->get(given, "function"), *arguments = j->get(function, "arguments");
	assay_json *text = NULL, *call;
	assay_text dumped = {NULL, 0};
	if (j->type(arguments) == ASSAY_JSON_OBJECT) { /* some send them unpacked */
		r->bad |= j->dump(arguments, ASSAY_JSON_COMPACT, &dumped, NULL);
		text = j->string((assay_str){dumped.ptr, dumped.len});
		j->text_free(&dumped);
	} else {
		text = j->string(j->str(arguments));
	}
	call = provider_reply_call(r, j->str(j->get(given, "id")), j->str(j->get(function, "name")), text);
	for (const assay_json *m = j->first(given); m && call; m = j->next(m)) {
		assay_str key = j->key(m);
		if (!provider_is(key, "id") && !provider_is(key, "type") && !provider_is(key, "function") &&
		    !provider_is(key, "index") && j->type(m) != ASSAY_JSON_NULL) {
			r->bad |= j->set_n(call, key, j->clone(m));
		}
	}
}

static const char *finish_of(assay_str said, bool calls)
{
	if (provider_is(said, "length")) {
		return "length";
	}
	if (provider_is(said, "content_filter")) {
		return "content_filter";
	}
	return calls ? "tool_calls" : "stop";
}

static void read_usage(struct provider_reply *r, const assay_json *usage)
{
	const assay_json_api *j = r->p->json;
	provider_reply_usage(r, j->i64(j->get(usage, "prompt_tokens"), -1),
			     j->i64(j->get(usage, "completion_tokens"), -1),
			     j->i64(j->pointer(usage, "/prompt_tokens_details/cached_tokens"), 0),
			     j->i64(j->pointer(usage, "/completion_tokens_details/reasoning_tokens"), 0));
}

static int read_reply(const struct provider *p, const assay_json *request, const assay_json *answer, assay_sink *sink,
		      assay_error *err)
{
	const assay_json_api *j = p->json;
	const assay_json *choice = j->first(j->get(answer, "choices")), *message = j->get(choice, "message");
	struct provider_reply r;
	(void)request;
	if (j->type(message) != ASSAY_JSON_OBJECT) {
		return provider_malformed(p, "no choices[0].message", err);
	}
	if (j->type(j->get(choice, "error")) == ASSAY_JSON_OBJECT) { /* OpenRouter: it broke off on the way */
		return provider_refusal(p, 200, choice, err);
	}
	provider_reply_begin(&r, p);
	for (const assay_json *m = j->first(message); m; m = j->next(m)) {
		assay_str key = j->key(m);
		if (provider_is(key, "content")) {
			r.bad |= provider_content(p, m, &r.content);
		} else if (!provider_is(key, "role") && !provider_is(key, "tool_calls") &&
			   j->type(m) != ASSAY_JSON_NULL) {
			r.bad |= j->set_n(r.message, key, j->clone(m));
		}
	}
	for (const assay_json *c = j->first(j->get(message, "tool_calls")); c; c = j->next(c)) {
		read_call(&r, c);
	}
	r.finish = finish_of(j->str(j->get(choice, "finish_reason")), r.calls != NULL);
	r.model = j->str(j->get(answer, "model")).len ? j->clone(j->get(answer, "model")) : NULL;
	read_usage(&r, j->get(answer, "usage"));
	return provider_reply_emit(&r, sink, err);
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	return provider_chat(self, call, "/chat/completions", wire_request, read_reply, request, reply, err);
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

static const assay_impl openai = {
	.size = sizeof openai,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "openai",
	.summary = "Chat Completions: OpenAI, OpenRouter, vLLM, llama.cpp, Ollama, LiteLLM, by base_url",
	.options = "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"model\"], "
		   "\"properties\": {" PROVIDER_OPTIONS
		   ", \"max_tokens_name\": {\"type\": \"string\", \"enum\": [\"max_tokens\", "
		   "\"max_completion_tokens\"], \"description\": \"what the limit on a reply's tokens is called: by "
		   "default the new name at OpenAI itself, the old one elsewhere\"}}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_openai, "0.1.0", "Models behind OpenAI's Chat Completions", "Apache-2.0", &openai)
