/* Requests and replies: what the APIs have in common. */
#include "provider.h"

#include <string.h>

/* --- Requests --- */

const assay_json *provider_parameter(const struct provider *p, const assay_json *request, const char *name)
{
	const assay_json *value = p->json->get(request, name), *omit = p->json->get(p->options, "omit");
	for (const assay_json *o = p->json->first(omit); o; o = p->json->next(o)) {
		if (provider_is(p->json->str(o), name)) {
			return NULL;
		}
	}
	return p->json->type(value) == ASSAY_JSON_NULL ? NULL : value;
}

int provider_copy(const struct provider *p, const assay_json *request, const char *name, assay_json *body,
		  const char *as)
{
	const assay_json *value = provider_parameter(p, request, name);
	return value ? p->json->set(body, as, p->json->clone(value)) : 0;
}

int provider_seed(const struct provider *p, const assay_json *request, assay_json *body, const char *as)
{
	const assay_json *value = provider_parameter(p, request, "seed");
	int64_t seed = p->json->i64(value, 0) & INT32_MAX; /* some read it as 32 bits, some as a double */
	return value ? p->json->set(body, as, p->json->integer(seed)) : 0;
}

assay_json *provider_text(const struct provider *p, const char *text)
{
	return p->json->string((assay_str){text, strlen(text)});
}

assay_json *provider_message(const struct provider *p, const char *role, const char *key, assay_json *value)
{
	assay_json *m = p->json->object();
	int bad = p->json->set(m, "role", provider_text(p, role));
	bad |= p->json->set(m, key, value);
	if (bad) {
		p->json->free(m);
		return NULL;
	}
	return m;
}

int provider_content(const struct provider *p, const assay_json *content, assay_text *out)
{
	int bad = 0;
	if (p->json->type(content) != ASSAY_JSON_ARRAY) {
		return provider_append(p, out, p->json->str(content));
	}
	for (const assay_json *part = p->json->first(content); part && !bad; part = p->json->next(part)) {
		bad = provider_append(p, out, p->json->str(p->json->get(part, "text")));
	}
	return bad;
}

assay_json *provider_arguments(const struct provider *p, const assay_json *call)
{
	assay_json *v = NULL;
	int rc = p->json->parse(p->json->str(p->json->get(call, "arguments")), ASSAY_JSON_PEER, &v, NULL);
	if (rc == 0 && p->json->type(v) == ASSAY_JSON_OBJECT) {
		return v;
	}
	p->json->free(v);
	return rc == ASSAY_ENOMEM ? NULL : p->json->object();
}

const assay_json *provider_native(const struct provider *p, const assay_json *message, const char *key)
{
	const assay_json *native = p->json->get(message, "native");
	bool ours = provider_is(p->json->str(p->json->get(native, "api")), p->api->name);
	return ours ? p->json->get(native, key) : NULL;
}

/* --- Replies --- */

void provider_reply_begin(struct provider_reply *r, const struct provider *p)
{
	*r = (struct provider_reply){.p = p, .message = p->json->object(), .finish = "stop"};
	r->bad = p->json->set(r->message, "role", provider_text(p, "assistant"));
	r->bad |= p->json->set(r->message, "content", provider_text(p, ""));
}

void provider_reply_text(struct provider_reply *r, assay_str text)
{
	r->bad |= provider_append(r->p, &r->content, text);
}

assay_json *provider_reply_call(struct provider_reply *r, assay_str id, assay_str name, assay_json *arguments)
{
	const assay_json_api *j = r->p->json;
	assay_json *call = j->object();
	r->calls = r->calls ? r->calls : j->array();
	r->bad |= j->set(call, "id", j->string(id));
	r->bad |= j->set(call, "name", j->string(name));
	r->bad |= j->set(call, "arguments", arguments);
	r->bad |= j->append(r->calls, call);
	return r->bad ? NULL : call;
}

void provider_reply_native(struct provider_reply *r, const char *key, assay_json *value)
{
	const assay_json_api *j = r->p->json;
	assay_json *native = j->object();
	r->bad |= j->set(native, "api", provider_text(r->p, r->p->api->name));
	r->bad |= j->set(native, key, value);
	r->bad |= j->set(r->message, "native", native);
}

void provider_reply_usage(struct provider_reply *r, int64_t prompt, int64_t completion, int64_t cached,
			  int64_t reasoning)
{
	const assay_json_api *j = r->p->json;
	if (prompt < 0 && completion < 0) {
		return;
	}
	r->usage = j->object();
	r->bad |= j->set(r->usage, "prompt_tokens", j->integer(prompt < 0 ? 0 : prompt));
	r->bad |= j->set(r->usage, "completion_tokens", j->integer(completion < 0 ? 0 : completion));
	if (cached > 0) {
		r->bad |= j->set(r->usage, "cached_tokens", j->integer(cached));
	}
	if (reasoning > 0) {
		r->bad |= j->set(r->usage, "reasoning_tokens", j->integer(reasoning));
	}
}

void provider_reply_drop(struct provider_reply *r)
{
	const assay_json_api *j = r->p->json;
	j->free(r->message);
	j->free(r->calls);
	j->free(r->model);
	j->free(r->usage);
	r->p->host->free(r->content.ptr);
	*r = (struct provider_reply){.p = r->p};
}

int provider_reply_emit(struct provider_reply *r, assay_sink *sink, assay_error *err)
{
	const assay_json_api *j = r->p->json;
	assay_json *reply = j->object();
	if (r->content.len > 0) {
		r->bad |= j->set(r->message, "content", j->string((assay_str){r->content.ptr, r->content.len}));
	}
	if (r->calls) {
		r->bad |= j->set(r->message, "tool_calls", r->calls);
		r->calls = NULL;
	}
	r->bad |= j->set(reply, "message", r->message);
	r->bad |= j->set(reply, "finish_reason", provider_text(r->p, r->finish));
	r->bad |= j->set(reply, "model", r->model ? r->model : j->string(provider_model(r->p)));
	r->bad |= j->set(reply, "usage", r->usage ? r->usage : j->null());
	r->message = r->model = r->usage = NULL;
	int bad = r->bad;
	provider_reply_drop(r);
	if (bad) {
		j->free(reply);
		return provider_no_memory(r->p, err);
	}
	int rc = sink->emit(sink, reply, err);
	return rc == ASSAY_STOP ? 0 : rc;
}
