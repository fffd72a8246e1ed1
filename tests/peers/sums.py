"""A server on the Python framework, over the transport that is asked for: stdio, sse or http, and a port."""

import sys
from fastmcp import FastMCP
mcp = FastMCP("sums")
@mcp.tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b
if sys.argv[1] == "stdio":
    mcp.run(transport="stdio", show_banner=False)
else:
    mcp.run(transport=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
