"""Places that are named as people name them: one city is meant, or the user is asked."""

import gzip
import json
import random
import re
from collections import Counter

import harness
import pytest
from wire import WireFault


@pytest.fixture(scope="module")
def cities():
    with gzip.open(harness.SHIPPED_LIST) as packed:
        return json.load(packed)


@pytest.mark.parametrize(("words", "title"), [
    ("kiev", "Kyiv, UA"), ("munchen", "Munich, DE"), ("bombay", "Mumbai, IN"), ("東京", "Tokyo, JP"),
    ("paris", "Paris, FR"), ("den haag", "The Hague, NL"), ("saint petersburg russia", "Saint Petersburg, RU"),
    ("springfield illinois", "Springfield, US"), ("london, canada", "London, CA"), ("köln deutschland", "Köln, DE"),
])
def test_what_people_call_a_city_is_resolved_and_named_on_stderr(shipped_server, words, title):
    shown = shipped_server.ctl("show", *words.split(), "--columns", "title", "--output", "tsv")
    assert (shown.returncode, shown.stdout) == (0, f"{title}\n")
    assert shown.stderr.startswith(f'citiesctl: "{words}" resolved to {title}')
    near = shipped_server.ctl("near", *words.split(), "--limit", "1", "--output", "tsv")
    assert near.returncode == 0 and near.stdout.endswith("\t0\n") and near.stderr == shown.stderr


def test_titles_of_one_city_are_taken_silently(shipped_server, cities):
    titles = Counter(f"{city['name']}, {city['country']}".casefold() for city in cities)
    chosen = [city for city in random.Random(12).sample(cities, 400)
              if titles[f"{city['name']}, {city['country']}".casefold()] == 1]
    assert len(chosen) > 300
    with shipped_server.wire() as wire:
        for city in chosen:
            found = wire.call("city.get", query=f"{city['name']}, {city['country']}")
            assert found["city"]["id"] == city["_id"] and found["resolved"]["by"] == "title", city
    shown = shipped_server.ctl("show", "Tallinn, EE")
    assert (shown.returncode, shown.stderr) == (0, "")


def test_several_are_exit_3_with_regions_and_inhabitants(shipped_server):
    shown = shipped_server.ctl("show", "springfield")
    assert shown.returncode == 3 and shown.stdout == ""
    head, *candidates = shown.stderr.splitlines()
    assert head.startswith("citiesctl: ") and 'cities are called "springfield"' in head
    inhabitants = [int(line.split("\t")[4]) for line in candidates[:5]]
    assert inhabitants == sorted(inhabitants, reverse=True)
    assert [line.split("\t")[2:4] for line in candidates[:2]] == [
        ["Springfield, US", "Missouri"], ["Springfield, US", "Massachusetts"]]
    failure = json.loads(shipped_server.ctl("show", "springfield", "--output", "json").stderr)["error"]
    assert failure["exit"] == 3 and failure["candidates"][0]["region"] == "Missouri"


def test_the_start_of_a_name_and_a_misspelt_one_are_never_taken_but_with_first(shipped_server):
    for word in ("reykja", "reykjavk"):
        shown = shipped_server.ctl("show", word)
        assert shown.returncode == 1 and shown.stdout == "" and "Reykjavík, IS" in shown.stderr
    first = shipped_server.ctl("show", "--first", "reykjavk", "--columns", "title", "--output", "tsv")
    assert (first.returncode, first.stdout) == (0, "Reykjavík, IS\n")
    assert first.stderr == 'citiesctl: "reykjavk" resolved to Reykjavík, IS\n'


def test_strict_is_the_rule_of_titles(shipped_server):
    assert shipped_server.ctl("show", "--strict", "kiev").returncode == 1
    assert shipped_server.ctl("near", "--strict", "paris").returncode == 3
    village = shipped_server.ctl("show", "--strict", "Bombay", "--columns", "title", "--output", "tsv")
    assert (village.stdout, village.stderr) == ("Bombay, NZ\n", "")


@pytest.mark.parametrize(("words", "country", "largest"), [
    ("Iceland", "IS", "Reykjavík, IS"), ("ukraine", "UA", "Kyiv, UA"), ("is", "IS", "Reykjavík, IS"),
    ("Deutschland", "DE", "Berlin, DE"), ("georgia", "GE", "Tbilisi, GE"), ("jordan", "JO", "Amman, JO"),
    ("Jersey", "JE", "Saint Helier, JE"), ("lebanon", "LB", "Beirut, LB"), ("日本", "JP", "Tokyo, JP"),
    ("united kingdom", "GB", "London, GB"), ("armenia", "AM", "Yerevan, AM"), ("grenada", "GD", "Saint George's, GD"),
    ("benin", "BJ", "Cotonou, BJ"), ("hu", "HU", "Budapest, HU"),
])
def test_the_name_of_a_country_is_not_a_village(shipped_server, words, country, largest):
    for verb in ("show", "near", "time"):
        asked = shipped_server.ctl(verb, words, "--output", "tsv")
        assert (asked.returncode, asked.stdout) == (3, ""), (verb, asked)
        head, hint, first, *rest = asked.stderr.splitlines()
        assert head == f'citiesctl: "{words}" is a country; name one of its cities' and hint == "its largest cities:"
        assert first.split("\t")[2] == largest and len(rest) <= 6
        assert rest[-1] == f"'citiesctl map --country {country.lower()}' draws the country"
    drawn = shipped_server.ctl("map", *words.split(), "--output", "svg")
    assert drawn.returncode == 0 and drawn.stderr == f'citiesctl: "{words}" is a country\n'
    name = re.search("<title>(.*)</title>", drawn.stdout)[1]
    assert shipped_server.ctl("map", "--country", name, "--output", "svg").stdout == drawn.stdout
    # On this scale Cotonou is one place with the capital, which comes first.
    named = "Porto-Novo" if country == "BJ" else largest.split(",")[0].split("'")[0]
    assert named in drawn.stdout
    assert shipped_server.ctl("map", "-c", country, "-o", "geojson").stdout.count(f'"country":"{country}"') > 1


@pytest.mark.parametrize(("words", "title"), [
    ("Singapore", "Singapore, SG"), ("luxembourg", "Luxembourg, LU"), ("Monaco", "Monaco, MC"),
    ("mexico", "Mexico City, MX"), ("Guatemala", "Guatemala City, GT"), ("panama", "Panama City, PA"),
    ("Kuwait", "Kuwait City, KW"), ("Djibouti", "Djibouti, DJ"),
])
def test_a_city_that_is_called_like_a_country_is_still_meant(shipped_server, words, title):
    shown = shipped_server.ctl("show", words, "--columns", "title", "--output", "tsv")
    assert (shown.returncode, shown.stdout) == (0, f"{title}\n"), shown
    assert shipped_server.ctl("map", words, "--output", "geo").returncode == 0


def test_a_search_takes_countries_by_name_and_rejects_unknown_ones(shipped_server):
    def count(country):
        return shipped_server.ctl("search", "--count", "--country", country, "")
    assert count("Deutschland").stdout == count("de").stdout == count("GERMANY").stdout != "0\n"
    unknown = count("atlantis")
    assert unknown.returncode == 2 and 'no country "atlantis"' in unknown.stderr
    mistyped = count("icland")
    assert mistyped.returncode == 2 and 'no country "icland"; did you mean "Iceland"?' in mistyped.stderr
    assert count("Iceland").stdout == count("is").stdout != "0\n"


@pytest.mark.parametrize(("value", "first"), [("icland", "Iceland"), ("Latvja", "Latvia"), ("nether", "Netherlands")])
def test_an_unknown_country_has_the_nearest_ones_beside_it_and_each_of_them_is_known(shipped_server, value, first):
    with shipped_server.wire() as wire:
        with pytest.raises(WireFault) as fault:
            wire.call("city.find", query="a", country=value)
        data = fault.value.data
        assert (data["param"], data["value"], data["known"][0]) == ("country", value, first)
        assert 1 <= len(data["known"]) <= 20 < data["known_total"]
        for name in data["known"]:
            wire.call("city.find", query="a", country=name, limit=1)


def test_a_session_finds_names_at_every_keystroke(shipped_server):
    options = ["--find", "--limit", "1", "--columns", "title,by"]
    lines = shipped_server.ctl("session", *options, input="munch\nmünchen\nzzqx\n").stdout
    assert lines.split("\n\n") == [
        "#1\t1\t-\tmunch\nMunich, DE\talternate", "#2\t1\t-\tmünchen\nMunich, DE\talternate", "#3\t0\t-\tzzqx", ""]
