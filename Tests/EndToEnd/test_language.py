"""Names of cities in the user's language: made from message catalogues, shown in tables on a terminal alone."""

import os
import pty
import shutil
import struct
import subprocess

import harness
import pytest

MUNICH, VIENNA = 2_867_714, 2_761_369


def catalogue(messages):
    """A compiled message catalogue, as gettext's msgfmt writes it."""
    pairs = sorted({"": "Content-Type: text/plain; charset=UTF-8\n", **messages}.items())
    texts, tables = b"", [b"", b""]
    start = 28 + 16 * len(pairs)
    for table in (0, 1):
        for pair in pairs:
            data = pair[table].encode()
            tables[table] += struct.pack("<II", len(data), start + len(texts))
            texts += data + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return head + b"".join(tables) + texts


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The client below a prefix that has names in German and French."""
    folder = tmp_path_factory.mktemp("language")
    names = {"de": {str(MUNICH): "München", str(VIENNA): "Wien"}, "fr": {str(VIENNA): "Vienne", "1": "nulle part"}}
    for language, messages in names.items():
        path = folder / "locale" / language / "LC_MESSAGES"
        path.mkdir(parents=True)
        (path / "geonames.mo").write_bytes(catalogue(messages))
    prefix = folder / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "share" / "cities").mkdir(parents=True)
    for program in "citiesctl", "citiesctl-helper":
        shutil.copy(harness.BIN / program, prefix / "bin")
    made = harness.run_sync(
        "translate", harness.PREBUILT, prefix / "share" / "cities" / "translations.bin", "--from", folder / "locale")
    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith("translations.bin: 3 names in 2 languages\n")
    return prefix / "bin" / "citiesctl"


def on_terminal(program, server, *words, **variables):
    """What the program shows on a terminal, and what it says on standard error."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [program, *map(str, words), "--no-pager", "--color", "never"], stdin=follower, stdout=follower,
        stderr=subprocess.PIPE, env=harness.environment(CITIES_SOCKET=server.socket, TERM="xterm", **variables))
    os.close(follower)
    shown = harness.read_terminal(leader)
    errors = child.communicate(timeout=30)[1]
    assert child.returncode == 0, errors
    return shown.decode(), errors.decode()


@pytest.mark.parametrize(
    ("variables", "words", "munich", "vienna"),
    [
        ({"LANG": "de_AT.UTF-8"}, [], "Munich, DE (München)", "Vienna, AT (Wien)"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "fr_CA:de"}, [], "Munich, DE ", "Vienna, AT (Vienne)"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, [], "Munich, DE (München)", "Vienna, AT (Wien)"),
        ({"LANG": "de_DE.UTF-8"}, ["--language", "none"], "Munich, DE ", "Vienna, AT "),
        ({"LANG": "C.UTF-8"}, ["--language", "fr"], "Munich, DE ", "Vienna, AT (Vienne)"),
        ({"LANG": "C.UTF-8"}, [], "Munich, DE ", "Vienna, AT "),
        ({"LANG": "de_DE.ISO-8859-1"}, [], "Munich, DE ", "Vienna, AT "),
    ])
def test_tables_on_a_terminal_show_names_in_the_language_of_the_reader(
        installed, shipped_server, variables, words, munich, vienna):
    for identifier, title in ((MUNICH, munich), (VIENNA, vienna)):
        shown, errors = on_terminal(installed, shipped_server, "show", identifier, "--columns", "title,id", *words,
            **variables)
        assert title in shown and errors == ""
        assert shown.count("(") == title.count("(")


def test_the_full_screen_shows_them_in_its_list_and_in_details(installed, browse, shipped_server):
    screen = browse(shipped_server, command=f"{installed} browse vienna", LANG="de_AT.UTF-8", LC_ALL="")
    screen.shows("> Vienna, AT (Wien)  ", row=2)
    screen.keys("Enter").shows(" Vienna, AT (Wien)  ", row=2)
    picker = browse(shipped_server, command=f"{installed} pick --language fr vienna", LC_ALL="C.UTF-8")
    picker.shows("> Vienna, AT (Vienne)  ")
    french = browse(shipped_server, command=f"{installed} browse --language fr vienna", LC_ALL="C.UTF-8")
    french.shows("> Vienna, AT (Vienne)  ", row=2)
    plain = browse(shipped_server, command=f"{installed} browse vienna", LC_ALL="C.UTF-8")
    assert "(" not in plain.shows("> Vienna, AT  ", row=2)[2]


@pytest.mark.parametrize("verb", ["browse", "pick", "search"])
def test_what_names_no_language_is_refused(installed, verb):
    run = subprocess.run([installed, verb, "--language", "d", "a"], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "--language must be a language such as de or pt_BR" in run.stderr


def test_a_language_that_is_missing_is_noted_only_if_it_was_named(installed, shipped_server):
    named = on_terminal(installed, shipped_server, "show", MUNICH, "--language", "tlh")
    assert "Munich, DE" in named[0] and "no names in the language tlh are installed" in named[1]
    assert on_terminal(installed, shipped_server, "show", MUNICH, LANG="tlh_XX.UTF-8")[1] == ""


def test_what_programs_read_depends_on_no_language(installed, shipped_server):
    for form in ("tsv", "csv", "json", "jsonl", "geojson", "table"):
        printed = [
            subprocess.run(
                [installed, "search", "Munich, DE", "--output", form], capture_output=True, text=True, check=True,
                env=harness.environment(CITIES_SOCKET=shipped_server.socket, LANG=language)).stdout
            for language in ("C.UTF-8", "de_DE.UTF-8")]
        assert printed[0] == printed[1] and "München" not in printed[0]


def test_without_catalogues_the_package_is_named(tmp_path):
    made = harness.run_sync("translate", harness.PREBUILT, tmp_path / "out", "--from", tmp_path)
    assert made.returncode == 69 and "libgeonames-common" in made.stderr
    assert not (tmp_path / "out").exists()
