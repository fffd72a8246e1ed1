/* What a replayed call costs, at each level of service, on a tape of 200 rows; and what a tape costs. Prints
 * nanoseconds an operation. */
#include "core/world/replay.h"
#include "tests/bench/sample.h"

#define ROWS 200

typedef struct bench {
	as_tape *tape;
	as_world *world;
	as_call call;
	assay_json *asked;
	const char *tool;
	uint32_t expected;
	assay_text text; /* the tape's */
} bench;

static as_tape *make_tape(void)
{
	as_tape *t = NULL;
	bench_must(as_tape_new(&t, NULL), "tape");
	bench_must(as_tape_add_server(t, ASSAY_STR("notes"), ASSAY_STR("notes"), ASSAY_STR("0"), NULL), "server");
	bench_must(as_tape_add_tool(t, ASSAY_STR("notes"), ASSAY_STR("search"), false, NULL), "tool");
	for (int i = 0; i < ROWS; i++) {
		assay_json *arguments = sample_arguments(i), *result = sample_result(i);
		as_tape_row row = {.server = ASSAY_STR("notes"),
				   .tool = i % 20 ? ASSAY_STR("read") : ASSAY_STR("search"),
				   .version = ASSAY_STR("0"),
				   .next = ASSAY_STR("0"),
				   .arguments = arguments,
				   .result = result};
		bench_must(as_tape_add_row(t, &row, NULL), "row");
		as_json_free(arguments);
		as_json_free(result);
	}
	bench_must(as_tape_finish(t, NULL), "finish");
	return t;
}

static void ask(void *context)
{
	bench *b = context;
	as_answer answer;
	bench_must(as_world_call(b->world, &b->call, ASSAY_STR("notes"), as_str(b->tool), b->asked, &answer, NULL),
		   "call");
	if (answer.served != b->expected) {
		bench_must(-1, as_served_name(answer.served));
	}
	as_answer_clear(&answer);
}

static void parse(void *context)
{
	const bench *b = context;
	as_tape *t = NULL;
	bench_must(as_tape_parse(as_text_str(b->text), &t, NULL), "parse");
	as_tape_free(t);
}

static void time_calls(bench *b, const char *name, const char *tool, assay_json *asked, uint32_t expected)
{
	b->tool = tool;
	b->asked = asked;
	b->expected = expected;
	bench_print(name, bench_measure(ask, b, 2000));
	as_json_free(asked);
}

int main(void)
{
	const as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 0.6};
	bench b = {.tape = make_tape()};
	assay_json *near = sample_arguments(40), *far = sample_json("{\"a\":1}");
	as_call_init(&b.call);
	bench_must(as_json_set(near, "limit", as_json_integer(7)), "near");
	bench_must(as_replay_open(b.tape, &options, &b.world, NULL), "world");
	bench_must(as_json_dump(as_tape_document(b.tape), ASSAY_JSON_COMPACT, &b.text, NULL), "dump");
	time_calls(&b, "replay: exact call", "read", sample_arguments(101), ASSAY_SERVED_EXACT);
	time_calls(&b, "replay: near call, 100 rows of its tool", "search", near, ASSAY_SERVED_NEAR);
	time_calls(&b, "replay: miss, 100 rows of its tool", "search", far, ASSAY_SERVED_MISS);
	bench_print("tape: parse 200 rows", bench_measure(parse, &b, 20));
	as_world_close(b.world, &b.call);
	as_tape_free(b.tape);
	as_text_free(&b.text);
	return 0;
}
