#include "core/release/pack_rows.h"

#include "core/base/error.h"
#include "core/release/descriptions.h"
#include "core/release/wanted.h"
#include "core/trace/trace.h"
#include <stdlib.h>
#include <string.h>

/* ---- what the run stands on ---- */

static int keep_server(void *payload, assay_str key, assay_str body, assay_error *err)
{
	assay_json *v = NULL;
	int rc = as_json_parse(body, ASSAY_JSON_STRICT, &v, err);
	(void)key;
	return rc < 0 ? rc : as_json_append(payload, v) < 0 ? as_fail_memory(err) : 0;
}

static int keep_plugin(void *payload, assay_str key, assay_str body, assay_error *err)
{
	assay_json *v = NULL, *entry;
	int rc = as_json_parse(body, ASSAY_JSON_STRICT, &v, err);
	as_plugin_entry p = {.use = key,
			     .version = as_json_str(as_json_get(v, "version")),
			     .module = as_json_str(as_json_get(v, "module")),
			     .digest = as_json_str(as_json_get(v, "digest")),
			     .defaults = as_json_get(v, "defaults"),
			     .foreign = as_json_boolean(as_json_get(v, "foreign"), 0)};
	if (rc < 0) {
		return rc;
	}
	entry = as_plugin_entry_json(&p);
	as_json_free(v);
	return as_json_append(payload, entry) < 0 ? as_fail_memory(err) : 0;
}

static int pack_list(as_engine *e, as_release_writer *w, const char *kind, as_part_fn keep, const char *name,
		     assay_error *err)
{
	assay_json *list = as_json_array();
	int rc = list ? as_store_parts(e->store, as_str(e->manifest->bench_id), kind, keep, list, err)
		      : as_fail_memory(err);
	if (rc == 0) {
		rc = as_paths_check(e->manifest, list, err);
		if (rc < 0) {
			as_error_where(err, name, 0);
		}
	}
	rc = rc < 0 ? rc : as_release_put_json(w, name, list, err);
	as_json_free(list);
	return rc;
}

typedef struct goal_files {
	as_release_lines *goals, *funnel;
	assay_json *gates; /* by task, of those without a certificate */
} goal_files;

static int pack_goal(void *payload, const as_goal_row *row, assay_error *err)
{
	goal_files *f = payload;
	as_funnel_line line = {.category = row->category,
			       .state = row->state,
			       .reason = row->reason,
			       .trace_id = row->trace_id,
			       .task_id = row->task_id,
			       .index = row->index,
			       .gates = as_json_get_n(f->gates, row->task_id)};
	assay_json *goal = NULL;
	int rc = as_json_parse(row->body, ASSAY_JSON_PEER, &goal, err);
	if (rc == 0 && as_json_type(goal) == ASSAY_JSON_OBJECT) {
		line.goal_id = as_json_str(as_json_get(goal, "goal_id"));
		rc = as_release_lines_add(f->goals, row->body, err);
	}
	rc = rc < 0 ? rc : as_release_lines_add_json(f->funnel, as_funnel_line_json(&line), err);
	as_json_free(goal);
	return rc;
}

static int pack_goals(as_engine *e, as_release_writer *w, assay_error *err)
{
	goal_files f = {0};
	int rc = as_refused_gates(e, &f.gates, err);
	rc = rc < 0 ? rc : as_release_lines_begin(w, "goals.jsonl", &f.goals, err);
	rc = rc < 0 ? rc : as_release_lines_begin(w, "funnel.jsonl", &f.funnel, err);
	rc = rc < 0 ? rc : as_store_goals(e->store, as_str(e->manifest->bench_id), pack_goal, &f, err);
	if (rc == 0) {
		rc = as_release_lines_end(f.goals, err);
		f.goals = NULL;
	}
	if (rc == 0) {
		rc = as_release_lines_end(f.funnel, err);
		f.funnel = NULL;
	}
	as_release_lines_drop(f.goals);
	as_release_lines_drop(f.funnel);
	as_json_free(f.gates);
	return rc;
}

int as_pack_parts(as_engine *e, as_release_writer *w, assay_error *err)
{
	int rc = pack_list(e, w, "server", keep_server, "servers.json", err);
	rc = rc < 0 ? rc : pack_list(e, w, "plugin", keep_plugin, "plugins.json", err);
	rc = rc < 0 ? rc : as_pack_descriptions(e, w, err);
	return rc < 0 ? rc : pack_goals(e, w, err);
}

/* ---- tasks and attempts ---- */

typedef struct packed_task {
	assay_str id, trace_id, tape_id;
} packed_task;

enum { TASKS, CERTIFICATES, REFERENCES, TAPES, ATTEMPTS, TRACES, VERDICTS, N_FILES };
static const char *const file_names[N_FILES] = {"tasks.jsonl",   "certificates.jsonl", "references.jsonl",
						"tapes.jsonl",   "attempts.jsonl",     "traces.jsonl",
						"verdicts.jsonl"};

typedef struct packing {
	as_engine *e;
	as_release_lines *files[N_FILES];
	as_arena arena;
	packed_task *tasks;
	size_t n_tasks, cap_tasks;
	as_wanted wanted;
} packing;

static int pack_task(void *payload, const as_task_row *row, assay_error *err)
{
	packing *p = payload;
	as_certificate_line line = {row->task_id, row->category, row->tape_id, row->index, NULL};
	assay_json *certificate = NULL;
	packed_task *t;
	int rc = as_json_parse(row->certificate, ASSAY_JSON_STRICT, &certificate, err);
	line.certificate = certificate;
	rc = rc < 0 ? rc : as_release_lines_add(p->files[TASKS], row->body, err);
	rc = rc < 0 ? rc : as_release_lines_add_json(p->files[CERTIFICATES], as_certificate_line_json(&line), err);
	as_json_free(certificate);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&p->tasks, &p->cap_tasks, p->n_tasks + 1, sizeof *p->tasks)) {
		return as_fail_memory(err);
	}
	t = &p->tasks[p->n_tasks++];
	*t = (packed_task){as_arena_str(&p->arena, row->task_id), as_arena_str(&p->arena, row->trace_id),
			   as_arena_str(&p->arena, row->tape_id)};
	return p->arena.failed ? as_fail_memory(err) : 0;
}

static int pack_document(packing *p, const char *kind, assay_str id, as_release_lines *to, assay_error *err)
{
	assay_text text = {0};
	int rc = as_store_get_document(p->e->store, kind, id, &text, err);
	if (rc == ASSAY_ENOENT) {
		rc = as_fail(err, ASSAY_EDATA, "the store has lost the %s %.*s of a task", kind, ASSAY_FMT(id));
	}
	rc = rc < 0 ? rc : as_release_lines_add(to, as_text_str(text), err);
	as_text_free(&text);
	return rc;
}

/* The ids of the tasks, then what the manifest asks for. */
static int list_wanted(packing *p, assay_error *err)
{
	assay_str *ids = as_new(p->n_tasks + 1, sizeof *ids);
	int rc;
	if (!ids) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < p->n_tasks; i++) {
		ids[i] = p->tasks[i].id;
	}
	rc = as_wanted_list(p->e->manifest, ids, p->n_tasks, SIZE_MAX / sizeof(as_wanted_attempt) - 1, &p->wanted, err);
	free(ids);
	return rc;
}

/* Verdicts that are not those of the manifest's scorers, in their order. */
static int fail_verdicts(const as_manifest *m, const as_attempt_row *row, assay_error *err)
{
	const char *missing = NULL;
	for (size_t i = 0; i < m->n_scorers && !missing; i++) {
		bool found = false;
		for (size_t k = 0; k < row->n_verdicts; k++) {
			found = found || as_str_is(row->verdicts[k].scorer, m->scorers[i].use);
		}
		missing = found ? NULL : m->scorers[i].use;
	}
	as_fail(err, ASSAY_EDATA, "attempt %.*s (%.*s, %.*s) has %s%s",
		row->attempt_id.len < 12 ? (int)row->attempt_id.len : 12, row->attempt_id.ptr,
		ASSAY_FMT(row->candidate), ASSAY_FMT(row->condition),
		missing ? "no verdict of " : "verdicts of other scorers than the manifest's, or in another order",
		missing ? missing : "");
	as_error_hint(err, "score the stored attempts with the manifest as it is now: \"assay score\"");
	return ASSAY_EDATA;
}

static int pack_verdicts(packing *p, const as_attempt_row *row, assay_error *err)
{
	const as_manifest *m = p->e->manifest;
	for (size_t i = 0; i < m->n_scorers; i++) {
		as_verdict_line line = {.attempt_id = row->attempt_id, .try_number = row->try_number};
		assay_json *verdict = NULL;
		int rc;
		if (row->n_verdicts != m->n_scorers || !as_str_is(row->verdicts[i].scorer, m->scorers[i].use)) {
			return fail_verdicts(m, row, err);
		}
		line.scorer = row->verdicts[i].scorer;
		rc = as_json_parse(row->verdicts[i].body, ASSAY_JSON_PEER, &verdict, err);
		line.verdict = verdict;
		rc = rc < 0 ? rc : as_release_lines_add_json(p->files[VERDICTS], as_verdict_line_json(&line), err);
		as_json_free(verdict);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

/* A fail whose end is not the agent's is void, nothing else is; scoring again may have changed the one without the
 * other. */
static int check_void(const packing *p, const as_attempt_row *row, assay_error *err)
{
	bool passed = as_str_is(row->verdicts[p->e->manifest->headline].verdict, "pass");
	if (row->voided == (!passed && as_manifest_voids(p->e->manifest, row->end_class))) {
		return 0;
	}
	return as_fail(err, ASSAY_EDATA,
		       "attempt %.*s (%.*s, %.*s) is %s, which does not follow from its verdict and its end",
		       row->attempt_id.len < 12 ? (int)row->attempt_id.len : 12, row->attempt_id.ptr,
		       ASSAY_FMT(row->candidate), ASSAY_FMT(row->condition), row->voided ? "void" : "not void");
}

static int pack_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	packing *p = payload;
	as_wanted_attempt *wanted = as_wanted_find(&p->wanted, row->attempt_id);
	as_attempt_line line = {row->attempt_id, row->task_id, row->candidate, row->condition,  row->end,
				row->end_class,  {NULL, 0},    row->repeat,    row->try_number, row->voided};
	as_trace *trace = NULL;
	int rc;
	if (!wanted || row->trace.len == 0) {
		return 0; /* of another candidate, condition or repeat than the manifest's; or nothing can prove it */
	}
	rc = as_cancel_is_set(p->e->cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted")
					    : as_wanted_note(wanted, row->try_number, row->voided, err);
	rc = rc < 0 ? rc : as_trace_parse(row->trace, &trace, err);
	if (rc == 0) {
		line.trace_id = as_trace_id(trace);
		rc = as_release_lines_add_json(p->files[ATTEMPTS], as_attempt_line_json(&line), err);
	}
	rc = rc < 0 ? rc : as_release_lines_add(p->files[TRACES], row->trace, err);
	rc = rc < 0 ? rc : pack_verdicts(p, row, err);
	rc = rc < 0 ? rc : check_void(p, row, err);
	as_trace_free(trace);
	as_progress_step(p->e->progress, 1);
	return rc;
}

/* Publishing some of the attempts would be choosing the figures. */
static int check_complete(const packing *p, assay_error *err)
{
	const as_manifest *m = p->e->manifest;
	const as_wanted_attempt *first;
	size_t n = as_wanted_missing(&p->wanted, m, &first);
	if (n == 0) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA,
		"%zu of %zu attempts are missing, void or wait for a judge, the first: %s under condition %s, task %.*s, repeat %u",
		n, p->wanted.n, m->candidates[first->candidate].name, m->conditions[first->condition].name,
		ASSAY_FMT(p->tasks[first->task].id), first->repeat);
	as_error_hint(err, "make them with \"assay eval\"");
	return ASSAY_EDATA;
}

int as_pack_rows(as_engine *e, as_release_writer *w, assay_error *err)
{
	packing p = {.e = e};
	assay_str run = as_str(e->manifest->bench_id);
	int rc = 0;
	for (size_t i = 0; i < N_FILES && rc == 0; i++) {
		rc = as_release_lines_begin(w, file_names[i], &p.files[i], err);
	}
	rc = rc < 0 ? rc : as_store_tasks(e->store, run, true, pack_task, &p, err);
	for (size_t i = 0; i < p.n_tasks && rc == 0; i++) {
		rc = pack_document(&p, "trace", p.tasks[i].trace_id, p.files[REFERENCES], err);
		rc = rc < 0 ? rc : pack_document(&p, "tape", p.tasks[i].tape_id, p.files[TAPES], err);
	}
	rc = rc < 0 ? rc : list_wanted(&p, err);
	as_progress_begin(e->progress, "packing", p.wanted.n);
	rc = rc < 0 ? rc : as_store_attempts(e->store, run, true, pack_attempt, &p, err);
	as_progress_end(e->progress);
	rc = rc < 0 ? rc : check_complete(&p, err);
	for (size_t i = 0; i < N_FILES; i++) {
		if (rc == 0) {
			rc = as_release_lines_end(p.files[i], err);
		} else {
			as_release_lines_drop(p.files[i]);
		}
	}
	as_wanted_free(&p.wanted);
	as_arena_free(&p.arena);
	free(p.tasks);
	return rc;
}
