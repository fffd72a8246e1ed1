/* The server side from the inside: one definition with its schemas read, and what is known of each client. Thread: an
 * as_server is constant once it is loaded; an exchange and a peer belong to one thread at a time. */
#ifndef AS_MCP_SERVER_PRIVATE_H
#define AS_MCP_SERVER_PRIVATE_H

#include "core/base/schema.h"
#include "core/mcp/jsonrpc.h"
#include "core/mcp/server.h"

#define AS_MCP_ASK_MS 10000 /* a client has this long to answer a question of a tool */

/* A tool with its schemas read. The compiled schemas borrow the documents. */
typedef struct as_server_tool {
	const as_mcp_tool *tool;
	assay_json *input, *output;
	as_schema *check_input, *check_output; /* check_output is NULL when the tool has no output schema */
	assay_json *mirrors;                   /* of as_mirror_scan */
} as_server_tool;

typedef struct as_server {
	const as_mcp_server *def;
	as_server_tool *tools; /* def->n_tools */
	const char **names;
	assay_json *listing; /* the result of tools/list */
} as_server;

/* A client that has shaken hands. */
typedef struct as_server_peer {
	const as_mcp_revision *revision; /* NULL before initialize */
	assay_json *capabilities;
	int log_level; /* index into the levels, lowest 0 */
} as_server_peer;

/* One request. `send` takes a notification; `ask` a request, whose answer it waits for. */
struct as_mcp_exchange {
	const as_server *server;
	as_server_peer *peer; /* NULL in stateless requests */
	bool stateless;
	const assay_json *params; /* of the request; NULL: none */
	int (*send)(void *channel, assay_str message, assay_error *err);
	int (*ask)(void *channel, const char *method, const assay_json *params, assay_json **answer, assay_error *err);
	void (*interrupt)(void *channel);
	void *channel;
};

int as_server_load(as_server *s, assay_error *err);
void as_server_unload(as_server *s);
const as_server_tool *as_server_find(const as_server *s, assay_str name);
void as_server_run(as_mcp_exchange *x, const as_server_tool *t, const assay_json *id, assay_json *arguments, as_buf *b);
void as_server_clear_answer(as_mcp_answer *answer);

void as_server_error(as_buf *b, const assay_json *id, int code, const char *format, ...) ASSAY_PRINTF(4, 5);
/* An error with data, which is taken over. */
void as_server_error_data(as_buf *b, const assay_json *id, int code, const char *message, assay_json *data);
/* A result, taken over (NULL: no memory); what the revision wants to have in it is added. */
void as_server_result(const as_mcp_exchange *x, as_buf *b, const assay_json *id, assay_json *result, const char *type);

/* Is this request one of the stateless revisions? */
bool as_server_is_stateless(const as_rpc_message *m);

/* Answer one message, whose document must last until then. x: server, peer and channel are set; the rest is set here.
 */
void as_server_message(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b, bool in_batch);
void as_server_stateless_request(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b);
void as_server_list(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b);
void as_server_call(as_mcp_exchange *x, const as_rpc_message *m, as_buf *b);

#endif
