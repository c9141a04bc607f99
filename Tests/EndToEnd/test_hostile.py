"""Peers that mean harm or are broken: each gets a clear answer or is let go, and everybody else is served as before."""

import os
import re
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

import cbor2
import costs
import pytest
from harness import Server, until
from wire import Wire, WireFault, request

SEARCH = {"prefix": "s", "limit": 20}


def frame(payload):
    return struct.pack(">I", len(payload)) + payload


def connection(server):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(30)
    peer.connect(str(server.socket))
    return peer


def garbage(server):
    with connection(server) as peer:
        for seed in range(200):
            peer.sendall(frame(bytes((seed * 31 + n * 17) % 256 for n in range(seed))))
        for _ in range(200):
            (length,) = struct.unpack(">I", exactly(peer, 4))
            assert cbor2.loads(exactly(peer, length))["error"]["code"] == "malformed"


def exactly(peer, count):
    data = b""
    while len(data) < count:
        chunk = peer.recv(count - len(data))
        assert chunk, "the connection ended early"
        data += chunk
    return data


def empty_frames(server):
    with Wire(server.socket) as wire:
        for _ in range(100):
            wire.send_payload(b"")
            assert wire.receive()["error"]["code"] == "malformed"


def endless_length(server):
    with Wire(server.socket) as wire:
        wire.socket.sendall(b"\xff\xff\xff\xff" + b"x" * 1000)
        assert wire.receive()["error"]["code"] == "frame-too-large"
        try:
            assert wire.at_end()
        except ConnectionResetError:
            pass  # the bytes after the header were never read: the kernel may say so with a reset


def cut_frame_then_silence(server):
    with connection(server) as peer:
        peer.sendall(frame(request(1, "status", {}))[:-3])
        time.sleep(0.5)


def a_byte_at_a_time(server):
    with Wire(server.socket) as wire:
        for byte in frame(request(7, "city.search", SEARCH)):
            wire.socket.sendall(bytes([byte]))
            time.sleep(0.01)
        assert wire.receive()["id"] == 7


def bombs(server):
    deep = b"\x81" * 60_000 + b"\x00"
    huge_array, huge_text, huge_map = b"\x9b" + b"\xff" * 8, b"\x7b" + b"\xff" * 8, b"\xbb" + b"\x7f" * 8
    long_key = cbor2.dumps({"id": 1, "method": "status", "params": {}, "k" * 60_000: 1}, canonical=True)
    many_keys = cbor2.dumps({"id": 1, "method": "status", "params": {f"{n:05}": n for n in range(1_500)}})
    unsorted = b"\xb9\x4e\x20" + b"".join(b"\x19" + struct.pack(">H", 65_535 - n) + b"\x00" for n in range(15_000))
    with Wire(server.socket) as wire:
        for payload in (deep, huge_array, huge_text, huge_map, unsorted):
            wire.send_payload(payload)
            assert wire.receive()["error"]["code"] == "malformed"
        for payload in (long_key, many_keys):  # large, but nothing is wrong with them
            wire.send_payload(payload)
            assert "result" in wire.receive()


def wrong_requests(server):
    with Wire(server.socket) as wire:
        for payload, code in [
            ({"id": 1, "method": "city.sing", "params": {}}, "unknown-method"),
            ({"id": 1, "params": {}}, "malformed"), ({"method": "status", "params": {}}, "malformed"),
            ({"id": 0, "method": "status", "params": {}}, "malformed"),
            ({"id": -1, "method": "status", "params": {}}, "malformed"),
            ({"id": 1, "method": "city.search", "params": {"prefix": "a", "limit": 1 << 64}}, "invalid-params"),
            ({"id": 1, "method": "city.get", "params": {"id": -5}}, "invalid-params"),
            ({"id": 1, "method": "city.near", "params": {"place": {"at": {"lat": 91, "lon": 0}}}}, "invalid-params"),
        ]:
            wire.send_payload(cbor2.dumps(payload, canonical=True))
            assert wire.receive()["error"]["code"] == code, payload


def never_reads(server):
    """Asks for all pages and takes none of them: back-pressure must stop it, not the server's memory."""
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(str(server.socket))
    peer.setblocking(False)
    batch = frame(request(1, "city.search", {"prefix": "", "limit": 1000})) * 100
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline:
        try:
            peer.send(batch)
        except BlockingIOError:
            time.sleep(0.01)
    peer.close()


def disconnects(server):
    """Goes away in the middle of a request, and in the middle of an answer."""
    for size in range(40):
        with connection(server) as peer:
            peer.sendall(frame(request(1, "city.search", SEARCH))[:size])
        with connection(server) as peer:
            peer.sendall(frame(request(1, "city.search", {"prefix": "", "limit": 1000})) * 5)
            peer.recv(size + 1)


ATTACKS = [garbage, empty_frames, endless_length, cut_frame_then_silence, a_byte_at_a_time, bombs, wrong_requests,
           never_reads, disconnects]


def test_a_refresh_names_no_more_feeds_than_there_are(server):
    """4,000 names of one feed, in 64 requests of 4 users that ended together, stopped the server for 1.5 s."""
    with server.wire() as wire:
        with pytest.raises(WireFault) as refused:
            wire.call("refresh", feeds=["rates"] * 4_000)
        assert (refused.value.code, refused.value.data["param"]) == ("invalid-params", "feeds")
        assert [outcome["feed"] for outcome in wire.call("refresh", feeds=["rates", "cities", "rates"])["feeds"]] == [
            "rates", "cities", "rates"]


class Bystander:
    """A client that asks all the while, and checks every answer."""

    def __init__(self, server):
        self.server, self.latencies, self.stop = server, [], threading.Event()
        self.wrong = []
        with server.wire() as wire:
            self.expected = wire.call("city.search", **SEARCH)
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def run(self):
        with self.server.wire() as wire:
            while True:
                begin = time.perf_counter()
                reply = wire.call("city.search", **SEARCH)
                self.latencies.append(time.perf_counter() - begin)
                if reply != self.expected:
                    self.wrong.append(reply)
                # At least one question: on a busy machine an attack may be over before it.
                if self.stop.is_set():
                    return

    def percentile(self, share):
        return sorted(self.latencies)[int(len(self.latencies) * share)] * 1e6


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.__name__)
def test_others_are_served_while_a_peer_misbehaves(shipped_server, attack, record_property):
    with Bystander(shipped_server) as quiet:
        time.sleep(0.2)
    with Bystander(shipped_server) as during:
        for _ in range(3):
            attack(shipped_server)
    assert during.latencies and not quiet.wrong and not during.wrong
    record_property("p99",
        f"{attack.__name__}: p99 quiet {quiet.percentile(.99):.0f} µs, during {during.percentile(.99):.0f} µs")


def test_a_started_frame_must_end_in_time(shipped_server):
    with connection(shipped_server) as peer:
        peer.sendall(b"\x00\x00\x00\x10abc")
        begin = time.monotonic()
        while peer.recv(4096):
            pass
        assert 5 < time.monotonic() - begin < 20


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def private_kib(server):
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    return int(re.search(r"Private_Dirty:\s+(\d+)", text).group(1))


def cpu_seconds(server):
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drain_replies(peer, count):
    """Counts whole frames until there were `count`."""
    pending = b""
    while count:
        pending += peer.recv(1 << 20)
        at = 0
        while len(pending) - at >= 4:
            (length,) = struct.unpack_from(">I", pending, at)
            if len(pending) - at < 4 + length:
                break
            at, count = at + 4 + length, count - 1
        pending = pending[at:]


def test_memory_and_descriptors_are_flat_after_a_million_requests(server):
    batch, size = frame(request(1, "city.search", {"prefix": "alb", "limit": 1})) * 500, 500
    with connection(server) as peer:
        for _ in range(20):
            peer.sendall(batch)
            drain_replies(peer, size)
        before = descriptors(server), private_kib(server)
        for _ in range(1_000_000 // size):
            peer.sendall(batch)
            drain_replies(peer, size)
        after = descriptors(server), private_kib(server)
    assert after[0] == before[0]
    assert after[1] - before[1] <= 64, f"private dirty memory went from {before[1]} to {after[1]} KiB"


@pytest.mark.slow
def test_memory_and_descriptors_are_flat_after_100_000_connections(server):
    time.sleep(0.5)  # the connection that saw it listening is gone by then
    before = descriptors(server), private_kib(server)

    def connect(times):
        for _ in range(times):
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(str(server.socket))
            peer.close()
        until(lambda: descriptors(server) <= before[0], what=f"{before[0]} descriptors again")
        return private_kib(server)

    # As many connections as are accepted in one turn, and no more, are there at a time.
    first = connect(20_000)
    assert first - before[1] <= 512
    # Four bytes that each connection leaves would be 390 KiB.
    assert connect(100_000) - first <= 256


def test_a_slow_reader_does_not_grow_the_server(shipped_server):
    before = private_kib(shipped_server)
    never_reads(shipped_server)
    assert private_kib(shipped_server) - before <= 20 * 1024


def busy_answer(server):
    """The error that the next connection gets; None if it is served."""
    with Wire(server.socket) as wire:
        try:
            wire.send("status")
        except BrokenPipeError:
            pass
        reply = wire.receive()
        return reply.get("error")


def served(server):
    """A connection that the server has answered; None if it was refused, as it is until the server has seen an end."""
    wire = Wire(server.socket)
    try:
        wire.send("status")
        if wire.receive().get("error") is None:
            return wire.socket
    except BrokenPipeError:
        pass
    wire.socket.close()
    return None


def test_the_connection_limit_is_named_and_freed_again(tmp_path, small_index):
    server = limited(tmp_path, small_index, CITIESD_MAX_CONNECTIONS=8)
    try:
        held = [until(lambda: served(server), what="service for a connection") for _ in range(8)]
        error = until(lambda: busy_answer(server), what="refusal")
        assert (error["code"], error["data"]["maximum"]) == ("busy", 8) and error["data"]["limit"]
        held.pop().close()
        until(lambda: busy_answer(server) is None, what="room for a connection")
        for peer in held:
            peer.close()
    finally:
        assert server.stop() == 0


def limited(folder, index, **variables):
    server = Server(folder / "limited", **variables)
    (server.state / "cities.index").write_bytes(index.read_bytes())
    return server.start()


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to be two users")
def test_one_user_at_the_limit_leaves_room_for_another(tmp_path, small_index):
    os.chmod(tmp_path, 0o755)
    server = limited(tmp_path, small_index)
    for folder in [tmp_path, *tmp_path.parents][:4]:
        os.chmod(folder, os.stat(folder).st_mode | 0o011)
    os.chmod(server.socket, 0o666)
    surplus = 2_000 - 1_024
    crowd = subprocess.Popen(
        ["python3", "-c", CROWD, str(server.socket), str(surplus)], stdout=subprocess.PIPE, text=True, user=65534)
    try:
        assert int(crowd.stdout.readline()) >= surplus
        with Bystander(server) as bystander:
            until(lambda: bystander.latencies, what="an answer to another user")
        assert not bystander.wrong
        before = cpu_seconds(server)
        time.sleep(2)
        assert (cpu_seconds(server) - before) / 2 < 0.05
    finally:
        crowd.terminate()
        crowd.wait(10)
        server.stop()


CROWD = """
import resource, select, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
peers, refused = [], 0
for _ in range(2000):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    peers.append(peer)
waiting, end = {peer.fileno(): peer for peer in peers}, time.monotonic() + 10
poll = select.poll()
for number in waiting:
    poll.register(number, select.POLLIN)
while refused < int(sys.argv[2]) and time.monotonic() < end:
    for number, _ in poll.poll(100):
        poll.unregister(number)
        refused += b"busy" in waiting[number].recv(4096)
print(refused, flush=True)
time.sleep(60)
"""


def test_without_descriptors_the_server_waits_instead_of_spinning(tmp_path, small_index):
    server = limited(tmp_path, small_index)
    held = []
    try:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        held = [connection(server) for _ in range(60)]
        time.sleep(0.3)
        before = cpu_seconds(server)
        time.sleep(2)
        assert (cpu_seconds(server) - before) / 2 < 0.05
        for peer in held[:30]:
            peer.close()
        assert until(lambda: busy_answer(server) is None, what="service for the next connection")
    finally:
        for peer in held:
            peer.close()
        server.stop()


def is_traced(pid):
    """Whether every thread of a process has a tracer."""
    try:
        return all(
            re.search(r"^TracerPid:\t[1-9]", (task / "status").read_text(), re.MULTILINE)
            for task in Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:  # a thread has ended
        return False


@pytest.fixture
def traced(server):
    """Counts a server's system calls while a function runs."""
    def count(action):
        with server.wire() as wire:
            wire.call("status")
        costs.wait_until_idle(server.process, 0.25)  # what a server does once, after its first answers, is done then
        strace = subprocess.Popen(["strace", "-f", "-c", "-U", "calls,name", "-p", str(server.process.pid)],
                                  stderr=subprocess.PIPE, text=True)
        until(lambda: is_traced(server.process.pid), what="strace at every thread of the server")
        action()
        strace.send_signal(signal.SIGINT)
        lines = (line.split() for line in strace.communicate()[1].splitlines())
        return {words[1]: int(words[0]) for words in lines if len(words) == 2 and words[0].isdigit()
            and words[1] != "total"}
    return count


def test_a_request_takes_three_system_calls_and_none_that_blocks(server, traced):
    asked = 1_000

    def one_by_one():
        with server.wire() as wire:
            for _ in range(asked):
                wire.call("city.search", prefix="alb")

    calls = traced(one_by_one)
    assert set(calls) <= {"epoll_wait", "epoll_pwait", "epoll_ctl", "read", "recvfrom", "write", "sendto", "accept4",
        "close",
                          "getsockopt", "timerfd_settime", "clock_gettime", "setsockopt"}, calls
    assert sum(calls.values()) <= 3 * asked + 40, calls


def test_pipelined_requests_share_their_system_calls(server, traced):
    def all_at_once():
        with connection(server) as peer:
            for _ in range(20):
                peer.sendall(frame(request(1, "city.search", {"prefix": "alb"})) * 50)
                drain_replies(peer, 50)

    calls = traced(all_at_once)
    assert sum(calls.values()) <= 1_000 * 0.3, calls
