/* Assay SDK, role scorer: did the attempt bring about what the task asks for? Reference page part 4. */
#ifndef ASSAY_ROLES_SCORER_H
#define ASSAY_ROLES_SCORER_H

#include <assay/plugin.h>

/* How a step was answered (design page "replay", rule 6). */
#define ASSAY_SERVED_LIVE 0u
#define ASSAY_SERVED_EXACT 1u
#define ASSAY_SERVED_EQUIVALENT 2u
#define ASSAY_SERVED_NEAR 3u
#define ASSAY_SERVED_SIMULATED 4u
#define ASSAY_SERVED_MISS 5u
#define ASSAY_SERVED_REFUSED 6u /* never reached the world */

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
	assay_str text;              /* rendered result, reference page 4.4 */
} assay_step;

typedef struct assay_subject {
	uint32_t size;
	uint32_t reserved;
	const assay_json *task;  /* reference page 1.2 */
	const assay_json *trace; /* the whole document */
	const assay_step *steps; /* agent calls in trace order, refused ones left out */
	size_t n_steps;
	const assay_step *refused; /* calls that never reached the world: unknown names and the like */
	size_t n_refused;
	assay_str final_message;       /* may be empty */
	const assay_json *server_tags; /* object: server id -> [tag], or NULL */
} assay_subject;

typedef struct assay_scorer_ops {
	ASSAY_OPS_HEAD;
	/* Emit exactly one verdict:
	 * {"verdict": "pass"|"fail"|"unknown", "lo": 0..1, "hi": 0..1,
	 *  "checks": [{"id","kind","passed": bool,"hi": bool,"reason","step": id or null,"tier": 1}],
	 *  "minefields": [{"id","hit": bool,"reason","step"}], "ordering": {"ok": bool,"hi": bool,"failures": [text]},
	 *  "metrics": {name: number or null}, "summary": {...}}.
	 * lo and hi are the bounds of design page "replay", rule 8; verdict is lo's. Required operation. */
	int (*score)(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err);
} assay_scorer_ops;

#endif
