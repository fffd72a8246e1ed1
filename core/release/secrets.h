/* What must not be in a release: the values of the variables that a manifest names, and this machine's folders in what
 * the manifest says. Thread: constant once made. */
#ifndef AS_RELEASE_SECRETS_H
#define AS_RELEASE_SECRETS_H

#include "core/run/manifest.h"
#include "core/run/secrets.h"

/* ASSAY_EDATA naming the variable when text holds one of the values that `secrets` knows. */
int as_secrets_check(as_redactor *secrets, assay_str text, assay_error *err);

/* ASSAY_EDATA when a text in the document names the manifest's own folder or the user's home: pointer filled in. */
int as_paths_check(const as_manifest *m, const assay_json *document, assay_error *err);

#endif
