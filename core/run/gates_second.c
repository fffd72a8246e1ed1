/* Gate: another agent comes to a run that the task accepts, too. What it did is the gate's evidence, so that the gate
 * can be run again by anybody, without the agent and what it costs. */
#include "core/base/error.h"
#include "core/run/attempt.h"
#include "core/run/gates_private.h"
#include "core/task/task.h"
#include "core/world/probe.h"
#include "core/world/replay.h"
#include <stdio.h>
#include <string.h>

static const as_replay_options stateful = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 0.75};

/* {"server_id","tool_name","arguments"} of every step. */
static int put_calls(const as_trace *trace, assay_json *calls)
{
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		assay_json *call = as_json_object();
		rc = as_json_set(call, "server_id", as_json_string(steps[i].server));
		rc |= as_json_set(call, "tool_name", as_json_string(steps[i].tool));
		rc |= as_json_set(call, "arguments", as_json_clone(steps[i].arguments));
		rc |= as_json_append(calls, call);
	}
	return rc;
}

static int put_run(const as_session_result *result, assay_json *evidence)
{
	assay_str said = as_json_str(
		as_json_pointer(as_trace_document(result->trace), "/seed_metadata/exploration/final_message"));
	assay_json *calls = as_json_array();
	int rc = put_calls(result->trace, calls);
	rc |= as_json_set(evidence, "end", as_json_cstring(result->end));
	rc |= as_json_set(evidence, "calls", calls);
	return rc | as_json_set(evidence, "said", as_json_string(said));
}

int as_gate_session(const gate_input *in, const as_gate_agent *agent, as_session_result *result, assay_error *err)
{
	const as_engine *e = in->context->engine;
	as_replay_options options = stateful;
	as_arena arena = {0};
	as_session_spec spec = {.explorer = agent->explorer,
				.exposure = &as_flat_exposure,
				.model = agent->model,
				.trace_servers = as_task_servers(in->task),
				.seed = agent->seed,
				.budget = e->manifest->generation_budget,
				.subject = agent->subject,
				.untimed = agent->untimed,
				.try_number = 1};
	int rc;
	*result = (as_session_result){0};
	spec.request = (assay_exposure_request){.size = sizeof spec.request,
						.prompt = as_json_str(as_json_get(in->task, "prompt")),
						.catalogue = as_catalogue_tools(e->catalogue)};
	options.task = in->task;
	rc = as_catalogue_surface(e->catalogue, spec.trace_servers, &arena, &spec.request.surface, err);
	rc = rc < 0 ? rc : as_replay_open(in->tape, &options, &spec.world, err);
	if (rc == 0) {
		spec.seed_metadata = as_json_object();
		rc = spec.seed_metadata ? as_session_run(in->context->worker, &spec, result, err) : as_fail_memory(err);
	}
	as_world_close(spec.world, NULL);
	as_arena_free(&arena);
	return rc;
}

static int run_agent(const gate_input *in, assay_json *evidence, assay_error *err)
{
	const as_manifest *m = in->context->engine->manifest;
	assay_str task_id = as_json_str(as_json_get(in->task, "task_id"));
	as_session_result result = {0};
	char subject[96];
	const as_gate_agent agent = {.explorer = &m->second,
				     .model = as_manifest_model(m, m->second.model),
				     .seed = as_derive_seed(m->seed, "second agent", task_id),
				     .subject = subject};
	int rc;
	snprintf(subject, sizeof subject, "second:%.*s", (int)(task_id.len < 80 ? task_id.len : 80), task_id.ptr);
	rc = as_gate_session(in, &agent, &result, err);
	if (rc == 0 && strcmp(result.end_class, "infra") == 0) {
		/* That a model was out of reach says nothing about a task. */
		if (err) {
			*err = result.cause;
		}
		rc = result.cause.code < 0 ? result.cause.code
					   : as_fail(err, ASSAY_EUNREACH, "the second agent ended with %s", result.end);
	}
	if (rc == 0 && put_run(&result, evidence) < 0) {
		rc = as_fail_memory(err);
	}
	as_trace_free(result.trace);
	return rc;
}

/* Put the calls of the evidence to the tape. *out: a finished trace. */
static int walk(const gate_input *in, const assay_json *evidence, as_trace **out, assay_error *err)
{
	as_replay_options options = stateful;
	as_world *world = NULL;
	as_trace *t = NULL;
	const assay_json *call = as_json_first(as_json_get(evidence, "calls"));
	int rc;
	options.task = in->task;
	rc = as_replay_open(in->tape, &options, &world, err);
	rc = rc < 0 ? rc : as_trace_new(as_json_str(as_json_get(in->task, "prompt")), NULL, &t, err);
	for (; call && rc == 0; call = as_json_next(call)) {
		rc = as_gate_call(in, world, as_json_str(as_json_get(call, "server_id")),
				  as_json_str(as_json_get(call, "tool_name")),
				  as_json_clone(as_json_get(call, "arguments")), t, err);
	}
	if (rc == 0) {
		assay_json *probes = NULL;
		rc = as_gate_say(t, as_json_str(as_json_get(evidence, "said")), err);
		rc = rc < 0 ? rc : as_trace_finish(t, err);
		rc = rc < 0 ? rc : as_probes_ask(world, &in->context->call, in->task, &probes, err);
		rc = rc < 0 ? rc : as_trace_with_probes(t, probes, out, err);
	}
	as_trace_free(t);
	as_world_close(world, NULL);
	return rc;
}

static int take_over(const assay_json *known, assay_json *evidence)
{
	int rc = as_json_set(evidence, "end", as_json_clone(as_json_get(known, "end")));
	rc |= as_json_set(evidence, "calls", as_json_clone(as_json_get(known, "calls")));
	return rc | as_json_set(evidence, "said", as_json_clone(as_json_get(known, "said")));
}

int as_gate_second_agrees(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	const assay_json *known = as_gate_known(in, AS_GATE_SECOND);
	as_trace *trace = NULL;
	int rc;
	*passed = false;
	if (as_json_get(known, "calls")) {
		rc = take_over(known, evidence) < 0 ? as_fail_memory(err) : 0;
	} else {
		rc = in->known ? 0 : run_agent(in, evidence, err);
	}
	if (rc == 0 && as_json_get(evidence, "calls")) {
		rc = walk(in, evidence, &trace, err);
		rc = rc < 0 ? rc : as_gate_score_shown(in, trace, passed, NULL, err);
	}
	as_trace_free(trace);
	if (rc == 0 && as_json_set(evidence, "verdict", as_json_cstring(*passed ? "pass" : "fail")) < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}
