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
	const char *use; /* borrowed: see as_mcp_options */
	size_t max_message;
	uint32_t max_noise;

	const char *revision; /* agreed on; NULL: none yet */
	bool older;           /* the transport fell back to the older way */
	bool stateless;       /* the revision has no handshake: every request says who asks and for what revision */
	as_mcp_elicitation elicitation;
	as_redactor *redactor; /* borrowed; NULL: none */
	as_log *log;           /* of the call under way */

	int64_t standing_id; /* of the subscription; 0: none */
	assay_json *asked;   /* what the server asked, as as_policy_note has it; NULL: nothing */
	bool noting;         /* it is to be kept */

	bool batches;       /* the negotiated revision has them */
	bool tools_changed; /* the server said so since this was last reset */
	uint32_t noise;
	uint32_t noise_before; /* when the open request was sent */
	char stray[48];        /* an answer's id that is none of ours, since then; empty: there was none */

	bool dead;
	assay_error death; /* why */

	/* The open request. */
	int64_t last_id;
	int64_t open_id; /* 0: none */
	int64_t timeout_ms;
	int64_t started_ms, deadline_ms, latest_ms; /* monotonic; the deadline moves up to latest */
	assay_json *answer;                         /* the whole message */
	size_t answer_bytes;

	/* How the last request was refused by HTTP. */
	int refused;       /* the status; 0: it was not */
	bool session_lost; /* the peer does not know the session any more, so it did nothing */

	as_buf owed;       /* answers to the server's requests, each with its newline, not sent yet */
	assay_error fault; /* what the server did to end the session, met while reading */
	char odd[512];     /* what was wrong with the last line that was no message */
} as_wire;

/* A request. method is also its name in error texts, together with subject ("tools/call of add_note"). */
typedef struct as_wire_request {
	const char *method;
	assay_str subject;  /* may be empty */
	assay_json *params; /* an object, borrowed, whose _meta is set here; NULL counts as a failed allocation */
	const char *const
		*headers; /* for transports that have them, beside those that every message gets; NULL: none */
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
	int status;               /* of the HTTP reply that refused the request; 0: it was not refused in that way */
	size_t bytes;             /* of the line it came in */
} as_wire_answer;

int as_wire_connect(as_wire *w, assay_call *call, int64_t timeout_ms, assay_error *err);

/* Ask and wait. ASSAY_ETIMEOUT and ASSAY_ECANCELED while waiting leave the connection usable: the server is told, and a
 * late answer is ignored. A refusal
 * by HTTP leaves it usable too: with a JSON-RPC error as its body that is the answer, otherwise ASSAY_EPROTO,
 * ASSAY_EAUTH or (5xx, 429) ASSAY_EUNREACH, with the status as detail. Every other failure of the transport ends it.
 * ASSAY_EPROTO: the answer is neither a result object nor an error object. `where` of the error is the server, its
 * flags say whose fault it is. */
int as_wire_ask(as_wire *w, assay_call *call, const as_wire_request *request, as_wire_answer *answer, assay_error *err);

/* Send a notification. params is borrowed, NULL: none. */
int as_wire_tell(as_wire *w, assay_call *call, const char *method, const assay_json *params, assay_error *err);

/* Subscribe to news of the tools, in stateless revisions. It stays open beside other requests, and nobody waits for it:
 * whoever has no news to tell refuses it, and that is that. */
int as_wire_subscribe(as_wire *w, assay_call *call, assay_error *err);

/* The transport's own steps; nothing happens where it has none, but falling back, which is ASSAY_ENOTSUP then. */
int as_wire_listen(as_wire *w, assay_call *call, assay_error *err);
int as_wire_fall_back(as_wire *w, assay_call *call, int64_t timeout_ms, assay_error *err);

/* Only where the transport has it: its session is gone. */
void as_wire_restart(as_wire *w);

/* Has the caller no time left, or did somebody ask it to stop? */
bool as_call_is_over(const assay_call *call);

/* Fill err with a fault of this server, which stays alive. */
int as_wire_fail(const as_wire *w, assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(4, 5);

/* Where what is no message came from, in words. */
const char *as_wire_source(const as_wire *w);

#define AS_WIRE_SAID 200u /* bytes of a server's own words quoted in a message */
/* What it said on stderr as " (stderr: ...)": its last line, or of a trace the one that tells why. All of it goes into
 * the log (info). */
void as_wire_said(const as_wire *w, as_buf *out);

void as_wire_free(as_wire *w); /* what w holds; the transport is its opener's */

#endif
