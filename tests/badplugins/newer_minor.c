/* Built for a program that offers more. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(newer_minor, .abi_minor = ASSAY_ABI_MINOR + 1)
