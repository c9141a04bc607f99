"""A served index that somebody shortens while many ask: right rows or `unavailable`, never anything else."""

import os
import threading

import harness
import pytest
from harness import until
from wire import WireFault

CITIES = 20_000
CLIENTS = 6
DISRUPTIONS = 12


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
