/* A role that does not exist. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.role = 99);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(unknown_role, )
