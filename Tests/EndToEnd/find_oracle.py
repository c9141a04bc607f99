"""What `city.find` and `rule: place` must answer, worked out plainly from the shipped files.

Nothing here is taken from the product. The search is slow and short: every name of every city is folded once, and a
query looks at all the names that it can mean.
"""

import gzip
import json
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
ALTERNATE = 100  # The query is a name that is not the title's.
LANGUAGE = 4  # Each language that uses such a name for the city, which costs nothing then, unless `near` is given.
ALTERNATE_ALIKE = 200  # The query is the start of such a name, or is misspelt.
QUALIFIED = 50  # The last words name the region or the country: the query says more than a bare name.
EDIT = 100  # Each typing error.
EDIT_OF_START = 150  # A typing error in the start of a name.
SHORT, SHORT_LETTERS, SHORT_POPULATION = 300, 4, 30_000  # A short title that is all of the query.
CODE_FIRST = 2_000  # A code, if the query is three capitals.
LARGE = 500  # The least score of a name before a code that is not known.
MOST_FORMS, MOST_ADDRESS_WORDS, MOST_PERMUTED, LEAST_TYPED = 24, 12, 4, 4

MOST_EDITS = 2

# The place that one is in: metres of reach, and those for each unit of weight; beyond its reach a place counts little.
BASE_REACH, REACH, UNKNOWN_POPULATION = 2_500, 50, 500

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
                # A name that is the code of another country is left out.
                for key in map(fold, called):
                    if kind == "regions" or key not in codes:
                        self.places[key].add(code)
        self._add_counties((names or {}).get("counties", {}))
        self.keys = sorted(self.entries)
        self.place_keys = sorted(self.places)
        self.alike = defaultdict(list)  # (first letter, length) -> keys
        self.tails = defaultdict(list)  # all but the first letter -> keys
        self.starts = {}  # (first letter, length) -> starts of keys
        for key in self.keys:
            self.alike[key[:1], len(key)].append(key)
            self.tails[key[1:]].append(key)
        self.addresses = address_rules()

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
            for key in {fold(name) for name in [*names.get(county, []), *words]}:
                if (key, country) not in known:
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
            weight = city.get("population", UNKNOWN_POPULATION) ** 0.375
            return weight / (1 + (metres / (BASE_REACH + REACH * weight)) ** 2)
        return max(self.around(lat, lon), key=lambda neighbour: worth(*neighbour))[1]["_id"]

    def find(self, query, limit=10, country=None, near=None, typos=True, region=None):
        """The best rows for a query, best first; `country` is a code, `region` a name or a code."""
        words = fold(query).split()
        wanted = self._wanted(country, region)
        rows = next(filter(None, self._attempts(query, words, wanted, near, typos)), [])
        return sorted(rows, key=lambda row: order(row, near))[:limit]

    def _attempts(self, query, words, wanted, near, typos):
        """The rows of each attempt, in the order of the table in Protocol/README.md."""
        if not words or re.fullmatch(r" *[-+\u2212](?=.*\d)[\d ,.]+", query):
            return
        short = near is None and not ends_word(query)
        languages = self.languages if near is None else {}

        # Small letters mean no code, three capitals first of all one.
        code_points = None if re.search("[a-z]", query) else CODE_FIRST * bool(re.fullmatch("[A-Z]{3}", query))

        def rows(forms, search, named=self._named):
            return self._rows(forms, wanted, search, named, short, languages, code_points)
        if ends_word(query):
            yield rows([words], self._whole_and_longer)
        yield rows([words], self._whole_and_prefix)
        yield self._largest(words, wanted)
        yield rows(self._addresses(words), self._whole_and_prefix)
        yield rows([form.split() for form in chinese_forms(" ".join(words))], self._whole_and_prefix)
        yield rows(orders(words), self._whole)
        yield rows([words], self._whole, self._named_from_start)
        if not typos:
            return
        if len(words) > 1 and len(words[-1]) == 2:
            yield [row for row in rows([words[:-1]], self._whole) if order(row, near)[0] <= -LARGE]
        yield rows([words], self._misspelt)
        yield rows([words], self._misspelt_first)
        for count in range(len(words) - 1, 0, -1)[:MOST_FORMS]:
            yield rows([words[:count]], self._whole)
        for form in other_keyboards(query):
            yield rows([fold(form).split()], self._whole_and_prefix)
        forms = [form.split() for form in latin_forms(" ".join(words))]
        for form in forms:
            yield rows([form], self._whole_and_prefix)
        yield rows(forms[:1], self._misspelt)
        yield rows(forms[:1], self._misspelt_first)

    def _addresses(self, words):
        """The words without the marks of an address: each rule in turn is applied to each form."""
        if not 2 <= len(words) <= MOST_ADDRESS_WORDS:
            return []
        forms = [words]
        for form in forms:
            if len(forms) >= MOST_FORMS:
                break
            for pattern, meaning in self.addresses:
                if match := re.fullmatch(pattern, "".join(f" {word}" for word in form)):
                    found = list(match.groups())
                    words = "".join(found.pop(0) if word == "*" else f" {word}" for word in meaning).split()
                    if words and words not in forms:
                        forms.append(words)
        return forms[1:MOST_FORMS]

    def _largest(self, words, wanted):
        """The cities of the area that all the words name."""
        codes = self._named(" ".join(words), True)
        return [
            Row(city, self.weights[position], "area", city["name"]) for position, city in enumerate(self.cities)
            if codes & areas_of(city) and wanted(city)]

    def _wanted(self, country, region):
        """Whether a city lies where the request wants it."""
        regions = {code for code in self.places.get(fold(region or ""), ()) if "." in code}
        if country:
            regions = {code for code in regions if code.startswith(f"{country}.")} or {f"{country}.{region}"}
        return lambda city: (not country or city["country"] == country) and (not region or regions & areas_of(city))

    def _rows(self, forms, wanted, search, named, short, languages, code_points):
        """The best row of each city over all readings of the words of each form: the last ones may name a region or a
        country.
        """
        best = {}
        for words, count in ((words, count) for words in forms for count in range(1, len(words) + 1)):
            readings = self._readings(words[count:], named)
            if not readings:
                continue
            called = " ".join(words[:count])
            for position, key, misspelt in search(called, count == len(words)):
                city = self.cities[position]
                if not wanted(city) or not lies_in(city, readings):
                    continue
                by, name = self.entries[key][position]
                exact = key == called
                if by == "code" and (not exact or code_points is None):
                    continue
                used = languages.get((key, position), 0) if exact else 0
                score = self.weights[position] + QUALIFIED * (count < len(words))
                score -= EDIT_OF_START if misspelt == "start" else EDIT * misspelt
                score += WHOLE * (exact or misspelt not in (0, "start"))
                if (short and exact and (by == "name" or used) and count == len(words) and len(called) <= SHORT_LETTERS
                        and city.get("population", 0) >= SHORT_POPULATION):
                    score += SHORT
                score += LANGUAGE * used + (code_points if by == "code" else 0)
                if by != "name" and not used:
                    score -= ALTERNATE if exact else ALTERNATE_ALIKE
                # Of equal hits of a city the title's is shown, then that of more words, then the first in order.
                rank = (-score, by != "name", -count, key)
                if position not in best or rank < best[position][0]:
                    best[position] = rank, Row(city, score, "typo" if misspelt else by, name)
        return [row for _, row in best.values()]

    def _readings(self, words, named):
        """What the words can name: lists of at most two sets of codes, all of which a city must meet."""
        if not words:
            return [[]]
        readings = [[named(" ".join(words), True)]]
        readings += [
            [named(" ".join(words[:cut]), False), named(" ".join(words[cut:]), True)] for cut in range(1, len(words))
        ]
        return [reading for reading in readings if all(reading)]

    def _named(self, key, _):
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
            longer = starting_with(f"{key} ", self.keys)
            found += [(position, name, 0) for name in longer for position in self.entries[name]]
        return found

    def _misspelt(self, key, alone):
        if alone and allowed_edits(key, ""):
            for length in range(len(key) - 1, len(key) + 2):
                for start in self._starts(key[:1], length):
                    if is_one_edit(key, start):
                        longer = starting_with(start, self.keys)
                        yield from ((position, found, "start") for found in longer for position in self.entries[found])
        for length in range(len(key) - MOST_EDITS, len(key) + MOST_EDITS + 1):
            for found in self.alike[key[:1], length]:
                limit = allowed_edits(key, found)
                count = edits(key, found, limit)
                if count <= limit:
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
            if found[:1] != key[:1] and allowed_edits(key, found):
                yield from ((position, found, 1) for position in self.entries.get(found, ()))


def address_rules():
    """(pattern, words of the meaning) by the table in Protocol/README.md."""
    rules = []
    table = re.compile(r"^\| `([^`]*[*][^`]*)` \| (`[^|]*`) \|", re.MULTILINE)
    for pattern, meanings in table.findall(README.read_text("utf-8")):
        parts = [
            r"((?: \S+)*?)" if word == "*" else r" \d+" if word == "#" else f" (?:{word.replace('/', '|')})"
            for word in pattern.split()]
        rules += [("".join(parts), meaning.split()) for meaning in re.findall("`([^`]*)`", meanings)]
    return rules


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


def region_of(city):
    """The code of a city's region, or its name where the list has no codes; both are unique within the country."""
    return f"{city['country']}.{city.get('region_code') or city.get('region', '')}"


def county_of(city):
    """The code of a city's county, which is unique."""
    return f"{region_of(city)}.{city['county_code']}"


def areas_of(city):
    """The codes of the country, the region and the county of a city."""
    return {city["country"], region_of(city)} | ({county_of(city)} if "county_code" in city else set())


def lies_in(city, readings):
    codes = areas_of(city)
    return any(all(codes & place for place in reading) for reading in readings)


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
