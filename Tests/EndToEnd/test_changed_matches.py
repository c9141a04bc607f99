"""The command contrib/bench/changed-matches, with the same build twice, and with one that has another index."""

import shutil
import subprocess
import sys

import pytest
from harness import BIN, PREBUILT, ROOT, build_index, record, write_list

COMMAND = ROOT / "contrib" / "bench" / "changed-matches"
OLD = [
    record(1, "Tallinn", "EE", population=400_000), record(2, "Tartu", "EE", population=90_000),
    record(3, "Narva", "EE", population=50_000), record(4, "Paris", "FR", population=2_000_000)]
# Tartu has another id, Narva is misspelt, Paris has a namesake nearly as large, and Valga is added.
NEW = [
    OLD[0], record(7, "Tartu", "EE", population=90_000), record(3, "Narwa", "EE", population=50_000),
    OLD[3], record(5, "Paris", "US", population=1_900_000), record(6, "Valga", "EE", population=12_000)]


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """The programs, twice: each beside an index of its own list."""
    folder = tmp_path_factory.mktemp("builds")
    for name, records in (("old", OLD), ("new", NEW)):
        (folder / name / "bin").mkdir(parents=True)
        (folder / name / "share" / "cities").mkdir(parents=True)
        for program in BIN.iterdir():
            shutil.copy(program, folder / name / "bin")
        source = write_list(folder / f"{name}.json", records)
        made = build_index(source, folder / name / "share" / "cities" / PREBUILT.name)
        assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def compare(builds, tmp_path):
    def run(text, old, new, *options):
        table = tmp_path / "table"
        table.write_text(text)
        return subprocess.run(
            [sys.executable, COMMAND, table, builds / old / "bin", builds / new / "bin", *options],
            capture_output=True, text=True, check=False, timeout=120)
    return run


def test_the_same_build_twice_differs_in_no_row(compare):
    done = compare("Tallinn\nTartu\nNowhere at all\n", "old", "old")
    assert (done.returncode, done.stdout) == (0, "0 of 3 rows differ\n"), done


def test_rows_of_another_index_are_listed_and_counted(compare):
    done = compare("Tallinn\t1\nTartu\t2\nParis\t3\nNarva\t4\nValga\t5\n", "old", "new")
    *changed, counts = done.stdout.splitlines()
    assert done.returncode == 1
    assert [line.split("\t") for line in changed] == [
        ["2", "2", "Tartu, EE", "sure", "7", "Tartu, EE", "sure", "Tartu", "2"],
        ["3", "4", "Paris, FR", "sure", "4", "Paris, FR", "likely", "Paris", "3"],
        ["4", "3", "Narva, EE", "sure", "3", "Narwa, EE", "guess", "Narva", "4"],
        ["5", "", "", "", "6", "Valga, EE", "sure", "Valga", "5"]]
    assert counts == "4 of 5 rows differ: 1 another city, 2 another class, 1 found"
    assert compare("Tartu\n", "old", "new", "--summary").stdout == "1 of 1 rows differ: 1 another city\n"


def test_options_of_match_are_passed_on(compare):
    table = "n,town\n1,Tallinn\n2,\"Tartu\"\n"
    done = compare(table, "old", "new", "--", "--input", "csv", "--name", "town")
    assert done.stdout.splitlines()[-1] == "1 of 3 rows differ: 1 another city"
    assert done.stdout.splitlines()[0].split("\t")[-2:] == ["2", "Tartu"]


def test_trouble_has_a_status_of_its_own(compare, tmp_path):
    done = compare("Tartu\n", "old", "new", "--", "--name", "town")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no column is named 'town'" in done.stderr
    missing = subprocess.run(
        [sys.executable, COMMAND, tmp_path / "table", tmp_path, BIN], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "citiesctl is missing" in missing.stderr
