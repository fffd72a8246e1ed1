/* A reserved member of the operations holds something. */
#include "bad.h"

static const assay_sampler_ops table = {.size = sizeof table, .reserved = 3, .draw = draw};
static const assay_impl one = BAD_IMPL(.ops = &table);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(reserved_ops, )
