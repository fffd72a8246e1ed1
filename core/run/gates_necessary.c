/* Gate: every call and every checkpoint is needed. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include "core/task/predicate.h"
#include <assay/roles/scorer.h>
#include <string.h>

static const assay_json *first_checkpoint(const gate_input *in)
{
	return as_json_first(as_json_get(in->task, "checkpoints"));
}

/* --- Calls ------------------------------------------------------------------------------------------------------- */

/* Does an argument hold something of the prompt that no other call holds? */
static bool carries_goal(const gate_input *in, const assay_step *step)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt"));
	for (const assay_json *a = as_json_first(step->arguments); a; a = as_json_next(a)) {
		assay_str value = as_gate_scalar(a);
		bool alone = value.len >= AS_GATE_MIN_FED && as_gate_holds(prompt, value);
		for (size_t i = 0; i < in->n_steps && alone; i++) {
			for (const assay_json *b = as_json_first(in->steps[i].arguments); b && alone;
			     b = as_json_next(b)) {
				alone = &in->steps[i] == step || in->steps[i].status != ASSAY_STEP_SUCCESS ||
					!as_str_eq(as_gate_scalar(b), value);
			}
		}
		if (alone) {
			return true;
		}
	}
	return false;
}

/* Does its result hold a value that is asked for, or a rare one that the last message tells? */
static bool is_shown(const gate_input *in, const assay_step *step)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt")), said = as_trace_final_message(in->trace);
	for (const assay_json *c = first_checkpoint(in); c; c = as_json_next(c)) {
		if (as_gate_is_kind(c, "value_produced") &&
		    as_value_match(as_json_get(c, "predicate"), step->text, NULL) == 1) {
			return true;
		}
	}
	for (size_t i = 0, end; i < said.len; i = end) { /* words of the message */
		assay_str word;
		bool rare;
		for (end = i + 1;
		     end < said.len && as_gate_is_word(said.ptr[end - 1]) && as_gate_is_word(said.ptr[end]); end++) {
		}
		word = (assay_str){said.ptr + i, end - i};
		rare = word.len > 2 && as_gate_holds(step->text, word) && !as_gate_holds(prompt, word);
		for (size_t k = 0; k < in->n_steps && rare; k++) {
			rare = &in->steps[k] == step || !as_gate_holds(in->steps[k].text, word);
		}
		if (rare) {
			return true;
		}
	}
	return false;
}

static bool is_needed(const gate_input *in, const assay_step *step)
{
	const assay_tool *tool = as_catalogue_find(in->context->engine->catalogue, step->server, step->tool);
	if ((tool && (tool->flags & ASSAY_TOOL_WRITES)) || carries_goal(in, step) || is_shown(in, step)) {
		return true;
	}
	for (size_t i = 0; i < in->n_steps; i++) {
		if (as_gate_feeds(in, step, &in->steps[i])) {
			return true;
		}
	}
	return false;
}

/* Without the call behind the checkpoint something would be missing: a change, a value that a later call or the answer
 * needs, or a part of what the goal names. */
static bool has_needed_call(const gate_input *in, const assay_json *checkpoint)
{
	bool needed = !as_gate_is_kind(checkpoint, "tool_effect");
	for (size_t i = 0; i < in->n_steps && !needed; i++) {
		needed = as_gate_meets(checkpoint, &in->steps[i]) && is_needed(in, &in->steps[i]);
	}
	return needed;
}

/* --- Checkpoints ------------------------------------------------------------------------------------------------- */

/* Does the reference, spoiled in this way, fail by this checkpoint and by no other? */
static int try_alone(const gate_input *in, const as_mutation *m, bool *alone, assay_error *err)
{
	as_trace *mutant = NULL;
	bool met = true, rest = false;
	int rc;
	if (*alone) {
		return 0;
	}
	rc = as_gate_mutate(in, m, &mutant, err);
	rc = rc < 0 ? rc : as_gate_score_part(in, mutant, m->checkpoint, true, &met, err);
	if (rc == 0 && !met) {
		rc = as_gate_score_part(in, mutant, m->checkpoint, false, &rest, err);
	}
	as_trace_free(mutant);
	*alone = rc == 0 && !met && rest;
	return rc;
}

static int call_alone(const gate_input *in, const assay_json *checkpoint, bool *alone, assay_error *err)
{
	static const char *const parts[] = {"must_include", "must_match"};
	as_mutation m = {.checkpoint = checkpoint, .way = AS_MUTANT_DROP};
	int rc = try_alone(in, &m, alone, err);
	m.way = AS_MUTANT_SWAP; /* the result stays, and what is looked for in it */
	rc = rc < 0 ? rc : try_alone(in, &m, alone, err);
	m.way = AS_MUTANT_CORRUPT;
	rc = rc < 0 ? rc : try_alone(in, &m, alone, err);
	for (size_t i = 0; i < 2 && rc == 0; i++) {
		const assay_json *members = as_json_get(as_json_get(checkpoint, "arg_predicate"), parts[i]);
		for (const assay_json *a = as_json_first(members); a && rc == 0; a = as_json_next(a)) {
			m.argument = as_json_key(a);
			rc = try_alone(in, &m, alone, err);
		}
	}
	return rc;
}

/* What a pattern hangs on is not known: one is taken for needed. */
static int value_alone(const gate_input *in, const assay_json *checkpoint, bool *alone, assay_error *err)
{
	bool state = as_gate_is_kind(checkpoint, "state_condition");
	const assay_json *predicate = as_json_get(state ? as_json_get(checkpoint, "probe") : checkpoint, "predicate");
	const assay_json *any = as_json_get(predicate, "contains_any"), *all = as_json_get(predicate, "contains_all");
	as_mutation m = {.checkpoint = checkpoint, .way = AS_MUTANT_NEEDLES};
	int rc = 0;
	m.parts = state ? AS_MUTANT_PROBES
		  : as_str_is(as_json_str(as_json_get(checkpoint, "scope")), "final_assistant_message")
			  ? AS_MUTANT_MESSAGE
			  : AS_MUTANT_STEPS;
	*alone = as_json_type(as_json_get(predicate, "regex")) == ASSAY_JSON_STRING;
	if (as_json_count(any) > 0) {
		m.first = as_json_first(any);
		m.last = NULL;
		rc = try_alone(in, &m, alone, err);
	}
	for (const assay_json *v = as_json_first(all); v && rc == 0; v = as_json_next(v)) {
		m.first = v;
		m.last = v;
		rc = try_alone(in, &m, alone, err);
	}
	return rc;
}

/* Leave one out, twice. Of the calls: "needless" are checkpoints whose calls nothing comes from. Of the checkpoints:
 * "redundant" are those without which the task would refuse every spoiled reference that it refuses with them. */
int as_gate_necessary(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_json *needless = as_json_array(), *redundant = as_json_array();
	int rc = needless && redundant ? 0 : as_fail_memory(err);
	for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
		bool alone = as_json_count(as_json_get(in->task, "checkpoints")) < 2;
		int bad = has_needed_call(in, c)
				  ? 0
				  : as_json_append(needless, as_json_clone(as_json_get(c, "checkpoint_id")));
		if (!alone) {
			rc = as_gate_is_kind(c, "tool_effect") ? call_alone(in, c, &alone, err)
							       : value_alone(in, c, &alone, err);
		}
		if (rc == 0 && !alone) {
			bad |= as_json_append(redundant, as_json_clone(as_json_get(c, "checkpoint_id")));
		}
		rc = rc == 0 && bad ? as_fail_memory(err) : rc;
	}
	*passed = rc == 0 && as_json_count(needless) == 0 && as_json_count(redundant) == 0;
	if ((as_json_set(evidence, "needless", needless) | as_json_set(evidence, "redundant", redundant)) && rc == 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}
