"""What the end-to-end tests share: the programs, servers on both lists, and the rule about skips."""

import fcntl
import os
import shutil
import signal
import sys
import threading
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

sys.path.insert(0, str(Path(__file__).parent))

import harness  # noqa: E402
from oracle import Oracle, load  # noqa: E402

# What may be absent anywhere: data that others publish is not the project's to pass on.
FOREIGN_DATA = "(shared/data/"
REAL_LIST_ABSENT = "the real city list (shared/data/cities.json.gz) is absent"

# A shell that runs tests in the background may have them ignore interrupts, and the programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: runs with contrib/test --all only")


# The files that take longest. They start first: one that started last would run alone at the end.
LONGEST = [f"test_{name}.py" for name in ("systemd", "upstream", "locate", "search", "instructions", "near", "doctor")]


def pytest_collection_modifyitems(items):
    """Puts the longest files first, and leaves the others and the tests of each file in order."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


class Scheduling(LoadFileScheduling):
    """A file runs in one process, because its tests share servers. Those that boot a systemd share nothing, and wait
    for clocks: they are three parts, as one would take nearly as long as all others.
    """

    def __init__(self, config, log):
        super().__init__(config, log)
        self.parts = {}

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return f"{file} {self.parts.setdefault(nodeid, len(self.parts) % 3)}" if "test_systemd" in file else file


def pytest_xdist_make_scheduler(config, log):
    return Scheduling(config, log)


def used():
    """The processor time in seconds of this process, and of its children that have ended."""
    return sum(os.times()[:4])


MEASURED = [used()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With CITIES_TEST_NO_SKIPS a skip is a failure: a test that cannot run must not look like one that passed."""
    report = yield
    before, MEASURED[0] = MEASURED[0], used()
    report.processors = MEASURED[0] - before
    if report.skipped and os.environ.get("CITIES_TEST_NO_SKIPS") and FOREIGN_DATA not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped although CITIES_TEST_NO_SKIPS is set: {report.longrepr[2]}"
    return report


def pytest_runtest_logreport(report):
    """Writes how long each part of a test took, for contrib/bench/build: only the process that starts the others."""
    path = os.environ.get("CITIES_TEST_TIMES")
    if path and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(path, "a") as file:
            print(report.nodeid, report.when, f"{report.duration:.3f}", f"{report.processors:.3f}",
                  getattr(report, "worker_id", ""), sep="\t", file=file)


@pytest.fixture(scope="session", autouse=True)
def programs():
    """The release programs, which contrib/build makes."""
    names = ("citiesd", "citiesd-sync", "citiesctl", "citiesctl-helper")
    missing = [name for name in names if not (harness.BIN / name).exists()]
    if missing or not harness.PREBUILT.exists():
        pytest.exit(f"{missing or harness.PREBUILT} missing: run contrib/build first", returncode=1)


@pytest.fixture(scope="session")
def real_list():
    path = harness.real_list()
    if path is None:
        pytest.skip(REAL_LIST_ABSENT)
    return path


@pytest.fixture(scope="session")
def real_rows(real_list):
    return load(real_list)


@pytest.fixture(scope="session")
def real_plain(real_rows):
    return Oracle(real_rows, "plain")


@pytest.fixture(scope="session")
def real_folded(real_rows):
    return Oracle(real_rows, "folded")


@pytest.fixture(scope="session")
def real_server(real_list, tmp_path_factory):
    """A server on the real list, imported once for all tests of all processes."""
    server = harness.Server(tmp_path_factory.mktemp("real"))
    base = tmp_path_factory.getbasetemp()
    # The folder of the tests has one for each process.
    index = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "real.index"
    with open(f"{index}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not index.exists():
            made = harness.build_index(real_list, index)
            assert made.returncode == 0, made.stderr
    shutil.copy(index, server.state / "cities.index")
    yield server.start()
    server.stop()


@pytest.fixture(scope="session")
def shipped_server(tmp_path_factory):
    """A server on the prebuilt index, which it finds by itself."""
    server = harness.Server(tmp_path_factory.mktemp("shipped"))
    yield server.start()
    server.stop()


@pytest.fixture(scope="session")
def small_index(tmp_path_factory):
    """An index of a handful of cities."""
    folder = tmp_path_factory.mktemp("small-index")
    source = harness.write_list(folder / "list.json", SMALL_LIST)
    made = harness.build_index(source, folder / "cities.index")
    assert made.returncode == 0, made.stderr
    return folder / "cities.index"


SMALL_LIST = [
    harness.record(1, "Albuquerque", "US", 35.08, -106.65, population=564_559),
    harness.record(2, "Alabama", "US", 32.8, -86.8),
    harness.record(3, "Łódź", "PL", 51.77, 19.46, population=768_755),
    harness.record(4, "São Paulo", "BR", -23.55, -46.64, population=10_021_295),
    harness.record(5, "Springfield", "US", 39.8, -89.64),
    harness.record(6, "Springfield", "US", 42.1, -72.59),
    harness.record(7, "Straße", "DE", 50.0, 8.0),
]


@pytest.fixture
def no_system_server():
    """Skips a test of programs that would find the system's server."""
    if harness.accepts("/run/cities/citiesd.sock"):
        pytest.skip("a server of the system's runs here")


@pytest.fixture
def server(tmp_path, small_index):
    """A server of this test's own, on a handful of cities."""
    server = harness.Server(tmp_path)
    shutil.copy(small_index, server.state / "cities.index")
    yield server.start()
    server.stop()


@pytest.fixture
def empty_server(tmp_path):
    """A server without any data: neither state nor an installed list."""
    server = harness.Server(tmp_path).without_installed_list()
    yield server.start()
    server.stop()


@pytest.fixture
def peer(tmp_path):
    """Makes a socket whose one connection is handled by a function of the test's: a server that misbehaves."""
    import socket

    opened = []

    def make(handle):
        path = tmp_path / f"peer-{len(opened)}.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(8)
        opened.append(listener)

        def serve():
            try:
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        handle(connection)
            except OSError:
                pass

        threading.Thread(target=serve, daemon=True).start()
        return path

    yield make
    for listener in opened:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@pytest.fixture
def late(tmp_path):
    """Makes a proxy before a server's socket that hands answers on late."""
    from late import LateProxy

    made = []

    def make(target, seconds):
        made.append(LateProxy(tmp_path / f"late-{len(made)}.sock", target, seconds))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()


@pytest.fixture
def browse(tmp_path):
    """Starts `citiesctl browse` (or another command) on a terminal of its own."""
    from screen import Screen

    screens = []

    def start(server, *words, command=None, ready="Find:", **options):
        words = command or [harness.BIN / "citiesctl", *(words or ["browse"])]
        socket = getattr(server, "socket", server)
        screen = Screen(tmp_path / f"screen-{len(screens)}", words, CITIES_SOCKET=socket, **options)
        screens.append(screen)
        if ready:
            screen.shows(ready)
        return screen

    yield start
    for screen in screens:
        screen.close()
