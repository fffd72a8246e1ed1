/* The options schema is JSON, but no schema. */
#include "bad.h"

static const assay_impl one = BAD_IMPL(.options = "{\"type\": 12}");
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(wrong_schema, )
