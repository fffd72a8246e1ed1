/* A run's folder for environments, below TMPDIR. It is held by a lock that dies with the process, so what a killed run
 * left behind is recognised and cleared away by the next one. Thread: one. */
#ifndef AS_WORKDIR_H
#define AS_WORKDIR_H

#include "core/base/memory.h"

typedef struct as_workdir {
	as_buf path;
	int lock; /* descriptor; -1: none */
} as_workdir;

int as_workdir_open(as_workdir *w, assay_error *err);
void as_workdir_close(as_workdir *w); /* removes it with all that is in it; fine on a zeroed one with lock -1 */

#endif
