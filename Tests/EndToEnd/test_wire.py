"""The wire as Protocol/README.md promises it: the schema, deterministic bytes, and an answer to whatever is asked."""

import random
import struct

import cbor2
import pytest
from cddl_verifier import Validator
from harness import SCHEMA
from oracle import prefixes
from wire import WireFault, request

CAPTURED = 1_000


@pytest.fixture(scope="module")
def schema():
    return Validator(SCHEMA)


def requests(rows):
    """A thousand requests of every method, and some that must be refused."""
    generator = random.Random(99)
    fixed = [
        ("hello", {"protocols": [1], "client": "capture"}), ("hello", {"protocols": [77], "client": "capture"}),
        ("status", {}), ("introspect", {}), ("watch", {}), ("city.get", {"id": 1}), ("city.get", {"id": 987_654_321}),
        ("city.get", {"title": "springfield"}), ("city.search", {"prefix": 5}), ("city.search", {}), ("nothing", {}),
        ("city.search", {"prefix": "s", "generation": "0123456789abcdef"}),
    ]
    for method, params in fixed:
        yield method, params
    for _ in range(CAPTURED - len(fixed)):
        city = generator.choice(rows)
        title = f"{city['name']}, {city['country']}"
        yield generator.choice([
            ("city.get", {"id": city["id"]}),
            ("city.get", {"title": title}),
            ("city.near", {"place": {"at": {"lat": city["lat"], "lon": city["lon"]}}, "limit": 3}),
            ("city.near", {"place": {"title": title}, "limit": 2}),
            ("city.search", {"prefix": generator.choice(prefixes(title)), "limit": generator.randrange(8)}),
            ("city.search", {"prefix": title[:2], "match": "folded", "country": city["country"], "limit": 3}),
        ])


def test_a_thousand_captured_replies_fit_the_schema_deterministically(shipped_server, schema):
    with shipped_server.wire() as wire:
        rows = wire.call("city.search", prefix="", limit=1000, offset=100_000)["rows"]
        failures, codes = [], set()
        for method, params in requests(rows):
            wire.send(method, **params)
            payload = wire.receive_payload()
            codes.add(cbor2.loads(payload).get("error", {}).get("code"))
            checked = schema.validate(payload, require_deterministic=True)
            if not checked.valid:
                failures.append(f"{method} {params}: {checked.format()}")
    assert not failures, "\n".join(failures[:10])
    assert {None, "not-found", "ambiguous", "invalid-params", "unknown-method", "stale-generation"} <= codes


def test_replies_are_the_canonical_encoding_of_what_they_say(shipped_server):
    with shipped_server.wire() as wire:
        for method, params in [("city.search", {"prefix": "alb", "limit": 50}), ("city.get", {"id": 5_128_581})]:
            wire.send(method, **params)
            payload = wire.receive_payload()
            assert cbor2.dumps(cbor2.loads(payload), canonical=True) == payload


def test_introspect_prints_the_schema_byte_for_byte(server):
    assert server.ctl("introspect", text=False).stdout == SCHEMA.read_bytes()


def test_an_unknown_key_is_ignored_and_an_unknown_method_is_named(server):
    with server.wire() as wire:
        assert wire.call("city.search", prefix="alb", colour="blue")["total"] == 1
        with pytest.raises(WireFault, match="city.sing") as fault:
            wire.call("city.sing")
    assert fault.value.code == "unknown-method"


def test_pipelined_replies_come_in_the_order_of_the_requests(server):
    with server.wire() as wire:
        identifiers = [wire.send("city.search", prefix="a" * (n % 3), limit=n % 4) for n in range(200)]
        assert [wire.receive()["id"] for _ in identifiers] == identifiers


@pytest.mark.parametrize(("payload", "code"), [
    (b"", "malformed"), (b"\xff", "malformed"), (b"\x01", "malformed"), (b"\xa1", "malformed"),
    (request(1, "status", {}) + b"\x00", "malformed"),
    (b"\xa2\x61a\x01\x61a\x02", "malformed"), (b"\x9f" * 200, "malformed"), (b"\x5b" + b"\xff" * 8, "malformed"),
])
def test_an_unreadable_frame_is_answered_and_the_connection_lives(server, payload, code):
    with server.wire() as wire:
        wire.send_payload(payload)
        assert wire.receive()["error"]["code"] == code
        assert wire.call("city.search", prefix="alb")["total"] == 1


def test_an_unreadable_request_keeps_its_id_where_that_can_be_read(server):
    with server.wire() as wire:
        wire.send_payload(cbor2.dumps({"id": 4711, "method": 5, "params": {}}, canonical=True))
        assert wire.receive()["id"] == 4711
        wire.send_payload(cbor2.dumps({"id": "x", "method": "status", "params": {}}, canonical=True))
        assert wire.receive()["id"] == 0


def test_a_frame_above_the_limit_is_refused_by_name_and_closed(server):
    with server.wire() as wire:
        wire.socket.sendall(struct.pack(">I", 2**32 - 1))
        error = wire.receive()["error"]
        assert (error["code"], "data" in error) == ("frame-too-large", True)
        assert wire.at_end()


def test_numbers_are_taken_in_every_encoding(server):
    place = {"at": {"lat": 35, "lon": -106.65}}  # an integer where a float is expected
    with server.wire() as wire:
        assert wire.call("city.near", place=place, limit=1)["rows"][0]["city"]["id"] == 1


def test_indefinite_lengths_are_taken_from_clients(server):
    payload = b"\xbf\x62id\x18\x2a\x66method\x7f\x63cit\x68y.search\xff\x66params\xbf\x66prefix\x63alb\xff\xff"
    assert cbor2.loads(payload)["method"] == "city.search"
    with server.wire() as wire:
        wire.send_payload(payload)
        reply = wire.receive()
    assert (reply["id"], reply["result"]["total"]) == (42, 1)


@pytest.mark.parametrize("params", [
    {}, {"prefix": 5}, {"prefix": "a", "limit": 1001}, {"prefix": "a", "limit": -1}, {"prefix": "a", "offset": 1.5},
    {"prefix": "a", "match": "loose"}, {"prefix": "a", "sort": "size"}, {"prefix": "a", "country": 49},
])
def test_parameters_that_do_not_fit_are_named(server, params):
    with server.wire() as wire:
        with pytest.raises(WireFault) as fault:
            wire.call("city.search", **params)
        assert fault.value.code == "invalid-params"
        name = next((key for key in ("limit", "offset", "match", "sort", "country") if key in params), "prefix")
        assert name in fault.value.message
        assert wire.call("city.search", prefix="alb")["total"] == 1


def test_a_server_without_data_says_so_at_once(empty_server):
    with empty_server.wire() as wire:
        ready = wire.call("hello", protocols=[1], client="t")["ready"]
        assert "cities" in ready and not any(ready.values())
        with pytest.raises(WireFault) as fault:
            wire.call("city.search", prefix="a")
    assert (fault.value.code, fault.value.data["subject"]) == ("unavailable", "cities")
