#include "core/run/figures.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/ends.h"
#include "core/run/figures_table.h"
#include "core/stats/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int as_figures_new(const assay_json *manifest, const char *bench_id, as_figures **out, assay_error *err)
{
	as_figures *f = as_new(1, sizeof *f);
	*out = NULL;
	if (!f) {
		return as_fail_memory(err);
	}
	f->manifest = manifest;
	f->bench_id = as_arena_cstr(&f->arena, as_str(bench_id));
	f->servers = as_json_array();
	f->plugins = as_json_array();
	f->defaults = as_json_object();
	f->seed = as_hash_u64(bench_id);
	if (!f->bench_id || !f->servers || !f->plugins || !f->defaults) {
		as_figures_free(f);
		return as_fail_memory(err);
	}
	*out = f;
	return 0;
}

void as_figures_free(as_figures *f)
{
	if (!f) {
		return;
	}
	for (size_t i = 0; i < f->n_rows; i++) {
		free(f->rows[i].tries);
	}
	for (size_t i = 0; i < f->n_tasks; i++) {
		as_json_free(f->tasks[i].summary);
	}
	for (size_t i = 0; i < f->n_scores; i++) {
		free(f->scores[i].metrics);
	}
	free(f->scores);
	as_json_free(f->servers);
	as_json_free(f->plugins);
	as_json_free(f->defaults);
	free(f->rows);
	free(f->tasks);
	free(f->goals);
	free(f->gates);
	as_arena_free(&f->arena);
	free(f);
}

static int copy_member(assay_json *to, const char *key, const assay_json *from, const char *from_key)
{
	const assay_json *v = as_json_get(from, from_key);
	return as_json_set(to, key, v ? as_json_clone(v) : as_json_null());
}

int as_figures_add_server(as_figures *f, const assay_json *record, assay_error *err)
{
	const assay_json *print = as_json_get(record, "fingerprint");
	assay_json *s = as_json_object();
	int rc = copy_member(s, "server_id", record, "server_id");
	rc |= copy_member(s, "class", record, "class");
	rc |= copy_member(s, "name", print, "server_name");
	rc |= copy_member(s, "version", print, "server_version");
	rc |= copy_member(s, "protocol", print, "protocol_version");
	rc |= as_json_set(s, "tools", as_json_integer((int64_t)as_json_count(as_json_get(record, "tools"))));
	rc |= copy_member(s, "tool_surface_hash", print, "tool_surface_hash");
	if (rc < 0) {
		as_json_free(s);
		return as_fail_memory(err);
	}
	return as_json_append(f->servers, s) < 0 ? as_fail_memory(err) : 0;
}

int as_figures_add_plugin(as_figures *f, assay_str use, assay_str version, const assay_json *defaults, assay_error *err)
{
	assay_json *p = as_json_object();
	int rc = defaults ? as_json_set_n(f->defaults, use, as_json_clone(defaults)) : 0;
	rc |= as_json_set(p, "use", as_json_string(use));
	rc |= as_json_set(p, "version", as_json_string(version));
	if (rc < 0) {
		as_json_free(p);
		return as_fail_memory(err);
	}
	return as_json_append(f->plugins, p) < 0 ? as_fail_memory(err) : 0;
}

static figure_gate *gate_entry(as_figures *f, assay_str name)
{
	for (size_t i = 0; i < f->n_gates; i++) {
		if (as_str_eq(f->gates[i].name, name)) {
			return &f->gates[i];
		}
	}
	if (!as_grow(&f->gates, &f->cap_gates, f->n_gates + 1, sizeof *f->gates)) {
		return NULL;
	}
	f->gates[f->n_gates] = (figure_gate){.name = as_arena_str(&f->arena, name)};
	return &f->gates[f->n_gates++];
}

static bool is_required(const as_figures *f, assay_str gate)
{
	for (const assay_json *g = as_json_first(as_json_pointer(f->manifest, "/generation/gates/require")); g;
	     g = as_json_next(g)) {
		if (as_str_eq(as_json_str(g), gate)) {
			return true;
		}
	}
	return false;
}

static int count_gate(as_figures *f, assay_str name, bool required, bool passed, assay_error *err)
{
	figure_gate *entry = gate_entry(f, name);
	if (!entry) {
		return as_fail_memory(err);
	}
	entry->required = required;
	entry->passed += passed;
	entry->failed += !passed;
	return 0;
}

int as_figures_add_goal(as_figures *f, assay_str category, assay_str state, assay_str reason, const assay_json *gates,
			assay_error *err)
{
	for (const assay_json *g = as_json_first(gates); g; g = as_json_next(g)) {
		int rc = count_gate(f, as_json_key(g), is_required(f, as_json_key(g)), as_json_boolean(g, 0), err);
		if (rc < 0) {
			return rc;
		}
	}
	if (!as_grow(&f->goals, &f->cap_goals, f->n_goals + 1, sizeof *f->goals)) {
		return as_fail_memory(err);
	}
	f->goals[f->n_goals++] = (figure_goal){as_arena_str(&f->arena, category), as_arena_str(&f->arena, state),
					       as_arena_str(&f->arena, reason)};
	return f->arena.failed ? as_fail_memory(err) : 0;
}

static int count_gates(as_figures *f, const assay_json *certificate, assay_error *err)
{
	int rc = 0;
	for (const assay_json *g = as_json_first(certificate); g && rc == 0; g = as_json_next(g)) {
		rc = count_gate(f, as_json_str(as_json_get(g, "gate")), as_json_boolean(as_json_get(g, "required"), 0),
				as_json_boolean(as_json_get(g, "passed"), 0), err);
	}
	return rc;
}

int as_figures_add_task(as_figures *f, assay_str category, int64_t index, const assay_json *task,
			const assay_json *certificate, assay_error *err)
{
	const assay_json *level = as_json_pointer(task, "/provenance/assay/complexity");
	assay_json *s = as_json_object();
	figure_task *t;
	int rc = copy_member(s, "task_id", task, "task_id");
	rc |= as_json_set(s, "category", as_json_string(category));
	rc |= as_json_set(s, "index", as_json_integer(index));
	rc |= copy_member(s, "prompt", task, "prompt");
	rc |= copy_member(s, "servers", task, "servers_used");
	rc |= as_json_set(s, "checkpoints", as_json_integer((int64_t)as_json_count(as_json_get(task, "checkpoints"))));
	rc |= as_json_set(s, "minefields", as_json_integer((int64_t)as_json_count(as_json_get(task, "minefields"))));
	rc |= copy_member(s, "trace_depth", as_json_get(task, "complexity"), "trace_depth");
	if (level) {
		rc |= as_json_set(s, "level", as_json_clone(level));
	}
	if (rc < 0 || !as_grow(&f->tasks, &f->cap_tasks, f->n_tasks + 1, sizeof *f->tasks)) {
		as_json_free(s);
		return as_fail_memory(err);
	}
	t = &f->tasks[f->n_tasks++];
	*t = (figure_task){as_arena_str(&f->arena, as_json_str(as_json_get(task, "task_id"))),
			   as_arena_str(&f->arena, category), s};
	return f->arena.failed ? as_fail_memory(err) : count_gates(f, certificate, err);
}

/* The row of (condition, candidate), made on first sight. */
static figure_row *row_of(as_figures *f, assay_str condition, assay_str candidate)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		if (as_str_eq(f->rows[i].condition, condition) && as_str_eq(f->rows[i].candidate, candidate)) {
			return &f->rows[i];
		}
	}
	if (!as_grow(&f->rows, &f->cap_rows, f->n_rows + 1, sizeof *f->rows)) {
		return NULL;
	}
	f->rows[f->n_rows] = (figure_row){.condition = as_arena_str(&f->arena, condition),
					  .candidate = as_arena_str(&f->arena, candidate)};
	return &f->rows[f->n_rows++];
}

static int64_t task_position(const as_figures *f, assay_str task_id)
{
	for (size_t i = 0; i < f->n_tasks; i++) {
		if (as_str_eq(f->tasks[i].id, task_id)) {
			return (int64_t)i;
		}
	}
	return -1;
}

bool as_figures_has_task(const as_figures *f, assay_str task_id)
{
	return task_position(f, task_id) >= 0;
}

static uint32_t mines_hit(const assay_json *verdict)
{
	uint32_t n = 0;
	for (const assay_json *m = as_json_first(as_json_get(verdict, "minefields")); m; m = as_json_next(m)) {
		n += as_json_boolean(as_json_get(m, "hit"), 0) != 0;
	}
	return n;
}

/* A count of a verdict, which may be anybody's. */
static uint32_t count_in(const assay_json *o, const char *key)
{
	int64_t n = as_json_i64(as_json_get(o, key), 0);
	return n < 0 || n > INT32_MAX ? 0 : (uint32_t)n;
}

static struct figure_attribution attribution_of(const assay_json *sae)
{
	struct figure_attribution a = {count_in(sae, "total"), count_in(sae, "expected"),
				       count_in(sae, "correct_type_calls")};
	a.expected = a.expected > a.wrong ? a.wrong : a.expected;
	return a;
}

static void count_served(figure_try *t, const as_trace *trace)
{
	size_t n, n_aside;
	const assay_step *steps = as_trace_steps(trace, &n), *aside = as_trace_refused(trace, &n_aside);
	for (size_t i = 0; i < n; i++) {
		t->served[steps[i].served < SERVED_LEVELS ? steps[i].served : 0]++;
	}
	t->calls = (uint32_t)n;
	for (size_t i = 0; i < n_aside; i++) { /* what an exposure answered is no refusal */
		t->served[ASSAY_SERVED_REFUSED] += aside[i].status != ASSAY_STEP_SUCCESS;
	}
}

/* A try of the same attempt as the one before: that one does not wait any more. */
static void note_attempt(figure_row *row, assay_str id)
{
	if (row->n > 0 && as_str_is(id, row->last)) {
		row->tries[row->n - 1].pending = false;
	}
	snprintf(row->last, sizeof row->last, "%.*s", ASSAY_FMT(id));
}

int as_figures_add_attempt(as_figures *f, const as_figure_attempt *a, assay_error *err)
{
	int64_t task = task_position(f, a->task_id);
	figure_row *row;
	figure_try *t;
	if (task < 0) {
		return 0; /* of a task that is not in the set (any more) */
	}
	row = row_of(f, a->condition, a->candidate);
	if (!row || !as_grow(&row->tries, &row->cap, row->n + 1, sizeof *row->tries)) {
		return as_fail_memory(err);
	}
	note_attempt(row, a->attempt_id);
	t = &row->tries[row->n++];
	*t = (figure_try){.task = (size_t)task,
			  .voided = a->voided,
			  .pending = a->voided && as_is_pending_end(a->end),
			  .unknown = as_str_is(as_json_str(as_json_get(a->verdict, "verdict")), "unknown"),
			  .passed = as_str_is(as_json_str(as_json_get(a->verdict, "verdict")), "pass"),
			  .end = as_arena_str(&f->arena, a->end),
			  .mines = mines_hit(a->verdict)};
	/* How much is enough is the scorer's to say, and its verdict says it of lo; of hi, only all of it is sure to
	 * be. */
	t->passed_hi = t->passed || as_json_f64(as_json_get(a->verdict, "hi"), 0) >= 1.0;
	if (t->pending) {
		t->passed = false;
		t->passed_hi = true;
	}
	t->done = attribution_of(as_json_pointer(a->verdict, "/summary/sae"));
	t->tried = attribution_of(as_json_pointer(a->verdict, "/summary/assay/attempted_sae"));
	if (a->trace) {
		const assay_json *offered = as_json_pointer(as_trace_document(a->trace), "/seed_metadata/exposure");
		t->tools = (uint32_t)as_json_i64(as_json_get(offered, "tools"), 0);
		t->checkpoints = (uint32_t)as_json_i64(as_json_get(offered, "checkpoints"), 0);
		t->reachable = (uint32_t)as_json_i64(as_json_get(offered, "reachable"), 0);
		t->turns = as_json_i64(as_json_pointer(as_trace_document(a->trace), "/seed_metadata/exploration/turns"),
				       0);
		count_served(t, a->trace);
	}
	return f->arena.failed ? as_fail_memory(err) : 0;
}

static bool any_pending(const as_figures *f)
{
	for (size_t r = 0; r < f->n_rows; r++) {
		for (size_t i = 0; i < f->rows[r].n; i++) {
			if (f->rows[r].tries[i].pending) {
				return true;
			}
		}
	}
	return false;
}

/* Who judges, where that is a model. */
static int add_judge(const as_figures *f, assay_json *list)
{
	const assay_json *first = as_json_first(as_json_pointer(f->manifest, "/evaluation/scorers")), *scorer = first;
	as_buf text = {0};
	while (scorer && !as_json_boolean(as_json_get(scorer, "headline"), 0)) {
		scorer = as_json_next(scorer);
	}
	scorer = scorer ? scorer : first;
	if (!as_json_get(scorer, "model")) {
		return 0;
	}
	as_buf_printf(&text, "What passes is decided by %s with model %s.",
		      as_json_cstr(as_json_get(scorer, "use"), ""), as_json_cstr(as_json_get(scorer, "model"), ""));
	int rc = text.failed ? ASSAY_ENOMEM : as_json_append(list, as_json_string(as_buf_str(&text)));
	as_buf_free(&text);
	return rc;
}

static assay_json *captions_of(const as_figures *f)
{
	assay_json *list = as_json_array();
	const assay_json *caption = as_json_get(f->manifest, "caption");
	int rc = list ? 0 : ASSAY_ENOMEM;
	if (caption) {
		rc = as_json_append(list, as_json_clone(caption));
	}
	rc |= as_json_append(
		list,
		as_json_cstring(
			"pass^k: share of tasks that all k attempts pass; pass@k: that at least one "
			"passes; pass rate: share of attempts that pass. Each rate has two bounds: lo counts a call that the tape "
			"could not answer as an error, hi as a success. 95 % intervals."));
	rc |= add_judge(f, list);
	if (any_pending(f)) {
		rc |= as_json_append(list,
				     as_json_cstring(
					     "Pending attempts wait for a judge or for a simulated reply that could "
					     "not be had: lo counts them as failed, hi as passed."));
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

int as_figures_finish(as_figures *f, assay_json **model, assay_error *err)
{
	assay_json *m = as_json_object();
	int rc = copy_member(m, "name", f->manifest, "name");
	rc |= copy_member(m, "version", f->manifest, "version");
	rc |= copy_member(m, "seed", f->manifest, "seed");
	rc |= as_json_set(m, "bench_id", as_json_cstring(f->bench_id));
	rc |= copy_member(m, "profile", f->manifest, "profile");
	rc |= as_json_set(m, "captions", captions_of(f));
	rc |= as_json_set(m, "servers", as_json_clone(f->servers));
	rc |= as_json_set(m, "plugins", as_json_clone(f->plugins));
	rc |= as_json_set(m, "funnel", as_funnel_table(f));
	rc |= as_json_set(m, "gates", as_gate_table(f));
	rc |= as_json_set(m, "leaderboard", as_leaderboard_table(f));
	if (f->n_scores > 0) { /* figures of a manifest with one scorer are as they were before there were any others */
		rc |= as_json_set(m, "scorers", as_scorer_table(f));
	}
	rc |= as_json_set(m, "categories", as_category_table(f));
	rc |= as_json_set(m, "tasks", as_task_table(f));
	if (rc < 0) {
		as_json_free(m);
		*model = NULL;
		return as_fail_memory(err);
	}
	*model = m;
	return 0;
}
