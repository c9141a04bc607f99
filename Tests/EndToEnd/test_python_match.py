"""Columns of names with the Python package: every kind of column, conditions, and batches by their size."""

import inspect
import sys
from types import SimpleNamespace

import numpy
import polars
import pyarrow
import pytest
from harness import ROOT

sys.path.insert(0, str(ROOT / "contrib" / "integrations" / "python"))

import cities  # noqa: E402

NAMES = ["Tallinn", "Reval", "springfield", "munchen", "Tallin", "", None, "?!", "Paris, TX", "two\nlines", "\ud800"]


@pytest.fixture(scope="module")
def client(shipped_server):
    with cities.connect(str(shipped_server.socket), timeout=30) as made:
        yield made


def alone(client, name, **conditions):
    """The class of one name and its city, by the messages for one."""
    if not name or not any(letter.isalnum() for letter in name):
        return cities.NONE, 0
    try:
        return cities.SURE, client.city_get(query=name)["city"]["id"]
    except cities.ServerError as error:
        found = client.city_find(name, limit=1)["rows"]
        if not found:
            return cities.NONE, 0
        return (cities.LIKELY if error.code == "ambiguous" else cities.GUESS), found[0]["city"]["id"]


def test_each_name_is_what_the_messages_for_one_say(client):
    names = ["Tallinn", "Reval", "springfield", "munchen", "Tallinnz", "", "?!", "Paris, TX", "qqqqqq"]
    found = client.match(names)
    assert list(zip(found.classes, found.ids, strict=True)) == [alone(client, name) for name in names]
    assert found.generation == client.generation() and found.complete is True
    assert set(found.classes) == {cities.SURE, cities.LIKELY, cities.GUESS, cities.NONE}


def test_every_kind_of_column_gives_the_same(client):
    expected = client.match(NAMES)
    assert expected.classes[5:8].tolist() == [cities.NONE] * 3
    text = ["" if name in (None, "\ud800") else name for name in NAMES]
    for column in (numpy.array(text), numpy.array(NAMES, object), pyarrow.array(text), polars.Series(text),
        tuple(NAMES),
                   pyarrow.chunked_array([text[:3], text[3:]]), (name for name in NAMES)):
        found = client.match(column)
        assert (list(found.ids), list(found.classes)) == (list(expected.ids), list(expected.classes))


def test_conditions_hold_for_all_names_or_for_each(client):
    for all_names, each in (({"country": "US"}, {"countries": ["US"] * 3}),
                            ({"country": "US", "region": "Texas"},
                                {"countries": ["US"] * 3, "regions": ["Texas"] * 3})):
        names = ["Paris", "Athens", "Tallinn"]
        one, other = client.match(names, **all_names, rows=True), client.match(names, **each)
        assert (one.ids, one.classes) == (other.ids, other.classes)
        assert {row["country"] for row in one.rows} == {"US"}
        assert [one.rows[place]["id"] for place in one.index if place != cities.NOTHING] == [i for i in one.ids if i]
    mixed = client.match(["Paris", "Paris"], countries=["FR", "US"])
    assert mixed.ids[0] != mixed.ids[1]
    assert client.match(["Tallinnz"], typos=False).classes.tolist() == [cities.NONE]


def test_names_are_asked_in_batches_that_fit_a_request(client):
    """Long names fill a request before there are 4,000 of them; however the column is cut, the answers are the same."""
    few = ["Tallinn", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "a" * 30_000, "Reval", "ł" * 200,
           "a" * 70_000, "", "Paris, FR"]
    expected = [client.match([name[:30_000]]) for name in few]
    found = client.match(few * 5 + ["Reval"] * 5_000)
    assert found.ids.tolist() == [each.ids[0] for each in expected] * 5 + [expected[3].ids[0]] * 5_000
    assert found.classes.tolist() == [each.classes[0] for each in expected] * 5 + [cities.SURE] * 5_000
    assert [bool(number) for number in found.ids[:8]] == [True, True, False, True, False, False, False, True]


@pytest.mark.parametrize(("column", "words"), [
    (numpy.array([b"Paris"]), r"names\[0\] must be str, not bytes"),
    (pyarrow.array([None, "Paris".encode()]), r"names\[1\] must be str, not bytes"),
    (["Paris", 1.0], r"names\[1\] must be str, not float"),
    (["Paris", None, float("nan"), 7], r"names\[3\] must be str, not int"),
    (numpy.array([[1.5]]), r"names\[0\] must be str, not list"),
    (memoryview(b"Paris"), r"names\[0\] must be str, not int"),
    (polars.Series([True]), r"names\[0\] must be str, not bool"),
    (["a"] * 70_000 + [numpy.float32(2)], r"names\[70000\] must be str, not float32"),
    (numpy.array("Paris"), "not one str"),
], ids=range(9))
def test_only_a_missing_value_may_stand_for_a_text(client, column, words):
    with pytest.raises(TypeError, match=words):
        client.match(column)
    with pytest.raises(TypeError, match=words.replace("names", "countries")):
        client.match(["Paris"], countries=column)
    with pytest.raises(TypeError, match=words):
        client.city_match(column)


def test_none_nan_and_na_are_missing(client, monkeypatch):
    missing = type("NAType", (), {"__eq__": None, "__bool__": None})()
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(NA=missing))
    nan = float("nan")
    column = [None, nan, numpy.float32(nan), numpy.float64(nan), missing, numpy.str_("Reval")]
    found = client.match(column)
    assert found.classes.tolist() == [cities.NONE] * 5 + [cities.SURE]
    assert client.city_match(column)["ids"] == found.ids
    assert client.match(numpy.array([nan, nan])).classes.tolist() == [cities.NONE] * 2
    assert client.match(pyarrow.nulls(2)).classes.tolist() == [cities.NONE] * 2


def test_columns_of_different_lengths_and_one_text_are_refused(client):
    with pytest.raises(ValueError, match="2 names and 1 countries"):
        client.match(["a", "b"], countries=["US"])
    with pytest.raises(TypeError, match="not one str"):
        client.match("Tallinn")
    with pytest.raises(cities.ServerError, match="country"):
        client.match(["Tallinn"], country="Atlantis")
    empty = client.match([])
    assert (len(empty.ids), empty.generation) == (0, client.generation())


def test_a_table_gets_the_facts_about_each_city_in_columns(client):
    names = ["Reval", "qqqqqq", "Wien", None, "Tallinn"]
    for column in (names, numpy.array(names, object)):
        found = client.match(column, rows=True)
        assert found.column("name") == ["Tallinn", None, "Vienna", None, "Tallinn"]
        assert found.column("id") == [None if number == 0 else number for number in found.ids]
        assert found.column("zone") == [None] * 5
    assert client.match(names, rows=True, with_=["zone"]).column("zone")[0] == "Europe/Tallinn"
    located = client.locate([59.44, None], [24.75, 0], rule="place", rows=True)
    assert located.column("country") == ["EE", None]
    with pytest.raises(ValueError, match="rows=True"):
        client.match(names).column("name")


def test_a_whole_table_is_not_taken_for_its_names(client):
    for table in (polars.DataFrame({"town": NAMES[:3]}), pyarrow.table({"town": NAMES[:3]})):
        with pytest.raises(TypeError, match=r"names must be one column, not a table: use table\['column'\]"):
            client.match(table)


def test_functions_without_a_client_take_what_its_methods_take(shipped_server, monkeypatch):
    monkeypatch.setenv("CITIES_SOCKET", str(shipped_server.socket))
    for function, method in ((cities.locate, cities.Client.locate), (cities.match, cities.Client.match)):
        own, taken = (inspect.signature(called).parameters for called in (function, method))
        assert list(own) == list(taken)[1:] and all(own[name].default == taken[name].default for name in own)
    assert cities.match(["springfield"], country="US", regions=["Oregon"], rows=True).column("region") == [None]
    assert cities.find("springfield", region="Oregon", country="US", limit=1)[0]["city"]["region"] == "Oregon"
    assert cities.find("springfeld", typos=False) == []
    near = cities.find("springfield", near="Portland, OR", limit=1)[0]["city"]
    assert near["region"] == "Oregon"
