/* Figures of what the store holds, and the reports made of them. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/run/attempt.h"
#include "core/run/context.h"
#include "core/run/figures.h"
#include "core/run/makers.h"
#include <assay/roles/reporter.h>
#include <stdlib.h>
#include <string.h>

typedef struct filling {
	as_engine *engine;
	bool provable; /* attempts without a trace are left out */
	as_figures *figures;
	assay_json *gates; /* by task, of those without a certificate */
	as_arena arena;
	char (*wanted)[65]; /* ids of the attempts that the manifest asks for, sorted */
	size_t n_wanted, cap_wanted;
	char (*tasks)[40]; /* ids of the certified tasks */
	size_t n_tasks, cap_tasks;
} filling;

static int fill_server(void *payload, assay_str key, assay_str body, assay_error *err)
{
	filling *f = payload;
	assay_json *record = NULL;
	int rc = as_json_parse(body, ASSAY_JSON_PEER, &record, err);
	(void)key;
	if (rc == 0) {
		rc = as_figures_add_server(f->figures, record, err);
	}
	as_json_free(record);
	return rc;
}

static int fill_plugin(void *payload, assay_str key, assay_str body, assay_error *err)
{
	filling *f = payload;
	assay_json *record = NULL;
	int rc = as_json_parse(body, ASSAY_JSON_PEER, &record, err);
	if (rc == 0) {
		rc = as_figures_add_plugin(f->figures, key, as_json_str(as_json_get(record, "version")),
					   as_json_get(record, "defaults"), err);
	}
	as_json_free(record);
	return rc;
}

static int fill_goal(void *payload, const as_goal_row *row, assay_error *err)
{
	filling *f = payload;
	return as_figures_add_goal(f->figures, row->category, row->state, row->reason,
				   as_json_get_n(f->gates, row->task_id), err);
}

static int note_gates(void *payload, const as_task_row *row, assay_error *err)
{
	assay_json *certificate = NULL, *gates;
	int rc = row->certified ? 0 : as_json_parse(row->certificate, ASSAY_JSON_PEER, &certificate, err);
	if (rc < 0 || as_json_count(certificate) == 0) {
		as_json_free(certificate);
		return rc; /* it has one, or no gate has been asked */
	}
	gates = as_json_object();
	for (const assay_json *g = as_json_first(certificate); g && rc == 0; g = as_json_next(g)) {
		rc = as_json_set_n(gates, as_json_str(as_json_get(g, "gate")),
				   as_json_truth(as_json_boolean(as_json_get(g, "passed"), 0)));
	}
	rc = rc == 0 ? as_json_set_n(payload, row->task_id, gates) : (as_json_free(gates), rc);
	as_json_free(certificate);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_refused_gates(as_engine *e, assay_json **out, assay_error *err)
{
	int rc;
	*out = as_json_object();
	rc = *out ? as_store_tasks(e->store, as_str(e->manifest->bench_id), false, note_gates, *out, err)
		  : as_fail_memory(err);
	if (rc < 0) {
		as_json_free(*out);
		*out = NULL;
	}
	return rc;
}

static int fill_task(void *payload, const as_task_row *row, assay_error *err)
{
	filling *f = payload;
	assay_json *task = NULL, *certificate = NULL;
	int rc;
	if (!row->certified && (f->provable || row->trace_id.len > 0)) {
		return 0; /* refused by a gate */
	}
	rc = as_json_parse(row->body, ASSAY_JSON_PEER, &task, err);
	if (rc == 0) {
		rc = as_json_parse(row->certificate, ASSAY_JSON_PEER, &certificate, err);
	}
	if (rc == 0) {
		rc = as_figures_add_task(f->figures, row->category, row->index, task, certificate, err);
	}
	if (rc == 0 && !as_grow(&f->tasks, &f->cap_tasks, f->n_tasks + 1, sizeof *f->tasks)) {
		rc = as_fail_memory(err);
	}
	if (rc == 0) {
		snprintf(f->tasks[f->n_tasks++], sizeof *f->tasks, "%.*s", ASSAY_FMT(row->task_id));
	}
	as_json_free(task);
	as_json_free(certificate);
	return rc;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Attempts of other candidates, conditions or repeats may lie in the store; the tables are about the manifest's. */
static int list_wanted(filling *f, assay_error *err)
{
	const as_manifest *m = f->engine->manifest;
	for (size_t k = 0; k < m->n_conditions; k++) {
		for (size_t c = 0; c < m->n_candidates; c++) {
			bool pair = as_manifest_pairs(&m->conditions[k], &m->candidates[c]);
			for (size_t t = 0; t < f->n_tasks && pair; t++) {
				for (uint32_t r = 0; r < m->conditions[k].attempts; r++) {
					int rc;
					if (!as_grow(&f->wanted, &f->cap_wanted, f->n_wanted + 1, sizeof *f->wanted)) {
						return as_fail_memory(err);
					}
					rc = as_attempt_id(as_str(f->tasks[t]), &m->candidates[c], &m->conditions[k], r,
							   f->wanted[f->n_wanted++], err);
					if (rc < 0) {
						return rc;
					}
				}
			}
		}
	}
	if (f->n_wanted > 1) {
		qsort(f->wanted, f->n_wanted, sizeof *f->wanted, compare_ids);
	}
	return 0;
}

const as_verdict_row *as_headline(const as_manifest *m, const as_attempt_row *row)
{
	if (row->n_verdicts == m->n_scorers) { /* others may be of the same implementation */
		const as_verdict_row *verdict = &row->verdicts[m->headline];
		return as_str_is(verdict->scorer, m->scorers[m->headline].use) ? verdict : NULL;
	}
	for (size_t i = 0; i < row->n_verdicts; i++) {
		if (as_str_is(row->verdicts[i].scorer, m->scorers[m->headline].use)) {
			return &row->verdicts[i];
		}
	}
	return NULL;
}

/* The scorers beside the headline. Attempts that were recorded elsewhere have the headline's verdict alone. */
static int fill_others(filling *f, const as_attempt_row *row, const as_figure_attempt *a, assay_error *err)
{
	const as_manifest *m = f->engine->manifest;
	int rc = 0;
	for (size_t i = 0; i < m->n_scorers && row->n_verdicts == m->n_scorers && rc == 0; i++) {
		assay_json *verdict = NULL;
		if (i == m->headline || !as_str_is(row->verdicts[i].scorer, m->scorers[i].use)) {
			continue;
		}
		rc = as_json_parse(row->verdicts[i].body, ASSAY_JSON_PEER, &verdict, err);
		rc = rc < 0 ? rc : as_figures_add_verdict(f->figures, a, i, verdict, err);
		as_json_free(verdict);
	}
	return rc;
}

static int fill_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	filling *f = payload;
	const as_verdict_row *headline = as_headline(f->engine->manifest, row);
	as_figure_attempt a = {row->attempt_id, row->task_id, row->candidate, row->condition,
			       row->end,        row->voided,  NULL,           NULL};
	as_trace *trace = NULL;
	assay_json *verdict = NULL;
	char id[65];
	int rc;
	snprintf(id, sizeof id, "%.*s", ASSAY_FMT(row->attempt_id));
	if (!headline || (f->provable && row->trace.len == 0) || !f->n_wanted ||
	    !bsearch(id, f->wanted, f->n_wanted, sizeof *f->wanted, compare_ids)) {
		return 0;
	}
	rc = row->trace.len > 0 ? as_trace_parse(row->trace, &trace, err) : 0; /* a recorded one may have none */
	if (rc == 0) {
		rc = as_json_parse(headline->body, ASSAY_JSON_PEER, &verdict, err);
	}
	if (rc == 0) {
		a.trace = trace;
		a.verdict = verdict;
		rc = as_figures_add_attempt(f->figures, &a, err);
		rc = rc < 0 ? rc : fill_others(f, row, &a, err);
	}
	as_json_free(verdict);
	as_trace_free(trace);
	return rc;
}

int as_stage_figures(as_engine *e, bool provable, assay_json **model, assay_error *err)
{
	filling f = {.engine = e, .provable = provable};
	assay_str run = as_str(e->manifest->bench_id);
	int rc = as_figures_new(e->manifest->document, e->manifest->bench_id, &f.figures, err);
	*model = NULL;
	rc = rc < 0 ? rc : as_manifest_check_plugins(e->manifest, e->registry, err); /* so that all of them are known */
	rc = rc < 0 ? rc : as_note_named(e, false, err);
	rc = rc < 0 ? rc : as_store_parts(e->store, run, "server", fill_server, &f, err);
	rc = rc < 0 ? rc : as_store_parts(e->store, run, "plugin", fill_plugin, &f, err);
	rc = rc < 0 ? rc : as_refused_gates(e, &f.gates, err);
	rc = rc < 0 ? rc : as_store_goals(e->store, run, fill_goal, &f, err);
	/* Imported tasks without a reference have no certificate, but may have results. */
	rc = rc < 0 ? rc : as_store_tasks(e->store, run, !e->manifest->imported, fill_task, &f, err);
	rc = rc < 0 ? rc : list_wanted(&f, err);
	rc = rc < 0 ? rc : as_store_attempts(e->store, run, true, fill_attempt, &f, err);
	rc = rc < 0 ? rc : as_figures_finish(f.figures, model, err);
	as_figures_free(f.figures);
	as_json_free(f.gates);
	free(f.wanted);
	free(f.tasks);
	as_arena_free(&f.arena);
	return rc;
}

static int render(as_engine *e, as_worker *w, const as_use *use, const assay_json *model, const char *dir,
		  assay_json *paths, assay_error *err)
{
	const assay_reporter_ops *ops;
	as_instance *reporter;
	as_context c;
	as_collect got;
	as_buf path = {0};
	int rc = as_worker_instance(w, use, ASSAY_ROLE_REPORTER, &reporter, err);
	as_collect_init(&got, 0, 0);
	as_context_init(&c, w, use->use, "report", 0, 0);
	if (rc == 0) {
		as_called before = as_instance_enter(reporter, "render");
		ops = as_instance_ops(reporter);
		rc = ops->render(as_instance_self(reporter), &c.call.pub, model, &got.sink, err);
		rc = as_called_end(before, rc, err);
		as_error_where(rc < 0 ? err : NULL, use->use, 0);
		as_path_join(&path, as_str(dir), as_path_base(as_str(ops->file_name)));
	}
	rc = rc < 0 ? rc : as_buf_check(&path, err);
	rc = rc < 0 ? rc : as_buf_check(&got.text, err);
	rc = rc < 0 ? rc : as_make_dirs(dir, err);
	rc = rc < 0 ? rc : as_file_write(path.ptr, as_buf_str(&got.text), err);
	if (rc == 0 && paths) {
		rc = as_json_append(paths, as_json_string(as_buf_str(&path))) < 0 ? as_fail_memory(err) : 0;
	}
	as_collect_free(&got);
	as_buf_free(&path);
	(void)e;
	return rc;
}

int as_stage_report(as_engine *e, const assay_json *model, const char *dir, assay_json *paths, assay_error *err)
{
	as_worker *w = NULL;
	int rc = as_worker_new(e, &w, err);
	for (size_t i = 0; i < e->manifest->n_reports && rc == 0; i++) {
		rc = render(e, w, &e->manifest->reports[i], model, dir, paths, err);
	}
	as_worker_free(w);
	return rc;
}
