#!/usr/bin/python3
"""dies.py [--swell TOOL,... | --mute TOOL,...] COMMAND...: that server, until a tool is called: then it is gone. Or only calls of
these tools go wrong: their answers are larger than anybody takes, or never come."""
import json
import subprocess
import sys

odd = sys.argv[2].split(",") if sys.argv[1] in ("--swell", "--mute") else None
server = subprocess.Popen(sys.argv[3:] if odd else sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    if b'"tools/call"' in line and not odd:
        server.kill()
        sys.exit("out of memory, they say")
    if odd and json.loads(line).get("params", {}).get("name") in odd:
        if sys.argv[1] == "--mute":
            continue
        sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "' % json.loads(line)["id"])
        sys.stdout.write("x" * (20 << 20) + '"}]}}\n')
        sys.stdout.flush()
        continue
    server.stdin.write(line)
    server.stdin.flush()
