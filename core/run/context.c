#include "core/run/context.h"

#include "core/base/error.h"
#include "core/run/embed.h"
#include "core/run/evidence.h"
#include "core/run/makers.h"
#include "core/run/score.h"
#include "core/run/seeds.h"
#include "core/task/task.h"
#include "core/world/probe.h"
#include <stdlib.h>
#include <string.h>

typedef struct opened {
	const as_use *key;
	char *name; /* "ROLE/NAME" of what was opened by name; key is NULL then */
	as_instance *instance;
} opened;

struct as_worker {
	as_engine *engine;
	opened *list;
	size_t n, cap;
	const as_http_ops *http;
	as_checks checks;
	as_http_client *client; /* opened on first use, kept for its connections */
};

int as_worker_new(as_engine *e, as_worker **out, assay_error *err)
{
	as_worker *w = as_new(1, sizeof *w);
	if (!w) {
		return as_fail_memory(err);
	}
	w->engine = e;
	*out = w;
	return 0;
}

as_checks *as_worker_checks(as_worker *w)
{
	return &w->checks;
}

void as_worker_free(as_worker *w)
{
	if (!w) {
		return;
	}
	as_checks_free(&w->checks);
	for (size_t i = 0; i < w->n; i++) {
		as_instance_close(w->list[i].instance);
		free(w->list[i].name);
	}
	if (w->client) {
		w->http->close(w->client);
	}
	free(w->list);
	free(w);
}

int as_worker_instance(as_worker *w, const as_use *use, uint32_t role, as_instance **out, assay_error *err)
{
	int rc;
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i].key == use) {
			*out = w->list[i].instance;
			return 0;
		}
	}
	if (!as_grow(&w->list, &w->cap, w->n + 1, sizeof *w->list)) {
		return as_fail_memory(err);
	}
	rc = as_instance_open(w->engine->registry, use->use, role, use->options, w->engine->manifest->base_dir, out,
			      err);
	if (rc == 0) {
		w->list[w->n++] = (opened){use, NULL, *out};
		rc = as_note_plugin(w->engine, as_instance_info(*out), err);
	} else {
		as_error_pointer(err, "%s", use->pointer ? use->pointer : "");
		as_error_where(err, w->engine->manifest->path, use->line);
	}
	return rc;
}

int as_worker_by_name(as_worker *w, const char *use, uint32_t role, as_instance **out, assay_error *err)
{
	int rc;
	for (size_t i = 0; i < w->n; i++) {
		if (!w->list[i].key && strcmp(w->list[i].name, use) == 0) {
			*out = w->list[i].instance;
			return 0;
		}
	}
	if (!as_grow(&w->list, &w->cap, w->n + 1, sizeof *w->list)) {
		return as_fail_memory(err);
	}
	rc = as_instance_open(w->engine->registry, use, role, NULL, w->engine->manifest->base_dir, out, err);
	if (rc == 0) {
		w->list[w->n++] = (opened){NULL, as_strdup(use), *out};
		rc = w->list[w->n - 1].name ? as_note_plugin(w->engine, as_instance_info(*out), err)
					    : as_fail_memory(err);
	}
	return rc;
}

int as_worker_strict_scorer(as_worker *w, as_instance **out, assay_error *err)
{
	const as_manifest *m = w->engine->manifest;
	int rc = as_worker_instance(w, &m->scorers[m->headline], ASSAY_ROLE_SCORER, out, err);
	if (rc == 0 && (as_instance_info(*out)->impl->flags & ASSAY_IMPL_NEEDS_MODEL)) {
		rc = as_worker_by_name(w, "scorer/effects", ASSAY_ROLE_SCORER, out, err);
	}
	return rc;
}

static int hook_offers(void *context, const assay_json **tools, assay_error *err)
{
	as_context *c = context;
	if (!c->recorder) {
		return as_fail(err, ASSAY_ENOTSUP, "there is no agent in this operation");
	}
	return as_recorder_offers(c->recorder, tools, err);
}

static int hook_act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	as_context *c = context;
	const as_model_spec *agent = c->model;
	assay_error unheard = {0};
	int rc;
	err = err ? err : &unheard; /* a plugin need not care for the reason */
	if (!c->recorder) {
		return as_fail(err, ASSAY_ENOTSUP, "there is no agent in this operation");
	}
	if (as_remaining(c->call.deadline_ms) == 0) {
		return as_fail(err, ASSAY_ETIMEOUT, "the attempt's time is used up");
	}
	c->model = c->exposure_model; /* the exposure may have to route the call */
	c->for_exposure = true;
	c->acting = true;
	c->fault = AS_FAULT_NONE;
	rc = as_recorder_act(c->recorder, &c->call, name, arguments, text, is_error, err);
	c->model = agent;
	c->for_exposure = c->acting = false;
	if (c->fault == AS_FAULT_NONE && as_is_servers_fault(&c->call, rc, err)) {
		c->fault = AS_FAULT_SERVER;
	}
	return rc;
}

/* Did a call end because its tool said nothing, or because little time was left for it? */
static bool is_silent(const as_context *c, int rc, int64_t us)
{
	int64_t all = c->engine->manifest->generation_budget.seconds;
	return rc == ASSAY_ETIMEOUT && (as_remaining(c->call.deadline_ms) > 0 || us / 1000000 * 2 >= all);
}

static int hook_world_call(void *context, assay_str server, assay_str tool, const assay_json *arguments,
			   assay_json **result, int *is_error, assay_error *err)
{
	as_context *c = context;
	assay_error unheard = {0};
	as_answer answer = {0};
	int64_t begun;
	int rc;
	*result = NULL;
	err = err ? err : &unheard; /* a plugin need not care for the reason */
	if (!c->world) {
		return as_fail(err, ASSAY_ENOTSUP, "there is no live world in this operation");
	}
	if (as_silence_is(&c->engine->silence, server, tool)) {
		return as_fail(err, ASSAY_ETIMEOUT, "server \"%.*s\": %.*s gave no answer before, and is passed over",
			       ASSAY_FMT(server), ASSAY_FMT(tool));
	}
	begun = as_now_us();
	rc = as_world_call(c->world, &c->call, server, tool, arguments, &answer, err);
	if (is_silent(c, rc, as_now_us() - begun)) {
		as_silence_note(&c->engine->silence, c->call.log, server, tool, err);
	}
	if (rc == 0) {
		*result = answer.result;
		answer.result = NULL;
		*is_error = answer.status != ASSAY_STEP_SUCCESS;
	} else {
		c->fault = AS_FAULT_SERVER;
	}
	as_answer_clear(&answer);
	return rc;
}

static int hook_world_reset(void *context, assay_error *err)
{
	as_context *c = context;
	if (!c->world || !c->world->ops->reset) {
		return as_fail(err, ASSAY_ENOTSUP, "there is no live world in this operation");
	}
	return c->world->ops->reset(c->world, &c->call, err);
}

static int hook_chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	as_context *c = context;
	as_llm_dialogue *d = c->for_exposure ? &c->exposure_dialogue : &c->dialogue;
	as_llm_usage before = d->spent;
	as_instance *model;
	assay_error unheard = {0};
	int rc;
	err = err ? err : &unheard; /* what is kept as evidence hangs on the reason */
	*reply = NULL;
	if (c->heard) {
		return as_evidence_answer(c, request, reply, err);
	}
	if (!c->model) {
		return as_fail(err, ASSAY_ENOTSUP, "the manifest gives this implementation no model");
	}
	if (as_remaining(c->call.deadline_ms) == 0) {
		return as_fail(err, ASSAY_ETIMEOUT, "the attempt's time is used up");
	}
	rc = as_worker_instance(c->worker, &c->model->llm, ASSAY_ROLE_LLM, &model, err);
	if (rc < 0) {
		return rc;
	}
	d->hub = c->engine->llm;
	d->model = (size_t)(c->model - c->engine->manifest->models);
	d->instance = model;
	d->call = &c->call;
	d->subject = as_str(c->subject);
	d->try_number = c->try_number;
	d->sampling = c->for_exposure ? NULL : c->sampling;
	d->max_tokens = c->max_tokens;
	d->max_usd = c->max_usd;
	rc = as_llm_chat(d, request, reply, err);
	if (c->for_exposure) { /* the attempt pays, and ends by it */
		c->dialogue.spent.prompt += d->spent.prompt - before.prompt;
		c->dialogue.spent.completion += d->spent.completion - before.completion;
		c->dialogue.spent.usd += d->spent.usd - before.usd;
		c->dialogue.end = d->end;
	}
	c->fault = rc < 0 ? AS_FAULT_MODEL : c->fault;
	if (c->evidence && as_evidence_note(c, request, rc, *reply, err, err) < 0) {
		as_json_free(*reply);
		*reply = NULL;
		return ASSAY_ENOMEM;
	}
	return rc;
}

/* The trace without one of its steps. */
static int trace_without(const assay_json *trace, int64_t without, assay_json **out, assay_error *err)
{
	assay_json *copy = as_json_clone(trace), *kept = as_json_array();
	int rc = copy && kept ? 0 : as_fail_memory(err);
	for (const assay_json *s = as_json_first(as_json_get(trace, "steps")); s && rc == 0; s = as_json_next(s)) {
		if (as_json_i64(as_json_get(s, "step_id"), INT64_MIN) != without) {
			rc = as_json_append(kept, as_json_clone(s));
		}
	}
	if (rc == 0) {
		rc = as_json_set(copy, "steps", kept);
		kept = NULL;
	}
	if (rc < 0) {
		as_json_free(copy);
		copy = NULL;
	}
	as_json_free(kept);
	*out = copy;
	return rc;
}

static int hook_score(void *context, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		      assay_error *err)
{
	as_context *c = context;
	as_instance *scorer;
	assay_json *document = NULL, *verdict = NULL, *steps_only = NULL;
	as_trace *t = NULL;
	int rc = as_worker_strict_scorer(c->worker, &scorer, err);
	if (rc == 0 && as_task_has_probes(task)) {
		rc = as_task_without_states(task, &steps_only, err);
	}
	if (rc == 0) {
		rc = trace_without(trace, without, &document, err);
	}
	if (rc == 0) {
		rc = as_trace_from_json(document, &t, err);
	}
	if (rc == 0) {
		rc = as_score_trace(scorer, &c->call, steps_only ? steps_only : task, t,
				    as_catalogue_tags(c->engine->catalogue), &verdict, err);
	}
	if (rc == 0) {
		*passed = as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass");
	}
	as_json_free(verdict);
	as_json_free(steps_only);
	as_trace_free(t);
	return rc;
}

static int hook_body(void *context, const assay_json *body, assay_error *err)
{
	return as_task_check(body, ((const as_context *)context)->engine->catalogue, err);
}

static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	as_context *c = context;
	as_instance *sampler;
	as_rng rng;
	as_call call = c->call;
	char use[96];
	int rc = snprintf(use, sizeof use, "sampler/%s", name) < (int)sizeof use
			 ? as_worker_by_name(c->worker, use, ASSAY_ROLE_SAMPLER, &sampler, err)
			 : as_fail(err, ASSAY_EPLUGIN, "\"%.60s...\" is no sampler's name", name);
	if (rc < 0) {
		return rc;
	}
	as_rng_seed(&rng, seed);
	call.rng = &rng; /* a draw of its own: the caller's numbers stay where they are */
	return as_draw(sampler, use, &call, required, candidates, n, picked, n_picked, err);
}

static int hook_embed(void *context, const char *embedder, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		      assay_error *err)
{
	return as_embed(context, embedder, texts, n, vectors, err);
}

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	as_worker *w = ((as_context *)context)->worker;
	int rc = 0;
	if (!w->client) {
		rc = as_service_http(w->engine->registry, &w->http, err);
		rc = rc < 0 ? rc : w->http->open(&w->client, err);
	}
	*ops = w->http;
	*client = w->client;
	return rc;
}

/* Of models the hub has its own, which knows of several keys. */
static const char *hook_program_variable(void *context, const char *name, bool taking)
{
	const as_engine *e = ((const as_context *)context)->engine;
	const char *value = as_variable(e->variables, name);
	(void)taking;
	/* What is not known as a secret is not given away. */
	return value && value[0] && !as_redactor_add(e->redactor, name, as_str(value)) ? NULL : value;
}

static const as_call_hooks hooks = {
	.offers = hook_offers,
	.act = hook_act,
	.world_call = hook_world_call,
	.world_reset = hook_world_reset,
	.chat = hook_chat,
	.score = hook_score,
	.body = hook_body,
	.draw = hook_draw,
	.embed = hook_embed,
	.http = hook_http,
	.program_variable = hook_program_variable,
};

void as_context_init(as_context *c, as_worker *w, const char *component, const char *subject, uint64_t seed,
		     uint32_t seconds)
{
	*c = (as_context){.engine = w->engine, .worker = w, .subject = subject, .try_number = 1};
	as_rng_seed(&c->rng, seed);
	as_call_init(&c->call);
	c->call.hooks = &hooks;
	c->call.context = c;
	c->call.cancel = w->engine->cancel;
	c->call.deadline_ms = seconds ? as_deadline((int64_t)seconds * 1000) : AS_FOREVER;
	c->call.rng = &c->rng;
	c->call.log = w->engine->log;
	c->call.component = component;
	c->call.cwd = w->engine->manifest->base_dir;
	c->call.catalogue = w->engine->catalogue;
}
