#!/usr/bin/env python3
"""Works out what `city.find` and `city.match` must answer to some thousand seeded questions about the shipped list, and
stores it.

    find_answers.py            writes find_answers.json.gz beside this file

The plain implementation of find_oracle.py needs minutes for them; test_find_quality.py compares the server's answers
with the stored ones in a second, and some of the stored ones with the plain implementation. Run it after a change of
the list or of the rules; if a release had other answers, raise PlaceRules.version first.
"""

import gzip
import json
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import find_questions  # noqa: E402
from find_oracle import MISSING, Finder, chinese_forms, fold  # noqa: E402
from harness import ROOT, SHIPPED_LIST  # noqa: E402

HERE = Path(__file__).resolve().parent
ANSWERS = HERE / "find_answers.json.gz"
SEED = 12
# Letters of other scripts for small ones, for names that the list does not have.
GEORGIAN = str.maketrans("abgdevzilmnoprstufqkhjc", "აბგდევზილმნოპრსტუფქკჰჯც")
CONSONANTS = dict(zip("kgtdnpbmrlvshjyfzc", "कगतदनपबमरलवसहजयफज़च".replace("\u093c", ""), strict=True))
SIGNS = {"a": ("", "अ"), "i": ("ि", "इ"), "u": ("ु", "उ"), "e": ("े", "ए"), "o": ("ो", "ओ")}
VIRAMA = "्"


def names_of(city):
    return [city["name"], *city.get("alternatenames", [])]


def questions(cities, names, reference, made):
    """Parameters of `city.find`: prefixes of titles and other names, reference questions, areas, conditions, and ended
    words.
    """
    chance = random.Random(SEED)
    big = sorted(cities, key=lambda city: (-city.get("population", 0), city["_id"]))[:5_000]
    for city in chance.sample(big, 80):
        yield from ({"query": city["name"][:length]} for length in range(1, len(city["name"]) + 1))
    for city in chance.sample(cities, 900):
        name = chance.choice(names_of(city))
        yield {"query": name[:chance.randint(1, len(name))]}
    for name in ("names", "zones", "typos", "regions", "countries"):
        yield from ({"query": query} for _, query, _ in chance.sample(reference[name], min(120, len(reference[name]))))
    for city in chance.sample(big, 250):
        yield {"query": f"{chance.choice(names_of(city))} {area_of(city, names, chance)}"}
    for city in chance.sample(cities, 500):
        name = chance.choice(names_of(city))
        yield {"query": name[:chance.randint(1, len(name))]} | condition(city, chance)
    for city in chance.sample(big, 300):
        words = chance.choice(names_of(city)).split()
        ended = " ".join(words[:chance.randint(1, len(words))]) + chance.choice([" ", "-", ", "])
        yield {"query": ended} | (condition(city, chance) if chance.random() < 0.3 else {})
    for asked in made.values():
        yield from ({"query": query} for _, query, _ in asked[:20])
    for name in ("counties", "namesakes by county", "province codes"):
        yield from ({"query": query} for _, query, _ in reference[name][:20])
    for city in chance.sample(big, 60):
        yield {"query": fold(city["name"]).translate(GEORGIAN)}
        yield {"query": in_devanagari(fold(city["name"]))}
    chinese = [form for city in big for name in names_of(city) for form in chinese_forms(fold(name))]
    for form in chance.sample(chinese, 60):
        yield {"query": form[:chance.randint(2, 8)]}
    yield from ({"query": query} for query in addresses(big, names, chance))


def addresses(cities, names, chance):
    """Addresses and postal forms, of cities and of areas."""
    east = [(city, name) for city in cities if city["country"] in ("CN", "JP", "KR", "TW") for name in names_of(city)
            if name[-1] in "市县區区町村시군"]
    for city, name in chance.sample(east, 40):
        regions = names["regions"].get(f"{city['country']}.{city.get('region_code')}", [])
        yield chance.choice([region for region in regions if region[-1] in "省都道府県도시市"] or ["山县"]) + name
    areas = [called for kind in ("countries", "regions") for called in names[kind].values()]
    called = [chance.choice(area) for area in chance.sample(areas, 40)]
    for name in [city["name"] for city in chance.sample(cities, 60)] + called:
        yield chance.choice([
            "12 High Street, {}", "Acme Ltd, {}", "1012 AB {}", "LV-1050 {}", "D02 X285 {}", "{} SW1A 2AA", "26150 {}",
            "110 00 {}", "Rue de la Paix 5, 75002 {}", "A, B, {}, 99"]).format(name)
    for name in chance.sample([city["name"] for city in cities if not city["name"].isascii()], 20):
        yield name.replace("é", "&eacute;").replace("ü", "&#252;").replace("ō", "&#x14D;").replace("'", "&rsquo;")


def in_devanagari(key):
    """A key letter by letter: a consonant before another one has the sign that it has no vowel."""
    text, after_consonant = "", False
    for letter in key:
        if letter in SIGNS:
            text += SIGNS[letter][0 if after_consonant else 1]
        else:
            text += (VIRAMA if after_consonant else "") + CONSONANTS.get(letter, letter)
        after_consonant = letter in CONSONANTS
    return text


def area_of(city, names, chance):
    """A name of the city's region or country, or the start of one; sometimes a name of the country after it."""
    country = names["countries"].get(city["country"], [city["country"]])
    area = chance.choice(country + names["regions"].get(f"{city['country']}.{city.get('region_code')}", []))
    if chance.random() < 0.5:
        area = area[:chance.randint(1, len(area))]
    return f"{area} {chance.choice(country)}" if chance.random() < 0.3 else area


def condition(city, chance):
    """Something that narrows a question about a city, or orders its rows."""
    kinds = [
        {"country": city["country"]}, {"limit": chance.choice([1, 3, 100])}, {"typos": False},
        {"near": {"at": {"lat": chance.randint(-90, 90), "lon": chance.randint(-180, 180)}}},
    ]
    if "region_code" in city:
        kinds.append({"country": city["country"], "region": city["region_code"]})
    return chance.choice(kinds)


def match_questions(cities, names):
    """Texts for `city.match`, some with a country and a region: titles, other names, areas, missing values."""
    chance = random.Random(SEED)
    big = sorted(cities, key=lambda city: (-city.get("population", 0), city["_id"]))[:20_000]
    for city in chance.sample(big, 1_200):
        yield {"text": city["name"]}
        yield {"text": chance.choice(names_of(city))}
    for city in chance.sample(cities, 500):
        yield {"text": f"{city['name']}, {city['country']}"}
        yield {"text": chance.choice(names_of(city)) + chance.choice(["", " ", ","])}
    for city in chance.sample(big, 700):
        code = f"{city['country']}.{city.get('region_code')}"
        countries = names["countries"].get(city["country"], [city["country"]])
        regions = names["regions"].get(code, countries)
        yield {"text": f"{chance.choice(names_of(city))}, {chance.choice(countries + regions)}"}
        yield {"text": f"{city['name']}, {chance.choice(regions)}, {chance.choice(countries)}"}
    for city in chance.sample([city for city in big if city["country"] in ("US", "CA", "IT", "IN", "BR", "DE")], 400):
        code = f"{city['country']}.{city.get('region_code', '')}"
        yield {"text": f"{city['name']}, {min(names['regions'].get(code, ['XX']), key=len)}"}
    areas = [called for kind in ("countries", "regions") for called in names[kind].values()]
    for called in chance.sample(areas, 400):
        yield {"text": chance.choice(called)}
    for code in chance.sample(sorted(names["regions"]), 200):
        country = names["countries"].get(code.partition(".")[0], ["XX"])
        yield {"text": f"{chance.choice(names['regions'][code])}, {chance.choice(country)}"}
    for text in [*sorted(MISSING), "Nan", "NONE", "nan, TH", "-5", "12", "12 fi", "…"]:
        yield {"text": text}
        yield {"text": text, "country": "TH"}
    for city in chance.sample(big, 300):
        yield {"text": chance.choice(names_of(city))} | {
            key: value for key, value in (("country", city["country"]), ("region", city.get("region_code")))
            if value and (key == "country" or chance.random() < 0.5)}
    for city in chance.sample(big, 60):
        yield {"text": f"{city['name']} {chance.choice(['City', 'Town', 'Stadt', 'Municipality'])}"}
        yield {"text": find_questions.erroneous(city["name"], len(city["name"]) // 2, chance) or city["name"]}


def answer(finder, params):
    """The rows of the plain implementation: id, kind of name, and the name unless it is the title's."""
    options = {key: value for key, value in params.items() if key != "query"}
    if "near" in options:
        at = options["near"]["at"]
        options["near"] = (at["lat"], at["lon"])
    rows = finder.find(params["query"], **options)
    return [[row.city["_id"], row.by, None if row.matched == row.city["name"] else row.matched] for row in rows]


def version():
    """The version of the rules in the sources."""
    source = ROOT / "Sources" / "Domain" / "Cities" / "Names" / "PlaceRules.swift"
    return int(re.search(r"version: UInt64 = (\d+)", source.read_text(encoding="utf-8"))[1])


def main():
    with gzip.open(SHIPPED_LIST) as cities, gzip.open(SHIPPED_LIST.parent / "names.json.gz") as names:
        cities, names = json.load(cities), json.load(names)
    reference = find_questions.load(cities)
    finder = Finder(cities, names)
    made = find_questions.made(cities, names["countries"])
    asked = [params for params in questions(cities, names, reference, made) if fold(params["query"])]
    answered = [[params, answer(finder, params)] for params in asked]
    matched = [[params, finder.match(**params)] for params in match_questions(cities, names)]
    lists = (",\n".join(json.dumps(one, ensure_ascii=False) for one in answers) for answers in (answered, matched))
    text = '{{"rules": {},\n"find": [\n{}\n],\n"match": [\n{}\n]}}\n'.format(version(), *lists)
    ANSWERS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(answered)} questions of city.find, {len(matched)} of city.match")


if __name__ == "__main__":
    main()
