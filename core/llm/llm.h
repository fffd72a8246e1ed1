/* Asking models: what all providers have in common. An implementation of the role makes one request; everything around
 * it is here: names and schemas in its dialect, how many at once, keys that take turns, asking again, what an answer
 * costs, stored replies, and that no key is ever seen again. */
#ifndef AS_LLM_H
#define AS_LLM_H

#include "core/base/redact.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "core/store/store.h"

/* A model as the manifest gives it. All borrowed. */
typedef struct as_llm_settings {
	const char *name, *use;
	const assay_json *options;
	const assay_json *price;    /* {"in","out","cached"}: US dollars per million tokens; NULL: not known */
	const assay_json *limits;   /* {"in_flight","tries","seconds","backoff"}; NULL: the defaults */
	const assay_json *sampling; /* members of every request; NULL: none */
	const char *answers;        /* how a forced call is asked for: "tool" (or NULL), "schema", "text" */
} as_llm_settings;

#define AS_LLM_TRIES 6
#define AS_LLM_SECONDS 300 /* for one request */
#define AS_LLM_BACKOFF_MS 1000

typedef struct as_llm_hub as_llm_hub; /* what all threads of a run share */

typedef struct as_llm_hub_options {
	const as_llm_settings *models;
	size_t n_models;
	const char *(*variable)(void *payload, const char *name); /* NULL answer: not set */
	void *payload;
	as_store *store;   /* where replies are kept; NULL: nowhere */
	as_store *replies; /* a further store whose replies are used; NULL: none */
	bool offline;      /* only stored replies: nothing is sent */
	double max_usd;    /* for the whole store; 0: no bound */
	as_log *log;
	as_redactor *redactor; /* knows the keys from then on; not NULL */
} as_llm_hub_options;

int as_llm_hub_new(const as_llm_hub_options *options, as_llm_hub **out, assay_error *err);
void as_llm_hub_free(as_llm_hub *hub);

/* Could the model be asked as things are? Sends nothing. ASSAY_EAUTH names the variable to set. */
int as_llm_ready(as_llm_hub *hub, size_t model, const as_instance *instance, as_call *call, assay_error *err);

typedef struct as_llm_usage {
	int64_t prompt, completion, cached, reasoning; /* tokens; the last two are parts of the first two */
	double usd;
} as_llm_usage;

/* All requests of one operation (an attempt, a goal): one thread's. The caller fills the first part and leaves the rest
 * zero. */
typedef struct as_llm_dialogue {
	as_llm_hub *hub;
	size_t model;                /* number in the hub's list */
	const as_instance *instance; /* this thread's */
	as_call *call;               /* its deadline moves: what a provider's troubles take is not the agent's time */
	assay_str subject;           /* key of the stored replies, with try_number and the request's number */
	int64_t try_number;
	const assay_json *sampling; /* a candidate's, over the model's; NULL: none */
	int64_t max_tokens;         /* 0: no bound */
	double max_usd;             /* 0: no bound */

	int64_t ordinal; /* requests so far */
	as_llm_usage spent;
	const char *end;   /* after a failure: how an attempt ends by it; NULL: it does not end, the run stops */
	size_t n_messages; /* of the request before, and their digest */
	char chain[65];
} as_llm_dialogue;

/* One reply to one request (shapes: assay/roles/llm.h). A stored reply is used before anything is asked, a new one is
 * committed before it is used; an implementation that is ASSAY_IMPL_PURE is asked anew each time.
 * On failure the error's reason is an ASSAY_LLM_..., and d->end one of
 *   "model_unreachable"  the provider's doing: infra, so a fail is void
 *   "context_overflow", "token_limit", "cost_limit"  the agent's doing
 *   NULL                 cancelled, out of memory, a defect, --offline without a stored reply, or no money left. */
int as_llm_chat(as_llm_dialogue *d, const assay_json *request, assay_json **reply, assay_error *err);

const char *as_llm_reason(uint32_t reason); /* "rate limit" for ASSAY_LLM_RATE */

#endif
