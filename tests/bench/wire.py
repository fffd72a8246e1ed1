"""What the MCP client costs, for tests/bench/bench: calls over pipes to one demo server, beside a bare exchange of lines
of the same sizes and beside the client of the official TypeScript SDK; and the memory of many sessions."""

import os
import re

import kit

CALLS, SERVERS, TURNS = 2000, 100, 4
SERVER = [os.path.join(kit.BUILD, "contrib/servers/assay-almanac")]
SDK = "@modelcontextprotocol/sdk@1.32.2"


def measured(command):
    """{"client": 18.1} of lines "client 18.10 us"."""
    done = kit.run(command)
    done.check_returncode()
    return {name: float(value) for name, value in re.findall(r"^(\w+) ([0-9.]+) \w+$", done.stdout, re.M)}


def best_of(*commands):
    """The least of each figure, since other work on the machine only ever adds; the commands take turns."""
    rounds = [[measured(command) for command in commands] for _ in range(TURNS)]
    return [{name: min(one[i][name] for one in rounds) for name in rounds[0][i]} for i in range(len(commands))]


def figures(figure):
    ours, theirs = best_of(
        [os.path.join(kit.BUILD, "tests/bench/bench_wire"), str(CALLS), str(SERVERS), *SERVER],
        [kit.node(), os.path.join(kit.SOURCE, "tests/bench/sdk_client.mjs"), kit.npm_install(SDK), str(CALLS), *SERVER])
    pipes = ours["bare"]
    figure("a tool call", ours["client"], "us", "bare ping-pong over pipes", pipes)
    figure("a tool call", ours["client"], "us", "TypeScript SDK's client", theirs["client"])
    figure("of it the client", ours["client"] - ours["raw"], "us", "the same lines, no client", ours["raw"])
    figure("of it all but the pipes", ours["client"] - pipes, "us", "bare ping-pong over pipes", pipes, "at most 15 us")
    figure("of it all but the pipes", ours["client"] - pipes, "us", "TypeScript SDK's client", theirs["client"] - pipes,
           "at most 0.3")
    figure("private memory, one session", ours["one"] / 1024, "MB", "TypeScript SDK's client", theirs["one"] / 1024,
           "at most 0.1")
    figure("private memory, %d sessions" % SERVERS, ours["many"] / 1024, "MB", "one session", ours["one"] / 1024,
           "at most 20 MB")
