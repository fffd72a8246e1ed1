/* MT19937 with Python's seeding and derived draws (reference page 5.1). Thread: a generator belongs to one thread. */
#ifndef AS_RANDOM_H
#define AS_RANDOM_H

#include "core/base/memory.h"

typedef struct as_rng {
	uint32_t state[624];
	uint32_t index;
} as_rng;

void as_rng_seed(as_rng *r, uint64_t seed); /* random.Random(seed) */
uint32_t as_rng_u32(as_rng *r);
uint32_t as_rng_bits(as_rng *r, uint32_t k);  /* getrandbits(k), 1 <= k <= 32 */
uint32_t as_rng_below(as_rng *r, uint32_t n); /* randrange(n); 0 when n is 0 */
double as_rng_unit(as_rng *r);                /* random(): [0, 1) with 53 bits */
void as_rng_shuffle(as_rng *r, uint32_t *items, size_t n);

/* The seed of a (seed, stage, item) draw of our own. */
uint64_t as_derive_seed(uint64_t seed, const char *stage, assay_str item);

#endif
