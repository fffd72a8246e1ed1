/* What the gates share. Private to them. */
#ifndef AS_GATES_PRIVATE_H
#define AS_GATES_PRIVATE_H

#include "core/run/context.h"
#include "core/run/gates.h"
#include "core/trace/tape.h"

typedef struct gate_input {
	as_context *context;
	const as_instance *scorer;
	const assay_json *task;
	/* What a trace is judged by that only resembles a run: the task without its state conditions, which nobody can
	 * meet who shows no state. A task of nothing else is judged as it is. */
	const assay_json *judged;
	const as_trace *trace;
	const as_tape *tape;
	const assay_step *steps; /* of the trace */
	size_t n_steps;
	const assay_json *known; /* certificate of an earlier time: agents are not asked again; NULL: none */
} gate_input;

/* Each answers passed and evidence (an object); a negative code only where there is no answer. */
int as_gate_echo_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_random_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_mutants_caught(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_no_answer_in_prompt(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_necessary(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_second_agrees(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_valid(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
int as_gate_fits_category(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);

/* The evidence of a gate from an earlier time; NULL: there is none. */
const assay_json *as_gate_known(const gate_input *in, const char *name);

/* Call a tool of a replayed world and put the call into a trace. arguments: taken over, NULL is a failure. said: gets
 * the result as text; may be NULL. */
int as_gate_call(const gate_input *in, as_world *world, assay_str server, assay_str tool, assay_json *arguments,
		 as_trace *t, as_buf *said, assay_error *err);
/* The agent's last message. Before the trace is finished. */
int as_gate_say(as_trace *t, assay_str message, assay_error *err);

/* Does the task pass on this trace, its state conditions left out? verdict may be NULL. */
int as_gate_score(const gate_input *in, const as_trace *trace, bool *passes, assay_json **verdict, assay_error *err);
/* The same with them: for a trace that shows the state in the end. */
int as_gate_score_shown(const gate_input *in, const as_trace *trace, bool *passes, assay_json **verdict,
			assay_error *err);

/* Is the checkpoint a tool_effect that this step brings about? */
bool as_gate_meets(const assay_json *checkpoint, const assay_step *step);
bool as_gate_in_set(const assay_json *checkpoint, assay_str server, assay_str tool);
/* Does `text` hold `value` with no letter or digit beside it? */
bool as_gate_holds(assay_str text, assay_str value);
/* Does a later step take a value from this one's result that the prompt does not give? */
bool as_gate_feeds(const gate_input *in, const assay_step *step, const assay_step *later);

/* Ways of spoiling what a checkpoint's calls did. */
#define AS_MUTANT_DROP 0    /* they were not made */
#define AS_MUTANT_SWAP 1    /* another tool was called */
#define AS_MUTANT_CORRUPT 2 /* with other arguments, or, where any will do, without success */
#define AS_MUTANT_BLANK 3   /* all results and the last message say nothing */
/* The reference spoiled for a checkpoint, and whether the task still passes on it. other: for SWAP. */
int as_gate_mutant(const gate_input *in, const assay_json *checkpoint, int way, const assay_tool *other, bool *passes,
		   assay_error *err);

#endif
