/* Options, keys and the one request of a provider. */
#include "provider.h"

#include <assay/variables.h>
#include <stdio.h>
#include <string.h>

enum { MAX_HEADERS = 32 };

/* Providers that speak another's API, and where their keys are by custom. A key goes to nobody else. */
static const struct {
	const char *host, *key;
} known_hosts[] = {
	{"api.openai.com", "OPENAI_API_KEY"},
	{"openrouter.ai", "OPENROUTER_API_KEY"},
	{"api.anthropic.com", "ANTHROPIC_API_KEY"},
	{"generativelanguage.googleapis.com", "GEMINI_API_KEY"},
	{"api.mistral.ai", "MISTRAL_API_KEY"},
	{"api.deepseek.com", "DEEPSEEK_API_KEY"},
	{"api.groq.com", "GROQ_API_KEY"},
	{"api.together.xyz", "TOGETHER_API_KEY"},
	{"api.x.ai", "XAI_API_KEY"},
	{"router.huggingface.co", "HF_TOKEN"},
};

bool provider_is(assay_str s, const char *text)
{
	return s.len == strlen(text) && (s.len == 0 || memcmp(s.ptr, text, s.len) == 0);
}

int provider_no_memory(const struct provider *p, assay_error *err)
{
	return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

/* --- Instances --- */

int provider_open(const assay_host *host, const struct provider_api *api, const assay_json *options, void **self,
		  assay_error *err)
{
	struct provider *p = host->alloc(sizeof *p);
	if (!p) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*p = (struct provider){host, host->json, api, host->json->clone(options)};
	if (!p->options) {
		host->free(p);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*self = p;
	return 0;
}

void provider_close(void *self)
{
	struct provider *p = self;
	if (p) {
		p->json->free(p->options);
		p->host->free(p);
	}
}

assay_str provider_model(const struct provider *p)
{
	return p->json->str(p->json->get(p->options, "model"));
}

/* --- Keys and addresses --- */

static bool is_set(const struct provider *p, assay_call *call, const char *name)
{
	const assay_variables_api *v = p->host->service("variables", 1);
	return v && v->is_set(call, name) > 0;
}

static const char *first_set(const struct provider *p, assay_call *call, const char *const *names)
{
	for (size_t i = 0; names && names[i]; i++) {
		if (is_set(p, call, names[i])) {
			return names[i];
		}
	}
	return NULL;
}

static assay_str host_of(assay_str url)
{
	const char *start = url.ptr, *end = url.ptr + url.len;
	for (const char *c = start; c + 2 < end; c++) {
		if (memcmp(c, "://", 3) == 0) {
			start = c + 3;
			break;
		}
	}
	const char *stop = start;
	while (stop < end && *stop != '/' && *stop != ':' && *stop != '?') {
		stop++;
	}
	return (assay_str){start, (size_t)(stop - start)};
}

static const char *key_of_host(assay_str url)
{
	assay_str host = url.len ? host_of(url) : (assay_str){NULL, 0};
	for (size_t i = 0; i < sizeof known_hosts / sizeof *known_hosts; i++) {
		if (provider_is(host, known_hosts[i].host)) {
			return known_hosts[i].key;
		}
	}
	return NULL;
}

static int missing_key(const struct provider *p, const char *name, assay_error *err)
{
	int code = p->host->fail(err, ASSAY_EAUTH, "%s has no key: the variable %s is not set", p->api->use, name);
	if (err) {
		err->reason = ASSAY_LLM_AUTH;
		snprintf(err->hint, sizeof err->hint, "set %s in the environment or in a file .env beside the manifest",
			 name);
	}
	return code;
}

/* The variable with the key, or NULL where none is asked for. The manifest's word first; then what is customary, and
 * only for the place it is meant for. */
static int choose_key(const struct provider *p, assay_call *call, const char **key, assay_error *err)
{
	assay_str named = p->json->str(p->json->get(p->options, "key"));
	assay_str url = p->json->str(p->json->get(p->options, "base_url"));
	const char *wanted = named.len ? named.ptr : key_of_host(url);
	*key = NULL;
	if (named.len == 0 && url.len == 0) {
		*key = first_set(p, call, p->api->key_variables);
		bool elsewhere = first_set(p, call, p->api->url_variables) != NULL;
		return *key || elsewhere ? 0 : missing_key(p, p->api->key_variables[0], err);
	}
	if (wanted && !is_set(p, call, wanted)) {
		return missing_key(p, wanted, err);
	}
	*key = wanted;
	return 0;
}

int provider_ready(void *self, assay_call *call, assay_error *err)
{
	const struct provider *p = self;
	const char *key;
	return choose_key(p, call, &key, err);
}

int provider_append(const struct provider *p, assay_text *text, assay_str more)
{
	char *grown = p->host->resize(text->ptr, text->len + more.len + 1);
	if (!grown) {
		return ASSAY_ENOMEM;
	}
	if (more.len > 0) {
		memcpy(grown + text->len, more.ptr, more.len);
	}
	text->ptr = grown;
	text->len += more.len;
	text->ptr[text->len] = '\0';
	return 0;
}

static int append(const struct provider *p, assay_text *text, const char *more)
{
	return provider_append(p, text, (assay_str){more, strlen(more)});
}

static int make_url(const struct provider *p, assay_call *call, const char *path, assay_text *out)
{
	assay_str base = p->json->str(p->json->get(p->options, "base_url"));
	const char *variable = base.len ? NULL : first_set(p, call, p->api->url_variables);
	int bad;
	if (variable) {
		bad = append(p, out, "${") | append(p, out, variable) | append(p, out, "}");
	} else {
		base = base.len ? base : (assay_str){p->api->base_url, strlen(p->api->base_url)};
		while (base.len > 0 && base.ptr[base.len - 1] == '/') {
			base.len--;
		}
		bad = provider_append(p, out, base);
	}
	return bad | append(p, out, path);
}

struct headers {
	const char *list[MAX_HEADERS + 1];
	assay_text owned[MAX_HEADERS];
	size_t n, n_owned;
};

static int own_header(const struct provider *p, struct headers *h, const char *a, const char *b, assay_str c,
		      const char *d)
{
	assay_text *line = &h->owned[h->n_owned];
	if (h->n >= MAX_HEADERS) {
		return ASSAY_ELIMIT;
	}
	h->n_owned++;
	int bad = append(p, line, a) | append(p, line, b) | provider_append(p, line, c) | append(p, line, d);
	h->list[h->n++] = line->ptr;
	return bad;
}

static int make_headers(const struct provider *p, const char *key, struct headers *h)
{
	const assay_json *more = p->json->get(p->options, "headers");
	int bad = 0;
	h->list[h->n++] = "Content-Type: application/json";
	h->list[h->n++] = "Accept: application/json";
	for (size_t i = 0; p->api->headers && p->api->headers[i]; i++) {
		h->list[h->n++] = p->api->headers[i];
	}
	if (key) {
		bad = own_header(p, h, p->api->key_header, "${", (assay_str){key, strlen(key)}, "}");
	}
	for (const assay_json *m = p->json->first(more); m && !bad; m = p->json->next(m)) {
		assay_str name = p->json->key(m);
		bad = own_header(p, h, name.ptr, ": ", p->json->str(m), "");
	}
	h->list[h->n] = NULL;
	return bad;
}

static void free_headers(const struct provider *p, struct headers *h)
{
	for (size_t i = 0; i < h->n_owned; i++) {
		p->host->free(h->owned[i].ptr);
	}
}

/* --- One request --- */

struct body_sink {
	assay_sink sink;
	const struct provider *p;
	assay_text text;
	size_t cap;
};

static int take_bytes(assay_sink *sink, assay_str bytes, assay_error *err)
{
	struct body_sink *b = (struct body_sink *)sink;
	size_t need = b->text.len + bytes.len + 1;
	if (need > b->cap) {
		size_t cap = need < 4096 ? 4096 : need * 2; /* most replies are short, and hundreds come in at once */
		char *grown = b->p->host->resize(b->text.ptr, cap);
		if (!grown) {
			return provider_no_memory(b->p, err);
		}
		b->text.ptr = grown;
		b->cap = cap;
	}
	if (bytes.len > 0) {
		memcpy(b->text.ptr + b->text.len, bytes.ptr, bytes.len);
	}
	b->text.len += bytes.len;
	b->text.ptr[b->text.len] = '\0';
	return 0;
}

/* Send; *answer is the body, of whatever status. */
static int send_request(const struct provider *p, assay_call *call, const char *path, assay_str body,
			assay_http_reply *reply, struct body_sink *answer, assay_error *err)
{
	struct headers headers = {.n = 0};
	assay_text url = {NULL, 0};
	const char *key = NULL;
	int rc = choose_key(p, call, &key, err);
	if (rc == 0 && (make_url(p, call, path, &url) != 0 || make_headers(p, key, &headers) != 0)) {
		rc = provider_no_memory(p, err);
	}
	if (rc == 0) {
		const assay_http_request request = {.size = sizeof request,
						    .method = "POST",
						    .url = url.ptr,
						    .headers = headers.list,
						    .body = body,
						    .max_body = (size_t)32 << 20};
		rc = p->host->http->request(call, &request, reply, &answer->sink, err);
		if (rc < 0 && err && err->reason == 0 && rc != ASSAY_EAUTH) {
			err->reason = rc == ASSAY_EUNREACH || rc == ASSAY_ETIMEOUT ? ASSAY_LLM_UNREACHABLE
										   : ASSAY_LLM_MALFORMED;
			err->flags |= rc == ASSAY_EPROTO || rc == ASSAY_ELIMIT ? ASSAY_ERR_PEER : 0;
		}
	}
	free_headers(p, &headers);
	p->host->free(url.ptr);
	return rc;
}

static int add_extra(const struct provider *p, assay_json *body)
{
	const assay_json *extra = p->json->get(p->options, "extra");
	int bad = body ? 0 : ASSAY_ENOMEM;
	for (const assay_json *m = p->json->first(extra); m && !bad; m = p->json->next(m)) {
		bad = p->json->set_n(body, p->json->key(m), p->json->clone(m));
	}
	return bad;
}

int provider_post(const struct provider *p, assay_call *call, const char *path, assay_json *body, assay_json **answer,
		  assay_error *err)
{
	struct body_sink got = {.sink = {.size = sizeof got.sink, .write = take_bytes}, .p = p};
	assay_http_reply reply = {.size = sizeof reply};
	assay_text text = {NULL, 0};
	int rc = add_extra(p, body) ? provider_no_memory(p, err) : p->json->dump(body, ASSAY_JSON_COMPACT, &text, err);
	*answer = NULL;
	p->json->free(body); /* an answer may take minutes */
	if (rc == 0) {
		rc = send_request(p, call, path, (assay_str){text.ptr, text.len}, &reply, &got, err);
	}
	if (rc == 0) {
		rc = provider_read(p, &reply, (assay_str){got.text.ptr, got.text.len}, answer, err);
	}
	p->json->free(reply.headers);
	p->host->free(got.text.ptr);
	p->json->text_free(&text);
	return rc;
}

int provider_chat(const struct provider *p, assay_call *call, const char *path, provider_request_fn *make,
		  provider_reply_fn *read, const assay_json *request, assay_sink *sink, assay_error *err)
{
	assay_json *answer = NULL;
	int rc = provider_post(p, call, path, make(p, request), &answer, err);
	if (rc == 0) {
		rc = read(p, request, answer, sink, err);
	}
	p->json->free(answer);
	return rc;
}
