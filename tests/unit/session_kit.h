/* Client sessions with the programs in tests/mcp over the stdio transport, for tests. */
#ifndef TESTS_SESSION_KIT_H
#define TESTS_SESSION_KIT_H

#include "core/mcp/session.h"
#include "tests/unit/fakehost.h"

#define AMPLE 20000 /* ms: for what must succeed on a busy machine */
#define SHORT 300   /* ms: for what must time out */
#define SLACK 4000  /* ms: by which a time-out may be late */

#define SAID(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

typedef struct peer {
	as_call call;
	const assay_transport_ops *ops;
	void *transport;
	as_mcp_session *session;
	assay_error err;
	int pid;
} peer;

const assay_transport_ops *peer_ops(void);
assay_json *peer_launch(const char *program, const char *argument);

/* Start tests/mcp/PROGRAM ARGUMENT. The result of as_mcp_open_with. options NULL: with a handshake. */
int peer_start_with(peer *p, const char *program, const char *argument, const as_mcp_limits *limits,
		    const as_mcp_options *options);
int peer_start(peer *p, const char *program, const char *argument, const as_mcp_limits *limits);
void peer_start_well(peer *p, const char *program, const char *argument, const as_mcp_limits *limits);

/* Close, and see that nobody of its process group is left and nothing of the plugin's memory. */
void peer_end(peer *p);

int peer_call(peer *p, const char *tool, const char *arguments, int64_t timeout_ms, assay_json **result,
	      bool *rpc_error);

/* Call a tool and compare the whole result. */
void peer_check_call(peer *p, const char *tool, const char *arguments, const char *expected);

#endif
