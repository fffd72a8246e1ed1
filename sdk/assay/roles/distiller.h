/* Assay SDK, role distiller: from a successful trace to a task made of effects.
 * Shapes of goals, traces and tasks: the guide, "Documents". */
#ifndef ASSAY_ROLES_DISTILLER_H
#define ASSAY_ROLES_DISTILLER_H

#include <assay/plugin.h>

typedef struct assay_distil_request {
	uint32_t size;
	uint32_t reserved;
	const assay_json *goal;  /* {"goal_id","goal","servers","tags","persona"} */
	const assay_json *trace; /* its steps carry "text" (as in assay_step) under "assay" */
	assay_tools surface;     /* the tools of the goal's servers */
	assay_tools catalogue;   /* all tools */
} assay_distil_request;

typedef struct assay_distiller_ops {
	ASSAY_OPS_HEAD;
	/* Emit one task body, or none with a reason: {"rejected": text}. The body has prompt, checkpoints, minefields,
	 * ordering and notes of a task; ids, servers, complexity, dynamism, provenance and tape are the
	 * core's. A checkpoint "state_condition" has a probe {"server_id", "tool_name" (of a read), "arguments",
	 * "predicate": a value predicate}: the core asks it once the agent has stopped. Required operation. */
	int (*distil)(void *self, assay_call *call, const assay_distil_request *request, assay_sink *task,
		      assay_error *err);
} assay_distiller_ops;

#endif
