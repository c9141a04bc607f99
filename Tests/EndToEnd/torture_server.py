"""Scenarios of contrib/torture in which `citiesd` is disturbed, below clients that check every answer."""

import contextlib
import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import cbor2
import harness
import torture_base
from chain import FEEDS, variable
from torture_base import Bad, Late
from wire import Wire, frame, request

# Those of citiesd(8).
STATUSES = frozenset({2, 74, 77, 78})
# Seconds between two attempts.
PAUSE = 0.02
PLACE = {"at": {"lat": 48.85, "lon": 2.35}}
# A request of each kind whose answer depends on the data alone.
REQUESTS = [
    ("introspect", {}),
    ("city.search", {"prefix": "par"}),
    ("city.find", {"query": "lonbon"}),
    ("city.get", {"title": "Paris, FR"}),
    ("city.near", {"place": PLACE, "limit": 3}),
    ("city.within", {"box": {"south": 40.0, "west": -5.0, "north": 50.0, "east": 5.0}}),
    ("city.match", {"names": "paris\nlonbon\n"}),
    ("city.time", {"places": [PLACE], "at": "2026-03-04T10:30:00Z"}),
    ("bank.list", {}),
    ("bank.search", {"query": "office"}),
    ("bank.near", {"place": {"at": {"lat": 55.0, "lon": 24.5}}}),
    ("product.list", {}),
    ("product.get", {"sku": "T2006"}),
    ("rate.list", {}),
    ("rate.convert", {"amount": "10", "from": "EUR", "to": "USD"}),
]
SEARCH = [REQUESTS[1]]
LOAD = 200
# Errors that say that data is missing for a time, or that the server has too much to do.
EXCUSES = ("unavailable", "busy")
# What depends on the time zones of the machine, and on the report on feeds.
UNKNOWN = {"open", "local", "offset", "abbreviation", "daylight", "change", "as_of", "stale"}


def less(value):
    """An answer without what depends on the time zones and on the report on feeds (Protocol/README.md)."""
    if isinstance(value, list):
        return [less(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: less(entry) for key, entry in value.items() if key not in UNKNOWN}


class Gone(Exception):
    """The server has ended by itself."""


class Server(torture_base.Scenario):
    """`citiesd` on a socket that this process keeps, as systemd does."""

    program = "citiesd"
    documented = STATUSES

    def prepare(self):
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        # A folder of its own, without an installed list.
        (self.bin / "citiesd").hardlink_to(self.stage.program("citiesd"))
        self.state, self.socket, self.log = self.folder / "state", self.folder / "socket", self.folder / "log"
        self.sync_socket = self.folder / "sync"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.listener.listen(256)
        self.passed = fcntl.fcntl(self.listener.fileno(), fcntl.F_DUPFD, 10)
        self.expected, self.descriptors = {}, None
        for step in self.steps():
            self.expected[step] = self.answers_of(self.stage.index(step))

    def practise(self):
        """Learns how many descriptors are open at the end."""
        self.run()

    def steps(self):
        """The lists of cities of which answers may be."""
        return [1]

    def close(self):
        self.listener.close()
        os.close(self.passed)

    def reset(self, index):
        """The state folder as it is before each run."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self.stage.state, self.state, dirs_exist_ok=True)
        shutil.copy(index, self.state / "cities.index")

    def answers_of(self, index):
        """The answers of a server that is not disturbed, by request."""
        self.reset(index)
        self.start([])
        try:
            return {method: self.ask(method, params) for method, params in REQUESTS}
        finally:
            self.end()

    # The process.

    def command(self):
        return ["bash", "-c", f'LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=citiesd exec "$0" 3<&{self.passed} '
                f"{self.passed}<&-", self.bin / "citiesd"]

    def start(self, prefix):
        self.is_away = False
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*prefix, *map(str, self.command())], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=(self.passed,), env=harness.environment(
                    CITIES_STATE=self.state, CITIES_SOCKET=self.socket, CITIES_SYNC_SOCKET=self.sync_socket))
        self.is_traced = bool(prefix)
        self.deadline = time.monotonic() + self.patience

    def server_id(self):
        """The process id of the server, which is the tracer's child."""
        if not self.is_traced:
            return self.process.pid
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(path.read_text().split()[0])

    def send_signal(self, number):
        self.process.send_signal(number)

    def end(self):
        """Ends the server; its status."""
        self.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        try:
            return self.process.wait(max(0.1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.kill()
            raise Late(f"does not end: {self.message()}") from None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def text(self):
        return self.log.read_text(errors="replace")

    def message(self):
        return torture_base.last(self.text())

    # A run.

    def run(self):
        self.reset(self.stage.index(1))
        self.start(self.traced())
        try:
            outcome = self.drive() or "right"
            self.check_descriptors()
            status = self.end()
        except Gone:
            status = self.wait()
            if status == 0:
                raise Bad(f"ends by itself, with status 0: {self.message()}") from None
        finally:
            if self.process.poll() is None:
                self.kill()
        if status == 0:
            return outcome
        outcome = self.refuse(status, self.text())
        self.check_restart()
        return outcome

    def drive(self):
        """Asks, changes and asks; the outcome."""
        return self.check(REQUESTS)

    def check_restart(self):
        """The next instance answers what waits in the socket, from the data that is there."""
        self.start([])
        try:
            self.check(SEARCH)
        finally:
            self.end()

    def check_descriptors(self):
        """No more descriptors are open than in a run without disturbance."""
        def count():
            try:
                return len(os.listdir(f"/proc/{self.server_id()}/fd"))
            except (OSError, IndexError):
                return 0
        if self.descriptors is None:
            # Connections that the clients have closed are closed here a little later.
            time.sleep(5 * PAUSE)
            self.descriptors = count()
            return
        until = time.monotonic() + 2
        now = count()
        while now > self.descriptors and time.monotonic() < until:
            time.sleep(PAUSE)
            now = count()
        if now > self.descriptors:
            raise Late(f"{now} descriptors are open, {self.descriptors} without the disturbance")

    # Requests.

    def check(self, requests, step=1):
        """Each request has the answer of a list in the end: what failed once is repeated."""
        outcomes = [self.check_one(method, params, step) for method, params in requests]
        return "right" if outcomes == ["right"] * len(requests) else "refused"

    def check_one(self, method, params, step):
        outcome, reloads, last_reload = "right", 0, time.monotonic()
        while True:
            reply = self.ask(method, params)
            if reply == self.expected[step][method]:
                return outcome
            if all(reply != answers[method] for answers in self.expected.values()):
                outcome = self.excuse(method, reply, self.expected[step][method])
            # Time zones of banks are read with their file, and the log has the failure.
            if reloads and "error" not in cbor2.loads(reply) and outcome == "refused" and self.names_cause(self.text()):
                return outcome
            if time.monotonic() > self.deadline:
                raise Late(f"no answer to {method}: {reply[:200]}; {self.message()}")
            # An administrator who has read the message sends this signal.
            if time.monotonic() > last_reload + 1:
                self.send_signal(signal.SIGHUP)
                reloads, last_reload = reloads + 1, time.monotonic()
            time.sleep(PAUSE)

    def excuse(self, method, reply, expected):
        """`refused` for another answer that is documented; raises `Bad` otherwise."""
        decoded = cbor2.loads(reply)
        error = decoded.get("error") or {}
        if error.get("code") not in EXCUSES and less(decoded) != less(cbor2.loads(expected)):
            raise Bad(f"a wrong answer to {method}: {decoded}"[:300])
        # A list that was taken away is missing in a run without disturbance, too.
        if self.is_harmless and not (self.is_away and error.get("code") == "unavailable"):
            raise Bad(f"noticed, with another answer to {method}: {decoded}"[:300])
        return "refused"

    def ask(self, method, params):
        """The payload of a reply, at the latest on a later connection."""
        while True:
            try:
                wire = Wire(self.socket, self.patience)
            except OSError:
                self.wait_for(None, method)
                continue
            try:
                with wire:
                    wire.send_payload(request(1, method, params))
                    self.wait_for(wire, method)
                    return wire.receive_payload()
            except (OSError, EOFError) as error:
                self.wait_for(None, method)
                if self.is_harmless:
                    raise Bad(f"noticed: the connection ends before the answer to {method}: {error!r}") from None

    def wait_for(self, wire, method):
        """Waits until a reply begins, or for a moment without a connection."""
        while not select.select([wire.socket] if wire else [], [], [], PAUSE)[0]:
            if self.process.poll() is not None:
                raise Gone
            if time.monotonic() > self.deadline:
                raise Late(f"no answer to {method}: {self.message()}")
            if not wire:
                return


class Reload(Server):
    """A new list of cities, by rename(2) and SIGHUP."""

    hang_up = True

    def steps(self):
        return [1, 2]

    def drive(self):
        self.check(SEARCH)
        fresh = self.state / "fresh"
        shutil.copy(self.stage.index(2), fresh)
        os.rename(fresh, self.state / "cities.index")
        if self.hang_up:
            self.send_signal(signal.SIGHUP)
        return self.check(SEARCH, 2)


class Replaced(Reload):
    """A new list of cities, which the server notices by itself."""

    hang_up = False


class Removed(Server):
    """The list of cities is removed, and comes back."""

    def drive(self):
        self.check(SEARCH)
        self.is_away = True
        (self.state / "cities.index").rename(self.state / "away")
        self.ask(*SEARCH[0])
        shutil.copy(self.state / "away", self.state / "fresh")
        os.rename(self.state / "fresh", self.state / "cities.index")
        return self.check(SEARCH)


class Lease(Server):
    """A program writes into the list of cities: the lease is broken, the file is taken out of service."""

    def drive(self):
        self.check(SEARCH)
        self.is_away = True
        with (self.state / "cities.index").open("r+b", buffering=0) as file:
            file.seek(-4096, os.SEEK_END)
            file.write(bytes(4096))
        shutil.copy(self.stage.index(1), self.state / "fresh")
        os.rename(self.state / "fresh", self.state / "cities.index")
        return self.check(SEARCH)


class Load(Server):
    """SIGTERM while requests wait: all that were accepted are answered, in their order."""

    def drive(self):
        method, params = SEARCH[0]
        expected = self.expected[1][method]
        self.check(SEARCH)
        replies = []
        with Wire(self.socket, self.patience) as wire, contextlib.suppress(ConnectionError, EOFError):
            wire.socket.sendall(b"".join(frame(request(1, method, params)) for _ in range(LOAD)))
            replies.append(wire.receive_payload())
            self.send_signal(signal.SIGTERM)
            while True:
                replies.append(wire.receive_payload())
        outcomes = {self.excuse(method, reply, expected) for reply in replies if reply != expected}
        is_lost = self.disturbance.name in ("EPIPE", "ECONNRESET") or self.names_cause(self.text())
        if len(replies) < LOAD and not is_lost:
            raise Bad(f"{len(replies)} of {LOAD} answers before the exit: {self.message()}")
        return "refused" if outcomes else "right"

    def check_descriptors(self):
        """The server is ending."""


class Own(Server):
    """`citiesd` on a socket that it makes itself."""

    def command(self):
        return [self.bin / "citiesd"]

    def start(self, prefix):
        self.socket.unlink(missing_ok=True)
        super().start(prefix)

    def drive(self):
        outcome = self.check(SEARCH)
        if not self.socket.exists():
            raise Bad("no socket")
        return outcome


class Refresh(Server):
    """A client has the sync service, which is not disturbed, refresh a feed."""

    def prepare(self):
        self.sync = None
        super().prepare()
        source = self.folder / "rates.json"
        source.write_bytes(FEEDS["rates"].body)
        self.sync = harness.Service(self.folder, "citiesd-sync", ["serve"], {
            "CITIES_STATE": self.state, "CITIES_SYNC_SOCKET": self.sync_socket, variable("rates"): source})
        self.sync.start(self.sync_socket)

    def close(self):
        self.sync.stop()
        super().close()

    def drive(self):
        outcome = "right"
        for _ in range(3):
            answer = cbor2.loads(self.ask("refresh", {"feeds": ["rates"], "force": True}))
            failure = answer.get("error") or next(
                (one for one in answer["result"]["feeds"] if one["outcome"] in ("failed", "unreachable")), None)
            if not failure:
                break
            if self.is_harmless:
                raise Bad(f"noticed, with a refresh that failed: {failure}")
            outcome = "refused"
        else:
            raise Bad(f"no refresh: {failure}")
        return self.check(SEARCH) if outcome == "right" else outcome


class Private(torture_base.Scenario):
    """`citiesd --private` on its standard input."""

    program = "citiesd"
    documented = STATUSES

    def prepare(self):
        # A folder of its own, without an installed list.
        self.server = self.stage.program("citiesd")
        self.variables = harness.environment(CITIES_STATE=self.stage.state)
        self.expected = self.answers([self.server])[0]

    def answers(self, command):
        """The payloads of the replies, the status and the messages."""
        ours, theirs = socket.socketpair()
        with ours:
            process = subprocess.Popen(
                [*map(str, command), "--private"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=self.variables)
            theirs.close()
            ours.settimeout(self.patience)
            received = b""
            try:
                ours.sendall(b"".join(frame(request(n, *pair)) for n, pair in enumerate(REQUESTS, 1)))
                ours.shutdown(socket.SHUT_WR)
                while part := ours.recv(1 << 20):
                    received += part
            except TimeoutError:
                process.kill()
                process.communicate()
                raise Late("hangs") from None
            except OSError:
                pass
        try:
            _, err = process.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Late("does not end") from None
        return received, process.returncode, err.decode(errors="replace")

    def run(self):
        received, status, err = self.answers(self.traced(self.server))
        if received == self.expected and status == 0:
            return "right"
        if status != 0:
            return self.refuse(status, err)
        is_lost = self.disturbance.name in ("EPIPE", "ECONNRESET")
        if is_lost and self.expected.startswith(received):
            return "refused"
        return self.compare(received, err)

    def compare(self, received, err):
        """Other replies may be errors that say why."""
        ours, theirs = (split(data) for data in (received, self.expected))
        if len(ours) != len(theirs):
            raise Bad(f"{len(ours)} of {len(theirs)} answers, status 0: {torture_base.last(err)}")
        for one, other in zip(ours, theirs, strict=True):
            if one != other and self.is_harmless:
                raise Bad(f"noticed, with another answer: {cbor2.loads(one)}"[:300])
            error = cbor2.loads(one).get("error") or {}
            is_loading = (error.get("data") or {}).get("phase") == "loading"
            is_refused = error.get("code") in EXCUSES and (is_loading or self.names_cause(error["message"] + err))
            if one != other and not is_refused and less(cbor2.loads(one)) != less(cbor2.loads(other)):
                raise Bad(f"a wrong answer: {cbor2.loads(one)}"[:300])
        return "refused"


def split(data):
    """The payloads in bytes."""
    payloads = []
    while len(data) >= 4:
        size = int.from_bytes(data[:4], "big")
        payloads.append(data[4:4 + size])
        data = data[4 + size:]
    return payloads


SCENARIOS = {
    "activated": Server, "own socket": Own, "reload": Reload, "replaced index": Replaced, "removed index": Removed,
    "broken lease": Lease, "stop under load": Load,
    "refresh of a feed": Refresh, "private": Private,
}
