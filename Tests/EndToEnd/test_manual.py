"""The manual: pages that no tool complains about, one for every command, whose examples do what they say."""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import threading

import harness
import pytest
from screen import Screen

MAN = harness.ROOT / "contrib" / "man"
PAGES = sorted(path.name for path in MAN.glob("*.[1-8]"))
# Commands that wait for a key or for news, or change the machine; others test them.
NOT_RUN = re.compile(r"citiesctl (browse|watch|refresh|feed disable|pick par)")
# Statuses other than 0 that an example may end with here: a test has no service and no source, one sample cannot be
# converted, and what is open depends on the time of day.
OTHER_STATUSES = {
    r"citiesctl (doctor|status|product list)": 4, r"citiesctl bank .*--open-now": 1, r"citiesd-sync run$": 69}


@pytest.mark.parametrize("page", PAGES)
def test_no_tool_complains_about_a_page(page):
    lint = subprocess.run(["mandoc", "-T", "lint", MAN / page], capture_output=True, text=True, check=False)
    # Whether a page that this one refers to is installed depends on the machine.
    findings = [line for line in (lint.stdout + lint.stderr).splitlines()
                if "referenced manual not found" not in line and "mandoc.db" not in line]
    assert findings == []
    # Width and locale are those of a plain terminal: a line that cannot be broken or a missing character is a warning.
    shown = subprocess.run(
        ["man", "--warnings=all", "--local-file", "--encoding=UTF-8", MAN / page], capture_output=True, text=True,
        check=False, env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert (shown.returncode, shown.stderr) == (0, "")
    # The lines of data formats are what they are.
    assert page.endswith(".5") or max(map(len, shown.stdout.splitlines())) <= 80


def test_apropos_lists_every_page_for_city(tmp_path):
    for page in PAGES:
        folder = tmp_path / f"man{page[-1]}"
        folder.mkdir(exist_ok=True)
        shutil.copy(MAN / page, folder)
    subprocess.run(["mandb", "--quiet", "--create", "--user-db", tmp_path], check=True)
    found = subprocess.run(["apropos", f"--manpath={tmp_path}", "city"], capture_output=True, text=True, check=True)
    # A page has one line for each of its names.
    listed = set(re.findall(r"^(\S+) \((\d)\)", found.stdout, flags=re.M))
    assert {tuple(page.rsplit(".", 1)) for page in PAGES} <= listed


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_that_a_page_refers_to_exist(page):
    text = (MAN / page).read_text()
    named = {f"{name}.{section}" for name, section in re.findall(r"^\.(?:It )?Xr (\S+) ([1-8])", text, flags=re.M)}
    named |= {f"{text_of(name)}.{section}" for name, section in re.findall(r"\\fB(\S+?)\\fR\(([1-8])\)", text)}
    assert named - {page} <= {*PAGES, "systemd.exec.5", "fcntl.2", "less.1"} and page not in named


# How a literal block writes characters that roff would change.
ESCAPES = {r"\-": "-", r"\(aq": "'", r"\(ti": "~", r"\(ha": "^", r"\(ga": "`", r"\&": "", r"\%": "", r"\e": "\\"}


def text_of(roff):
    """The text of a literal block, as it is typed."""
    for escape, character in ESCAPES.items():
        roff = roff.replace(escape, character)
    return roff


def examples(page):
    """The commands of each block below EXAMPLES."""
    section = (MAN / page).read_text().partition(".Sh EXAMPLES\n")[2].partition("\n.Sh ")[0]
    blocks = re.findall(r"\.Bd -literal[^\n]*\n(.*?)\.Ed", section, re.S)
    return [text_of(block).strip("\n").split("\n") for block in blocks]


# Files that examples read.
INPUTS = {
    "positions.tsv": "59.437\t24.7536\thome\n", "trips.tsv": "1\t2026-11-22\t59.437\t24.7536\n",
    "trips.csv": "name,lat,lng\nhome,59.437,24.7536\n",
    "places.tsv": "Tallinn\tx\nKöln\ty\n", "customers.csv": "town,land\nParis,US\n",
    "customers.tsv": "1\tParis\tUS\n", "places.txt": "Tallinn\n", "positions.txt": "59.437,24.7536\n",
    "cities.txt": "Tallinn, EE\n", "amounts.txt": "12.50 USD EUR\n", "sync.json": "{}\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The variables of an installation with the real cities and the samples, whose programs are first in PATH."""
    folder = tmp_path_factory.mktemp("home")
    stubs = folder / "stubs"
    stubs.mkdir()
    for name, script in {"sudo": 'exec "$@"', "xdg-open": 'test -n "$1"', "jq": "cat"}.items():
        (stubs / name).write_text(f"#!/bin/sh\n{script}\n")
        (stubs / name).chmod(0o755)
    for name in ("completions", "conf.d"):
        (folder / ".config/fish" / name).mkdir(parents=True)
    variables = {
        "HOME": folder, "PATH": f"{harness.BIN}:{stubs}:{os.environ['PATH']}", "CITIES_STATE": folder / "state",
        "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder / "config", "CITIES_SOCKET": None,
        "CITIES_SYNC_CONFIG": folder / "sync.json"}
    (folder / "sync.json").write_text("{}")
    done = harness.run_sync("run", "--samples", **variables)
    assert done.returncode == 0, done.stderr
    return variables


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page) and page not in (
    "sync.json.5", "cities-formats.5")])  # test_configuration.py runs those
def test_examples_do_what_they_say(tmp_path, home, page):
    for name, text in INPUTS.items():
        (tmp_path / name).write_text(text)
    for commands in examples(page):
        script = "\n".join(commands)
        if NOT_RUN.search(script):
            continue
        here = script.replace("/etc/cities/sync.json", str(home["CITIES_SYNC_CONFIG"]))
        done = subprocess.run(
            ["bash", "-e", "-c", here], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env=harness.environment(**home), timeout=60, check=False)
        expected = next((code for pattern, code in OTHER_STATUSES.items() if re.search(pattern, script)), 0)
        assert done.returncode in (0, expected), (script, done.stdout, done.stderr)


# Values in README.md that depend on the moment, and the width of their column: a full minute has no seconds.
NOW = re.compile(r"[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?(  ?\(?[+-]\d\d:\d\d\)?)?|(?<=LOCAL) +")
# Columns of the terminal: room for the widest table without seconds, but not for its last columns beside them.
COLUMNS = 86


def on_a_terminal(command, folder, variables):
    """What a command shows on a terminal, both streams together."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    shown = []
    reader = threading.Thread(target=lambda: shown.extend(iter(lambda: read_some(leader), b"")))
    reader.start()
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, timeout=60,
        env=harness.environment(**variables, NO_COLOR="1", CITIESCTL_PAGER=""), check=True)
    os.close(follower)
    reader.join()
    os.close(leader)
    assert done.returncode == 0
    return b"".join(shown).decode().replace("\r\n", "\n")


def read_some(leader):
    """Bytes of a terminal, none at its end."""
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


CUSTOMERS = "name,city\nAda,Munchen\nBo,Wien\nCy,Pekin\nDi,Springfeld\n"


def test_the_readme_shows_what_its_commands_print(home, tmp_path):
    (tmp_path / "customers.csv").write_text(CUSTOMERS)
    text = (harness.ROOT / "README.md").read_text()
    shown = "".join(re.findall(r"```console\n(.*?)```", text, re.S))
    printed = "".join(f"$ {command}\n{on_a_terminal(command, tmp_path, home)}"
                      for command in re.findall(r"^\$ (.*)$", shown, re.M))
    assert NOW.sub("NOW", shown) == NOW.sub("NOW", printed)


def verbs():
    """The commands of the help; those of a subject share a page."""
    shown = subprocess.run([harness.BIN / "citiesctl", "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z-]+) {2,}\S", shown, flags=re.M)


def test_every_command_has_a_page_with_a_synopsis_and_every_page_a_command():
    names = set(verbs())
    assert {"search", "bank", "call"} <= names
    assert {f"citiesctl-{name}.1" for name in names} == {page for page in PAGES if page.startswith("citiesctl-")}
    for name in names:
        text = (MAN / f"citiesctl-{name}.1").read_text()
        assert f".Sh SYNOPSIS\n.Nm citiesctl\n.Cm {name}" in text and ".Sh SEE ALSO" in text
        assert f".It Xr citiesctl-{name} 1\n" in (MAN / "citiesctl.1").read_text()


@pytest.mark.parametrize(("words", "page"), [
    (["help", "search"], "CITIESCTL-SEARCH(1)"), (["help", "bank", "near"], "CITIESCTL-BANK(1)")])
def test_help_of_a_command_opens_its_page_on_a_terminal(tmp_path, words, page):
    folder = tmp_path / "installed" / "share" / "man" / "man1"
    program = tmp_path / "installed" / "bin" / "citiesctl"
    program.parent.mkdir(parents=True)
    shutil.copy(harness.BIN / "citiesctl", program)
    plain = subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    assert "\nUSAGE: citiesctl" in plain

    def on_a_terminal(name, text):
        screen = Screen(tmp_path / name, [program, *words], rows=300, MANPAGER="cat")
        try:
            screen.shows("status 0")
            screen.shows(text)
        finally:
            screen.close()

    on_a_terminal("without", "USAGE: citiesctl")
    folder.mkdir(parents=True)
    for path in MAN.glob("citiesctl*.1"):
        shutil.copy(path, folder)
    on_a_terminal("with", page)
    assert subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout == plain
