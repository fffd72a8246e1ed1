#include "core/llm/window.h"

#include "core/base/error.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_UP_MS 100 /* how often who waits looks whether it was cancelled */

struct as_window {
	pthread_mutex_t lock;
	pthread_cond_t free_place;
	double size;
	uint32_t limit, in_flight;
	bool cut;     /* it was halved once: from there it grows by one a round, not with every answer */
	uint64_t age; /* goes up when it is halved: requests that were under way then do not halve it again */
	int64_t shut_to_ms;
};

int as_window_new(uint32_t limit, as_window **out, assay_error *err)
{
	as_window *w = as_new(1, sizeof *w);
	*out = NULL;
	if (!w) {
		return as_fail_memory(err);
	}
	w->limit = limit ? limit : AS_WINDOW_MAX;
	w->size = w->limit < AS_WINDOW_START ? w->limit : AS_WINDOW_START;
	if (pthread_mutex_init(&w->lock, NULL) != 0) {
		free(w);
		return as_fail_memory(err);
	}
	if (pthread_cond_init(&w->free_place, NULL) != 0) {
		pthread_mutex_destroy(&w->lock);
		free(w);
		return as_fail_memory(err);
	}
	*out = w;
	return 0;
}

void as_window_free(as_window *w)
{
	if (w) {
		pthread_cond_destroy(&w->free_place);
		pthread_mutex_destroy(&w->lock);
		free(w);
	}
}

static void wait_a_little(as_window *w, int64_t left_ms)
{
	int64_t ms = left_ms < LOOK_UP_MS ? left_ms : LOOK_UP_MS;
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ms * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&w->free_place, &w->lock, &until);
}

static bool has_place(const as_window *w)
{
	return w->in_flight < (uint32_t)w->size && as_now_ms() >= w->shut_to_ms;
}

int as_window_take(as_window *w, int64_t deadline_ms, const as_cancel *cancel, uint64_t *ticket, assay_error *err)
{
	int rc = 0;
	pthread_mutex_lock(&w->lock);
	while (!has_place(w) && rc == 0) {
		int64_t left = as_remaining(deadline_ms), shut = w->shut_to_ms - as_now_ms();
		if (as_cancel_is_set(cancel)) {
			rc = as_fail(err, ASSAY_ECANCELED, "interrupted");
		} else if (left == 0) {
			rc = as_fail(err, ASSAY_ETIMEOUT, "no place in time among the requests in flight");
		} else {
			wait_a_little(w, shut > 0 && shut < left ? shut : left);
		}
	}
	if (rc == 0) {
		w->in_flight++;
		*ticket = w->age;
	}
	if (has_place(w)) {
		pthread_cond_signal(&w->free_place); /* the window may have grown by more than one */
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void as_window_give(as_window *w, uint64_t ticket, int how, int64_t pause_ms)
{
	pthread_mutex_lock(&w->lock);
	if (how == AS_WENT_WELL && w->in_flight + 1 >= (uint32_t)w->size) { /* it was used to the full */
		w->size += w->cut ? 1 / w->size : 1;
		w->size = w->size > w->limit ? w->limit : w->size;
	} else if (how == AS_WENT_TOO_MANY && ticket == w->age) {
		w->size = w->size / 2 < 1 ? 1 : w->size / 2;
		w->cut = true;
		w->age++;
	}
	if (pause_ms > 0) {
		int64_t to = as_deadline(pause_ms);
		w->shut_to_ms = to > w->shut_to_ms ? to : w->shut_to_ms;
	}
	w->in_flight--;
	pthread_cond_signal(&w->free_place);
	pthread_mutex_unlock(&w->lock);
}

uint32_t as_window_size(as_window *w)
{
	uint32_t size;
	pthread_mutex_lock(&w->lock);
	size = (uint32_t)w->size;
	pthread_mutex_unlock(&w->lock);
	return size;
}
