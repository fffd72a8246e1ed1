/* assay import, export: files of other benchmarks' formats. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/run/adopt.h"
#include "core/run/export.h"
#include <string.h>

#define MAX_MANIFEST ((size_t)4 << 20)

static const as_option import_options[] = {
	AS_PROJECT_OPTIONS,
	{"check", NULL, "check the files, and do nothing else"},
	{"into", "FOLDER", "write what was read there instead, as the reference itself would"},
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

/* What was read and found, and, where a store was filled, what it holds of it. */
static int say_import(as_cli *cli, const as_corpus_counts *n, const as_lines *lines, const as_adopt_counts *stored,
		      assay_error *err)
{
	const count counts[] = {{"tasks", n->tasks},
				{"traces", n->traces},
				{"results", n->results},
				{"goals", n->goals},
				{"servers", n->servers},
				{"others", n->others},
				{"errors", lines->errors},
				{"defects", lines->defects},
				{"stored", stored ? stored->stored : 0},
				{"replayable", stored ? stored->grounded : 0},
				{"attempts", stored ? stored->attempts : 0},
				{"scorable", stored ? stored->scorable : 0},
				{"unmatched", stored ? stored->unmatched : 0}};
	return say_counts(cli, counts, sizeof counts / sizeof *counts - (stored ? 0 : 5), err);
}

static int check_only(as_cli *cli, as_lines *lines, as_corpus_counts *n, assay_error *err)
{
	const as_corpus_options options = {.folder = cli->arguments[1], .into = as_cli_option(cli, "into")};
	return as_corpus_read(&options, lines, n, err);
}

/* A name for a benchmark, made of its folder's. */
static int name_of(const char *folder, char name[65], assay_error *err)
{
	as_buf path = {0};
	size_t n = 0;
	int rc = as_path_absolute(folder, &path, err);
	assay_str base = as_path_base(as_buf_str(&path));
	for (size_t i = 0; i < base.len && n < 64 && rc == 0; i++) {
		char c = base.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (plain || n > 0) {
			name[n++] = plain || strchr("._-", c) ? c : '-';
		}
	}
	name[n] = '\0';
	if (n == 0) {
		snprintf(name, 65, "imported");
	}
	as_buf_free(&path);
	return rc;
}

/* *out NULL: the manifest that is there is that of another benchmark, which is left alone. */
static int make_manifest(const as_cli *cli, as_adoption *a, const char *path, assay_json **out, assay_error *err)
{
	assay_json *old = NULL;
	char name[65] = "";
	int rc = name_of(cli->arguments[1], name, err);
	*out = NULL;
	if (rc == 0 && as_file_exists(path)) {
		rc = as_json_read_file(path, MAX_MANIFEST, &old, err);
		if (rc == 0 && !as_json_get(old, "imported") && !as_cli_option(cli, "manifest")) {
			as_json_free(old);
			return 0;
		}
	}
	rc = rc < 0 ? rc : as_adopt_manifest(a, old, name, out, err);
	if (rc < 0) {
		return as_error_where(err, path, 0);
	}
	rc = as_manifest_check(*out, path, err); /* told before anything is written */
	if (rc < 0) {
		as_json_free(*out);
		*out = NULL;
	}
	return rc;
}

static int write_manifest(const char *path, const assay_json *manifest, assay_error *err)
{
	as_buf text = {0};
	int rc;
	as_json_write(&text, manifest, ASSAY_JSON_PRETTY);
	as_buf_byte(&text, '\n');
	rc = as_buf_check(&text, err);
	rc = rc < 0 ? rc : as_file_write(path, as_buf_str(&text), err);
	as_buf_free(&text);
	return rc;
}

static int fill_store(as_cli *cli, as_adoption *a, as_adopt_counts *stored, assay_error *err)
{
	assay_json *gated = NULL;
	uint64_t refused, scored, changed;
	as_project p;
	int rc = as_project_open(cli, 0, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_adopt_store(a, p.engine, stored, err);
	rc = rc < 0 ? rc : as_stage_gates(p.engine, &gated, &refused, err);
	rc = rc < 0 ? rc : as_stage_rescore(p.engine, &scored, &changed, err);
	as_json_free(gated);
	as_project_close(&p);
	return rc;
}

static int import_corpus(as_cli *cli, as_lines *lines, as_corpus_counts *n, as_adopt_counts *stored, bool *filled,
			 assay_error *err)
{
	const char *given = as_cli_option(cli, "manifest"), *path = given ? given : "assay.json";
	assay_json *manifest = NULL;
	as_adoption *a = NULL;
	int rc = as_adopt_survey(cli->arguments[1], lines, n, &a, err);
	*filled = false;
	if (rc == 0 && n->tasks == 0) {
		as_say(cli, "there is no task in it, so nothing is stored\n\n");
	} else if (rc == 0) {
		rc = make_manifest(cli, a, path, &manifest, err);
		if (rc == 0 && !manifest) {
			as_say(cli, "%s is another benchmark's, so nothing is stored: see --manifest\n\n", path);
		}
	}
	if (rc == 0 && manifest) {
		rc = write_manifest(path, manifest, err);
		rc = rc < 0 ? rc : fill_store(cli, a, stored, err);
		*filled = rc == 0;
	}
	as_json_free(manifest);
	as_adopt_free(a);
	return rc;
}

static int run_import(as_cli *cli, assay_error *err)
{
	as_notes notes = {cli, 0};
	as_lines lines = {.keep_going = as_cli_option(cli, "keep-going"),
			  .note = as_notes_put,
			  .payload = &notes,
			  .cancel = cli->cancel};
	as_adopt_counts stored;
	as_corpus_counts n;
	bool filled = false;
	int rc;
	if (cli->n_arguments != 2 || strcmp(cli->arguments[0], "dynamicmcpbench") != 0) {
		return as_fail(err, ASSAY_EINVAL, "expected \"dynamicmcpbench\" and the folder of its files");
	}
	rc = as_cli_option(cli, "into") || as_cli_option(cli, "check")
		     ? check_only(cli, &lines, &n, err)
		     : import_corpus(cli, &lines, &n, &stored, &filled, err);
	as_notes_end(&notes);
	rc = rc < 0 ? rc : say_import(cli, &n, &lines, filled ? &stored : NULL, err);
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
		const count counts[] = {{"tasks", n.tasks},
					{"references", n.references},
					{"attempts", n.attempts},
					{"files", n.files}};
		as_say(cli, "files in %s\n", folder.ptr);
		rc = say_counts(cli, counts, sizeof counts / sizeof *counts, err);
	}
	as_buf_free(&folder);
	return rc;
}

const as_verb as_verb_import = {
	.name = "import",
	.group = "Releasing",
	.summary = "take in a folder of another benchmark's files: tasks, traces, results",
	.arguments = "dynamicmcpbench FOLDER",
	.description =
		"Reads every *.json and *.jsonl file below FOLDER in DynamicMCPBench's formats: task specifications, traces,\n"
		"evaluation results, goals, server manifests, catalogues, told by their keys. Each field is checked as the\n"
		"reference's own loader does. A line that it would refuse ends the import, and nothing is written; or with\n"
		"--keep-going it is told with its line and byte and passed over (exit code 3 at the end). Tasks that can never\n"
		"be met and results that contradict themselves are told and counted.\n\n"
		"Then a store is filled, and a manifest written that goes with it, so that gate, eval, score, report, pack and\n"
		"export work as on a benchmark of your own; no server is needed. Tasks whose reference is there get a tape from\n"
		"it, and the gates' answers as their certificate; the others are kept, but nobody can attempt them. Results become\n"
		"attempts of recorded candidates, one for each candidate_model: scored anew where their traces are there; reported,\n"
		"but not packed where they\n"
		"are not. The store gets all of it or nothing: an import that was killed is called again. The manifest asks for\n"
		"DynamicMCPBench's rules (\"profile\"), and requires no gate: name some under generation.gates.require and call\n"
		"\"assay gate\". A manifest of another benchmark is left alone, and the files are only checked.\n\n"
		"With --into all of it is written again instead, in the reference's own spelling. \"assay score --specs\" scores\n"
		"such files without a store.",
	.options = import_options,
	.examples = "  assay import dynamicmcpbench corpus --keep-going\n"
		    "  assay import dynamicmcpbench corpus --into clean\n",
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
		"Of an import it gives back all tasks, and the results, goals, manifests and catalogues as they came.\n"
		"A result's candidate_model is the candidate's name, and its evaluation_mode \"replay\", or \"replay:CONDITION\" where\n"
		"there are several, so that an import of it gives the same table.\n"
		"What is ours stands under seed_metadata.assay, provenance.assay and summary.assay, which its models allow.",
	.options = export_options,
	.examples = "  assay export --into for-dmcp\n",
	.run = run_export,
};
