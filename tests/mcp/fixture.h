/* A well-behaved MCP server with a few tools, for the tests of both sides. */
#ifndef TESTS_MCP_FIXTURE_H
#define TESTS_MCP_FIXTURE_H

#include "core/mcp/server.h"

/* Tools: echo, add, find_note (refuses), defect (fails, or breaks its output schema), big, raw (text that is not
 * UTF-8), nap, die. Its payload must point to an int64_t that counts the calls of add. */
const as_mcp_server *fixture_server(void);

#endif
