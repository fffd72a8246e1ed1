/* Gates: runs whose answer is known in advance. A task is certified when the required ones pass. */
#ifndef AS_GATES_H
#define AS_GATES_H

#include "core/run/context.h"
#include "core/trace/tape.h"

/* Why a task has no certificate that came without the trace it was made from. */
#define AS_NO_REFERENCE "no_reference"

/* Why a task of others has none that has more checkpoints than ours may have: no gate is asked. */
#define AS_TOO_LARGE "too_large"

/* The gate that throws dice: left out where the plugins are not there that do, and it is not required. */
#define AS_GATE_RANDOM "random_fails"

/* The gate that needs an agent of the manifest (generation.gates.agent). */
#define AS_GATE_SECOND "second_agrees"

/* The gate that needs a scorer of the manifest (generation.gates.judge). */
#define AS_GATE_VALID "valid"

/* Names of all gates, NULL-terminated. */
const char *const *as_gate_names(void);

/* Run every gate on a task with its own trace and tape. *certificate: array of {"gate","passed","required","evidence"}
 * in the order of as_gate_names; *passed: all required ones did; *reason: name of the first that did not ("" when
 * passed). known: the certificate of an earlier time, from which the second agent's calls and the judge's replies are
 * taken, so that nobody is asked again; NULL: there is none, and the agent is asked. second_agrees and valid are only
 * there when the manifest names one. A task that is not bounded (as_task_is_bounded) does not pass, for the reason
 * AS_TOO_LARGE and with an empty certificate. Fails only where there is no answer (cancelled, no memory, broken
 * plugin). */
int as_gates_run(as_worker *w, const assay_json *task, const as_trace *trace, const as_tape *tape, const char *subject,
		 const assay_json *known, assay_json **certificate, bool *passed, const char **reason,
		 assay_error *err);

#endif
