/* Funnel, gates, categories, tasks. */
#include "core/run/figures_table.h"

#include "core/run/figures_rate.h"
#include "core/run/gates.h"
#include "core/stats/stats.h"
#include <stdlib.h>
#include <string.h>

/* The stages of the funnel, and how many of them a goal slot of each state has passed. What ended a slot for good
 * counts among the reasons of the stage that it did not pass; the others are still under way. */
static const char *const stages[] = {"goals", "traces", "successful", "distilled", "valid", "certified"};
#define N_STAGES (sizeof stages / sizeof *stages)

static const struct {
	const char *state;
	size_t passed;
	bool ended;
} states[] = {{"empty", 0, true},       {"written", 1, false},   {"unexplored", 2, true}, {"explored", 3, false},
	      {"undistilled", 3, true}, {"distilled", 4, false}, {"rejected", 4, true},   {"gated", 5, false},
	      {"surplus", 5, true},     {"certified", 6, true}};

static size_t state_of(const figure_goal *g)
{
	size_t i = 0;
	while (i + 1 < sizeof states / sizeof *states && !as_str_is(g->state, states[i].state)) {
		i++;
	}
	return i;
}

/* A task that only repeats another one was valid. */
static size_t stages_passed(const figure_goal *g)
{
	return states[state_of(g)].passed + (as_str_is(g->state, "rejected") && as_str_is(g->reason, "duplicate"));
}

static int count_reason(assay_json *reasons, const char *stage, assay_str reason)
{
	assay_json *counts = as_json_edit(as_json_get(reasons, stage));
	return as_json_set_n(counts, reason, as_json_integer(as_json_i64(as_json_get_n(counts, reason), 0) + 1));
}

typedef struct funnel {
	int64_t slots, pending, passed[N_STAGES];
	assay_json *reasons; /* stage -> {reason: number} */
} funnel;

static int count_goal(funnel *n, const figure_goal *g)
{
	size_t passed = stages_passed(g);
	n->slots++;
	for (size_t i = 0; i < passed; i++) {
		n->passed[i]++;
	}
	if (!states[state_of(g)].ended) {
		n->pending++;
		return 0;
	}
	return passed == N_STAGES ? 0 : count_reason(n->reasons, stages[passed], g->reason.len ? g->reason : g->state);
}

/* Of the category's tasks: how long their chains are, and over how many servers. Nothing where there are none. */
static int put_means(const as_figures *f, assay_str category, assay_json *row)
{
	double depth = 0, servers = 0, n = 0;
	for (size_t i = 0; i < f->n_tasks; i++) {
		const assay_json *summary = f->tasks[i].summary;
		if (as_str_eq(f->tasks[i].category, category)) {
			depth += as_json_f64(as_json_get(summary, "trace_depth"), 0);
			servers += (double)as_json_count(as_json_get(summary, "servers"));
			n++;
		}
	}
	if (n == 0) {
		return 0;
	}
	return as_json_set(row, "mean_depth", as_json_real(as_round(depth / n, 2))) |
	       as_json_set(row, "mean_servers", as_json_real(as_round(servers / n, 2)));
}

/* How many tasks each level of complexity has of those that are wanted. Nothing where the category has no levels. */
static int put_levels(const as_figures *f, const assay_json *category, assay_json *row)
{
	const assay_json *quotas = as_json_get(category, "complexity");
	assay_str name = as_json_str(as_json_get(category, "name"));
	assay_json *levels;
	int rc = 0;
	if (as_json_type(quotas) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	levels = as_json_object();
	for (const assay_json *q = as_json_first(quotas); q && rc == 0; q = as_json_next(q)) {
		assay_json *level = as_json_object();
		int64_t certified = 0;
		for (size_t i = 0; i < f->n_tasks; i++) {
			certified += as_str_eq(f->tasks[i].category, name) &&
				     as_str_eq(as_json_str(as_json_get(f->tasks[i].summary, "level")), as_json_key(q));
		}
		rc = as_json_set(level, "wanted", as_json_clone(q));
		rc |= as_json_set(level, "certified", as_json_integer(certified));
		rc |= as_json_set_n(levels, as_json_key(q), level);
	}
	return rc | as_json_set(row, "levels", levels);
}

static assay_json *funnel_row(const as_figures *f, const assay_json *category)
{
	assay_str name = as_json_str(as_json_get(category, "name"));
	assay_json *r = as_json_object();
	funnel n = {.reasons = as_json_object()};
	int rc = r && n.reasons ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < N_STAGES && rc == 0; i++) {
		rc = as_json_set(n.reasons, stages[i], as_json_object());
	}
	for (size_t i = 0; i < f->n_goals && rc == 0; i++) {
		rc = as_str_eq(f->goals[i].category, name) ? count_goal(&n, &f->goals[i]) : 0;
	}
	rc |= as_json_set(r, "category", as_json_string(name));
	rc |= as_json_set(r, "wanted", as_json_integer(as_json_i64(as_json_get(category, "count"), 0)));
	rc |= as_json_set(r, "slots", as_json_integer(n.slots));
	for (size_t i = 0; i < N_STAGES; i++) {
		rc |= as_json_set(r, stages[i], as_json_integer(n.passed[i]));
	}
	rc |= put_means(f, name, r);
	rc |= put_levels(f, category, r);
	rc |= as_json_set(r, "pending", as_json_integer(n.pending));
	rc |= as_json_set(r, "reasons", n.reasons);
	if (rc < 0) {
		as_json_free(r);
		return NULL;
	}
	return r;
}

assay_json *as_funnel_table(const as_figures *f)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = as_json_first(as_json_pointer(f->manifest, "/generation/categories")); c && rc == 0;
	     c = as_json_next(c)) {
		rc = as_json_append(list, funnel_row(f, c));
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

/* In the order in which they are asked; those that nobody knows come last, by name. */
static int compare_gates(const void *a, const void *b)
{
	const figure_gate *x = a, *y = b;
	const char *const *names = as_gate_names();
	size_t i = 0, k = 0;
	while (names[i] && !as_str_is(x->name, names[i])) {
		i++;
	}
	while (names[k] && !as_str_is(y->name, names[k])) {
		k++;
	}
	return i != k ? (i > k) - (i < k) : as_str_cmp(x->name, y->name);
}

/* Over all tasks that were put to a gate, those that were refused among them. */
assay_json *as_gate_table(as_figures *f)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	if (f->n_gates > 1) {
		qsort(f->gates, f->n_gates, sizeof *f->gates, compare_gates);
	}
	for (size_t i = 0; i < f->n_gates && rc == 0; i++) {
		const figure_gate *gate = &f->gates[i];
		assay_json *g = as_json_object();
		rc = as_json_set(g, "gate", as_json_string(gate->name));
		rc |= as_json_set(g, "required", as_json_truth(gate->required));
		rc |= as_json_set(g, "passed", as_json_integer((int64_t)gate->passed));
		rc |= as_json_set(g, "failed", as_json_integer((int64_t)gate->failed));
		rc |= as_json_set(g, "pass_rate", as_plain_rate(gate->passed, gate->passed + gate->failed));
		rc |= as_json_append(list, g);
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

static bool listed_before(const as_figures *f, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (as_str_eq(f->tasks[k].category, f->tasks[i].category)) {
			return true;
		}
	}
	return false;
}

static int category_row(const as_figures *f, const figure_row *row, assay_str category, assay_json *list)
{
	assay_json *r = as_json_object();
	figure_counts c;
	int rc = as_count_tries(f, row, category, &c);
	if (rc == 0) {
		rc = as_json_set(r, "condition", as_json_string(row->condition));
		rc |= as_json_set(r, "candidate", as_json_string(row->candidate));
		rc |= as_json_set(r, "category", as_json_string(category));
		rc |= as_json_set(r, "tasks", as_json_integer((int64_t)c.n_tasks));
		rc |= as_json_set(r, "attempts", as_json_integer((int64_t)c.attempts));
		rc |= as_json_set(r, "pass_rate", as_attempt_rate(&c));
		rc |= as_json_set(r, "served", as_served_shares(c.served));
	}
	as_counts_free(&c);
	if (rc < 0) {
		as_json_free(r);
		return rc;
	}
	return as_json_append(list, r);
}

assay_json *as_category_table(const as_figures *f)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t r = 0; r < f->n_rows && rc == 0; r++) {
		for (size_t i = 0; i < f->n_tasks && rc == 0; i++) {
			rc = listed_before(f, i) ? 0 : category_row(f, &f->rows[r], f->tasks[i].category, list);
		}
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

static assay_json *passes_of(const as_figures *f, size_t task)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t r = 0; r < f->n_rows && rc == 0; r++) {
		int64_t passed = 0, passed_hi = 0, attempts = 0;
		uint64_t served[SERVED_LEVELS] = {0};
		assay_json *p = as_json_object();
		for (size_t i = 0; i < f->rows[r].n; i++) {
			const figure_try *t = &f->rows[r].tries[i];
			if (t->task == task && (!t->voided || t->pending)) {
				attempts++;
				passed += t->passed;
				passed_hi += t->passed_hi;
				for (size_t s = 0; s < SERVED_LEVELS; s++) {
					served[s] += t->served[s];
				}
			}
		}
		rc = as_json_set(p, "condition", as_json_string(f->rows[r].condition));
		rc |= as_json_set(p, "candidate", as_json_string(f->rows[r].candidate));
		rc |= as_json_set(p, "passed", as_json_integer(passed));
		rc |= as_json_set(p, "passed_hi", as_json_integer(passed_hi));
		rc |= as_json_set(p, "attempts", as_json_integer(attempts));
		rc |= as_json_set(p, "served", as_served_shares(served));
		rc |= as_json_append(list, p);
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

assay_json *as_task_table(const as_figures *f)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < f->n_tasks && rc == 0; i++) {
		assay_json *t = as_json_clone(f->tasks[i].summary);
		rc = as_json_set(t, "passes", passes_of(f, i));
		rc |= as_json_append(list, t);
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}
