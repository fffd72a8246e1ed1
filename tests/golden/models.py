#!/usr/bin/env python3
"""models.py > vectors/models.json: what pydantic makes of documents of the reference's models, as vectors.

Needs pydantic 2; the models are written down from the reference page here, independently of core/task/model_tables.c.
Every case changes one thing in a document that is in order.
"""
import copy
import json
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

Class = Enum("Class", {k: k for k in ("static", "live_read", "stateful_write")})
Transport = Enum("Transport", {k: k for k in ("stdio", "sse", "streamable_http")})
StepKind = Enum("StepKind", {k: k for k in ("list_tools", "call_tool_agent", "call_tool_server_internal")})
Status = Enum("Status", {k: k for k in ("success", "error", "timeout")})
Scope = Enum("Scope", {k: k for k in ("any_tool_result", "final_assistant_message")})
Kind = Enum("Kind", {k: k for k in ("tool_effect", "value_produced", "state_condition")})


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Fingerprint(Open):
    server_id: str
    transport: Transport
    endpoint: str
    server_name: Optional[str] = None
    server_version: Optional[str] = None
    protocol_version: Optional[str] = None
    capabilities: Optional[dict[str, Any]] = None
    tool_count: int = 0
    tool_surface_hash: str = ""
    observed_at: datetime


class ToolSpec(Open):
    name: str
    description: Optional[str] = None
    input_schema: Optional[dict[str, Any]] = None
    output_schema: Optional[dict[str, Any]] = None


class StepError(Open):
    code: Optional[str] = None
    message: str
    raw: Optional[dict[str, Any]] = None


class Step(Open):
    step_id: int
    parent_step_id: Optional[int] = None
    kind: StepKind
    server_id: str
    tool_name: Optional[str] = None
    arguments: Optional[dict[str, Any]] = None
    arguments_canonical: str = ""
    result: Optional[dict[str, Any]] = None
    result_truncated: bool = False
    started_at: datetime
    ended_at: datetime
    latency_ms: float
    status: Status
    error: Optional[StepError] = None


class Trace(Open):
    trace_id: UUID
    schema_version: str = "0.1.0"
    recorder_version: str = ""
    goal: Optional[str] = None
    seed_metadata: dict[str, Any] = {}
    servers: list[Fingerprint] = []
    tool_specs: dict[str, list[ToolSpec]] = {}
    steps: list[Step] = []
    started_at: datetime
    ended_at: Optional[datetime] = None


class Complexity(Closed):
    trace_depth: int
    distinct_servers: int
    cross_server: bool
    runtime_branching: bool
    state_coupling: bool
    recovery_required: bool


class ToolRef(Closed):
    server_id: str
    tool_name: str


class Matcher(Closed):
    equals: Any = None
    starts_with: Optional[str] = None
    contains: Optional[str] = None
    regex: Optional[str] = None


class ArgPredicate(Closed):
    must_include: dict[str, Any] = {}
    must_match: dict[str, Matcher] = {}


class ValuePredicate(Closed):
    contains_any: Optional[list[str]] = None
    contains_all: Optional[list[str]] = None
    regex: Optional[str] = None


class ToolEffect(Closed):
    kind: Literal["tool_effect"]
    checkpoint_id: str
    description: str
    equivalence_set: list[ToolRef]
    arg_predicate: Optional[ArgPredicate] = None
    must_succeed: bool = True


class ValueProduced(Closed):
    kind: Literal["value_produced"]
    checkpoint_id: str
    description: str
    predicate: ValuePredicate
    scope: Scope = Scope.any_tool_result


class StateCondition(Closed):
    kind: Literal["state_condition"]
    checkpoint_id: str
    description: str
    probe: dict[str, Any] = {}


class Minefield(Closed):
    minefield_id: str
    description: str
    forbidden_tool: Optional[ToolRef] = None
    forbidden_arg_predicate: Optional[ArgPredicate] = None


class Constraint(Closed):
    before_id: str
    after_id: str


class Task(Closed):
    task_id: UUID
    schema_version: str = "0.2.0"
    distiller_version: str = "0.1.0"
    source_trace_id: UUID
    prompt: str
    dynamism: Class
    servers_used: list[str]
    complexity: Complexity
    checkpoints: list[Annotated[Union[ToolEffect, ValueProduced, StateCondition], Field(discriminator="kind")]]
    minefields: list[Minefield] = []
    ordering: list[Constraint] = []
    notes: Optional[str] = None
    provenance: dict[str, Any] = {}
    created_at: datetime


class CheckResult(Closed):
    checkpoint_id: str
    kind: Kind
    passed: bool
    reason: str
    matched_step_id: Optional[int] = None
    tier: int = 1


class MineResult(Closed):
    minefield_id: str
    hit: bool
    reason: str
    tripped_step_id: Optional[int] = None


class Result(Closed):
    schema_version: str = "0.1.0"
    evaluator_version: str = "0.1.0"
    task_id: UUID
    candidate_trace_id: UUID
    candidate_model: Optional[str] = None
    evaluation_mode: Optional[str] = None
    repeat_index: int = 0
    had_sae: bool = False
    passed: bool
    checkpoint_results: list[CheckResult]
    minefield_results: list[MineResult]
    ordering_ok: bool
    ordering_failures: list[str] = []
    summary: dict[str, Any] = {}
    evaluated_at: datetime


class Goal(Closed):
    goal_id: str
    goal: str
    servers: list[str] = Field(min_length=1)
    persona: Optional[str] = None
    tags: list[str] = []
    budget: Optional[int] = None


class Goals(Closed):
    goals_version: str = "0.1.0"
    entries: list[Goal]

    @model_validator(mode="after")
    def distinct(self):
        if len({e.goal_id for e in self.entries}) < len(self.entries):
            raise ValueError("duplicate goal_id")
        return self


class Server(Closed):
    server_id: str
    transport: Transport
    dynamism: Class
    sandbox: bool = False
    description: Optional[str] = None
    tags: list[str] = []
    command: Optional[str] = None
    args: list[str] = []
    env: Optional[dict[str, str]] = None
    endpoint: Optional[str] = None
    headers: Optional[dict[str, str]] = None
    package: Optional[dict[str, Any]] = None
    tool_count: Optional[int] = None
    requires_env: list[str] = []

    @model_validator(mode="after")
    def rules(self):
        local = self.transport == Transport.stdio
        if self.dynamism == Class.stateful_write and not self.sandbox:
            raise ValueError("sandbox")
        if local and (not self.command or self.endpoint is not None or self.headers is not None):
            raise ValueError("stdio")
        if not local and (not self.endpoint or self.command is not None or self.args or self.env is not None):
            raise ValueError("remote")
        return self


class Manifest(Closed):
    manifest_version: str = "0.1.0"
    servers: list[Server]

    @model_validator(mode="after")
    def distinct(self):
        if len({s.server_id for s in self.servers}) < len(self.servers):
            raise ValueError("duplicate server_id")
        return self


U1, U2 = "0f0e0d0c-0b0a-4909-8807-060504030201", "11111111-2222-4333-8444-555555555555"
NOW = "2026-01-02T03:04:05.678901Z"
EFFECT = {"kind": "tool_effect", "checkpoint_id": "c1", "description": "d",
          "equivalence_set": [{"server_id": "s", "tool_name": "t"}],
          "arg_predicate": {"must_include": {"n": 1}, "must_match": {"q": {"contains": "x"}}}}
VALUE = {"kind": "value_produced", "checkpoint_id": "c2", "description": "", "predicate": {"contains_any": ["a", "b"]}}
STATE = {"kind": "state_condition", "checkpoint_id": "c3", "description": "d"}
TASK = {"task_id": U1, "source_trace_id": U2, "prompt": "p", "dynamism": "live_read", "servers_used": ["s"],
        "complexity": {"trace_depth": 1, "distinct_servers": 1, "cross_server": False, "runtime_branching": False,
                       "state_coupling": False, "recovery_required": False},
        "checkpoints": [EFFECT, VALUE, STATE],
        "minefields": [{"minefield_id": "m", "description": "d", "forbidden_tool": {"server_id": "s", "tool_name": "u"}}],
        "ordering": [{"before_id": "c1", "after_id": "c2"}], "created_at": NOW}
STEP = {"step_id": 0, "kind": "call_tool_agent", "server_id": "s", "tool_name": "t", "arguments": {"n": 1},
        "arguments_canonical": "{\"n\":1}", "result": {"meta": None, "content": [{"type": "text", "text": "ok"}]},
        "started_at": NOW, "ended_at": NOW, "latency_ms": 851.7900000000001, "status": "success"}
TRACE = {"trace_id": U1, "goal": "g", "seed_metadata": {"budget": 3}, "steps": [STEP], "started_at": NOW,
         "servers": [{"server_id": "s", "transport": "stdio", "endpoint": "cmd", "observed_at": NOW}],
         "tool_specs": {"s": [{"name": "t", "annotations": {"x": 1}}]}}
RESULT = {"task_id": U1, "candidate_trace_id": U2, "passed": True, "ordering_ok": True, "evaluated_at": NOW,
          "checkpoint_results": [{"checkpoint_id": "c1", "kind": "tool_effect", "passed": True, "reason": "r",
                                  "matched_step_id": 0}],
          "minefield_results": [{"minefield_id": "m", "hit": False, "reason": "r"}], "summary": {"a": 0.0}}
GOALS = {"entries": [{"goal_id": "g1", "goal": "do", "servers": ["s"]}, {"goal_id": "g2", "goal": "do", "servers": ["s"]}]}
LOCAL = {"server_id": "a", "transport": "stdio", "dynamism": "static", "command": "run"}
REMOTE = {"server_id": "b", "transport": "sse", "dynamism": "live_read", "endpoint": "http://x"}
MANIFEST = {"servers": [LOCAL, REMOTE]}

INTS = ['"3"', '" 3 "', '"+3"', '"03"', '"1_000"', '"3.0"', '"3.5"', "3.0", "3.5", "true", '""', "18446744073709551616",
        "1e3", "1e400", "NaN", "-0", "-0.0", '"0x1"', '"3."', '"1__0"', '"9223372036854775808"', '"1e3"', '"-0"', "null", "[]"]
REALS = ['"1.5"', '" 1.5 "', '"1e3"', '"1_0.5"', "true", "1e400", "NaN", "-Infinity", "1", "-0", "-0.0", "18446744073709551616", '""', '".5"',
         '"5."', '"0x1p3"', "1e-5", "1.5e-5", "1e-6", "123456789012345680", "1e16", "1e15", "5e-324", "null",
         '"inf"', '"nan"', "0.1", "851.7900000000001", "1.7976931348623157e308", "-1.25e-7"]
BOOLS = ["0", "1", "2", "1.0", "0.0", '"true"', '"TRUE"', '"t"', '"F"', '"yes"', '"No"', '"on"', '"OFF"', '"y"', '"n"',
         '"1"', '"0"', '" true"', '""', "-0", '"yep"', "null"]
TIMES = ["2026-06-02T12:56:00.3Z", "2026-06-02T12:56:00", "2026-06-02 12:56:00", "2026-06-02T12:56", "2026-06-02",
         "2026-06-02T12:56:00+00:00", "2026-06-02T12:56:00+02:00", "2026-06-02T12:56:00-0530", "2026-06-02T12:56:00+02",
         "2026-06-02T12:56:00.1234567Z", "2026-06-02t12:56:00z", "2026-06-02_12:56:00", "2026-06-02T24:00:00",
         "2026-02-30T00:00:00", "2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2026-06-02T12:56:60Z", "1780000000",
         " 2026-06-02T12:56:00Z", "2026-06-02T12:56:00 Z", "20260602T125600Z", "2026-06-02T12:56:00,5Z",
         "2026-06-02T12:56:00.Z", "2026-06-02T12:56:00.000000Z", "2026-06-02T12:56:00-00:00",
         "2026-06-02T12:56:00+24:00", "2026-06-02T12:56:00+23:59", "2026-06-02T12:56:00+02:60", "0000-01-01T00:00:00Z",
         "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-06-02T1:56:00Z", "2026-06-02T12Z", "", "x"]
TIMES = [json.dumps(t) for t in TIMES] + ["0", "1780000000", "1.5", "1780000000000", "-1", "true", "20000000000",
                                          "20000000001", "1e20", "null", "{}"]
UUIDS = ["6A1CF6A7-de94-4d5a-96f5-97bedc45c2ce", "6a1cf6a7de944d5a96f597bedc45c2ce",
         "urn:uuid:6a1cf6a7-de94-4d5a-96f5-97bedc45c2ce", "{6a1cf6a7-de94-4d5a-96f5-97bedc45c2ce}", "", "x",
         " 6a1cf6a7-de94-4d5a-96f5-97bedc45c2ce", "6a1cf6a7-de945d-4d5a-96f5-97bedc45c2ce",
         "6a1cf6a7-de94-4d5a-96f5-97bedc45c2cg", "6a1cf6a7-de944d5a96f597bedc45c2ce"]
UUIDS = [json.dumps(u) for u in UUIDS] + ["5", "null"]
FREE = ["1.50", "1E3", "-0", "-0.0", "1e-7", "1e-5", "1e16", "18446744073709551616123", "1e400", '{"b":1,"a":2,"b":3}',
        '"\\u0000"', '"\\u007f\\u2028\\b\\f/"', '"\\ud83d\\ude00"', "1e22", "123456789.123456789e3", "0.00001234", "[]",
        "{}", '[{"x":null}]', "0.0001", "9007199254740993", "1e-100", "NaN", "Infinity", "-Infinity", "[NaN,{\"y\":-Infinity}]",
        '"NaN"', "-NaN", "nan", "+Infinity", "Infinityx", '"\\ud800"', '"\\udc00\\ud800"', '{"\\ud83d":1}', "7" * 4300, "7" * 4301,
        "-" + "7" * 4299, "-" + "7" * 4300, "7" * 4300 + ".5", "7" * 4301 + ".5", "0." + "7" * 4301,
        "[" * 198 + "]" * 198, "[" * 199 + "]" * 199, "[" * 200 + "]" * 200]
TEXTS = ["5", "null", "true", '["a"]', '"\\u00e9\\u6771"']

# model name, class, document, [(path, JSON texts)]; a path ends with a key, "+" adds a key that the model does not know
# and "-" removes one
PLANS = [
    ("trace", Trace, TRACE, [
        ("trace_id", UUIDS), ("goal", TEXTS), ("steps/0/step_id", INTS), ("steps/0/latency_ms", REALS),
        ("steps/0/result_truncated", BOOLS), ("started_at", TIMES), ("ended_at", ["null", '"2026-06-02"', '""']),
        ("steps/0/arguments", ["null", "{}", "[]", '"x"']), ("steps/0/result", ["null", "[]", "5"]),
        ("steps/0/status", ['"error"', '"timeout"', '"Success"', '"unknown"', "null", "1"]),
        ("steps/0/kind", ['"list_tools"', '"call_tool_server_internal"', '"call_tool"', "null"]),
        ("steps/0/error", ['{"message":"m"}', '{"code":null,"message":"m","raw":{},"more":1.50}', '{"code":"c"}', "null", "[]"]),
        ("seed_metadata/x", FREE), ("steps/0/arguments/v", FREE), ("seed_metadata", ["null", "[]", "{}"]), ("steps", ["null", "{}", "[]"]),
        ("servers/0/transport", ['"sse"', '"http"', '"streamable-http"']), ("servers/0/capabilities", ["null", "{}", "[]"]),
        ("tool_specs", ['{"s":[]}', '{"s":null}', "[]", '{"s":[{"description":"no name"}]}']),
        ("+", FREE[:4]), ("steps/0/+", FREE[:4]), ("servers/0/+", ["1"]), ("-goal", []), ("-steps", []),
        ("-steps/0/step_id", []), ("-steps/0/server_id", []), ("-steps/0/arguments_canonical", [])]),
    ("task", Task, TASK, [
        ("task_id", UUIDS), ("source_trace_id", UUIDS[:3] + ["null"]), ("prompt", TEXTS), ("created_at", TIMES[:6]),
        ("complexity/trace_depth", INTS), ("complexity/cross_server", BOOLS), ("dynamism", ['"static"', '"Static"', "null"]),
        ("servers_used", ["[]", '["a",1]', "null", '"s"']), ("notes", TEXTS), ("provenance", ["null", "{}", '{"a":1.50}']),
        ("checkpoints", ["[]", "null", "{}"]), ("checkpoints/0/kind", ['"tool"', "null", '"value_produced"', "1"]),
        ("checkpoints/0/equivalence_set", ["[]", "null", '[{"server_id":"s"}]', '[{"server_id":"s","tool_name":"t","x":1}]']),
        ("checkpoints/0/arg_predicate", ["null", "{}", '{"must_include":null}', '{"must_match":{"a":{}}}',
                                         '{"must_match":{"a":{"equals":1.50,"regex":null}}}', '{"must_match":{"a":null}}',
                                         '{"must_match":{"a":{"ends_with":"x"}}}', '{"must_match":{"a":{"contains":5}}}', "[]"]),
        ("checkpoints/0/must_succeed", BOOLS), ("checkpoints/1/scope", ['"final_assistant_message"', '"any"', "null"]),
        ("checkpoints/1/predicate", ["{}", "null", '{"contains_any":[]}', '{"contains_all":["a",null]}', '{"regex":"("}',
                                     '{"contains_any":"abc"}', '{"min_length":1}']),
        ("checkpoints/2/probe", ["{}", "null", '{"x":1e3}']), ("checkpoints/0/+", ["1"]), ("+", ["1", "null"]),
        ("complexity/+", ["1"]), ("minefields/0/+", ["1"]), ("minefields/0/forbidden_tool", ["null", "{}", '"x"']),
        ("minefields/0/forbidden_arg_predicate", ["null", "{}", "[]"]), ("minefields", ["null", "[]"]),
        ("ordering", ["[]", '[{"before_id":"c1"}]', '[{"before_id":"c1","after_id":"c1"}]', '[{"before_id":1,"after_id":"c1"}]']),
        ("-provenance", []), ("-minefields", []), ("-checkpoints", []), ("-complexity/recovery_required", []),
        ("-checkpoints/0/kind", []), ("-checkpoints/1/predicate", []), ("-servers_used", [])]),
    ("evaluation result", Result, RESULT, [
        ("task_id", UUIDS[:4]), ("candidate_trace_id", UUIDS[:4]), ("repeat_index", INTS), ("passed", BOOLS), ("had_sae", BOOLS[:4]),
        ("candidate_model", TEXTS), ("checkpoint_results/0/matched_step_id", ["null", '"4"', "4.0", "4.5"]),
        ("checkpoint_results/0/kind", ['"state_condition"', '"other"']), ("checkpoint_results/0/tier", ["2", "null"]),
        ("minefield_results/0/tripped_step_id", ["null", "7", "true"]), ("summary", ["{}", "null", '{"cost":{"x":1.50}}']),
        ("ordering_failures", ["[]", '["a"]', "[1]"]), ("evaluated_at", TIMES[:6]), ("+", ["1"]), ("checkpoint_results/0/+", ["1"]),
        ("-checkpoint_results", []), ("-passed", []), ("-summary", []), ("-ordering_ok", [])]),
    ("file of goals", Goals, GOALS, [
        ("entries/0/servers", ["[]", '["a","b"]', "null"]), ("entries/0/budget", INTS[:6]), ("entries/0/goal_id", ['"g2"', '""', "1"]),
        ("entries/0/tags", ["[]", "null", '["x"]']), ("entries/0/persona", TEXTS), ("entries", ["[]", "null"]), ("+", ["1"]),
        ("entries/0/+", ["1"]), ("goals_version", ['"9"', "1"]), ("-entries/0/goal", [])]),
    ("server manifest", Manifest, MANIFEST, [
        ("servers/0/dynamism", ['"stateful_write"', '"live_read"', '"x"']), ("servers/0/sandbox", BOOLS[:6]),
        ("servers/0/command", ['""', "null"]), ("servers/0/endpoint", ['"http://x"', '""']), ("servers/0/headers", ["{}", "null"]),
        ("servers/0/env", ["{}", '{"A":"b"}', '{"A":1}', "null"]), ("servers/0/args", ['["-x"]', "[1]", "null"]),
        ("servers/0/server_id", ['"b"']), ("servers/1/command", ['"x"', '""']), ("servers/1/args", ['["x"]', "[]"]),
        ("servers/1/env", ["{}", "null"]), ("servers/1/endpoint", ['""', "null"]), ("servers/1/headers", ['{"A":"b"}', '{"A":null}']),
        ("servers/0/tool_count", ["null", '"7"']), ("servers/0/requires_env", ['["K"]', "null"]), ("servers/0/package", ["{}", '{"kind":"npm"}']),
        ("servers/0/transport", ['"streamable_http"']), ("servers", ["[]", "null"]), ("+", ["1"]), ("servers/0/+", ["1"]),
        ("-servers/0/dynamism", []), ("-servers", [])]),
]


class Raw(str):
    """JSON text to be put in as it stands."""


def dump(v):
    if isinstance(v, Raw):
        return str(v)
    if isinstance(v, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dump(x) for k, x in v.items()) + "}"
    if isinstance(v, list):
        return "[" + ",".join(dump(x) for x in v) + "]"
    return json.dumps(v)


def changed(document, path, text):
    d = copy.deepcopy(document)
    remove = path.startswith("-")
    *parents, last = path.lstrip("-").split("/")
    at = d
    for p in parents:
        at = at[int(p) if isinstance(at, list) else p]
    if remove:
        at.pop(last, None)
    else:
        at[int(last) if isinstance(at, list) else "unknown_key" if last == "+" else last] = Raw(text)
    return dump(d)


def main():
    cases = []
    for name, cls, document, plan in PLANS:
        texts = [dump(document)]
        for path, values in plan:
            texts += [changed(document, path, v) for v in values] or [changed(document, path, "")]
        for text in texts:
            try:
                written = cls.model_validate_json(text).model_dump_json()
                cls.model_validate_json(written)  # an infinite number is written as null, which a number is not read from
            except ValidationError:
                written = None
            cases.append({"model": name, "read": text, "written": written})
    lines = ",\n".join("  " + json.dumps(c) for c in cases)
    print('{\n "about": "Documents as pydantic reads and writes them (models.py).",\n "cases": [\n' + lines + "\n ]\n}")


main()
