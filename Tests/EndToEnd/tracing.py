"""The tracer (tracer.c): compiled, and as the start of a command."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("tracer.c")


@dataclass(frozen=True)
class Action:
    """What the tracer does to one call; a site or number of 0 means all, and the default changes nothing."""

    name: str = "record"
    site: int = 0
    nth: int = 0
    value: int = 0

    def words(self):
        return [self.name, *map(str, (self.site, self.nth, self.value))]


@dataclass(frozen=True)
class Call:
    """A line of the tracer's report."""

    name: str
    site: int
    nth: int
    # The kind of the descriptor that is the first argument, with `+` if it does not block.
    kind: str
    # The path that is an argument; empty if none is.
    path: str
    arguments: tuple
    # Whether it is a call of a program that the first one has started.
    is_child: bool = False

    @classmethod
    def parse(cls, line):
        name, site, nth, kind, path, process, *arguments = line.split("\t")
        return cls(
            name, int(site), int(nth), kind, path, tuple(int(word, 16) for word in arguments), process == "child")


class Tracer:
    """Starts commands below the tracer."""

    def __init__(self, folder):
        self.program, self.report = folder / "tracer", folder / "report"
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.program, SOURCE], check=True)

    def prefix(self, program, action):
        """The words before a command whose calls in `program` are meant."""
        self.report.unlink(missing_ok=True)
        return [str(word) for word in (self.program, program, self.report, *action.words())]

    def lines(self):
        return self.report.read_text().splitlines() if self.report.exists() else []

    def calls(self):
        """The calls that were listed."""
        return [Call.parse(line) for line in self.lines() if "\t" in line]

    def has_acted(self):
        """Whether the call was reached."""
        return any("\t" not in line for line in self.lines())
