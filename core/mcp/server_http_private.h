/* The HTTP server from the inside: sessions, and the streams that answer single requests. Everything mutable is under
 * the hub's one lock. */
#ifndef AS_MCP_SERVER_HTTP_PRIVATE_H
#define AS_MCP_SERVER_HTTP_PRIVATE_H

#include "core/mcp/server_http.h"
#include "core/mcp/server_private.h"

#include <microhttpd.h>
#include <pthread.h>

typedef struct hub hub;
typedef struct session session;

/* What one request brought: event by event, kept so that a client may come back for the rest. */
typedef struct event {
	struct event *next;
	uint64_t number;
	bool gap; /* here the stream ends for whoever reads it now */
	size_t len;
	char text[];
} event;

typedef struct stream {
	struct stream *next;
	hub *hub;
	session *session; /* NULL: stateless */
	uint64_t number;
	pthread_t worker;
	bool finished, read; /* the worker is done; nobody reads it any more */
	event *first, *last;
	uint64_t n_events;
	size_t bytes;
	int64_t asked;      /* id of the question that waits; 0: none */
	assay_json *answer; /* to it */
	as_mcp_exchange exchange;
	assay_json *doc; /* the request */
} stream;

struct session {
	session *next;
	char id[33];
	as_server_peer peer;
};

struct hub {
	as_server server;
	struct MHD_Daemon *daemon;
	uint16_t port;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	session *sessions;
	stream *streams;
	size_t n_sessions, n_streams;
	uint64_t last_stream;
	int64_t last_question;
	bool closing;
};

/* --- streams (server_http_stream.c) --- */

/* Start a worker for the request in doc, which is taken over also on failure. */
int as_stream_start(hub *h, session *s, assay_json *doc, stream **out);
/* The reply that reads a stream from event number `from` on. NULL: no memory. */
struct MHD_Response *as_stream_response(stream *s, uint64_t from);
/* The stream of that session and number, or NULL. */
stream *as_stream_find(hub *h, const session *s, uint64_t number);
/* The client's response to a question of a tool. */
void as_stream_answer(hub *h, const session *s, const as_rpc_message *m);
/* Free what is over: all streams when the hub closes. */
void as_stream_sweep(hub *h);

#endif
