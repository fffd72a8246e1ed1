/* assay verify: does a release prove its own numbers? */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include "core/release/verify.h"
#include <stdlib.h>

static const as_option options[] = {{NULL, NULL, NULL}};

typedef struct count {
	const char *key, *what;
	uint64_t n;
} count;

#define N_COUNTS 11
static void list_counts(const as_release_findings *f, count out[N_COUNTS])
{
	const count counts[N_COUNTS] = {
		{"files", "files, by digest", f->files},
		{"servers", "servers", f->servers},
		{"tasks", "tasks, made again of their references", f->tasks},
		{"certificates", "certificates, by running the gates again", f->certificates},
		{"attempts", "attempts, by id", f->attempts},
		{"traces", "traces, by id", f->traces},
		{"replays", "traces, put to their tapes again", f->replays},
		{"verdicts", "verdicts, by scoring again", f->verdicts},
		{"verdicts_stored", "verdicts that nobody can work out again", f->verdicts_stored},
		{"figures", "figures, worked out again", f->figures},
		{"reports", "reports, rendered again", f->reports},
	};
	for (size_t i = 0; i < N_COUNTS; i++) {
		out[i] = counts[i];
	}
}

static int say_counts(as_cli *cli, const count *counts, assay_error *err)
{
	assay_json *table = as_table_new();
	int rc = as_table_column(table, "checked", false);
	rc |= as_table_column(table, "count", true);
	for (size_t i = 0; i < N_COUNTS && rc == 0; i++) {
		char number[24];
		const char *cells[] = {counts[i].what, number};
		snprintf(number, sizeof number, "%llu", (unsigned long long)counts[i].n);
		rc = as_table_row(table, cells, 2);
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(cli, table, err);
}

static void say_findings(const as_cli *cli, const as_release_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		char line[1400];
		as_error_format(&f->list[i], line, sizeof line);
		as_say(cli, "%s\n", line);
	}
	if (f->total > f->n) {
		as_say(cli, "... and %llu more\n", (unsigned long long)(f->total - f->n));
	}
	as_say(cli, "\nnot verified: %llu finding%s\n", (unsigned long long)f->total, f->total == 1 ? "" : "s");
}

static assay_json *finding_json(const assay_error *e)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "file", as_json_cstring(e->where));
	rc |= as_json_set(o, "line", e->line ? as_json_integer(e->line) : as_json_null());
	rc |= as_json_set(o, "pointer", as_json_cstring(e->pointer));
	rc |= as_json_set(o, "message", as_json_cstring(e->message));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static assay_json *result_json(const as_release_findings *f, const count *counts)
{
	assay_json *o = as_json_object(), *list = as_json_array(), *checked = as_json_object();
	int rc = o && list && checked ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < f->n && rc == 0; i++) {
		rc = as_json_append(list, finding_json(&f->list[i]));
	}
	for (size_t i = 0; i < N_COUNTS && rc == 0; i++) {
		rc = as_json_set(checked, counts[i].key, as_json_integer((int64_t)counts[i].n));
	}
	rc |= as_json_set(o, "verified", as_json_truth(f->total == 0));
	rc |= as_json_set(o, "name", as_json_cstring(f->name));
	rc |= as_json_set(o, "version", as_json_cstring(f->version));
	rc |= as_json_set(o, "identity", as_json_cstring(f->identity));
	rc |= as_json_set(o, "checked", checked);
	rc |= as_json_set(o, "total_findings", as_json_integer((int64_t)f->total));
	rc |= as_json_set(o, "findings", list);
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static int say(as_cli *cli, const as_release_findings *f, assay_error *err)
{
	count counts[N_COUNTS];
	int rc;
	list_counts(f, counts);
	as_say(cli, "%s %s\n\n", f->name, f->version);
	rc = say_counts(cli, counts, err);
	if (rc < 0) {
		return rc;
	}
	as_say(cli, "\n");
	if (f->total > 0) {
		say_findings(cli, f);
	} else {
		as_say(cli, "verified: identity sha256:%s\n", f->identity);
	}
	rc = as_say_json(cli, result_json(f, counts), err);
	return rc < 0 ? rc : f->total > 0 ? AS_EXIT_NO : AS_EXIT_OK;
}

static int run(as_cli *cli, assay_error *err)
{
	as_release_verify_options verify = {.log = cli->log, .cancel = cli->cancel, .progress = cli->progress};
	as_release_findings *found;
	int rc;
	if (cli->n_arguments != 1) {
		as_fail(err, ASSAY_EINVAL, "expected one release, got %zu arguments", cli->n_arguments);
		return as_error_hint(err, "assay verify NAME-VERSION.tar.zst, or the folder of an unpacked one");
	}
	found = as_new(1, sizeof *found);
	if (!found) {
		return as_fail_memory(err);
	}
	verify.path = cli->arguments[0];
	rc = as_cli_registry(cli, true, &verify.registry, err);
	rc = rc < 0 ? rc : as_release_verify(&verify, found, err);
	rc = rc < 0 ? rc : say(cli, found, err);
	free(found);
	return rc;
}

const as_verb as_verb_verify = {
	.name = "verify",
	.group = "Releasing",
	.summary = "check that a release proves its own numbers",
	.arguments = "RELEASE",
	.description =
		"Checks every digest of a release (.tar.zst or its unpacked folder), then works everything out again from its rows:\n"
		"ids, tasks, tapes, certificates, replays, verdicts, figures, reports. Names file, line and place of what differs,\n"
		"and answers 1 then. Starts no process, uses no network, loads only plugins that ship.",
	.options = options,
	.examples = "  assay verify acme-office-0.3.0.tar.zst\n",
	.run = run,
};
