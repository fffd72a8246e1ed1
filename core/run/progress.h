/* What a person sees while a long stage runs: one line on a terminal's stderr, nothing elsewhere. Thread: any. */
#ifndef AS_PROGRESS_H
#define AS_PROGRESS_H

#include "core/base/memory.h"
#include <stdio.h>

typedef struct as_progress as_progress;
/* enabled false: everything is a no-op. */
int as_progress_new(FILE *stream, bool enabled, as_progress **out, assay_error *err);
void as_progress_free(as_progress *p);
void as_progress_begin(as_progress *p, const char *stage, size_t total);
void as_progress_step(as_progress *p, size_t done); /* `done` more items */
void as_progress_end(as_progress *p);               /* clears the line */

#endif
