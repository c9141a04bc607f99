"""A real terminal for the full-screen tests: tmux, with keys in and the screen out."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import harness

SCREENS = Path(__file__).parent / "screens"
# How long a screen may take to become what it should be; nothing waits that long where all is well.
PATIENCE = 30
# The clock of a city: stored screens have the same at all times.
CLOCK = re.compile(r"[A-Z][a-z]{2} \d\d:\d\d, UTC\+[23]\b")
# The sun of today and the next clock change, over two lines.
SUN = re.compile(r"rises \d\d:\d\d|(?<= {14})\d\d:\d\d(?= )|Sun 20\d\d-\d\d-\d\d \d\d:00|\(\+0[23]:00\)")
# Screens that were stored in this run: the first test that shows one decides.
WRITTEN = set()


def with_fixed_clock(lines):
    """The text of a screen without blank lines at its end."""
    text = CLOCK.sub("Sat 12:00, UTC+2", "\n".join(lines)).rstrip("\n")
    return SUN.sub(lambda part: re.sub(r"\d", "0", part[0]), text)


class Screen:
    """One program on a terminal of its own; it stays to be looked at when the program has ended."""

    def __init__(self, folder, command, rows=24, columns=80, term="tmux-256color", **variables):
        folder.mkdir(parents=True, exist_ok=True)
        self.socket = folder / "tmux.sock"
        settings = harness.environment(TERM=term, **variables)
        words = command if isinstance(command, str) else shlex.join(map(str, command))
        # stty and a line of the shell's show the state in which the program leaves the terminal.
        script = f"stty -a >{folder}/before; {words}; echo status $?; stty -a >{folder}/after; echo over; exec cat"
        self.folder = folder
        self.tmux(
            "-u", "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "env", "-i",
            *(f"{key}={value}" for key, value in settings.items()), "bash", "-c", script)

    def tmux(self, *words):
        run = subprocess.run(
            ["tmux", "-S", self.socket, *map(str, words)], capture_output=True, text=True, timeout=30, check=False,
            env=harness.environment(TERM="xterm-256color"))
        assert run.returncode == 0, run.stderr
        return run.stdout

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=30, check=False)

    def keys(self, *keys):
        """Presses keys by tmux's names."""
        self.tmux("send-keys", *keys)
        return self

    def type(self, text):
        """Types characters, or sends the bytes that a terminal sends for something else."""
        self.tmux("send-keys", "-l", text)
        return self

    def mouse(self, button, row, column):
        """Presses a button of the mouse, in the form that the program has asked the terminal for."""
        if self.tmux("display-message", "-p", "#{mouse_sgr_flag}").strip() == "1":
            return self.type(f"\x1b[<{button};{column + 1};{row + 1}M")
        return self.type("\x1b[M" + "".join(chr(32 + number) for number in (button, column + 1, row + 1)))

    def resize(self, rows, columns):
        self.tmux("resize-window", "-x", columns, "-y", rows)
        return self

    def lines(self, styled=False):
        shown = self.tmux("capture-pane", "-p", *(["-e"] if styled else []))
        return [line.rstrip() for line in shown.split("\n")[:-1]]

    def cursor(self):
        """Row and column of the cursor, and whether it is seen."""
        shown = self.tmux("display-message", "-p", "#{cursor_y} #{cursor_x} #{cursor_flag}")
        return tuple(map(int, shown.split()))

    def is_alternate(self):
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def until(self, condition, what, seconds=PATIENCE):
        """Waits until the lines of the screen are as wanted; the lines."""
        last = []

        def look():
            last[:] = self.lines()
            return condition(last)

        try:
            harness.until(look, seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is\n" + "\n".join(last)) from None
        return last

    def shows(self, text, row=None):
        """Waits until a text is seen, anywhere or in a row; the lines."""
        def seen(lines):
            return text in (lines[row] if row is not None else "\n".join(lines))
        return self.until(seen, f"{text!r} on the screen")

    def is_stored(self, name):
        """Waits until the screen is the stored one; with CITIES_WRITE_SCREENS it is stored as it comes to rest."""
        path = SCREENS / f"{name}.txt"
        if os.environ.get("CITIES_WRITE_SCREENS") and name not in WRITTEN:
            WRITTEN.add(name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(with_fixed_clock(self.at_rest()) + "\n")
        stored = path.read_text().rstrip("\n")

        def equal(lines):
            return with_fixed_clock(lines) == stored
        return self.until(equal, f"the screen {path.name}")

    def at_rest(self):
        """The lines when they have been the same for a while."""
        seen = []

        def still():
            seen.append(self.lines())
            return len(seen) > 30 and all(lines == seen[-1] for lines in seen[-30:])
        harness.until(still, PATIENCE, "a screen at rest")
        return seen[-1]

    def child(self, name):
        """The process id of the program of that name on this terminal."""
        tty = self.tmux("display-message", "-p", "#{pane_tty}").strip().removeprefix("/dev/")

        def find():
            listed = subprocess.run(
                ["ps", "-t", tty, "-o", "pid=,comm="], capture_output=True, text=True, check=False).stdout
            # The kernel keeps fifteen characters of a name.
            found = [line.split()[0] for line in listed.splitlines() if line.split()[1:] == [name[:15]]]
            return found and int(found[0])
        return harness.until(find, what=f"{name} on the terminal")

    def ends(self):
        """Waits until the program has ended and left the terminal as it was; its exit status."""
        lines = self.shows("over")
        before, after = (self.folder / "before").read_text(), (self.folder / "after").read_text()
        assert after == before, "the modes of the terminal are not what they were"
        assert not self.is_alternate(), "the alternate screen was not left"
        assert self.cursor()[2] == 1, "the cursor is hidden"
        assert "1" not in self.tmux("display-message", "-p", "#{mouse_any_flag}#{keypad_flag}"), "modes are still on"
        return int(next(line for line in lines if line.startswith("status")).split()[1])
