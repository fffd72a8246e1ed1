/* Tool names as a provider takes them, and back. An alias hangs on the name and the dialect alone, and on the other
 * names of the same request only where two would meet: so it stays the same while an attempt's offers change. */
#ifndef AS_LLM_NAMES_H
#define AS_LLM_NAMES_H

#include "core/base/json.h"
#include <assay/roles/llm.h>

typedef struct as_names as_names;
/* Names of all tools of a request (array of objects with "name"; NULL: none). dialect NULL: every name is its own. */
int as_names_new(const assay_json *tools, const assay_llm_dialect *dialect, as_names **out, assay_error *err);
void as_names_free(as_names *n);

/* The alias of a tool's name. A name that no tool has (an agent's invention that stands in the history) gets one too.
 */
int as_names_put(const as_names *n, assay_str name, as_buf *out, assay_error *err);
/* The name behind an alias; an alias that is none is answered as it is. Borrowed from n or from `alias`. */
assay_str as_names_get(const as_names *n, assay_str alias);

#endif
