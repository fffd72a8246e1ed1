#include "core/base/json_pool.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_node.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SWEPT_FROM 64u /* fewer values are not worth looking through */

typedef struct pooled {
	char digest[65];
	assay_json *value;
} pooled;

struct as_json_pool {
	pthread_mutex_t lock;
	pooled *list;
	size_t n, cap, sweep_at;
};

int as_json_pool_new(as_json_pool **out, assay_error *err)
{
	as_json_pool *p = as_new(1, sizeof *p);
	*out = NULL;
	if (!p || pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return as_fail_memory(err);
	}
	p->sweep_at = SWEPT_FROM;
	*out = p;
	return 0;
}

void as_json_pool_free(as_json_pool *p)
{
	if (p) {
		for (size_t i = 0; i < p->n; i++) {
			as_json_free(p->list[i].value);
		}
		pthread_mutex_destroy(&p->lock);
		free(p->list);
		free(p);
	}
}

/* Drop what only the pool holds. */
static void sweep(as_json_pool *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (as_json_node_is_alone(as_json_node(p->list[i].value))) {
			as_json_free(p->list[i].value);
		} else {
			p->list[kept++] = p->list[i];
		}
	}
	p->n = kept;
	p->sweep_at = kept * 2 > SWEPT_FROM ? kept * 2 : SWEPT_FROM;
}

static assay_json *find(const as_json_pool *p, const char *digest)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->list[i].digest, digest) == 0) {
			return as_json_clone(p->list[i].value);
		}
	}
	return NULL;
}

assay_json *as_json_pool_get(as_json_pool *p, assay_str key)
{
	assay_json *found = NULL;
	char digest[65];
	if (p) {
		as_sha256_hex(key, digest);
		pthread_mutex_lock(&p->lock);
		found = find(p, digest);
		pthread_mutex_unlock(&p->lock);
	}
	return found;
}

/* Under the lock. A value that finds no room is not shared, and that is all. */
static assay_json *put(as_json_pool *p, const char *digest, assay_json *v)
{
	assay_json *shared = find(p, digest);
	if (shared) {
		as_json_free(v);
		return shared;
	}
	if (p->n >= p->sweep_at) {
		sweep(p);
	}
	if (as_grow(&p->list, &p->cap, p->n + 1, sizeof *p->list)) {
		shared = as_json_clone(v);
	}
	if (shared) {
		memcpy(p->list[p->n].digest, digest, sizeof p->list[p->n].digest);
		p->list[p->n++].value = shared;
	}
	return v;
}

assay_json *as_json_pool_put(as_json_pool *p, assay_str key, assay_json *v)
{
	as_buf text = {0};
	char digest[65];
	v = as_json_freeze(v);
	if (!v || !p || !as_json_node_shared(as_json_node(v))) {
		return v;
	}
	if (key.len == 0) {
		as_json_write(&text, v, ASSAY_JSON_COMPACT);
		key = as_buf_str(&text);
	}
	if (!text.failed) {
		as_sha256_hex(key, digest);
		pthread_mutex_lock(&p->lock);
		v = put(p, digest, v);
		pthread_mutex_unlock(&p->lock);
	}
	as_buf_free(&text);
	return v;
}
