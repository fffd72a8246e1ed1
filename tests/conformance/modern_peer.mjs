// modern_peer.mjs MODULES [http]: a server on the second generation of the official TypeScript SDK, which speaks 2026-07-28,
// over stdio, or over HTTP: then its address is printed. Its tools: "grow" adds a tool and tells whoever has subscribed; "ask"
// wants to know a colour before it answers.
import { createServer } from "node:http";

const [modules, http] = process.argv.slice(2);
const packages = `${modules}/@modelcontextprotocol`;
const { McpServer, createMcpHandler, fromJsonSchema, inputRequired, acceptedContent } = await import(
  `${packages}/server/dist/index.mjs`
);
const { serveStdio } = await import(`${packages}/server/dist/stdio.mjs`);
const { toNodeHandler } = await import(`${packages}/node/dist/index.mjs`);
const nothing = fromJsonSchema({ type: "object" });
const said = (text) => ({ content: [{ type: "text", text }] });
const colour = { type: "object", properties: { colour: { type: "string", default: "red" } }, required: ["colour"] };
let grown = 0;
let handler;

function make() {
  const server = new McpServer({ name: "modern", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  const add = (n) => server.registerTool(`grown${n}`, { inputSchema: nothing }, () => said("a new one"));
  server.registerTool("grow", { inputSchema: nothing }, () => {
    grown++;
    if (handler) handler.notify.toolsChanged();
    else add(grown);
    return said("grown");
  });
  server.registerTool("ask", { inputSchema: nothing }, (_, ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, "which");
    if (answer) return said(`it is ${answer.colour}`);
    if (ctx.mcpReq.inputResponses) return said("nobody knows");
    return inputRequired({
      inputRequests: { which: inputRequired.elicit({ message: "which colour?", requestedSchema: colour }) },
    });
  });
  for (let n = 1; n <= grown; n++) add(n);
  return server;
}

if (http) {
  handler = createMcpHandler(make);
  const web = createServer(toNodeHandler(handler));
  web.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${web.address().port}/mcp`));
  process.stdin.on("end", () => process.exit(0)).resume();
} else {
  serveStdio(make);
}
