"""Functions over one connection per thread, which stays open: for a notebook, and for engines once per batch."""

from __future__ import annotations

import html
import os
import threading
from typing import Any, List

from . import types as t
from ._bulk import Located, Matched
from ._client import Client, connect
from ._map import Map
from ._wire import socket_paths

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


class Found(List[t.FoundCity]):
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


def find(query: str, **options: Any) -> Found:
    """The cities that people may mean by a name in any language: the rows of `Client.city_find`, best first.

        >>> cities.find("munchen")[0]["city"]["name"]
        'Munich'

    Options are those of `Client.city_find`: near, limit, typos, region, country.
    """
    return Found(_client().city_find(query, **options)["rows"])


def locate(lat: Any, lon: Any, **options: Any) -> Located:
    """`Client.locate` over this thread's connection."""
    return _client().locate(lat, lon, **options)


def match(names: Any, **options: Any) -> Matched:
    """`Client.match` over this thread's connection."""
    return _client().match(names, **options)


def generation(subject: str = "cities") -> str | None:
    """`Client.generation` over this thread's connection."""
    return _client().generation(subject)
