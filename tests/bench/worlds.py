"""The figures of worlds and scoring: near look-ups and the scoring of files beside python3 doing the same work with json,
difflib and re, and the trial of the design page "replay" on the demo servers."""

import difflib
import json
import os
import re
import resource
import sys
import tempfile
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
import kit

MEGABYTES = int(os.environ.get("BENCH_MEGABYTES", "500"))  # of traces to score
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


CODES = ("missing_prerequisite", "wrong_branch", "incomplete_aggregation", "server_confusion", "order_violation",
         "tool_blindness", "argument_hallucination")
WEIGHTS = (1.0, 0.8, 0.6, 1.0, 0.4, 1.0, 0.7)
KINDS = {"step_id": int, "kind": str, "server_id": str, "status": str}


def rendered(result):
    parts = [p.get("text") or "" for p in (result or {}).get("content") or [] if p.get("type") == "text"]
    return "\n".join(parts) if parts or not result else json.dumps(result)


def view(trace):
    """The agent's calls, checked as they are read."""
    uuid.UUID(trace["trace_id"])
    steps = []
    for s in trace["steps"]:
        if any(not isinstance(s.get(k), t) for k, t in KINDS.items()) or s["status"] not in ("success", "error", "timeout"):
            raise ValueError("not a step")
        if s["kind"] == "call_tool_agent":
            steps.append((s["step_id"], s["server_id"], s.get("tool_name"), s.get("arguments"), s["status"] == "success",
                          rendered(s.get("result"))))
    return steps


def leaves(v):
    if isinstance(v, (dict, list)):
        for x in v.values() if isinstance(v, dict) else v:
            yield from leaves(x)
    else:
        yield v if isinstance(v, str) else json.dumps(v)


def value_matches(m, v):
    texts = [v] if isinstance(v, str) else list(leaves(v))
    return (("equals" not in m or v == m["equals"]) and
            ("starts_with" not in m or any(t.startswith(m["starts_with"]) for t in texts)) and
            ("contains" not in m or (m["contains"] in v if isinstance(v, str) else m["contains"] in texts)) and
            ("regex" not in m or any(re.search(m["regex"], t) for t in texts)))


def args_match(p, arguments):
    p = p or {}
    return (all(k in arguments and arguments[k] == v for k, v in (p.get("must_include") or {}).items()) and
            all(k in arguments and value_matches(m, arguments[k]) for k, m in (p.get("must_match") or {}).items()))


def text_matches(p, text):
    needed, some = p.get("contains_all"), p.get("contains_any")
    return (all(n in text for n in needed or ()) and (not some or any(n in text for n in some)) and
            (not p.get("regex") or re.search(p["regex"], text) is not None))


def check(c, steps):
    """What one checkpoint comes to: its result, and where it was met."""
    wanted = {(t["server_id"], t["tool_name"]) for t in c.get("equivalence_set", ())}
    for number, server, tool, arguments, good, text in steps:
        if good and (((server, tool) in wanted and args_match(c.get("arg_predicate"), arguments or {}))
                     if c["kind"] == "tool_effect" else text_matches(c["predicate"], text)):
            return {"checkpoint_id": c["checkpoint_id"], "kind": c["kind"], "passed": True,
                    "reason": "matched step #%d %s.%s" % (number, server, tool), "matched_step_id": number, "tier": 1}
    return {"checkpoint_id": c["checkpoint_id"], "kind": c["kind"], "passed": False, "reason": "no call or result",
            "matched_step_id": None, "tier": 1}


def attribution(task, steps, attempted):
    sets = [{(t["server_id"], t["tool_name"]) for t in c["equivalence_set"]} for c in task["checkpoints"]
            if c["kind"] == "tool_effect"]
    events, right = [], 0
    for _, server, tool, _, good, _ in steps:
        if not good and not attempted:
            continue
        named = [s for s in sets if any(t == tool for _, t in s)]
        if any((server, tool) in s for s in named):
            right += 1
        elif named:
            events.append({"tool_name": tool, "called_server": server, "subtype": "random",
                           "correct_servers": sorted({a for s in named for a, t in s if t == tool})})
    return {"total": len(events), "expected": 0, "random": len(events), "correct_type_calls": right,
            "conditional_rate": round(len(events) / (len(events) + right), 4) if events else 0.0, "events": events}


def taxonomy(task, steps, checks, ordered):
    counts = dict.fromkeys(("E1", "E2", "E3", "E4", "E5", "E6", "E7"), 0)
    before = {o["before_id"] for o in task["ordering"]}
    for c, r in zip(task["checkpoints"], checks):
        if r["passed"]:
            continue
        if c["kind"] != "tool_effect":
            counts["E3"] += 1
            continue
        wanted = {(t["server_id"], t["tool_name"]) for t in c["equivalence_set"]}
        names = {t for _, t in wanted}
        confused = any(s[2] in names and (s[1], s[2]) not in wanted and s[4] for s in steps)
        tried = any((s[1], s[2]) in wanted for s in steps)
        counts["E4" if confused else "E7" if tried else "E1" if c["checkpoint_id"] in before else "E6"] += 1
    counts["E5"] += not ordered
    return {"counts": counts, "weights": dict(zip(counts, WEIGHTS)), "names": dict(zip(counts, CODES)),
            "weighted_score": round(sum(n * w for n, w in zip(counts.values(), WEIGHTS)), 3)}


def python_result(task, trace, repeat):
    """All that a result of `assay score` says, in its order."""
    steps = view(trace)
    checks = [check(c, steps) for c in task["checkpoints"]]
    reached = {r["checkpoint_id"]: r["matched_step_id"] for r in checks if r["passed"]}
    failures = ["%s before %s" % (o["before_id"], o["after_id"]) for o in task["ordering"]
                if not (o["before_id"] in reached and o["after_id"] in reached and
                        reached[o["before_id"]] < reached[o["after_id"]])]
    mines = []
    for m in task["minefields"]:
        place = (m["forbidden_tool"]["server_id"], m["forbidden_tool"]["tool_name"])
        hit = next((s[0] for s in steps if (s[1], s[2]) == place and args_match(m.get("forbidden_arg_predicate"), s[3] or {})), None)
        mines.append({"minefield_id": m["minefield_id"], "hit": hit is not None, "reason": "", "tripped_step_id": hit})
    values = [r for r in checks if r["kind"] == "value_produced"]
    missing = [{"checkpoint_id": r["checkpoint_id"], "reason": r["reason"]} for r in values if not r["passed"]]
    passed = all(r["passed"] for r in checks) and not failures and not any(m["hit"] for m in mines)
    n_passed = sum(r["passed"] for r in checks)
    sae = attribution(task, steps, False)
    summary = {
        "checkpoints_total": len(checks), "checkpoints_passed": n_passed, "minefields_total": len(mines),
        "minefields_hit": sum(m["hit"] for m in mines), "agent_call_count": len(steps),
        "agent_call_success_count": sum(s[4] for s in steps), "sae": sae,
        "iae": {"total": len(missing), "opportunities": len(values),
                "rate": round(len(missing) / len(values), 4) if values else None, "events": missing},
        "error_taxonomy": taxonomy(task, steps, checks, not failures),
        "assay": {"lo": int(passed), "hi": int(passed), "metrics": {"checkpoints_passed": n_passed / len(checks), "defects": 0},
                  "attempted_sae": attribution(task, steps, True), "refused_calls": 0}}
    return {"schema_version": "0.1.0", "evaluator_version": "0.1.0", "task_id": task["task_id"],
            "candidate_trace_id": trace["trace_id"], "candidate_model": trace["seed_metadata"].get("llm_model"),
            "evaluation_mode": "ingested", "repeat_index": repeat, "had_sae": sae["total"] > 0, "passed": passed,
            "checkpoint_results": checks, "minefield_results": mines, "ordering_ok": not failures,
            "ordering_failures": failures, "summary": summary, "evaluated_at": "1970-01-01T00:00:00Z"}


def python_scores(traces, results):
    """From file to file by the standard library, all that `assay score` works out. The same bytes come out."""
    tasks = {TASK["source_trace_id"]: TASK}
    with open(traces, encoding="utf-8") as f, open(results, "w", encoding="utf-8") as out:
        for repeat, line in enumerate(f):
            trace = json.loads(line)
            result = python_result(tasks[trace["trace_id"]], trace, repeat)
            out.write(json.dumps(result, separators=(",", ":"), ensure_ascii=False) + "\n")


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


def peer_seconds(folder, line, count, results):
    """Processor seconds a trace, and whether the first results are those of the file byte by byte."""
    traces, own = os.path.join(folder, "few.jsonl"), os.path.join(folder, "few-results.jsonl")
    write(traces, line, count)
    cost = min(seconds(lambda: python_scores(traces, own)) for _ in range(3)) / count
    with open(own) as ours, open(results) as theirs:
        assert all(a == b for a, b in zip(ours, theirs)), "python3 and assay disagree"
    return cost


def scoring(figure):
    with tempfile.TemporaryDirectory(prefix="assay-bench.") as folder:
        specs, traces, results = (os.path.join(folder, n) for n in ("specs.jsonl", "traces.jsonl", "results.jsonl"))
        write(specs, json.dumps(TASK), 1)
        line = json.dumps(trace(0), separators=(",", ":"))
        write(traces, line, SMALL_TRACES)
        cost, _ = min(assay_scores(specs, traces, results) for _ in range(3))
        peer = peer_seconds(folder, line, 2000, results)
        figure("a trace of %d bytes scored, from file to file" % len(line), cost / SMALL_TRACES * 1e6, "us",
               "Python: the same, by json and re", peer * 1e6, "20 us, ratio 0.33")
        line = json.dumps(trace(100))
        write(traces, line, MEGABYTES * 1000000 // len(line))
        size = os.path.getsize(traces) / 1e6
        cost, kilobytes = assay_scores(specs, traces, results)
        peer = peer_seconds(folder, line, 200, results) / len(line) * 1e6
        figure("%d MB of traces of %d KB, a megabyte" % (size, len(line) // 1000), cost / size * 1000, "ms",
               "Python: the same, by json and re", peer * 1000, "3.3 ms, ratio 0.33")
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
