"""The rule of `city.find` on a small list, and the shape of the files that the project ships for it."""

import gzip
import itertools
import json
import re
import unicodedata

import find_quality
import find_questions
import pytest
from find_oracle import GUESS, LIKELY, NONE, SURE, Finder, county_of, edits, ends_word, fold
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
    # A guess: the last word is left out, but an area last.
    ("springfield riviera illinois", [(5, "name")]),
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


AREAS = {
    "countries": {
        "CA": ["Canada"], "CN": ["China"], "EG": ["Egypt"], "FR": ["France"], "HU": ["Hungary"], "IN": ["India"],
        "MX": ["Mexico"], "NI": ["Nicaragua"], "SM": ["San Marino"], "US": ["United States", "USA"],
    },
    "regions": {
        "AU.01": ["Australian Capital Territory", "ACT"], "CA.05": ["Newfoundland", "NL"], "GY.DE": ["Demerara", "DE"],
        "US.CA": ["California", "CA"], "US.DE": ["Delaware", "DE"], "US.IL": ["Illinois", "IL"],
        "US.OH": ["Ohio", "OH"], "US.MO": ["Missouri", "MO"], "FR.84": ["Rhône-Alpes"], "NI.06": ["Granada"],
    },
    "counties": {"FR.84.01": ["Ain"]},
}
WEIGHED = [
    record(1, "Pasadena", "US", population=142_250, region_code="CA"),
    record(2, "Pasadena", "CA", population=3_620, region_code="05"),
    record(3, "Dili", "TL", population=150_000),
    record(4, "Delhi", "IN", population=11_034_555, alternatenames=["Dili"]),
    record(5, "Salisbury", "GB", population=44_748),
    record(6, "Harare", "ZW", population=1_542_813, alternatenames=["Salisbury"]),
    record(7, "Cairo", "EG", population=9_606_916),
    record(8, "Egypt", "US", population=2_391, region_code="PA"),
    record(9, "Chicago", "US", population=2_664_452, region_code="IL"),
    record(10, "Riverside", "US", population=2_946, region_code="MO", alternatenames=["Illinois"]),
    record(11, "Hong Kong", "HK", population=7_396_076),
    record(12, "Seoul", "KR", population=10_349_312),
    record(13, "Sioux City", "US", population=82_821, region_code="IA"),
    record(14, "Leh", "IN", population=30_870),
    record(15, "Guangzhou", "CN", population=16_096_724, alternatenames=["Canton"], languages={"Canton": 8}),
    record(16, "Canton", "US", population=71_885, region_code="OH"),
    record(17, "Saint-Denis", "RE", population=154_765),
    record(18, "Saint-Denis", "FR", population=96_128),
    record(19, "Georgetown", "GY", population=235_017, region_code="DE"),
    record(20, "Georgetown", "US", population=7_427, region_code="DE"),
    record(21, "Mexico City", "MX", population=12_294_193, alternatenames=["Mexico"], languages={"Mexico": 3}),
    record(22, "Mexico", "US", population=11_660, region_code="MO"),
    record(23, "Granada", "ES", population=233_532),
    record(24, "Managua", "NI", population=973_087),
    record(25, "Bourg", "FR", population=45_340, region_code="84", county_code="01"),
    record(26, "Kansas City", "US", population=508_090, region_code="MO"),
    record(27, "Granada", "NI", population=89_409, region_code="06"),
    record(28, "Nan", "TH", population=24_000),
    record(29, "Uşak", "TR", population=149_000),
    record(30, "Delaware", "US", population=39_267, region_code="OH"),
    record(31, "China", "MX", population=10_864),
    record(32, "Ohio", "US", population=513, region_code="IL"),
    record(33, "Canberra", "AU", population=367_752, region_code="01"),
    record(34, "Waco", "US", population=9_000, alternatenames=["ACT"]),
    record(35, "Budapest", "HU", population=1_741_041),
    record(36, "Shanghai", "CN", population=24_874_500, alternatenames=["HU"]),
    record(37, "San Marino", "SM", population=4_500),
    record(38, "San Marino", "AU", population=13_464),
    record(39, "Riverside City", "US", population=3_000, region_code="MO"),
    record(40, "Manama", "BH", population=1_300_000, alternatenames=["Nicaragua"], languages={"Nicaragua": 3}),
]


@pytest.fixture(scope="module")
def weighed():
    return Finder(WEIGHED, AREAS)


@pytest.mark.parametrize(("query", "found", "matched"), [
    # The code of a region that people write, and one that nobody does.
    ("Pasadena, CA", [1, 2], (1, SURE)),
    ("Georgetown, DE", [20, 19], (20, SURE)),
    ("Bourg Ain", [25], (25, SURE)),
    # Names that no language is known to use.
    ("Dili", [3, 4], (3, SURE)),
    ("Salisbury", [5, 6], (5, LIKELY)),
    # Areas that are meant, and cities that are.
    ("Egypt", [7, 8], (0, NONE)),
    ("egypt usa", [8], (8, SURE)),
    ("Illinois", [9, 10], (0, NONE)),
    ("Illinois, USA", [9, 10], (0, NONE)),
    ("California, USA", [1], (0, NONE)),
    ("Mexico", [21, 22], (21, SURE)),
    ("Granada", [23, 27], (23, LIKELY)),
    # The city that a country is called like; but not a city elsewhere by a name that is not its title's.
    ("San Marino", [37, 38], (37, SURE)),
    ("Nicaragua", [40], (40, LIKELY)),
    # Before an area, the name may go on.
    ("Hong, China", [11], (11, GUESS)),
    # Offices write the kind of place in small letters.
    ("Riverside city, MO", [39], (39, LIKELY)), ("Riverside City, MO", [39], (39, SURE)),
    ("Kansas city, Missouri", [26], (26, SURE)),
    # A title of a few thousand people may be meant besides a region, but not besides a country.
    ("Delaware", [20, 30], (30, LIKELY)),
    ("Delaware, USA", [20, 30], (30, LIKELY)),
    ("Ohio", [16, 32], (0, NONE)),
    ("China", [36, 31], (0, NONE)),
    # Three small letters may be the start of a word.
    ("usa", [29], (29, GUESS)),
    ("USA", [9, 29], (0, NONE)),
    # Three capitals are the code of an airport, two are that of an area.
    ("ACT", [34], (34, SURE)),
    ("act", [33], (0, NONE)),
    ("HU", [35, 36], (0, NONE)),
    # A territory lies in its country, too.
    ("Hong Kong, China", [11], (11, SURE)),
    ("Saint-Denis, France", [17, 18], (17, LIKELY)),
    ("Saint-Denis", [17, 18], (17, LIKELY)),
    # The kind of place is left out before errors are corrected, and weighed with them.
    ("Seoul City", [12, 13], (12, GUESS)),
    ("Kansas City", [26], (26, SURE)),
    ("City Pasadana", [1, 2], (1, GUESS)),
    ("Pasadana City", [1, 2], (1, GUESS)),
    # A country that does not have the city is left out, a region stays.
    ("Harare, China", [6], (6, GUESS)),
    ("Harare, United States", [6], (6, GUESS)),
    ("Harare Riviera, Egypt", [6], (6, GUESS)),
    ("Harare, Illinois", [], (0, NONE)),
    ("Harare Riviera, Illinois", [], (0, NONE)),
    # Never down to three letters, and the area stays.
    ("Le Marais", [], (0, NONE)),
    ("Leh Ladakh Valley", [], (0, NONE)),
    ("Canton (C), OH", [16], (16, GUESS)),
    ("Canton", [15, 16], (15, SURE)),
    ("Pasadena Playhouse", [1, 2], (1, GUESS)),
    # A missing value is none, unless an area says more.
    ("nan", [28], (0, NONE)), ("Nan", [28], (28, SURE)), ("NaN", [28], (0, NONE)),
])
def test_cities_and_areas_are_weighed_together(weighed, query, found, matched):
    assert [row.city["_id"] for row in weighed.find(query)] == found
    assert weighed.match(query) == matched


def test_only_two_letters_after_a_name_are_a_code():
    finder = Finder([
        record(1, "Boston", "GB", population=1_000, region_code="ENG"),
        record(2, "Lincoln", "GB", population=1_000, region_code="EN"),
    ])
    assert [finder.find(query)[0].score for query in ("Boston, ENG", "Lincoln, EN")] == [450, 150]


@pytest.mark.parametrize(("people", "certainty"), [(9_000_000, LIKELY), (90_000, SURE)])
def test_a_longer_name_outweighs_a_name_with_its_area_too(people, certainty):
    finder = Finder(
        [record(1, "Leh", "IN", population=30_870), record(2, "Leh India Gate", "IN", population=people)], AREAS)
    assert finder.match("Leh, India") == (1, certainty)


def test_an_area_that_is_meant_has_the_first_row_or_all_if_the_query_is_finished(weighed):
    assert [(row.city["_id"], row.by) for row in weighed.find("egypt")] == [(7, "area"), (8, "name")]
    assert [(row.city["_id"], row.by) for row in weighed.find("egypt", finished=True)] == [(7, "area")]
    assert [row.city["_id"] for row in weighed.find("egypt", near=(50, 2.5))] == [7, 8]
    assert [row.city["_id"] for row in weighed.find("mexico", finished=True)] == [21, 22]
    # Small letters may be the start of a word, and a condition says which area is meant.
    assert [row.by for row in weighed.find("nl")] == ["area"]
    assert weighed.match("Egypt", country="US") == (8, SURE)
    assert weighed.match("nan", country="TH") == (28, SURE)


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
    shared = {"congo": ["CD", "CG"], "korea": ["KP", "KR"], "virgin islands": ["VG", "VI"]}
    for name, codes in shared.items():
        assert [code for code, names in countries.items() if name in map(fold, names)] == codes
        assert name not in firsts
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
