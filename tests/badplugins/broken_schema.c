/* The options schema is no JSON. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.options = "{\"type\": ");
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(broken_schema, )
