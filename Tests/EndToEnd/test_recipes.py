"""The lines of the recipes as they stand on the page, and the tldr page."""

import os
import re
import shutil
import subprocess

import harness
import pytest
from screen import Screen

DOCS = harness.ROOT / "contrib" / "docs"
PARTS = [part.split("\n", 1) for part in (DOCS / "recipes.md").read_text().split("\n## ")[1:]]
RECIPES = {name: re.findall(r"^    (.+)$", text, flags=re.M) for name, text in PARTS}
VIM = shutil.which("vim") or shutil.which("vim.tiny")


def variables(server, **more):
    return harness.environment(
        CITIES_SOCKET=server.socket, PATH=f"{harness.BIN}:{os.environ['PATH']}", LC_ALL="C.UTF-8", **more)


def run(server, line, **more):
    done = subprocess.run(
        ["bash", "-c", line], env=variables(server, **more), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def terminal(tmp_path, shipped_server):
    """A real terminal in which a line runs."""
    screens = []

    def start(line, **more):
        shown = Screen(tmp_path, ["bash", "-c", line], columns=120, **variables(shipped_server, **more))
        screens.append(shown)
        return shown

    yield start
    for shown in screens:
        shown.close()


def test_every_processor_works_at_tables(shipped_server, tmp_path):
    (tmp_path / "positions.tsv").write_text("59.44\t24.75\n48.14\t11.58\n")
    (tmp_path / "customers.csv").write_text("number,town\n1,tartu\n2,münchen\n")
    for line in RECIPES["Tables"]:
        run(shipped_server, f"cd {tmp_path} && {line}")
    located, matched = ((tmp_path / name).read_text().splitlines() for name in ("cities.tsv", "matched.csv"))
    assert [row.split("\t")[3] for row in located] == ["Tallinn, EE", "Munich, DE"]
    assert matched[0].startswith("number,town,id,title,") and '2,münchen,2867714,"Munich, DE",' in matched[2]


def test_fzf_finds_cities_as_one_types_with_a_map(terminal, tmp_path):
    chosen = tmp_path / "chosen"
    screen = terminal(f"{RECIPES['fzf'][0]} >{chosen}")
    screen.shows(">")
    screen.type("reykjavik")
    screen.shows("Reykjavík, IS")
    screen.shows("• Selfoss")
    screen.keys("Enter")
    harness.until(lambda: chosen.exists() and chosen.read_text() == "3413829\n", what="the id of Reykjavík")


def test_fzf_chooses_among_the_cities_around(shipped_server):
    found = run(shipped_server, RECIPES["fzf"][1], FZF_DEFAULT_OPTS="--filter elva")
    assert found.startswith("Elva, EE\tTartu")


def test_a_popup_of_tmux_puts_a_title_into_its_buffer(terminal, tmp_path):
    inner = tmp_path / "inner"
    screen = terminal(f"tmux -S {inner} -f /dev/null new-session bash --norc")
    screen.shows("bash-")
    screen.type(RECIPES["tmux"][0])
    screen.keys("Enter")
    screen.shows("Find:")
    screen.type("tartu")
    screen.shows("Tartu, EE")
    screen.keys("Enter")

    def pasted():
        shown = subprocess.run(["tmux", "-S", inner, "show-buffer"], capture_output=True, text=True, check=False)
        return shown.stdout == "Tartu, EE\n"
    harness.until(pasted, what="the title in the buffer")
    subprocess.run(["tmux", "-S", inner, "kill-server"], check=True)


def test_the_status_line_of_tmux_shows_two_times(terminal, tmp_path):
    inner = tmp_path / "inner"
    screen = terminal(f"tmux -S {inner} -f /dev/null new-session bash --norc")
    screen.shows("bash-")
    screen.type(RECIPES["tmux"][1])
    screen.keys("Enter")
    screen.until(lambda lines: re.search(r"\d\d:\d\d \d\d:\d\d *$", lines[-1]), "two times in the last line")
    subprocess.run(["tmux", "-S", inner, "kill-server"], check=True)


def test_rofi_asks_and_chooses(shipped_server, tmp_path):
    """Its stand-in says "munchen" where it is asked for a text, and takes the first of several lines."""
    rofi = tmp_path / "rofi"
    rofi.write_text("#!/bin/sh\nread -r line || line=munchen\nprintf '%s\\n' \"$line\"\n")
    rofi.chmod(0o755)
    line = f"PATH={tmp_path}:$PATH; {RECIPES['rofi'][0]}"
    assert run(shipped_server, line) == "Munich, DE\n"


@pytest.mark.parametrize("number, before, after", [
    (0, "munchen\n", "Munich, DE\n"),
    (1, "town,size\nmunchen,1\n", "town,size,id,title,country,region,lat,lon,class\n"
     'munchen,1,2867714,"Munich, DE",DE,Bavaria,48.13743,11.57549,sure\n')])
def test_vim_changes_a_line_or_a_table(shipped_server, tmp_path, number, before, after):
    text = tmp_path / "text"
    text.write_text(before)
    done = subprocess.run(
        [VIM, "-es", "-u", "NONE", "-c", RECIPES["Vim"][number], "-c", "wq", text], env=variables(shipped_server),
        capture_output=True, timeout=60, check=False)
    assert (done.returncode, text.read_text()) == (0, after)


# Emacs takes half a minute to install.
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("emacs") is None, reason="Emacs is not installed")
def test_emacs_inserts_a_city(shipped_server):
    line = f"(progn {RECIPES['Emacs'][0]} (insert-city \"munchen\") (princ (buffer-string)))"
    done = subprocess.run(
        ["emacs", "--batch", "--eval", line], env=variables(shipped_server), capture_output=True, text=True, timeout=60,
        check=True)
    assert done.stdout.endswith("Munich, DE")


def test_the_tldr_page_has_its_form_and_its_commands_run(shipped_server, tmp_path):
    title, about, *examples = (DOCS / "tldr.md").read_text().strip().split("\n\n")
    assert title == "# citiesctl" and all(line.startswith("> ") and line.endswith(".") for line in about.split("\n"))
    (tmp_path / "table.csv").write_text("town,lat,lon\nmunchen,48.1,11.6\n")
    assert len(examples) == 16
    for description, command in zip(examples[::2], examples[1::2], strict=True):
        assert description.startswith("- ") and description.endswith(":")
        line = re.fullmatch("`(.+)`", command)[1].replace("{{", "").replace("}}", "")
        if "browse" not in line:
            run(shipped_server, f"cd {tmp_path} && {line}")
