"""The figures of worlds and scoring: near look-ups and the scoring of files beside python3 doing the same work with json,
difflib and re, and the trial of the design page "replay" on the demo servers."""

import difflib
import json
import os
import re
import resource
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
import kit

MEGABYTES = int(os.environ.get("BENCH_MEGABYTES", "100"))  # of traces to score; 500 shows that memory stays flat
SMALL_TRACES = 20000


def step(number, server, tool, arguments, text):
    return {"step_id": number, "parent_step_id": None, "kind": "call_tool_agent", "server_id": server, "tool_name": tool,
            "arguments": arguments, "arguments_canonical": json.dumps(arguments, sort_keys=True, separators=(",", ":")),
            "result": {"meta": None, "content": [{"type": "text", "text": text}], "structuredContent": None, "isError": False},
            "result_truncated": False, "started_at": "1970-01-01T00:00:00Z", "ended_at": "1970-01-01T00:00:01Z",
            "latency_ms": 1.0, "status": "success", "error": None}


def trace(words):
    """Ten steps; `words` sets how long results and tool descriptions are."""
    tools = [{"name": n, "description": "Finds things. " * words, "input_schema": {"type": "object"}, "output_schema": None}
             for n in ("read", "search")] * (1 + words // 10)
    steps = [step(n, "notes", "search" if n % 2 else "read", {"query": "item number %d" % n, "limit": n},
                  "Result %d: " % n + "nothing \"else\" of interest.\n" * (1 + words)) for n in range(10)]
    return {"trace_id": "11111111-1111-4111-8111-111111111111", "schema_version": "0.1.0", "recorder_version": "bench",
            "goal": "find the items", "seed_metadata": {"exploration": {"final_message": "the dog has had enough"}},
            "servers": [], "tool_specs": {"notes": tools} if words else {}, "steps": steps,
            "started_at": "1970-01-01T00:00:00Z", "ended_at": None}


TASK = {
    "task_id": "22222222-2222-4222-8222-222222222222", "schema_version": "0.2.0", "distiller_version": "0.2.0",
    "source_trace_id": "11111111-1111-4111-8111-111111111111", "prompt": "find the items", "dynamism": "live_read",
    "servers_used": ["notes"],
    "complexity": {"trace_depth": 10, "distinct_servers": 1, "cross_server": False, "runtime_branching": False,
                   "state_coupling": False, "recovery_required": False},
    "checkpoints": [
        {"kind": "tool_effect", "checkpoint_id": "a", "description": "", "equivalence_set": [{"server_id": "notes", "tool_name": "read"}],
         "arg_predicate": {"must_include": {"limit": 8}}},
        {"kind": "tool_effect", "checkpoint_id": "b", "description": "", "equivalence_set": [{"server_id": "notes", "tool_name": "search"}],
         "arg_predicate": {"must_match": {"query": {"contains": "number 9"}}}},
        {"kind": "value_produced", "checkpoint_id": "c", "description": "", "predicate": {"contains_all": ["Result 9"]}}],
    "minefields": [], "ordering": [], "notes": None, "provenance": {}, "created_at": "1970-01-01T00:00:00Z"}


def python_scores(lines):
    """The three checkpoints above, and no more, by the standard library."""
    def text(result):
        parts = [p.get("text") or "" for p in (result or {}).get("content") or [] if p.get("type") == "text"]
        return "\n".join(parts) if parts else json.dumps(result)

    for line in lines:
        steps = [s for s in json.loads(line)["steps"] if s["kind"] == "call_tool_agent"]
        good = [(s, text(s.get("result"))) for s in steps if s["status"] == "success"]
        passed = (any(s["tool_name"] == "read" and s["arguments"].get("limit") == 8 for s, _ in good) and
                  any(s["tool_name"] == "search" and "number 9" in s["arguments"].get("query", "") for s, _ in good) and
                  any("Result 9" in t for _, t in good))
        assert passed
        json.dumps({"passed": passed, "trace": "x"})


def seconds(action):
    """Processor time, as others may be at work, too."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    action()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def assay_scores(specs, traces, results):
    """Processor seconds and kilobytes of one `assay score`; all traces must pass."""
    done = kit.run(["/usr/bin/time", "-f", "%U %S %M", "assay", "score", "--specs", specs, "--traces", traces, "--results",
                    results, "--quiet"], timeout=3600)
    user, system, kilobytes = done.stderr.split()[-3:]
    done.check_returncode()
    with open(results) as f:
        assert all('"passed":true' in line for line in f)
    return float(user) + float(system), int(kilobytes)


def write(path, line, count):
    with open(path, "w") as f:
        for _ in range(count):
            f.write(line + "\n")


def scoring(figure):
    with tempfile.TemporaryDirectory(prefix="assay-bench.") as folder:
        specs, traces, results = (os.path.join(folder, n) for n in ("specs.jsonl", "traces.jsonl", "results.jsonl"))
        write(specs, json.dumps(TASK), 1)
        line = json.dumps(trace(0), separators=(",", ":"))
        write(traces, line, SMALL_TRACES)
        cost, _ = min(assay_scores(specs, traces, results) for _ in range(3))
        peer = min(seconds(lambda: python_scores([line] * 2000)) for _ in range(3)) / 2000
        figure("a trace of %d bytes scored, from file to file" % len(line), cost / SMALL_TRACES * 1e6, "us",
               "Python: three checks of it", peer * 1e6, "20 us")
        line = json.dumps(trace(100))
        write(traces, line, MEGABYTES * 1000000 // len(line))
        size = os.path.getsize(traces) / 1e6
        cost, kilobytes = assay_scores(specs, traces, results)
        peer = min(seconds(lambda: python_scores([line] * 200)) for _ in range(3)) / 200 / len(line) * 1e6
        figure("%d MB of traces of %d KB, a megabyte" % (size, len(line) // 1000), cost / size * 1000, "ms",
               "Python: three checks of each", peer * 1000, "3.3 ms, ratio 0.33")
        print("scoring %.0f MB: %.0f MB/s a processor, %.0f MB of memory" % (size, size / cost, kilobytes / 1024))


def python_near(asked, rows):
    """The field score of the reference's second tier; where there are no fields, difflib."""
    def normal(v):
        return re.sub(r"\s+", " ", v.strip().lower()) if isinstance(v, str) else json.dumps(v, sort_keys=True)

    best = 0.0
    for row in rows:
        a, b = json.loads(asked), json.loads(row)
        if isinstance(a, dict) and isinstance(b, dict):
            keys, score = set(a) | set(b), 0.0
            for k in keys:
                if k in a and k in b:
                    x, y = normal(a[k]), normal(b[k])
                    score += 1.0 if x == y else 0.7 if x and y and (x in y or y in x) else 0.0
            best = max(best, score / len(keys) if keys else 1.0)
        else:
            best = max(best, difflib.SequenceMatcher(None, asked, row).ratio())
    return best


def near_peer():
    """Microseconds of a look-up over the hundred rows of bench_replay."""
    rows = [json.dumps({"query": "item number %d" % n, "limit": n, "filters": {"kind": "note", "tags": ["a", "b"]}},
                       sort_keys=True, separators=(",", ":")) for n in range(100)]
    best = min(seconds(lambda: [python_near(rows[40], rows) for _ in range(50)]) for _ in range(3))
    return best / 50 * 1e6


def trial():
    done = kit.run([os.path.join(kit.BUILD, "tests/bench/bench_trial"), os.environ.get("BENCH_REFERENCES", "20")], timeout=3600)
    sys.stderr.write(done.stderr)
    done.check_returncode()
    print(done.stdout)
