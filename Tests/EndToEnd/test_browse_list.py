"""The list of the full screen: its sections, its preview, and what keys and mouse do with a place."""

import base64
import fcntl
import os
import re
import struct
import termios
from datetime import datetime
from zoneinfo import ZoneInfo

import harness
import pytest
from keystrokes import Typist


def sections(lines):
    """The list without blank lines, each with its first part alone."""
    return [re.split(r" {2,}", line[2:])[0] for line in lines[2:-1] if line.strip()]


def test_the_largest_places_stand_above_all_others_until_something_is_typed(browse, shipped_server):
    screen = browse(shipped_server)
    listed = sections(screen.until(lambda lines: sections(lines)[-1:] == ["All places, A to Z"], "the whole list"))
    assert listed[0] == "Largest places" and len(listed) == 21
    assert listed[1:4] == ["Shanghai, CN", "Beijing, CN", "Shenzhen, CN"]
    screen.type("a").until(lambda lines: "Largest" not in lines[2], "the titles alone")
    screen.keys("BSpace").shows("Largest places", row=2)


def test_places_around_the_user_stand_first_where_that_is_known(browse, shipped_server):
    screen = browse(shipped_server, "browse", "--at", "59.437,24.754")
    listed = sections(screen.shows("Near you", row=2))
    assert listed[1] == "Tallinn, EE"


MEANT = {
    "munchen": "Munich, DE", "kiev": "Kyiv, UA", "nyc": "New York City, US", "sprngfield": "Springfield, US",
    "東京": "Tokyo, JP", "st petersburg": "Saint Petersburg, RU", "den haag": "The Hague, NL"}


@pytest.mark.parametrize(("typed", "meant"), MEANT.items())
def test_enter_opens_what_people_mean(browse, shipped_server, typed, meant):
    screen = browse(shipped_server)
    # The title may be cut after another name.
    screen.type(typed).until(lambda lines: any(line.startswith("> ") and meant[:12] in line for line in lines), meant)
    screen.keys("Enter").shows("Nearby")
    assert screen.lines()[2].strip().startswith(meant)
    # Faster than the server answers, too.
    screen.keys("Escape").shows("Esc command mode")
    screen.keys("C-u").shows("Largest places")
    screen.type(typed).keys("Enter").shows("Nearby")
    assert screen.lines()[2].strip().startswith(meant)


def test_the_best_matches_stand_above_all_titles(browse, shipped_server):
    screen = browse(shipped_server)
    listed = sections(screen.type("kiev").shows('Cities starting with "kiev"'))
    assert "→ Kyiv, UA" in listed[0]
    titles = listed[listed.index('Cities starting with "kiev"') + 1:]
    assert titles
    assert all(title.startswith("Kiev") for title in titles)
    # A city that is the first title anyway is there once.
    screen.keys("C-u").type("reykjavik").shows("> Reykjavík, IS", row=2)
    assert sections(screen.lines()) == ["Reykjavík, IS"]


def test_what_is_spelled_wrongly_finds_similar_names(browse, shipped_server):
    screen = browse(shipped_server)
    lines = screen.type("sprngfield").shows("Similar names", row=3)
    assert lines[2].strip() == 'No city starts with "sprngfield"'
    assert lines[4].startswith("> Springfield, US")


def test_a_city_is_picked_without_a_screen_only_if_no_other_has_the_name(browse, shipped_server, tmp_path):
    out = tmp_path / "out"
    # Prague has no title that starts so.
    picked = shipped_server.ctl("pick", "--select-1", "--columns", "title", "praha")
    assert (picked.returncode, picked.stdout) == (0, "Prague, CZ\n")
    # One title starts so, and Kyiv is another city of that name.
    screen = browse(shipped_server, command=f"{harness.BIN / 'citiesctl'} pick --select-1 --columns title kiev > {out}")
    screen.shows("Kyiv, UA")
    screen.keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Kyiv, UA\n"


def test_a_city_whose_id_another_one_has_too_is_picked_by_its_title(tmp_path):
    server = harness.Server(tmp_path)
    source = harness.write_list(
        tmp_path / "list.json", [harness.record(1, "Albany", "US"), harness.record(1, "Bergen", "NO")])
    assert harness.build_index(source, server.state / "cities.index").returncode == 0
    server.start()
    try:
        picked = server.ctl("pick", "--select-1", "--columns", "title", "alb")
        assert (picked.returncode, picked.stdout) == (0, "Albany, US\n")
    finally:
        server.stop()


@pytest.mark.parametrize(("typed", "meant"), MEANT.items())
def test_pick_chooses_what_people_mean(browse, shipped_server, tmp_path, typed, meant):
    out = tmp_path / "out"
    screen = browse(shipped_server, command=f"{harness.BIN / 'citiesctl'} pick --columns title > {out}")
    screen.type(typed).keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == f"{meant}\n"


def test_pick_lists_the_best_matches_above_the_titles(browse, shipped_server, tmp_path):
    out = tmp_path / "out"
    screen = browse(shipped_server, command=f"{harness.BIN / 'citiesctl'} pick --columns title > {out}")
    screen.type("warszawa").shows("> Warszawa → Warsaw, PL")
    screen.keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Warsaw, PL\n"


def test_who_sees_the_line_of_the_cursor_alone_picks_a_city(browse, shipped_server, tmp_path):
    out = tmp_path / "out"
    screen = browse(shipped_server, command=f"{harness.BIN / 'citiesctl'} pick --columns title > {out}")

    def hears(text):
        screen.until(lambda lines: text in lines[screen.cursor()[0]], f"{text!r} on the line of the cursor")
        assert screen.cursor()[2] == 1, "the cursor is hidden"
    hears("Shanghai, CN")
    screen.keys("Down")
    hears("Beijing, CN")
    screen.type("springf")
    hears("Springfield, US           ")
    for region in "Massachusetts", "Illinois":
        screen.keys("Down")
        hears(region)
    screen.keys("C-u").type("zzzz")
    hears('No city starts with "zzzz"')
    screen.keys("C-u").type("köln")
    hears("Köln, DE")
    screen.keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Köln, DE\n"


def test_a_city_is_picked_by_the_number_of_a_line_on_any_terminal(browse, shipped_server, tmp_path):
    out = tmp_path / "out"
    command = f"{harness.BIN / 'citiesctl'} pick --columns title"
    screen = browse(shipped_server, command=f"{command} --plain > {out}", ready=None, term="dumb")
    screen.shows("1  Shanghai, CN, China, 31.22222 N 121.45806 E, 24,874,500")
    screen.type("munchen").keys("Enter").shows("1  Munich, DE, München, Bavaria")
    screen.type("1").keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Munich, DE\n"
    several = "Mustamäe, EE\nNõmme, EE\n"
    for answers, status, picked in (
            (["59.4,24.7", "1 3"], 0, several), (["59.4,24.7", ",", "59.4,24.7", "1 1 3 1"], 0, several),
            ([""], 130, "")):
        screen = browse(shipped_server, command=f"{command} --multi > {out}", ready=None, CITIES_PLAIN=1)
        for answer in answers:
            screen.shows("nothing to cancel:")
            screen.type(answer).keys("Enter")
        assert screen.ends() == status
        assert out.read_text() == picked


def test_several_cities_are_picked_in_the_order_of_their_marks(browse, shipped_server, tmp_path):
    out = tmp_path / "out"
    screen = browse(shipped_server, command=f"{harness.BIN / 'citiesctl'} pick --multi --columns title > {out}")
    screen.type("warszawa").keys("Tab").shows("1 marked", row=1)
    screen.keys("C-u").type("praha").keys("Tab").shows("2 marked", row=1)
    screen.keys("C-u").type("kyiv").keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Warsaw, PL\nPrague, CZ\n"


def test_the_order_is_remembered(browse, shipped_server, tmp_path):
    # The history that may be refused is that of visited cities.
    for times, words in enumerate((["browse", "--no-history"], ["browse"], ["browse", "--no-history"])):
        screen = browse(shipped_server, *words, XDG_STATE_HOME=tmp_path / "state")
        if times == 0:
            screen.keys("Escape").shows("/ filter")
            screen.keys("s")
        screen.shows("largest first", row=1)
        screen.shows("> Shanghai, CN", row=2)
        screen.keys("M-q")
        assert screen.ends() == 0
    kept = tmp_path / "state" / "cities" / "browse"
    assert kept.read_text() == "order population\n"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_the_large_cities_of_a_country_are_on_its_map(browse, shipped_server):
    screen = browse(shipped_server, "browse", "bourges", rows=40, columns=120)
    screen.shows("> Bourges, FR")
    screen.keys("M-m").shows("[●] Bourges, FR")
    screen.keys("-", "-")
    for city in "Paris", "Lyon", "Lille", "Strasbourg", "Marseille", "Toulouse":
        screen.until(lambda lines: any(re.search(f"[★◉●] {city}|{city} [★◉●]", line) for line in lines), city)


def test_details_say_region_time_and_other_names(browse, shipped_server):
    screen = browse(shipped_server, "browse", "tallinn")
    screen.shows("> Tallinn, EE")
    screen.keys("Enter")
    labels = ("Local time", "Other names", "Sun  ", "Nearby")
    lines = screen.until(lambda lines: all(any(label in line for line in lines) for label in labels), "facts")
    expected = datetime.now(ZoneInfo("Europe/Tallinn"))
    shown = next(re.search(r"Local time  (\w+) (\d+):(\d+), UTC\+(\d)\b", line) for line in lines if "Local" in line)
    minutes = (expected.hour * 60 + expected.minute - int(shown[2]) * 60 - int(shown[3])) % (24 * 60)
    assert minutes <= 1
    assert int(shown[4]) == expected.utcoffset().total_seconds() / 3600
    assert any("Region      Harjumaa" in line for line in lines)
    assert any("Other names " in line and "," in line for line in lines)
    # As `show` has them: the sun, the next change of the clocks, and neighbours without the city's own districts.
    lines = screen.until(lambda lines: any(re.search(r"Sun +(rises|up|down)", line) for line in lines), "sun")
    assert any("Next change" in line for line in lines)
    assert any("Maardu" in line for line in lines) and not any("Kesklinn" in line for line in lines)


def test_a_wide_screen_has_a_preview_with_a_map(browse, shipped_server):
    screen = browse(shipped_server, rows=40, columns=120)
    screen.shows("[●] Shanghai, CN")
    screen.type("tallinn").shows("[●] Tallinn, EE")
    lines = screen.shows("Europe/Tallinn")
    assert all("│" in line for line in lines[2:-1])
    screen.resize(24, 80).until(lambda shown: not any("│" in line for line in shown), "no preview")


def test_a_change_of_the_size_sends_the_whole_screen_again(shipped_server):
    typist = Typist(shipped_server.socket, 30, 90)
    try:
        fcntl.ioctl(typist.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        shown = "\x1b[2J", "[Cities]", "Find:", "Largest places", "Shanghai, CN", "Enter"
        sent = typist.until(*shown)
    finally:
        typist.close()
    assert not [text for text in shown if text not in sent]


def test_a_position_is_copied_by_the_terminal(shipped_server):
    typist = Typist(shipped_server.socket, 24, 80)
    try:
        os.write(typist.terminal, b"tallinn")
        for _ in range(10):  # until the list is there, another city is selected
            os.write(typist.terminal, b"\x1by")
            sent = typist.until("Copied 59.43696,24.75353", seconds=2)
            if "Copied 59" in sent:
                break
            # Sends the whole screen, without the message: of the next one only the digits would be sent.
            os.write(typist.terminal, b"\x0c")
            typist.until("[Cities]", "Ctrl-C")
    finally:
        typist.close()
    assert "Copied 59.43696,24.75353" in sent
    copied = re.findall(r"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", sent)
    assert copied, repr(sent)
    assert base64.b64decode(copied[-1]) == b"59.43696,24.75353"


def test_a_position_is_opened_without_a_shell(browse, shipped_server, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/new && mv {tmp_path}/new {tmp_path}/opened\n')
    opener.chmod(0o755)
    screen = browse(shipped_server, "browse", "tallinn", PATH=f"{programs}:{os.environ['PATH']}")
    screen.shows("> Tallinn, EE")
    screen.keys("M-o")
    opened = tmp_path / "opened"
    assert harness.until(lambda: opened.exists() and opened.read_text(),
        what="the position") == "geo:59.43696,24.75353\n"
    helper = harness.BIN / "citiesctl-helper"
    without = browse(shipped_server, command=f"PATH={tmp_path / 'none'} {helper} browse tallinn")
    without.shows("> Tallinn, EE")
    without.keys("M-o").shows("Could not start a map program", row=23)


def column_of_the_mark(lines):
    found = [match.start() + 1 for line in lines[2:] for match in re.finditer(r"\[●\]", line)]
    return found[0] if len(found) == 1 else None


def test_the_mouse_drags_and_zooms_the_map(browse, shipped_server):
    screen = browse(shipped_server, "browse", "tallinn")
    screen.shows("> Tallinn, EE")
    screen.keys("M-m").until(lambda lines: column_of_the_mark(lines) == 40, "the mark in the middle")
    for button, column in (0, 40), (32, 45), (32, 52):
        screen.mouse(button, row=10, column=column)
    screen.until(lambda lines: column_of_the_mark(lines) == 52, "the mark where it was dragged to")
    # Events that come at once, for which ncurses makes fewer keys, are handled in their order.
    dragged = (3, 52), (0, 60), (32, 58), (32, 44), (32, 48)
    screen.type("".join(f"\x1b[M{chr(32 + button)}{chr(33 + column)}+" for button, column in dragged))
    screen.until(lambda lines: column_of_the_mark(lines) == 40, "the mark where it was dragged to at once")
    before = screen.lines()[22].split("┤")[1]
    screen.mouse(64, row=12, column=52).until(lambda lines: lines[22].split("┤")[-1] != before, "another scale")


def test_visited_places_are_found_again(browse, shipped_server):
    screen = browse(shipped_server)
    for title in "Tallinn, EE", "Warsaw, PL":
        screen.type(title.lower()).shows(f"> {title}", row=2)
        screen.keys("Enter").shows("Nearby")
        screen.keys("Escape").shows("Enter details")
        screen.keys("C-u").shows("Largest places")
    screen.keys("M-v").shows("│ > Warsaw, PL")
    screen.keys("C-n", "Enter").shows("Tallinn, EE", row=2)


def test_visited_places_are_kept_for_the_next_session(browse, shipped_server, tmp_path):
    kept = tmp_path / "state" / "cities" / "browse"
    for title in "Tallinn, EE", "Springfield, US":
        screen = browse(shipped_server, "browse", title, XDG_STATE_HOME=tmp_path / "state")
        screen.shows(f"> {title}")
        screen.keys("Enter").shows("Nearby")
        screen.keys("q")
        assert screen.ends() == 0
    lines = kept.read_text().splitlines()
    assert [line.split("\t")[7:] or line for line in lines] == [
        "order key", ["Springfield", "America/Chicago"], ["Tallinn", "Europe/Tallinn"]]
    assert kept.stat().st_mode & 0o777 == 0o600
    screen = browse(shipped_server, XDG_STATE_HOME=tmp_path / "state")
    screen.keys("M-v").shows("│ > Springfield, US  ")
    screen.keys("DC").shows("│ > Tallinn, EE  Harjumaa")
    screen.keys("Enter").shows("Local time")
    assert len(kept.read_text().splitlines()) == 2
    screen.keys("q")
    assert screen.ends() == 0


def pick(browse, server, tmp_path, words, shown):
    """Picks the first city; the file of visited ones."""
    command = f"{harness.BIN / 'citiesctl'} pick {words} > {tmp_path / 'out'}"
    picker = browse(server, command=command, XDG_STATE_HOME=tmp_path / "state")
    picker.shows(shown, row=2)
    picker.keys("Enter")
    assert picker.ends() == 0
    kept = tmp_path / "state" / "cities" / "browse"
    return kept.read_text() if kept.exists() else ""


def test_what_was_picked_comes_first_among_equals_unless_the_user_wants_no_history(browse, shipped_server, tmp_path):
    assert "Warsaw" not in pick(browse, shipped_server, tmp_path, "--no-history warsaw", "> Warsaw, PL")
    assert "Warsaw" in pick(browse, shipped_server, tmp_path, "warsaw", "> Warsaw, PL")
    assert "Warsaw" in pick(browse, shipped_server, tmp_path, "warsaw", ">✓Warsaw, PL")
    assert "Warsaw" in pick(browse, shipped_server, tmp_path, "--no-history warsaw", "> Warsaw, PL")
    # The second Springfield becomes the first one.
    screen = browse(shipped_server, "browse", "springfield", XDG_STATE_HOME=tmp_path / "state")
    screen.shows("> Springfield, US")
    # Two in Australia and one in Scotland come before the others of the United States.
    screen.keys(*["Down"] * 6, "Enter").shows("GeoNames ID")
    chosen = next(line for line in screen.lines() if "GeoNames ID" in line).split()[2]
    screen.keys("q")
    pick(browse, shipped_server, tmp_path, "--columns id springfield", ">✓Springfield, US")
    assert (tmp_path / "out").read_text() == f"{chosen}\n"


def test_escape_twice_leaves(browse, shipped_server):
    screen = browse(shipped_server, "browse", "tallinn")
    screen.keys("Escape").shows("/ filter")
    screen.keys("Escape")
    assert screen.ends() == 0
