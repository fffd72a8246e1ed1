#include "core/run/gates.h"

#include "core/base/error.h"
#include "core/run/gates_private.h"
#include "core/run/score.h"
#include "core/task/task.h"
#include "core/world/probe.h"
#include "core/world/replay.h"
#include <stdlib.h>
#include <string.h>

#define REPLAYS 3 /* how often the reference must replay */

/* A gate answers passed and evidence (an object). */
typedef struct gate {
	const char *name;
	int (*run)(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err);
} gate;

static int score(const gate_input *in, const assay_json *task, const as_trace *trace, bool *passes,
		 assay_json **verdict, assay_error *err)
{
	assay_json *own = NULL;
	int rc;
	*passes = false;
	if (verdict) {
		*verdict = NULL;
	}
	if (as_cancel_is_set(in->context->engine->cancel)) { /* a large reference has thousands of large mutants */
		return as_fail(err, ASSAY_ECANCELED, "interrupted");
	}
	rc = as_score_trace(in->scorer, &in->context->call, task, trace,
			    as_catalogue_tags(in->context->engine->catalogue), &own, err);
	*passes = rc == 0 && as_str_is(as_json_str(as_json_get(own, "verdict")), "pass");
	if (verdict) {
		*verdict = own;
	} else {
		as_json_free(own);
	}
	return rc;
}

const assay_json *as_gate_known(const gate_input *in, const char *name)
{
	for (const assay_json *g = as_json_first(in->known); g; g = as_json_next(g)) {
		if (as_str_is(as_json_str(as_json_get(g, "gate")), name)) {
			return as_json_get(g, "evidence");
		}
	}
	return NULL;
}

int as_gate_score(const gate_input *in, const as_trace *trace, bool *passes, assay_json **verdict, assay_error *err)
{
	return score(in, in->judged, trace, passes, verdict, err);
}

int as_gate_score_shown(const gate_input *in, const as_trace *trace, bool *passes, assay_json **verdict,
			assay_error *err)
{
	return score(in, in->task, trace, passes, verdict, err);
}

/* Is this edge about the checkpoint? */
static bool orders(const assay_json *edge, const assay_json *checkpoint)
{
	assay_str id = as_json_str(as_json_get(checkpoint, "checkpoint_id"));
	return as_str_eq(as_json_str(as_json_get(edge, "before_id")), id) ||
	       as_str_eq(as_json_str(as_json_get(edge, "after_id")), id);
}

int as_gate_score_part(const gate_input *in, const as_trace *trace, const assay_json *checkpoint, bool only,
		       bool *passes, assay_error *err)
{
	assay_json *part = as_json_clone(in->task), *kept = as_json_array(), *edges = as_json_array();
	int rc = part && kept && edges ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = as_json_first(as_json_get(in->task, "checkpoints")); c && rc == 0;
	     c = as_json_next(c)) {
		rc = (c == checkpoint) == only ? as_json_append(kept, as_json_clone(c)) : 0;
	}
	for (const assay_json *o = as_json_first(as_json_get(in->task, "ordering")); o && rc == 0;
	     o = as_json_next(o)) {
		rc = only || orders(o, checkpoint) ? 0 : as_json_append(edges, as_json_clone(o));
	}
	rc |= as_json_set(part, "checkpoints", kept);
	rc |= as_json_set(part, "ordering", edges);
	rc = rc < 0 ? as_fail_memory(err) : score(in, part, trace, passes, NULL, err);
	as_json_free(part);
	return rc;
}

/* Walk the reference's calls through its tape once, and ask the task's probes in the end. *misses: calls not served
 * exactly as they were recorded, and probes without an answer. *probes: what they answered; NULL: it has none. */
static int walk_reference(const gate_input *in, uint64_t *misses, assay_json **probes, assay_error *err)
{
	const as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 1.0};
	as_world *world = NULL;
	size_t n;
	const assay_step *steps = as_trace_steps(in->trace, &n);
	int rc = as_replay_open(in->tape, &options, &world, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		as_answer answer = {0};
		rc = as_world_call(world, &in->context->call, steps[i].server, steps[i].tool, steps[i].arguments,
				   &answer, err);
		if (rc == 0 && (answer.served != ASSAY_SERVED_EXACT || answer.status != steps[i].status ||
				!as_json_equal(answer.result, steps[i].result))) {
			(*misses)++;
		}
		as_answer_clear(&answer);
	}
	*probes = NULL;
	if (rc == 0) {
		rc = as_probes_ask(world, &in->context->call, in->task, probes, err);
	}
	for (const assay_json *p = as_json_first(*probes); p; p = as_json_next(p)) {
		*misses += as_str_is(as_json_str(as_json_get(p, "served")), "miss");
	}
	as_world_close(world, NULL);
	return rc;
}

/* The task holds on the trace it was made from. */
static int gate_grounded(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_json *verdict = NULL, *failed = as_json_array();
	int rc = as_gate_score_shown(in, in->shown, passed, &verdict, err);
	for (const assay_json *c = as_json_first(as_json_get(verdict, "checks")); c && rc == 0; c = as_json_next(c)) {
		if (!as_json_boolean(as_json_get(c, "passed"), 0)) {
			rc = as_json_append(failed, as_json_clone(as_json_get(c, "id")));
		}
	}
	if (rc == 0) {
		rc = as_json_set(evidence, "failed_checks", failed);
		failed = NULL;
	}
	as_json_free(failed);
	as_json_free(verdict);
	return rc;
}

/* The reference replays, k of k, without a miss. */
static int gate_replays(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	uint64_t misses = 0;
	size_t n;
	int rc = 0;
	as_trace_steps(in->trace, &n);
	for (int k = 0; k < REPLAYS && rc == 0; k++) {
		assay_json *probes;
		rc = walk_reference(in, &misses, &probes, err);
		as_json_free(probes);
	}
	*passed = rc == 0 && misses == 0;
	rc |= as_json_set(evidence, "replays", as_json_integer(REPLAYS));
	rc |= as_json_set(evidence, "calls", as_json_integer((int64_t)n));
	rc |= as_json_set(evidence, "misses", as_json_integer((int64_t)misses));
	return rc;
}

/* An agent that does nothing and says nothing must fail. */
static int gate_no_tool_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	as_trace *empty = NULL;
	assay_json *verdict = NULL;
	bool passes = true;
	int rc = as_trace_new(as_json_str(as_json_get(in->task, "prompt")), NULL, &empty, err);
	if (rc == 0) {
		rc = as_trace_finish(empty, err);
	}
	if (rc == 0) {
		rc = as_gate_score(in, empty, &passes, &verdict, err);
	}
	*passed = !passes;
	if (rc == 0) {
		rc = as_json_set(evidence, "verdict", as_json_clone(as_json_get(verdict, "verdict")));
	}
	as_json_free(verdict);
	as_trace_free(empty);
	return rc;
}

static const gate gates[] = {
	{"grounded", gate_grounded},
	{"replays", gate_replays},
	{"no_tool_fails", gate_no_tool_fails},
	{"echo_fails", as_gate_echo_fails},
	{AS_GATE_RANDOM, as_gate_random_fails},
	{"mutants_caught", as_gate_mutants_caught},
	{"no_answer_in_prompt", as_gate_no_answer_in_prompt},
	{"necessary", as_gate_necessary},
	{"fits_category", as_gate_fits_category},
	{AS_GATE_SECOND, as_gate_second_agrees},
	{AS_GATE_VALID, as_gate_valid},
};
#define N_GATES (sizeof gates / sizeof *gates)

static bool is_required(const as_manifest *m, const char *name)
{
	for (size_t i = 0; i < m->n_gates; i++) {
		if (strcmp(m->gates[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static int add_result(assay_json *certificate, const char *name, bool passed, bool required, assay_json *evidence)
{
	assay_json *entry = as_json_object();
	int rc = as_json_set(entry, "gate", as_json_cstring(name));
	rc |= as_json_set(entry, "passed", as_json_truth(passed));
	rc |= as_json_set(entry, "required", as_json_truth(required));
	rc |= as_json_set(entry, "evidence", evidence);
	if (rc < 0) {
		as_json_free(entry);
		return ASSAY_ENOMEM;
	}
	return as_json_append(certificate, entry);
}

/* Who is asked by a gate that asks somebody: is he there? */
static bool has_agent(const as_context *c, const char *name)
{
	const as_manifest *m = c->engine->manifest;
	const as_impl_info *info;
	if (strcmp(name, AS_GATE_RANDOM) == 0) {
		return as_registry_find(c->engine->registry, m->dice.use, ASSAY_ROLE_EXPLORER, &info, NULL) == 0 &&
		       as_registry_find(c->engine->registry, m->dice_model->llm.use, ASSAY_ROLE_LLM, &info, NULL) == 0;
	}
	return (m->second.use || strcmp(name, AS_GATE_SECOND) != 0) &&
	       (m->validator.use || strcmp(name, AS_GATE_VALID) != 0);
}

static int show_state(gate_input *in, as_trace **shown, assay_error *err)
{
	assay_json *probes = NULL;
	uint64_t misses = 0;
	int rc = 0;
	in->shown = in->trace;
	if (as_task_has_probes(in->task)) {
		rc = walk_reference(in, &misses, &probes, err);
		rc = rc < 0 ? rc : as_trace_with_probes(in->trace, probes, shown, err);
		in->shown = *shown;
	}
	return rc;
}

int as_gates_run(as_worker *w, const assay_json *task, const as_trace *trace, const as_tape *tape, const char *subject,
		 const assay_json *known, assay_json **certificate, bool *passed, const char **reason, assay_error *err)
{
	as_context c;
	as_instance *scorer;
	gate_input in = {.context = &c, .task = task, .trace = trace, .tape = tape, .known = known};
	assay_json *list = as_json_array(), *steps_only = NULL;
	as_trace *shown = NULL;
	const as_manifest *m;
	int rc;
	if (!as_task_is_bounded(task)) {
		*passed = false;
		*reason = AS_TOO_LARGE;
		*certificate = list;
		return list ? 0 : as_fail_memory(err);
	}
	as_context_init(&c, w, "gate", subject, 0, 0);
	m = c.engine->manifest;
	in.steps = as_trace_steps(trace, &in.n_steps);
	*passed = true;
	*reason = "";
	rc = as_task_without_states(task, &steps_only, err);
	in.judged = as_json_count(as_json_get(steps_only, "checkpoints")) > 0 ? steps_only : task;
	rc = rc < 0 ? rc : list ? as_worker_strict_scorer(w, &scorer, err) : as_fail_memory(err);
	in.scorer = rc == 0 ? scorer : NULL;
	rc = rc < 0 ? rc : show_state(&in, &shown, err);
	for (size_t i = 0; i < N_GATES && rc == 0; i++) {
		assay_json *evidence;
		bool ok = false, required = is_required(m, gates[i].name);
		if (!has_agent(&c, gates[i].name) && !required) {
			continue; /* there is nobody to ask */
		}
		evidence = as_json_object();
		rc = evidence ? gates[i].run(&in, &ok, evidence, err) : as_fail_memory(err);
		if (rc < 0) {
			as_json_free(evidence);
			break;
		}
		if (required && !ok && *passed) {
			*passed = false;
			*reason = gates[i].name;
		}
		rc = add_result(list, gates[i].name, ok, required, evidence);
	}
	as_json_free(steps_only);
	as_trace_free(shown);
	if (rc < 0) {
		as_json_free(list);
		list = NULL;
	}
	*certificate = list;
	return rc;
}
