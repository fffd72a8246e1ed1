/* Gates that let agents try which know nothing: they must fail. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include <assay/roles/scorer.h>
#include <string.h>

#define TRIALS 20 /* of the random agent */
#define LUCK 1    /* of them may pass: chance finds whatever can be found at all */

int as_gate_say(as_trace *t, assay_str message, assay_error *err)
{
	assay_json *exploration = as_json_object();
	if (as_json_set(exploration, "final_message", as_json_string(message)) < 0) {
		as_json_free(exploration);
		return as_fail_memory(err);
	}
	return as_trace_set_metadata(t, "exploration", exploration, err);
}

int as_gate_call(const gate_input *in, as_world *world, assay_str server, assay_str tool, assay_json *arguments,
		 as_trace *t, assay_error *err)
{
	as_answer answer = {0};
	int rc = arguments ? as_world_call(world, &in->context->call, server, tool, arguments, &answer, err)
			   : as_fail_memory(err);
	if (rc == 0) {
		as_call_record record = {.server = server,
					 .tool = tool,
					 .arguments = arguments,
					 .result = answer.result,
					 .error = answer.error,
					 .status = answer.status,
					 .served = answer.served};
		answer.result = answer.error = NULL;
		arguments = NULL;
		rc = as_trace_add_call(t, &record, NULL, err);
	}
	as_json_free(arguments);
	as_answer_clear(&answer);
	return rc;
}

/* An agent that calls nothing and says the prompt. */
int as_gate_echo_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt"));
	as_trace *echo = NULL;
	bool passes = true;
	int rc = as_trace_new(prompt, NULL, &echo, err);
	rc = rc < 0 ? rc : as_gate_say(echo, prompt, err);
	rc = rc < 0 ? rc : as_trace_finish(echo, err);
	rc = rc < 0 ? rc : as_gate_score(in, echo, &passes, NULL, err);
	as_trace_free(echo);
	*passed = rc == 0 && !passes;
	if (rc == 0 && as_json_set(evidence, "verdict", as_json_cstring(passes ? "pass" : "fail")) < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}

/* The random agent that an evaluation can have as a candidate, on the task's tape: many sessions, of which hardly one
 * passes. */
int as_gate_random_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	const as_manifest *m = in->context->engine->manifest;
	assay_str task_id = as_json_str(as_json_get(in->task, "task_id"));
	as_gate_agent agent = {.explorer = &m->dice, .model = m->dice_model, .subject = "random", .untimed = true};
	int64_t passes = 0;
	int rc = 0;
	for (uint64_t i = 0; i < TRIALS && rc == 0; i++) {
		as_session_result result;
		bool good = false;
		agent.seed = as_derive_seed(i, "random agent", task_id);
		rc = as_gate_session(in, &agent, &result, err);
		rc = rc < 0 ? rc : as_gate_score(in, result.trace, &good, NULL, err);
		passes += good;
		as_trace_free(result.trace);
	}
	*passed = rc == 0 && passes <= LUCK;
	if (rc == 0 && (as_json_set(evidence, "trials", as_json_integer(TRIALS)) < 0 ||
			as_json_set(evidence, "passed", as_json_integer(passes)) < 0)) {
		rc = as_fail_memory(err);
	}
	return rc;
}
