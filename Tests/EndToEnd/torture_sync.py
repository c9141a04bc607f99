"""Scenarios of contrib/torture in which `citiesd-sync` is disturbed: an import, a swap, a refresh."""

import gzip
import shutil
import struct
import subprocess
import zipfile

import harness
import stored
import torture_base
import upstream
from chain import FEEDS, variable
from torture_base import Bad, Late
from wire import Wire

# Those of citiesd-sync(8).
STATUSES = frozenset({4, 65, 69, 74, 77})


class Import(torture_base.Scenario):
    """`citiesd-sync run FEED` without data, or with the data of an older source."""

    program = "citiesd-sync"
    documented = STATUSES
    options = []

    def prepare(self):
        self.situation, self.feed = self.name.split(" ", 1)
        self.resident = "cities.index" if self.feed == "cities" else FEEDS[self.feed].resident
        self.source = self.folder / "source.json"
        self.bodies = self.make_bodies()
        self.before, after = self.folder / "before", self.folder / "after"
        self.before.mkdir()
        if self.situation != "import":
            self.import_from(self.bodies[0], self.before)
        shutil.copytree(self.before, after)
        self.import_from(self.bodies[1], after)
        self.old, self.new = self.contents(self.before), self.contents(after)
        assert self.old != self.new

    def make_bodies(self):
        if self.feed == "cities":
            lists = [torture_base.some_cities(step=step) for step in (2, 1)]
            return [harness.write_list(self.source, records).read_bytes() for records in lists]
        return [FEEDS[self.feed].body, FEEDS[self.feed].other]

    def import_from(self, body, state):
        self.source.write_bytes(body)
        done = self.untraced(state)
        assert done == (0, ""), done

    def variables(self, state):
        return {"CITIES_STATE": state, variable(self.feed): self.source, **self.limits()}

    def limits(self):
        """A short time for an import that hangs."""
        return {"CITIES_LIMITS_TOTAL": "2"} if self.disturbance.name == "loop" else {}

    def untraced(self, state):
        """The status and the messages of a run that is not disturbed."""
        done = harness.run_sync("run", *self.options, self.feed, **self.variables(state))
        return done.returncode, done.stderr

    def contents(self, state):
        """The body of the stored copy, and the resident file; None for those that are missing."""
        resident = state / self.resident
        try:
            body = stored.read(state, self.feed)[1] if stored.path(state, self.feed).exists() else None
        except (AssertionError, struct.error) as damage:
            raise Bad(f"half a stored copy: {damage!r}") from None
        return body, resident.read_bytes() if resident.exists() else None

    def run(self):
        state = self.folder / "state"
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(self.before, state)
        status, err = self.synchronize(state)
        return self.judge(state, status, err)

    def synchronize(self, state):
        """The disturbed run: its status and messages."""
        command = self.traced(harness.BIN / "citiesd-sync", "run", *self.options, self.feed)
        status, _, err = self.perform(command, self.variables(state))
        return status, err

    def judge(self, state, status, err):
        body, resident = self.contents(state)
        if body not in (self.old[0], self.new[0]) or resident not in (self.old[1], self.new[1]):
            raise Bad(f"neither old nor new data, with status {status}")
        if resident == self.new[1] and body == self.old[0] != self.new[0]:
            raise Bad(f"data in service whose source is not stored, with status {status}")
        if status == 0 and (body, resident) != self.new:
            raise Bad(f"status 0 and old data: {torture_base.last(err)}")
        outcome = "right" if status == 0 else self.refuse(status, err)
        if self.leftovers(state) or status != 0:
            self.repair(state)
        return outcome

    def repair(self, state):
        """The next run has new data, and leaves nothing that the disturbed one has left."""
        again = self.untraced(state)
        if again[0] != 0 or self.contents(state) != self.new:
            raise Bad(f"the next run ends with status {again[0]}: {torture_base.last(again[1])}")
        if self.leftovers(state):
            raise Bad(f"left {self.leftovers(state)}")

    def leftovers(self, state):
        """Files that are not part of a state folder."""
        return [path.name for path in state.rglob("*") if path.name.endswith(".tmp") or "damaged" in path.name]


class Download(Import):
    """`citiesd-sync run FEED` from the web."""

    options = ["--force"]

    def prepare(self):
        self.upstream = upstream.Upstream()
        super().prepare()

    def close(self):
        self.upstream.stop()

    def variables(self, state):
        self.upstream.answers["/feed"] = upstream.good(self.source.read_bytes())
        return {"CITIES_STATE": state, variable(self.feed): self.upstream.url("/feed"), **self.limits()}


class Refresh(Import):
    """`citiesd-sync serve`, asked by a client to refresh a feed."""

    def synchronize(self, state):
        path = self.folder / "socket"
        path.unlink(missing_ok=True)
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                self.traced(harness.BIN / "citiesd-sync", "serve"), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=harness.environment(CITIES_SYNC_SOCKET=path, **self.variables(state)))
        failures = []
        try:
            harness.until(lambda: harness.accepts(path) or process.poll() is not None, self.patience, "listening")
            if process.poll() is None:
                failures = self.ask(path)
            process.terminate()
            process.wait(self.patience)
        except (AssertionError, TimeoutError, subprocess.TimeoutExpired):
            raise Late(f"hangs: {self.message()}") from None
        finally:
            process.kill()
            process.wait()
        messages = "\n".join([self.message(), *failures])
        return process.returncode or (69 if failures else 0), messages

    def ask(self, path):
        """Refreshes the feed, on a second connection if the first one breaks or is refused; what failed."""
        failure = "no connection"
        for _ in range(2):
            try:
                with Wire(path, self.patience) as wire:
                    wire.send("feed.refresh", feeds=[self.feed], force=True)
                    reply = wire.receive()
            # A service whose start fails removes its socket.
            except (ConnectionError, FileNotFoundError, EOFError):
                if self.is_harmless:
                    break
                continue
            if "result" in reply:
                return [str(one) for one in reply["result"]["feeds"] if one["outcome"] == "failed"]
            failure = str(reply["error"])
        return [failure]

    def message(self):
        return torture_base.last((self.folder / "log").read_text(errors="replace"))


class Build(torture_base.Scenario):
    """`citiesd-sync build` of a city list in one of its formats."""

    program = "citiesd-sync"
    documented = STATUSES

    def prepare(self):
        self.source = self.make_source(self.name.split()[1])
        self.target = self.folder / "cities.index"
        self.expected = self.build([harness.BIN / "citiesd-sync"])
        self.index = self.target.read_bytes()

    def make_source(self, form):
        records = torture_base.some_cities()
        if form == "geonames":
            return self.dump(records)
        plain = harness.write_list(self.folder / "list.json", records)
        if form == "json":
            return plain
        packed = plain.with_suffix(f".{form}")
        if form == "gz":
            packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        else:
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(plain, "list.json")
        return packed

    def dump(self, records):
        """The same as a dump of GeoNames, whose columns are separated by tabs."""
        lines = []
        for record in records:
            columns = [""] * 19
            columns[0], columns[1], columns[2] = str(record["_id"]), record["name"], record["name"]
            columns[4], columns[5] = str(record["coord"]["lat"]), str(record["coord"]["lon"])
            columns[6], columns[7], columns[8] = "P", "PPL", record["country"]
            columns[14], columns[17], columns[18] = str(record.get("population") or 0), "UTC", "2026-01-01"
            lines.append("\t".join(columns) + "\n")
        path = self.folder / "list.txt"
        path.write_text("".join(lines))
        return path

    def build(self, command):
        return self.perform([*command, "build", self.source, self.target], {})

    def run(self):
        self.target.write_bytes(b"old")
        status, out, err = self.build(self.traced(harness.BIN / "citiesd-sync"))
        index = self.target.read_bytes()
        left = sorted({path.name for path in self.folder.iterdir() if path.name.endswith(".tmp")})
        if index not in (b"old", self.index):
            raise Bad(f"neither the old nor the new index, with status {status}")
        if left:
            for name in left:
                (self.folder / name).unlink()
            raise Bad(f"left {left}")
        if status != 0:
            return self.refuse(status, err)
        if index != self.index or out != self.expected[1]:
            raise Bad(f"status 0 without the answer: {torture_base.last(err)}")
        return "right"


SCENARIOS = {
    **{f"{situation} {feed}": Import for situation in ("import", "swap")
       for feed in ("cities", "swedbank-ee", "imaginary", "rates", "transactions")},
    "download rates": Download, "refresh rates": Refresh,
    **{f"build {form}": Build for form in ("json", "gz", "zip", "geonames")},
}
