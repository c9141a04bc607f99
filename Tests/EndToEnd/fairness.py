"""How one user fares while another asks for the most expensive answers over a thousand connections.

    python3 Tests/EndToEnd/fairness.py [--seconds S] [--connections N] [--ids N] [--refresh] [--replace]

The server runs with the data of costs.py. The greedy user keeps one request in progress on each connection and reopens
connections that the server closes; another user repeats a short question, and root opens a connection every 200 ms.
With `--ids` the connections come from that many user ids, which are one user if /etc/subuid lists them. With
`--refresh` the greedy user also asks for a refresh and leaves, repeatedly, while the source sends a byte per second;
with `--replace` another index of 234,908 cities is put in place every five seconds, or more often in a short run.

The figures are meant to be the server's, not those of clients that compete for a processor. The two observers therefore
run under SCHED_FIFO (chrt(1)), or else at nice -10: on two processors a greater nice value alone would let them wait
for the others' time slices. The greedy processes and the one that replaces indexes run at nice 10. `scheduling` in the
figures of a client names what it was given. The server keeps the priority that its unit or its shell gives it. `busy`
is the share of one processor that the server used: a figure far below 1 means that the greedy user got too little time
to keep it busy. `waited` is the share of the time in which the server's loop could have run and had no processor: with
more than a few hundredths, other programs are in the way, and the longest times are theirs.

Needs root, to be three users. Prints one line of figures for each client. contrib/fairness runs this against the
installed units, and judges it.
"""

import argparse
import contextlib
import gc
import json
import multiprocessing
import os
import re
import resource
import selectors
import shutil
import socket
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import cbor2  # noqa: E402
import costs  # noqa: E402
import harness  # noqa: E402
import upstream  # noqa: E402
from wire import Wire, WireFault, frame, request  # noqa: E402

GREEDY_USER, SHORT_USER = 4710, 4711
# The first of the greedy user's subordinate ids, and their number, as useradd(8) gives them.
FIRST_ID, IDS = 1_000_000, 65_536
QUESTION = {"prefix": "alb", "limit": 20}
# Seconds that the greedy user has to connect before anything is measured.
CONNECTING = 2
PAUSE, ROOT_INTERVAL = 0.001, 0.2
# Seconds between replacements: a twelfth of a run, so that a short one has as many, and five at most.
REPLACEMENT_INTERVAL, REPLACEMENTS = 5, 12
CITIES = 234_908
OBSERVER_NICE, GREEDY_NICE = -10, 10
EXPENSIVE = [
    ("bank.list", {"filter": {"country": costs.LONG}, "limit": 1000}),
    ("city.search", {"prefix": "", "sort": "population", "limit": 1000}),
    ("bank.search", {"query": " ".join(f"a{n}" for n in range(64))}),
    ("product.list", {"in": costs.CODES[85:101], "limit": 1000}),
    ("rate.list", {"base": costs.CODES[100]}),
    ("city.near", {"place": costs.PLACE, "limit": 100}),
]


# The three clients. Each returns what it has seen.


def outcome(payload):
    """What a reply is counted as: ok, or the code of its error."""
    return cbor2.loads(payload)["error"]["code"] if b"eerror" in payload[:16] else "ok"


class GreedyConnection:
    """One connection with one request in progress; as root, from a user id of its own."""

    def __init__(self, path, number, ids):
        self.number = number
        self.socket = socket.socket(socket.AF_UNIX)
        self.request = frame(request(number + 1, *EXPENSIVE[number % len(EXPENSIVE)]))
        self.received = bytearray()
        try:
            with effective_user(FIRST_ID + number % ids if ids else os.geteuid()):
                self.socket.connect(path)
            self.ask()
        except OSError:
            self.socket.close()
            raise

    def ask(self):
        self.socket.sendall(self.request)

    def take(self, seen):
        """Takes what has arrived, and asks again after a whole reply; whether the connection is still open."""
        try:
            chunk = self.socket.recv(1 << 18)
            self.received += chunk
            while len(self.received) >= 4:
                (length,) = struct.unpack_from(">I", self.received)
                if len(self.received) < 4 + length:
                    break
                seen[outcome(bytes(self.received[4:4 + length]))] += 1
                del self.received[:4 + length]
                self.ask()
        except OSError:
            return False
        return bool(chunk)


@contextlib.contextmanager
def effective_user(user):
    """Acts as another user, whom SO_PEERCRED then reports."""
    former = os.geteuid()
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(former)


def greedy(path, seconds, connections, ids=0):
    """Keeps one expensive request in progress on each of many connections, and reopens those that are closed."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    selector, seen, end = selectors.DefaultSelector(), Counter(), time.monotonic() + seconds
    missing = list(range(connections))
    while time.monotonic() < end:
        numbers, missing = missing, []
        for number in numbers:
            try:
                one = GreedyConnection(path, number, ids)
            except OSError:
                seen["refused"] += 1
                missing.append(number)
                continue
            seen["opened"] += 1
            selector.register(one.socket, selectors.EVENT_READ, one)
        for key, _ in selector.select(0.1):
            if key.data.take(seen):
                continue
            seen["closed"] += 1
            selector.unregister(key.data.socket)
            key.data.socket.close()
            missing.append(key.data.number)
    seen["reopened"] = max(0, seen["opened"] - connections)
    return seen


def refresh_and_go(path, seconds):
    """Asks for a refresh and leaves without waiting for the answer."""
    seen, end = Counter(), time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), Wire(path) as wire:
            wire.send("refresh", feeds=["swedbank-lt"])
            seen["asked"] += 1
    return seen


def short(path, seconds):
    """Asks a short question again and again; the times in milliseconds."""
    times, failures, end = [], 0, time.monotonic() + seconds
    wire = Wire(path, 60)
    while (start := time.monotonic()) < end:
        try:
            wire.call("city.search", **QUESTION)
        except (OSError, EOFError, WireFault):
            failures += 1
            wire = Wire(path, 60)
        times.append(1000 * (time.monotonic() - start))
        time.sleep(PAUSE)
    return {**percentiles(times), "failures": failures}


def root(path, seconds):
    """Opens a connection for each question."""
    times, failures, end = [], 0, time.monotonic() + seconds
    while (start := time.monotonic()) < end:
        try:
            with Wire(path, 60) as wire:
                wire.call("city.search", **QUESTION)
        except (OSError, EOFError, WireFault):
            failures += 1
        times.append(1000 * (time.monotonic() - start))
        time.sleep(ROOT_INTERVAL)
    return {**percentiles(times), "failures": failures}


def percentiles(times):
    """Figures of a list of times; `first` is that of a new connection, with its wait in the socket's queue."""
    first = times[0]
    times.sort()
    share = {name: times[int(len(times) * part)] for name, part in (("p50", 0.5), ("p99", 0.99))}
    return {"count": len(times), "first": first, **share, "max": times[-1]}


def favour_this_process():
    """Lets an observer run whenever it has something to do; what it was given."""
    gc.disable()  # a collection would look like a slow reply
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, OBSERVER_NICE)
        except OSError:
            return "usual"
        return f"nice {OBSERVER_NICE}"
    return "SCHED_FIFO"


def yield_to_others():
    """Gives the processors to the server and the observers first."""
    os.setpriority(os.PRIO_PROCESS, 0, GREEDY_NICE)
    return f"nice {GREEDY_NICE}"


class Client:
    """A client in a process of its own, as `user`; `prioritize` is called there while it is still root."""

    def __init__(self, prioritize, function, user, *arguments):
        context = multiprocessing.get_context("fork")  # `user` may not be allowed to start this interpreter
        self.figures, results = context.Pipe(duplex=False)
        self.process = context.Process(target=self.run, args=(prioritize, function, user, arguments, results),
            daemon=True)
        self.process.start()
        assert self.figures.recv() == "started"

    @staticmethod
    def run(prioritize, function, user, arguments, results):
        scheduling = prioritize()
        if user != os.geteuid():
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        results.send("started")
        results.send(function(*arguments) | {"scheduling": scheduling})

    def finish(self, seconds):
        assert self.figures.poll(seconds), "a client has not finished"
        self.process.join()
        return self.figures.recv()


# The server and what happens to it meanwhile.


def memory(pid):
    """The resident set, the part of it that belongs to no file, and the largest resident set so far, in KiB.

    From `status`, which is cheap: `smaps_rollup` walks all pages, and the server's page faults wait for it.
    """
    text = Path(f"/proc/{pid}/status").read_text()
    return [int(re.search(rf"{name}:\s+(\d+)", text)[1]) for name in ("VmRSS", "RssAnon", "VmHWM")]


def forget_peak(pid):
    """Has the kernel start again with the largest resident set (proc(5), clear_refs)."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def processor_seconds(pid):
    """The processor time of a process, with that of threads that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def waiting_seconds(pid):
    """How long the first thread of a process, which runs the server's loop, was ready and had no processor."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9


@contextlib.contextmanager
def serving(folder, drips):
    """A server with the data of costs.py that every user reaches; its sync service if its source `drips`."""
    folder.chmod(0o755)
    server = harness.Server(folder / "server")
    shutil.copy(harness.PREBUILT, server.state / "cities.index")
    made = harness.run_sync(
        "run", "--force", "swedbank-ee", "swedbank-lv", "rates", "transactions", CITIES_STATE=server.state,
        **costs.data(folder))
    assert made.returncode == 0, made.stderr
    server.start()
    server.socket.chmod(0o666)
    with contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        if drips:
            source = upstream.Upstream()
            stack.callback(source.stop)
            source.answers["/lt"] = upstream.drip(b"x" * 10_000)
            sync = harness.Sync(server, CITIES_FEED_SWEDBANK_LT=source.url("/lt")).start()
            stack.callback(sync.stop)
        yield server


def two_indexes(folder):
    """Two indexes of different generations, each as large as the real list."""
    made = []
    for name in ("Alba", "Albany"):
        source = harness.write_list(
            folder / "list.json", [harness.record(n, f"{name} {n}") for n in range(1, CITIES + 1)])
        made.append(folder / f"{name}.index")
        built = harness.build_index(source, made[-1])
        assert built.returncode == 0, built.stderr
    return made


def replace(state, index):
    """Puts an index in the place of the one that is served, as citiesd-sync does."""
    new = state / "cities.index.new"
    shutil.copyfile(index, new)
    new.chmod(0o644)
    new.rename(state / "cities.index")


def replace_repeatedly(state, indexes, seconds):
    """Serves the indexes in turn."""
    end, count = time.monotonic() + seconds, 0
    interval = min(REPLACEMENT_INTERVAL, seconds / REPLACEMENTS)
    while time.monotonic() < end:
        replace(state, indexes[count % len(indexes)])
        count += 1
        time.sleep(min(interval, max(0, end - time.monotonic())))
    return {"count": count}


def watched(pid, seconds):
    """What memory() finds before, after the first tenth and after all of a time, and the shares of one processor's
    time meanwhile.

    The kernel keeps the peak, so that no short one is missed: a third index is mapped for milliseconds only.
    """
    forget_peak(pid)
    start, used, waited, before = time.monotonic(), processor_seconds(pid), waiting_seconds(pid), memory(pid)
    time.sleep(seconds / 10)
    early = memory(pid)
    time.sleep(max(0, start + seconds - time.monotonic()))
    used, waited, took = processor_seconds(pid) - used, waiting_seconds(pid) - waited, time.monotonic() - start
    return {
        "memory": {"before": before, "early": early, "after": memory(pid)}, "busy": used / took,
        "waited": waited / took}


def observe(server, pid, seconds, connections, refresh=False, indexes=(), ids=0):
    """Runs all clients for a time against a server with a `socket` and a `state` folder; the figures by client."""
    path, root_user = str(server.socket), os.geteuid()
    total = seconds + CONNECTING
    greedy_user = root_user if ids else GREEDY_USER
    clients = {"greedy": Client(yield_to_others, greedy, greedy_user, path, total, connections, ids)}
    if refresh:
        clients["refresh"] = Client(yield_to_others, refresh_and_go, GREEDY_USER, path, total)
    for index in indexes:  # the server has a previous generation when the run starts, as it has until the end
        time.sleep(CONNECTING / 4)
        replace(server.state, index)
    time.sleep(CONNECTING - len(indexes) * CONNECTING / 4)
    if indexes:
        clients["replace"] = Client(yield_to_others, replace_repeatedly, root_user, server.state, indexes, seconds)
    clients["short"] = Client(favour_this_process, short, SHORT_USER, path, seconds)
    clients["root"] = Client(favour_this_process, root, root_user, path, seconds)
    figures = watched(pid, seconds)
    return figures | {name: client.finish(seconds + 60) for name, client in clients.items()}


def measure(seconds, connections, refresh=False, replace=False, ids=0):
    """The figures of a server with data of its own."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name), refresh) as server:
        indexes = two_indexes(Path(name)) if replace else []
        time.sleep(1)  # the rows are proved by then
        figures = observe(server, server.process.pid, seconds, connections, refresh, indexes, ids)
        assert server.process.poll() is None, server.log.read_text()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--ids", type=int, default=0)
    parser.add_argument("--refresh", action="store_true")
    parser.add_argument("--replace", action="store_true")
    options = parser.parse_args()
    for name, figures in measure(
            options.seconds, options.connections, options.refresh, options.replace, options.ids).items():
        print(f"{name}: {json.dumps(figures)}")


if __name__ == "__main__":
    main()
