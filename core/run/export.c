#include "core/run/export.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/run/adopt.h"
#include "core/run/result.h"
#include "core/task/model.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)

enum { SPECS, TRACES, CANDIDATES, RESULTS, N_FILES };
static const char *const file_names[N_FILES] = {"specs.jsonl", "traces.jsonl", "candidates.jsonl", "eval.jsonl"};
static const as_model *const models[N_FILES] = {&as_model_task, &as_model_trace, &as_model_trace, &as_model_result};

typedef struct exporting {
	as_engine *engine;
	as_export_counts *counts;
	as_file_draft drafts[N_FILES];
	as_buf bufs[N_FILES];
	as_arena arena;
	assay_str *references; /* trace ids of the tasks */
	size_t n, cap;
} exporting;

static int flush(exporting *x, int file, assay_error *err)
{
	size_t done = 0;
	as_buf *b = &x->bufs[file];
	while (done < b->len) {
		ssize_t n = write(x->drafts[file].fd, b->ptr + done, b->len - done);
		if (n < 0 && errno != EINTR) {
			return as_fail_errno(err, errno, x->drafts[file].target, "write");
		}
		done += n > 0 ? (size_t)n : 0;
	}
	as_buf_clear(b);
	return 0;
}

/* What the store holds and the reference's model does not: a version of this program before may have kept it so. */
static int name_document(int file, const assay_json *document, assay_error *err)
{
	static const char *const ids[N_FILES] = {"task_id", "trace_id", "trace_id", "candidate_trace_id"};
	char where[96];
	snprintf(where, sizeof where, "%s %s",
		 file == SPECS     ? "task"
		 : file == RESULTS ? "the result of trace"
				   : "trace",
		 as_json_cstr(as_json_get(document, ids[file]), "without an id"));
	as_error_where(err, where, 0);
	as_error_hint(err, "the store may be of an earlier version: \"assay run --store FILE\" makes a new one");
	return ASSAY_EDATA;
}

/* One document, as the reference's model has it. */
static int put(exporting *x, int file, assay_str text, assay_error *err)
{
	assay_json *document = NULL, *made = NULL;
	int rc = as_json_parse(text, AS_JSON_PYDANTIC, &document, err);
	rc = rc < 0 ? rc : as_model_read(models[file], document, &made, err);
	rc = rc == ASSAY_EDATA ? name_document(file, document, err) : rc;
	if (rc == 0) {
		as_json_write(&x->bufs[file], made, ASSAY_JSON_COMPACT);
		as_buf_byte(&x->bufs[file], '\n');
		rc = as_buf_check(&x->bufs[file], err);
	}
	as_json_free(document);
	as_json_free(made);
	return rc < 0 || x->bufs[file].len < CHUNK ? rc : flush(x, file, err);
}

static int export_task(void *payload, const as_task_row *row, assay_error *err)
{
	exporting *x = payload;
	int rc = put(x, SPECS, row->body, err);
	if (rc == 0 && row->trace_id.len == 0) {
		x->counts->tasks++;
		return 0; /* an imported one that came without its reference */
	}
	if (rc == 0 && !as_grow(&x->references, &x->cap, x->n + 1, sizeof *x->references)) {
		rc = as_fail_memory(err);
	}
	if (rc == 0) {
		x->references[x->n++] = as_arena_str(&x->arena, row->trace_id);
		x->counts->tasks++;
		rc = x->arena.failed ? as_fail_memory(err) : 0;
	}
	return rc;
}

static int export_references(exporting *x, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < x->n && rc == 0; i++) {
		assay_text text = {0};
		rc = as_store_get_document(x->engine->store, "trace", x->references[i], &text, err);
		rc = rc < 0 ? rc : put(x, TRACES, as_text_str(text), err);
		x->counts->references += rc == 0;
		as_text_free(&text);
	}
	return rc;
}

/* Conditions of our own. */
static size_t count_conditions(const exporting *x)
{
	const as_manifest *m = x->engine->manifest;
	size_t n = 0;
	for (size_t i = 0; i < m->n_conditions; i++) {
		n += !m->conditions[i].recorded;
	}
	return n;
}

/* Candidates and, where there are several, conditions keep their names: whoever reads the results in again gets the
 * same table, also where several candidates use one model. */
static int export_result(exporting *x, const as_attempt_row *row, const as_verdict_row *headline, assay_error *err)
{
	as_result_frame frame = {.task_id = row->task_id, .candidate = row->candidate, .repeat = row->repeat};
	as_trace *trace = NULL;
	assay_json *verdict = NULL;
	as_buf line = {0}, mode = {0};
	int rc;
	as_buf_puts(&mode, "replay");
	if (count_conditions(x) > 1) {
		as_buf_printf(&mode, ":%.*s", ASSAY_FMT(row->condition));
	}
	frame.mode = mode.ptr;
	rc = as_buf_check(&mode, err);
	rc = rc < 0 ? rc : as_trace_parse(row->trace, &trace, err);
	rc = rc < 0 ? rc : as_json_parse(headline->body, ASSAY_JSON_PEER, &verdict, err);
	if (rc == 0) {
		frame.trace = trace;
		frame.verdict = verdict;
		as_result_write(&frame, &line);
		rc = as_buf_check(&line, err);
	}
	rc = rc < 0 ? rc : put(x, RESULTS, as_buf_str(&line), err);
	as_buf_free(&line);
	as_buf_free(&mode);
	as_json_free(verdict);
	as_trace_free(trace);
	return rc;
}

/* Is it an attempt that came with an import? Its result came along, too, or is there none. */
static bool is_recorded(const exporting *x, assay_str condition)
{
	const as_manifest *m = x->engine->manifest;
	for (size_t i = 0; i < m->n_conditions; i++) {
		if (m->conditions[i].recorded && as_str_is(condition, m->conditions[i].name)) {
			return true;
		}
	}
	return false;
}

static int export_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	exporting *x = payload;
	const as_verdict_row *headline = as_headline(x->engine->manifest, row);
	bool recorded = is_recorded(x, row->condition);
	int rc;
	if (!recorded && (row->voided || !headline)) {
		return 0;
	}
	rc = row->trace.len > 0 ? put(x, CANDIDATES, row->trace, err) : 0;
	rc = rc < 0 || recorded ? rc : export_result(x, row, headline, err);
	x->counts->attempts += rc == 0;
	return rc;
}

/* ---- what came with an import ---- */

static int export_imported_result(void *payload, assay_str key, assay_str body, assay_error *err)
{
	(void)key;
	return put(payload, RESULTS, body, err);
}

typedef struct file_export {
	const char *folder;
	const char *manifest; /* the one that is used */
	as_export_counts *counts;
} file_export;

/* The name of a file below the folder: a store of somebody else's may hold any. */
static bool is_below(assay_str name)
{
	bool fine = name.len > 0 && name.ptr[0] != '/';
	for (size_t from = 0, to; fine && from <= name.len; from = to + 1) {
		for (to = from; to < name.len && name.ptr[to] != '/'; to++) {
		}
		fine = !as_str_is((assay_str){name.ptr + from, to - from}, "..");
	}
	return fine;
}

static int export_file(void *payload, assay_str key, assay_str body, assay_error *err)
{
	const file_export *x = payload;
	as_buf path = {0}, folder = {0};
	int rc;
	if (!is_below(key)) {
		return as_fail(err, ASSAY_EDATA, "\"%.*s\" is no file below the folder", ASSAY_FMT(key));
	}
	as_path_join(&path, as_str(x->folder), key);
	as_buf_add(&folder, as_path_dir(as_buf_str(&path)));
	rc = as_buf_check(&path, err);
	rc = rc < 0 ? rc : as_buf_check(&folder, err);
	if (rc == 0 && as_file_is_same(path.ptr, x->manifest)) {
		rc = as_fail(err, ASSAY_EINVAL, "%s is the manifest: a file of that name came with the import",
			     path.ptr);
		as_error_hint(err, "name another folder with --into");
	}
	rc = rc < 0 ? rc : as_make_dirs(folder.ptr, err);
	rc = rc < 0 ? rc : as_file_write(path.ptr, body, err);
	x->counts->files += rc == 0;
	as_buf_free(&path);
	as_buf_free(&folder);
	return rc;
}

static int export_imported(exporting *x, const char *folder, assay_error *err)
{
	file_export files = {folder, x->engine->manifest->path, x->counts};
	assay_str run = as_str(x->engine->manifest->bench_id);
	int rc = as_store_parts(x->engine->store, run, AS_ADOPT_RESULT, export_imported_result, x, err);
	return rc < 0 ? rc : as_store_parts(x->engine->store, run, AS_ADOPT_FILE, export_file, &files, err);
}

static int begin(exporting *x, const char *folder, assay_error *err)
{
	int rc = as_make_dirs(folder, err);
	for (int i = 0; i < N_FILES && rc == 0; i++) {
		as_buf path = {0};
		as_path_join(&path, as_str(folder), as_str(file_names[i]));
		rc = as_buf_check(&path, err);
		rc = rc < 0 ? rc : as_file_begin(path.ptr, &x->drafts[i], err);
		as_buf_free(&path);
	}
	return rc;
}

int as_export(as_engine *e, const char *folder, as_export_counts *counts, assay_error *err)
{
	exporting x = {.engine = e, .counts = counts};
	assay_str run = as_str(e->manifest->bench_id);
	int rc = begin(&x, folder, err);
	rc = rc < 0 ? rc : as_store_tasks(e->store, run, !e->manifest->imported, export_task, &x, err);
	rc = rc < 0 ? rc : export_references(&x, err);
	rc = rc < 0 || !e->manifest->imported ? rc : export_imported(&x, folder, err);
	rc = rc < 0 ? rc : as_store_attempts(e->store, run, true, export_attempt, &x, err);
	for (int i = 0; i < N_FILES; i++) {
		rc = rc < 0 ? rc : flush(&x, i, err);
		rc = rc < 0 ? rc : as_file_commit(&x.drafts[i], err);
		as_file_abandon(&x.drafts[i]); /* what was committed is not begun any more */
		as_buf_free(&x.bufs[i]);
	}
	as_arena_free(&x.arena);
	free(x.references);
	return rc;
}
