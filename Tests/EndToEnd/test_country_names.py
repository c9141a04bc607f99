"""Every program takes a country by all its names, numbers and codes, of ISO 3166-1 and of every text that it prints."""

import gzip
import json
from collections import defaultdict

import pycountry
import pytest
from find_oracle import fold
from harness import ROOT
from test_match import matched
from wire import WireFault

DATA = ROOT / "contrib" / "data"
SHARED = {"congo": ["CD", "CG"], "korea": ["KP", "KR"], "virgin islands": ["VG", "VI"]}
FORMER = {"AN", "CS"}


@pytest.fixture(scope="module")
def names():
    """The names of countries that exist, the one that is shown first."""
    with gzip.open(DATA / "names.json.gz") as file:
        return {code: called for code, called in json.load(file)["countries"].items() if code not in FORMER}


def shown():
    """The names in the table of all programs by code."""
    rows = [line.split("\t") for line in (DATA / "countries.tsv").read_text("utf-8").splitlines()]
    return {row[0]: row[-1] for row in rows}


def keys():
    """The countries that each key in the table means."""
    rows = [line.split("\t") for line in (DATA / "country-names.tsv").read_text("utf-8").splitlines()]
    return {key: codes.split(" ") for key, codes in rows}


def forms():
    """Pairs of a text and the code of the country that it is the name, the number or the code of."""
    table = shown()
    found = {(text, code) for code, name in table.items() for text in (code, code.lower(), name, name.upper())}
    for country in pycountry.countries:
        texts = [country.alpha_3, country.numeric, str(int(country.numeric)), country.name]
        texts += [getattr(country, kind) for kind in ("official_name", "common_name") if hasattr(country, kind)]
        found |= {(text, country.alpha_2) for text in texts}
    return sorted(pair for pair in found if fold(pair[0]) not in SHARED)


def test_the_tables_are_made_of_the_names(names):
    assert shown() == {code: called[0] for code, called in names.items()}
    codes = {fold(code): code for code in names}
    meant = defaultdict(set)
    for code, called in names.items():
        for key in filter(None, map(fold, [code, *called])):
            if codes.get(key, code) == code:
                meant[key].add(code)
    table = keys()
    assert table == {key: sorted(codes) for key, codes in meant.items()}
    assert list(table) == sorted(table, key=str.encode)


def test_a_text_means_its_country_alone():
    assert {country.alpha_2 for country in pycountry.countries} == shown().keys() - {"XK"}
    table = keys()
    assert [(text, code, table.get(fold(text))) for text, code in forms() if table.get(fold(text)) != [code]] == []
    assert {key: table[key] for key in SHARED} == SHARED


def test_every_text_restricts_a_search_and_a_column_to_its_country(shipped_server):
    with shipped_server.wire(120) as wire:
        largest = {
            code: rows[0] for code in shown()
            if (rows := wire.call("city.search", prefix="", country=code, sort="population", limit=1)["rows"])}
        assert shown().keys() - largest.keys() == {"AQ", "BV", "HM", "UM"}
        asked = [(text, code) for text, code in forms() if code in largest]
        for text, code in asked:
            found = wire.call("city.search", prefix="", country=text, sort="population", limit=1)["rows"]
            assert [row["id"] for row in found] == [largest[code]["id"]], (text, code)
            assert wire.call("city.find", query=largest[code]["name"], country=text, limit=1)["rows"], (text, code)
        for start in range(0, len(asked), 1_000):
            part = asked[start:start + 1_000]
            columns = [[largest[code]["name"] for _, code in part], [text for text, _ in part]]
            columns = ["".join(f"{text}\n" for text in column) for column in columns]
            by_text = matched(wire.call("city.match", names=columns[0], countries=columns[1]))
            codes = "".join(f"{code}\n" for _, code in part)
            assert by_text == matched(wire.call("city.match", names=columns[0], countries=codes))
            assert all(identifier for identifier, _ in by_text)


def test_a_number_is_no_word_after_a_name(shipped_server):
    with shipped_server.wire() as wire:
        found, plain = (wire.call("city.find", query=query)["rows"] for query in ("Paris 840", "Paris"))
        assert [row["city"]["country"] for row in found] == [row["city"]["country"] for row in plain][:len(found)]
        with pytest.raises(WireFault):
            wire.call("city.find", query="Paris", country="999")


def test_commands_take_the_name_that_they_print(shipped_server):
    for code in ("BA", "CD", "CG", "CI", "FM", "HK", "KR", "LC", "MO", "PS", "VI"):
        for text in (code, shown()[code]):
            made = shipped_server.ctl("country", "-o", "tsv", "--columns", "country,name", text)
            assert made.returncode == 0, made.stderr
            assert made.stdout == f"{code}\t{shown()[code]}\n"
            drawn = shipped_server.ctl("map", "--country", text, "-o", "geojson")
            assert drawn.returncode == 0 and f'"country":"{code}"' in drawn.stdout, drawn.stderr
