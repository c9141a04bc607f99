"""city.near against the distance to every city, and the ways to name a place."""

import itertools
import random

import pytest
from oracle import distance, plain
from wire import WireFault

POINTS = [(0, 0), (90, 0), (-90, 123), (0, 180), (0, -180), (66.5, 179.999), (-16.5, -179.999), (51.4779, 0)]


def nearest(rows, lat, lon, limit):
    """(metres, id) of the nearest cities, in the order (metres, key)."""
    def key(city):
        return plain(city["name"]) + "\x01" + plain(city["country"])

    measured = ((round(distance(lat, lon, city)), city) for city in rows)
    ordered = sorted(measured, key=lambda entry: (entry[0], key(entry[1]), entry[1]["id"]))
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
