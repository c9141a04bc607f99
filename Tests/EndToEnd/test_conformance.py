"""The kit that judges servers and clients: it passes ours, and fails those that break one sentence."""

import importlib.machinery
import importlib.util
import json
import re
import socket
import struct
import subprocess
import sys
import threading

import cbor2
import harness
import pytest
from wire import frame

KIT = harness.ROOT / "contrib/conformance"
CITIES = harness.ROOT / "Protocol/reference/cities.json"
PYTHON_CLIENT = harness.ROOT / "contrib/integrations/python"


def judge(*arguments, **options):
    return subprocess.run([sys.executable, str(KIT), *map(str, arguments)], capture_output=True, text=True, timeout=120,
        **options)


@pytest.fixture(scope="module")
def kit():
    loader = importlib.machinery.SourceFileLoader("conformance", str(KIT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("conformance", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kit_server(tmp_path_factory):
    """A server with the cities of the kit."""
    folder = tmp_path_factory.mktemp("kit")
    server = harness.Server(folder)
    harness.build_index(CITIES, server.state / "cities.index")
    server.start()
    yield server
    server.stop()


def test_every_rule_quotes_the_description(kit):
    tally = kit.Tally()
    for sentence in [sentence for sentence, *_ in kit.RULES + kit.CASES]:
        assert tally.section(sentence)


def test_the_description_shows_golden_vectors_in_bytes():
    readme = (harness.ROOT / "Protocol/README.md").read_text(encoding="utf-8")
    for sign, name in ((">", "city.get.request.least.id"), ("<", "city.get.reply.least")):
        shown = bytes.fromhex("".join(re.findall(rf"^{sign} ([0-9a-f ]+) #", readme, re.MULTILINE)))
        lines = (harness.ROOT / f"Protocol/vectors/{name}.hex").read_text(encoding="utf-8").splitlines()
        assert shown == frame(bytes.fromhex("".join(line.split("#")[0] for line in lines)))


def test_the_server_passes(kit_server):
    done = judge("server", "--socket", kit_server.socket, "--reference")
    assert done.returncode == 0 and done.stdout.splitlines()[-1].endswith(" passed, 0 failed"), done.stdout


def test_a_server_with_other_cities_fails_the_recorded_answers_alone(server):
    done = judge("server", "--socket", server.socket, "--reference")
    assert done.returncode == 1 and done.stdout.splitlines()[-1].endswith(", 1 failed"), done.stdout


def test_without_a_server_it_says_so(tmp_path):
    done = judge("server", "--socket", tmp_path / "none")
    assert (done.returncode, done.stdout) == (69, "") and "no server at" in done.stderr


@pytest.mark.parametrize("command", [
    [harness.BIN / "citiesctl", "search", "alb"], [harness.BIN / "citiesctl", "find", "munich"],
    [harness.BIN / "citiesctl", "call", "city.get", '{"id":1}'],
    ["env", f"PYTHONPATH={PYTHON_CLIENT}", sys.executable, "-m", "cities", "city.get", '{"id":1}'],
], ids=lambda command: " ".join(map(str, command[-2:])))
def test_the_clients_pass(command):
    done = judge("client", *command)
    assert done.returncode == 0, done.stdout


class FaultyServer(threading.Thread):
    """Passes frames on to the server, with its replies changed by `fault`: a list of payloads in, a list out."""

    def __init__(self, path, server, fault):
        super().__init__(daemon=True)
        self.server, self.fault = server, fault
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen(16)

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.connect(str(self.server))
            threading.Thread(target=self.forward, args=(connection, server), daemon=True).start()
            with server.makefile("rb") as stream:
                while length := stream.read(4):
                    payload = stream.read(*struct.unpack(">I", length))
                    try:
                        connection.sendall(b"".join(map(frame, self.fault(payload))))
                    except OSError:
                        return

    @staticmethod
    def forward(connection, server):
        while True:
            try:
                data = connection.recv(1 << 16)
                server.sendall(data)
            except OSError:
                return
            if not data:
                server.shutdown(socket.SHUT_WR)
                return


def changed(change):
    """A fault that changes the map of each reply."""
    def fault(payload):
        reply = cbor2.loads(payload)
        change(reply)
        return [cbor2.dumps(reply, canonical=True)]
    return fault


def wrong_total(reply):
    if "total" in reply.get("result", {}):
        reply["result"]["total"] += 1


def rename_code(reply):
    if reply.get("error", {}).get("code") == "unknown-method":
        reply["error"]["code"] = "invalid-params"


def farther(reply):
    for row in reply.get("result", {}).get("rows", []):
        if "distance" in row:
            row["distance"] += 2


@pytest.mark.parametrize(("fault", "sentence"), [
    (lambda payload: [payload, payload], "Every request gets exactly one reply"),
    (changed(lambda reply: reply.update(id=reply["id"] % 5)), "The client chooses the ids"),
    (changed(wrong_total), "`total` is the exact number of rows."),
    (changed(rename_code), "An unknown method is answered with `unknown-method`"),
    (changed(farther), "Distances are along a great circle"),
    (lambda payload: [payload[:1] + b"\x62ev\x00" + payload[1:]], "equal replies are equal bytes"),
    (lambda payload: [cbor2.dumps(dict(reversed(cbor2.loads(payload).items())))], "equal replies are equal bytes"),
], ids=["twice", "ids", "total", "code", "distance", "damaged", "order"])
def test_a_server_that_breaks_a_sentence_fails_with_it(kit_server, tmp_path, fault, sentence):
    faulty = FaultyServer(tmp_path / "f", kit_server.socket, fault)
    faulty.start()
    done = judge("server", "--socket", tmp_path / "f", "--timeout", 5, "--rule", sentence)
    faulty.listener.close()
    broken = re.findall(r"^FAILED  (.*)$", done.stdout, re.MULTILINE)
    assert done.returncode == 1 and any(sentence in line for line in broken), done.stdout


FAULTY_CLIENT = """
import os, socket, struct, sys
import cbor2
def ask(payload):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.connect(os.environ["CITIES_SOCKET"])
        s.sendall(struct.pack(">I", len(payload)) + payload)
        return s.recv(1 << 20)
"""


@pytest.mark.parametrize(("code", "sentence"), [
    ("", "it has sent no request"),
    ('sys.exit("no such method")', "it has sent no request; status 1: b'no such method"),
    ('ask(cbor2.dumps({"params": {}, "method": "status", "id": 1}))', "not in deterministic encoding"),
    ('ask(cbor2.dumps({"id": 0, "method": "status", "params": {}}, canonical=True))', "the id 0"),
    ('ask(cbor2.dumps({"id": 1, "method": "status", "params": {}}, canonical=True))', "without an answer"),
    ('print(ask(cbor2.dumps({"id": 1, "method": "status", "params": {}}, canonical=True))[:9])', "for plain replies"),
])
def test_a_client_that_breaks_a_sentence_fails(code, sentence):
    done = judge("client", sys.executable, "-c", FAULTY_CLIENT + code)
    assert done.returncode == 1 and sentence in done.stdout, done.stdout


READS_ANYTHING = """
reply = cbor2.loads(ask(cbor2.dumps({"id": 1, "method": "status", "params": {}}, canonical=True))[4:])
sys.exit(0 if (reply.value if hasattr(reply, "value") else reply).get("result") else 1)
"""


def test_a_client_that_reads_anything_fails_with_each_kind_of_damage(kit):
    done = judge("client", sys.executable, "-c", FAULTY_CLIENT + READS_ANYTHING)
    broken = "\n".join(re.findall(r"^FAILED  (.*)$", done.stdout, re.MULTILINE))
    # The others raise in its CBOR library.
    library = {"not well-formed", "not UTF-8", "a chunk that ends within a character"}
    for kind in set(kit.REJECTED) - library:
        assert f"everything beyond the limits. ({kind})" in broken, done.stdout
    assert "a reply has exactly one of `result` and `error`" in broken, done.stdout


def test_the_help_says_how_a_client_is_judged():
    assert "with a socket of its own in $CITIES_SOCKET" in judge("--help").stdout


def test_without_cbor2_it_says_what_to_install():
    # Without the packages of this environment.
    done = subprocess.run([sys.executable, "-I", "-S", KIT, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "python3-cbor2" in done.stderr and "Traceback" not in done.stderr


def test_wrong_use_is_status_2():
    for arguments in ([], ["client"], ["judge"]):
        assert judge(*arguments).returncode == 2


def test_the_json_form_of_every_request_is_taken(shipped_server):
    """`citiesctl call` sends what the description calls the JSON form: the server refuses none of it for its type."""
    lines = (harness.ROOT / "Protocol/vectors.jsonl").read_text(encoding="utf-8").splitlines()
    vectors = [one for one in map(json.loads, lines) if ".request" in one["vector"] and "params" in one["json"]]
    assert len(vectors) > 50
    requests = "".join(
        json.dumps({"method": one["json"]["method"], "params": one["json"]["params"]}) + "\n" for one in vectors)
    called = shipped_server.ctl("call", "--wait", "0", "--lines", input=requests)
    replies = [json.loads(line) for line in called.stdout.splitlines()]
    refused = [
        (one["vector"], reply["error"]) for one, reply in zip(vectors, replies, strict=True)
        if reply.get("error", {}).get("code") == "malformed" or "expected" in reply.get("error", {}).get("message", "")]
    assert refused == []
