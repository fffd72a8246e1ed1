/* A host table whose memory is watched: each block lies against a page that nobody may touch and disappears when it is
 * freed; allocations are counted and can be made to fail; the services that were looked at are known afterwards.
 *
 * alloc(size) carries no context, so there is one fence for the process, as there is one heap. It serves a process that
 * does nothing but check one module. Thread: any, but start. */
#ifndef AS_FENCE_H
#define AS_FENCE_H

#include "core/base/memory.h"

#define AS_FENCE_NEVER (-1)

/* Make the table; once. watch: notice which services are looked at. */
const assay_host *as_fence_start(bool watch);

/* The name under which further blocks are entered: an operation. Must outlive the fence. */
void as_fence_operation(const char *name);
/* Count from 0 again; the allocation with this number and all later ones fail. */
void as_fence_fail_from(int64_t number);
int64_t as_fence_count(void); /* since as_fence_fail_from */

/* Blocks that are still held, the bytes in them, and the operation that made the oldest. */
size_t as_fence_live(size_t *bytes, const char **operation);
/* Forget them: they have been reported. */
void as_fence_forget(void);
/* What was done to the memory that should not have been, once: NULL for nothing. */
const char *as_fence_complaint(void);
/* What the address of a memory fault means, or NULL. Async-signal-safe. */
const char *as_fence_explain(const void *address);

/* A fault at the table of a service is the first look at it: true when that was it and the program may go on. */
bool as_fence_service_fault(const void *address);
/* The names of the services looked at so far, separated by blanks. */
void as_fence_services(as_buf *out);
/* May the module's behaviour depend on the world outside: did it look at process or http? */
bool as_fence_outside(void);

void as_fence_free(void *p);           /* as the host's free */
assay_text as_fence_text(assay_str s); /* as a service would hand it out; ptr NULL: no memory */

#endif
