/* Live and replayed, side by side, on a real server: what an agent is told by a tape must be what the server would have
 * told it. Reference mode does what DynamicMCPBench does, and so gets wrong what stateful mode gets right. */
#include "core/world/fill.h"
#include "core/world/probe.h"
#include "core/world/replay.h"
#include "tests/unit/demo_estate.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

#define NOTE "'title':'Courier prices'"

typedef struct call_line {
	const char *tool, *arguments;
} call_line;

typedef struct bench {
	demo_estate demo;
	as_world *live;
	as_trace *trace;
	as_tape *tape;
	as_world *replay;
	as_call call;
} bench;

/* Record a session on the notebook. parts: how the tape is filled, for this task. */
static void record(bench *b, const call_line *lines, size_t n, uint32_t parts, const assay_json *task)
{
	assay_error err = {0};
	as_taping *taping = NULL;
	const as_fill_options options = {.parts = parts, .max_calls = 400, .task = task};
	*b = (bench){0};
	demo_estate_open(&b->demo);
	as_call_init(&b->call);
	b->live = demo_world_open(&b->demo);
	ck_ok(as_trace_new(ASSAY_STR("a goal"), NULL, &b->trace, &err));
	for (size_t i = 0; i < n; i++) {
		assay_json *arguments = json(lines[i].arguments);
		demo_record(b->live, b->trace, true, ASSAY_STR("notes"), as_str(lines[i].tool), arguments);
		as_json_free(arguments);
	}
	ck_ok(as_trace_finish(b->trace, &err));
	ck_ok(as_taping_new(b->trace, b->demo.catalogue, &taping, &err));
	ck_ok(as_tape_fill(taping, b->trace, b->live, &b->call, &options, &err));
	ck_ok(as_taping_finish(taping, &b->tape, &err));
	as_taping_free(taping);
}
#define RECORD(b, lines, parts) record(b, lines, sizeof lines / sizeof *lines, parts, NULL)

static void play(bench *b, int mode, const assay_json *task)
{
	assay_error err = {0};
	const as_replay_options options = {.mode = mode, .near_threshold = 0.75, .task = task};
	as_world_close(b->replay, &b->call);
	ck_ok(as_replay_open(b->tape, &options, &b->replay, &err));
	ck_ok(b->live->ops->reset(b->live, &b->call, &err));
}

static void stop(bench *b)
{
	as_world_close(b->replay, &b->call);
	as_world_close(b->live, &b->call);
	as_tape_free(b->tape);
	as_trace_free(b->trace);
	demo_estate_close(&b->demo);
}

/* Ask tape and server; how the tape served it, and whether it said what the server says. */
static bool is_right(bench *b, const char *tool, const char *arguments, const char *served)
{
	assay_error err = {0};
	as_answer told = {0}, truth = {0};
	assay_json *a = json(arguments);
	bool right;
	ck_ok(as_world_call(b->replay, &b->call, ASSAY_STR("notes"), as_str(tool), a, &told, &err));
	ck_ok(as_world_call(b->live, &b->call, ASSAY_STR("notes"), as_str(tool), a, &truth, &err));
	ck_assert_msg(strcmp(as_served_name(told.served), served) == 0, "%s %s: %s, expected %s", tool, arguments,
		      as_served_name(told.served), served);
	as_json_free(as_json_detach(told.result, "replay_tier")); /* reference mode marks what it tells */
	right = told.status == truth.status && as_json_equal(told.result, truth.result);
	as_answer_clear(&told);
	as_answer_clear(&truth);
	as_json_free(a);
	return right;
}

static const call_line session[] = {
	{"read_note", "{" NOTE "}"},
	{"search", "{'query':'courier','limit':10}"},
	{"create_note", "{" NOTE ",'content':'x'}"}, /* refused: it exists */
	{"append_note", "{" NOTE ",'content':'Checked in May.'}"},
};

static assay_json *session_task(void)
{
	return json("{'checkpoints':[{'kind':'tool_effect','checkpoint_id':'a','equivalence_set':"
		    "[{'server_id':'notes','tool_name':'search'}],"
		    "'arg_predicate':{'must_match':{'query':{'contains':'courier'}}}}]}");
}

/* A read after a write is the one from before it, an optional argument left out is a miss, an error is lost. */
START_TEST(reference_mode_errs)
{
	bench b;
	assay_json *task = session_task();
	RECORD(&b, session, 0);
	play(&b, AS_REPLAY_REFERENCE, task);
	ck_assert(!is_right(&b, "search", "{'query':'courier'}", "miss"));
	ck_assert(!is_right(&b, "create_note", "{" NOTE ",'content':'x'}", "miss"));
	ck_assert(is_right(&b, "append_note", "{" NOTE ",'content':'Checked in May.'}", "exact"));
	ck_assert(!is_right(&b, "read_note", "{" NOTE "}", "exact"));
	stop(&b);
	as_json_free(task);
}
END_TEST

START_TEST(stateful_mode_does_not)
{
	bench b;
	assay_json *task = session_task();
	RECORD(&b, session, AS_FILL_WALKS | AS_FILL_COPIES);
	play(&b, AS_REPLAY_STATEFUL, task);
	ck_assert(is_right(&b, "search", "{'query':'courier'}", "equivalent"));
	ck_assert(is_right(&b, "create_note", "{" NOTE ",'content':'x'}", "exact"));
	ck_assert(is_right(&b, "append_note", "{" NOTE ",'content':'Checked in May.'}", "exact"));
	ck_assert(is_right(&b, "read_note", "{" NOTE "}", "exact"));
	ck_assert(is_right(&b, "create_note", "{" NOTE ",'content':'x'}", "exact"));
	stop(&b);
	as_json_free(task);
}
END_TEST

static void check_probe(as_world *w, as_call *call, const assay_json *task, const char *served, bool shown)
{
	assay_error err = {0};
	assay_json *probes = NULL;
	const assay_json *p;
	ck_ok(as_probes_ask(w, call, task, &probes, &err));
	ck_assert_uint_eq(as_json_count(probes), 1);
	p = as_json_first(probes);
	ck_assert_str_eq(as_json_cstr(as_json_get(p, "checkpoint_id"), ""), "state");
	ck_assert_str_eq(as_json_cstr(as_json_get(p, "served"), ""), served);
	ck_assert(as_str_contains(as_json_str(as_json_pointer(p, "/result/content/0/text")),
				  ASSAY_STR("Checked in May.")) == shown);
	as_json_free(probes);
}

/* The other tool of a checkpoint that takes two is answered in every state that the reference went through; one that
 * does not take these arguments, one that writes and one of no checkpoint are not asked. */
START_TEST(equivalents_are_asked)
{
	bench b;
	assay_json *task =
		json("{'checkpoints':[{'kind':'tool_effect','checkpoint_id':'a','equivalence_set':["
		     "{'server_id':'notes','tool_name':'read_note'},{'server_id':'notes','tool_name':'get_details'},"
		     "{'server_id':'notes','tool_name':'search'},{'server_id':'notes','tool_name':'archive_note'}]}]}");
	record(&b, session, sizeof session / sizeof *session, AS_FILL_WALKS, task);
	play(&b, AS_REPLAY_STATEFUL, task);
	ck_assert(is_right(&b, "get_details", "{" NOTE "}", "exact"));
	ck_assert(is_right(&b, "append_note", "{" NOTE ",'content':'Checked in May.'}", "exact"));
	ck_assert(is_right(&b, "get_details", "{" NOTE "}", "exact"));
	ck_assert(!is_right(&b, "archive_note", "{" NOTE "}", "miss"));
	ck_assert(!is_right(&b, "list_notes", "{}", "miss"));
	stop(&b);
	record(&b, session, sizeof session / sizeof *session, AS_FILL_WALKS, NULL);
	play(&b, AS_REPLAY_STATEFUL, task);
	ck_assert(!is_right(&b, "get_details", "{" NOTE "}", "miss"));
	stop(&b);
	as_json_free(task);
}
END_TEST

/* A probe that the reference never asked: the fill has asked it, so tape and server show the same state in the end. */
START_TEST(probes_of_the_state)
{
	assay_error err = {0};
	bench b;
	assay_json *task = json("{'checkpoints':[{'kind':'state_condition','checkpoint_id':'state','probe':{"
				"'server_id':'notes','tool_name':'read_note','arguments':{" NOTE "},"
				"'predicate':{'contains_all':['Checked in May.']}}},"
				"{'kind':'state_condition','checkpoint_id':'idle','probe':{}}]}");
	as_trace *shown = NULL;
	assay_json *probes = NULL;
	assay_subject subject;
	record(&b, session + 3, 1, AS_FILL_WALKS, task);
	play(&b, AS_REPLAY_STATEFUL, task);
	check_probe(b.replay, &b.call, task, "exact", false);
	check_probe(b.live, &b.call, task, "live", false);
	ck_assert(is_right(&b, "append_note", "{" NOTE ",'content':'Checked in May.'}", "exact"));
	check_probe(b.replay, &b.call, task, "exact", true);
	check_probe(b.live, &b.call, task, "live", true);
	ck_ok(as_probes_ask(b.replay, &b.call, task, &probes, &err));
	ck_ok(as_trace_with_probes(b.trace, probes, &shown, &err));
	as_trace_subject(shown, task, NULL, &subject);
	ck_assert_uint_eq(subject.n_probes, 1);
	ck_assert(as_str_contains(subject.probes[0].answer.text, ASSAY_STR("Checked in May.")));
	ck_assert_uint_eq(subject.n_steps, 1); /* a probe is no step */
	as_trace_free(shown);
	stop(&b);
	as_json_free(task);
}
END_TEST

/* Without the fill the read after the write is a miss, never a stale answer. */
START_TEST(without_fill_it_misses)
{
	bench b;
	RECORD(&b, session, 0);
	play(&b, AS_REPLAY_STATEFUL, NULL);
	ck_assert(is_right(&b, "append_note", "{" NOTE ",'content':'Checked in May.'}", "exact"));
	ck_assert(!is_right(&b, "read_note", "{" NOTE "}", "miss"));
	stop(&b);
}
END_TEST

static const call_line three_writes[] = {
	{"list_notes", "{}"},
	{"create_note", "{'title':'One','content':'1'}"},
	{"create_note", "{'title':'Two','content':'2'}"},
	{"create_note", "{'title':'Three','content':'3'}"},
};

/* Every order of up to three writes that leaves out one of them or begins with one of them, and the reads between. */
START_TEST(other_ways_are_filled)
{
	bench b;
	RECORD(&b, three_writes, AS_FILL_WALKS | AS_FILL_COPIES);
	play(&b, AS_REPLAY_STATEFUL, NULL);
	ck_assert(is_right(&b, "create_note", "{'title':'Three','content':'3'}", "exact")); /* from a copy */
	ck_assert(is_right(&b, "list_notes", "{}", "exact"));
	play(&b, AS_REPLAY_STATEFUL, NULL);
	ck_assert(is_right(&b, "create_note", "{'title':'Two','content':'2'}", "exact")); /* one left out */
	ck_assert(is_right(&b, "list_notes", "{}", "exact"));
	ck_assert(is_right(&b, "create_note", "{'title':'One','content':'1'}", "exact")); /* again from a copy */
	ck_assert(is_right(&b, "list_notes", "{}", "exact")); /* the state of the reference, by another way */
	ck_assert(is_right(&b, "create_note", "{'title':'One','content':'1'}", "exact")); /* refused: exists */
	ck_assert(is_right(&b, "create_note", "{'title':'Three','content':'3'}", "exact"));
	ck_assert(is_right(&b, "list_notes", "{}", "exact"));
	stop(&b);
}
END_TEST

/* Walks alone know no write that comes first in no walk. */
START_TEST(walks_alone)
{
	bench b;
	size_t n;
	RECORD(&b, three_writes, AS_FILL_WALKS);
	play(&b, AS_REPLAY_STATEFUL, NULL);
	ck_assert(!is_right(&b, "create_note", "{'title':'Three','content':'3'}", "miss"));
	play(&b, AS_REPLAY_STATEFUL, NULL);
	ck_assert(is_right(&b, "create_note", "{'title':'Two','content':'2'}", "exact"));
	ck_assert(is_right(&b, "create_note", "{'title':'Three','content':'3'}", "exact"));
	ck_assert(is_right(&b, "list_notes", "{}", "exact"));
	n = as_tape_count(b.tape);
	for (size_t i = 0; i < n; i++) { /* nothing that the reference says is said twice */
		ck_assert(as_tape_row_at(b.tape, i)->filled == (i >= 4));
	}
	stop(&b);
}
END_TEST

/* A budget cuts the fill short and the tape stays good. */
START_TEST(within_a_budget)
{
	bench b;
	assay_error err = {0};
	size_t counts[3];
	for (uint32_t k = 0; k < 3; k++) {
		as_taping *taping = NULL;
		as_tape *tape = NULL;
		const as_fill_options options = {.parts = AS_FILL_WALKS | AS_FILL_COPIES, .max_calls = 4 + 12 * k};
		if (k == 0) {
			RECORD(&b, three_writes, 0);
		}
		ck_ok(as_taping_new(b.trace, b.demo.catalogue, &taping, &err));
		ck_ok(as_tape_fill(taping, b.trace, b.live, &b.call, &options, &err));
		ck_ok(as_taping_finish(taping, &tape, &err));
		counts[k] = as_tape_count(tape);
		as_tape_free(tape);
		as_taping_free(taping);
	}
	ck_assert_uint_lt(counts[0], counts[1]);
	ck_assert_uint_lt(counts[1], counts[2]);
	stop(&b);
}
END_TEST

UNIT_SUITE(suite, "worlds", equivalents_are_asked, probes_of_the_state, reference_mode_errs, stateful_mode_does_not,
	   without_fill_it_misses, other_ways_are_filled, walks_alone, within_a_budget)
UNIT_MAIN(suite)
