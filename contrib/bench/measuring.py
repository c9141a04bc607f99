"""What the commands of this folder share: the programs that measure, servers on a core of their own, files of requests.

Needs the standard library only.
"""

import contextlib
import os
import random
import resource
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOLS = ROOT / ".build-bench"
BIN = ROOT / ".build-out" / "bin"
TESTS = ROOT / "Tests" / "EndToEnd"
SHIPPED_LIST = ROOT / "contrib" / "data" / "cities.json.gz"
START_SECONDS = 20
RESTARTED = "CITIES_BENCH_RESTARTED"

sys.path.insert(0, str(TESTS))


def in_environment():
    """Goes on in the Python of the end-to-end tests, which has their packages; makes it where it is missing."""
    python = ROOT / ".build-venv" / "bin" / "python"
    if Path(sys.prefix) != python.parent.parent:
        if RESTARTED in os.environ:
            sys.exit(f"{python} is not the Python of a virtual environment: remove .build-venv")
        if not python.exists():
            subprocess.run([ROOT / "contrib" / "dependencies", "e2e"], check=True)
        os.execve(python, [str(python), *sys.argv], {**os.environ, RESTARTED: "1"})


def require(packages, *programs):
    """Ends with a message if a program, the compiled ones of the project included, is missing."""
    if missing := [program for program in programs if not shutil.which(program)]:
        sys.exit(f"missing: {', '.join(missing)} (apt-get install {packages})")
    if not (BIN / "citiesd").exists():
        sys.exit("no release programs: run contrib/build first")


def build_tools():
    TOOLS.mkdir(exist_ok=True)
    for name in ("floor", "load", "spawn", "oneshot"):
        flags = ["-static"] if name == "oneshot" else []
        subprocess.run(["gcc", "-O2", "-Wall", *flags, "-o", TOOLS / name, HERE / f"{name}.c", "-lpthread"], check=True)


def command(core, name, *words):
    """The command line of a program that measures, on a core."""
    return ["taskset", "-c", str(core), TOOLS / name, *map(str, words)]


def tool(core, name, *words, before_others=False):
    """Runs a program that measures; what it prints.

    As root, it runs before all others on its core where `before_others` asks for it: its times are those of the server
    then.
    """
    priority = ["chrt", "--fifo", "1"] if before_others and os.geteuid() == 0 else []
    done = subprocess.run([*priority, *command(core, name, *words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name} failed: {done.stderr}")
    return done.stdout


@contextlib.contextmanager
def before_others():
    """Runs this process before all others on its core, as root: its times are those of the server then."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        print("(not root: clients share a core, so the times of one include waiting for others)")
    try:
        yield
    finally:
        as_usual()


def as_usual():
    """Gives up the priority of this process, if it has one."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


class Servers:
    """Servers pinned to core 1, each ended by its pid."""

    def __init__(self):
        self.running = []

    def start(self, socket, *words, **environment):
        process = subprocess.Popen(["taskset", "-c", "1", *map(str, words)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **environment})
        self.running.append(process)
        deadline = time.monotonic() + START_SECONDS
        while not Path(socket).exists():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{words[0]} did not start")
            time.sleep(0.01)
        return process

    def end(self):
        for process in self.running:
            process.terminate()
            process.wait(10)


class Programs:
    """The server of a folder of programs, with the shipped list or another one, on core 1."""

    def __init__(self, name, binaries, folder, servers, source=SHIPPED_LIST):
        self.name, self.client, self.socket, state = name, binaries / "citiesctl", folder / "socket", folder / "state"
        self.program = binaries / "citiesd"
        self.variables = {"CITIES_STATE": str(state), "CITIES_SYNC_SOCKET": str(folder / "none")}
        state.mkdir(parents=True)
        subprocess.run([binaries / "citiesd-sync", "build", source, state / "cities.index"], check=True,
                       stdout=subprocess.DEVNULL)
        self.server = servers.start(self.socket, self.program, CITIES_SOCKET=str(self.socket), **self.variables)
        wait_until_idle(self.server)


def start_programs(servers, folder, peer, kind=Programs):
    """The release programs, and those of another build if `peer` is its folder."""
    programs = [kind("", BIN, folder / "own", servers)]
    if peer:
        programs.append(kind("peer: ", peer.resolve(), folder / "peer", servers))
    return programs


def seconds(process):
    """Processor time of a process so far, as the kernel counts it."""
    return int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e9


def wait_until_idle(process):
    """Waits until a server has verified the checksums of its file."""
    used = -1
    while (now := seconds(process)) - used > 0.02:
        used = now
        time.sleep(1)


def search_times(path, wanted):
    """The times of a client's searches for `wanted` seconds at a server's socket, in milliseconds, ascending."""
    import cbor2  # the environments of the scripts that call this have it
    body = cbor2.dumps({"id": 1, "method": "city.search", "params": {"prefix": "alb", "limit": 20}}, canonical=True)
    request, times = struct.pack(">I", len(body)) + body, []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        end = time.monotonic() + wanted
        while time.monotonic() < end:
            start = time.perf_counter()
            connection.sendall(request)
            (length,) = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))
            connection.recv(length, socket.MSG_WAITALL)
            times.append(1_000 * (time.perf_counter() - start))
            time.sleep(0.001 * random.random())
    return sorted(times)


def add_jobs(parser):
    """Adds the option of ``measure_private`` to the parser of a command line."""
    parser.add_argument("--jobs", type=int, default=0,
        help="private servers of the last measurement (default: 0, one per processor)")


def measure_private(programs, verb, source, target, rows, rounds, jobs):
    """Prints rows per second from file to file with private servers on all processors, with and without --jobs, and the
    processor time of client and servers, all in interleaved rounds.

    If client and server waited for each other, a run would take all of its processor time; so this is also printed as
    a number of processors that were at work.
    """
    commands = [(one.name, one.client, []) for one in programs] + [("", programs[0].client, ["--jobs", str(jobs)])]
    found = [[] for _ in commands]
    for _ in range(rounds):
        for (_, client, words), runs in zip(commands, found, strict=True):
            runs.append(_run_privately([client, verb, *words], source, target))
    print()
    for (name, _, words), runs in zip(commands, found, strict=True):
        clock, used = (statistics.median(times) for times in zip(*runs, strict=True))
        print(f"{name}citiesctl {' '.join([verb, *words])}, {rows:,} rows, private servers: {rows / clock:,.0f} rows "
              f"per second ({rows / max(runs)[0]:,.0f} to {rows / min(runs)[0]:,.0f}), {used:.2f} s of processor time, "
              f"{used / clock:.2f} processors at work")


def _run_privately(command, source, target):
    """The seconds of a command by the clock, and those of processor time, its servers included."""
    def used():
        times = resource.getrusage(resource.RUSAGE_CHILDREN)
        return times.ru_utime + times.ru_stime

    before, start = used(), time.perf_counter()
    with source.open("rb") as given, target.open("wb") as taken:
        done = subprocess.run(command, stdin=given, stdout=taken, stderr=subprocess.DEVNULL, check=False,
                              env={name: value for name, value in os.environ.items() if name != "CITIES_SOCKET"},
                              preexec_fn=lambda: os.sched_setaffinity(0, range(os.cpu_count())))
    # 4: some rows have no city.
    if done.returncode not in (0, 4):
        sys.exit(f"citiesctl exited with {done.returncode}")
    return time.perf_counter() - start, used() - before


def print_times(label, times):
    """Prints the times of ``search_times``; the one that 99 % are below."""
    p99 = times[int(0.99 * len(times))]
    print(f"city.search {label}: {len(times):,} requests, p50 {times[len(times) // 2]:.3f} ms, p99 {p99:.3f} ms, "
          f"longest {times[-1]:.3f} ms")
    return p99


def write_requests(path, requests):
    """Requests as they go over the wire, as load.c reads them."""
    path.write_bytes(b"".join(struct.pack(">I", len(request)) + request for request in requests))


def redis_command(*words):
    """A command in the protocol of redis."""
    parts = [word if isinstance(word, bytes) else word.encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
