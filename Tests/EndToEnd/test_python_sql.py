"""`cities.sql` in DuckDB and Polars gives what a plain loop gives. contrib/test-engines has the tests with Spark."""

import gc
import os
import random
import sys
import threading
from collections import Counter

import cbor2
import duckdb
import polars
import pyarrow
import pytest
from harness import BIN, ROOT, Server, build_index, record, write_list
from test_python_private import children

from wire import framed, requests_of

sys.path.insert(0, str(ROOT / "contrib" / "integrations" / "python"))

import cities  # noqa: E402
from cities import _connection, _table  # noqa: E402

ROWS, PLACES = 30_000, 400
CITY = ["id", "name", "country", "region", "lat", "lon", "population"]


@pytest.fixture
def running(shipped_server, monkeypatch):
    monkeypatch.setenv("CITIES_SOCKET", str(shipped_server.socket))
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    return shipped_server


@pytest.fixture
def points(running):
    """Rows with missing values, over several batches, with what a loop of one question each says of them."""
    rng = random.Random(5)
    places = [(rng.uniform(-90, 90), rng.uniform(-180, 180)) for _ in range(PLACES - 2)] + [(None, 1.0), (91.0, 2.0)]
    with cities.connect() as client:
        answers = {place: answer(client, *place) for place in places}
    rows = [places[rng.randrange(PLACES)] for _ in range(ROWS)]
    frame = polars.DataFrame({"lat": [lat for lat, _ in rows], "lon": [lon for _, lon in rows]})
    return frame, [answers[row] for row in rows]


def answer(client, lat, lon):
    """What one question says of a position: the city's facts, and the metres to it."""
    if lat is None or not -90 <= lat <= 90:
        return None
    (row,) = client.city_near((lat, lon), rule="place", limit=1, with_=["region"])["rows"]
    return {**{key: row["city"].get(key) for key in CITY}, "metres": row["distance"]}


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def test_duckdb_locates(points, connection):
    frame, expected = points
    cities.sql.register(connection, rule="place")
    connection.register("points", frame.with_row_index("row").to_arrow())
    rows = connection.sql("SELECT city_locate(lat, lon) FROM points ORDER BY row").fetchall()
    assert [city for city, in rows] == expected
    counts = connection.sql("SELECT city_locate(lat, lon).id AS id, count(*) FROM points GROUP BY id").fetchall()
    assert dict(counts) == Counter(city and city["id"] for city in expected)


def test_duckdb_keeps_a_server_for_each_of_its_threads(running, connection, monkeypatch):
    started, start = [], _connection.PrivateServer
    monkeypatch.setattr(_connection, "PrivateServer", lambda path: started.append(path) or start(path))
    cities._shared._clients.clear()
    connection.execute("SET threads = 2").fetchall()
    connection.execute("CREATE TABLE points AS SELECT 59 + random() AS lat FROM range(500000)").fetchall()
    cities.sql.register(connection, private=True)
    assert connection.sql("SELECT count(city_locate(lat, 24.7)) FROM points").fetchall() == [(500_000,)]
    assert 1 <= len(started) <= 2
    cities._shared._clients.clear()


def test_duckdb_matches_names(running, connection):
    cities.sql.register(connection)
    names = ["Reval", "springfield", None, "Wien, AT", "zzzzqqqq"] * 1_000
    connection.register("towns", pyarrow.table({"row": range(len(names)), "town": names}))
    rows = connection.sql("SELECT city_match(town) FROM towns ORDER BY row").fetchall()
    matched = cities.match(names, rows=True)
    classes = {cities.SURE: "sure", cities.LIKELY: "likely", cities.GUESS: "guess"}
    shown = [city and (city["id"], city["name"], city["class"]) for city, in rows]
    assert shown == [number and (number, name, classes[kind]) or None for number, name, kind in zip(
        matched.ids, matched.column("name"), matched.classes, strict=True)]
    one = connection.sql("SELECT city_match('Wien').region, city_match(NULL), city_match('') IS NULL").fetchall()
    assert one == [("Vienna", None, True)]


def test_the_table_has_all_cities(running, connection):
    cities.sql.register(connection)
    with cities.connect() as client:
        rows = client.search("", with_=["region"])
        expected = sorted((tuple(row.get(key) for key in CITY) for row in rows), key=lambda row: row[0])
    assert connection.sql(f"SELECT {', '.join(CITY)} FROM cities ORDER BY id").fetchall() == expected
    context = polars.SQLContext()
    cities.sql.register(context)
    assert context.execute("SELECT * FROM cities ORDER BY id", eager=True).rows() == expected


def test_registering_again_takes_the_new_data(tmp_path, connection, monkeypatch):
    server = Server(tmp_path)
    monkeypatch.setenv("CITIES_SOCKET", str(server.socket))

    def serve(*records):
        source = write_list(tmp_path / "list.json", list(records))
        assert build_index(source, server.state / "cities.index").returncode == 0
        server.start()

    serve(record(1, "Albany", "US"), record(2, "Tartu", "EE"))
    cities.sql.register(connection)
    asked = "SELECT city_match('tartu').id"
    assert connection.sql(asked).fetchall() == [(2,)]
    server.stop()
    serve(record(3, "Tartu", "EE"))
    try:
        with pytest.raises(duckdb.Error, match="GenerationChanged"):
            connection.sql(asked).fetchall()
        cities.sql.register(connection)
        assert connection.sql(asked).fetchall() == [(3,)]
        assert connection.sql("SELECT name FROM cities").fetchall() == [("Tartu",)]
    finally:
        server.stop()


@pytest.mark.parametrize("records", [
    [record(1, "G\u00e5bidea", "US"), record(2, "Tartu", "EE")],
    [record(number, f"Place {number} " + "x" * (number % 300), "US") for number in range(1, 2_100)],
    [record(2**40, "Far", "US"), record(70_000, "Near", "EE"), record(24, "One", "EE")]],
    ids=["a name nearly like a row", "three pages", "ids of every size"])
def test_the_table_of_any_list_is_what_search_says(tmp_path, records):
    server = Server(tmp_path)
    source = write_list(tmp_path / "list.json", records)
    assert build_index(source, server.state / "cities.index").returncode == 0
    server.start()
    try:
        with cities.connect(str(server.socket)) as client:
            batch, generation = _table.all_cities(client)
            rows = list(client.search("", with_=["region"]))
            assert generation == client.generation() and len(rows) == len(records)
    finally:
        server.stop()
    batch.validate(full=True)
    assert batch.equals(pyarrow.RecordBatch.from_pylist(rows, _table.SCHEMA))


ROW = {"id": 7, "lat": 1.5, "lon": -0.1, "name": "Tartu", "country": "EE"}


def pages(peer, *rows, error=None):
    """A client of a server that has these rows, of which one that is bytes is sent as it is."""
    def handle(connection):
        for request in requests_of(connection):
            if request["params"]["limit"] > 1 and error:
                connection.sendall(framed({"id": request["id"], "error": error}))
                continue
            head = cbor2.dumps({"id": request["id"]})[1:]
            body = b"".join(row if isinstance(row, bytes) else cbor2.dumps(row, canonical=True) for row in rows)
            result = b"\xa3\x64rows" + bytes([0x80 + len(rows)]) + body + b"\x65total" + bytes([len(rows)])
            result += cbor2.dumps({"generation": "0" * 16})[1:]
            payload = b"\xa2" + head + b"\x66result" + result
            connection.sendall(len(payload).to_bytes(4, "big") + payload)

    return cities.connect(str(peer(handle)))


@pytest.mark.parametrize("rows", [
    # The last byte of its letter is the head of a map of five keys.
    [{**ROW, "name": "G\u00e5bid\u0001x"}, ROW], [{**ROW, "new": True}, ROW], [{**ROW, "zone": "UTC"}, ROW],
    [cbor2.dumps(dict(reversed(ROW.items()))), ROW], [{**ROW, "lat": 1}, ROW],
    [b"\xbf" + cbor2.dumps(ROW)[1:] + b"\xff"],
    [{**ROW, "population": 5, "region": "Tartumaa", "region_code": "79"}, ROW]],
    ids=["name like a row", "newer key", "other key", "other order", "integer", "indefinite length", "usual"])
def test_rows_of_other_servers_are_read_too(peer, rows):
    with pages(peer, *rows) as client:
        batch, _ = _table.all_cities(client)
        assert batch.equals(pyarrow.RecordBatch.from_pylist(list(client.search("")), _table.SCHEMA))
        assert batch.num_rows == len(rows)


def test_an_error_among_the_pages_is_raised(peer):
    with pages(peer, ROW, error={"code": "stale-generation", "message": "gone"}) as client:
        with pytest.raises(cities.ServerError, match="stale-generation: gone"):
            _table.all_cities(client)


def test_a_list_with_an_id_twice_is_refused(tmp_path, connection, monkeypatch):
    server = Server(tmp_path)
    source = write_list(tmp_path / "list.json", [record(1, "Albany", "US"), record(1, "Tartu", "EE")])
    assert build_index(source, server.state / "cities.index").returncode == 0
    monkeypatch.setenv("CITIES_SOCKET", str(server.socket))
    server.start()
    try:
        with pytest.raises(ValueError, match="several cities with one id"):
            cities.sql.register(connection)
    finally:
        server.stop()


def test_another_kind_of_connection_is_named():
    with pytest.raises(TypeError, match="DuckDB, Spark or Polars, not str"):
        cities.sql.register("customers.db")


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("private", [True, None])
def test_polars(points, engine, private, monkeypatch):
    frame, expected = points
    monkeypatch.setattr(cities.sql, "_ROWS", 5_000)
    located = cities.sql.locate("lat", "lon", rule="place", private=private)
    rows = frame.lazy().with_columns(located).collect(engine=engine)
    assert rows["city"].to_list() == expected and rows.columns == ["lat", "lon", "city"]
    towns = polars.DataFrame({"town": ["Reval", None, "Wien"]})
    assert towns.select(cities.sql.match("town").struct.field("name"))["name"].to_list() == ["Tallinn", None, "Vienna"]


def test_polars_takes_a_literal_for_a_column(running):
    for values in ([24.75, 25.0, 24.75], []):
        frame = polars.DataFrame({"lon": values}, {"lon": polars.Float64})
        literal = frame.with_columns(cities.sql.locate(polars.lit(59.4), "lon"))
        column = frame.with_columns(polars.lit(59.4).alias("lat")).with_columns(cities.sql.locate("lat", "lon"))
        assert literal["city"].to_list() == column["city"].to_list() and literal.height == frame.height
    with pytest.raises(polars.exceptions.PolarsError):
        polars.DataFrame({"lon": [1.0, 2.0, 3.0]}).select(cities.sql.locate(polars.col("lon").head(2), "lon"))


@pytest.fixture
def shared_by_three(running, monkeypatch):
    """Polars on three processors; no server answers before each of three has a part of the rows."""
    monkeypatch.delenv("CITIES_SOCKET")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))
    monkeypatch.setattr(cities.sql, "_ROWS", ROWS // 3)
    barrier, locate = threading.Barrier(3, timeout=60), cities.Client.locate

    def together(*given, **options):
        barrier.wait()
        return locate(*given, **options)

    monkeypatch.setattr(cities.Client, "locate", together)
    yield
    cities._shared._clients.clear()
    gc.collect()
    assert children() == []


def test_polars_uses_a_server_for_each_processor(points, shared_by_three):
    frame, expected = points
    before = set(children())
    rows = frame.with_columns(cities.sql.locate("lat", "lon", rule="place", private=True))
    assert rows["city"].to_list() == expected
    assert len(set(children()) - before) == 3


def test_an_engine_does_not_mix_generations(points, shared_by_three, tmp_path, monkeypatch):
    """The plan has the generation that it was made with; servers that open another are refused."""
    frame, _ = points
    column = cities.sql.locate("lat", "lon", private=True)
    source = write_list(tmp_path / "list.json", [record(1, "Albany", "US")])
    assert build_index(source, tmp_path / "cities.index").returncode == 0
    monkeypatch.setenv("CITIES_STATE", str(tmp_path))
    with pytest.raises(cities.GenerationChanged, match="after 0 rows the server answers from generation"):
        frame.with_columns(column)
