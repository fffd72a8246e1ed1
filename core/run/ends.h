/* The words for how an attempt ended. Design page "replay", "End of an attempt". Pure. */
#ifndef AS_ENDS_H
#define AS_ENDS_H

#include "core/base/text.h"

/* An end that an explorer declares itself (sdk/assay/roles/explorer.h), as a constant; NULL: it is none of these. What
 * happened then was the agent's doing. */
const char *as_declared_end(assay_str said);

/* The end of a void attempt that waits for somebody who is asked because of what the agent did: the judge of a task
 * that is not passed, a model that makes up what the tape does not know. Leaving such attempts out would raise the
 * rates. */
bool as_is_pending_end(assay_str end);

/* The class of an end: "agent", "infra" or "harness". */
const char *as_end_class(const char *end);

#endif
