"""How one user fares while another asks for the most expensive answers over a thousand connections.

    python3 Tests/EndToEnd/fairness.py [--seconds S] [--connections N] [--refresh] [--replace]

The server runs with the data of costs.py. One user (65534) keeps a request under way on each connection, another (4711)
asks a short question again and again, and root connects anew each 200 ms. `--refresh` has the first user also ask for a
refresh and go, again and again, while the source drips; `--replace` puts another index in place every five seconds.
Needs root, to be three users. Prints figures, one a line.
"""

import argparse
import contextlib
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

GREEDY_USER, SHORT_USER = 65534, 4711
QUESTION = {"prefix": "alb", "limit": 20}
# Seconds that the first user has to connect before anything is measured.
CONNECTING = 2
PAUSE, ROOT_INTERVAL, REPLACEMENT_INTERVAL = 0.001, 0.2, 5
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
    """One connection with one request under way."""

    def __init__(self, path, number):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.request = frame(request(number + 1, *EXPENSIVE[number % len(EXPENSIVE)]))
        self.received = bytearray()
        self.ask()

    def ask(self):
        self.socket.sendall(self.request)

    def take(self, seen):
        """Takes what has arrived, and asks again after a whole reply; whether the connection is still open."""
        chunk = self.socket.recv(1 << 18)
        self.received += chunk
        while len(self.received) >= 4:
            (length,) = struct.unpack_from(">I", self.received)
            if len(self.received) < 4 + length:
                break
            seen[outcome(bytes(self.received[4:4 + length]))] += 1
            del self.received[:4 + length]
            self.ask()
        return bool(chunk)


def greedy(path, seconds, connections):
    """Keeps one expensive request under way on each of many connections."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    selector, seen, end = selectors.DefaultSelector(), Counter(), time.monotonic() + seconds
    for number in range(connections):
        one = GreedyConnection(path, number)
        selector.register(one.socket, selectors.EVENT_READ, one)
    while time.monotonic() < end:
        for key, _ in selector.select(0.1):
            try:
                is_open = key.data.take(seen)
            except OSError:
                is_open = False
            if not is_open:
                seen["closed"] += 1
                selector.unregister(key.data.socket)
    return seen


def refresh_and_go(path, seconds):
    """Asks for a refresh and goes without waiting for the answer."""
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
    times.sort()
    share = {name: times[int(len(times) * part)] for name, part in (("p50", 0.5), ("p99", 0.99))}
    return {"count": len(times), **share, "max": times[-1]}


class Client:
    """A client under way in a process of its own, as `user`."""

    def __init__(self, function, user, *arguments):
        context = multiprocessing.get_context("fork")  # `user` may not be allowed to start this interpreter
        self.figures, results = context.Pipe(duplex=False)
        self.process = context.Process(target=self.run, args=(function, user, arguments, results), daemon=True)
        self.process.start()
        assert self.figures.recv() == "started"

    @staticmethod
    def run(function, user, arguments, results):
        if user != os.geteuid():
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        results.send("started")
        results.send(function(*arguments))

    def finish(self, seconds):
        assert self.figures.poll(seconds), "a client has not finished"
        self.process.join()
        return self.figures.recv()


# The server and what happens to it meanwhile.


def memory(server):
    """The resident set and the private dirty memory in KiB."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    return [int(re.search(rf"{name}:\s+(\d+)", text)[1]) for name in ("Rss", "Private_Dirty")]


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


def replace_in_turn(server, indexes, number):
    """Puts one of the indexes in the place of the one that is served."""
    new = server.state / "cities.index.new"
    shutil.copy(indexes[number % len(indexes)], new)
    new.rename(server.state / "cities.index")


def measure(seconds, connections, refresh=False, replace=False):
    """Runs everything for a time; the figures by client, and the memory."""
    with tempfile.TemporaryDirectory() as name, serving(Path(name), refresh) as server:
        other = Path(name) / "other.index"
        if replace:
            harness.write_list(Path(name) / "list.json", [harness.record(n, f"Alba {n}") for n in range(1, 234_909)])
            made = harness.build_index(Path(name) / "list.json", other)
            assert made.returncode == 0, made.stderr
        time.sleep(1)  # the rows are proved by then
        path = str(server.socket)
        clients = {"greedy": Client(greedy, GREEDY_USER, path, seconds + CONNECTING, connections)}
        if refresh:
            clients["refresh"] = Client(refresh_and_go, GREEDY_USER, path, seconds + CONNECTING)
        time.sleep(CONNECTING)
        before = memory(server)
        clients |= {"short": Client(short, SHORT_USER, path, seconds), "root": Client(root, os.geteuid(), path, seconds)}
        end = time.monotonic() + seconds - 1
        replacements = 0
        while time.monotonic() < end:
            time.sleep(min(REPLACEMENT_INTERVAL, max(0, end - time.monotonic())))
            if replace:
                replace_in_turn(server, [other, harness.PREBUILT], replacements)
                replacements += 1
        after = memory(server)
        figures = {name: client.finish(seconds + 60) for name, client in clients.items()}
        assert server.process.poll() is None, server.log.read_text()
    return figures | {"memory": {"before": before, "after": after}, "replacements": replacements}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--refresh", action="store_true")
    parser.add_argument("--replace", action="store_true")
    options = parser.parse_args()
    for name, figures in measure(options.seconds, options.connections, options.refresh, options.replace).items():
        print(f"{name}: {json.dumps(figures)}")


if __name__ == "__main__":
    main()
