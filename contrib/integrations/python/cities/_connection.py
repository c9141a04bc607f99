"""Frames over a Unix socket, as Protocol/README.md describes them: sockets, errors, one connection."""

from __future__ import annotations

import os
import socket
import struct
import sys
from array import array
from typing import Any

import cbor2

#: The largest payload a server accepts, and the largest it sends, in bytes (Protocol/README.md, "Framing").
MAXIMUM_REQUEST = 64 * 1024
MAXIMUM_REPLY = 4 * 1024 * 1024
#: Seconds of silence after which a call gives up.
TIMEOUT = 2.0

_LENGTH = struct.Struct(">I")
#: Tags of little-endian typed arrays (RFC 8746), and the type codes of the module `array` for them.
TYPED_ARRAYS = {64: "B", 70: "I", 71: "Q", 85: "f", 86: "d"}


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
    """Where a server may listen, first choice first. CITIES_SOCKET is the only candidate where it is set."""
    named = os.environ.get("CITIES_SOCKET")
    if named:
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return ([f"{runtime}/cities/citiesd.sock"] if runtime else []) + ["/run/cities/citiesd.sock"]


def existing_socket(path: str | None = None) -> str:
    """`path`, else the first socket that exists, else the first candidate, so that the error names it."""
    candidates = [path] if path else socket_paths()
    return next((p for p in candidates if os.path.exists(p)), candidates[0])


def from_typed_array(*hook_arguments: Any) -> Any:
    """A typed array as an `array` of numbers; other unknown tags stay what they are.

    cbor2 5 calls the hook with the decoder and the tag, cbor2 6 with the tag and a flag.
    """
    tag = next(a for a in hook_arguments if isinstance(a, cbor2.CBORTag))
    if tag.tag not in TYPED_ARRAYS or not isinstance(tag.value, bytes):
        return tag
    numbers = array(TYPED_ARRAYS[tag.tag])
    if len(tag.value) % numbers.itemsize:
        raise ProtocolError(f"a typed array of {len(tag.value)} bytes, which are no whole numbers")
    numbers.frombytes(tag.value)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def to_typed_array(numbers: array[Any]) -> cbor2.CBORTag:
    """An `array` as a typed array for a request; KeyError for a type code that has none."""
    tag = next(tag for tag, code in TYPED_ARRAYS.items() if code == numbers.typecode)
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return cbor2.CBORTag(tag, numbers.tobytes())


class Connection:
    """One connection with frames in both directions. It belongs to one thread."""

    def __init__(self, path: str, timeout: float = TIMEOUT):
        self.path, self.timeout = path, timeout
        self._id = 0
        self._open()

    def _open(self) -> None:
        self._input = bytearray()
        #: Whether answers are still due that nobody waits for: the next request needs a new connection.
        self._abandoned = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # With a timeout in Python the socket does not block, and connecting to a full queue fails at once (unix(7)).
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(self.timeout) + 1, 0))
        try:
            self._socket.connect(self.path)
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(self.timeout)

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def _reopen(self) -> None:
        self.close()
        self._open()

    def _frame(self, method: str, params: dict[str, Any]) -> tuple[int, bytes]:
        """A request with the next id; ValueError if it is too large for a server."""
        self._id += 1
        payload: bytes = cbor2.dumps({"id": self._id, "method": method, "params": params}, canonical=True)
        if len(payload) > MAXIMUM_REQUEST:
            raise ValueError(f"the request has {len(payload)} bytes; at most {MAXIMUM_REQUEST} are allowed")
        return self._id, _LENGTH.pack(len(payload)) + payload

    def _send(self, method: str, params: dict[str, Any]) -> int:
        number, frame = self._frame(method, params)
        if self._abandoned:
            self._reopen()
        self._socket.sendall(frame)
        return number

    def _outcome(self, number: int) -> Any:
        reply = self._receive(number)
        return ServerError.of(reply["error"]) if "error" in reply else reply["result"]

    def _receive(self, number: int) -> dict[str, Any]:
        """The next message, which must belong to a request, or to none because the server could not read its id."""
        while (payload := self._take_payload()) is None:
            self._receive_more()
        return decoded(payload, number)

    def _receive_more(self) -> None:
        received = self._socket.recv(1 << 18)
        if not received:
            raise ConnectionEnded("the connection ended in the middle of an answer")
        self._input += received

    def _take_payload(self) -> bytes | None:
        """The next payload, if all of it has arrived."""
        if len(self._input) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._input)
        if length > MAXIMUM_REPLY:
            raise ProtocolError(f"a frame of {length} bytes; at most {MAXIMUM_REPLY} are allowed")
        end = _LENGTH.size + length
        if len(self._input) < end:
            return None
        payload = bytes(memoryview(self._input)[_LENGTH.size : end])
        del self._input[:end]
        return payload


def decoded(payload: bytes, number: int) -> dict[str, Any]:
    """The message in a payload; ProtocolError unless it answers the request `number`, or one that was not readable."""
    try:
        message = cbor2.loads(payload, tag_hook=from_typed_array)
    except (cbor2.CBORDecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"an answer that is not CBOR: {error}") from error
    if not isinstance(message, dict) or message.get("id") not in (number, 0):
        raise ProtocolError(f"expected the answer to request {number}, found {message!r:.200}")
    return message
