/* Assay SDK, role transport: moves JSON-RPC messages and knows nothing of their meaning. */
#ifndef ASSAY_ROLES_TRANSPORT_H
#define ASSAY_ROLES_TRANSPORT_H

#include <assay/plugin.h>

/* A message and what a transport that has headers says beside it. */
#define ASSAY_MESSAGE_REQUEST 0u
#define ASSAY_MESSAGE_NOTIFICATION 1u
#define ASSAY_MESSAGE_RESPONSE 2u
#define ASSAY_MESSAGE_STANDING 3u /* a request that nobody waits for: what it brings comes beside other replies */
typedef struct assay_message {
	uint32_t size;
	uint32_t kind;              /* ASSAY_MESSAGE_... */
	assay_str text;             /* one line of JSON */
	const char *revision;       /* of MCP, for the header that names it; NULL: none agreed on yet */
	const char *const *headers; /* further "Name: value", NULL-terminated; NULL: none */
} assay_message;

/* Options given to open are one expanded launch record of mcpServers: {"command","args","env","cwd"} or
 * {"url","headers"}. One instance is one connection. */
typedef struct assay_transport_ops {
	ASSAY_OPS_HEAD;
	int (*connect)(void *self, assay_call *call, assay_error *err);
	/* Send one message (one line of JSON, no newline in it). */
	int (*send)(void *self, assay_call *call, assay_str message, assay_error *err);
	/* Wait for messages and write each to the sink; returns once at least one was written. ASSAY_ETIMEOUT after
	 * timeout_ms, ASSAY_EUNREACH when the peer is gone. Anything that is no message (a banner on stdout) is written
	 * too: the core tells them apart and counts. */
	int (*receive)(void *self, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err);
	/* What the peer said beside the protocol (the end of its stderr), for error texts. Optional. */
	int (*diagnostics)(void *self, assay_text *out, assay_error *err);

	/* The rest, all optional, is for transports that carry each message by an HTTP request (ABI 1.1). */

	/* Instead of send. One request may be open at a time. receive goes on with its reply until the sink has
	 * answered ASSAY_STOP to the message that was its answer. */
	int (*send_message)(void *self, assay_call *call, const assay_message *message, assay_error *err);
	/* After send_message or receive answered ASSAY_EDATA: the peer has refused the message; the connection goes on.
	 * The HTTP status and the reply's body, borrowed until the next operation. */
	void (*refusal)(void *self, int32_t *status, assay_str *body);
	/* Nobody waits for the open request any more: end its stream. */
	void (*abandon)(void *self);
	/* The handshake is over: open the stream for what the peer says unasked, if it has one. */
	int (*listen)(void *self, assay_call *call, assay_error *err);
	/* The peer has refused the way it is spoken to: take the older one, which needs a new handshake. ASSAY_ENOTSUP:
	 * there is none. */
	int (*fall_back)(void *self, assay_call *call, assay_error *err);
	/* The peer has forgotten the session: forget it too, before a new handshake. */
	void (*restart)(void *self);
} assay_transport_ops; /* required: connect, send, receive; close ends the connection in good order */

#endif
