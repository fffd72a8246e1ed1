#include "core/world/quota.h"

#include "core/base/error.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_UP_MS 100 /* how often a waiting taker looks whether it was cancelled */

struct as_quota {
	pthread_mutex_t lock;
	pthread_cond_t given;
	uint32_t *limits, *used;
	size_t n;
};

int as_quota_new(const uint32_t *limits, size_t n, as_quota **out, assay_error *err)
{
	as_quota *q = as_new(1, sizeof *q);
	*out = NULL;
	if (!q) {
		return as_fail_memory(err);
	}
	q->n = n;
	q->limits = as_new(n + 1, sizeof *q->limits);
	q->used = as_new(n + 1, sizeof *q->used);
	if (!q->limits || !q->used || pthread_mutex_init(&q->lock, NULL) != 0) {
		goto fail;
	}
	if (pthread_cond_init(&q->given, NULL) != 0) {
		pthread_mutex_destroy(&q->lock);
		goto fail;
	}
	for (size_t i = 0; i < n; i++) {
		q->limits[i] = limits[i];
	}
	*out = q;
	return 0;
fail:
	free(q->limits);
	free(q->used);
	free(q);
	return as_fail_memory(err);
}

void as_quota_free(as_quota *q)
{
	if (q) {
		pthread_cond_destroy(&q->given);
		pthread_mutex_destroy(&q->lock);
		free(q->limits);
		free(q->used);
		free(q);
	}
}

static bool fits(const as_quota *q, const uint32_t *amounts)
{
	for (size_t i = 0; i < q->n; i++) {
		if (q->limits[i] && amounts[i] > q->limits[i] - q->used[i]) {
			return false;
		}
	}
	return true;
}

static void wait_a_little(as_quota *q)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_UP_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&q->given, &q->lock, &until);
}

int as_quota_take(as_quota *q, const uint32_t *amounts, const as_cancel *cancel, size_t *kind, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; q && i < q->n; i++) {
		if (q->limits[i] && amounts[i] > q->limits[i]) {
			*kind = i;
			return as_fail(err, ASSAY_EDATA, "%u are needed at once, and the limit is %u", amounts[i],
				       q->limits[i]);
		}
	}
	if (!q) {
		return 0;
	}
	pthread_mutex_lock(&q->lock);
	while (!fits(q, amounts) && rc == 0) {
		rc = as_cancel_is_set(cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted") : 0;
		if (rc == 0) {
			wait_a_little(q);
		}
	}
	for (size_t i = 0; i < q->n && rc == 0; i++) {
		q->used[i] += amounts[i];
	}
	pthread_mutex_unlock(&q->lock);
	return rc;
}

void as_quota_give(as_quota *q, const uint32_t *amounts)
{
	if (!q) {
		return;
	}
	pthread_mutex_lock(&q->lock);
	for (size_t i = 0; i < q->n; i++) {
		q->used[i] -= amounts[i] < q->used[i] ? amounts[i] : q->used[i];
	}
	pthread_cond_broadcast(&q->given);
	pthread_mutex_unlock(&q->lock);
}
