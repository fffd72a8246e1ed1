/* ${NAME} variables: the process environment, then a file .env. Thread: constant once loaded. */
#ifndef AS_VARIABLES_H
#define AS_VARIABLES_H

#include "core/base/memory.h"

typedef struct as_variables as_variables;
/* dir: where .env may lie (it need not). ASSAY_EDATA with line for a line that is not NAME=value, empty or a comment.
 */
int as_variables_load(const char *dir, as_variables **out, assay_error *err);
void as_variables_free(as_variables *v);
/* NULL when it is set nowhere. The shape of as_estate.variable. */
const char *as_variable(void *variables, const char *name);
/* What the file holds, in its order, until `take` answers anything but 0, which is answered. */
int as_variables_each(const as_variables *v, int (*take)(void *payload, const char *name, const char *value),
		      void *payload);

#endif
