/* What the scorers say that do not decide: a row for each of them, condition and candidate. */
#include "core/base/error.h"
#include "core/run/figures_table.h"
#include "core/stats/stats.h"
#include <stdlib.h>

#define DIGITS 6
#define METRICS_MAX 64u /* of one row; scorers may be anybody's */

static figure_scores *scores_of(as_figures *f, const as_figure_attempt *a, size_t scorer)
{
	for (size_t i = 0; i < f->n_scores; i++) {
		figure_scores *s = &f->scores[i];
		if (s->scorer == scorer && as_str_eq(s->condition, a->condition) &&
		    as_str_eq(s->candidate, a->candidate)) {
			return s;
		}
	}
	if (!as_grow(&f->scores, &f->cap_scores, f->n_scores + 1, sizeof *f->scores)) {
		return NULL;
	}
	f->scores[f->n_scores] = (figure_scores){.condition = as_arena_str(&f->arena, a->condition),
						 .candidate = as_arena_str(&f->arena, a->candidate),
						 .scorer = scorer};
	return &f->scores[f->n_scores++];
}

static int add_metric(as_figures *f, figure_scores *s, const assay_json *metric)
{
	figure_metric *m = s->metrics;
	size_t i = 0;
	while (i < s->n_metrics && !as_str_eq(m[i].name, as_json_key(metric))) {
		i++;
	}
	if (as_json_type(metric) != ASSAY_JSON_NUMBER || (i == s->n_metrics && i >= METRICS_MAX)) {
		return 0;
	}
	if (i == s->n_metrics) {
		if (!as_grow(&s->metrics, &s->cap_metrics, i + 1, sizeof *s->metrics)) {
			return ASSAY_ENOMEM;
		}
		s->metrics[s->n_metrics++] = (figure_metric){.name = as_arena_str(&f->arena, as_json_key(metric))};
	}
	s->metrics[i].sum += as_json_f64(metric, 0);
	s->metrics[i].n++;
	return 0;
}

int as_figures_add_verdict(as_figures *f, const as_figure_attempt *a, size_t scorer, const assay_json *verdict,
			   assay_error *err)
{
	bool done = !a->voided || as_str_is(a->end, "judge_unreachable"); /* it waits for the headline alone */
	if (!done || !as_figures_has_task(f, a->task_id)) {
		return 0; /* counts in no rate */
	}
	figure_scores *s = scores_of(f, a, scorer);
	int rc = s ? 0 : ASSAY_ENOMEM;
	if (rc == 0) {
		assay_str word = as_json_str(as_json_get(verdict, "verdict"));
		s->attempts++;
		s->passed += as_str_is(word, "pass");
		s->unknown += as_str_is(word, "unknown");
		s->lo += as_json_f64(as_json_get(verdict, "lo"), 0);
		s->hi += as_json_f64(as_json_get(verdict, "hi"), 0);
	}
	for (const assay_json *m = as_json_first(as_json_get(verdict, "metrics")); m && rc == 0; m = as_json_next(m)) {
		rc = add_metric(f, s, m);
	}
	return rc < 0 || f->arena.failed ? as_fail_memory(err) : 0;
}

static int by_name(const void *a, const void *b)
{
	return as_str_cmp(((const figure_metric *)a)->name, ((const figure_metric *)b)->name);
}

static assay_json *mean(double sum, uint64_t n)
{
	return as_json_real(as_round(sum / (double)n, DIGITS)); /* a row exists from its first attempt on */
}

/* Its implementation, and of several scorers of one implementation which of them: "scorer/mine (no. 2)". */
static assay_json *scorer_name(const as_figures *f, size_t scorer)
{
	const assay_json *all = as_json_pointer(f->manifest, "/evaluation/scorers");
	assay_str use = as_json_str(as_json_get(as_json_at(all, scorer), "use"));
	size_t i = 0, alike = 0, before = 0;
	as_buf text = {0};
	assay_json *out;
	for (const assay_json *s = as_json_first(all); s; s = as_json_next(s), i++) {
		bool same = as_str_eq(as_json_str(as_json_get(s, "use")), use);
		alike += same;
		before += same && i < scorer;
	}
	as_buf_add(&text, use);
	if (alike > 1) {
		as_buf_printf(&text, " (no. %zu)", before + 1);
	}
	out = text.failed ? NULL : as_json_string(as_buf_str(&text));
	as_buf_free(&text);
	return out;
}

static assay_json *scorer_row(const as_figures *f, const figure_scores *s)
{
	assay_json *row = as_json_object(), *metrics = as_json_object();
	int rc = 0;
	if (s->n_metrics > 1) {
		qsort(s->metrics, s->n_metrics, sizeof *s->metrics, by_name);
	}
	for (size_t i = 0; i < s->n_metrics && rc == 0; i++) {
		rc = as_json_set_n(metrics, s->metrics[i].name, mean(s->metrics[i].sum, s->metrics[i].n));
	}
	rc |= as_json_set(row, "scorer", scorer_name(f, s->scorer));
	rc |= as_json_set(row, "condition", as_json_string(s->condition));
	rc |= as_json_set(row, "candidate", as_json_string(s->candidate));
	rc |= as_json_set(row, "attempts", as_json_integer((int64_t)s->attempts));
	rc |= as_json_set(row, "unknown", as_json_integer((int64_t)s->unknown));
	rc |= as_json_set(row, "passed", as_json_integer((int64_t)s->passed));
	rc |= as_json_set(row, "lo", mean(s->lo, s->attempts));
	rc |= as_json_set(row, "hi", mean(s->hi, s->attempts));
	rc |= as_json_set(row, "metrics", metrics);
	if (rc < 0) {
		as_json_free(row);
		return NULL;
	}
	return row;
}

/* Conditions and scorers in the manifest's order, candidates by name. */
static bool stands_above(const as_figures *f, const figure_scores *a, const figure_scores *b)
{
	int x = as_condition_rank(f, a->condition), y = as_condition_rank(f, b->condition);
	if (x != y || a->scorer != b->scorer) {
		return x != y ? x < y : a->scorer < b->scorer;
	}
	return as_str_cmp(a->candidate, b->candidate) < 0;
}

assay_json *as_scorer_table(const as_figures *f)
{
	assay_json *list = as_json_array();
	for (size_t i = 1; i < f->n_scores; i++) {
		for (size_t k = i; k > 0 && stands_above(f, &f->scores[k], &f->scores[k - 1]); k--) {
			figure_scores lower = f->scores[k - 1];
			f->scores[k - 1] = f->scores[k];
			f->scores[k] = lower;
		}
	}
	for (size_t i = 0; i < f->n_scores; i++) {
		if (as_json_append(list, scorer_row(f, &f->scores[i])) < 0) {
			as_json_free(list);
			return NULL;
		}
	}
	return list;
}
