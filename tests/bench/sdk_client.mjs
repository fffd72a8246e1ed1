// sdk_client.mjs MODULES CALLS SERVER [ARGUMENT]...: the calls of bench_wire through the client of the official TypeScript
// SDK: its median in microseconds, and the private memory of the process.
import { readFileSync } from "node:fs";

const [modules, calls, command, ...args] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm/client`;
const { Client } = await import(`${sdk}/index.js`);
const { StdioClientTransport } = await import(`${sdk}/stdio.js`);
const client = new Client({ name: "bench", version: "0" });
await client.connect(new StdioClientTransport({ command, args }));
const times = [];
for (let i = 0; i < Number(calls); i++) {
  const begun = process.hrtime.bigint();
  const result = await client.callTool({ name: "add_days", arguments: { date: "2026-05-14", days: 30 } });
  times.push(Number(process.hrtime.bigint() - begun) / 1000);
  if (result.isError) throw new Error(JSON.stringify(result));
}
const memory = [...readFileSync("/proc/self/smaps_rollup", "utf8").matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB/gm)];
await client.close();
console.log(`client ${times.sort((a, b) => a - b)[times.length >> 1].toFixed(2)} us`);
console.log(`one ${memory.reduce((sum, m) => sum + Number(m[1]), 0)} KiB`);
