/* Seed tools of one goal: what a category is about. */
#ifndef AS_SEEDS_H
#define AS_SEEDS_H

#include "core/run/context.h"

typedef struct as_seeds {
	as_arena arena;
	assay_tools tools;   /* anchor first */
	assay_tools surface; /* all tools of their servers */
	assay_json *servers; /* array of their ids, sorted */
} as_seeds;

/* Draw with the category's sampler and the context's random numbers: one of its whole seed sets when it offers such,
 * else an anchor and what the sampler draws around it. No tools at all is an answer. */
int as_seeds_draw(as_context *c, uint32_t category, as_seeds *out, assay_error *err);
/* How many different seed sets the category's sampler finds: all that it offers, or one around each tool. whole: of
 * them, those that have the category's size. */
typedef struct as_seed_count {
	uint64_t sets, whole;
} as_seed_count;
int as_seeds_count(as_context *c, uint32_t category, as_seed_count *out, assay_error *err);

/* One draw of a sampler (use: its name, for messages), whose answer is looked at: ASSAY_EPLUGIN where it picked more
 * than n tools, a tool that is no candidate, or one twice. picked has room for n. */
int as_draw(const as_instance *sampler, const char *use, as_call *call, assay_tools required, assay_tools candidates,
	    size_t n, uint32_t *picked, size_t *n_picked, assay_error *err);

void as_seeds_clear(as_seeds *s);

#endif
