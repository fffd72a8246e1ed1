/* Which values must not come back from a server, nor go out in a release. */
#ifndef AS_RUN_SECRETS_H
#define AS_RUN_SECRETS_H

#include "core/base/redact.h"
#include "core/run/manifest.h"
#include "core/run/variables.h"

typedef struct as_written {
	size_t n;            /* how many */
	uint32_t line;       /* of the first */
	char pointer[160];   /* to it */
	const char *instead; /* what to write, and where */
} as_written;

/* Secrets that stand in launch records or in the options of models and programs themselves, not as ${NAME}, by the
 * rules of a server list's import. Counted are those of at least so many bytes; `out`, unless NULL, is to know them
 * all. ASSAY_ENOMEM. */
int as_secrets_written(const as_manifest *m, size_t least, as_redactor *out, as_written *written, assay_error *err);

/* What the manifest puts into launch records, models and programs (whatever has a command line or variables), and what
 * .env holds, where it is a secret: the variable's name says so, or the place it stands at does ("Authorization",
 * "--token"), or "secrets" of the manifest lists it; of a value that only holds one (a connection string), that part.
 * All of them are known before the first server starts, so that what is recorded does not depend on which one starts
 * when. ASSAY_ENOMEM. */
int as_secrets_given(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err);

/* Values of all variables that the manifest names as ${NAME}, secret or not, and of those whose name a model's option
 * is
 * ("key": "OPENAI_API_KEY"). ASSAY_ENOMEM. */
int as_secrets_named(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err);

#endif
