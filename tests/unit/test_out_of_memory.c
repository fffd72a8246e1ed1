/* Every allocation on the way from a trace to the figures fails once, and once for good: nothing crashes, nothing
 * leaks, and the answer is ASSAY_ENOMEM. The allocator is glibc's, with a switch in front of it. */
#include "core/base/table.h"
#include "core/run/figures.h"
#include "core/task/task.h"
#include "core/world/replay.h"
#include "core/world/taping.h"
#include "tests/unit/effects_kit.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_INTERPOSE 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef CAN_INTERPOSE
#endif
#endif
#endif

/* volatile: a compiler takes it for granted that malloc and free leave other variables alone. */
static volatile struct {
	bool on, for_good;
	long fail_at, count, live;
} heap;

#ifdef CAN_INTERPOSE
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *p);

static bool refuses(void)
{
	if (!heap.on) {
		return false;
	}
	heap.count++;
	return heap.for_good ? heap.count >= heap.fail_at : heap.count == heap.fail_at;
}

static void *counted(void *p)
{
	heap.live += heap.on && p;
	return p;
}

SEEN_BY_LIBRARIES void *malloc(size_t size)
{
	return refuses() ? NULL : counted(__libc_malloc(size));
}

SEEN_BY_LIBRARIES void *calloc(size_t count, size_t size)
{
	return refuses() ? NULL : counted(__libc_calloc(count, size));
}

SEEN_BY_LIBRARIES void *realloc(void *old, size_t size)
{
	void *p = refuses() ? NULL : __libc_realloc(old, size);
	return old ? p : counted(p);
}

SEEN_BY_LIBRARIES void free(void *p)
{
	heap.live -= heap.on && p;
	__libc_free(p);
}
#endif

/* What one walk makes. */
typedef struct walk {
	as_trace *trace;
	as_catalogue *catalogue;
	assay_json *body, *task, *verdict, *manifest, *model;
	as_tape *tape, *again;
	as_figures *figures;
	assay_text text;
} walk;

static const char trace_text[] =
	"{\"trace_id\":\"t\",\"seed_metadata\":{\"exploration\":{\"final_message\":\"sun\"},\"assay\":{\"refused\":[{\"name\":\"x\"}]}},"
	"\"tool_specs\":{\"notes\":[]},\"steps\":[{\"step_id\":0,\"kind\":\"call_tool_agent\",\"server_id\":\"notes\",\"tool_name\":"
	"\"save\",\"status\":\"success\",\"arguments\":{\"t\":\"abc\",\"n\":1.5},\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	"\"sun abc\"}]}},{\"step_id\":1,\"kind\":\"call_tool_agent\",\"server_id\":\"notes\",\"tool_name\":\"read_note\",\"status\":"
	"\"error\",\"arguments\":{\"t\":\"sun abc\"},\"error\":{\"code\":\"X\",\"message\":\"y\",\"raw\":null}},{\"step_id\":2,\"kind\":"
	"\"call_tool_agent\",\"server_id\":\"notes\",\"tool_name\":\"read_note\",\"status\":\"success\",\"arguments\":{\"t\":\"sun abcd\","
	"\"k\":[1,{\"a\":\"b\"}]},\"result\":{\"k\":1}}]}";
static const char records_text[] =
	"[{\"server_id\":\"notes\",\"class\":\"stateful_write\",\"tags\":[\"a\"],\"tools\":[{\"name\":\"save\"},{\"name\":\"read_note\"}]}]";
static const char body_text[] =
	"{\"prompt\":\"p\",\"checkpoints\":[{\"kind\":\"tool_effect\",\"checkpoint_id\":\"a\",\"equivalence_set\":[{\"server_id\":\"notes\","
	"\"tool_name\":\"save\"}],\"arg_predicate\":{\"must_match\":{\"t\":{\"contains\":\"b\"},\"n\":{\"regex\":\"1\"}}}},{\"kind\":"
	"\"tool_effect\",\"checkpoint_id\":\"e\",\"equivalence_set\":[{\"server_id\":\"notes\",\"tool_name\":\"read_note\"}],"
	"\"arg_predicate\":{\"must_match\":{\"t\":{\"starts_with\":\"sun\"}}}},{\"kind\":\"value_produced\",\"checkpoint_id\":\"b\","
	"\"predicate\":{\"contains_any\":[\"moon\"]}}],\"minefields\":[{\"minefield_id\":\"m\",\"forbidden_tool\":{\"server_id\":\"notes\","
	"\"tool_name\":\"save\"}}],\"ordering\":[{\"before_id\":\"b\",\"after_id\":\"a\"}]}";
static const char manifest_text[] =
	"{\"evaluation\":{\"candidates\":[{\"name\":\"x\"}]},\"generation\":{\"categories\":[{\"name\":\"c\"}]}}";
static const char bench_id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static int make_task(walk *w, assay_error *err)
{
	assay_json *records = NULL;
	as_task_frame frame = {.category = ASSAY_STR("c")};
	int rc = as_trace_parse(as_str(trace_text), &w->trace, err);
	rc = rc ? rc : as_json_parse(as_str(records_text), ASSAY_JSON_STRICT, &records, err);
	rc = rc ? rc : as_catalogue_new(records, &w->catalogue, err);
	rc = rc ? rc : as_json_parse(as_str(body_text), ASSAY_JSON_STRICT, &w->body, err);
	if (rc == 0) {
		frame.trace_id = as_trace_id(w->trace);
		frame.steps = as_trace_steps(w->trace, &frame.n_steps);
		rc = as_task_make(w->body, &frame, w->catalogue, &w->task, err);
	}
	return rc;
}

static int make_tape(walk *w, assay_error *err)
{
	int rc = as_tape_of_trace(w->trace, w->catalogue, &w->tape, err);
	rc = rc ? rc : as_json_dump(as_tape_document(w->tape), ASSAY_JSON_COMPACT, &w->text, err);
	return rc ? rc : as_tape_parse(as_text_str(w->text), &w->again, err);
}

static int ask(as_world *world, as_call *call, const char *tool, const char *text, assay_error *err)
{
	assay_json *arguments = NULL;
	as_answer answer = {0};
	int rc = as_json_parse(as_str(text), ASSAY_JSON_STRICT, &arguments, err);
	rc = rc ? rc : as_world_call(world, call, ASSAY_STR("notes"), as_str(tool), arguments, &answer, err);
	as_answer_clear(&answer);
	as_json_free(arguments);
	return rc;
}

/* Every level of service in both modes. */
static int replay(walk *w, assay_error *err)
{
	static const char *const calls[][2] = {{"read_note", "{\"t\":\"sun abc\"}"},
					       {"save", "{\"t\":\"abc\",\"n\":1.5}"},
					       {"read_note", "{\"t\":\"sunny\"}"},
					       {"read_note", "{\"t\":\"Sun ABCD\",\"k\":5}"},
					       {"save", "{\"x\":\"Sun ABCD\",\"k\":5}"}};
	int rc = 0;
	for (int mode = AS_REPLAY_STATEFUL; mode <= AS_REPLAY_REFERENCE && rc == 0; mode++) {
		const as_replay_options options = {.mode = mode, .near_threshold = 0.3, .task = w->task};
		as_world *world = NULL;
		as_call call;
		as_call_init(&call);
		rc = as_replay_open(w->again, &options, &world, err);
		for (size_t i = 0; i < sizeof calls / sizeof *calls && rc == 0; i++) {
			rc = ask(world, &call, calls[i][0], calls[i][1], err);
		}
		as_world_close(world, &call);
	}
	return rc;
}

static int make_figures(walk *w, assay_error *err)
{
	as_figure_attempt attempt = {.candidate = ASSAY_STR("x"), .condition = ASSAY_STR("d"), .end = ASSAY_STR("end")};
	int rc = effects_verdict(w->task, w->trace, as_catalogue_tags(w->catalogue), &w->verdict, err);
	attempt.task_id = as_json_str(as_json_get(w->task, "task_id"));
	attempt.trace = w->trace;
	attempt.verdict = w->verdict;
	rc = rc ? rc : as_json_parse(as_str(manifest_text), ASSAY_JSON_STRICT, &w->manifest, err);
	rc = rc ? rc : as_figures_new(w->manifest, bench_id, &w->figures, err);
	rc = rc ? rc
		: as_figures_add_goal(w->figures, ASSAY_STR("c"), ASSAY_STR("rejected"), ASSAY_STR("y"), NULL, err);
	rc = rc ? rc : as_figures_add_server(w->figures, as_json_first(as_catalogue_records(w->catalogue)), err);
	rc = rc ? rc : as_figures_add_plugin(w->figures, ASSAY_STR("scorer/effects"), ASSAY_STR("1"), NULL, err);
	rc = rc ? rc : as_figures_add_task(w->figures, ASSAY_STR("c"), 0, w->task, NULL, err);
	rc = rc ? rc : as_figures_add_attempt(w->figures, &attempt, err);
	return rc ? rc : as_figures_finish(w->figures, &w->model, err);
}

static void drop(walk *w)
{
	as_figures_free(w->figures);
	as_tape_free(w->tape);
	as_tape_free(w->again);
	as_text_free(&w->text);
	as_json_free(w->model);
	as_json_free(w->manifest);
	as_json_free(w->verdict);
	as_json_free(w->task);
	as_json_free(w->body);
	as_catalogue_free(w->catalogue);
	as_trace_free(w->trace);
}

static int from_trace_to_figures(assay_error *err)
{
	walk w = {.trace = NULL};
	int rc = make_task(&w, err);
	rc = rc ? rc : make_tape(&w, err);
	rc = rc ? rc : replay(&w, err);
	rc = rc ? rc : make_figures(&w, err);
	drop(&w);
	return rc;
}

static int add_step(as_trace *t, assay_error *err)
{
	as_call_record r = {.server = ASSAY_STR("s"),
			    .tool = ASSAY_STR("t"),
			    .arguments = as_json_object(),
			    .result = as_json_object()};
	if (!r.arguments || !r.result) {
		as_json_free(r.arguments);
		as_json_free(r.result);
		return as_fail_memory(err);
	}
	return as_trace_add_call(t, &r, NULL, err);
}

static int build_trace_and_table(assay_error *err)
{
	static const char *const cells[] = {"b|"};
	as_trace *t = NULL;
	assay_json *table = NULL;
	as_buf out = {0};
	int rc = as_trace_new(ASSAY_STR("g"), NULL, &t, err);
	rc = rc ? rc : as_trace_add_server(t, ASSAY_STR("s"), as_json_object(), as_json_array(), err);
	rc = rc ? rc : add_step(t, err);
	rc = rc ? rc : as_trace_add_refused(t, ASSAY_STR("x"), NULL, ASSAY_STR("y"), err);
	rc = rc ? rc : as_trace_set_metadata(t, "a", as_json_object(), err);
	rc = rc ? rc : as_trace_finish(t, err);
	table = rc ? NULL : as_table_new();
	if (rc == 0 && (as_table_column(table, "A", true) < 0 || as_table_row(table, cells, 1) < 0)) {
		rc = as_fail_memory(err);
	}
	rc = rc ? rc : as_table_render(table, AS_TABLE_MARKDOWN, &out, err);
	as_buf_free(&out);
	as_json_free(table);
	as_trace_free(t);
	return rc;
}

/* Let allocation after allocation fail until the walk does not get that far any more. */
static void starve(int (*go)(assay_error *err), bool for_good)
{
	assay_error err = {0};
	ck_ok(go(&err)); /* libraries set themselves up */
	for (heap.fail_at = 1;; heap.fail_at++) {
		int rc;
		err = (assay_error){0};
		heap.for_good = for_good;
		heap.count = heap.live = 0;
		heap.on = true;
		rc = go(&err);
		heap.on = false;
		ck_assert_msg(heap.live == 0, "allocation %ld: %ld blocks are left", heap.fail_at, heap.live);
		if (heap.count < heap.fail_at) {
			break;
		}
		/* A single failure may go by where qsort or a default value does without. */
		ck_assert_msg(rc == ASSAY_ENOMEM || (rc == 0 && !for_good), "allocation %ld: %d %s", heap.fail_at, rc,
			      error_line(&err));
		ck_assert_msg(err.code == rc, "allocation %ld: %d without a word", heap.fail_at, rc);
	}
	ck_assert_int_gt(heap.fail_at, 50);
}

START_TEST(test_one_fails)
{
	starve(from_trace_to_figures, false);
	starve(build_trace_and_table, false);
}
END_TEST

START_TEST(test_all_fail)
{
	starve(from_trace_to_figures, true);
	starve(build_trace_and_table, true);
}
END_TEST

#ifdef CAN_INTERPOSE
UNIT_SUITE(suite, "out_of_memory", test_one_fails, test_all_fail)
UNIT_MAIN(suite)
#else
int main(void)
{
	(void)test_one_fails;
	(void)test_all_fail;
	printf("ok 1 - out of memory # SKIP needs glibc's allocator\n1..1\n");
	return 0;
}
#endif
