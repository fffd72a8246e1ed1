/* The store's rows: what is put comes out again, in the documented order, and replacing replaces. */
#include "tests/unit/store_kit.h"

#include <math.h>
#include <pthread.h>
#include <sqlite3.h>

/* Collects one line of text per row. */
struct lines {
	as_buf text;
	int stop_after; /* rows; 0: never */
	int answer;     /* given then */
	int seen;
};

static int line_done(struct lines *l)
{
	as_buf_byte(&l->text, '\n');
	l->seen++;
	return l->stop_after > 0 && l->seen == l->stop_after ? l->answer : 0;
}

static void lines_are(struct lines *l, const char *expected)
{
	ck_assert_str_eq(l->text.ptr ? l->text.ptr : "", expected);
	as_buf_free(&l->text);
	*l = (struct lines){0};
}

static int on_run(void *payload, const as_run_row *row, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s|%.*s|%.*s|%.*s|%llu", ASSAY_FMT(row->run_id), ASSAY_FMT(row->name),
		      ASSAY_FMT(row->version), ASSAY_FMT(row->manifest), (unsigned long long)row->seed);
	return line_done(l);
}

static int on_part(void *payload, assay_str key, assay_str body, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s=%.*s", ASSAY_FMT(key), ASSAY_FMT(body));
	return line_done(l);
}

static int on_goal(void *payload, const as_goal_row *row, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s|%lld|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s", ASSAY_FMT(row->category),
		      (long long)row->index, ASSAY_FMT(row->goal_id), ASSAY_FMT(row->body), ASSAY_FMT(row->state),
		      ASSAY_FMT(row->reason), ASSAY_FMT(row->trace_id), ASSAY_FMT(row->task_id));
	return line_done(l);
}

static int on_task(void *payload, const as_task_row *row, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s|%.*s|%lld|%.*s|%.*s|%.*s|%d|%.*s", ASSAY_FMT(row->task_id),
		      ASSAY_FMT(row->category), (long long)row->index, ASSAY_FMT(row->body), ASSAY_FMT(row->trace_id),
		      ASSAY_FMT(row->tape_id), row->certified, ASSAY_FMT(row->certificate));
	return line_done(l);
}

static int on_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s/%.*s/%.*s/%lld.%lld:%.*s %.*s,%.*s%s [%.*s]", ASSAY_FMT(row->condition),
		      ASSAY_FMT(row->candidate), ASSAY_FMT(row->task_id), (long long)row->repeat,
		      (long long)row->try_number, ASSAY_FMT(row->attempt_id), ASSAY_FMT(row->end),
		      ASSAY_FMT(row->end_class), row->voided ? " void" : "", ASSAY_FMT(row->trace));
	for (size_t i = 0; i < row->n_verdicts; i++) {
		const as_verdict_row *v = &row->verdicts[i];
		as_buf_printf(&l->text, " %.*s=%.*s(%g,%g)%.*s", ASSAY_FMT(v->scorer), ASSAY_FMT(v->verdict), v->lo,
			      v->hi, ASSAY_FMT(v->body));
	}
	return line_done(l);
}

static int on_timing(void *payload, assay_str what, int64_t count, int64_t total_us, int64_t max_us, assay_error *err)
{
	struct lines *l = payload;
	(void)err;
	as_buf_printf(&l->text, "%.*s %lld %lld %lld", ASSAY_FMT(what), (long long)count, (long long)total_us,
		      (long long)max_us);
	return line_done(l);
}

START_TEST(test_runs)
{
	struct kit kit;
	struct lines l = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(as_store_runs(s, on_run, &l, NULL), 0);
	lines_are(&l, "");
	as_run_row row = {.run_id = ASSAY_STR("r1"),
			  .name = ASSAY_STR("one"),
			  .version = ASSAY_STR("1.0"),
			  .manifest = ASSAY_STR("{\"a\":1}"),
			  .seed = UINT64_MAX};
	ck_assert_int_eq(as_store_put_run(s, &row, NULL), 0);
	row = (as_run_row){.run_id = ASSAY_STR("r2"), .manifest = ASSAY_STR("{}"), .seed = 7};
	ck_assert_int_eq(as_store_put_run(s, &row, NULL), 0);
	ck_assert_int_eq(as_store_runs(s, on_run, &l, NULL), 0);
	lines_are(&l, "r2|||{}|7\nr1|one|1.0|{\"a\":1}|18446744073709551615\n");
	row = (as_run_row){.run_id = ASSAY_STR("r1"), .name = ASSAY_STR("again")};
	ck_assert_int_eq(as_store_put_run(s, &row, NULL), 0);
	as_store_close(s);
	s = kit_store(&kit, 0);
	ck_assert_int_eq(as_store_runs(s, on_run, &l, NULL), 0);
	lines_are(&l, "r1|again|||0\nr2|||{}|7\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_parts)
{
	struct kit kit;
	struct lines l = {0};
	const assay_str run = ASSAY_STR("r"), none = {NULL, 0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(as_store_put_part(s, run, "server", ASSAY_STR("b"), ASSAY_STR("2"), NULL), 0);
	ck_assert_int_eq(as_store_put_part(s, run, "server", ASSAY_STR("B"), ASSAY_STR("x\0y"), NULL), 0);
	ck_assert_int_eq(as_store_put_part(s, run, "server", ASSAY_STR("\xC3\xA9"), none, NULL), 0);
	ck_assert_int_eq(as_store_put_part(s, run, "plugin", ASSAY_STR("b"), ASSAY_STR("p"), NULL), 0);
	ck_assert_int_eq(as_store_put_part(s, none, "server", ASSAY_STR("b"), ASSAY_STR("other run"), NULL), 0);
	ck_assert_int_eq(as_store_put_part(s, run, "server", ASSAY_STR("b"), ASSAY_STR("3"), NULL), 0);
	ck_assert_int_eq(as_store_parts(s, run, "server", on_part, &l, NULL), 0);
	lines_are(&l, "B=x\nb=3\n\xC3\xA9=\n"); /* by bytes; %s shows text up to the NUL */
	ck_assert_int_eq(as_store_parts(s, none, "server", on_part, &l, NULL), 0);
	lines_are(&l, "b=other run\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_goals)
{
	struct kit kit;
	struct lines l = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	as_goal_row row = {.run_id = ASSAY_STR("r"),
			   .category = ASSAY_STR("c"),
			   .goal_id = ASSAY_STR("g"),
			   .body = ASSAY_STR("{}"),
			   .state = ASSAY_STR("written")};
	const int64_t order[] = {10, 9, 0, 2};
	for (size_t i = 0; i < 4; i++) {
		row.index = order[i];
		ck_assert_int_eq(as_store_put_goal(s, &row, NULL), 0);
	}
	row.category = ASSAY_STR("a");
	row.state = ASSAY_STR("empty");
	row.body = ASSAY_STR("null");
	ck_assert_int_eq(as_store_put_goal(s, &row, NULL), 0);
	row.state = ASSAY_STR("rejected");
	row.reason = ASSAY_STR("why");
	row.trace_id = ASSAY_STR("tr");
	row.task_id = ASSAY_STR("ta");
	ck_assert_int_eq(as_store_put_goal(s, &row, NULL), 0);
	ck_assert_int_eq(as_store_goals(s, ASSAY_STR("r"), on_goal, &l, NULL), 0);
	lines_are(&l, "a|2|g|null|rejected|why|tr|ta\nc|0|g|{}|written|||\nc|2|g|{}|written|||\nc|9|g|{}|written|||\n"
		      "c|10|g|{}|written|||\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_documents)
{
	struct kit kit;
	assay_error err = {0};
	assay_text body;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(as_store_put_document(s, "trace", ASSAY_STR("1"), ASSAY_STR("a\0b"), NULL), 0);
	ck_assert_int_eq(as_store_put_document(s, "trace", ASSAY_STR("1"), ASSAY_STR("changed"), NULL), 0);
	ck_assert_int_eq(as_store_put_document(s, "tape", ASSAY_STR("1"), ASSAY_STR(""), NULL), 0);
	ck_assert_int_eq(as_store_get_document(s, "trace", ASSAY_STR("1"), &body, NULL), 0);
	ck_assert_uint_eq(body.len, 3);
	ck_assert_mem_eq(body.ptr, "a\0b", 4);
	as_text_free(&body);
	ck_assert_int_eq(as_store_get_document(s, "tape", ASSAY_STR("1"), &body, NULL), 0);
	ck_assert_str_eq(body.ptr, "");
	as_text_free(&body);
	ck_assert_int_eq(as_store_get_document(s, "tape", ASSAY_STR("2"), &body, &err), ASSAY_ENOENT);
	ck_assert_ptr_null(body.ptr);
	ck_assert_str_eq(err.message, "there is no tape 2 in the store");
	ck_assert_str_eq(err.where, kit.path);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static void put_task(as_store *s, const char *id, const char *category, int64_t index, bool certified)
{
	const as_task_row row = {.run_id = ASSAY_STR("r"),
				 .task_id = as_str(id),
				 .category = as_str(category),
				 .index = index,
				 .body = ASSAY_STR("{\"prompt\":\"do it\"}"),
				 .trace_id = ASSAY_STR("tr"),
				 .tape_id = ASSAY_STR("tp"),
				 .certified = certified,
				 .certificate = ASSAY_STR("[]")};
	ck_assert_int_eq(as_store_put_task(s, &row, NULL), 0);
}

#define TASK(id, category, index, certified)                                                                           \
	id "|" category "|" index "|{\"prompt\":\"do it\"}|tr|tp|" certified "|[]\n"

START_TEST(test_tasks)
{
	struct kit kit;
	struct lines l = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	put_task(s, "t3", "b", 11, true);
	put_task(s, "t2", "b", 2, false);
	put_task(s, "t1", "a", 5, true);
	ck_assert_int_eq(as_store_tasks(s, ASSAY_STR("r"), false, on_task, &l, NULL), 0);
	lines_are(&l, TASK("t1", "a", "5", "1") TASK("t2", "b", "2", "0") TASK("t3", "b", "11", "1"));
	ck_assert_int_eq(as_store_tasks(s, ASSAY_STR("r"), true, on_task, &l, NULL), 0);
	lines_are(&l, TASK("t1", "a", "5", "1") TASK("t3", "b", "11", "1"));
	put_task(s, "t4", "a", 5, true);  /* the slot has another task now */
	put_task(s, "t2", "b", 11, true); /* a task moves, over another one */
	ck_assert_int_eq(as_store_tasks(s, ASSAY_STR("r"), false, on_task, &l, NULL), 0);
	lines_are(&l, TASK("t4", "a", "5", "1") TASK("t2", "b", "11", "1"));
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static void put_attempt(as_store *s, const char *condition, const char *candidate, const char *task, int64_t repeat,
			int64_t try_number, bool voided)
{
	char id[64];
	snprintf(id, sizeof id, "%s-%s-%s-%d", condition, candidate, task, (int)repeat);
	as_attempt_row row = {.attempt_id = as_str(id),
			      .run_id = ASSAY_STR("r"),
			      .task_id = as_str(task),
			      .candidate = as_str(candidate),
			      .condition = as_str(condition),
			      .repeat = repeat,
			      .try_number = try_number,
			      .end = ASSAY_STR("e"),
			      .end_class = ASSAY_STR("k"),
			      .voided = voided,
			      .trace = ASSAY_STR("T")};
	ck_assert_int_eq(as_store_put_attempt(s, &row, NULL), 0);
}

START_TEST(test_attempt_order)
{
	struct kit kit;
	struct lines l = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	put_task(s, "t1", "z", 0, true);
	put_task(s, "t2", "a", 10, true);
	put_task(s, "t3", "a", 9, true);
	put_attempt(s, "m", "c", "t1", 0, 0, false);
	put_attempt(s, "m", "c", "t2", 1, 0, false);
	put_attempt(s, "m", "c", "t2", 0, 1, false);
	put_attempt(s, "m", "c", "t2", 0, 0, true);
	put_attempt(s, "m", "c", "t3", 10, 0, false);
	put_attempt(s, "m", "c", "t3", 9, 0, false);
	put_attempt(s, "m", "C", "t1", 0, 0, false);
	put_attempt(s, "M", "x", "t1", 0, 0, false);
	put_attempt(s, "m", "c", "t9", 0, 0, false); /* no such task */
	put_attempt(s, "m", "c", "t8", 0, 0, false);
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), false, on_attempt, &l, NULL), 0);
	lines_are(&l, "M/x/t1/0.0:M-x-t1-0 e,k []\nm/C/t1/0.0:m-C-t1-0 e,k []\n"
		      "m/c/t8/0.0:m-c-t8-0 e,k []\nm/c/t9/0.0:m-c-t9-0 e,k []\n"
		      "m/c/t3/9.0:m-c-t3-9 e,k []\nm/c/t3/10.0:m-c-t3-10 e,k []\n"
		      "m/c/t2/0.0:m-c-t2-0 e,k void []\nm/c/t2/0.1:m-c-t2-0 e,k []\n"
		      "m/c/t2/1.0:m-c-t2-1 e,k []\nm/c/t1/0.0:m-c-t1-0 e,k []\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_attempts)
{
	struct kit kit;
	struct lines l = {0};
	struct kit_attempt a;
	assay_error err = {0};
	as_verdict_row many[3] = {{ASSAY_STR("s/2"), ASSAY_STR("unknown"), 0.0, 1.0, ASSAY_STR("[1]")},
				  {ASSAY_STR("s/1"), ASSAY_STR("fail"), 0.25, 0.5, ASSAY_STR("[2]")},
				  {ASSAY_STR("s/2"), ASSAY_STR("pass"), 1.0, 1.0, ASSAY_STR("")}};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	kit_attempt(&a, 1, ASSAY_STR("{\"t\":1}"));
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	a.row.run_id = ASSAY_STR("r2"); /* the same work in another run */
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &l, NULL), 0);
	lines_are(&l, "main/c/t0/1.0:a1 finished,agent [{\"t\":1}] scorer/effects=pass(1,1){}\n");
	ck_assert_int_eq(as_store_put_verdicts(s, ASSAY_STR("a1"), 0, many, 3, NULL), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(as_store_attempts(s, i == 0 ? ASSAY_STR("r") : ASSAY_STR("r2"), false, on_attempt, &l,
						   NULL),
				 0);
		lines_are(&l, "main/c/t0/1.0:a1 finished,agent [] s/2=unknown(0,1)[1] s/1=fail(0.25,0.5)[2] "
			      "s/2=pass(1,1)\n");
	}
	ck_assert_int_eq(as_store_put_verdicts(s, ASSAY_STR("a1"), 1, many, 3, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.message, "there is no try 1 of attempt a1 in the store");
	a.row.run_id = ASSAY_STR("r");
	a.row.trace = ASSAY_STR("new");
	a.row.voided = true;
	a.row.n_verdicts = 0;
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &l, NULL), 0);
	lines_are(&l, "main/c/t0/1.0:a1 finished,agent void [new]\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static int put_reply(as_store *s, assay_str attempt, int64_t ordinal, assay_str hash, const char *body)
{
	const as_reply_row row = {.attempt_id = attempt,
				  .ordinal = ordinal,
				  .request_hash = hash,
				  .model = ASSAY_STR("m"),
				  .request = ASSAY_STR("{}"),
				  .body = as_str(body),
				  .prompt_tokens = 10,
				  .usd = 0.25};
	return as_store_put_reply(s, &row, NULL);
}

START_TEST(test_replies)
{
	struct kit kit;
	assay_error err = {0};
	assay_text body;
	const assay_str a = ASSAY_STR("a"), h = ASSAY_STR("h");
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(put_reply(s, a, 1, h, "one"), 0);
	ck_assert_int_eq(put_reply(s, a, 1, h, "two"), 0);
	ck_assert_int_eq(as_store_get_reply(s, a, 0, 1, h, &body, NULL), 0);
	ck_assert_str_eq(body.ptr, "two");
	as_text_free(&body);
	ck_assert_int_eq(put_reply(s, a, 2, h, "three"), 0);
	double usd = 0;
	ck_assert_int_eq(as_store_spent(s, &usd, NULL), 0);
	ck_assert_double_eq(usd, 0.5); /* what was replaced is not counted twice */
	ck_assert_int_eq(as_store_get_reply(s, a, 1, 1, h, &body, &err), ASSAY_ENOENT);
	ck_assert_int_eq(as_store_get_reply(s, a, 0, 0, h, &body, &err), ASSAY_ENOENT);
	ck_assert_int_eq(as_store_get_reply(s, a, 0, 1, a, &body, &err), ASSAY_ENOENT);
	ck_assert_int_eq(err.code, 0);
	ck_assert_ptr_null(body.ptr);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_timings)
{
	struct kit kit;
	struct lines l = {0};
	const assay_str r = ASSAY_STR("r"), x = ASSAY_STR("x");
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(as_store_put_timing(s, r, x, "stage", 5, 10, NULL), 0);
	ck_assert_int_eq(as_store_put_timing(s, r, x, "stage", 5, 10, NULL), 0);
	ck_assert_int_eq(as_store_put_timing(s, r, x, "call", 5, 7, NULL), 0);
	ck_assert_int_eq(as_store_put_timing(s, x, x, "call", 5, 7, NULL), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(as_store_put_timing(s, r, x, "huge", 0, INT64_MAX, NULL), 0);
	}
	ck_assert_int_eq(as_store_timings(s, r, on_timing, &l, NULL), 0);
	lines_are(&l, "call 1 7 7\nhuge 3 9223372036854775807 9223372036854775807\nstage 2 20 10\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static int on_part_reenter(void *payload, assay_str key, assay_str body, assay_error *err)
{
	(void)body;
	return as_store_put_part(payload, key, "server", key, key, err);
}

START_TEST(test_listing_ends)
{
	struct kit kit;
	struct lines l = {0};
	assay_error err = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	for (char c = 'a'; c < 'f'; c++) {
		ck_assert_int_eq(as_store_put_part(s, ASSAY_STR("r"), "server", (assay_str){&c, 1}, ASSAY_STR(""),
						   NULL),
				 0);
	}
	l.stop_after = 2;
	l.answer = ASSAY_STOP;
	ck_assert_int_eq(as_store_parts(s, ASSAY_STR("r"), "server", on_part, &l, NULL), 0);
	lines_are(&l, "a=\nb=\n");
	l.stop_after = 1;
	l.answer = ASSAY_ECANCELED;
	ck_assert_int_eq(as_store_parts(s, ASSAY_STR("r"), "server", on_part, &l, NULL), ASSAY_ECANCELED);
	lines_are(&l, "a=\n");
	ck_assert_int_eq(as_store_parts(s, ASSAY_STR("r"), "server", on_part_reenter, s, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "the callback of a listing called the store");
	ck_assert_int_eq(as_store_parts(s, ASSAY_STR("r"), "server", on_part, &l, NULL), 0);
	lines_are(&l, "a=\nb=\nc=\nd=\ne=\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static int on_task_refuse(void *payload, const as_task_row *row, assay_error *err)
{
	(void)payload;
	(void)row;
	return as_fail(err, ASSAY_EDATA, "no good");
}

/* What a reader cannot use is named with its row; opening the store has left no place behind. */
START_TEST(test_bad_rows)
{
	struct kit kit;
	assay_error err = {0};
	char where[640];
	as_store *s = NULL;
	kit_open(&kit);
	ck_assert_int_eq(as_store_open(kit.path, AS_STORE_CREATE, &s, &err), 0);
	ck_assert_str_eq(err.where, "");
	put_task(s, "t1", "a", 5, true);
	ck_assert_int_eq(as_store_tasks(s, ASSAY_STR("r"), true, on_task_refuse, NULL, &err), ASSAY_EDATA);
	snprintf(where, sizeof where, "%s, task t1", kit.path);
	ck_assert_str_eq(err.where, where);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_sizes)
{
	struct kit kit;
	struct lines l = {0};
	struct kit_attempt a;
	assay_error err = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	kit_attempt(&a, 1, ASSAY_STR("{}"));
	/* The store looks at the length before it looks at the text. */
	a.row.trace = (assay_str){"x", AS_STORE_MAX_BODY + 1};
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "a body of 268435457 bytes, at most 268435456 can be stored");
	ck_assert_str_eq(err.where, kit.path);
	as_error_clear(&err);
	a.row.trace = ASSAY_STR("{}");
	a.row.candidate = (assay_str){"x", AS_STORE_MAX_NAME + 1};
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_ELIMIT);
	as_error_clear(&err);
	a.row.candidate = ASSAY_STR("c");
	a.row.n_verdicts = AS_STORE_MAX_VERDICTS + 1;
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_ELIMIT);
	as_error_clear(&err);
	a.row.n_verdicts = 1;
	a.verdict.hi = NAN;
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_EINVAL);
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &l, NULL), 0);
	lines_are(&l, ""); /* all or nothing */
	a.verdict.hi = 1;
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_large_body)
{
	struct kit kit;
	assay_text body;
	const size_t n = (size_t)48 << 20;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	char *text = malloc(n);
	ck_assert_ptr_nonnull(text);
	memset(text, 'x', n);
	text[n / 2] = 'y';
	ck_assert_int_eq(as_store_put_document(s, "tape", ASSAY_STR("big"), (assay_str){text, n}, NULL), 0);
	ck_assert_int_eq(as_store_get_document(s, "tape", ASSAY_STR("big"), &body, NULL), 0);
	ck_assert_uint_eq(body.len, n);
	ck_assert_int_eq(memcmp(body.ptr, text, n), 0);
	as_text_free(&body);
	free(text);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

/* One row of a view as text, columns joined by "|". */
static void view_is(const struct kit *kit, const char *sql, const char *expected)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	as_buf text = {0};
	ck_assert_int_eq(sqlite3_open_v2(kit->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *cell = (const char *)sqlite3_column_text(stmt, i);
			as_buf_printf(&text, "%s%s", i > 0 ? "|" : "", cell ? cell : "null");
		}
		as_buf_byte(&text, '\n');
	}
	ck_assert_str_eq(text.ptr ? text.ptr : "", expected);
	as_buf_free(&text);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static void fill_for_views(as_store *s)
{
	static const char *const states[] = {"empty",     "written",  "explored", "unexplored", "distilled",
					     "certified", "rejected", "surplus",  "undistilled"};
	struct kit_attempt a;
	put_task(s, "t0", "cat", 3, true);
	for (long n = 0; n < 4; n++) {
		kit_attempt(&a, n, ASSAY_STR("{}"));
		a.row.voided = n == 3;
		a.verdict.lo = n == 0 ? 1 : 0;
		a.verdict.hi = n <= 1 ? 1 : 0;
		a.verdict.verdict = n == 0 ? ASSAY_STR("pass") : n == 1 ? ASSAY_STR("unknown") : ASSAY_STR("fail");
		ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	}
	a.row.attempt_id = ASSAY_STR("only");
	a.row.candidate = ASSAY_STR("d");
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	for (int64_t i = 0; i < 9; i++) {
		const char *state = states[i];
		bool distilled = i >= 4 && i <= 7;
		const as_goal_row row = {.run_id = ASSAY_STR("r"),
					 .category = ASSAY_STR("cat"),
					 .index = i,
					 .state = as_str(state),
					 .trace_id = i >= 2 ? ASSAY_STR("x") : ASSAY_STR(""),
					 .task_id = distilled ? ASSAY_STR("t") : ASSAY_STR("")};
		ck_assert_int_eq(as_store_put_goal(s, &row, NULL), 0);
	}
	ck_assert_int_eq(as_store_put_timing(s, ASSAY_STR("r"), ASSAY_STR("x"), "stage", 0, 1500000, NULL), 0);
	ck_assert_int_eq(as_store_put_timing(s, ASSAY_STR("r"), ASSAY_STR("x"), "stage", 0, 500000, NULL), 0);
}

START_TEST(test_views)
{
	struct kit kit;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	fill_for_views(s);
	view_is(&kit, "SELECT category, slot, task_id, certified, prompt FROM v_tasks", "cat|3|t0|1|do it\n");
	view_is(&kit,
		"SELECT condition, candidate, category, slot, repeat, ended, void FROM v_attempts WHERE repeat > 1"
		" AND candidate = 'c' ORDER BY repeat",
		"main|c|cat|3|2|finished|0\nmain|c|cat|3|3|finished|1\n");
	view_is(&kit, "SELECT scorer, verdict, lo, hi FROM v_verdicts WHERE repeat = 1",
		"scorer/effects|unknown|0.0|1.0\n");
	view_is(&kit,
		"SELECT condition, candidate, scorer, tasks, tasks_passed, attempts, passed, round(rate_lo, 3),"
		" round(rate_hi, 3), void, pending FROM v_leaderboard",
		"main|c|scorer/effects|1|0|3|1|0.333|0.667|1|0\nmain|d|scorer/effects|0|0|0|0|null|null|1|0\n");
	as_verdict_row two[2] = {{ASSAY_STR("scorer/x"), ASSAY_STR("pass"), 1.0, 1.0, ASSAY_STR("{}")},
				 {ASSAY_STR("scorer/x"), ASSAY_STR("fail"), 0.0, 0.0, ASSAY_STR("{}")}};
	struct kit_attempt a;
	kit_attempt(&a, 0, ASSAY_STR("{}"));
	a.row.attempt_id = ASSAY_STR("twice");
	a.row.candidate = ASSAY_STR("e");
	a.row.verdicts = two;
	a.row.n_verdicts = 2;
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	view_is(&kit, "SELECT scorer, position, verdict FROM v_verdicts WHERE candidate = 'e' ORDER BY position",
		"scorer/x|0|pass\nscorer/x|1|fail\n");
	view_is(&kit, "SELECT scorer, position, attempts, rate_hi FROM v_leaderboard WHERE candidate = 'e'",
		"scorer/x|0|1|1.0\nscorer/x|1|1|0.0\n");
	view_is(&kit,
		"SELECT category, slots, written, explored, distilled, certified, rejected, surplus FROM v_funnel",
		"cat|9|8|6|4|1|1|1\n");
	view_is(&kit, "SELECT what, count, total_s, mean_s, max_s FROM v_timing", "stage|2|2.0|1.0|1.5\n");
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

#define THREADS 4
#define EACH 200

struct worker {
	as_store *store;
	long first;
	int failures;
};

static void *work(void *payload)
{
	struct worker *w = payload;
	struct kit_attempt a;
	assay_text body;
	for (long n = w->first; n < w->first + EACH; n++) {
		kit_attempt(&a, n, ASSAY_STR("{\"trace\":true}"));
		w->failures += as_store_put_attempt(w->store, &a.row, NULL) != 0;
		w->failures += put_reply(w->store, a.row.attempt_id, n, ASSAY_STR("h"), "b") != 0;
		if (as_store_get_reply(w->store, a.row.attempt_id, 0, n, ASSAY_STR("h"), &body, NULL) == 0) {
			as_text_free(&body);
		} else {
			w->failures++;
		}
	}
	return NULL;
}

static int on_attempt_count(void *payload, const as_attempt_row *row, assay_error *err)
{
	(void)err;
	ck_assert_uint_eq(row->n_verdicts, 1);
	++*(int *)payload;
	return 0;
}

START_TEST(test_threads)
{
	struct kit kit;
	pthread_t threads[THREADS];
	struct worker workers[THREADS];
	int count = 0;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){s, (long)i * EACH, 0};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_int_eq(workers[i].failures, 0);
	}
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), false, on_attempt_count, &count, NULL), 0);
	ck_assert_int_eq(count, THREADS * EACH);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static void put_many(as_store *s, long from, long to)
{
	struct kit_attempt a;
	for (long i = from; i < to; i++) {
		kit_attempt(&a, i, ASSAY_STR("{}"));
		ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	}
}

static int count_attempts(as_store *s)
{
	int count = 0;
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), false, on_attempt_count, &count, NULL), 0);
	return count;
}

START_TEST(test_groups)
{
	struct kit kit;
	assay_error err = {0};
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE), *other = kit_store(&kit, AS_STORE_READ_ONLY);
	ck_assert_int_eq(as_store_group(s, NULL), 0);
	ck_assert_int_eq(as_store_group(s, &err), ASSAY_EINTERNAL); /* and the first one goes on */
	put_many(s, 0, 10);
	ck_assert_int_eq(count_attempts(s), 10);
	ck_assert_int_eq(count_attempts(other), 0); /* not yet */
	ck_assert_int_eq(as_store_group_end(s, 0, NULL), 0);
	ck_assert_int_eq(count_attempts(other), 10);
	ck_assert_int_eq(as_store_group(s, NULL), 0);
	put_many(s, 10, 20);
	ck_assert_int_eq(as_store_group_end(s, ASSAY_EDATA, NULL), ASSAY_EDATA); /* as if they had never been */
	ck_assert_int_eq(count_attempts(s), 10);
	put_many(s, 10, 11); /* on its own again */
	ck_assert_int_eq(count_attempts(other), 11);
	ck_assert_int_eq(as_store_group(s, NULL), 0);
	put_many(s, 20, 30);
	as_store_close(s); /* nor what nobody ended */
	ck_assert_int_eq(count_attempts(other), 11);
	ck_assert_int_eq(as_store_group(other, NULL), ASSAY_EINVAL);
	as_store_close(other);
	kit_close(&kit);
}
END_TEST

static int keep_id(void *payload, const as_attempt_row *row, assay_error *err)
{
	(void)err;
	snprintf(payload, 32, "%.*s", ASSAY_FMT(row->attempt_id));
	return 0;
}

/* One after the other costs what it costs, however many there are: were they sorted for each, it would take minutes. */
START_TEST(test_many_in_turn)
{
	struct kit kit;
	char id[32] = "";
	int count = 0;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(as_store_group(s, NULL), 0);
	put_many(s, 0, 20000);
	ck_assert_int_eq(as_store_group_end(s, 0, NULL), 0);
	while (as_store_next_attempt(s, ASSAY_STR("r"), as_str(id), 1, keep_id, id, NULL) == 0) {
		count++;
	}
	ck_assert_int_eq(count, 20000);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

UNIT_SUITE(store_suite, "store", test_groups, test_many_in_turn, test_runs, test_parts, test_goals, test_documents,
	   test_tasks, test_attempt_order, test_attempts, test_replies, test_timings, test_listing_ends, test_bad_rows,
	   test_sizes, test_large_body, test_views, test_threads)
UNIT_MAIN(store_suite)
