/* What stateless revisions want repeated in HTTP headers: the method, the name, and the arguments whose schema says so
 * by "x-mcp-header". Thread: any. Source: mcp-protocol reference, section 8. */
#ifndef AS_MCP_MIRROR_H
#define AS_MCP_MIRROR_H

#include "core/base/json.h"

/* Which arguments of a tool go into headers: an array of {"header", "path": [names]}; NULL when there are none.
 * ASSAY_EDATA with the reason: the tool breaks the rules and must not be offered. */
int as_mirror_scan(const assay_json *tool, assay_json **map, assay_error *err);

/* The same for an input schema alone. */
int as_mirror_scan_schema(const assay_json *schema, assay_json **map, assay_error *err);
/* The argument that an entry of the map is about; NULL: it is not there. */
const assay_json *as_mirror_argument(const assay_json *entry, const assay_json *arguments);

/* The headers of one request, "Name: value", NULL-terminated, in the arena; map NULL: none of the arguments. */
int as_mirror_headers(as_arena *arena, const char *method, const assay_json *params, const assay_json *map,
		      const char *const **out, assay_error *err);

/* Append a header's value: plain, or as =?base64?...?=. */
void as_mirror_encode(as_buf *out, assay_str value);

/* The reverse, for servers. False: the sentinel is there and what it holds is no Base64. */
bool as_mirror_decode(assay_str value, as_buf *out);

#endif
