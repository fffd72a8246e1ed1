/* An implementation ends before its name. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.size = 16);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(short_impl, )
