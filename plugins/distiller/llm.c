/* distiller/llm: a model decides which effects of a session count. What it answers is a body as distiller/provenance
 * emits it, and is held against the same rules and against the session itself, checkpoint by checkpoint, before it is
 * handed over: what does not hold is told to the model, and after a few tries the session is rejected with the reason.
 */
#include "../common/ask.h"
#include "../common/option.h"
#include "../common/text.h"
#include <assay/plugin.h>
#include <assay/roles/distiller.h>
#include <assay/roles/llm.h>
#include <string.h>

enum {
	MAX_RESULT = 1200,    /* characters of a result that are shown */
	MAX_ARGUMENTS = 4000, /* bytes of a call's arguments; longer ones are shown as the beginning of a text */
	MAX_ANSWER = 4000,    /* characters of the agent's last words */
	MAX_TOOL_WORDS = 240, /* characters of a tool's description */
	MAX_STEPS = 60,       /* more are not shown */
	MAX_PROMPT = 4000,    /* bytes of a task's prompt */
	MAX_NAMED = 8         /* checkpoints that are told to be ungrounded */
};

struct instance {
	const assay_host *host;
	assay_text prompt;
	double temperature;
	int64_t max_tokens;
	uint32_t replies;
};

struct session {
	struct text_arena arena;
	const assay_host *host;
	const assay_json_api *J;
	assay_call *call;
	const assay_distil_request *request;
	assay_str goal;
};

/* Flat, so that any provider takes it; what belongs to which kind is the check's business. */
static const char answer_schema[] =
	"{\"type\":\"object\",\"required\":[\"prompt\",\"checkpoints\"],\"properties\":{"
	"\"prompt\":{\"type\":\"string\",\"minLength\":10},"
	"\"checkpoints\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"object\",\"required\":[\"kind\","
	"\"checkpoint_id\",\"description\"],\"properties\":{"
	"\"kind\":{\"type\":\"string\",\"enum\":[\"tool_effect\",\"value_produced\"]},"
	"\"checkpoint_id\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"
	"\"equivalence_set\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"server_id\",\"tool_name\"],"
	"\"properties\":{\"server_id\":{\"type\":\"string\"},\"tool_name\":{\"type\":\"string\"}}}},"
	"\"arg_predicate\":{\"type\":[\"object\",\"null\"],\"properties\":{\"must_include\":{\"type\":\"object\"},"
	"\"must_match\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\",\"properties\":{\"equals\":{},"
	"\"starts_with\":{\"type\":[\"string\",\"null\"]},\"contains\":{\"type\":[\"string\",\"null\"]},"
	"\"regex\":{\"type\":[\"string\",\"null\"]}}}}}},"
	"\"predicate\":{\"type\":\"object\",\"properties\":{\"contains_any\":{\"type\":[\"array\",\"null\"],\"items\":"
	"{\"type\":\"string\"}},\"contains_all\":{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}},"
	"\"regex\":{\"type\":[\"string\",\"null\"]}}},"
	"\"scope\":{\"type\":\"string\",\"enum\":[\"any_tool_result\",\"final_assistant_message\"]}}}},"
	"\"ordering\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"before_id\",\"after_id\"],"
	"\"properties\":{\"before_id\":{\"type\":\"string\"},\"after_id\":{\"type\":\"string\"}}}},"
	"\"minefields\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"minefield_id\",\"description\","
	"\"forbidden_tool\"],\"properties\":{\"minefield_id\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"
	"\"forbidden_tool\":{\"type\":\"object\",\"required\":[\"server_id\",\"tool_name\"],\"properties\":{\"server_id\":"
	"{\"type\":\"string\"},\"tool_name\":{\"type\":\"string\"}}},\"forbidden_arg_predicate\":{\"type\":[\"object\","
	"\"null\"]}}}},"
	"\"notes\":{\"type\":[\"string\",\"null\"]}}}";

static int no_memory(const struct session *s, assay_error *err)
{
	return s->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

/* --- What the model gets to see ---------------------------------------------------------------------------------- */

/* What a scorer reads of a result: the recorder's rendering, else the text parts, else the whole. */
static assay_str result_text(struct session *s, const assay_json *step)
{
	const assay_json_api *J = s->J;
	const assay_json *known = J->pointer(step, "/assay/text"), *result = J->get(step, "result");
	struct text_buf out = {.arena = &s->arena};
	assay_text text = {0};
	if (J->type(known) == ASSAY_JSON_STRING) {
		return J->str(known);
	}
	for (const assay_json *part = J->first(J->get(result, "content")); part; part = J->next(part)) {
		if (text_is(J->str(J->get(part, "type")), "text")) {
			text_puts(&out, out.len ? "\n" : "");
			text_add(&out, J->str(J->get(part, "text")));
		}
	}
	if (out.len == 0 && J->type(result) == ASSAY_JSON_OBJECT) {
		s->arena.failed = s->arena.failed || J->dump(result, ASSAY_JSON_COMPACT, &text, NULL) < 0;
		text_add(&out, (assay_str){text.ptr, text.len});
		J->text_free(&text);
	}
	return text_of(&out);
}

static assay_json *arguments_view(const struct session *s, const assay_json *arguments)
{
	const assay_json_api *J = s->J;
	assay_text text = {0};
	assay_json *out;
	if (J->type(arguments) != ASSAY_JSON_OBJECT) {
		return J->object();
	}
	if (J->dump(arguments, ASSAY_JSON_COMPACT, &text, NULL) < 0) {
		return NULL;
	}
	out = text.len <= MAX_ARGUMENTS ? J->clone(arguments)
					: J->string(text_head((assay_str){text.ptr, text.len}, MAX_ARGUMENTS));
	J->text_free(&text);
	return out;
}

static bool is_success(const struct session *s, const assay_json *step)
{
	return text_is(s->J->str(s->J->get(step, "kind")), "call_tool_agent") &&
	       text_is(s->J->str(s->J->get(step, "status")), "success");
}

static int put_steps(struct session *s, assay_json *document, size_t *n)
{
	const assay_json_api *J = s->J;
	assay_json *list = J->array();
	int bad = 0;
	*n = 0;
	for (const assay_json *step = J->first(J->get(s->request->trace, "steps")); step; step = J->next(step)) {
		assay_json *view;
		if (!is_success(s, step) || ++*n > MAX_STEPS) {
			continue;
		}
		view = J->object();
		bad |= J->set(view, "server_id", J->string(J->str(J->get(step, "server_id"))));
		bad |= J->set(view, "tool_name", J->string(J->str(J->get(step, "tool_name"))));
		bad |= J->set(view, "arguments", arguments_view(s, J->get(step, "arguments")));
		bad |= J->set(view, "result", J->string(text_head(result_text(s, step), MAX_RESULT)));
		bad |= J->append(list, view);
	}
	return bad | J->set(document, "steps", list);
}

static int put_tools(const struct session *s, assay_json *document)
{
	const assay_json_api *J = s->J;
	assay_json *list = J->array();
	int bad = 0;
	for (size_t i = 0; i < s->request->surface.count; i++) {
		const assay_tool *tool = s->request->surface.list[i];
		assay_json *view = J->object();
		bad |= J->set(view, "server_id", J->string(tool->server));
		bad |= J->set(view, "tool_name", J->string(tool->name));
		bad |= J->set(view, "description", J->string(text_head(tool->description, MAX_TOOL_WORDS)));
		bad |= J->set(view, "changes_something", J->truth((tool->flags & ASSAY_TOOL_WRITES) != 0));
		bad |= J->append(list, view);
	}
	return bad | J->set(document, "tools", list);
}

static int make_view(struct session *s, assay_text *out, size_t *steps, assay_error *err)
{
	const assay_json_api *J = s->J;
	assay_json *document = J->object();
	assay_str answer = J->str(J->pointer(s->request->trace, "/seed_metadata/exploration/final_message"));
	int bad = J->set(document, "goal", J->string(s->goal));
	bad |= put_tools(s, document);
	bad |= put_steps(s, document, steps);
	bad |= J->set(document, "answer", J->string(text_head(answer, MAX_ANSWER)));
	int rc = bad || s->arena.failed ? no_memory(s, err) : J->dump(document, ASSAY_JSON_PRETTY, out, err);
	J->free(document);
	return rc;
}

/* --- Does it hold? ----------------------------------------------------------------------------------------------- */

/* A task of nothing but this checkpoint. */
static assay_json *body_of(const struct session *s, const assay_json *checkpoint)
{
	const assay_json_api *J = s->J;
	assay_json *body = J->object(), *list = J->array();
	int bad = J->set(body, "prompt", J->string(ASSAY_STR("-")));
	bad |= J->append(list, J->clone(checkpoint));
	bad |= J->set(body, "checkpoints", list);
	bad |= J->set(body, "minefields", J->array());
	bad |= J->set(body, "ordering", J->array());
	if (bad) {
		J->free(body);
		return NULL;
	}
	return body;
}

static int holds(struct session *s, const assay_json *body, bool *passed, assay_error *why)
{
	int yes = 0, rc;
	*passed = false;
	rc = body ? s->host->check->score(s->call, body, s->request->trace, -1, &yes, why) : no_memory(s, why);
	*passed = rc == 0 && yes;
	return rc == ASSAY_ELIMIT ? ASSAY_EDATA : rc; /* a pattern that takes too long, say */
}

/* The ids of the checkpoints that the session itself does not meet. */
static int name_ungrounded(struct session *s, const assay_json *answer, struct text_buf *names, assay_error *why)
{
	const assay_json_api *J = s->J;
	size_t named = 0;
	int rc = 0;
	for (const assay_json *c = J->first(J->get(answer, "checkpoints")); c && rc == 0 && named < MAX_NAMED;
	     c = J->next(c)) {
		assay_json *body = body_of(s, c);
		bool passed;
		rc = holds(s, body, &passed, why);
		if (rc == 0 && !passed) {
			text_puts(names, named++ ? ", " : "");
			text_add(names, J->str(J->get(c, "checkpoint_id")));
		}
		J->free(body);
	}
	return rc;
}

static int check_grounded(struct session *s, const assay_json *answer, assay_error *why)
{
	struct text_buf names = {.arena = &s->arena};
	bool passed;
	int rc = holds(s, answer, &passed, why);
	if (rc < 0 || passed) {
		return rc;
	}
	rc = name_ungrounded(s, answer, &names, why);
	if (rc < 0) {
		return rc;
	}
	if (names.len > 0) {
		return s->host->fail(why, ASSAY_EDATA, "the record does not meet %.*s: ask only for what it shows",
				     ASSAY_FMT(text_head(text_of(&names), 200)));
	}
	return s->host->fail(why, ASSAY_EDATA,
			     "each checkpoint is met by the record, but not in this order or not without a minefield");
}

/* A value that the goal gives and a checkpoint demands must stand in the prompt: nobody can guess it. */
static int check_given(const struct session *s, assay_str prompt, const assay_json *value, assay_error *why)
{
	assay_str text = s->J->type(value) == ASSAY_JSON_NUMBER ? s->J->spelling(value) : s->J->str(value);
	if (text.len < 2 || text_find_word(s->goal, text) == SIZE_MAX || text_find_word(prompt, text) != SIZE_MAX) {
		return 0;
	}
	return s->host->fail(why, ASSAY_EDATA, "the prompt must say \"%.*s\", as the goal does",
			     ASSAY_FMT(text_head(text, 160)));
}

static int check_prompt(const struct session *s, const assay_json *answer, assay_error *why)
{
	const assay_json_api *J = s->J;
	assay_str prompt = text_trim(J->str(J->get(answer, "prompt")));
	int rc = prompt.len <= MAX_PROMPT
			 ? 0
			 : s->host->fail(why, ASSAY_EDATA, "the prompt has %zu bytes, at most %d are read", prompt.len,
					 MAX_PROMPT);
	for (size_t i = 0; i < s->request->surface.count && rc == 0; i++) {
		assay_str name = s->request->surface.list[i]->name;
		if (memchr(name.ptr, '_', name.len) && text_find_word(prompt, name) != SIZE_MAX) {
			rc = s->host->fail(why, ASSAY_EDATA, "the prompt names the tool \"%.*s\"",
					   ASSAY_FMT(text_head(name, 120)));
		}
	}
	for (const assay_json *c = J->first(J->get(answer, "checkpoints")); c && rc == 0; c = J->next(c)) {
		const assay_json *include = J->pointer(c, "/arg_predicate/must_include"),
				 *match = J->pointer(c, "/arg_predicate/must_match");
		for (const assay_json *v = J->first(include); v && rc == 0; v = J->next(v)) {
			rc = check_given(s, prompt, v, why);
		}
		for (const assay_json *v = J->first(match); v && rc == 0; v = J->next(v)) {
			rc = check_given(s, prompt, J->get(v, "equals"), why);
			rc = rc < 0 ? rc : check_given(s, prompt, J->get(v, "contains"), why);
		}
	}
	return rc;
}

static int check_answer(void *payload, const assay_json *answer, assay_error *why)
{
	struct session *s = payload;
	int rc = s->host->check->body(s->call, answer, why);
	rc = rc < 0 ? rc : check_prompt(s, answer, why);
	return rc < 0 ? rc : check_grounded(s, answer, why);
}

/* --- Asking ------------------------------------------------------------------------------------------------------ */

static int ask(const struct instance *i, struct session *s, assay_str view, assay_json **answer, assay_error *why)
{
	const assay_question q = {.size = sizeof q,
				  .replies = i->replies,
				  .prompt = {i->prompt.ptr, i->prompt.len},
				  .input = view,
				  .name = "emit_task",
				  .description = "Hand over the task.",
				  .temperature = i->temperature,
				  .max_tokens = i->max_tokens,
				  .check = check_answer,
				  .payload = s};
	return ask_for(i->host, s->call, q, text_cstr(answer_schema), answer, why);
}

static int reject(const struct session *s, const char *reason, assay_sink *task, assay_error *err)
{
	assay_json *out = s->J->object();
	if (s->J->set(out, "rejected", s->J->string(text_cstr(reason))) < 0) {
		s->J->free(out);
		return no_memory(s, err);
	}
	return task->emit(task, out, err);
}

static int work(const struct instance *i, struct session *s, assay_sink *task, assay_error *err)
{
	assay_text view = {0};
	assay_json *answer = NULL;
	assay_error why = {0};
	size_t steps = 0;
	int rc = make_view(s, &view, &steps, &why);
	if (rc == 0 && (steps == 0 || steps > MAX_STEPS)) {
		rc = reject(s, steps == 0 ? "the trace has no successful call" : "the trace has too many calls", task,
			    err);
	} else if (rc == 0) {
		rc = ask(i, s, (assay_str){view.ptr, view.len}, &answer, &why);
		if (rc == 0) {
			rc = task->emit(task, answer, err);
			answer = NULL;
		} else if (rc == ASSAY_EDATA && why.reason == ASSAY_LLM_MALFORMED) {
			rc = reject(s, why.message, task, err);
		} else if (err) {
			*err = why;
		}
	} else if (err) {
		*err = why;
	}
	s->J->text_free(&view);
	return rc == ASSAY_STOP ? 0 : rc;
}

static int distil(void *self, assay_call *call, const assay_distil_request *request, assay_sink *task, assay_error *err)
{
	const struct instance *i = self;
	struct session s = {
		.arena = {.host = i->host}, .host = i->host, .J = i->host->json, .call = call, .request = request};
	int rc;
	s.goal = text_trim(s.J->str(s.J->get(request->goal, "goal")));
	s.goal = s.goal.len > 0 ? s.goal : text_trim(s.J->str(s.J->get(request->trace, "goal")));
	rc = s.goal.len > 0 ? work(i, &s, task, err) : reject(&s, "the goal has no text", task, err);
	text_arena_free(&s.arena);
	return rc == ASSAY_STOP ? 0 : rc;
}

/* --- Instances --------------------------------------------------------------------------------------------------- */

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
	i->temperature = J->f64(J->get(options, "temperature"), 0);
	i->max_tokens = J->i64(J->get(options, "max_tokens"), 16384);
	i->replies = (uint32_t)J->i64(J->get(options, "replies"), 3);
	rc = option_keep_prompt(host, options, &i->prompt, err);
	if (rc < 0) {
		close_instance(i);
		return rc;
	}
	*self = i;
	return 0;
}

static const assay_distiller_ops ops = {.size = sizeof ops,
					.open = open_instance,
					.close = close_instance,
					.distil = distil};

static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_DISTILLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_NEEDS_MODEL,
	.name = "llm",
	.summary = "a model decides which effects count; each is held against the session",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"replies\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"default\":3,\"description\":\"unusable ones "
		"until the trace is given up\"},"
		"\"temperature\":{\"type\":\"number\",\"minimum\":0,\"maximum\":2,\"default\":0},"
		"\"max_tokens\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000000,\"default\":16384}," OPTION_PROMPT(
			"a file with another prompt") "}}",
	.ops = &ops,
};

ASSAY_PLUGIN(distiller_llm, "0.1.0", "Distils tasks with a model", "Apache-2.0", &impl)
