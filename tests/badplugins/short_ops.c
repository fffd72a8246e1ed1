/* A table of operations that ends before the required one. */
#include "bad.h"

static const assay_sampler_ops short_table = {.size = offsetof(assay_sampler_ops, draw), .draw = draw};
static const assay_impl one = BAD_IMPL(.ops = &short_table);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(short_ops, )
