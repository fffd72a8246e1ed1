/* Assay SDK, role transport: moves JSON-RPC messages and knows nothing of their meaning. */
#ifndef ASSAY_ROLES_TRANSPORT_H
#define ASSAY_ROLES_TRANSPORT_H

#include <assay/plugin.h>

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
} assay_transport_ops; /* required: connect, send, receive; close ends the connection in good order */

#endif
