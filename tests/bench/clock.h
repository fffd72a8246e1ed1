/* Timing of small operations: the best of a few rounds, so that other work on the machine disturbs least. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include "core/base/clock.h"
#include <stdio.h>
#include <stdlib.h>

#define BENCH_ROUNDS 7

typedef void (*bench_fn)(void *context);

/* Nanoseconds of one operation, out of `count` in a row. */
static inline double bench_measure(bench_fn fn, void *context, unsigned count)
{
	int64_t best = INT64_MAX;
	for (unsigned round = 0; round < BENCH_ROUNDS; round++) {
		int64_t begun = as_now_us(), took;
		for (unsigned i = 0; i < count; i++) {
			fn(context);
		}
		took = as_now_us() - begun;
		best = took < best ? took : best;
	}
	return (double)best * 1000.0 / count;
}

static inline void bench_print(const char *name, double ns)
{
	printf("%-44s %10.0f ns\n", name, ns);
}

/* A benchmark that cannot do its work is no benchmark. */
static inline void bench_must(int rc, const char *what)
{
	if (rc < 0) {
		fprintf(stderr, "%s: failed with %d\n", what, rc);
		exit(EXIT_FAILURE);
	}
}

#endif
