"""Lists of any length in the form of GeoNames' populated places, and the drawing of what they cost.

The first cities are those of the shipped list. Each further lap over it has new names, put together from two of its own
in the same country, positions some kilometres away and few inhabitants, as most populated places of GeoNames have.
"""

import gzip
import itertools
import json
import math
import random
from collections import defaultdict

from measuring import SHIPPED_LIST

SAMPLE = 2_000
# Percent of the cities beyond the shipped list that have other names, from one to five.
NAMED = 40


def cities(count):
    """Cities as maps with the shipped list's keys."""
    with gzip.open(SHIPPED_LIST) as file:
        shipped = json.load(file)
    starts, ends = defaultdict(list), defaultdict(list)
    for city in shipped:
        words = city["name"].split(" ")
        starts[city["country"]].append(words[0])
        ends[city["country"]].append(" ".join(words[1:]) or words[0].lower())
    chance = random.Random(7)
    for number in range(count):
        lap, place = divmod(number, len(shipped))
        city = shipped[place]
        if lap:
            country, coord = city["country"], city["coord"]
            name = f"{chance.choice(starts[country])} {chance.choice(ends[country])}"
            city = {**city, "_id": 20_000_000 + number, "name": name, "population": chance.choice((0, 0, 0, 120, 700)),
                    "coord": {"lat": max(-90, min(90, coord["lat"] + chance.uniform(-0.2, 0.2))),
                              "lon": max(-180, min(180, coord["lon"] + chance.uniform(-0.2, 0.2)))},
                    "alternatenames": [f"{name} {end}" for end in chance.sample(ends[country], min(
                        chance.randint(1, 5), len(ends[country])))] if chance.randrange(100) < NAMED else []}
        yield city


def line(city, alternates):
    """A line of a dump (https://download.geonames.org/export/dump/readme.txt)."""
    others = ",".join(name for name in city.get("alternatenames", []) if "," not in name) if alternates else ""
    return "\t".join([
        str(city["_id"]), city["name"], city["name"], others, f"{city['coord']['lat']:.5f}",
        f"{city['coord']['lon']:.5f}",
        "P", "PPL", city["country"], "", city.get("region_code", ""), "", "", "", str(city.get("population", 0)), "",
        "0",
        city.get("timezone", ""), "2026-01-01"]) + "\n"


def write(path, count, alternates):
    """Writes a packed dump of `count` cities; some of their names."""
    names = []
    every = max(count // SAMPLE, 1)
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
        numbered = enumerate(cities(count))
        while batch := list(itertools.islice(numbered, 10_000)):
            file.write("".join(line(city, alternates) for _, city in batch))
            names += [city["name"] for number, city in batch if number % every == 0]
    return names


WIDTH, HEIGHT, MARGIN = 300, 200, 44


def drawing(sizes, rows):
    """An SVG with a chart for each column, both axes logarithmic."""
    columns = list(rows[0])
    parts = []
    for index, column in enumerate(columns):
        left, top = index % 3 * WIDTH, index // 3 * HEIGHT
        parts.append(
            f'<g transform="translate({left},{top})">{chart(column, sizes, [row[column] for row in rows])}</g>')
    width, height = 3 * WIDTH, (len(columns) + 2) // 3 * HEIGHT
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="11"><rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n')


def chart(title, sizes, values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    first, last = math.log10(sizes[0]), max(math.log10(sizes[-1]), math.log10(sizes[0]) + 1)
    high = max(high, low + 1)

    def x(size):
        return MARGIN + (math.log10(size) - first) / (last - first) * (WIDTH - MARGIN - 24)

    def y(value):
        return HEIGHT - 32 - (math.log10(value) - low) / (high - low) * (HEIGHT - 64)

    parts = [f'<text x="{MARGIN}" y="18" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH - 16}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" '
                     f'stroke="#ddd"/><text x="{MARGIN - 4}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">'
                     f'{10 ** power:g}</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{size:.0e}</text>')
    points = [(x(size), y(value)) for size, value in zip(sizes, values, strict=True)]
    parts.append('<polyline fill="none" stroke="#1f5fa8" stroke-width="2" points="'
                 + " ".join(f"{px:.1f},{py:.1f}" for px, py in points) + '"/>')
    for (px, py), value in zip(points, values, strict=True):
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#1f5fa8"/>'
                     f'<text x="{px:.1f}" y="{py - 7:.1f}" text-anchor="middle">{value:,.3g}</text>')
    return "".join(parts)
