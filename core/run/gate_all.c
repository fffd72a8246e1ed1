/* The gates alone, on every task that the store holds: made here, or imported. */
#include "core/base/error.h"
#include "core/run/context.h"
#include "core/run/gates.h"
#include <stdlib.h>
#include <string.h>

typedef struct gating {
	as_engine *engine;
	as_worker *worker;
	as_arena arena;
	as_task_row *list; /* texts: the arena's */
	size_t n, cap;
	as_goal_row *goals; /* of these tasks, in their order; texts: the arena's */
	size_t n_goals, cap_goals;
	assay_json *out; /* array, one object a task */
	uint64_t lost;
} gating;

static int keep_row(void *payload, const as_task_row *row, assay_error *err)
{
	gating *g = payload;
	as_task_row *t;
	if (!as_grow(&g->list, &g->cap, g->n + 1, sizeof *g->list)) {
		return as_fail_memory(err);
	}
	t = &g->list[g->n++];
	*t = *row;
	t->run_id = as_str(g->engine->manifest->bench_id);
	t->task_id = as_arena_str(&g->arena, row->task_id);
	t->category = as_arena_str(&g->arena, row->category);
	t->body = as_arena_str(&g->arena, row->body);
	t->trace_id = as_arena_str(&g->arena, row->trace_id);
	t->tape_id = as_arena_str(&g->arena, row->tape_id);
	t->certificate = as_arena_str(&g->arena, row->certificate);
	return g->arena.failed ? as_fail_memory(err) : 0;
}

/* The goal of a task whose certificate a later look at the gates took says so. */
#define LOST "lost its certificate: "

static bool has_lost(const gating *g, const as_task_row *t)
{
	for (size_t i = 0; i < g->n_goals; i++) {
		if (g->goals[i].index == t->index && as_str_eq(g->goals[i].category, t->category)) {
			return as_str_starts(g->goals[i].reason, ASSAY_STR(LOST));
		}
	}
	return false;
}

static int report(gating *g, const as_task_row *t, bool passed, const char *reason, const assay_json *certificate)
{
	assay_json *o = as_json_object(), *failed = as_json_array();
	int rc = failed ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = as_json_first(certificate); c && rc == 0; c = as_json_next(c)) {
		if (!as_json_boolean(as_json_get(c, "passed"), 0)) {
			rc = as_json_append(failed, as_json_clone(as_json_get(c, "gate")));
		}
	}
	rc |= as_json_set(o, "task_id", as_json_string(t->task_id));
	rc |= as_json_set(o, "category", as_json_string(t->category));
	rc |= as_json_set(o, "index", as_json_integer(t->index));
	rc |= as_json_set(o, "passed", as_json_truth(passed));
	rc |= as_json_set(o, "certified", as_json_truth(t->certified));
	rc |= as_json_set(o, "refused_by", as_json_cstring(reason));
	rc |= as_json_set(o, "failed", failed);
	if (rc < 0) {
		as_json_free(o);
		return ASSAY_ENOMEM;
	}
	return as_json_append(g->out, o);
}

static int load(gating *g, const as_task_row *t, assay_json **task, as_trace **trace, as_tape **tape, assay_error *err)
{
	as_store *store = g->engine->store;
	assay_text text = {0};
	int rc = as_json_parse(t->body, ASSAY_JSON_PEER, task, err);
	rc = rc < 0 ? rc : as_store_get_document(store, "trace", t->trace_id, &text, err);
	rc = rc < 0 ? rc : as_trace_parse(as_text_str(text), trace, err);
	as_text_free(&text);
	rc = rc < 0 ? rc : as_store_get_document(store, "tape", t->tape_id, &text, err);
	rc = rc < 0 ? rc : as_tape_parse(as_text_str(text), tape, err);
	as_text_free(&text);
	return as_store_row(store, rc, "task", t->task_id, err);
}

static int keep_goal(void *payload, const as_goal_row *row, assay_error *err)
{
	gating *g = payload;
	as_goal_row *r;
	if (row->task_id.len == 0) {
		return 0;
	}
	if (!as_grow(&g->goals, &g->cap_goals, g->n_goals + 1, sizeof *g->goals)) {
		return as_fail_memory(err);
	}
	r = &g->goals[g->n_goals++];
	*r = *row;
	r->run_id = as_str(g->engine->manifest->bench_id);
	r->category = as_arena_str(&g->arena, row->category);
	r->reason = as_arena_str(&g->arena, row->reason);
	r->goal_id = as_arena_str(&g->arena, row->goal_id);
	r->body = as_arena_str(&g->arena, row->body);
	r->trace_id = as_arena_str(&g->arena, row->trace_id);
	r->task_id = as_arena_str(&g->arena, row->task_id);
	return g->arena.failed ? as_fail_memory(err) : 0;
}

/* The funnel counts a task where its certificate says that it is. */
static int settle_goal(gating *g, const as_task_row *t, const char *reason, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < g->n_goals && rc == 0; i++) {
		as_goal_row *r = &g->goals[i];
		if (r->index == t->index && as_str_eq(r->category, t->category)) {
			r->state = t->certified ? ASSAY_STR("certified") : ASSAY_STR("rejected");
			r->reason = as_str(t->certified ? "" : as_arena_printf(&g->arena, LOST "%s", reason));
			if (g->arena.failed) {
				return as_fail_memory(err);
			}
			rc = as_store_put_goal(g->engine->store, r, err);
		}
	}
	return rc;
}

/* A task that no longer passes loses its certificate, and gets it back when it passes again; one that passes and never
 * had one is not taken in here: what else its category wanted is not known. Of an import every task is wanted. */
static int gate_one(gating *g, as_task_row *t, assay_error *err)
{
	assay_json *task = NULL, *certificate = NULL, *known = NULL;
	as_trace *trace = NULL;
	as_tape *tape = NULL;
	assay_text text = {0};
	const char *reason = "";
	bool passed = false;
	int rc;
	if (t->trace_id.len == 0) {
		return report(g, t, false, AS_NO_REFERENCE, NULL) < 0 ? as_fail_memory(err) : 0;
	}
	rc = load(g, t, &task, &trace, &tape, err);
	if (rc == 0 && t->certificate.len > 0) {
		rc = as_json_parse(t->certificate, ASSAY_JSON_PEER, &known, err);
	}
	rc = rc < 0 ? rc
		    : as_gates_run(g->worker, task, trace, tape, "gate", known, &certificate, &passed, &reason, err);
	rc = rc < 0 ? rc : as_json_dump(certificate, ASSAY_JSON_COMPACT, &text, err);
	if (rc == 0) {
		bool before = t->certified, wanted = before || g->engine->manifest->imported || has_lost(g, t);
		t->certificate = as_text_str(text);
		t->certified = wanted && passed;
		g->lost += wanted && !passed;
		rc = as_store_put_task(g->engine->store, t, err);
		rc = rc < 0 || t->certified == before ? rc : settle_goal(g, t, reason, err);
	}
	if (rc == 0 && report(g, t, passed, reason, certificate) < 0) {
		rc = as_fail_memory(err);
	}
	as_text_free(&text);
	as_tape_free(tape);
	as_trace_free(trace);
	as_json_free(certificate);
	as_json_free(known);
	as_json_free(task);
	return rc;
}

int as_stage_gates(as_engine *e, assay_json **tasks, uint64_t *lost, assay_error *err)
{
	gating g = {.engine = e, .out = as_json_array()};
	int rc = g.out ? as_worker_new(e, &g.worker, err) : as_fail_memory(err);
	if (rc == 0) {
		rc = as_store_tasks(e->store, as_str(e->manifest->bench_id), false, keep_row, &g, err);
	}
	rc = rc < 0 ? rc : as_store_goals(e->store, as_str(e->manifest->bench_id), keep_goal, &g, err);
	as_progress_begin(e->progress, "gates", g.n);
	for (size_t i = 0; i < g.n && rc == 0; i++) {
		rc = as_cancel_is_set(e->cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted")
						 : gate_one(&g, &g.list[i], err);
		as_progress_step(e->progress, 1);
	}
	as_progress_end(e->progress);
	as_worker_free(g.worker);
	free(g.list);
	free(g.goals);
	as_arena_free(&g.arena);
	*lost = g.lost;
	*tasks = g.out;
	if (rc < 0) {
		as_json_free(g.out);
		*tasks = NULL;
	}
	return rc;
}
