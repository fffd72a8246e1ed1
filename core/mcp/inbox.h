/* What comes in from a peer, line by line: the answer that is waited for, requests of its own, news, and what is none
 * of these. Thread: the wire's. */
#ifndef AS_MCP_INBOX_H
#define AS_MCP_INBOX_H

#include "core/mcp/wire.h"

typedef struct as_inbox {
	assay_sink sink; /* first: the transport holds a pointer to it */
	as_wire *wire;
} as_inbox;

/* For a transport to write lines to. It stops the transport (ASSAY_STOP) with the answer to the open request; what ends
 * the session is in the wire's fault. */
as_inbox as_inbox_of(as_wire *w);

#endif
