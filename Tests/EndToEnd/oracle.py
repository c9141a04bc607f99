"""What the answers must be, worked out with Python's own Unicode tables by a plain scan of the list.

Nothing here is taken from the product: case folding is str.casefold, composition and categories are unicodedata.
"""

import gzip
import json
import math
import unicodedata
from bisect import bisect_right

EARTH_RADIUS = 6_371_008.8
SEPARATOR = "\x01"

# The letters without a decomposition that `match: folded` takes for others (Protocol/README.md).
BASE_LETTERS = str.maketrans({
    "æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n", "œ": "oe", "ŧ": "t",
    "ə": "e", "ʻ": "'", "ʼ": "'", "‘": "'", "’": "'",
})


def plain(text):
    """Full case folding, then NFC."""
    return unicodedata.normalize("NFC", text.casefold())


def folded(text):
    """`plain` without marks, and with base letters."""
    decomposed = unicodedata.normalize("NFD", plain(text))
    bare = "".join(c for c in decomposed if not unicodedata.category(c).startswith("M"))
    return unicodedata.normalize("NFC", bare.translate(BASE_LETTERS))


FOLDS = {"plain": plain, "folded": folded}


def load(path):
    """The records of a list as rows in the form of the wire, equal ones once."""
    with gzip.open(path) as file:
        records = json.load(file)
    return list({tuple(found.values()): found for found in map(row, records)}.values())


def row(record):
    """One record of the import format as a row of the wire."""
    fields = {
        "id": record["_id"], "lat": record["coord"]["lat"], "lon": record["coord"]["lon"], "name": record["name"],
        "country": record["country"],
    }
    return fields | ({"population": record["population"]} if "population" in record else {})


class Oracle:
    """The list in the order of one kind of match."""

    def __init__(self, rows, match="plain"):
        self.fold = FOLDS[match]
        self.keyed = sorted(((*self._order(city), city) for city in rows), key=lambda entry: entry[:3])
        self.titles = [self.fold(f"{city['name']}, {city['country']}") for *_, city in self.keyed]
        self.cities = [city for *_, city in self.keyed]

    def _order(self, city):
        def key(fold):
            return fold(city["name"]) + SEPARATOR + fold(city["country"])

        return (key(self.fold), key(plain), city["id"])

    def search(self, prefix, country=None):
        """All cities whose title begins with `prefix`, in order: a scan of the whole list."""
        query = self.fold(prefix)
        return [
            city for title, city in zip(self.titles, self.cities, strict=True)
            if title.startswith(query) and (country is None or plain(city["country"]) == plain(country))
        ]

    def search_many(self, prefixes, limit, country=None):
        """For each folded prefix its exact total and its first `limit` cities, from one scan for all of them."""
        wanted = {prefix: [0, []] for prefix in prefixes}
        lengths = sorted({len(prefix) for prefix in wanted})
        for title, city in zip(self.titles, self.cities, strict=True):
            if country is not None and plain(city["country"]) != plain(country):
                continue
            for length in lengths[:bisect_right(lengths, len(title))]:
                found = wanted.get(title[:length])
                if found is not None:
                    found[0] += 1
                    if len(found[1]) < limit:
                        found[1].append(city)
        return wanted


def distance(lat, lon, city):
    """Metres along a great circle (haversine)."""
    phi, phi_city = math.radians(lat), math.radians(city["lat"])
    half_lat, half_lon = (phi_city - phi) / 2, math.radians(city["lon"] - lon) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(phi) * math.cos(phi_city) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1, math.sqrt(chord)))


def spellings(title):
    """The title as people type it: in capitals, in small letters, and decomposed as some keyboards send it."""
    return {title.upper(), title.lower(), unicodedata.normalize("NFD", title)}


def prefixes(text):
    """Every prefix of a text, from its first character to the whole."""
    return [text[:length] for length in range(1, len(text) + 1)]
