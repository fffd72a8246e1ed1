/* The getter never returns. */
#include "bad.h"
#include <unistd.h>

ASSAY_EXPORT const assay_plugin *hang_LTX_assay_plugin_v1(void);
const assay_plugin *hang_LTX_assay_plugin_v1(void)
{
	(void)bad_ops;
	for (;;) {
		pause();
	}
}
