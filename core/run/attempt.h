/* One session of an explorer in a world: the same code pursues goals live and tasks under replay. */
#ifndef AS_ATTEMPT_H
#define AS_ATTEMPT_H

#include "core/run/context.h"
#include "core/run/ends.h"

typedef struct as_session_spec {
	const as_use *explorer;
	const as_use *exposure;
	assay_exposure_request request; /* its prompt is the agent's too */
	const assay_json *task;         /* for its reachability; NULL when exploring */
	assay_str persona;
	const as_model_spec *model; /* NULL: none */
	const assay_json *trace_servers;
	assay_json *seed_metadata; /* taken over */
	uint64_t seed;
	as_budget budget;
	const assay_json *sampling; /* NULL: the model's own */
	const char *subject;        /* key of stored replies and timings */
	int64_t try_number;
	as_world *world;                    /* borrowed */
	const as_condition_spec *described; /* its describer words what is offered; NULL: nobody does */
	bool probed;                        /* the task's probes are asked in the end */
	bool untimed;                       /* how long it took is kept nowhere */
} as_session_spec;

typedef struct as_session_result {
	as_trace *trace;       /* finished; the taker frees it */
	const char *end;       /* design page, "End of an attempt" */
	const char *end_class; /* "agent", "infra", "harness" */
	bool ran;              /* false: setup failed before the agent did anything */
	assay_error cause;     /* of an end that is an error */
} as_session_result;

/* Fails only where there is nothing to record: cancelled, out of memory, a broken plugin. */
int as_session_run(as_worker *w, const as_session_spec *spec, as_session_result *out, assay_error *err);

/* The exposure that goals are pursued behind: every tool of their servers. */
extern const as_use as_flat_exposure;

/* id of an attempt: H(task, candidate, condition, repeat), and the candidate's module where it has one: whoever
 * rebuilds an agent has its attempts made anew. */
int as_attempt_id(assay_str task_id, const as_candidate_spec *candidate, const as_condition_spec *condition,
		  uint32_t repeat, char out[65], assay_error *err);

#endif
