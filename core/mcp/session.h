/* A client's session with one MCP server over any transport plugin. The session speaks JSON-RPC; the transport moves
 * lines. Every `call` here is the pub member of an as_call (core/plugin/call.h): its deadline and cancellation hold,
 * beside the limits below. Thread: a session is used by one thread at a time. Source: mcp-protocol reference, sections
 * 2 to 4, 9 to 11. */
#ifndef AS_MCP_SESSION_H
#define AS_MCP_SESSION_H

#include "core/base/redact.h"
#include <assay/roles/transport.h>

typedef struct as_mcp_limits {
	int64_t start_ms; /* spawn to the reply of initialize; 0: 30 s */
	int64_t list_ms;  /* all pages of a list; 0: 30 s */
	int64_t call_ms;  /* one tool call; 0: 60 s; a progress notification starts it anew, at most ten times it in all
			   */
	size_t max_message; /* bytes of one message; 0: 16 MiB */
	uint32_t max_tools; /* 0: 4096 */
	uint32_t max_noise; /* lines on stdout that are no message before the session is given up; 0: 1000 */
} as_mcp_limits;

/* How a server is spoken to: with a handshake (up to 2025-11-25) or without state (2026-07-28). */
typedef enum as_mcp_era {
	AS_MCP_ERA_AUTO, /* find out */
	AS_MCP_ERA_HANDSHAKE,
	AS_MCP_ERA_STATELESS /* pinned: nothing is asked before the first request */
} as_mcp_era;

/* What was found out about one server, for its next sessions. Zero-initialise. Thread: may be shared. */
typedef struct as_mcp_memory {
	_Atomic int era; /* as_mcp_era */
} as_mcp_memory;

/* What a server gets to hear that asks for a form to be filled in. */
typedef enum as_mcp_elicitation {
	AS_MCP_ELICIT_NONE,    /* not announced; asked all the same, it is declined */
	AS_MCP_ELICIT_DECLINE, /* announced and declined */
	AS_MCP_ELICIT_DEFAULTS /* announced; accepted with the form's defaults when these are a valid answer */
} as_mcp_elicitation;

typedef struct as_mcp_options {
	as_mcp_era era;
	as_mcp_memory *memory; /* borrowed; NULL: none */
	as_mcp_elicitation elicitation;
	/* Whatever the server says is cleaned of these secrets before anybody sees it; borrowed, NULL: none. A value
	 * that it wants back (a cursor, a task's id) comes back cleaned, too. */
	as_redactor *redactor;
	const char *use; /* what the transport is ("transport/stdio"), should it crash; borrowed, NULL: not known */
} as_mcp_options;

typedef struct as_mcp_session as_mcp_session;

/* Connect and shake hands. `transport` is an opened instance that is not connected yet, borrowed until as_mcp_close (or
 * until this fails); closing it afterwards, by whoever opened it, is what ends the server.
 * server_id names the server in every error (where = server_id). Errors: ASSAY_EUNREACH (command not found, died, no
 * reply: the message quotes the end of its stderr), ASSAY_ETIMEOUT, ASSAY_EPROTO, ASSAY_ECANCELED. */
int as_mcp_open(const char *server_id, const assay_transport_ops *ops, void *transport, const as_mcp_limits *limits,
		assay_call *call, as_mcp_session **out, assay_error *err);
/* The same with options; NULL: the defaults. */
int as_mcp_open_with(const char *server_id, const assay_transport_ops *ops, void *transport,
		     const as_mcp_limits *limits, const as_mcp_options *options, assay_call *call, as_mcp_session **out,
		     assay_error *err);

/* {"server_name","server_version","protocol_version","capabilities","instructions"}; borrowed. */
const assay_json *as_mcp_info(const as_mcp_session *s);

/* All tools as the server sent them: an array, pages joined, verbatim. Those are left out whose schema asks for HTTP
 * headers against the rules of the stateless revisions; the log says so. When the server says meanwhile that they
 * change, they are listed again, twice at most; and not at all while the server's own ttlMs of the last list holds and
 * no change is known. The caller frees it. */
int as_mcp_list_tools(as_mcp_session *s, assay_call *call, assay_json **tools, assay_error *err);

/* Call a tool. arguments NULL: {}. *result is the server's result object, verbatim but for
 * resultType and the server's name in _meta, which stateless revisions add to every result. A JSON-RPC error about this
 * call (-32602, -32603, ...) comes back as a result with isError true whose text is the error's message, and *rpc_error
 * set; it is the tool's failure, not the session's. timeout_ms 0: the limit. A call that the server makes a task of is
 * waited for like any other. */
int as_mcp_call_tool(as_mcp_session *s, assay_call *call, assay_str tool, const assay_json *arguments,
		     int64_t timeout_ms, assay_json **result, bool *rpc_error, assay_error *err);

/* What the server asked of its client while the last tool was called, and what it was told: an array of
 * {"method","params","result"}, with "error" in the place of "result" where it was refused; NULL: nothing. No more than
 * 32 are kept, and of one beyond 16 KiB its length as "bytes" instead of "params". The caller frees it. */
assay_json *as_mcp_take_asked(as_mcp_session *s);

/* Any request of the client, for what has no function of its own here ("resources/read"). params is borrowed, an object
 * or NULL. *answer is the result object; a JSON-RPC error is ASSAY_EPROTO. */
int as_mcp_request(as_mcp_session *s, assay_call *call, const char *method, const assay_json *params,
		   assay_json **answer, assay_error *err);

/* Is the server still there? It answers within timeout_ms (0: the limit of a list) or this fails as a call does.
 * Stateless revisions have no ping: server/discover does. */
int as_mcp_ping(as_mcp_session *s, assay_call *call, int64_t timeout_ms, assay_error *err);

/* The server has said that its tools changed since they were last listed. It may say so at any time; this is what was
 * heard while something was being waited for. */
bool as_mcp_tools_changed(const as_mcp_session *s);

bool as_mcp_is_older(const as_mcp_session *s);  /* its transport fell back to HTTP+SSE */
bool as_mcp_is_dead(const as_mcp_session *s);   /* true: only close is left */
uint32_t as_mcp_noise(const as_mcp_session *s); /* lines skipped */
void as_mcp_close(as_mcp_session *s);

/* The first 16 hex digits of SHA-256 over the sorted tool names joined by LF (reference page, section 2). */
int as_tool_surface_hash(const assay_json *tools, char out[17], assay_error *err);

#endif
