/* A session from the inside: what its parts share. */
#ifndef AS_MCP_SESSION_PRIVATE_H
#define AS_MCP_SESSION_PRIVATE_H

#include "core/mcp/wire.h"

struct as_mcp_session {
	char *server_id;
	as_mcp_limits limits; /* none of them 0 */
	as_mcp_options options;
	const as_mcp_revision *revision; /* the era: what was agreed */
	assay_json *info;
	bool has_tools;       /* the server announced them */
	bool tells_changes;   /* and that it tells when they change */
	bool has_tasks;       /* and that calls may be made as tasks (2025-11-25) */
	bool wants_stateless; /* it refused the handshake as a stateless server does */
	char strange[120];    /* revisions that it named, when none of them is ours */

	/* What is known of the tools since they were listed. */
	bool listed;
	int64_t listed_ms;   /* when that began, monotonic */
	int64_t fresh_ms;    /* until when the list may be given out again; 0: it may not */
	assay_json *tools;   /* it; NULL: not kept */
	assay_json *mirrors; /* {"TOOL": map of as_mirror_scan}, of tools with headers; NULL: none */
	assay_json *tasks;   /* {"TOOL": true} of tools that are only called as tasks; NULL: none */
	as_wire wire;
};

/* Ask, in the manner of the era: a stateless request is asked again under a new id when the server only dislikes the
 * version, and a session that the server has forgotten is begun anew, once. as_wire_ask otherwise. */
int as_session_ask(as_mcp_session *s, assay_call *call, as_wire_request *request, as_wire_answer *answer,
		   assay_error *err);

/* Find out the era and agree on a revision, within deadline (monotonic). */
int as_session_begin(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err);
int as_session_shake_hands(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err);

/* The message of a JSON-RPC error object, or the object itself when it has none. */
int as_session_error_text(const assay_json *error, as_buf *out, assay_error *err);
/* An error answer to a request that cannot go on without a result. */
int as_session_refused(const as_mcp_session *s, const char *method, const assay_json *error, assay_error *err);
/* Is this an error of that code? */
bool as_session_is_error(const as_wire_answer *answer, int code);

/* List the tools, whatever is known of them. */
int as_session_list(as_mcp_session *s, assay_call *call, assay_json **tools, assay_error *err);
/* Before a call: list them when a call cannot be made without, or when what is known of them may be wrong. */
int as_session_know_tools(as_mcp_session *s, assay_call *call, assay_error *err);

/* Wait, but not beyond deadline (monotonic) and not when somebody stops the call. */
int as_session_pause(as_mcp_session *s, const assay_call *call, int64_t ms, int64_t deadline, assay_error *err);

/* Is this result the handle of a task? Then the second waits for its end, within deadline, and puts its outcome, a
 * result or an error, in the place of the answer. */
bool as_session_is_task(const as_mcp_session *s, const assay_json *result);
int as_session_finish_task(as_mcp_session *s, assay_call *call, const as_wire_request *request, int64_t deadline,
			   as_wire_answer *answer, assay_error *err);

#endif
