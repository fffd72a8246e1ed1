/* JSON-RPC 2.0 as MCP uses it, and the table of MCP revisions. Nothing here reads or writes a descriptor: the session
 * and the server do. Thread: any. Source: mcp-protocol reference, sections 1 and 2. */
#ifndef AS_MCP_JSONRPC_H
#define AS_MCP_JSONRPC_H

#include "core/base/json.h"

#define AS_MCP_MAX_MESSAGE ((size_t)16 << 20) /* bytes of one message, either direction */
#define AS_MCP_MAX_DEPTH 128u                 /* nesting of one message */

#define AS_RPC_PARSE (-32700)
#define AS_RPC_INVALID_REQUEST (-32600)
#define AS_RPC_NO_METHOD (-32601)
#define AS_RPC_INVALID_PARAMS (-32602)
#define AS_RPC_INTERNAL (-32603)
/* Of the stateless revisions. */
#define AS_RPC_HEADER_MISMATCH (-32020)
#define AS_RPC_NEEDS_CAPABILITY (-32021)
#define AS_RPC_NO_VERSION (-32022)

/* Keys of the _meta of stateless requests and results. */
#define AS_MCP_META "io.modelcontextprotocol/"
#define AS_MCP_META_VERSION AS_MCP_META "protocolVersion"
#define AS_MCP_META_CAPABILITIES AS_MCP_META "clientCapabilities"
#define AS_MCP_META_CLIENT AS_MCP_META "clientInfo"
#define AS_MCP_META_SERVER AS_MCP_META "serverInfo"

/* A published revision of the protocol. */
typedef struct as_mcp_revision {
	const char *name;
	bool handshake; /* starts with initialize and keeps a session */
	bool batches;   /* JSON arrays of messages are allowed */
} as_mcp_revision;

const as_mcp_revision *as_mcp_revision_find(assay_str name); /* NULL: not one that we speak */
const as_mcp_revision *as_mcp_revision_newest(void);         /* the newest that has a handshake */
const as_mcp_revision *as_mcp_revision_stateless(void);      /* the newest that has none */
const char *as_mcp_revision_list(void); /* those with a handshake, for error texts: "2025-11-25, ..." */

typedef enum as_rpc_kind {
	AS_RPC_MALFORMED, /* JSON, but no message: a log line of the peer, most likely */
	AS_RPC_BATCH,     /* a non-empty array: read each element by itself */
	AS_RPC_REQUEST,
	AS_RPC_NOTIFICATION,
	AS_RPC_RESPONSE
} as_rpc_kind;

/* A message taken apart. Everything is borrowed from the document. */
typedef struct as_rpc_message {
	as_rpc_kind kind;
	assay_str method;
	const assay_json *id;     /* a string or an integer; NULL when there is none that may be used */
	const assay_json *params; /* NULL when absent */
	const assay_json
		*result; /* of a response, which may break the rule that one and only one of the two is there */
	const assay_json *error;
} as_rpc_message;

/* Parse one line as a peer's document. ASSAY_EDATA, ASSAY_ELIMIT, ASSAY_ENOMEM. max_bytes 0: AS_MCP_MAX_MESSAGE. */
int as_rpc_parse(assay_str line, size_t max_bytes, assay_json **doc, assay_error *err);

/* Classify a document; reads nothing below the message's own members. */
as_rpc_message as_rpc_read(const assay_json *doc);

/* Is `id` the integer n? Exactly: neither "7" nor 7.0 is 7. */
bool as_rpc_id_is(const assay_json *id, int64_t n);

/* Append one message to b, without a newline. id NULL is written as null; params NULL is left out. */
void as_rpc_write_request(as_buf *b, int64_t id, const char *method, const assay_json *params);
void as_rpc_write_notification(as_buf *b, const char *method, const assay_json *params);
void as_rpc_write_result(as_buf *b, const assay_json *id, const assay_json *result);
void as_rpc_write_error(as_buf *b, const assay_json *id, int code, assay_str message);

#endif
