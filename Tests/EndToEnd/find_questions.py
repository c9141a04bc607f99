"""The questions with known answers that `city.find` and others are asked, and how right answers are counted.

find_quality.py holds the server to its marks with them, contrib/bench/questions measures their cost, and
contrib/bench/compare asks other programs the same. find_reference.py makes the stored ones. Needs the standard library
only.
"""

import gzip
import json
import math
import random
from pathlib import Path

REFERENCE = Path(__file__).resolve().parent / "find_reference.json.gz"
BIGGEST = 1_000
# Questions near a place: the smallest city that is asked for, how many, and the least and largest distance in degrees.
NEAR_POPULATION, NEAR_QUESTIONS, NEAR_DEGREES = 15_000, 1_000, (0.05, 0.25)
SEED = 20_260_301


def load(cities, path=REFERENCE):
    """Set -> questions (language or nothing, query, id of the city that a person means), and the sets of positions."""
    sets = json.loads(gzip.decompress(path.read_bytes()))
    return sets | {
        "three letters": three_letters(cities), "first words": first_words(cities),
        "three letters near": near_prefixes(cities), "same names near": near_namesakes(cities)}


def load_cities(path):
    """The records of a city list."""
    with gzip.open(path) as file:
        return json.load(file)


def three_letters(cities, count=BIGGEST):
    """The questions after three letters of a title."""
    return [(None, city["name"][:3], city["_id"]) for city in biggest(cities)[:count]]


def first_words(cities, count=3 * BIGGEST):
    """The questions after the first word, and its space, of a title of several words."""
    titles = [(city["name"].split(" ", 1)[0], city) for city in biggest(cities)[:count] if " " in city["name"]]
    return [(None, f"{word} ", city["_id"]) for word, city in titles]


def near_prefixes(cities):
    """(position, three letters of a title, id) of seeded cities, asked some kilometres away."""
    chance = random.Random(SEED)
    asked = [city for city in cities if city.get("population", 0) >= NEAR_POPULATION]
    return [(beside(city, chance), city["name"][:3], city["_id"]) for city in chance.sample(asked, NEAR_QUESTIONS)]


def near_namesakes(cities):
    """(position, title, id) of seeded cities, of which larger ones elsewhere have the title, too."""
    chance = random.Random(SEED)
    largest = {}
    for city in biggest(cities):
        largest.setdefault(city["name"], city["_id"])
    asked = [
        city for city in cities
        if city.get("population", 0) >= NEAR_POPULATION // 10 and largest[city["name"]] != city["_id"]]
    return [(beside(city, chance), city["name"], city["_id"]) for city in chance.sample(asked, NEAR_QUESTIONS)]


# Sets that are made of the list: how many questions each has, and the smallest city that they ask for.
MADE, MADE_POPULATION = 600, 100_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The letters of a keyboard by the position of those of the American one.
KEYS = {
    "Cyrillic": ("qwertyuiop[]asdfghjkl;'zxcvbnm,.`", "йцукенгшщзхъфывапролджэячсмитьбюё"),
    "Greek": ("ertyuiopasdfghjklzxcvbnmw", "ερτυθιοπασδφγηξκλζχψωβνμς"),
}


def made(cities, countries):
    """The sets that are made of the list and of the countries' names, each with a seed of its own."""
    known = [city for city in biggest(cities) if city.get("population", 0) >= MADE_POPULATION]
    makers = {
        "unfinished errors": unfinished, "first letters": first_letter, "word order": reordered,
        "country first": lambda city, chance: country_first(city, countries, chance),
        "other keyboards": other_keyboard, "addresses": address,
        "unknown areas": lambda city, chance: with_area(city, UNKNOWN_AREAS, chance),
        "areas with a region's end": lambda city, chance: with_area(city, AREAS_WITH_REGIONS_END, chance)}
    sets = {}
    for name, make in makers.items():
        chance = random.Random(f"{SEED} {name}")
        asked = ((city, make(city, chance)) for city in chance.sample(known, len(known)))
        sets[name] = [(None, query, city["_id"]) for city, query in asked if query][:MADE]
    for name, meant in (("namesakes", NAMESAKES), ("titles of namesakes", TITLES_OF_NAMESAKES)):
        sets[name] = [(None, query, identifier) for query, identifier in meant.items()]
    return sets


def unfinished(city, chance):
    """The start of a title with an error in it, after the first letter."""
    name = city["name"]
    if not name.isalpha() or len(name) < 7:
        return None
    start = name[:chance.randint(5, len(name) - 2)]
    return erroneous(start, chance.randrange(1, len(start)), chance)


def first_letter(city, chance):
    """A title with an error in its first letter."""
    name = city["name"]
    return erroneous(name, 0, chance) if name.isalpha() and name.isascii() and len(name) >= 5 else None


def erroneous(name, at, chance):
    """A text with a letter left out, added or replaced, or two swapped; none if that changes nothing."""
    letter = chance.choice(LETTERS)
    changed = chance.choice([
        name[:at] + name[at + 1:], name[:at] + letter + name[at:], name[:at] + letter + name[at + 1:],
        name[:at] + name[at + 1:at + 2] + name[at] + name[at + 2:]]).casefold()
    return changed if changed != name.casefold() else None


def reordered(city, chance):
    """The words of a title in another order."""
    words = city["name"].split()
    return " ".join(chance.choice([words[1:] + words[:1], words[::-1]])) if len(words) in (2, 3) else None


def country_first(city, countries, chance):
    """A country and a title."""
    names = countries.get(city["country"], [])
    return f"{chance.choice(names[:2])} {city['name']}" if names else None


def other_keyboard(city, chance):
    """A name in Cyrillic or Greek by the keys of an American keyboard, or a Latin one by those of another."""
    for alphabet, keys in KEYS.items():
        letters = dict(zip(keys[1], keys[0], strict=True))
        typed = [name.casefold() for name in city.get("alternatenames", [])]
        typed = ["".join(map(letters.get, name)) for name in typed if all(letter in letters for letter in name)]
        if typed and chance.random() < 0.5:
            return chance.choice(typed)
        name, keyboard = city["name"].casefold(), dict(zip(*keys, strict=True))
        if all(letter in keyboard for letter in name) and len(name) >= 5 and chance.random() < 0.2:
            return "".join(map(keyboard.get, name))
    return None


def address(city, chance):
    """A title as an address has it."""
    name, others = city["name"], [other for other in city.get("alternatenames", []) if len(other) > 4]
    short = {"Saint ": "St-", "Saint-": "St. ", "Sankt ": "St. ", "San ": "S. ", "São ": "S. ", "Santa ": "Sta. ",
        " am Main": " a. M.", " im Breisgau": " i. Br.", "Fort ": "Ft. ", "Mount ": "Mt "}
    for whole, mark in short.items():
        if whole in name:
            return name.replace(whole, mark)
    latin = [other for other in others if other.isascii() and other.isalpha() and name.isalpha()]
    cyrillic = [other for other in others if "\u0410" <= other[0] <= "\u042F" and other.isalpha()]
    return chance.choice([
        f"{name} Cedex {chance.randint(1, 20):02}", f"{name} {chance.randint(1, 9)}", f"{name} Cedex",
        f"{chance.randint(10_000, 99_999)} {name}", f"Hansestadt {name}", f"City of {name}",
        f"D-{chance.randint(10_000, 99_999)} {name}", f"Comune di {name}",
        f"г. {chance.choice(cyrillic)}" if cyrillic else None, f"{name}/{chance.choice(latin)}" if latin else None])


def with_area(city, areas, chance):
    """A title and one of the areas of its country."""
    named = areas.get(city["country"])
    return f"{city['name']}{chance.choice([' ', ', '])}{chance.choice(named)}" if named else None


# Areas of a country, such as landscapes and former counties, of which the list knows nothing.
UNKNOWN_AREAS = {
    "GB": ["Merseyside", "Tyne and Wear", "Home Counties", "Thames Valley"],
    "FR": ["Pays Basque", "Côte d'Azur", "Bassin parisien"],
    "IT": ["Brianza", "Costiera Amalfitana", "Riviera Ligure", "Maremma"],
    "DE": ["Landkreis Kassel", "Kreis Recklinghausen", "Ruhrgebiet", "Sauerland"],
    "US": ["Bay Area", "Inland Empire", "Hampton Roads", "Tri-State Area", "Silicon Valley"],
    "ES": ["Costa del Sol", "Levante", "Tierra de Campos"],
    "JP": ["Kanto-chiho", "Keihanshin"], "BR": ["Grande Vitória", "Zona da Mata"],
    "PL": ["Górny Śląsk", "Zagłębie Dąbrowskie"],
}
# Such areas whose last words are the name of a region elsewhere, as Manchester is in Jamaica.
AREAS_WITH_REGIONS_END = {
    "GB": ["West Midlands", "Greater Manchester"], "FR": ["Massif central"], "ES": ["Costa Brava"],
}


# Names that GeoNames' names by language (libgeonames-common 0.3.0-1) have for a city, and that are the title of a
# smaller town, which would win by its title; by hand, with the id of the one that people mean.
NAMESAKES = {
    "baki": 587084, "akra": 2306104, "odessa": 698740, "aksu": 1529660, "florencia": 3176959, "hull": 2645425,
    "saint louis": 4407066, "halle": 2911522, "khairpur": 1162004, "san sebastian": 3110044, "sudbury": 5964700,
    "enfield": 2649997, "lerida": 3118514, "camboriu": 3471039, "bruges": 2800931, "oktyabrskiy": 515879,
    "parral": 4004867, "gerona": 3121456, "mahendranagar": 1283095, "saint albans": 2638867, "londonderry": 2643736,
    "nazaret": 294098, "silao": 3983058, "shakhtersk": 694382, "st charles": 4406831, "rodas": 400666,
    "rhodes": 400666, "akko": 295721, "venecia": 3164603, "palmyra": 163808, "rovenki": 695379, "flushing": 2745392,
    "arcila": 2557055, "corinth": 259289, "gallipoli": 746983, "mondragon": 3116503, "karak": 6946409,
    "liman": 704204, "jerico": 284899, "mount royal": 6077315, "balaclava": 712930, "st andrews": 2638864,
    "el escorial": 3110458, "korolyov": 554233, "vorst": 2798139, "altay": 1529651, "lake worth": 4161422,
    "st georges": 3579925, "neustadt": 2864054, "biberach": 2949423,
}
# The same where they mean the town.
TITLES_OF_NAMESAKES = {
    "nis": 787657, "tumen": 2034340, "edinburg": 4688275, "san andres cholula": 3818742, "zamora": 3104342,
    "mari": 3395380, "siracusa": 2523083, "praya": 1630662, "sur": 286245, "oume": 2282827, "aral": 1526265,
    "saint johns": 3576022, "plasencia": 3113331, "viborg": 2610319, "hancheng": 1808981, "anxiang": 8561889,
    "tokmak": 691469, "canas": 3624468, "guilford center": 7257370, "central waterford": 7257804,
    "madison center": 7257377, "montalban": 3632072, "zarow": 3080652, "bude": 2654380, "kasin": 1320189,
    "karabas": 1523470, "baiona": 3128462, "pargas": 642673, "cutler ridge": 4152574, "mahwah": 5100776,
    "emba": 146639, "ban houayxay": 1663526, "san luis": 3837056, "port arthur": 4720039, "cobourg": 5924579,
}


def beside(city, chance):
    """A position near a city."""
    lat, lon = (city["coord"][key] + chance.choice((-1, 1)) * chance.uniform(*NEAR_DEGREES) for key in ("lat", "lon"))
    return {"lat": max(-90, min(90, lat)), "lon": max(-180, min(180, lon))}


def biggest(cities):
    """The cities, the most populous first."""
    return sorted(cities, key=lambda city: (-city.get("population", 0), city["_id"]))


def typed(cities, count=400, longest=8, seed=SEED):
    """Key after key of seeded random titles: the first letter, the first two, up to `longest`."""
    chosen = random.Random(seed).sample(cities, min(count, len(cities)))
    return [city["name"][:n] for city in chosen for n in range(1, min(len(city["name"]), longest) + 1)]


def sample(questions, count, seed=SEED):
    """At most `count` of the questions, in a seeded order, so that the first of them are a sample, too."""
    return random.Random(seed).sample(questions, min(count, len(questions)))


class Tally:
    """The ranks of the right cities of one set."""

    def __init__(self):
        self.ranks = []

    def add(self, identifiers, wanted):
        """Counts an answer: the cities that were found, best first, and the one that is right."""
        self.ranks.append(next((at for at, found in enumerate(identifiers, 1) if found == wanted), math.inf))

    def share(self, rank):
        """Percent that are among the first `rank`."""
        return 100 * sum(found <= rank for found in self.ranks) / len(self.ranks) if self.ranks else math.nan
