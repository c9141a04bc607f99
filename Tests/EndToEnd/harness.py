"""Starts the release programs for a test and ends them by their process id."""

import contextlib
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from wire import Wire

ROOT = Path(__file__).resolve().parents[2]
# The programs and data under test. contrib/coverage names instrumented ones.
OUT = Path(os.environ.get("CITIES_TESTED", ROOT / ".build-out"))
BIN = OUT / "bin"
PREBUILT = next((OUT / "share" / "cities").glob("cities-*.index"), OUT / "share" / "cities" / "cities.index")
NOBODY = 65534
# The timeout in seconds for a busy machine; an answer that takes longer is a failure.
ENOUGH = 30
# The commands that this process has run a second time.
REPEATED = []
SHIPPED_LIST = ROOT / "contrib" / "data" / "cities.json.gz"
SCHEMA = ROOT / "Protocol" / "cities.cddl"


def until(condition, seconds=ENOUGH, what="the condition"):
    """Waits for a condition; its first true value."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"{what} did not come true within {seconds} s")


def passed_mark(name, *files):
    """A file that is there after a test of nothing but these files has passed with their present content.

    Such a test marks it at its end, and passes at once if it is there; with CITIES_TEST_ALL it always runs.
    """
    sums = "".join(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files)
    mark = ROOT / ".build-out/logs" / f"passed-{name}-{hashlib.sha256((sys.version + sums).encode()).hexdigest()[:16]}"
    if "CITIES_TEST_ALL" in os.environ:
        mark.unlink(missing_ok=True)
    return mark


def real_list():
    """The real city list that may lie beside or above a checkout; None where it does not."""
    for folder in ROOT.parents:
        path = folder / "shared" / "data" / "cities.json.gz"
        if path.exists():
            return path
    return None


def read_feeds():
    """The subject of each feed of this build, in the order of reports, and the feeds with a default URL."""
    source = (ROOT / "Protocol/Messages/Subject.swift").read_text()
    catalogue = (ROOT / "Sources/Sync/FeedSync/Feeds/FeedCatalogue.swift").read_text()
    names = dict(re.findall(r'static let (\w+) = FeedName\(rawValue: "([^"]+)"\)', source))
    subjects = {names[feed]: subject for feed, subject in re.findall(r"\.(\w+): \.(\w+),", source)}
    assert set(subjects) == set(names.values()), "the table in Subject.swift has another form"
    return subjects, [names[feed] for feed in re.findall(r'name: \.(\w+),\s+url: "', catalogue)]


SUBJECTS, REMOTE_FEEDS = read_feeds()


def feeds(*subjects):
    """The names of the feeds of these subjects, or of all, in the order of reports."""
    return [feed for feed, subject in SUBJECTS.items() if not subjects or subject in subjects]


def variable(feed):
    """The variable of the environment that has the URL of a feed."""
    return "CITIES_FEED_" + feed.upper().replace("-", "_")


def environment(**extra):
    """A small environment: nothing of the caller's configuration reaches a program under test; None takes one away."""
    base = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "LLVM_PROFILE_FILE") if key in os.environ}
    # No test asks the real servers.
    base |= {variable(feed): "" for feed in REMOTE_FEEDS}
    base |= {"LANG": "C.UTF-8", "XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": "/dev/null/none", **extra}
    return {key: str(value) for key, value in base.items() if value is not None}


def record(identifier, name, country="XX", lat=1.5, lon=2.5, **more):
    """One record in the import format."""
    return {"country": country, "name": name, "_id": identifier, "coord": {"lon": lon, "lat": lat}, **more}


def write_list(path, records):
    """Writes a list, compressed if its name says so."""
    text = json.dumps(records, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def run_sync(*arguments, timeout=120, **variables):
    """Runs citiesd-sync as a plain command."""
    return subprocess.run(
        [BIN / "citiesd-sync", *map(str, arguments)], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, env=environment(**variables), timeout=timeout, check=False)


def measured_sync(*arguments, timeout=120):
    """As run_sync; also the most memory that it held, in KiB."""
    # A small process starts it, as the memory of the process that forks counts as memory of its children, too.
    measure = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)")
    done = subprocess.run(
        [sys.executable, "-c", measure, BIN / "citiesd-sync", *map(str, arguments)], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, env=environment(), timeout=timeout, check=False)
    return done, int(done.stdout)


def without_rights(program, *arguments, folder, **variables):
    """Runs a copy of a program in a folder as a user without rights: root becomes nobody, others stay what they are."""
    copy = shutil.copy(BIN / program, folder)

    def drop():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    for above in [folder, *folder.parents]:
        if "pytest" in str(above) and above.stat().st_uid == os.geteuid():
            above.chmod(0o755)
    return subprocess.run(
        [copy, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env=environment(**variables), timeout=30, preexec_fn=drop, check=False)


def build_index(source, target):
    """Makes an index with `citiesd-sync build`; the completed process."""
    return run_sync("build", source, target)


@dataclass
class Service:
    """A program that serves a socket, with its own folder."""

    folder: Path
    program: str
    arguments: list = field(default_factory=list)
    variables: dict = field(default_factory=dict)
    binaries: Path = BIN
    # Another user to run it as, for root.
    user: int = None
    # A command that runs it, such as a tracer.
    prefix: list = field(default_factory=list)
    process: subprocess.Popen = None

    @property
    def log(self):
        return self.folder / f"{self.program}.log"

    def start(self, socket_path):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, self.binaries / self.program, *self.arguments], env=environment(**self.variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=self.user, group=self.user,
                extra_groups=None if self.user is None else [])
        until(lambda: accepts(socket_path) or self.process.poll() is not None, what=f"{self.program} listening")
        assert self.process.poll() is None, f"{self.program} left at once: {self.log.read_text()}"
        return self

    def stop(self, number=signal.SIGTERM, seconds=ENOUGH):
        """Ends the program; its exit status."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"{self.program} was still there {seconds} s after signal {number}") from None
        return self.process.returncode if self.process else None


def accepts(path):
    """Whether somebody listens at a path."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(path))
            return True
    except OSError:
        return False


class Server(Service):
    """`citiesd` with a state folder and a socket of its own."""

    def __init__(self, folder, **variables):
        folder.mkdir(parents=True, exist_ok=True)
        self.state, self.socket = folder / "state", folder / "citiesd.sock"
        self.sync_socket = folder / "sync.sock"
        self.state.mkdir(exist_ok=True)
        super().__init__(folder, "citiesd", variables={
            "CITIES_STATE": self.state, "CITIES_SOCKET": self.socket, "CITIES_SYNC_SOCKET": self.sync_socket,
            **variables})

    def start(self):
        return super().start(self.socket)

    def with_samples(self, *feeds, reported=()):
        """Starts on the samples of feeds (default: all), and waits until the replies to methods know their reports."""
        made = run_sync("run", "--samples", *feeds, CITIES_STATE=self.state)
        assert made.returncode == 0, made.stderr
        self.start()
        with self.wire() as wire:
            until(lambda: all("as_of" in wire.call(method) for method in reported), what="the feeds' reports")
        return self

    def without_installed_list(self):
        """Runs a copy of the program, beside which no prebuilt index is found; the server."""
        self.binaries = self.folder / "bin"
        self.binaries.mkdir()
        shutil.copy(BIN / self.program, self.binaries)
        return self

    def wire(self, timeout=ENOUGH):
        return Wire(self.socket, timeout)

    def generation(self):
        """The generation of the cities that are served; None without any."""
        with self.wire() as wire:
            return wire.call("hello", protocols=[1], client="end-to-end tests")["generations"].get("cities")

    def ctl(self, *arguments, **options):
        """Runs citiesctl on this server's socket."""
        return ctl(*arguments, socket=self.socket, **options)


class Sync(Service):
    """`citiesd-sync serve` beside a server."""

    def __init__(self, server, **variables):
        super().__init__(server.folder, "citiesd-sync", ["serve"], {
            "CITIES_STATE": server.state, "CITIES_SYNC_SOCKET": server.sync_socket, **variables})
        self.path = server.sync_socket

    def start(self):
        return super().start(self.path)


def served_cities(folder, index, columns):
    """The first cities of an index as a server shows them, a line for each."""
    server = Server(folder / "server")
    (server.state / "cities.index").write_bytes(index.read_bytes())
    server.start()
    try:
        return server.ctl("search", "", "--columns", columns, "--output", "tsv").stdout.splitlines()
    finally:
        server.stop()


def read_terminal(leader):
    """All that is written to a terminal until its last program ends; closes it."""
    shown = b""
    # A terminal without a program fails to be read.
    with contextlib.suppress(OSError):
        while chunk := os.read(leader, 65_536):
            shown += chunk
    os.close(leader)
    return shown


def in_time(run, is_repeatable=True):
    """The result of `run`; of a second one if the server did not answer in time, as the machine may be busy."""
    done = run()
    if not is_repeatable or done.returncode != 75 or "no answer within 2 s" not in str(done.stderr):
        return done
    REPEATED.append(done.args)
    # A machine is busy now and then; a server that does not answer its first request is wrong each time.
    assert len(REPEATED) <= 5, REPEATED
    return run()


def patient(*arguments):
    """Arguments of citiesctl with a timeout for a busy machine, unless they have one."""
    return [*(() if "--timeout" in arguments else ("--timeout", str(ENOUGH))), *map(str, arguments)]


def ctl(*arguments, socket="/nonexistent/citiesd.sock", variables=None, timeout=30, **options):
    """Runs citiesctl to its end, with text unless `text=False` says otherwise."""
    is_repeatable = not options.keys() & {"stdin", "stdout"}
    options = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL} | options
    if "stdout" in options or "stderr" in options:
        options.pop("capture_output")
    if "input" in options:
        options.pop("stdin")
    variables = {"CITIES_SOCKET": socket} | (variables or {})
    return in_time(
        lambda: subprocess.run(
            [BIN / "citiesctl", *map(str, arguments)], env=environment(**variables), timeout=timeout, check=False,
            **options),
        is_repeatable)
