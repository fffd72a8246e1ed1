/* fixture-server: a well-behaved MCP server on stdio. */
#include "core/base/error.h"
#include "tests/mcp/fixture.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int64_t calls = 0;
	as_mcp_server server = *fixture_server();
	assay_error err = {0};
	char text[1024];

	server.payload = &calls;
	if (as_mcp_serve(&server, 0, 1, &err)) {
		as_error_format(&err, text, sizeof text);
		fprintf(stderr, "fixture-server: %s\n", text);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
