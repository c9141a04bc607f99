"""Whole columns with the Python package: every kind of column, restarts, kills, new data, and several servers."""

import array
import random
import signal
import sys
import threading
import time

import cbor2
import harness
import numpy
import pyarrow
import pytest
from harness import ENOUGH, ROOT, build_index, record, until, write_list

sys.path.insert(0, str(ROOT / "contrib" / "integrations" / "python"))

import cities  # noqa: E402
from cities import _bulk  # noqa: E402

ROWS = 5 * cities.BATCH + 123


def positions(count, seed=1):
    rng = random.Random(seed)
    return ([rng.uniform(-90, 90) for _ in range(count)], [rng.uniform(-180, 180) for _ in range(count)])


@pytest.fixture
def own_server(tmp_path):
    """A server of this test's own on the prebuilt index."""
    server = harness.Server(tmp_path)
    yield server.start()
    server.stop()


@pytest.fixture
def after_batch(monkeypatch):
    """Runs a function once after a number of batches has been answered."""
    def arrange(number, act):
        add, seen = _bulk.Answers.add, []

        def counted(answers, batch, result):
            add(answers, batch, result)
            seen.append(batch)
            if len(seen) == number:
                act()

        monkeypatch.setattr(_bulk.Answers, "add", counted)

    return arrange


def in_a_loop(client, lat, lon):
    """What the positions should be given, by one `city.near` each."""
    rows = [client.city_near((north, east), limit=1)["rows"][0] for north, east in zip(lat, lon, strict=True)]
    return [row["city"]["id"] for row in rows], [row["distance"] for row in rows]


def test_every_kind_of_column_gives_what_a_loop_gives(shipped_server):
    lat, lon = positions(300)
    small = [float(numpy.float32(value)) for value in lat]
    kinds = {
        "lists": (lat, lon), "array": (array.array("d", lat), array.array("d", lon)),
        "memoryview": (memoryview(array.array("d", lat)), memoryview(array.array("d", lon))),
        "NumPy": (numpy.array(lat), numpy.array(lon)),
        "big-endian": (numpy.array(lat, ">f8"), numpy.array(lon, ">f8")),
        "strided": tuple(numpy.array([lat, lon]).T.copy()[:, column] for column in (0, 1)),
        "reversed twice": (numpy.array(lat)[::-1][::-1], numpy.array(lon)),
        "Arrow": (pyarrow.array(lat), pyarrow.array(lon)),
        "chunks": (pyarrow.chunked_array([lat[:100], lat[100:]]), pyarrow.chunked_array([lon[:7], lon[7:]])),
    }
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        ids, metres = in_a_loop(client, lat, lon)
        for name, (north, east) in kinds.items():
            found = client.locate(north, east)
            assert (found.ids.tolist(), found.metres.tolist()) == (ids, metres), name
            is_numpy = isinstance(found.ids, numpy.ndarray)
            assert is_numpy == (name not in ("lists", "array", "memoryview")), name
        by_float32 = client.locate(numpy.array(lat, "f4"), lon)
        assert by_float32.ids.tolist() == in_a_loop(client, small, lon)[0]
        whole = client.locate(numpy.arange(-90, 91), array.array("h", range(-90, 91)))
        assert whole.ids.tolist() == in_a_loop(client, range(-90, 91), range(-90, 91))[0]


def test_missing_values_and_positions_out_of_range_have_no_city(shipped_server):
    nothing = [0, cities.NOTHING]
    masked = numpy.ma.masked_array([59.4, 1.0], mask=[False, True])
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        for lat, lon in (([59.4, 91.0], [24.7, 0.0]), ([59.4, float("nan")], [24.7, 0.0]),
                         (pyarrow.array([59.4, None]), pyarrow.array([24.7, 0.0])), (masked, [24.7, 0.0]),
                         ([59.4, None], (24.7, 0)), (numpy.array([59.4, None]), iter([24.7, None]))):
            found = client.locate(lat, lon, rule="place", rows=True)
            assert [int(found.ids[1]), int(found.metres[1])] == nothing
            assert int(found.index[1]) == cities.NOTHING
            assert found.rows[found.index[0]]["name"] == "Tallinn"
        empty = client.locate([], [])
        assert (len(empty.ids), len(empty.metres), empty.generation) == (0, 0, client.generation())
        # None in their place means an older server.
        assert (empty.countries, empty.certain) == ([], array.array("B"))
        assert len(client.locate(numpy.zeros(0), []).certain) == 0
        assert len(client.locate(numpy.zeros(0), numpy.zeros(0)).ids) == 0


class Series:
    """A column of pandas, as far as the client knows it: `to_numpy` converts anything to floats."""

    def __init__(self, values, dtype):
        self.values = numpy.array(values, dtype)
        self.dtype = self.values.dtype

    def isna(self):
        return numpy.isnan(self.values)

    def to_numpy(self, dtype, na_value):
        return numpy.where(self.isna(), na_value, self.values.astype(dtype))


def test_columns_of_pandas_are_converted(shipped_server):
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        found = client.locate(Series([59.5, float("nan")], "f4"), Series([24, 1], "i2"))
        assert found.ids.tolist() == client.locate([59.5, None], [24, 1]).ids.tolist()


@pytest.mark.parametrize(("lat", "lon", "error", "words"), [
    ([1.0], [1.0, 2.0], ValueError, "1 latitudes and 2 longitudes"),
    (3.0, [1.0], TypeError, "lat must be a column of numbers"),
    (["a"], [1.0], TypeError, r"lat\[0\] must be a number, not str"),
    ([1.0, None], [1.0, b"2"], TypeError, r"lon\[1\] must be a number, not bytes"),
    ([1.0], numpy.array(["2026-11-22"], "M8[s]"), TypeError, r"lon must be a column of numbers, not datetime64\[s\]"),
    ([1.0], pyarrow.array([1], pyarrow.duration("s")), TypeError, r"lon must .* not timedelta64\[s\]"),
    ([1.0], Series([1], "m8[ns]"), TypeError, r"lon must .* not timedelta64\[ns\]"),
    (Series(["2026-11-22"], "M8[s]"), [1.0], TypeError, r"lat must .* not datetime64\[s\]"),
    (Series([59.4 + 1j], "c16"), [1.0], TypeError, "lat must .* not complex128"),
    (numpy.ma.masked_array([1j], mask=[False]), [1.0], TypeError, "lat must .* not complex128"),
    (b"12345678", [1.0], TypeError, "not bytes"),
    ([1.0], numpy.zeros((1, 1)), ValueError, "lon must have one dimension, not 2"),
])
def test_what_is_no_column_is_refused_before_anything_is_sent(shipped_server, lat, lon, error, words):
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        with pytest.raises(error, match=words):
            client.locate(lat, lon)
        with pytest.raises(cities.ServerError, match="rule"):
            client.locate([1.0], [1.0], rule="no such rule")
        assert client.locate([59.4], [24.7]).ids[0] > 0


def test_rows_of_all_batches_are_one_dictionary(shipped_server):
    lat, lon = positions(ROWS)
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        found = client.locate(lat, lon, rows=True)
    assert [found.rows[place]["id"] for place in found.index] == found.ids.tolist()
    assert len({row["id"] for row in found.rows}) == len(found.rows) < ROWS


def test_answers_in_numpy_may_be_sent_back(shipped_server):
    with cities.connect(str(shipped_server.socket), ENOUGH) as client:
        found = client.locate(numpy.array([59.437]), numpy.array([24.7536]), rule="place")
        identifier, limit, radius = found.ids[0], numpy.int8(1), numpy.float32(2_000)
        assert client.city_get(identifier)["city"]["name"] == "Tallinn"
        for place in (identifier, {"id": identifier}, tuple(numpy.array([59.437, 24.7536]))):
            assert client.city_near(place, limit=limit, radius=radius)["rows"][0]["distance"] < 1_000
        assert "sources" in client.city_search("tallinn", provenance=numpy.bool_(True))
        assert client.call("city.time", places=[{"id": identifier}])["rows"][0]["zone"] == "Europe/Tallinn"
        with pytest.raises(Exception, match="Series"):
            client.call("city.get", id=Series([1], "u8"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["restarted", "killed"])
def test_work_goes_on_after_a_restart_and_nothing_is_lost(own_server, after_batch, number):
    lat, lon = positions(ROWS)
    with cities.connect(str(own_server.socket), ENOUGH) as client:
        expected = client.locate(lat, lon)

        def restart():
            own_server.stop(number)
            # Nobody listens for a moment, as without a socket of systemd's.
            threading.Timer(0.3, own_server.start).start()

        after_batch(2, restart)
        assert client.locate(lat, lon) == expected
        until(lambda: own_server.process.poll() is None, what="the server running")
        assert client.locate(lat, lon) == expected


def test_without_a_server_it_gives_up_with_what_was_done(own_server, after_batch):
    # More batches than the server may have answered before this program notices the third.
    lat, lon = positions(40 * cities.BATCH)
    with cities.connect(str(own_server.socket), ENOUGH) as client:
        expected = client.locate(lat, lon)
        after_batch(3, lambda: own_server.stop(signal.SIGKILL))
        began = time.monotonic()
        with pytest.raises(cities.Incomplete) as raised:
            client.locate(lat, lon, patience=0.2)
        assert time.monotonic() - began < 10
    done = raised.value.done
    assert done >= 3 * cities.BATCH and done % cities.BATCH == 0
    assert raised.value.result.ids == expected.ids[:done] and raised.value.result.metres == expected.metres[:done]
    assert isinstance(raised.value.__cause__, (OSError, cities.ProtocolError))


def exchange_list(server, folder):
    """Gives a server another list."""
    source = write_list(folder / "other.json", [record(9, "Albany", "US"), record(10, "Berlin", "DE", 52.5, 13.4)])
    made = build_index(source, folder / "other.index")
    assert made.returncode == 0, made.stderr
    before = server.generation()
    (folder / "other.index").rename(server.state / "cities.index")
    until(lambda: server.generation() not in (None, before), what="the new list")


@pytest.mark.parametrize("killed", [False, True], ids=["reloaded", "killed and reloaded"])
def test_new_data_in_the_middle_is_reported_and_never_mixed(own_server, after_batch, tmp_path, killed):
    lat, lon = positions(40 * cities.BATCH)
    with cities.connect(str(own_server.socket), ENOUGH) as client:
        expected = client.locate(lat, lon)

        def reload():
            if killed:
                own_server.stop(signal.SIGKILL)
                own_server.start()
            exchange_list(own_server, tmp_path)

        after_batch(5, reload)
        with pytest.raises(cities.GenerationChanged) as raised:
            client.locate(numpy.array(lat), numpy.array(lon))
        error = raised.value
        assert (error.before, error.after) == (expected.generation, own_server.generation())
        assert 5 * cities.BATCH <= error.done < len(lat) and error.done % cities.BATCH == 0
        assert error.result.generation == error.before
        assert error.result.ids.tolist() == expected.ids[: error.done].tolist()
        # The connection is of use: the rest is asked again, of the new data.
        rest = client.locate(lat[error.done :], lon[error.done :], generation=error.after)
        assert set(rest.ids) == {9, 10}


def test_servers_with_different_lists_are_not_mixed(shipped_server, server):
    with (cities.connect(str(shipped_server.socket), ENOUGH) as one,
          cities.connect(str(server.socket), ENOUGH) as other):
        nodes = {"one": one.generation(), "other": other.generation()}
        with pytest.raises(cities.GenerationsDiffer) as raised:
            cities.same_generation(nodes)
        assert raised.value.nodes == {generation: [name] for name, generation in nodes.items()}
        assert all(word in str(raised.value) for word in ("differently", *nodes, *nodes.values()))
        generation = cities.same_generation({"one": one.generation(), "again": one.generation()})
        assert one.locate([59.4], [24.7], generation=generation).generation == generation
        with pytest.raises(cities.GenerationChanged) as refused:
            other.locate([59.4], [24.7], generation=generation)
        assert (refused.value.done, len(refused.value.result.ids)) == (0, 0)


def test_a_node_without_data_is_refused(empty_server, shipped_server):
    with (cities.connect(str(empty_server.socket), ENOUGH) as empty,
          cities.connect(str(shipped_server.socket), ENOUGH) as other):
        with pytest.raises(cities.GenerationsDiffer, match="no data on first"):
            cities.same_generation({"first": empty.generation(), "second": other.generation()})
        with pytest.raises(cities.ServerError, match="unavailable"):
            empty.locate([1.0], [1.0], patience=0.1)
    with pytest.raises(ValueError, match="no node"):
        cities.same_generation({})


def test_eight_clients_at_once_get_the_same_bytes_as_one(shipped_server):
    lat, lon = (numpy.array(column) for column in positions(ROWS))
    found = []

    def ask():
        with cities.connect(str(shipped_server.socket), timeout=30) as client:
            found.append(client.locate(lat, lon))

    ask()
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 9
    assert len({(each.ids.tobytes(), each.metres.tobytes(), each.generation) for each in found}) == 1


def test_full_buffers_in_both_directions_are_not_a_deadlock(peer):
    """A server that cannot send stops reading, and the requests in flight are more than a socket holds."""
    def handle(connection):
        stream = connection.makefile("rb")
        while header := stream.read(4):
            request = cbor2.loads(stream.read(int.from_bytes(header, "big")))
            rows = len(request["params"]["lat"].value) // 8
            answer = cbor2.dumps({"id": request["id"], "result": {
                "ids": cbor2.CBORTag(71, bytes(8 * rows)), "metres": cbor2.CBORTag(70, bytes(4 * rows)),
                "later addition": bytes(1 << 20), "generation": "0" * 16}})
            connection.sendall(len(answer).to_bytes(4, "big") + answer)

    with cities.connect(str(peer(handle)), ENOUGH) as client:
        assert client.locate([0.0] * ROWS, [0.0] * ROWS).ids == array.array("Q", [0]) * ROWS


def test_an_answer_of_another_length_is_an_error(peer):
    def handle(connection):
        connection.recv(1 << 16)
        answer = cbor2.dumps({"id": 1, "result": {
            "ids": cbor2.CBORTag(71, bytes(8)), "metres": cbor2.CBORTag(70, bytes(4)), "generation": "0" * 16}})
        connection.sendall(len(answer).to_bytes(4, "big") + answer)
        connection.recv(1)

    with (cities.connect(str(peer(handle)), ENOUGH) as client,
          pytest.raises(cities.ProtocolError, match="2 rows were asked")):
        client.locate([1.0, 2.0], [1.0, 2.0])


def test_functions_of_the_module_follow_the_socket_that_is_named(shipped_server, server, monkeypatch):
    for each in (shipped_server, server):
        monkeypatch.setenv("CITIES_SOCKET", str(each.socket))
        assert cities.generation() == each.generation() == cities.locate([59.4], [24.7]).generation
