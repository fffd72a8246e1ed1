/* assay import, export: files of other benchmarks' formats. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/run/corpus.h"
#include "core/run/export.h"
#include <string.h>

static const as_option import_options[] = {
	{"into", "FOLDER", "write what was read there, as the reference itself would"},
	{"keep-going", NULL, "tell a bad line and go on with the next"},
	{NULL, NULL, NULL},
};
static const as_option export_options[] = {AS_PROJECT_OPTIONS,
					   {"into", "FOLDER",
					    "where the files go (default: export beside the manifest)"},
					   {NULL, NULL, NULL}};

typedef struct count {
	const char *name;
	uint64_t n;
} count;

static int say_counts(as_cli *cli, const count *counts, size_t n, assay_error *err)
{
	assay_json *out = as_json_object();
	int rc = out ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = as_json_set(out, counts[i].name, as_json_integer((int64_t)counts[i].n));
		as_say(cli, "%-10s %llu\n", counts[i].name, (unsigned long long)counts[i].n);
	}
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	return as_say_json(cli, out, err);
}

static int run_import(as_cli *cli, assay_error *err)
{
	as_notes notes = {cli, 0};
	as_lines lines = {.keep_going = as_cli_option(cli, "keep-going"),
			  .note = as_notes_put,
			  .payload = &notes,
			  .cancel = cli->cancel};
	as_corpus_counts n;
	int rc;
	if (cli->n_arguments != 2 || strcmp(cli->arguments[0], "dynamicmcpbench") != 0) {
		return as_fail(err, ASSAY_EINVAL, "expected \"dynamicmcpbench\" and the folder of its files");
	}
	rc = as_corpus_read(cli->arguments[1], as_cli_option(cli, "into"), &lines, &n, err);
	as_notes_end(&notes);
	if (rc == 0) {
		const count counts[] = {{"tasks", n.tasks},       {"traces", n.traces},      {"results", n.results},
					{"goals", n.goals},       {"servers", n.servers},    {"others", n.others},
					{"errors", lines.errors}, {"defects", lines.defects}};
		rc = say_counts(cli, counts, sizeof counts / sizeof *counts, err);
	}
	return rc == 0 && lines.errors > 0 ? AS_EXIT_INPUT : rc;
}

static int run_export(as_cli *cli, assay_error *err)
{
	const char *into = as_cli_option(cli, "into");
	as_export_counts n = {0};
	as_buf folder = {0};
	as_project p;
	int rc = as_project_open(cli, AS_PROJECT_READ, &p, err);
	if (rc < 0) {
		return rc;
	}
	as_path_join(&folder, as_str(into ? "" : p.out_dir.ptr), as_str(into ? into : "export"));
	rc = as_buf_check(&folder, err);
	rc = rc < 0 ? rc : as_stage_catalogue(p.engine, err);
	rc = rc < 0 ? rc : as_export(p.engine, folder.ptr, &n, err);
	as_project_close(&p);
	if (rc == 0) {
		const count counts[] = {{"tasks", n.tasks}, {"references", n.references}, {"attempts", n.attempts}};
		as_say(cli, "files in %s\n", folder.ptr);
		rc = say_counts(cli, counts, sizeof counts / sizeof *counts, err);
	}
	as_buf_free(&folder);
	return rc;
}

const as_verb as_verb_import = {
	.name = "import",
	.group = "Releasing",
	.summary = "check and convert a folder of another benchmark's files",
	.arguments = "dynamicmcpbench FOLDER",
	.description =
		"Reads every *.json and *.jsonl file below FOLDER in DynamicMCPBench's formats: task specifications, traces,\n"
		"evaluation results, goals, server manifests, catalogues, told by their keys. Each field is checked as the\n"
		"reference's own loader does. A line that it would refuse ends the import, or with --keep-going is told with its\n"
		"line and byte and passed over (exit code 3 at the end); tasks that can never be met and results that contradict\n"
		"themselves are told and counted. With --into all of it is written again, in the reference's own spelling.\n"
		"\"assay score --specs\" scores such files.",
	.options = import_options,
	.examples = "  assay import dynamicmcpbench corpus --into clean --keep-going\n",
	.run = run_import,
};

const as_verb as_verb_export = {
	.name = "export",
	.group = "Releasing",
	.summary = "write tasks, traces and results for DynamicMCPBench's loaders",
	.arguments = "",
	.description =
		"Writes specs.jsonl (the certified tasks), traces.jsonl (their references), candidates.jsonl (the traces of the\n"
		"attempts) and eval.jsonl (the headline scorer's results, void attempts left out) in DynamicMCPBench's formats.\n"
		"What is ours stands under seed_metadata.assay, provenance.assay and summary.assay, which its models allow.",
	.options = export_options,
	.examples = "  assay export --into for-dmcp\n",
	.run = run_export,
};
