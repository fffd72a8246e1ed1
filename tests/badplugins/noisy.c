/* In order, but prints while it is opened. */
#include "bad.h"
#include <stdio.h>

__attribute__((constructor)) static void talk(void)
{
	puts("{\"module\": \"I am somebody else\"}");
}

static const assay_impl one = BAD_IMPL();
static const assay_impl *const impls[] = {&one, NULL};
BAD_PLUGIN(noisy, )
