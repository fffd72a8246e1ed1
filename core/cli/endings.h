/* Ends of the program that are not its own: a plugin crashes, or calls exit. */
#ifndef AS_ENDINGS_H
#define AS_ENDINGS_H

#include "core/cli/cli.h"

/* From here on, one line says which operation of which plugin it was, and the exit status is AS_EXIT_PLUGIN: half a run
 * must not look like a whole one. What crashes outside of a plugin, or in a process that is expendable, ends as ever;
 * where a sanitizer watches, its report follows the line. Once, before there are threads. */
void as_endings_watch(const as_cli *cli);
/* Back to silence: the program ends by itself. */
void as_endings_over(void);

#endif
