/* A summary of two lines. */
#include "bad.h"

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(ugly_summary, .summary = "two\nlines")
