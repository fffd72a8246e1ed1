/* libFuzzer target: a hostile trace, read in full, read for scoring, read by its model, and scored. Both ways of
 * reading must come to the same verdict; what the model writes it reads again and writes alike. */
#include "core/task/model.h"
#include "tests/unit/effects_kit.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static const char spec[] =
	"{\"checkpoints\":[{\"kind\":\"tool_effect\",\"checkpoint_id\":\"a\",\"equivalence_set\":[{\"server_id\":\"s\","
	"\"tool_name\":\"t\"}],\"arg_predicate\":{\"must_include\":{\"n\":1},\"must_match\":{\"q\":{\"contains\":\"x\"}}}},"
	"{\"kind\":\"value_produced\",\"checkpoint_id\":\"b\",\"predicate\":{\"contains_any\":[\"o\"]}},"
	"{\"kind\":\"value_produced\",\"checkpoint_id\":\"c\",\"predicate\":{\"regex\":\"[a-z]\"},\"scope\":"
	"\"final_assistant_message\"}],\"minefields\":[{\"minefield_id\":\"m\",\"forbidden_tool\":{\"server_id\":\"s\","
	"\"tool_name\":\"u\"}}],\"ordering\":[{\"before_id\":\"a\",\"after_id\":\"b\"}]}";

static assay_text verdict_of(const assay_json *task, const as_trace *trace)
{
	assay_json *verdict = NULL;
	assay_text text = {0};
	REQUIRE(effects_verdict(task, trace, NULL, &verdict, NULL) == 0);
	REQUIRE(as_json_dump(verdict, ASSAY_JSON_COMPACT, &text, NULL) == 0);
	as_json_free(verdict);
	return text;
}

static void check_verdicts(const as_trace *full, const as_trace *lean)
{
	assay_json *task = NULL;
	assay_text first, second;
	REQUIRE(as_json_parse(as_str(spec), ASSAY_JSON_STRICT, &task, NULL) == 0);
	first = verdict_of(task, full);
	second = verdict_of(task, lean);
	REQUIRE(as_str_eq(as_text_str(first), as_text_str(second)));
	as_text_free(&first);
	as_text_free(&second);
	as_json_free(task);
}

static void check_model(assay_str text)
{
	assay_json *document = NULL, *made = NULL, *again = NULL, *twice = NULL;
	assay_text first = {0}, second = {0};
	assay_error err = {0};
	if (as_json_parse(text, ASSAY_JSON_PEER, &document, NULL) < 0) {
		return;
	}
	if (as_model_read(&as_model_trace, document, &made, &err) == 0) {
		REQUIRE(as_json_dump(made, ASSAY_JSON_COMPACT, &first, NULL) == 0);
		REQUIRE(as_json_parse(as_text_str(first), ASSAY_JSON_PEER, &again, NULL) == 0);
		REQUIRE(as_model_read(&as_model_trace, again, &twice, NULL) == 0);
		REQUIRE(as_json_dump(twice, ASSAY_JSON_COMPACT, &second, NULL) == 0);
		REQUIRE(as_str_eq(as_text_str(first), as_text_str(second)));
	} else {
		REQUIRE(err.code == ASSAY_EDATA && err.message[0] && !strchr(err.message, '\n'));
	}
	as_text_free(&first);
	as_text_free(&second);
	as_json_free(document);
	as_json_free(made);
	as_json_free(again);
	as_json_free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	assay_str text = {(const char *)data, size};
	as_trace *full = NULL, *lean = NULL;
	assay_error err = {0};
	as_json_notes notes;
	int rc = as_trace_parse(text, &full, &err);
	REQUIRE((rc == 0) == (full != NULL) && (rc == 0 || (err.code == rc && err.message[0])));
	/* Names that stand twice are told apart in what is kept only; all else must be seen by both. */
	int lean_rc = as_trace_parse_lean(text, NULL, &notes, &lean, NULL);
	REQUIRE((lean_rc == 0) == (lean != NULL));
	REQUIRE(rc != 0 || lean_rc == 0);
	if (full && lean) {
		check_verdicts(full, lean);
	}
	as_trace_free(full);
	as_trace_free(lean);
	check_model(text);
	return 0;
}
