"""Parts 4 and 7.3 of the reference page in Python, on random tasks and sessions: predicates, rendered text, checkpoints,
minefields, order, the summary with its taxonomy, and the complexity profile. For oracle.py.

Rules of the page, and where each has its vectors:
  1 formats                 vectors/models.json (models.py), the demo files
  2 canonical arguments     golden canonical_args, tool_surface_hash; oracle repr
  3 replay, near scores     golden replay, tier2_score, difflib_ratio; oracle near, ratio, normalise, lower
  4.1 equality, str()       here (must_include, equals, contains on leaves)
  4.2 argument predicate    golden arg_predicate; here
  4.3 regular expressions   oracle regex
  4.4 value predicate, text golden value_predicate; here (parts, fallback dump, malformed content)
  4.5 checkpoints           golden scorer; here
  4.6 minefields, order     golden scorer; here (duplicate ids, final messages, equal steps)
  4.7 taxonomy, SAE, IAE    golden scorer; here (subtypes by tags, last definition of an id, rounding)
  4.8 summary               here
  7.3 complexity            here
  8.2, 8.7, 8.8, 8.9        golden wilson, contingency, holm, power_n, spearman, agreement, cohen_kappa, krippendorff;
                            the published numbers
"""
import json
import re
import unicodedata

WEIGHTS = {"E1": 1.0, "E2": 0.8, "E3": 0.6, "E4": 1.0, "E5": 0.4, "E6": 1.0, "E7": 0.7}
SERVERS, TOOLS = ["s", "t", "u"], ["get", "put", "x"]
TEXTS = ["", "a", "ab", "A", "abc", "True", "None", "5", "5.0", "1e+16", "\u00e9", "o\nk", "123456", "id-123-456 x", "\U0001f600"]
PATTERNS = ["", "a", "^a", "b$", "\\d+", "True", "(", "[a-c]{2}", "\u00e9", "1e\\+16", "x|None", "(?i)A"]


# --- random questions ---

def scalar(rng):
    return rng.choice([None, True, False, 0, 1, 5, 5.0, 1e16, 0.5, -0.0, 2**53, 2**53 + 1, float(2**53), 10**20, 1e20]
                      + TEXTS)


def value(rng, depth=0):
    kind = rng.randrange(8)
    if kind < 6 or depth > 2:
        return scalar(rng)
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abk"): value(rng, depth + 1) for _ in range(rng.randrange(3))}


def content(rng):
    part = lambda: rng.choice([{"type": "text", "text": rng.choice(TEXTS)}, {"type": "text"}, {"type": "image", "data": "a"},
                               "a", None, {"text": "a"}])
    return rng.choice([None, "a", {"type": "text", "text": "a"}, []] + [[part() for _ in range(rng.randrange(4))]] * 8)


def result(rng):
    if rng.random() < 0.1:
        return None
    r = {"meta": None, "content": content(rng), "structuredContent": rng.choice([None, None, value(rng)])}
    return {k: r[k] for k in r if rng.random() < 0.9}


def step(rng, i):
    return {"step_id": i if rng.random() < 0.9 else rng.randrange(4), "kind": rng.choice(["call_tool_agent"] * 6 + ["list_tools"]),
            "server_id": rng.choice(SERVERS), "tool_name": rng.choice(TOOLS),
            "arguments": rng.choice([None, {}] + [{k: value(rng) for k in "abk" if rng.random() < 0.6}] * 4),
            "result": result(rng), "status": rng.choice(["success"] * 4 + ["error", "timeout"])}


def args_predicate(rng):
    if rng.random() < 0.35:
        return None
    matcher = lambda: {k: v for k, v in (("equals", value(rng)), ("starts_with", rng.choice(TEXTS)), ("contains", rng.choice(TEXTS)),
                                         ("regex", rng.choice(PATTERNS))) if rng.random() < 0.3}
    return {"must_include": {k: value(rng) for k in "ab" if rng.random() < 0.15},
            "must_match": {k: matcher() for k in "abk" if rng.random() < 0.3}}


def value_predicate(rng):
    some = lambda: rng.choice([None, [], [rng.choice(TEXTS)], [rng.choice(TEXTS), rng.choice(TEXTS)]])
    return {"contains_any": some(), "contains_all": some(), "regex": rng.choice([None] + PATTERNS)}


def pair(rng):
    return {"server_id": rng.choice(SERVERS), "tool_name": rng.choice(TOOLS)}


def checkpoint(rng, i):
    c = {"kind": rng.choice(["tool_effect"] * 4 + ["value_produced"] * 3 + ["state_condition"]), "description": "",
         "checkpoint_id": "c%d" % (i if rng.random() < 0.9 else 0)}
    if c["kind"] == "tool_effect":
        c.update(equivalence_set=[pair(rng) for _ in range(rng.randrange(4))], arg_predicate=args_predicate(rng),
                 must_succeed=rng.random() < 0.8)
    elif c["kind"] == "value_produced":
        c.update(predicate=value_predicate(rng), scope=rng.choice(["any_tool_result", "final_assistant_message"]))
    return c


def question(rng):
    ids = ["c0", "c1", "c2", "c3"]
    task = {"checkpoints": [checkpoint(rng, i) for i in range(rng.randrange(5))],
            "minefields": [{"minefield_id": "m%d" % i, "description": "", "forbidden_tool": rng.choice([None, pair(rng)]),
                            "forbidden_arg_predicate": args_predicate(rng)} for i in range(rng.randrange(3))],
            "ordering": [{"before_id": rng.choice(ids), "after_id": rng.choice(ids)} for _ in range(rng.choice([0, 0, 1, 2]))]}
    final = rng.choice([{}, {"exploration": {"final_message": None}}] + [{"exploration": {"final_message": rng.choice(TEXTS)}}] * 4)
    trace = {"trace_id": "t", "seed_metadata": final, "steps": [step(rng, i) for i in range(rng.randrange(6))]}
    tags = {s: [t for t in ("p", "q") if rng.random() < 0.4] for s in SERVERS if rng.random() < 0.8}
    classes = {s: rng.choice(["static", "live_read", "stateful_write"]) for s in SERVERS}
    return [task, trace, tags, classes]


# --- part 4 ---

def leaves(v):
    if isinstance(v, (list, dict)):
        for x in v.values() if isinstance(v, dict) else v:
            yield from leaves(x)
    else:
        yield v


def search(pattern, text):
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False


def matches(m, v):
    text = isinstance(v, str)
    if m.get("equals") is not None and not v == m["equals"]:
        return False
    p = m.get("starts_with")
    if p is not None and not (v.startswith(p) if text else any(isinstance(x, str) and x.startswith(p) for x in leaves(v))):
        return False
    p = m.get("contains")
    if p is not None and not (p in v if text else any(x == p or str(x) == p for x in leaves(v))):
        return False
    p = m.get("regex")
    return p is None or (search(p, v) if text else any(search(p, str(x)) for x in leaves(v)))


def args_match(p, arguments):
    if p is None or not p["must_include"] and not p["must_match"]:
        return True
    if arguments is None:
        return False
    return all(k in arguments and arguments[k] == v for k, v in p["must_include"].items()) and \
        all(k in arguments and matches(m, arguments[k]) for k, m in p["must_match"].items())


def value_match(p, text):
    any_, all_, pattern = p["contains_any"], p["contains_all"], p["regex"]
    if not any_ and not all_ and not pattern:
        return False
    return (not all_ or all(n in text for n in all_)) and (not any_ or any(n in text for n in any_)) and \
        (not pattern or search(pattern, text))


def render(r):
    if r is None:
        return ""
    parts = [c.get("text", "") for c in (r.get("content") if isinstance(r.get("content"), list) else [])
             if isinstance(c, dict) and c.get("type") == "text"]
    return "\n".join(parts) if parts else json.dumps(r)


def members(c):
    return [(e["server_id"], e["tool_name"]) for e in c["equivalence_set"]]


def check(c, calls, final):
    good = [s for s in calls if s["status"] == "success"]
    if c["kind"] == "tool_effect":
        for s in calls:
            if (s["server_id"], s["tool_name"]) in members(c) and (s["status"] == "success" or not c["must_succeed"]) and \
                    args_match(c["arg_predicate"], s["arguments"]):
                return True, s["step_id"]
    elif c["kind"] == "value_produced" and c["scope"] == "any_tool_result":
        for s in good:
            if render(s["result"]) and value_match(c["predicate"], render(s["result"])):
                return True, s["step_id"]
    elif c["kind"] == "value_produced":
        return bool(final) and value_match(c["predicate"], final) and bool(good), None
    return False, None


def taxonomy(task, results, calls, order_failed):
    n = dict.fromkeys(WEIGHTS, 0)
    definition = {c["checkpoint_id"]: c for c in task["checkpoints"]}
    for c, (passed, _) in zip(task["checkpoints"], results):
        c = definition[c["checkpoint_id"]]
        if passed or c["kind"] == "state_condition":
            continue
        if c["kind"] == "value_produced":
            n["E3"] += 1
        elif any(s["status"] == "success" and s["tool_name"] in {t for _, t in members(c)} and
                 (s["server_id"], s["tool_name"]) not in members(c) for s in calls):
            n["E4"] += 1
        elif any((s["server_id"], s["tool_name"]) in members(c) for s in calls):
            n["E7"] += 1
        else:
            n["E1" if c["checkpoint_id"] in {o["before_id"] for o in task["ordering"]} else "E6"] += 1
    n["E5"] += order_failed
    return {"counts": n, "weighted_score": round(sum(n[k] * WEIGHTS[k] for k in n), 3)}


def attribution(task, calls, tags):
    right = {}
    for c in task["checkpoints"]:
        for server, tool in members(c) if c["kind"] == "tool_effect" else []:
            right.setdefault(tool, set()).add(server)
    events, correct = [], 0
    for s in calls:
        servers = right.get(s["tool_name"])
        if s["status"] != "success" or servers is None:
            continue
        if s["server_id"] in servers:
            correct += 1
            continue
        mine = set(tags.get(s["server_id"], []))
        near = any(mine & set(tags.get(o, [])) for o in servers)
        events.append({"tool_name": s["tool_name"], "called_server": s["server_id"], "correct_servers": sorted(servers),
                       "subtype": "expected" if near else "random"})
    total = len(events)
    expected = sum(e["subtype"] == "expected" for e in events)
    return {"total": total, "expected": expected, "random": total - expected, "correct_type_calls": correct,
            "conditional_rate": round(total / (total + correct), 4) if total + correct else 0.0, "events": events}


def score(task, trace, tags):
    calls = [s for s in trace["steps"] if s["kind"] == "call_tool_agent"]
    final = (trace["seed_metadata"].get("exploration") or {}).get("final_message") or ""
    results = [check(c, calls, final) for c in task["checkpoints"]]
    mines = []
    for m in task["minefields"]:
        tool = m["forbidden_tool"]
        hits = [s["step_id"] for s in calls if tool and (s["server_id"], s["tool_name"]) == (tool["server_id"], tool["tool_name"])
                and args_match(m["forbidden_arg_predicate"], s["arguments"])]
        mines.append(hits[0] if hits else None)
    at = {c["checkpoint_id"]: r[1] for c, r in zip(task["checkpoints"], results) if r[1] is not None}
    disorder = [o for o in task["ordering"] if o["before_id"] not in at or o["after_id"] not in at or
                not at[o["before_id"]] < at[o["after_id"]]]
    values = [(c, r) for c, r in zip(task["checkpoints"], results) if c["kind"] == "value_produced"]
    missing = [c["checkpoint_id"] for c, r in values if not r[0]]
    return {"passed": all(r[0] for r in results) and all(m is None for m in mines) and not disorder,
            "checks": [list(r) for r in results], "mines": mines, "ordering_ok": not disorder, "disorder": len(disorder),
            "summary": {"checkpoints_total": len(results), "checkpoints_passed": sum(r[0] for r in results),
                        "minefields_total": len(mines), "minefields_hit": sum(m is not None for m in mines),
                        "agent_call_count": len(calls), "agent_call_success_count": sum(s["status"] == "success" for s in calls),
                        "sae": attribution(task, calls, tags),
                        "iae": {"total": len(missing), "opportunities": len(values),
                                "rate": round(len(missing) / len(values), 4) if values else None, "events": missing},
                        "error_taxonomy": taxonomy(task, results, calls, bool(disorder))}}


# --- part 7.3 ---

def digits(text):
    return "".join(c for c in text if unicodedata.category(c) == "Nd")


def branching(calls):
    dumps = []
    for s in calls:
        for v in (s["arguments"] or {}).values():
            if isinstance(v, str) and len(v) >= 3:
                d = digits(v)
                windows = [d[i:i + 6] for i in range(len(d) - 5)]
                if any(v in dump or any(w in digits(dump) for w in windows) for dump in dumps):
                    return True
        if s["status"] == "success" and s["result"] is not None:
            dumps.append(json.dumps(s["result"]))
    return False


def complexity(trace, classes):
    calls = [s for s in trace["steps"] if s["kind"] == "call_tool_agent"]
    good = [s for s in calls if s["status"] == "success"]
    servers = {s["server_id"] for s in good}
    return {"trace_depth": len(good), "distinct_servers": len(servers), "cross_server": len(servers) > 1,
            "runtime_branching": branching(calls), "state_coupling": any(classes[s] == "stateful_write" for s in servers),
            "recovery_required": any(a["status"] == "error" and any(b["status"] == "success" for b in calls[i + 1:])
                                     for i, a in enumerate(calls))}


def ask(rng, count):
    questions = [question(rng) for _ in range(count)]
    return questions, [dict(score(t, tr, tags), complexity=complexity(tr, classes)) for t, tr, tags, classes in questions]


def same(got, expected):
    """Values and types alike, but for the order of keys."""
    return json.dumps(json.loads(got), sort_keys=True) == json.dumps(expected, sort_keys=True)
