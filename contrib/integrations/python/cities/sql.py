"""Cities in SQL: two functions and a table, for DuckDB, Spark and Polars. Needs PyArrow and NumPy.

    cities.sql.register(connection)
    connection.sql("SELECT city_match(town).name, city_locate(lat, lon).country FROM customers")
    connection.sql("SELECT name FROM cities WHERE country = 'EE' ORDER BY population DESC LIMIT 3")
"""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Callable, Tuple

import numpy
import pyarrow  # type: ignore[import-untyped, unused-ignore]

from ._generations import GenerationChanged
from ._shared import _client
from ._table import SCHEMA, all_cities

_CITY = {field.name: {"int64": "BIGINT", "string": "STRING"}.get(str(field.type), "DOUBLE") for field in SCHEMA}
_LOCATED, _MATCHED = {**_CITY, "metres": "BIGINT"}, {**_CITY, "class": "STRING"}
_CLASSES = pyarrow.array([None, "guess", "likely", "sure"])
_ROWS = 20_000  # of Polars that are worth a thread


def register(connection: Any, *, rule: str | None = None, private: bool | None = None) -> None:
    """Adds `city_match(name)`, `city_locate(lat, lon)` and the table `cities` to a connection of DuckDB or a session of
    Spark 4.1 or later; to a SQLContext of Polars the table: its functions are `match` and `locate` below.

    A function returns a struct with the columns of the table, or NULL for no city; that of `city_match` also has
    `class` (sure, likely, guess), that of `city_locate` `metres`. `rule` is that of `locate`, `private` that of
    `connect`. All answers are of one generation: if the data changes, the functions raise GenerationChanged until
    `register` is called again.
    """
    engine = type(connection).__module__.lstrip("_").partition(".")[0]
    if engine not in ("duckdb", "pyspark", "polars"):
        raise TypeError(f"register takes a connection of DuckDB, Spark or Polars, not {type(connection).__name__}")
    generation, *functions = _functions(rule, private)
    table = pyarrow.Table.from_batches([_cities(generation, private)[0]])
    for function, fields, arguments in zip(functions, (_LOCATED, _MATCHED), (["DOUBLE"] * 2, ["STRING"])):
        name, columns = function.__name__, ", ".join(f"{name} {kind}" for name, kind in fields.items())
        if engine == "duckdb":
            with contextlib.suppress(Exception):  # unless it is there already
                connection.remove_function(name)
            connection.create_function(
                name, function, arguments, f"STRUCT({columns})", type="arrow", null_handling="special")
        elif engine == "pyspark":
            from pyspark.sql.functions import arrow_udf  # type: ignore[import-not-found, unused-ignore]

            connection.udf.register(name, arrow_udf(function, columns))
    if engine == "pyspark":
        connection.createDataFrame(table).createOrReplaceTempView("cities")
    else:
        connection.register("cities", table)


def match(name: Any, *, private: bool | None = None) -> Any:
    """`city_match` as an expression of Polars: `frame.with_columns(city=cities.sql.match("town"))`."""
    return _expression([name], _functions(None, private)[2], _MATCHED)


def locate(lat: Any, lon: Any, *, rule: str | None = None, private: bool | None = None) -> Any:
    """`city_locate` as an expression of Polars: `frame.with_columns(city=cities.sql.locate("lat", "lon"))`."""
    return _expression([lat, lon], _functions(rule, private)[1], _LOCATED)


@lru_cache(maxsize=2)
def _cities(generation: str, private: bool | None) -> Tuple[Any, Any]:
    """All cities in the order of their ids, and these, as short as they fit: fewer bytes to search."""
    batch, found = all_cities(_client(private))
    if found != generation:
        raise GenerationChanged(f"generation {found}, not {generation}", before=generation, after=found)
    batch = batch.take(pyarrow.array(numpy.argsort(batch.column("id").to_numpy(), kind="stable")))
    ids = batch.column("id").to_numpy()
    if (ids[1:] == ids[:-1]).any():
        raise ValueError("this list has several cities with one id: use cities.match and cities.locate with rows=True")
    return batch, ids.astype(numpy.min_scalar_type(ids[-1]))


def _functions(rule: str | None, private: bool | None) -> Any:
    """The present generation, and the functions over columns of Arrow, which Spark sends to its workers."""
    generation = _client(private).generation() or ""

    def structs(found: Any, name: str, values: Any) -> Any:
        batch, ids = _cities(generation, private)
        wanted = numpy.asarray(found.ids).astype(ids.dtype)
        cities = batch.take(pyarrow.array(numpy.searchsorted(ids, wanted)))
        columns, names = [*cities.columns, values], [*cities.schema.names, name]
        return pyarrow.StructArray.from_arrays(columns, names, mask=pyarrow.array(wanted == 0))

    def city_locate(lat: pyarrow.Array, lon: pyarrow.Array) -> pyarrow.Array:
        found = _client(private).locate(lat, lon, rule=rule, generation=generation)
        return structs(found, "metres", pyarrow.array(numpy.asarray(found.metres).astype("i8")))

    def city_match(name: pyarrow.Array) -> pyarrow.Array:
        found = _client(private).match(name, generation=generation)
        return structs(found, "class", _CLASSES.take(pyarrow.array(numpy.asarray(found.classes))))

    return generation, city_locate, city_match


def _expression(columns: list[Any], function: Callable[..., Any], fields: dict[str, str]) -> Any:
    """A function over columns of Polars, which are made one of structs, so that a literal is repeated."""
    import polars

    def spread(column: Any) -> Any:
        # A server answers on one processor; threads have one each, unless one is running.
        size = max(_ROWS, -(-len(column) // len(os.sched_getaffinity(0))))
        parts = [column.slice(start, size).to_arrow() for start in range(0, max(len(column), 1), size)]
        with ThreadPoolExecutor(len(parts)) as pool:
            return polars.Series(pyarrow.chunked_array(pool.map(lambda part: function(*part.flatten()), parts)))

    kinds = {"BIGINT": polars.Int64, "STRING": polars.String, "DOUBLE": polars.Float64}
    result = polars.Struct({name: kinds[kind] for name, kind in fields.items()})
    arguments = (value if isinstance(value, polars.Expr) else polars.col(value) for value in columns)
    named = [value.alias(str(place)) for place, value in enumerate(arguments)]
    return polars.struct(named).map_batches(spread, return_dtype=result, is_elementwise=True).alias("city")
