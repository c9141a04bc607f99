"""Bulk work as functions, over one connection per thread, which stays open: engines call them once per batch."""

from __future__ import annotations

import os
import threading
from typing import Any

from ._bulk import Located, Matched
from ._client import Client, connect
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


def locate(lat: Any, lon: Any, **options: Any) -> Located:
    """`Client.locate` over this thread's connection."""
    return _client().locate(lat, lon, **options)


def match(names: Any, **options: Any) -> Matched:
    """`Client.match` over this thread's connection."""
    return _client().match(names, **options)


def generation(subject: str = "cities") -> str | None:
    """`Client.generation` over this thread's connection."""
    return _client().generation(subject)
