#include "core/run/pool.h"

#include "core/base/called.h"
#include "core/base/error.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct pool pool;

/* One of the places where an item is worked on. */
typedef struct pool_worker {
	pool *pool;
	uint32_t number;
	size_t item;
	pthread_t thread;
} pool_worker;

/* Each item has a thread of its own: what a thread frees the C library keeps for that thread, and hundreds of threads
 * that go on and on keep more than all of them use. */
struct pool {
	pthread_mutex_t lock; /* guards what the threads write: from here to failed_item */
	pthread_cond_t ended;
	pool_worker **done; /* threads to be joined */
	size_t n_done;
	bool stop;
	assay_error first; /* of the lowest failed item */
	size_t failed_item;

	size_t next, n;
	uint32_t jobs;
	pool_worker **idle;
	size_t n_idle, running;
	as_pool_fn fn;
	void *context;
	const as_cancel *cancel;
};

static void note_failure(pool *p, size_t item, int rc, const assay_error *err)
{
	p->stop = true;
	if (p->first.code == 0 || item < p->failed_item) {
		p->failed_item = item;
		p->first = *err;
		p->first.code = rc;
	}
}

static void work_item(const pool_worker *w)
{
	pool *p = w->pool;
	assay_error err = {0};
	int rc = as_cancel_is_set(p->cancel) ? as_fail(&err, ASSAY_ECANCELED, "interrupted")
					     : p->fn(p->context, w->number, w->item, &err);
	if (rc < 0) {
		pthread_mutex_lock(&p->lock);
		note_failure(p, w->item, rc, &err);
		pthread_mutex_unlock(&p->lock);
	}
}

static void *work(void *argument)
{
	pool_worker *w = argument;
	pool *p = w->pool;
	unsigned char spare[AS_CALLED_STACK];
	as_called_lend(spare, sizeof spare);
	work_item(w);
	pthread_mutex_lock(&p->lock);
	p->done[p->n_done++] = w;
	pthread_cond_signal(&p->ended);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool may_issue(pool *p)
{
	bool stop;
	pthread_mutex_lock(&p->lock);
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return !stop && p->next < p->n && p->n_idle > 0;
}

/* Give the next items to the places that are free. Where no thread is to be had, fewer do the same work: at worst this
 * one. */
static void issue(pool *p)
{
	while (may_issue(p)) {
		pool_worker *w = p->idle[p->n_idle - 1];
		w->item = p->next;
		if (p->jobs == 1 || pthread_create(&w->thread, NULL, work, w) != 0) {
			if (p->running > 0) {
				return;
			}
			p->next++;
			work_item(w);
			continue;
		}
		p->next++;
		p->n_idle--;
		p->running++;
	}
}

static void join_one(pool *p)
{
	pool_worker *w;
	pthread_mutex_lock(&p->lock);
	while (p->n_done == 0) {
		pthread_cond_wait(&p->ended, &p->lock);
	}
	w = p->done[--p->n_done];
	pthread_mutex_unlock(&p->lock);
	pthread_join(w->thread, NULL);
	p->idle[p->n_idle++] = w;
	p->running--;
}

static int run_all(pool *p, assay_error *err)
{
	pool_worker *workers = as_new(p->jobs, sizeof *workers);
	p->idle = as_new(p->jobs, sizeof(pool_worker *));
	p->done = as_new(p->jobs, sizeof(pool_worker *));
	if (!workers || !p->idle || !p->done) {
		free(workers);
		return as_fail_memory(err);
	}
	for (uint32_t i = p->jobs; i-- > 0;) { /* the first one on top */
		workers[i] = (pool_worker){.pool = p, .number = i};
		p->idle[p->n_idle++] = &workers[i];
	}
	issue(p);
	while (p->running > 0) {
		join_one(p);
		issue(p);
	}
	free(workers);
	if (p->first.code < 0 && err) {
		*err = p->first;
	}
	return p->first.code;
}

int as_pool_run(size_t n, uint32_t jobs, as_pool_fn fn, void *context, const as_cancel *cancel, assay_error *err)
{
	pool p = {.n = n, .jobs = jobs, .fn = fn, .context = context, .cancel = cancel};
	int rc;
	p.jobs = p.jobs > n ? (uint32_t)n : p.jobs;
	p.jobs = p.jobs == 0 ? 1 : p.jobs;
	if (pthread_mutex_init(&p.lock, NULL) != 0) {
		return as_fail_memory(err);
	}
	rc = pthread_cond_init(&p.ended, NULL) != 0 ? as_fail_memory(err) : 0;
	if (rc == 0) {
		rc = run_all(&p, err);
		pthread_cond_destroy(&p.ended);
	}
	free(p.idle);
	free(p.done);
	pthread_mutex_destroy(&p.lock);
	return rc;
}

uint32_t as_pool_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 1024 ? 1024 : (uint32_t)n;
}
