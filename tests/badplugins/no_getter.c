/* A shared object, but no plugin. */
#include "bad.h"

ASSAY_EXPORT int something_else(void);
int something_else(void)
{
	return (int)bad_ops.size;
}
