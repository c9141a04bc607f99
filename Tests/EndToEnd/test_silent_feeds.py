"""A source on the web is asked for the first time when somebody has a question about its subject, and never before."""

import contextlib
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import harness
import pytest
import stored
import upstream
from chain import FEEDS, Chain
from harness import feeds, until

BANK_FEEDS, TRADE_FEEDS = set(feeds("banks")), set(feeds("trade"))
PACKETS = "--packets"


@pytest.fixture
def chain(tmp_path, small_index):
    """A chain whose feeds, that of the cities too, have sources on the web; nobody has asked anything."""
    chain = Chain(tmp_path, small_index)
    chain.configure(cities=chain.upstream.url("/cities"))
    chain.start()
    try:
        yield quiet(chain)
    finally:
        chain.stop()


def quiet(chain):
    """The chain, once the sync service has heard of every feed and has left all alone."""
    until(lambda: {feed for feed, report in chain.status().items() if "source" in report} == {"cities", *FEEDS},
          what="a source in each report")
    assert asked(chain) == set()
    return chain


def asked(chain):
    return {request.path[1:] for request in chain.upstream.asked}


def test_questions_about_cities_and_the_state_contact_nobody(chain):
    for words in (["search", "alb"], ["search", "--match", "folded", "lodz"], ["near", "59.4,24.7"], ["show", "1"]):
        assert chain.server.ctl(*words).returncode == 0, words
    with chain.server.wire() as wire:
        wire.send("watch", subjects=["cities"])
        assert "result" in wire.receive()
        wire.call("introspect")
    reports = chain.status()
    assert not any("last_attempt" in report for report in reports.values()), reports
    assert asked(chain) == set()


@pytest.mark.parametrize(("words", "wanted"), [
    (["bank", "list"], BANK_FEEDS), (["bank", "near", "59.4,24.7"], BANK_FEEDS), (["bank", "regions"], BANK_FEEDS),
    (["product", "list"], TRADE_FEEDS), (["rate", "list"], TRADE_FEEDS),
    (["rate", "convert", "1", "EUR", "USD"], TRADE_FEEDS),
])
def test_the_first_question_downloads_its_subject_and_waits_for_it(chain, words, wanted):
    done = chain.server.ctl(*words)
    assert done.returncode == 0 and done.stdout, done.stderr
    until(lambda: asked(chain) == wanted, what="requests for the subject")
    assert all(chain.has_header(feed) for feed in wanted)
    until(lambda: all(chain.status()[feed].get("records") for feed in wanted), what="data of the subject")
    assert chain.server.ctl(*words).returncode == 0
    assert asked(chain) == wanted and len(chain.upstream.asked) == len(wanted)


@pytest.mark.parametrize(("subjects", "wanted"), [
    (["banks"], BANK_FEEDS), (["trade"], TRADE_FEEDS), ([], BANK_FEEDS | TRADE_FEEDS)])
def test_a_watch_of_a_subject_is_a_question(chain, subjects, wanted):
    with chain.server.wire() as wire:
        wire.send("watch", subjects=subjects)
        assert "result" in wire.receive()
        until(lambda: asked(chain) == wanted, what="requests for the subjects")


def test_a_refresh_asks_what_it_names(chain):
    assert chain.refresh("cities")["cities"]["outcome"] == "failed", "the upstream has no cities"
    assert asked(chain) == {"cities"}
    assert {outcome["outcome"] for feed, outcome in chain.refresh().items() if feed != "cities"} == {"downloaded"}


@pytest.mark.parametrize(("age", "requests"), [(3_500, 0), (3_601, 1)])
def test_a_stored_copy_is_checked_at_the_start_by_the_one_hour_rule(chain, age, requests):
    chain.refresh("rates", "swedbank-ee")
    chain.server.stop()
    chain.sync.stop()
    for feed in ("rates", "swedbank-ee"):
        stored.age(chain.state, feed, age - 1)
    chain.upstream.asked.clear()
    # Not before the copies have the age, to the second.
    time.sleep(1)
    chain.start()
    until(lambda: chain.server.ctl("status", "--output", "table").stdout.count("sync: ok") == 1,
        what="the sync service")
    if requests:
        until(lambda: asked(chain) == {"rates", "swedbank-ee"}, what="both requests")
        assert chain.has_header("rates") and chain.has_header("swedbank-ee")
    chain.refresh("rates", "swedbank-ee")
    assert len(chain.upstream.asked) == 2 * requests


def test_samples_stay_until_a_refresh_is_asked_for(chain):
    chain.server.stop()
    chain.sync.stop()
    (chain.state / "feeds.resident").unlink()
    made = harness.run_sync("run", "--samples", *feeds("trade"), CITIES_STATE=chain.state)
    assert made.returncode == 0, made.stderr
    quiet(chain.start())
    for _ in range(2):
        assert '"sample":true' in chain.server.ctl("rate", "list", "--output", "json").stdout
        # A refresh of others comes after all that the question has started.
        chain.refresh("swedbank-ee")
        assert asked(chain) == {"swedbank-ee"}
    assert chain.server.ctl("refresh", *feeds("trade")).returncode == 0
    assert asked(chain) == TRADE_FEEDS | {"swedbank-ee"}
    until(lambda: "sample" not in chain.server.ctl("rate", "list", "--output", "json").stdout, what="real data")


def test_the_browser_asks_after_its_first_screen_and_pick_never(chain, browse):
    screen = browse(chain.server, "pick", "al")
    screen.shows("Alabama")
    screen.keys("Down", "Up")
    screen.shows("Albuquerque")
    screen.keys("Escape")
    assert asked(chain) == set()
    chain.upstream.answers = {f"/{feed}": upstream.silence for feed in FEEDS}
    browse(chain.server).shows("Alabama")
    until(lambda: asked(chain) == BANK_FEEDS | TRADE_FEEDS, what="requests for banks and trade")


def test_no_packet_leaves_before_the_first_question(tmp_path, small_index):
    """In a network namespace whose packets are all recorded; the sources that ship cannot be reached there."""
    if os.geteuid() != 0:
        pytest.skip("a network namespace needs root")
    done = subprocess.run(
        ["unshare", "--net", sys.executable, __file__, PACKETS, tmp_path, small_index], capture_output=True, text=True,
        timeout=120, check=False, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["before"] == [], "packets before the first question"
    assert report["after"] == [report["port"]], "packets to others than the configured host"


def switch_on_loopback():
    """netdevice(7): the flags of the interface `lo`, which is off in a new namespace."""
    set_flags, is_up = 0x8914, 0x1
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh22x", b"lo", is_up))


def record_packets(folder, index):
    """Runs a chain and prints the ports that packets had before and after the first question about a bank."""
    switch_on_loopback()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as recorder:
        recorder.setblocking(False)
        chain = Chain(folder, index)
        # These feeds keep the URLs that ship, of which one is asked about.
        chain.urls.pop("swedbank-lt")
        chain.urls.pop("transactions")
        chain.configure()
        chain.start()
        try:
            until(lambda: "source" in chain.status()["rates"], what="the sync service")
            assert chain.server.ctl("search", "alb").returncode == 0
            before = ports(recorder)
            # Partial: the feed with the URL that ships cannot be reached.
            assert chain.server.ctl("bank", "list").returncode == 4
            until(lambda: len(chain.upstream.asked) == 3, what="three requests")
            until(lambda: "last_error" in chain.status()["swedbank-lt"], 20, "the feed that cannot be reached")
            print(json.dumps({"before": before, "after": ports(recorder), "port": chain.upstream.server.server_port}))
        finally:
            chain.stop()


def ports(recorder):
    """The ports of servers in all packets recorded so far: of the two of each, the lower one unless it is the
    upstream's.
    """
    found = set()
    with contextlib.suppress(BlockingIOError):
        while True:
            frame = recorder.recv(65536)
            kind, body = frame[12:14], frame[14:]
            if kind != b"\x08\x00":
                found.add(kind.hex())
                continue
            start = 4 * (body[0] & 15)
            source, target, flags = (int.from_bytes(body[start:start + 2], "big"),
                                     int.from_bytes(body[start + 2:start + 4], "big"), body[start + 13])
            # The first packet of a connection names its server, and every datagram does.
            if body[9] != 6 or flags & 0x12 == 0x02:
                found.add(target)
            elif not found:
                found.add(source)
    return sorted(found, key=str)


if __name__ == "__main__" and sys.argv[1:2] == [PACKETS]:
    record_packets(Path(sys.argv[2]), Path(sys.argv[3]))
