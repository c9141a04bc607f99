"""The recipes for DuckDB and Polars give what a plain loop gives. contrib/test-engines has those for Dask and Spark."""

import gc
import importlib.util
import os
import random
import sys
import threading
from collections import Counter

import duckdb
import polars
import pytest
from harness import BIN, ROOT, build_index, record, write_list
from test_python_private import children

sys.path.insert(0, str(ROOT / "contrib" / "integrations" / "python"))

import cities  # noqa: E402

pytestmark = pytest.mark.slow

ROWS, PLACES = 30_000, 400


def recipe(engine):
    """The module of an engine's recipe."""
    path = ROOT / "contrib" / "integrations" / engine / "locate.py"
    spec = importlib.util.spec_from_file_location(f"{engine}_recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def points(shipped_server, monkeypatch):
    """Rows with missing values, over several batches, with what a loop of one question each says of them."""
    monkeypatch.setenv("CITIES_SOCKET", str(shipped_server.socket))
    rng = random.Random(5)
    places = [(rng.uniform(-90, 90), rng.uniform(-180, 180)) for _ in range(PLACES - 2)] + [(None, 1.0), (91.0, 2.0)]
    with cities.connect() as client:
        answers = {place: answer(client, *place) for place in places}
    rows = [places[rng.randrange(PLACES)] for _ in range(ROWS)]
    frame = polars.DataFrame({"lat": [lat for lat, _ in rows], "lon": [lon for _, lon in rows]})
    return frame, [answers[row] for row in rows]


def answer(client, lat, lon):
    """What one question says of a position."""
    if lat is None or not -90 <= lat <= 90:
        return 0, cities.NOTHING
    (row,) = client.city_near((lat, lon), rule="place", limit=1)["rows"]
    return row["city"]["id"], row["distance"]


def test_duckdb(points):
    frame, expected = points
    connection = duckdb.connect()
    recipe("duckdb").register(connection, rule="place")
    connection.register("points", frame.with_row_index("row").to_arrow())
    rows = connection.sql("""
        SELECT city.id, city.metres FROM (SELECT row, cities_locate(lat, lon) AS city FROM points) ORDER BY row""")
    assert rows.fetchall() == expected
    counts = connection.sql("SELECT cities_locate(lat, lon).id AS id, count(*) FROM points GROUP BY id").fetchall()
    assert dict(counts) == Counter(city for city, _ in expected)
    connection.close()


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("private", [True, False])
def test_polars(points, engine, private, monkeypatch):
    frame, expected = points
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    module = recipe("polars")
    monkeypatch.setattr(module, "ROWS", 5_000)
    locate = module.locate("lat", "lon", rule="place", private=private)
    rows = frame.lazy().with_columns(locate).unnest("city").collect(engine=engine)
    assert rows.select("id", "metres").rows() == expected
    assert rows.columns == ["lat", "lon", "id", "metres"]


def test_polars_takes_a_literal_for_a_column(monkeypatch):
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    locate = recipe("polars").locate
    for values in ([24.75, 25.0, 24.75], []):
        frame = polars.DataFrame({"lon": values}, {"lon": polars.Float64})
        literal = frame.with_columns(locate(polars.lit(59.4), "lon"))
        column = frame.with_columns(polars.lit(59.4).alias("lat")).with_columns(locate("lat", "lon"))
        assert literal["city"].to_list() == column["city"].to_list() and literal.height == frame.height
    # The error of the recipe comes as it is, or as one of Polars' own.
    with pytest.raises((ValueError, polars.exceptions.ComputeError), match="2 rows and 3 rows"):
        polars.DataFrame({"lon": [1.0, 2.0, 3.0]}).select(locate(polars.col("lon").head(2), "lon"))


@pytest.fixture
def shared_by_three(monkeypatch):
    """The recipe for Polars on three processors; no server answers before each of three has a part of the rows."""
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))
    module = recipe("polars")
    monkeypatch.setattr(module, "ROWS", ROWS // 3)
    barrier, locate = threading.Barrier(3, timeout=60), cities.Client.locate

    def together(*given, **options):
        barrier.wait()
        return locate(*given, **options)

    monkeypatch.setattr(cities.Client, "locate", together)
    yield module
    gc.collect()
    assert children() == []


def test_polars_uses_a_server_for_each_processor(points, shared_by_three):
    frame, expected = points
    column = shared_by_three.locate("lat", "lon", rule="place")
    rows = frame.with_columns(column).unnest("city")
    assert rows.select("id", "metres").rows() == expected
    assert len(children()) == 3


def test_an_engine_does_not_mix_generations(points, shared_by_three, tmp_path, monkeypatch):
    """The plan has the generation that it was made with; servers that open another are refused."""
    frame, _ = points
    column = shared_by_three.locate("lat", "lon")
    source = write_list(tmp_path / "list.json", [record(1, "Albany", "US")])
    assert build_index(source, tmp_path / "cities.index").returncode == 0
    monkeypatch.setenv("CITIES_STATE", str(tmp_path))
    with pytest.raises(cities.GenerationChanged, match="after 0 rows the server answers from generation"):
        frame.with_columns(column)
