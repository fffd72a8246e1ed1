#include "core/llm/hub.h"

#include "core/base/error.h"
#include <assay/roles/llm.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 64u

static void endpoint_clear(as_llm_endpoint *e)
{
	for (size_t i = 0; i < e->n_keys; i++) {
		free(e->keys[i].name);
	}
	free(e->keys);
	for (size_t i = 0; i < e->n_offers; i++) {
		as_llm_offer_free(e->offers[i]);
	}
	as_window_free(e->window);
	if (e->settings) {
		pthread_mutex_destroy(&e->lock);
	}
}

void as_llm_hub_free(as_llm_hub *hub)
{
	if (!hub) {
		return;
	}
	for (size_t i = 0; i < hub->n_endpoints; i++) {
		endpoint_clear(&hub->endpoints[i]);
	}
	free(hub->endpoints);
	as_json_pool_free(hub->pool);
	pthread_mutex_destroy(&hub->lock);
	free(hub);
}

static int open_endpoint(as_llm_endpoint *e, const as_llm_settings *settings, assay_error *err)
{
	int64_t limit = as_json_i64(as_json_get(settings->limits, "in_flight"), 0);
	if (pthread_mutex_init(&e->lock, NULL) != 0) {
		return as_fail_memory(err);
	}
	e->settings = settings;
	return as_window_new((uint32_t)limit, &e->window, err);
}

int as_llm_hub_new(const as_llm_hub_options *options, as_llm_hub **out, assay_error *err)
{
	as_llm_hub *hub = as_new(1, sizeof *hub);
	int rc;
	*out = NULL;
	if (!hub || pthread_mutex_init(&hub->lock, NULL) != 0) {
		free(hub);
		return as_fail_memory(err);
	}
	hub->options = *options;
	hub->endpoints = as_new(options->n_models + 1, sizeof *hub->endpoints);
	rc = hub->endpoints ? 0 : as_fail_memory(err);
	rc = rc < 0 ? rc : as_json_pool_new(&hub->pool, err);
	for (size_t i = 0; i < options->n_models && rc == 0; i++) {
		rc = open_endpoint(&hub->endpoints[hub->n_endpoints++], &options->models[i], err);
	}
	if (rc == 0 && options->store) {
		rc = as_store_spent(options->store, &hub->spent, err);
	}
	if (rc < 0) {
		as_llm_hub_free(hub);
		return rc;
	}
	*out = hub;
	return 0;
}

/* --- Offers --- */

static as_llm_offer *find_offer(as_llm_endpoint *e, const assay_json *tools)
{
	for (size_t i = 0; i < e->n_offers; i++) {
		if (as_json_shares(e->offers[i]->source, tools)) {
			e->offers[i]->holders++;
			return e->offers[i];
		}
	}
	return NULL;
}

/* Room for one more: the oldest one that nobody holds has to go. */
static bool make_room(as_llm_endpoint *e)
{
	for (size_t i = 0; i < e->n_offers && e->n_offers == AS_LLM_OFFERS; i++) {
		if (e->offers[i]->holders == 0) {
			as_llm_offer_free(e->offers[i]);
			memmove(&e->offers[i], &e->offers[i + 1], (--e->n_offers - i) * sizeof *e->offers);
		}
	}
	return e->n_offers < AS_LLM_OFFERS;
}

/* Under the lock. What is not frozen, or finds no room, stays its maker's. */
static void keep_offer(as_llm_endpoint *e, const assay_json *tools, as_llm_offer *offer)
{
	if (!as_json_shares(tools, tools) || !make_room(e)) {
		return;
	}
	offer->source = as_json_clone(tools);
	if (offer->source) {
		offer->holders = 1;
		e->offers[e->n_offers++] = offer;
	}
}

int as_llm_offer_take(as_llm_hub *hub, size_t model, const assay_llm_dialect *dialect, const assay_json *tools,
		      as_llm_offer **out, assay_error *err)
{
	as_llm_endpoint *e = &hub->endpoints[model];
	int rc;
	pthread_mutex_lock(&e->lock);
	*out = find_offer(e, tools);
	pthread_mutex_unlock(&e->lock);
	if (*out) {
		return 0;
	}
	rc = as_llm_offer_new(hub->pool, dialect, tools, out, err);
	if (rc == 0) {
		as_llm_offer *other;
		pthread_mutex_lock(&e->lock);
		other = find_offer(e, tools); /* made by another thread meanwhile */
		if (!other) {
			keep_offer(e, tools, *out);
		}
		pthread_mutex_unlock(&e->lock);
		if (other) {
			as_llm_offer_free(*out);
			*out = other;
		}
	}
	return rc;
}

void as_llm_offer_give(as_llm_hub *hub, size_t model, as_llm_offer *offer)
{
	as_llm_endpoint *e = &hub->endpoints[model];
	bool kept;
	if (!offer) {
		return;
	}
	pthread_mutex_lock(&e->lock);
	kept = offer->holders > 0;
	offer->holders -= kept;
	pthread_mutex_unlock(&e->lock);
	if (!kept) {
		as_llm_offer_free(offer);
	}
}

/* --- Keys --- */

static as_llm_keys *keys_of(as_llm_endpoint *e, const char *name)
{
	for (size_t i = 0; i < e->n_keys; i++) {
		if (strcmp(e->keys[i].name, name) == 0) {
			return &e->keys[i];
		}
	}
	if (!as_grow(&e->keys, &e->cap_keys, e->n_keys + 1, sizeof *e->keys)) {
		return NULL;
	}
	e->keys[e->n_keys] = (as_llm_keys){.name = as_strdup(name)};
	return e->keys[e->n_keys].name ? &e->keys[e->n_keys++] : NULL;
}

static unsigned count_keys(const char *value)
{
	unsigned n = 1;
	for (; *value && n < MAX_KEYS; value++) {
		n += *value == ',';
	}
	return n;
}

static assay_str key_at(const char *value, unsigned number)
{
	size_t n;
	while (number-- > 0) {
		value += strcspn(value, ",") + 1;
	}
	value += strspn(value, " ");
	n = strcspn(value, ", ");
	return (assay_str){value, n};
}

/* One of several keys: the next one that is good. */
static const char *choose_key(as_llm_asking *a, const char *name, const char *value, unsigned n, bool taking)
{
	as_llm_keys *keys;
	unsigned chosen = 0;
	pthread_mutex_lock(&a->endpoint->lock);
	keys = keys_of(a->endpoint, name);
	for (unsigned i = 0; keys && i < n; i++) {
		chosen = (unsigned)((keys->next + i) % n);
		if (!(keys->bad >> chosen & 1) && key_at(value, chosen).len > 0) {
			break;
		}
	}
	if (keys && taking) {
		keys->next = chosen + 1;
		a->key_name = keys->name;
		a->key_number = chosen;
		a->n_keys = n;
	}
	pthread_mutex_unlock(&a->endpoint->lock);
	return keys ? as_arena_cstr(&a->arena, key_at(value, chosen)) : NULL;
}

bool as_llm_drop_key(as_llm_asking *a)
{
	uint64_t all = a->n_keys >= 64 ? UINT64_MAX : ((uint64_t)1 << a->n_keys) - 1;
	as_llm_keys *keys;
	bool another;
	if (!a->key_name) {
		return false;
	}
	pthread_mutex_lock(&a->endpoint->lock);
	keys = keys_of(a->endpoint, a->key_name);
	another = (keys->bad | (uint64_t)1 << a->key_number) != all;
	keys->bad |= another ? (uint64_t)1 << a->key_number : 0;
	pthread_mutex_unlock(&a->endpoint->lock);
	return another;
}

/* An address is no secret, and errors are clearer with it. */
static bool is_address(const char *value)
{
	return strncmp(value, "http://", 7) == 0 || strncmp(value, "https://", 8) == 0;
}

static const char *hook_variable(void *context, const char *name, bool taking)
{
	as_llm_asking *a = context;
	const as_llm_hub_options *o = &a->hub->options;
	const char *value = o->variable ? o->variable(o->payload, name) : NULL;
	unsigned n;
	if (!value || !value[0] || is_address(value)) {
		return value;
	}
	n = count_keys(value);
	value = n > 1 ? choose_key(a, name, value, n, taking) : value;
	/* What is not known as a secret is not sent. */
	return value && as_redactor_add(a->hub->options.redactor, name, as_str(value)) ? value : NULL;
}

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	const as_call *outer = ((as_llm_asking *)context)->outer;
	if (!outer->hooks || !outer->hooks->http) {
		return as_fail(err, ASSAY_ENOTSUP, "no requests can be made here");
	}
	return outer->hooks->http(outer->context, ops, client, err);
}

void as_llm_asking_begin(as_llm_asking *a, as_llm_hub *hub, size_t model, as_call *outer)
{
	static const as_call_hooks hooks = {.variable = hook_variable, .http = hook_http};
	*a = (as_llm_asking){.call = *outer, .hub = hub, .endpoint = &hub->endpoints[model], .outer = outer};
	a->call.hooks = &hooks;
	a->call.context = a;
	a->call.component = a->endpoint->settings->use;
}

void as_llm_asking_end(as_llm_asking *a)
{
	as_arena_free(&a->arena);
}

int as_llm_ready(as_llm_hub *hub, size_t model, const as_instance *instance, as_call *call, assay_error *err)
{
	const assay_llm_ops *ops = as_instance_ops(instance);
	as_llm_asking a;
	as_called before;
	int rc;
	if (!ops->ready || hub->options.offline) {
		return 0;
	}
	as_llm_asking_begin(&a, hub, model, call);
	before = as_instance_enter(instance, "ready");
	rc = ops->ready(as_instance_self(instance), &a.call.pub, err);
	rc = as_called_end(before, rc, err);
	as_llm_asking_end(&a);
	if (rc < 0) {
		as_redact_error(hub->options.redactor, err);
		as_error_where(err, hub->options.models[model].name, 0);
	}
	return rc;
}
