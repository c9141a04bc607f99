#!/usr/bin/env python3
"""Works out what `city.find` must answer to some thousand seeded questions about the shipped list, and stores it.

    find_answers.py            writes find_answers.json.gz beside this file

The plain implementation of find_oracle.py needs minutes for them; test_find_quality.py compares the server's answers
with the stored ones in a second, and some of the stored ones with the plain implementation. Run it after a change of
the list or of the rule.
"""

import gzip
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import find_questions  # noqa: E402
from find_oracle import Finder, chinese_forms, fold  # noqa: E402
from harness import SHIPPED_LIST  # noqa: E402

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


def answer(finder, params):
    """The rows of the plain implementation: id, kind of name, and the name unless it is the title's."""
    options = {key: value for key, value in params.items() if key != "query"}
    if "near" in options:
        at = options["near"]["at"]
        options["near"] = (at["lat"], at["lon"])
    rows = finder.find(params["query"], **options)
    return [[row.city["_id"], row.by, None if row.matched == row.city["name"] else row.matched] for row in rows]


def main():
    with gzip.open(SHIPPED_LIST) as cities, gzip.open(SHIPPED_LIST.parent / "names.json.gz") as names:
        cities, names = json.load(cities), json.load(names)
    reference = find_questions.load(cities)
    finder = Finder(cities, names)
    made = find_questions.made(cities, names["countries"])
    asked = [params for params in questions(cities, names, reference, made) if fold(params["query"])]
    answered = [[params, answer(finder, params)] for params in asked]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in answered)
    ANSWERS.write_bytes(gzip.compress(f"[\n{lines}\n]\n".encode(), 9, mtime=0))
    print(f"{len(answered)} questions")


if __name__ == "__main__":
    main()
