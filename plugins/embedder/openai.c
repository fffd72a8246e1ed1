/* embedder/openai: any server of POST /v1/embeddings. */
#include <assay/roles/embedder.h>
#include <assay/variables.h>
#include <stdio.h>
#include <string.h>

#define MAX_REPLY ((size_t)256 << 20)
#define MAX_VECTOR 65536u

typedef struct openai {
	const assay_host *host;
	char *url, *key, *authorization; /* of the key the variable's name, never the value; NULL: none is needed */
	assay_json *model, *dimensions;
	size_t batch;
	int64_t timeout_ms;
} openai;

static void openai_close(void *self)
{
	openai *o = self;
	if (o) {
		o->host->free(o->url);
		o->host->free(o->key);
		o->host->free(o->authorization);
		o->host->json->free(o->model);
		o->host->json->free(o->dimensions);
		o->host->free(o);
	}
}

static char *join(const assay_host *host, const char *before, assay_str middle, const char *after)
{
	size_t size = strlen(before) + middle.len + strlen(after) + 1;
	char *out = host->alloc(size);
	if (out) {
		snprintf(out, size, "%s%.*s%s", before, ASSAY_FMT(middle), after);
	}
	return out;
}

static int openai_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	const assay_json_api *J = host->json;
	assay_str base = J->str(J->get(options, "base_url")), key = J->str(J->get(options, "key"));
	openai *o = host->alloc(sizeof *o);
	if (!o) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	o->host = host;
	if (base.len == 0) {
		base = ASSAY_STR("https://api.openai.com/v1");
		key = key.len ? key : ASSAY_STR("OPENAI_API_KEY");
	}
	while (base.len > 0 && base.ptr[base.len - 1] == '/') {
		base.len--;
	}
	o->url = join(host, "", base, "/embeddings");
	o->authorization = key.len ? join(host, "Authorization: Bearer ${", key, "}") : NULL;
	o->key = key.len ? join(host, "", key, "") : NULL;
	o->model = J->clone(J->get(options, "model"));
	o->dimensions = J->get(options, "dimensions") ? J->clone(J->get(options, "dimensions")) : NULL;
	o->batch = (size_t)J->i64(J->get(options, "batch"), 256);
	o->timeout_ms = J->i64(J->get(options, "seconds"), 60) * 1000;
	if (!o->url || !o->model || (key.len && (!o->key || !o->authorization)) ||
	    (J->get(options, "dimensions") && !o->dimensions)) {
		openai_close(o);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*self = o;
	return 0;
}

static size_t openai_max_batch(void *self)
{
	return ((openai *)self)->batch;
}

static int make_body(const openai *o, const assay_str *texts, size_t n, assay_text *out, assay_error *err)
{
	const assay_json_api *J = o->host->json;
	assay_json *body = J->object(), *input = J->array();
	int rc = J->set(body, "model", J->clone(o->model));
	for (size_t i = 0; i < n; i++) {
		rc |= J->append(input, J->string(texts[i]));
	}
	rc |= J->set(body, "input", input);
	rc |= J->set(body, "encoding_format", J->string(ASSAY_STR("float")));
	if (o->dimensions) {
		rc |= J->set(body, "dimensions", J->clone(o->dimensions));
	}
	rc = rc < 0 ? o->host->fail(err, ASSAY_ENOMEM, "out of memory") : J->dump(body, ASSAY_JSON_COMPACT, out, err);
	J->free(body);
	return rc;
}

/* The reply as it comes in. */
typedef struct inflow {
	assay_sink sink;
	const openai *o;
	char *ptr;
	size_t len, cap;
} inflow;

static int on_bytes(assay_sink *sink, assay_str bytes, assay_error *err)
{
	inflow *in = (inflow *)sink;
	if (in->len + bytes.len > in->cap) {
		size_t cap = 2 * (in->len + bytes.len) + 4096;
		char *grown = in->o->host->resize(in->ptr, cap);
		if (!grown) {
			return in->o->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		in->ptr = grown;
		in->cap = cap;
	}
	if (bytes.len > 0) {
		memcpy(in->ptr + in->len, bytes.ptr, bytes.len);
	}
	in->len += bytes.len;
	return 0;
}

/* A status other than 200, as an error. */
static int refuse(const openai *o, int status, const inflow *in, assay_error *err)
{
	const assay_json_api *J = o->host->json;
	assay_json *v = NULL;
	assay_str said = {NULL, 0};
	int code = status == 401 || status == 403   ? ASSAY_EAUTH
		   : status >= 500 || status == 429 ? ASSAY_EUNREACH
						    : ASSAY_EPROTO;
	if (J->parse((assay_str){in->ptr, in->len}, ASSAY_JSON_PEER, &v, NULL) == 0) {
		said = J->str(J->pointer(v, "/error/message"));
	}
	/* Not cut but by the message's end: the words may repeat the key, and no half of one is found. */
	o->host->fail(err, code, "%s answered %d%s%s", o->url, status, said.len ? ": " : "", said.len ? said.ptr : "");
	if (err && code == ASSAY_EUNREACH) {
		err->flags |= ASSAY_ERR_RETRYABLE;
	}
	if (err) {
		err->flags |= ASSAY_ERR_PEER;
	}
	J->free(v);
	return code;
}

static int give_vector(const openai *o, const assay_json *numbers, float *v, assay_vector_sink *vectors,
		       assay_error *err)
{
	const assay_json_api *J = o->host->json;
	size_t n = 0;
	for (const assay_json *x = J->first(numbers); x && n < MAX_VECTOR; x = J->next(x)) {
		if (J->type(x) != ASSAY_JSON_NUMBER) {
			return o->host->fail(err, ASSAY_EPROTO, "%s: a vector holds something else than numbers",
					     o->url);
		}
		v[n++] = (float)J->f64(x, 0);
	}
	if (n == 0) {
		return o->host->fail(err, ASSAY_EPROTO, "%s: an embedding without numbers", o->url);
	}
	return vectors->add(vectors, v, n, err);
}

/* "data" holds one object a text, each with its "index", in any order. */
static int give_vectors(const openai *o, const assay_json *reply, size_t n, assay_vector_sink *vectors,
			assay_error *err)
{
	const assay_json_api *J = o->host->json;
	const assay_json *data = J->get(reply, "data");
	const assay_json **found = o->host->alloc((n + 1) * sizeof(const assay_json *));
	float *v = o->host->alloc(MAX_VECTOR * sizeof *v);
	size_t place = 0;
	int rc = found && v ? 0 : o->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (const assay_json *d = J->first(data); d && rc == 0; d = J->next(d), place++) {
		int64_t index = J->i64(J->get(d, "index"), (int64_t)place);
		if (index >= 0 && (uint64_t)index < n) {
			found[index] = J->get(d, "embedding");
		}
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = found[i] ? give_vector(o, found[i], v, vectors, err)
			      : o->host->fail(err, ASSAY_EPROTO, "%s: no embedding for text %zu of %zu", o->url, i + 1,
					      n);
	}
	o->host->free(v);
	o->host->free((void *)(uintptr_t)found);
	return rc < 0 ? rc : 0;
}

static int check_key(const openai *o, assay_call *call, assay_error *err)
{
	const assay_variables_api *variables = o->host->service("variables", 1);
	if (!o->key || (variables && variables->is_set(call, o->key) > 0)) {
		return 0;
	}
	o->host->fail(err, ASSAY_EAUTH, "embedder/openai has no key: the variable %s is not set", o->key);
	if (err) {
		snprintf(err->hint, sizeof err->hint, "set %s in the environment or in a file .env beside the manifest",
			 o->key);
	}
	return ASSAY_EAUTH;
}

static int openai_embed(void *self, assay_call *call, const assay_str *texts, size_t n, assay_vector_sink *vectors,
			assay_error *err)
{
	const openai *o = self;
	const assay_json_api *J = o->host->json;
	const char *headers[] = {"Content-Type: application/json", o->authorization, NULL};
	assay_http_request request = {.size = sizeof request,
				      .method = "POST",
				      .url = o->url,
				      .headers = headers,
				      .timeout_ms = o->timeout_ms,
				      .max_body = MAX_REPLY};
	assay_http_reply reply = {.size = sizeof reply};
	inflow in = {.sink = {sizeof in.sink, 0, NULL, on_bytes}, .o = o};
	assay_text body = {NULL, 0};
	assay_json *v = NULL;
	int rc = check_key(o, call, err);
	if (rc < 0 || n == 0) {
		return rc;
	}
	rc = make_body(o, texts, n, &body, err);
	if (rc == 0) {
		request.body = (assay_str){body.ptr, body.len};
		rc = o->host->http->request(call, &request, &reply, &in.sink, err);
	}
	if (rc == 0 && reply.status != 200) {
		rc = refuse(o, reply.status, &in, err);
	}
	if (rc == 0 && J->parse((assay_str){in.ptr, in.len}, ASSAY_JSON_PEER, &v, NULL) < 0) {
		rc = o->host->fail(err, ASSAY_EPROTO, "%s answered with something else than JSON", o->url);
	}
	if (rc == 0) {
		rc = give_vectors(o, v, n, vectors, err);
	}
	J->free(v);
	J->free(reply.headers);
	J->text_free(&body);
	o->host->free(in.ptr);
	return rc;
}

static const assay_embedder_ops ops = {.size = sizeof ops,
				       .open = openai_open,
				       .close = openai_close,
				       .embed = openai_embed,
				       .max_batch = openai_max_batch};

static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_EMBEDDER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "openai",
	.summary = "any server of /v1/embeddings",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"model\"],\"properties\":{"
		"\"model\":{\"type\":\"string\",\"minLength\":1},"
		"\"base_url\":{\"type\":\"string\",\"pattern\":\"^https?://\",\"description\":\"up to /v1; none: "
		"OpenAI's own\"},"
		"\"key\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\",\"description\":\"name of the "
		"variable that holds the key\"},"
		"\"dimensions\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":65536},"
		"\"batch\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":4096,\"default\":256,"
		"\"description\":\"texts a request\"},"
		"\"seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":3600,\"default\":60}}}",
	.ops = &ops};

ASSAY_PLUGIN(embedder_openai, "0.1.0", "Vectors from an embeddings API", "Apache-2.0", &impl)
