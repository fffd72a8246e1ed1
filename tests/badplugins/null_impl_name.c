/* An implementation without a name. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.name = NULL);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(null_impl_name, )
