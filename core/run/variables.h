/* ${NAME} variables: the process environment, then a file .env. Thread: constant once loaded. */
#ifndef AS_VARIABLES_H
#define AS_VARIABLES_H

#include "core/base/memory.h"

typedef struct as_variables as_variables;
#define AS_DOTENV_MAX ((size_t)16 << 20) /* bytes of a file .env */
/* dir: where .env may lie (it need not). "#" behind a blank begins a comment where the value has no quotes. ASSAY_EDATA
 * with line for a line that is not NAME=value, empty or a comment, or whose value begins with a quote that is not
 * closed; and for a .env that is no file. */
int as_variables_load(const char *dir, as_variables **out, assay_error *err);
void as_variables_free(as_variables *v);
/* A line of .env that reads back as that value, whatever is in it but a NUL. */
void as_variables_write(as_buf *out, assay_str name, assay_str value);
/* NULL when it is set nowhere. The shape of as_estate.variable. */
const char *as_variable(void *variables, const char *name);
/* What the file holds, in its order, until `take` answers anything but 0, which is answered. */
int as_variables_each(const as_variables *v, int (*take)(void *payload, const char *name, const char *value),
		      void *payload);

#endif
