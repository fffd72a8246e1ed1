/* Opening shared objects and linked-in modules through libltdl. Nothing else in the tree sees ltdl.h.
 *
 * libltdl keeps its list of handles and its last error in one place for the whole process and locks nothing, so one
 * lock stands in front of it here. What was opened stays mapped until the process ends. Thread: any. */
#ifndef AS_LOADER_H
#define AS_LOADER_H

#include <assay/types.h>
#include <stdbool.h>
#include <sys/types.h>

/* What a module exports: STEM_LTX_SYMBOL, a function that answers constant data. */
typedef const void *as_getter(void);

/* Start and stop are counted: the last stop releases libltdl's own memory. */
int as_loader_start(assay_error *err);
void as_loader_stop(void);

/* Open the module STEM from the file `path` (absolute; NULL: linked into the program) and find its getter.
 * ASSAY_EPLUGIN with the system's real reason, and a hint that says what to do; where = path. */
int as_loader_open(const char *path, const char *stem, const char *symbol, as_getter **out, assay_error *err);

/* Why a module ended the process that opened it, if it was built with a sanitizer, whose runtime does that when it does
 * not come first: ASSAY_EPLUGIN with what to do. Else 0, and err is left alone. */
int as_loader_sanitized(const char *path, assay_error *err);

/* Call fn for the stem of each linked-in module that exports STEM_LTX_SYMBOL; stops at the first non-zero answer. */
int as_loader_linked(const char *symbol, int (*fn)(void *payload, assay_str stem), void *payload);

/* fork() while nobody is inside the loader, so that the child can use it. */
pid_t as_loader_fork(void);

#endif
