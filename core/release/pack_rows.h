/* From the store's rows to the files of a release. Private to pack. */
#ifndef AS_RELEASE_PACK_ROWS_H
#define AS_RELEASE_PACK_ROWS_H

#include "core/release/writer.h"
#include "core/run/engine.h"

/* servers.json, plugins.json, descriptions.json, goals.jsonl, funnel.jsonl. */
int as_pack_parts(as_engine *e, as_release_writer *w, assay_error *err);
/* tasks.jsonl, certificates.jsonl, references.jsonl, tapes.jsonl, attempts.jsonl, traces.jsonl, verdicts.jsonl. */
int as_pack_rows(as_engine *e, as_release_writer *w, assay_error *err);

#endif
