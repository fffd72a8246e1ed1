/* Worker threads: every item once, the first error by place, and stopping. */
#include "core/run/pool.h"
#include "tests/unit/model_kit.h"

#include <pthread.h>

#define ITEMS 500

typedef struct bench {
	pthread_mutex_t lock;
	size_t order[ITEMS], n;
	unsigned done[ITEMS];
	uint32_t highest_worker;
	size_t bad[2];    /* items that fail; ITEMS: none */
	size_t cancel_at; /* item at which to cancel; ITEMS: never */
	as_cancel *cancel;
} bench;

static int work(void *context, uint32_t worker, size_t item, assay_error *err)
{
	bench *b = context;
	pthread_mutex_lock(&b->lock);
	b->order[b->n++] = item;
	b->done[item]++;
	b->highest_worker = worker > b->highest_worker ? worker : b->highest_worker;
	pthread_mutex_unlock(&b->lock);
	if (item == b->cancel_at) {
		as_cancel_set(b->cancel);
	}
	if (item == b->bad[0] || item == b->bad[1]) {
		return as_fail(err, ASSAY_EDATA, "item %zu is bad", item);
	}
	return 0;
}

static void begin(bench *b)
{
	*b = (bench){.bad = {ITEMS, ITEMS}, .cancel_at = ITEMS};
	ck_assert_int_eq(pthread_mutex_init(&b->lock, NULL), 0);
}

START_TEST(test_every_item_once)
{
	static const uint32_t jobs[] = {0, 1, 4, 64};
	for (size_t j = 0; j < 4; j++) {
		assay_error err = {0};
		bench b;
		begin(&b);
		ck_ok(as_pool_run(ITEMS, jobs[j], work, &b, NULL, &err));
		ck_assert_uint_eq(b.n, ITEMS);
		for (size_t i = 0; i < ITEMS; i++) {
			ck_assert_uint_eq(b.done[i], 1);
		}
		ck_assert_uint_lt(b.highest_worker, jobs[j] ? jobs[j] : 1);
		for (size_t i = 0; i < ITEMS && jobs[j] <= 1; i++) {
			ck_assert_uint_eq(b.order[i], i);
		}
	}
}
END_TEST

START_TEST(test_few_items)
{
	assay_error err = {0};
	bench b;
	begin(&b);
	ck_ok(as_pool_run(0, 8, work, &b, NULL, &err));
	ck_assert_uint_eq(b.n, 0);
	ck_ok(as_pool_run(2, 1000000, work, &b, NULL, &err)); /* no more threads than items */
	ck_assert_uint_eq(b.n, 2);
	ck_assert_uint_lt(b.highest_worker, 2);
	ck_assert_uint_ge(as_pool_cores(), 1);
}
END_TEST

START_TEST(test_errors)
{
	for (uint32_t jobs = 1; jobs <= 8; jobs *= 8) {
		assay_error err = {0};
		bench b;
		begin(&b);
		b.bad[0] = 40;
		b.bad[1] = 41;
		ck_assert_int_eq(as_pool_run(ITEMS, jobs, work, &b, NULL, &err), ASSAY_EDATA);
		ck_assert_str_eq(err.message, "item 40 is bad"); /* issued before 41, so it is known */
		ck_assert_int_eq(err.code, ASSAY_EDATA);
		/* What was under way ends, nothing new begins; a thread can be late with its bad news. */
		ck_assert_uint_lt(b.n, ITEMS);
		ck_assert_int_eq(as_pool_run(ITEMS, jobs, work, &b, NULL, NULL), ASSAY_EDATA);
	}
}
END_TEST

START_TEST(test_cancelling)
{
	assay_error err = {0};
	bench b;
	begin(&b);
	ck_ok(as_cancel_new(&b.cancel, &err));
	b.cancel_at = 10;
	ck_assert_int_eq(as_pool_run(ITEMS, 1, work, &b, b.cancel, &err), ASSAY_ECANCELED);
	ck_assert_uint_eq(b.n, 11);
	ck_assert_str_eq(err.message, "interrupted");
	as_cancel_free(b.cancel);
}
END_TEST

UNIT_SUITE(suite, "pool", test_every_item_once, test_few_items, test_errors, test_cancelling)
UNIT_MAIN(suite)
