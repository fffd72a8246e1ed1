/* The descriptor ends before its texts. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(short_struct, .size = 24)
