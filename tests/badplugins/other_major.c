/* Built for another generation of the interface. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(other_major, .abi_major = ASSAY_ABI_MAJOR + 1)
