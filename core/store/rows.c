/* Runs, parts, goals, documents, tasks and times. */
#include "core/base/error.h"
#include "core/store/query.h"

/* What a callback answered: ASSAY_STOP ends a listing as success. */
static int finish(as_store *s, struct as_query *q, int answer)
{
	int rc = as_query_end(q);
	as_store_leave(s);
	if (rc != 0) {
		return rc;
	}
	return answer == ASSAY_STOP ? 0 : answer;
}

int as_store_put_run(as_store *s, const as_run_row *row, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_RUN, err);
	as_query_name(&q, row->run_id);
	as_query_name(&q, row->name);
	as_query_name(&q, row->version);
	as_query_body(&q, row->manifest);
	as_query_int(&q, (int64_t)row->seed); /* the same 64 bits */
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_runs(as_store *s, as_run_fn fn, void *payload, assay_error *err)
{
	struct as_query q;
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_RUNS, err);
	while (answer == 0 && as_query_next(&q) == 1) {
		const as_run_row row = {.run_id = as_query_text(&q, 0),
					.name = as_query_text(&q, 1),
					.version = as_query_text(&q, 2),
					.manifest = as_query_text(&q, 3),
					.seed = (uint64_t)as_query_int_at(&q, 4),
					.ordinal = as_query_int_at(&q, 5)};
		answer = q.code != 0 ? q.code : as_store_row(s, fn(payload, &row, err), "run", row.run_id, err);
	}
	return finish(s, &q, answer);
}

int as_store_put_part(as_store *s, assay_str run_id, const char *kind, assay_str key, assay_str body, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_PART, err);
	as_query_name(&q, run_id);
	as_query_name(&q, as_str(kind));
	as_query_name(&q, key);
	as_query_body(&q, body);
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_parts(as_store *s, assay_str run_id, const char *kind, as_part_fn fn, void *payload, assay_error *err)
{
	struct as_query q;
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_PARTS, err);
	as_query_name(&q, run_id);
	as_query_name(&q, as_str(kind));
	while (answer == 0 && as_query_next(&q) == 1) {
		assay_str key = as_query_text(&q, 0);
		assay_str body = as_query_text(&q, 1);
		answer = q.code != 0 ? q.code : as_store_row(s, fn(payload, key, body, err), kind, key, err);
	}
	return finish(s, &q, answer);
}

int as_store_put_goal(as_store *s, const as_goal_row *row, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_GOAL, err);
	as_query_name(&q, row->run_id);
	as_query_name(&q, row->category);
	as_query_int(&q, row->index);
	as_query_name(&q, row->goal_id);
	as_query_body(&q, row->body);
	as_query_name(&q, row->state);
	as_query_body(&q, row->reason);
	as_query_name(&q, row->trace_id);
	as_query_name(&q, row->task_id);
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_goals(as_store *s, assay_str run_id, as_goal_fn fn, void *payload, assay_error *err)
{
	struct as_query q;
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_GOALS, err);
	as_query_name(&q, run_id);
	while (answer == 0 && as_query_next(&q) == 1) {
		const as_goal_row row = {.run_id = run_id,
					 .category = as_query_text(&q, 0),
					 .index = as_query_int_at(&q, 1),
					 .goal_id = as_query_text(&q, 2),
					 .body = as_query_text(&q, 3),
					 .state = as_query_text(&q, 4),
					 .reason = as_query_text(&q, 5),
					 .trace_id = as_query_text(&q, 6),
					 .task_id = as_query_text(&q, 7)};
		answer = q.code != 0 ? q.code : as_store_row(s, fn(payload, &row, err), "goal", row.goal_id, err);
	}
	return finish(s, &q, answer);
}

static int put_document(as_store *s, enum as_sql statement, const char *kind, assay_str id, assay_str body,
			assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, statement, err);
	as_query_name(&q, as_str(kind));
	as_query_name(&q, id);
	as_query_body(&q, body);
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_put_document(as_store *s, const char *kind, assay_str id, assay_str body, assay_error *err)
{
	return put_document(s, AS_SQL_PUT_DOCUMENT, kind, id, body, err);
}

int as_store_replace_document(as_store *s, const char *kind, assay_str id, assay_str body, assay_error *err)
{
	return put_document(s, AS_SQL_REPLACE_DOCUMENT, kind, id, body, err);
}

int as_store_get_document(as_store *s, const char *kind, assay_str id, assay_text *body, assay_error *err)
{
	struct as_query q;
	*body = (assay_text){NULL, 0};
	int rc = as_store_enter(s, false, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_GET_DOCUMENT, err);
	as_query_name(&q, as_str(kind));
	as_query_name(&q, id);
	rc = as_query_get(&q, body);
	as_store_leave(s);
	if (rc == ASSAY_ENOENT) {
		as_fail(err, rc, "there is no %s %.*s in the store", kind, ASSAY_FMT(id));
		as_error_where(err, s->path, 0);
	}
	return rc;
}

static int write_task(as_store *s, const as_task_row *row, assay_error *err)
{
	struct as_query q;
	as_query_start(&q, s, AS_SQL_CLEAR_SLOT, err);
	as_query_name(&q, row->run_id);
	as_query_name(&q, row->category);
	as_query_int(&q, row->index);
	as_query_name(&q, row->task_id);
	int rc = as_query_run(&q);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_TASK, err);
	as_query_name(&q, row->run_id);
	as_query_name(&q, row->task_id);
	as_query_name(&q, row->category);
	as_query_int(&q, row->index);
	as_query_body(&q, row->body);
	as_query_name(&q, row->trace_id);
	as_query_name(&q, row->tape_id);
	as_query_int(&q, row->certified);
	as_query_body(&q, row->certificate);
	return as_query_run(&q);
}

int as_store_put_task(as_store *s, const as_task_row *row, assay_error *err)
{
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	rc = as_store_begin(s, err);
	if (rc == 0) {
		rc = as_store_end(s, write_task(s, row, err), err);
	}
	as_store_leave(s);
	return rc;
}

int as_store_tasks(as_store *s, assay_str run_id, bool certified_only, as_task_fn fn, void *payload, assay_error *err)
{
	struct as_query q;
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_TASKS, err);
	as_query_name(&q, run_id);
	as_query_int(&q, certified_only ? 1 : 0);
	while (answer == 0 && as_query_next(&q) == 1) {
		const as_task_row row = {.run_id = run_id,
					 .task_id = as_query_text(&q, 0),
					 .category = as_query_text(&q, 1),
					 .index = as_query_int_at(&q, 2),
					 .body = as_query_text(&q, 3),
					 .trace_id = as_query_text(&q, 4),
					 .tape_id = as_query_text(&q, 5),
					 .certified = as_query_int_at(&q, 6) != 0,
					 .certificate = as_query_text(&q, 7)};
		answer = q.code != 0 ? q.code : as_store_row(s, fn(payload, &row, err), "task", row.task_id, err);
	}
	return finish(s, &q, answer);
}

int as_store_put_timing(as_store *s, assay_str run_id, assay_str subject, const char *what, int64_t start_us,
			int64_t length_us, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_TIMING, err);
	as_query_name(&q, run_id);
	as_query_name(&q, subject);
	as_query_name(&q, as_str(what));
	as_query_int(&q, start_us);
	as_query_int(&q, length_us);
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_timings(as_store *s, assay_str run_id, as_timing_fn fn, void *payload, assay_error *err)
{
	struct as_query q;
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_TIMINGS, err);
	as_query_name(&q, run_id);
	while (answer == 0 && as_query_next(&q) == 1) {
		assay_str what = as_query_text(&q, 0);
		answer = q.code != 0 ? q.code
				     : fn(payload, what, as_query_int_at(&q, 1), as_query_int_at(&q, 2),
					  as_query_int_at(&q, 3), err);
	}
	return finish(s, &q, answer);
}
