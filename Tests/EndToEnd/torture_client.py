"""Scenarios of contrib/torture in which `citiesctl` is disturbed, on a server that is not."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import termios
import time

import harness
import torture_base
import torture_errors
from torture_base import Bad, Late

# Those of citiesctl(1).
STATUSES = frozenset({2, 4, 65, 69, 70, 74, 75, 76, 77, 78})
NAMES = "city,n\nparis,1\nlonbon,2\nnowhere at all,3\n"
PLACES = "lat,lon,n\n48.85,2.35,1\n59.4,24.7,2\n"
SESSION = "par\nlon\n\nzzz\n"
# A command that waits for an answer does not give up on a busy machine.
TIMEOUT = ["--timeout", str(torture_base.PATIENCE - 2)]
# Command lines by scenario, and what they read.
COMMANDS = {
    "search": (["search", "par"], None),
    "find": (["find", "lonbon"], None),
    "show": (["show", "Paris, FR"], None),
    "near": (["near", "48.85,2.35"], None),
    "time": (["time", "Paris, FR", "--at", "2026-03-04T10:30:00Z"], None),
    "map": (["map", "--width", "40", "--height", "10", "Paris, FR"], None),
    "match": (["match", "--input", "csv", "--name", "city"], NAMES),
    "locate": (["locate", "--input", "csv"], PLACES),
    "session": (["session", "--limit", "3"], SESSION),
    "banks": (["bank", "list"], None),
    "products": (["product", "show", "T2006"], None),
    "convert": (["rate", "convert", "10", "EUR", "USD"], None),
}


class Command(torture_base.Scenario):
    """A command of `citiesctl` that ends by itself."""

    documented = STATUSES

    def prepare(self):
        words, self.input = COMMANDS[self.name]
        self.words = [*words, *TIMEOUT]
        server = self.stage.server
        self.variables = {
            "CITIES_SOCKET": server.socket, "XDG_CONFIG_HOME": self.folder, "HOME": self.folder,
            "CITIES_STATE": server.state}
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        # A folder of their own, without an installed list.
        for program in ("citiesctl", "citiesctl-helper", "citiesd"):
            (self.bin / program).hardlink_to(self.stage.program(program))
        self.expect()

    def expect(self):
        """Learns the answer from a run that is not disturbed."""
        self.expected = self.answer([self.bin / "citiesctl", *self.words])
        if self.expected[0] not in (0, 4):
            raise Bad(f"status {self.expected[0]}: {self.expected[2]}")

    def answer(self, command):
        return self.perform(command, self.variables, self.input)

    def run(self):
        status, out, err = self.answer(self.traced(self.bin / "citiesctl", *self.words))
        return self.judge(status, out, err)

    def judge(self, status, out, err):
        if (status, self.settled(out)) == (self.expected[0], self.settled(self.expected[1])):
            return "right"
        if status == self.expected[0] and not self.is_unread:
            raise Bad(f"{torture_errors.describe(status)} without the answer: {torture_base.last(err)}")
        if not self.settled(self.expected[1]).startswith(self.settled(out)):
            raise Bad(f"wrong rows with status {status}: {torture_base.last(out)}")
        return self.refuse(status, err)

    def settled(self, text):
        """The output without what differs from run to run."""
        return text


class Drawing(Command):
    """A command that `citiesctl-helper` performs."""

    program = "citiesctl-helper"


class Helper(Command):
    """The same, as far as `citiesctl` starts that program."""


class Watch(Command):
    """The current state of all subjects, whose times differ."""

    def settled(self, text):
        return "".join(f"{event['event']} {event['subject']}\n" for event in map(json.loads, text.splitlines()))


class Doctor(Command):
    """A report, in which what fails is a row of its own, or a row says more."""

    # Those of a report.
    reports = (0, 4)

    def judge(self, status, out, err):
        lines, known = self.settled(out).splitlines(), self.settled(self.expected[1]).splitlines()
        if (status, lines) == (self.expected[0], known):
            return "right"
        if status not in self.reports:
            return self.refuse(status, err)
        changed = [line for line in lines if line not in known]
        is_explained = all(line.split("\t")[1] in ("note", "wrong") for line in changed) or self.names_cause(out + err)
        if self.is_harmless or not (is_explained and changed):
            raise Bad(f"another report: {changed} {torture_base.last(err)}")
        return "refused"

    def settled(self, text):
        return re.sub(r"\d+ (s|min) old", "", text)


class Position(Command):
    """`citiesctl here` saves a position, where none is saved."""

    before = None

    def prepare(self):
        super().prepare()
        self.file = next(path for path in (self.folder / "cities").rglob("*") if path.is_file())
        self.saved = self.file.read_bytes()

    def run(self):
        shutil.rmtree(self.folder / "cities", ignore_errors=True)
        if self.before is not None:
            self.file.parent.mkdir(parents=True)
            self.file.write_bytes(self.before)
        outcome = super().run()
        after = self.file.read_bytes() if self.file.exists() else None
        if outcome == "right" and after != self.saved or after not in (self.before, self.saved):
            raise Bad(f"{outcome}, and the file has {after}")
        left = [path.name for path in self.folder.glob("cities/*") if path != self.file]
        if left:
            raise Bad(f"left {left}")
        return outcome


class PositionAgain(Position):
    """The same, in the place of an older position."""

    before = b"1.0,2.0\n"


class Private(Command):
    """A search where no server runs: `citiesctl` starts one."""

    def prepare(self):
        super().prepare()
        self.variables |= {"CITIES_SOCKET": None, "XDG_RUNTIME_DIR": self.folder}
        self.expect()


class PrivateServer(Private):
    """The same, as far as the server is concerned."""

    program = "citiesd"


class Browse(Command):
    """One key of the full screen."""

    program = "citiesctl-helper"
    typed, shown = b"montev", "Montevideo"
    # ncurses does not say why it cannot use a terminal.
    causes = ("cannot show a full screen", "needs a terminal")

    def expect(self):
        self.variables |= {"TERM": "xterm-256color"}
        self.expected = self.answer([self.bin / "citiesctl", *self.words])

    def answer(self, command):
        """The status, and all that was written to the terminal."""
        process, terminal = pty.fork()
        if process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            words = [str(word) for word in command]
            with contextlib.suppress(OSError):
                os.execvpe(words[0], words, harness.environment(**self.variables))
            os._exit(127)
        try:
            return self.talk(process, terminal)
        finally:
            os.close(terminal)

    def talk(self, process, terminal):
        start, written, waiting = time.monotonic(), "", [("Find:", self.typed), (self.shown, b"\x03")]
        # What a write to the terminal has lost is drawn again with Ctrl-L.
        redraws = [start + self.patience / 4, start + self.patience / 2] if self.disturbance.name == "EIO" else []
        while time.monotonic() < start + self.patience:
            if redraws and time.monotonic() > redraws[0]:
                redraws.pop(0)
                os.write(terminal, b"\x0c")
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    part = os.read(terminal, 1 << 16)
                except OSError:
                    break
                written += part.decode(errors="replace")
            if waiting and waiting[0][0] in written:
                os.write(terminal, waiting.pop(0)[1])
        else:
            os.kill(process, 9)
            os.waitpid(process, 0)
            raise Late(f"hangs: {written[-200:]!r}")
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), written, written

    def run(self):
        status, out, err = self.answer(self.traced(self.bin / "citiesctl", *self.words))
        if status == self.expected[0] and self.shown in out:
            return "right"
        if status == self.expected[0]:
            raise Bad(f"status {status} without the answer: {out[-300:]!r}")
        return self.refuse(status, err)


HERE = ["here", "59.437,24.7536"], None
COMMANDS |= {
    "helper": COMMANDS["map"],
    "watch": (["watch", "--limit", "3"], None),
    "doctor": (["doctor"], None),
    "here": HERE,
    "here again": HERE,
    "private search": COMMANDS["search"],
    "private search, the server": COMMANDS["search"],
    "browse": (["browse"], None),
}
SCENARIOS = dict.fromkeys(COMMANDS, Command) | {
    "map": Drawing, "match": Drawing, "locate": Drawing, "helper": Helper, "watch": Watch, "doctor": Doctor,
    "here": Position, "here again": PositionAgain, "private search": Private,
    "private search, the server": PrivateServer, "browse": Browse,
}
