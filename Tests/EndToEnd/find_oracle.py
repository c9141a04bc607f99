"""What `city.find` and `rule: place` must answer, worked out plainly from the shipped files.

Nothing here is taken from the product. The search is slow and short: every name of every city is folded once, and a
query looks at all the names that it can mean.
"""

import gzip
import json
import html
import math
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path

from oracle import BASE_LETTERS, distance, plain

# The score of a row, in hundredths of a power of ten of inhabitants: integers, so that every implementation agrees.
DECADE = 100
WHOLE = 100  # The query is the name, not only its start.
ALTERNATE = 300  # The query is a name that is not the title's, and that no language is known to use.
LANGUAGE = 4  # Each language that uses such a name for the city, which costs nothing then.
USED_NEAR = 100  # With `near`, a name in use costs this, and its languages do not count.
ALTERNATE_ALIKE = 200  # The query is the start of such a name, or is misspelt.
OF_COUNTRY = 100  # A city in the country whose title is the country's name.
WRITTEN_KIND = 200  # The advantage over a city whose title lacks the word for the kind of place in small letters.
QUALIFIED = 50  # The last words name the region or the country: the query says more than a bare name.
UNUSUAL_CODE = 300  # A word is the code of the city's region, and people of its country do not write such codes.
KIND_OF_PLACE = 200  # The word for the kind of place is left out.
EDIT = 100  # Each typing error.
EDIT_OF_START = 150  # A typing error in the start of a name.
SHORT, SHORT_LETTERS, SHORT_POPULATION = 300, 4, 30_000  # A short title that is all of the query.
CODE_FIRST = 2_000  # A code, if the query is three capitals.
LARGE = 500  # The least score of a name before a code that is not known.
MOST_FORMS, MOST_ADDRESS_WORDS, MOST_PERMUTED, LEAST_TYPED = 24, 12, 4, 4
# Of an address: the parts after commas, and the forms of each.
MOST_PARTS, MOST_PART_FORMS = 5, 4

MOST_EDITS = 2
LEAST_SHORTER = 4  # letters of a name without its last words

# An area is meant unless a city of the same name is large enough: in it, or anywhere.
SHARE_OF_LARGEST, LEAST_IN_REGION, LEAST_ELSEWHERE, UNDOUBTED_ELSEWHERE = 20, 20_000, 100_000, 1_000_000
LEAST_UNUSED = 15_000  # People of a city that is certain by a name that nobody is known to use.
LEAST_BESIDE_REGION = 5_000  # people of a city that may be meant by its title, too, if the area is a region
# Bytes of a key that may be the start of a word rather than an area, without and with small letters.
MOST_OF_NO_AREA, MOST_SMALL_OF_NO_AREA = 1, 3
CODE_LETTERS = 2  # of an area's code after a name

# The classes of `city.match`.
NONE, GUESS, LIKELY, SURE = range(4)
# How far the score of a city must exceed that of another one to be sure, by the kinds of their names.
MARGINS = {
    ("name", "name"): 50, ("name", "used"): 50, ("name", "alternate"): 150, ("name", "code"): 50,
    ("used", "name"): 200, ("used", "used"): 100, ("used", "alternate"): 400, ("used", "code"): 100,
    ("alternate", "name"): 200, ("alternate", "used"): 100, ("alternate", "alternate"): 150, ("alternate", "code"): 100,
    ("code", "name"): 200, ("code", "used"): 100, ("code", "alternate"): 400, ("code", "code"): 100,
}
WRITTEN_CODE = 200  # More than that, if the code is that of the other one's region, and people write it there.
# The countries whose people write the codes of regions or provinces after the names of cities.
WRITTEN = {"AR", "AU", "BR", "CA", "CH", "IN", "IT", "MX", "US"}
# The countries whose people write names in other letters than Latin ones, or in both.
NOT_LATIN = set(
    "AE AF AM BA BD BG BH BT BY CN CY DZ EG EH ER ET GE GR HK IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK LY MA MD"
    " ME MK MM MN MO MR MV NP OM PK PS QA RS RU SA SD SG SY TH TJ TM TN TW UA UZ YE".split())
# Cells without a value.
MISSING = {"nan", "NaN", "NaT", "None", "NULL", "null", "N/A", "n/a", "#N/A", "<NA>", "\\N", "-"}
# The countries that territories with a code of their own belong to.
SOVEREIGNS = {
    territory: country for country, territories in {
        "AU": "CC CX HM NF", "CN": "HK MO TW", "DK": "FO GL", "FI": "AX",
        "FR": "BL GF GP MF MQ NC PF PM RE TF WF YT", "GB": "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG", "IL": "PS",
        "NL": "AW BQ CW SX", "NO": "BV SJ", "NZ": "CK NU TK", "RS": "XK", "US": "AS GU MP PR UM VI",
    }.items() for territory in territories.split()}

# The place that one is in: metres of reach, those for each unit of weight, and the most; beyond its reach a place
# counts little. A large city counts half as much again within a kilometre of its centre.
BASE_REACH, REACH, MOST_REACH, UNKNOWN_POPULATION = 2_500, 50, 12_000, 500
CORE, CORE_POPULATION = 1_000, 50_000

# What a row's distance to `near` costs: this for ten times the distance, from about here on.
NEAR, NEARBY = 100, 10_000

# The letters on the keys of an American keyboard. Greek has its accent before the letter, as a dead key.
KEYBOARDS = [
    ("qwertyuiop[]asdfghjkl;'zxcvbnm,.`", "йцукенгшщзхъфывапролджэячсмитьбюё"),
    ("ertyuiopasdfghjklzxcvbnmw;", "ερτυθιοπασδφγηξκλζχψωβνμς'")]
README = Path(__file__).resolve().parents[2] / "Protocol" / "README.md"
LATIN, CHINESE = (README.parents[1] / "contrib" / "data" / name for name in ("latin.tsv", "chinese.tsv"))
VOWELS = tuple("aeiou")
LEAST_LATIN, MOST_LATIN = 5, 64  # letters of a key in Latin ones, and of one that is written in them

CODE = re.compile("[A-Z]{2,4}")
APOSTROPHES = "'’‘ʻʼʹ`´′״׳"
DROPPED = str.maketrans(dict.fromkeys(APOSTROPHES + ".・"))
# The same letter on the keyboards of Arabic, Persian and Urdu.
ARABIC_LETTERS = str.maketrans(
    "\u06CC\u0649\u06A9\u06D5\u0629\u06BE\u06C1", "\u064A\u064A\u0643\u0647\u0647\u0647\u0647")


# Blocks with the marks that readers regard as optional: accents of Latin, Greek and Cyrillic, points of Hebrew, Arabic,
# Syriac and Samaritan, and selectors of variants. All other marks carry sound.
OPTIONAL_MARKS = [
    (0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE2F), (0x483, 0x489),
    (0x2DE0, 0x2DFF), (0xA66F, 0xA69F), (0x591, 0x5C7), (0xFB1E, 0xFB1E), (0x610, 0x61A), (0x64B, 0x65F),
    (0x670, 0x670), (0x6D6, 0x6ED), (0x898, 0x8FF), (0x711, 0x711), (0x730, 0x74A), (0x816, 0x82D),
    (0x180B, 0x180F), (0xE0100, 0xE01EF), (0x302A, 0x302F)]


def is_optional(mark):
    return any(first <= ord(mark) <= last for first, last in OPTIONAL_MARKS)


def fold(text):
    """The search key of a name or a query: words of base letters and digits, one space between them."""
    return " ".join(words_and_spaces(text).split())


def ends_word(text):
    """Whether something that separates words, such as a space, follows the last word of a query."""
    return words_and_spaces(text)[-1:] == " "


def words_and_spaces(text):
    """The letters and digits of a text without optional marks, and a space for each character that separates words."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(BASE_LETTERS)
    kept = []
    for character in text.translate(ARABIC_LETTERS).translate(DROPPED):
        category = unicodedata.category(character)
        if category == "Cf" or category[0] == "M" and is_optional(character):
            continue
        kept.append(character if category[0] in "LNM" else " ")
    return "".join(kept)


def allowed_edits(query, name):
    """Typing errors between two keys, by the longer one: a letter may be missing in either."""
    letters = max(len(key.replace(" ", "")) for key in (query, name))
    return 0 if letters < 5 else 1 if letters < 9 else MOST_EDITS


def edits(left, right, limit):
    """The optimal string alignment distance of two keys, or `limit` + 1 if it is larger."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before, last = None, list(range(len(right) + 1))
    for row, a in enumerate(left, 1):
        current = [row]
        for column, b in enumerate(right, 1):
            cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (a != b))
            if row > 1 and column > 1 and a == right[column - 2] and left[row - 2] == b:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, last = last, current
    return min(last[-1], limit + 1)


def is_one_edit(left, right):
    """Whether the distance of two keys is 1 at most; faster than `edits`."""
    at = 0
    while at < min(len(left), len(right)) and left[at] == right[at]:
        at += 1
    one, other = left[at:], right[at:]
    return one[1:] == other[1:] or one[1:] == other or one == other[1:] or (
        one[:2] == other[1::-1] and one[2:] == other[2:])


@dataclass
class Row:
    """A city that was found."""

    city: dict
    score: int
    by: str  # "name", "alternate", "code", "area" or "typo"
    matched: str  # the name that matched


@dataclass
class Hit:
    """A name that fits a query, and the city that has it."""

    position: int
    score: int
    kind: str  # "name", "used", "alternate" or "code"
    name: str
    key: str
    words: int  # words of the query that are the name
    is_whole: bool  # the name is the whole query
    misspelt: object = 0  # the number of errors, or "start"
    written: bool = False  # the code of the city's region follows, as people write it there

    def rank(self):
        """Of equal hits of a city the title's is shown, then that of more words, then the first in order."""
        return -self.score, self.kind != "name", -self.words, self.key


@dataclass
class Asked:
    """What counts beside the words of a query."""

    wanted: object  # whether a city lies where the request wants it
    is_narrowed: bool
    near: tuple | None
    prefers_short: bool
    code_points: int | None  # of a city's code; none if small letters mean no code
    countries: set = frozenset()  # the countries that the whole query names


class Finder:
    """The names of a list, ready to be searched."""

    def __init__(self, cities, names=None):
        self.cities = cities
        self.weights = [math.floor(DECADE * math.log10(max(city.get("population", 0), 1))) for city in cities]
        self.entries = defaultdict(dict)  # key -> city's position -> (by, name)
        self.languages = {}  # (key, city's position) -> languages that use that name, if it is in use
        self.places = defaultdict(set)  # key -> codes of countries ("EE"), regions ("EE.01") and counties ("IT.16.SI")
        self.counties = {county_of(city) for city in cities if "county_code" in city}
        for position, city in enumerate(cities):
            self._add_names(position, city)
            self._add_places(city)
        codes = {fold(city["country"]) for city in cities}
        for kind in ("countries", "regions"):
            for code, called in (names or {}).get(kind, {}).items():
                # A name that is the code of another country is left out, and so is a number.
                for key in names_besides(code, called):
                    if not key.isdigit() and (kind == "regions" or key not in codes):
                        self.places[key].add(code)
        self._add_counties((names or {}).get("counties", {}))
        self.shown = {region_of(city): city["region"].casefold() for city in cities if "region" in city}
        self.shown |= {code: called[0].casefold() for code, called in (names or {}).get("regions", {}).items()}
        self.largest = {}  # country -> people of its largest city
        for city in cities:
            self.largest[city["country"]] = max(people(city), self.largest.get(city["country"], 0))
        self.keys = sorted(self.entries)
        self.place_keys = sorted(self.places)
        self.alike = defaultdict(list)  # (first letter, length) -> keys
        self.tails = defaultdict(list)  # all but the first letter -> keys
        self.starts = {}  # (first letter, length) -> starts of keys
        for key in self.keys:
            self.alike[key[:1], len(key)].append(key)
            self.tails[key[1:]].append(key)
        self.addresses, self.postal, self.kinds = address_rules(), address_rules("postal code"), kind_words()

        self.cells = defaultdict(list)  # whole degrees -> cities
        for city in cities:
            self.cells[math.floor(city["coord"]["lat"]), math.floor(city["coord"]["lon"])].append(city)

    @classmethod
    def shipped(cls, folder):
        """The list in contrib/data."""
        with gzip.open(folder / "cities.json.gz") as cities, gzip.open(folder / "names.json.gz") as names:
            return cls(json.load(cities), json.load(names))

    def _add_names(self, position, city):
        named = [("name", city["name"])]
        named += [("code" if CODE.fullmatch(name) else "alternate", name) for name in city.get("alternatenames", [])]
        used = city.get("languages", {})
        for by, name in sorted(named, key=lambda pair: spelling_order(pair, used)):
            key = fold(name)
            if key and position not in self.entries[key]:
                self.entries[key][position] = ("alternate" if name in used else by, name)
                if by != "name" and name in used:
                    self.languages[key, position] = used[name]

    def _add_places(self, city):
        if is_word(city["country"]):
            self.places[fold(city["country"])].add(city["country"])
        if "region" in city:
            self.places[fold(city["region"])].add(region_of(city))
        code = city.get("region_code", "")
        if is_word(code):
            self.places[fold(code)].add(region_of(city))

    def _add_counties(self, names):
        """Adds the names and codes of counties that no region of their country has."""
        known = {(key, code.partition(".")[0]) for key, codes in self.places.items() for code in codes if "." in code}
        for county in sorted(self.counties):
            country, code = county.partition(".")[0], county.rpartition(".")[2]
            words = [code] if is_word(code) else []
            for key in {*names_besides(county, names.get(county, [])), *map(fold, words)}:
                if not key.isdigit() and (key, country) not in known:
                    self.places[key].add(county)

    def around(self, lat, lon):
        """Pairs of metres and city, the nearest first: all within a degree of latitude, or more where that is empty."""
        for ring in range(1, 181):
            width = min(180, math.ceil(ring / max(math.cos(math.radians(min(90, abs(lat) + ring))), 1e-3)))
            columns = {(math.floor(lon) + step + 180) % 360 - 180 for step in range(-width, width + 1)}
            rows = range(math.floor(lat) - ring, math.floor(lat) + ring + 1)
            found = [city for row in rows for column in columns for city in self.cells.get((row, column), ())]
            if found:
                return sorted(((distance(lat, lon, city["coord"]), city) for city in found),
                              key=lambda pair: (pair[0], pair[1]["_id"]))
        return []

    def nearest(self, lat, lon):
        """The id of the nearest place."""
        return self.around(lat, lon)[0][1]["_id"]

    def place(self, lat, lon):
        """The id of the place that one is in: people against distance."""
        def worth(metres, city):
            people = city.get("population", UNKNOWN_POPULATION)
            weight = people ** 0.375
            factor = 1.5 if metres <= CORE and people >= CORE_POPULATION else 1
            return factor * weight / (1 + (metres / min(BASE_REACH + REACH * weight, MOST_REACH)) ** 2)
        return max(self.around(lat, lon), key=lambda neighbour: worth(*neighbour))[1]["_id"]

    def find(self, query, limit=10, country=None, near=None, typos=True, region=None, finished=False, keyboards=True):
        """The best rows for a query, best first; `country` is a code, `region` a name or a code.

        If the query is `finished` and means an area, all rows are its cities.
        """
        asked = self._asked(query, country, near, region)
        rows = next(filter(None, self._attempts(query, asked, typos, finished, keyboards)), [])
        return sorted(rows, key=lambda row: order(row, near))[:limit]

    def match(self, text, country=None, region=None, typos=True):
        """The id of the city that a finished text means, or 0, and the class of `city.match`."""
        words = fold(text).split()
        if not words or is_number(text) or text in MISSING and not (country or region):
            return 0, NONE
        asked = self._asked(text, country, None, region)
        hits = list(self._hits([words], asked, self._whole))
        named = self._area_of_query(words, asked)
        if named and not hits:
            return 0, NONE
        if not hits and "".join(words).isdecimal():
            return 0, NONE
        if not hits:
            rows = self.find(text, 1, country, None, typos, region, True, False)
            return (0, NONE) if not rows or rows[0].by == "area" else (rows[0].city["_id"], GUESS)
        first = self._first(hits)
        if area := self._means_area(words, asked, hits):
            return (self.cities[first.position]["_id"], LIKELY) if self._may_be_meant(first, area) else (0, NONE)
        if namesake := self._larger_namesake(words, asked, first):
            return namesake["_id"], GUESS
        is_sure = self._is_clear(first, hits) and not self._is_doubtful(first, named)
        is_sure &= not self._is_outweighed(words, asked, first) and not "".join(words).isdecimal()
        is_sure &= not self._may_lack_kind(text, words, asked, first)
        return self.cities[first.position]["_id"], SURE if is_sure else LIKELY

    def _larger_namesake(self, words, asked, first):
        """The largest city with the title of `first` that is larger, if the text is a name in another script of a
        city where people write Latin letters: the list has many a translated name for one of several cities only. A
        name of more words than the title may say which one is meant.
        """
        city = self.cities[first.position]
        if first.kind == "name" or words[0] < "\u0370" or city["country"] in NOT_LATIN:
            return None
        title = fold(city["name"]).split()
        if first.words > len(title):
            return None
        hits = self._hits([title + words[first.words:]], asked, self._whole)
        larger = [
            hit for hit in hits if hit.kind == "name" and hit.words == len(title)
            and people(self.cities[hit.position]) > people(city)]
        return self.cities[self._first(larger).position] if larger else None

    def _is_clear(self, first, hits):
        """Whether a city exceeds all others with that name by the margin."""
        others = [hit for hit in hits if hit.position != first.position]
        if first.kind == "alternate" and people(self.cities[first.position]) < LEAST_UNUSED:
            # Of several towns that are called so, the list may have this name for one only.
            return False
        return all(
            first.score - hit.score
            >= MARGINS[first.kind, hit.kind] + WRITTEN_CODE * (hit.written and not first.written) for hit in others)

    def _is_doubtful(self, first, named):
        """Whether the area that has the name is hardly less known than a city elsewhere."""
        city = self.cities[first.position]
        if not named or first.kind == "code" or named & around_city(city):
            return False
        if not countries(named):
            return people(city) < UNDOUBTED_ELSEWHERE
        return first.kind != "name" or people(city) < max(self.largest.get(code, 0) for code in countries(named))

    def _may_lack_kind(self, text, words, asked, first):
        """Whether the name's last word may say what kind of place it is: `Clay city, KY` is Clay."""
        name = words[:first.words]
        if not re.match("[A-Z].* [a-z]", text, re.DOTALL) or len(name) < 2 or name[-1] not in self.kinds:
            return False
        others = self._hits([name[:-1] + words[first.words:]], asked, self._whole)
        return any(
            other.kind == "name" and other.words == len(name) - 1 and other.position != first.position
            and first.score - other.score < WRITTEN_KIND for other in others)

    def _may_be_meant(self, first, area):
        """Whether a city may be meant besides the area: that is a region, and the city has the name as its title."""
        is_large = people(self.cities[first.position]) >= LEAST_BESIDE_REGION
        return is_large and first.kind == "name" and not countries(area)

    def _is_outweighed(self, words, asked, first):
        """Whether `find` lists another city before it, whose name starts with the whole text."""
        key = " ".join(words)
        return any(
            hit.key != key and hit.is_whole and hit.position != first.position and hit.score >= first.score
            for hit in self._hits([words], asked, self._whole_and_prefix))

    def _asked(self, query, country, near, region):
        # Other letters than capitals mean no code, three capitals first of all one.
        is_code = not re.search("[a-z]|[^\0-\x7f]", query)
        code_points = CODE_FIRST * bool(re.fullmatch("[A-Z]{3}", query)) if is_code else None
        asked = Asked(
            self._wanted(country, region), bool(country or region), near, near is None and not ends_word(query),
            code_points)
        asked.countries = countries(self._area_of_query(fold(query).split(), asked))
        return asked

    def _attempts(self, query, asked, typos, finished, keyboards):
        """The rows of each attempt, in the order of the table in Protocol/README.md."""
        words = fold(query).split()
        if not words or is_number(query):
            return

        def hits(forms, search, named=self._named, cost=0):
            return list(self._hits(forms, asked, search, named, cost))

        def rows(forms, search, named=self._named):
            return self._rows(hits(forms, search, named))
        if ends_word(query):
            yield self._with_area(words, asked, hits([words], self._whole_and_longer), finished)
        yield self._with_area(words, asked, hits([words], self._whole_and_prefix), finished)
        yield self._cities_of(self._named(" ".join(words)) or self._area_within(words, True), asked)
        yield self._rows([hit for hit in hits([words], self._longer) if not hit.is_whole])
        yield rows(self._cities(self._without_postal_code(words), asked), self._whole)
        yield rows(self._cities(self._addresses(words), asked), self._whole_and_prefix)
        plain = without_references(query)
        forms = [fold(plain)] if plain else chinese_forms(" ".join(words))
        yield rows([form.split() for form in forms], self._whole_and_prefix)
        yield rows(orders(words), self._whole)
        yield rows([words], self._whole, self._named_from_start)
        if not typos:
            return
        if known := self._without_country_or_code(words):
            yield [row for row in rows([known], self._whole) if order(row, asked.near)[0] <= -LARGE]
        kinds = self._without_kind(words)
        without_kind = next(filter(None, (hits([form], self._whole, cost=KIND_OF_PLACE) for form in kinds)), [])
        yield self._rows(without_kind + hits([words], self._misspelt))
        yield rows([words], self._misspelt_first)
        yield rows(kinds[:1], self._misspelt)
        yield rows(kinds[:1], self._misspelt_first)
        is_text = " ".join(words).isascii() and not re.search(r"\d", " ".join(words))
        for form in self._cities((divisions(" ".join(words)) + self._after_commas(query))[:MOST_FORMS], asked):
            found = rows([form], self._whole)
            yield [row for row in found if order(row, asked.near)[0] <= -LARGE] if is_text else found
        for form in self._shorter(words):
            yield rows([form], self._whole)
        for form in other_keyboards(query) if keyboards else []:
            yield rows([fold(form).split()], self._whole_and_prefix)
        forms = [form.split() for form in latin_forms(" ".join(words))]
        for form in forms:
            yield rows([form], self._whole_and_prefix)
        yield rows(forms[:1], self._misspelt)
        yield rows(forms[:1], self._misspelt_first)

    # Areas that are meant.

    def _with_area(self, words, asked, hits, finished):
        """The rows of a name; if it rather means an area, its largest city comes first, or all are its cities."""
        rows = self._rows(hits)
        area = self._means_area(words, asked, hits)
        if not area:
            return rows
        cities = self._cities_of(area, asked)
        if finished:
            return cities
        largest = min(cities, key=lambda row: order(row, None))
        largest.score = math.inf
        return [largest, *(row for row in rows if row.city is not largest.city)]

    def _means_area(self, words, asked, hits):
        """The area that a query means rather than one of the cities that are called so; none if it means a city."""
        if not hits or asked.is_narrowed:
            return set()
        if named := self._area_of_query(words, asked):
            key = " ".join(words)
            called = [hit for hit in hits if hit.key == key]
            return set() if any(self._is_meant(hit, named, asked) for hit in called) else named
        area = self._area_within(words, False)
        if not area:
            return set()
        first = self._first(hits, asked.near)
        return set() if first.is_whole or self._is_meant(first, area, asked) else area

    def _is_meant(self, hit, area, asked):
        """Whether a city with the name of an area is large enough to be meant."""
        city = self.cities[hit.position]
        shares = [self.largest.get(code, 0) // SHARE_OF_LARGEST for code in countries(area)]
        least = max(shares, default=LEAST_IN_REGION)
        if area & around_city(city) and (hit.kind == "name" or people(city) >= least):
            return True
        if hit.kind == "code":
            return asked.code_points == CODE_FIRST
        return hit.kind != "alternate" and people(city) >= LEAST_ELSEWHERE

    def _area_of_query(self, words, asked):
        """The countries and regions that the whole query names; a short one may be the start of a word, as may an
        abbreviation of a region that its name starts with.
        """
        key = " ".join(words)
        most = MOST_SMALL_OF_NO_AREA if asked.code_points is None else MOST_OF_NO_AREA
        if asked.is_narrowed or len(key.encode()) <= most:
            return set()
        named = self._named(key) - self.counties
        if asked.code_points is not None:
            return named
        shown = {code: self.shown.get(code, "") for code in named}
        return {code for code, name in shown.items() if len(name) < len(key) + 3 or not name.startswith(key)}

    def _area_within(self, words, with_counties):
        """The regions, or also counties, that the first words name in the area that the others name."""
        for count in range(len(words) - 1, 0, -1):
            outer = self._named(" ".join(words[count:]))
            found = {
                code for code in self._named(" ".join(words[:count]))
                if "." in code and (with_counties or code not in self.counties) and outer & set(outer_areas(code))}
            if found:
                return found
        return set()

    def _area_words(self, words):
        """How many of the last words name a country, a region, or an area with another one around it."""
        for count in range(1, len(words)):
            last = words[count:]
            if self._named(" ".join(last)) - self.counties or self._area_within(last, True):
                return len(last)
        return 0

    def _country_words(self, words):
        """How many of the last words name a country, at most."""
        return next((len(words) - count for count in range(1, len(words))
                     if countries(self._named(" ".join(words[count:])))), 0)

    def _area_stays(self, words):
        """Whether the last words name a state or province, and no country, that people write after the names of cities.
        """
        last = words[len(words) - self._area_words(words):]
        meant = (self._named(" ".join(last)) - self.counties) or self._area_within(last, True)
        return not self._country_words(words) and any(code.partition(".")[0] in WRITTEN for code in meant)

    def _cities_of(self, area, asked):
        """The cities of an area; those of a territory are not among those of the country that it belongs to."""
        around = {code.partition(".")[0] for code in area}
        return [
            Row(city, self.weights[position], "area", city["name"]) for position, city in enumerate(self.cities)
            if city["country"] in around and area & areas_of(city) and asked.wanted(city)]

    # Other forms of a query.

    def _without_country_or_code(self, words):
        """The words without a country at the end, or else without a last one of two letters; none if there is neither.
        """
        is_code = len(words) > 1 and len(words[-1]) == CODE_LETTERS
        left_out = self._country_words(words) or int(is_code)
        return words[:-left_out] if left_out else []

    def _without_kind(self, words):
        """The words without one for the kind of place, at the end of the name or at its start."""
        count = len(words) - self._area_words(words)
        name, areas = words[:count], words[count:]
        if len(name) < 2:
            return []
        return [name[:-1] + areas] * (name[-1] in self.kinds) + [name[1:] + areas] * (name[0] in self.kinds)

    def _shorter(self, words):
        """The words without the last ones of the name, as few as possible, but with the areas; then, unless a state or
        province stays, without the last words of all: the list may have the city in another country, or lack the area.
        """
        whole = len(words) - self._area_words(words)
        cuts = [(count, words[whole:]) for count in range(whole - 1, 0, -1)]
        if whole < len(words) and not self._area_stays(words):
            cuts += [(count, []) for count in range(len(words) - 1, 0, -1)]
        kept = []
        for count, areas in cuts:
            name = "".join(words[:count])
            if not name.isnumeric() and (len(name) >= LEAST_SHORTER or not name.isascii()):
                kept.append(words[:count] + areas)
        return kept[:MOST_FORMS]

    def _cities(self, forms, asked):
        """The forms that do not name a country or region rather than a city."""
        kept = []
        for form in forms:
            area, key = self._area_of_query(form, asked), " ".join(form)
            called = [hit for hit in self._hits([form], asked, self._whole) if hit.key == key] if area else []
            if not area or any(self._is_meant(hit, area, asked) for hit in called):
                kept.append(form)
        return kept

    def _without_postal_code(self, words):
        """The words without a postal code, by each rule that matches."""
        found = []
        if 2 <= len(words) <= MOST_ADDRESS_WORDS:
            for pattern, _ in self.postal:
                if match := re.fullmatch(pattern, "".join(f" {word}" for word in words)):
                    found.append("".join(match.groups()).split())
        return [form for form in found if form]

    def _addresses(self, words, count=MOST_FORMS):
        """The words without the marks of an address: each rule in turn is applied to each form."""
        if not 2 <= len(words) <= MOST_ADDRESS_WORDS:
            return []
        forms = [words]
        for form in forms:
            if len(forms) >= count:
                break
            for pattern, meaning in self.addresses:
                if match := re.fullmatch(pattern, "".join(f" {word}" for word in form)):
                    found = list(match.groups())
                    words = "".join(found.pop(0) if word == "*" else f" {word}" for word in meaning).split()
                    if words and words not in forms:
                        forms.append(words)
        return forms[1:count]

    def _after_commas(self, query):
        """The words after each comma, without postal codes, then by the rules for addresses."""
        parts = [part for part in query.split(",") if part]
        last = parts[1:][-MOST_PARTS:]
        if not last:
            return []
        is_reversed = len(re.findall("[0-9]", parts[0])) >= 5 and not re.search("[A-Za-z]|[^\0-\x7f]", parts[0])
        forms = []
        for text in last if is_reversed else [",".join(last[first:]) for first in range(len(last))]:
            words = fold(text).split()
            bare = [word for word in words if not re.fullmatch("[0-9]{3,}", word) and not is_code(word)]
            for form in [bare, *self._addresses(words, MOST_PART_FORMS)]:
                if form and form not in forms:
                    forms.append(form)
        return forms

    def _wanted(self, country, region):
        """Whether a city lies where the request wants it."""
        regions = {code for code in self.places.get(fold(region or ""), ()) if "." in code}
        if country:
            regions = {code for code in regions if code.startswith(f"{country}.")} or {f"{country}.{region}"}
        return lambda city: (not country or city["country"] == country) and (not region or regions & areas_of(city))

    def _rows(self, hits):
        """The row of each city, by its best hit."""
        best = {}
        for hit in hits:
            if hit.position not in best or hit.rank() < best[hit.position].rank():
                best[hit.position] = hit
        return [self._row(hit) for hit in best.values()]

    def _first(self, hits, near=None):
        """The hit of the first row."""
        return min(hits, key=lambda hit: (order(self._row(hit), near), hit.rank()))

    def _row(self, hit):
        by = "typo" if hit.misspelt else "alternate" if hit.kind == "used" else hit.kind
        return Row(self.cities[hit.position], hit.score, by, hit.name)

    def _hits(self, forms, asked, search, named=None, cost=0):
        """The names that fit a reading of the words of a form: the last ones may name a region or a country."""
        for words, count in ((words, count) for words in forms for count in range(1, len(words) + 1)):
            readings = self._readings(words[count:], named or self._named)
            called, alone = " ".join(words[:count]), count == len(words)
            for position, key, misspelt in search(called, alone) if readings else []:
                city = self.cities[position]
                fitting = readings if alone else [reading for reading in readings if lies_in(city, reading)]
                if not fitting or not asked.wanted(city):
                    continue
                by, name = self.entries[key][position]
                exact = key == called
                languages = self.languages.get((key, position), 0)
                kind = "used" if languages else by
                if kind == "code" and (not exact or asked.code_points is None):
                    continue
                score = self.weights[position] + QUALIFIED * (not alone) - cost
                score -= EDIT_OF_START if misspelt == "start" else EDIT * misspelt
                score += WHOLE * (exact or misspelt not in (0, "start"))
                if (asked.prefers_short and exact and kind in ("name", "used") and alone
                        and len(called) <= SHORT_LETTERS and people(city) >= SHORT_POPULATION):
                    score += SHORT
                is_title = alone and exact and kind == "name" and asked.near is None
                if is_title and asked.countries & {city["country"], sovereign(city)}:
                    score += OF_COUNTRY
                if kind == "code":
                    score += asked.code_points
                if kind != "name" and not exact:
                    score -= ALTERNATE_ALIKE
                elif kind == "used":
                    score += LANGUAGE * languages if asked.near is None else -USED_NEAR
                elif kind != "name":
                    score -= ALTERNATE
                for reading in fitting:
                    use = self._use_of_code(city, reading)
                    penalty = UNUSUAL_CODE * (use == "unusual")
                    yield Hit(
                        position, score - penalty, kind, name, key, count, alone, misspelt, use == "written")

    def _use_of_code(self, city, reading):
        """Whether two letters in a reading name the city's region or county, as people write it there or not."""
        for key, areas in reading:
            # The start of an area's name does not count as a code.
            is_code = len(key.encode()) == CODE_LETTERS and areas == self._named(key)
            if is_code and not areas & {city["country"], sovereign(city)}:
                return "written" if city["country"] in WRITTEN else "unusual"
        return None

    def _readings(self, words, named):
        """What the words can name: lists of at most two areas, all of which a city must lie in; each has its key and
        the codes of its meanings.
        """
        if not words:
            return [[]]

        def area(first, end, is_last):
            key = " ".join(words[first:end])
            return key, named(key, is_last)
        readings = [[area(0, len(words), True)]]
        readings += [[area(0, cut, False), area(cut, len(words), True)] for cut in range(1, len(words))]
        return [reading for reading in readings if all(areas for _, areas in reading)]

    def _named(self, key, _=True):
        """The codes of the countries, regions and counties of this name."""
        return self.places.get(key, set())

    def _named_from_start(self, key, last):
        """The codes of the countries and regions of this name; for the last words, of names that begin with them."""
        if not last:
            return self._named(key, last)
        return set().union(*(self.places[longer] for longer in starting_with(key, self.place_keys))) - self.counties

    # Hits of a name: (position, key, edits).

    def _whole(self, key, _):
        return [(position, key, 0) for position in self.entries.get(key, ())]

    def _whole_and_prefix(self, key, alone):
        """Beside a region or a country only whole names count."""
        if not alone:
            return self._whole(key, alone)
        longer = starting_with(key, self.keys)
        return [(position, found, 0) for found in longer for position in self.entries[found]]

    def _whole_and_longer(self, key, alone):
        """After a word that has ended, only whole names and those that go on with another word count."""
        found = self._whole(key, alone)
        if alone:
            found += self._longer(key, alone)
        return found

    def _longer(self, key, _):
        longer = starting_with(f"{key} ", self.keys)
        return [(position, found, 0) for found in longer for position in self.entries[found]]

    def _misspelt(self, key, alone):
        if alone and allowed_edits(key, "") and not re.search("[0-9]", key):
            for length in range(len(key) - 1, len(key) + 2):
                for start in self._starts(key[:1], length):
                    if is_one_edit(key, start):
                        longer = starting_with(start, self.keys)
                        yield from ((position, found, "start") for found in longer for position in self.entries[found])
        for length in range(len(key) - MOST_EDITS, len(key) + MOST_EDITS + 1):
            for found in self.alike[key[:1], length]:
                limit = allowed_edits(key, found)
                count = edits(key, found, limit)
                if count <= limit and (count == 0 or digits(key) == digits(found)):
                    yield from ((position, found, count) for position in self.entries[found])


    def _starts(self, first, length):
        """The first letters of all keys that start with a letter."""
        if (first, length) not in self.starts:
            self.starts[first, length] = {key[:length] for key in starting_with(first, self.keys) if len(key) >= length}
        return self.starts[first, length]

    def _misspelt_first(self, key, _):
        """The first letter wrong, too many, too few, or swapped with the next."""
        alike = {*self.tails[key[1:]], *self.tails[key], key[1:], key[1:2] + key[:1] + key[2:]}
        for found in alike:
            if found[:1] != key[:1] and allowed_edits(key, found) and digits(key) == digits(found):
                yield from ((position, found, 1) for position in self.entries.get(found, ()))


def is_code(word):
    return re.fullmatch("(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{2,7}", word) is not None


def digits(key):
    return re.sub("[^0-9]", "", key)


def is_number(query):
    """Whether a query is a number with a sign."""
    return re.fullmatch(r" *[-+\u2212](?=.*\d)[\d ,.]+", query) is not None


def kind_words():
    """The words for kinds of places in Protocol/README.md."""
    text = re.search(r"^Words for the kind of a place: (.*?)\.$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return set(re.findall("`([^`]*)`", text[1]))


SIGNS = {
    "*": r"((?: \S+)*?)", "#": r" [0-9]+", "####": r" [0-9]{4}", "&&": r" [a-z]{2}",
    "?": r" (?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{2,7}", "@": r" (?=[a-z]+[0-9])[0-9a-z]{2,7}"}


def address_rules(use=""):
    """(pattern, words of the meaning) by the table in Protocol/README.md, of rules whose use is that."""
    rules = []
    table = re.compile(r"^\| `([^`]*[*][^`]*)` \| (`[^|]*`) \|([^|]*)\|", re.MULTILINE)
    for pattern, meanings, used in table.findall(README.read_text("utf-8")):
        if use in used:
            parts = [SIGNS.get(word) or f" (?:{word.replace('/', '|')})" for word in pattern.split()]
            rules += [("".join(parts), meaning.split()) for meaning in re.findall("`([^`]*)`", meanings)]
    return rules


CITIES, DIVISIONS = set("市시"), set("市시省州县縣区區旗都道府県郡町村도군구읍면")


def divisions(key):
    """The words of forms for the city of an address that is written from the large to the small."""
    if len(key) > MOST_LATIN or not any(letter >= "\u3000" for letter in key):
        return []
    parts, part = [], ""
    for letter in key.replace(" ", ""):
        # The second of two equal ends, as in 四日市市, belongs to the name before it.
        if not part and parts and letter in DIVISIONS and letter == parts[-1][-1]:
            parts[-1] += letter
            continue
        part += letter
        if letter in DIVISIONS and len(part) > 1:
            parts, part = [*parts, part], ""
    if not parts:
        return []
    city = next((part for part in reversed(parts) if part[-1] in CITIES), parts[-1])
    names = [name for name in (city, city[:-1]) if len(name) > 1 or len(parts) == 1]
    forms = [form for name in names for form in ([f"{name} {parts[0]}"] if parts[0] != city else []) + [name]]
    return [form.split() for form in forms if form != key]


def without_references(query):
    """The text without the character references of HTML, marks on letters included; None if it has none."""
    plain = re.sub(r"&([#0-9A-Za-z]{1,9});", character, query)
    return plain if plain != query else None


def character(reference):
    name = reference[1]
    marked = re.fullmatch("([A-Za-z])(acute|grave|circ|uml|tilde|cedil|ring|caron|slash)", name)
    return marked[1] if marked else html.unescape(reference[0])


def orders(words):
    """The words in every other order; more than a few are rotated."""
    if len(words) > MOST_PERMUTED:
        return [words[at:] + words[:at] for at in range(1, len(words))][:MOST_FORMS]
    return [list(form) for form in permutations(words)][1:]


def other_keyboards(typed):
    """The text with the letters that are on the same keys of another keyboard, if all are."""
    typed = typed.lower()
    for american, other in KEYBOARDS if len(typed) >= LEAST_TYPED else []:
        for keys in (zip(american, other, strict=True), zip(other, american, strict=True)):
            letters = dict(keys) | {" ": " ", "-": "-"}
            if all(letter in letters for letter in typed):
                yield "".join(map(letters.get, typed))


@cache
def chinese_characters():
    """The simplified and the traditional form of Chinese characters."""
    lines = CHINESE.read_text("utf-8").splitlines()
    return {character: forms for character, *forms in (line.split("\t") for line in lines)}


def chinese_forms(key):
    """The key in simplified and in traditional Chinese characters, as far as it is not so already."""
    if key.isascii() or len(key) > MOST_LATIN:
        return []
    known = chinese_characters()
    forms = ["".join(known.get(letter, letter * 2)[number] for letter in key) for number in (0, 1)]
    return [form for form in dict.fromkeys(forms) if form != key]


@cache
def latin_letters():
    """The Latin spelling of one to three letters of other scripts."""
    return dict(line.split("\t") for line in LATIN.read_text("utf-8").splitlines())


def latin_forms(key):
    """The key in Latin letters, first without the vowels that are silent; none if it has only Latin letters."""
    if key.isascii() or len(key) > MOST_LATIN:
        return []
    forms = [" ".join(latin_word(word, shortened) for word in key.split()) for shortened in (True, False)]
    is_short = len(forms[0].replace(" ", "")) < LEAST_LATIN
    return [] if is_short or forms[0] == key else list(dict.fromkeys(forms))


def latin_word(word, shortened):
    """A word in Latin letters; shortened, northern scripts of India lose the vowels that are silent."""
    is_northern = any(0x900 <= ord(letter) < 0xB80 for letter in word)
    pieces = []  # of Latin letters, and whether the last one is the vowel that a consonant has without a sign
    while word:
        taken = next((word[:n] for n in (3, 2, 1) if word[:n] in latin_letters()), word[0])
        latin = latin_letters().get(taken, taken)
        word = word[len(taken):]
        if latin.startswith("-"):
            before = pieces.pop()[0][:-1] if pieces and pieces[-1][1] else ""
            pieces.append((before + latin[1:], False))
        else:
            inherent = len(taken) == 1 and 0x900 <= ord(taken) < 0xE00 and len(latin) > 1 and latin.endswith("a")
            pieces.append((latin, inherent))
    if shortened and is_northern and pieces:
        if pieces[-1][1] and any(latin.endswith(VOWELS) for latin, _ in pieces[:-1]):
            pieces[-1] = (pieces[-1][0][:-1], False)
        for at in range(len(pieces) - 2, 0, -1):
            before, after = pieces[at - 1][0], pieces[at + 1][0]
            if (pieces[at][1] and before.endswith(VOWELS) and after and not after.startswith(VOWELS)
                    and after.endswith(VOWELS)):
                pieces[at] = (pieces[at][0][:-1], False)
    return "".join(latin for latin, _ in pieces)


def spelling_order(named, used):
    """Of several spellings with one key the title's is shown, one in use, a code, else the one that keeps most accents,
    the shortest.
    """
    by, name = named
    size = len(name.encode())
    kind = ("name", "code", "alternate").index(by)
    return by != "name", -used.get(name, 0), kind, -sum(byte >= 0x80 for byte in name.encode()), size


def is_word(code):
    """Whether the code of an area is a word of a query: neither a number nor a single letter."""
    return len(code) > 1 and not code.isdigit()


def names_besides(area, called):
    """The keys of an area's names, without its code unless that is a word of a query."""
    code = area.rpartition(".")[2]
    return {fold(name) for name in called} - (set() if is_word(code) else {fold(code)})


def region_of(city):
    """The code of a city's region, or its name where the list has no codes; both are unique within the country."""
    return f"{city['country']}.{city.get('region_code') or city.get('region', '')}"


def county_of(city):
    """The code of a city's county, which is unique."""
    return f"{region_of(city)}.{city['county_code']}"


def areas_of(city):
    """The codes of the country, the region and the county of a city."""
    return {city["country"], region_of(city)} | ({county_of(city)} if "county_code" in city else set())


def around_city(city):
    """The areas of a city, and the country that its territory belongs to."""
    return areas_of(city) | {sovereign(city)}


def sovereign(city):
    """The country that a city's territory belongs to, or its own."""
    return SOVEREIGNS.get(city["country"], city["country"])


def outer_areas(code):
    """The codes of the areas around a region or county."""
    parts = code.split(".")
    return {parts[0], ".".join(parts[:-1])}


def countries(area):
    return {code for code in area if "." not in code}


def people(city):
    return city.get("population", 0)


def lies_in(city, reading):
    return all(around_city(city) & areas for _, areas in reading)


def starting_with(key, keys):
    """The sorted keys that begin with `key`."""
    end = bisect_left(keys, key)
    while end < len(keys) and keys[end].startswith(key):
        yield keys[end]
        end += 1


def order(row, near):
    """Better rows first: of equal scores the nearer, the bigger, then in the order of `city.search`."""
    city = row.city
    away = distance(*near, {"lat": city["coord"]["lat"], "lon": city["coord"]["lon"]}) if near else 0
    cost = math.floor(NEAR * math.log10(NEARBY + away)) - math.floor(NEAR * math.log10(NEARBY))
    population = -city["population"] if "population" in city else 1
    return (cost - row.score, away, population, plain(city["name"]).encode(), plain(city["country"]), city["_id"])
