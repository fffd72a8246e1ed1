#!/usr/bin/python3
"""dies.py COMMAND...: that server, until a tool is called: then it is gone."""
import subprocess
import sys

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    if b'"tools/call"' in line:
        server.kill()
        sys.exit("out of memory, they say")
    server.stdin.write(line)
    server.stdin.flush()
