"""Functions over a connection that stays open: for a notebook, and for engines once per batch."""

from __future__ import annotations

import html
import importlib
import json
import math
import os
import subprocess
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from ._bulk import FACTS, PATIENCE, Located, Matched
from ._client import Client, connect
from ._map import Map
from ._private import program
from ._wire import ServerError

if TYPE_CHECKING:
    from . import types as t
    from ._client import Place

_clients: dict[bool | None, tuple[tuple[Any, ...], Client]] = {}
_EARTH_RADIUS = 6_371_008.8
#: The columns that every list has, in this order.
_COLUMNS = FACTS[:7]


def _client(private: bool | None = None) -> Client:
    """The client of this process. A forked process makes its own, and so does this one after CITIES_SOCKET has changed.

    Otherwise a process keeps its server, private or not, because another one may have different data. Threads share the
    client: threads of an engine are new to Python at each call, and would start a private server each time.
    """
    key = (os.getpid(), os.environ.get("CITIES_SOCKET"), os.environ.get("XDG_RUNTIME_DIR"))
    known = _clients.get(private)
    if known is None or known[0] != key:
        known = _clients[private] = key, connect(private=private)
    return known[1]


class Found(list["dict[str, Any]"]):
    """Cities with all their facts as keys; a notebook shows them as a table and a map.

    Rows of `find`, `near` and `time` also have the keys of the reply, with the city of the protocol as `city`.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()):
        super().__init__({**row.get("city", {}), **row} for row in rows)

    def frame(self, library: str = "pandas") -> Any:
        """The rows as a table of a library: "pandas", "polars", or "pyarrow".

            >>> cities.near("tallinn", limit=2).frame("polars")["name"].to_list()
            ['Tallinn', 'Kesklinn']
        """
        if library not in ("pandas", "polars", "pyarrow"):
            raise ValueError(f"library must be 'pandas', 'polars' or 'pyarrow', not {library!r}")
        simple = (key for row in self for key, value in row.items() if not isinstance(value, (dict, list)))
        columns = {key: [row.get(key) for row in self] for key in dict.fromkeys([*_COLUMNS, *simple])}
        module = importlib.import_module(library)
        if library == "pyarrow":
            return module.table(columns)
        frame = module.DataFrame(columns)
        return frame.astype({"population": "Int64"}) if library == "pandas" else frame

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = "".join(f"<tr>{self._cells(row)}</tr>" for row in self)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return table + Map(self).html() if self else table

    def _repr_svg_(self) -> str | None:
        return Map(self).svg if self else None

    @staticmethod
    def _cells(row: dict[str, Any]) -> str:
        values = (f"{row[key]:,}" if key == "population" and key in row else row.get(key, "") for key in _COLUMNS)
        return "".join(f"<td>{html.escape(str(value))}</td>" for value in values)


def find(
    query: str, *, near: Place | None = None, limit: int | None = None, typos: bool | None = None,
    region: str | None = None, country: str | None = None,
) -> Found:
    """The cities that people may mean by a name in any language, best first.

        >>> cities.find("munchen")[0]["name"]
        'Munich'

    The name may be misspelt, unless `typos` is False, and followed by a region or country. `near` is a place: cities
    around it come first. `country` and `region`, names or codes, keep the cities in them; `limit` is 10.
    """
    return Found(_client().city_find(
        query, near=near, limit=limit, typos=typos, region=region, country=country)["rows"])


def near(
    place: Place, *, rule: str | None = None, limit: int | None = None, radius: float | None = None,
    with_: Sequence[str] = ("region", "zone"),
) -> Found:
    """The cities nearest to a place, with their `distance` in metres.

        >>> cities.near((48.137, 11.575), limit=1)[0]["name"]
        'Munich'

    With `rule="place"`, the city that people would name comes first. `radius` is in metres.
    """
    return Found(_client().city_near(place, rule=rule, with_=with_, limit=limit, radius=radius)["rows"])


def show(place: int | str | t.PlaceById | t.PlaceByTitle | t.PlaceByQuery, *, near: Place | None = None) -> t.City:
    """All facts about one city: `zone`, `region` and `alternates`, its other names, too.

        >>> cities.show("reval")["zone"]
        'Europe/Tallinn'
    """
    wanted: Any = {"query": place} if isinstance(place, str) else place if isinstance(place, Mapping) else {"id": place}
    return _client().city_get(**wanted, near=near, with_=["alternates", "region", "zone"])["city"]


def time(*places: Place | t.PlaceByZone, at: str | None = None) -> Found:
    """The local time of places, now or at a moment: `local`, `offset`, `zone`, and the next `change` of the clocks.

        >>> [row["local"] for row in cities.time("tokyo", "new york", at="2026-07-01T12:00:00Z")]
        ['2026-07-01T21:00:00', '2026-07-01T08:00:00']

    `at` is RFC 3339, such as `2026-07-01T12:00:00Z`, or without an offset the local time of the first place.
    """
    return Found(_client().city_time(places, at=at)["rows"])


def distance(one: Place, other: Place) -> int:
    """The metres between two places, along a great circle.

        >>> cities.distance("tallinn", "riga")
        279568
    """
    places = (_client().city_near(place, limit=1)["origin"] for place in (one, other))
    (lat, lon), (far_lat, far_lon) = ((math.radians(at["lat"]), math.radians(at["lon"])) for at in places)
    chord = math.sin((far_lat - lat) / 2) ** 2
    chord += math.cos(lat) * math.cos(far_lat) * math.sin((far_lon - lon) / 2) ** 2
    return round(2 * _EARTH_RADIUS * math.asin(min(1, math.sqrt(chord))))


def country(name: str) -> dict[str, Any]:
    """Facts about a country, by its code or one of its names: what `citiesctl country` prints, which this runs.

        >>> cities.country("japan")["capital"], cities.country("japan")["currency"]
        ('Tokyo', 'JPY')
    """
    path = program("citiesctl")
    if not path:
        raise FileNotFoundError("facts about countries need the program citiesctl: install the package cities")
    ran = subprocess.run(
        [path, "country", "--output", "json", "--", name], capture_output=True, encoding="utf-8", check=False)
    if ran.returncode:
        last = ran.stderr.strip().rpartition("\n")[2]
        raise ServerError.of(json.loads(last)["error"]) if last.startswith("{") else ServerError(last)
    (row,) = json.loads(ran.stdout)["rows"]
    return dict(row)


def locate(
    lat: Any, lon: Any, *, rule: str | None = None, rows: bool = False, generation: str | None = None,
    patience: float = PATIENCE,
) -> Located:
    """The city at each position: `Client.locate` over this process's client.

        >>> cities.locate([59.44, None], [24.75, 0], rule="place", rows=True).column("name")
        ['Tallinn', None]

    `lat` and `lon` are columns of degrees: arrays of NumPy, columns of Arrow, Polars or pandas, `array`s, lists.
    `rule="place"` gives the city that people would name, not its district. `rows=True` also returns the cities.
    """
    return _client().locate(lat, lon, rule=rule, rows=rows, generation=generation, patience=patience)


def match(
    names: Any, *, country: str | None = None, region: str | None = None, countries: Any = None, regions: Any = None,
    typos: bool | None = None, rows: bool = False, with_: Sequence[str] | None = None, generation: str | None = None,
    patience: float = PATIENCE,
) -> Matched:
    """The city that each name means: `Client.match` over this process's client.

        >>> cities.match(["Wien", "springfield", None], rows=True).column("country")
        ['AT', 'US', None]

    `names` is a column of str. `countries` and `regions` are columns beside it, `country` and `region` apply to all
    names. `rows=True` also returns the cities. `classes` say how sure each match is.
    """
    return _client().match(
        names, country=country, region=region, countries=countries, regions=regions, typos=typos, rows=rows,
        with_=with_, generation=generation, patience=patience)


def generation(subject: str = "cities") -> str | None:
    """The current generation of a subject; None if it has no data. Equal generations are equal data."""
    return _client().generation(subject)
