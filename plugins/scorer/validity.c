/* scorer/validity: is the task fit to measure agents with? A model reads prompt and checkpoints. Whatever is no answer
 * of the right shape is asked for again, and is never a rejection: the verdict is "unknown" then. Reference page 7.4.
 */
#include "../common/ask.h"
#include "../common/option.h"
#include <assay/roles/llm.h>
#include <assay/roles/scorer.h>
#include <string.h>

struct validity {
	const assay_host *host;
	assay_text prompt;
};

static const char answer_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"verdict\",\"reason\"],\"properties\":{"
	"\"verdict\":{\"type\":\"string\",\"enum\":[\"valid\",\"invalid\"]},\"reason\":{\"type\":\"string\"}}}";

static int no_memory(const struct validity *v, assay_error *err)
{
	return v->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

/* The prompt, and of each checkpoint what it is and what it says it is for. */
static int input_of(const struct validity *v, const assay_json *task, assay_text *out, assay_error *err)
{
	static const char *const shown[] = {"checkpoint_id", "kind", "description"};
	const assay_json_api *J = v->host->json;
	assay_json *input = J->object(), *list = J->array();
	int rc = J->set(input, "prompt", J->string(J->str(J->get(task, "prompt"))));
	for (const assay_json *c = J->first(J->get(task, "checkpoints")); c && rc == 0; c = J->next(c)) {
		assay_json *o = J->object();
		for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
			rc |= J->set(o, shown[i], J->string(J->str(J->get(c, shown[i]))));
		}
		rc |= J->append(list, o);
	}
	rc |= J->set(input, "checkpoints", list);
	rc = rc < 0 ? no_memory(v, err) : J->dump(input, ASSAY_JSON_PRETTY, out, err);
	J->free(input);
	return rc;
}

static int ask(const struct validity *v, assay_call *call, assay_str input, assay_json **answer, assay_error *err)
{
	const assay_question question = {.size = sizeof question,
					 .prompt = {v->prompt.ptr, v->prompt.len},
					 .input = input,
					 .name = "emit_validity",
					 .description = "Say whether the task is valid.",
					 .max_tokens = 8192};
	const assay_str schema = {answer_schema, sizeof answer_schema - 1};
	return ask_for(v->host, call, question, schema, answer, err);
}

/* answer NULL: there was none, for `why`. */
static int emit(const struct validity *v, const assay_json *answer, const char *why, assay_sink *sink, assay_error *err)
{
	const assay_json_api *J = v->host->json;
	assay_str said = J->str(J->get(answer, "verdict"));
	int valid = said.len == 5, unknown = said.len == 0;
	assay_json *verdict = J->object(), *summary = J->object();
	int rc = J->set(verdict, "verdict",
			J->string(valid     ? ASSAY_STR("pass")
				  : unknown ? ASSAY_STR("unknown")
					    : ASSAY_STR("fail")));
	rc |= J->set(verdict, "lo", J->integer(valid));
	rc |= J->set(verdict, "hi", J->integer(valid || unknown));
	rc |= J->set(summary, "reason",
		     J->string(answer ? J->str(J->get(answer, "reason")) : (assay_str){why, strlen(why)}));
	rc |= J->set(verdict, "summary", summary);
	if (rc < 0) {
		J->free(verdict);
		return no_memory(v, err);
	}
	rc = sink->emit(sink, verdict, err);
	return rc < 0 ? rc : 0;
}

static int score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	const struct validity *v = self;
	assay_text input = {NULL, 0};
	assay_json *answer = NULL;
	assay_error why = {0};
	int rc = input_of(v, subject->task, &input, err);
	if (rc == 0) {
		rc = ask(v, call, (assay_str){input.ptr, input.len}, &answer, &why);
		if (rc == 0 || (rc == ASSAY_EDATA && why.reason == ASSAY_LLM_MALFORMED)) {
			rc = emit(v, answer, why.message, verdict, err);
		} else if (err) {
			*err = why;
		}
	}
	v->host->json->free(answer);
	v->host->json->text_free(&input);
	return rc;
}

static void close(void *self)
{
	struct validity *v = self;
	if (v) {
		v->host->free(v->prompt.ptr);
		v->host->free(v);
	}
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct validity *v = host->alloc(sizeof *v);
	int rc;
	if (!v) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	v->host = host;
	rc = option_keep_prompt(host, options, &v->prompt, err);
	if (rc < 0) {
		close(v);
		return rc;
	}
	*self = v;
	return 0;
}

static const assay_scorer_ops ops = {.size = sizeof ops, .open = open, .close = close, .score = score};

static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_SCORER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_NEEDS_MODEL,
	.name = "validity",
	.summary = "a model's word on whether the task is fit to measure agents with",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" OPTION_PROMPT(
		"a file with what the model is told, instead of the one that ships") "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(scorer_validity, "0.1.0", "The quality of tasks, by a model's word", "Apache-2.0", &impl)
