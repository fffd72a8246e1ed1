/* Two implementations of one name. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl two = BAD_IMPL(.flags = ASSAY_IMPL_PURE);
static const assay_impl *const impls[] = {&one, &two, NULL};
BAD_PLUGIN(twice, )
