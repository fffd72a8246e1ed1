#include "core/release/card.h"

#include "core/base/error.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

/* Files that are always there but for descriptions.json, which is where a condition has such; reports are named by
 * their reporters. */
static const struct {
	const char *file, *what;
} files[] = {
	{"release.json", "name, version, identity; size and SHA-256 of every other file, a digest of every line"},
	{"manifest.json", "the manifest that the run followed, defaults filled in"},
	{"servers.json", "the servers: class, fingerprint, every tool with its schemas"},
	{"plugins.json", "the plugins that took part, with version and digest"},
	{"descriptions.json", "what conditions that word the tools' descriptions anew make of them"},
	{"tasks.jsonl", "the tasks: prompt, checkpoints, minefields, ordering"},
	{"certificates.jsonl", "for each task the gates that it passed, with evidence"},
	{"references.jsonl", "for each task the recorded session that it was made from"},
	{"tapes.jsonl", "for each task the tape that answers tool calls in place of the servers"},
	{"goals.jsonl", "the goals that were pursued"},
	{"funnel.jsonl", "how far each goal came, and why it came no further"},
	{"attempts.jsonl", "every try of every attempt: who, how, how it ended"},
	{"traces.jsonl", "for each of them what the agent did, step by step"},
	{"verdicts.jsonl", "for each of them what the scorers said"},
	{"figures.json", "all figures of the reports"},
};

const char *as_release_license(const as_manifest *m)
{
	return as_json_cstr(as_json_pointer(m->document, "/release/license"), "");
}

/* Text of a person, as a line of Markdown that is nothing but text. */
static void put_text(as_buf *out, const char *text)
{
	as_buf plain = {0};
	as_printable(&plain, as_str(text));
	for (size_t i = 0; i < plain.len; i++) {
		if (strchr("\\`*_[]<>&#|", plain.ptr[i])) {
			as_buf_byte(out, '\\');
		}
		as_buf_byte(out, plain.ptr[i]);
	}
	out->failed = out->failed || plain.failed;
	as_buf_free(&plain);
}

static int64_t sum_of(const assay_json *list, const char *key)
{
	int64_t n = 0;
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		n += as_json_i64(as_json_get(v, key), 0);
	}
	return n;
}

static void put_counts(as_buf *out, const as_manifest *m, const assay_json *model)
{
	const assay_json *servers = as_json_get(model, "servers"), *board = as_json_get(model, "leaderboard");
	as_buf_printf(
		out,
		"A benchmark for agents that use tools: %zu tasks in %zu categories, made out of %lld tools of %zu MCP "
		"servers, and %lld attempts at them by %zu candidates under %zu conditions.\n\n",
		as_json_count(as_json_get(model, "tasks")), m->n_categories, (long long)sum_of(servers, "tools"),
		as_json_count(servers), (long long)sum_of(board, "attempts"), m->n_candidates, m->n_conditions);
}

static bool is_there(const as_manifest *m, const char *file)
{
	bool found = strcmp(file, "descriptions.json") != 0;
	for (size_t i = 0; i < m->n_conditions && !found; i++) {
		found = m->conditions[i].describer.use;
	}
	return found;
}

static int put_files(const as_manifest *m, as_buf *out, assay_error *err)
{
	assay_json *table = as_table_new();
	int rc = as_table_column(table, "file", false);
	rc |= as_table_column(table, "what it holds", false);
	for (size_t i = 0; i < sizeof files / sizeof *files && rc == 0; i++) {
		const char *cells[] = {files[i].file, files[i].what};
		rc = is_there(m, files[i].file) ? as_table_row(table, cells, 2) : 0;
	}
	rc = rc < 0 ? as_fail_memory(err) : as_table_render(table, AS_TABLE_MARKDOWN, out, err);
	as_json_free(table);
	return rc;
}

static void put_making(as_buf *out, const as_manifest *m)
{
	as_buf_printf(
		out,
		"\n## How it was made\n\n"
		"Assay took the tools of the servers, wrote goals for sets of them, let an agent pursue each goal on the "
		"real servers, and distilled what it had brought about into a task with checks. A task is in only when it "
		"passed the required gates. Candidates then attempted the tasks on the recorded tapes, so nobody met "
		"another world than the others. Seed %llu, profile %s, benchmark `%s`.\n",
		(unsigned long long)m->seed, m->profile, m->bench_id);
}

static const char limits[] =
	"\n## What to keep in mind\n\n"
	"- A tape answers what was recorded. A call that it cannot answer is a miss: the lower bound of a rate counts it as an "
	"error, the upper bound as a success. Where the bounds are far apart, the tape says little.\n"
	"- Tasks came out of sessions of one author; what that author could not do is not in them.\n"
	"- Void attempts ended for reasons outside the agent. They are in attempts.jsonl, and in no rate.\n"
	"- What models and servers wrote stands here as they wrote it. Do not take it for instructions.\n";

static void put_checking(as_buf *out, const as_manifest *m)
{
	as_buf_printf(
		out,
		"\n## How to check it\n\n"
		"    assay verify %s-%s.tar.zst\n\n"
		"checks every digest and then works everything out again from the rows: ids, tapes, certificates, replays, "
		"verdicts, figures, reports and this page. It starts no process and uses no network.\n\n## Licence\n\n",
		m->name, m->version);
	if (as_release_license(m)[0]) {
		put_text(out, as_release_license(m));
		as_buf_byte(out, '\n');
	} else {
		as_buf_puts(out, "The manifest names none: ask its maker before you use it.\n");
	}
}

int as_release_card(const as_manifest *m, const assay_json *model, as_buf *out, assay_error *err)
{
	const char *caption = as_json_cstr(as_json_get(m->document, "caption"), "");
	int rc;
	as_buf_printf(out, "# %s %s\n\n", m->name, m->version);
	if (caption[0]) {
		put_text(out, caption);
		as_buf_puts(out, "\n\n");
	}
	put_counts(out, m, model);
	as_buf_puts(out, "## What is in it\n\n");
	rc = put_files(m, out, err);
	if (rc < 0) {
		return rc;
	}
	put_making(out, m);
	as_buf_puts(out, limits);
	put_checking(out, m);
	return as_buf_check(out, err);
}
