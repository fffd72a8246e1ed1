"""The main job on real servers: the demo's manifest with two of its servers swapped for ones from npm, run to a release that
verifies. Files are the demo's notes; the knowledge graph is below."""

import json
import os
import shutil
import sqlite3

import kit

PACKAGES = {"files": "@modelcontextprotocol/server-filesystem/dist/index.js",
            "graph": "@modelcontextprotocol/server-memory/dist/index.js"}
ENTITIES = [("Northwind Cabins", "customer", "orders copper kettles every spring"), ("Lakeside Hostel", "customer", "pays by invoice"),
            ("Ravenhill School", "customer", "orders stationery in August"), ("Uji Leaf Co", "supplier", "delivers tea in 12 days"),
            ("Nordlys Works", "supplier", "closed in July"), ("Ferro and Daughters", "supplier", "ships from Lisbon"),
            ("Haruka Sato", "person", "speaks English and Japanese"), ("Marta Ferro", "person", "prefers phone calls"),
            ("Copper kettle", "product", "weighs 1.4 kg"), ("Storm lantern", "product", "costs 42 euros")]
RELATIONS = [("Haruka Sato", "works for", "Uji Leaf Co"), ("Marta Ferro", "owns", "Ferro and Daughters"),
             ("Ferro and Daughters", "makes", "Copper kettle"), ("Nordlys Works", "makes", "Storm lantern")]


def write_states(folder):
    """What the two servers find: the demo's notes, and a graph. Answers some of the notes' names."""
    notes = os.path.join(kit.SOURCE, "contrib/demo/states/notes")
    shutil.copytree(notes, os.path.join(folder, "states/files"))
    os.makedirs(os.path.join(folder, "states/graph"))
    with open(os.path.join(folder, "states/graph/memory.jsonl"), "w") as f:
        for name, kind, text in ENTITIES:
            f.write(json.dumps({"type": "entity", "name": name, "entityType": kind, "observations": [text]}) + "\n")
        for subject, verb, thing in RELATIONS:
            f.write(json.dumps({"type": "relation", "from": subject, "to": thing, "relationType": verb}) + "\n")
    return sorted(name for name in os.listdir(notes) if name.endswith(".md"))[:8]


def manifest_of(folder, npm):
    with open(os.path.join(kit.SOURCE, "contrib/demo/assay.json")) as f:
        m = json.load(f)
    program = {name: os.path.realpath(os.path.join(npm, path)) for name, path in PACKAGES.items()}
    almanac = m["mcpServers"]["almanac"], m["servers"]["almanac"]
    m["name"] = "real-servers"
    m["mcpServers"] = {
        "files": {"command": kit.node(), "args": [program["files"], "${env:files.dir}"]},
        "graph": {"command": kit.node(), "args": [program["graph"]], "env": {"MEMORY_FILE_PATH": "${env:graph.dir}/memory.jsonl"}},
        "almanac": almanac[0]}
    m["servers"] = {
        # Its paths may be relative to its folder: these are what goals may name.
        "files": {"class": "stateful_write", "environment": "files", "tags": ["domain:notes"],
                  "resources": [{"kind": "file", "value": name} for name in write_states(folder)]},
        "graph": {"class": "stateful_write", "environment": "graph", "tags": ["domain:graph"]}, "almanac": almanac[1]}
    m["environments"] = {name: {"use": "environment/folder", "template": "states/" + name} for name in PACKAGES}
    m["generation"]["categories"] = [{"name": "random", "count": 5, "size": 2}, {"name": "hard_negative", "count": 4, "size": 2}]
    m["generation"]["max_goals"] = 60
    m["evaluation"]["attempts"] = 2
    return m


def run(results, folder, npm):
    place = os.path.join(folder, "job")
    temporary = os.path.join(place, "tmp")
    os.makedirs(temporary)
    with open(os.path.join(place, "assay.json"), "w") as f:
        json.dump(manifest_of(place, npm), f, indent=1)
    environment = dict(os.environ, TMPDIR=temporary)
    done = kit.run(["assay", "run"], cwd=place, env=environment)
    results.check(done.returncode == 0, "the main job runs with two servers from npm", done.stdout[-1500:] + done.stderr)
    if done.returncode != 0:
        return
    release = [name for name in os.listdir(place) if name.endswith(".tar.zst")]
    verified = kit.run(["assay", "verify", *release], cwd=place, env=environment)
    results.check(verified.returncode == 0 and "verified: identity sha256:" in verified.stdout, "its release verifies",
                  verified.stdout[-1500:] + verified.stderr)
    store = sqlite3.connect(os.path.join(place, "assay.db"))
    tasks = [json.loads(body) for body, in store.execute("select body from tasks")]
    called = [(tool["server_id"], tool["tool_name"]) for task in tasks for check in task["checkpoints"]
              for tool in check.get("equivalence_set", [])]
    for server in PACKAGES:
        results.check(any(name == server for name, _ in called), "tasks were made of %s" % server, called)
    wrote = [tool for server, tool in called if server == "files" and tool in ("write_file", "create_directory", "move_file")]
    results.check(wrote, "and one of them changes something", called)
    careful = store.execute("select passed, attempts from v_leaderboard where candidate = 'careful'").fetchone()
    results.check(careful and careful[1] == 18 and careful[0] > 9, "the rule-based agent solves most of them", careful)
    results.check(not os.listdir(temporary), "no environment is left behind", os.listdir(temporary))
