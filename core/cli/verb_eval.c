/* assay eval, report: the candidates' side. */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/run/makers.h"
#include <stdlib.h>

static const as_option eval_options[] = {AS_PROJECT_OPTIONS,
					 {"reach", NULL, "print what each condition's exposure puts in reach instead"},
					 {NULL, NULL, NULL}};
static const as_option report_options[] = {AS_PROJECT_OPTIONS,
					   {"timing", NULL, "print where the time went instead"},
					   {NULL, NULL, NULL}};

static int reach_line(assay_json *table, const assay_json *row)
{
	double tasks = as_json_f64(as_json_get(row, "tasks"), 0),
	       checkpoints = as_json_f64(as_json_get(row, "checkpoints"), 0);
	char numbers[4][32];
	const char *cells[] = {as_json_cstr(as_json_get(row, "condition"), ""),
			       as_json_cstr(as_json_get(row, "exposure"), ""),
			       numbers[0],
			       numbers[1],
			       numbers[2],
			       numbers[3]};
	snprintf(numbers[0], sizeof numbers[0], "%.0f", tasks);
	snprintf(numbers[1], sizeof numbers[1], "%.1f",
		 tasks > 0 ? as_json_f64(as_json_get(row, "tools"), 0) / tasks : 0);
	snprintf(numbers[2], sizeof numbers[2], "%.1f %%",
		 checkpoints > 0 ? 100 * as_json_f64(as_json_get(row, "reachable"), 0) / checkpoints : 100.0);
	snprintf(numbers[3], sizeof numbers[3], "%.1f %%",
		 tasks > 0 ? 100 * as_json_f64(as_json_get(row, "tasks_reachable"), 0) / tasks : 100.0);
	return as_table_row(table, cells, 6);
}

static int say_reach(as_cli *cli, as_project *p, assay_error *err)
{
	static const char *const titles[] = {"condition", "exposure", "tasks", "tools", "checkpoints", "whole tasks"};
	assay_json *rows = NULL, *table = NULL;
	int rc = as_stage_reach(p->engine, &rows, err);
	if (rc < 0 || cli->json) {
		return rc < 0 ? rc : as_say_json(cli, rows, err);
	}
	table = as_table_new();
	rc = table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < 6 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], i > 1);
	}
	for (const assay_json *r = as_json_first(rows); r && rc == 0; r = as_json_next(r)) {
		rc = reach_line(table, r);
	}
	as_json_free(rows);
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(cli, table, err);
}

int as_evaluate(as_cli *cli, const as_project *p, uint64_t *made, assay_error *err)
{
	int rc = as_stage_evaluate(p->engine, made, err);
	if (rc == ASSAY_ELIMIT) {
		assay_error unheard = {0};
		(void)as_say_figures(cli, p, &unheard);
	}
	return rc;
}

static int run_eval(as_cli *cli, assay_error *err)
{
	as_project p;
	uint64_t made = 0;
	int rc = as_project_open(cli, AS_PROJECT_READ, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_check_makers(p.engine, err);
	rc = rc < 0 ? rc : as_stage_catalogue(p.engine, err);
	if (rc == 0 && as_cli_option(cli, "reach")) {
		rc = say_reach(cli, &p, err);
		as_project_close(&p);
		return rc;
	}
	rc = rc < 0 ? rc : as_evaluate(cli, &p, &made, err);
	rc = rc < 0 ? rc : as_say_figures(cli, &p, err);
	if (rc == 0) {
		as_say(cli, "\n%llu attempts made\n", (unsigned long long)made);
	}
	as_project_close(&p);
	return rc;
}

static int timing_line(void *payload, assay_str what, int64_t count, int64_t total_us, int64_t max_us, assay_error *err)
{
	char name[32], numbers[4][32];
	const char *cells[] = {name, numbers[0], numbers[1], numbers[2], numbers[3]};
	snprintf(name, sizeof name, "%.*s", ASSAY_FMT(what));
	snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)count);
	snprintf(numbers[1], sizeof numbers[1], "%.1f", (double)total_us / 1000.0);
	snprintf(numbers[2], sizeof numbers[2], "%.3f", count ? (double)total_us / (double)count / 1000.0 : 0.0);
	snprintf(numbers[3], sizeof numbers[3], "%.3f", (double)max_us / 1000.0);
	return as_table_row(payload, cells, 5) < 0 ? as_fail_memory(err) : 0;
}

static int say_timing(const as_cli *cli, const as_project *p, assay_error *err)
{
	static const char *const titles[] = {"what", "count", "total ms", "mean ms", "longest ms"};
	assay_json *table = as_table_new();
	int rc = table ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < 5 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], i > 0) < 0 ? as_fail_memory(err) : 0;
	}
	if (rc == 0) {
		rc = as_store_timings(p->store, as_str(p->manifest->bench_id), timing_line, table, err);
	}
	if (rc < 0) {
		as_json_free(table);
		return rc;
	}
	if (cli->json) {
		return as_say_json(cli, table, err);
	}
	return as_say_table(cli, table, err);
}

static int write_reports(as_cli *cli, as_project *p, assay_error *err)
{
	assay_json *model = NULL, *paths = as_json_array(), *out = as_json_object();
	int rc = paths && out ? as_stage_figures(p->engine, false, &model, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : as_stage_report(p->engine, model, p->out_dir.ptr, paths, err);
	rc = rc < 0 ? rc : as_say_leaderboard(cli, model, err);
	if (rc < 0) {
		as_json_free(paths);
		as_json_free(out);
		as_json_free(model);
		return rc;
	}
	as_say(cli, "\n");
	for (const assay_json *path = as_json_first(paths); path; path = as_json_next(path)) {
		as_say(cli, "report   %s\n", as_json_cstr(path, ""));
	}
	rc = as_json_set(out, "reports", paths);
	rc |= as_json_set(out, "model", model);
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	return as_say_json(cli, out, err);
}

static int run_report(as_cli *cli, assay_error *err)
{
	as_project p;
	int rc = as_project_open(cli, AS_PROJECT_READ, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_stage_catalogue(p.engine, err);
	if (rc == 0) {
		rc = as_cli_option(cli, "timing") ? say_timing(cli, &p, err) : write_reports(cli, &p, err);
	}
	as_project_close(&p);
	return rc;
}

const as_verb as_verb_eval = {
	.name = "eval",
	.group = "Evaluating",
	.summary = "let every candidate attempt every task under replay",
	.arguments = "",
	.description =
		"Makes every attempt (task, candidate, condition, repeat) that the store does not hold yet, scores it, and\n"
		"prints the leaderboard. Attempts that ended for reasons outside the agent are void and tried again;\n"
		"while there are such, the exit status is 5, and a line on stderr tells of each cause.",
	.options = eval_options,
	.examples = "  assay eval --reach             # which tools would be on offer, without an attempt\n",
	.continues = true,
	.run = run_eval,
};

const as_verb as_verb_report = {
	.name = "report",
	.group = "Evaluating",
	.summary = "write the reports and print the leaderboard",
	.arguments = "",
	.description = "Renders the manifest's reports from what the store holds.",
	.options = report_options,
	.examples = "  assay report --timing          # where the time went\n",
	.run = run_report,
};
