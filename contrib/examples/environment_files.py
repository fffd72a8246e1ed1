#!/usr/bin/env python3
"""environment/command in Python: a folder made of a template, with a digest of what it holds and copies that can be put
back, as environment/folder has them. The protocol: command.md.

    "environments": { "mine": { "use": "environment/command", "argv": ["python3", "environment_files.py"],
                                "options": { "template": "template" } } }"""
import hashlib
import json
import os
import shutil
import sys


def say(value):
    print(json.dumps(value), flush=True)


def prepare(params):
    folder = params["workdir"]
    if template:
        shutil.copytree(template, folder, symlinks=True, dirs_exist_ok=True)
    return {"bindings": {"dir": folder}, "state": folder, "can": ["digest", "snapshot", "restore"]}


def digest(params):
    """Of names and contents in a fixed order, each with its length in front: equal folders, equal digests."""
    total = hashlib.sha256()
    for parent, folders, names in os.walk(params["state"]):
        folders.sort()
        for name in sorted(folders + names):
            path = os.path.join(parent, name)
            content = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            for part in (os.path.relpath(path, params["state"]).encode("utf-8", "surrogateescape"), content):
                total.update(b"%d:" % len(part) + part)
    return {"digest": total.hexdigest()}


def snapshot(params):
    place = params["state"] + "~" + params["name"]  # beside the folder, with which it goes
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(params["state"], place, symlinks=True)


def restore(params):
    shutil.rmtree(params["state"])
    shutil.copytree(params["state"] + "~" + params["name"], params["state"], symlinks=True)


def cleanup(params):
    shutil.rmtree(params["state"], ignore_errors=True)


template = json.loads(sys.stdin.readline()).get("options", {}).get("template")
say({"assay": 1, "name": "files", "version": "1.0"})
for line in sys.stdin:
    request = json.loads(line)
    work = {"prepare": prepare, "digest": digest, "snapshot": snapshot, "restore": restore, "cleanup": cleanup}
    try:
        say({"id": request["id"], "result": work[request["op"]](request["params"])})
    except (KeyError, OSError) as why:
        say({"id": request["id"], "error": {"message": f"{request['op']}: {why!r}"}})
