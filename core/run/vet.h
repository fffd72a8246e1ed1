/* Vetting: what a server is worth as a source of tasks. Every tool is tried once, in an order in which tools that give
 * ids come before those that want them (reference page 7.6). Thread: that of its context. */
#ifndef AS_VET_H
#define AS_VET_H

#include "core/run/context.h"

typedef struct as_vetting {
	as_context *context; /* with a live world that has the server */
	const as_server_spec *server;
	const assay_json *tools; /* as the server listed them */
	bool allow_writes;       /* by the user: tools that write are tried where nothing holds what they do
				    (as_manifest_unheld), too */
} as_vetting;

/* *out: {"tools": [{"name", "status": "ok" | "error" | "timeout" | "skipped", "reason", "arguments", "ms",
 * "recovered"}], "dependencies": [{"producer", "consumer", "field", "via_key"}], "class": {"declared", "proposed",
 * "reason"}, "missing": [{"tool", "what", "text"}], "smells": [{"tool", "where", "what"}], "exercised", "passed",
 * "pass_rate", "ok"}. A tool's failure is a finding; the function fails when it was cancelled or memory is out.
 * *broken: tools were called, and none was answered. */
int as_vet_server(const as_vetting *v, bool *broken, assay_json **out, assay_error *err);

/* One call of a tool that only reads and needs no argument, as a record of "tools" above; JSON null: there is none.
 * *broken: no answer came, or none that is one; an answer may well be that the tool failed. */
int as_vet_probe(const as_vetting *v, bool *broken, assay_json **out, assay_error *err);

#endif
