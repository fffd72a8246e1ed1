/* The plugins that a run stands on, as the store names them: those that made what it holds. */
#ifndef AS_MAKERS_H
#define AS_MAKERS_H

#include "core/run/engine.h"

/* Remember that this run stands on an implementation: its version and digest, no path. A no-op without a store. Who is
 * remembered already stays, where a module that does not ship has another file now: the store holds the work of the
 * other one. */
int as_note_plugin(as_engine *e, const as_impl_info *info, assay_error *err);

/* Before anything is made: are the implementations that the manifest names (as_manifest_check_plugins has found them)
 * those that made what the store holds of this run? ASSAY_EPLUGIN: a module that does not ship is another one now. An
 * agent of candidates alone may be: the attempts of the other one are not its own (as_attempt_id). */
int as_check_makers(as_engine *e, assay_error *err);

/* as_note_plugin for what the manifest names (as_manifest_check_plugins has found it). `serving`: transports and
 * environments, which no worker opens and notes; otherwise all but explorers, which have made nothing until
 * a worker opens them; of candidates' agents that have, the one that is there now, whose attempts are told of. */
int as_note_named(as_engine *e, bool serving, assay_error *err);

/* All verdicts are those of the scorers that are there now. */
int as_note_scorers(as_engine *e, assay_error *err);

#endif
