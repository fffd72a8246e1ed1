/* scorer/equivalence: tier 2. Effects first; then a model is asked about each effect that was not reached, whether a
 * call brought it about in another way. It can only raise: what has passed is not asked about, and whatever is no
 * answer leaves things as they are. Order, errors and figures follow from the checks as they stand in the end.
 * Reference page 8.10. */
#include "../common/ask.h"
#include "../common/option.h"
#include "effects.h"
#include <assay/roles/llm.h>
#include <string.h>

enum { PREVIEW = 600 };

static const char answer_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"equivalent\",\"reason\"],\"properties\":{"
	"\"equivalent\":{\"type\":\"boolean\"},\"reason\":{\"type\":\"string\"},\"candidate_step_id\":{\"type\":"
	"[\"integer\",\"null\"],\"description\":\"the call that did it\"}}}";

/* --- What the judge is shown --- */

static assay_json *preview(const assay_json_api *J, assay_str text)
{
	if (text.len > PREVIEW) {
		for (text.len = PREVIEW; text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80;) {
			text.len--;
		}
	}
	return J->string(text);
}

static assay_json *calls_of(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *list = J->array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < s->subject->n_steps && rc == 0; i++) {
		const assay_step *step = &s->subject->steps[i];
		assay_json *c;
		if (!is_good(s, step)) {
			continue;
		}
		c = J->object();
		rc = J->set(c, "step_id", J->integer(step->id));
		rc |= J->set(c, "server_id", J->string(step->server));
		rc |= J->set(c, "tool_name", J->string(step->tool));
		rc |= J->set(c, "arguments", copy_or_null(J, step->arguments));
		rc |= J->set(c, "result", preview(J, step->text));
		rc |= J->append(list, c);
	}
	if (rc < 0) {
		J->free(list);
		return NULL;
	}
	return list;
}

static int input_of(const scoring *s, const check_result *r, const assay_json *calls, assay_text *out, assay_error *err)
{
	static const char *const shown[] = {"checkpoint_id", "description", "equivalence_set", "arg_predicate"};
	const assay_json_api *J = s->host->json;
	assay_json *input = J->object(), *c = J->object();
	int rc = 0;
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		rc |= J->set(c, shown[i], copy_or_null(J, J->get(r->checkpoint, shown[i])));
	}
	rc |= J->set(c, "not_reached_because", J->string((assay_str){r->reason, strlen(r->reason)}));
	rc |= J->set(input, "checkpoint", c);
	rc |= J->set(input, "successful_calls", J->clone(calls));
	rc = rc < 0 ? s->host->fail(err, ASSAY_ENOMEM, "out of memory") : J->dump(input, ASSAY_JSON_PRETTY, out, err);
	J->free(input);
	return rc;
}

/* --- What it says --- */

static int is_shown(const scoring *s, int64_t step)
{
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		if (s->subject->steps[i].id == step && is_good(s, &s->subject->steps[i])) {
			return 1;
		}
	}
	return 0;
}

/* Who says yes names the call, and a call that there is. */
static int check_answer(void *payload, const assay_json *answer, assay_error *why)
{
	const scoring *s = payload;
	const assay_json_api *J = s->host->json;
	int64_t step = J->i64(J->get(answer, "candidate_step_id"), NO_STEP);
	if (!J->boolean(J->get(answer, "equivalent"), 0) || is_shown(s, step)) {
		return 0;
	}
	return s->host->fail(why, ASSAY_EDATA, "\"candidate_step_id\" is none of the successful calls");
}

static int note(scoring *s, const check_result *r, assay_json *answer, const char *trouble, const char *message)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object();
	int rc = J->set(o, "id", copy_or_null(J, J->get(r->checkpoint, "checkpoint_id")));
	if (answer) {
		rc |= J->set(o, "answer", answer);
	} else {
		rc |= J->set(o, trouble, J->string((assay_str){message, strlen(message)}));
	}
	return rc | J->append(s->judge, o);
}

static int is_out_of_reach(int rc, const assay_error *why)
{
	return (why->flags & ASSAY_ERR_PEER) || rc == ASSAY_EUNREACH || rc == ASSAY_EPROTO || rc == ASSAY_EAGAIN;
}

/* The answer, or what stands in its place; a negative code only where scoring cannot go on. */
static int take_answer(scoring *s, check_result *r, int rc, assay_json *answer, const assay_error *why,
		       assay_error *err)
{
	const assay_json_api *J = s->host->json;
	if (rc == 0) {
		r->judged = answer;
		if (J->boolean(J->get(answer, "equivalent"), 0)) {
			r->lo = r->hi = 1;
			r->step_lo = r->step_hi = J->i64(J->get(answer, "candidate_step_id"), NO_STEP);
		}
		rc = note(s, r, answer, NULL, NULL);
	} else if (rc == ASSAY_EDATA && why->reason == ASSAY_LLM_MALFORMED) {
		rc = note(s, r, NULL, "unusable", why->message);
	} else if (is_out_of_reach(rc, why)) {
		r->unjudged = 1;
		rc = note(s, r, NULL, "unreachable", why->message);
	} else {
		if (err) {
			*err = *why;
		}
		return rc;
	}
	return rc < 0 ? s->host->fail(err, ASSAY_ENOMEM, "out of memory") : 0;
}

static int judge_one(scoring *s, assay_call *call, check_result *r, const assay_json *calls, assay_error *err)
{
	const assay_str schema = {answer_schema, sizeof answer_schema - 1};
	assay_text input = {NULL, 0};
	assay_json *answer = NULL;
	assay_error why = {0};
	int rc = input_of(s, r, calls, &input, err);
	if (rc == 0) {
		const assay_question question = {.size = sizeof question,
						 .prompt = {s->scorer->prompt.ptr, s->scorer->prompt.len},
						 .input = {input.ptr, input.len},
						 .name = "emit_equivalence_judgment",
						 .description =
							 "Say whether the checkpoint was reached in another way.",
						 .check = check_answer,
						 .payload = s};
		rc = ask_for(s->host, call, question, schema, &answer, &why);
		rc = take_answer(s, r, rc, answer, &why, err);
	}
	s->host->json->text_free(&input);
	return rc;
}

static int judge_all(scoring *s, assay_call *call, assay_error *err)
{
	const assay_json_api *J = s->host->json;
	assay_json *calls = calls_of(s);
	int rc = 0;
	s->judge = J->array();
	if (!calls || !s->judge) {
		rc = s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < s->n_checks && rc == 0 && J->count(calls) > 0; i++) {
		if (s->checks[i].kind == CHECK_EFFECT && !s->checks[i].lo) {
			rc = judge_one(s, call, &s->checks[i], calls, err);
		}
	}
	J->free(calls);
	return rc;
}

static int equivalence_score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict,
			     assay_error *err)
{
	const effects *e = self;
	scoring s = {.scorer = e, .host = e->host, .call = call, .subject = subject};
	int too_much, rc = scoring_begin(&s, &too_much, err);
	rc = rc < 0 || too_much ? rc : judge_all(&s, call, err);
	if (rc == 0 && !too_much && check_order(&s) < 0) {
		rc = e->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = rc < 0 ? rc : too_much ? scoring_refuse(&s, verdict, err) : scoring_finish(&s, verdict, err);
	scoring_end(&s);
	return rc;
}

static int equivalence_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	int rc = effects_open(host, options, self, err);
	if (rc == 0) {
		effects *e = *self;
		rc = option_keep_prompt(host, options, &e->prompt, err);
		if (rc < 0) {
			effects_close(e);
		}
	}
	return rc;
}

static const assay_scorer_ops ops = {.size = sizeof ops,
				     .open = equivalence_open,
				     .close = effects_close,
				     .score = equivalence_score};

const assay_impl equivalence_impl = {
	.size = sizeof equivalence_impl,
	.role = ASSAY_ROLE_SCORER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_NEEDS_MODEL,
	.name = "equivalence",
	.summary = "effects, and a model's word on effects that were brought about in another way: it can only raise",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" EFFECTS_OPTIONS
		   "," OPTION_PROMPT("a file with what the judge is told, instead of the one that ships") "}}",
	.ops = &ops,
};
