/* A later version of the role. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.role_version = 2);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(role_version, )
