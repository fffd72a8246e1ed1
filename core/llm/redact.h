/* The one place where secrets are taken out of text: every value that was put into a request is known here, and what
 * comes back from outside (replies, errors) and what goes into the log passes through. Thread: any. */
#ifndef AS_LLM_REDACT_H
#define AS_LLM_REDACT_H

#include "core/base/memory.h"

typedef struct as_redactor as_redactor;
int as_redactor_new(as_redactor **out, assay_error *err);
void as_redactor_free(as_redactor *r);

#define AS_REDACT_MIN 6 /* shorter values are found in anything */
/* Remember a value of the variable `name`: a whole one, or one of several between commas. False when memory is out. */
bool as_redactor_add(as_redactor *r, const char *name, assay_str value);

/* Replace every remembered value, as it is or as JSON writes it, by "«secret:NAME»". True when there was one. */
bool as_redact(as_redactor *r, as_buf *text);
/* The same for a text in an array of `size` bytes, cut at a character's end when it grows beyond it. */
void as_redact_array(as_redactor *r, char *text, size_t size);
void as_redact_error(as_redactor *r, assay_error *err);

#endif
