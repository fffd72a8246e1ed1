/* The catalogue: every tool of every server of a run, with what the manifest says of the servers. Immutable.
 * Thread: constant once built. */
#ifndef AS_CATALOGUE_H
#define AS_CATALOGUE_H

#include "core/base/json.h"
#include "core/task/likeness.h"
#include <assay/catalogue.h>

#define AS_CLASS_STATIC 0
#define AS_CLASS_LIVE_READ 1
#define AS_CLASS_STATEFUL_WRITE 2
const char *as_class_name(int server_class);
int as_class_from_name(assay_str name); /* -1 when unknown */

typedef struct as_catalogue_server {
	assay_str id;
	int server_class;
	assay_str group;          /* environment name, or the server's own id */
	const assay_json *record; /* the whole server record below */
	const assay_str *tags;
	size_t n_tags;
	assay_tools tools; /* in the server's own order */
} as_catalogue_server;

typedef struct as_catalogue as_catalogue;

/* records: array of {"server_id", "class", "group", "tags": [text], "description", "resources": [{"kind","value"}],
 * "effects": {tool: "read"|"write"} or null, "fingerprint": ServerFingerprint without wall clock, "tools": [as MCP sent
 * them]}, in any order: whatever the catalogue answers is sorted. Taken over, also on failure. ASSAY_EDATA: a record
 * without id or class, or two of one id. Tool flags follow design page "replay" rule 1 and reference page 7.6.
 * Duplicate tool names of one server: the first counts. */
int as_catalogue_new(assay_json *records, as_catalogue **out, assay_error *err);
void as_catalogue_free(as_catalogue *c);

const assay_json *as_catalogue_records(const as_catalogue *c);
assay_tools as_catalogue_tools(const as_catalogue *c); /* all, sorted by (server, name) */
const assay_tool *as_catalogue_find(const as_catalogue *c, assay_str server, assay_str tool); /* NULL: none */
size_t as_catalogue_servers(const as_catalogue *c, const as_catalogue_server **out);          /* sorted by id */
const as_catalogue_server *as_catalogue_server_of(const as_catalogue *c, assay_str server);   /* NULL: none */
/* How alike its tools are; made when it is first asked for, by any thread, and the catalogue's. */
int as_catalogue_likeness(as_catalogue *c, const as_likeness **out, assay_error *err);
/* {server: [tags]}; borrowed. */
const assay_json *as_catalogue_tags(const as_catalogue *c);
/* The tools of some servers (array of ids), in catalogue order. The list is the arena's. */
int as_catalogue_surface(const as_catalogue *c, const assay_json *server_ids, as_arena *a, assay_tools *out,
			 assay_error *err);
/* ToolSpec array {name, description, input_schema, output_schema} of one server, as traces hold it. NULL: no memory. */
assay_json *as_catalogue_tool_specs(const as_catalogue_server *server);

#endif
