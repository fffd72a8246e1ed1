/* Evaluation: every task × candidate × condition × repeat becomes an attempt with its verdicts, once. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/attempt.h"
#include "core/run/evidence.h"
#include "core/run/makers.h"
#include "core/run/reach.h"
#include "core/run/score.h"
#include "core/run/simulate.h"
#include "core/run/voids.h"
#include "core/task/task.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A certified task as all attempts share it. */
typedef struct eval_task {
	assay_json *document;
	as_tape *tape;
	as_arena arena;
	assay_tools required, surface;
	const assay_json *servers; /* the goal's: part of the document */
	uint32_t seed;
} eval_task;

/* What the store already has of an attempt. */
typedef struct done_attempt {
	char id[65];
	int64_t tries;
	bool settled, unjudged; /* unjudged: of the last try only the judge's word is missing */
} done_attempt;

typedef struct eval_item {
	uint32_t condition, candidate, task, repeat;
} eval_item;

typedef struct evaluation {
	as_engine *engine;
	as_worker **workers;
	eval_task *tasks;
	size_t n_tasks, cap_tasks;
	eval_task **by_id; /* the tasks, sorted; made by index_tasks */
	done_attempt *done;
	size_t n_done, cap_done;
	eval_item *items;
	size_t n_items, cap_items;
	uint64_t made, voided;
	pthread_mutex_t lock; /* guards made, voided and the engine's void_causes */
} evaluation;

static void eval_free(evaluation *v)
{
	for (uint32_t i = 0; v->workers && i < v->engine->jobs; i++) {
		as_worker_free(v->workers[i]);
	}
	free(v->by_id);
	for (size_t i = 0; i < v->n_tasks; i++) {
		as_json_free(v->tasks[i].document);
		as_tape_free(v->tasks[i].tape);
		as_arena_free(&v->tasks[i].arena);
	}
	free(v->workers);
	free(v->tasks);
	free(v->done);
	free(v->items);
}

/* What is needed of a task row while the store is being listed; the tape is fetched afterwards. */
typedef struct task_listing {
	evaluation *v;
	as_arena arena;
	assay_str *tapes;
	size_t n, cap;
} task_listing;

static int list_task(void *payload, const as_task_row *row, assay_error *err)
{
	task_listing *l = payload;
	evaluation *v = l->v;
	eval_task *t;
	if (!as_grow(&v->tasks, &v->cap_tasks, v->n_tasks + 1, sizeof *v->tasks) ||
	    !as_grow(&l->tapes, &l->cap, l->n + 1, sizeof *l->tapes)) {
		return as_fail_memory(err);
	}
	l->tapes[l->n++] = as_arena_str(&l->arena, row->tape_id);
	t = &v->tasks[v->n_tasks++];
	*t = (eval_task){0};
	if (l->arena.failed) {
		return as_fail_memory(err);
	}
	int rc = as_json_parse(row->body, ASSAY_JSON_PEER, &t->document, err);
	if (rc == 0 && !as_str_eq(as_json_str(as_json_get(t->document, "task_id")), row->task_id)) {
		rc = as_fail(err, ASSAY_EDATA, "the row's body is not the task of that \"task_id\"");
		as_error_pointer(err, "/task_id");
	}
	return rc;
}

static int complete_task(evaluation *v, eval_task *t, assay_str tape_id, assay_error *err)
{
	as_engine *e = v->engine;
	assay_text body = {0};
	int rc = as_store_get_document(e->store, "tape", tape_id, &body, err);
	if (rc == 0) {
		rc = as_store_row(e->store, as_tape_parse(as_text_str(body), &t->tape, err), "tape", tape_id, err);
	}
	if (rc == 0) {
		rc = as_task_required(t->document, e->catalogue, &t->arena, &t->required, err);
	}
	if (rc == 0) {
		t->servers = as_task_servers(t->document);
		rc = as_catalogue_surface(e->catalogue, t->servers, &t->arena, &t->surface, err);
	}
	as_uuid_seed(as_json_str(as_json_get(t->document, "task_id")), &t->seed);
	as_text_free(&body);
	return rc;
}

static int load_tasks(evaluation *v, assay_error *err)
{
	task_listing l = {.v = v};
	int rc = as_store_tasks(v->engine->store, as_str(v->engine->manifest->bench_id), true, list_task, &l, err);
	for (size_t i = 0; i < v->n_tasks && rc == 0; i++) {
		rc = complete_task(v, &v->tasks[i], l.tapes[i], err);
	}
	free(l.tapes);
	as_arena_free(&l.arena);
	return rc;
}

/* Did the agent do its part, and nobody could say how well? */
static bool is_unjudged(const as_attempt_row *row)
{
	return row->voided && as_str_is(row->end, "judge_unreachable");
}

static int list_done(void *payload, const as_attempt_row *row, assay_error *err)
{
	evaluation *v = payload;
	done_attempt *last = v->n_done ? &v->done[v->n_done - 1] : NULL;
	if (!last || !as_str_is(row->attempt_id, last->id)) {
		if (!as_grow(&v->done, &v->cap_done, v->n_done + 1, sizeof *v->done)) {
			return as_fail_memory(err);
		}
		last = &v->done[v->n_done++];
		*last = (done_attempt){0};
		memcpy(last->id, row->attempt_id.ptr, row->attempt_id.len < 64 ? row->attempt_id.len : 64);
	}
	if (row->try_number > last->tries) {
		last->tries = row->try_number;
		last->unjudged = is_unjudged(row);
	}
	last->settled = last->settled || !row->voided;
	return 0;
}

static int compare_done(const void *a, const void *b)
{
	return strcmp(((const done_attempt *)a)->id, ((const done_attempt *)b)->id);
}

static const done_attempt *find_done(const evaluation *v, const char *id)
{
	done_attempt key = {0};
	memcpy(key.id, id, 64);
	return v->n_done ? bsearch(&key, v->done, v->n_done, sizeof *v->done, compare_done) : NULL;
}

static int list_items(evaluation *v, assay_error *err)
{
	const as_manifest *m = v->engine->manifest;
	for (uint32_t k = 0; k < m->n_conditions; k++) {
		for (uint32_t c = 0; c < m->n_candidates; c++) {
			bool made =
				as_manifest_pairs(&m->conditions[k], &m->candidates[c]) && !m->candidates[c].recorded;
			for (uint32_t t = 0; t < v->n_tasks && made; t++) {
				for (uint32_t r = 0; r < m->conditions[k].attempts; r++) {
					if (!as_grow(&v->items, &v->cap_items, v->n_items + 1, sizeof *v->items)) {
						return as_fail_memory(err);
					}
					v->items[v->n_items++] = (eval_item){k, c, t, r};
				}
			}
		}
	}
	return 0;
}

/* Verdicts of one try as the store takes them; bodies live in `texts`. */
typedef struct verdict_set {
	as_verdict_row *rows;
	assay_text *texts;
	assay_json **values;
	size_t n;
} verdict_set;

static void verdicts_free(verdict_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		as_text_free(&s->texts[i]);
		as_json_free(s->values[i]);
	}
	free(s->rows);
	free(s->texts);
	free(s->values);
}

static int score_all(as_worker *w, as_engine *e, const assay_json *task, const as_trace *trace, const char *subject,
		     int64_t number, verdict_set *s, assay_error *err)
{
	const as_manifest *m = e->manifest;
	int rc = 0;
	s->rows = as_new(m->n_scorers, sizeof *s->rows);
	s->texts = as_new(m->n_scorers, sizeof *s->texts);
	s->values = as_new(m->n_scorers, sizeof(assay_json *));
	if (!s->rows || !s->texts || !s->values) {
		return as_fail_memory(err);
	}
	for (; s->n < m->n_scorers && rc == 0; s->n++) {
		const as_use *use = &m->scorers[s->n];
		assay_json **value = &s->values[s->n];
		as_instance *scorer;
		as_context c;
		as_context_init(&c, w, use->use, subject, 0, 0);
		c.model = as_manifest_model(m, use->model);
		c.call.checks = as_worker_checks(w);
		c.try_number = number;
		rc = as_worker_instance(w, use, ASSAY_ROLE_SCORER, &scorer, err);
		if (rc == 0) {
			rc = as_score_with_evidence(&c, scorer, task, trace, NULL, value, err);
		}
		if (rc == 0) {
			rc = as_json_dump(*value, ASSAY_JSON_COMPACT, &s->texts[s->n], err);
		}
		s->rows[s->n] =
			(as_verdict_row){as_str(use->use), as_json_str(as_json_get(*value, "verdict")),
					 as_json_f64(as_json_get(*value, "lo"), 0),
					 as_json_f64(as_json_get(*value, "hi"), 0), as_text_str(s->texts[s->n])};
	}
	return rc;
}

/* A fail whose end was not the agent's doing counts in no rate; a pass stands whatever the end. */
static bool is_void(const as_manifest *m, const as_verdict_row *headline, assay_str end_class)
{
	return !as_str_is(headline->verdict, "pass") && as_manifest_voids(m, end_class);
}

/* A verdict that nobody could give is no agent's doing; once it has been given, the agent's own end stands again. Who
 * could not go on has not done his part yet, whatever a judge would say. */
static void judge_end(const assay_json *verdict, const as_trace *trace, as_attempt_row *row)
{
	const char *own = as_declared_end(
		as_json_str(as_json_pointer(as_trace_document(trace), "/seed_metadata/exploration/end")));
	bool waited = as_str_is(row->end, "judge_unreachable");
	if (as_evidence_failed(verdict) && (waited || as_str_is(row->end_class, "agent"))) {
		row->end = ASSAY_STR("judge_unreachable");
		row->end_class = ASSAY_STR("infra");
	} else if (waited) {
		row->end = as_str(own ? own : "finished");
		row->end_class = ASSAY_STR("agent");
	}
}

static assay_json *attempt_metadata(const evaluation *v, const eval_item *item)
{
	const as_manifest *m = v->engine->manifest;
	const as_candidate_spec *candidate = &m->candidates[item->candidate];
	const as_condition_spec *condition = &m->conditions[item->condition];
	assay_json *meta = as_json_object(), *ours = as_json_object();
	int rc = as_json_set(ours, "candidate", as_json_cstring(candidate->name));
	rc |= as_json_set(ours, "condition", as_json_cstring(condition->name));
	rc |= as_json_set(ours, "repeat", as_json_integer(item->repeat));
	rc |= as_json_set(meta, "llm_model", as_json_cstring(candidate->explorer.model));
	rc |= as_json_set(meta, "budget", as_json_integer(condition->budget.turns));
	rc |= as_json_set(meta, "task_id", as_json_clone(as_json_get(v->tasks[item->task].document, "task_id")));
	rc |= as_json_set(meta, "assay", ours);
	if (rc < 0) {
		as_json_free(meta);
		return NULL;
	}
	return meta;
}

static int note_void(evaluation *v, const as_attempt_row *row, const assay_json *verdict, const assay_error *cause,
		     assay_error *err)
{
	assay_error judge = {0};
	int rc;
	if (is_unjudged(row)) {
		as_evidence_failure(verdict, &judge);
		cause = &judge;
	}
	pthread_mutex_lock(&v->lock);
	rc = as_voids_note(v->engine, row->end, cause, err);
	pthread_mutex_unlock(&v->lock);
	return rc;
}

/* A session's trace, scored, as a row of the store. */
static int keep_try(evaluation *v, as_worker *w, const eval_item *item, const char *id, int64_t number,
		    const as_session_result *result, bool *voided, bool *unjudged, assay_error *err)
{
	as_engine *e = v->engine;
	const as_manifest *m = e->manifest;
	const assay_json *task = v->tasks[item->task].document;
	verdict_set verdicts = {0};
	assay_text text = {0};
	int rc = score_all(w, e, task, result->trace, id, number, &verdicts, err);
	if (rc == 0) {
		rc = as_json_dump(as_trace_document(result->trace), ASSAY_JSON_COMPACT, &text, err);
	}
	if (rc == 0) {
		as_attempt_row row = {.attempt_id = as_str(id),
				      .run_id = as_str(m->bench_id),
				      .task_id = as_json_str(as_json_get(task, "task_id")),
				      .candidate = as_str(m->candidates[item->candidate].name),
				      .condition = as_str(m->conditions[item->condition].name),
				      .repeat = item->repeat,
				      .try_number = number,
				      .end = as_str(result->end),
				      .end_class = as_str(result->end_class),
				      .trace = as_text_str(text),
				      .verdicts = verdicts.rows,
				      .n_verdicts = verdicts.n};
		judge_end(verdicts.values[m->headline], result->trace, &row);
		*voided = is_void(m, &verdicts.rows[m->headline], row.end_class);
		row.voided = *voided;
		*unjudged = is_unjudged(&row);
		rc = as_store_put_attempt(e->store, &row, err);
		rc = rc < 0 || !*voided ? rc : note_void(v, &row, verdicts.values[m->headline], &result->cause, err);
	}
	as_text_free(&text);
	verdicts_free(&verdicts);
	return rc;
}

/* One try of one attempt, to its row in the store. *voided tells whether it counts, *unjudged whether that is for want
 * of a judge. */
static int run_try(evaluation *v, as_worker *w, const eval_item *item, const char *id, int64_t number, bool *voided,
		   bool *unjudged, assay_error *err)
{
	as_engine *e = v->engine;
	const as_manifest *m = e->manifest;
	const eval_task *t = &v->tasks[item->task];
	const as_condition_spec *condition = &m->conditions[item->condition];
	const as_candidate_spec *candidate = &m->candidates[item->candidate];
	as_replay_options replay = condition->replay;
	as_session_spec spec = {.explorer = &candidate->explorer,
				.exposure = &condition->exposure,
				.model = as_manifest_model(m, candidate->explorer.model),
				.trace_servers = t->servers,
				.budget = condition->budget,
				.sampling = candidate->sampling,
				.subject = id,
				.try_number = number};
	as_session_result result = {0};
	int rc;
	spec.request = (assay_exposure_request){.size = sizeof spec.request,
						.seed = t->seed,
						.prompt = as_json_str(as_json_get(t->document, "prompt")),
						.required = t->required,
						.surface = t->surface,
						.catalogue = as_catalogue_tools(e->catalogue)};
	spec.task = t->document;
	spec.seed = as_hash_u64(id);
	replay.task = t->document;
	spec.described = condition->describer.use ? condition : NULL;
	replay.simulate = condition->simulator.use ? as_simulate : NULL;
	replay.simulator = (void *)(uintptr_t)&condition->simulator;
	spec.probed = replay.mode == AS_REPLAY_STATEFUL; /* the reference has no probes, and one eternal version */
	rc = as_replay_open(t->tape, &replay, &spec.world, err);
	if (rc < 0) {
		return rc;
	}
	spec.seed_metadata = attempt_metadata(v, item);
	rc = spec.seed_metadata ? as_session_run(w, &spec, &result, err) : as_fail_memory(err);
	if (rc == 0) {
		rc = keep_try(v, w, item, id, number, &result, voided, unjudged, err);
	}
	as_trace_free(result.trace);
	as_world_close(spec.world, NULL);
	return rc;
}

static int make_workers(evaluation *v, assay_error *err)
{
	int rc = 0;
	v->workers = as_new(v->engine->jobs, sizeof(as_worker *));
	for (uint32_t i = 0; v->workers && i < v->engine->jobs && rc == 0; i++) {
		rc = as_worker_new(v->engine, &v->workers[i], err);
	}
	return v->workers ? rc : as_fail_memory(err);
}

/* One stored try, scored again: a copy, as the store is written to meanwhile. */
typedef struct rescored {
	as_arena arena;
	as_verdict_row *old; /* the verdicts so far: whose, and in full */
	size_t n_old;
	as_attempt_row row;
} rescored;

static int copy_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	rescored *r = payload;
	r->old = as_arena_alloc(&r->arena, (row->n_verdicts + 1) * sizeof *r->old);
	if (!r->old) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < row->n_verdicts; i++) {
		r->old[i] = (as_verdict_row){.scorer = as_arena_str(&r->arena, row->verdicts[i].scorer),
					     .body = as_arena_str(&r->arena, row->verdicts[i].body)};
	}
	r->n_old = row->n_verdicts;
	r->row = *row;
	r->row.attempt_id = as_arena_str(&r->arena, row->attempt_id);
	r->row.run_id = as_arena_str(&r->arena, row->run_id);
	r->row.task_id = as_arena_str(&r->arena, row->task_id);
	r->row.candidate = as_arena_str(&r->arena, row->candidate);
	r->row.condition = as_arena_str(&r->arena, row->condition);
	r->row.end = as_arena_str(&r->arena, row->end);
	r->row.end_class = as_arena_str(&r->arena, row->end_class);
	r->row.trace = as_arena_str(&r->arena, row->trace);
	return r->arena.failed ? as_fail_memory(err) : 0;
}

static assay_str id_of(const eval_task *t)
{
	return as_json_str(as_json_get(t->document, "task_id"));
}

static int by_task_id(const void *a, const void *b)
{
	return as_str_cmp(id_of(*(eval_task *const *)a), id_of(*(eval_task *const *)b));
}

static int index_tasks(evaluation *v, assay_error *err)
{
	v->by_id = as_new(v->n_tasks + 1, sizeof(eval_task *));
	if (!v->by_id) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < v->n_tasks; i++) {
		v->by_id[i] = &v->tasks[i];
	}
	qsort(v->by_id, v->n_tasks, sizeof(eval_task *), by_task_id);
	return 0;
}

static const eval_task *task_by_id(const evaluation *v, assay_str id)
{
	size_t low = 0, high = v->n_tasks;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = as_str_cmp(id_of(v->by_id[middle]), id);
		if (order == 0) {
			return v->by_id[middle];
		}
		low = order < 0 ? middle + 1 : low;
		high = order < 0 ? high : middle;
	}
	return NULL;
}

static bool was_said(const rescored *item, const as_verdict_row *verdict)
{
	for (size_t i = 0; i < item->n_old; i++) {
		if (as_str_eq(item->old[i].scorer, verdict->scorer) && as_str_eq(item->old[i].body, verdict->body)) {
			return true;
		}
	}
	return false;
}

/* *changed: verdicts that nobody had given before in these words, whichever scorer's. */
static int rescore_one(evaluation *v, as_worker *w, rescored *item, uint64_t *changed, assay_error *err)
{
	const eval_task *t = task_by_id(v, item->row.task_id);
	as_trace *trace = NULL;
	verdict_set s = {0};
	int rc;
	*changed = 0;
	if (!t) {
		return 0; /* its task is no longer certified */
	}
	rc = as_store_row(v->engine->store, as_trace_parse(item->row.trace, &trace, err), "attempt",
			  item->row.attempt_id, err);
	rc = rc < 0 ? rc
		    : score_all(w, v->engine, t->document, trace, item->row.attempt_id.ptr, item->row.try_number, &s,
				err);
	if (rc == 0) {
		const as_verdict_row *headline = &s.rows[v->engine->manifest->headline];
		for (size_t i = 0; i < s.n; i++) {
			*changed += !was_said(item, &s.rows[i]);
		}
		judge_end(s.values[v->engine->manifest->headline], trace, &item->row);
		item->row.voided = is_void(v->engine->manifest, headline, item->row.end_class);
		item->row.trace = (assay_str){NULL, 0};
		item->row.verdicts = s.rows;
		item->row.n_verdicts = s.n;
		rc = as_store_put_attempt(v->engine->store, &item->row, err);
		if (rc == 0 && is_unjudged(&item->row)) {
			rc = note_void(v, &item->row, s.values[v->engine->manifest->headline], NULL, err);
		}
	}
	verdicts_free(&s);
	as_trace_free(trace);
	return rc;
}

/* What a try's agent did stands in the store: only its judge is asked again. */
static int judge_again(evaluation *v, as_worker *w, const char *id, int64_t number, bool *voided, bool *unjudged,
		       assay_error *err)
{
	rescored r = {.n_old = 0};
	uint64_t differ;
	int rc = as_store_next_attempt(v->engine->store, as_str(v->engine->manifest->bench_id), as_str(id), number - 1,
				       copy_attempt, &r, err);
	rc = rc < 0 ? rc : rescore_one(v, w, &r, &differ, err);
	*voided = r.row.voided;
	*unjudged = is_unjudged(&r.row);
	as_arena_free(&r.arena);
	return rc;
}

static int run_item(void *context, uint32_t worker, size_t index, assay_error *err)
{
	evaluation *v = context;
	const as_manifest *m = v->engine->manifest;
	const eval_item *item = &v->items[index];
	as_worker *w = v->workers[worker];
	const done_attempt *done;
	char id[65];
	bool voided, unjudged;
	int64_t number;
	int rc = as_attempt_id(as_json_str(as_json_get(v->tasks[item->task].document, "task_id")),
			       &m->candidates[item->candidate], &m->conditions[item->condition], item->repeat, id, err);
	if (rc < 0) {
		return rc;
	}
	done = find_done(v, id);
	voided = !(done && done->settled);
	unjudged = done && done->unjudged;
	number = done ? done->tries : 0;
	/* Each run of the command may try anew: what is void was nobody's answer. */
	for (int64_t left = (int64_t)m->retry_void + 1; rc == 0 && voided && left > 0; left--) {
		rc = unjudged ? judge_again(v, w, id, number, &voided, &unjudged, err)
			      : run_try(v, w, item, id, ++number, &voided, &unjudged, err);
		pthread_mutex_lock(&v->lock);
		v->made += rc == 0;
		pthread_mutex_unlock(&v->lock);
	}
	pthread_mutex_lock(&v->lock);
	v->voided += rc == 0 && voided;
	pthread_mutex_unlock(&v->lock);
	as_progress_step(v->engine->progress, 1);
	return rc;
}

int as_stage_evaluate(as_engine *e, uint64_t *made, assay_error *err)
{
	evaluation v = {.engine = e};
	int rc;
	*made = 0;
	if (pthread_mutex_init(&v.lock, NULL) != 0) {
		return as_fail_memory(err);
	}
	rc = as_check_models(e, false, err);
	if (rc == 0) {
		rc = make_workers(&v, err);
	}
	if (rc == 0) {
		rc = load_tasks(&v, err);
		rc = rc < 0 ? rc : index_tasks(&v, err);
	}
	if (rc == 0) {
		rc = as_store_attempts(e->store, as_str(e->manifest->bench_id), false, list_done, &v, err);
	}
	if (rc == 0) {
		if (v.n_done > 1) {
			qsort(v.done, v.n_done, sizeof *v.done, compare_done);
		}
		rc = list_items(&v, err);
	}
	if (rc == 0) {
		as_progress_begin(e->progress, "attempts", v.n_items);
		rc = as_pool_run(v.n_items, e->jobs, run_item, &v, e->cancel, err);
		as_progress_end(e->progress);
	}
	*made = v.made;
	e->attempts = v.n_items;
	e->voided = v.voided;
	rc = rc < 0 ? rc : as_voids_tell(e, err);
	pthread_mutex_destroy(&v.lock);
	eval_free(&v);
	return rc;
}

/* One after the other, so that memory does not grow with their number. */
static int rescore_each(evaluation *v, uint64_t *scored, uint64_t *changed, assay_error *err)
{
	const as_engine *e = v->engine;
	rescored last = {.row.attempt_id = ASSAY_STR("")};
	int rc = 0;
	while (rc == 0) {
		rescored r = {.n_old = 0};
		uint64_t differ = 0;
		rc = as_cancel_is_set(e->cancel)
			     ? as_fail(err, ASSAY_ECANCELED, "interrupted")
			     : as_store_next_attempt(e->store, as_str(e->manifest->bench_id), last.row.attempt_id,
						     last.row.try_number, copy_attempt, &r, err);
		as_arena_free(&last.arena);
		last = r;
		if (rc == ASSAY_ENOENT) {
			rc = 0;
			break;
		}
		if (rc == 0 && last.row.trace.len == 0) {
			continue; /* recorded elsewhere, and the trace did not come along */
		}
		rc = rc < 0 ? rc : rescore_one(v, v->workers[0], &last, &differ, err);
		*scored += rc == 0;
		*changed += rc == 0 ? differ : 0;
	}
	as_arena_free(&last.arena);
	return rc;
}

int as_stage_rescore(as_engine *e, uint64_t *scored, uint64_t *changed, assay_error *err)
{
	evaluation v = {.engine = e, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = make_workers(&v, err);
	*scored = 0;
	*changed = 0;
	rc = rc < 0 ? rc : load_tasks(&v, err);
	rc = rc < 0 ? rc : index_tasks(&v, err);
	rc = rc < 0 ? rc : rescore_each(&v, scored, changed, err);
	rc = rc < 0 ? rc : as_note_scorers(e, err);
	rc = rc < 0 ? rc : as_voids_tell(e, err);
	eval_free(&v);
	return rc;
}

static int reach_row(evaluation *v, uint32_t condition, assay_json *rows, assay_error *err)
{
	const as_engine *e = v->engine;
	const as_condition_spec *spec = &e->manifest->conditions[condition];
	uint64_t tools = 0, checkpoints = 0, reachable = 0, full = 0;
	assay_json *row;
	int rc = 0;
	for (size_t i = 0; i < v->n_tasks && rc == 0; i++) {
		const eval_task *t = &v->tasks[i];
		as_context c;
		as_reach reach;
		as_context_init(&c, v->workers[0], spec->exposure.use, "reach", t->seed, 0);
		rc = as_reach_offline(&c, spec,
				      &(assay_exposure_request){.size = sizeof(assay_exposure_request),
								.seed = t->seed,
								.prompt =
									as_json_str(as_json_get(t->document, "prompt")),
								.required = t->required,
								.surface = t->surface,
								.catalogue = as_catalogue_tools(e->catalogue)},
				      t->document, &reach, err);
		tools += reach.tools;
		checkpoints += reach.checkpoints;
		reachable += reach.reachable;
		full += reach.reachable == reach.checkpoints;
	}
	if (rc < 0) {
		return rc;
	}
	row = as_json_object();
	rc = as_json_set(row, "condition", as_json_cstring(spec->name));
	rc |= as_json_set(row, "exposure", as_json_cstring(spec->exposure.use));
	rc |= as_json_set(row, "tasks", as_json_integer((int64_t)v->n_tasks));
	rc |= as_json_set(row, "tools", as_json_integer((int64_t)tools));
	rc |= as_json_set(row, "checkpoints", as_json_integer((int64_t)checkpoints));
	rc |= as_json_set(row, "reachable", as_json_integer((int64_t)reachable));
	rc |= as_json_set(row, "tasks_reachable", as_json_integer((int64_t)full));
	if (rc < 0) {
		as_json_free(row);
		return as_fail_memory(err);
	}
	return as_json_append(rows, row) < 0 ? as_fail_memory(err) : 0;
}

int as_stage_reach(as_engine *e, assay_json **rows, assay_error *err)
{
	evaluation v = {.engine = e};
	int rc = make_workers(&v, err);
	*rows = as_json_array();
	rc = rc < 0 ? rc : *rows ? load_tasks(&v, err) : as_fail_memory(err);
	for (uint32_t i = 0; i < e->manifest->n_conditions && rc == 0; i++) {
		rc = e->manifest->conditions[i].recorded ? 0 : reach_row(&v, i, *rows, err);
	}
	eval_free(&v);
	if (rc < 0) {
		as_json_free(*rows);
		*rows = NULL;
	}
	return rc;
}
