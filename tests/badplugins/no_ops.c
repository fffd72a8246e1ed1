/* An implementation without operations. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.ops = NULL);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(no_ops, )
