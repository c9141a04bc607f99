"""city.time and the verb `time` against Python's zoneinfo, which reads the same zone files with other code."""

import gzip
import json
import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import harness
import pytest
from wire import WireFault

PLACES = 200
# Both sides of the changes of Europe, America and the south, and the depths of winter and summer.
MOMENTS = [
    datetime(2026, 3, 29, 0, 59, 59), datetime(2026, 3, 29, 1, 0, 0), datetime(2026, 3, 8, 9, 30, 0),
    datetime(2026, 4, 4, 16, 0, 0), datetime(2026, 10, 25, 0, 59, 59), datetime(2026, 10, 25, 1, 0, 0),
    datetime(2026, 11, 1, 5, 59, 59), datetime(2026, 11, 1, 6, 0, 0), datetime(2026, 1, 15, 12, 0, 0),
    datetime(2026, 7, 15, 12, 0, 0), datetime(1955, 5, 1, 3, 4, 5), datetime(2049, 9, 30, 23, 59, 59),
]
HORIZON = timedelta(days=500)


def offset_text(offset):
    seconds = round(offset.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    parts = [hours, *divmod(rest, 60)]
    if parts[2] == 0:
        parts.pop()
    return ("-" if seconds < 0 else "+") + ":".join(f"{part:02}" for part in parts)


def local_text(moment, zone):
    return moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")


def next_change(moment, zone):
    """The first second after `moment` with another offset, found by halving days; None if there is none in sight."""
    def offset(seconds):
        return datetime.fromtimestamp(seconds, timezone.utc).astimezone(zone).utcoffset()

    start = round(moment.timestamp())
    for below in range(start, start + round(HORIZON.total_seconds()), 6 * 3600):
        if offset(below) != offset(below + 6 * 3600):
            low, high, now = below, below + 6 * 3600, offset(below)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == now else (low, middle)
            return datetime.fromtimestamp(high, timezone.utc)
    return None


@pytest.fixture(scope="module")
def cities():
    """Cities of as many zones as possible, in a seeded order."""
    with gzip.open(harness.ROOT / "contrib" / "data" / "cities.json.gz", "rt", encoding="utf-8") as file:
        listed = [city for city in json.load(file) if "timezone" in city]
    random.Random(12).shuffle(listed)
    first = {}
    for city in listed:
        first.setdefault(city["timezone"], city)
    chosen = list(first.values())[:PLACES]
    assert len(chosen) == PLACES
    return chosen


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_two_hundred_places_show_the_time_of_zoneinfo(shipped_server, cities, moment):
    moment = moment.replace(tzinfo=timezone.utc)
    with shipped_server.wire() as wire:
        for start in range(0, PLACES, 100):
            part = cities[start : start + 100]
            reply = wire.call("city.time", places=[{"id": city["_id"]} for city in part], at=moment.isoformat())
            assert reply["at"] == moment
            for city, row in zip(part, reply["rows"], strict=True):
                zone = ZoneInfo(city["timezone"])
                there = moment.astimezone(zone)
                assert row["city"]["id"] == city["_id"] and row["zone"] == city["timezone"]
                assert (row["local"], row["offset"], row["abbreviation"], row["daylight"]) == (
                    local_text(moment, zone), offset_text(there.utcoffset()), there.tzname(), bool(there.dst())), row
                change = next_change(moment, zone)
                if change is None:
                    assert "change" not in row or row["change"]["at"] >= moment + HORIZON
                else:
                    assert row["change"] == {
                        "at": change, "local": local_text(change, zone),
                        "offset": offset_text(change.astimezone(zone).utcoffset())}, row


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25", "2026-07-01"])
def test_a_day_is_its_noon_on_the_clock_of_the_first_place(shipped_server, cities, day):
    with shipped_server.wire() as wire:
        for city in cities[:60]:
            reply = wire.call("city.time", places=[{"id": city["_id"]}], at=day)
            assert reply["at"] == datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=ZoneInfo(city["timezone"]))
            assert reply["rows"][0]["local"] == f"{day}T12:00:00"


def test_times_that_clocks_skip_or_repeat_are_those_of_zoneinfo(shipped_server):
    """Changes on the present day cannot be arranged, but one zone has skipped a whole day with its noon."""
    zone = ZoneInfo("Pacific/Apia")
    with shipped_server.wire() as wire:
        apia = wire.call("city.search", prefix="Apia, WS", limit=1)["rows"][0]["id"]
        # Samoa had no 30th of December 2011: its noon counts on the clock of the day before.
        reply = wire.call("city.time", places=[{"id": apia}], at="2011-12-30")
    # Moments that a clock never showed equal no other in Python, unless they are in UTC.
    assert reply["at"] == datetime(2011, 12, 30, 12, tzinfo=zone).astimezone(timezone.utc)
    assert reply["rows"][0]["local"] == "2011-12-31T12:00:00"


def test_a_time_of_day_is_of_the_present_day_there(shipped_server):
    with shipped_server.wire() as wire:
        before = datetime.now(timezone.utc)
        reply = wire.call("city.time", places=[{"title": "Tokyo, JP"}, {"title": "Honolulu, US"}], at="23:59:59")
        after = datetime.now(timezone.utc)
    days = {moment.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%d") for moment in (before, after)}
    assert reply["rows"][0]["local"] in {f"{day}T23:59:59" for day in days}
    assert reply["rows"][1]["local"] == local_text(reply["at"], ZoneInfo("Pacific/Honolulu"))


def test_the_verb_prints_a_row_per_place(shipped_server):
    done = shipped_server.ctl(
        "time", "Tallinn, EE", "588409", "59.4,24.7", "--at", "2026-03-29T00:59:59Z", "--columns",
        "title,local,offset,zone")
    assert done.returncode == 0 and not done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[1:] for row in rows] == [["2026-03-29T02:59:59", "+02:00", "Europe/Tallinn"]] * 3
    assert rows[0][0] == rows[1][0] == "Tallinn, EE"
    table = shipped_server.ctl("time", "Tallinn, EE", "Tokyo, JP", "--at", "2026-03-29", "--output", "table").stdout
    assert "Sun 2026-03-29 12:00" in table and "Sun 2026-03-29 18:00" in table and "Europe/Tallinn" in table


def test_what_has_no_time_says_so(server):
    """The small list names no zones."""
    done = server.ctl("time", "1")
    assert done.returncode == 1 and "the list names no time zone" in done.stderr
    with server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.time", places=[{"id": 1}], at="14:30")
    assert fault.value.code == "invalid-params" and fault.value.data["param"] == "at"


def test_the_city_of_a_position_is_in_its_country(shipped_server):
    """Both are nearer to a city across the border, which has another zone."""
    positions = ["48.43,-114.99", "31.336,-109.55", "54.36,22.9"]
    with shipped_server.wire() as wire:
        for position in positions:
            lat, lon = map(float, position.split(","))
            at = {"at": {"lat": lat, "lon": lon}}
            country = wire.call("city.near", place=at, limit=1)["country"]
            assert wire.call("city.time", places=[at])["rows"][0]["city"]["country"] == country


@pytest.mark.parametrize(("place", "note"), [
    ("-31.5556,159.0821", "the nearest city is South West Rocks, AU, 579 km away"), ("0,-160", " km away; the zone of"),
    ("59.4,24.7", ""),
])
def test_a_city_far_from_a_position_is_noted(shipped_server, place, note):
    asked = shipped_server.ctl("time", "--", place)
    assert asked.returncode == 0 and note in asked.stderr and bool(note) == bool(asked.stderr), asked.stderr


@pytest.mark.parametrize(("at", "note"), [
    ("2026-03-29T02:30:00", "02:30 does not exist there on 2026-03-29: clocks go from 02:00 to 03:00"),
    ("2026-10-25T02:30", "02:30 happens twice there on 2026-10-25: the first is shown"), ("2026-03-29T03:00", ""),
])
def test_a_time_that_clocks_skip_or_repeat_is_noted(shipped_server, at, note):
    asked = shipped_server.ctl("time", "--at", at, "--", "Berlin, DE")
    assert asked.returncode == 0 and asked.stderr == (f"citiesctl: {note}\n" if note else "")


@pytest.mark.parametrize(("words", "clock"), [
    (["9am", "Tokyo, JP", "Lima, PE"], "09:00:00"), (["Tokyo, JP", "Lima, PE", "at", "8:30", "pm"], "20:30:00"),
    (["noon", "Tokyo, JP", "Lima, PE"], "12:00:00"), (["--at", "midnight", "Tokyo, JP", "Lima, PE"], "00:00:00"),
])
def test_times_in_words_are_of_the_first_place(shipped_server, words, clock):
    asked = shipped_server.ctl("time", "--columns", "local,offset", *words)
    first, second = (datetime.fromisoformat(row.replace("\t", "")) for row in asked.stdout.splitlines())
    assert first.strftime("%H:%M:%S") == clock and first == second


def test_a_day_in_words_is_one_of_the_first_place(shipped_server):
    there = ZoneInfo("Pacific/Kiritimati")
    before = datetime.now(there)
    asked = shipped_server.ctl("time", "--columns", "local", "fri", "14:00", "Pacific/Kiritimati", "UTC")
    after = datetime.now(there)
    fridays = {(now + timedelta(days=(4 - now.weekday()) % 7)).strftime("%Y-%m-%dT14:00:00") for now in (before, after)}
    assert asked.stdout.splitlines()[0] in fridays


def test_a_text_that_is_no_time_is_refused(shipped_server):
    refused = shipped_server.ctl("time", "8.30pm", "tokyo")
    assert refused.returncode == 2 and "8:30 pm" in refused.stderr
