"""Functions over one connection per thread, which stays open: for a notebook, and for engines once per batch."""

from __future__ import annotations

import html
import os
import threading
from typing import TYPE_CHECKING, Any, Sequence

from ._bulk import PATIENCE, Located, Matched
from ._client import Client, connect
from ._map import Map
from ._wire import socket_paths

if TYPE_CHECKING:
    from . import types as t
    from ._client import Place

_threads = threading.local()


def _client() -> Client:
    """This thread's connection. A forked process makes its own, as does a thread after CITIES_SOCKET has changed.

    Otherwise a thread keeps its server, private or not, because another one may have different data.
    """
    key = (os.getpid(), socket_paths())
    if getattr(_threads, "key", None) != key:
        _threads.client, _threads.key = connect(), key
    client: Client = _threads.client
    return client


class Found(list["t.FoundCity"]):
    """The rows of `find`, best first; a notebook shows them as a table and a map."""

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("city", "country", "region", "population", "lat", "lon", "id"))
        rows = "".join(f"<tr>{self._cells(row['city'])}</tr>" for row in self)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return table + Map(self).html() if self else table

    def _repr_svg_(self) -> str | None:
        return Map(self).svg if self else None

    @staticmethod
    def _cells(city: t.City) -> str:
        population = f"{city['population']:,}" if "population" in city else ""
        values = (
            city["name"], city["country"], city.get("region", ""), population, city["lat"], city["lon"], city["id"])
        return "".join(f"<td>{html.escape(str(value))}</td>" for value in values)


def find(
    query: str, *, near: Place | None = None, limit: int | None = None, typos: bool | None = None,
    region: str | None = None, country: str | None = None,
) -> Found:
    """The cities that people may mean by a name in any language, best first.

        >>> cities.find("munchen")[0]["city"]["name"]
        'Munich'

    The name may be misspelt, unless `typos` is False, and followed by a region or country. `near` is a place: cities
    around it come first. `country` and `region`, names or codes, keep the cities in them; `limit` is 10.
    """
    return Found(_client().city_find(
        query, near=near, limit=limit, typos=typos, region=region, country=country)["rows"])


def locate(
    lat: Any, lon: Any, *, rule: str | None = None, rows: bool = False, generation: str | None = None,
    patience: float = PATIENCE,
) -> Located:
    """The city at each position: `Client.locate` over this thread's connection.

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
    """The city that each name means: `Client.match` over this thread's connection.

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
