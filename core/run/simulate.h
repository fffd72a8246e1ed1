/* The simulated level of a replayed world: a model answers reads that the tape does not know. */
#ifndef AS_SIMULATE_H
#define AS_SIMULATE_H

#include "core/run/context.h"
#include "core/world/replay.h"

/* as_simulate_fn; payload is the condition's simulator (const as_use *), and the call's context an as_context, whose
 * attempt pays; what was asked and said is added to context->simulated. Answers calls that the agent makes now, and
 * nothing else: what a probe shows is never made up. */
int as_simulate(void *payload, const as_tape *tape, as_call *call, assay_str server, assay_str tool,
		const assay_json *arguments, as_answer *out, assay_error *err);

#endif
