/* What must not be in a release: the values of the variables that a manifest names, and this machine's folders in what
 * the manifest says. Thread: constant once made. */
#ifndef AS_RELEASE_SECRETS_H
#define AS_RELEASE_SECRETS_H

#include "core/run/manifest.h"
#include "core/run/variables.h"

#define AS_SECRET_MIN 6 /* shorter values are found in anything: no secret can be told from chance */

typedef struct as_secrets as_secrets;
/* Values of the variables that the manifest names as ${NAME}, and of those whose name a model's option is ("key":
 * "OPENAI_API_KEY"). Unset and short ones are left out. */
int as_secrets_collect(const as_manifest *m, as_variables *variables, as_secrets **out, assay_error *err);
void as_secrets_free(as_secrets *s);

/* ASSAY_EDATA naming the variable when text holds one of the values, as it is or as it is written in JSON. */
int as_secrets_check(const as_secrets *s, assay_str text, assay_error *err);

/* ASSAY_EDATA when a text in the document names the manifest's own folder or the user's home: pointer filled in. */
int as_paths_check(const as_manifest *m, const assay_json *document, assay_error *err);

#endif
