/* assay generate, goals, explore, distill, gate: the author's side, whole or up to one step. */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/run/gates.h"
#include "core/run/makers.h"
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {AS_PROJECT_OPTIONS, {NULL, NULL, NULL}};
static const as_option generate_options[] = {AS_PROJECT_OPTIONS,
					     {"dry-run", NULL,
					      "count the seed sets of every category and write nothing"},
					     {NULL, NULL, NULL}};

static const char *const counts[] = {"wanted",     "slots",     "goals", "traces",
				     "successful", "distilled", "valid", "certified"};
#define N_COUNTS (sizeof counts / sizeof *counts)

/* "invoices (simple 2 of 2, hard 1 of 1)" */
static void category_text(const assay_json *row, as_buf *out)
{
	const assay_json *level = as_json_first(as_json_get(row, "levels"));
	as_buf_add(out, as_json_str(as_json_get(row, "category")));
	for (int n = 0; level; level = as_json_next(level), n++) {
		as_buf_printf(out, "%s%.*s %lld of %lld%s", n ? ", " : " (", ASSAY_FMT(as_json_key(level)),
			      (long long)as_json_i64(as_json_get(level, "certified"), 0),
			      (long long)as_json_i64(as_json_get(level, "wanted"), 0), as_json_next(level) ? "" : ")");
	}
}

static int funnel_line(assay_json *table, const assay_json *row)
{
	const size_t n = N_COUNTS;
	char numbers[N_COUNTS][24];
	as_buf reasons = {0}, name = {0};
	const char *cells[N_COUNTS + 2];
	int rc;
	category_text(row, &name);
	cells[0] = name.ptr ? name.ptr : "";
	for (size_t i = 0; i < n; i++) {
		snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)as_json_i64(as_json_get(row, counts[i]), 0));
		cells[i + 1] = numbers[i];
	}
	for (const assay_json *stage = as_json_first(as_json_get(row, "reasons")); stage; stage = as_json_next(stage)) {
		for (const assay_json *r = as_json_first(stage); r; r = as_json_next(r)) {
			as_buf_printf(&reasons, "%s%.*s (%lld)", reasons.len ? "; " : "", ASSAY_FMT(as_json_key(r)),
				      (long long)as_json_i64(r, 0));
		}
	}
	cells[n + 1] = reasons.ptr ? reasons.ptr : "";
	rc = reasons.failed || name.failed ? ASSAY_ENOMEM : as_table_row(table, cells, n + 2);
	as_buf_free(&reasons);
	as_buf_free(&name);
	return rc;
}

static int say_funnel(const as_cli *cli, const assay_json *model, assay_error *err)
{
	assay_json *table = as_table_new();
	int rc = table ? as_table_column(table, "category", false) : ASSAY_ENOMEM;
	for (size_t i = 0; i < N_COUNTS && rc == 0; i++) {
		rc = as_table_column(table, counts[i], true);
	}
	rc = rc < 0 ? rc : as_table_column(table, "dropped because", false);
	for (const assay_json *r = as_json_first(as_json_get(model, "funnel")); r && rc == 0; r = as_json_next(r)) {
		rc = funnel_line(table, r);
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(cli, table, err);
}

static int plan_line(assay_json *table, const assay_json *row)
{
	static const char *const keys[] = {"size", "wanted", "seed_sets", "whole", "missing"};
	char numbers[5][24];
	const char *cells[8] = {as_json_cstr(as_json_get(row, "category"), ""),
				as_json_cstr(as_json_get(row, "complexity"), ""),
				as_json_cstr(as_json_get(row, "sampler"), "")};
	for (size_t i = 0; i < 5; i++) {
		snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)as_json_i64(as_json_get(row, keys[i]), 0));
		cells[3 + i] = numbers[i];
	}
	return as_table_row(table, cells, 8);
}

/* Takes the rows over. */
static int say_plan(const as_cli *cli, assay_json *rows, assay_error *err)
{
	static const char *const titles[] = {"category", "complexity", "sampler",      "size",
					     "wanted",   "seed sets",  "of full size", "missing"};
	assay_json *table = as_table_new();
	bool empty = false;
	int rc = table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < 8 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], i > 2);
	}
	for (const assay_json *r = as_json_first(rows); r && rc == 0; r = as_json_next(r)) {
		rc = plan_line(table, r);
		empty = empty || as_json_i64(as_json_get(r, "seed_sets"), 0) == 0;
	}
	if (rc < 0) {
		as_json_free(table);
		as_json_free(rows);
		return as_fail_memory(err);
	}
	rc = as_say_table(cli, table, err);
	rc = rc < 0 ? (as_json_free(rows), rc) : as_say_json(cli, rows, err);
	return rc < 0 ? rc : empty ? AS_EXIT_NO : 0;
}

static int upto_of(const char *verb)
{
	return strcmp(verb, "goals") == 0     ? AS_STEP_GOALS
	       : strcmp(verb, "explore") == 0 ? AS_STEP_EXPLORE
	       : strcmp(verb, "distill") == 0 ? AS_STEP_DISTIL
					      : AS_STEP_GATE;
}

static int run(as_cli *cli, assay_error *err)
{
	as_project p;
	assay_json *model = NULL, *out;
	uint64_t shortfall = 0;
	bool dry = as_cli_option(cli, "dry-run") != NULL;
	int rc = as_project_open(cli, dry ? AS_PROJECT_TRIAL : 0, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_check_makers(p.engine, err);
	rc = rc < 0 ? rc : as_stage_catalogue(p.engine, err);
	if (rc == 0 && dry) {
		rc = as_stage_plan(p.engine, &out, err);
		rc = rc < 0 ? rc : say_plan(cli, out, err);
		as_project_close(&p);
		return rc;
	}
	rc = rc < 0 ? rc : as_stage_generate(p.engine, upto_of(cli->verb->name), &shortfall, err);
	rc = rc < 0 ? rc : as_stage_figures(p.engine, false, &model, err);
	rc = rc < 0 ? rc : say_funnel(cli, model, err);
	if (rc == 0) {
		out = as_json_object();
		rc = as_json_set(out, "funnel", as_json_clone(as_json_get(model, "funnel")));
		rc |= as_json_set(out, "tasks", as_json_clone(as_json_get(model, "tasks")));
		rc |= as_json_set(out, "shortfall", as_json_integer((int64_t)shortfall));
		rc = rc < 0 ? (as_json_free(out), as_fail_memory(err)) : as_say_json(cli, out, err);
	}
	if (rc == 0 && upto_of(cli->verb->name) == AS_STEP_GATE && shortfall > 0) {
		rc = as_say_shortfall(cli, model, shortfall, err);
		rc = rc < 0 ? rc : AS_EXIT_NO;
	}
	as_json_free(model);
	as_project_close(&p);
	return rc;
}

static int say_gates(const as_cli *cli, const assay_json *tasks, assay_error *err)
{
	static const char *const titles[] = {"task", "category", "refused by", "gates that fail"};
	assay_json *table = as_table_new();
	int rc = table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < 4 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], false);
	}
	for (const assay_json *t = as_json_first(tasks); t && rc == 0; t = as_json_next(t)) {
		as_buf failed = {0};
		for (const assay_json *f = as_json_first(as_json_get(t, "failed")); f; f = as_json_next(f)) {
			as_buf_printf(&failed, "%s%s", failed.len ? ", " : "", as_json_cstr(f, ""));
		}
		const char *refused = as_json_cstr(as_json_get(t, "refused_by"), "");
		if (strcmp(refused, AS_NO_REFERENCE) == 0) {
			as_buf_puts(&failed, "none was asked: the task came without the trace it was made from");
		} else if (strcmp(refused, AS_TOO_LARGE) == 0) {
			as_buf_puts(&failed, "none was asked: the task has more checkpoints than a task may have");
		}
		const char *cells[] = {as_json_cstr(as_json_get(t, "task_id"), ""),
				       as_json_cstr(as_json_get(t, "category"), ""), refused,
				       failed.ptr ? failed.ptr : ""};
		rc = failed.failed ? ASSAY_ENOMEM : failed.len > 0 ? as_table_row(table, cells, 4) : 0;
		as_buf_free(&failed);
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(cli, table, err);
}

static int run_gates(as_cli *cli, assay_error *err)
{
	as_project p;
	assay_json *tasks = NULL;
	uint64_t lost = 0;
	int rc = as_project_open(cli, 0, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_check_makers(p.engine, err);
	rc = rc < 0 ? rc : as_stage_catalogue(p.engine, err);
	rc = rc < 0 ? rc : as_stage_gates(p.engine, &tasks, &lost, err);
	rc = rc < 0 ? rc : say_gates(cli, tasks, err);
	if (rc == 0) {
		as_say(cli, "%zu tasks, %llu of them lost their certificate\n", as_json_count(tasks),
		       (unsigned long long)lost);
		rc = as_say_json(cli, tasks, err);
		tasks = NULL;
	}
	as_json_free(tasks);
	as_project_close(&p);
	return rc == 0 && lost > 0 ? AS_EXIT_NO : rc;
}

#define GENERATE_VERB(id, verb, line, text, takes, function, goes_on)                                                  \
	const as_verb id = {.name = verb,                                                                              \
			    .group = "Making tasks",                                                                   \
			    .summary = line,                                                                           \
			    .arguments = "",                                                                           \
			    .description = text,                                                                       \
			    .options = takes,                                                                          \
			    .examples = "",                                                                            \
			    .continues = goes_on,                                                                      \
			    .run = function}

GENERATE_VERB(
	as_verb_generate, "generate", "make tasks until every category has its count",
	"Goals are written from seed tools, pursued live, distilled to tasks and gated, in rounds, until every\n"
	"category has its count or generation.max_goals is used up. Exit status 1 tells of a shortfall.\n"
	"With --dry-run: how many different seed sets each category has, and how many it lacks for each task to have one\n"
	"of its own; exit status 1 when a category has none at all.",
	generate_options, run, true);
GENERATE_VERB(as_verb_goals, "goals", "write the goals of the first round only",
	      "The first step of \"assay generate\": samples seed tools and writes one goal a wanted task.", options,
	      run, true);
GENERATE_VERB(as_verb_explore, "explore", "pursue the goals of the first round live",
	      "The first two steps of \"assay generate\": writes goals and lets the author's explorer pursue them.",
	      options, run, true);
GENERATE_VERB(as_verb_distill, "distill", "distil the traces of the first round to tasks",
	      "The first three steps of \"assay generate\": everything but the gates.", options, run, true);
GENERATE_VERB(
	as_verb_gate, "gate", "run the gates again on the tasks of the store",
	"Runs every gate on every task that the store holds, made here or imported, and nothing else. A task that a\n"
	"required gate refuses loses its certificate, and gets it back when it passes again. Exit status 1: a task that\n"
	"had a certificate, now or at an earlier time, or an imported one does not pass. The table also lists the tasks\n"
	"that never had one, and those that came without a reference, which no gate can be asked about; they do not\n"
	"change the status.",
	options, run_gates, false);
