"""Look-ups of whole columns in pipelined batches, which survive a restart of the server.

No Python code runs per row: columns become bytes, and answers are copied whole into the result.
"""

from __future__ import annotations

import numbers
import sys
import time
from array import array
from collections import deque
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

import cbor2

from ._connection import Connection
from ._generations import GenerationChanged, Incomplete
from ._wire import ConnectionEnded, ProtocolError, ServerError

if TYPE_CHECKING:
    from .types import City

#: Rows in one request: as floats of 64 bits they nearly fill it.
BATCH = 4_000
#: Names in one request: a server that looks for typing errors in each of them answers well within the timeout.
NAMES = 512
#: Bytes of names in one request; the rest leaves room for the conditions.
NAME_BYTES = 56_000
#: Requests without an answer, on one connection: the server always has work, and memory stays bounded.
WINDOW = 4
#: Seconds without an answer after which bulk work gives up. A restart of the server takes milliseconds.
PATIENCE = 30.0
#: In `metres` and `index`: no city. Its id is 0.
NOTHING = 0xFFFF_FFFF
#: Classes of `match`.
SURE, LIKELY, GUESS, NONE = 3, 2, 1, 0

#: Kinds of NumPy types that convert to floats but are not degrees: complex numbers, durations and moments.
_NO_NUMBERS = ("c", "m", "M")
#: The keys of a city.
FACTS = ("name", "country", "region", "population", "lat", "lon", "id", "zone", "region_code", "alternates")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0


class Located(NamedTuple):
    """The city at each position, in order, as NumPy arrays if the positions were NumPy arrays, else as `array`s.

    `ids` are 64-bit, 0 for no city; `metres` 32-bit, NOTHING for no city. With `rows=True`, `rows` has each city once,
    and `index` the place of each position's city in it, or NOTHING. `countries` has the code of the country that each
    position is in, empty at sea, and `certain` 1 if that is certain; both are None from an older server.
    """

    ids: Any
    metres: Any
    generation: str
    rows: list[City] | None = None
    index: Any = None
    countries: list[str] | None = None
    certain: Any = None

    def column(self, key: str) -> list[Any]:
        """A fact about each row's city, such as "name" or "population"; None for no city. Needs `rows=True`.

        KeyError names the columns if there is no such one.
        """
        return _column(self.rows, self.index, key)


class Matched(NamedTuple):
    """The city that each name means, in order, as NumPy arrays if the names were one, else as `array`s.

    `classes` are SURE, LIKELY, GUESS or NONE; `ids` are 0 for no city. `complete` is False if the server stopped a
    search for typing errors early. `rows` and `index` are those of Located.
    """

    ids: Any
    classes: Any
    generation: str
    complete: bool
    rows: list[City] | None = None
    index: Any = None

    def column(self, key: str) -> list[Any]:
        """A fact about each row's city, such as "name" or "population"; None for no city. Needs `rows=True`."""
        return _column(self.rows, self.index, key)


def _column(rows: list[City] | None, index: Any, key: str) -> list[Any]:
    if rows is None:
        raise ValueError("column() needs cities: call locate or match with rows=True")
    if key not in FACTS and not any(key in row for row in rows):
        raise KeyError(f"no column {key!r}; the columns are {', '.join(FACTS)}")
    values = [row.get(key) for row in rows]
    return [None if place == NOTHING else values[place] for place in index.tolist()]


class Batch(NamedTuple):
    """A request for rows of a column."""

    number: int
    frame: bytes
    start: int
    rows: int


class Floats:
    """A column of degrees. Slices of it are typed arrays."""

    def __init__(self, name: str, values: Any):
        # First as it is: pandas converts anything to floats.
        _check_kind(name, values)
        values = _as_numpy(values)
        _check_kind(name, values)
        if hasattr(values, "filled"):  # a masked array of NumPy's, whose buffer has what the mask hides
            values = values.astype("float64").filled(float("nan"))
        self.is_numpy = _is_numpy(values)
        if isinstance(values, (str, bytes, bytearray)):
            raise TypeError(f"{name} must be a column of numbers, not {type(values).__name__}")
        try:
            view = memoryview(values)
        except (TypeError, ValueError, BufferError):
            view = None
        if view is None or view.format not in ("d", "f", "<d", "<f"):
            view = memoryview(self._converted(name, values, view))
        if view.ndim != 1:
            raise ValueError(f"{name} must have one dimension, not {view.ndim}")
        self._view, self._code = view, (view.format or "").lstrip("<")

    @staticmethod
    def _converted(name: str, values: Any, view: memoryview | None) -> Any:
        if hasattr(values, "astype"):
            return values.astype("float64")
        try:
            rows = list(values) if view is None else view.tolist()
        except (TypeError, NotImplementedError) as error:
            raise TypeError(f"{name} must be a column of numbers: {error}") from error
        try:
            return array("d", rows)
        except TypeError:
            return array("d", [_number(name, row, value) for row, value in enumerate(rows)])

    def __len__(self) -> int:
        return len(self._view)

    def typed(self, start: int, end: int) -> cbor2.CBORTag:
        """Rows as a typed array (RFC 8746)."""
        data = self._view[start:end].tobytes()
        if sys.byteorder == "big" and self._view.format in ("d", "f"):
            swapped = array(self._code, data)
            swapped.byteswap()
            data = swapped.tobytes()
        return cbor2.CBORTag(86 if self._code == "d" else 85, data)


class Texts:
    """A column of names. Slices of it are one text with a name per line."""

    def __init__(self, name: str, values: Any):
        # Iterating a table would give the names of its columns.
        if hasattr(values, "columns"):
            raise TypeError(f"{name} must be one column, not a table: use table['column']")
        self.is_numpy = _is_numpy(values) or (hasattr(values, "to_numpy") and "numpy" in sys.modules)
        for convert in ("to_pylist", "to_list", "tolist"):  # Arrow; Polars and pandas; NumPy
            if hasattr(values, convert):
                values = getattr(values, convert)()
                break
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name} must be a column of str, not one {type(values).__name__}")
        self._values: list[str] = values if isinstance(values, list) else list(values)
        if not set(map(type, self._values)) <= {str}:
            self._values = [_text(name, row, value) for row, value in enumerate(self._values)]

    def __len__(self) -> int:
        return len(self._values)

    def lines(self, start: int, end: int) -> str:
        """Rows as lines. A missing value is an empty line; a line break within a name becomes a space."""
        names = self._values[start:end]
        text = "\n".join(names) + "\n"
        if text.count("\n") != len(names):
            text = "\n".join([name.replace("\n", " ") for name in names]) + "\n"
        try:
            text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which is not text on the wire
            text = text.encode("utf-8", "replace").decode()
        return text


def _check_kind(column: str, values: Any) -> None:
    if getattr(getattr(values, "dtype", None), "kind", "") in _NO_NUMBERS:
        raise TypeError(f"{column} must be a column of numbers, not {values.dtype}")


def _is_none(value: Any) -> bool:
    """Whether a value is None, or the NA of pandas."""
    pandas = sys.modules.get("pandas")
    return value is None or (pandas is not None and value is pandas.NA)


def _text(column: str, row: int, value: Any) -> str:
    """The text of a row, empty for a missing value: None, NaN or NA; TypeError for anything else."""
    if isinstance(value, str):
        return value
    if _is_none(value) or (isinstance(value, numbers.Real) and value != value):
        return ""
    raise TypeError(f"{column}[{row}] must be str, not {type(value).__name__}")


def _number(column: str, row: int, value: Any) -> float:
    """The number of a row, NaN for a missing value; TypeError for anything else."""
    try:
        return array("d", [float("nan") if _is_none(value) else value])[0]
    except TypeError as error:
        raise TypeError(f"{column}[{row}] must be a number, not {type(value).__name__}") from error


def _as_numpy(values: Any) -> Any:
    """Columns of Arrow, Polars and pandas as arrays of NumPy, missing values as NaN; others as they are."""
    if not hasattr(values, "to_numpy"):
        return values
    if hasattr(values, "isna"):  # pandas, whose own missing value is not a number to others
        return values.to_numpy(dtype="float64", na_value=float("nan"))
    try:
        return values.to_numpy(zero_copy_only=False)
    except TypeError:
        return values.to_numpy()


def _is_numpy(values: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(values, numpy.ndarray)


def identity(city: City) -> tuple[Any, ...]:
    """A key that no two cities share: in some lists, different cities have the same id."""
    return city["id"], city["name"], city["lat"], city["lon"]


class Dictionary:
    """Rows of several replies, each city once, and the index into them."""

    def __init__(self) -> None:
        self.rows: list[City] = []
        self.index = array("I")
        self._places: dict[tuple[Any, ...], int] = {}

    def add(self, rows: Any, index: Any, expected: int) -> None:
        """Adds the rows of one reply and its index, which has `expected` places."""
        if not isinstance(index, array) or len(index) != expected:
            raise ProtocolError(f"{expected} rows were asked about, and `index` has not as many places")
        try:
            places = {NOTHING: NOTHING} | {place: self._place(row) for place, row in enumerate(rows)}
            self.index.extend(list(map(places.__getitem__, index)))
        except (KeyError, TypeError, RuntimeError) as error:  # a tag that holds a list raises RuntimeError
            raise ProtocolError(f"`rows` and `index` do not belong together: {error!r}") from error

    def _place(self, row: City) -> int:
        place = self._places.setdefault(identity(row), len(self.rows))
        if place == len(self.rows):
            self.rows.append(row)
        return place


class Answers:
    """Collects the answers of batches: whole columns, all of one generation."""

    def __init__(self, rows: int, columns: dict[str, str], expected: str | None, as_numpy: bool):
        self._columns = {name: array(code, [0]) * rows for name, code in columns.items()}
        self._countries: list[str] = []
        self._certain = array("B")
        #: Not from an older server.
        self._has_countries = False
        self._dictionary = Dictionary()
        self._has_rows = False
        self._as_numpy = as_numpy
        self.generation = expected
        self.done = 0
        self.complete = True

    def add(self, batch: Batch, result: Any) -> None:
        """Adds the answer to the next batch; GenerationChanged if it is from other data."""
        generation = result.get("generation") if isinstance(result, dict) else None
        if not isinstance(generation, str):
            raise ProtocolError("an answer without a generation")
        if self.generation not in (None, generation):
            before = self.generation or ""
            message = f"after {self.done} rows the server answers from generation {generation}, not {before}"
            raise GenerationChanged(message, self.done, self.result(), before, generation)
        for name, column in self._columns.items():
            answered = result.get(name)
            if not isinstance(answered, array) or answered.typecode != column.typecode or len(answered) != batch.rows:
                raise ProtocolError(f"{batch.rows} rows were asked about, and `{name}` has not as many answers")
            column[batch.start : batch.start + batch.rows] = answered
        if "rows" in result:
            self._has_rows = True
            self._dictionary.add(result["rows"], result.get("index"), batch.rows)
        if result.get("countries") is not None:
            self._add_countries(result["countries"], result.get("certain"), batch.rows)
        self.complete = self.complete and result.get("complete") is not False
        self.generation = generation
        self.done += batch.rows

    def _add_countries(self, lines: Any, certain: Any, expected: int) -> None:
        """Adds the countries of one reply, a line for each of `expected` rows, and how certain they are."""
        self._has_countries = True
        countries = lines.split("\n")[:-1] if isinstance(lines, str) else []
        if len(countries) != expected or not isinstance(certain, array) or len(certain) != expected:
            raise ProtocolError(f"{expected} rows were asked about, and `countries` has not as many answers")
        if certain.typecode != "B":
            raise ProtocolError(f"`certain` is an array of type {certain.typecode}, not B")
        self._countries += countries
        self._certain.extend(certain)

    def result(self) -> Any:
        """The answers so far, as Located or Matched."""
        columns = {name: self._shown(column) for name, column in self._columns.items()}
        more: dict[str, Any] = {"generation": self.generation or ""}
        if self._has_rows:
            more |= {"rows": self._dictionary.rows, "index": self._shown(self._dictionary.index)}
        if "classes" in columns:
            return Matched(**columns, **more, complete=self.complete)
        if self._has_countries and len(self._countries) == self.done:
            more |= {"countries": self._countries, "certain": self._shown(self._certain)}
        return Located(**columns, **more)

    def _shown(self, column: array[Any]) -> Any:
        if self.done < len(column):
            column = column[: self.done]
        if not self._as_numpy:
            return column
        import numpy  # it is loaded: the caller's column is one of its arrays

        kind = f"u{column.itemsize}"
        return numpy.frombuffer(column, kind) if len(column) else numpy.zeros(0, kind)


class Again(Exception):
    """Send the request again over another connection."""


class BulkConnection(Connection):
    """A connection for bulk requests that resumes after a server restart."""

    def ask_all(self, batches: Iterable[Batch], answers: Answers, patience: float) -> None:
        """Sends batches, at most WINDOW ahead of the answers, which are added in order.

        If the server goes away, it reconnects for up to `patience` seconds and sends the unanswered batches again.
        Raises Incomplete after that, GenerationChanged, ServerError, or ProtocolError.
        """
        unsent, pending = iter(batches), deque[Batch]()
        progress, pause = time.monotonic(), _FIRST_PAUSE

        def accept(batch: Batch, message: dict[str, Any]) -> None:
            nonlocal progress, pause
            if "error" in message:
                raise _failure(message["error"])
            answers.add(batch, message["result"])
            progress, pause = time.monotonic(), _FIRST_PAUSE

        while True:
            self._check_open()
            try:
                self._exchange(unsent, pending, WINDOW, accept)
                return
            except ServerError as error:
                if error.code != "unavailable" or not answers.done:
                    raise
                raise Incomplete(f"after {answers.done} rows: {error}", answers.done, answers.result()) from error
            except (OSError, ConnectionEnded, Again) as error:
                if time.monotonic() - progress > patience:
                    reason = f"no answer for {patience:g} s after {answers.done} rows: {error}"
                    raise Incomplete(reason, answers.done, answers.result()) from (error.__cause__ or error)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _failure(error: dict[str, Any]) -> Exception:
    """Decides whether an error is worth another try or is raised."""
    failure = ServerError.of(error)
    passes = error["code"] == "busy" or (error["code"] == "unavailable" and failure.data.get("running", True))
    if not passes:
        return failure
    again = Again(str(failure))
    again.__cause__ = failure
    return again
