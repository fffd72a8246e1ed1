/* Intake: servers out of the files of other MCP clients into a manifest. Read are "mcpServers" (Claude Desktop, Cursor,
 * .mcp.json, Windsurf; also inside the entries of a LiveMCPBench catalogue) and "servers" with "inputs" (VS Code).
 * Thread: any. */
#ifndef AS_IMPORT_H
#define AS_IMPORT_H

#include "core/base/clock.h"
#include "core/base/json.h"

typedef struct as_import_options {
	const char *file;         /* what is read: JSON, comments allowed */
	const char *into;         /* the manifest; it need not exist */
	const char *server_class; /* for servers that the manifest says nothing about; NULL: "stateful_write" */
	bool replace;             /* a server of the same name gives way */
	const as_cancel *cancel;  /* set: ASSAY_ECANCELED; NULL: never */
} as_import_options;

typedef struct as_import {
	assay_json *manifest; /* the whole document, checked */
	/* {"manifest": path, "servers": [{"server", "from", "state": "added" | "replaced" | "unchanged" | "skipped",
	 * "notes": [text]}], "variables": [{"name", "secret", "optional", "set", "servers": [id], "description"}],
	 * "unheld": [id of a server that may write where nothing holds it]}. No secret is in it. */
	assay_json *report;
	assay_json *secrets; /* {NAME: value} of those that stood in the file itself; in neither of the other two */
} as_import;

/* Read and convert; nothing is written. ASSAY_EDATA with file, line and pointer. No message holds a value of the file.
 */
int as_import_read(const as_import_options *options, as_import *out, assay_error *err);
void as_import_free(as_import *x);

/* Add "NAME=value" lines for the names that are not in it yet to a file .env beside the manifest, which nobody but its
 * owner may read then. The report gets "kept": [name] of these. */
int as_import_keep_secrets(const as_import *x, const char *into, assay_error *err);

/* A manifest to start from: everything but servers. */
assay_json *as_starter_manifest(assay_error *err);
/* What the manifest says of a server that may write: class and environment, which is added when it is not there. */
int as_starter_settings(assay_json *manifest, assay_str id, const char *server_class, assay_error *err);

#endif
