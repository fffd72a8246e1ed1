/* The list of implementations is empty. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(no_impls, .impls = impls + 1)
