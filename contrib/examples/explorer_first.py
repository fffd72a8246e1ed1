#!/usr/bin/env python3
"""explorer/command in Python: calls each tool that needs no argument, once. The protocol: command.md.

    "candidates": [{ "name": "first", "use": "explorer/command", "argv": ["python3", "explorer_first.py"] }]"""
import json
import sys


def say(value):
    print(json.dumps(value), flush=True)


def ask(op, params=None):
    """A question to assay; None when it was refused."""
    say({"ask": op, "id": 1, "params": params})
    return json.loads(sys.stdin.readline()).get("result")


def run(params):
    calls = good = 0
    last = None
    for tool in ask("offers") or []:
        schema = tool.get("parameters") if isinstance(tool, dict) else None
        if calls >= params["turns"] or (isinstance(schema, dict) and schema.get("required")):
            continue
        answer = ask("act", {"name": tool.get("name") if isinstance(tool, dict) else "", "arguments": {}})
        if answer is None:
            break  # cancelled or out of time: assay knows
        calls += 1
        good += not answer["is_error"]
        last = answer["text"]
    return {"outcome": "completed" if calls else "no_tools_called", "end": "finished" if calls else "gave_up",
            "final_message": last, "tool_call_count": calls, "successful_tool_calls": good, "turns": calls, "messages": []}


sys.stdin.readline()
say({"assay": 1, "name": "first", "version": "1.0"})
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    say({"id": request["id"], "result": run(request["params"])})
