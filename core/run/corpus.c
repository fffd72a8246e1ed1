#include "core/run/corpus.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/task/model.h"
#include "core/task/task.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)
#define MAX_FILE ((size_t)256 << 20) /* of a file that is one document */

typedef struct corpus {
	as_lines *lines;
	as_corpus_counts *counts;
	const as_corpus_options *options;
	const char *file; /* being read, relative to the folder */
	as_file_draft draft;
	bool writing; /* draft is begun */
	as_buf buf;
} corpus;

/* ---- what a document is ---- */

typedef struct kind {
	const char *keys[2]; /* that tell it */
	const as_model *model;
	enum as_corpus_kind kind;
	size_t count; /* in as_corpus_counts */
} kind;

#define COUNT(member) offsetof(as_corpus_counts, member)

static const kind line_kinds[] = {
	{{"source_trace_id", "checkpoints"}, &as_model_task, AS_CORPUS_TASK, COUNT(tasks)},
	{{"candidate_trace_id", "checkpoint_results"}, &as_model_result, AS_CORPUS_RESULT, COUNT(results)},
	/* with something missing */
	{{"source_trace_id", "prompt"}, &as_model_task, AS_CORPUS_TASK, COUNT(tasks)},
	{{"candidate_trace_id", "task_id"}, &as_model_result, AS_CORPUS_RESULT, COUNT(results)},
	{{"trace_id", "trace_id"}, &as_model_trace, AS_CORPUS_TRACE, COUNT(traces)},
	{{"steps", "steps"}, &as_model_trace, AS_CORPUS_TRACE, COUNT(traces)},
};

static const kind file_kinds[] = {
	{{"entries", "entries"}, &as_model_goals, AS_CORPUS_GOALS, COUNT(goals)},
	{{"servers", "servers"}, &as_model_manifest, AS_CORPUS_MANIFEST, COUNT(servers)},
};

static const kind *kind_of(const kind *kinds, size_t n, const assay_json *document)
{
	for (size_t i = 0; i < n; i++) {
		if (as_json_get(document, kinds[i].keys[0]) && as_json_get(document, kinds[i].keys[1])) {
			return &kinds[i];
		}
	}
	return NULL;
}

static void count(corpus *c, const kind *k, uint64_t n)
{
	uint64_t *at = (uint64_t *)(void *)((char *)c->counts + k->count);
	*at += n;
}

/* ---- results that contradict themselves ---- */

static bool all_true(const assay_json *list, const char *key, bool wanted)
{
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		if ((as_json_boolean(as_json_get(v, key), 0) != 0) != wanted) {
			return false;
		}
	}
	return true;
}

static int64_t count_true(const assay_json *list, const char *key)
{
	int64_t n = 0;
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		n += as_json_boolean(as_json_get(v, key), 0) != 0;
	}
	return n;
}

static bool agrees(const assay_json *summary, const char *key, int64_t n)
{
	const assay_json *v = as_json_get(summary, key);
	return !v || as_json_i64(v, -1) == n;
}

/* NULL: it hangs together. */
static const char *contradiction(const assay_json *r)
{
	const assay_json *checks = as_json_get(r, "checkpoint_results"), *mines = as_json_get(r, "minefield_results");
	const assay_json *summary = as_json_get(r, "summary"), *sae = as_json_pointer(summary, "/sae/total");
	bool passed = all_true(checks, "passed", true) && all_true(mines, "hit", false) &&
		      as_json_boolean(as_json_get(r, "ordering_ok"), 0);
	if (passed != (as_json_boolean(as_json_get(r, "passed"), 0) != 0)) {
		return "\"passed\" does not follow from the checkpoints, minefields and their order";
	}
	if (!agrees(summary, "checkpoints_total", (int64_t)as_json_count(checks)) ||
	    !agrees(summary, "checkpoints_passed", count_true(checks, "passed")) ||
	    !agrees(summary, "minefields_total", (int64_t)as_json_count(mines)) ||
	    !agrees(summary, "minefields_hit", count_true(mines, "hit"))) {
		return "the summary counts other checkpoints or minefields than there are";
	}
	if (sae && (as_json_i64(sae, 0) > 0) != (as_json_boolean(as_json_get(r, "had_sae"), 0) != 0)) {
		return "\"had_sae\" contradicts the summary";
	}
	return NULL;
}

static void look_closer(corpus *c, const kind *k, const assay_json *made, const as_line *line)
{
	assay_error flaw = {0};
	const char *complaint = k->model == &as_model_result ? contradiction(made) : NULL;
	if (k->model == &as_model_task) {
		as_task_check(made, NULL, &flaw);
	} else if (complaint) {
		as_fail(&flaw, ASSAY_EDATA, "%s", complaint);
	}
	if (flaw.code) {
		as_lines_defect(c->lines, line, &flaw);
	}
}

/* ---- reading and writing ---- */

static int flush(corpus *c, assay_error *err)
{
	size_t done = 0;
	while (c->writing && done < c->buf.len) {
		ssize_t n = write(c->draft.fd, c->buf.ptr + done, c->buf.len - done);
		if (n < 0 && errno != EINTR) {
			return as_fail_errno(err, errno, c->draft.target, "write");
		}
		done += n > 0 ? (size_t)n : 0;
	}
	as_buf_clear(&c->buf);
	return 0;
}

/* Hand a document on, whose text stands in buf from `from` on. */
static int pass_on(corpus *c, enum as_corpus_kind what_it_is, const as_line *line, size_t from, assay_json **made,
		   assay_error *what)
{
	const as_corpus_item item = {what_it_is, line, c->file, {c->buf.ptr + from, c->buf.len - from}, made};
	return c->options->take ? c->options->take(c->options->payload, &item, what) : 0;
}

static int take_line(void *payload, const as_line *line, assay_error *what)
{
	corpus *c = payload;
	assay_json *document = NULL, *made = NULL;
	size_t from = c->buf.len;
	const kind *k;
	int rc = as_lines_parse(c->lines, line, &document, what);
	if (rc < 0) {
		return rc;
	}
	k = kind_of(line_kinds, sizeof line_kinds / sizeof *line_kinds, document);
	if (k && c->options->passed_over & (1u << k->kind)) {
		as_json_free(document);
		return 0;
	}
	rc = k ? as_model_read(k->model, document, &made, what)
	       : as_fail(what, ASSAY_EDATA, "neither a task nor a trace nor an evaluation result");
	as_json_free(document);
	if (rc == 0) {
		count(c, k, 1);
		look_closer(c, k, made, line);
		as_json_write(&c->buf, made, ASSAY_JSON_COMPACT);
		rc = as_buf_check(&c->buf, what);
		rc = rc < 0 ? rc : pass_on(c, k->kind, line, from, &made, what);
		as_buf_byte(&c->buf, '\n');
		rc = rc < 0 ? rc : as_buf_check(&c->buf, what);
	}
	if (rc == 0 && c->buf.len >= CHUNK) {
		rc = flush(c, what);
	}
	as_json_free(made);
	return rc;
}

static int read_document(corpus *c, const as_line *line, const assay_json *document, assay_error *what)
{
	const kind *k = kind_of(file_kinds, sizeof file_kinds / sizeof *file_kinds, document);
	const assay_json *entry = as_json_first(document);
	enum as_corpus_kind what_it_is = k ? k->kind : AS_CORPUS_CATALOGUE;
	assay_json *made = NULL;
	int rc = 0;
	if (k) {
		rc = as_model_read(k->model, document, &made, what);
		if (rc == 0) {
			count(c, k, as_json_count(as_json_get(made, k->keys[0])));
		}
	} else if (as_json_get(entry, "tools") && as_json_get(entry, "pass_rate")) {
		rc = as_catalogue_file_read(document, &made, what);
		c->counts->servers += rc == 0 ? as_json_count(made) : 0;
	} else {
		c->counts->others++;
	}
	if (rc == 0 && k && k->model == &as_model_manifest) {
		rc = as_model_write_manifest(made, &c->buf);
	} else if (rc == 0) {
		as_json_write(&c->buf, made ? made : document, ASSAY_JSON_PRETTY);
	}
	rc = rc < 0 ? rc : as_buf_check(&c->buf, what);
	rc = rc < 0 || !made ? rc : pass_on(c, what_it_is, line, 0, &made, what);
	as_json_free(made);
	return rc;
}

/* A file that is one document is like one line. */
static int take_file(corpus *c, const char *path, assay_error *err)
{
	as_line line = {.path = path};
	assay_text text = {0};
	assay_json *document = NULL;
	assay_error what = {0};
	as_json_notes notes;
	as_json_limits limits = {.max_bytes = MAX_FILE};
	int rc = as_file_read(path, MAX_FILE, &text, &what);
	rc = rc < 0 ? rc : as_json_parse_with(as_text_str(text), AS_JSON_PYDANTIC, &limits, &notes, &document, &what);
	if (rc == 0) {
		as_lines_mended(c->lines, &line, &notes);
		rc = read_document(c, &line, document, &what);
	}
	as_json_free(document);
	as_text_free(&text);
	if (rc < 0 && c->lines->keep_going && (rc == ASSAY_EDATA || rc == ASSAY_ELIMIT)) {
		as_error_where(&what, path, 0);
		c->lines->errors++;
		c->lines->note(c->lines->payload, &what, true);
		return 0;
	}
	if (rc < 0 && err) {
		as_error_where(&what, path, 0);
		*err = what;
	}
	return rc;
}

/* What is read must not be what is written: the folder itself, one in it, or a file in it that a link leads to. */
static int check_into(const as_corpus_options *o, const char *path, assay_error *err)
{
	as_buf from = {0}, to = {0};
	int rc = as_path_absolute(o->folder, &from, err);
	rc = rc < 0 ? rc : as_path_absolute(path, &to, err);
	as_buf_byte(&from, '/');
	as_buf_byte(&to, '/');
	rc = rc < 0 ? rc : as_buf_check(&from, err);
	rc = rc < 0 ? rc : as_buf_check(&to, err);
	if (rc == 0 && as_str_starts(as_buf_str(&to), as_buf_str(&from))) {
		rc = as_fail(err, ASSAY_EINVAL, "%s lies in the folder that is read", path);
		as_error_hint(err, "name another folder: what is imported stays as it is");
	}
	as_buf_free(&from);
	as_buf_free(&to);
	return rc;
}

static int begin(corpus *c, const char *relative, assay_error *err)
{
	as_buf path = {0}, folder = {0};
	int rc;
	if (!c->options->into) {
		return 0;
	}
	as_path_join(&path, as_str(c->options->into), as_str(relative));
	rc = as_buf_check(&path, err);
	rc = rc < 0 ? rc : check_into(c->options, path.ptr, err);
	if (rc == 0) {
		as_buf_add(&folder, as_path_dir(as_buf_str(&path)));
		rc = as_buf_check(&folder, err);
	}
	rc = rc < 0 ? rc : as_make_dirs(folder.ptr, err);
	rc = rc < 0 ? rc : as_file_begin(path.ptr, &c->draft, err);
	c->writing = rc == 0;
	as_buf_free(&path);
	as_buf_free(&folder);
	return rc;
}

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && strcmp(path + n - m, end) == 0;
}

static int on_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	corpus *c = payload;
	bool lines = ends_with(relative, ".jsonl");
	int rc;
	if (!lines && !ends_with(relative, ".json")) {
		return 0;
	}
	c->file = relative;
	rc = begin(c, relative, err);
	rc = rc < 0 ? rc : lines ? as_lines_each(c->lines, path, take_line, c, err) : take_file(c, path, err);
	rc = rc < 0 ? rc : flush(c, err);
	if (rc == 0 && c->writing) {
		rc = as_file_commit(&c->draft, err);
	} else {
		as_file_abandon(&c->draft);
	}
	c->draft = (as_file_draft){0};
	c->writing = false;
	return rc;
}

int as_corpus_read(const as_corpus_options *options, as_lines *lines, as_corpus_counts *counts, assay_error *err)
{
	corpus c = {.lines = lines, .counts = counts, .options = options};
	int rc;
	*counts = (as_corpus_counts){0};
	if (!as_dir_exists(options->folder)) {
		return as_fail(err, ASSAY_ENOENT, "there is no folder %s", options->folder);
	}
	rc = options->into ? check_into(options, options->into, err) : 0;
	rc = rc < 0 || !options->into ? rc : as_make_dirs(options->into, err);
	rc = rc < 0 ? rc : as_walk(options->folder, on_file, &c, err);
	as_buf_free(&c.buf);
	return rc;
}
