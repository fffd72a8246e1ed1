/* The getter ends the program. */
#include "bad.h"
#include <unistd.h>

ASSAY_EXPORT const assay_plugin *leaves_LTX_assay_plugin_v1(void);
const assay_plugin *leaves_LTX_assay_plugin_v1(void)
{
	(void)bad_ops;
	_exit(3);
}
