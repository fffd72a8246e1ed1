/* Gates that let agents try which know nothing: they must fail. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include "core/task/task.h"
#include "core/world/replay.h"
#include <assay/roles/scorer.h>
#include <string.h>

#define TRIALS 5 /* of the random agent */
#define CALLS 12 /* of each */
#define SAID 400 /* bytes that it says in the end */

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
		 as_trace *t, as_buf *said, assay_error *err)
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
		if (said) {
			as_buf_clear(said);
			rc = answer.result ? as_render_result(answer.result, said) : 0;
		}
		answer.result = answer.error = NULL;
		arguments = NULL;
		rc = rc < 0 ? as_fail_memory(err) : as_trace_add_call(t, &record, NULL, err);
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

/* --- The random agent ----------------------------------------------------------------------------------------------
 */

typedef struct gambler {
	const gate_input *in;
	as_rng rng;
	assay_str words[256]; /* of the prompt; what stands in quotes is one */
	size_t n_words;
} gambler;

static void split_prompt(gambler *g, assay_str prompt)
{
	for (size_t i = 0; i < prompt.len && g->n_words < 256;) {
		size_t end = i;
		char close = prompt.ptr[i] == '"' ? '"' : ' ';
		i += close == '"';
		for (end = i; end < prompt.len && prompt.ptr[end] != close; end++) {
		}
		if (end > i) {
			g->words[g->n_words++] = (assay_str){prompt.ptr + i, end - i};
		}
		i = end + 1;
	}
}

static assay_json *random_value(gambler *g, const assay_json *schema)
{
	assay_str type = as_json_str(as_json_get(schema, "type"));
	size_t n = as_json_count(as_json_get(schema, "enum"));
	assay_str word = g->n_words ? g->words[as_rng_below(&g->rng, (uint32_t)g->n_words)] : ASSAY_STR("x");
	if (n > 0) {
		return as_json_clone(as_json_at(as_json_get(schema, "enum"), as_rng_below(&g->rng, (uint32_t)n)));
	}
	if (as_str_is(type, "integer") || as_str_is(type, "number")) {
		assay_json *number = as_json_number(word);
		return number ? number : as_json_integer(as_rng_below(&g->rng, 20));
	}
	if (as_str_is(type, "boolean")) {
		return as_json_truth(as_rng_below(&g->rng, 2) == 1);
	}
	if (as_str_is(type, "array")) {
		assay_json *list = as_json_array();
		if (as_json_append(list, as_json_string(word)) < 0) {
			as_json_free(list);
			return NULL;
		}
		return list;
	}
	return as_json_string(word);
}

/* Required arguments, and every other one by the toss of a coin. */
static assay_json *random_arguments(gambler *g, const assay_tool *tool)
{
	assay_json *out = as_json_object();
	int rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *p = as_json_first(as_json_get(tool->input_schema, "properties")); p && rc == 0;
	     p = as_json_next(p)) {
		bool wanted = as_rng_below(&g->rng, 2) == 1;
		for (const assay_json *r = as_json_first(as_json_get(tool->input_schema, "required")); r;
		     r = as_json_next(r)) {
			wanted = wanted || as_str_eq(as_json_str(r), as_json_key(p));
		}
		rc = wanted ? as_json_set_n(out, as_json_key(p), random_value(g, p)) : 0;
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static int random_trial(gambler *g, assay_tools surface, bool *passes, assay_error *err)
{
	const as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 0.75, .task = g->in->task};
	as_world *world = NULL;
	as_trace *t = NULL;
	as_buf said = {0};
	int rc = as_replay_open(g->in->tape, &options, &world, err);
	rc = rc < 0 ? rc : as_trace_new(as_json_str(as_json_get(g->in->task, "prompt")), NULL, &t, err);
	for (int i = 0; i < CALLS && rc == 0 && surface.count > 0; i++) {
		const assay_tool *tool = surface.list[as_rng_below(&g->rng, (uint32_t)surface.count)];
		rc = as_gate_call(g->in, world, tool->server, tool->name, random_arguments(g, tool), t, &said, err);
	}
	if (rc == 0) {
		assay_str message = as_buf_str(&said);
		message.len = as_utf8_prefix(message, SAID);
		rc = as_gate_say(t, message, err);
	}
	rc = rc < 0 ? rc : as_trace_finish(t, err);
	rc = rc < 0 ? rc : as_gate_score(g->in, t, passes, NULL, err);
	as_buf_free(&said);
	as_trace_free(t);
	as_world_close(world, NULL);
	return rc;
}

/* An agent that calls tools of the task's servers at random, with what the prompt says: a few trials, all fail. */
int as_gate_random_fails(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	gambler g = {.in = in};
	as_arena arena = {0};
	assay_tools surface = {NULL, 0};
	int64_t passes = 0;
	int rc = as_catalogue_surface(in->context->engine->catalogue, as_task_servers(in->task), &arena, &surface, err);
	as_rng_seed(&g.rng, as_derive_seed(0, "random agent", as_json_str(as_json_get(in->task, "task_id"))));
	split_prompt(&g, as_json_str(as_json_get(in->task, "prompt")));
	for (int i = 0; i < TRIALS && rc == 0; i++) {
		bool good = false;
		rc = random_trial(&g, surface, &good, err);
		passes += good;
	}
	as_arena_free(&arena);
	*passed = rc == 0 && passes == 0;
	if (rc == 0 && (as_json_set(evidence, "trials", as_json_integer(TRIALS)) < 0 ||
			as_json_set(evidence, "passed", as_json_integer(passes)) < 0)) {
		rc = as_fail_memory(err);
	}
	return rc;
}
