/* Attempts with traces and verdicts, and the stored replies of models. */
#include "core/base/error.h"
#include "core/store/query.h"

#include <stdlib.h>

static int write_verdicts(as_store *s, int64_t attempt, const as_verdict_row *rows, size_t n, assay_error *err)
{
	struct as_query q;
	as_query_start(&q, s, AS_SQL_CLEAR_VERDICTS, err);
	as_query_int(&q, attempt);
	int rc = as_query_run(&q);
	for (size_t i = 0; i < n && rc == 0; i++) {
		as_query_start(&q, s, AS_SQL_PUT_VERDICT, err);
		as_query_int(&q, attempt);
		as_query_int(&q, (int64_t)i);
		as_query_name(&q, rows[i].scorer);
		as_query_name(&q, rows[i].verdict);
		as_query_real(&q, rows[i].lo);
		as_query_real(&q, rows[i].hi);
		as_query_body(&q, rows[i].body);
		rc = as_query_run(&q);
	}
	return rc;
}

static int write_attempt(as_store *s, const as_attempt_row *row, assay_error *err)
{
	struct as_query q;
	int64_t key = 0;
	as_query_start(&q, s, AS_SQL_PUT_ATTEMPT, err);
	as_query_name(&q, row->run_id);
	as_query_name(&q, row->attempt_id);
	as_query_int(&q, row->try_number);
	as_query_name(&q, row->task_id);
	as_query_name(&q, row->candidate);
	as_query_name(&q, row->condition);
	as_query_int(&q, row->repeat);
	as_query_name(&q, row->end);
	as_query_name(&q, row->end_class);
	as_query_int(&q, row->voided);
	if (as_query_next(&q) == 1) {
		key = as_query_int_at(&q, 0);
	}
	int rc = as_query_run(&q);
	if (rc != 0) {
		return rc;
	}
	if (row->trace.ptr) {
		as_query_start(&q, s, AS_SQL_PUT_TRACE, err);
		as_query_int(&q, key);
		as_query_body(&q, row->trace);
		rc = as_query_run(&q);
	}
	return rc == 0 ? write_verdicts(s, key, row->verdicts, row->n_verdicts, err) : rc;
}

static int check_count(const as_store *s, size_t n, assay_error *err)
{
	if (n <= AS_STORE_MAX_VERDICTS) {
		return 0;
	}
	as_fail(err, ASSAY_ELIMIT, "%zu verdicts on one attempt, at most %d can be stored", n, AS_STORE_MAX_VERDICTS);
	as_error_where(err, s->path, 0);
	return ASSAY_ELIMIT;
}

int as_store_put_attempt(as_store *s, const as_attempt_row *row, assay_error *err)
{
	int rc = check_count(s, row->n_verdicts, err);
	if (rc == 0) {
		rc = as_store_enter(s, true, err);
	}
	if (rc != 0) {
		return rc;
	}
	rc = as_store_begin(s, err);
	if (rc == 0) {
		rc = as_store_end(s, write_attempt(s, row, err), err);
	}
	as_store_leave(s);
	return rc;
}

/* The same attempt may stand in several runs; it is the same work, so the verdicts are the same. */
static int replace_verdicts(as_store *s, assay_str attempt_id, int64_t try_number, const as_verdict_row *rows, size_t n,
			    assay_error *err)
{
	struct as_query q;
	int64_t *keys = NULL;
	size_t cap = 0, count = 0;
	as_query_start(&q, s, AS_SQL_FIND_ATTEMPT, err);
	as_query_name(&q, attempt_id);
	as_query_int(&q, try_number);
	while (as_query_next(&q) == 1) {
		if (!as_grow(&keys, &cap, count + 1, sizeof *keys)) {
			q.code = as_fail_memory(err);
			break;
		}
		keys[count++] = as_query_int_at(&q, 0);
	}
	int rc = as_query_end(&q);
	if (rc == 0 && count == 0) {
		rc = as_fail(err, ASSAY_ENOENT, "there is no try %lld of attempt %.*s in the store",
			     (long long)try_number, ASSAY_FMT(attempt_id));
		as_error_where(err, s->path, 0);
	}
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = write_verdicts(s, keys[i], rows, n, err);
	}
	free(keys);
	return rc;
}

int as_store_put_verdicts(as_store *s, assay_str attempt_id, int64_t try_number, const as_verdict_row *rows, size_t n,
			  assay_error *err)
{
	int rc = check_count(s, n, err);
	if (rc == 0) {
		rc = as_store_enter(s, true, err);
	}
	if (rc != 0) {
		return rc;
	}
	rc = as_store_begin(s, err);
	if (rc == 0) {
		rc = as_store_end(s, replace_verdicts(s, attempt_id, try_number, rows, n, err), err);
	}
	as_store_leave(s);
	return rc;
}

/* What belongs to the attempt that a listing stands at. */
struct baggage {
	as_arena text;
	as_verdict_row *rows;
	size_t cap, n;
};

static int load_verdicts(as_store *s, int64_t attempt, struct baggage *b, assay_error *err)
{
	struct as_query q;
	b->n = 0;
	as_query_start(&q, s, AS_SQL_VERDICTS, err);
	as_query_int(&q, attempt);
	while (as_query_next(&q) == 1) {
		if (!as_grow(&b->rows, &b->cap, b->n + 1, sizeof *b->rows)) {
			q.code = as_fail_memory(err);
			break;
		}
		b->rows[b->n++] = (as_verdict_row){.scorer = as_arena_str(&b->text, as_query_text(&q, 0)),
						   .verdict = as_arena_str(&b->text, as_query_text(&q, 1)),
						   .lo = as_query_real_at(&q, 2),
						   .hi = as_query_real_at(&q, 3),
						   .body = as_arena_str(&b->text, as_query_text(&q, 4))};
	}
	int rc = as_query_end(&q);
	return rc == 0 && b->text.failed ? as_fail_memory(err) : rc;
}

/* One attempt of a listing: its verdicts, its trace if wanted, and the callback. */
static int visit(as_store *s, struct as_query *q, as_attempt_row *row, bool with_trace, struct baggage *b,
		 as_attempt_fn fn, void *payload, assay_error *err)
{
	struct as_query trace = {0};
	const int64_t key = as_query_int_at(q, 0);
	row->attempt_id = as_query_text(q, 1);
	row->try_number = as_query_int_at(q, 2);
	row->task_id = as_query_text(q, 3);
	row->candidate = as_query_text(q, 4);
	row->condition = as_query_text(q, 5);
	row->repeat = as_query_int_at(q, 6);
	row->end = as_query_text(q, 7);
	row->end_class = as_query_text(q, 8);
	row->voided = as_query_int_at(q, 9) != 0;
	row->trace = ASSAY_STR("");
	int rc = q->code != 0 ? q->code : load_verdicts(s, key, b, err);
	if (rc == 0 && with_trace) {
		as_query_start(&trace, s, AS_SQL_GET_TRACE, err);
		as_query_int(&trace, key);
		if (as_query_next(&trace) == 1) {
			row->trace = as_query_text(&trace, 0);
		}
		rc = trace.code;
	}
	if (rc == 0) {
		row->verdicts = b->rows;
		row->n_verdicts = b->n;
		rc = as_store_row(s, fn(payload, row, err), "attempt", row->attempt_id, err);
	}
	as_query_end(&trace);
	as_arena_free(&b->text);
	return rc;
}

int as_store_attempts(as_store *s, assay_str run_id, bool with_traces, as_attempt_fn fn, void *payload,
		      assay_error *err)
{
	struct as_query q;
	struct baggage b = {0};
	as_attempt_row row = {.run_id = run_id};
	int answer = as_store_enter(s, false, err);
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_ATTEMPTS, err);
	as_query_name(&q, run_id);
	while (answer == 0 && as_query_next(&q) == 1) {
		answer = visit(s, &q, &row, with_traces, &b, fn, payload, err);
	}
	int rc = as_query_end(&q);
	as_store_leave(s);
	as_arena_free(&b.text);
	free(b.rows);
	if (rc != 0) {
		return rc;
	}
	return answer == ASSAY_STOP ? 0 : answer;
}

int as_store_next_attempt(as_store *s, assay_str run_id, assay_str after_id, int64_t after_try, as_attempt_fn fn,
			  void *payload, assay_error *err)
{
	struct as_query q;
	struct baggage b = {0};
	as_attempt_row row = {.run_id = run_id};
	int answer = as_store_enter(s, false, err), rc;
	if (answer != 0) {
		return answer;
	}
	as_query_start(&q, s, AS_SQL_NEXT_ATTEMPT, err);
	as_query_name(&q, run_id);
	as_query_name(&q, after_id);
	as_query_int(&q, after_try);
	answer = as_query_next(&q) == 1 ? visit(s, &q, &row, true, &b, fn, payload, err) : ASSAY_ENOENT;
	rc = as_query_end(&q);
	as_store_leave(s);
	as_arena_free(&b.text);
	free(b.rows);
	return rc != 0 ? rc : answer;
}

int as_store_put_reply(as_store *s, const as_reply_row *row, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_PUT_REPLY, err);
	as_query_name(&q, row->attempt_id);
	as_query_int(&q, row->try_number);
	as_query_int(&q, row->ordinal);
	as_query_name(&q, row->request_hash);
	as_query_name(&q, row->model);
	as_query_body(&q, row->request);
	as_query_body(&q, row->body);
	as_query_int(&q, row->prompt_tokens);
	as_query_int(&q, row->completion_tokens);
	as_query_int(&q, row->cached_tokens);
	as_query_int(&q, row->reasoning_tokens);
	as_query_real(&q, row->usd);
	rc = as_query_run(&q);
	as_store_leave(s);
	return rc;
}

int as_store_spent(as_store *s, double *usd, assay_error *err)
{
	struct as_query q;
	int rc = as_store_enter(s, false, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_SPENT, err);
	*usd = as_query_next(&q) == 1 ? as_query_real_at(&q, 0) : 0;
	rc = as_query_end(&q);
	as_store_leave(s);
	return rc;
}

int as_store_get_reply(as_store *s, assay_str attempt_id, int64_t try_number, int64_t ordinal, assay_str request_hash,
		       assay_text *body, assay_error *err)
{
	struct as_query q;
	*body = (assay_text){NULL, 0};
	int rc = as_store_enter(s, false, err);
	if (rc != 0) {
		return rc;
	}
	as_query_start(&q, s, AS_SQL_GET_REPLY, err);
	as_query_name(&q, attempt_id);
	as_query_int(&q, try_number);
	as_query_int(&q, ordinal);
	as_query_name(&q, request_hash);
	rc = as_query_get(&q, body);
	as_store_leave(s);
	return rc;
}
