/* The server side of MCP, as the demo servers and test fixtures use it: revisions 2024-11-05 to 2025-11-25 with
 * initialize, and 2026-07-28 without. Over stdio one thread serves; over HTTP (server_http.h) each request has one, so
 * tools must stand being called from several at once. Source: mcp-protocol reference, sections 2 to 6, 8, 9 and 11. */
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
	assay_json *content;        /* an array of content blocks, taken over, sent instead of the text block */
	assay_json *input_requests; /* stateless revisions: an object, taken over; the call is to be repeated with
				       responses */
	const char *state;          /* beside them; NULL: none */
} as_mcp_answer;

/* Answer with an error text for the model ("no note called 'x'; did you mean 'y'?"). Always returns 0. */
int as_mcp_refuse(as_mcp_answer *answer, const char *format, ...) ASSAY_PRINTF(2, 3);

/* The call under way, for tools that have more to say than their answer. */
typedef struct as_mcp_exchange as_mcp_exchange;

/* Did the client announce that capability ("sampling")? */
bool as_mcp_client_has(const as_mcp_exchange *x, const char *capability);
/* What the client answered to an input request of the round before; NULL: nothing, this is the first round. */
const assay_json *as_mcp_input(const as_mcp_exchange *x, const char *key);
/* A log line for the client, if it wants lines of that level (RFC 5424 names), and progress, if it wants that. */
int as_mcp_log(as_mcp_exchange *x, const char *level, const char *message, assay_error *err);
int as_mcp_progress(as_mcp_exchange *x, double progress, double total, assay_error *err);
/* Ask the client and wait for its answer: the result, or ASSAY_EPROTO for an error. params is borrowed. ASSAY_ENOTSUP
 * in stateless revisions. */
int as_mcp_ask(as_mcp_exchange *x, const char *method, const assay_json *params, assay_json **result, assay_error *err);
/* Over HTTP with sessions: end the stream now; the client comes back for the rest of it. Nothing elsewhere. */
void as_mcp_interrupt(as_mcp_exchange *x);

typedef struct as_mcp_tool {
	const char *name, *title, *description;
	const char *
		input_schema; /* JSON text; arguments are validated against it before `call` runs, defaults filled in */
	const char *output_schema; /* JSON text or NULL */
	uint32_t hints;
	/* A non-zero answer is an internal error of the server (JSON-RPC -32603). arguments is an object. */
	int (*call)(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
	/* Instead of call, for tools that want their exchange. */
	int (*run)(void *payload, as_mcp_exchange *x, const assay_json *arguments, as_mcp_answer *answer,
		   assay_error *err);
	const char *needs; /* a capability of the client, without which the tool cannot work; NULL: none */
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
