/* A role that has no table yet. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.role = ASSAY_ROLE_IMPORTER);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(future_role, )
