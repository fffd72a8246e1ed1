/* Ends of the program that are not its own: a plugin crashes, or calls exit. */
#ifndef AS_ENDINGS_H
#define AS_ENDINGS_H

#include "core/cli/cli.h"

/* From here on, one line says which operation of which plugin it was, and the exit status is AS_EXIT_PLUGIN: half a run
 * must not look like a whole one. What crashes outside of an operation (a plugin's own thread, a heap that it has
 * spoilt) ends as ever, after a line that says without certainty who was called last; so does a process that is
 * expendable, without any. Where a sanitizer watches, its report follows the line. Once, before there are threads. */
void as_endings_watch(const as_cli *cli);
/* Whoever interrupts is told, once, whose operation is waited for, if it has been under way for a while, and what a
 * second interrupt does. For handlers of signals. */
void as_endings_interrupted(void);
/* Back to silence: the program ends by itself. */
void as_endings_over(void);

#endif
