/* The dataset card of a release: README.md. Follows from the manifest and the report model alone. Thread: any. */
#ifndef AS_RELEASE_CARD_H
#define AS_RELEASE_CARD_H

#include "core/run/manifest.h"

int as_release_card(const as_manifest *m, const assay_json *model, as_buf *out, assay_error *err);

/* The licence that the manifest gives its release, "" when it gives none. */
const char *as_release_license(const as_manifest *m);

#endif
