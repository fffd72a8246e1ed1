/* The session that the benchmarks work on: ten calls with results of some 400 bytes, about 5 KB in all. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include "core/trace/trace.h"
#include "tests/bench/clock.h"

#define SAMPLE_STEPS 10

static inline assay_json *sample_json(const char *text)
{
	assay_json *v = NULL;
	bench_must(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &v, NULL), "sample");
	return v;
}

static inline assay_json *sample_arguments(int i)
{
	char text[256];
	snprintf(text, sizeof text,
		 "{\"query\":\"item number %d\",\"limit\":%d,\"filters\":{\"kind\":\"note\",\"tags\":[\"a\",\"b\"]}}",
		 i, i);
	return sample_json(text);
}

static inline assay_json *sample_result(int i)
{
	char text[1024];
	snprintf(
		text, sizeof text,
		"{\"meta\":null,\"content\":[{\"type\":\"text\",\"text\":\"Result %d: %s %s\",\"annotations\":null,\"meta\":null}],"
		"\"structuredContent\":null,\"isError\":false}",
		i, "The quick brown fox jumps over the lazy dog, again and again, until the dog has had enough of it.",
		"Nothing else of interest happened on that day, but the weather was fine, and so were the fox and the dog.");
	return sample_json(text);
}

static inline as_trace *sample_trace(void)
{
	as_trace *t = NULL;
	bench_must(as_trace_new(ASSAY_STR("find the items"), NULL, &t, NULL), "trace");
	for (int i = 0; i < SAMPLE_STEPS; i++) {
		as_call_record r = {.server = ASSAY_STR("notes"),
				    .tool = i % 2 ? ASSAY_STR("search") : ASSAY_STR("read"),
				    .arguments = sample_arguments(i),
				    .result = sample_result(i),
				    .version = ASSAY_STR("0")};
		bench_must(as_trace_add_call(t, &r, NULL, NULL), "step");
	}
	bench_must(as_trace_set_metadata(t, "exploration",
					 sample_json("{\"final_message\":\"the dog has had enough\"}"), NULL),
		   "message");
	bench_must(as_trace_finish(t, NULL), "finish");
	return t;
}

#endif
