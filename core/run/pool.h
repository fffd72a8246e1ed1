/* Worker threads over a list of items. */
#ifndef AS_POOL_H
#define AS_POOL_H

#include "core/base/clock.h"

/* Work on one item; `worker` is in [0, jobs). A negative answer stops the issuing of further items. */
typedef int (*as_pool_fn)(void *context, uint32_t worker, size_t item, assay_error *err);

/* Run fn over items 0..n-1 on `jobs` threads and wait for all. Items are issued in order. Answers the error of the
 * lowest failed item; cancellation gives ASSAY_ECANCELED. */
int as_pool_run(size_t n, uint32_t jobs, as_pool_fn fn, void *context, const as_cancel *cancel, assay_error *err);

/* Processors on line, at least 1. */
uint32_t as_pool_cores(void);

#endif
