/* Reachability: could the task be done with the tools on offer at all? Reference page 8.6. */
#ifndef AS_REACH_H
#define AS_REACH_H

#include "core/run/context.h"

typedef struct as_reach {
	uint32_t tools;       /* on offer */
	uint32_t checkpoints; /* that want a tool to be called */
	uint32_t reachable;   /* of them: at least one member of the equivalence set is on offer */
} as_reach;

/* Is a tool on offer? */
typedef bool (*as_on_offer_fn)(const void *context, assay_str server, assay_str tool);
/* Counts checkpoints; a task with none is reachable. */
as_reach as_reach_count(const assay_json *task, as_on_offer_fn on_offer, const void *context);

/* What a condition's exposure would offer for a task, without an attempt. Tools of the exposure's own making are no
 * tools here. */
int as_reach_offline(as_context *c, const as_condition_spec *condition, const assay_exposure_request *request,
		     const assay_json *task, as_reach *out, assay_error *err);

#endif
