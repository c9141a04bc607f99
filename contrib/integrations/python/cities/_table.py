"""All cities as columns of Arrow. No Python code runs per row: NumPy reads one field of all rows at a time."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, List

import numpy
import pyarrow  # type: ignore[import-untyped, unused-ignore]

from ._client import Client, _checked
from ._connection import Request
from ._wire import decoded

_PAGE = 1_000
SCHEMA = pyarrow.schema([
    ("id", pyarrow.int64()), ("name", pyarrow.string()), ("country", pyarrow.string()), ("region", pyarrow.string()),
    ("lat", pyarrow.float64()), ("lon", pyarrow.float64()), ("population", pyarrow.int64())])
#: A reply of `city.search` up to its first row.
_HEAD = re.compile(
    rb"\xa2bid(?:[\0-\x17]|\x18.|\x19..|\x1a....)fresult[\xa4-\xaf]drows([\x80-\x97]|\x98.|\x99..)", re.DOTALL)
#: The bytes that follow the head of a value, by its lower five bits.
_SIZES = numpy.array([0] * 24 + [1, 2, 4, 8] + [0] * 4)
_INTEGER, _TEXT, _FLOAT = 0, 3, 7


def all_cities(client: Client) -> tuple[Any, str]:
    """All cities as a RecordBatch, in the order of `search`, and their generation."""
    first = client.city_search("", limit=1)
    params = {"prefix": "", "limit": _PAGE, "with": ["region"], "generation": first["generation"]}
    requests = [Request(*client._frame("city.search", {**params, "offset": offset}))
                for offset in range(0, first["total"], _PAGE)]
    pages: List[bytes] = []
    client._exchange(iter(requests), deque(), 4, lambda _, page: pages.append(page), lambda page, _: page)
    try:
        rows = _read(pages, first["total"])
    except (IndexError, ValueError):  # an error, keys of a newer server, or a name that looks like a row
        replies = [_checked(decoded(page, request.number))["result"] for request, page in zip(requests, pages)]
        rows = pyarrow.RecordBatch.from_pylist([row for reply in replies for row in reply["rows"]], SCHEMA)
    return rows, first["generation"]


def _read(pages: List[bytes], total: int) -> Any:
    """The rows of all pages; ValueError or IndexError if they are not as `citiesd` encodes them."""
    rows = _Rows(b"".join(pages))
    columns = {
        "id": rows.integers("id"), "lat": rows.floats("lat"), "lon": rows.floats("lon"), "name": rows.texts("name"),
        "region": rows.texts("region"), "country": rows.texts("country"), "population": rows.integers("population")}
    rows.texts("region_code")
    if len(rows.starts) != total or (rows.keys != rows.data[rows.starts] & 0x1F).any():
        raise ValueError("other keys, or another number of rows")
    # Each row starts where the one before it ends, the first of a page at its head.
    expected, page_start = numpy.concatenate([[0], rows.at[:-1]]), 0
    for number, page in enumerate(pages):
        count = min(_PAGE, total - number * _PAGE)
        head = _HEAD.match(page)
        if not head or int.from_bytes(head[1][1:] or bytes([head[1][0] & 0x1F]), "big") != count:
            raise ValueError("an error, or another number of rows")
        expected[number * _PAGE] = page_start + head.end()
        page_start += len(page)
    if (expected != rows.starts).any():
        raise ValueError("something between rows")
    return pyarrow.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


class _Rows:
    """All rows, as they start in `data`; a method reads one key of each, and goes on to the next key in `at`."""

    def __init__(self, pages: bytes):
        self.data = data = numpy.frombuffer(pages + bytes(32), "u1")
        maps = (data[:-4] >= 0xA5) & (data[:-4] <= 0xAA) & (data[4:] <= 0x1B)
        for place, byte in enumerate(b"bid", 1):
            maps &= data[place : place - 4] == byte
        self.starts = numpy.flatnonzero(maps)
        self.at = self.starts + 1
        self.keys = numpy.zeros(len(self.at), "u1")

    def _bytes(self, width: int) -> Any:
        return numpy.lib.stride_tricks.sliding_window_view(self.data, width)[self.at]

    def _value(self, key: str, kind: int) -> Any:
        """Which rows have a key, the numbers of bytes after the heads of its values, and those bytes as a number."""
        word = numpy.frombuffer(bytes([0x60 + len(key)]) + key.encode(), "u1")
        present = (self._bytes(len(word)) == word).all(axis=1)
        self.keys += present
        self.at = self.at + present * len(word)
        head = self._bytes(9)
        if (head[present, 0] >> 5 != kind).any():
            raise ValueError(f"`{key}` has another type")
        size = _SIZES[head[:, 0] & 0x1F]
        number = numpy.ascontiguousarray(head[:, 1:]).view(">u8")[:, 0].astype("u8")
        number = numpy.where(size, number >> (64 - 8 * size).clip(max=63).astype("u8"), head[:, 0] & 0x1F)
        self.at = self.at + present * (1 + size)
        return present, size, number

    def integers(self, key: str) -> Any:
        present, _, number = self._value(key, _INTEGER)
        return pyarrow.array(number.astype("i8"), mask=~present)

    def floats(self, key: str) -> Any:
        _, size, number = self._value(key, _FLOAT)
        half, single = number.astype("u2").view("f2"), number.astype("u4").view("f4")
        return pyarrow.array(numpy.select([size == 8, size == 4], [number.view("f8"), single], half))

    def texts(self, key: str) -> Any:
        present, _, length = self._value(key, _TEXT)
        length = numpy.where(present, length, 0).astype("i8")
        ends = numpy.cumsum(length)
        letters = numpy.repeat(self.at - ends + length, length) + numpy.arange(length.sum())
        self.at = self.at + length
        offsets = numpy.concatenate([[0], ends]).astype("i4")
        valid = pyarrow.array(present).buffers()[1]
        buffers = [valid, pyarrow.py_buffer(offsets), pyarrow.py_buffer(self.data[letters])]
        return pyarrow.Array.from_buffers(pyarrow.string(), len(length), buffers)
