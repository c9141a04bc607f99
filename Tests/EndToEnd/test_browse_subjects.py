"""Banks, trade and maps on the full screen, in a real terminal, over the samples that are installed."""

import math
import re

import harness
import pytest
from keystrokes import Typist


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """A server over the shipped cities and the samples of banks and trade."""
    server = harness.Server(tmp_path_factory.mktemp("sampled"))
    yield server.with_samples()
    server.stop()


def on_banks(screen):
    screen.keys("Tab").shows("[Banks]", row=0)
    screen.shows("24 locations", row=1)
    return screen


def test_countries_are_headings_with_their_regions(browse, sampled):
    screen = on_banks(browse(sampled))
    screen.is_stored("banks")
    screen.keys("End", "Enter").shows("2 in Vilniaus apskritis", row=1)
    screen.shows("> ■ Sample branch Vilnius")
    screen.keys("Enter").shows("Sample g. 1, Vilnius", row=3)
    screen.keys("Escape").shows("Esc command mode")
    screen.keys("Escape").shows("/ filter")
    screen.keys("Escape").is_stored("banks-commands")


def test_words_find_locations_and_a_pop_up_tells_their_hours(browse, sampled):
    screen = on_banks(browse(sampled))
    screen.type("sarajevo branch").shows("1 location", row=1)
    screen.keys("Enter", "Enter").shows("Sunday     closed")
    hours = [line for line in screen.lines() if re.search(r"│.\w+day +", line)]
    assert len(hours) == 7
    assert "Monday     08:00-17:30" in hours[0]
    screen.keys("Escape").shows("Enter hours")
    screen.keys("Escape").shows("Find: sarajevo branch", row=1)


def test_walking_the_marks_of_the_map(browse, sampled):
    screen = on_banks(browse(sampled))
    screen.type("tallinn").shows("3 locations", row=1)
    listed = [line[4:].split("  ")[0] for line in screen.lines()[2:5]]
    screen.keys("M-m").shows(listed[0], row=1)
    for name in listed[1:]:
        screen.keys("n").shows(name, row=1)
    screen.keys("0", "p").shows(listed[-2], row=1)
    signs = set("".join(screen.lines()[2:22])) & set("■▲◆")
    assert signs == set("■▲◆"), "branch, ATM and BNA have marks of their own"
    screen.keys("Enter").shows("Enter hours")
    screen.shows(listed[-2], row=2)


def test_the_user_says_where_the_nearest_are_listed_from(browse, sampled, tmp_path):
    kept = tmp_path / "configuration"
    screen = on_banks(browse(sampled, TZ="Europe/Riga", XDG_CONFIG_HOME=kept))
    screen.keys("M-h").shows("City: Riga")
    screen.shows("Suggested from your time zone")
    screen.keys("Enter").shows("Save this position")
    screen.keys("n").shows("24 nearest to you", row=1)
    assert not (kept / "cities").exists(), "kept although that was not wanted"
    screen.keys("M-h").shows("City:")
    screen.type("tallinn").shows("> Tallinn, EE")
    screen.keys("Enter", "y").shows("Sample branch Tallinn", row=2)
    here = kept / "cities" / "here"
    position = harness.until(lambda: here.exists() and here.read_text(), what="the file of the position")
    assert position.startswith("59.4")
    assert here.stat().st_mode & 0o777 == 0o600
    later = on_banks(browse(sampled, XDG_CONFIG_HOME=kept))
    later.keys("M-h").shows("Sample branch Tallinn", row=2)
    other = on_banks(browse(sampled, "browse", "--at", "54.9,25.6", XDG_CONFIG_HOME=kept))
    other.keys("M-h").shows("Vilnius", row=2)
    other.keys("M-m").shows("✚")


def test_a_refresh_tells_each_source(browse, sampled):
    screen = on_banks(browse(sampled))
    screen.keys("M-r").shows("swedbank-ee: ")
    screen.shows("imaginary: ")
    screen.keys("Escape").is_stored("banks")


def test_products_transactions_and_another_currency(browse, sampled):
    screen = browse(sampled)
    screen.keys("BTab").shows("[Trade]", row=0)
    screen.shows("T2006")
    screen.is_stored("products")
    screen.keys("End", "Enter").is_stored("transactions")
    screen.keys("c").shows("> EUR")
    screen.type("u").shows("> USD")
    screen.keys("Enter").is_stored("transactions-usd")
    screen.keys("Escape").shows("in USD", row=1)


def test_the_screen_is_there_before_the_data(browse, tmp_path):
    server = harness.Server(tmp_path / "fresh")
    server.start()
    try:
        screen = browse(server)
        screen.keys("BTab").shows("No data yet")
        made = harness.run_sync("run", "--samples", "rates", "transactions", CITIES_STATE=server.state)
        assert made.returncode == 0, made.stderr
        screen.shows("14.99 EUR")
    finally:
        server.stop()


# The map of 24 rows of 80 columns: 20 rows of its own below tabs and filter.
MAP_COLUMNS, MAP_ROWS, MAP_TOP = 80, 20, 2


def marker(lines):
    """The cell of the one chosen mark: the sign between brackets, of which the edge may cut one."""
    found = [(row, match.start() + match.group().index("●")) for row, line in enumerate(lines)
             for match in re.finditer(r"\[●\]?|●\]", line)]
    return found[0] if len(found) == 1 else None


def close(cell, other):
    return cell is not None and all(abs(mine - its) <= 1 for mine, its in zip(cell, other, strict=True))


@pytest.mark.parametrize(("title", "lat", "lon"), [
    ("Tallinn, EE", 59.43696, 24.75353), ("Suva, FJ", -18.14161, 178.44149), ("Ushuaia, AR", -54.81084, -68.31591),
    ("Longyearbyen, SJ", 78.22334, 15.64689)])
def test_the_marker_stands_in_the_right_cell(browse, sampled, title, lat, lon):
    screen = browse(sampled, "browse", title)
    screen.shows("> " + title)
    screen.keys("M-m")
    middle = (MAP_TOP + MAP_ROWS // 2, MAP_COLUMNS // 2)
    screen.until(lambda lines: marker(lines) == middle, "the marker in the middle")
    # Closer than outlines are true there is a plain grid, and it says so.
    screen.keys(*["+"] * 6).shows("no coastline at this zoom", row=22)
    assert marker(screen.lines()) == middle
    screen.keys("m").until(lambda lines: "coastline" not in lines[22], "the map as before")
    # The map moves by a quarter, the marker the other way; it stood between two cells.
    quarter = (middle[0], MAP_COLUMNS // 4)
    screen.keys("Right").until(lambda lines: close(marker(lines), quarter), "the marker to the left")
    quarter = (middle[0] - MAP_ROWS // 4, middle[1])
    screen.keys("Left", "Down").until(lambda lines: close(marker(lines), quarter), "the marker above")
    # The whole world without Antarctica around 13 N 11 E: an equirectangular map that is true at 45 degrees.
    shrink = math.cos(math.radians(45))
    degrees = max(360 * shrink / (2 * MAP_COLUMNS), 142 / (4 * MAP_ROWS))
    east = (lon - 11 + 180) % 360 - 180
    column = math.floor((MAP_COLUMNS + east * shrink / degrees) / 2)
    row = MAP_TOP + math.floor((2 * MAP_ROWS - (lat - 13) / degrees) / 4)
    screen.keys("w").until(lambda lines: marker(lines) == (row, column), f"the marker in {(row, column)}")
    screen.keys("l").shows("> " + title)


def test_details_have_a_map_with_the_place_in_it(browse, sampled):
    screen = browse(sampled, "browse", "Tallinn")
    screen.shows("> Tallinn, EE")
    screen.keys("Enter").is_stored("details")
    screen.resize(10, 40).until(lambda lines: "Tallinn, EE" in lines[2] and marker(lines), "both in a small screen")


@pytest.mark.parametrize(("rows", "columns", "most"), [(24, 80, 2048), (30, 99, 2252), (40, 120, 8192)])
def test_one_more_character_writes_few_bytes(sampled, rows, columns, most):
    # On a busy machine what one key writes may come after the pause that ends it, and counts with the next key.
    for _ in range(3):
        typist = Typist(sampled.socket, rows, columns)
        try:
            worst = max(typist.strokes(), key=lambda stroke: stroke.bytes)
        finally:
            typist.close()
        if worst.bytes <= most:
            return
    raise AssertionError(worst)
