#include "core/run/bulk.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/result.h"
#include "core/run/score.h"
#include "core/task/model.h"
#include "core/task/task.h"
#include <stdlib.h>
#include <string.h>

typedef struct bulk_task {
	assay_json *document;
	int64_t repeats;
} bulk_task;

/* A text by which a task is found; of equal ones the first task counts. */
typedef struct bulk_key {
	assay_str text;
	size_t task;
} bulk_key;

enum { BY_ID, BY_SOURCE, BY_PROMPT, N_KEYS };
static const char *const key_names[N_KEYS] = {"task_id", "source_trace_id", "prompt"};

typedef struct bulk {
	const as_bulk_options *options;
	as_lines *lines;
	as_bulk_counts *counts;
	bulk_task *tasks;
	size_t n_tasks, cap_tasks;
	bulk_key *keys[N_KEYS];
	assay_json *tags; /* {server: [tag]} */
	as_instance *scorer;
	bool lean; /* the scorer reads what as_trace_parse_lean keeps */
	as_buf line;
	as_checks checks;
	as_json_room room; /* for the trace at hand */
} bulk;

static void bulk_free(bulk *b)
{
	as_checks_free(&b->checks);
	for (size_t i = 0; i < b->n_tasks; i++) {
		as_json_free(b->tasks[i].document);
	}
	for (size_t k = 0; k < N_KEYS; k++) {
		free(b->keys[k]);
	}
	free(b->tasks);
	as_json_free(b->tags);
	as_instance_close(b->scorer);
	as_buf_free(&b->line);
	as_json_room_free(&b->room);
}

/* ---- tasks ---- */

static int take_task(void *payload, const as_line *line, assay_error *what)
{
	bulk *b = payload;
	assay_json *document = NULL, *task = NULL;
	assay_error flaw = {0};
	int rc = as_lines_parse(b->lines, line, &document, what);
	rc = rc < 0 ? rc : as_model_read(&as_model_task, document, &task, what);
	as_json_free(document);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&b->tasks, &b->cap_tasks, b->n_tasks + 1, sizeof *b->tasks)) {
		as_json_free(task);
		return as_fail_memory(what);
	}
	b->tasks[b->n_tasks++] = (bulk_task){.document = task};
	b->counts->tasks++;
	if (as_task_check(task, NULL, &flaw) < 0) {
		as_lines_defect(b->lines, line, &flaw);
	}
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const bulk_key *x = a, *y = b;
	int c = as_str_cmp(x->text, y->text);
	return c ? c : (x->task > y->task) - (x->task < y->task);
}

static int index_tasks(bulk *b, assay_error *err)
{
	for (size_t k = 0; k < N_KEYS; k++) {
		b->keys[k] = as_new(b->n_tasks + 1, sizeof *b->keys[k]);
		if (!b->keys[k]) {
			return as_fail_memory(err);
		}
		for (size_t i = 0; i < b->n_tasks; i++) {
			b->keys[k][i] = (bulk_key){as_json_str(as_json_get(b->tasks[i].document, key_names[k])), i};
		}
		qsort(b->keys[k], b->n_tasks, sizeof *b->keys[k], compare_keys);
	}
	return 0;
}

static bulk_task *find_task(bulk *b, int by, assay_str text)
{
	size_t low = 0, high = b->n_tasks;
	while (low < high) { /* the first that is not less */
		size_t middle = low + (high - low) / 2;
		if (as_str_cmp(b->keys[by][middle].text, text) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < b->n_tasks && as_str_eq(b->keys[by][low].text, text) ? &b->tasks[b->keys[by][low].task] : NULL;
}

static bulk_task *task_of(bulk *b, const as_trace *trace)
{
	const assay_json *document = as_trace_document(trace), *id;
	const assay_json *goal = as_json_get(document, "goal");
	bulk_task *t;
	id = as_json_get(as_json_get(document, "seed_metadata"), "task_id");
	if (as_json_type(id) == ASSAY_JSON_STRING) {
		return find_task(b, BY_ID, as_json_str(id));
	}
	t = find_task(b, BY_SOURCE, as_trace_id(trace));
	return t || as_json_type(goal) != ASSAY_JSON_STRING ? t : find_task(b, BY_PROMPT, as_json_str(goal));
}

/* ---- traces ---- */

static void count_served(as_bulk_counts *counts, const as_trace *trace)
{
	size_t n, n_aside;
	const assay_step *steps = as_trace_steps(trace, &n), *aside = as_trace_refused(trace, &n_aside);
	for (size_t i = 0; i < n; i++) {
		counts->served[steps[i].served <= ASSAY_SERVED_REFUSED ? steps[i].served : 0]++;
	}
	for (size_t i = 0; i < n_aside; i++) { /* what an exposure answered is no refusal */
		counts->served[ASSAY_SERVED_REFUSED] += aside[i].status != ASSAY_STEP_SUCCESS;
	}
}

/* Checks that were given up count as defects of the trace; the result has them with their reasons. */
static void tell_given_up(const bulk *b, const as_line *line, const assay_json *verdict)
{
	int64_t n = as_json_i64(as_json_pointer(verdict, "/metrics/defects"), 0);
	assay_error flaw = {0};
	if (n > 0) {
		as_fail(&flaw, ASSAY_EDATA, "%lld of its checks ran into a limit: the result says which and why",
			(long long)n);
		as_lines_defect(b->lines, line, &flaw);
		b->lines->defects += (uint64_t)n - 1;
	}
}

static int score_trace(bulk *b, bulk_task *t, const as_line *line, const as_trace *trace, assay_error *what)
{
	as_result_frame frame = {.task_id = as_json_str(as_json_get(t->document, "task_id")),
				 .trace = trace,
				 .mode = "ingested",
				 .repeat = t->repeats};
	assay_json *verdict = NULL;
	as_call call;
	int rc;
	as_call_init(&call);
	call.checks = &b->checks;
	rc = as_score_trace(b->scorer, &call, t->document, trace, b->tags, &verdict, what);
	if (rc == ASSAY_ENOTSUP) {
		*what = (assay_error){0};
		as_fail(what, ASSAY_EINVAL, "%s asks somebody, and files come with nobody to ask", b->options->scorer);
		as_error_hint(what, "score a store, whose manifest gives it a model");
		return ASSAY_EINVAL;
	}
	if (rc == 0) {
		frame.verdict = verdict;
		as_buf_clear(&b->line);
		as_result_write(&frame, &b->line);
		rc = as_buf_check(&b->line, what);
	}
	if (rc == 0) {
		t->repeats++;
		b->counts->scored++;
		bool passed = as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass");
		b->counts->passed += passed;
		b->counts->passed_hi += passed || as_json_f64(as_json_get(verdict, "hi"), 0) >= 1.0;
		count_served(b->counts, trace);
		tell_given_up(b, line, verdict);
		rc = b->options->result(b->options->payload, as_buf_str(&b->line), what);
	}
	as_json_free(verdict);
	return rc;
}

/* Has the model, which takes more than the lean reading and spells it alike, nothing to add? */
static bool is_plain(const as_trace *trace)
{
	const assay_json *document = as_trace_document(trace), *goal = as_json_get(document, "goal");
	assay_str id = as_trace_id(trace);
	int type = as_json_type(goal);
	uint32_t seed;
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] >= 'A' && id.ptr[i] <= 'F') {
			return false;
		}
	}
	return id.len == 36 && as_uuid_seed(id, &seed) && (type <= ASSAY_JSON_NULL || type == ASSAY_JSON_STRING);
}

/* As an import reads it, but that members which no rule of scoring reads are only checked to be JSON, as long as those
 * that are read stand there as the reference writes them. */
static int parse_trace(bulk *b, assay_str text, as_json_notes *notes, as_trace **out, assay_error *what)
{
	const as_json_limits limits = {.room = &b->room};
	assay_json *document = NULL, *made = NULL;
	int rc = b->lean ? as_trace_parse_lean(text, &limits, notes, out, NULL) : ASSAY_EDATA;
	if (rc == ASSAY_ENOMEM) {
		return as_fail_memory(what);
	}
	if (rc == 0 && is_plain(*out)) {
		return 0;
	}
	if (rc == 0) {
		as_trace_free(*out);
	}
	*out = NULL;
	rc = as_json_parse_with(text, AS_JSON_PYDANTIC, NULL, notes, &document, what);
	if (rc == 0 && as_json_type(document) == ASSAY_JSON_OBJECT && !as_json_get(document, "trace_id") &&
	    !as_json_get(document, "steps")) { /* the model has a default for all it has */
		rc = as_fail(what, ASSAY_EDATA, "not a trace: it has neither \"trace_id\" nor \"steps\"");
	}
	rc = rc < 0 ? rc : as_model_read(&as_model_trace, document, &made, what);
	as_json_free(document);
	return rc < 0 ? rc : as_trace_from_json(made, out, what);
}

static int take_trace(void *payload, const as_line *line, assay_error *what)
{
	bulk *b = payload;
	as_json_notes notes;
	as_trace *trace = NULL;
	bulk_task *t;
	int rc = parse_trace(b, line->text, &notes, &trace, what);
	if (rc < 0) {
		return rc;
	}
	b->counts->traces++;
	b->counts->bytes += line->text.len;
	as_lines_mended(b->lines, line, &notes);
	t = task_of(b, trace);
	if (t) {
		rc = score_trace(b, t, line, trace, what);
	} else {
		assay_error unknown = {0};
		b->counts->unmatched++;
		as_fail(&unknown, ASSAY_EDATA, "the trace belongs to no task of %s", b->options->specs);
		as_lines_defect(b->lines, line, &unknown);
	}
	as_trace_free(trace);
	return rc;
}

/* {server: [tag]} of a server manifest. */
static int read_tags(bulk *b, assay_error *err)
{
	assay_json *document = NULL, *manifest = NULL;
	int rc = as_json_read_file(b->options->servers, 0, &document, err);
	if (rc == 0) {
		rc = as_model_read(&as_model_manifest, document, &manifest, err);
		if (rc < 0) {
			as_error_where(err, b->options->servers, 0);
		}
	}
	b->tags = as_json_object();
	rc = rc == 0 && !b->tags ? as_fail_memory(err) : rc;
	for (const assay_json *s = as_json_first(as_json_get(manifest, "servers")); s && rc == 0; s = as_json_next(s)) {
		if (as_json_set_n(b->tags, as_json_str(as_json_get(s, "server_id")),
				  as_json_clone(as_json_get(s, "tags"))) < 0) {
			rc = as_fail_memory(err);
		}
	}
	as_json_free(document);
	as_json_free(manifest);
	return rc;
}

int as_bulk_score(const as_bulk_options *options, as_lines *lines, as_bulk_counts *counts, assay_error *err)
{
	bulk b = {.options = options,
		  .lines = lines,
		  .counts = counts,
		  .lean = strcmp(options->scorer, "scorer/effects") == 0};
	int rc;
	*counts = (as_bulk_counts){0};
	rc = as_instance_open(options->registry, options->scorer, ASSAY_ROLE_SCORER, NULL, "", &b.scorer, err);
	if (rc == 0 && options->servers) {
		rc = read_tags(&b, err);
	}
	rc = rc < 0 ? rc : as_lines_each(lines, options->specs, take_task, &b, err);
	rc = rc < 0 ? rc : index_tasks(&b, err);
	rc = rc < 0 ? rc : as_lines_each(lines, options->traces, take_trace, &b, err);
	bulk_free(&b);
	return rc;
}
