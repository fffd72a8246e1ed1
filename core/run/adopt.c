#include "core/run/adopt.h"

#include "core/base/error.h"
#include "core/run/adopt_private.h"
#include "core/run/attempt.h"
#include "core/run/gates.h"
#include "core/world/taping.h"
#include <stdlib.h>
#include <string.h>

typedef struct storing {
	as_adoption *a;
	as_engine *e;
	as_adopt_counts *counts;
	assay_str run;
	uint32_t results, traces; /* read so far */
} storing;

/* ---- results ---- */

static const char *const check_keys[][2] = {{"checkpoint_id", "id"}, {"kind", "kind"},     {"passed", "passed"},
					    {"passed", "hi"},        {"reason", "reason"}, {"matched_step_id", "step"},
					    {"tier", "tier"},        {NULL, NULL}};
static const char *const mine_keys[][2] = {
	{"minefield_id", "id"}, {"hit", "hit"}, {"reason", "reason"}, {"tripped_step_id", "step"}, {NULL, NULL}};

static assay_json *renamed_list(const assay_json *list, const char *const (*keys)[2])
{
	assay_json *out = as_json_array();
	int rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		assay_json *o = as_json_object();
		for (size_t i = 0; keys[i][0]; i++) {
			rc |= as_json_set(o, keys[i][1], as_json_clone(as_json_get(v, keys[i][0])));
		}
		rc |= as_json_append(out, o);
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *ordering_of(const assay_json *result)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "ok", as_json_clone(as_json_get(result, "ordering_ok")));
	rc |= as_json_set(o, "hi", as_json_clone(as_json_get(result, "ordering_ok")));
	rc |= as_json_set(o, "failures", as_json_clone(as_json_get(result, "ordering_failures")));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

/* What a result says, as our scorers say it. NULL: no memory. */
static assay_json *verdict_of(const assay_json *result, const as_verdict_row *row)
{
	assay_json *v = as_json_object();
	int rc = as_json_set(v, "verdict", as_json_string(row->verdict));
	rc |= as_json_set(v, "lo", as_json_real(row->lo));
	rc |= as_json_set(v, "hi", as_json_real(row->hi));
	rc |= as_json_set(v, "checks", renamed_list(as_json_get(result, "checkpoint_results"), check_keys));
	rc |= as_json_set(v, "minefields", renamed_list(as_json_get(result, "minefield_results"), mine_keys));
	rc |= as_json_set(v, "ordering", ordering_of(result));
	rc |= as_json_set(v, "metrics", as_json_object());
	rc |= as_json_set(v, "summary", as_json_clone(as_json_get(result, "summary")));
	if (rc < 0) {
		as_json_free(v);
		return NULL;
	}
	return v;
}

/* Results of ours have their bounds with them. Others, and what are no bounds, pass or fail. */
static void set_bounds(as_verdict_row *row, const assay_json *result)
{
	bool passed = as_json_boolean(as_json_get(result, "passed"), 0) != 0;
	double lo = as_json_f64(as_json_pointer(result, "/summary/assay/lo"), -1);
	double hi = as_json_f64(as_json_pointer(result, "/summary/assay/hi"), -1);
	bool said = 0 <= lo && lo <= hi && hi <= 1 && passed == (lo > 0);
	row->verdict = passed ? ASSAY_STR("pass") : ASSAY_STR("fail");
	row->lo = said ? lo : passed ? 1.0 : 0.0;
	row->hi = said ? hi : row->lo;
}

/* ---- attempts ---- */

/* How the agent came to its end, in our words (reference page 7.1). */
static const char *end_of(const assay_json *trace)
{
	static const struct {
		const char *outcome, *end;
	} ends[] = {{"no_tools_called", "gave_up"},
		    {"budget_exhausted", "turn_limit"},
		    {"llm_error", "model_unreachable"}};
	const assay_json *exploration = as_json_pointer(trace, "/seed_metadata/exploration");
	const char *said = as_declared_end(as_json_str(as_json_get(exploration, "end")));
	for (size_t i = 0; !said && i < sizeof ends / sizeof *ends; i++) {
		said = as_str_is(as_json_str(as_json_get(exploration, "outcome")), ends[i].outcome) ? ends[i].end
												    : NULL;
	}
	return said ? said : "finished";
}

/* A defect of the corpus, which the import lives with; anything else ends it. */
static int tell(const storing *s, const assay_error *why, const char *what, assay_str id, const adopted_trace *trace,
		assay_error *err)
{
	assay_error flaw = {0};
	if (why->code != ASSAY_EDATA && why->code != ASSAY_ELIMIT) {
		if (err) {
			*err = *why;
		}
		return why->code;
	}
	as_fail(&flaw, ASSAY_EDATA, "%s %.*s cannot be used: %s", what, ASSAY_FMT(id), why->message);
	as_adopt_defect(s->a, trace ? &trace->at : NULL, &flaw);
	return 0;
}

static const char *candidate_of(const storing *s, const adopted_attempt *t)
{
	return s->a->models.list[t->model].name;
}

static const char *condition_of(const storing *s, const adopted_attempt *t)
{
	return s->a->modes.list[t->mode].name;
}

static int attempt_id(const storing *s, const adopted_attempt *t, char id[65], assay_error *err)
{
	const as_manifest *m = s->e->manifest;
	const char *candidate = candidate_of(s, t), *condition = condition_of(s, t);
	size_t c = 0, k = 0;
	while (c < m->n_candidates && strcmp(m->candidates[c].name, candidate) != 0) {
		c++;
	}
	while (k < m->n_conditions && strcmp(m->conditions[k].name, condition) != 0) {
		k++;
	}
	if (c == m->n_candidates || k == m->n_conditions) {
		return as_fail(err, ASSAY_EINTERNAL, "the manifest has no candidate %s under condition %s", candidate,
			       condition);
	}
	return as_attempt_id(t->task_id, &m->candidates[c], &m->conditions[k], t->repeat, id, err);
}

/* The trace as it is kept in the store, and how it ended. One that cannot be used is told, and as good as none: the row
 * has no text of it then. */
static int add_trace(const storing *s, const adopted_attempt *t, assay_text *text, as_attempt_row *row,
		     assay_error *err)
{
	as_trace *trace = NULL;
	assay_error why = {0};
	int rc = t->has_trace ? as_store_get_document(s->e->store, "trace", t->trace_id, text, err) : 0;
	if (rc == 0 && t->has_trace && as_trace_parse(as_text_str(*text), &trace, &why) < 0) {
		rc = tell(s, &why, "the trace of an attempt on task", t->task_id, as_adopted_trace(s->a, t->trace_id),
			  err);
	}
	row->trace = rc == 0 && trace ? as_text_str(*text) : ASSAY_STR("");
	row->end = as_str(end_of(trace ? as_trace_document(trace) : NULL));
	row->end_class = as_str(as_end_class(row->end.ptr));
	as_trace_free(trace);
	return rc;
}

/* result NULL: there is none, and scoring is still to come. */
static int put_attempt(const storing *s, const adopted_attempt *t, const assay_json *result, assay_error *err)
{
	as_verdict_row verdict = {.scorer = as_str(s->e->manifest->scorers[s->e->manifest->headline].use)};
	as_attempt_row row = {.run_id = s->run,
			      .task_id = t->task_id,
			      .candidate = as_str(candidate_of(s, t)),
			      .condition = as_str(condition_of(s, t)),
			      .repeat = t->repeat,
			      .try_number = 1,
			      .verdicts = &verdict,
			      .n_verdicts = result ? 1 : 0};
	assay_text text = {0}, body = {0};
	assay_json *v = NULL;
	char id[65];
	int rc = attempt_id(s, t, id, err);
	row.attempt_id = as_str(id);
	set_bounds(&verdict, result);
	rc = rc < 0 ? rc : add_trace(s, t, &text, &row, err);
	if (rc == 0 && row.trace.len == 0 && !result) {
		goto out; /* nothing is known of it */
	}
	if (rc == 0 && result) {
		v = verdict_of(result, &verdict);
		rc = v ? as_json_dump(v, ASSAY_JSON_COMPACT, &body, err) : as_fail_memory(err);
		verdict.body = as_text_str(body);
	}
	if (rc == 0) {
		row.voided = as_str_is(verdict.verdict, "fail") && as_manifest_voids(s->e->manifest, row.end_class);
		rc = as_store_put_attempt(s->e->store, &row, err);
		s->counts->attempts += rc == 0;
		s->counts->scorable += rc == 0 && row.trace.len > 0;
	}
out:
	as_text_free(&text);
	as_text_free(&body);
	as_json_free(v);
	return rc;
}

/* ---- the two walks: traces first, for attempts and tasks need them ---- */

static int store_part(const storing *s, const char *kind, assay_str key, assay_str body, assay_error *err)
{
	return as_store_put_part(s->e->store, s->run, kind, key, body, err);
}

static int store_trace(void *payload, const as_corpus_item *item, assay_error *err)
{
	storing *s = payload;
	const adopted_trace *known;
	assay_str id;
	switch (item->kind) {
	case AS_CORPUS_TRACE:
		id = as_json_str(as_json_get(*item->made, "trace_id"));
		known = as_adopted_trace(s->a, id);
		return !known || known->place == s->traces++
			       ? as_store_replace_document(s->e->store, "trace", id, item->text, err)
			       : 0;
	case AS_CORPUS_GOALS:
	case AS_CORPUS_MANIFEST:
	case AS_CORPUS_CATALOGUE:
		return store_part(s, AS_ADOPT_FILE, as_str(item->file), item->text, err);
	case AS_CORPUS_TASK:
	case AS_CORPUS_RESULT:
		break;
	}
	return 0;
}

static int store_result(void *payload, const as_corpus_item *item, assay_error *err)
{
	storing *s = payload;
	const adopted_attempt *t;
	char key[16];
	int rc;
	if (item->kind != AS_CORPUS_RESULT) {
		return 0;
	}
	if (s->results >= s->a->n_results) {
		return as_fail(err, ASSAY_EAGAIN, "the folder changes while it is read");
	}
	t = &s->a->attempts[s->results];
	snprintf(key, sizeof key, "%010u", s->results++);
	rc = store_part(s, AS_ADOPT_RESULT, as_str(key), item->text, err);
	if (rc == 0 && !t->known) {
		s->counts->unmatched++;
		return 0;
	}
	return rc < 0 ? rc : put_attempt(s, t, *item->made, err);
}

static void say_nothing(void *payload, const assay_error *what, bool passed_over)
{
	(void)payload;
	(void)what;
	(void)passed_over; /* the survey has told it */
}

static int walk(storing *s, uint32_t passed_over, int (*take)(void *, const as_corpus_item *, assay_error *),
		assay_error *err)
{
	const as_corpus_options options = {.folder = s->a->folder,
					   .passed_over = passed_over,
					   .take = take,
					   .payload = s};
	as_lines quiet = {.keep_going = s->a->lines->keep_going, .note = say_nothing, .cancel = s->e->cancel};
	as_corpus_counts again;
	return as_corpus_read(&options, &quiet, &again, err);
}

/* ---- tasks ---- */

static int put_tape(const storing *s, const adopted_task *t, as_tape **tape, assay_error *err)
{
	assay_text text = {0};
	as_trace *trace = NULL;
	int rc = as_store_get_document(s->e->store, "trace", t->source, &text, err);
	rc = rc < 0 ? rc
		    : as_store_row(s->e->store, as_trace_parse(as_text_str(text), &trace, err), "trace", t->source,
				   err);
	rc = rc < 0 ? rc : as_tape_of_trace(trace, s->e->catalogue, tape, err);
	as_text_free(&text);
	rc = rc < 0 ? rc : as_json_dump(as_tape_document(*tape), ASSAY_JSON_COMPACT, &text, err);
	rc = rc < 0 ? rc : as_store_put_document(s->e->store, "tape", as_tape_id(*tape), as_text_str(text), err);
	as_text_free(&text);
	as_trace_free(trace);
	return rc;
}

/* A reference that makes no tape is told, and as good as none. */
static int make_tape(const storing *s, const adopted_task *t, as_tape **tape, assay_error *err)
{
	assay_error why = {0};
	int rc = put_tape(s, t, tape, &why);
	if (rc < 0) {
		as_tape_free(*tape);
		*tape = NULL;
		rc = tell(s, &why, "the reference of task", t->id, as_adopted_trace(s->a, t->source), err);
	}
	return rc;
}

/* The goal that its reference pursued, if the corpus says which that was. */
static const assay_json *goal_of(const storing *s, const adopted_task *t)
{
	return as_json_get_n(s->a->goals, as_json_str(as_json_pointer(t->document, "/provenance/goal_id")));
}

static int put_rows(const storing *s, const adopted_task *t, int64_t index, const as_tape *tape, assay_error *err)
{
	const assay_json *goal = tape ? goal_of(s, t) : NULL;
	as_task_row row = {.run_id = s->run,
			   .task_id = t->id,
			   .category = ASSAY_STR(AS_ADOPT_CATEGORY),
			   .index = index,
			   .trace_id = tape ? t->source : ASSAY_STR(""),
			   .tape_id = tape ? as_tape_id(tape) : ASSAY_STR(""),
			   .certified = tape != NULL,
			   .certificate = ASSAY_STR("[]")};
	as_goal_row slot = {.run_id = s->run,
			    .category = row.category,
			    .index = index,
			    .goal_id = as_json_str(as_json_get(goal, "goal_id")),
			    .state = tape ? ASSAY_STR("certified") : ASSAY_STR("rejected"),
			    .reason = tape ? ASSAY_STR("") : ASSAY_STR(AS_NO_REFERENCE),
			    .trace_id = row.trace_id,
			    .task_id = t->id};
	assay_text body = {0}, wish = {0};
	int rc = as_json_dump(t->document, ASSAY_JSON_COMPACT, &body, err);
	rc = rc < 0 ? rc : as_json_dump(goal, ASSAY_JSON_COMPACT, &wish, err);
	row.body = as_text_str(body);
	slot.body = as_text_str(wish);
	rc = rc < 0 ? rc : as_store_put_task(s->e->store, &row, err);
	rc = rc < 0 ? rc : as_store_put_goal(s->e->store, &slot, err);
	as_text_free(&body);
	as_text_free(&wish);
	return rc;
}

static int store_tasks(const storing *s, assay_error *err)
{
	int64_t index = 0;
	int rc = 0;
	as_progress_begin(s->e->progress, "tasks", s->a->n_ids);
	for (size_t i = 0; i < s->a->n_tasks && rc == 0; i++) {
		const adopted_task *t = &s->a->tasks[i];
		as_tape *tape = NULL;
		if (t->twice) {
			continue;
		}
		rc = as_cancel_is_set(s->e->cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted") : 0;
		if (rc == 0 && as_adopted_trace(s->a, t->source)) {
			rc = make_tape(s, t, &tape, err);
		}
		rc = rc < 0 ? rc : put_rows(s, t, index++, tape, err);
		s->counts->stored += rc == 0;
		s->counts->grounded += rc == 0 && tape;
		as_tape_free(tape);
		as_progress_step(s->e->progress, 1);
	}
	as_progress_end(s->e->progress);
	return rc;
}

static int store_servers(const storing *s, assay_error *err)
{
	assay_json *records = NULL;
	int rc = as_adopt_records(s->a, &records, err);
	for (const assay_json *r = as_json_first(records); r && rc == 0; r = as_json_next(r)) {
		assay_text body = {0};
		rc = as_json_dump(r, ASSAY_JSON_COMPACT, &body, err);
		rc = rc < 0 ? rc
			    : store_part(s, "server", as_json_str(as_json_get(r, "server_id")), as_text_str(body), err);
		as_text_free(&body);
	}
	as_json_free(records);
	return rc < 0 ? rc : as_stage_catalogue(s->e, err);
}

static int store_all(storing *s, assay_error *err)
{
	const as_adoption *a = s->a;
	int rc = store_servers(s, err);
	rc = rc < 0 ? rc : walk(s, 1u << AS_CORPUS_TASK | 1u << AS_CORPUS_RESULT, store_trace, err);
	rc = rc < 0 ? rc : store_tasks(s, err);
	rc = rc < 0 || a->n_results == 0 ? rc
					 : walk(s, 1u << AS_CORPUS_TASK | 1u << AS_CORPUS_TRACE, store_result, err);
	for (size_t i = a->n_results; i < a->n_attempts && rc == 0; i++) {
		rc = put_attempt(s, &a->attempts[i], NULL, err);
	}
	return rc;
}

int as_adopt_store(as_adoption *a, as_engine *e, as_adopt_counts *counts, assay_error *err)
{
	storing s = {.a = a, .e = e, .counts = counts, .run = as_str(e->manifest->bench_id)};
	int rc = as_store_group(e->store, err);
	*counts = (as_adopt_counts){0};
	return rc < 0 ? rc : as_store_group_end(e->store, store_all(&s, err), err);
}
