/* What tools that watch a process write about it: valgrind's memcheck, and the sanitizers of gcc and clang. */
#ifndef AS_CONTRACT_LOG_H
#define AS_CONTRACT_LOG_H

#include "core/base/memory.h"

#define AS_SANITIZER_LOG "sanitizer" /* in the folder for what is temporary; the runtime adds .PID */
#define AS_LOG_BYTES ((size_t)64 << 20)

/* Call tell for each finding, in order, with one line for people: what, and the innermost place in the program. Stops
 * at the first negative answer, and gives it. Pure; thread: any. */
int as_log_findings(assay_str text, int (*tell)(void *payload, const char *problem, assay_error *err), void *payload,
		    assay_error *err);

/* Does valgrind say that there is debug information that it cannot read? It goes on without. */
bool as_log_unreadable(assay_str text);

/* The whole lines in front of the report that a sanitizer ends a process with, which may still be being written. */
assay_str as_log_notices(assay_str text);

#endif
