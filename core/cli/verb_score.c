/* assay score: what is stored, or what lies in files, scored again. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/run/bulk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)64 << 10)

static const as_option options[] = {
	AS_PROJECT_OPTIONS,
	{"specs", "FILE", "score files instead: tasks as JSON lines"},
	{"traces", "FILE", "with --specs: traces as JSON lines (\"-\": standard input)"},
	{"results", "FILE", "with --specs: where the results go (default: standard output)"},
	{"servers", "FILE", "with --specs: a server manifest, for the tags of the servers"},
	{"scorer", "NAME", "with --specs: another scorer than effects"},
	{"keep-going", NULL, "with --specs: tell a bad line and go on with the next"},
	{NULL, NULL, NULL},
};

/* Where results are put. */
typedef struct output {
	as_file_draft draft;
	bool to_file;
	int fd; /* where they go otherwise */
	as_buf buf;
} output;

static int flush(output *o, assay_error *err)
{
	size_t done = 0;
	int fd = o->to_file ? o->draft.fd : o->fd;
	while (done < o->buf.len) {
		ssize_t n = write(fd, o->buf.ptr + done, o->buf.len - done);
		if (n < 0 && errno != EINTR) {
			return as_fail_errno(err, errno, o->to_file ? o->draft.target : "standard output", "write");
		}
		done += n > 0 ? (size_t)n : 0;
	}
	as_buf_clear(&o->buf);
	return 0;
}

static int put_result(void *payload, assay_str line, assay_error *err)
{
	output *o = payload;
	as_buf_add(&o->buf, line);
	int rc = as_buf_check(&o->buf, err);
	return rc < 0 || o->buf.len < CHUNK ? rc : flush(o, err);
}

/* "calls answered: live 1204, miss 3" */
static void say_served(const as_bulk_counts *n)
{
	const char *between = "calls answered: ";
	for (uint32_t i = 0; i <= ASSAY_SERVED_REFUSED; i++) {
		if (n->served[i] > 0) {
			fprintf(stderr, "%s%s %llu", between, as_served_name(i), (unsigned long long)n->served[i]);
			between = ", ";
		}
	}
	fputs(between[0] == ',' ? "\n" : "", stderr);
}

static int say_counts(as_cli *cli, const as_bulk_counts *n, const as_lines *lines, assay_error *err)
{
	const struct {
		const char *name;
		uint64_t count;
	} all[] = {{"tasks", n->tasks},       {"traces", n->traces},       {"scored", n->scored},
		   {"passed", n->passed},     {"passed_hi", n->passed_hi}, {"unmatched", n->unmatched},
		   {"errors", lines->errors}, {"defects", lines->defects}, {"bytes", n->bytes}};
	assay_json *out = as_json_object(), *served = as_json_object();
	int rc = out && served ? 0 : ASSAY_ENOMEM;
	for (uint32_t i = 0; i <= ASSAY_SERVED_REFUSED && rc == 0; i++) {
		rc = as_json_set(served, as_served_name(i), as_json_integer((int64_t)n->served[i]));
	}
	for (size_t i = 0; i < sizeof all / sizeof *all && rc == 0; i++) {
		rc = as_json_set(out, all[i].name, as_json_integer((int64_t)all[i].count));
	}
	rc |= as_json_set(out, "served", served);
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	if (!cli->json && !cli->quiet) {
		fprintf(stderr,
			"%llu traces, %llu scored, %llu passed (%llu at the upper bound); %llu of no task, %llu lines "
			"passed over, %llu defects\n",
			(unsigned long long)n->traces, (unsigned long long)n->scored, (unsigned long long)n->passed,
			(unsigned long long)n->passed_hi, (unsigned long long)n->unmatched,
			(unsigned long long)lines->errors, (unsigned long long)lines->defects);
		say_served(n);
	}
	return as_say_json(cli, out, err);
}

/* What is read must not be what is written. */
static int check_results(const as_cli *cli, assay_error *err)
{
	static const char *const read[] = {"specs", "traces", "servers"};
	const char *results = as_cli_option(cli, "results");
	for (size_t i = 0; i < sizeof read / sizeof *read && results; i++) {
		const char *path = as_cli_option(cli, read[i]);
		if (path && as_file_is_same(results, path)) {
			as_fail(err, ASSAY_EINVAL, "--results %s is the file of the --%s", results, read[i]);
			return as_error_hint(err, "name another file: what is read stays as it is");
		}
	}
	return 0;
}

static int check_options(const as_cli *cli, assay_error *err)
{
	static const char *const dependent[] = {"traces", "results", "servers", "scorer", "keep-going"};
	bool files = as_cli_option(cli, "specs");
	for (size_t i = 0; i < sizeof dependent / sizeof *dependent && !files; i++) {
		if (as_cli_option(cli, dependent[i])) {
			return as_fail(err, ASSAY_EINVAL, "--%s goes with --specs", dependent[i]);
		}
	}
	if (files && !as_cli_option(cli, "traces")) {
		return as_fail(err, ASSAY_EINVAL, "--specs needs --traces");
	}
	return check_results(cli, err);
}

/* With --json the counts have standard output, so results need a file. */
static int score_files(as_cli *cli, assay_error *err)
{
	const char *results = as_cli_option(cli, "results"), *scorer = as_cli_option(cli, "scorer");
	as_notes notes = {cli, 0};
	output o = {.to_file = results && strcmp(results, "-") != 0, .fd = fileno(cli->out)};
	as_bulk_options b = {.specs = as_cli_option(cli, "specs"),
			     .traces = as_cli_option(cli, "traces"),
			     .servers = as_cli_option(cli, "servers"),
			     .result = put_result,
			     .payload = &o};
	as_lines lines = {.keep_going = as_cli_option(cli, "keep-going"),
			  .note = as_notes_put,
			  .payload = &notes,
			  .cancel = cli->cancel};
	as_bulk_counts counts = {0};
	as_buf use = {0};
	int rc = cli->json && !o.to_file
			 ? as_fail(err, ASSAY_EINVAL, "--json prints the counts: name a file for the --results")
			 : as_cli_registry(cli, false, &b.registry, err);
	as_buf_printf(&use, "%s%s", scorer && strchr(scorer, '/') ? "" : "scorer/", scorer ? scorer : "effects");
	rc = rc < 0 ? rc : as_buf_check(&use, err);
	b.scorer = use.ptr;
	rc = rc < 0 || !o.to_file ? rc : as_file_begin(results, &o.draft, err);
	rc = rc < 0 ? rc : as_bulk_score(&b, &lines, &counts, err);
	rc = rc < 0 ? rc : flush(&o, err);
	if (rc == 0 && o.to_file) {
		rc = as_file_commit(&o.draft, err);
	} else if (o.to_file) {
		as_file_abandon(&o.draft);
	}
	as_notes_end(&notes);
	rc = rc < 0 ? rc : say_counts(cli, &counts, &lines, err);
	as_buf_free(&o.buf);
	as_buf_free(&use);
	return rc == 0 && lines.errors > 0 ? AS_EXIT_INPUT : rc;
}

static int score_store(as_cli *cli, assay_error *err)
{
	as_project p;
	uint64_t scored = 0, changed = 0;
	int rc = as_project_open(cli, AS_PROJECT_READ, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_stage_catalogue(p.engine, err);
	rc = rc < 0 ? rc : as_stage_rescore(p.engine, &scored, &changed, err);
	rc = rc < 0 ? rc : as_say_figures(cli, &p, err);
	if (rc == 0) {
		as_say(cli, "\n%llu attempts scored, %llu verdicts changed\n", (unsigned long long)scored,
		       (unsigned long long)changed);
		as_say(cli, "%s",
		       scored ? ""
			      : "There is no attempt of this benchmark with a trace in the store. Another seed or other "
				"tasks make another benchmark: call \"assay eval\".\n");
	}
	as_project_close(&p);
	return rc;
}

static int run(as_cli *cli, assay_error *err)
{
	int rc = check_options(cli, err);
	if (rc < 0) {
		return rc;
	}
	return as_cli_option(cli, "specs") ? score_files(cli, err) : score_store(cli, err);
}

const as_verb as_verb_score = {
	.name = "score",
	.group = "Evaluating",
	.summary = "score stored attempts, or traces in files, again; nothing is run",
	.arguments = "",
	.description =
		"Scores all stored traces with the manifest's scorers as they are now, replaces the verdicts, and tells how\n"
		"many changed.\n\n"
		"With --specs it needs no manifest and no store: it scores files of traces in DynamicMCPBench's format against\n"
		"a file of its task specifications and writes its evaluation results, with the bounds and what else is ours\n"
		"under summary.assay. A trace belongs to the task that its seed_metadata.task_id names, else to the one whose\n"
		"reference it is, else to the one whose prompt is its goal; several of one task are its repeats. A line that\n"
		"cannot be read ends it, or with --keep-going is told with its line and byte and passed over (exit code 3 at\n"
		"the end). Defects of tasks and what had to be mended in a line are told, counted, and scored all the same.\n"
		"Lines are read as \"assay import\" reads them; of traces, what scoring does not read is only checked to be JSON.\n"
		"A file that is read is never written over.",
	.options = options,
	.examples = "  assay score --specs specs.jsonl --traces traces.jsonl --results eval.jsonl --keep-going\n",
	.run = run,
};
