/* Tasks, with their certificates, references and tapes: line by line they belong together. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/release/verify_private.h"
#include "core/run/gates.h"
#include "core/task/model.h"
#include "core/task/task.h"
#include "core/world/taping.h"
#include <stdlib.h>
#include <string.h>

typedef struct task_rows {
	rows tasks, certificates, references, tapes;
} task_rows;

/* One task while it is checked. */
typedef struct task_case {
	verification *v;
	const task_rows *at;
	assay_json *task, *certificate_row;
	as_certificate_line line; /* of certificate_row; empty when it cannot be used */
	assay_str id;             /* of the task; the verification's arena's */
	as_trace *reference;
	as_tape *tape;
} task_case;

int as_verify_trace_id(verification *v, const rows *r, assay_json *document, assay_error *err)
{
	const assay_json *said = as_json_get(document, "trace_id");
	assay_json *kept;
	char id[37];
	int rc;
	if (!said || r->foreign) {
		return 0; /* as_trace_from_json says so; who recorded it elsewhere gave it an id of his own */
	}
	kept = as_json_clone(said);
	rc = kept && as_json_set(document, "trace_id", as_json_cstring("")) == 0 ? 0 : as_fail_memory(err);
	rc = rc < 0 ? rc : as_trace_content_id(document, id, err);
	if (rc == 0 && !as_str_is(as_json_str(kept), id)) {
		as_finding(v->out, r->file, r->line, "/trace_id", "%s follows from its content, the release says %.60s",
			   id, as_json_cstr(kept, "something else"));
	}
	if (as_json_set(document, "trace_id", kept) < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}

/* The row that goes with the task's. A file that ends early is a finding; *value is NULL then. */
static int next_partner(rows *r, assay_json **value, assay_error *err)
{
	uint32_t before = r->line;
	int rc = as_rows_value(r, value, err);
	if (rc == 0 && r->lines) {
		as_finding(r->v->out, r->file, before, NULL, "ends here, but there are more tasks");
		as_rows_close(r); /* said once */
	}
	return rc < 0 ? rc : 0;
}

static int read_reference(task_case *c, task_rows *at, assay_error *err)
{
	assay_json *document = NULL;
	assay_error found = {0};
	int rc = next_partner(&at->references, &document, err);
	if (rc < 0 || !document) {
		return rc;
	}
	rc = as_verify_trace_id(c->v, &at->references, document, err);
	if (rc < 0) {
		as_json_free(document);
		return rc;
	}
	rc = as_trace_from_json(document, &c->reference, &found);
	return rc < 0 ? as_finding_of(c->v->out, at->references.file, at->references.line, NULL, &found, err) : 0;
}

static int read_tape(task_case *c, task_rows *at, assay_error *err)
{
	assay_str text;
	assay_json *document = NULL;
	assay_error found = {0};
	uint32_t before = at->tapes.line;
	int rc = as_rows_text(&at->tapes, &text, err);
	if (rc == 0 && at->tapes.lines) {
		as_finding(c->v->out, at->tapes.file, before, NULL, "ends here, but there are more tasks");
		as_rows_close(&at->tapes);
	}
	if (rc <= 0 || !text.ptr) {
		return rc < 0 ? rc : 0;
	}
	rc = as_release_line(text, &document, &found); /* stricter than the tape's own reader */
	as_json_free(document);
	rc = rc < 0 ? rc : as_tape_parse(text, &c->tape, &found);
	return rc < 0 ? as_finding_of(c->v->out, at->tapes.file, at->tapes.line, NULL, &found, err) : 0;
}

static int read_certificate(task_case *c, task_rows *at, assay_error *err)
{
	assay_error found = {0};
	int rc = next_partner(&at->certificates, &c->certificate_row, err);
	if (rc == 0 && c->certificate_row) {
		rc = as_certificate_line_read(c->certificate_row, &c->line, &found);
		if (rc < 0) {
			c->line = (as_certificate_line){0};
			rc = as_finding_of(c->v->out, at->certificates.file, at->certificates.line, NULL, &found, err);
		}
	}
	return rc;
}

/* Do the rows of the four files speak of one task? */
static void check_links(const task_case *c)
{
	const task_rows *at = c->at;
	assay_str task_id = as_json_str(as_json_get(c->task, "task_id"));
	if (c->line.certificate && !as_str_eq(c->line.task_id, task_id)) {
		as_finding(c->v->out, at->certificates.file, at->certificates.line, "/task_id",
			   "is not the id of line %u of %s", at->tasks.line, at->tasks.file);
	}
	if (c->line.certificate && c->tape && !as_str_eq(c->line.tape_id, as_tape_id(c->tape))) {
		as_finding(c->v->out, at->tapes.file, at->tapes.line, NULL,
			   "its id is %.16s..., not the tape_id of line %u of %s", as_tape_id(c->tape).ptr,
			   at->certificates.line, at->certificates.file);
	}
	if (c->line.certificate && !as_verify_category(c->v, c->line.category)) {
		as_finding(c->v->out, at->certificates.file, at->certificates.line, "/category",
			   "the manifest has no such category");
		c->v->broken = true;
	}
	if (c->line.certificate && !c->v->manifest->imported &&
	    !as_str_eq(as_json_str(as_json_pointer(c->task, "/provenance/assay/category")), c->line.category)) {
		as_finding(c->v->out, at->certificates.file, at->certificates.line, "/category",
			   "is not what line %u of %s says", at->tasks.line, at->tasks.file);
	}
	if (c->reference &&
	    !as_str_eq(as_trace_id(c->reference), as_json_str(as_json_get(c->task, "source_trace_id")))) {
		as_finding(c->v->out, at->tasks.file, at->tasks.line, "/source_trace_id",
			   "is not the id of line %u of %s", at->references.line, at->references.file);
	}
}

static void drop_task(task_case *c)
{
	as_json_free(c->task);
	c->task = NULL;
	c->v->broken = true;
}

/* A task of others is what it is: no more can be asked of it than that the reference's loaders take it. */
static int check_imported(task_case *c, assay_error *err)
{
	assay_json *again = NULL;
	assay_error found = {0};
	int rc = as_model_read(&as_model_task, c->task, &again, &found);
	if (rc < 0) {
		drop_task(c);
		return as_finding_of(c->v->out, c->at->tasks.file, c->at->tasks.line, NULL, &found, err);
	}
	as_verify_same(c->v, c->at->tasks.file, c->at->tasks.line, NULL, "the format", again, c->task);
	as_json_free(again);
	return 0;
}

/* A task that is made of its parts again must be the same, its id included. One that is none is dropped. */
static int check_task(task_case *c, assay_error *err)
{
	const task_rows *at = c->at;
	as_task_frame frame = {.category = c->line.category, .provenance = as_json_get(c->task, "provenance")};
	assay_json *again = NULL;
	assay_error found = {0};
	int rc;
	if (!c->reference || c->v->manifest->imported) {
		return c->reference ? check_imported(c, err) : 0;
	}
	frame.steps = as_trace_steps(c->reference, &frame.n_steps);
	frame.trace_id = as_trace_id(c->reference);
	rc = as_task_make(c->task, &frame, c->v->engine.catalogue, &again, &found);
	if (rc < 0) {
		drop_task(c);
		return as_finding_of(c->v->out, at->tasks.file, at->tasks.line, NULL, &found, err);
	}
	as_verify_same(c->v, at->tasks.file, at->tasks.line, NULL, "the task and its reference", again, c->task);
	as_json_free(again);
	return 0;
}

static bool has_filled_rows(const as_tape *tape)
{
	for (size_t i = 0; i < as_tape_count(tape); i++) {
		if (as_tape_row_at(tape, i)->filled) {
			return true;
		}
	}
	return false;
}

/* The recorder's fill cannot be made again without the servers; a tape without it is its reference's. */
static int check_tape(const task_case *c, assay_error *err)
{
	as_tape *again = NULL;
	assay_error found = {0};
	int rc;
	if (!c->reference || !c->tape || has_filled_rows(c->tape)) {
		return 0;
	}
	rc = as_tape_of_trace(c->reference, c->v->engine.catalogue, &again, &found);
	if (rc < 0) {
		return as_finding_of(c->v->out, c->at->references.file, c->at->references.line, NULL, &found, err);
	}
	as_verify_same(c->v, c->at->tapes.file, c->at->tapes.line, NULL, "the task's reference",
		       as_tape_document(again), as_tape_document(c->tape));
	as_tape_free(again);
	return 0;
}

static int check_certificate(const task_case *c, assay_error *err)
{
	const verification *v = c->v;
	const rows *at = &c->at->certificates;
	assay_json *again = NULL;
	assay_error found = {0};
	const char *reason = "";
	bool passed = false;
	int rc;
	if (!c->task || !c->reference || !c->tape || !c->line.certificate || !v->scorers[v->manifest->headline]) {
		return 0;
	}
	rc = as_gates_run(v->worker, c->task, c->reference, c->tape, "verify", c->line.certificate, &again, &passed,
			  &reason, &found);
	if (rc < 0) {
		return as_finding_of(v->out, at->file, at->line, NULL, &found, err);
	}
	as_verify_same(c->v, at->file, at->line, "/certificate", "the task, its reference and its tape", again,
		       c->line.certificate);
	if (!passed) {
		as_finding(v->out, at->file, at->line, NULL,
			   "the task does not pass gate \"%s\", which the manifest requires", reason);
	}
	v->out->certificates++;
	as_json_free(again);
	return 0;
}

/* Tasks are sorted by category and index, so none is there twice; an id is there once, too. */
static void check_place(const task_case *c)
{
	const verification *v = c->v;
	const checked_task *last = v->n_tasks ? &v->tasks[v->n_tasks - 1] : NULL;
	int order = last && last->category.len ? as_str_cmp(last->category, c->line.category) : -1;
	if (c->line.certificate && (order > 0 || (order == 0 && last->index >= c->line.index))) {
		as_finding(v->out, c->at->certificates.file, c->at->certificates.line, NULL,
			   "tasks are sorted by category and index, each once");
	}
}

/* Keep what attempts need; what is kept is taken out of the case. */
static int keep_task(task_case *c, assay_error *err)
{
	verification *v = c->v;
	checked_task *t;
	int rc;
	if (!as_grow(&v->tasks, &v->cap_tasks, v->n_tasks + 1, sizeof *v->tasks)) {
		return as_fail_memory(err);
	}
	t = &v->tasks[v->n_tasks++];
	*t = (checked_task){.document = c->task,
			    .tape = c->tape,
			    .id = c->id,
			    .category = as_arena_str(&v->arena, c->line.category),
			    .index = c->line.index};
	if (c->reference) {
		t->goal = as_arena_str(&v->arena, as_json_str(as_json_get(as_trace_document(c->reference), "goal")));
	}
	c->task = NULL;
	c->tape = NULL;
	rc = v->arena.failed ? as_fail_memory(err) : 0;
	if (rc == 0 && t->document && c->line.certificate) {
		rc = as_figures_add_task(v->figures, c->line.category, c->line.index, t->document, c->line.certificate,
					 err);
	}
	return rc;
}

static int check_case(task_case *c, task_rows *at, assay_error *err)
{
	int rc = read_certificate(c, at, err);
	rc = rc < 0 ? rc : read_reference(c, at, err);
	rc = rc < 0 ? rc : read_tape(c, at, err);
	c->v->broken = c->v->broken || !c->task || !c->line.certificate || !c->reference || !c->tape;
	c->id = as_arena_str(&c->v->arena, as_json_str(as_json_get(c->task, "task_id")));
	if (rc == 0 && c->task) {
		check_links(c);
		check_place(c);
		rc = check_task(c, err);
		rc = rc < 0 ? rc : check_tape(c, err);
		rc = rc < 0 ? rc : check_certificate(c, err);
	}
	return rc < 0 ? rc : keep_task(c, err);
}

static int compare_tasks(const void *a, const void *b)
{
	return as_str_cmp(((const checked_task *)a)->id, ((const checked_task *)b)->id);
}

static int check_ids(const verification *v, assay_error *err)
{
	checked_task *sorted = as_new(v->n_tasks + 1, sizeof *sorted);
	if (!sorted) {
		return as_fail_memory(err);
	}
	if (v->n_tasks > 0) {
		memcpy(sorted, v->tasks, v->n_tasks * sizeof *sorted);
		qsort(sorted, v->n_tasks, sizeof *sorted, compare_tasks);
	}
	for (size_t i = 1; i < v->n_tasks; i++) {
		if (sorted[i].id.len > 0 && as_str_eq(sorted[i].id, sorted[i - 1].id)) {
			as_finding(v->out, "tasks.jsonl", 0, NULL, "task %.40s is there twice", sorted[i].id.ptr);
		}
	}
	free(sorted);
	return 0;
}

static int check_rows(verification *v, task_rows *at, assay_error *err)
{
	int rc = 0;
	while (rc == 0) {
		task_case c = {.v = v, .at = at};
		rc = as_rows_value(&at->tasks, &c.task, err);
		if (rc <= 0) {
			return rc;
		}
		rc = check_case(&c, at, err);
		as_json_free(c.task);
		as_json_free(c.certificate_row);
		as_trace_free(c.reference);
		as_tape_free(c.tape);
		as_progress_step(v->options->progress, 1);
		v->out->tasks++;
	}
	return rc;
}

int as_verify_tasks(verification *v, assay_error *err)
{
	task_rows at = {0};
	const as_release_file *file = as_release_find(v->release, "tasks.jsonl");
	int rc = as_rows_open(v, "tasks.jsonl", &at.tasks, err);
	rc = rc < 0 ? rc : as_rows_open(v, "certificates.jsonl", &at.certificates, err);
	rc = rc < 0 ? rc : as_rows_open(v, "references.jsonl", &at.references, err);
	rc = rc < 0 ? rc : as_rows_open(v, "tapes.jsonl", &at.tapes, err);
	at.references.foreign = v->manifest->imported;
	as_progress_begin(v->options->progress, "tasks", file ? as_json_count(file->lines) : 0);
	rc = rc < 0 ? rc : check_rows(v, &at, err);
	as_progress_end(v->options->progress);
	rc = rc < 0 ? rc : as_rows_end(&at.certificates, err);
	rc = rc < 0 ? rc : as_rows_end(&at.references, err);
	rc = rc < 0 ? rc : as_rows_end(&at.tapes, err);
	rc = rc < 0 ? rc : check_ids(v, err);
	as_rows_close(&at.tasks);
	as_rows_close(&at.certificates);
	as_rows_close(&at.references);
	as_rows_close(&at.tapes);
	return rc;
}
