/* Which values must not come back from a server, nor go out in a release. */
#ifndef AS_RUN_SECRETS_H
#define AS_RUN_SECRETS_H

#include "core/base/redact.h"
#include "core/run/manifest.h"
#include "core/run/variables.h"

/* What the manifest puts into launch records, and what .env holds, where it is a secret: the variable's name says so,
 * or the place it stands at does ("Authorization", "--token"), or "secrets" of the manifest lists it; of a value that
 * only holds one (a connection string), that part. All of them are known before the first server starts, so that what
 * is recorded does not depend on which one starts when. ASSAY_ENOMEM. */
int as_secrets_of_servers(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err);

/* Values of all variables that the manifest names as ${NAME}, secret or not, and of those whose name a model's option
 * is
 * ("key": "OPENAI_API_KEY"). ASSAY_ENOMEM. */
int as_secrets_named(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err);

#endif
