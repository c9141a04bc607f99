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
