/* libFuzzer target: a hostile task. What its model takes it writes and takes again alike; whatever its defects are, a
 * trace is scored against it. */
#include "core/task/model.h"
#include "core/task/task.h"
#include "tests/unit/effects_kit.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static const char session[] =
	"{\"trace_id\":\"0f0e0d0c-0b0a-4909-8807-060504030201\",\"seed_metadata\":{\"exploration\":{\"final_message\":"
	"\"done: 42 a\"}},\"steps\":[{\"step_id\":0,\"kind\":\"call_tool_agent\",\"server_id\":\"s\",\"tool_name\":\"t\","
	"\"arguments\":{\"n\":1,\"q\":[\"x\",null,2.5]},\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"o 42\"}]},"
	"\"status\":\"success\"},{\"step_id\":1,\"kind\":\"call_tool_agent\",\"server_id\":\"z\",\"tool_name\":\"t\","
	"\"arguments\":null,\"result\":{\"structuredContent\":{\"k\":\"\\u00e9\"}},\"status\":\"success\"},{\"step_id\":2,"
	"\"kind\":\"call_tool_agent\",\"server_id\":\"s\",\"tool_name\":\"u\",\"arguments\":{},\"result\":null,\"status\":"
	"\"error\"}]}";

static void require_complaint(int rc, const assay_error *err)
{
	REQUIRE(rc == 0 || (rc == ASSAY_EDATA && err->code == rc && err->message[0] && !strchr(err->message, '\n')));
}

static void check_score(const assay_json *task)
{
	as_trace *trace = NULL;
	assay_json *verdict = NULL;
	REQUIRE(as_trace_parse(as_str(session), &trace, NULL) == 0);
	REQUIRE(effects_verdict(task, trace, NULL, &verdict, NULL) == 0);
	REQUIRE(as_json_count(as_json_get(verdict, "checks")) == as_json_count(as_json_get(task, "checkpoints")));
	as_json_free(verdict);
	as_trace_free(trace);
}

static void check_again(const assay_json *task)
{
	assay_text first = {0}, second = {0};
	assay_json *again = NULL, *twice = NULL;
	REQUIRE(as_json_dump(task, ASSAY_JSON_COMPACT, &first, NULL) == 0);
	REQUIRE(as_json_parse(as_text_str(first), ASSAY_JSON_PEER, &again, NULL) == 0);
	REQUIRE(as_model_read(&as_model_task, again, &twice, NULL) == 0);
	REQUIRE(as_json_dump(twice, ASSAY_JSON_COMPACT, &second, NULL) == 0);
	REQUIRE(as_str_eq(as_text_str(first), as_text_str(second)));
	as_json_free(again);
	as_json_free(twice);
	as_text_free(&first);
	as_text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	assay_json *document = NULL, *task = NULL;
	assay_error model_err = {0}, check_err = {0};
	if (as_json_parse((assay_str){(const char *)data, size}, ASSAY_JSON_PEER, &document, NULL) < 0) {
		return 0;
	}
	require_complaint(as_model_read(&as_model_task, document, &task, &model_err), &model_err);
	require_complaint(as_task_check(document, NULL, &check_err), &check_err);
	check_score(document);
	if (task) {
		check_again(task);
		check_score(task);
	}
	as_json_free(document);
	as_json_free(task);
	return 0;
}
