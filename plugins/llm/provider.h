/* What the providers of models have in common: options, keys, one POST of JSON, and what an error of theirs means. */
#ifndef LLM_PROVIDER_H
#define LLM_PROVIDER_H

#include <assay/roles/llm.h>
#include <stdbool.h>

/* One provider's API. Constant. */
struct provider_api {
	const char *use;                  /* "llm/openai" */
	const char *name;                 /* of the API in "native" */
	const char *base_url;             /* where the provider itself is */
	const char *const *url_variables; /* names of variables that say another place, NULL-terminated */
	const char *const *key_variables; /* names of variables that may hold the key */
	const char *key_header;           /* "Authorization: Bearer " */
	const char *const *headers;       /* of every request; NULL-terminated, may be NULL */
};

struct provider {
	const assay_host *host;
	const assay_json_api *json;
	const struct provider_api *api;
	assay_json *options; /* a copy */
};

/* Members of the options' schema that all providers take; ends without a comma. */
#define PROVIDER_OPTIONS                                                                                               \
	"\"model\": {\"type\": \"string\", \"minLength\": 1, \"description\": \"the provider's name of the model\"},"  \
	"\"base_url\": {\"type\": \"string\", \"minLength\": 1, \"description\": \"where the API is, when not at the " \
	"provider's own place\"},"                                                                                     \
	"\"key\": {\"type\": \"string\", \"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*$\", \"description\": \"the variable "  \
	"that holds the key\"},"                                                                                       \
	"\"headers\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}, \"description\": "      \
	"\"further headers; ${NAME} stands for a variable\"},"                                                         \
	"\"omit\": {\"type\": \"array\", \"items\": {\"type\": \"string\", \"not\": {\"enum\": [\"model\", "           \
	"\"messages\"]}}, \"description\": \"parameters that this model does not take: temperature, seed ...\"},"      \
	"\"extra\": {\"type\": \"object\", \"propertyNames\": {\"not\": {\"enum\": [\"model\", \"messages\", "         \
	"\"input\", \"contents\", \"stream\"]}}, \"description\": \"members added to every request's body\"}"

/* Operations that all providers share. */
int provider_open(const assay_host *host, const struct provider_api *api, const assay_json *options, void **self,
		  assay_error *err);
void provider_close(void *self);
int provider_ready(void *self, assay_call *call, assay_error *err);

/* The model's name. */
assay_str provider_model(const struct provider *p);
/* A parameter of the request, or NULL when it has none or the model does not take it. */
const assay_json *provider_parameter(const struct provider *p, const assay_json *request, const char *name);
/* Copy a parameter into the body under a name of its own. ASSAY_ENOMEM or 0, as json->set. */
int provider_copy(const struct provider *p, const assay_json *request, const char *name, assay_json *body,
		  const char *as);
/* The seed, small enough for everybody. */
int provider_seed(const struct provider *p, const assay_json *request, assay_json *body, const char *as);

/* Add the option "extra" to the body, post it to base_url + path, and read the answer: a JSON object. Takes the body
 * over, which may be NULL when memory is out. On failure the error has a reason. */
int provider_post(const struct provider *p, assay_call *call, const char *path, assay_json *body, assay_json **answer,
		  assay_error *err);

/* One chat: what `make` makes of the request is posted to `path`, `read` puts the answer into the sink. */
typedef assay_json *provider_request_fn(const struct provider *p, const assay_json *request);
typedef int provider_reply_fn(const struct provider *p, const assay_json *request, const assay_json *answer,
			      assay_sink *sink, assay_error *err);
int provider_chat(const struct provider *p, assay_call *call, const char *path, provider_request_fn *make,
		  provider_reply_fn *read, const assay_json *request, assay_sink *sink, assay_error *err);

/* Inside provider*.c: the answer of an HTTP reply, or the error that it means. */
int provider_read(const struct provider *p, const assay_http_reply *reply, assay_str body, assay_json **answer,
		  assay_error *err);
/* An answer that is JSON, but not what the API says. */
int provider_malformed(const struct provider *p, const char *what, assay_error *err);
int provider_no_memory(const struct provider *p, assay_error *err);
/* An error object that came in place of a reply, with status 200 or in an answer's middle. */
int provider_refusal(const struct provider *p, int status, const assay_json *answer, assay_error *err);

/* --- Building --- */

bool provider_is(assay_str s, const char *text);
assay_json *provider_text(const struct provider *p, const char *text);
/* {"role": role, key: value} */
assay_json *provider_message(const struct provider *p, const char *role, const char *key, assay_json *value);
/* A message's content: a text, or the texts of a list of parts, joined. Free with json->text_free. */
int provider_content(const struct provider *p, const assay_json *content, assay_text *out);
/* Append to an owned text. */
int provider_append(const struct provider *p, assay_text *text, assay_str more);
/* The arguments of a call (a text) as an object; {} when they are none. */
assay_json *provider_arguments(const struct provider *p, const assay_json *call);
/* What a message kept for this API under "native"; NULL: nothing. */
const assay_json *provider_native(const struct provider *p, const assay_json *message, const char *key);

/* A reply being put together. */
struct provider_reply {
	const struct provider *p;
	assay_json *message, *calls;
	assay_text content;
	const char *finish; /* a finish_reason */
	assay_json *model;  /* a text value, or NULL */
	assay_json *usage;  /* NULL: not told */
	int bad;            /* memory ran out */
};
void provider_reply_begin(struct provider_reply *r, const struct provider *p);
void provider_reply_text(struct provider_reply *r, assay_str text);
/* arguments: a text value. Takes it over. Answers the call for further members. */
assay_json *provider_reply_call(struct provider_reply *r, assay_str id, assay_str name, assay_json *arguments);
/* What goes to "native" under `key`, beside "api". Takes value over. */
void provider_reply_native(struct provider_reply *r, const char *key, assay_json *value);
/* Tokens; below 0: not told. */
void provider_reply_usage(struct provider_reply *r, int64_t prompt, int64_t completion, int64_t cached,
			  int64_t reasoning);
int provider_reply_emit(struct provider_reply *r, assay_sink *sink, assay_error *err);
void provider_reply_drop(struct provider_reply *r);

#endif
