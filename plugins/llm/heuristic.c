/* llm/heuristic: a rule-based agent behind the interface of a model. Design page "without-llm". */
#include "heuristic.h"
#include <assay/roles/llm.h>
#include <string.h>

struct heuristic {
	const assay_host *host;
	enum heur_policy policy;
};

static const char *const policy_names[] = {"careful", "greedy", "random"};

/* The policy of that name, or `otherwise`. */
static enum heur_policy policy_of(assay_str name, enum heur_policy otherwise)
{
	for (int i = 0; i < 3; i++) {
		if (text_is(name, policy_names[i])) {
			return (enum heur_policy)i;
		}
	}
	return otherwise;
}

/* --- Reading the request --- */

/* A message's text: a string, or the text parts of a list. */
static assay_str content_of(struct heur_run *r, const assay_json *message)
{
	const assay_json *content = r->json->get(message, "content");
	struct text_buf b = {.arena = &r->arena};
	if (r->json->type(content) != ASSAY_JSON_ARRAY) {
		return r->json->str(content);
	}
	for (const assay_json *part = r->json->first(content); part; part = r->json->next(part)) {
		if (b.len > 0) {
			text_puts(&b, "\n");
		}
		text_add(&b, r->json->str(r->json->get(part, "text")));
	}
	return text_of(&b);
}

static assay_str role_of(const struct heur_run *r, const assay_json *message)
{
	return r->json->str(r->json->get(message, "role"));
}

/* The last thing that the user said is the goal. */
static const assay_json *find_goal(struct heur_run *r, const assay_json *messages)
{
	const assay_json *goal = NULL;
	for (const assay_json *m = r->json->first(messages); m; m = r->json->next(m)) {
		assay_str text = text_is(role_of(r, m), "user") ? text_trim(content_of(r, m)) : (assay_str){0};
		if (text.len > 0) {
			goal = m;
			r->goal = heur_sub(text, 0, text_head(text, HEUR_MAX_PROMPT).len);
		}
	}
	return goal;
}

/* "at most 12 turns" in a system message; 0: not said. */
static int64_t turns_said(struct heur_run *r, const assay_json *messages)
{
	for (const assay_json *m = r->json->first(messages); m; m = r->json->next(m)) {
		struct heur_words words = {0};
		if (text_is(role_of(r, m), "system")) {
			heur_split(&r->arena, content_of(r, m), &words);
		}
		for (size_t i = 1; i < words.n; i++) {
			double n;
			if (text_is(words.list[i].stem, "turn") && heur_number(words.list[i - 1].lower, &n) && n >= 1 &&
			    n < 1e6) {
				return (int64_t)n;
			}
		}
	}
	return 0;
}

static void read_turns(struct heur_run *r, const assay_json *request, const assay_json *messages)
{
	const assay_json *given = r->json->pointer(request, "/extra/turns_left");
	int64_t said = given ? 0 : turns_said(r, messages), spent = 0;
	for (const assay_json *m = r->json->first(messages); m; m = r->json->next(m)) {
		spent += text_is(role_of(r, m), "assistant");
	}
	r->turns_left = given ? r->json->i64(given, INT64_MAX) : said > 0 ? said - spent : INT64_MAX;
}

static void read_tools(struct heur_run *r, const assay_json *tools)
{
	for (const assay_json *t = r->json->first(tools); t; t = r->json->next(t)) {
		const assay_json *f = r->json->get(t, "function");
		f = f ? f : t; /* as OpenAI nests it */
		heur_add_tool(r, r->json->str(r->json->get(f, "name")), r->json->str(r->json->get(f, "description")),
			      r->json->get(f, "parameters"));
	}
	heur_learn_verbs(r);
	heur_find_router(r);
}

/* --- Walking through what was done --- */

static const assay_json *arguments_of(struct heur_run *r, const assay_json *call)
{
	const assay_json *arguments = r->json->get(call, "arguments");
	arguments = arguments ? arguments : r->json->pointer(call, "/function/arguments");
	if (r->json->type(arguments) == ASSAY_JSON_STRING) {
		arguments = heur_parse(r, r->json->str(arguments));
	}
	if (r->json->type(arguments) != ASSAY_JSON_OBJECT) {
		return heur_own(r, r->json->object());
	}
	return arguments;
}

/* The tool message that answers `call`, among those that follow `message`. */
static const assay_json *answer_to(const struct heur_run *r, const assay_json *message, const assay_json *call)
{
	assay_str id = r->json->str(r->json->get(call, "id"));
	for (const assay_json *m = r->json->next(message); m && text_is(role_of(r, m), "tool"); m = r->json->next(m)) {
		if (text_same(r->json->str(r->json->get(m, "tool_call_id")), id)) {
			return m;
		}
	}
	return NULL;
}

/* Whose doing a recorded call was: the plan's, or somebody else's. */
static struct heur_call attribute(struct heur_run *r, const struct heur_plan *plan, int tool,
				  const assay_json *arguments)
{
	struct heur_call call = {tool, arguments, -1, HEUR_PRODUCER};
	for (size_t i = 0; plan && i < plan->n; i++) {
		if (plan->calls[i].tool == tool && r->json->equal(plan->calls[i].arguments, arguments)) {
			return plan->calls[i];
		}
	}
	for (size_t c = 0; plan && tool >= 0 && c < r->n_clauses && call.clause < 0; c++) {
		const struct heur_clause *clause = &r->clauses[c];
		if (clause->state != HEUR_TODO) {
			continue;
		}
		call.clause = (int)c;
		for (size_t k = 0; k < clause->n_ranked && k < 2; k++) {
			call.purpose = clause->ranked[k] == tool ? HEUR_MAIN : call.purpose;
		}
	}
	call.purpose = tool >= 0 && tool == r->route ? HEUR_ROUTE : r->policy == HEUR_RANDOM ? HEUR_MAIN : call.purpose;
	return call;
}

static void replay_call(struct heur_run *r, const struct heur_plan *plan, const assay_json *message,
			const assay_json *recorded)
{
	assay_str name = r->json->str(r->json->get(recorded, "name"));
	if (name.len == 0) {
		name = r->json->str(r->json->pointer(recorded, "/function/name"));
	}
	const assay_json *arguments = arguments_of(r, recorded);
	int tool = heur_unwire(r, heur_find_tool(r, name), &arguments);
	const assay_json *answer = answer_to(r, message, recorded);
	struct heur_step *s = r->n_steps < HEUR_MAX_STEPS
				      ? text_push(&r->arena, &r->steps, &r->n_steps, &r->cap_steps, sizeof *s)
				      : NULL;
	if (!s) {
		return;
	}
	*s = (struct heur_step){.call = attribute(r, plan, tool, arguments), .failed = !answer};
	s->text = answer ? content_of(r, answer) : ASSAY_STR("no result");
	heur_remember(r, (int)r->n_steps - 1);
	if (r->steps[r->n_steps - 1].call.purpose == HEUR_ROUTE) {
		heur_take_offers(r, (int)r->n_steps - 1);
	}
}

/* One reply of the past. plan NULL: it belongs to an earlier goal. */
static void replay(struct heur_run *r, const assay_json *message, struct heur_plan *plan)
{
	const assay_json *calls = r->json->get(message, "tool_calls");
	size_t first = r->n_steps;
	if (r->json->count(calls) == 0) {
		return;
	}
	if (plan && r->policy != HEUR_RANDOM) {
		heur_decide(r, plan);
	}
	for (const assay_json *c = r->json->first(calls); c; c = r->json->next(c)) {
		replay_call(r, plan, message, c);
	}
	for (size_t c = 0; plan && c < r->n_clauses; c++) {
		heur_settle(r, (int)c, first);
	}
}

static void replay_all(struct heur_run *r, const assay_json *messages, const assay_json *goal)
{
	struct heur_plan *plan = text_alloc(&r->arena, 1, sizeof *plan);
	bool now = false;
	for (const assay_json *m = r->json->first(messages); m && plan; m = r->json->next(m)) {
		now = now || m == goal;
		if (text_is(role_of(r, m), "assistant")) {
			replay(r, m, now ? plan : NULL);
		}
	}
}

/* --- Replying --- */

static assay_json *one_call(struct heur_run *r, const struct heur_call *call, size_t number)
{
	const assay_json_api *j = r->json;
	assay_json *v = j->object();
	int bad = j->set(v, "id", j->string(text_format(&r->arena, "call_%zu", number)));
	bad |= j->set(v, "name", j->string(heur_wire_name(r, call)));
	bad |= j->set(v, "arguments", j->string(heur_dump(r, heur_wire_arguments(r, call))));
	r->arena.failed = r->arena.failed || bad != 0;
	return v;
}

static assay_json *make_reply(struct heur_run *r, const struct heur_plan *plan)
{
	const assay_json_api *j = r->json;
	assay_json *reply = j->object(), *message = j->object(), *calls = plan->n > 0 ? j->array() : NULL;
	assay_str text = plan->n > 0 ? (assay_str){0} : r->chosen.len > 0 ? r->chosen : heur_answer(r);
	int bad = j->set(message, "role", j->string(ASSAY_STR("assistant")));
	bad |= j->set(message, "content", j->string(text));
	for (size_t i = 0; i < plan->n; i++) {
		bad |= j->append(calls, one_call(r, &plan->calls[i], r->n_steps + i + 1));
	}
	if (plan->n > 0) {
		bad |= j->set(message, "tool_calls", calls);
	}
	bad |= j->set(reply, "message", message);
	bad |= j->set(reply, "finish_reason", j->string(plan->n > 0 ? ASSAY_STR("tool_calls") : ASSAY_STR("stop")));
	bad |= j->set(reply, "model", j->string(text_format(&r->arena, "assay-rules/%s", policy_names[r->policy])));
	bad |= j->set(reply, "usage", j->null());
	r->arena.failed = r->arena.failed || bad != 0;
	return reply;
}

static bool wants_several(struct heur_run *r, const assay_json *messages)
{
	for (const assay_json *m = r->json->first(messages); m; m = r->json->next(m)) {
		if (text_is(role_of(r, m), "system") &&
		    text_find_word(content_of(r, m), ASSAY_STR("server_ids")) != SIZE_MAX) {
			return true;
		}
	}
	return false;
}

static void think(struct heur_run *r, const assay_json *request, struct heur_plan *plan)
{
	const assay_json *messages = r->json->get(request, "messages");
	bool mute = text_is(r->json->str(r->json->get(request, "tool_choice")), "none");
	const assay_json *goal = find_goal(r, messages);
	read_turns(r, request, messages);
	bool routing = r->json->count(r->json->get(request, "tools")) == 0 && goal && heur_read_servers(r);
	read_tools(r, r->json->get(request, "tools"));
	heur_find_values(r);
	heur_find_clauses(r);
	if (routing) {
		r->several = wants_several(r, messages);
		r->chosen = heur_choose_servers(r);
		return;
	}
	replay_all(r, messages, goal);
	/* Rule 9: the last turn is for the answer. */
	if (mute || !goal || r->turns_left <= 1 || r->arena.failed) {
		return;
	}
	if (r->policy == HEUR_RANDOM) {
		heur_decide_randomly(r, heur_dump(r, messages), r->n_steps, plan);
	} else {
		heur_decide(r, plan);
	}
}

static void end_run(struct heur_run *r)
{
	for (size_t i = 0; i < r->n_owned; i++) {
		r->json->free(r->owned[i]);
	}
	r->host->text->bm25_free(r->index);
	text_arena_free(&r->arena);
}

static int check_request(const assay_host *h, const assay_json *request, assay_error *err)
{
	const assay_json *choice = h->json->get(request, "tool_choice");
	const assay_json *messages = h->json->get(request, "messages");
	if (h->json->type(choice) == ASSAY_JSON_OBJECT) {
		assay_str name = h->json->str(h->json->get(choice, "name"));
		return h->fail(err, ASSAY_ENOTSUP,
			       "llm/heuristic cannot be made to call \"%.*s\": it only makes calls of its own choice",
			       ASSAY_FMT(name));
	}
	if (h->json->type(messages) != ASSAY_JSON_ARRAY) {
		return h->fail(err, ASSAY_EINVAL, "the request has no array \"messages\"");
	}
	return 0;
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	const struct heuristic *h = self;
	int status = check_request(h->host, request, err);
	if (status != 0) {
		return status;
	}
	if (call && h->host->cancelled(call)) {
		return h->host->fail(err, ASSAY_ECANCELED, "cancelled");
	}
	const assay_json_api *j = h->host->json;
	struct heur_run r = {.arena = {.host = h->host}, .host = h->host, .json = j};
	struct heur_plan plan = {.n = 0};
	r.policy = policy_of(j->str(j->pointer(request, "/extra/policy")), h->policy);
	r.seed = (uint64_t)j->i64(j->get(request, "seed"), 0);
	think(&r, request, &plan);
	assay_json *out = make_reply(&r, &plan);
	bool failed = r.arena.failed;
	end_run(&r);
	if (failed) {
		j->free(out);
		return h->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = reply->emit(reply, out, err);
	return rc < 0 ? rc : 0;
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct heuristic *h = host->alloc(sizeof *h);
	if (!h) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	h->host = host;
	h->policy = policy_of(host->json->str(host->json->get(options, "policy")), HEUR_CAREFUL);
	*self = h;
	return 0;
}

static void close(void *self)
{
	struct heuristic *h = self;
	if (h) {
		h->host->free(h);
	}
}

static const assay_llm_ops ops = {.size = sizeof ops, .open = open, .close = close, .complete = complete};

static const assay_impl heuristic = {
	.size = sizeof heuristic,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "heuristic",
	.summary = "A rule-based agent: no model, no network, the same answer every time",
	.options = "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"policy\": {"
		   "\"type\": \"string\", \"enum\": [\"careful\", \"greedy\", \"random\"], \"default\": \"careful\","
		   " \"description\": \"How good an agent to be, unless the request says otherwise.\"}}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_heuristic, "0.1.0", "Rule-based agent in place of a model", "Apache-2.0", &heuristic)
