/* descriptions.json: where a condition has a model word the descriptions of tools anew, what agents were shown. An
 * array of {"condition", "server_id", "tool_name", "description"}: for each such condition, in the manifest's order,
 * every tool of the catalogue. Private to pack and verify. */
#ifndef AS_RELEASE_DESCRIPTIONS_H
#define AS_RELEASE_DESCRIPTIONS_H

#include "core/release/verify_private.h"
#include "core/release/writer.h"
#include "core/run/engine.h"

#define AS_DESCRIPTIONS "descriptions.json"

/* Writes nothing where no condition has a describer. From the stored replies; a description that was never made is. */
int as_pack_descriptions(as_engine *e, as_release_writer *w, assay_error *err);

/* Reads them; they are what the conditions' tools are called from then on. */
int as_verify_descriptions(verification *v, assay_error *err);
/* What the trace says was offered follows from the descriptions, where the exposure asks no model. `document` is the
 * trace; at: its row. */
int as_verify_offer(verification *v, const rows *at, const as_condition_spec *condition,
		    const as_candidate_spec *candidate, const checked_task *task, const assay_json *document,
		    assay_str attempt_id, assay_error *err);

#endif
