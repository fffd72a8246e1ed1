/* Arguments of a call as text, and how alike two such texts are. Reference page sections 2 and 3. Thread: any; a
 * prepared text is constant. */
#ifndef AS_CANONICAL_H
#define AS_CANONICAL_H

#include "core/base/json.h"

/* Append the canonical form: "{}" for NULL, null and an empty object. 0 or ASSAY_ENOMEM. */
int as_canonical_arguments(const assay_json *arguments, as_buf *out);

/* A canonical text, read and normalised once. */
typedef struct as_near as_near;
as_near *as_near_new(assay_str canonical); /* NULL: no memory */
void as_near_free(as_near *near);

/* Tier-2 score of two canonical texts, 0 to 1: over the union of the arguments' names, 1 for equal values and 0.7 for
 * texts of which one contains the other; what is no pair of objects is compared by difflib's ratio. -1: no memory. A
 * ratio that is given up (AS_RATIO_WORK) counts as 0. */
double as_near_score_prepared(const as_near *candidate, const as_near *recorded);
double as_near_score(assay_str candidate, assay_str recorded);

#endif
