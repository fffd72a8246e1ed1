/* Packing a run as a release (core/release/format.h). Thread: the engine's. */
#ifndef AS_RELEASE_PACK_H
#define AS_RELEASE_PACK_H

#include "core/run/engine.h"

/* Write OUT_DIR/NAME-VERSION.tar.zst of what the store holds of the engine's manifest; model: what as_stage_figures
 * answers now. `path` gets its path, identity the release's. Nothing of the wall clock is in it: the same rows give the
 * same bytes. ASSAY_EDATA: attempts or verdicts that the manifest asks for are missing, a secret's value or a path of
 * this machine would be published. Nothing is left behind then. */
int as_release_pack(as_engine *engine, const assay_json *model, const char *out_dir, as_buf *path, char identity[65],
		    assay_error *err);

#endif
