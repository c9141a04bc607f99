"""city.search against a plain scan of the real list in Python."""

import random

import pytest
from oracle import FOLDS, prefixes, spellings
from wire import result

TITLES, SEED = 2_000, 20_260_301
PAGE = 20
COMMA_PREFIXES_AT_LEAST = 8


@pytest.mark.parametrize(("prefix", "total"), [
    ("", 209_557), ("A", 11_207), ("s", 24_435), ("Al", 3_019), ("Alb", 327),
])
def test_totals_of_the_real_list(real_server, prefix, total):
    with real_server.wire() as wire:
        assert wire.call("city.search", prefix=prefix, limit=0)["total"] == total


@pytest.mark.parametrize(("prefix", "total"), [("A", "11207"), ("s", "24435"), ("Al", "3019"), ("Alb", "327")])
def test_count_prints_the_total_alone(real_server, prefix, total):
    assert real_server.ctl("search", "--count", prefix).stdout == f"{total}\n"


def queries(rows):
    """Every prefix of every spelling of the seeded titles; all of them cross the comma at their end."""
    cities = random.Random(SEED).sample(rows, TITLES)
    spelled = {spelling for city in cities for spelling in spellings(f"{city['name']}, {city['country']}")}
    return sorted({prefix for spelling in spelled for prefix in prefixes(spelling)})


def ask_all(server, wanted, **params):
    """The replies to many searches, pipelined in batches on one connection."""
    with server.wire() as wire:
        for start in range(0, len(wanted), 64):
            batch = wanted[start:start + 64]
            identifiers = wire.send_all([("city.search", {"prefix": prefix, **params}) for prefix in batch])
            for prefix, identifier in zip(batch, identifiers, strict=True):
                yield prefix, result(wire.receive(), identifier)


def compare(server, oracle, asked, match, country=None):
    """Asserts rows, order and total of every query; the share of those that found anything."""
    fold = FOLDS[match]
    expected = oracle.search_many({fold(prefix) for prefix in asked}, PAGE, country)
    more = {} if country is None else {"country": country}
    found = 0
    for prefix, reply in ask_all(server, asked, match=match, limit=PAGE, **more):
        total, rows = expected[fold(prefix)]
        assert (reply["total"], reply["rows"]) == (total, rows), f"{match} {prefix!r} in {country}"
        found += total > 0
    return found / len(asked)


def test_every_prefix_of_seeded_titles_equals_a_scan(real_server, real_rows, real_plain):
    share = compare(real_server, real_plain, queries(real_rows), "plain")
    assert share >= 0.9, f"only {share:.0%} of the queries find anything"


def test_every_folded_prefix_of_seeded_titles_equals_a_scan(real_server, real_rows, real_folded):
    share = compare(real_server, real_folded, queries(real_rows), "folded")
    assert share >= 0.9, f"only {share:.0%} of the queries find anything"


@pytest.mark.parametrize(("match", "country"), [("plain", "us"), ("plain", "PL"), ("folded", "BR"), ("folded", "tr")])
def test_prefixes_in_a_country_equal_a_scan(real_server, real_rows, real_plain, real_folded, match, country):
    inside = [city for city in real_rows if city["country"].lower() == country.lower()]
    cities = random.Random(SEED).sample(inside, 500)
    asked = sorted({prefix for city in cities for prefix in prefixes(f"{city['name']}, {city['country']}")})
    share = compare(real_server, {"plain": real_plain, "folded": real_folded}[match], asked, match, country)
    assert share >= 0.9


def test_a_country_without_cities_finds_nothing(real_server):
    with real_server.wire() as wire:
        assert wire.call("city.search", prefix="", country="ZZ")["total"] == 0


def boundary_prefixes(oracle):
    """Queries that match at once a name with a comma and the end of another name."""
    names = {oracle.fold(city["name"]) for city in oracle.cities}
    heads = {name[:index + 1] for name in names for index, letter in enumerate(name) if letter == ","}
    return sorted(head for head in heads if head[:-1] in names)


@pytest.mark.parametrize("match", ["plain", "folded"])
def test_a_query_that_crosses_a_comma_in_a_name_and_a_title_is_exact(real_server, real_plain, real_folded, match):
    oracle = {"plain": real_plain, "folded": real_folded}[match]
    boundaries = boundary_prefixes(oracle)
    assert "washington," in boundaries
    assert len(boundaries) >= COMMA_PREFIXES_AT_LEAST
    for prefix in boundaries:
        expected = oracle.search(prefix)
        with real_server.wire() as wire:
            reply = wire.call("city.search", prefix=prefix, match=match, limit=1000)
        assert (reply["total"], reply["rows"]) == (len(expected), expected[:1000]), prefix


def test_whole_results_equal_a_scan_beyond_the_first_page(real_server, real_plain):
    for prefix in ("Alb", "san j", "Å", "(", "'", "ß", "STRASSE"):
        expected = real_plain.search(prefix)
        with real_server.wire() as wire:
            reply = wire.call("city.search", prefix=prefix, limit=1000)
        assert (reply["total"], reply["rows"]) == (len(expected), expected[:1000]), prefix


@pytest.mark.parametrize("match", ["plain", "folded"])
def test_common_is_the_longest_common_prefix_of_all_matches(real_server, real_plain, real_folded, match):
    oracle = {"plain": real_plain, "folded": real_folded}[match]
    for prefix in ("albuq", "reykjav", "llanfairpwll", "zzzz", "s", "washington,"):
        titles = [oracle.fold(f"{city['name']}, {city['country']}") for city in oracle.search(prefix)]
        with real_server.wire() as wire:
            assert wire.call("city.search", prefix=prefix, match=match, limit=0)["common"] == common(titles), prefix


def common(titles):
    """The longest common prefix of texts; empty for none."""
    first, last = (min(titles), max(titles)) if titles else ("", "")
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def test_sort_by_population_is_by_inhabitants_then_key(shipped_server):
    with shipped_server.wire() as wire:
        rows = wire.call("city.search", prefix="new y", sort="population", limit=100)["rows"]
    assert rows[0]["id"] == 5_128_581  # New York
    known = [row["population"] for row in rows if "population" in row]
    assert known == sorted(known, reverse=True)
    assert all("population" not in row for row in rows[len(known):])


def test_all_through_pages_equals_the_whole(real_server, real_plain):
    printed = real_server.ctl("search", "--all", "--output", "tsv", "--columns", "id", "Al", timeout=60)
    assert printed.returncode == 0, printed.stderr
    assert [int(line) for line in printed.stdout.splitlines()] == [city["id"] for city in real_plain.search("Al")]


def test_pages_of_any_size_join_to_the_whole(real_server, real_plain):
    expected = real_plain.search("Alb")
    for size in (1, 7, 100, 327, 1000):
        with real_server.wire() as wire:
            pages = [
                wire.call("city.search", prefix="Alb", offset=offset, limit=size)["rows"]
                for offset in range(0, len(expected) + size, size)
            ]
        assert [row for page in pages for row in page] == expected, size


def test_a_reader_that_lags_behind_delays_nobody_else_and_loses_nothing(real_server):
    # Few enough for the socket's buffer to hold: the server stops reading from who does not read.
    asked = 500
    with real_server.wire() as lagging, real_server.wire() as other:
        lagging.send_all([("city.search", {"prefix": "s", "limit": 1000})] * asked)
        assert other.call("city.search", prefix="alb", limit=1)["total"] == 327
        assert all(lagging.receive()["result"]["total"] == 24_435 for _ in range(asked))
