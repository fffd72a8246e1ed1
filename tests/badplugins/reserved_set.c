/* A reserved member holds something. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(reserved_set, .reserved = 7)
