"""What rows of cities say beyond their stored bytes, against the list they were made from."""

import gzip
import json
import random

import cbor2
import harness
import pytest
from find_oracle import fold
from wire import WireFault

PARTS = ["region", "zone", "alternates"]


@pytest.fixture(scope="module")
def listed():
    """The cities of the shipped list by id, and the names of regions."""
    data = harness.ROOT / "contrib" / "data"
    with gzip.open(data / "cities.json.gz", "rt", encoding="utf-8") as file:
        cities = {city["_id"]: city for city in json.load(file)}
    with gzip.open(data / "names.json.gz", "rt", encoding="utf-8") as file:
        return cities, json.load(file)["regions"]


def expected(listed, identifier, parts):
    """What the list says of the parts of a city, alternates by their keys."""
    cities, regions = listed
    city = cities[identifier]
    code = city.get("region_code")
    found = {}
    if "region" in parts and code:
        found["region_code"] = code
        if names := regions.get(f"{city['country']}.{code}"):
            found["region"] = names[0]
    if "zone" in parts and "timezone" in city:
        found["zone"] = city["timezone"]
    if "alternates" in parts:
        keys = {fold(name) for name in city.get("alternatenames", [])} - {fold(city["name"]), ""}
        found["alternates"] = sorted(keys, key=str.encode)
    return found


def said(row):
    """The parts that a row has, alternates by their keys."""
    found = {key: row[key] for key in ("region", "region_code", "zone") if key in row}
    if "alternates" in row:
        found["alternates"] = [fold(name) for name in row["alternates"]]
    return found


@pytest.mark.parametrize("parts", [[], ["region"], ["zone"], ["alternates"], PARTS])
def test_rows_say_what_the_list_does(shipped_server, listed, parts):
    chance = random.Random(4)
    with shipped_server.wire() as wire:
        for _ in range(20):
            asked = {"prefix": chance.choice(["", "a", "san", "tall", "m"]), "limit": chance.randint(1, 60),
                     "offset": chance.randint(0, 400), "sort": chance.choice(["key", "population"])}
            plain = wire.call("city.search", **asked)
            reply = wire.call("city.search", **asked, **{"with": parts})
            for before, row in zip(plain["rows"], reply["rows"], strict=True):
                assert said(row) == expected(listed, row["id"], parts)
                assert {key: row[key] for key in before} == before and len(row) == len(before) + len(said(row))
            assert plain | {"rows": []} == reply | {"rows": []}


def test_a_city_and_its_neighbours_say_their_regions(shipped_server, listed):
    with shipped_server.wire() as wire:
        city = wire.call("city.get", id=588_409)["city"]
        assert said(city) == expected(listed, 588_409, ["region", "zone"]) == {
            "region": "Harjumaa", "region_code": "01", "zone": "Europe/Tallinn"}
        city = wire.call("city.get", id=588_409, **{"with": ["zone", "alternates"]})["city"]
        assert said(city) == expected(listed, 588_409, PARTS)
        rows = wire.call("city.near", place={"id": 588_409}, limit=30, **{"with": ["region"]})["rows"]
        assert all(said(row["city"]) == expected(listed, row["city"]["id"], ["region"]) for row in rows)
        box = {"south": 40.0, "west": -5.0, "north": 60.0, "east": 30.0}
        for parts in [["region"], PARTS]:
            rows = wire.call("city.within", box=box, limit=30, **{"with": parts})["rows"]
            assert all(said(row) == expected(listed, row["id"], parts) for row in rows) and len(rows) == 30


def test_regions_and_zones_are_in_the_city_and_beside_it(shipped_server, listed):
    known = expected(listed, 588_409, ["region", "zone"])
    assert set(known) == {"region", "region_code", "zone"}
    with shipped_server.wire() as wire:
        found = [row for query in ("tallinn", "san francisco de", "llanfair", "東京", "a")
                 for row in wire.call("city.find", query=query, limit=100)["rows"]]
        # Long names have longer heads, which come before the region.
        assert max(len(row["city"]["name"].encode()) for row in found) > 23
        for row in [*found, wire.call("city.get", id=588_409)]:
            assert said(row["city"]) == said(row) == expected(listed, row["city"]["id"], ["region", "zone"])
        (row,) = wire.call("city.time", places=[{"id": 588_409}])["rows"]
        assert said(row["city"]) == known and row["zone"] == known["zone"]
        for method, params in [("city.find", {"query": "são"}), ("city.get", {"id": 588_409, "with": ["alternates"]})]:
            wire.send(method, **params)
            payload = wire.receive_payload()
            assert cbor2.dumps(cbor2.loads(payload), canonical=True) == payload


def test_candidates_say_their_regions(shipped_server, listed):
    with shipped_server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.get", title="Springfield, US")
    candidates = fault.value.data["candidates"]
    assert [said(row) for row in candidates] == [expected(listed, row["id"], ["region"]) for row in candidates]
    assert {"Illinois", "Massachusetts"} <= {row["region"] for row in candidates}


def test_replies_are_deterministic_and_an_unknown_part_is_refused(shipped_server):
    with shipped_server.wire() as wire:
        wire.send("city.search", prefix="são", limit=50, **{"with": PARTS})
        payload = wire.receive_payload()
        assert cbor2.dumps(cbor2.loads(payload), canonical=True) == payload
        for method, params in [("city.search", {"prefix": ""}), ("city.get", {"id": 588_409})]:
            with pytest.raises(WireFault) as fault:
                wire.call(method, **params, **{"with": ["region", "weather"]})
            assert fault.value.code == "invalid-params" and fault.value.data["param"].startswith("with")


def test_the_largest_page_has_all_names_of_its_cities(shipped_server, listed):
    with shipped_server.wire() as wire:
        rows = wire.call("city.search", prefix="", limit=1000, sort="population", **{"with": PARTS})["rows"]
    assert len(rows) == 1000 and sum(len(row["alternates"]) for row in rows) > 20_000
    assert all(said(row) == expected(listed, row["id"], PARTS) for row in rows)


def test_columns_and_json_have_them(shipped_server):
    def printed(*words):
        done = shipped_server.ctl(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert printed("search", "Tallinn, EE", "--columns", "title,region,region_code,zone").split("\t") == [
        "Tallinn, EE", "Harjumaa", "01", "Europe/Tallinn\n"]
    assert "Reval" in printed("show", "588409", "--columns", "alternates").split(", ")
    assert len(printed("search", "Tallinn, EE").split("\t")) == 7
    assert printed("search", "Tallinn, EE", "--output", "table").split()[:3] == ["TITLE", "REGION", "POPULATION"]
    row = json.loads(printed("search", "Tallinn, EE", "--output", "jsonl"))
    assert row["title"] == "Tallinn, EE" and "region" not in row
    shown = json.loads(printed("show", "588409", "--output", "geojson"))["features"][0]["properties"]
    assert (shown["title"], shown["region"], shown["region_code"]) == ("Tallinn, EE", "Harjumaa", "01")
    for words in (["show", "588409"], ["show", "--first", "tallin"], ["find", "tallinn"]):
        row = json.loads(printed(*words, "--output", "jsonl", *(["--limit", "1"] if words[0] == "find" else [])))
        assert (row["region"], row["zone"]) == ("Harjumaa", "Europe/Tallinn"), words
