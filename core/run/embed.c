#include "core/run/embed.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include <assay/roles/embedder.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BATCH 256u /* texts a request, reference page 5.3 */
#define TRIES 3

/* One text and its vector. The store keeps the bits of the numbers as hexadecimal text. */
typedef struct item {
	assay_str text;
	char id[65];
	float *vector; /* NULL: not known yet */
	size_t size;
} item;

typedef struct embedding {
	as_context *c;
	const as_instance *instance;
	const assay_embedder_ops *ops;
	item *items;
	size_t n;
} embedding;

static int find_embedder(as_context *c, const char *name, const as_model_spec **model, as_instance **out,
			 assay_error *err)
{
	*model = as_manifest_model(c->engine->manifest, name);
	if (strncmp(name, "embedder/", 9) == 0) {
		return as_worker_by_name(c->worker, name, ASSAY_ROLE_EMBEDDER, out, err);
	}
	if (!*model) {
		return as_fail(err, ASSAY_EDATA, "no embedder called \"%s\" under \"models\"", name);
	}
	return as_worker_instance(c->worker, &(*model)->llm, ASSAY_ROLE_EMBEDDER, out, err);
}

static int name_items(embedding *e, const as_model_spec *model, const assay_str *texts, assay_error *err)
{
	const char *use = as_instance_info(e->instance)->use;
	assay_text options = {0};
	int rc = model ? as_json_dump(model->llm.options, ASSAY_JSON_CANONICAL, &options, err) : 0;
	for (size_t i = 0; i < e->n && rc == 0; i++) {
		assay_str parts[] = {as_str(use), as_text_str(options), texts[i]};
		e->items[i].text = texts[i];
		as_hash_parts("vector", parts, 3, e->items[i].id);
	}
	as_text_free(&options);
	return rc;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "\"3f800000...\"" to numbers. */
static int decode(item *it, assay_str body, assay_error *err)
{
	size_t n = body.len >= 2 ? (body.len - 2) / 8 : 0;
	if (n == 0 || body.len != 8 * n + 2) {
		return as_fail(err, ASSAY_EDATA, "the stored vector %.16s is damaged", it->id);
	}
	it->vector = as_new(n, sizeof *it->vector);
	if (!it->vector) {
		return as_fail_memory(err);
	}
	it->size = n;
	for (size_t i = 0; i < n; i++) {
		uint32_t bits = 0;
		for (size_t k = 0; k < 8; k++) {
			int digit = hex_digit(body.ptr[1 + 8 * i + k]);
			if (digit < 0) {
				return as_fail(err, ASSAY_EDATA, "the stored vector %.16s is damaged", it->id);
			}
			bits = bits << 4 | (uint32_t)digit;
		}
		memcpy(&it->vector[i], &bits, sizeof bits);
	}
	return 0;
}

static int recall(embedding *e, item *it, assay_error *err)
{
	assay_text body = {0};
	int rc = as_store_get_document(e->c->engine->store, "vector", as_str(it->id), &body, NULL);
	if (rc == 0) {
		rc = decode(it, as_text_str(body), err);
	} else {
		rc = rc == ASSAY_ENOENT ? 0 : as_fail(err, rc, "the store cannot be read");
	}
	as_text_free(&body);
	return rc;
}

static int keep(embedding *e, const item *it, assay_error *err)
{
	as_buf body = {0};
	int rc;
	as_buf_byte(&body, '"');
	for (size_t i = 0; i < it->size; i++) {
		uint32_t bits;
		memcpy(&bits, &it->vector[i], sizeof bits);
		as_buf_printf(&body, "%08x", bits);
	}
	as_buf_byte(&body, '"');
	rc = as_buf_check(&body, err);
	if (rc == 0) {
		rc = as_store_put_document(e->c->engine->store, "vector", as_str(it->id), as_buf_str(&body), err);
	}
	as_buf_free(&body);
	return rc;
}

/* Takes what one request brought. */
typedef struct batch {
	assay_vector_sink sink;
	item **items;
	size_t n, taken;
} batch;

static int take_vector(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	batch *b = (batch *)sink;
	item *it;
	if (b->taken >= b->n || n == 0) {
		return as_fail(err, ASSAY_EPLUGIN,
			       "an embedder gave more vectors than there are texts, or an empty one");
	}
	it = b->items[b->taken++];
	free(it->vector);
	it->vector = as_new(n, sizeof *it->vector);
	if (!it->vector) {
		return as_fail_memory(err);
	}
	memcpy(it->vector, vector, n * sizeof *vector);
	it->size = n;
	return 0;
}

static int embed(as_context *c, const as_instance *instance, const assay_str *texts, size_t n,
		 assay_vector_sink *vectors, assay_error *err)
{
	const assay_embedder_ops *ops = as_instance_ops(instance);
	as_call own = c->call;
	as_call_hooks hooks = *own.hooks;
	hooks.variable = hooks.program_variable; /* where it sends texts, and with which key, its options say */
	own.hooks = &hooks;
	as_called before = as_instance_enter(instance, "embed");
	int rc = ops->embed(as_instance_self(instance), &own.pub, texts, n, vectors, err);
	return as_called_end(before, rc, err);
}

/* One request, made again a few times when the provider says that this may help. */
static int request(embedding *e, item **items, size_t n, assay_error *err)
{
	assay_str *texts = as_new(n, sizeof *texts);
	int rc = texts ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		texts[i] = items[i]->text;
	}
	for (int tries = 0; tries < TRIES && texts; tries++) {
		batch b = {{sizeof b.sink, 0, take_vector}, items, n, 0};
		assay_error local = {0};
		rc = embed(e->c, e->instance, texts, n, &b.sink, &local);
		if (rc == 0 && b.taken != n) {
			rc = as_fail(&local, ASSAY_EPLUGIN, "%zu vectors for %zu texts", b.taken, n);
		}
		if (rc < 0 && err) {
			*err = local;
			err->code = rc;
			as_error_where(err, as_instance_info(e->instance)->use, 0);
		}
		if (rc == 0 || !(local.flags & ASSAY_ERR_RETRYABLE) || tries + 1 == TRIES ||
		    as_wait_fd(-1, 0, as_deadline(local.detail > 0 ? local.detail : 500 << tries), e->c->call.cancel,
			       NULL) == ASSAY_ECANCELED) {
			break;
		}
	}
	free(texts);
	return rc;
}

static int fetch_missing(embedding *e, assay_error *err)
{
	size_t most = e->ops->max_batch ? e->ops->max_batch(as_instance_self(e->instance)) : 0, n = 0;
	item **missing;
	int rc = 0;
	most = most ? most : DEFAULT_BATCH;
	missing = as_new(most, sizeof(item *));
	if (!missing) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < e->n && rc == 0; i++) {
		if (!e->items[i].vector) {
			missing[n++] = &e->items[i];
		}
		if (n == most || (n > 0 && i + 1 == e->n)) {
			rc = request(e, missing, n, err);
			for (size_t k = 0; k < n && rc == 0; k++) {
				rc = keep(e, missing[k], err);
			}
			n = 0;
		}
	}
	free(missing);
	return rc;
}

static int embed_stored(embedding *e, const as_model_spec *model, const assay_str *texts, assay_vector_sink *vectors,
			assay_error *err)
{
	int rc = name_items(e, model, texts, err);
	pthread_mutex_lock(&e->c->engine->embedding);
	for (size_t i = 0; i < e->n && rc == 0; i++) {
		rc = recall(e, &e->items[i], err);
	}
	if (rc == 0) {
		rc = fetch_missing(e, err);
	}
	pthread_mutex_unlock(&e->c->engine->embedding);
	for (size_t i = 0; i < e->n && rc == 0; i++) {
		rc = vectors->add(vectors, e->items[i].vector, e->items[i].size, err);
	}
	return rc;
}

int as_embed(as_context *c, const char *embedder, const assay_str *texts, size_t n, assay_vector_sink *vectors,
	     assay_error *err)
{
	const as_model_spec *model;
	as_instance *instance;
	embedding e = {.c = c, .n = n};
	int rc = find_embedder(c, embedder, &model, &instance, err);
	if (rc < 0) {
		return rc;
	}
	e.instance = instance;
	e.ops = as_instance_ops(instance);
	if ((as_instance_info(instance)->impl->flags & ASSAY_IMPL_PURE) || !c->engine->store) {
		return embed(c, instance, texts, n, vectors, err);
	}
	c->embedded += n;
	e.items = as_new(n + 1, sizeof *e.items);
	rc = e.items ? embed_stored(&e, model, texts, vectors, err) : as_fail_memory(err);
	for (size_t i = 0; e.items && i < n; i++) {
		free(e.items[i].vector);
	}
	free(e.items);
	if (rc < 0 && rc != ASSAY_ECANCELED && !(rc == ASSAY_EAUTH && err && !(err->flags & ASSAY_ERR_PEER))) {
		c->fault = AS_FAULT_MODEL;
		c->dialogue.end = "model_unreachable";
	}
	return rc < 0 ? rc : 0;
}

static int drop_vector(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	(void)sink;
	(void)vector;
	(void)n;
	(void)err;
	return 0;
}

int as_embed_ready(as_context *c, const as_model_spec *model, assay_error *err)
{
	assay_vector_sink nowhere = {sizeof nowhere, 0, drop_vector};
	const assay_str none = {"", 0};
	assay_error local = {0};
	as_instance *instance;
	int rc = as_worker_instance(c->worker, &model->llm, ASSAY_ROLE_EMBEDDER, &instance, err);
	if (rc < 0) {
		return rc;
	}
	rc = embed(c, instance, &none, 0, &nowhere, &local);
	if (rc != ASSAY_EAUTH || (local.flags & ASSAY_ERR_PEER)) {
		return 0;
	}
	if (err) {
		*err = local;
	}
	as_error_where(err, model->name, 0);
	return rc;
}
