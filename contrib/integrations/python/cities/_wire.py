"""The protocol in Python: sockets of servers, errors and frames (Protocol/README.md)."""

from __future__ import annotations

import io
import math
import numbers
import os
import re
import struct
import sys
import warnings
from array import array
from collections.abc import Mapping, Set
from typing import Any, Iterable

import cbor2

from ._owners import doubt

#: The largest payload a server accepts, and the largest it sends, in bytes (Protocol/README.md, "Framing").
MAXIMUM_REQUEST = 64 * 1024
MAXIMUM_REPLY = 4 * 1024 * 1024
#: Nested arrays, maps and tags of a reply.
MAXIMUM_DEPTH = 16
#: Seconds of silence after which a call gives up.
TIMEOUT = 2.0

#: Characters that act on a terminal (the same as in `citiesctl`): controls, separators of lines and paragraphs, and
#: marks that change the direction of the text.
ACTING = (*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))

#: The length before a payload.
LENGTH = struct.Struct(">I")
#: Tags of little-endian typed arrays (RFC 8746), and the type codes of the module `array` for them.
TYPED_ARRAYS = {64: "B", 70: "I", 71: "Q", 85: "f", 86: "d"}


#: The major type of a map.
_MAP = 5
#: NaN and infinity in 16, 32 and 64 bits. In UTF-8 there are no such bytes.
_NOT_FINITE = [re.compile(head) for head in (
    rb"\xf9[\x7c-\x7f\xfc-\xff]", rb"\xfa[\x7f\xff][\x80-\xff]", rb"\xfb[\x7f\xff][\xf0-\xff]")]
#: What only cbor2 6 can: reject duplicate keys, and limit the depth. Its first versions damage long texts if they read
#: less than the whole payload at once.
_STRICT: dict[str, Any] = {
    name: value for name, value in (
        ("allow_duplicate_keys", False), ("max_depth", MAXIMUM_DEPTH), ("read_size", MAXIMUM_REPLY))
    if hasattr(cbor2.CBORDecoder, name)}


class ServerError(Exception):
    """The server's answer to a request that failed: `code` for programs, the message for people, `data` for both.

    Like all exceptions here it can be made from its message alone: engines copy exceptions between processes.
    """

    def __init__(self, message: str, code: str = "internal", data: dict[str, Any] | None = None):
        super().__init__(message)
        self.code = code
        self.data: dict[str, Any] = data or {}

    @classmethod
    def of(cls, error: dict[str, Any]) -> ServerError:
        """The exception for the `error` of a reply."""
        return cls(f'{error["code"]}: {error["message"]}', error["code"], error.get("data"))


class ProtocolError(Exception):
    """The peer does not speak this protocol, or the connection ended in the middle of a frame."""


class ConnectionEnded(ProtocolError):
    """The connection ended before the answer: the server stopped, or was killed."""


def socket_paths() -> list[str]:
    """The paths where a server may listen, in order of preference; CITIES_SOCKET alone if it is set.

    A socket below XDG_RUNTIME_DIR that another user could have made is left out, with a RuntimeWarning: after su(1),
    that folder is usually another user's.
    """
    named = os.environ.get("CITIES_SOCKET")
    if named:
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    own = f"{runtime}/cities/citiesd.sock"
    reason = doubt(own) if os.path.isabs(runtime) else ""
    if reason:
        warnings.warn(f"{own} is not used: {reason}", RuntimeWarning, stacklevel=3)
    return ([own] if reason is None else []) + ["/run/cities/citiesd.sock"]


def existing_socket() -> str | None:
    """The first socket that exists; None if there is none and CITIES_SOCKET is not set."""
    named = os.environ.get("CITIES_SOCKET")
    return named or next((path for path in socket_paths() if os.path.exists(path)), None)


def from_typed_array(*hook_arguments: Any) -> Any:
    """A typed array as an `array`; other unknown tags are left as they are.

    cbor2 5 calls the hook with the decoder and the tag, cbor2 6 with the tag and a flag.
    """
    tag = next(a for a in hook_arguments if isinstance(a, cbor2.CBORTag))
    if tag.tag not in TYPED_ARRAYS or not isinstance(tag.value, bytes):
        return tag
    values = array(TYPED_ARRAYS[tag.tag])
    if len(tag.value) % values.itemsize:
        raise ProtocolError(f"a typed array of {len(tag.value)} bytes, which are no whole numbers")
    values.frombytes(tag.value)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def to_typed_array(values: array[Any]) -> cbor2.CBORTag:
    """An `array` as a typed array for a request; TypeError for a type code that has none."""
    tag = next((tag for tag, code in TYPED_ARRAYS.items() if code == values.typecode), None)
    if tag is None:
        raise TypeError(
            f"an array of type {values.typecode!r} cannot be sent; use one of {' '.join(TYPED_ARRAYS.values())}")
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return cbor2.CBORTag(tag, values.tobytes())


def _sendable(value: Any) -> Any:
    """A value with numbers of NumPy and other libraries as Python's, and -0.0 as 0.0."""
    if value is None or isinstance(value, (str, bytes, bool, cbor2.CBORTag)):
        return value
    if isinstance(value, dict):
        return {key: _sendable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_sendable(inner) for inner in value]
    if isinstance(value, numbers.Integral):
        return int(value)
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    return float(value) + 0.0 if isinstance(value, numbers.Real) else value


def framed(number: int, method: str, params: dict[str, Any]) -> bytes:
    """The frame of a request; ValueError if it is too large for a server."""
    payload: bytes = cbor2.dumps({"id": number, "method": method, "params": _sendable(params)}, canonical=True)
    if len(payload) > MAXIMUM_REQUEST:
        raise ValueError(f"the request has {len(payload)} bytes; at most {MAXIMUM_REQUEST} are allowed")
    return LENGTH.pack(len(payload)) + payload


def decoded(payload: bytes, number: int, kind: str = "result") -> dict[str, Any]:
    """The message in a payload: its id, and a result (or an event, as `kind` says) or an error.

    ProtocolError unless it answers the request `number`, or is an error about a request that was not readable.
    """
    try:
        message = _only_item(payload)
    except Exception as error:  # what cbor2 raises depends on its version and on the item
        raise ProtocolError(f"an answer that is not CBOR: {error.__cause__ or error}") from error
    # cbor2 drops the tag 55799 around an item.
    identifier = message.get("id") if isinstance(message, dict) and payload[0] >> 5 == _MAP else None
    if type(identifier) is not int or identifier not in (number, 0):
        raise ProtocolError(f"expected the answer to request {number}, found {message!r:.200}")
    found = [key for key in ("result", "event", "error") if message.get(key) is not None]
    if found not in ([kind], ["error"]):
        raise ProtocolError(f"an answer without exactly one of {kind} and error: {message!r:.200}")
    if found == ["error"] and not _is_error(message["error"]):
        raise ProtocolError(f"not an error of the protocol: {message!r:.200}")
    if identifier == 0 and found != ["error"]:
        raise ProtocolError(f"expected the answer to request {number}, found a {kind} with the id 0")
    return {"id": identifier, found[0]: message[found[0]]}


def _only_item(payload: bytes) -> Any:
    """The item that a payload consists of; raises whatever cbor2 does, or ValueError."""
    decoder = cbor2.CBORDecoder(io.BytesIO(payload), tag_hook=from_typed_array, **_STRICT)
    item = decoder.decode()
    try:
        decoder.read(1)
    except cbor2.CBORDecodeEOF:
        pass
    else:
        raise ValueError("bytes after the item")
    # Most payloads have no such bytes, and then no Python code runs per value.
    if any(head.search(payload) for head in _NOT_FINITE) and not _is_finite(item):
        raise ValueError("not a finite number")
    return item


def _is_finite(item: Any) -> bool:
    """Whether all floats in an item are finite."""
    left: list[Iterable[Any]] = [[item]]
    while left:
        for value in left.pop():
            kind = type(value)
            if kind is float:
                if not math.isfinite(value):
                    return False
            elif isinstance(value, Mapping):
                left += [value.keys(), value.values()]
            elif isinstance(value, (list, tuple, Set)):
                left.append(value)
            elif kind is cbor2.CBORTag:
                left.append([value.value])
    return True


def _is_error(error: Any) -> bool:
    if not isinstance(error, dict) or not isinstance(error.get("data") or {}, dict):
        return False
    return all(isinstance(error.get(key), str) for key in ("code", "message"))
