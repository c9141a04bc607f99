"""The import refuses or reports bad records, and never disturbs the data being served."""

import gzip
import json

import harness
import pytest
from conftest import SMALL_LIST
from harness import Sync, record, run_sync

GOOD = record(900, "Goodtown")


def spoilt(**changes):
    """A record with some keys changed, or left out where the value is None."""
    return {key: value for key, value in (record(901, "Badtown") | changes).items() if value is not None}


PACKED = gzip.compress(json.dumps(SMALL_LIST).encode())

REFUSED = {
    "a truncated file": json.dumps(SMALL_LIST).encode()[:-40],
    "a truncated gzip": gzip.compress(json.dumps(SMALL_LIST * 50).encode())[:-30],
    "a gzip with a bad checksum": PACKED[:-8] + bytes(4) + PACKED[-4:],
    "an object instead of an array": json.dumps({"data": SMALL_LIST}).encode(),
    "a number": b"5",
    "an empty file": b"",
    "bytes that are no text": bytes(range(128, 256)) * 20,
    "an unclosed string": b'[{"name":"A',
}

REPORTED = {
    "a missing name": [spoilt(name=None)],
    "a missing country": [spoilt(country=None)],
    "a missing id": [spoilt(_id=None)],
    "missing coordinates": [spoilt(coord=None)],
    "a missing latitude": [spoilt(coord={"lon": 1})],
    "a string for the id": [spoilt(_id="901")],
    "strings for coordinates": [spoilt(coord={"lon": "1", "lat": "2"})],
    "a number for the name": [spoilt(name=5)],
    "latitude 91": [spoilt(coord={"lon": 0, "lat": 91})],
    "longitude -181": [spoilt(coord={"lon": -181, "lat": 0})],
    "an empty name": [spoilt(name="")],
    "a name of 10 MB": [spoilt(name="x" * 10_000_000)],
    "a separator in the name": [spoilt(name="Bad\x01town")],
    "a record that is no object": [[1, 2]],
    "null": [None],
    "the id 0": [spoilt(_id=0)],
    "a negative id": [spoilt(_id=-5)],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_list_is_refused_whole(tmp_path, name):
    source, target = tmp_path / "list", tmp_path / "cities.index"
    source.write_bytes(REFUSED[name])
    target.write_bytes(b"before")
    made = harness.build_index(source, target)
    assert made.returncode == 65, f"{name}: {made.stderr}"
    assert str(source) in made.stderr
    assert target.read_bytes() == b"before", "a refused import has touched its target"
    assert [path.name for path in tmp_path.iterdir() if path not in (source, target)] == []


@pytest.mark.parametrize("name", REPORTED)
def test_a_bad_record_is_reported_with_its_position_and_skipped(tmp_path, name):
    source = harness.write_list(tmp_path / "list.json", [GOOD, *REPORTED[name], record(902, "Finetown")])
    target = tmp_path / "cities.index"
    made = harness.build_index(source, target)
    assert made.returncode in (0, 4), f"{name}: {made.stderr}"
    assert "record 2" in made.stderr or "[1]" in made.stderr, f"no position in {made.stderr!r}"
    assert len(made.stderr) < 4_000, "a report that nobody can read"
    assert titles(tmp_path, target) == ["Finetown, XX", "Goodtown, XX"]


def titles(folder, index):
    """What a server on an index answers to the empty prefix."""
    return harness.served_cities(folder, index, "title")


def test_an_index_for_a_folder_has_the_name_that_citiesd_looks_for(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [GOOD])
    server = harness.Server(tmp_path / "server").without_installed_list()
    share = server.folder / "share" / "cities"
    share.mkdir(parents=True)
    for target in (share, f"{share}/"):
        made = harness.build_index(source, target)
        assert made.returncode == 0, made.stderr
        assert made.stdout.startswith(f"{share}/{harness.PREBUILT.name}: ")
        assert [path.name for path in share.iterdir()] == [harness.PREBUILT.name]
    # One of another version beside it, which no server of this version opens.
    (share / "cities-99.index").write_text("another format")
    server.start()
    try:
        assert server.ctl("search", "", "--columns", "title", "--output", "tsv").stdout == "Goodtown, XX\n"
        assert "cities-99" not in server.log.read_text()
    finally:
        server.stop()


def test_cities_with_one_id_are_kept_and_equal_ones_are_reported_as_repeated(tmp_path):
    source = harness.write_list(
        tmp_path / "list.json",
        [record(7, "First"), GOOD, record(7, "Last"), record(7, "First"), record(8, "Alone", "")])
    made = harness.build_index(source, tmp_path / "cities.index")
    assert made.returncode == 0
    assert "5 records read: 4 kept, 1 repeated, 0 replaced, 0 skipped" in made.stdout
    assert "record 4 repeated: " in made.stderr
    server = harness.Server(tmp_path / "server")
    (server.state / "cities.index").write_bytes((tmp_path / "cities.index").read_bytes())
    server.start()
    try:
        listed = server.ctl("search", "", "--columns", "title", "--output", "tsv").stdout.splitlines()
        assert listed == ["Alone", "First, XX", "Goodtown, XX", "Last, XX"]
        shown = server.ctl("show", "7")
        assert (shown.returncode, shown.stdout) == (3, "")
        assert "First, XX" in shown.stderr and "Last, XX" in shown.stderr
        assert server.ctl("show", "8", "--columns", "title", "--output", "tsv").stdout == "Alone\n"
        assert server.ctl("show", "Alone", "--columns", "id", "--output", "tsv").stdout == "8\n"
    finally:
        server.stop()


def test_a_source_that_is_absent_is_an_error_that_names_it(tmp_path):
    made = harness.build_index(tmp_path / "absent.json", tmp_path / "cities.index")
    assert made.returncode in (65, 66, 69, 74)
    assert "absent.json" in made.stderr


def test_a_source_that_may_not_be_read_is_77(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [GOOD])
    source.chmod(0)
    made = harness.without_rights("citiesd-sync", "build", source, tmp_path / "cities.index", folder=tmp_path)
    assert made.returncode == 77, made.stderr
    assert str(source) in made.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_import_never_disturbs_what_is_served(server, tmp_path, name):
    source = tmp_path / "source.json"
    source.write_bytes(REFUSED[name])
    before = server.generation()
    imported = run_sync("run", "--force", "cities", CITIES_STATE=server.state, CITIES_FEED_CITIES=f"file:{source}")
    assert imported.returncode not in (0, 4), imported.stdout + imported.stderr
    assert server.generation() == before
    with server.wire() as wire:
        assert wire.call("city.search", prefix="alb")["total"] == 1


def test_a_good_import_is_served_and_the_same_again_changes_nothing(server, tmp_path):
    source = harness.write_list(tmp_path / "source.json.gz", [*SMALL_LIST, record(77, "Albany", "US")])
    before = server.generation()
    variables = {"CITIES_STATE": server.state, "CITIES_FEED_CITIES": f"file:{source}"}
    assert run_sync("run", "--force", "cities", **variables).returncode == 0
    after = harness.until(lambda: server.generation() != before and server.generation(), what="a new generation")
    written = (server.state / "cities.index").stat()
    with server.wire() as wire:
        assert wire.call("city.search", prefix="alb")["total"] == 2
    assert run_sync("run", "cities", **variables).returncode == 0
    assert server.generation() == after
    assert (server.state / "cities.index").stat().st_ino == written.st_ino, "what did not change was written again"


def test_refresh_reaches_the_sync_service_through_the_server(server, tmp_path):
    source = harness.write_list(tmp_path / "source.json", [*SMALL_LIST, record(77, "Albany", "US")])
    sync = Sync(server, CITIES_FEED_CITIES=f"file:{source}").start()
    try:
        refreshed = server.ctl("refresh", "--force")
        assert refreshed.returncode == 0, refreshed.stderr
        harness.until(lambda: server.ctl("search", "--count", "alb").stdout == "2\n", what="the new city")
        source.write_text("{}")
        failed = server.ctl("refresh", "--force")
        assert failed.returncode == 69, failed.stdout + failed.stderr
        assert server.ctl("search", "--count", "alb").stdout == "2\n"
        feeds = json.loads(server.ctl("status", "--output", "json").stdout)["feeds"]
        assert feeds[0]["last_error"]
    finally:
        sync.stop()


def test_a_list_without_cities_is_taken_only_where_that_is_said(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [])
    refused = harness.build_index(source, tmp_path / "cities.index")
    assert refused.returncode == 65
    assert "--allow-empty" in refused.stderr
    assert run_sync("build", "--allow-empty", source, tmp_path / "cities.index").returncode == 0
    assert titles(tmp_path, tmp_path / "cities.index") == []


@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 33])
def test_small_lists_of_every_size_round_trip(tmp_path, size):
    source = harness.write_list(tmp_path / "list.json", [record(n + 1, f"Town {n:02}") for n in range(size)])
    made = harness.build_index(source, tmp_path / "cities.index")
    assert made.returncode == 0, made.stderr
    assert titles(tmp_path, tmp_path / "cities.index") == [f"Town {n:02}, XX" for n in range(size)][:20]


# Memory of an import for each further city of a dump without other names, all sections included. It took 338; it took
# 660 when cities were gathered as values of Swift.
CITY_BYTES = 450


def peak_memory(source, target):
    """The memory that an import has taken at most, in KiB."""
    done, taken = harness.measured_sync("build", source, target)
    assert done.returncode == 0, done.stderr
    return taken


def test_peak_memory_of_the_import_stays_below_400_megabytes(tmp_path):
    taken = peak_memory(harness.SHIPPED_LIST, tmp_path / "cities.index")
    assert taken < 400 * 1024, f"{taken} KiB"


def test_a_dump_takes_little_memory_for_each_further_city(tmp_path):
    taken = []
    for count in (100_000, 300_000):
        dump = tmp_path / f"{count}.txt.gz"
        with gzip.open(dump, "wt", compresslevel=1, encoding="utf-8") as file:
            file.writelines(
                f"{n}\tSan {n} Town\tSan {n} Town\t\t{n % 900 / 10}\t{n % 1_799 / 10}\tP\tPPL\tEE\t\t01\t\t\t\t0\t\t0"
                "\tEurope/Tallinn\t2026-01-01\n" for n in range(1, count + 1))
        taken.append(peak_memory(dump, tmp_path / "cities.index"))
    each = (taken[1] - taken[0]) * 1024 / 200_000
    print(f"{each:.0f} bytes for each city")
    assert each <= CITY_BYTES


def test_what_a_source_says_does_not_act_on_the_terminal_of_a_command(tmp_path):
    source = tmp_path / "locations.json"
    source.write_text(json.dumps({"data": [
        {"type": "\x1b]0;title\x07\x9b2J\u202e", "location": {"lat": 1, "long": 1}}]}))
    done = harness.run_sync("run", "imaginary", CITIES_STATE=tmp_path / "state", CITIES_FEED_IMAGINARY=source)
    assert done.returncode == 0, done.stderr
    assert "type \"\\u001b]0;title\\u0007\\u009b2J\\u202e\" is not known" in done.stderr
    assert all(sign.isprintable() or sign == "\n" for sign in done.stdout + done.stderr)
