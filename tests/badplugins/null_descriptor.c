/* The getter has nothing to say. */
#include "bad.h"

ASSAY_EXPORT const assay_plugin *null_descriptor_LTX_assay_plugin_v1(void);
const assay_plugin *null_descriptor_LTX_assay_plugin_v1(void)
{
	(void)bad_ops;
	return NULL;
}
