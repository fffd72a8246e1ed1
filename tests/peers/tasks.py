"""A server whose tools answer with tasks (extension io.modelcontextprotocol/tasks), over the transport that is asked for: stdio or
http, and a port."""

import asyncio
import sys
from datetime import timedelta

from fastmcp import Context, FastMCP
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

mcp = FastMCP("tasks")
mcp.add_extension(TasksExtension())
ALWAYS = TaskConfig(mode="required", poll_interval=timedelta(milliseconds=200))
FORM = {"type": "object", "properties": {"count": {"type": "integer", "default": 42}}, "required": ["count"]}


@mcp.tool(task=ALWAYS)
async def slow_sum(a: int, b: int) -> int:
    """Add two whole numbers, in a while."""
    await asyncio.sleep(1)
    return a + b


@mcp.tool(task=ALWAYS)
async def ask(ctx: Context) -> str | InputRequiredResult:
    """Ask how many while it is under way."""
    if not ctx.input_responses:
        form = ElicitRequestFormParams(message="How many?", requested_schema=FORM)
        return InputRequiredResult(input_requests={"n": ElicitRequest(params=form)})
    answer = ctx.input_responses["n"]
    return "%s %s" % (answer.action, answer.content)


if sys.argv[1] == "stdio":
    mcp.run(transport="stdio", show_banner=False)
else:
    mcp.run(transport=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
