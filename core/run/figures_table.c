/* Funnel, gates, categories, tasks. */
#include "core/run/figures_table.h"

#include "core/run/figures_rate.h"
#include "core/stats/stats.h"
#include <string.h>

/* States of goal slots that have got at least as far as the name says. */
static bool got_to(assay_str state, const char *stage)
{
	static const char *const order[] = {"empty",       "written",   "unexplored", "explored",
					    "undistilled", "distilled", "gated"};
	static const struct {
		const char *stage;
		size_t first;
	} stages[] = {{"goals", 1}, {"explored", 3}, {"distilled", 5}};
	size_t reached = sizeof order / sizeof *order; /* rejected, certified, surplus: all the way to the gates */
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (as_str_is(state, order[i])) {
			reached = i;
		}
	}
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
		if (strcmp(stages[i].stage, stage) == 0) {
			return reached >= stages[i].first;
		}
	}
	return false;
}

static int count_reason(assay_json *reasons, const figure_goal *g)
{
	assay_str key = g->reason.len ? g->reason : g->state;
	int64_t n = as_json_i64(as_json_get_n(reasons, key), 0);
	return as_json_set_n(reasons, key, as_json_integer(n + 1));
}

static bool is_dropped(const figure_goal *g)
{
	return as_str_is(g->state, "empty") || as_str_is(g->state, "unexplored") ||
	       as_str_is(g->state, "undistilled") || as_str_is(g->state, "rejected");
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

static assay_json *funnel_row(const as_figures *f, const assay_json *category)
{
	assay_str name = as_json_str(as_json_get(category, "name"));
	assay_json *r = as_json_object(), *reasons = as_json_object();
	int64_t goals = 0, empty = 0, explored = 0, distilled = 0, certified = 0, accepted = 0;
	int rc = r && reasons ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < f->n_goals && rc == 0; i++) {
		const figure_goal *g = &f->goals[i];
		bool surplus = as_str_is(g->state, "surplus"), in = as_str_is(g->state, "certified");
		if (!as_str_eq(g->category, name)) {
			continue;
		}
		goals += got_to(g->state, "goals");
		empty += as_str_is(g->state, "empty");
		explored += got_to(g->state, "explored");
		distilled += got_to(g->state, "distilled");
		certified += surplus || in || as_str_is(g->state, "gated") || as_str_is(g->reason, "duplicate");
		accepted += in;
		rc = is_dropped(g) ? count_reason(reasons, g) : 0;
	}
	rc |= as_json_set(r, "category", as_json_string(name));
	rc |= as_json_set(r, "wanted", as_json_integer(as_json_i64(as_json_get(category, "count"), 0)));
	rc |= as_json_set(r, "goals", as_json_integer(goals));
	rc |= as_json_set(r, "empty", as_json_integer(empty));
	rc |= as_json_set(r, "explored", as_json_integer(explored));
	rc |= as_json_set(r, "distilled", as_json_integer(distilled));
	rc |= as_json_set(r, "certified", as_json_integer(certified));
	rc |= as_json_set(r, "accepted", as_json_integer(accepted));
	rc |= put_means(f, name, r);
	rc |= as_json_set(r, "rejected", reasons);
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

assay_json *as_gate_table(const as_figures *f)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < f->n_gates && rc == 0; i++) {
		assay_json *g = as_json_object();
		rc = as_json_set(g, "gate", as_json_string(f->gates[i].name));
		rc |= as_json_set(g, "required", as_json_truth(f->gates[i].required));
		rc |= as_json_set(g, "passed", as_json_integer((int64_t)f->gates[i].passed));
		rc |= as_json_set(g, "failed", as_json_integer((int64_t)f->gates[i].failed));
		rc |= as_json_set(g, "pass_rate",
				  as_plain_rate(f->gates[i].passed, f->gates[i].passed + f->gates[i].failed));
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
			if (t->task == task && !t->voided) {
				attempts++;
				passed += t->lo >= 1.0;
				passed_hi += t->hi >= 1.0;
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
