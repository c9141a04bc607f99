"""A served index that somebody shortens or changes while many ask: right rows or `unavailable`, never anything else."""

import contextlib
import multiprocessing
import os
import shutil
import subprocess
import threading
import time
from collections import Counter

import harness
import pytest
from harness import until
from wire import Wire, WireFault, frame, request

CITIES = 20_000
CLIENTS, CHECKED_CLIENTS = 6, 3
DISRUPTIONS = 12
UNAVAILABLE = b"unavailable"
# Microseconds for which a change lasts, and between two of them: the server can load the restored file meanwhile.
SPOILT, RESTORED = "200", "5000"


@pytest.fixture
def served(tmp_path):
    """A server of many cities, and the bytes of its index."""
    source, index = tmp_path / "cities.json", tmp_path / "made.index"
    harness.write_list(source, [harness.record(number, f"Town {number}") for number in range(1, CITIES + 1)])
    harness.build_index(source, index)
    # An installed list would answer instead of `unavailable`.
    server = harness.Server(tmp_path).without_installed_list()
    (server.state / "cities.index").write_bytes(index.read_bytes())
    server.start()
    try:
        yield server, index.read_bytes()
    finally:
        server.stop()


class Asker(threading.Thread):
    """Asks until it is stopped, and keeps every reply that is neither right nor `unavailable`."""

    def __init__(self, server, prefix):
        super().__init__()
        self.server, self.prefix = server, prefix
        self.wrong, self.right, self.unavailable = [], 0, 0
        self.stopped = threading.Event()
        with server.wire() as wire:
            self.expected = wire.call("city.search", prefix=prefix, limit=200)

    def run(self):
        with self.server.wire() as wire:
            while not self.stopped.is_set():
                try:
                    reply = wire.call("city.search", prefix=self.prefix, limit=200)
                except WireFault as fault:
                    if fault.code == "unavailable":
                        self.unavailable += 1
                    else:
                        self.wrong.append(repr(fault))
                except Exception as failure:  # a connection that ends is as wrong as a wrong row
                    self.wrong.append(repr(failure))
                    return
                else:
                    if reply == self.expected:
                        self.right += 1
                    else:
                        self.wrong.append(f"{self.prefix}: {str(reply)[:200]}")


def test_a_file_that_is_shortened_under_load_spoils_no_reply(served):
    server, index = served
    path = server.state / "cities.index"
    askers = [Asker(server, f"town {number}") for number in range(1, CLIENTS + 1)]
    for asker in askers:
        asker.start()
    try:
        for disruption in range(DISRUPTIONS):
            before = sum(asker.unavailable for asker in askers)
            # At the start of a page, so that no page is half there.
            os.truncate(path, len(index) * (disruption % 4) // 4 // 4096 * 4096)
            until(lambda: sum(asker.unavailable for asker in askers) > before, what="an unavailable reply")
            fresh = path.with_name("fresh")
            fresh.write_bytes(index)
            os.rename(fresh, path)
            right = [asker.right for asker in askers]
            until(lambda: all(asker.right > was for asker, was in zip(askers, right)), what="right replies again")
    finally:
        for asker in askers:
            asker.stopped.set()
        for asker in askers:
            asker.join(20)
    assert [wrong for asker in askers for wrong in asker.wrong] == []
    assert server.process.poll() is None


# ---- Changed in place and restored ----

QUESTIONS = [
    ("city.search", {"prefix": "town 1", "limit": 20}), ("city.get", {"id": 12_345}),
    ("city.get", {"title": "Town 777"}),
    ("city.near", {"place": {"at": {"lat": 1.0, "lon": 2.0}}, "limit": 5}),
]


def ask_until(stop, path, expected, seen):
    """Asks until it is stopped; puts the counts of right, unavailable and wrong answers and the first wrong one."""
    counts, first = {"right": 0, "unavailable": 0, "wrong": 0}, None
    together = b"".join(asked for asked, _ in expected)
    with Wire(path) as wire:
        while not stop.is_set():
            wire.socket.sendall(together)
            for _, right in expected:
                reply = wire.receive_payload()
                outcome = "right" if reply == right else "unavailable" if UNAVAILABLE in reply else "wrong"
                counts[outcome] += 1
                if outcome == "wrong":
                    first = first or reply
    seen.put((counts, first))


@contextlib.contextmanager
def checked_clients(server):
    """Clients in processes of their own, which know every answer; yields what they have seen, complete at the end."""
    expected = []
    with server.wire() as wire:
        for question in QUESTIONS:
            wire.send_payload(request(1, *question))
            expected.append((frame(request(1, *question)), wire.receive_payload()))
    context = multiprocessing.get_context("fork")
    stop, seen, total = context.Event(), context.Queue(), Counter()
    clients = [
        context.Process(target=ask_until, args=(stop, server.socket, expected, seen), daemon=True)
        for _ in range(CHECKED_CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield total
    finally:
        stop.set()
        for client in clients:
            counts, first = seen.get(timeout=30)
            total.update(counts)
            if first:
                print(f"wrong: {first[:300]!r}")
            client.join(10)


@pytest.fixture(scope="session")
def changer(tmp_path_factory):
    program = tmp_path_factory.mktemp("changer") / "changer"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Werror", "-o", program, harness.ROOT / "Tests/EndToEnd/changer.c"], check=True)
    return program


CHANGES = [
    ("write", 300, 1), ("truncate", 100, 1),
    *(pytest.param(*change, marks=pytest.mark.slow) for change in [
        ("write", 2_500, 100), ("store", 250, 1), ("backdate", 100, 1)])]


def change(changer, server, mode, changes, burst, spoilt=SPOILT, restored=RESTORED):
    """Runs the changer beside checked clients, to its end and until the restored file is served; what they have seen.
    """
    with checked_clients(server) as seen:
        ran = subprocess.run(
            [changer, mode, server.state / "cities.index", str(changes), str(burst), spoilt, restored],
            capture_output=True, text=True, timeout=120, check=False)
        assert (ran.returncode, ran.stdout) == (0, f"{changes}\n"), ran.stderr
        until(lambda: server.generation() is not None, what="the restored file in service")
        time.sleep(0.1)
    print(dict(seen))
    assert server.process.poll() is None
    return seen


@pytest.mark.parametrize(("mode", "changes", "burst"), CHANGES)
def test_no_answer_is_made_of_bytes_that_were_changed_in_place(served, changer, mode, changes, burst):
    seen = change(changer, served[0], mode, changes, burst)
    assert seen["wrong"] == 0 and seen["right"] > 0 and seen["unavailable"] > 0


@pytest.mark.parametrize("spoilt", ["100000", "1500000"])
def test_a_file_returns_that_was_refused_while_it_was_spoilt(served, changer, spoilt):
    """The stores that restore a mapped file change none of its times."""
    seen = change(changer, served[0], "store", 2, 1, spoilt=spoilt)
    assert seen["wrong"] == 0 and seen["right"] > 0 and seen["unavailable"] > 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to serve another user's file")
@pytest.mark.parametrize("mode", ["write", "backdate"])
def test_neither_is_one_where_the_server_may_not_lease_the_file(served, changer, mode):
    """The file is root's, and the server has no capability: it compares the file's state before each answer leaves."""
    server, _ = served
    server.stop()
    server.user = harness.NOBODY
    shutil.chown(server.folder, server.user)
    for folder in (server.folder, *server.folder.parents):
        if "pytest" in str(folder):
            folder.chmod(0o755)
    server.start()
    seen = change(changer, server, mode, 100, 1, restored="50000")
    assert seen["wrong"] == 0 and seen["right"] > 0 and seen["unavailable"] > 0


def test_readers_and_metadata_leave_a_file_in_service(served):
    """A backup, a comparison and a new mode wait for nobody, and no request notices them."""
    server, index = served
    path = server.state / "cities.index"
    with checked_clients(server) as seen:
        for number in range(5):
            shutil.copy(path, server.folder / "backup")
            assert harness.run_sync("verify", path).returncode == 0
            path.chmod(0o640 if number % 2 else 0o644)
            os.link(path, path.with_name(f"link-{number}"))
    assert seen["right"] > 0 and seen["unavailable"] == seen["wrong"] == 0
    assert (server.folder / "backup").read_bytes() == index
