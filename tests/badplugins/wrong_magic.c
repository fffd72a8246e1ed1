/* The first number is not that of a plugin. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(wrong_magic, .magic = 0x12345678)
