/* The module of the exposures that pick from the whole catalogue. */
#include "offer.h"

ASSAY_PLUGIN(exposure_pool, "0.1.0", "Tools picked from the whole catalogue", "Apache-2.0", &expo_target, &expo_full,
	     &expo_rag, &expo_hier)
