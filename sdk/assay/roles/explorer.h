/* Assay SDK, role explorer: an agent that pursues a goal or a task's prompt. */
#ifndef ASSAY_ROLES_EXPLORER_H
#define ASSAY_ROLES_EXPLORER_H

#include <assay/plugin.h>

typedef struct assay_assignment {
	uint32_t size;
	uint32_t turns;    /* model turns allowed, from the budget */
	assay_str prompt;  /* the goal or the task */
	assay_str persona; /* may be empty */
	uint64_t seed;     /* of this attempt: pass it on to the model where it takes one */
} assay_assignment;

typedef struct assay_explorer_ops {
	ASSAY_OPS_HEAD;
	/* Work on it through host->agent and host->llm and emit exactly one object:
	 * {"outcome": "completed"|"no_tools_called"|"budget_exhausted"|"llm_error", "end":
	 * "finished"|"gave_up"|"turn_limit"| "malformed_call", "final_message": text or null, "tool_call_count": n,
	 * "successful_tool_calls": n, "turns": n, "messages": [...]}. Return a negative code (as the host gave it) when
	 * a service failed: the core names the end from it. What had been said until then may still be emitted before
	 * returning. Required operation. */
	int (*run)(void *self, assay_call *call, const assay_assignment *assignment, assay_sink *result,
		   assay_error *err);
} assay_explorer_ops;

#endif
