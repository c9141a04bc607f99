"""The functions of the Python package: flat rows, tables of other libraries, and mistakes that are named."""

import os
import subprocess
import sys

import oracle
import polars
import pytest
from harness import BIN, ROOT, environment

FOLDER = ROOT / "contrib" / "integrations" / "python"
sys.path.insert(0, str(FOLDER))

import cities  # noqa: E402

TALLINN = 588_409


@pytest.fixture(autouse=True)
def running(shipped_server, monkeypatch):
    monkeypatch.setenv("CITIES_SOCKET", str(shipped_server.socket))
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    return shipped_server


def test_rows_have_the_facts_about_their_city_as_keys():
    (found,) = cities.find("reval", limit=1)
    assert (found["name"], found["region"], found["matched"]) == ("Tallinn", "Harjumaa", "Reval")
    # What rows were before, the city of the protocol is still there.
    assert found["city"]["name"] == "Tallinn" and found["by"] == "alternate"
    tallinn, next_one = cities.near("tallinn", limit=2)
    assert (tallinn["id"], tallinn["distance"], tallinn["zone"]) == (TALLINN, 0, "Europe/Tallinn")
    assert next_one["distance"] > 0 and "zone" not in cities.near(TALLINN, limit=1, with_=[])[0]
    assert cities.near((59.4354, 24.7575), limit=1, rule="place")[0]["name"] == "Tallinn"
    assert [row["name"] for row in cities.near("tallinn", radius=100)] == ["Tallinn"]


@pytest.mark.parametrize("place", ["reval", TALLINN, {"title": "Tallinn, EE"}, {"query": "таллин"}])
def test_one_city_is_shown_with_all_facts(place):
    shown = cities.show(place)
    assert (shown["id"], shown["zone"], shown["region"]) == (TALLINN, "Europe/Tallinn", "Harjumaa")
    assert "Reval" in shown["alternates"]


def test_a_city_is_chosen_by_the_place_nearby():
    assert cities.show("springfield", near="Portland, OR")["region"] == "Oregon"


def test_times_are_those_of_one_place_or_of_several():
    rows = cities.time("tokyo", {"zone": "Europe/Paris"}, (40.7, -74.0), at="2026-07-01T12:00:00Z")
    assert [row["local"] for row in rows] == [f"2026-07-01T{hour}:00:00" for hour in (21, 14, "08")]
    assert (rows[0]["name"], rows[0]["zone"], rows[1].get("name")) == ("Tokyo", "Asia/Tokyo", None)
    assert cities.time("tokyo")[0]["offset"] == "+09:00"


@pytest.mark.parametrize(("one", "other"), [
    ("tallinn", "riga"), ("Suva, FJ", "Apia, WS"), ((0.0, 179.5), (0.0, -179.5)), ((90.0, 0.0), (-90.0, 0.0)),
    ("tallinn", "tallinn")])
def test_a_distance_is_that_of_the_program_and_of_the_oracle(running, one, other):
    def position(place):
        city = cities.show(place) if isinstance(place, str) else None
        return (city["lat"], city["lon"]) if city else place

    words = ["{},{}".format(*position(place)) for place in (one, other)]
    lat, lon = position(other)
    metres = cities.distance(one, other)
    assert abs(metres - oracle.distance(*position(one), {"lat": lat, "lon": lon})) <= 1
    assert str(metres) == running.ctl("distance", "--output", "tsv", "--", *words).stdout.split("\t")[2]


def test_a_country_is_what_the_program_says():
    japan = cities.country("Japan")
    assert (japan["country"], japan["capital"], japan["currency"]) == ("JP", "Tokyo", "JPY")
    assert cities.country("JP") == japan and japan["zones"] == ["Asia/Tokyo"]
    with pytest.raises(cities.ServerError, match='no country "narnia"') as raised:
        cities.country("narnia")
    assert raised.value.code == "invalid-params"
    with pytest.raises(cities.ServerError):
        cities.country("--help")


def test_a_country_without_the_program_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="install the package cities"):
        cities.country("JP")


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_rows_become_a_table(library):
    found = cities.find("springfield", country="US", limit=3)
    frame = found.frame(library)
    names = frame.column_names if library == "pyarrow" else frame.columns
    assert names[:7] == ["name", "country", "region", "population", "lat", "lon", "id"] and "city" not in names
    column = frame["region"].to_pylist() if library == "pyarrow" else frame["region"].to_list()
    assert column == [row["region"] for row in found] and len(set(column)) == 3
    empty = cities.find("zzzzqqqq", typos=False).frame(library)
    assert len(empty) == 0 and (empty.column_names if library == "pyarrow" else empty.columns) == names[:7]


def test_a_table_has_what_only_some_rows_have():
    frame = cities.time("tokyo", {"zone": "Europe/Paris"}).frame("polars")
    assert frame["name"].to_list() == ["Tokyo", None] and frame["zone"].to_list() == ["Asia/Tokyo", "Europe/Paris"]
    assert isinstance(frame, polars.DataFrame) and "change" not in frame.columns


def test_an_unknown_library_is_named():
    with pytest.raises(ValueError, match="'pandas', 'polars' or 'pyarrow', not 'excel'"):
        cities.find("tallinn").frame("excel")


@pytest.mark.parametrize("places", ["tokyo", {"query": "tokyo"}, (59.4, 24.7)], ids=["text", "map", "pair"])
def test_one_place_is_not_taken_for_a_list(places):
    with cities.connect() as client, pytest.raises(TypeError, match=r"places must be a list of places: use \["):
        client.city_time(places)


@pytest.mark.parametrize("place", [3.5, [59.4, 24.7], object()], ids=["float", "list", "object"])
def test_what_is_no_place_is_named(place):
    for function in (cities.near, cities.time, lambda place: cities.distance("tallinn", place)):
        with pytest.raises(TypeError, match=f"a place is .*, not {type(place).__name__}"):
            function(place)


def test_a_misspelt_column_is_an_error_that_names_the_columns():
    for found in (cities.match(["Reval"], rows=True), cities.locate([59.4], [24.7], rows=True)):
        with pytest.raises(KeyError, match="no column 'nam'; the columns are name, country, region, population"):
            found.column("nam")
        assert found.column("population") and found.column("region") == [None]


def run(*words, **variables):
    return subprocess.run(
        [sys.executable, "-m", "cities", *words], capture_output=True, text=True, timeout=60, check=False,
        env=environment(PYTHONPATH=variables.pop("PYTHONPATH", FOLDER), **variables))


def test_the_command_runs_citiesctl_where_that_is_installed(running, tmp_path):
    ran = run("show", "reval", "-o", "json", CITIES_SOCKET=running.socket, PATH=f"{BIN}:/usr/bin:/bin")
    assert ran.returncode == 0 and '"name":"Tallinn"' in ran.stdout, ran.stderr
    absent = run("show", "reval", CITIES_SOCKET=running.socket, PATH=tmp_path)
    assert (absent.returncode, absent.stdout) == (69, "") and "Traceback" not in absent.stderr
    assert absent.stderr.startswith("cities: 'show' is neither a method nor, without the program citiesctl, a command")


@pytest.mark.parametrize("words", [["find", "tallinn"], ["status"], ["--help"]], ids=" ".join)
def test_without_cbor2_the_command_says_so_in_one_line(tmp_path, words):
    (tmp_path / "cbor2.py").write_text("raise ImportError('no such thing')\n")
    ran = run(*words, PYTHONPATH=f"{tmp_path}:{FOLDER}")
    assert ran.returncode == 1 and ran.stdout == ""
    assert ran.stderr == (
        "cities: the package cities needs the Python package cbor2: pip install cbor2, or Debian's python3-cbor2\n")
    imported = subprocess.run(
        [sys.executable, "-c", "import cities"], capture_output=True, text=True, timeout=60, check=False,
        env=environment(PYTHONPATH=f"{tmp_path}:{FOLDER}"))
    assert imported.stderr.count("Traceback") == 1 and "pip install cbor2" in imported.stderr.splitlines()[-1]


def test_the_package_needs_no_pyarrow():
    """Only `cities.sql` does, at its first use."""
    code = "import sys, cities; print({'pyarrow', 'numpy', 'pandas', 'polars'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
                         env=environment(PYTHONPATH=FOLDER))
    assert ran.stdout == "set()\n", ran.stderr
    with pytest.raises(AttributeError, match="has no attribute 'sequel'"):
        cities.sequel
