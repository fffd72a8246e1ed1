#include "core/base/random.h"

#include "core/base/hash.h"

#include <stdio.h>

#define WORDS 624u /* of state */
#define SHIFT 397u /* distance of the words that are mixed */
#define UPPER 0x80000000u
#define LOWER 0x7fffffffu

/* The generator's own initialisation from one word. */
static void seed_word(as_rng *r, uint32_t word)
{
	r->state[0] = word;
	for (uint32_t i = 1; i < WORDS; i++) {
		uint32_t before = r->state[i - 1];

		r->state[i] = 1812433253u * (before ^ (before >> 30)) + i;
	}
	r->index = WORDS;
}

void as_rng_seed(as_rng *r, uint64_t seed)
{
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t keys = key[1] != 0 ? 2 : 1;
	uint32_t *s = r->state;
	uint32_t i = 1, j = 0;

	seed_word(r, 19650218u);
	for (uint32_t k = 0; k < WORDS; k++) {
		s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1664525u)) + key[j] + j;
		if (++i == WORDS) {
			s[0] = s[WORDS - 1];
			i = 1;
		}
		j = (j + 1) % keys;
	}
	for (uint32_t k = 0; k < WORDS - 1; k++) {
		s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1566083941u)) - i;
		if (++i == WORDS) {
			s[0] = s[WORDS - 1];
			i = 1;
		}
	}
	s[0] = UPPER; /* not all words are zero */
}

static void refill(as_rng *r)
{
	uint32_t *s = r->state;

	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t y = (s[i] & UPPER) | (s[(i + 1) % WORDS] & LOWER);

		s[i] = s[(i + SHIFT) % WORDS] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
	}
	r->index = 0;
}

uint32_t as_rng_u32(as_rng *r)
{
	uint32_t y;

	if (r->index >= WORDS) {
		refill(r);
	}
	y = r->state[r->index++];
	y ^= y >> 11;
	y ^= (y << 7) & 0x9d2c5680u;
	y ^= (y << 15) & 0xefc60000u;
	return y ^ (y >> 18);
}

uint32_t as_rng_bits(as_rng *r, uint32_t k)
{
	if (k == 0) {
		return 0;
	}
	return k >= 32 ? as_rng_u32(r) : as_rng_u32(r) >> (32 - k);
}

uint32_t as_rng_below(as_rng *r, uint32_t n)
{
	uint32_t bits = 0, value;

	if (n == 0) {
		return 0;
	}
	for (uint32_t rest = n; rest != 0; rest >>= 1) {
		bits++;
	}
	do {
		value = as_rng_bits(r, bits);
	} while (value >= n);
	return value;
}

double as_rng_unit(as_rng *r)
{
	uint32_t high = as_rng_u32(r) >> 5, low = as_rng_u32(r) >> 6;

	return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

void as_rng_shuffle(as_rng *r, uint32_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = as_rng_below(r, (uint32_t)i);
		uint32_t kept = items[i - 1];

		items[i - 1] = items[j];
		items[j] = kept;
	}
}

uint64_t as_derive_seed(uint64_t seed, const char *stage, assay_str item)
{
	char number[24], digest[65];
	assay_str parts[3];

	snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
	parts[0] = as_str(number);
	parts[1] = as_str(stage);
	parts[2] = item;
	as_hash_parts("seed", parts, 3, digest);
	return as_hash_u64(digest);
}
