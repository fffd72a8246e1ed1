/* What scoring costs: a session of ten steps, 5 KB, and a task of six checkpoints and a minefield. Prints nanoseconds
 * an operation. */
#include "tests/bench/sample.h"
#include "tests/unit/effects_kit.h"

typedef struct bench {
	as_trace *trace;
	assay_json *task;
	assay_text text; /* the trace's */
} bench;

static const char task_text[] =
	"{\"checkpoints\":["
	"{\"kind\":\"tool_effect\",\"checkpoint_id\":\"a\",\"equivalence_set\":[{\"server_id\":\"notes\",\"tool_name\":\"read\"}],"
	"\"arg_predicate\":{\"must_include\":{\"limit\":8}}},"
	"{\"kind\":\"tool_effect\",\"checkpoint_id\":\"b\",\"equivalence_set\":[{\"server_id\":\"notes\",\"tool_name\":\"search\"}],"
	"\"arg_predicate\":{\"must_match\":{\"query\":{\"contains\":\"number 9\"}}}},"
	"{\"kind\":\"tool_effect\",\"checkpoint_id\":\"c\",\"equivalence_set\":[{\"server_id\":\"notes\",\"tool_name\":\"search\"}],"
	"\"arg_predicate\":{\"must_match\":{\"query\":{\"starts_with\":\"item\"}}}},"
	"{\"kind\":\"tool_effect\",\"checkpoint_id\":\"d\",\"equivalence_set\":[{\"server_id\":\"notes\",\"tool_name\":\"read\"}]},"
	"{\"kind\":\"value_produced\",\"checkpoint_id\":\"e\",\"predicate\":{\"contains_all\":[\"Result 9\"]}},"
	"{\"kind\":\"value_produced\",\"checkpoint_id\":\"f\",\"scope\":\"final_assistant_message\",\"predicate\":{\"contains_any\":[\"dog\"]}}%s],"
	"\"minefields\":[{\"minefield_id\":\"m\",\"forbidden_tool\":{\"server_id\":\"notes\",\"tool_name\":\"drop\"}}],"
	"\"ordering\":[{\"before_id\":\"c\",\"after_id\":\"b\"}]}";

static void score(void *context)
{
	const bench *b = context;
	assay_json *verdict = NULL;
	bench_must(effects_verdict(b->task, b->trace, NULL, &verdict, NULL), "score");
	if (!as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass")) {
		bench_must(-1, "verdict");
	}
	as_json_free(verdict);
}

static void parse(void *context)
{
	const bench *b = context;
	as_trace *t = NULL;
	bench_must(as_trace_parse(as_text_str(b->text), &t, NULL), "parse");
	as_trace_free(t);
}

static void record(void *context)
{
	(void)context;
	as_trace_free(sample_trace());
}

static void time_scoring(bench *b, const char *name, const char *more)
{
	char text[4096];
	snprintf(text, sizeof text, task_text, more);
	b->task = sample_json(text);
	bench_print(name, bench_measure(score, b, 1000));
	as_json_free(b->task);
}

int main(void)
{
	bench b = {.trace = sample_trace()};
	bench_must(as_json_dump(as_trace_document(b.trace), ASSAY_JSON_COMPACT, &b.text, NULL), "dump");
	printf("trace of %d steps, %zu bytes\n", SAMPLE_STEPS, b.text.len);
	time_scoring(&b, "score: 6 checkpoints", "");
	time_scoring(&b, "score: and a regular expression",
		     ",{\"kind\":\"value_produced\",\"checkpoint_id\":\"g\","
		     "\"predicate\":{\"regex\":\"Result \\\\d+: The .* fine\"}}");
	bench_print("trace: parse and view", bench_measure(parse, &b, 500));
	bench_print("trace: record ten steps", bench_measure(record, &b, 500));
	as_trace_free(b.trace);
	as_text_free(&b.text);
	return 0;
}
