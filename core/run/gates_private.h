/* What the gates share. Private to them. */
#ifndef AS_GATES_PRIVATE_H
#define AS_GATES_PRIVATE_H

#include "core/run/attempt.h"
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
	const as_trace
		*shown; /* the same with what the tape says of the state in the end, where the task asks for it */
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

/* Somebody who tries the task on its tape as a candidate would, with all tools of its servers. */
typedef struct as_gate_agent {
	const as_use *explorer;
	const as_model_spec *model; /* NULL: none */
	uint64_t seed;
	const char *subject;
	bool untimed; /* too many of them to note how long each takes */
} as_gate_agent;
/* The trace of the result is the caller's to free, also after a failure. */
int as_gate_session(const gate_input *in, const as_gate_agent *agent, as_session_result *result, assay_error *err);

/* Call a tool of a replayed world and put the call into a trace. arguments: taken over, NULL is a failure. */
int as_gate_call(const gate_input *in, as_world *world, assay_str server, assay_str tool, assay_json *arguments,
		 as_trace *t, assay_error *err);
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

bool as_gate_is_kind(const assay_json *checkpoint, const char *kind);
bool as_gate_is_word(char c);                  /* a byte of a word */
assay_str as_gate_scalar(const assay_json *v); /* its text; empty for what is none */
#define AS_GATE_MIN_FED 2 /* bytes of a value from which on its place in an earlier result is no accident */

/* Does the trace pass the part of the task that consists of the checkpoint alone, or (only false) that lacks it and the
 * order it has a part in? The trace shows the state in the end. */
int as_gate_score_part(const gate_input *in, const as_trace *trace, const assay_json *checkpoint, bool only,
		       bool *passes, assay_error *err);

/* Ways of spoiling the reference. The first three: what a checkpoint's calls did. */
#define AS_MUTANT_DROP 0    /* they were not made */
#define AS_MUTANT_SWAP 1    /* another tool was called */
#define AS_MUTANT_CORRUPT 2 /* with other arguments, or, where any will do, without success */
#define AS_MUTANT_VALUES 3  /* texts that look the same hold other values */
#define AS_MUTANT_NEEDLES 4 /* certain texts stand nowhere */
/* Where the last two do so. */
#define AS_MUTANT_STEPS 1u /* in all results */
#define AS_MUTANT_MESSAGE 2u
#define AS_MUTANT_PROBES 4u

typedef struct as_mutation {
	const assay_json *checkpoint;
	int way;
	unsigned parts;
	const assay_tool *other;        /* SWAP: this one; NULL: one that is not there */
	assay_str argument;             /* CORRUPT: only this one; empty: all */
	assay_str prompt;               /* VALUES: its words stay */
	uint32_t shift;                 /* VALUES: which others; 0: none at all */
	const assay_json *first, *last; /* NEEDLES: from a list; last NULL: up to its end */
} as_mutation;
int as_gate_mutate(const gate_input *in, const as_mutation *m, as_trace **out, assay_error *err);
/* The reference spoiled for a checkpoint in one of the first three ways, and whether the task still passes on it. */
int as_gate_mutant(const gate_input *in, const assay_json *checkpoint, int way, const assay_tool *other, bool *passes,
		   assay_error *err);

#endif
