/* Inside core/llm: the hub, its endpoints and the steps of a request. */
#ifndef AS_LLM_HUB_H
#define AS_LLM_HUB_H

#include "core/base/json_pool.h"
#include "core/llm/llm.h"
#include "core/llm/names.h"
#include "core/llm/window.h"
#include <pthread.h>

/* A variable whose value is several keys. */
typedef struct as_llm_keys {
	char *name;
	uint64_t next, bad; /* bad: a bit per key that was refused or is used up */
} as_llm_keys;

/* The tools of a request as a dialect has them. Attempts that are offered the same tools share it, as long as their
 * list is frozen (as_json_freeze). */
typedef struct as_llm_offer {
	assay_json *source; /* a copy of the list that it is made of */
	as_names *names;
	assay_json *tools; /* frozen; NULL: the request has none */
	unsigned holders;
} as_llm_offer;

#define AS_LLM_OFFERS 64u /* kept by an endpoint */

typedef struct as_llm_endpoint {
	const as_llm_settings *settings;
	as_window *window;
	pthread_mutex_t lock; /* guards keys, offers and told_cost */
	as_llm_keys *keys;
	size_t n_keys, cap_keys;
	as_llm_offer *offers[AS_LLM_OFFERS];
	size_t n_offers;
	bool told_cost; /* that it does not say what replies cost */
} as_llm_endpoint;

/* One that nobody shares; the pool (NULL: none) is for its tools one by one. */
int as_llm_offer_new(as_json_pool *pool, const assay_llm_dialect *dialect, const assay_json *tools, as_llm_offer **out,
		     assay_error *err);
void as_llm_offer_free(as_llm_offer *offer);

struct as_llm_hub {
	as_llm_hub_options options;
	as_json_pool *pool; /* of tools in their dialects */
	as_llm_endpoint *endpoints;
	size_t n_endpoints;
	pthread_mutex_t lock; /* guards spent */
	double spent;
};

/* The offer of an endpoint for a list of tools (NULL: none), to be given back. */
int as_llm_offer_take(as_llm_hub *hub, size_t model, const assay_llm_dialect *dialect, const assay_json *tools,
		      as_llm_offer **out, assay_error *err);
void as_llm_offer_give(as_llm_hub *hub, size_t model, as_llm_offer *offer);

/* One request on its way: what the implementation's call leads to. */
typedef struct as_llm_asking {
	as_call call; /* what the implementation gets */
	as_llm_hub *hub;
	as_llm_endpoint *endpoint;
	as_call *outer;
	as_arena arena;
	const char *key_name; /* of the key that this request used, when there are several; NULL: none */
	unsigned key_number, n_keys;
} as_llm_asking;
void as_llm_asking_begin(as_llm_asking *a, as_llm_hub *hub, size_t model, as_call *outer);
void as_llm_asking_end(as_llm_asking *a);
/* Leave the key that the request used out from now on. False: there is no other. */
bool as_llm_drop_key(as_llm_asking *a);

/* Does the request force a call, of a model that cannot be made to call? Then let it answer in JSON instead. */
bool as_llm_is_forced(const as_llm_settings *settings, const assay_json *request);
int as_llm_unforce(const as_llm_settings *settings, assay_json *request, assay_error *err);

/* A request in the dialect of the implementation. */
int as_llm_request_out(const as_llm_offer *offer, const assay_llm_dialect *dialect, const assay_json *request,
		       assay_json **out, assay_error *err);
/* A reply as everybody knows it; changed in place. ordinal: for calls that need an id. */
int as_llm_reply_in(const as_names *names, int64_t ordinal, assay_json *reply, assay_error *err);

/* Through the implementation, again and again when that may help. `request` as everybody knows it. The reply is cleaned
 * of secrets. */
int as_llm_ask(as_llm_dialogue *d, const assay_json *request, assay_json **reply, assay_error *err);

as_llm_usage as_llm_usage_of(const assay_json *reply, const assay_json *price);

#endif
