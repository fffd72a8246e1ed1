/* What stands behind one plugin operation during a run: worker, world, recorder, model; and the host services made of
 * them. A worker is one thread's set of opened instances; a context is one operation's state. */
#ifndef AS_CONTEXT_H
#define AS_CONTEXT_H

#include "core/run/engine.h"
#include "core/world/recorder.h"

typedef struct as_worker as_worker;
int as_worker_new(as_engine *e, as_worker **out, assay_error *err);
void as_worker_free(as_worker *w);
/* For scoring: of tasks that outlive the worker. */
as_checks *as_worker_checks(as_worker *w);
/* The worker's instance of an implementation, opened on first use. `use` is the key: it must stay where it is. */
int as_worker_instance(as_worker *w, const as_use *use, uint32_t role, as_instance **out, assay_error *err);
/* One that nobody configured, by its name "ROLE/NAME" and without options. */
int as_worker_by_name(as_worker *w, const char *use, uint32_t role, as_instance **out, assay_error *err);

/* The scorer that gates and distillers go by: the headline one, but where that asks a model, effects without a judge.
 */
int as_worker_strict_scorer(as_worker *w, as_instance **out, assay_error *err);

/* Whose fault it was that an operation could not go on. */
#define AS_FAULT_NONE 0
#define AS_FAULT_MODEL 1
#define AS_FAULT_SERVER 2

typedef struct as_context {
	as_call call; /* context->call.pub is what plugins get */
	as_engine *engine;
	as_worker *worker;
	as_rng rng;
	as_world *world;                     /* NULL: none */
	as_recorder *recorder;               /* NULL: none */
	const as_model_spec *model;          /* NULL: none */
	const as_model_spec *exposure_model; /* the exposure's own; NULL: none */
	bool acting;                         /* the agent makes a call now */
	bool for_exposure;                   /* it is the exposure that asks now */
	uint64_t embedded;                   /* texts that an embedder which costs something was asked for */
	const char *subject;                 /* stored replies are keyed by it: an attempt id or a goal's key */
	int64_t try_number;
	const assay_json *sampling; /* a candidate's; NULL: none */
	int64_t max_tokens;         /* of all model requests; 0: no bound */
	double max_usd;
	as_llm_dialogue exposure_dialogue; /* the exposure's, with its own model */
	as_llm_dialogue dialogue;          /* begun by the first request to the model */
	int fault;
	assay_json *simulated;   /* array: what a world's simulator was asked and said, as evidence; NULL: nothing */
	assay_json *evidence;    /* what models say is put here, too (evidence.h); NULL: nowhere */
	const assay_json *heard; /* nobody is asked: this is what was said; NULL: models are asked */
	size_t n_heard;          /* of it, so far */
} as_context;

/* component: "explorer/loop"; subject is borrowed. seconds 0: no deadline. */
void as_context_init(as_context *c, as_worker *w, const char *component, const char *subject, uint64_t seed,
		     uint32_t seconds);

#endif
