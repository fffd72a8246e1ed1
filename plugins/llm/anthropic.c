/* llm/anthropic: the Messages API. https://docs.anthropic.com/en/api/messages
 *
 * An answer's content blocks are kept as they came ("native") and go back as they were: a thinking block must be shown
 * again, with its signature, or the model does not go on with its tool calls. */
#include "provider.h"

#include <string.h>

#define DEFAULT_MAX_TOKENS 4096 /* the API insists on a number */

static const char *const url_variables[] = {"ANTHROPIC_BASE_URL", NULL};
static const char *const key_variables[] = {"ANTHROPIC_API_KEY", NULL};
static const char *const fixed_headers[] = {"anthropic-version: 2023-06-01", NULL};
static const struct provider_api api = {.use = "llm/anthropic",
					.name = "anthropic",
					.base_url = "https://api.anthropic.com",
					.url_variables = url_variables,
					.key_variables = key_variables,
					.key_header = "x-api-key: ",
					.headers = fixed_headers};

/* --- The request --- */

static assay_json *block(const struct provider *p, const char *type, const char *key, assay_json *value)
{
	assay_json *b = p->json->object();
	int bad = p->json->set(b, "type", provider_text(p, type));
	bad |= p->json->set(b, key, value);
	if (bad) {
		p->json->free(b);
		return NULL;
	}
	return b;
}

/* A text block must not be empty. */
static int add_text(const struct provider *p, assay_json *blocks, const assay_json *content)
{
	assay_text text = {NULL, 0};
	int bad = provider_content(p, content, &text);
	if (!bad && text.len > 0) {
		bad = p->json->append(blocks,
				      block(p, "text", "text", p->json->string((assay_str){text.ptr, text.len})));
	}
	p->host->free(text.ptr);
	return bad;
}

static int add_use(const struct provider *p, assay_json *blocks, const assay_json *call)
{
	const assay_json_api *j = p->json;
	assay_json *b = block(p, "tool_use", "id", j->clone(j->get(call, "id")));
	int bad = j->set(b, "name", j->clone(j->get(call, "name")));
	bad |= j->set(b, "input", provider_arguments(p, call));
	return bad | j->append(blocks, b);
}

static size_t count_uses(const struct provider *p, const assay_json *blocks)
{
	size_t n = 0;
	for (const assay_json *b = p->json->first(blocks); b; b = p->json->next(b)) {
		n += provider_is(p->json->str(p->json->get(b, "type")), "tool_use");
	}
	return n;
}

/* The blocks as they came, with the ids that the calls have now; when there still are as many calls. */
static int add_native(const struct provider *p, assay_json *blocks, const assay_json *kept, const assay_json *calls)
{
	const assay_json_api *j = p->json;
	const assay_json *call = j->first(calls);
	int bad = 0;
	for (const assay_json *b = j->first(kept); b && !bad; b = j->next(b)) {
		assay_json *copy = j->clone(b);
		if (provider_is(j->str(j->get(b, "type")), "tool_use")) {
			bad |= j->set(copy, "id", j->clone(j->get(call, "id")));
			call = j->next(call);
		}
		bad |= j->append(blocks, copy);
	}
	return bad;
}

static int add_assistant(const struct provider *p, assay_json *blocks, const assay_json *message)
{
	const assay_json_api *j = p->json;
	const assay_json *calls = j->get(message, "tool_calls"), *kept = provider_native(p, message, "content");
	int bad;
	if (kept && count_uses(p, kept) == j->count(calls)) {
		return add_native(p, blocks, kept, calls);
	}
	bad = add_text(p, blocks, j->get(message, "content"));
	for (const assay_json *c = j->first(calls); c && !bad; c = j->next(c)) {
		bad |= add_use(p, blocks, c);
	}
	return bad;
}

static int add_result(const struct provider *p, assay_json *blocks, const assay_json *message)
{
	const assay_json_api *j = p->json;
	assay_text text = {NULL, 0};
	assay_json *b = block(p, "tool_result", "tool_use_id", j->clone(j->get(message, "tool_call_id")));
	int bad = provider_content(p, j->get(message, "content"), &text);
	bad |= j->set(b, "content", j->string((assay_str){text.ptr, text.len}));
	p->host->free(text.ptr);
	return bad | j->append(blocks, b);
}

/* Turns alternate: results of tools, and what the user says after them, are one turn. */
struct turns {
	assay_json *list;   /* of the turns that are done */
	assay_json *blocks; /* of the one that is being written */
	bool assistant;
	assay_text system;
	int bad;
};

static void end_turn(const struct provider *p, struct turns *t)
{
	if (p->json->count(t->blocks) > 0) {
		t->bad |= p->json->append(t->list, provider_message(p, t->assistant ? "assistant" : "user", "content",
								    t->blocks));
	} else {
		p->json->free(t->blocks);
	}
	t->blocks = NULL;
}

static void add_message(const struct provider *p, struct turns *t, const assay_json *m)
{
	const assay_json_api *j = p->json;
	assay_str role = j->str(j->get(m, "role"));
	bool assistant = provider_is(role, "assistant");
	if (provider_is(role, "system")) {
		if (t->system.len > 0) {
			t->bad |= provider_append(p, &t->system, ASSAY_STR("\n\n"));
		}
		t->bad |= provider_content(p, j->get(m, "content"), &t->system);
		return;
	}
	if (t->blocks && t->assistant != assistant) {
		end_turn(p, t);
	}
	t->blocks = t->blocks ? t->blocks : j->array();
	t->assistant = assistant;
	t->bad |= assistant                   ? add_assistant(p, t->blocks, m)
		  : provider_is(role, "tool") ? add_result(p, t->blocks, m)
					      : add_text(p, t->blocks, j->get(m, "content"));
}

static int set_messages(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	struct turns t = {.list = j->array()};
	for (const assay_json *m = j->first(j->get(request, "messages")); m && !t.bad; m = j->next(m)) {
		add_message(p, &t, m);
	}
	if (t.blocks) {
		end_turn(p, &t);
	}
	if (t.system.len > 0) {
		t.bad |= j->set(body, "system", j->string((assay_str){t.system.ptr, t.system.len}));
	}
	p->host->free(t.system.ptr);
	return t.bad | j->set(body, "messages", t.list);
}

static assay_json *wire_tool(const struct provider *p, const assay_json *name, const assay_json *description,
			     const assay_json *schema)
{
	const assay_json_api *j = p->json;
	assay_json *tool = j->object();
	int bad = j->set(tool, "name", j->clone(name));
	if (j->str(description).len > 0) {
		bad |= j->set(tool, "description", j->clone(description));
	}
	bad |= j->set(tool, "input_schema", schema ? j->clone(schema) : j->object());
	if (bad) {
		j->free(tool);
		return NULL;
	}
	return tool;
}

static int set_choice(const struct provider *p, const assay_json *name, const char *type, assay_json *body)
{
	assay_json *choice = p->json->object();
	int bad = p->json->set(choice, "type", provider_text(p, type));
	if (name) {
		bad |= p->json->set(choice, "name", p->json->clone(name));
	}
	return bad | p->json->set(body, "tool_choice", choice);
}

/* JSON of a schema is had by a tool of that schema, which the model must call. thinking: nothing can be forced then. */
static int set_tools(const struct provider *p, const assay_json *request, bool thinking, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *tools = j->get(request, "tools"), *choice = j->get(request, "tool_choice");
	const assay_json *format = j->get(request, "response_format"), *name = j->get(choice, "name");
	assay_json *list;
	int bad = 0;
	if (j->count(tools) == 0 && !format) {
		return 0;
	}
	list = j->array();
	for (const assay_json *t = j->first(tools); t && !bad; t = j->next(t)) {
		bad |= j->append(list,
				 wire_tool(p, j->get(t, "name"), j->get(t, "description"), j->get(t, "parameters")));
	}
	if (format) {
		bad |= j->append(list, wire_tool(p, j->get(format, "name"), NULL, j->get(format, "schema")));
		name = j->get(format, "name");
	}
	bad |= j->set(body, "tools", list);
	if (name && !thinking) {
		return bad | set_choice(p, name, "tool", body);
	}
	if (provider_is(j->str(choice), "required") && !thinking) {
		return bad | set_choice(p, NULL, "any", body);
	}
	return bad | set_choice(p, NULL, provider_is(j->str(choice), "none") ? "none" : "auto", body);
}

static int64_t thinking_tokens(const struct provider *p, const assay_json *request)
{
	assay_str effort = p->json->str(provider_parameter(p, request, "reasoning_effort"));
	return provider_is(effort, "high")     ? 16384
	       : provider_is(effort, "medium") ? 8192
	       : provider_is(effort, "low")    ? 2048
					       : 0;
}

static assay_json *wire_request(const struct provider *p, const assay_json *request)
{
	const assay_json_api *j = p->json;
	int64_t limit = j->i64(j->get(request, "max_tokens"), DEFAULT_MAX_TOKENS);
	int64_t thinking = thinking_tokens(p, request);
	assay_json *body = j->object();
	int bad = j->set(body, "model", j->string(provider_model(p)));
	bad |= j->set(body, "max_tokens", j->integer(limit + thinking)); /* thoughts count, too */
	bad |= set_messages(p, request, body);
	bad |= set_tools(p, request, thinking > 0, body);
	if (thinking > 0) {
		assay_json *how = block(p, "enabled", "budget_tokens", j->integer(thinking));
		bad |= j->set(body, "thinking", how); /* and no temperature beside it */
	} else {
		double t = j->f64(provider_parameter(p, request, "temperature"), -1);
		if (t > 1) { /* the API's highest */
			bad |= j->set(body, "temperature", j->integer(1));
		} else {
			bad |= provider_copy(p, request, "temperature", body, "temperature");
		}
		bad |= provider_copy(p, request, "top_p", body, "top_p");
	}
	if (bad) {
		j->free(body);
		return NULL;
	}
	return body;
}

/* --- The reply --- */

static void read_use(struct provider_reply *r, const assay_json *b, assay_str json_name)
{
	const assay_json_api *j = r->p->json;
	const assay_json *input = j->get(b, "input");
	assay_text text = {NULL, 0};
	r->bad |= input ? j->dump(input, ASSAY_JSON_COMPACT, &text, NULL) : 0;
	if (json_name.len > 0 && j->str(j->get(b, "name")).len == json_name.len &&
	    memcmp(j->str(j->get(b, "name")).ptr, json_name.ptr, json_name.len) == 0) {
		provider_reply_text(r, (assay_str){text.ptr, text.len});
	} else {
		provider_reply_call(r, j->str(j->get(b, "id")), j->str(j->get(b, "name")),
				    j->string((assay_str){text.ptr, text.len}));
	}
	j->text_free(&text);
}

static const char *finish_of(assay_str said, bool calls)
{
	if (provider_is(said, "max_tokens") || provider_is(said, "model_context_window_exceeded")) {
		return "length";
	}
	return provider_is(said, "refusal") ? "content_filter" : calls ? "tool_calls" : "stop";
}

static void read_usage(struct provider_reply *r, const assay_json *usage)
{
	const assay_json_api *j = r->p->json;
	int64_t fresh = j->i64(j->get(usage, "input_tokens"), -1);
	int64_t cached = j->i64(j->get(usage, "cache_read_input_tokens"), 0);
	int64_t written = j->i64(j->get(usage, "cache_creation_input_tokens"), 0);
	provider_reply_usage(r, fresh < 0 ? -1 : fresh + cached + written, j->i64(j->get(usage, "output_tokens"), -1),
			     cached, 0);
}

static int read_reply(const struct provider *p, const assay_json *request, const assay_json *answer, assay_sink *sink,
		      assay_error *err)
{
	const assay_json_api *j = p->json;
	const assay_json *content = j->get(answer, "content");
	assay_str json_name = j->str(j->pointer(request, "/response_format/name"));
	struct provider_reply r;
	if (j->type(content) != ASSAY_JSON_ARRAY) {
		return provider_malformed(p, "no list \"content\"", err);
	}
	provider_reply_begin(&r, p);
	for (const assay_json *b = j->first(content); b; b = j->next(b)) {
		assay_str type = j->str(j->get(b, "type"));
		if (provider_is(type, "text")) {
			provider_reply_text(&r, j->str(j->get(b, "text")));
		} else if (provider_is(type, "tool_use")) {
			read_use(&r, b, json_name);
		}
	}
	if (json_name.len == 0) {
		provider_reply_native(&r, "content", j->clone(content));
	}
	r.finish = finish_of(j->str(j->get(answer, "stop_reason")), r.calls != NULL);
	r.model = j->str(j->get(answer, "model")).len ? j->clone(j->get(answer, "model")) : NULL;
	read_usage(&r, j->get(answer, "usage"));
	return provider_reply_emit(&r, sink, err);
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	return provider_chat(self, call, "/v1/messages", wire_request, read_reply, request, reply, err);
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

static const assay_impl anthropic = {
	.size = sizeof anthropic,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "anthropic",
	.summary = "Anthropic's Messages API",
	.options = "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"model\"], "
		   "\"properties\": {" PROVIDER_OPTIONS "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_anthropic, "0.1.0", "Models behind Anthropic's Messages API", "Apache-2.0", &anthropic)
