"""city.near against the distance to every city, and the ways to name a place."""

import collections
import gzip
import itertools
import json
import math
import random
import re
import struct
from pathlib import Path

import cbor2
import harness
import pytest
from find_oracle import fold
from oracle import distance, plain
from wire import WireFault

ZONE_TAB = Path("/usr/share/zoneinfo/zone.tab")

POINTS = [(0, 0), (90, 0), (-90, 123), (0, 180), (0, -180), (66.5, 179.999), (-16.5, -179.999), (51.4779, 0)]


def nearest(rows, lat, lon, limit):
    """(metres, id) of the nearest cities, in the order (metres, key)."""
    def key(city):
        return plain(city["name"]) + "\x01" + plain(city["country"])

    measured = [(round(distance(lat, lon, city)), city) for city in rows]
    farthest = sorted(metres for metres, _ in measured)[limit - 1]
    near = [entry for entry in measured if entry[0] <= farthest]
    ordered = sorted(near, key=lambda entry: (entry[0], key(entry[1]), entry[1]["id"]))
    return [(metres, city["id"]) for metres, city in ordered[:limit]]


def seeded_points(count):
    generator = random.Random(7)
    return [(round(generator.uniform(-90, 90), 5), round(generator.uniform(-180, 180), 5)) for _ in range(count)]


@pytest.mark.parametrize(("lat", "lon"), POINTS + seeded_points(12))
def test_near_equals_the_distance_to_every_city(real_server, real_rows, lat, lon):
    # Double arithmetic in another order may round a half metre the other way: rank by rank within one metre.
    expected = nearest(real_rows, lat, lon, 25)
    with real_server.wire() as wire:
        rows = wire.call("city.near", place={"at": {"lat": lat, "lon": lon}}, limit=25)["rows"]
    found = [(row["distance"], row["city"]["id"]) for row in rows]
    assert all(abs(a - b) <= 1 for (a, _), (b, _) in zip(found, expected, strict=True))
    assert len({identifier for _, identifier in found}) == 25
    assert [metres for metres, _ in found] == sorted(metres for metres, _ in found)
    if all(b - a > 2 for (a, _), (b, _) in itertools.pairwise(expected)):
        assert [identifier for _, identifier in found] == [identifier for _, identifier in expected]


def test_a_place_named_by_title_is_resolved_in_the_server(shipped_server):
    with shipped_server.wire() as wire:
        reply = wire.call("city.near", place={"title": "reykjavík, is"}, limit=3)
    assert reply["rows"][0]["city"]["name"] == "Reykjavík"
    assert reply["rows"][0]["distance"] == 0


def test_an_ambiguous_place_lists_its_candidates(server):
    with server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.near", place={"title": "springfield, us"})
    assert fault.value.code == "ambiguous"
    assert [city["id"] for city in fault.value.data["candidates"]] == [5, 6]
    assert fault.value.data["total"] == 2


def test_a_radius_bounds_the_rows(real_server, real_rows):
    with real_server.wire() as wire:
        rows = wire.call("city.near", place={"at": {"lat": 52.52, "lon": 13.405}}, radius=5000, limit=1000)["rows"]
    inside = sum(distance(52.52, 13.405, city) <= 5000 for city in real_rows)
    assert len(rows) == inside > 0


def test_only_cities_of_some_size_are_found(real_server, real_rows, shipped_server):
    place = {"at": {"lat": 52.52, "lon": 13.405}}
    with real_server.wire() as wire:
        rows = wire.call("city.near", place=place, population=50_000, limit=20)["rows"]
        with pytest.raises(WireFault) as fault:
            wire.call("city.near", place=place, population=1, rule="place")
    with shipped_server.wire() as wire:
        found = wire.call("city.find", query="b", population=1_000_000, limit=10)["rows"]
    large = [city for city in real_rows if city.get("population", 0) >= 50_000]
    nearest = sorted(distance(52.52, 13.405, city) for city in large)[:20]
    assert [row["distance"] for row in rows] == [round(metres) for metres in nearest]
    assert found and all(row["city"]["population"] >= 1_000_000 for row in found)
    assert (fault.value.code, fault.value.data["param"]) == ("invalid-params", "population")
    for words in (["near", "52.52,13.405"], ["find", "b"]):
        printed = shipped_server.ctl(*words, "--min-population", "1000000", "--columns", "population", "--limit", "3")
        assert all(int(line) >= 1_000_000 for line in printed.stdout.split())
        assert printed.stdout


@pytest.fixture(scope="module")
def shipped_cities():
    return json.loads(gzip.decompress(harness.SHIPPED_LIST.read_bytes()))


def worth(city, metres, country):
    """What a city is worth by the rule of places in a country, as Protocol/README.md says it."""
    if metres > 100_000:
        return -metres
    root = math.sqrt(math.sqrt(city.get("population") or 500))
    weight = math.floor(root * math.sqrt(root) * 1024 + 0.5)
    shared = weight / (1 + (metres / min(2500 + 50 / 1024 * weight, 12_000)) ** 2)
    if metres <= 1000 and (city.get("population") or 500) >= 50_000:
        shared *= 1.5
    return shared * 1e9 if country in ("", city["country"]) else shared


@pytest.mark.parametrize(("lat", "lon"), [
    (59.4355, 24.763), (48.8584, 2.2945), (0, 0), (90, 0), (47.56, 7.6), (59.376, 28.21), (41.9, 12.45),
    *seeded_points(4)])
def test_the_rule_of_places_equals_the_worth_of_every_city(shipped_server, shipped_cities, lat, lon):
    flat = [{"_id": city["_id"], "lat": city["coord"]["lat"], "lon": city["coord"]["lon"],
             "country": city["country"], "population": city.get("population")} for city in shipped_cities]
    with shipped_server.wire() as wire:
        reply = wire.call("city.near", place={"at": {"lat": lat, "lon": lon}}, rule="place", limit=5)
    rows, country = reply["rows"], reply["country"]
    expected = sorted((-worth(city, round(distance(lat, lon, city)), country), city["_id"]) for city in flat)[:5]
    by_id = {city["_id"]: city for city in flat}
    found = [worth(by_id[row["city"]["id"]], row["distance"], country) for row in rows]
    # A distance may be rounded to the other side of a half metre.
    assert found == pytest.approx([-worth for worth, _ in expected], rel=1e-3)
    assert found == sorted(found, reverse=True)


def zone_positions():
    """(latitude, longitude, country, name) of the places that time zones are named after, from the public domain file
    zone.tab of the time zone database: rounded to minutes of arc."""
    for line in ZONE_TAB.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            country, position, name = line.split("\t")[:3]
            parts = re.fullmatch(r"([+-])(\d\d)(\d\d)(\d\d)?([+-])(\d{3})(\d\d)(\d\d)?", position).groups()
            lat, lon = (
                float(sign + "1") * (int(degrees) + int(minutes) / 60 + int(seconds or 0) / 3600)
                for sign, degrees, minutes, seconds in (parts[:4], parts[4:]))
            yield lat, lon, country, name.rsplit("/", 1)[1].replace("_", " ")


@pytest.mark.slow
def test_the_rule_of_places_names_the_cities_of_time_zones(shipped_server, shipped_cities):
    named = collections.defaultdict(list)
    for city in shipped_cities:
        for name in {fold(city["name"]), *map(fold, city.get("alternatenames", ()))}:
            named[city["country"], name].append(city)
    questions = []
    for lat, lon, country, name in zone_positions():
        right = {city["_id"] for city in named[country, fold(name)] if distance(lat, lon, city["coord"]) < 60_000}
        if right:
            questions.append((lat, lon, right))
    assert len(questions) > 300
    right = {}
    with shipped_server.wire() as wire:
        for rule in ("nearest", "place"):
            found = [
                wire.call("city.near", place={"at": {"lat": lat, "lon": lon}}, rule=rule,
                    limit=1)["rows"][0]["city"]["id"]
                for lat, lon, _ in questions]
            right[rule] = sum(city in ids for city, (_, _, ids) in zip(found, questions, strict=True)) / len(questions)
    assert right["place"] >= 0.95 and right["place"] - right["nearest"] >= 0.20, right


BOXES = [
    (41.3, -5.2, 51.1, 9.6), (-90, -180, 90, 180), (-30, 150, 0, -150), (48.5, -180, 48.5001, 180),
    (-50, -130, -45, -100),
    (10, 10, 10, 10), (-90, 180, 90, -180), (60, 20, 90, 19.5),
]


@pytest.mark.parametrize(("limit", "population"), [(5, 0), (100, 0), (1000, 50_000)])
@pytest.mark.parametrize("box", BOXES)
def test_within_equals_a_look_at_every_city(shipped_server, shipped_cities, box, limit, population):
    south, west, north, east = box
    inside = [
        city for city in shipped_cities
        if south <= city["coord"]["lat"] <= north and city.get("population", 0) >= population
        and (west <= city["coord"]["lon"] <= east if west <= east
             else city["coord"]["lon"] >= west or city["coord"]["lon"] <= east)]
    expected = sorted((city.get("population", 0) for city in inside), reverse=True)[:limit]
    with shipped_server.wire() as wire:
        params = {"box": dict(south=south, west=west, north=north, east=east), "limit": limit}
        rows = wire.call("city.within", **params, **({"population": population} if population else {}))["rows"]
    assert [row.get("population", 0) for row in rows] == expected
    assert {row["id"] for row in rows} <= {city["_id"]
        for city in inside} and len({row["id"] for row in rows}) == len(rows)


@pytest.mark.parametrize(("box", "param"), [
    ((91, 0, 92, 1), "box.north"), ((2, 0, 1, 1), "box.south"), ((0, -181, 1, 1), "box.west"),
    ((0, 0, 1, 180.5), "box.east"),
])
def test_a_box_that_is_none_is_refused_by_its_edge(server, box, param):
    with server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.within", box=dict(zip(("south", "west", "north", "east"), map(float, box), strict=True)))
    assert fault.value.code == "invalid-params" and fault.value.data["param"] == param


def typed(tag, layout, numbers):
    return cbor2.CBORTag(tag, struct.pack(f"<{len(numbers)}{layout}", *numbers))


def untyped(array, tag, layout):
    assert array.tag == tag
    return list(struct.unpack(f"<{len(array.value) // struct.calcsize(layout)}{layout}", array.value))


@pytest.mark.parametrize("rule", ["nearest", "place"])
def test_locate_answers_thousands_of_positions_as_near_does(shipped_server, rule):
    points = seeded_points(4_000)
    points[7], points[11] = (90.5, 0), (math.nan, 0)
    lat, lon = ([point[axis] for point in points] for axis in (0, 1))
    with shipped_server.wire() as wire:
        reply = wire.call("city.locate", lat=typed(86, "d", lat), lon=typed(86, "d", lon), rule=rule, rows=True)
        ids, metres = untyped(reply["ids"], 71, "Q"), untyped(reply["metres"], 70, "I")
        index = untyped(reply["index"], 70, "I")
        assert len(ids) == len(metres) == len(index) == 4_000
        for place in (7, 11):
            assert (ids[place], metres[place], index[place]) == (0, 2**32 - 1, 2**32 - 1)
        for place in range(0, 4_000, 100):
            at = {"lat": lat[place], "lon": lon[place]}
            row = wire.call("city.near", place={"at": at}, limit=1, rule=rule)["rows"][0]
            assert (row["city"]["id"], row["distance"]) == (ids[place], metres[place])
            assert reply["rows"][index[place]] == row["city"]
    assert len({row["id"] for row in reply["rows"]}) == len(reply["rows"])


def test_call_takes_and_prints_plain_numbers_for_typed_arrays(shipped_server):
    called = shipped_server.ctl("call", "city.locate", '{"lat": [48.8566, 91], "lon": [2.3522, 0], "rule": "place"}')
    reply = json.loads(called.stdout)
    assert reply["ids"] == [2988507, 0] and reply["metres"][1] == 4294967295


def test_within_lists_an_area_on_the_command_line(shipped_server):
    found = shipped_server.ctl("within", "41.3,-5.2", "51.1,9.6", "--limit", 1, "--columns", "title")
    assert (found.returncode, found.stdout, found.stderr) == (0, "Paris, FR\n", "")
    found = shipped_server.ctl("within", "41.3,-5.2", "51.1,9.6", "--limit", 2, "--columns", "title,region,zone")
    assert found.stdout == (
        "Paris, FR\tÎle-de-France\tEurope/Paris\nBarcelona, ES\tCatalonia\tEurope/Madrid\n")


@pytest.mark.parametrize(("place", "code"), [
    ({"title": "nowhere, xx"}, "not-found"), ({"id": 999_999_999}, "not-found"), ({}, "invalid-params"),
    ({"at": {"lat": 91, "lon": 0}}, "invalid-params"), ({"at": {"lat": 0, "lon": 180.5}}, "invalid-params"),
    ({"at": {"lat": 0}}, "invalid-params"), ({"id": 1, "title": "Alabama, US"}, "invalid-params"),
])
def test_a_place_that_cannot_be_used_is_refused_by_name(server, place, code):
    with server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.near", place=place)
    assert fault.value.code == code
    assert fault.value.message


@pytest.mark.parametrize("words", [
    ["N", "52°", "30.0'", "E", "013°", "24.0'"], ["POINT(13.4 52.5)"], ["52.5N 13.4E"], ["(52.5, 13.4)"],
    ["https://www.openstreetmap.org/#map=15/52.5/13.4"], ["\uff15\uff12.5,13.4"],
    ["lat:", "52.5,", "lon:", "13.4"], ["+52.5000+013.4000/"], ["52.5°", "Nord,", "13.4°", "Ost"],
])
def test_every_notation_of_a_position_is_that_position(shipped_server, words):
    plain = shipped_server.ctl("near", "52.5,13.4", "--limit", 3, "--output", "json")
    copied = shipped_server.ctl("near", *words, "--limit", 3, "--output", "json")
    assert (copied.returncode, copied.stdout, copied.stderr) == (0, plain.stdout, "")
    lines = shipped_server.ctl("near", "-", "--limit", 1, input=" ".join(words) + "\n")
    assert "Kreuzberg, DE" in lines.stdout


@pytest.mark.parametrize(("place", "advice"), [
    ("52,5 13,4", "'52,5 13,4' has decimal commas; write 52.5,13.4"), ("33UAU9070026000", "not a place in MGRS"),
    ("151.2,-33.9", "if it is the longitude, write -33.9,151.2"), ("52.5,193.4", "write 52.5,-166.6"),
])
def test_a_doubtful_position_is_refused_with_what_to_write(server, place, advice):
    refused = server.ctl("near", place)
    assert (refused.returncode, refused.stdout) == (2, "") and advice in refused.stderr
