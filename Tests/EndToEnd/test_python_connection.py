"""Connections of the Python package: after failures, timeouts and interrupts, with threads, forks and broken servers.
"""

import array
import signal
import socket
import subprocess
import sys
import threading

import cbor2
import pytest
from harness import ENOUGH, ROOT, build_index, environment, record, until, write_list
from wire import framed, requests_of

FOLDER = ROOT / "contrib" / "integrations" / "python"
sys.path.insert(0, str(FOLDER))

import cities  # noqa: E402


def serves(client):
    """Asserts that each way of asking gives its own answer. A single call comes last, because it asks twice if need be.
    """
    for number in (1, 2):
        assert client.match(["Albuquerque"]).ids.tolist() == [1]
        assert [reply["city"]["id"] for reply in client.pipeline([("city.get", {"id": i}) for i in (3, 4)])] == [3, 4]
        assert client.locate([51.77], [19.46]).ids.tolist() == [3]
        assert client.city_get(number)["city"]["id"] == number


@pytest.mark.parametrize(("number", "error", "words"), [
    (signal.SIGTERM, FileNotFoundError, "No such file"), (signal.SIGKILL, ConnectionRefusedError, "refused")],
    ids=["stopped", "killed"])
def test_a_client_works_again_when_the_server_does(server, number, error, words):
    with cities.connect(str(server.socket), ENOUGH) as client:
        serves(client)
        server.stop(number)
        for _ in range(3):
            with pytest.raises(error, match=words) as raised:
                client.city_get(1)
            with pytest.raises(error, match=words):
                client.pipeline([("status", {})])
            with pytest.raises(error, match=words):
                next(client.watch())
            for bulk in (lambda: client.locate([1.0], [1.0], patience=0.1), lambda: client.match(["a"], patience=0.1)):
                with pytest.raises(cities.Incomplete, match=f"0.1 s after 0 rows: .*{words}"):
                    bulk()
        assert str(server.socket) in str(raised.value)
        server.start()
        serves(client)


def test_the_functions_of_the_module_work_again_when_the_server_does(server, monkeypatch):
    monkeypatch.setenv("CITIES_SOCKET", str(server.socket))
    generation = cities.generation()
    server.stop()
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            cities.generation()
    server.start()
    assert cities.generation() == generation == cities.match(["Alabama"]).generation


@pytest.fixture
def held(server, late):
    """A client whose answers are held from now, and the proxy that holds them."""
    proxy = late(server.socket, 0)
    with cities.connect(str(proxy.path), 0.2) as client:
        proxy.hold()
        yield client, proxy


ASKING = {
    "call": lambda client: client.city_get(1), "pipeline": lambda client: client.pipeline([("status", {})] * 3),
    "generation": lambda client: client.generation(), "watch": lambda client: next(client.watch()),
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_a_late_answer_is_not_that_of_the_next_request(held, ask):
    client, proxy = held
    for _ in range(2):
        with pytest.raises(TimeoutError):
            ask(client)
    client.timeout = ENOUGH
    proxy.let_go()
    serves(client)


@pytest.mark.parametrize("ask", [
    *ASKING.values(), lambda client: client.locate([1.0], [1.0]), lambda client: client.match(["Alabama"])],
    ids=[*ASKING, "locate", "match"])
def test_nor_is_an_answer_after_an_interrupt(held, ask):
    client, proxy = held
    client.timeout = ENOUGH

    def interrupt():
        until(lambda: proxy.asked, ENOUGH, "the request")
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        ask(client)
    thread.join()
    proxy.let_go()
    serves(client)


def change_data(server, folder, number):
    """Gives a server its list with one city more."""
    rows = [record(1, "Albuquerque", "US", 35.08, -106.65), record(2, "Alabama", "US", 32.8, -86.8),
            record(3, "Łódź", "PL", 51.77, 19.46), record(4, "São Paulo", "BR"), record(number, "Albany", "US", 42, 70)]
    made = build_index(write_list(folder / f"{number}.json", rows), folder / f"{number}.index")
    assert made.returncode == 0, made.stderr
    (folder / f"{number}.index").rename(server.state / "cities.index")


def test_a_client_may_be_used_during_watch_and_after_it(server, tmp_path):
    with cities.connect(str(server.socket), ENOUGH) as client:
        generations = []
        for event in client.watch("cities"):
            generations.append(event["generations"]["cities"] if event["event"] == "state" else event["generation"])
            serves(client)
            if len(generations) == 4:
                break
            change_data(server, tmp_path, 10 + len(generations))
        assert len(set(generations)) == 4 and generations[-1] == client.generation()
        change_data(server, tmp_path, 20)
        until(lambda: server.generation() not in generations, what="the new data")
        serves(client)


def test_after_watch_a_call_still_has_its_timeout(server, late):
    proxy = late(server.socket, 0)
    with cities.connect(str(proxy.path), ENOUGH) as client:
        for _ in client.watch():
            break
        client.timeout = 0.2
        proxy.hold()
        end = threading.Timer(10, proxy.close)
        end.start()
        with pytest.raises(TimeoutError):
            client.status()
        end.cancel()


def test_the_end_of_the_server_ends_watch(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        events = client.watch()
        assert next(events)["event"] == "state"
        server.stop()
        with pytest.raises(cities.ConnectionEnded):
            list(events)
        server.start()
        serves(client)


def test_requests_and_answers_of_any_number_are_not_a_deadlock(shipped_server):
    """A server that cannot send its answers stops reading; the requests alone are more than a socket holds."""
    asked = [("city.search", {"prefix": "san ", "limit": 200, "offset": 7 * n}) for n in range(1_500)]
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        rows = list(client.search("san "))[:1_000]
        for (_, params), reply in zip(asked, client.pipeline(asked), strict=True):
            offset = params["offset"]
            assert offset >= 1_000 or reply["rows"][: 1_000 - offset] == rows[offset : offset + 200], offset
        assert client.pipeline([]) == []


def test_a_pipeline_that_cannot_be_sent_leaves_the_client_usable(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        with pytest.raises(ValueError, match="65536"):
            client.pipeline([("status", {}), ("city.search", {"prefix": "x" * 70_000})])
        serves(client)


def test_a_connection_that_the_server_closed_between_requests_is_opened_again(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        for ask in (ASKING["call"], ASKING["pipeline"], ASKING["watch"], lambda client: client.locate([1.0], [1.0])):
            serves(client)
            server.stop()
            server.start()
            ask(client)


def test_threads_may_share_a_client(shipped_server):
    wrong = []
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        expected = client.locate([float(n) for n in range(60)], [24.0] * 60).ids

        def ask(number):
            try:
                for turn in range(number, number + 60):
                    found = client.city_near((float(turn % 60), 24.0), limit=1)["rows"][0]["city"]["id"]
                    if found != expected[turn % 60] or client.locate([float(turn % 60)], [24.0]).ids[0] != found:
                        wrong.append(turn)
            except Exception as error:  # reported by the assertion
                wrong.append(error)

        threads = [threading.Thread(target=ask, args=(7 * number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def run(text, server):
    """Runs Python in a process of its own; its output."""
    ran = subprocess.run(
        [sys.executable, "-c", text], env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=FOLDER),
        capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


FORKED = """
import os, sys, cities
client = cities.connect(timeout=30)
events = client.watch()
next(events)
client.status()
child = os.fork()
for turn in range(300):
    number = 1 + (turn + (child == 0)) % 7
    assert client.city_get(number)["city"]["id"] == number
    assert cities.generation()
if child == 0:
    try:
        next(events)
    except cities.ProtocolError:
        os._exit(0)
    os._exit(1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_has_a_connection_of_its_own(server):
    run(FORKED, server)


def deep(levels):
    """Arrays within each other."""
    return [deep(levels - 1)] if levels else 0


NO = {"code": "no", "message": "no"}
BROKEN = {
    "part of a length": (b"\0\0", cities.ConnectionEnded, "ended before the answer"),
    "part of a frame": (framed({"id": 1, "result": {}})[:-1], cities.ConnectionEnded, "ended before the answer"),
    "a huge length": (b"\xff" * 8, cities.ProtocolError, "a frame of 4294967295 bytes"),
    "an unknown id": (framed({"id": 77, "result": {}}), cities.ProtocolError, "expected the answer to request"),
    "no map": (framed([1, 2]), cities.ProtocolError, "expected the answer to request"),
    "a number that is no id": (framed({"id": 1.0, "result": {}}), cities.ProtocolError, "expected the answer to"),
    "true for the id 1": (framed({"id": True, "result": {}}), cities.ProtocolError, "expected the answer to request"),
    "a tagged map": (framed(b"\xd9\xd9\xf7\xa0"), cities.ProtocolError, "expected the answer to request"),
    "a result for no request": (framed({"id": 0, "result": {}}), cities.ProtocolError, "expected the answer to"),
    "no result": (framed({"id": 0}), cities.ProtocolError, "exactly one of result and error"),
    "a result that is null": (framed({"id": 0, "result": None}), cities.ProtocolError, "exactly one of"),
    "an event": (framed({"id": 0, "event": {}}), cities.ProtocolError, "exactly one of result and error"),
    "a result and an error": (
        framed({"id": 0, "result": {}, "error": NO}), cities.ProtocolError, "exactly one of result and error"),
    "a result and an event": (
        framed({"id": 0, "result": {}, "event": {}}), cities.ProtocolError, "exactly one of result and error"),
    "an error that is a text": (framed({"id": 0, "error": "no"}), cities.ProtocolError, "not an error"),
    "an error without a message": (framed({"id": 0, "error": {"code": "no"}}), cities.ProtocolError, "not an error"),
    "a byte after the item": (
        framed(cbor2.dumps({"id": 1, "result": {}}) + b"\0"), cities.ProtocolError, "bytes after"),
    "a break after the item": (
        framed(cbor2.dumps({"id": 1, "result": {}}) + b"\xff"), cities.ProtocolError, "bytes after"),
    "NaN": (framed({"id": 1, "result": {"rows": [float("nan")]}}), cities.ProtocolError, "not a finite number"),
    "a float that is infinite": (
        framed(b"\xa2\x62id\x01\x66result\xfa\xff\x80\0\0"), cities.ProtocolError, "not a finite number"),
    "a double that is infinite": (
        framed(b"\xa2\x62id\x01\x66result\xfb\x7f\xf0\0\0\0\0\0\0"), cities.ProtocolError, "not a finite number"),
    "NaN as a key": (framed({"id": 1, "result": {float("nan"): 1}}), cities.ProtocolError, "not a finite number"),
    "NaN in a set": (
        framed({"id": 1, "result": {"a": cbor2.CBORTag(258, [float("nan")])}}), cities.ProtocolError,
        "not a finite number"),
    "a key that comes twice": (
        framed(b"\xa2\x62id\x01\x66result\xa2\x61a\x01\x61a\x02"), cities.ProtocolError, "not CBOR"),
    "17 levels": (framed({"id": 1, "result": deep(16)}), cities.ProtocolError, "not CBOR"),
    "an empty frame": (framed(b""), cities.ProtocolError, "not CBOR"),
    "no CBOR": (framed(b"\xff\xff"), cities.ProtocolError, "not CBOR"),
    "half a number": (framed({"id": 1, "result": cbor2.CBORTag(71, b"1234567")}), cities.ProtocolError, "no whole"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_an_error_and_spoils_no_later_one(peer, name):
    bytes_, error, words = BROKEN[name]
    is_broken = [True]

    def handle(connection):
        for request in requests_of(connection):
            if is_broken[0]:
                connection.sendall(bytes_)
                return
            connection.sendall(framed({"id": request["id"], "result": {"method": request["method"]}}))

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        for ask in (lambda: client.call("status"), lambda: client.pipeline([("status", {})] * 2)):
            with pytest.raises(error, match=words):
                ask()
        is_broken[0] = False
        assert client.call("hello") == {"method": "hello"}
        assert client.pipeline([("a", {}), ("b", {})]) == [{"method": "a"}, {"method": "b"}]


# By their names: answers that are read although no server of ours writes them, and what the caller is given.
LENIENT = {
    "null for an error and an event": (framed({"id": 1, "result": {}, "error": None, "event": None}), {}),
    "a bignum as the id": (framed(b"\xa2\x62id\xc2\x41\x01\x66result\xa0"), {}),
    "keys that nobody knows": (framed({"id": 1, "result": {}, "later": 1, 5: 5}), {}),
    "16 levels": (framed({"id": 1, "result": deep(15)}), deep(15)),
    "bytes as those of NaN": (
        framed({"id": 1, "result": [b"\xf9\x7e\0\xfa\x7f\xc0\xfb\x7f\xf8", 65_504.0]}),
        [b"\xf9\x7e\0\xfa\x7f\xc0\xfb\x7f\xf8", 65_504.0]),
    "a long text": (framed({"id": 1, "result": ["ab" * 50_000, 1]}), ["ab" * 50_000, 1]),
    "null for the data of an error": (framed({"id": 1, "error": {**NO, "data": None}}), cities.ServerError),
}


@pytest.mark.parametrize("name", LENIENT)
def test_an_answer_that_only_others_would_send_is_read(peer, name):
    bytes_, expected = LENIENT[name]

    def handle(connection):
        for _ in requests_of(connection):
            connection.sendall(bytes_)

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        (outcome,) = client.pipeline([("status", {})])
    if expected is cities.ServerError:
        assert (type(outcome), outcome.code, outcome.data) == (cities.ServerError, "no", {})
    else:
        assert outcome == expected


def test_an_answer_to_nobody_is_not_read_by_the_next_request(peer):
    def handle(connection):
        for request in requests_of(connection):
            answer = framed({"id": request["id"], "result": {"method": request["method"]}})
            connection.sendall(answer + framed({"id": 0, "result": {"method": "nobody's"}}))

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        assert [client.call(method) for method in "abc"] == [{"method": method} for method in "abc"]


def test_every_changed_byte_of_an_answer_is_a_result_or_one_of_the_errors(peer):
    answer = framed({"id": 1, "result": {
        "ids": cbor2.CBORTag(71, bytes(16)), "metres": cbor2.CBORTag(70, bytes(8)), "generation": "0" * 16,
        "rows": [], "index": cbor2.CBORTag(70, b"\xff" * 8)}})
    changed = [answer[:at] + bytes([answer[at] ^ bits]) + answer[at + 1 :] for at in range(4, len(answer))
               for bits in (0x01, 0x20, 0x80, 0xFF)]
    left = list(changed)

    def handle(connection):
        for _ in requests_of(connection):
            connection.sendall(left.pop())

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        while left:
            client._id = 0
            try:
                client.locate([1.0, 2.0], [1.0, 2.0], patience=0)
            except (cities.ProtocolError, cities.ServerError):
                pass
    assert len(changed) > 400


def test_a_refused_connection_says_why(peer):
    closed = threading.Semaphore(0)

    def handle(connection):
        connection.sendall(framed({"id": 0, "error": {"code": "busy", "message": "too many", "data": {"maximum": 1}}}))
        connection.close()
        closed.release()

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        closed.acquire()
        for _ in range(20):
            with pytest.raises(cities.ServerError, match="too many"):
                client.call("status")


def test_a_full_queue_of_connections_is_a_timeout(tmp_path):
    path = str(tmp_path / "full.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(0)
        with cities.connect(path, 0.1), pytest.raises(TimeoutError, match=path):
            for _ in range(3):
                cities.connect(path, 0.1)


@pytest.mark.parametrize(("runtime", "paths"), [
    ("/run/user/7", ["/run/user/7/cities/citiesd.sock", "/run/cities/citiesd.sock"]),
    ("run", ["/run/cities/citiesd.sock"]), ("", ["/run/cities/citiesd.sock"]), (None, ["/run/cities/citiesd.sock"])])
def test_a_relative_runtime_folder_is_ignored(monkeypatch, runtime, paths):
    """As citiesctl ignores it, and the XDG Base Directory Specification demands."""
    monkeypatch.delenv("CITIES_SOCKET", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    if runtime is not None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert cities.socket_paths() == paths


def test_a_closed_client_is_an_error_at_once(server):
    client = cities.connect(str(server.socket), ENOUGH)
    events = client.watch()
    next(events)
    client.close()
    client.close()
    for ask in (*ASKING.values(), lambda client: client.locate([1.0], [1.0]), lambda _: next(events)):
        with pytest.raises(OSError, match="the client is closed"):
            ask(client)


COUNTED = """
import os, cities
count = lambda: len(os.listdir("/proc/self/fd"))
print(count())
with cities.connect(timeout=30) as client:
    for _ in range(20):
        for _ in client.watch():
            break
        client.status()
    print(count())
print(count())
"""


def test_no_connection_stays_open(server):
    before, during, after = map(int, run(COUNTED, server).split())
    assert (during, after) == (before + 1, before)


def test_an_array_of_a_type_that_cannot_be_sent_is_refused(server):
    with cities.connect(str(server.socket), ENOUGH) as client, pytest.raises(TypeError, match="'h'"):
        client.city_locate(array.array("h", [1]), array.array("h", [1]))
