"""What people type at a prompt, and what they read then: on a terminal, where nothing is a script."""

import re
import subprocess
import time
from pathlib import Path

import harness
import pytest
from screen import Screen
from test_cli import typescript


def test_one_bad_place_does_not_hide_the_good_ones_on_a_terminal(shipped_server):
    lines = typescript("time", "tokyo", "nosuchplace", "paris", socket=shipped_server.socket).split("\r\n")
    assert 'no city is called "nosuchplace"' in lines[0]
    assert [line.split(",")[0] for line in lines if re.search(r"\d\d:\d\d", line)] == ["Tokyo", "Paris"]
    asked = shipped_server.ctl("time", "tokyo", "nosuchplace", "paris")
    assert (asked.returncode, asked.stdout) == (1, "") and "one argument" not in asked.stderr


def test_words_that_are_a_name_together_are_one_place(shipped_server):
    for words, titles in [
        (["new", "york"], ["New York City, US"]),
        (["tokyo", "new", "york", "paris"], ["Tokyo", "New York City", "Paris"]),
        (["14:30", "tokyo", "new", "York City, US"], ["Tokyo", "New York City"]),
    ]:
        asked = shipped_server.ctl("time", *words)
        assert asked.returncode == 0, asked.stderr
        assert [row.startswith(title) for row, title in zip(asked.stdout.splitlines(), titles, strict=True)]
    asked = shipped_server.ctl("time", "tomorrow", "paris")
    assert asked.returncode == 1 and "'tomorrow paris'" not in asked.stderr


@pytest.mark.parametrize(("words", "sentence"), [
    (["distance", "jfk", "lhr"], "JFK is New York City, US"), (["show", "lhr"], "LHR is London, GB"),
    (["time", "cdg"], "CDG is Paris, FR"), (["find", "lhr"], "LHR is London, GB"),
    (["near", "me"], "'citiesctl here PLACE' saves your position"),
    (["near", "home"], "'citiesctl here PLACE' saves your position"),
    (["map", "here"], "'citiesctl here PLACE' saves your position"),
])
def test_what_is_not_a_place_is_explained(shipped_server, words, sentence):
    asked = shipped_server.ctl(*words)
    assert asked.returncode in (1, 3) and sentence in asked.stderr, asked.stderr


def test_zones_are_named_in_any_case(shipped_server):
    zones = ["Asia/Kolkata", "America/Port_of_Spain", "Europe/Isle_of_Man", "Africa/Porto-Novo", "Etc/GMT+5",
             "America/Port-au-Prince", "Antarctica/McMurdo", "America/Argentina/Buenos_Aires"]
    for written in (zones, [zone.lower() for zone in zones], [zone.upper() for zone in zones]):
        asked = shipped_server.ctl("time", "--columns", "zone", *written)
        assert asked.stdout.splitlines() == zones, asked.stderr


def test_no_note_about_a_limit_that_was_chosen(shipped_server):
    def notes(*words):
        shown = typescript(*words, "-o", "tsv", "--no-pager", socket=shipped_server.socket)
        return [line for line in shown.split("\r\n") if line.startswith("citiesctl: ")]

    for words in (["find", "san"], ["near", "tokyo"], ["within", "40,0", "50,10"], ["search", "san"]):
        assert len(notes(*words)) == 1, words
        assert notes(*words, "-n", "3") == notes(*words, "--quiet") == [], words
    assert len(notes("find", "san", "-n", "100", "--columns", "id")) == 1


def test_quiet_keeps_what_could_mislead(shipped_server):
    for words, kept in [
        (["find", "texas"], "is Texas, US"), (["near", "kiev"], None), (["show", "kiev"], None),
    ]:
        noisy, quiet = shipped_server.ctl(*words), shipped_server.ctl(*words, "-q")
        assert noisy.stdout == quiet.stdout and noisy.stderr
        assert (kept in quiet.stderr) if kept else quiet.stderr == "", quiet.stderr


def test_the_table_of_find_has_the_same_columns_for_any_name(shipped_server):
    heads = {
        typescript("find", "-n", "2", name, socket=shipped_server.socket, columns=100).split("\r\n")[0].split()[1]
        + " ".join(typescript("find", name, socket=shipped_server.socket, columns=100).split("\r\n")[0].split())
        for name in ("paris", "münchen", "singapore", "kiev")}
    assert len(heads) == 1, heads
    narrow = typescript("find", "paris", socket=shipped_server.socket, columns=44).split("\r\n")[0].split()
    assert narrow == ["TITLE", "REGION"]


def test_a_column_may_have_spaces_beside_its_comma(shipped_server):
    asked = shipped_server.ctl("find", "tallinn", "-n", "1", "--columns", "title, id ,country")
    assert asked.stdout == "Tallinn, EE\t588409\tEE\n"


def test_messages_are_ascii_in_the_c_locale(shipped_server):
    for words in (["frobnicate"], ["find", "--nope"], ["find", "paris", "--timing"], ["time", "nowhere"]):
        asked = harness.ctl(*words, socket=shipped_server.socket, variables={"LC_ALL": "C"})
        assert asked.stderr and asked.stderr.isascii(), asked.stderr
    assert "…" in harness.ctl("find", "--nope", socket=shipped_server.socket, variables={"LC_ALL": "C.UTF-8"}).stderr


def test_an_endless_message_of_a_server_is_cut(peer):
    import struct

    import cbor2

    def answer(connection):
        received = connection.recv(65536)
        asked = cbor2.loads(received[4:])
        error = {"code": "internal", "message": "x" * 3_000_000}
        payload = cbor2.dumps({"id": asked["id"], "error": error}, canonical=True)
        connection.sendall(struct.pack(">I", len(payload)) + payload)

    for words in (["find", "a"], ["find", "a", "-o", "json"]):
        asked = harness.ctl(*words, socket=peer(answer))
        assert asked.returncode != 0 and 1_000 < len(asked.stderr) < 5_000


@pytest.fixture
def pager(shipped_server, tmp_path):
    """Starts a long table in less, on a terminal."""
    opened = []

    def start(**variables):
        screen = Screen(
            tmp_path / f"pager-{len(opened)}", [harness.BIN / "citiesctl", "search", "san", "--all"],
            CITIES_SOCKET=shipped_server.socket, LESS="R", **variables)
        opened.append(screen)
        return screen

    yield start
    for screen in opened:
        screen.close()


def test_ctrl_c_ends_neither_the_pager_nor_the_command(pager):
    screen = pager()
    screen.until(lambda lines: lines[0].strip().startswith("TITLE"), "the table")
    screen.keys("C-c")
    time.sleep(0.3)
    screen.keys("C-c")

    def is_on_next_page(lines):
        # A pager may drop a key that comes with the interrupt.
        if is_first := lines[0].strip().startswith("TITLE"):
            screen.keys("Space")
        return not is_first

    screen.until(is_on_next_page, "the next page")
    assert "status" not in "".join(screen.lines())
    screen.keys("q")
    screen.until(lambda lines: any(line == "status 0" for line in lines), "the end")


def test_a_dumb_terminal_has_no_pager(pager):
    screen = pager(term="dumb")
    screen.until(lambda lines: any(line == "status 0" for line in lines), "the end")


def test_near_leaves_out_the_parts_of_a_named_city_on_a_terminal(shipped_server):
    def titles(*words):
        shown = typescript("near", *words, "--columns", "title,population", socket=shipped_server.socket, columns=80)
        return [re.split(r"  +", line)[0] for line in shown.split("\r\n") if line], shown

    (_, *some), shown = titles("paris")
    assert "parts of Paris, FR are left out; --all shows all" in shown
    assert not [title for title in some if title.startswith("Paris ")], some
    (_, *every), shown = titles("paris", "--all")
    assert "left out" not in shown and [title for title in every if title.startswith("Paris 0")]
    # A script gets all, and so does a position.
    assert "Paris 0" in shipped_server.ctl("near", "paris").stdout
    assert "left out" not in titles("48.85,2.35")[1]


def test_lengths_are_read_in_miles_and_feet_and_metres_are_explained(shipped_server):
    def rows(length):
        return shipped_server.ctl("near", "tallinn", "--radius", length, "-n", "1000").stdout.splitlines()

    assert rows("10mi") == rows("10 miles") == rows("16093.44") == rows("52800ft") != rows("10km")
    note = "--radius 25 is in metres; for kilometres, write 25km"
    assert note in typescript("near", "tallinn", "--radius", "25", socket=shipped_server.socket)
    for length in ("25m", "250"):
        shown = typescript("near", "tallinn", "--radius", length, "--columns", "id", socket=shipped_server.socket)
        assert "in metres" not in shown
    assert note not in shipped_server.ctl("near", "tallinn", "--radius", "25").stderr
    assert "--zoom 50 is in metres" in typescript("map", "tallinn", "--zoom=50", socket=shipped_server.socket)


def test_the_encoding_of_an_installed_locale_counts_and_else_the_end_of_its_name(shipped_server, tmp_path):
    if Path("/usr/share/i18n/locales/et_EE").exists():
        for encoding in ("UTF-8", "ISO-8859-15"):
            (tmp_path / encoding).mkdir()
            subprocess.run(
                ["localedef", "-c", "-i", "et_EE", "-f", encoding, tmp_path / encoding / "et_EE"], check=False,
                capture_output=True)
        names = [("et_EE", "UTF-8", True), ("et_EE", "ISO-8859-15", False)]
    else:
        names = []
    for name, folder, expected in [
        *names, ("xx_YY.UTF-8", "none", True), ("xx_YY.utf8@x", "none", True), ("xx_YY", "none", False),
        ("C", "none", False),
    ]:
        variables = {"LC_ALL": name, "LOCPATH": tmp_path / folder}
        shown = harness.ctl("map", "tallinn", socket=shipped_server.socket, variables=variables).stdout
        assert shown.isascii() is not expected, (name, folder)
