/* llm/gemini: generateContent. https://ai.google.dev/api/generate-content
 *
 * The parts of an answer are kept as they came ("native") and go back as they were, with their thoughtSignature. */
#include "provider.h"

#include <string.h>

static const char *const url_variables[] = {"GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", NULL};
static const char *const key_variables[] = {"GEMINI_API_KEY", "GOOGLE_API_KEY", NULL};
static const struct provider_api api = {.use = "llm/gemini",
					.name = "gemini",
					.base_url = "https://generativelanguage.googleapis.com",
					.url_variables = url_variables,
					.key_variables = key_variables,
					.key_header = "x-goog-api-key: "};

/* --- The request --- */

static assay_json *text_part(const struct provider *p, assay_str text)
{
	assay_json *part = p->json->object();
	if (p->json->set(part, "text", p->json->string(text)) != 0) {
		p->json->free(part);
		return NULL;
	}
	return part;
}

static int add_text(const struct provider *p, assay_json *parts, const assay_json *content)
{
	assay_text text = {NULL, 0};
	int bad = provider_content(p, content, &text);
	if (!bad && text.len > 0) {
		bad = p->json->append(parts, text_part(p, (assay_str){text.ptr, text.len}));
	}
	p->host->free(text.ptr);
	return bad;
}

static int add_call(const struct provider *p, assay_json *parts, const assay_json *call)
{
	const assay_json_api *j = p->json;
	assay_json *function = j->object(), *part = j->object();
	int bad = j->set(function, "name", j->clone(j->get(call, "name")));
	bad |= j->set(function, "args", provider_arguments(p, call));
	bad |= j->set(part, "functionCall", function);
	return bad | j->append(parts, part);
}

static size_t count_calls(const struct provider *p, const assay_json *parts)
{
	size_t n = 0;
	for (const assay_json *part = p->json->first(parts); part; part = p->json->next(part)) {
		n += p->json->get(part, "functionCall") != NULL;
	}
	return n;
}

static int add_assistant(const struct provider *p, assay_json *parts, const assay_json *message)
{
	const assay_json_api *j = p->json;
	const assay_json *calls = j->get(message, "tool_calls"), *kept = provider_native(p, message, "parts");
	int bad = 0;
	if (kept && count_calls(p, kept) == j->count(calls)) {
		for (const assay_json *part = j->first(kept); part && !bad; part = j->next(part)) {
			bad = j->append(parts, j->clone(part));
		}
		return bad;
	}
	bad = add_text(p, parts, j->get(message, "content"));
	for (const assay_json *c = j->first(calls); c && !bad; c = j->next(c)) {
		bad |= add_call(p, parts, c);
	}
	return bad;
}

/* The call that a result answers: results go by name here, and by id only where the model gave one. */
static const assay_json *call_of(const struct provider *p, const assay_json *messages, const assay_json *result,
				 const assay_json **id)
{
	const assay_json_api *j = p->json;
	const assay_json *wanted = j->get(result, "tool_call_id"), *found = NULL;
	*id = NULL;
	for (const assay_json *m = j->first(messages); m && m != result; m = j->next(m)) {
		const assay_json *part = j->first(provider_native(p, m, "parts"));
		for (const assay_json *c = j->first(j->get(m, "tool_calls")); c; c = j->next(c)) {
			while (part && !j->get(part, "functionCall")) {
				part = j->next(part);
			}
			if (j->equal(j->get(c, "id"), wanted)) {
				found = c;
				*id = j->pointer(part, "/functionCall/id");
			}
			part = j->next(part);
		}
	}
	return found;
}

static int add_result(const struct provider *p, assay_json *parts, const assay_json *messages, const assay_json *result)
{
	const assay_json_api *j = p->json;
	const assay_json *id, *call = call_of(p, messages, result, &id);
	assay_json *response = j->object(), *function = j->object(), *part = j->object();
	assay_text text = {NULL, 0};
	int bad = provider_content(p, j->get(result, "content"), &text);
	bad |= j->set(response, "result", j->string((assay_str){text.ptr, text.len}));
	bad |= j->set(function, "name", call ? j->clone(j->get(call, "name")) : provider_text(p, "unknown"));
	if (id) {
		bad |= j->set(function, "id", j->clone(id));
	}
	bad |= j->set(function, "response", response);
	bad |= j->set(part, "functionResponse", function);
	p->host->free(text.ptr);
	return bad | j->append(parts, part);
}

struct turns {
	assay_json *list, *parts, *system; /* system: parts */
	bool model;
	int bad;
};

static void end_turn(const struct provider *p, struct turns *t)
{
	if (p->json->count(t->parts) > 0) {
		t->bad |= p->json->append(t->list, provider_message(p, t->model ? "model" : "user", "parts", t->parts));
	} else {
		p->json->free(t->parts);
	}
	t->parts = NULL;
}

static void add_message(const struct provider *p, struct turns *t, const assay_json *messages, const assay_json *m)
{
	const assay_json_api *j = p->json;
	assay_str role = j->str(j->get(m, "role"));
	bool model = provider_is(role, "assistant");
	if (provider_is(role, "system")) {
		t->bad |= add_text(p, t->system, j->get(m, "content"));
		return;
	}
	if (t->parts && t->model != model) {
		end_turn(p, t);
	}
	t->parts = t->parts ? t->parts : j->array();
	t->model = model;
	t->bad |= model                       ? add_assistant(p, t->parts, m)
		  : provider_is(role, "tool") ? add_result(p, t->parts, messages, m)
					      : add_text(p, t->parts, j->get(m, "content"));
}

static int set_contents(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *messages = j->get(request, "messages");
	struct turns t = {.list = j->array(), .system = j->array()};
	for (const assay_json *m = j->first(messages); m && !t.bad; m = j->next(m)) {
		add_message(p, &t, messages, m);
	}
	if (t.parts) {
		end_turn(p, &t);
	}
	if (j->count(t.system) > 0) {
		assay_json *instruction = j->object();
		t.bad |= j->set(instruction, "parts", t.system);
		t.bad |= j->set(body, "systemInstruction", instruction);
	} else {
		j->free(t.system);
	}
	return t.bad | j->set(body, "contents", t.list);
}

static int set_mode(const struct provider *p, const assay_json *choice, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *name = j->get(choice, "name");
	assay_str word = j->str(choice);
	assay_json *calling = j->object(), *config = j->object();
	int bad = j->set(calling, "mode",
			 provider_text(p, name || provider_is(word, "required") ? "ANY"
					  : provider_is(word, "none")           ? "NONE"
										: "AUTO"));
	if (name) {
		assay_json *allowed = j->array();
		bad |= j->append(allowed, j->clone(name));
		bad |= j->set(calling, "allowedFunctionNames", allowed);
	}
	bad |= j->set(config, "functionCallingConfig", calling);
	return bad | j->set(body, "toolConfig", config);
}

static int set_tools(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *tools = j->get(request, "tools");
	assay_json *declarations, *entry, *list;
	int bad;
	if (j->count(tools) == 0) {
		return 0;
	}
	declarations = j->clone(tools); /* {name, description, parameters}: the same words */
	entry = j->object();
	list = j->array();
	bad = j->set(entry, "functionDeclarations", declarations);
	bad |= j->append(list, entry);
	bad |= j->set(body, "tools", list);
	return bad | set_mode(p, j->get(request, "tool_choice"), body);
}

/* Tokens for thoughts; below 0: as the model likes. */
static int64_t thinking_tokens(assay_str effort)
{
	return provider_is(effort, "high")      ? 16384
	       : provider_is(effort, "medium")  ? 8192
	       : provider_is(effort, "low")     ? 2048
	       : provider_is(effort, "minimal") ? 512
						: -1;
}

static int set_config(const struct provider *p, const assay_json *request, assay_json *body)
{
	const assay_json_api *j = p->json;
	const assay_json *format = provider_parameter(p, request, "response_format");
	int64_t thinking = thinking_tokens(j->str(provider_parameter(p, request, "reasoning_effort")));
	assay_json *config = j->object();
	int bad = provider_copy(p, request, "temperature", config, "temperature");
	bad |= provider_copy(p, request, "top_p", config, "topP");
	bad |= provider_copy(p, request, "max_tokens", config, "maxOutputTokens");
	bad |= provider_seed(p, request, config, "seed");
	if (format) {
		bad |= j->set(config, "responseMimeType", provider_text(p, "application/json"));
		bad |= j->set(config, "responseSchema", j->clone(j->get(format, "schema")));
	}
	if (thinking >= 0) {
		assay_json *how = j->object();
		bad |= j->set(how, "thinkingBudget", j->integer(thinking));
		bad |= j->set(config, "thinkingConfig", how);
	}
	return bad | j->set(body, "generationConfig", config);
}

static assay_json *wire_request(const struct provider *p, const assay_json *request)
{
	assay_json *body = p->json->object();
	int bad = body ? 0 : ASSAY_ENOMEM;
	bad |= set_contents(p, request, body);
	bad |= set_tools(p, request, body);
	bad |= set_config(p, request, body);
	if (bad) {
		p->json->free(body);
		return NULL;
	}
	return body;
}

/* --- The reply --- */

static void read_part(struct provider_reply *r, const assay_json *part)
{
	const assay_json_api *j = r->p->json;
	const assay_json *function = j->get(part, "functionCall");
	assay_text text = {NULL, 0};
	if (!function) {
		if (!j->boolean(j->get(part, "thought"), 0)) {
			provider_reply_text(r, j->str(j->get(part, "text")));
		}
		return;
	}
	if (j->get(function, "args")) {
		r->bad |= j->dump(j->get(function, "args"), ASSAY_JSON_COMPACT, &text, NULL);
	}
	provider_reply_call(r, j->str(j->get(function, "id")), j->str(j->get(function, "name")),
			    j->string((assay_str){text.ptr, text.len}));
	j->text_free(&text);
}

static const char *finish_of(assay_str said, bool calls)
{
	static const char *const filters[] = {"SAFETY", "RECITATION",  "BLOCKLIST", "PROHIBITED_CONTENT",
					      "SPII",   "IMAGE_SAFETY"};
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		if (provider_is(said, filters[i])) {
			return "content_filter";
		}
	}
	return provider_is(said, "MAX_TOKENS") ? "length" : calls ? "tool_calls" : "stop";
}

static void read_usage(struct provider_reply *r, const assay_json *usage)
{
	const assay_json_api *j = r->p->json;
	int64_t said = j->i64(j->get(usage, "candidatesTokenCount"), 0);
	int64_t thought = j->i64(j->get(usage, "thoughtsTokenCount"), 0);
	provider_reply_usage(r, j->i64(j->get(usage, "promptTokenCount"), -1), usage ? said + thought : -1,
			     j->i64(j->get(usage, "cachedContentTokenCount"), 0), thought);
}

static int read_reply(const struct provider *p, const assay_json *request, const assay_json *answer, assay_sink *sink,
		      assay_error *err)
{
	const assay_json_api *j = p->json;
	const assay_json *candidate = j->first(j->get(answer, "candidates"));
	const assay_json *parts = j->pointer(candidate, "/content/parts");
	const assay_json *blocked = j->pointer(answer, "/promptFeedback/blockReason");
	struct provider_reply r;
	(void)request;
	if (!candidate && !blocked) {
		return provider_malformed(p, "no candidates", err);
	}
	provider_reply_begin(&r, p);
	for (const assay_json *part = j->first(parts); part; part = j->next(part)) {
		read_part(&r, part);
	}
	if (parts) {
		provider_reply_native(&r, "parts", j->clone(parts));
	} else { /* a call that it could not write down, say: the model's own doing */
		provider_reply_text(&r, j->str(j->get(candidate, "finishMessage")));
	}
	r.finish = blocked ? "content_filter" : finish_of(j->str(j->get(candidate, "finishReason")), r.calls != NULL);
	r.model = j->str(j->get(answer, "modelVersion")).len ? j->clone(j->get(answer, "modelVersion")) : NULL;
	read_usage(&r, j->get(answer, "usageMetadata"));
	return provider_reply_emit(&r, sink, err);
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	const struct provider *p = self;
	assay_text path = {NULL, 0};
	int rc = 0;
	if (provider_append(p, &path, ASSAY_STR("/v1beta/models/")) | provider_append(p, &path, provider_model(p)) |
	    provider_append(p, &path, ASSAY_STR(":generateContent"))) {
		rc = provider_no_memory(p, err);
	}
	rc = rc < 0 ? rc : provider_chat(p, call, path.ptr, wire_request, read_reply, request, reply, err);
	p->host->free(path.ptr);
	return rc;
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return provider_open(host, &api, options, self, err);
}

static const assay_llm_dialect dialect = {.size = sizeof dialect,
					  .schema = ASSAY_LLM_SCHEMA_OBJECT | ASSAY_LLM_SCHEMA_NO_REF |
						    ASSAY_LLM_SCHEMA_NO_CONST | ASSAY_LLM_SCHEMA_NULLABLE |
						    ASSAY_LLM_SCHEMA_OPENAPI | ASSAY_LLM_SCHEMA_NO_EMPTY |
						    ASSAY_LLM_SCHEMA_ANY_OF_ONLY,
					  .name_marks = "_-",
					  .name_max = 63,
					  .name_rules = ASSAY_LLM_NAME_LETTER_FIRST};
static const assay_llm_ops ops = {.size = sizeof ops,
				  .open = open,
				  .close = provider_close,
				  .complete = complete,
				  .dialect = &dialect,
				  .ready = provider_ready};

static const assay_impl gemini = {
	.size = sizeof gemini,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "gemini",
	.summary = "Google's Gemini API",
	.options = "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"model\"], "
		   "\"properties\": {" PROVIDER_OPTIONS "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_gemini, "0.1.0", "Models behind Google's Gemini API", "Apache-2.0", &gemini)
