"""citiesctl bank …: the whole chain from the shipped samples, through the sync program and the server, to the shell."""

import csv
import io
import json
import pty
import re
import subprocess

import banks
import harness
import pytest
from harness import ROOT

FOLDER = ROOT / "contrib" / "data" / "sample"
COLUMNS = ("title lat lon id bank kind country country_name region name address open phone email website no_cash "
           "coin_station availability info hours zone code holiday holiday_hours").split()
# A Monday in winter, 10:00 in Sarajevo.
MONDAY = "2026-11-23T10:00:00+01:00"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on the samples."""
    server = harness.Server(tmp_path_factory.mktemp("bank-commands"))
    yield server.with_samples(*banks.PLACES, reported=["bank.regions"])
    server.stop()


@pytest.fixture(scope="module")
def rows():
    """What the samples say, read by Python."""
    return [row for feed in banks.PLACES for row in banks.load(feed, FOLDER / f"{feed}.json")]


def tsv(text):
    return [dict(zip(COLUMNS, line.split("\t"))) for line in text.splitlines()]


def ask(server, *words, status=0):
    asked = server.ctl("bank", *words)
    assert asked.returncode == status, asked.stderr
    return asked.stdout


def test_every_location_is_listed_once_in_every_format(server, rows):
    ids = [row["id"] for row in tsv(ask(server, "list", "--all"))]
    assert len(ids) == len(set(ids)) == len(rows)
    readers = {
        "json": lambda text: [row["id"] for row in json.loads(text)["rows"]],
        "jsonl": lambda text: [json.loads(line)["id"] for line in text.splitlines()],
        "csv": lambda text: [row["id"] for row in csv.DictReader(io.StringIO(text))],
        "geojson": lambda text: [place["properties"]["id"] for place in json.loads(text)["features"]],
        "table": lambda text: re.findall(r"  ((?:swedbank-..|imaginary)-\w+)$", text, re.MULTILINE),
    }
    for form, read in readers.items():
        assert read(ask(server, "list", "--all", "--output", form)) == ids, form


def test_counts_agree_with_the_regions(server, rows):
    assert ask(server, "list", "--count") == f"{len(rows)}\n"
    regions = [line.split("\t") for line in ask(server, "regions").splitlines()]
    assert sum(int(count) for *_, count in regions) == len(rows)
    for country, _, region, count in regions:
        assert ask(server, "list", "--country", country, "--region", region, "--count") == f"{count}\n"


def test_a_region_is_listed_by_the_names_that_people_use(server):
    by_name = ask(server, "list", "--country", "Lithuania", "--region", "Alytus")
    assert by_name and by_name == ask(server, "list", "--country", "lt", "--region", "ALYTUS")
    table = ask(server, "list", "--country", "Lithuania", "--region", "Alytus", "--output", "table")
    assert table.splitlines()[1:3] == ["Lithuania", "  Alytus"]


def test_pages_put_together_are_the_whole(server):
    whole = ask(server, "list", "--all").splitlines()
    parts = [ask(server, "list", "--offset", at, "--limit", 5).splitlines() for at in range(0, len(whole), 5)]
    assert [line for part in parts for line in part] == whole


def test_search_ignores_case_and_accents(server):
    found = tsv(ask(server, "search", "PARNU", "sample"))
    assert [row["title"] for row in found] == ["Sample machine Pärnu"]
    assert ask(server, "search", "no-such-word", status=1) == ""


def test_the_nearest_cash_machine_of_a_city(server):
    nearest = ask(server, "near", "Tallinn, EE", "--kind", "atm", "--limit", 1, "--columns", "title,distance")
    assert nearest == "Sample machine Balti jaam\t981\n"
    assert ask(server, "near", "59.43696,24.75353", "--radius", "900m", "--kind", "atm", status=1) == ""
    assert ask(server, "near", "-33.9,18.4", "--limit", 1).count("\n") == 1


def test_near_begins_where_here_says(server, tmp_path):
    variables = {"XDG_CONFIG_HOME": tmp_path}
    assert server.ctl("bank", "near", variables=variables).returncode == 2
    assert server.ctl("here", "Tallinn, EE", variables=variables).returncode == 0
    near = server.ctl("bank", "near", "--limit", 1, "--columns", "title", variables=variables)
    assert near.stdout == "Sample branch Tallinn\n"


def test_open_is_asked_about_any_moment(server):
    shown = ask(server, "show", "imaginary-1", "--at", MONDAY, "--columns", "open")
    closed = ask(server, "show", "imaginary-1", "--at", "2026-11-23T07:59:59+01:00", "--columns", "open")
    assert (shown, closed) == ("yes\n", "no\n")
    answers = {row["id"]: row["open"] for row in tsv(ask(server, "list", "--all", "--at", MONDAY))}
    listed = [row["id"] for row in tsv(ask(server, "list", "--all", "--open-now", "--at", MONDAY))]
    assert listed == [key for key, answer in answers.items() if answer == "yes"]
    assert set(answers.values()) == {"yes", "no", "unknown"}


def test_one_location_is_a_page_on_a_terminal(server):
    page = ask(server, "show", "imaginary-1", "--output", "table")
    for line in ["id            imaginary-1", "hours         Monday     08:00–17:30", "Sunday     closed",
            "position  "]:
        assert line in page
    machine = ask(server, "show", "imaginary-2", "--output", "table")
    assert "cash" not in machine and "coin" not in machine
    assert "no_cash" in ask(server, "show", "imaginary-2", "--output", "json")


@pytest.mark.parametrize("words, status, told", [
    (["show", "imaginary-0"], 1, "imaginary-0"), (["list", "--country", "Narnia"], 2, "Lithuania"),
    (["list", "--country", "lt", "--region", "Narnia"], 2, "citiesctl bank regions"),
    (["list", "--bank", "other"], 2, "imaginary"), (["list", "--kind", "shop"], 2, "atm"),
    (["near", "Springfield, US"], 3, "Springfield"), (["near", "No such city"], 1, "No such city"),
    (["list", "--at", "noon"], 2, "2026-03-01T12:00:00+02:00"), (["list", "--limit", "-1"], 2, "from 1 to 1000"),
    (["sing"], 2, "bank sing"),
])
def test_what_is_wrong_is_said_with_its_status(server, words, status, told):
    asked = server.ctl("bank", *words)
    assert (asked.returncode, asked.stdout) == (status, "")
    assert told in asked.stderr


def test_samples_are_told_wherever_they_are_shown(server):
    for form in ("table", "tsv", "csv"):
        assert server.ctl("bank", "list", "--output", form).stderr.endswith("sample data, not real\n")
    for form in ("json", "geojson"):
        assert json.loads(ask(server, "list", "--all", "--output", form))["sample"] is True
    assert all(json.loads(line)["sample"] for line in ask(server, "list", "--all", "--output", "jsonl").splitlines())


def test_an_empty_result_names_the_next_step_on_a_terminal(server):
    leader, follower = pty.openpty()
    words = ["bank", "list", "--country", "Latvia", "--kind", "unknown"]
    asked = subprocess.run(
        [harness.BIN / "citiesctl", *words], stdout=subprocess.PIPE, stderr=follower, timeout=30, check=False,
        env=harness.environment(CITIES_SOCKET=server.socket))
    assert (asked.returncode, asked.stdout) == (1, b"")
    with open(leader, "rb", closefd=True, buffering=0) as terminal:
        assert b"citiesctl bank regions" in terminal.read(4096)


def test_a_server_without_banks_is_waited_for_and_then_given_up(empty_server):
    asked = empty_server.ctl("bank", "regions", "--wait", "0")
    assert (asked.returncode, asked.stdout) == (75, "")
    assert "banks" in asked.stderr
