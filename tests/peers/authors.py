"""A mock of chat completions that plays authors: it answers with what the rule-based authors made of the same servers, or with
that spoiled in one of many ways. tests/cli/model-authors, tests/faults/models."""

import hashlib
import json
import re
import sqlite3

from fault_proxy import Proxy, reply

TELLING = re.compile(r"\b[A-Z]+-\d+\b|\b[\w-]+\.(?:md|txt|csv|json)\b")
# What is wrong with a task, and what the reason says in the end. None: nothing, and it is distilled.
KINDS = {
    "good": None,
    "ungrounded checkpoint": "the record does not meet c1",
    "unknown tool": "there is no tool fly on server",
    "empty set": "an equivalence set is a non-empty array",
    "matcher that is no object": "/checkpoints/0/arg_predicate/must_match/x",
    "invalid regex": "regex",
    "prose": "it holds no JSON object",
    "circle": "runs in a circle",
    "cut off": "it was cut off at the limit of its length",
    "one id twice": "stands twice",
    "no checkpoints": "/checkpoints",
    "another function": 'it calls "think", which is not offered',
    "empty": "it is empty",
    "prompt without its values": "the prompt must say",
    "a minefield that the record steps on": "not without a minefield",
    "no object": "it is no JSON object",
}
GOAL_KINDS = {
    "good": None,
    "an invented path": 'the path "/srv/files/plan" is neither a resource nor observed',
    "an invented id": 'the id "QX-90817" is neither a resource nor observed',
    "an invented site": 'the URL "https://intranet.acme.test/x" is neither',
    "a tool's name": "say what is wanted, not what it is done with",
    "destruction": "it asks to delete something: a goal destroys nothing",
    "prose": "it holds no JSON object",
    "empty": "/goal: ",
}


def call(name, arguments):
    return reply("openai", "", [("c1", name, arguments)])


def shape_of(body):
    """The function that a request does not offer but describes, for models that cannot be made to call one; None: none."""
    if "response_format" in body:
        return body["response_format"]["json_schema"]["name"]
    last = body["messages"][-1]
    if last["role"] == "system" and "Its JSON Schema is" in last["content"]:
        return "emit_task" if '"checkpoints"' in last["content"] else "emit_goal" if '"goal"' in last["content"] else "emit_place"
    return None


def in_words(answer):
    """The arguments of a reply's call as its content."""
    message = answer["choices"][0]["message"]
    for c in message.pop("tool_calls", []):
        message["content"] = c["function"]["arguments"]
    return answer


class Authors(Proxy):
    """Plays all three roles. The first different requests of a role get one kind of answer each, the next ones the same but for
    being right once they were complained about, all others a good one."""

    def __init__(self, goals, only_good=1):
        """only_good: of so many requests one may get a bad answer."""
        self.goals, self.kinds, self.requests, self.models, self.paths = goals, {"goal": {}, "task": {}}, [], set(), set()
        self.only_good, self.pause = only_good, 0
        super().__init__(0)

    def kind_of(self, role, kinds, key):
        with self.lock:
            number = self.kinds[role].setdefault(key, len(self.kinds[role]))
        if int(hashlib.sha256(key.encode()).hexdigest(), 16) % self.only_good:
            return "good", False
        return list(kinds)[number % len(kinds)] if number < 2 * len(kinds) else "good", number >= len(kinds)

    def fault_author(self, h, api, path, raw, body):
        shape = shape_of(body)
        names = [shape] if shape else [t["function"]["name"] for t in body.get("tools", [])]
        with self.lock:
            self.paths.add(h.path)
            self.requests.append(hashlib.sha256(raw).hexdigest())
            self.models.add((body["model"], names[0] if names and names[0].startswith("emit_") else "agent"))
        self.wait(self.requests)
        if shape and "response_format" not in body:
            body = dict(body, messages=body["messages"][:-1])  # without the shape
        answer = self.write_goal(body) if "emit_goal" in names else self.write_task(body) if "emit_task" in names else self.act(body)
        return self.send(h, 200, in_words(answer) if shape else answer)

    def fits(self, goal, view, text):
        return set(goal["servers"]) <= {s["server_id"] for s in view["servers"]} and \
            all(value in text for value in TELLING.findall(goal["goal"]))

    def write_goal(self, body):
        text = body["messages"][1]["content"]
        view = json.loads(text)
        kind, repaired = self.kind_of("goal", GOAL_KINDS, text)
        complained = len(body["messages"]) > 2
        fitting = [g for g in self.goals if self.fits(g, view, text)]
        if not fitting or (kind == "prose" and not (repaired and complained)):
            return reply("openai", "I cannot think of any goal.")
        goal = dict(fitting[int(hashlib.sha256(text.encode()).hexdigest(), 16) % len(fitting)])
        goal = {"goal": goal["goal"], "servers": goal["servers"] + ["nowhere"], "tags": ["shallow", "made-up"]}
        if repaired and complained or kind == "good":
            return call("emit_goal", goal)
        tool = next(t["name"] for s in view["servers"] for t in s["tools"] if "_" in t["name"])
        goal["goal"] += {"an invented path": " Look into /srv/files/plan for it.", "an invented id": " It is about QX-90817.",
                         "an invented site": " See https://intranet.acme.test/x for it.", "a tool's name": " Use %s." % tool,
                         "destruction": " When all is said, delete it for good."}.get(kind, "")
        if kind == "empty":
            goal["goal"] = ""
        return call("emit_goal", goal)

    def known(self, text):
        return next((g for g in self.goals if g["goal"] in text or json.dumps(g["goal"])[1:-1] in text), None)

    def act(self, body):
        goal = self.known(next(m["content"] for m in body["messages"] if m["role"] == "user"))
        had = sum(m["role"] == "tool" for m in body["messages"])
        if goal and had < len(goal["steps"]):
            return reply("openai", "", [("c%d" % had, *goal["steps"][had])])
        return reply("openai", goal["answer"] if goal else "done")

    def write_task(self, body):
        view = json.loads(body["messages"][1]["content"])
        kind, repaired = self.kind_of("task", KINDS, body["messages"][1]["content"])
        task = json.loads(json.dumps(self.known(view["goal"])["task"]))
        if kind == "good" or (repaired and len(body["messages"]) > 2):
            return call("emit_task", task)
        first, step = task["checkpoints"][0], view["steps"][-1]
        effect = next((c for c in task["checkpoints"] if c["kind"] == "tool_effect"), None)
        first["checkpoint_id"] = "c1"
        task["ordering"] = []
        if kind == "ungrounded checkpoint":
            effect["arg_predicate"] = {"must_include": {"who": "nobody"}, "must_match": {}}
            effect["checkpoint_id"] = "c1"
            task["checkpoints"] = [effect]
        elif kind == "unknown tool":
            effect["equivalence_set"][0]["tool_name"] = "fly"
        elif kind == "empty set":
            effect["equivalence_set"] = []
        elif kind == "matcher that is no object":
            task["checkpoints"] = [dict(effect, arg_predicate={"must_include": {}, "must_match": {"x": "y"}})]
        elif kind == "invalid regex":
            effect["arg_predicate"] = {"must_include": {}, "must_match": {"x": {"regex": "(["}}}
        elif kind == "prose":
            return reply("openai", "The task is to do what the goal says.")
        elif kind == "circle":
            other = dict(first, checkpoint_id="c2")
            task["checkpoints"] = [first, other]
            task["ordering"] = [{"before_id": "c1", "after_id": "c2"}, {"before_id": "c2", "after_id": "c1"}]
        elif kind == "cut off":
            return reply("openai", "", [("c1", "emit_task", json.dumps(task)[:120])], finish="length")
        elif kind == "one id twice":
            task["checkpoints"] = [first, dict(first)]
        elif kind == "no checkpoints":
            task["checkpoints"] = []
        elif kind == "another function":
            return call("think", {})
        elif kind == "empty":
            return reply("openai", "")
        elif kind == "prompt without its values":
            value = re.findall(r'"([^"]+)"|(\w+)', view["goal"])[-1]
            value = value[0] or value[1]
            effect["arg_predicate"] = {"must_include": {"x": value}, "must_match": {}}
            task["prompt"] = "Do what has to be done here."
        elif kind == "a minefield that the record steps on":
            task["minefields"] = [{"minefield_id": "m1", "description": "no", "forbidden_tool": {
                "server_id": step["server_id"], "tool_name": step["tool_name"]}, "forbidden_arg_predicate": None}]
        elif kind == "no object":
            return call("emit_task", "[1, 2]")
        return call("emit_task", task)


def made(store):
    """What the rule-based authors made: goal, calls, answer, task."""
    db = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
    out = []
    for goal, trace, task in db.execute(
            "SELECT g.body, d.body, t.body FROM goals g JOIN documents d ON d.kind = 'trace' AND d.id = g.trace_id"
            " JOIN tasks t ON t.task_id = g.task_id WHERE g.state IN ('certified', 'surplus') ORDER BY g.goal_id"):
        goal, trace, task = json.loads(goal), json.loads(trace), json.loads(task)
        steps = [("%s__%s" % (s["server_id"], s["tool_name"]), s["arguments"] or {}) for s in trace["steps"]]
        out.append({"goal": goal["goal"], "servers": goal["servers"], "steps": steps,
                    "answer": trace["seed_metadata"]["exploration"]["final_message"] or "done",
                    "task": {k: task[k] for k in ("prompt", "checkpoints", "minefields", "ordering", "notes")}})
    db.close()
    return out


def triple(goalgen, explorer, distiller, **more):
    return dict({"goalgen": {"use": "goalgen/llm", "model": goalgen, "look_around": 20}, "explorer": {"use": "explorer/loop", "model": explorer},
                 "distiller": {"use": "distiller/llm", "model": distiller}}, **more)


def model(proxy, name, family):
    return {"use": "llm/openai", "model": name, "base_url": proxy.url("author", "/v1"), "family": family}
