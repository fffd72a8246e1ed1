/* Calls a function that nobody defines. */
#include "bad.h"

extern int nobody_defines_this(void);

static int draw_more(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
		     uint32_t *picked, size_t *n_picked, assay_error *err)
{
	return draw(self, call, required, candidates, n, picked, n_picked, err) + nobody_defines_this();
}

static const assay_sampler_ops table = {.size = sizeof table, .draw = draw_more};
static const assay_impl one = BAD_IMPL(.ops = &table);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(undefined_symbol, )
