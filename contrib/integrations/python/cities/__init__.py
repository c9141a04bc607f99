"""A client of citiesd, written from Protocol/README.md alone. Needs Python 3.9 and cbor2.

    import cities

    print(cities.find("munchen")[0]["name"])    # a notebook shows the list as a table and a map

    with cities.connect() as server:
        print(server.city_find("munchen")["rows"][0]["city"]["name"])
        for row in server.search("alba", country="IT"):
            print(row["id"], row["name"])
        for entry in server.locations("tallinn", filter={"kind": "atm", "open": True}):
            print(entry["location"]["id"], entry["location"]["address"])
        for event in server.watch():
            print(event["event"], event.get("subject"), event.get("generation"))

    # Columns of NumPy, Arrow, Polars, pandas, array, or lists
    ids, metres = cities.locate(lat, lon)[:2]
    table["city"] = cities.match(table["town"], rows=True).column("name")

At a shell: `python3 -m cities city.search '{"prefix": "alb", "limit": 3}'` prints the result as JSON.
"""

#: The version, that of the programs. It stands here because the build of the wheel reads it without importing.
__version__ = "0.1.0"

import importlib
import sys
from typing import Any

try:
    import cbor2 as _cbor2  # noqa: F401
except ImportError as error:
    reason = "the package cities needs the Python package cbor2: pip install cbor2, or Debian's python3-cbor2"
    # `python3 -m cities` prints no traceback.
    raise (SystemExit(f"cities: {reason}") if sys.argv[:1] == ["-m"] else ImportError(f"{reason} ({error})")) from None

from ._bulk import BATCH, GUESS, LIKELY, NONE, NOTHING, PATIENCE, SURE, Located, Matched
from ._client import Client, connect
from ._generations import GenerationChanged, GenerationsDiffer, Incomplete, same_generation
from ._map import Map
from ._shared import Found, country, distance, find, generation, locate, match, near, show, time
from ._wire import MAXIMUM_REPLY, MAXIMUM_REQUEST, TIMEOUT, ConnectionEnded, ProtocolError, ServerError, socket_paths

__all__ = [
    "BATCH", "GUESS", "LIKELY", "MAXIMUM_REPLY", "MAXIMUM_REQUEST", "NONE", "NOTHING", "PATIENCE", "SURE", "TIMEOUT",
    "Client", "ConnectionEnded", "Found", "GenerationChanged", "GenerationsDiffer", "Incomplete", "Located", "Map",
    "Matched", "ProtocolError", "ServerError", "__version__", "connect", "country", "distance", "find", "generation",
    "locate", "match", "near", "same_generation", "show", "socket_paths", "time",
]


def __getattr__(name: str) -> Any:
    """Imports `cities.sql` at its first use, because it needs PyArrow."""
    if name == "sql":
        return importlib.import_module(".sql", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
