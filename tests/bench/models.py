"""make bench: 256 attempts at once against a mock of Chat Completions that takes two seconds for each reply. What counts is
what the program adds: memory (all that is resident, what it shares with others included), and the time between the last byte
of a reply and the first byte of the next request. Beside it: Python's http.client with 256 threads against the same mock. Can
be run by itself: tests/env python3 tests/bench/models.py"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
import kit

IN_FLIGHT = 256


class Mock:
    def __enter__(self):
        self.program = subprocess.Popen([os.path.join(kit.BUILD, "tests/bench/llm_mock"), str(IN_FLIGHT)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.program.stdout.readline())
        return self

    def __exit__(self, *_):
        self.said = json.loads(self.program.communicate("")[0])


def peak_mb(program):
    """Largest resident set of a running program, looked at until it ends."""
    peak = 0
    while program.poll() is None:
        try:
            with open("/proc/%d/status" % program.pid) as f:
                peak = max([peak] + [int(line.split()[1]) for line in f if line.startswith("VmHWM")])
        except OSError:
            break
        time.sleep(0.05)
    return peak / 1024


def of_assay():
    with tempfile.TemporaryDirectory(prefix="assay-bench.") as folder, Mock() as mock:
        demo = os.path.join(folder, "demo")
        kit.run(["assay", "init", demo]).check_returncode()
        path = os.path.join(demo, "assay.json")
        with open(path) as f:
            m = json.load(f)
        m["generation"]["categories"] = [{"name": "random", "count": 4, "size": 3}]
        m["models"]["slow"] = {"use": "llm/openai", "model": "bench", "base_url": "http://127.0.0.1:%d/v1" % mock.port,
                               "limits": {"in_flight": IN_FLIGHT}}
        m["evaluation"]["candidates"] = [{"name": "slow", "use": "explorer/loop", "model": "slow"}]
        m["evaluation"]["attempts"] = 256
        with open(path, "w") as f:
            json.dump(m, f)
        made = kit.run(["assay", "generate", "--trust", "--json"], cwd=demo)
        made.check_returncode()
        program = subprocess.Popen(["assay", "eval", "--jobs", str(IN_FLIGHT), "--json"], cwd=demo, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = []
        reader = threading.Thread(target=lambda: said.extend(program.communicate()))
        reader.start()
        peak = peak_mb(program)
        reader.join()
        if program.returncode != 0:
            raise RuntimeError(said[1])
        board = json.loads(said[0])["leaderboard"]
        attempts = [row for row in kit.run(["sqlite3", os.path.join(demo, "assay.db"),
                                            "SELECT ended, count(*) FROM v_attempts GROUP BY 1"]).stdout.split()]
    return mock.said, peak, attempts, board


def of_python():
    body = json.dumps({"model": "bench", "messages": []})

    def talk(port):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(4):
            link.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            json.loads(link.getresponse().read())
        link.close()

    with Mock() as mock:
        threads = [threading.Thread(target=talk, args=(mock.port,)) for _ in range(IN_FLIGHT)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    return mock.said


def figures(figure):
    said, peak, attempts, _ = of_assay()
    peer = of_python()
    print("models: %s, %.1f MB, ends: %s; Python: %s" % (json.dumps(said), peak, " ".join(attempts), json.dumps(peer)))
    name = "%d attempts at once: " % IN_FLIGHT
    figure(name + "lag, median", said["p50_ms"], "ms", "Python's http.client", peer["p50_ms"], "at most 5 ms")
    figure(name + "lag, 99th percentile", said["p99_ms"], "ms", "Python's http.client", peer["p99_ms"], "at most 50 ms")
    figure(name + "memory", peak, "MB", "wanted", 64, "at most 64 MB")
    figure(name + "in flight", said["most"], "requests", "wanted", IN_FLIGHT, "1")


if __name__ == "__main__":
    figures(lambda *row: print(*row))
