/* The one place where secrets are taken out of text: every value that was put into a request, a child's environment or
 * a command is known here, and what comes back from outside (results, errors, stderr) and what goes into the log passes
 * through. Found is a value as it is, as JSON writes it, as a URL or a URL within one writes it, and within the base64
 * of a longer text. Thread: any. */
#ifndef AS_REDACT_H
#define AS_REDACT_H

#include "core/base/json.h"

typedef struct as_redactor as_redactor;
int as_redactor_new(as_redactor **out, assay_error *err);
void as_redactor_free(as_redactor *r);

#define AS_REDACT_MIN 8 /* shorter values are found in anything */
/* Remember a value of the variable `name`: a whole one, or a part of it. False when memory is out. */
bool as_redactor_add(as_redactor *r, const char *name, assay_str value);

/* The variable whose value stands in the text, or NULL; it lives as long as r. In all of these, r may be NULL: nothing
 * is known. */
const char *as_redact_find(as_redactor *r, assay_str text);
/* Replace every remembered value by "«secret:NAME»". True when there was one. */
bool as_redact(as_redactor *r, as_buf *text);
/* The same for a text in an array of `size` bytes, cut at a character's end when it grows beyond it. */
void as_redact_array(as_redactor *r, char *text, size_t size);
void as_redact_error(as_redactor *r, assay_error *err);
/* The same for all texts and keys of a document, and for a number that is a secret, which becomes a text; *doc is
 * replaced when there was one. ASSAY_ENOMEM leaves it as it was. */
int as_redact_json(as_redactor *r, assay_json **doc, assay_error *err);

#endif
