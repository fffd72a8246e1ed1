/* Counts of many rows in one (reference page 8.7 and 8.9). */
#include "core/stats/stats.h"
#include <math.h>

as_decay as_decay_pool(const as_decay *rows, size_t n)
{
	as_decay all = {0};
	for (size_t i = 0; i < n; i++) {
		double calls = (double)rows[i].calls;
		all.servers += rows[i].servers;
		all.calls += rows[i].calls;
		all.identical += rows[i].identical * calls;
		all.drifted += rows[i].drifted * calls;
		all.broken += rows[i].broken * calls;
	}
	if (all.calls > 0) {
		all.identical = as_round(all.identical / (double)all.calls, 0);
		all.drifted = as_round(all.drifted / (double)all.calls, 0);
		all.broken = as_round(all.broken / (double)all.calls, 1);
	}
	return all;
}

void as_set_sizes_add(as_set_sizes *s, uint64_t size, uint64_t times)
{
	s->sets += times;
	s->members += size * times;
	s->multi += size >= 2 ? times : 0;
	if (size > 0) {
		s->buckets[size < 5 ? size - 1 : 4] += times;
	}
	if (times > 0 && size > s->largest) {
		s->largest = size;
	}
}

double as_set_sizes_multi(const as_set_sizes *s)
{
	return s->sets ? as_round(100.0 * (double)s->multi / (double)s->sets, 3) : (double)NAN;
}

double as_set_sizes_mean(const as_set_sizes *s)
{
	return s->sets ? as_round((double)s->members / (double)s->sets, 3) : (double)NAN;
}
