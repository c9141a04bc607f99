"""Pages about one city, country or location on a terminal, and the distance between two places."""

import json
import unicodedata

import oracle
import pytest
from harness import Server
from test_cli import typescript

LABELS = [
    "other names", "country", "region", "population", "local time", "time zone", "clock change", "sun", "position",
    "id", "code", "large city", "neighbours"]


def cells(line):
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in line)
    return len(line) + wide - sum(unicodedata.category(sign) in ("Mn", "Me", "Cf") for sign in line)


def page(server: Server, *words, columns=0):
    return typescript(*words, socket=server.socket, columns=columns).split("\r\n")


def facts(lines):
    """The facts of a page by their labels, and the lines that continue one."""
    found = {}
    for line in lines[1:]:
        if line[2:16].strip():
            label = line[2:16].strip()
        found.setdefault(label, []).append(line[16:])
    return found


def test_a_city_is_a_page_with_what_people_ask_first(shipped_server):
    lines = page(shipped_server, "show", "tallinn")
    assert lines[0] == "Tallinn, EE" and lines[-1] == ""
    found = facts(lines[:-1])
    assert list(found) == LABELS
    assert found["country"] == ["Estonia (EE)"] and found["id"] == ["588409"] and found["code"] == ["TLL"]
    assert "Таллин" in found["other names"][0] and "talin" not in found["other names"][0]
    assert found["large city"] == ["Helsinki, FI, 82.1 km north"]
    assert len(found["neighbours"]) == 5 and not any("Kesklinn" in line for line in found["neighbours"])
    shown = json.loads(shipped_server.ctl("time", "588409", "--output", "json").stdout)["rows"][0]
    assert found["local time"][0].endswith(shown["offset"]) and found["time zone"] == [shown["zone"]]


@pytest.mark.parametrize("city", ["tallinn", "tokyo", "paris", "longyearbyen", "suva", "1850147"])
@pytest.mark.parametrize("columns", [80, 100, 120])
def test_a_map_of_twelve_lines_is_beside_a_wide_page(shipped_server, city, columns):
    lines = page(shipped_server, "show", city, columns=columns)
    beside = [line for line in lines if cells(line) > columns - columns * 2 // 5]
    assert max(map(cells, lines)) <= columns and "km" in lines[11]
    assert 1 <= len(beside) <= 12 and any("[●]" in line for line in lines[:12])
    assert any("\u2800" < sign <= "\u28ff" for line in lines[:11] for sign in line)


@pytest.mark.parametrize("words", [["show", "tokyo"], ["country", "us"], ["show", "munich"]], ids=" ".join)
def test_a_narrow_page_has_no_map_and_breaks_between_words(shipped_server, words):
    narrow, wide = page(shipped_server, *words, columns=40), page(shipped_server, *words, columns=79)
    assert max(map(cells, narrow)) <= 40 and max(map(cells, wide)) <= 79
    assert not any("[●]" in line for line in narrow + wide)
    assert len(narrow) > len(wide) > 10


def test_the_time_in_several_cities_has_a_row_of_hours_each(shipped_server):
    words = ["lisbon", "tokyo", "san", "francisco", "los", "angeles", "paris"]
    lines = page(shipped_server, "time", *words, columns=70)
    titles = [line.split(",")[0] for line in lines[1:6]]
    assert titles == ["Lisbon", "Tokyo", "San Francisco", "Los Angeles", "Paris"]
    assert "OFFSET  DIFFERENCE" in lines[0] and "CHANGE" not in lines[0]
    hours = [line for line in lines if "█" in line]
    assert [line.split(",")[0] for line in hours] == titles and all(line.count("█") == 16 for line in hours)
    assert lines[-2] == "9:00 to 17:00 has no hour in common"


def test_names_of_two_words_are_not_joined_among_many_places(shipped_server):
    words = ["san", "francisco", *["paris", "tokyo", "lisbon"] * 3]
    titles = [line.split(",")[0] for line in page(shipped_server, "time", *words, columns=70)[1:12]]
    assert titles[0] != "San Francisco" and titles[2:] == ["Paris", "Tokyo", "Lisbon"] * 3


def test_other_formats_and_columns_are_rows(shipped_server):
    row = shipped_server.ctl("show", "588409").stdout
    assert page(shipped_server, "show", "588409", "--output", "tsv") == [row.rstrip("\n"), ""]
    assert page(shipped_server, "show", "588409", "--columns", "id")[0].split() == ["ID"]


def test_a_country_is_its_capital_its_cities_its_times_and_its_currency(shipped_server):
    lines = page(shipped_server, "country", "japan")
    found = facts(lines[:-1])
    assert lines[0] == "Japan" and found["code"] == ["JP"] and found["currency"] == ["JPY"]
    assert found["capital"] == ["Tokyo  9,733,276"] and found["large cities"][0].startswith("Yokohama")
    assert (found["languages"], found["calling code"]) == (["Japanese"], ["+81"])
    (time,) = found["time"]
    assert time.endswith("+09:00 Asia/Tokyo")
    row = json.loads(shipped_server.ctl("country", "switzerland", "--output", "json").stdout)["rows"][0]
    assert (row["country"], row["capital"], row["currency"], row["zones"]) == ("CH", "Bern", "CHF", ["Europe/Zurich"])
    assert row["cities"] == int(shipped_server.ctl("search", "--count", "--country", "CH", "").stdout)
    refused = shipped_server.ctl("country", "narnia")
    assert refused.returncode == 2 and "narnia" in refused.stderr


@pytest.mark.parametrize(("one", "other"), [
    ("Tallinn, EE", "Helsinki, FI"), ("Suva, FJ", "Apia, WS"), ("Ushuaia, AR", "Longyearbyen, SJ"), ("1850147", "0,0"),
])
def test_a_distance_is_that_of_the_oracle(shipped_server, one, other):
    def position(place):
        if "," in place and place[0].isdigit():
            return tuple(map(float, place.split(",")))
        return tuple(map(float, shipped_server.ctl("show", place, "--columns", "lat,lon").stdout.split()))

    measured = shipped_server.ctl("distance", one, other)
    metres, bearing = measured.stdout.rstrip("\n").split("\t")[2:]
    lat, lon = position(other)
    assert abs(int(metres) - oracle.distance(*position(one), {"lat": lat, "lon": lon})) <= 1, measured.stderr
    assert 0 <= float(bearing) < 360


def test_a_distance_needs_two_places(shipped_server, tmp_path):
    for words in ([], ["a", "b", "c"], ["tallinn", "91,0"]):
        assert shipped_server.ctl("distance", *words).returncode == 2
    unknown = shipped_server.ctl("distance", "tallinn", "xyzzyq")
    assert unknown.returncode == 1 and "xyzzyq" in unknown.stderr
    saved = {"XDG_CONFIG_HOME": tmp_path}
    assert shipped_server.ctl("distance", "riga", variables=saved).returncode != 0
    assert shipped_server.ctl("here", "59.437,24.7536", variables=saved).returncode == 0
    assert shipped_server.ctl("distance", "riga", variables=saved).stdout.startswith("geo:59.437,24.7536\tRiga, LV\t")


@pytest.mark.parametrize(("places", "bearing"), [
    (["0,0", "10,-0.005"], "0.0"), (["0,0", "10,-0.2"], "358.9"), (["90,0", "90,50"], "0.0"), (["1,2", "1,2"], "0.0"),
    (["0,0", "0,-1"], "270.0"),
])
def test_a_bearing_is_less_than_360(shipped_server, places, bearing):
    measured = shipped_server.ctl("distance", *places, "-o", "tsv")
    assert measured.stdout.rstrip("\n").split("\t")[3] == bearing
