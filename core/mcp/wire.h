/* The lower half of a session: JSON-RPC with one peer over a transport plugin. Knows requests, answers and deadlines,
 * and nothing of tools. At most one request of ours is open at a time; requests of the server are answered whenever
 * they come. Thread: one at a time. Source: mcp-protocol reference, sections 2, 5 and 10. */
#ifndef AS_MCP_WIRE_H
#define AS_MCP_WIRE_H

#include "core/mcp/jsonrpc.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"

typedef struct as_wire {
	const char *server_id; /* borrowed from the session */
	const assay_transport_ops *ops;
	void *transport; /* borrowed */
	size_t max_message;
	uint32_t max_noise;

	bool batches;       /* the negotiated revision has them */
	bool tools_changed; /* the server said so since this was last reset */
	uint32_t noise;

	bool dead;
	assay_error death; /* why */

	/* The open request. */
	int64_t last_id;
	int64_t open_id; /* 0: none */
	int64_t timeout_ms;
	int64_t started_ms, deadline_ms, latest_ms; /* monotonic; the deadline moves up to latest */
	assay_json *answer;                         /* the whole message */
	size_t answer_bytes;

	as_buf owed;       /* answers to the server's requests, each with its newline, not sent yet */
	assay_error fault; /* what the server did to end the session, met while reading */
	char odd[512];     /* what was wrong with the last line that was no message */
} as_wire;

/* A request. method is also its name in error texts, together with subject ("tools/call of add_note"). */
typedef struct as_wire_request {
	const char *method;
	assay_str subject;  /* may be empty */
	assay_json *params; /* an object, taken over also on failure; NULL counts as a failed allocation */
	int64_t timeout_ms;
	int64_t limit_ms; /* the limit that timeout_ms is what is left of, to be named in messages; 0: timeout_ms itself
			   */
	bool progress;    /* ask for progress notifications; each starts the timeout anew, to ten times of it in all */
	bool not_cancel;  /* initialize must not be cancelled */
} as_wire_request;

/* An answer; message owns what result and error point into. Exactly one of the two is set. */
typedef struct as_wire_answer {
	assay_json *message;
	const assay_json *result; /* an object */
	const assay_json *error;  /* an object */
	size_t bytes;             /* of the line it came in */
} as_wire_answer;

int as_wire_connect(as_wire *w, assay_call *call, int64_t timeout_ms, assay_error *err);

/* Ask and wait. ASSAY_ETIMEOUT and ASSAY_ECANCELED while waiting leave the connection usable: the server is told, and a
 * late answer is ignored. Every other failure of the transport ends it. ASSAY_EPROTO: the answer is neither a result
 * object nor an error object. `where` of the error is the server, its flags say whose fault it is. */
int as_wire_ask(as_wire *w, assay_call *call, const as_wire_request *request, as_wire_answer *answer, assay_error *err);

/* Send a notification. params is borrowed, NULL: none. */
int as_wire_tell(as_wire *w, assay_call *call, const char *method, const assay_json *params, assay_error *err);

/* Fill err with a fault of this server, which stays alive. */
int as_wire_fail(const as_wire *w, assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(4, 5);

void as_wire_free(as_wire *w); /* what w holds; the transport is its opener's */

#endif
