/* The replay world, rule by rule of the design page "replay" (rules 1 to 7; 8 is in test_scorer.c, 9 in
 * test_figures.c), and the ways of reference mode that the golden vectors leave out. */
#include "core/world/replay.h"
#include "core/world/taping.h"
#include "tests/unit/catalogue_kit.h"

#include <stdio.h>

typedef struct player {
	as_tape *tape;
	as_world *world;
	as_call call;
	as_answer answer; /* to the last question */
	assay_json *task;
} player;

/* A row as a test writes it; next NULL: as before. */
typedef struct line {
	const char *version, *server, *tool, *arguments, *text, *next;
	uint32_t status;
	bool filled;
} line;

static assay_json *result_of(const char *text, bool is_error)
{
	char both[256];
	if (!text) {
		return NULL;
	}
	snprintf(both, sizeof both, "{'content':[{'type':'text','text':'%s'}],'isError':%s}", text,
		 is_error ? "true" : "false");
	return json(both);
}

/* Two servers of one group and one of its own; "put" writes, "get" reads, "odd" is not listed. */
static as_tape *tape_of(const line *lines, size_t n)
{
	static const char *const servers[][2] = {{"a", "shared"}, {"b", "shared"}, {"c", "c"}};
	assay_error err = {0};
	as_tape *t = NULL;
	ck_ok(as_tape_new(&t, &err));
	for (size_t i = 0; i < 3; i++) {
		ck_ok(as_tape_add_server(t, as_str(servers[i][0]), as_str(servers[i][1]), ASSAY_STR("0"), &err));
		ck_ok(as_tape_add_tool(t, as_str(servers[i][0]), ASSAY_STR("put"), true, &err));
		ck_ok(as_tape_add_tool(t, as_str(servers[i][0]), ASSAY_STR("get"), false, &err));
	}
	for (size_t i = 0; i < n; i++) {
		assay_json *arguments = lines[i].arguments ? json(lines[i].arguments) : NULL;
		assay_json *result = result_of(lines[i].text, lines[i].status == ASSAY_STEP_ERROR);
		as_tape_row row = {.version = as_str(lines[i].version),
				   .server = as_str(lines[i].server),
				   .tool = as_str(lines[i].tool),
				   .arguments = arguments,
				   .result = result,
				   .status = lines[i].status,
				   .filled = lines[i].filled,
				   .next = as_str(lines[i].next ? lines[i].next : lines[i].version)};
		ck_ok(as_tape_add_row(t, &row, &err));
		as_json_free(arguments);
		as_json_free(result);
	}
	ck_ok(as_tape_finish(t, &err));
	return t;
}

static void play(player *p, const line *lines, size_t n, const as_replay_options *options)
{
	assay_error err = {0};
	*p = (player){.tape = tape_of(lines, n)};
	as_call_init(&p->call);
	ck_ok(as_replay_open(p->tape, options, &p->world, &err));
}

static void stop(player *p)
{
	as_answer_clear(&p->answer);
	as_world_close(p->world, &p->call);
	as_tape_free(p->tape);
	as_json_free(p->task);
}

/* Ask, and expect "LEVEL VERSION>NEXT TEXT". */
static void ask(player *p, const char *server, const char *tool, const char *arguments, const char *expected)
{
	assay_error err = {0};
	assay_json *a = arguments ? json(arguments) : NULL;
	assay_str text;
	char got[512];
	as_answer_clear(&p->answer);
	ck_ok(as_world_call(p->world, &p->call, as_str(server), as_str(tool), a, &p->answer, &err));
	text = as_json_str(as_json_pointer(p->answer.result, "/content/0/text"));
	snprintf(got, sizeof got, "%s %s>%s %.*s", as_served_name(p->answer.served), p->answer.version, p->answer.next,
		 p->answer.served == ASSAY_SERVED_MISS ? 0 : (int)text.len, text.ptr);
	ck_assert_str_eq(got, expected);
	ck_assert((p->answer.status == ASSAY_STEP_SUCCESS) == (p->answer.error == NULL));
	as_json_free(a);
}

#define LINES(list) list, sizeof list / sizeof *list
static const as_replay_options stateful = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 0.75};

/* Rule 1: the tape says what reads; a write, and a tool it does not know, is never served by likeness. */
START_TEST(test_effects)
{
	static const line lines[] = {{"0", "a", "get", "{'x':1,'y':2,'z':3,'w':4}", "read", NULL, 0, false},
				     {"0", "a", "put", "{'x':1,'y':2,'z':3,'w':4}", "wrote", "1", 0, false},
				     {"0", "a", "odd", "{'x':1,'y':2,'z':3,'w':4}", "odd", NULL, 0, false}};
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "get", "{'x':1,'y':2,'z':3,'w':5}", "near 0>0 read");
	ask(&p, "a", "put", "{'x':1,'y':2,'z':3,'w':5}", "miss 0>0 ");
	ask(&p, "a", "odd", "{'x':1,'y':2,'z':3,'w':5}", "miss 0>0 ");
	stop(&p);
}
END_TEST

/* Rule 2: what one server of a group writes, the other one sees; a server of another group does not. */
START_TEST(test_groups)
{
	static const line lines[] = {{"0", "b", "get", "{}", "before", NULL, 0, false},
				     {"0", "c", "get", "{}", "apart", NULL, 0, false},
				     {"0", "a", "put", "{}", "ok", "1", 0, false},
				     {"1", "b", "get", "{}", "after", NULL, 0, false}};
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "b", "get", "{}", "exact 0>0 before");
	ask(&p, "a", "put", NULL, "exact 0>1 ok");
	ask(&p, "b", "get", "{}", "exact 1>1 after");
	ask(&p, "c", "get", "{}", "exact 0>0 apart");
	stop(&p);
}
END_TEST

/* Rule 3: successful writes move the version, nothing else does. A read after a write is never the one from before. */
START_TEST(test_versions)
{
	static const line lines[] = {{"0", "a", "get", "{}", "old", NULL, 0, false},
				     {"0", "a", "put", "{'v':1}", "refused", "9", ASSAY_STEP_ERROR, false},
				     {"0", "a", "put", "{'v':2}", "late", "9", ASSAY_STEP_TIMEOUT, false},
				     {"0", "a", "get", "{'moves':true}", "read", "9", 0, false},
				     {"0", "a", "put", "{'v':3}", "done", "1", 0, false},
				     {"1", "a", "put", "{'v':4}", "again", "2", 0, false},
				     {"2", "a", "get", "{}", "new", NULL, 0, false}};
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "put", "{'v':1}", "exact 0>0 refused");
	ask(&p, "a", "put", "{'v':2}", "exact 0>0 late");
	ask(&p, "a", "get", "{'moves':true}", "exact 0>0 read");
	ask(&p, "a", "get", "{}", "exact 0>0 old");
	ask(&p, "a", "put", "{'v':4}", "miss 0>0 "); /* it was made later */
	ask(&p, "a", "put", "{'v':3}", "exact 0>1 done");
	ask(&p, "a", "get", "{}", "miss 1>1 "); /* not the stale one */
	ask(&p, "a", "put", "{'v':4}", "exact 1>2 again");
	ask(&p, "a", "get", "{}", "exact 2>2 new");
	ask(&p, "a", "put", "{'v':3}", "miss 2>2 ");
	stop(&p);
}
END_TEST

/* Rule 4: errors are recorded and served as errors, with what went wrong. */
START_TEST(test_errors)
{
	static const line lines[] = {{"0", "a", "get", "{'id':1}", "no such thing", NULL, ASSAY_STEP_ERROR, false},
				     {"0", "a", "get", "{'id':2}", NULL, NULL, ASSAY_STEP_TIMEOUT, false}};
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "get", "{'id':1}", "exact 0>0 no such thing");
	ck_assert_uint_eq(p.answer.status, ASSAY_STEP_ERROR);
	ck_assert_str_eq(member_text(p.answer.error, "/code"), "'ToolError'");
	ck_assert_str_eq(member_text(p.answer.error, "/raw"), text_of(p.answer.result));
	ask(&p, "a", "get", "{'id':2}", "exact 0>0 ");
	ck_assert_uint_eq(p.answer.status, ASSAY_STEP_TIMEOUT);
	ck_assert_ptr_null(p.answer.result);
	ck_assert_str_eq(member_text(p.answer.error, "/code"), "'Timeout'");
	stop(&p);
}
END_TEST

/* Rule 5: filled rows serve only where nothing was recorded, whatever their place. */
START_TEST(test_filled)
{
	static const line lines[] = {{"0", "a", "get", "{'n':1}", "filled", NULL, 0, true},
				     {"0", "a", "get", "{'n':1}", "recorded", NULL, 0, false},
				     {"0", "a", "get", "{'n':2}", "filled 2", NULL, 0, true},
				     {"0", "a", "put", "{}", "filled write", "f", 0, true},
				     {"f", "a", "get", "{'n':1}", "beyond", NULL, 0, true}};
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "get", "{'n':1}", "exact 0>0 recorded");
	ask(&p, "a", "get", "{'n':1}", "exact 0>0 recorded");
	ask(&p, "a", "get", "{'n':2}", "exact 0>0 filled 2");
	ask(&p, "a", "put", "{}", "exact 0>f filled write");
	ask(&p, "a", "get", "{'n':1}", "exact f>f beyond");
	stop(&p);
}
END_TEST

/* Rule 6: the n-th ask gets the n-th recording, the last one repeats; each world counts for itself. */
START_TEST(test_repeats)
{
	static const line lines[] = {{"0", "a", "get", "{'n':1}", "busy", NULL, ASSAY_STEP_ERROR, false},
				     {"0", "a", "get", "{'m':1}", "other", NULL, 0, false},
				     {"0", "a", "get", "{'n':1}", "one", NULL, 0, false},
				     {"0", "a", "get", "{'n':1}", "two", NULL, 0, false}};
	player p;
	play(&p, LINES(lines), &stateful);
	for (int round = 0; round < 2; round++) {
		assay_error err = {0};
		ask(&p, "a", "get", "{'n':1}", "exact 0>0 busy");
		ask(&p, "a", "get", "{'m':1}", "exact 0>0 other");
		ask(&p, "a", "get", "{'n':1}", "exact 0>0 one");
		ask(&p, "a", "get", "{'n':1}", "exact 0>0 two");
		ask(&p, "a", "get", "{'n':1}", "exact 0>0 two");
		ck_ok(p.world->ops->reset(p.world, &p.call, &err));
	}
	stop(&p);
}
END_TEST

#define EFFECT(id, tool, predicate)                                                                                    \
	"{'kind':'tool_effect','checkpoint_id':'" id "','equivalence_set':[{'server_id':'a','tool_name':'" tool        \
	"'}],'arg_predicate':" predicate "}"

/* Rule 6: asked and recorded call satisfy the same predicate of one effect, writes too. */
START_TEST(test_equivalent)
{
	static const line lines[] = {{"0", "a", "put", "{'to':'ann','text':'hi'}", "sent", "1", 0, false},
				     {"0", "a", "get", "{'q':'red'}", "red", NULL, ASSAY_STEP_ERROR, false},
				     {"0", "a", "get", "{'q':'red','page':2}", "red 2", NULL, 0, false},
				     {"1", "a", "get", "{'q':'red','page':3}", "red 3", NULL, 0, false}};
	as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 1.0};
	player p;
	assay_json *task = json("{'checkpoints':[{'kind':'value_produced','arg_predicate':{'must_include':{'q':'blue'}}}," EFFECT(
		"empty", "get",
		"{}") "," EFFECT("a", "put",
				 "{'must_match':{'text':{'contains':'h'}},'must_include':{'to':'ann'}}") "," EFFECT("b",
														    "get",
														    "{'must_include':{'q':'red'}}") "]}");
	options.task = task;
	play(&p, LINES(lines), &options);
	ask(&p, "a", "get", "{'q':'blue'}", "miss 0>0 "); /* an empty predicate says nothing */
	ask(&p, "b", "put", "{'to':'ann','text':'oh'}", "miss 0>0 ");
	ask(&p, "a", "put", "{'to':'bob','text':'hi'}", "miss 0>0 ");
	ask(&p, "a", "get", "{'q':'red','page':7}", "equivalent 0>0 red 2"); /* no error serves here */
	ask(&p, "a", "put", "{'text':'oh','to':'ann','cc':null}", "equivalent 0>1 sent");
	ask(&p, "a", "get", "{'q':'red','page':7}", "equivalent 1>1 red 3");
	stop(&p);
	as_json_free(task);
}
END_TEST

/* Which recorded call serves does not depend on the order of the checkpoints, nor on that of a predicate's members. */
START_TEST(test_equivalent_order)
{
	static const line lines[] = {{"0", "a", "get", "{'n':1,'filled':true}", "filled", NULL, 0, true},
				     {"0", "a", "get", "{'n':1,'x':'p'}", "first", NULL, 0, false},
				     {"0", "a", "get", "{'n':2,'x':'p'}", "second", NULL, 0, false}};
	static const char *const tasks[] = {
		"{'checkpoints':[" EFFECT("a", "get", "{'must_include':{'n':2}}") "," EFFECT(
			"b", "get", "{'must_match':{'x':{'contains':'p','regex':'^p'}}}") "]}",
		"{'checkpoints':[" EFFECT("b", "get", "{'must_match':{'x':{'regex':'^p','contains':'p'}}}") "," EFFECT(
			"a", "get", "{'must_include':{'n':2}}") "]}",
		"{'checkpoints':[" EFFECT("c", "get", "{'must_match':{'n':{}}}") "]}"};
	for (size_t i = 0; i < 3; i++) {
		as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 1.0};
		player p;
		assay_json *task = json(tasks[i]);
		options.task = task;
		play(&p, LINES(lines), &options);
		ask(&p, "a", "get", "{'n':2,'x':'pp'}", "equivalent 0>0 first");
		stop(&p);
		as_json_free(task);
	}
}
END_TEST

/* Rule 6: near is for reads at the current version; the best score serves, the first of equals; exact comes first. */
START_TEST(test_near)
{
	static const line lines[] = {{"0", "a", "get", "{'q':'sun','n':1,'m':1,'l':1}", "one", NULL, 0, false},
				     {"0", "a", "get", "{'q':'moon','n':1,'m':1,'l':1}", "two", NULL, 0, false},
				     {"0", "a", "get", "{'q':'mars','n':1,'m':1,'l':1}", "failed", NULL,
				      ASSAY_STEP_ERROR, false},
				     {"0", "a", "put", "{}", "ok", "1", 0, false},
				     {"1", "a", "get", "{'q':'star','n':9}", "three", NULL, 0, false}};
	as_replay_options off = stateful;
	player p;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "get", "{'q':' MOON ','n':1,'m':1,'l':1}", "near 0>0 two");
	ask(&p, "a", "get", "{'q':'venus','n':1,'m':1,'l':1}", "near 0>0 one");
	ask(&p, "a", "get", "{'q':'mars','n':1,'m':1,'l':1}", "exact 0>0 failed");
	ask(&p, "a", "get", "{'q':'venus','n':1,'m':1,'l':2}", "miss 0>0 ");
	ask(&p, "a", "put", NULL, "exact 0>1 ok");
	ask(&p, "a", "get", "{'q':' MOON ','n':1,'m':1,'l':1}", "miss 1>1 "); /* recorded in another state */
	ask(&p, "a", "get", "{'q':'STAR','n':9}", "near 1>1 three");
	stop(&p);
	off.near_threshold = 1.0;
	play(&p, LINES(lines), &off);
	ask(&p, "a", "get", "{'q':' MOON ','n':1,'m':1,'l':1}", "miss 0>0 ");
	stop(&p);
}
END_TEST

/* Rule 7: a miss is an error that says that nothing changed, moves nothing, and tells nothing of the tape. */
START_TEST(test_misses)
{
	static const line lines[] = {{"0", "a", "get", "{'secret':'plan'}", "x", NULL, 0, false},
				     {"0", "a", "put", "{'v':1}", "ok", "1", 0, false}};
	player p;
	char *first;
	play(&p, LINES(lines), &stateful);
	ask(&p, "a", "get", "{'q':1}", "miss 0>0 ");
	first = as_strdup(text_of(p.answer.result));
	ck_assert_uint_eq(p.answer.status, ASSAY_STEP_ERROR);
	ck_assert_str_eq(member_text(p.answer.result, "/isError"), "true");
	ck_assert_str_eq(member_text(p.answer.result, "/replay_cache_miss"), "true");
	ck_assert_ptr_nonnull(strstr(first, "Nothing was changed"));
	ck_assert_ptr_null(strstr(first, "secret"));
	ck_assert_str_eq(member_text(p.answer.error, "/code"), "'ReplayCacheMiss'");
	ck_assert_str_eq(member_text(p.answer.error, "/raw/cache_key"), "['a','get','{\\'q\\':1}']");
	ask(&p, "a", "put", "{'v':2}", "miss 0>0 ");
	ck_assert_str_eq(first, text_of(p.answer.result));
	ask(&p, "nobody", "put", NULL, "miss > ");
	ck_assert_str_eq(first, text_of(p.answer.result));
	ask(&p, "a", "none", NULL, "miss 0>0 ");
	ck_assert_str_eq(first, text_of(p.answer.result));
	ask(&p, "a", "put", "{'v':1}", "exact 0>1 ok");
	ask(&p, "a", "put", "{'v':1}", "miss 1>1 ");
	ck_assert_str_eq(first, text_of(p.answer.result));
	free(first);
	stop(&p);
}
END_TEST

/* Reference mode: one eternal version, the first success wins, errors are not kept, misses list what there is. */
START_TEST(test_reference_mode)
{
	static const line lines[] = {{"0", "a", "get", "{'n':1}", "failed", NULL, ASSAY_STEP_ERROR, false},
				     {"0", "a", "get", "{'n':1}", "first", NULL, 0, false},
				     {"0", "a", "put", "{'x':1,'y':2,'z':3,'w':4}", "wrote", "1", 0, false},
				     {"1", "a", "get", "{'n':1}", "second", NULL, 0, false},
				     {"1", "a", "get", "{'n':2}", "filled", NULL, 0, true},
				     {"1", "a", "get", "{'n':3}", NULL, NULL, 0, false}};
	as_replay_options options = {.mode = AS_REPLAY_REFERENCE, .near_threshold = 0.75};
	player p;
	play(&p, LINES(lines), &options);
	ask(&p, "a", "get", "{'n':1}", "exact 0>0 first");
	ask(&p, "a", "put", "{'x':1,'y':2,'z':3,'w':5}", "near 0>0 wrote");
	ck_assert_str_eq(member_text(p.answer.result, "/replay_tier2_score"), "0.75");
	ask(&p, "a", "get", "{'n':1}", "exact 0>0 first");
	ask(&p, "a", "get", "{'n':2}", "miss 0>0 ");
	ck_assert_str_eq(strstr(member_text(p.answer.result, "/content/0/text"), "\\n"),
			 "\\nRecorded arguments of a.get:\\n  - {\\'n\\':1}'");
	ask(&p, "a", "get", "{'n':3}", "miss 0>0 ");
	ask(&p, "a", "none", NULL, "miss 0>0 ");
	ck_assert_ptr_null(strstr(text_of(p.answer.result), "Recorded"));
	stop(&p);
}
END_TEST

/* A session on the kit's catalogue and one server that is not of it. */
static const struct {
	const char *server, *tool, *arguments, *result, *error;
	uint32_t status;
} session[] = {
	{"index", "search_notes", "{'q':'x'}", "{'n':0}", NULL, 0},
	{"notes", "save", "{'t':1}", NULL, "{'code':'McpError','message':'gone','raw':null}", ASSAY_STEP_ERROR},
	{"notes", "save", "{'t':1}", "{'isError':true}", "{'code':'ToolError','message':'?','raw':null}",
	 ASSAY_STEP_ERROR},
	{"elsewhere", "x", "{}", "{}", NULL, 0},
	{"notes", "save", "{'t':1}", "{'ok':1}", NULL, 0},
	{"index", "search_notes", "{'q':'x'}", "{'n':1}", NULL, 0},
	{"almanac", "set_day", NULL, "{'d':1}", NULL, 0},
};

static as_trace *recorded_session(void)
{
	assay_error err = {0};
	as_trace *trace = NULL;
	ck_ok(as_trace_new(ASSAY_STR(""), NULL, &trace, &err));
	ck_ok(as_trace_add_server(trace, ASSAY_STR("notes"), json("{}"), json("[]"), &err));
	for (size_t i = 0; i < sizeof session / sizeof *session; i++) {
		as_call_record r = {.server = as_str(session[i].server),
				    .tool = as_str(session[i].tool),
				    .arguments = session[i].arguments ? json(session[i].arguments) : NULL,
				    .result = session[i].result ? json(session[i].result) : NULL,
				    .error = session[i].error ? json(session[i].error) : NULL,
				    .status = session[i].status};
		ck_ok(as_trace_add_call(trace, &r, NULL, &err));
	}
	ck_ok(as_trace_finish(trace, &err));
	return trace;
}

START_TEST(test_tape_of_trace)
{
	assay_error err = {0};
	as_trace *trace = recorded_session();
	as_tape *tape = NULL;
	as_catalogue *c = kit_catalogue();
	ck_ok(as_tape_of_trace(trace, c, &tape, &err));
	ck_assert_uint_eq(as_tape_count(tape), 6); /* the server that is not ours has no place */
	ck_str_is(as_tape_row_at(tape, 0)->version, "0");
	ck_str_is(as_tape_row_at(tape, 1)->next, "0"); /* failed writes move nothing */
	ck_str_is(as_tape_row_at(tape, 2)->next, "0");
	ck_assert(as_str_eq(as_tape_row_at(tape, 3)->next, as_tape_row_at(tape, 4)->version)); /* one group */
	ck_assert_uint_eq(as_tape_row_at(tape, 4)->version.len, 64);
	ck_str_is(as_tape_row_at(tape, 5)->version, "0"); /* another group */
	ck_assert_ptr_nonnull(as_tape_row_at(tape, 1)->error);
	ck_assert_ptr_null(as_tape_row_at(tape, 2)->error); /* made again out of the result */
	as_tape_free(tape);
	as_trace_free(trace);
	as_catalogue_free(c);
}
END_TEST

/* The session walked again: every call is served as it was answered, errors with their own codes. */
START_TEST(test_walking_again)
{
	assay_error err = {0};
	as_trace *trace = recorded_session();
	as_tape *tape = NULL;
	as_world *world = NULL;
	as_call call;
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	as_catalogue *c = kit_catalogue();
	as_call_init(&call);
	ck_ok(as_tape_of_trace(trace, c, &tape, &err));
	ck_ok(as_replay_open(tape, &stateful, &world, &err));
	for (size_t i = 0; i < n; i++) {
		as_answer a = {0};
		ck_ok(as_world_call(world, &call, steps[i].server, steps[i].tool, steps[i].arguments, &a, &err));
		ck_assert_uint_eq(a.served, i == 3 ? ASSAY_SERVED_MISS : ASSAY_SERVED_EXACT);
		if (i != 3) {
			ck_assert_uint_eq(a.status, steps[i].status);
			ck_assert(as_json_equal(a.result, steps[i].result));
		}
		if (i == 1) {
			ck_assert_str_eq(text_of(a.error), session[1].error);
		}
		as_answer_clear(&a);
	}
	as_world_close(world, &call);
	as_world_close(NULL, &call);
	as_tape_free(tape);
	as_trace_free(trace);
	as_catalogue_free(c);
}
END_TEST

static void add_call(as_trace *t, const char *tool, const char *arguments, const char *result, const char *version,
		     const char *next)
{
	assay_error err = {0};
	as_call_record r = {.server = ASSAY_STR("notes"),
			    .tool = as_str(tool),
			    .arguments = json(arguments),
			    .result = json(result),
			    .version = as_str(version),
			    .next = as_str(next)};
	ck_ok(as_trace_add_call(t, &r, NULL, &err));
}

/* Rule 3: versions are the digests that the world told; where one read shows two results at one of them, the digest
 * misses something and versions are those of the path. */
START_TEST(test_digests)
{
	for (int i = 0; i < 2; i++) {
		assay_error err = {0};
		bool misses = i == 1;
		as_trace *trace = NULL;
		as_tape *tape = NULL;
		as_catalogue *c = kit_catalogue();
		ck_ok(as_trace_new(ASSAY_STR(""), NULL, &trace, &err));
		add_call(trace, "peek", "{}", "{'n':0}", "d0", "");
		add_call(trace, "save", "{'t':1}", "{}", "d0", "d1");
		add_call(trace, "save", "{'t':2}", "{}", "d1", "d0");
		add_call(trace, "peek", "{}", misses ? "{'n':2}" : "{'n':0}", "d0", "");
		add_call(trace, "save", "{'t':2}", "{}", "d0", ""); /* changed nothing */
		ck_ok(as_trace_finish(trace, &err));
		ck_ok(as_tape_of_trace(trace, c, &tape, &err));
		ck_assert_uint_eq(as_tape_count(tape), 5);
		ck_str_is(as_tape_row_at(tape, 0)->version, misses ? "0" : "d0");
		ck_assert(as_str_eq(as_tape_row_at(tape, 1)->next, as_tape_row_at(tape, 2)->version));
		if (misses) {
			ck_assert_uint_eq(as_tape_row_at(tape, 3)->version.len, 64);
			ck_assert_uint_eq(as_tape_row_at(tape, 4)->next.len, 64);
		} else {
			ck_str_is(as_tape_row_at(tape, 1)->next, "d1");
			ck_str_is(as_tape_row_at(tape, 3)->version, "d0");
			ck_str_is(as_tape_row_at(tape, 4)->next, "d0");
		}
		as_tape_free(tape);
		as_trace_free(trace);
		as_catalogue_free(c);
	}
}
END_TEST

/* Rule 7: nothing of what was recorded, nor of what was asked, shows in what an agent reads of a miss. */
START_TEST(test_misses_tell_nothing)
{
	static const line lines[] = {{"0", "a", "put", "{'secret':'x'}", "ok", "1", 0, false},
				     {"1", "a", "get", "{'id':'y'}", "found", NULL, 0, false}};
	static const char *const asked[][2] = {
		{"put", "{'secret':'z'}"}, {"put", "{'b':[1,2]}"}, {"put", NULL},
		{"get", "{'id':'y'}"},     {"get", "{}"},          {"odd", "{'id':'y'}"}};
	char *first = NULL;
	player p;
	play(&p, LINES(lines), &stateful);
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		assay_json *a = asked[i][1] ? json(asked[i][1]) : NULL;
		assay_error err = {0};
		as_buf text = {0};
		as_answer_clear(&p.answer);
		ck_ok(as_world_call(p.world, &p.call, ASSAY_STR("a"), as_str(asked[i][0]), a, &p.answer, &err));
		ck_assert_uint_eq(p.answer.served, ASSAY_SERVED_MISS);
		ck_ok(as_render_for_model(p.answer.result, true, 0, &text));
		ck_ok(as_render_result(p.answer.result, &text));
		as_json_write(&text, p.answer.result, ASSAY_JSON_COMPACT);
		if (first) {
			ck_assert_str_eq(text.ptr, first);
		} else {
			first = as_strdup(text.ptr);
		}
		as_buf_free(&text);
		as_json_free(a);
	}
	free(first);
	stop(&p);
}
END_TEST

UNIT_SUITE(suite, "replay", test_digests, test_misses_tell_nothing, test_effects, test_groups, test_versions,
	   test_errors, test_filled, test_repeats, test_equivalent, test_equivalent_order, test_near, test_misses,
	   test_reference_mode, test_tape_of_trace, test_walking_again)
UNIT_MAIN(suite)
