/* How many of something may be in use at once: server processes, places in an environment. A world takes all that it
 * needs in one go, so no two worlds can wait for each other. Thread: any. */
#ifndef AS_QUOTA_H
#define AS_QUOTA_H

#include "core/base/clock.h"

typedef struct as_quota as_quota;
/* limits: one for each kind, 0: no limit. Copied. */
int as_quota_new(const uint32_t *limits, size_t n, as_quota **out, assay_error *err);
void as_quota_free(as_quota *q);
/* Take amounts[i] of kind i, all at once, waiting for others to give back. ASSAY_ECANCELED; ASSAY_EDATA when a limit is
 * lower than what is asked for (kind: which). NULL quota: no limits. */
int as_quota_take(as_quota *q, const uint32_t *amounts, const as_cancel *cancel, size_t *kind, assay_error *err);
void as_quota_give(as_quota *q, const uint32_t *amounts);

#endif
