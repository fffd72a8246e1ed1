/* A sampler that cannot draw. */
#include "bad.h"

static const assay_sampler_ops empty_ops = {.size = sizeof empty_ops};
static const assay_impl one = BAD_IMPL(.ops = &empty_ops);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(missing_operation, )
