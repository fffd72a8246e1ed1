#include "core/run/progress.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include <pthread.h>
#include <stdlib.h>

#define REDRAW_MS 100

struct as_progress {
	pthread_mutex_t lock;
	FILE *stream;
	bool enabled;
	const char *stage;
	size_t done, total;
	int64_t begun_ms, drawn_ms;
};

int as_progress_new(FILE *stream, bool enabled, as_progress **out, assay_error *err)
{
	as_progress *p = as_new(1, sizeof *p);
	*out = NULL;
	if (!p || pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return as_fail_memory(err);
	}
	p->stream = stream;
	p->enabled = enabled;
	*out = p;
	return 0;
}

void as_progress_free(as_progress *p)
{
	if (p) {
		pthread_mutex_destroy(&p->lock);
		free(p);
	}
}

static void draw(as_progress *p)
{
	long long elapsed = as_now_ms() - p->begun_ms;
	p->drawn_ms = as_now_ms();
	fprintf(p->stream, "\r\033[K%s %zu/%zu  %lld s", p->stage, p->done, p->total, elapsed / 1000);
	if (p->done > 0 && p->done < p->total && elapsed > 3000) {
		fprintf(p->stream, ", about %lld s left",
			elapsed * (long long)(p->total - p->done) / (long long)p->done / 1000 + 1);
	}
	fflush(p->stream);
}

void as_progress_begin(as_progress *p, const char *stage, size_t total)
{
	if (!p || !p->enabled) {
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->stage = stage;
	p->done = 0;
	p->total = total;
	p->begun_ms = as_now_ms();
	draw(p);
	pthread_mutex_unlock(&p->lock);
}

void as_progress_step(as_progress *p, size_t done)
{
	if (!p || !p->enabled) {
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->done += done;
	if (as_now_ms() - p->drawn_ms >= REDRAW_MS) {
		draw(p);
	}
	pthread_mutex_unlock(&p->lock);
}

void as_progress_end(as_progress *p)
{
	if (!p || !p->enabled) {
		return;
	}
	pthread_mutex_lock(&p->lock);
	fputs("\r\033[K", p->stream);
	fflush(p->stream);
	pthread_mutex_unlock(&p->lock);
}
