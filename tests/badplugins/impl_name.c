/* An implementation whose name cannot be typed as ROLE/NAME. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.name = "Bad Name");
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(impl_name, )
