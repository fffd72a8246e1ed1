#include "core/run/export.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/run/result.h"
#include "core/task/model.h"
#include <errno.h>
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

/* One document, as the reference's model has it. */
static int put(exporting *x, int file, assay_str text, assay_error *err)
{
	assay_json *document = NULL, *made = NULL;
	int rc = as_json_parse(text, ASSAY_JSON_PEER, &document, err);
	rc = rc < 0 ? rc : as_model_read(models[file], document, &made, err);
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

static const as_verdict_row *headline_of(const exporting *x, const as_attempt_row *row)
{
	const as_manifest *m = x->engine->manifest;
	for (size_t i = 0; i < row->n_verdicts; i++) {
		if (as_str_is(row->verdicts[i].scorer, m->scorers[m->headline].use)) {
			return &row->verdicts[i];
		}
	}
	return NULL;
}

static int export_result(exporting *x, const as_attempt_row *row, const as_verdict_row *headline, assay_error *err)
{
	as_result_frame frame = {.task_id = row->task_id, .mode = "replay", .repeat = row->repeat};
	as_trace *trace = NULL;
	assay_json *verdict = NULL;
	as_buf line = {0};
	int rc = as_trace_parse(row->trace, &trace, err);
	rc = rc < 0 ? rc : as_json_parse(headline->body, ASSAY_JSON_PEER, &verdict, err);
	if (rc == 0) {
		frame.trace = trace;
		frame.verdict = verdict;
		as_result_write(&frame, &line);
		rc = as_buf_check(&line, err);
	}
	rc = rc < 0 ? rc : put(x, RESULTS, as_buf_str(&line), err);
	as_buf_free(&line);
	as_json_free(verdict);
	as_trace_free(trace);
	return rc;
}

static int export_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	exporting *x = payload;
	const as_verdict_row *headline = headline_of(x, row);
	int rc;
	if (row->voided || !headline) {
		return 0;
	}
	rc = put(x, CANDIDATES, row->trace, err);
	rc = rc < 0 ? rc : export_result(x, row, headline, err);
	x->counts->attempts += rc == 0;
	return rc;
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
	rc = rc < 0 ? rc : as_store_tasks(e->store, run, true, export_task, &x, err);
	rc = rc < 0 ? rc : export_references(&x, err);
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
