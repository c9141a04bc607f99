"""The rule of `city.find` on a small list, and the shape of the files that the project ships for it."""

import gzip
import itertools
import json
import re
import unicodedata

import find_quality
import find_questions
import pytest
from find_oracle import Finder, county_of, edits, ends_word, fold
from harness import ROOT, record

DATA = ROOT / "contrib" / "data"

NAMES = {
    "countries": {
        "CA": ["Canada", "Kanada"], "DE": ["Germany", "Deutschland", "Ïn"], "US": ["United States", "USA"],
    },
    "regions": {"CA.08": ["Ontario", "ON"], "US.IL": ["Illinois", "IL"], "US.MO": ["Missouri", "MO"]},
    "counties": {"CA.08.39": ["Middlesex County", "Ontario"], "US.MO.077": ["Greene County", "Greene"]},
}
CITIES = [
    record(1, "London", "GB", population=8_961_989, alternatenames=["LON", "Londres", "Лондон"]),
    record(2, "London", "CA", population=422_324, region_code="08", county_code="39"),
    record(3, "Londrina", "BR", population=575_377),
    record(4, "Springfield", "US", population=169_176, region_code="MO", county_code="077"),
    record(5, "Springfield", "US", population=114_394, region_code="IL"),
    record(6, "München", "DE", population=1_260_391, alternatenames=["Munich", "Muenchen"]),
    record(7, "Bombay", "NZ", population=744),
    record(8, "Mumbai", "IN", population=12_691_836, alternatenames=["Bombay", "बम्बई"]),
    record(9, "Saint-Denis", "FR", population=96_128, region="Île-de-France"),
    record(10, "Saint-Denis", "RE", population=153_810),
    record(11, "Seoul", "KR", population=10_349_312, alternatenames=["서울"]),
    record(12, "Nowhere", "XX"),
    record(13, "New York City", "US", population=8_804_190, region_code="NY", alternatenames=["NYC"]),
    record(14, "Genoa", "IT", population=580_097, alternatenames=["GOA"]),
    record(15, "Goa", "PH", population=60_000),
    record(16, "Goalpara", "IN", population=50_000),
]


@pytest.fixture(scope="module")
def finder():
    return Finder(CITIES, NAMES)


@pytest.mark.parametrize(("text", "key"), [
    ("Straße", "strasse"), ("Łódź", "lodz"), ("São-Paulo", "sao paulo"), ("  St.  John's ", "st johns"),
    ("N.Y.C.", "nyc"), ("co\u00ADop", "coop"), ("شین\u200Cیانگ", "شينيانگ"),
    ("サン・パウロ", "サンハ\u309Aウロ"), ("तेह\u0930\u093e\u0928", "तेहरान"), ("מַלְטָה", "מלטה"), ("ﬁsh", "fish"),
    ("Washington, D.C.", "washington dc"), ("…", ""),
])
def test_spellings_of_a_name_have_one_key(text, key):
    assert fold(text) == key


@pytest.mark.parametrize(("text", "ends"), [
    ("San ", True), ("St.", False), ("St. ", True), ("Saint-", True), ("san '", True), ("東京　", True), ("Sań", False),
])
def test_a_word_has_ended_when_a_separator_follows_it(text, ends):
    assert ends_word(text) is ends


@pytest.mark.parametrize(("left", "right", "distance"), [
    ("london", "london", 0), ("londn", "london", 1), ("lodnon", "london", 1), ("lnodno", "london", 2),
    ("paris", "london", 3),
])
def test_a_swap_of_neighbours_is_one_error(left, right, distance):
    assert edits(left, right, 2) == edits(right, left, 2) == distance


@pytest.mark.parametrize(("query", "found"), [
    ("london", [(1, "name"), (2, "name")]),
    ("lon", [(1, "name"), (3, "name"), (2, "name")]),
    ("london middlesex county", [(2, "name")]),
    ("springfield greene", [(4, "name")]),
    ("greene county", [(4, "area")]),
    # The start of the name of a county is left out.
    ("springfield gree", [(4, "name"), (5, "name")]),
    ("NYC", [(13, "code")]),
    ("nyc", []),
    ("NY", [(13, "area")]),
    ("NYC USA", [(13, "code")]),
    ("NYC usa", []),
    # Three capitals mean a code first, small letters never.
    ("GOA", [(14, "code"), (15, "name"), (16, "name")]),
    ("Goa", [(15, "name"), (16, "name")]),
    ("GOA ", [(15, "name"), (14, "code")]),
    ("LONDRES", [(1, "alternate")]),
    ("лонд", [(1, "alternate")]),
    ("munch", [(6, "name")]),
    # A country has no name that is the code of another one.
    ("munchen in", [(6, "name")]), ("mumbai in", [(8, "name")]), ("ïn", [(8, "area"), (16, "area")]),
    ("muenchen germany", [(6, "alternate")]),
    ("bombay", [(8, "alternate"), (7, "name")]),
    ("london, canada", [(2, "name")]),
    ("london on", [(2, "name")]),
    ("springfield", [(4, "name"), (5, "name")]),
    ("springfield illinois", [(5, "name")]),
    ("springfield IL USA", [(5, "name")]),
    ("springfield usa", [(4, "name"), (5, "name")]),
    ("springfield ill", [(5, "name")]),
    # A guess: the last word is left out.
    ("springfield germany", [(4, "name"), (5, "name")]),
    ("germany", [(6, "area")]),
    ("illinois", [(5, "area")]),
    ("usa", [(13, "area"), (4, "area"), (5, "area")]),
    ("saint denis ile de france", [(9, "name")]),
    ("서우", [(11, "alternate")]),
    ("lonbon", [(1, "typo"), (2, "typo")]),
    ("sprngfeild", [(4, "typo"), (5, "typo")]),
    ("sprngfield mo", [(4, "typo")]),
    ("mumb", [(8, "name")]),
    ("nubmai", []),
    ("xyz", []),
    ("new ", [(13, "name")]),
    ("lon ", [(1, "name"), (3, "name"), (2, "name")]),
    ("LON ", [(1, "code")]),
    ("LON", [(1, "code"), (3, "name"), (2, "name")]),
    ("lond ", [(1, "name"), (3, "name"), (2, "name")]),
    ("Saint-", [(10, "name"), (9, "name")]),
    ("bombay, ", [(8, "alternate"), (7, "name")]),
])
def test_the_rows_that_people_mean(finder, query, found):
    assert [(row.city["_id"], row.by) for row in finder.find(query)] == found


def test_a_query_with_a_hit_gets_no_typos_and_none_are_searched_on_request(finder):
    assert {row.by for row in finder.find("london")} == {"name"}
    assert finder.find("lonbon", typos=False) == []


def test_of_equal_rows_the_nearer_comes_first():
    finder = Finder([record(1, "Twin", "AA", lat=0), record(2, "Twin", "BB", lat=50)])
    assert [row.city["_id"] for row in finder.find("twin", near=(49, 2.5))] == [2, 1]
    assert [row.city["_id"] for row in finder.find("twin", near=(1, 2.5))] == [1, 2]


def test_a_near_place_outweighs_inhabitants_by_powers_of_ten():
    finder = Finder([record(1, "Twin", "AA", lat=0, population=1_000),
        record(2, "Twin", "BB", lat=1, population=12_000),
                     record(3, "Twin", "BB", lat=30, population=100_000)])
    assert [row.city["_id"] for row in finder.find("twin", near=(0, 2.5))] == [1, 2, 3]
    assert [row.city["_id"] for row in finder.find("twin")] == [3, 2, 1]


def test_a_place_is_the_city_and_not_its_district_nor_a_city_farther_away():
    finder = Finder([
        record(1, "City", "AA", lat=50, population=1_000_000),
        record(2, "District", "AA", lat=50.03, population=40_000),
        record(3, "Town", "AA", lat=50.3, population=20_000),
    ])
    assert finder.nearest(50.03, 2.5) == 2 and finder.place(50.03, 2.5) == 1
    assert finder.place(50.3, 2.5) == 3


def test_clock_questions_have_both_sides_of_each_change():
    city = {"_id": 1, "timezone": "Europe/Tallinn", "population": 1}
    asked = [(moment, offset) for _, moment, offset in find_quality.clock_questions([city])]
    assert asked == [(1774745999, 7200), (1774746000, 10800), (1792889999, 10800), (1792890000, 7200)]


def test_keys_are_typed_one_after_another():
    assert find_questions.typed([record(1, "Oslo")], longest=3) == ["O", "Os", "Osl"]
    assert find_questions.typed(CITIES, 2) == find_questions.typed(CITIES, 2) != find_questions.typed(CITIES, 2, seed=1)


def test_a_smaller_sample_is_the_start_of_a_larger_one():
    questions = [(None, str(n), n) for n in range(100)]
    assert find_questions.sample(questions, 40)[:10] == find_questions.sample(questions, 40)[:10]
    assert len(set(find_questions.sample(questions, 200))) == 100


def test_a_tally_counts_ranks():
    tally = find_questions.Tally()
    for identifiers in ([1, 2], [2, 1], [2, 3], []):
        tally.add(identifiers, 1)
    assert [tally.share(rank) for rank in (1, 2, 10)] == [25, 50, 50]


@pytest.fixture(scope="module")
def shipped():
    with gzip.open(DATA / "cities.json.gz") as cities, gzip.open(DATA / "names.json.gz") as names:
        return json.load(cities), json.load(names)


def test_the_shipped_list_has_the_documented_shape(shipped):
    cities, _ = shipped
    keys = ["country", "name", "_id", "coord", "population", "region_code", "county_code", "timezone",
        "alternatenames", "languages"]
    order = {key: at for at, key in enumerate(keys)}
    for city in cities:
        assert sorted(city, key=order.__getitem__) == list(city)
        assert all(city.values()), f"an empty value: {city}"
        names = city.get("alternatenames", [])
        assert len({*names, city["name"]}) == len(names) + 1, f"a repeated name: {city}"
        languages = city.get("languages", {})
        assert languages.keys() <= set(names) and all(1 <= number <= 13 for number in languages.values())
    assert [city["_id"] for city in cities] == sorted({city["_id"] for city in cities})


def test_the_shipped_names_cover_the_list(shipped):
    cities, names = shipped
    for table in names.values():
        assert list(table) == sorted(table)
        assert all(called and len(set(called)) == len(called) for called in table.values())
    assert {city["country"] for city in cities} <= set(names["countries"])
    named = sum(f"{city['country']}.{city.get('region_code')}" in names["regions"] for city in cities)
    assert named >= 0.998 * len(cities)
    assert {county_of(city) for city in cities if "county_code" in city} == set(names["counties"])


def test_a_shipped_country_has_no_name_that_means_another_one(shipped):
    countries = shipped[1]["countries"]
    firsts = {fold(names[0]): code for code, names in countries.items()}
    for code, names in countries.items():
        assert {firsts.get(fold(name), code) for name in names} == {code}
        assert not (countries.keys() - {code}) & set(names)
    meant = {name: [code for code, names in countries.items() if name in names]
        for name in ("США", "USA", "China", "France", "Великобритания", "Кина", "Olanda", "Burma")}
    assert meant == {
        "США": ["US"], "USA": ["US"], "China": ["CN"], "France": ["FR"], "Великобритания": ["GB"], "Кина": ["CN"],
        "Olanda": ["NL"], "Burma": ["MM"]}
    assert {"Saint-Martin", "Saint-Martin (France)"} <= set(countries["MF"])


def test_the_readme_counts_what_is_shipped(shipped):
    cities, names = shipped
    text = (DATA / "README").read_text()
    counts = [len(cities), *map(len, names.values()), sum("county_code" in city for city in cities)]
    from_geonames, from_cldr, from_airports = (int(re.search(pattern, text)[1].replace(",", "")) for pattern in (
        r"names\s\(([\d,]+)\)", r"have ([\d,]+) more names", r"have ([\d,]+) more codes"))
    assert all(f"{count:,}" in text for count in counts)
    assert sum(len(city.get("alternatenames", [])) for city in cities) == from_geonames + from_cldr + from_airports
    counts = [sum(len(city.get("languages", [])) for city in cities), sum("languages" in city for city in cities)]
    assert all(f"{count:,}" in text for count in counts)


@pytest.mark.parametrize(("code", "identifier"), [
    ("LHR", 2643743), ("JFK", 5128581), ("CDG", 2988507), ("FCO", 3169070), ("ICN", 1835848), ("MIA", 4164138),
    ("PEK", 1816670), ("GOA", 3176219), ("YYZ", 6167865), ("EZE", 3435910),
])
def test_the_code_of_an_airport_belongs_to_one_city(shipped, code, identifier):
    assert [city["_id"] for city in shipped[0] if code in city.get("alternatenames", [])] == [identifier]


def test_the_shipped_list_has_no_polluted_names(shipped):
    cities, _ = shipped
    names = {city["_id"]: city.get("alternatenames", []) for city in cities}
    assert "Londn" not in names[2643743] and not any("Lunnainn" in name and "/" in name for name in names[2643743])
    assert "Frankfurt/Oder" in names[2925535] and "Hannut (Thisnes)" not in itertools.chain(*names.values())
    assert not any(unicodedata.category(character) in ("Cc", "Co")
        for name in itertools.chain(*names.values()) for character in name)
    assert "日本語" not in itertools.chain(*names.values())
