#include "core/run/pool.h"

#include "core/base/error.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct pool {
	pthread_mutex_t lock;
	size_t next, n;
	bool stop;
	as_pool_fn fn;
	void *context;
	const as_cancel *cancel;
	assay_error first; /* of the lowest failed item */
	size_t failed_item;
} pool;

typedef struct pool_worker {
	pool *pool;
	uint32_t number;
	pthread_t thread;
} pool_worker;

static void note_failure(pool *p, size_t item, int rc, const assay_error *err)
{
	p->stop = true;
	if (p->first.code == 0 || item < p->failed_item) {
		p->failed_item = item;
		p->first = *err;
		p->first.code = rc;
	}
}

static void *work(void *argument)
{
	pool_worker *w = argument;
	pool *p = w->pool;
	pthread_mutex_lock(&p->lock);
	while (!p->stop && p->next < p->n) {
		size_t item = p->next++;
		assay_error err = {0};
		int rc;
		pthread_mutex_unlock(&p->lock);
		rc = as_cancel_is_set(p->cancel) ? as_fail(&err, ASSAY_ECANCELED, "interrupted")
						 : p->fn(p->context, w->number, item, &err);
		pthread_mutex_lock(&p->lock);
		if (rc < 0) {
			note_failure(p, item, rc, &err);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int as_pool_run(size_t n, uint32_t jobs, as_pool_fn fn, void *context, const as_cancel *cancel, assay_error *err)
{
	pool p = {.n = n, .fn = fn, .context = context, .cancel = cancel};
	uint32_t started = 0;
	pool_worker *workers;
	jobs = jobs > n ? (uint32_t)n : jobs;
	jobs = jobs == 0 ? 1 : jobs;
	workers = as_new(jobs, sizeof *workers);
	if (!workers) {
		return as_fail_memory(err);
	}
	if (pthread_mutex_init(&p.lock, NULL) != 0) {
		free(workers);
		return as_fail_memory(err);
	}
	for (uint32_t i = 0; i < jobs; i++) {
		workers[i] = (pool_worker){.pool = &p, .number = i};
		if (i + 1 == jobs) {
			break; /* this thread is the last worker */
		}
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
			break; /* fewer threads do the same work */
		}
		started++;
	}
	workers[started].number = started;
	workers[started].pool = &p;
	work(&workers[started]);
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
	}
	pthread_mutex_destroy(&p.lock);
	free(workers);
	if (p.first.code < 0) {
		if (err) {
			*err = p.first;
		}
		return p.first.code;
	}
	return 0;
}

uint32_t as_pool_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 1024 ? 1024 : (uint32_t)n;
}
