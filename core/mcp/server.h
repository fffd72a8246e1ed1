/* The server side of MCP, as the demo servers and test fixtures use it. Revisions 2024-11-05 to 2025-11-25 with
 * initialize. Thread: one server is served by one thread. Source: mcp-protocol reference, sections 2, 3, 5 and 11. */
#ifndef AS_MCP_SERVER_H
#define AS_MCP_SERVER_H

#include "core/base/json.h"

/* Bits of as_mcp_tool.hints (annotations of MCP). */
#define AS_MCP_READ_ONLY 1u
#define AS_MCP_DESTRUCTIVE 2u
#define AS_MCP_IDEMPOTENT 4u
#define AS_MCP_CLOSED_WORLD 8u

/* What a tool answers. `structured` (an object, taken over by the server) is sent as structuredContent and, as compact
 * JSON, as the one text block, unless `text` is set, which is sent instead of that JSON. `failed` makes it an isError
 * result whose text belongs to the model. */
typedef struct as_mcp_answer {
	assay_json *structured;
	assay_text text;
	bool failed;
} as_mcp_answer;

/* Answer with an error text for the model ("no note called 'x'; did you mean 'y'?"). Always returns 0. */
int as_mcp_refuse(as_mcp_answer *answer, const char *format, ...) ASSAY_PRINTF(2, 3);

typedef struct as_mcp_tool {
	const char *name, *title, *description;
	const char *
		input_schema; /* JSON text; arguments are validated against it before `call` runs, defaults filled in */
	const char *output_schema; /* JSON text or NULL */
	uint32_t hints;
	/* A non-zero answer is an internal error of the server (JSON-RPC -32603). arguments is an object. */
	int (*call)(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
} as_mcp_tool;

typedef struct as_mcp_server {
	const char *name, *title, *version, *instructions;
	const as_mcp_tool *tools;
	size_t n_tools;
	void *payload; /* handed to every tool */
} as_mcp_server;

/* Serve on two descriptors until `in` ends. 0 at a clean end. */
int as_mcp_serve(const as_mcp_server *server, int in, int out, assay_error *err);

#endif
