/* Which commands of a manifest the user has agreed to. A manifest starts programs, so the first use of one that is new
 * or has changed needs a word of the user's; after that its digest is remembered in $XDG_STATE_HOME/assay/trusted
 * (~/.local/state when that is not set), one line each.
 *
 * What counts: the launch record of each server as written (command, arguments, variables, folder, sandbox) and the
 * folder it starts in; any other implementation that has "argv" or "command" among its options; the bytes of each
 * plugin outside the installed folder. What does not: the servers that ship with the program, called with nothing but
 * words and paths below an environment; servers behind a URL. Thread: any. */
#ifndef AS_TRUST_H
#define AS_TRUST_H

#include "core/run/manifest.h"

/* What is not trusted yet, as an array of {"what", "command", "digest"}, the texts fit for a terminal; an empty one
 * when all is. registry NULL: plugins are not looked at. */
int as_trust_missing(const as_manifest *m, as_registry *registry, assay_json **out, assay_error *err);

/* Remember all of such an array. */
int as_trust_remember(const assay_json *missing, assay_error *err);

#endif
