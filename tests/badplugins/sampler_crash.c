/* The getter crashes. */
#include "bad.h"
#include <signal.h>

ASSAY_EXPORT const assay_plugin *sampler_crash_LTX_assay_plugin_v1(void);
const assay_plugin *sampler_crash_LTX_assay_plugin_v1(void)
{
	(void)bad_ops;
	raise(SIGSEGV);
	return NULL;
}
