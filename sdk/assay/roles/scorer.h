/* Assay SDK, role scorer: did the attempt bring about what the task asks for?
 * Shapes of tasks and traces: the guide, "Documents". */
#ifndef ASSAY_ROLES_SCORER_H
#define ASSAY_ROLES_SCORER_H

#include <assay/plugin.h>

/* How a step was answered: by the live server, or from what was recorded of it, the nearest that there is. */
#define ASSAY_SERVED_LIVE 0u
#define ASSAY_SERVED_EXACT 1u      /* the same call was recorded */
#define ASSAY_SERVED_EQUIVALENT 2u /* a recorded call meets the same argument predicate of the task */
#define ASSAY_SERVED_NEAR 3u       /* a recorded read with nearly the same arguments */
#define ASSAY_SERVED_SIMULATED 4u  /* by a model */
#define ASSAY_SERVED_MISS 5u       /* not at all: the agent was told of an error. What would have come is unknown */
#define ASSAY_SERVED_REFUSED 6u    /* never reached the world */

/* Status of a step. */
#define ASSAY_STEP_SUCCESS 0u
#define ASSAY_STEP_ERROR 1u
#define ASSAY_STEP_TIMEOUT 2u

/* One call that the agent made. */
typedef struct assay_step {
	uint32_t size;
	uint32_t status;
	int64_t id;
	uint32_t served;
	uint32_t reserved;
	assay_str server;
	assay_str tool;
	const assay_json *arguments; /* NULL: none */
	const assay_json *result;    /* MCP result object, NULL: none */
	assay_str text;              /* of the result: its text parts joined by LF; without any, all of it as JSON */
} assay_step;

/* What the world answered to the probe of a checkpoint "state_condition" once the agent had stopped. */
typedef struct assay_probe {
	uint32_t size;
	uint32_t reserved;
	assay_str checkpoint_id;
	assay_step answer; /* id: -1 */
} assay_probe;

typedef struct assay_subject {
	uint32_t size;
	uint32_t reserved;
	const assay_json *task;
	const assay_json *trace; /* the whole document */
	const assay_step *steps; /* agent calls in trace order, refused ones left out */
	size_t n_steps;
	const assay_step *refused; /* calls that never reached the world: unknown names and the like */
	size_t n_refused;
	assay_str final_message;       /* may be empty */
	const assay_json *server_tags; /* object: server id -> [tag], or NULL */
	/* Newer hosts only: ASSAY_HAS(subject, n_probes). A state condition that was not asked about has none. */
	const assay_probe *probes;
	size_t n_probes;
} assay_subject;

typedef struct assay_scorer_ops {
	ASSAY_OPS_HEAD;
	/* Emit exactly one verdict, of which verdict, lo and hi are required:
	 * {"verdict": "pass"|"fail"|"unknown", "lo": 0..1, "hi": 0..1,
	 *  "checks": [{"id","kind","passed": bool,"hi": bool,"reason","step": id or null,"tier": 1}],
	 *  "minefields": [{"id","hit": bool,"reason","step"}], "ordering": {"ok": bool,"hi": bool,"failures": [text]},
	 *  "metrics": {name: number or null}, "summary": {...}}.
	 * lo is the score when a miss counts as an error, hi when a missed call counts as a success that could have
	 * brought about whatever is asked of its result; a scorer that misses do not matter to gives one number twice.
	 * verdict goes by lo: what a scorer calls a pass counts as one in pass rates, however much it takes; at the
	 * upper bound of a rate, a hi of 1 does as well. metrics: what else is measured; reports give the mean of each.
	 * Required operation. */
	int (*score)(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err);
} assay_scorer_ops;

#endif
