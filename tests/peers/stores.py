"""The databases that some peers are the servers of: Redis and PostgreSQL, from the system, each on a port of loopback and in a
folder of its own. One that is not installed is not there, and neither are its peers."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import time

import kit

PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin", *sorted(glob.glob("/usr/lib/postgresql/*/bin"))])
PROGRAMS = {"redis": ["redis-server"], "postgres": ["initdb", "postgres"]}


def is_there(name):
    return all(shutil.which(program, path=PATH) for program in PROGRAMS[name])


def redis(folder, port):
    return ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]


def postgres(folder, port):
    """It does not run as root: the user that came with it does it then."""
    data, become = os.path.join(folder, "data"), []
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        become = ["runuser", "-u", "postgres", "--"]
    kit.run([*become, shutil.which("initdb", path=PATH), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
            cwd=folder).check_returncode()
    return [*become, shutil.which("postgres", path=PATH), "-D", data, "-k", folder, "-h", "127.0.0.1", "-p", str(port)]


def start(name, folder):
    """The process, in a session of its own, and its port, which is open."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with open(folder + ".log", "w") as log:
        process = subprocess.Popen({"redis": redis, "postgres": postgres}[name](folder, port), cwd=folder,
                                   env=dict(os.environ, PATH=PATH), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    return process, port
