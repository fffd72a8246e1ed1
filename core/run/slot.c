/* The steps of a goal slot. Each reads what the one before left in the store's terms and commits what it made. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/run/attempt.h"
#include "core/run/gates.h"
#include "core/run/generate.h"
#include "core/run/seeds.h"
#include "core/task/task.h"
#include <assay/roles/distiller.h>
#include <assay/roles/goalgen.h>
#include <stdlib.h>
#include <string.h>

#define EXPLORER_VERSION "0.1.0" /* of the trace format's explorer, reference page 1.1 */
#define MAX_GOAL_BYTES 16384u

static void set_state(as_slot *s, const char *state, const char *reason)
{
	snprintf(s->state, sizeof s->state, "%s", state);
	snprintf(s->reason, sizeof s->reason, "%s", reason);
	s->reason[as_utf8_check((assay_str){s->reason, strlen(s->reason)})] = '\0'; /* cut at a character's end */
}

static bool is_state(const as_slot *s, const char *state)
{
	return strcmp(s->state, state) == 0;
}

static int put_row(const as_slot *s, as_engine *e, assay_error *err)
{
	assay_text body = {0};
	as_goal_row row = {.run_id = as_str(e->manifest->bench_id),
			   .category = as_str(e->manifest->categories[s->category].name),
			   .index = s->index,
			   .goal_id = as_json_str(as_json_get(s->goal, "goal_id")),
			   .state = as_str(s->state),
			   .reason = as_str(s->reason),
			   .trace_id = as_str(s->trace_id),
			   .task_id = as_str(s->task_id)};
	int rc = as_json_dump(s->goal, ASSAY_JSON_COMPACT, &body, err);
	if (rc == 0) {
		row.body = as_text_str(body);
		rc = as_store_put_goal(e->store, &row, err);
	}
	as_text_free(&body);
	return rc;
}

static int put_task(const as_slot *s, as_engine *e, bool certified, assay_error *err)
{
	assay_text body = {0}, certificate = {0};
	as_task_row row = {.run_id = as_str(e->manifest->bench_id),
			   .task_id = as_str(s->task_id),
			   .category = as_str(e->manifest->categories[s->category].name),
			   .index = s->index,
			   .trace_id = as_str(s->trace_id),
			   .tape_id = as_str(s->tape_id),
			   .certified = certified};
	int rc = as_json_dump(s->task, ASSAY_JSON_COMPACT, &body, err);
	if (rc == 0 && s->certificate) {
		rc = as_json_dump(s->certificate, ASSAY_JSON_COMPACT, &certificate, err);
	}
	if (rc == 0) {
		row.body = as_text_str(body);
		row.certificate = s->certificate ? as_text_str(certificate) : ASSAY_STR("[]");
		rc = as_store_put_task(e->store, &row, err);
	}
	as_text_free(&body);
	as_text_free(&certificate);
	return rc;
}

/* What a goal's author may use up: of the time, tokens and money of one goal, each of its steps has as much again. */
static void begin_authoring(as_context *c, as_worker *w, const as_slot *s, const as_engine *e, const char *component,
			    const char *stage)
{
	const as_budget *budget = &e->manifest->generation_budget;
	as_context_init(c, w, component, s->key, as_derive_seed(e->manifest->seed, stage, as_str(s->key)),
			budget->seconds);
	c->max_tokens = budget->tokens;
	c->max_usd = budget->usd;
}

/* An author that has used up its budget, or what its model can read, fails at this goal only: the slot ends with the
 * reason. Other failures stop the stage, and the same command goes on from there. */
static int settle_failure(const as_context *c, as_slot *s, const char *state, int rc, assay_error *err)
{
	const char *end = c->dialogue.end;
	if (rc == ASSAY_ETIMEOUT && as_remaining(c->call.deadline_ms) == 0) {
		end = "time_limit";
	}
	if (rc >= 0 || !end || strcmp(end, "model_unreachable") == 0) {
		return rc;
	}
	set_state(s, state, end);
	if (err) {
		*err = (assay_error){0};
	}
	return 0;
}

/* What the goal generator is told of a server. */
static assay_json *server_views(const as_engine *e, const as_seeds *seeds)
{
	assay_json *views = as_json_object();
	int rc = views ? 0 : ASSAY_ENOMEM;
	for (const assay_json *id = as_json_first(seeds->servers); id && rc == 0; id = as_json_next(id)) {
		const as_catalogue_server *s = as_catalogue_server_of(e->catalogue, as_json_str(id));
		assay_json *view = as_json_object();
		rc = as_json_set(view, "class", as_json_cstring(as_class_name(s->server_class)));
		rc |= as_json_set(view, "description", as_json_clone(as_json_get(s->record, "description")));
		rc |= as_json_set(view, "resources", as_json_clone(as_json_get(s->record, "resources")));
		rc |= as_json_set_n(views, s->id, view);
	}
	if (rc < 0) {
		as_json_free(views);
		return NULL;
	}
	return views;
}

static const as_author_spec *author_of(const as_manifest *m, const as_slot *s)
{
	return &m->authors[s->index % m->n_authors]; /* several authors take turns */
}

static int call_goalgen(as_worker *w, as_context *c, const as_slot *s, const as_seeds *seeds, assay_json **goal,
			assay_error *err)
{
	const as_manifest *m = c->engine->manifest;
	const as_author_spec *author = author_of(m, s);
	const as_category_spec *category = &m->categories[s->category];
	assay_json *views = server_views(c->engine, seeds);
	assay_goal_request request = {.size = sizeof request,
				      .index = s->index,
				      .seeds = seeds->tools,
				      .surface = seeds->surface,
				      .category = as_str(category->name),
				      .framing = as_str(category->framing),
				      .complexity = as_str(category->complexity),
				      .servers = views,
				      .challenge = as_str(category->challenge),
				      .expect = category->expect,
				      .catalogue = as_catalogue_tools(c->engine->catalogue)};
	as_instance *generator;
	as_collect got;
	int rc;
	as_collect_init(&got, 1, MAX_GOAL_BYTES);
	rc = views ? as_worker_instance(w, &author->goalgen, ASSAY_ROLE_GOALGEN, &generator, err) : as_fail_memory(err);
	if (rc == 0) {
		const assay_goalgen_ops *ops = as_instance_ops(generator);
		c->call.component = author->goalgen.use;
		c->model = as_manifest_model(m, author->goalgen.model);
		as_called before = as_instance_enter(generator, "generate");
		rc = ops->generate(as_instance_self(generator), &c->call.pub, &request, &got.sink, err);
		rc = as_called_end(before, rc, err);
		as_error_where(rc < 0 ? err : NULL, author->goalgen.use, 0);
	}
	if (rc == 0 && got.n_values > 0) {
		rc = as_collect_one(&got, author->goalgen.use, goal, err);
	}
	as_collect_free(&got);
	as_json_free(views);
	return rc;
}

static int append_tag(assay_json *tags, const char *format, const char *value)
{
	as_buf text = {0};
	int rc = 0;
	as_buf_puts(&text, format);
	as_buf_puts(&text, value);
	for (const assay_json *t = as_json_first(tags); t; t = as_json_next(t)) {
		if (as_str_eq(as_json_str(t), as_buf_str(&text))) {
			as_buf_free(&text);
			return 0;
		}
	}
	rc = text.failed ? ASSAY_ENOMEM : as_json_append(tags, as_json_string(as_buf_str(&text)));
	as_buf_free(&text);
	return rc;
}

/* The generator's answer as a goal of the reference's format (page 1.4). NULL and a reason when it is not usable. */
static int finish_goal(as_slot *s, const as_engine *e, const as_seeds *seeds, const assay_json *made, assay_error *err)
{
	const as_category_spec *category = &e->manifest->categories[s->category];
	assay_str text = as_trim(as_json_str(as_json_get(made, "goal")));
	assay_json *goal = as_json_object(), *servers = as_json_array(), *tags = NULL;
	char id[160];
	int rc = goal && servers ? 0 : as_fail_memory(err);
	snprintf(id, sizeof id, "auto-%s-%u", category->name, s->index + 1);
	tags = as_json_type(as_json_get(made, "tags")) == ASSAY_JSON_ARRAY ? as_json_clone(as_json_get(made, "tags"))
									   : as_json_array();
	for (const assay_json *id_value = as_json_first(as_json_get(made, "servers")); id_value && rc == 0;
	     id_value = as_json_next(id_value)) {
		if (as_catalogue_server_of(e->catalogue, as_json_str(id_value))) {
			rc = as_json_append(servers, as_json_clone(id_value));
		}
	}
	if (rc == 0 && as_json_count(servers) == 0) {
		as_json_free(servers);
		servers = as_json_clone(seeds->servers);
	}
	rc |= append_tag(tags, "strategy:", category->name);
	rc |= append_tag(tags, as_json_count(servers) > 1 ? "cross-server" : "intra-server", "");
	if (category->complexity[0]) {
		rc |= append_tag(tags, "complexity:", category->complexity);
	}
	rc |= as_json_set(goal, "goal_id", as_json_cstring(id));
	rc |= as_json_set(goal, "goal", as_json_string(text));
	rc |= as_json_set(goal, "servers", servers);
	rc |= as_json_set(goal, "persona",
			  as_json_type(as_json_get(made, "persona")) == ASSAY_JSON_STRING
				  ? as_json_clone(as_json_get(made, "persona"))
				  : as_json_null());
	rc |= as_json_set(goal, "tags", tags);
	rc |= as_json_set(goal, "budget", as_json_null());
	if (rc < 0 || text.len == 0) {
		as_json_free(goal);
		set_state(s, "empty", "the generator's goal has no text");
		return rc < 0 ? as_fail_memory(err) : 0;
	}
	s->goal = goal;
	set_state(s, "written", "");
	return 0;
}

/* Step 1: seed tools to goal. */
static int write_goal(as_worker *w, as_slot *s, as_engine *e, assay_error *err)
{
	as_context c;
	as_seeds seeds = {0};
	assay_json *made = NULL;
	int rc;
	begin_authoring(&c, w, s, e, e->manifest->categories[s->category].sampler.use, "seeds");
	rc = as_seeds_draw(&c, s->category, &seeds, err);
	if (rc == 0 && seeds.tools.count == 0) {
		set_state(s, "empty", "the sampler found no seed tools");
		goto out;
	}
	if (rc == 0) {
		rc = as_live_open(&e->estate, seeds.servers, &c.call, &c.world, err);
	}
	if (rc == 0) {
		as_rng_seed(&c.rng, as_derive_seed(e->manifest->seed, "goal", as_str(s->key)));
		rc = settle_failure(&c, s, "empty", call_goalgen(w, &c, s, &seeds, &made, err), err);
	}
	if (rc < 0 || is_state(s, "empty")) {
		goto out;
	}
	if (!made) {
		set_state(s, "empty", "no goal fits these seed tools");
	} else if (as_json_get(made, "rejected")) {
		set_state(s, "empty", as_json_cstr(as_json_get(made, "rejected"), "no reason given"));
	} else {
		rc = finish_goal(s, e, &seeds, made, err);
	}
out:
	as_world_close(c.world, &c.call);
	as_json_free(made);
	as_seeds_clear(&seeds);
	return rc < 0 ? rc : put_row(s, e, err);
}

static assay_json *exploration_metadata(const as_engine *e, const as_slot *s)
{
	const as_author_spec *author = author_of(e->manifest, s);
	assay_json *meta = as_json_object();
	int rc = as_json_set(meta, "explorer_version", as_json_cstring(EXPLORER_VERSION));
	rc |= as_json_set(meta, "llm_model", as_json_cstring(author->explorer.model));
	rc |= as_json_set(meta, "budget", as_json_integer(e->manifest->generation_budget.turns));
	rc |= as_json_set(meta, "persona", as_json_clone(as_json_get(s->goal, "persona")));
	rc |= as_json_set(meta, "goal_id", as_json_clone(as_json_get(s->goal, "goal_id")));
	rc |= as_json_set(meta, "goal_tags", as_json_clone(as_json_get(s->goal, "tags")));
	if (rc < 0) {
		as_json_free(meta);
		return NULL;
	}
	return meta;
}

static int keep_trace(as_slot *s, as_engine *e, const as_session_result *result, assay_error *err)
{
	assay_text text = {0};
	size_t n, good = 0;
	const assay_step *steps = as_trace_steps(result->trace, &n);
	assay_str id = as_trace_id(result->trace);
	int rc = as_json_dump(as_trace_document(result->trace), ASSAY_JSON_COMPACT, &text, err);
	if (rc == 0) {
		rc = as_store_put_document(e->store, "trace", id, as_text_str(text), err);
	}
	for (size_t i = 0; i < n; i++) {
		good += steps[i].status == ASSAY_STEP_SUCCESS;
	}
	snprintf(s->trace_id, sizeof s->trace_id, "%.*s", ASSAY_FMT(id));
	if (strcmp(result->end, "finished") != 0) {
		set_state(s, "unexplored", result->end);
	} else if (good == 0) {
		set_state(s, "unexplored", "no successful call");
	} else {
		set_state(s, "explored", "");
	}
	as_text_free(&text);
	return rc;
}

/* Step 2: goal to trace, in a live world. */
static int explore_goal(as_worker *w, as_slot *s, as_engine *e, assay_error *err)
{
	const as_author_spec *author = author_of(e->manifest, s);
	as_context c; /* for opening and closing the world only */
	as_arena arena = {0};
	as_session_result result = {0};
	as_session_spec spec = {.explorer = &author->explorer,
				.exposure = &as_flat_exposure,
				.persona = as_json_str(as_json_get(s->goal, "persona")),
				.model = as_manifest_model(e->manifest, author->explorer.model),
				.trace_servers = as_json_get(s->goal, "servers"),
				.seed = as_derive_seed(e->manifest->seed, "explore", as_str(s->key)),
				.budget = e->manifest->generation_budget,
				.subject = s->key,
				.try_number = 2}; /* 1: the goal generator's */
	int rc;
	as_context_init(&c, w, author->explorer.use, s->key, 0, 0);
	spec.request = (assay_exposure_request){.size = sizeof spec.request,
						.prompt = as_json_str(as_json_get(s->goal, "goal")),
						.catalogue = as_catalogue_tools(e->catalogue)};
	rc = as_catalogue_surface(e->catalogue, spec.trace_servers, &arena, &spec.request.surface, err);
	if (rc == 0) {
		rc = as_live_open(&e->estate, spec.trace_servers, &c.call, &spec.world, err);
	}
	if (rc == 0) {
		spec.seed_metadata = exploration_metadata(e, s);
		rc = spec.seed_metadata ? as_session_run(w, &spec, &result, err) : as_fail_memory(err);
	}
	if (rc == 0 && strcmp(result.end, "model_unreachable") == 0) {
		/* A provider's bad hour decides nothing about a goal: stop here, go on when it is over. */
		if (err) {
			*err = result.cause;
		}
		rc = result.cause.code;
	}
	if (rc == 0) {
		rc = keep_trace(s, e, &result, err);
	}
	as_trace_free(result.trace);
	as_world_close(spec.world, &c.call);
	as_arena_free(&arena);
	return rc < 0 ? rc : put_row(s, e, err);
}

static int load_trace(const as_slot *s, as_engine *e, as_trace **out, assay_error *err)
{
	assay_text text = {0};
	int rc = as_store_get_document(e->store, "trace", as_str(s->trace_id), &text, err);
	if (rc == 0) {
		rc = as_store_row(e->store, as_trace_parse(as_text_str(text), out, err), "trace", as_str(s->trace_id),
				  err);
	}
	as_text_free(&text);
	return rc;
}

static int call_distiller(as_worker *w, as_context *c, const as_slot *s, const as_trace *trace, assay_tools surface,
			  assay_json **body, assay_error *err)
{
	const as_author_spec *author = author_of(c->engine->manifest, s);
	assay_distil_request request = {.size = sizeof request,
					.goal = s->goal,
					.trace = as_trace_document(trace),
					.surface = surface,
					.catalogue = as_catalogue_tools(c->engine->catalogue)};
	as_instance *distiller;
	as_collect got;
	int rc = as_worker_instance(w, &author->distiller, ASSAY_ROLE_DISTILLER, &distiller, err);
	as_collect_init(&got, 1, 0);
	if (rc == 0) {
		const assay_distiller_ops *ops = as_instance_ops(distiller);
		c->model = as_manifest_model(c->engine->manifest, author->distiller.model);
		as_called before = as_instance_enter(distiller, "distil");
		rc = ops->distil(as_instance_self(distiller), &c->call.pub, &request, &got.sink, err);
		rc = as_called_end(before, rc, err);
		as_error_where(rc < 0 ? err : NULL, author->distiller.use, 0);
	}
	if (rc == 0) {
		rc = as_collect_one(&got, author->distiller.use, body, err);
	}
	as_collect_free(&got);
	return rc;
}

static int set_maker(assay_json *p, const as_manifest *m, const char *role, const as_use *use)
{
	const as_model_spec *model = as_manifest_model(m, use->model);
	as_buf key = {0};
	int rc;
	as_buf_printf(&key, "%s_model", role);
	rc = key.failed ? ASSAY_ENOMEM : as_json_set(p, key.ptr, as_json_cstring(model ? model->name : use->use));
	as_buf_clear(&key);
	as_buf_printf(&key, "%s_family", role);
	rc |= key.failed ? ASSAY_ENOMEM
			 : as_json_set(p, key.ptr, as_json_cstring(model ? model->family : "assay-rules"));
	as_buf_free(&key);
	return rc;
}

/* What a maker's model was told: the label and the digest of its prompt. */
static int set_prompt(assay_json *prompts, const char *role, const as_use *use)
{
	const assay_json *prompt = as_json_get(use->options, "prompt");
	assay_json *p;
	char digest[65];
	int rc;
	if (!prompt) {
		return 0;
	}
	p = as_json_object();
	as_sha256_hex(as_json_str(as_json_get(prompt, "text")), digest);
	rc = as_json_set(p, "label", as_json_string(as_json_str(as_json_get(prompt, "label"))));
	rc |= as_json_set(p, "sha256", as_json_cstring(digest));
	return rc | as_json_set(prompts, role, p);
}

static int set_makers(assay_json *p, assay_json *ours, const as_manifest *m, const as_author_spec *author)
{
	assay_json *prompts = as_json_object();
	int rc = set_maker(p, m, "explorer", &author->explorer);
	rc |= set_maker(p, m, "distiller", &author->distiller);
	rc |= set_maker(p, m, "goalgen", &author->goalgen);
	rc |= set_prompt(prompts, "goalgen", &author->goalgen);
	rc |= set_prompt(prompts, "explorer", &author->explorer);
	rc |= set_prompt(prompts, "distiller", &author->distiller);
	return rc | as_json_set(ours, "prompts", prompts);
}

static assay_json *provenance_of(const as_engine *e, const as_slot *s)
{
	const as_author_spec *author = author_of(e->manifest, s);
	assay_json *p = as_json_object(), *ours = as_json_object();
	int rc = as_json_set(p, "goal_id", as_json_clone(as_json_get(s->goal, "goal_id")));
	rc |= set_makers(p, ours, e->manifest, author);
	rc |= as_json_set(ours, "category", as_json_cstring(e->manifest->categories[s->category].name));
	if (e->manifest->categories[s->category].complexity[0]) {
		rc |= as_json_set(ours, "complexity", as_json_cstring(e->manifest->categories[s->category].complexity));
	}
	rc |= as_json_set(ours, "servers", as_json_clone(as_json_get(s->goal, "servers")));
	rc |= as_json_set(p, "assay", ours);
	if (rc < 0) {
		as_json_free(p);
		return NULL;
	}
	return p;
}

/* The tape of a task: its reference, and what the live world answers to those who go another way. */
static int make_tape(const as_slot *s, as_context *c, const as_trace *trace, as_tape **out, assay_error *err)
{
	as_fill_options options = c->engine->manifest->fill;
	as_taping *taping = NULL;
	int rc = as_taping_new(trace, c->engine->catalogue, &taping, err);
	*out = NULL;
	options.task = s->task;
	if (rc == 0) {
		rc = as_tape_fill(taping, trace, c->world, &c->call, &options, err);
	}
	if (rc == 0) {
		rc = as_taping_finish(taping, out, err);
	}
	as_taping_free(taping);
	return rc;
}

/* The distiller's body as a task with its tape, or the reason why it is none. */
static int make_task(as_slot *s, as_context *c, const as_trace *trace, const assay_json *body, assay_error *err)
{
	as_engine *e = c->engine;
	assay_json *provenance = provenance_of(e, s);
	as_task_frame frame = {.trace_id = as_trace_id(trace),
			       .category = as_str(e->manifest->categories[s->category].name),
			       .provenance = provenance};
	as_tape *tape = NULL;
	assay_text text = {0};
	assay_error why = {0};
	int rc = provenance ? 0 : as_fail_memory(err);
	frame.steps = as_trace_steps(trace, &frame.n_steps);
	if (rc == 0) {
		rc = as_task_make(body, &frame, e->catalogue, &s->task, &why);
		if (rc == ASSAY_EDATA) {
			char line[200];
			as_error_format(&why, line, sizeof line);
			set_state(s, "undistilled", line);
			rc = 0;
			goto out;
		}
	}
	if (rc == 0) {
		rc = make_tape(s, c, trace, &tape, err);
	}
	if (rc == 0) {
		rc = as_json_dump(as_tape_document(tape), ASSAY_JSON_COMPACT, &text, err);
	}
	if (rc == 0) {
		snprintf(s->task_id, sizeof s->task_id, "%.*s",
			 ASSAY_FMT(as_json_str(as_json_get(s->task, "task_id"))));
		snprintf(s->tape_id, sizeof s->tape_id, "%.*s", ASSAY_FMT(as_tape_id(tape)));
		rc = as_store_put_document(e->store, "tape", as_str(s->tape_id), as_text_str(text), err);
	}
	if (rc == 0) {
		set_state(s, "distilled", "");
		rc = put_task(s, e, false, err);
	}
out:
	as_text_free(&text);
	as_tape_free(tape);
	as_json_free(provenance);
	return rc;
}

/* Step 3: trace to task. */
static int distil_trace(as_worker *w, as_slot *s, as_engine *e, assay_error *err)
{
	as_context c;
	as_arena arena = {0};
	as_trace *trace = NULL;
	assay_json *body = NULL;
	assay_tools surface;
	const assay_json *servers = as_json_get(s->goal, "servers");
	int rc = load_trace(s, e, &trace, err);
	begin_authoring(&c, w, s, e, author_of(e->manifest, s)->distiller.use, "distil");
	c.try_number = 3;
	if (rc == 0) {
		rc = as_catalogue_surface(e->catalogue, servers, &arena, &surface, err);
	}
	if (rc == 0) {
		rc = as_live_open(&e->estate, servers, &c.call, &c.world, err);
	}
	if (rc == 0) {
		rc = settle_failure(&c, s, "undistilled", call_distiller(w, &c, s, trace, surface, &body, err), err);
	}
	if (rc == 0 && as_json_get(body, "rejected")) {
		set_state(s, "undistilled", as_json_cstr(as_json_get(body, "rejected"), "no reason given"));
	} else if (rc == 0 && body) {
		rc = make_task(s, &c, trace, body, err);
	}
	as_json_free(body);
	as_world_close(c.world, &c.call);
	as_trace_free(trace);
	as_arena_free(&arena);
	return rc < 0 ? rc : put_row(s, e, err);
}

/* Step 4: is the task what it says it is? */
static int gate_task(as_worker *w, as_slot *s, as_engine *e, assay_error *err)
{
	as_trace *trace = NULL;
	as_tape *tape = NULL;
	assay_text text = {0};
	bool passed = false;
	const char *reason = "";
	int rc = load_trace(s, e, &trace, err);
	if (rc == 0) {
		rc = as_store_get_document(e->store, "tape", as_str(s->tape_id), &text, err);
	}
	if (rc == 0) {
		rc = as_store_row(e->store, as_tape_parse(as_text_str(text), &tape, err), "tape", as_str(s->tape_id),
				  err);
	}
	if (rc == 0) {
		as_json_free(s->certificate);
		s->certificate = NULL;
		rc = as_gates_run(w, s->task, trace, tape, s->key, NULL, &s->certificate, &passed, &reason, err);
	}
	if (rc == 0) {
		set_state(s, passed ? "gated" : "rejected", reason);
		rc = put_task(s, e, false, err);
	}
	as_text_free(&text);
	as_tape_free(tape);
	as_trace_free(trace);
	return rc < 0 ? rc : put_row(s, e, err);
}

int as_slot_advance(as_worker *w, as_slot *s, int upto, assay_error *err)
{
	as_context c;
	as_engine *e;
	int rc = 0;
	as_context_init(&c, w, "generate", s->key, 0, 0);
	e = c.engine;
	if (s->state[0] == '\0') {
		rc = write_goal(w, s, e, err);
	}
	if (rc == 0 && upto >= AS_STEP_EXPLORE && is_state(s, "written")) {
		rc = explore_goal(w, s, e, err);
	}
	if (rc == 0 && upto >= AS_STEP_DISTIL && is_state(s, "explored")) {
		rc = distil_trace(w, s, e, err);
	}
	if (rc == 0 && upto >= AS_STEP_GATE && is_state(s, "distilled")) {
		rc = gate_task(w, s, e, err);
	}
	return rc;
}

bool as_slot_passed(const as_slot *s)
{
	return is_state(s, "gated") || is_state(s, "certified") || is_state(s, "surplus") ||
	       (is_state(s, "rejected") && strcmp(s->reason, "duplicate") == 0);
}

int as_slot_settle(as_slot *s, as_engine *e, const char *state, const char *reason, assay_error *err)
{
	int rc;
	if (is_state(s, state) && strcmp(s->reason, reason) == 0) {
		return 0;
	}
	set_state(s, state, reason);
	rc = put_task(s, e, strcmp(state, "certified") == 0, err);
	return rc < 0 ? rc : put_row(s, e, err);
}

void as_slot_clear(as_slot *s)
{
	as_json_free(s->goal);
	as_json_free(s->task);
	as_json_free(s->certificate);
	*s = (as_slot){0};
}
