"""Reads and changes stored copies of sources, from the table in StoredCopy+File.swift alone."""

import os
import struct

import cbor2
from test_resident import crc32c

MAGIC, HEAD, CHECKED = b"\x89CSR\r\n\x1a\n", 36, 32


def path(state, feed):
    return state / "sources" / f"{feed}.source"


def read(state, feed):
    """The details and the body of a feed's stored copy."""
    data = path(state, feed).read_bytes()
    version, count, length = struct.unpack_from("<IIQ", data, len(MAGIC))
    assert data.startswith(MAGIC) and version == 1
    assert struct.unpack_from("<I", data, CHECKED)[0] == crc32c(data[:CHECKED] + data[HEAD:HEAD + count])
    body = data[HEAD + count:]
    assert len(body) == length
    return cbor2.loads(data[HEAD:HEAD + count]), body


def age(state, feed, seconds):
    """Makes a stored copy `seconds` older; its body and the body's hash stay as they are."""
    target = path(state, feed)
    data = target.read_bytes()
    details, body = read(state, feed)
    details["confirmed"] -= seconds
    packed = cbor2.dumps(details, canonical=True)
    head = data[:12] + struct.pack("<I", len(packed)) + data[16:CHECKED]
    beside = target.with_name(".aged")
    beside.write_bytes(head + struct.pack("<I", crc32c(head + packed)) + packed + body)
    os.rename(beside, target)
