"""The Python client under contrib/integrations, against the real server: what its documentation promises."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from datetime import datetime, timezone

import cbor2
import pytest
from harness import BIN, ENOUGH, ROOT, build_index, environment, record, until, write_list

from wire import framed, requests_of

FOLDER = ROOT / "contrib" / "integrations" / "python"
sys.path.insert(0, str(FOLDER))

import cities  # noqa: E402


def test_a_call_returns_the_result_and_an_error_its_code(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        assert [row["name"] for row in client.call("city.search", prefix="al")["rows"]] == ["Alabama", "Albuquerque"]
        with pytest.raises(cities.ServerError) as error:
            client.call("city.get", title="Springfield, US")
    assert (error.value.code, error.value.data["total"]) == ("ambiguous", 2)


def test_pages_together_are_the_whole(shipped_server):
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        rows = list(client.search("san ", page=100))
        assert len(rows) == client.call("city.search", prefix="san ", limit=0)["total"] > 1_000
        assert rows[:1_000] == client.call("city.search", prefix="san ", limit=1_000)["rows"]
        with_zones = client.city_search("san ", with_=["zone"], limit=5)["rows"]
        assert all(row["zone"] for row in with_zones)
        assert list(client.search("san ", page=300, with_=["zone"]))[:5] == with_zones
        generation = client.generation()
        assert list(client.search("san ", page=500, generation=generation, sort=None)) == rows


def pages_of(peer, replies):
    """A client of a server with these replies, and the parameters that the server is sent."""
    asked = []

    def handle(connection):
        for request in requests_of(connection):
            asked.append(request["params"])
            connection.sendall(framed({"id": request["id"], "result": replies[len(asked) - 1]}))

    return cities.connect(str(peer(handle)), ENOUGH), asked


def page(rows, total):
    return {"rows": [{"open": "yes", "location": {"id": row}} for row in rows], "total": total, "generation": "0" * 16}


def test_all_pages_of_open_locations_are_of_one_moment(peer):
    client, asked = pages_of(peer, [page("ab", 3), page("c", 3)])
    conditions = {"kind": "atm", "open": True}
    before = datetime.now(timezone.utc).replace(microsecond=0)
    with client:
        assert [row["location"]["id"] for row in client.locations(page=2, filter=conditions)] == list("abc")
        moments = [params["filter"].pop("at") for params in asked]
        assert moments[0] == moments[1] and moments[0].endswith("Z")
        assert before <= datetime.fromisoformat(moments[0].replace("Z", "+00:00")) <= datetime.now(timezone.utc)
        assert [params["filter"] for params in asked] == [conditions] * 2
        assert conditions == {"kind": "atm", "open": True}
        # A moment of the caller's stays, and other filters have none.
        for other in ({"open": True, "at": "14:30"}, {"open": False}):
            del asked[:]
            assert len(list(client.locations(page=2, filter=other))) == 3
            assert [params["filter"] for params in asked] == [other, other]


@pytest.mark.parametrize(("second", "words"), [
    (page("c", 4), "from row 2 on has 1 rows and a total of 4, where 1 rows of 3 were expected"),
    (page("", 3), "0 rows"), (page("cd", 3), "2 rows")], ids=["another total", "too few", "too many"])
def test_pages_that_do_not_fit_together_are_an_error(peer, second, words):
    client, _ = pages_of(peer, [page("ab", 3), second])
    with client, pytest.raises(cities.ProtocolError, match=words):
        list(client.locations(page=2))


def test_a_pipeline_keeps_the_order_and_carries_errors_in_place(server):
    asked = [("city.get", {"id": 1}), ("city.get", {"id": 77}), ("city.get", {"id": 2})]
    with cities.connect(str(server.socket), ENOUGH) as client:
        first, second, third = client.pipeline(asked)
    assert (first["city"]["id"], second.code, third["city"]["id"]) == (1, "not-found", 2)


def test_a_call_survives_a_restart_of_the_server(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        client.call("status")
        server.stop()
        server.start()
        assert client.call("city.get", id=1)["city"]["id"] == 1


def test_watch_tells_of_new_data(server, tmp_path):
    events = []
    client = cities.connect(str(server.socket), ENOUGH)

    def collect():
        for event in client.watch("cities"):
            events.append(event)
            if len(events) == 2:
                return

    thread = threading.Thread(target=collect)
    thread.start()
    until(lambda: events, what="the state")
    source = write_list(tmp_path / "list.json", [record(9, "Albany", "US")])
    made = build_index(source, tmp_path / "new.index")
    assert made.returncode == 0, made.stderr
    (tmp_path / "new.index").rename(server.state / "cities.index")
    thread.join(10)
    client.close()
    assert [event["event"] for event in events] == ["state", "changed"]
    assert events[0]["generations"]["cities"] != events[1]["generation"] == server.generation()


def test_no_server_and_a_large_request_are_errors(server, tmp_path):
    with pytest.raises(FileNotFoundError):
        cities.connect(str(tmp_path / "nothing.sock"), ENOUGH)
    with cities.connect(str(server.socket), ENOUGH) as client, pytest.raises(ValueError, match="65536"):
        client.call("city.search", prefix="x" * 70_000)


@pytest.mark.parametrize(("words", "status"), [
    (["city.search", '{"prefix": "alb", "limit": 3}'], 0), (["city.get", '{"id": 77}'], 1), ([], 2),
    (["status", "{bad"], 2), (["status", "[1]"], 2)])
def test_the_command_prints_json_and_has_exit_codes(server, words, status):
    ran = subprocess.run(
        [sys.executable, "-m", "cities", *words], env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=FOLDER),
        capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == status, ran.stderr
    if status == 0:
        assert json.loads(ran.stdout)["total"] == 1
    if status == 1:
        assert json.loads(ran.stderr)["code"] == "not-found"


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_the_command_explains_itself(shipped_server, word):
    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "cities", *words],
            env=environment(CITIES_SOCKET=shipped_server.socket, PYTHONPATH=FOLDER),
            capture_output=True, text=True, timeout=30, check=False)

    helped = run(word)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith("usage: python3 -m cities METHOD [JSON] | COMMAND [ARGUMENT...]\n")
    examples = [line for line in helped.stdout.splitlines() if line.startswith("  python3 -m cities ")]
    assert len(examples) == 2
    for example in examples:
        assert json.loads(run(*shlex.split(example)[3:]).stdout)["generation"]


def test_a_parameter_may_have_any_name(server):
    """Servers ignore keys that they do not know."""
    with cities.connect(str(server.socket), ENOUGH) as client:
        assert client.call("city.get", id=1, self=1, method="x")["city"]["id"] == 1
    ran = subprocess.run(
        [sys.executable, "-m", "cities", "city.get", '{"id": 1, "self": 1, "method": 1}'],
        env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=FOLDER), capture_output=True, text=True, timeout=30,
        check=False)
    assert (ran.returncode, ran.stderr) == (0, "") and json.loads(ran.stdout)["city"]["id"] == 1


# Each kind of character that acts on a terminal, between others of the same blocks.
FOREIGN = "é\x1b[2J\x7f\x9b\u061b\u061c\u200d\u200e\u200f\u2027\u2028\u2029\u202a\u202e\u202f\u2066\u2069\u206a\x00😀"
SHOWN = (
    r"é\u001b[2J\u007f\u009b" "\u061b" r"\u061c" "\u200d" r"\u200e\u200f" "\u2027" r"\u2028\u2029\u202a\u202e"
    "\u202f" r"\u2066\u2069" "\u206a" r"\u0000😀")


@pytest.mark.parametrize(("encoding", "shown"), [
    ("utf-8", SHOWN), ("UTF8", SHOWN), ("latin-1", json.dumps(FOREIGN)[1:-1]), ("ascii", json.dumps(FOREIGN)[1:-1])],
    ids=["utf-8", "UTF8", "latin-1", "ascii"])
def test_the_command_escapes_what_acts_on_a_terminal_or_cannot_be_written(peer, encoding, shown):
    def handle(connection):
        for request in requests_of(connection):
            connection.sendall(framed({"id": request["id"], "result": {FOREIGN: FOREIGN}}))

    ran = subprocess.run(
        [sys.executable, "-m", "cities", "status"], timeout=30, check=False, capture_output=True,
        env=environment(CITIES_SOCKET=peer(handle), PYTHONPATH=FOLDER, PYTHONIOENCODING=encoding))
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode(encoding) == f'{{"{shown}": "{shown}"}}\n'


DECIMALS = [
    ((-7, 1), "0.0000001"), ((-2, 1490), "14.90"), ((2, 0), "0"), ((3, 15), "15000"), ((-2, -1000), "-10.00"),
    ((0, 7), "7"), ((-40, 10**38 - 1), "0.0099999999999999999999999999999999999999"), ((100, 12), "12" + "0" * 100),
    ((-100, 12), "0." + "0" * 98 + "12"), ((101, 12), "12e101"), ((-101, 12), "12e-101"), ((6144, -1), "-1e6144")]


def test_decimal_fractions_are_printed_as_by_citiesctl(peer):
    def handle(connection):
        for request in requests_of(connection):
            rows = [cbor2.CBORTag(4, list(pair)) for pair, _ in DECIMALS]
            connection.sendall(framed({"id": request["id"], "result": rows}))

    path = peer(handle)
    for command in ([sys.executable, "-m", "cities", "status"], [BIN / "citiesctl", "call", "status"]):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False,
            env=environment(CITIES_SOCKET=path, PYTHONPATH=FOLDER))
        assert (ran.returncode, ran.stderr) == (0, "")
        assert json.loads(ran.stdout) == [text for _, text in DECIMALS], command


PAGE = [sys.executable, "-m", "cities", "city.search", '{"prefix": "", "limit": 1000}']


@pytest.mark.parametrize(("redirection", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
def test_the_command_reports_output_that_cannot_be_written(server, redirection, reason):
    ran = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", *PAGE], stderr=subprocess.PIPE, text=True, timeout=30,
        check=False,
        env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=FOLDER))
    assert (ran.returncode, ran.stderr) == (74, f"cities: standard output: {reason}\n")


@pytest.mark.parametrize("command", [PAGE, [BIN / "citiesctl", "search", "--all", ""]], ids=["cities", "citiesctl"])
def test_the_command_ends_as_citiesctl_does_when_nobody_reads(server, command):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as pipe:
        ran = subprocess.run(
            command, stdout=pipe, stderr=subprocess.PIPE, text=True, timeout=30, check=False,
            env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=FOLDER))
    assert (ran.returncode, ran.stderr) == (-signal.SIGPIPE, "")


def test_the_command_says_which_sockets_it_tried():
    ran = subprocess.run(
        [sys.executable, "-m", "cities", "status"], capture_output=True, text=True, timeout=30, check=False,
        env=environment(CITIES_SOCKET="/nonexistent/x.sock", PYTHONPATH=FOLDER))
    assert (ran.returncode, "/nonexistent/x.sock" in json.loads(ran.stderr)["message"]) == (1, True)
