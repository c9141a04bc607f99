"""The full screen in a real terminal: keys, screens, and the terminal's state at the end."""

import os
import re
import signal
import subprocess
import unicodedata

import harness
import pytest

CTL = harness.BIN / "citiesctl"
HELPER = "citiesctl-helper"


def counted(rows):
    return re.compile(rf"(?<!\d){rows:,} (city|cities)\b")


def shows_count(screen, rows):
    return screen.until(lambda lines: counted(rows).search(lines[1]), f"{rows:,} cities")


def paste(screen, text):
    """Pastes text as a terminal does, in marks if the program has asked for them."""
    screen.tmux("set-buffer", text)
    screen.tmux("paste-buffer", "-p", "-r")


def test_pasted_text_goes_to_the_filter_and_is_never_a_key(browse, shipped_server):
    screen = browse(shipped_server)
    paste(screen, "tall\tinn\n")
    screen.until(lambda lines: lines[1].startswith(" Find: tall inn "), "the text on one line")
    screen.keys("C-u")
    # Letters are commands where nothing is typed: q would leave the map.
    screen.type("tallinn").keys("Enter")
    screen.shows("Tallinn, EE")
    screen.keys("m")
    paste(screen, "q? Alb\x1b")
    screen.until(lambda lines: lines[1].startswith(" Find: tallinnq? Alb "), "the text after the filter")
    assert "status" not in "".join(screen.lines())


def test_a_terminal_without_a_description_is_used_like_a_known_one(browse, shipped_server):
    screen = browse(shipped_server, term="xterm-kitty")
    screen.type("tallinn").shows("Tallinn, EE")
    screen = browse(shipped_server, ready=None, term="nonsense")
    screen.shows("ncurses-term, or try")


def test_typing_and_removing_characters(browse, shipped_server):
    screen = browse(shipped_server)
    screen.is_stored("begin")
    for typed in "A", "Al", "Alb":
        screen.type(typed[-1])
        screen.is_stored(f"typed-{typed}")
    screen.keys("BSpace")
    screen.is_stored("typed-Al")
    screen.keys("C-u").is_stored("begin")


def test_every_keystroke_shows_what_an_independent_search_finds(browse, real_server, real_folded):
    screen = browse(real_server, rows=30, columns=99)
    for typed in "A", "Al", "Alb", "Al", "Al ", "Al":
        if len(typed) >= 2 and not screen.lines()[1].startswith(f" Find: {typed[:-1]} "):
            screen.keys("BSpace")
        else:
            screen.type(typed[-1])
        rows = real_folded.search(typed)
        shows_count(screen, len(rows))
        titles = [f"{row['name']}, {row['country']}" for row in rows[:27]]

        def are_shown(lines, typed=typed, titles=titles):
            # The ten best matches and a heading stand above the titles.
            first = lines.index(f'  Cities starting with "{typed}"') + 1
            shown = zip(lines[first:29], titles, strict=False)
            return lines[2].startswith("> ") and first == 13 and all(line[2:].startswith(row) for line, row in shown)
        screen.until(are_shown, titles)


def test_scrolling_to_the_last_of_all_and_back(browse, real_server, real_folded):
    screen = browse(real_server)
    rows = real_folded.search("")
    # Names that start with a sign or a digit follow those that start with a letter.
    letter = next(n for n, row in enumerate(rows) if unicodedata.normalize("NFD", row["name"])[0] in "Aa")
    everything = rows[letter:] + rows[:letter]
    shows_count(screen, len(everything))
    last, first = (f"{row['name']}, {row['country']}" for row in (everything[-1], everything[0]))
    screen.keys("End").shows(f"> {last}", row=22)
    screen.keys("PageUp").until(
        lambda lines: lines[22].startswith(">") and last not in lines[22], "a page up from the end")
    screen.keys("Home").shows(f"> {first}", row=2)
    screen.keys("Down", "Down", "Up", "PageDown", "PageDown")
    row = everything[1 + 2 * 20]
    screen.shows(f"> {row['name']}, {row['country']}")


def test_the_matched_part_is_told_apart(browse, server):
    screen = browse(server)
    screen.type("sao")
    shows_count(screen, 1)
    assert any("\x1b[4" in line and re.search(r"\x1b\[[0-9;]*mSão\x1b", line) for line in screen.lines(styled=True))
    screen.keys("Escape").shows("/ filter")
    screen.type("a").shows("No city starts with")
    screen.type("a").shows("São Paulo, BR")


def test_details_and_back(browse, shipped_server):
    screen = browse(shipped_server, "browse", "Tallinn")
    shows_count(screen, 2)
    screen.keys("Enter").shows("Nearby")
    screen.keys("Down").shows("Tallinn Quarter, UA", row=2)
    screen.keys("Up", "Escape").is_stored("listed")


def test_the_keys_are_told(browse, shipped_server):
    screen = browse(shipped_server)
    screen.keys("F1").is_stored("keys")
    screen.keys("Escape").is_stored("begin")
    screen.keys("M-?").is_stored("keys")
    screen.resize(10, 40).shows("letters")
    screen.keys("Down", "Down").until(lambda lines: lines[2].startswith(" Esc"), "the keys scrolled")


def test_another_size_keeps_the_selection(browse, shipped_server):
    screen = browse(shipped_server)
    screen.type("Al")
    shows_count(screen, 2_764)
    screen.keys("PageDown", "Down")
    screen.is_stored("resize-80x24")
    for rows, columns in (10, 40), (60, 200):
        screen.resize(rows, columns).is_stored(f"resize-{columns}x{rows}")
    screen.resize(24, 80).shows("> ")
    chosen = next(line for line in screen.is_stored("resize-back") if line.startswith(">"))
    assert chosen in (harness.ROOT / "Tests/EndToEnd/screens/resize-80x24.txt").read_text()
    screen.resize(9, 39).shows("too small")
    screen.resize(24, 80).is_stored("resize-back")


def test_the_mouse(browse, shipped_server):
    screen = browse(shipped_server)
    first = screen.is_stored("begin")[2]
    screen.mouse(65, row=9, column=9).until(lambda lines: first not in lines, "the list scrolled")
    screen.mouse(64, row=9, column=9).until(lambda lines: lines[2][2:] == first[2:], "the list scrolled back")
    screen.mouse(0, row=7, column=4).until(lambda lines: lines[7].startswith("> "), "the line that was pressed")


def test_wide_and_combining_characters_stay_in_their_columns(browse, tmp_path):
    names = ["東京都", "Łódź", "ᄒ", "नई दिल्ली", "a\u0301\u0323b", "plain", "\u202eesrever"]
    server = harness.Server(tmp_path / "wide")
    source = harness.write_list(
        tmp_path / "wide.json", [harness.record(n + 1, name, population=12_345) for n, name in enumerate(names)])
    assert harness.build_index(source, server.state / "cities.index").returncode == 0
    server.start()
    try:
        screen = browse(server)
        lines = shows_count(screen, len(names))
        ends = {screen_width(line) for line in lines[2:] if line.endswith("12k")}
        assert ends == {79}, lines
        shown = [unicodedata.normalize("NFC", line[2:]) for line in lines]
        for name in names[:-1]:
            assert any(line.startswith(unicodedata.normalize("NFC", name)) for line in shown), (name, lines)
        assert "\u202e" not in "".join(lines)
    finally:
        server.stop()


def screen_width(line):
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    # A spacing mark (Mc) has a cell of its own.
    return len([c for c in line if unicodedata.category(c) not in ("Mn", "Me")]) + wide


def test_a_server_that_restarts(browse, server):
    screen = browse(server)
    screen.type("spring")
    shows_count(screen, 2)
    server.stop()
    screen.shows("trying again")
    screen.keys("C-u").shows("Find:  ")
    screen.type("s").shows("Find: s ")
    server.start()
    # Text typed meanwhile becomes a request of its own.
    shows_count(screen, 4)
    screen.shows("Enter details")
    screen.keys("C-u").type("al")
    shows_count(screen, 2)
    screen.keys("C-c")
    assert screen.ends() == 130


def test_data_that_changes_is_shown_at_once(browse, server, tmp_path):
    screen = browse(server)
    screen.type("spring")
    shows_count(screen, 2)
    source = harness.write_list(tmp_path / "new.json", [harness.record(9, "Springtown")])
    assert harness.build_index(source, server.state / "cities.index").returncode == 0
    shows_count(screen, 1)
    screen.shows("> Springtown, XX")


def test_a_server_that_answers_late(browse, shipped_server, late):
    proxy = late(shipped_server.socket, 0.5)
    screen = browse(proxy.path, ready=None)
    screen.until(lambda lines: "cities" in lines[1], "the first answer")
    asked = len(proxy.asked)
    screen.type("Albu")
    # The filter is there although no answer can be: the proxy holds all of them.
    proxy.hold()
    screen.shows("Find: Albu ", row=1)
    screen.keys("BSpace").shows("Find: Alb ", row=1)
    screen.type("q").shows("Find: Albq ", row=1)
    proxy.let_go()
    screen.until(lambda lines: re.search(r"\D\d+ (city|cities)", lines[1]), "an answer")
    screen.keys("BSpace")
    screen.is_stored("typed-Alb")
    # Titles and names are asked for with each character, and nothing else.
    methods = [request["method"] for request in proxy.asked[asked:]]
    assert methods == ["city.find", "city.search"] * (4 + 1 + 1 + 1)


def test_a_picked_city_is_printed_as_a_row(browse, server, tmp_path):
    out = tmp_path / "out"
    screen = browse(server, command=f"{CTL} pick --columns title,id straße > {out}")
    shows_count(screen, 1)
    screen.keys("Enter")
    assert screen.ends() == 0
    assert out.read_text() == "Straße, DE\t7\n"


def test_a_script_takes_what_was_picked(browse, server):
    screen = browse(server, command=f'city=$({CTL} pick --columns title spring); echo "picked $city"')
    shows_count(screen, 2)
    screen.keys("Down", "Enter").shows("picked Springfield, US")


def test_what_is_typed_faster_than_answered_is_what_is_picked(browse, server, late, tmp_path):
    proxy = late(server.socket, 0.3)
    out = tmp_path / "out"
    screen = browse(proxy.path, command=f"{CTL} pick --columns title > {out}", ready="7 cities")
    screen.keys("s", "a", "o", "Enter")
    assert screen.ends() == 0
    assert out.read_text() == "São Paulo, BR\n"


@pytest.mark.parametrize("key", ["Escape", "C-c"])
def test_nothing_is_picked_by_who_leaves(browse, server, tmp_path, key):
    out = tmp_path / "out"
    screen = browse(server, command=f"{CTL} pick > {out}")
    screen.keys(key)
    assert screen.ends() == 130
    assert out.read_text() == ""


def test_a_single_match_needs_no_screen(server):
    picked = server.ctl("pick", "--select-1", "--columns", "title", "lodz")
    assert (picked.returncode, picked.stdout) == (0, "Łódź, PL\n")
    wrong = server.ctl("pick", "--columns", "title,colour")
    assert wrong.returncode == 2
    assert "no such column: 'colour'" in wrong.stderr


def test_two_escapes_at_once_are_two(browse, server):
    screen = browse(server)
    screen.type("al")
    shows_count(screen, 2)
    # The first makes letters commands, the second leaves.
    screen.type("\x1b\x1b")
    assert screen.ends() == 0


def test_q_leaves(browse, server):
    screen = browse(server)
    screen.keys("Escape").shows("/ filter")
    screen.keys("q")
    assert screen.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGILL, signal.SIGSEGV, signal.SIGABRT])
def test_the_terminal_is_as_it_was_after_a_signal(browse, server, number):
    # The backtrace that the Swift runtime offers on a terminal would wait for a key.
    screen = browse(server, SWIFT_BACKTRACE="enable=no")
    os.kill(screen.child(HELPER), number)
    assert screen.ends() == 128 + number


def test_suspended_and_continued(browse, server):
    screen = browse(server, command="bash --norc --noprofile -i", ready="bash")
    screen.type(f"{CTL} browse spring\n")

    def timeless(lines):  # a minute may end meanwhile
        return [re.sub(r"\d\d:\d\d", "", line) for line in lines]

    lines = timeless(shows_count(screen, 2))
    screen.keys("C-z").shows("Stopped")
    assert not screen.is_alternate()
    screen.type("fg\n").until(lambda shown: timeless(shown) == lines, "the screen as it was")
    screen.keys("BSpace").shows("Find: sprin ")


def test_the_screen_is_drawn_anew(browse, shipped_server):
    screen = browse(shipped_server)
    screen.is_stored("begin")
    for draw_anew in (lambda: screen.keys("C-l"), lambda: os.kill(screen.child(HELPER), signal.SIGCONT)):
        with open(screen.tmux("display-message", "-p", "#{pane_tty}").strip(), "w", encoding="utf-8") as terminal:
            terminal.write("\x1b[5;5Hsomebody else wrote here")
        screen.shows("somebody else wrote here")
        draw_anew()
        screen.is_stored("begin")


def test_no_color_is_obeyed(browse, server):
    coloured = re.compile(r"\x1b\[(\d+;)*(3[0-8]|9[0-7])[;m]")
    assert any(coloured.search(line) for line in browse(server).lines(styled=True))
    assert not any(coloured.search(line) for line in browse(server, NO_COLOR="1").lines(styled=True))


def test_a_terminal_without_utf_8_is_shown_ascii(browse, server):
    screen = browse(server, LC_ALL="C")
    screen.shows("Sao Paulo, BR")
    screen.shows("Lodz, PL")
    assert "\n".join(screen.lines()).isascii()


def test_a_terminal_that_cannot_is_told_so(browse, server):
    screen = browse(server, ready=None, term="dumb")
    screen.shows("cannot show a full screen")
    assert screen.ends() == 2


NO_HOME = {"HOME": None, "XDG_CONFIG_HOME": None, "XDG_STATE_HOME": None}


@pytest.mark.parametrize("variables", [{}, NO_HOME], ids=["home", "no home"])
def test_no_terminal_is_told_so(server, variables):
    run = subprocess.run(
        [CTL, "browse"], capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True, timeout=30,
        env=harness.environment(CITIES_SOCKET=server.socket, TERM="xterm", **variables), check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert "needs a terminal" in run.stderr


def test_it_needs_no_home(browse, server):
    screen = browse(server, **NO_HOME)
    screen.shows("Albuquerque, US")


def test_the_light_client_links_no_ncurses():
    assert b"ncurses" not in CTL.read_bytes()
    assert b"ncurses" in (harness.BIN / HELPER).read_bytes()


def test_no_server_is_told_so(browse, tmp_path):
    screen = browse(tmp_path / "none.sock", ready=None)
    screen.shows("no server")
    assert screen.ends() == 69
