#!/usr/bin/env python3
"""A client of citiesd in one file, written from Protocol/README.md alone. Needs Python 3.9 and cbor2 (PyPI).

    import cities

    with cities.connect() as server:
        print(server.call("city.search", prefix="alb", limit=3)["rows"])
        for row in server.search("alba", country="IT"):
            print(row["id"], row["name"])
        for entry in server.locations("tallinn", filter={"kind": "atm", "open": True}):
            print(entry["location"]["id"], entry["location"]["address"])
        for event in server.watch():
            print(event["event"], event.get("subject"), event.get("generation"))

At a shell: `cities.py city.search '{"prefix": "alb", "limit": 3}'` prints the result as JSON; exit code 0, 1 with the
error as JSON on stderr, or 2 for wrong use.
"""
from __future__ import annotations

import json
import os
import socket
import struct
import sys
from datetime import datetime
from decimal import Decimal
from typing import Any, Iterator

import cbor2

#: The largest payload a server accepts, and the largest it sends, in bytes (Protocol/README.md, "Framing").
MAXIMUM_REQUEST = 64 * 1024
MAXIMUM_REPLY = 4 * 1024 * 1024
#: Seconds of silence after which a call gives up.
TIMEOUT = 2.0


class ServerError(Exception):
    """The server's answer to a request that failed: `code` for programs, the message for people, `data` for both."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(f'{error["code"]}: {error["message"]}')
        self.code: str = error["code"]
        self.data: dict[str, Any] = error.get("data", {})


class ProtocolError(Exception):
    """The peer does not speak this protocol, or the connection ended in the middle of a frame."""


def socket_paths() -> list[str]:
    """Where a server may listen, first choice first. CITIES_SOCKET is the only candidate where it is set."""
    named = os.environ.get("CITIES_SOCKET")
    if named:
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return ([f"{runtime}/cities/citiesd.sock"] if runtime else []) + ["/run/cities/citiesd.sock"]


def connect(path: str | None = None, timeout: float = TIMEOUT) -> Client:
    """Connects to `path`, else to the first existing socket; a refused connection is an error, never a fall-through."""
    candidates = [path] if path else socket_paths()
    existing = next((p for p in candidates if os.path.exists(p)), candidates[0])
    return Client(existing, timeout)


class Client:
    """One connection. A call is one round trip; `pipeline` sends many requests before it reads the first reply."""

    def __init__(self, path: str, timeout: float = TIMEOUT):
        self.path, self.timeout = path, timeout
        self._id = 0
        self._open()

    def _open(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(self.timeout)
        try:
            self._socket.connect(self.path)
        except OSError:
            self._socket.close()
            raise
        self._input = bytearray()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def call(self, method: str, **params: Any) -> Any:
        """Asks once and returns the result; raises ServerError.

        Every method of the protocol may be asked twice without harm, so a connection that broke, because the server
        was restarted, is opened anew once.
        """
        try:
            return self._result(self._send(method, params))
        except (ConnectionError, ProtocolError):
            self.close()
            self._open()
            return self._result(self._send(method, params))

    def pipeline(self, requests: list[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Sends all requests at once; returns a result, or a ServerError, for each, in their order."""
        ids = [self._send(method, params) for method, params in requests]
        return [self._outcome(number) for number in ids]

    def search(self, prefix: str, page: int = 1_000, **params: Any) -> Iterator[dict[str, Any]]:
        """All cities whose title begins with `prefix`, page by page."""
        return self._pages("city.search", page, prefix=prefix, **params)

    def locations(self, words: str = "", page: int = 1_000, **params: Any) -> Iterator[dict[str, Any]]:
        """All locations of banks whose name and address hold `words`, page by page."""
        return self._pages("bank.search", page, query=words, **params)

    def _pages(self, method: str, page: int, **params: Any) -> Iterator[dict[str, Any]]:
        """All rows of a method that sends pages.

        Pages belong to one generation of the data; where that changes in between, `stale-generation` is raised by the
        next page, and the caller starts over.
        """
        offset, generation = 0, {}
        while True:
            reply = self.call(method, limit=page, offset=offset, **generation, **params)
            yield from reply["rows"]
            offset, generation = offset + len(reply["rows"]), {"generation": reply["generation"]}
            if not reply["rows"] or offset >= reply["total"]:
                return

    def watch(self, *subjects: str) -> Iterator[dict[str, Any]]:
        """The state first, as an event named `state`, then every event as it comes; ends with the connection."""
        number = self._send("watch", {"subjects": list(subjects)} if subjects else {})
        yield {"event": "state", **self._result(number)}
        self._socket.settimeout(None)
        while True:
            yield self._receive(number)["event"]

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._id += 1
        payload = cbor2.dumps({"id": self._id, "method": method, "params": params}, canonical=True)
        if len(payload) > MAXIMUM_REQUEST:
            raise ValueError(f"the request has {len(payload)} bytes; at most {MAXIMUM_REQUEST} are allowed")
        self._socket.sendall(struct.pack(">I", len(payload)) + payload)
        return self._id

    def _result(self, number: int) -> Any:
        outcome = self._outcome(number)
        if isinstance(outcome, ServerError):
            raise outcome
        return outcome

    def _outcome(self, number: int) -> Any:
        reply = self._receive(number)
        return ServerError(reply["error"]) if "error" in reply else reply["result"]

    def _receive(self, number: int) -> dict[str, Any]:
        (length,) = struct.unpack(">I", self._read(4))
        if length > MAXIMUM_REPLY:
            raise ProtocolError(f"a frame of {length} bytes; at most {MAXIMUM_REPLY} are allowed")
        message = cbor2.loads(self._read(length))
        if not isinstance(message, dict) or message.get("id") not in (number, 0):
            raise ProtocolError(f"expected the answer to request {number}, found {message!r:.200}")
        return message

    def _read(self, count: int) -> bytes:
        while len(self._input) < count:
            received = self._socket.recv(1 << 16)
            if not received:
                raise ProtocolError("the connection ended in the middle of an answer")
            self._input += received
        data = bytes(self._input[:count])
        del self._input[:count]
        return data


def _plain(value: Any) -> Any:
    """What JSON has no type for: moments as RFC 3339 text, exact decimals as text."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"unexpected {type(value).__name__}")


def _fail(code: str, message: str, data: dict[str, Any]) -> int:
    print(json.dumps({"code": code, "message": message, "data": data}, default=_plain), file=sys.stderr)
    return 1


def main(words: list[str]) -> int:
    if not 1 <= len(words) <= 2:
        print("usage: cities.py METHOD [JSON]", file=sys.stderr)
        return 2
    try:
        params = json.loads(words[1]) if len(words) > 1 else {}
        if not isinstance(params, dict):
            raise ValueError("the parameters must be a JSON object")
    except ValueError as error:
        print(f"cities.py: {words[1]!r:.80}: {error}", file=sys.stderr)
        return 2
    try:
        with connect() as server:
            result = server.call(words[0], **params)
    except ServerError as error:
        return _fail(error.code, str(error), error.data)
    except (OSError, ProtocolError, ValueError) as error:
        return _fail("connection", f"{socket_paths()}: {error}", {})
    print(json.dumps(result, ensure_ascii=False, default=_plain))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
