/* Probes: reads that a task's state conditions ask of the world once the agent has stopped. They are no steps of the
 * agent; their answers lie in the trace under "seed_metadata"/"assay"/"probes" (core/trace/trace.h). */
#ifndef AS_PROBE_H
#define AS_PROBE_H

#include "core/world/world.h"

/* A checkpoint {"kind": "state_condition", "probe": {"server_id", "tool_name", "arguments": object or null,
 * "predicate": a value predicate}}. An empty probe asks nothing. */
bool as_task_has_probes(const assay_json *task);

/* The task without its state conditions: a trace on its own shows no state. */
int as_task_without_states(const assay_json *task, assay_json **out, assay_error *err);

/* Ask all probes of a task, in order. *out: the array for the trace, NULL when there are none. A world that breaks down
 * is an answer: the condition is not shown. ASSAY_ENOMEM, ASSAY_ECANCELED. */
int as_probes_ask(as_world *w, as_call *call, const assay_json *task, assay_json **out, assay_error *err);

/* A copy of a finished trace with these answers in it (taken over; NULL: none). */
int as_trace_with_probes(const as_trace *trace, assay_json *probes, as_trace **out, assay_error *err);

#endif
