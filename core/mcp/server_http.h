/* The server side over streamable HTTP, both eras on one address. Only where libmicrohttpd is. It is for demo servers
 * and tests: it listens on loopback, for clients on this machine. Source: mcp-protocol reference, sections 6, 8 and 15.
 */
#ifndef AS_MCP_SERVER_HTTP_H
#define AS_MCP_SERVER_HTTP_H

#include "core/mcp/server.h"

typedef struct as_mcp_http as_mcp_http;

/* Start to serve http://127.0.0.1:PORT/mcp in threads of its own. port 0: any; *bound is the one it became. def is
 * borrowed until the stop. */
int as_mcp_http_start(const as_mcp_server *def, uint16_t port, as_mcp_http **out, uint16_t *bound, assay_error *err);
/* Ends all streams and waits for what is under way. NULL is fine. */
void as_mcp_http_stop(as_mcp_http *h);

#endif
