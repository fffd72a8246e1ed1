/* Vectors of predicates, scores and replayed answers, and the demo files of the reference. */
#include "tests/golden/golden.h"

#include "core/base/file.h"
#include "core/stats/stats.h"
#include "core/task/predicate.h"
#include "core/task/task.h"
#include "core/world/replay.h"
#include "tests/unit/effects_kit.h"

#include <string.h>

static void put_bool(as_buf *out, bool value)
{
	as_buf_puts(out, value ? "true" : "false");
}

/* Show an error instead of what was got. */
static void put_error(golden_case *c, int code, const assay_error *err)
{
	as_buf_printf(&c->got, "%s: %s", as_error_name(code), err->message);
}

static void run_arg_predicate(golden_case *c)
{
	assay_error err = {0};
	int met = as_args_match(as_json_get(c->one, "predicate"), as_json_get(c->one, "arguments"), &err);

	golden_member(&c->expected, c->one, "matches");
	if (met < 0) {
		put_error(c, met, &err);
	} else {
		put_bool(&c->got, met == 1);
	}
}

static void run_value_predicate(golden_case *c)
{
	assay_error err = {0};
	int met = as_value_match(as_json_get(c->one, "predicate"), as_json_str(as_json_get(c->one, "text")), &err);

	golden_member(&c->expected, c->one, "matches");
	if (met < 0) {
		put_error(c, met, &err);
	} else {
		put_bool(&c->got, met == 1);
	}
}

/* Replay. */

static int tape_of_steps(const assay_json *steps, as_tape **out, assay_error *err)
{
	as_tape *tape = NULL;
	int code = as_tape_new(&tape, err);

	for (const assay_json *s = as_json_first(steps); s && code == 0; s = as_json_next(s)) {
		assay_str server = as_json_str(as_json_get(s, "server_id")), group, initial;
		const assay_json *result = as_json_get(s, "result");
		as_tape_row row = {.version = ASSAY_STR("0"),
				   .next = ASSAY_STR("0"),
				   .server = server,
				   .tool = as_json_str(as_json_get(s, "tool_name")),
				   .stored = as_json_str(as_json_get(s, "arguments_canonical")),
				   .arguments = as_json_get(s, "arguments"),
				   .result = as_json_type(result) == ASSAY_JSON_NULL ? NULL : result};

		row.status = as_str_is(as_json_str(as_json_get(s, "status")), "success") ? ASSAY_STEP_SUCCESS
											 : ASSAY_STEP_ERROR;
		if (!as_str_is(as_json_str(as_json_get(s, "kind")), "call_tool_agent")) {
			continue;
		}
		if (!as_tape_server(tape, server, &group, &initial)) {
			code = as_tape_add_server(tape, server, server, ASSAY_STR("0"), err);
		}
		code = code == 0 ? as_tape_add_row(tape, &row, err) : code;
	}
	code = code == 0 ? as_tape_finish(tape, err) : code;
	if (code != 0) {
		as_tape_free(tape);
		tape = NULL;
	}
	*out = tape;
	return code;
}

/* What the vectors say of a miss: its flags, and the arguments that its text lists. */
static void put_miss(as_buf *out, const assay_json *result)
{
	assay_str text = as_json_str(as_json_pointer(result, "/content/0/text"));
	static const char mark[] = "\n  - ";
	bool any = false;

	as_buf_puts(out, "{\"isError\":");
	golden_member(out, result, "isError");
	as_buf_puts(out, ",\"replay_cache_miss\":");
	golden_member(out, result, "replay_cache_miss");
	as_buf_puts(out, ",\"hint_args\":[");
	for (size_t i = 0; i < text.len; i++) {
		size_t start = i + sizeof mark - 1, end = start;

		if (!as_str_starts((assay_str){text.ptr + i, text.len - i}, as_str(mark))) {
			continue;
		}
		while (end < text.len && text.ptr[end] != '\n') {
			end++;
		}
		as_buf_puts(out, any ? "," : "");
		as_json_write_string(out, (assay_str){text.ptr + start, end - start}, false);
		any = true;
	}
	as_buf_puts(out, "]}");
}

static void put_answer(golden_case *c, const as_answer *answer)
{
	bool missed = as_json_boolean(as_json_get(answer->result, "replay_cache_miss"), 0);

	if (missed != (answer->served == ASSAY_SERVED_MISS) || missed != (answer->status == ASSAY_STEP_ERROR) ||
	    missed != (answer->error != NULL)) {
		as_buf_puts(&c->got, "status, level and result contradict each other");
	} else if (missed) {
		put_miss(&c->got, answer->result);
	} else {
		as_json_write(&c->got, answer->result, ASSAY_JSON_COMPACT);
	}
}

static void run_replay(golden_case *c)
{
	const assay_json *asked = as_json_get(c->one, "call");
	const as_replay_options options = {.mode = AS_REPLAY_REFERENCE,
					   .near_threshold = as_json_f64(as_json_get(c->one, "threshold"), 1.0)};
	assay_error err = {0};
	as_tape *tape = NULL;
	as_world *world = NULL;
	as_answer answer = {0};
	as_call call;
	int code = tape_of_steps(as_json_get(c->file, "reference_steps"), &tape, &err);

	golden_member(&c->expected, c->one, "result");
	as_call_init(&call);
	code = code == 0 ? as_replay_open(tape, &options, &world, &err) : code;
	if (code == 0) {
		code = as_world_call(world, &call, as_json_str(as_json_get(asked, "server_id")),
				     as_json_str(as_json_get(asked, "tool_name")), as_json_get(asked, "arguments"),
				     &answer, &err);
	}
	if (code == 0) {
		put_answer(c, &answer);
	} else {
		put_error(c, code, &err);
	}
	as_answer_clear(&answer);
	as_world_close(world, &call);
	as_tape_free(tape);
}

/* Scores. */

/* One list of the verdict as the vectors write it: pairs of (their name, our name). */
static void put_list(as_buf *out, const assay_json *list, const char *const (*names)[2], size_t n)
{
	as_buf_byte(out, '[');
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		as_buf_puts(out, v == as_json_first(list) ? "{" : ",{");
		for (size_t i = 0; i < n; i++) {
			as_buf_printf(out, "%s\"%s\":", i ? "," : "", names[i][0]);
			golden_member(out, v, names[i][1]);
		}
		as_buf_byte(out, '}');
	}
	as_buf_byte(out, ']');
}

/* Reasons are ours, so the vectors leave them out. */
static void put_aggregation(as_buf *out, const assay_json *iae)
{
	static const char *const id[][2] = {{"checkpoint_id", "checkpoint_id"}};

	as_buf_puts(out, "{\"total\":");
	golden_member(out, iae, "total");
	as_buf_puts(out, ",\"opportunities\":");
	golden_member(out, iae, "opportunities");
	as_buf_puts(out, ",\"rate\":");
	golden_member(out, iae, "rate");
	as_buf_puts(out, ",\"events\":");
	put_list(out, as_json_get(iae, "events"), id, 1);
	as_buf_byte(out, '}');
}

static void put_summary(as_buf *out, const assay_json *summary)
{
	static const char *const plain[] = {"checkpoints_total",
					    "checkpoints_passed",
					    "minefields_total",
					    "minefields_hit",
					    "agent_call_count",
					    "agent_call_success_count",
					    "sae"};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		as_buf_printf(out, "%s\"%s\":", i ? "," : "{", plain[i]);
		golden_member(out, summary, plain[i]);
	}
	as_buf_puts(out, ",\"iae\":");
	put_aggregation(out, as_json_get(summary, "iae"));
	as_buf_puts(out, ",\"error_taxonomy_counts\":");
	golden_member(out, as_json_get(summary, "error_taxonomy"), "counts");
	as_buf_puts(out, ",\"weighted_score\":");
	golden_member(out, as_json_get(summary, "error_taxonomy"), "weighted_score");
	as_buf_byte(out, '}');
}

static void put_verdict(as_buf *out, const assay_json *verdict)
{
	static const char *const checks[][2] = {{"checkpoint_id", "id"},
						{"kind", "kind"},
						{"passed", "passed"},
						{"matched_step_id", "step"},
						{"tier", "tier"}};
	static const char *const mines[][2] = {{"minefield_id", "id"}, {"hit", "hit"}, {"tripped_step_id", "step"}};
	const assay_json *summary = as_json_get(verdict, "summary");

	as_buf_puts(out, "{\"passed\":");
	put_bool(out, as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass"));
	as_buf_puts(out, ",\"had_sae\":");
	put_bool(out, as_json_i64(as_json_pointer(summary, "/sae/total"), -1) > 0);
	as_buf_puts(out, ",\"checkpoint_results\":");
	put_list(out, as_json_get(verdict, "checks"), checks, 5);
	as_buf_puts(out, ",\"minefield_results\":");
	put_list(out, as_json_get(verdict, "minefields"), mines, 3);
	as_buf_puts(out, ",\"ordering_ok\":");
	golden_member(out, as_json_get(verdict, "ordering"), "ok");
	as_buf_puts(out, ",\"summary\":");
	put_summary(out, summary);
	as_buf_printf(out, ",\"ordering_failure_count\":%zu}",
		      as_json_count(as_json_pointer(verdict, "/ordering/failures")));
}

static void run_scorer(golden_case *c)
{
	assay_error err = {0};
	as_trace *trace = NULL;
	assay_json *verdict = NULL;
	int code = as_trace_from_json(as_json_clone(as_json_get(c->one, "trace")), &trace, &err);

	golden_member(&c->expected, c->one, "expected");
	if (code == 0) {
		code = effects_verdict(as_json_get(c->one, "spec"), trace, as_json_get(c->one, "server_tags"), &verdict,
				       &err);
	}
	if (code == 0) {
		put_verdict(&c->got, verdict);
	} else {
		put_error(c, code, &err);
	}
	as_json_free(verdict);
	as_trace_free(trace);
}

const golden_kind golden_model[] = {
	{"arg_predicate", "predicate arguments matches", run_arg_predicate},
	{"value_predicate", "predicate text matches", run_value_predicate},
	{"replay", "call threshold result", run_replay},
	{"scorer", "spec trace expected", run_scorer},
	{0},
};
