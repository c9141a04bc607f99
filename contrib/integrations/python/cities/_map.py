"""Maps of cities as SVG, without a server: coasts and borders, a sign for each city, and names where there is room."""

from __future__ import annotations

import base64
import html
import math
import os
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Sequence, Tuple

from ._bulk import identity
from ._wire import ACTING

if TYPE_CHECKING:
    from . import types as t

_OUTLINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "outlines.bin")
_WIDTH, _HEIGHT = 720.0, 400.0
#: The part of the picture that the cities may take; the rest is for signs and names at its edges.
_FILLED = 0.75
#: The width of the map around a single city, and the least width, in metres.
_USUAL, _LEAST = 400_000.0, 2_000.0
_METRES_PER_DEGREE = 6_371_008.8 * math.pi / 180
#: The smallest scale unit, in metres, with outlines: closer, their coasts would put towns into the sea.
_FINEST = 200.0
#: From this unit on, the coarser of the two outlines are drawn.
_COARSE = 10_000.0
#: The standard parallel of the world map, the latitude that it reaches to, and its centre, which cuts no land.
_WORLD_PARALLEL, _REACH, _MIDDLE = 45.0, 71.0, (13.0, 11.0)
#: The largest number of signs and of names.
_SIGNS, _NAMES = 2_000, 60
_LETTER, _LINE = 6.6, 14.0
_STYLE = """
.cities-map { color-scheme: light dark; font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
.cities-map text { fill: #1f2328; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round }
.cities-map .paper { fill: #ffffff } .cities-map .line { fill: none; stroke: #1f2328; stroke-width: 1.5 }
.cities-map .coast { fill: none; stroke: #0a6fa8; stroke-width: 1.2; stroke-linejoin: round }
.cities-map .border { fill: none; stroke: #77706a; stroke-width: 0.8; stroke-dasharray: 4 3 }
.cities-map circle { fill: #b3400a; stroke: #ffffff; stroke-width: 0.8 }
@media (prefers-color-scheme: dark) {
.cities-map text { fill: #e6edf3; stroke: #0d1117 } .cities-map .paper { fill: #0d1117 }
.cities-map .line { stroke: #e6edf3 } .cities-map .coast { stroke: #58b0e3 } .cities-map .border { stroke: #9a938b }
.cities-map circle { fill: #f0883e; stroke: #0d1117 }
}
"""

_Box = Tuple[float, float, float, float]


class Map:
    """A map of cities, which a notebook shows as a picture.

        >>> picture = cities.Map(cities.find("san jose"))
        >>> open("san-jose.svg", "w").write(picture.svg) > 1_000
        True

    `rows` are cities, or rows that have one, as `find`, `Client.city_near` and `rows` of `locate` and `match` return
    them; rows without one, such as those of banks, are left out. Of more than 2,000 cities the largest are drawn.
    """

    def __init__(self, rows: Iterable[Any]):
        cities: dict[tuple[Any, ...], t.City] = {}
        for row in rows:
            city = row.get("city", row)
            if "id" in city:
                cities.setdefault(identity(city), city)
        self.cities = sorted(cities.values(), key=lambda city: -(city.get("population") or 0))[:_SIGNS]

    @property
    def svg(self) -> str:
        """The picture: a text in SVG 1.1, which loads nothing."""
        view = _View.fitting([(city["lat"], city["lon"]) for city in self.cities])
        size = f'width="{_WIDTH:g}" height="{_HEIGHT:g}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="cities-map" {size}'
            f' viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img">',
            f'<style>{_STYLE}</style><rect class="paper" {size}/>', *_ground(view), *self._signs(view), _scale(view),
            "</svg>"]
        return "\n".join(parts) + "\n"

    def __repr__(self) -> str:
        return f"<map of {len(self.cities)} {'city' if len(self.cities) == 1 else 'cities'}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def html(self) -> str:
        """The picture as an element of HTML, on whose page its style has no effect."""
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="map" width="{_WIDTH:g}" src="data:image/svg+xml;base64,{data}">'

    def _signs(self, view: _View) -> Iterator[str]:
        """Signs, the largest city on top, then names, those of the largest cities first."""
        signs = [(city, *view.point(city["lat"], city["lon"]), _radius(city)) for city in self.cities]
        for city, x, y, radius in reversed(signs):
            title = f"{_title(city)}, {city['population']:,}" if city.get("population") is not None else _title(city)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}"><title>{_text(title)}</title></circle>'
        taken = [(x - radius, y - radius, x + radius, y + radius) for _, x, y, radius in signs]
        left = _NAMES
        for city, x, y, radius in signs:
            place = (_columns(city["name"]) * _LETTER, x, y, radius + 3)
            box = _free_box(*place, taken) if left else None
            # The largest city has its name, even over the signs around it.
            if not box and left == _NAMES:
                box = _free_box(*place, [])
            if box:
                left -= 1
                taken.append(box)
                yield f'<text x="{box[0]:.1f}" y="{box[3] - 3.5:.1f}">{_text(city["name"])}</text>'


class _View(NamedTuple):
    """What a picture shows: degrees in its middle, metres in a unit, and the cosine that longitudes are scaled by."""

    lat: float
    lon: float
    metres: float
    shrink: float

    @staticmethod
    def fitting(places: Sequence[tuple[float, float]]) -> _View:
        """The closest view of all places; across the date line it takes the shorter way round."""
        widest = 360 * math.cos(math.radians(_WORLD_PARALLEL)) / _WIDTH * _METRES_PER_DEGREE
        if not places:
            return _View.around(*_MIDDLE, widest)
        south, north = min(lat for lat, _ in places), max(lat for lat, _ in places)
        west, east = _smallest_arc([lon for _, lon in places])
        lat, lon = (south + north) / 2, _wrapped((west + east) / 2)
        down, across = (north - south) / _HEIGHT, (east - west) * math.cos(math.radians(lat)) / _WIDTH
        metres = max(down, across) / _FILLED * _METRES_PER_DEGREE
        if metres >= widest:
            return _View.around(*_MIDDLE, widest)
        return _View.around(lat, lon, max(metres, (_LEAST if len(places) > 1 else _USUAL) / _WIDTH))

    @staticmethod
    def around(lat: float, lon: float, metres: float) -> _View:
        reach = min(_HEIGHT / 2 * metres / _METRES_PER_DEGREE, _REACH)
        parallel = max(abs(lat), reach * _WORLD_PARALLEL / _REACH)
        return _View(lat, lon, metres, max(0.01, math.cos(math.radians(parallel))))

    def point(self, lat: float, lon: float) -> tuple[float, float]:
        """Where a place lies, in units from the upper left corner."""
        units = _METRES_PER_DEGREE / self.metres
        return _WIDTH / 2 + _wrapped(lon - self.lon) * units * self.shrink, _HEIGHT / 2 + (self.lat - lat) * units


# ---- Ground ----


def _ground(view: _View) -> Iterator[str]:
    """Coasts over borders, where they are true enough for the view."""
    if view.metres < _FINEST:
        return
    lines = _outlines()[0 if view.metres >= _COARSE else -1]
    for kind, name in ((1, "border"), (0, "coast")):
        data = "".join(path for line in lines if line.kind == kind for path in _paths(view, line))
        if data:
            yield f'<path class="{name}" d="{data}"/>'


def _paths(view: _View, line: _Line) -> Iterator[str]:
    """The parts of a line that the picture shows, as path data."""
    units = _METRES_PER_DEGREE / view.metres
    down, across = _HEIGHT / 2 / units, _WIDTH / 2 / units / view.shrink
    (south, north), (west, east) = line.latitudes, line.longitudes
    if south > view.lat + down or north < view.lat - down:
        return
    if abs(_wrapped((west + east) / 2 - view.lon)) - (east - west) / 2 > across:
        return
    half_turn = 180 * units * view.shrink
    points, last = "", (math.inf, math.inf)
    before = None
    for lon, lat in line.points:
        point = view.point(lat, lon)
        if before and _is_shown(before, point) and abs(point[0] - before[0]) < half_turn:
            if not points:
                points, last = f"M{before[0]:.1f} {before[1]:.1f}L", before
            # Points closer than a unit would only make the picture larger.
            if abs(point[0] - last[0]) + abs(point[1] - last[1]) >= 1:
                points, last = f"{points}{point[0]:.1f} {point[1]:.1f} ", point
        elif points:
            yield _closed(points, before or last)
            points = ""
        before = point
    if points and before:
        yield _closed(points, before)


def _closed(points: str, end: tuple[float, float]) -> str:
    return f"{points}{end[0]:.1f} {end[1]:.1f}"


def _is_shown(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether the box around two points meets the picture."""
    return (
        max(one[0], other[0]) >= 0 and min(one[0], other[0]) <= _WIDTH
        and max(one[1], other[1]) >= 0 and min(one[1], other[1]) <= _HEIGHT)


class _Line(NamedTuple):
    """A coast, 0, or a border, 1: its points, longitude and latitude, and how far it reaches."""

    kind: int
    points: list[tuple[float, float]]
    longitudes: tuple[float, float]
    latitudes: tuple[float, float]


@lru_cache(maxsize=1)
def _outlines() -> list[list[_Line]]:
    """The lines of each scale, the coarsest first, by the format that contrib/data/make-outlines describes."""
    with open(_OUTLINES, "rb") as file:
        numbers = _varints(file.read()[13:])
    units = next(numbers)
    return [[_line(numbers, units) for _ in range(next(numbers))] for _ in range(next(numbers)) if next(numbers)]


def _line(numbers: Iterator[int], units: int) -> _Line:
    kind, count = next(numbers), next(numbers)
    points, lon, lat = list[Tuple[float, float]](), 0, 0
    for _ in range(count):
        lon, lat = lon + _zigzag(next(numbers)), lat + _zigzag(next(numbers))
        points.append((lon / units, lat / units))
    longitudes, latitudes = zip(*points)
    return _Line(kind, points, (min(longitudes), max(longitudes)), (min(latitudes), max(latitudes)))


def _varints(data: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            yield number
            number = shift = 0
        else:
            shift += 7


def _zigzag(number: int) -> int:
    return number >> 1 if number & 1 == 0 else -(number >> 1) - 1


def _wrapped(lon: float) -> float:
    """A longitude from -180 up to, and without, 180."""
    return (lon + 180) % 360 - 180


def _smallest_arc(longitudes: Sequence[float]) -> tuple[float, float]:
    """The smallest arc that holds all longitudes: the circle without the widest gap; its east may be beyond 180."""
    around = sorted({_wrapped(lon) for lon in longitudes})
    gaps = [(after - before, before, after) for before, after in zip(around, [*around[1:], around[0] + 360])]
    _, east, west = max(gaps)
    return west, east + 360


# ---- Signs and names ----


def _radius(city: t.City) -> float:
    population = city.get("population") or 0
    return 5 if population >= 1_000_000 else 4 if population >= 100_000 else 3


def _title(city: t.City) -> str:
    return f"{city['name']}, {city['country']}" if city["country"] else city["name"]


def _free_box(width: float, x: float, y: float, gap: float, taken: list[_Box]) -> _Box | None:
    """Where a name meets no sign and no other name: right of its sign, left, above or below it, in the picture."""
    for left, top in ((x + gap, y - _LINE / 2), (x - gap - width, y - _LINE / 2),
                      (x - width / 2, y - gap - _LINE), (x - width / 2, y + gap)):
        box = (left, top, left + width, top + _LINE)
        if left < 0 or top < 0 or box[2] > _WIDTH or box[3] > _HEIGHT:
            continue
        if all(box[0] >= other[2] or box[2] <= other[0] or box[1] >= other[3] or box[3] <= other[1]
               for other in taken):
            return box
    return None


def _columns(text: str) -> int:
    """The width of a text in letters: those of East Asia are twice as wide, and marks take no room."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else not unicodedata.combining(sign) for sign in text)


def _scale(view: _View) -> str:
    """A bar of a round length, of a fifth of the width at most."""
    most = _WIDTH / 5 * view.metres
    power = 10 ** math.floor(math.log10(most))
    metres = next(digit * power for digit in (5, 2, 1) if digit * power <= most)
    length = f"{metres / 1_000:g} km" if metres >= 1_000 else f"{metres:g} m"
    units = metres / view.metres
    return (f'<path class="line" d="M12 {_HEIGHT - 18:g}v8h{units:.1f}v-8"/>'
            f'<text x="{20 + units:.1f}" y="{_HEIGHT - 10:g}">{length}</text>')


#: A name must not change how the rest reads, and XML does not allow the others.
_DROPPED = dict.fromkeys([*ACTING, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])


def _text(text: str) -> str:
    """A text as character data of XML."""
    return html.escape(text.translate(_DROPPED))
