/* explorer/loop: the agent loop. Reference page 7.1: explorer and candidate are the same code.
 *
 * The model is asked for a reply; the calls in it are carried out one after another; their results go back to it; and
 * so on until it replies without a call or the turns are used up. */
#include "../common/option.h"
#include <assay/roles/explorer.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_UNUSABLE = 3 };

struct loop {
	const assay_host *host;
	assay_text policy; /* empty: the model's own */
	assay_text prompt; /* "{turns}" stands for the budget */
	double temperature;
	int64_t max_tokens;
};

/* One attempt. */
struct attempt {
	const struct loop *loop;
	const assay_host *host;
	const assay_json_api *json;
	assay_call *call;
	const assay_assignment *assignment;
	assay_json *request; /* without its messages */
	assay_json *messages;
	assay_json *final_message; /* NULL: none */
	const char *outcome, *end; /* end NULL: the core names it */
	int64_t calls, successes, turns;
	int unusable;
};

/* --- Messages --- */

static int no_memory(const struct attempt *a, assay_error *err)
{
	return a->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

static int say(struct attempt *a, const char *role, assay_str text, assay_error *err)
{
	const assay_json_api *j = a->json;
	assay_json *message = j->object();
	int bad = j->set(message, "role", j->string((assay_str){role, strlen(role)}));
	bad |= j->set(message, "content", j->string(text));
	bad |= j->append(a->messages, message);
	return bad ? no_memory(a, err) : 0;
}

static int say_persona(struct attempt *a, assay_error *err)
{
	static const char label[] = "Persona: ";
	assay_str persona = a->assignment->persona;
	if (persona.len == 0) {
		return 0;
	}
	size_t n = sizeof label - 1 + persona.len;
	char *text = a->host->alloc(n + 1);
	if (!text) {
		return no_memory(a, err);
	}
	memcpy(text, label, sizeof label - 1);
	memcpy(text + sizeof label - 1, persona.ptr, persona.len);
	int status = say(a, "system", (assay_str){text, n}, err);
	a->host->free(text);
	return status;
}

/* The prompt, with the number of turns in it. */
static int say_prompt(struct attempt *a, assay_error *err)
{
	static const char mark[] = "{turns}";
	assay_text prompt = a->loop->prompt;
	const char *at = prompt.ptr ? strstr(prompt.ptr, mark) : NULL;
	size_t size = prompt.len + 16;
	char *text;
	int n, status;
	if (!at) {
		return say(a, "system", (assay_str){prompt.ptr, prompt.len}, err);
	}
	text = a->host->alloc(size);
	if (!text) {
		return no_memory(a, err);
	}
	n = snprintf(text, size, "%.*s%u%s", (int)(at - prompt.ptr), prompt.ptr, (unsigned)a->assignment->turns,
		     at + sizeof mark - 1);
	status = say(a, "system", (assay_str){text, n > 0 ? (size_t)n : 0}, err);
	a->host->free(text);
	return status;
}

static int open_messages(struct attempt *a, assay_error *err)
{
	a->messages = a->json->array();
	int status = a->messages ? say_prompt(a, err) : no_memory(a, err);
	if (status == 0) {
		status = say_persona(a, err);
	}
	return status == 0 ? say(a, "user", a->assignment->prompt, err) : status;
}

/* --- Requests --- */

static int open_request(struct attempt *a, assay_error *err)
{
	const assay_json_api *j = a->json;
	const assay_json *offers = NULL;
	int status = a->host->agent->offers(a->call, &offers, err);
	if (status != 0) {
		return status;
	}
	a->request = j->object();
	int bad = a->request ? 0 : ASSAY_ENOMEM;
	if (j->count(offers) > 0) {
		bad |= j->set(a->request, "tools", j->clone(offers));
		bad |= j->set(a->request, "tool_choice", j->string(ASSAY_STR("auto")));
	}
	bad |= j->set(a->request, "temperature", j->real(a->loop->temperature));
	bad |= j->set(a->request, "max_tokens", j->integer(a->loop->max_tokens));
	bad |= j->set(a->request, "seed", j->integer((int64_t)(a->assignment->seed & INT64_MAX)));
	return bad ? no_memory(a, err) : 0;
}

/* A policy is for rule-based models: they also want to know how many turns are left. Others are not bothered with it.
 */
static int set_extra(struct attempt *a)
{
	const assay_json_api *j = a->json;
	if (a->loop->policy.len == 0) {
		return 0;
	}
	assay_json *extra = j->object();
	int bad = j->set(extra, "policy", j->string((assay_str){a->loop->policy.ptr, a->loop->policy.len}));
	bad |= j->set(extra, "turns_left", j->integer((int64_t)a->assignment->turns - a->turns));
	return bad | j->set(a->request, "extra", extra);
}

/* Ask the model. The messages are lent to the request meanwhile. */
static int ask(struct attempt *a, assay_json **reply, assay_error *err)
{
	int bad = set_extra(a) | a->json->set(a->request, "messages", a->messages);
	a->messages = NULL;
	int status = bad ? no_memory(a, err) : a->host->llm->chat(a->call, a->request, reply, err);
	a->messages = a->json->detach(a->request, "messages");
	return !a->messages && status == 0 ? no_memory(a, err) : status;
}

/* --- Replies --- */

/* Has the reply a message, and has every call in it a name? */
static bool usable(const struct attempt *a, const assay_json *message)
{
	const assay_json *calls = a->json->get(message, "tool_calls");
	int type = a->json->type(calls);
	if (a->json->type(message) != ASSAY_JSON_OBJECT ||
	    (type != ASSAY_JSON_NONE && type != ASSAY_JSON_NULL && type != ASSAY_JSON_ARRAY)) {
		return false;
	}
	for (const assay_json *c = a->json->first(calls); c; c = a->json->next(c)) {
		if (a->json->str(a->json->get(c, "name")).len == 0) {
			return false;
		}
	}
	return true;
}

static bool blank(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!strchr(" \t\r\n", s.ptr[i])) {
			return false;
		}
	}
	return true;
}

/* The arguments of a call as an object: {} for none, {"_raw": text} for what is not one. */
static assay_json *read_arguments(const struct attempt *a, const assay_json *call)
{
	const assay_json_api *j = a->json;
	const assay_json *given = j->get(call, "arguments");
	assay_str text = j->str(given);
	assay_json *v = NULL;
	if (j->type(given) == ASSAY_JSON_OBJECT) {
		return j->clone(given);
	}
	if (blank(text)) {
		return j->object();
	}
	if (j->parse(text, ASSAY_JSON_PEER, &v, NULL) == 0 && j->type(v) == ASSAY_JSON_OBJECT) {
		return v;
	}
	bool empty = j->type(v) == ASSAY_JSON_NULL;
	j->free(v);
	v = j->object();
	if (!empty && j->set(v, "_raw", j->string(text)) != 0) {
		j->free(v);
		return NULL;
	}
	return v;
}

/* The call as it is kept: with an id, and with arguments written anew. Further members (a thought's signature) stay. */
static assay_json *kept_call(const struct attempt *a, const assay_json *call, const assay_json *arguments,
			     int64_t number)
{
	const assay_json_api *j = a->json;
	assay_json *kept = j->clone(call);
	assay_text text = {0};
	char id[40];
	int bad = j->dump(arguments, ASSAY_JSON_PYTHON, &text, NULL);
	bad |= j->set(kept, "arguments", j->string((assay_str){text.ptr, text.len}));
	j->text_free(&text);
	if (j->str(j->get(kept, "id")).len == 0) {
		int n = snprintf(id, sizeof id, "call_%lld", (long long)number);
		bad |= j->set(kept, "id", j->string((assay_str){id, (size_t)n}));
	}
	if (bad) {
		j->free(kept);
		return NULL;
	}
	return kept;
}

/* Keep the reply among the messages; *calls (owned) are its calls as kept, or NULL. */
static int keep_reply(struct attempt *a, const assay_json *message, assay_json **calls, assay_error *err)
{
	const assay_json_api *j = a->json;
	const assay_json *given = j->get(message, "tool_calls");
	assay_json *kept = j->clone(message), *list = j->count(given) > 0 ? j->array() : NULL;
	int64_t number = a->calls;
	int bad = j->set(kept, "role", j->string(ASSAY_STR("assistant")));
	bad |= j->set(kept, "content", j->string(j->str(j->get(message, "content"))));
	for (const assay_json *c = j->first(given); c && list && !bad; c = j->next(c)) {
		assay_json *arguments = read_arguments(a, c);
		bad |= j->append(list, arguments ? kept_call(a, c, arguments, ++number) : NULL);
		j->free(arguments);
	}
	j->free(j->detach(kept, "tool_calls"));
	*calls = list;
	if (list) {
		bad |= j->set(kept, "tool_calls", j->clone(list));
	}
	bad |= j->append(a->messages, kept);
	return bad ? no_memory(a, err) : 0;
}

/* --- Calls --- */

static int say_result(struct attempt *a, assay_str id, assay_str text, assay_error *err)
{
	const assay_json_api *j = a->json;
	assay_json *message = j->object();
	int bad = j->set(message, "role", j->string(ASSAY_STR("tool")));
	bad |= j->set(message, "tool_call_id", j->string(id));
	bad |= j->set(message, "content", j->string(text));
	bad |= j->append(a->messages, message);
	return bad ? no_memory(a, err) : 0;
}

static int act(struct attempt *a, const assay_json *call, assay_error *err)
{
	const assay_json_api *j = a->json;
	assay_json *arguments = read_arguments(a, call);
	assay_text text = {0};
	int is_error = 0;
	a->calls++;
	if (!arguments) {
		return no_memory(a, err);
	}
	int status = a->host->agent->act(a->call, j->str(j->get(call, "name")), arguments, &text, &is_error, err);
	j->free(arguments);
	if (status == 0) {
		a->successes += !is_error;
		status = say_result(a, j->str(j->get(call, "id")), (assay_str){text.ptr, text.len}, err);
	}
	j->text_free(&text);
	return status;
}

static int act_all(struct attempt *a, const assay_json *calls, assay_error *err)
{
	int status = 0;
	for (const assay_json *c = a->json->first(calls); c && status == 0; c = a->json->next(c)) {
		status = act(a, c, err);
	}
	if (status != 0) {
		/* Time or patience ran out, or the world went away: the core tells which from the code. */
		bool limit = status == ASSAY_ETIMEOUT || status == ASSAY_ELIMIT || status == ASSAY_ECANCELED;
		a->outcome = limit ? "budget_exhausted" : a->calls > 0 ? "completed" : "no_tools_called";
	}
	return status;
}

/* --- Turns --- */

static void model_failed(struct attempt *a, const assay_error *err)
{
	char text[640];
	int n = snprintf(text, sizeof text, "ModelError: %s", err->message[0] ? err->message : "no reason given");
	size_t len = n > 0 ? (size_t)n : 0;
	a->outcome = "llm_error";
	a->final_message = a->json->string((assay_str){text, len < sizeof text ? len : sizeof text - 1});
}

static int take_reply(struct attempt *a, const assay_json *reply, assay_error *err)
{
	const assay_json *message = a->json->get(reply, "message");
	assay_json *calls = NULL;
	if (!usable(a, message)) {
		if (++a->unusable >= MAX_UNUSABLE) {
			a->outcome = "llm_error";
			a->end = "malformed_call";
		}
		return 0; /* asked again, on another turn */
	}
	a->unusable = 0;
	int status = keep_reply(a, message, &calls, err);
	if (status == 0 && calls) {
		status = act_all(a, calls, err);
	} else if (status == 0) {
		a->outcome = a->calls > 0 ? "completed" : "no_tools_called";
		a->end = a->calls > 0 ? "finished" : "gave_up";
	}
	a->json->free(calls);
	return status;
}

static int run_turns(struct attempt *a, assay_error *err)
{
	int status = 0;
	while (status == 0 && !a->outcome && a->turns < (int64_t)a->assignment->turns) {
		assay_json *reply = NULL;
		status = ask(a, &reply, err);
		a->turns++;
		if (status != 0) {
			model_failed(a, err);
		} else {
			status = take_reply(a, reply, err);
		}
		a->json->free(reply);
	}
	if (status == 0 && !a->outcome) {
		a->outcome = "budget_exhausted";
		a->end = "turn_limit";
	}
	return status;
}

/* --- The result --- */

/* The latest thing the model said; never when it ran out of turns in the middle of its work. */
static assay_json *final_text(const struct attempt *a)
{
	const assay_json *last = NULL;
	if (strcmp(a->outcome, "budget_exhausted") == 0) {
		return a->json->null();
	}
	for (const assay_json *m = a->json->first(a->messages); m; m = a->json->next(m)) {
		assay_str role = a->json->str(a->json->get(m, "role"));
		bool assistant = role.len == 9 && memcmp(role.ptr, "assistant", 9) == 0;
		if (assistant && a->json->str(a->json->get(m, "content")).len > 0) {
			last = a->json->get(m, "content");
		}
	}
	return last ? a->json->clone(last) : a->json->null();
}

static int emit(struct attempt *a, assay_sink *sink, assay_error *err)
{
	const assay_json_api *j = a->json;
	assay_json *result = j->object();
	const char *end = a->end;
	a->outcome = a->outcome ? a->outcome : "llm_error";
	int bad = j->set(result, "outcome", j->string((assay_str){a->outcome, strlen(a->outcome)}));
	bad |= j->set(result, "end", end ? j->string((assay_str){end, strlen(end)}) : j->null());
	bad |= j->set(result, "final_message", a->final_message ? a->final_message : final_text(a));
	a->final_message = NULL;
	bad |= j->set(result, "tool_call_count", j->integer(a->calls));
	bad |= j->set(result, "successful_tool_calls", j->integer(a->successes));
	bad |= j->set(result, "turns", j->integer(a->turns));
	bad |= j->set(result, "messages", a->messages ? a->messages : j->array());
	a->messages = NULL;
	if (bad) {
		j->free(result);
		return no_memory(a, err);
	}
	return sink->emit(sink, result, err);
}

static int run(void *self, assay_call *call, const assay_assignment *assignment, assay_sink *result, assay_error *err)
{
	const struct loop *loop = self;
	assay_error own = {0};
	struct attempt a = {
		.loop = loop, .host = loop->host, .json = loop->host->json, .call = call, .assignment = assignment};
	int emitted;
	err = err ? err : &own;
	int status = open_messages(&a, err);
	if (status == 0) {
		status = open_request(&a, err);
	}
	if (status == 0) {
		status = run_turns(&a, err);
	}
	/* What was said is worth keeping even when a service failed; its error is the one to report. */
	emitted = emit(&a, result, status == 0 ? err : NULL);
	a.json->free(a.request);
	a.json->free(a.messages);
	a.json->free(a.final_message);
	if (status != 0) {
		return status;
	}
	return emitted == ASSAY_STOP ? 0 : emitted;
}

/* --- Instances --- */

static void close(void *self)
{
	struct loop *loop = self;
	if (loop) {
		loop->host->free(loop->policy.ptr);
		loop->host->free(loop->prompt.ptr);
		loop->host->free(loop);
	}
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	const assay_json_api *j = host->json;
	struct loop *loop = host->alloc(sizeof *loop);
	if (!loop) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	loop->host = host;
	loop->temperature = j->f64(j->get(options, "temperature"), 0.2);
	loop->max_tokens = j->i64(j->get(options, "max_tokens"), 4096);
	int status = option_keep(host, j->str(j->get(options, "policy")), &loop->policy, err);
	if (status == 0) {
		status = option_keep_prompt(host, options, &loop->prompt, err);
	}
	if (status != 0) {
		close(loop);
		return status;
	}
	*self = loop;
	return 0;
}

static const assay_explorer_ops ops = {.size = sizeof ops, .open = open, .close = close, .run = run};

static const assay_impl loop_impl = {
	.size = sizeof loop_impl,
	.role = ASSAY_ROLE_EXPLORER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_NEEDS_MODEL,
	.name = "loop",
	.summary = "Ask the model, make its calls, show it the results, until it answers",
	.options =
		"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
		"\"policy\": {\"type\": \"string\", \"enum\": [\"careful\", \"greedy\", \"random\"], \"description\": "
		"\"For rule-based models: how good an agent to be. Left to the model when not given.\"}," OPTION_PROMPT(
			"a file with the system's message, in which {turns} stands for the budget, instead of the one "
			"that ships") ","
				      "\"temperature\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 2, \"default\": 0.2},"
				      "\"max_tokens\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1000000, \"default\": 4096}}}",
	.ops = &ops,
};

ASSAY_PLUGIN(explorer_loop, "0.1.0", "The agent loop", "Apache-2.0", &loop_impl)
