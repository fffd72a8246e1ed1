/* Why attempts were void: what the command tells at its end, when nobody has read the log. Of this command's tries
 * only; the store keeps how an attempt ended, and not the words of an error. */
#ifndef AS_VOIDS_H
#define AS_VOIDS_H

#include "core/run/engine.h"

/* A void try. end: how it ended; cause: NULL or code 0 where nobody said why. The caller has no other thread here. */
int as_voids_note(as_engine *e, assay_str end, const assay_error *cause, assay_error *err);

/* Array of {"cause", "tries"}, the most frequent first; the caller frees it. */
int as_voids_list(const as_engine *e, assay_json **out, assay_error *err);

/* A warning for each. */
int as_voids_tell(const as_engine *e, assay_error *err);

#endif
