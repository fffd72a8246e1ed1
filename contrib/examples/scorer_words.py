#!/usr/bin/env python3
"""scorer/command in Python: short final messages score high. The protocol: command.md.

    "scorers": [{ "use": "scorer/command", "argv": ["python3", "scorer_words.py"], "options": { "words": 50 } }]"""
import json
import sys


def say(value):
    print(json.dumps(value), flush=True)


greeting = json.loads(sys.stdin.readline())
most = greeting.get("options", {}).get("words", 100)
say({"assay": 1, "name": "words", "version": "1.0"})
for line in sys.stdin:
    request = json.loads(line)
    message = request["params"].get("final_message") or ""
    words = len(message.split())
    score = 1.0 if words <= most else most / words
    say({"id": request["id"], "result": {"verdict": "pass" if score == 1.0 else "fail", "lo": score, "hi": score,
                                         "metrics": {"words": words}}})
