/* The descriptor has no name. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(null_name, .name = NULL)
