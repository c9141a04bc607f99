"""Connections to a server over a Unix socket: pipelined frames, and a time limit for each wait."""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
from collections import deque
from typing import Any, Callable, Iterator, NamedTuple, Protocol, TypeVar

from ._private import PrivateServer
from ._wire import LENGTH, MAXIMUM_REPLY, TIMEOUT, ConnectionEnded, ProtocolError, decoded, framed

#: Bytes that are read at once, into memory that is allocated once.
_READ = 1 << 16
_IN, _OUT = select.POLLIN, select.POLLOUT
#: The longest wait that poll(2) accepts, in milliseconds: 24 days.
_LONGEST_WAIT = 0x7FFF_FFFF


class Sendable(Protocol):
    """A request that is ready to be sent."""

    @property
    def number(self) -> int:
        """Its id."""

    @property
    def frame(self) -> bytes:
        """Its bytes, with their length."""


class Request(NamedTuple):
    """A single request."""

    number: int
    frame: bytes


Sent = TypeVar("Sent", bound=Sendable)


class Stream:
    """A connected socket. It never blocks: all waiting is in `_wait`, with the caller's limit.

    With `is_private`, `path` is the program of a server that is started for this stream alone.
    """

    def __init__(self, path: str, timeout: float, is_private: bool = False):
        self.path = path
        #: The process that opened it. A child inherits the socket, and would take the answers of its parent.
        self._process = os.getpid()
        self._input, self._chunk = bytearray(), memoryview(bytearray(_READ))
        #: Whether the server has sent anything yet.
        self._has_received = False
        self._server = PrivateServer(path) if is_private else None
        self._socket = self._server.socket if self._server else socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if not is_private:
                self._connect(timeout)
            self._socket.setblocking(False)
        except BaseException:
            self.close()
            raise
        self._poll, self._awaited = select.poll(), _IN
        self._poll.register(self._socket, self._awaited)

    def _connect(self, timeout: float) -> None:
        # With a timeout in Python the socket does not block, and connecting to a full queue fails at once (unix(7)).
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(timeout) + 1, 0))
        try:
            self._socket.connect(self.path)
        except BlockingIOError as error:
            raise TimeoutError(f"{self.path}: the server accepts no connection") from error
        except OSError as error:
            error.filename = self.path
            raise

    def close(self) -> None:
        """Ends the connection for this process, and a private server."""
        if self._server:
            self._server.end()
        self._socket.close()

    def is_usable(self) -> bool:
        """Whether another request may be sent: there is nothing to read, neither the end nor an unexpected message."""
        return self._process == os.getpid() and not self._input and not self._ready(_IN, 0)

    def exchange(
        self, unsent: Iterator[Sent], pending: deque[Sent], window: int, timeout: float,
        accept: Callable[[Sent, Any], None], read: Callable[[bytes, int], Any] = decoded,
    ) -> bool:
        """Sends what is pending and then what is unsent, at most `window` ahead of the answers; passes these to
        `accept`, as `read` makes them of payloads.

        It reads while it writes: with both buffers full, neither side would go on. A request is pending until its
        answer has been accepted. Returns False if part of a frame is not sent or not read, so that no other request may
        follow.
        """
        again, output, is_writable = deque(pending), memoryview(b""), True
        while True:
            if not output:
                if again:
                    output = memoryview(again.popleft().frame)
                elif len(pending) < window and (request := next(unsent, None)) is not None:
                    pending.append(request)
                    output = memoryview(request.frame)
            if not pending:
                return not output and not self._input
            if output and is_writable:
                output = self._send(output)
                is_writable = not output
                continue
            events = self._wait(timeout, bool(output))
            is_writable = bool(events & _OUT)
            if events & ~_OUT:
                self._receive()
                while pending and (payload := self._take_payload()) is not None:
                    accept(pending[0], read(payload, pending[0].number))
                    pending.popleft()

    def next_message(self, number: int) -> dict[str, Any]:
        """The next event after a request that goes on, whenever it comes, or an error."""
        if self._process != os.getpid():
            raise ProtocolError("the events belong to the process that asked for them")
        while (payload := self._take_payload()) is None:
            self._wait(None, False)
            self._receive()
        return decoded(payload, number, "event")

    def _wait(self, timeout: float | None, is_writing: bool) -> int:
        events = self._ready(_IN | _OUT if is_writing else _IN, timeout)
        if not events:
            raise TimeoutError(f"{self.path}: no answer for {timeout:g} s")
        return events

    def _ready(self, awaited: int, timeout: float | None) -> int:
        """The events that occur within a time, 0 for none."""
        if awaited != self._awaited:
            self._poll.modify(self._socket, awaited)
            self._awaited = awaited
        ready = self._poll.poll(None if timeout is None else min(timeout * 1_000, _LONGEST_WAIT))
        return ready[0][1] if ready else 0

    def _send(self, output: memoryview) -> memoryview:
        """Sends what fits, and returns the rest."""
        try:
            return output[self._socket.send(output, socket.MSG_NOSIGNAL) :]
        except BlockingIOError:
            return output
        except ConnectionError:
            # A server that refuses a connection says why before it closes it.
            if not self._ready(_IN, 0):
                raise
            return output

    def _receive(self) -> None:
        try:
            count = self._socket.recv_into(self._chunk)
        except ConnectionError:  # a private server that exits without reading the request
            if self._server is None or self._has_received:
                raise
            count = 0
        if not count:
            if self._server and not self._has_received:
                raise ProtocolError(f"{self.path} could not start: {self._server.failure()}")
            raise ConnectionEnded(f"{self.path}: the connection ended before the answer")
        self._has_received = True
        self._input += self._chunk[:count]

    def _take_payload(self) -> bytes | None:
        """The next payload, if all of it has arrived."""
        if len(self._input) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._input)
        if length > MAXIMUM_REPLY:
            raise ProtocolError(f"a frame of {length} bytes; at most {MAXIMUM_REPLY} are allowed")
        end = LENGTH.size + length
        if len(self._input) < end:
            return None
        payload = bytes(memoryview(self._input)[LENGTH.size : end])
        del self._input[:end]
        return payload


class Connection:
    """A server at a path, and a stream to it that is kept from one request to the next.

    With `is_private`, `path` is the program of a server, and each stream has its own.

    A stream is owned by the call that uses it, which returns it when it has read the last answer. After an error, a
    timeout or an interrupt it is closed, and the next request opens another, so that an answer is never taken for that
    of a later request. A call in another thread, or during `watch`, finds no stream and opens another, too.
    """

    #: Idle streams to keep. A new one is cheap, but takes a process with a private server: more are kept for threads.
    _KEPT, _KEPT_PRIVATE = 1, max(4, os.cpu_count() or 1)

    def __init__(self, path: str, timeout: float = TIMEOUT, is_private: bool = False):
        self.path, self.timeout, self.is_private = path, timeout, is_private
        #: How many times it has connected.
        self.connected = 0
        self._id = 0
        self._is_closed = False
        self._idle: list[Stream] = []
        self._give_back(self._take())

    def close(self) -> None:
        """Ends the connection. Later requests raise OSError."""
        self._is_closed = True
        self._trim()

    def _check_open(self) -> None:
        if self._is_closed:
            raise OSError(errno.EBADF, "the client is closed")

    def _take(self) -> Stream:
        """The idle stream if it is usable, else a new one; the caller returns or closes it."""
        self._check_open()
        while self._idle:
            try:
                stream = self._idle.pop()
            except IndexError:  # another thread took it
                break
            if stream.is_usable():
                return stream
            stream.close()
        stream = Stream(self.path, self.timeout, self.is_private)
        self.connected += 1
        return stream

    def _give_back(self, stream: Stream) -> None:
        self._idle.append(stream)
        self._trim()

    def _trim(self) -> None:
        """Closes surplus idle streams; all of them once the connection is closed."""
        kept = self._KEPT_PRIVATE if self.is_private else self._KEPT
        while len(self._idle) > (0 if self._is_closed else kept):
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _frame(self, method: str, params: dict[str, Any]) -> tuple[int, bytes]:
        """A request with the next id; ValueError if it exceeds the limit of servers."""
        self._id += 1
        number = self._id
        return number, framed(number, method, params)

    def _exchange(
        self, unsent: Iterator[Sent], pending: deque[Sent], window: int, accept: Callable[[Sent, Any], None],
        read: Callable[[bytes, int], Any] = decoded,
    ) -> None:
        """`Stream.exchange` over one stream. After an error, `pending` has the requests to exchange again."""
        stream = self._take()
        try:
            is_usable = stream.exchange(unsent, pending, window, self.timeout, accept, read)
        except BaseException:
            stream.close()
            raise
        if is_usable:
            self._give_back(stream)
        else:
            stream.close()
