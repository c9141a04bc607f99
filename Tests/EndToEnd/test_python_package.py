"""The Python package: every message against the golden vectors, its types, and its installation."""

import inspect
import pickle
import re
import struct
import subprocess
import sys
import typing

import cbor2
import pytest
from harness import BIN, ENOUGH, ROOT, environment

FOLDER = ROOT / "contrib" / "integrations" / "python"
sys.path.insert(0, str(FOLDER))

import cities  # noqa: E402
import cities.types  # noqa: E402
from cities._wire import from_typed_array  # noqa: E402

VECTORS = ROOT / "Protocol" / "vectors"


def payload_of(path):
    return bytes.fromhex("".join(line.split("#")[0] for line in path.read_text(encoding="utf-8").splitlines()))


def vectors(kind):
    return sorted(path for path in VECTORS.glob(f"*.{kind}*.hex") if re.search(rf"\.{kind}(\.|$)", path.stem))


def method_of(path):
    return re.split(r"\.(?:request|reply|event)", path.stem)[0]


def parameters(params):
    """Parameters of a request as a method of the client takes them."""
    words = {"with", "in", "from"}
    return {f"{key}_" if key in words else key: value for key, value in params.items()}


def exchange(socket_of, asked, answer):
    """Sends what `asked` does to a server that answers with one payload; what it was sent, and the result."""
    received = []

    def handle(connection):
        stream = connection.makefile("rb")
        (length,) = struct.unpack(">I", stream.read(4))
        received.append(stream.read(length))
        connection.sendall(struct.pack(">I", len(answer)) + answer)
        stream.read(1)

    with cities.connect(str(socket_of(handle)), ENOUGH) as client:
        result = asked(client)
    return received[0], result


def ask(client, method, params):
    """Calls the method that a message has; the state alone of one that goes on."""
    if method == "watch":
        state = next(client.watch(*params.get("subjects", [])))
        assert state.pop("event") == "state"
        return state
    return getattr(client, method.replace(".", "_"))(**parameters(params))


@pytest.mark.parametrize("path", vectors("request"), ids=lambda path: path.stem)
def test_each_method_sends_the_bytes_of_its_vectors(peer, path):
    golden = payload_of(path)
    message = cbor2.loads(golden, tag_hook=from_typed_array)
    answer = cbor2.dumps({"id": message["id"], "result": {}}, canonical=True)

    def asked(client):
        client._id = message["id"] - 1
        return ask(client, message["method"], message["params"])

    sent, _ = exchange(peer, asked, answer)
    assert sent.hex() == golden.hex()


def conforms(value, hint, seen, where="result"):
    """Asserts that a value is what its type hint says; notes the keys of each TypedDict."""
    if hint is typing.Any:
        return
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        required = {key for key, h in hints.items() if typing.get_origin(h) is not typing.NotRequired}
        required = required if hint.__total__ else set()
        assert required <= set(value) <= set(hints), f"{where}: {sorted(set(value) ^ set(hints))} of {hint.__name__}"
        seen.setdefault(hint, set()).update(value)
        plain = typing.get_type_hints(hint)
        for key, inner in value.items():
            conforms(inner, plain[key], seen, f"{where}.{key}")
        return
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    assert isinstance(value, origin) or (origin is float and isinstance(value, int)), f"{where}: {value!r}, not {hint}"
    if origin is list:
        for inner in value:
            conforms(inner, arguments[0], seen, f"{where}[]")
    if origin is dict:
        for inner in value.values():
            conforms(inner, arguments[1], seen, f"{where}{{}}")


def result_type(method):
    """The TypedDict that a method says it returns."""
    name = getattr(cities.Client, method.replace(".", "_")).__annotations__["return"]
    return getattr(cities.types, name.removeprefix("t."), typing.Any)


def test_each_reply_has_the_type_that_the_method_says(peer):
    seen = {}
    for path in vectors("reply"):
        method, golden = method_of(path), payload_of(path)
        request = payload_of(VECTORS / f"{method}.request.hex")
        message = cbor2.loads(golden, tag_hook=from_typed_array)

        def asked(client, method=method, request=request, message=message):
            client._id = message["id"] - 1
            return ask(client, method, cbor2.loads(request, tag_hook=from_typed_array)["params"])

        _, result = exchange(peer, asked, golden)
        assert result == message["result"], path.stem
        conforms(result, result_type(method), seen, path.stem)
    # The vectors have every key but these: one that is missing from them all is misspelt here.
    absent = {("FeedReport", "sample"), ("PlaceTime", "resolved")}
    unseen = {(kind.__name__, key) for kind, keys in seen.items() for key in set(typing.get_type_hints(kind)) - keys}
    assert unseen <= absent
    assert len(seen) > 30


@pytest.mark.parametrize("path", sorted(VECTORS.glob("error.*.hex")), ids=lambda path: path.stem)
def test_each_error_is_raised_with_its_code_and_data(peer, path):
    golden = payload_of(path)
    message = cbor2.loads(golden)

    def asked(client):
        client._id = max(message["id"], 1) - 1
        with pytest.raises(cities.ServerError) as raised:
            client.city_get(1)
        return raised.value

    _, error = exchange(peer, asked, golden)
    assert (error.code, error.data) == (message["error"]["code"], message["error"].get("data", {}))
    assert message["error"]["message"] in str(error)


def test_every_method_of_a_server_is_a_method_of_the_client(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        methods = client.introspect()["methods"]
    assert [method for method in methods if not callable(getattr(cities.Client, method.replace(".", "_"), None))] == []


def test_places_may_be_ids_names_or_pairs(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        by_each = [client.city_near(place, limit=1)["rows"][0]["city"]["id"] for place in
                   (3, "lodz", (51.77, 19.46), {"title": "Łódź, PL"})]
        assert by_each == [3, 3, 3, 3]
        assert client.city_time([3])["rows"][0]["city"]["id"] == 3


def test_null_is_an_absent_value(peer):
    numbers = {"ids": cbor2.CBORTag(71, struct.pack("<Q", 9)), "generation": "0" * 16, "countries": None}
    located = {**numbers, "metres": cbor2.CBORTag(70, struct.pack("<I", 5)), "certain": None}
    _, found = exchange(peer, lambda client: client.locate([1.0], [2.0]), cbor2.dumps({"id": 1, "result": located}))
    assert list(found.ids) == [9] and found.countries is None
    matched = {**numbers, "classes": cbor2.CBORTag(64, b"\3"), "complete": None}
    _, found = exchange(peer, lambda client: client.match(["a"]), cbor2.dumps({"id": 1, "result": matched}))
    assert list(found.ids) == [9] and found.complete is True


@pytest.mark.parametrize("asked", [
    lambda client: client.city_near((-0.0, -0.0), radius=-0.0),
    lambda client: client.city_near({"at": {"lat": -0.0, "lon": -0.0}}, radius=-0.0),
    lambda client: client.call("city.near", place={"at": {"lat": 0.0, "lon": 0.0}}, radius=0.0)],
    ids=["a pair", "a map", "any"])
def test_negative_zero_is_written_as_zero(peer, asked):
    sent, _ = exchange(peer, asked, cbor2.dumps({"id": 1, "result": {}}))
    params = {"place": {"at": {"lat": 0.0, "lon": 0.0}}, "radius": 0.0}
    assert sent == cbor2.dumps({"id": 1, "method": "city.near", "params": params}, canonical=True)


SCHEMA = re.sub(r";.*", "", (ROOT / "Protocol" / "cities.cddl").read_text(encoding="utf-8"))


def keys_of(rule):
    """The keys of a map in the schema, and those that may be left out; empty for a rule without a map."""
    body = re.search(rf"^{rule}\s*=\s*\{{(.*?)\}}\s*$", SCHEMA, re.MULTILINE | re.DOTALL)
    found = re.findall(r"(\?\s*)?\b([a-z_]+):", body[1]) if body else []
    return found and ({key for _, key in found}, {key for mark, key in found if mark})


def rule_of(name):
    """The rule that a type is named for: `city-find-result` of CityFindResult."""
    return re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()


def test_each_type_has_the_keys_of_its_rule():
    types = {rule_of(name): kind for name, kind in vars(cities.types).items() if typing.is_typeddict(kind)}
    for rule, kind in types.items():
        if keys_of(rule):
            keys, optional = keys_of(rule)
            hints = typing.get_type_hints(kind, include_extras=True)
            absent = {key for key, hint in hints.items() if typing.get_origin(hint) is typing.NotRequired}
            assert (set(hints), absent if kind.__total__ else set(hints)) == (keys, optional), rule
    # Alternatives of a place have no rules of their own.
    places = {rule for rule in types if not keys_of(rule)}
    assert all(rule.startswith("place-") for rule in places)
    alternatives = "".join(re.findall(r"^(?:place|zone-place) =(.*?)^$", SCHEMA, re.MULTILINE | re.DOTALL))
    keys = [key for rule in places for key in typing.get_type_hints(types[rule])]
    assert sorted(keys) == sorted(re.findall(r"([a-z]+):", alternatives))


def test_each_method_has_the_parameters_of_its_rule():
    rules = re.findall(r"^([a-z-]+)-params\s*=\s*(.*?)(?=^[a-z])", SCHEMA, re.MULTILINE | re.DOTALL)
    for name, body in rules:
        if name.startswith("error-"):
            continue
        method = getattr(cities.Client, name.replace("-", "_"))
        parameters = {key.rstrip("_") for key in inspect.signature(method).parameters} - {"self"}
        assert parameters == set(re.findall(r"(?:\{|,|\?)\s*([a-z_]+):", body)) - {"zone"}, name
    assert len(rules) > 20


def test_a_float_is_not_an_amount(server):
    with cities.connect(str(server.socket), ENOUGH) as client:
        with pytest.raises(TypeError, match="Decimal"):
            client.rate_convert(0.1, "EUR", "USD")
        assert isinstance(client.rate_list.__doc__, str)


@pytest.mark.parametrize("error", [
    cities.ServerError.of({"code": "busy", "message": "later", "data": {"limit": "connections"}}),
    cities.Incomplete("gone", 3, [1, 2, 3]), cities.GenerationChanged("other", 3, [1, 2, 3], "a", "b"),
    cities.GenerationsDiffer("two", {"a": [1], "b": [2]}), cities.ConnectionEnded("ended")],
    ids=lambda error: type(error).__name__)
def test_exceptions_can_be_copied_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that pip installs into, without network: cbor2 and the build backend are in the tests' environment."""
    target = tmp_path_factory.mktemp("installed")
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps",
         "--no-build-isolation", "--target", target, FOLDER],
        capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return target


def test_pip_installs_it_with_types_and_cbor2_as_the_only_dependency(installed, server):
    assert (installed / "cities" / "py.typed").exists()
    (metadata,) = installed.glob("cities-*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    assert re.findall(r"^Requires-Dist: (\w+)", text, re.MULTILINE) == ["cbor2"]
    ran = subprocess.run(
        [sys.executable, "-c", "import cities; print(cities.__file__, cities.connect().city_get(1)['city']['name'])"],
        env=environment(CITIES_SOCKET=server.socket, PYTHONPATH=installed), capture_output=True, text=True, timeout=30,
        check=False)
    assert ran.stdout.split() == [str(installed / "cities" / "__init__.py"), "Albuquerque"], ran.stderr


def test_the_types_are_not_loaded_when_it_runs():
    """Before Python 3.11 they need typing_extensions, which is for type checkers and no dependency."""
    ran = subprocess.run(
        [sys.executable, "-c", "import sys, cities; print('cities.types' in sys.modules, cities.Found.__mro__[1])"],
        env=environment(PYTHONPATH=FOLDER), capture_output=True, text=True, timeout=30, check=False)
    assert ran.stdout.strip() == "False <class 'list'>", ran.stderr


def test_its_version_is_that_of_the_programs():
    program = (ROOT / "Sources" / "System" / "System" / "Program.swift").read_text(encoding="utf-8")
    assert f' number = "{cities.__version__}"' in program


def test_pip_and_the_debian_package_install_the_same_files(installed):
    """contrib/package copies the files without pip."""
    patterns = re.search(r"integrations/python/cities/\{(.*?)\}",
        (ROOT / "contrib" / "package").read_text())[1].split(",")
    copied = {path.name for pattern in patterns for path in (FOLDER / "cities").glob(pattern)}
    assert copied == {path.name for path in (installed / "cities").iterdir() if path.name != "__pycache__"}
    assert {"__init__.py", "py.typed"} < copied


def test_the_examples_of_its_page_run(shipped_server):
    ran = subprocess.run(
        [sys.executable, "-m", "doctest", FOLDER / "README.md"], capture_output=True, text=True, timeout=60,
        check=False,
        env=environment(CITIES_SOCKET=shipped_server.socket, PYTHONPATH=FOLDER, PATH=f"{BIN}:/usr/bin:/bin"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (FOLDER / "README.md").read_text(encoding="utf-8").count(">>> ") >= 8
