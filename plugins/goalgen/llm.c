/* goalgen/llm: the plugin. See llm.h. */
#include "llm.h"
#include "../common/ask.h"
#include "../common/option.h"
#include <assay/plugin.h>
#include <assay/roles/llm.h>
#include <string.h>

struct instance {
	const assay_host *host;
	assay_text prompt;
	double temperature;
	int64_t max_tokens;
	uint32_t look_around, replies;
};

static const char *const tags[] = {"shallow",           "deep",     "single-server",   "cross-server",
				   "runtime-branching", "recovery", "read-only-usage", "parallel-calls",
				   "discovery",         NULL};

static const char answer_schema[] =
	"{\"type\":\"object\",\"required\":[\"goal\",\"servers\"],\"properties\":{"
	"\"goal\":{\"type\":\"string\",\"minLength\":10,\"description\":\"what the person asks for\"},"
	"\"servers\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"server_id of each server that the goal "
	"needs\"},"
	"\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

static void close_instance(void *self)
{
	struct instance *i = self;
	if (i) {
		i->host->free(i->prompt.ptr);
		i->host->free(i);
	}
}

static int open_instance(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	const assay_json_api *J = host->json;
	struct instance *i = host->alloc(sizeof *i);
	int rc;
	if (!i) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	i->host = host;
	i->temperature = J->f64(J->get(options, "temperature"), 0.3);
	i->max_tokens = J->i64(J->get(options, "max_tokens"), 4096);
	i->look_around = (uint32_t)J->i64(J->get(options, "look_around"), 4);
	i->replies = (uint32_t)J->i64(J->get(options, "replies"), 3);
	rc = option_keep_prompt(host, options, &i->prompt, err);
	if (rc < 0) {
		close_instance(i);
		return rc;
	}
	*self = i;
	return 0;
}

/* --- The answer -------------------------------------------------------------------------------------------------- */

static int check_answer(void *payload, const assay_json *answer, assay_error *why)
{
	struct goal_run *r = payload;
	assay_str goal = text_trim(r->J->str(r->J->get(answer, "goal")));
	return goal.len > 0 ? goal_check(r, goal, why) : r->host->fail(why, ASSAY_EDATA, "the goal is empty");
}

/* The category's words stand in front of the goal, unless the model has put them in already. */
static assay_str with_framing(struct goal_run *r, assay_str goal)
{
	assay_str framing = text_trim(r->request->framing);
	struct text_buf out = {.arena = &r->arena};
	if (framing.len == 0 || text_find_word(goal, framing) != SIZE_MAX) {
		return goal;
	}
	text_add(&out, framing);
	text_puts(&out, strchr(".!?:", framing.ptr[framing.len - 1]) ? " " : ". ");
	text_add(&out, goal);
	return text_of(&out);
}

static bool holds(const struct goal_run *r, const assay_json *list, assay_str s)
{
	for (const assay_json *v = r->J->first(list); v; v = r->J->next(v)) {
		if (text_same(r->J->str(v), s)) {
			return true;
		}
	}
	return false;
}

/* Servers that were shown, each once; what else is named is left out. */
static assay_json *known_servers(const struct goal_run *r, const assay_json *named)
{
	const assay_json_api *J = r->J;
	assay_json *out = J->array();
	int bad = !out;
	for (const assay_json *s = J->first(named); s && !bad; s = J->next(s)) {
		bool good = J->get_n(r->request->servers, J->str(s)) && !holds(r, out, J->str(s));
		bad |= good ? J->append(out, J->string(J->str(s))) : 0;
	}
	for (const assay_json *s = J->first(r->request->servers); s && !bad && J->count(named) == 0; s = J->next(s)) {
		bad |= J->append(out, J->string(J->key(s)));
	}
	if (bad) {
		J->free(out);
		return NULL;
	}
	return out;
}

static assay_json *known_tags(const struct goal_run *r, const assay_json *named)
{
	const assay_json_api *J = r->J;
	assay_json *out = J->array();
	int bad = !out;
	for (const assay_json *t = J->first(named); t && !bad; t = J->next(t)) {
		bad |= text_in(J->str(t), tags) && !holds(r, out, J->str(t)) ? J->append(out, J->clone(t)) : 0;
	}
	if (bad) {
		J->free(out);
		return NULL;
	}
	return out;
}

static int emit_goal(struct goal_run *r, const assay_json *answer, assay_sink *goals, assay_error *err)
{
	const assay_json_api *J = r->J;
	assay_json *goal = J->object();
	int bad = J->set(goal, "goal", J->string(with_framing(r, text_trim(J->str(J->get(answer, "goal"))))));
	bad |= J->set(goal, "servers", known_servers(r, J->get(answer, "servers")));
	bad |= J->set(goal, "tags", known_tags(r, J->get(answer, "tags")));
	bad |= J->set(goal, "persona", J->string(text_cstr(r->persona->id)));
	if (bad || r->arena.failed) {
		J->free(goal);
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	return goals->emit(goals, goal, err);
}

static int emit_rejection(const struct goal_run *r, const assay_error *why, assay_sink *goals, assay_error *err)
{
	const assay_json_api *J = r->J;
	assay_json *out = J->object();
	if (J->set(out, "rejected", J->string(text_cstr(why->message))) < 0) {
		J->free(out);
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	return goals->emit(goals, out, err);
}

/* --- Asking ------------------------------------------------------------------------------------------------------ */

static int ask(const struct instance *i, struct goal_run *r, assay_str view, assay_json **answer, assay_error *why)
{
	const assay_question q = {.size = sizeof q,
				  .replies = i->replies,
				  .prompt = {i->prompt.ptr, i->prompt.len},
				  .input = view,
				  .name = "emit_goal",
				  .description = "Hand over the goal.",
				  .temperature = i->temperature,
				  .max_tokens = i->max_tokens,
				  .check = check_answer,
				  .payload = r};
	return ask_for(i->host, r->call, q, text_cstr(answer_schema), answer, why);
}

static int write_goal(const struct instance *i, struct goal_run *r, assay_sink *goals, assay_error *err)
{
	assay_json *observed = NULL, *answer = NULL;
	assay_text view = {0};
	assay_error why = {0};
	int rc = goal_look_around(r, i->look_around, &observed, &why);
	if (rc == 0) {
		rc = goal_view(r, observed, &view, &why);
		observed = NULL;
	}
	if (rc == 0) {
		rc = ask(i, r, (assay_str){view.ptr, view.len}, &answer, &why);
	}
	if (rc == 0) {
		rc = emit_goal(r, answer, goals, err);
	} else if (rc == ASSAY_EDATA && why.reason == ASSAY_LLM_MALFORMED) {
		rc = emit_rejection(r, &why, goals, err);
	} else if (err) {
		*err = why;
	}
	r->J->free(observed);
	r->J->free(answer);
	r->J->text_free(&view);
	return rc == ASSAY_STOP ? 0 : rc;
}

static int generate(void *self, assay_call *call, const assay_goal_request *request, assay_sink *goals,
		    assay_error *err)
{
	const struct instance *i = self;
	struct goal_run r = {
		.arena = {.host = i->host}, .host = i->host, .J = i->host->json, .call = call, .request = request};
	int rc = 0;
	r.persona = &goal_personas[i->host->rng->below(call, GOAL_PERSONAS)];
	r.known.arena = &r.arena;
	if (request->seeds.count > 0) {
		rc = write_goal(i, &r, goals, err);
	}
	text_arena_free(&r.arena);
	return rc;
}

static const assay_goalgen_ops ops = {.size = sizeof ops,
				      .open = open_instance,
				      .close = close_instance,
				      .generate = generate};

static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_GOALGEN,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_NEEDS_MODEL,
	.name = "llm",
	.summary = "goals that a model writes; nothing that would have to exist is invented",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"look_around\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":20,\"default\":4,\"description\":\"reading tools "
		"without arguments that are called first, so that goals can name what exists\"},"
		"\"replies\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"default\":3,\"description\":\"unusable ones "
		"until the goal is given up\"},"
		"\"temperature\":{\"type\":\"number\",\"minimum\":0,\"maximum\":2,\"default\":0.3},"
		"\"max_tokens\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000000,\"default\":4096}," OPTION_PROMPT(
			"a file with another prompt") "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(goalgen_llm, "0.1.0", "Goals written by a model", "Apache-2.0", &impl)
