/* A flag that does not exist. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.flags = 0x80);
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(unknown_flags, )
