"""What the scenarios of contrib/torture share: how a run is judged, and the data that all of them use."""

import functools
import gzip
import json
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import harness
import torture_errors
from chain import FEEDS, variable
from tracing import Action, Call, Tracer

# Seconds after which a run hangs; the longest of them takes less than one by itself.
PATIENCE = 10
CITIES = 1_500
# What a program never notices: it repeats the call, moves the rest, or waits.
UNNOTICED = {"EINTR", "short", "delay"}
# What happens to a process that handles one feed's data.
TO_CHILDREN = {"crash", "loop"}
# Other words than the system's that name a cause.
NO_DESCRIPTOR = ["no descriptor", "out of descriptors", "no connection"]
CAUSES = {
    "EAGAIN": ["no answer", "busy", "another process", "no thread", "is being written", "no connection"],
    # Memory of a file that cannot be made readable is taken for memory that is gone.
    "ENOMEM": ["no thread", "it was shortened", "the data changed during the request"],
    "EMFILE": NO_DESCRIPTOR,
    "ENFILE": NO_DESCRIPTOR,
    "EACCES": ["no connection"],
    "EPIPE": ["closed", "it ended with status 0"],
    "ECONNRESET": ["closed", "it ended with status 0"],
    "crash": ["the import was killed"],
    "loop": ["unfinished after"],
}


class Bad(Exception):
    """An outcome that no failure of a call excuses."""


class Late(Bad):
    """Nothing has come in time."""


@dataclass(frozen=True)
class Disturbance:
    """What happens to a call in one run: an error by its name, `short`, `delay`, `crash` or `loop`."""

    name: str
    action: Action
    call: Call = None

    @classmethod
    def of(cls, call, name, milliseconds=50):
        if name in {"short", "delay", *TO_CHILDREN}:
            return cls(name, Action(name, call.site, call.nth, milliseconds), call)
        return cls(name, Action("fail", call.site, call.nth, torture_errors.number(name)), call)


NOTHING = Disturbance("nothing", Action())


class Stage:
    """The data and the server that the scenarios of a process share, in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.tracer = folder, Tracer(folder)
        self.made = []

    def make(self, name):
        """A new folder for a scenario."""
        folder = self.folder / name
        folder.mkdir()
        return folder

    @functools.cache  # noqa: B019
    def program(self, name):
        """A copy of a program, which stays the same if the programs are built again."""
        return Path(shutil.copy(harness.BIN / name, self.make(name)))

    @functools.cached_property
    def state(self):
        """A state folder with cities, banks and trade."""
        state = self.make("data") / "state"
        state.mkdir()
        shutil.copy(self.index(), state / "cities.index")
        for feed in ("swedbank-ee", "rates", "transactions"):
            source = state.parent / f"{feed}.json"
            source.write_bytes(FEEDS[feed].body)
            done = harness.run_sync("run", feed, CITIES_STATE=state, **{variable(feed): source})
            assert done.returncode == 0, done.stderr
        return state

    @functools.cached_property
    def server(self):
        """A server on that data, which is never disturbed."""
        server = harness.Server(self.make("server"))
        shutil.copytree(self.state, server.state, dirs_exist_ok=True)
        self.made.append(server)
        return server.start()

    @functools.cache  # noqa: B019
    def index(self, step=1):
        """An index of some cities; of other ones for another step."""
        source = harness.write_list(self.folder / f"list-{step}.json", some_cities(step=step))
        made = harness.build_index(source, source.with_suffix(".index"))
        assert made.returncode == 0, made.stderr
        return source.with_suffix(".index")

    def close(self):
        for server in self.made:
            server.stop()


class Scenario:
    """One program in one situation, which can be repeated.

    `prepare` makes what the runs share; `run` leaves everything as it was. It returns `right` or `refused`, and raises
    `Bad` for any other outcome.
    """

    program = "citiesctl"
    # Exit statuses with which the program may refuse, and words that name any cause.
    documented = frozenset()
    causes = ()

    def __init__(self, name, stage):
        self.name, self.stage, self.tracer, self.disturbance = name, stage, stage.tracer, NOTHING
        self.patience = PATIENCE
        self.folder = stage.make(name.replace(" ", "-"))
        self.prepare()
        self.practise()

    def practise(self):
        """Learns from a run without disturbance."""

    def prepare(self):
        """Makes what the runs share."""

    def run(self):
        """One run, below the tracer."""
        raise NotImplementedError

    def close(self):
        """Ends what `prepare` has started."""

    @property
    def call(self):
        """The call that is disturbed."""
        return self.disturbance.call

    @property
    def is_unread(self):
        """Whether the reader of the program's output is gone: then it stops quietly, or SIGPIPE ends it."""
        call = self.call
        is_output = call and call.name == "write" and call.arguments[0] in (1, 2) and call.kind.startswith("pipe")
        return is_output and self.disturbance.name == "EPIPE"

    @property
    def is_harmless(self):
        """Whether the disturbance must not have any effect."""
        return self.disturbance.name in UNNOTICED

    def traced(self, *command):
        """A command with the tracer before it."""
        return [*self.tracer.prefix(self.program, self.disturbance.action), *map(str, command)]

    def disturbed(self, disturbance, patience=1):
        """The outcome of a run with a disturbance, and whether the call was reached."""
        self.disturbance, self.patience = disturbance, patience * PATIENCE
        try:
            outcome = self.run()
            is_reached = self.tracer.has_acted()
            return self.require_report(outcome) if is_reached else outcome, is_reached
        finally:
            self.disturbance = NOTHING

    def perform(self, command, variables, stdin=None):
        """Runs a command to its end: its status, output and messages as text."""
        process = subprocess.Popen(
            [str(word) for word in command], env=harness.environment(**variables),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            out, err = process.communicate(stdin, timeout=self.patience)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Late(f"hangs: {last(err)}") from None
        return process.returncode, out, err

    def require_report(self, outcome):
        """Refuses success after a flush that failed: the data may be lost, and nobody would know."""
        name = self.call.name if self.call else ""
        if outcome == "right" and name in ("fsync", "fdatasync") and not self.is_harmless:
            raise Bad("success, although the disk has not taken the data")
        return outcome

    def names_cause(self, text):
        """Whether a message says why."""
        name = self.disturbance.name
        if name in ("nothing", *UNNOTICED):
            return False
        # A terminal breaks lines.
        text = " ".join(text.lower().split())
        usual = [] if name in TO_CHILDREN else [torture_errors.text(name).lower()]
        return any(words in text for words in [*usual, *CAUSES.get(name, []), *self.causes])

    def refuse(self, status, message):
        """Judges an exit status other than that of the answer."""
        if self.is_unread and status in (0, 128 + signal.SIGPIPE):
            return "refused"
        if status not in self.documented:
            raise Bad(f"{torture_errors.describe(status)}: {last(message)}")
        if self.is_harmless:
            raise Bad(f"noticed, with {torture_errors.describe(status)}: {last(message)}")
        if not self.names_cause(message):
            raise Bad(f"status {status} without the cause: {last(message)}")
        return "refused"


def last(message):
    """The end of what a program wrote."""
    return " / ".join(message.strip().splitlines()[-3:])[-300:] or "no message"


@functools.cache
def largest_cities():
    """The largest cities of the bundled list, each once."""
    records = json.loads(gzip.decompress(harness.SHIPPED_LIST.read_bytes()))
    records.sort(key=lambda record: -(record.get("population") or 0))
    return list({record["_id"]: record for record in records[:3 * CITIES]}.values())


def some_cities(step=1):
    """Cities, the same each time; other ones for another step."""
    return largest_cities()[:CITIES * step:step]
