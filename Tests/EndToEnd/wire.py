"""A client of the wire that was written from Protocol/README.md alone and shares nothing with the product."""

import math
import socket
import struct

import cbor2


class WireFault(Exception):
    """An error reply."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message, self.data = error["code"], error["message"], error.get("data", {})


class Wire:
    """One connection. Requests may be pipelined: `send` several, then `receive` as many."""

    def __init__(self, path, timeout=30):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # With a timeout in Python the socket does not block, and connecting to a full queue fails at once (unix(7)).
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", math.ceil(timeout or 0), 0))
        self.socket.connect(str(path))
        self.socket.settimeout(timeout)
        self.next_id = 1
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_payload(self, payload):
        self.socket.sendall(frame(payload))

    def send(self, method, **params):
        """Sends a request and returns its id."""
        return self.send_all([(method, params)])[0]

    def send_all(self, asked):
        """Sends pairs of method and parameters in one write; their ids."""
        first, self.next_id = self.next_id, self.next_id + len(asked)
        identifiers = list(range(first, self.next_id))
        self.socket.sendall(b"".join(
            frame(request(identifier, *pair)) for identifier, pair in zip(identifiers, asked, strict=True)))
        return identifiers

    def receive_payload(self):
        """The bytes of the next frame."""
        (length,) = struct.unpack(">I", self._exactly(4))
        return self._exactly(length)

    def receive(self):
        """The next frame as a map."""
        return cbor2.loads(self.receive_payload())

    def call(self, method, **params):
        """The result of one request; raises WireFault for an error reply."""
        identifier = self.send(method, **params)
        return result(self.receive(), identifier)

    def at_end(self):
        """Whether the peer has closed the connection and everything was read."""
        return not self.received and self.socket.recv(1) == b""

    def _exactly(self, count):
        while len(self.received) < count:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise EOFError(f"the connection ended {count - len(self.received)} bytes early")
            self.received += chunk
        taken, self.received = self.received[:count], self.received[count:]
        return taken


def frame(payload):
    """A payload after its length."""
    return struct.pack(">I", len(payload)) + payload


def framed(message):
    """The frame of a message, or of a payload that is none."""
    return frame(message if isinstance(message, bytes) else cbor2.dumps(message))


def requests_of(connection):
    """The requests that a server is sent on a connection."""
    stream = connection.makefile("rb")
    while header := stream.read(4):
        yield cbor2.loads(stream.read(*struct.unpack(">I", header)))


def request(identifier, method, params):
    """The payload of a request, in deterministic encoding."""
    return cbor2.dumps({"id": identifier, "method": method, "params": params}, canonical=True)


def result(reply, identifier):
    """The result in a reply to `identifier`; raises WireFault for an error."""
    assert reply["id"] == identifier, f"expected the reply to {identifier}, found {reply}"
    if "error" in reply:
        raise WireFault(reply["error"])
    return reply["result"]
