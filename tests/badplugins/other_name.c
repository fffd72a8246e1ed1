/* The getter's name and the descriptor's differ. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(other_name, .name = "somebody")
