"""`city.find` of the release server on questions with known answers (find_reference.json.gz), against its marks."""

import gzip
import json

import find_quality
import pytest
from find_oracle import Finder
from harness import SHIPPED_LIST, Server


@pytest.fixture(scope="module")
def finder():
    return Finder.shipped(SHIPPED_LIST.parent)


@pytest.fixture(scope="module")
def asker(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("find"))
    try:
        server.start()
        yield find_quality.ServerAsker(server.socket)
    finally:
        server.stop()


def test_people_find_the_city_they_mean(asker, finder, capsys):
    reference = json.loads(gzip.decompress(find_quality.REFERENCE.read_bytes()))
    kept = find_quality.measure(asker, finder, reference)
    assert kept, capsys.readouterr().out


@pytest.mark.parametrize("query", [
    "munchen", "kiev", "nyc", "st petersburg", "den haag", "東京", "san jose cr", "springfield ill",
    "köln deutschland", "lon", "서우", "paris tx", "london, canada", "la", "saint-denis",
    "grand rapids mi us", "xyzzy",
])
def test_the_rows_are_those_of_the_plain_implementation(asker, finder, query):
    expected = [(row.city["_id"], row.by) for row in finder.find(query)]
    assert next(asker.find([query])) == expected
