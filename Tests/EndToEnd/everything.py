#!/usr/bin/env python3
"""A soak of everything at once: checked clients, while programs, files, disk and sources fail in turn.

    everything.py [SECONDS [SEED]]      (600 and 1); contrib/soak runs it where it may mount a small disk

Each client is a user of its own where this process is root and may be others.

The server is started on a socket that outlives it, as systemd does it, and has no prebuilt list to fall back on. Prints
figures, one a line. Exit code 1 if an answer was wrong, a request was lost after its one retry, the server died, or it
kept more replaced lists than it may, or if a service leaked descriptors.
"""
import collections
import contextlib
import fcntl
import gzip
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import banks
import checked
import harness
import upstream
from chain import FEEDS, Chain
from trade import Book
from wire import WireFault

CLIENTS, DEPTHS = 10, (1, 8)
# The ids of the clients' users count up from here; no machine has accounts there.
FIRST_USER = 1_900_000
# Descriptors that a service may have beyond those of its start: files of data that it is about to close.
SPARE_DESCRIPTORS = 8
# Seconds between two batches of a client: the disruptions must get their share of the processor too.
CLIENT_PAUSE = 0.002
PAUSE = (0.1, 0.5)
# Seconds for which a refresh is waited for while something is broken.
PATIENCE = 1.5
# The server maps at most three lists that have lost their names: the one served, the one before it and one that is
# being opened. With the list in its place and the next one that makes five; the rest, in bytes, is for the other feeds.
LISTS, REST = 5, 8 << 20
LISTS_KEPT = 3
# Seconds between two counts of them.
COUNT_PAUSE = 0.02
# Of the bundled list every fifth city is served: a soak asks often rather than much.
EVERY = 5
FLIPS = 64
# A line of /proc/PID/maps; the fifth word is the inode.
DELETED_LIST = re.compile(r"cities\.index \(deleted\)$")
BANK_FEEDS = harness.feeds("banks")


def packed_trade(rates, sales):
    return (
        json.dumps([dict(zip(("from", "to", "rate"), entry)) for entry in rates]).encode(),
        json.dumps([{"sku": checked.SKU, "amount": amount, "currency": code} for amount, code in sales]).encode())


TRADE = [
    packed_trade(
        [("EUR", "USD", "1.359"), ("CAD", "EUR", "0.732")], [("10.00", "USD"), ("7.63", "EUR"), ("5.5", "CAD")]),
    packed_trade([("EUR", "USD", "1.25"), ("CAD", "USD", "0.7")], [("1.10", "CAD"), ("2.20", "EUR"), ("3", "XTS")]),
]
# The two versions of every feed.
BODIES = {name: (feed.body, feed.other) for name, feed in FEEDS.items()} | {
    "rates": tuple(rates for rates, _ in TRADE), "transactions": tuple(sales for _, sales in TRADE)}


class ActivatedServer(harness.Server):
    """`citiesd` on a socket that this process keeps, so that clients can connect while no server runs."""

    def __init__(self, folder):
        super().__init__(folder)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.listener.listen(1024)
        self.socket.chmod(0o666)
        # Above the number that it is passed under.
        self.passed = fcntl.fcntl(self.listener.fileno(), fcntl.F_DUPFD, 10)

    def start(self):
        command = f'LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=citiesd exec "$0" 3<&{self.passed} {self.passed}<&-'
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", command, self.binaries / "citiesd"], env=harness.environment(**self.variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(self.passed,))
        return self


class Stage(Chain):
    """All programs, an upstream with two versions of every feed, and two generations of the list of cities."""

    def __init__(self, folder, disk):
        state = folder / "state"
        state.mkdir()
        self.disk = disk
        lists = make_lists()
        self.indices = [make_index(folder, f"list-{number}", records) for number, records in enumerate(lists)]
        if disk:
            size = LISTS * max(index.stat().st_size for index in self.indices) + REST
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "cities-soak", state], check=True)
        super().__init__(folder, self.indices[0])
        self.server = ActivatedServer(folder)
        self.server.binaries = folder / "bin"
        self.server.binaries.mkdir()
        shutil.copy(harness.BIN / "citiesd", self.server.binaries)
        self.cities = self.state / "cities.index"
        self.versions = dict.fromkeys(FEEDS, 0)
        self.recover()
        self.start()
        self.lists = {}
        for index, records in zip(self.indices, lists, strict=True):
            self.put(index)
            before = set(self.lists)
            self.lists[harness.until(lambda: new_generation(self.server, before), what="a new generation")] = records
        self.refresh()
        harness.until(lambda: all(self.records().values()), 20, "all feeds")

    def recover(self):
        """Everything works again, and every feed delivers its present version."""
        super().recover()
        versions = getattr(self, "versions", dict.fromkeys(FEEDS, 0))
        self.upstream.answers = {f"/{feed}": upstream.good(BODIES[feed][versions[feed]]) for feed in FEEDS}

    def put(self, index):
        """Puts a list in the place of the served one, as citiesd-sync does it: a whole file, then rename(2)."""
        fresh = self.cities.with_name(".fresh")
        shutil.copyfile(index, fresh)
        os.rename(fresh, self.cities)

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            self.sync.process.send_signal(signal.SIGCONT)
        super().stop()
        self.server.listener.close()
        os.close(self.server.passed)
        if self.disk:
            subprocess.run(["umount", "--lazy", self.state], check=True)


def make_lists():
    """Cities of the bundled list, and a list in which every second one has moved and each has another population."""
    records = list({record["_id"]: record for record in bundled()[::EVERY]}.values())
    moved = []
    for number, record in enumerate(records):
        lat = record["coord"]["lat"] - (0.5 if number % 2 and record["coord"]["lat"] > 0 else 0)
        moved.append(record | {"coord": {"lon": record["coord"]["lon"], "lat": lat}, "population": number + 1})
    return records, moved


def bundled():
    return json.loads(gzip.decompress(harness.SHIPPED_LIST.read_bytes()))


def make_index(folder, name, records):
    made = harness.build_index(harness.write_list(folder / f"{name}.json", records), folder / f"{name}.index")
    assert made.returncode == 0, made.stderr
    return folder / f"{name}.index"


def new_generation(server, known):
    generation = server.generation()
    return generation if generation not in known else None


class Disruptor:
    """Breaks one thing after the other, and repairs it."""

    def __init__(self, stage, seed):
        self.stage, self.random = stage, random.Random(seed)
        # Times without a sound file of cities: (start, end).
        self.windows, self.outcomes, self.died = [], collections.Counter(), []
        self.done = collections.Counter()

    @property
    def kinds(self):
        kinds = [
            self.kill, self.restart, self.reload, self.replace, self.damage, self.flip, self.truncate, self.hung_source,
            self.failing_source, self.hung_sync, self.new_feeds]
        return kinds + [self.full_disk] * self.stage.disk

    def run(self, seconds):
        """Disrupts for a time, and until each kind had its turn."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline or not self.done:
            for kind in self.random.sample(self.kinds, len(self.kinds)):
                kind()
                self.done[kind.__name__.replace("_", " ")] += 1
                self.rest()
                self.look_after_server()
                if time.monotonic() > deadline and len(self.done) == len(self.kinds):
                    return

    def rest(self):
        time.sleep(self.random.uniform(*PAUSE))

    def look_after_server(self):
        status = self.stage.server.process.poll()
        if status is not None:
            self.died.append(f"the server left by itself with status {status}")
            self.stage.server.start()

    # The server.

    def kill(self):
        self.stage.server.stop(signal.SIGKILL)
        self.stage.server.start()

    def restart(self):
        status = self.stage.server.stop()
        if status != 0:
            self.died.append(f"the server left with status {status} after SIGTERM")
        self.stage.server.start()

    def reload(self):
        self.stage.server.process.send_signal(signal.SIGHUP)

    # The list of cities.

    def replace(self):
        self.stage.put(self.random.choice(self.stage.indices))

    def damage(self):
        """cp(1) of a damaged file over the served one."""
        data = bytearray(self.random.choice(self.stage.indices).read_bytes())
        for _ in range(FLIPS):
            data[self.random.randrange(len(data))] ^= self.random.randrange(1, 256)
        with self.without_sound_file():
            self.stage.cities.write_bytes(data)

    def flip(self):
        """Other bytes in the place of some."""
        with self.without_sound_file(), self.stage.cities.open("r+b", buffering=0) as file:
            size = self.stage.cities.stat().st_size
            for _ in range(FLIPS):
                file.seek(self.random.randrange(size))
                file.write(self.random.randbytes(8))

    def truncate(self):
        with self.without_sound_file():
            os.truncate(self.stage.cities, self.random.randrange(self.stage.cities.stat().st_size))

    @contextlib.contextmanager
    def without_sound_file(self):
        """The body damages the list; some time later it is restored."""
        begun = time.monotonic()
        try:
            yield
            self.rest()
            self.random.choice([self.kill, self.reload, lambda: None, lambda: None])()
        finally:
            self.stage.put(self.random.choice(self.stage.indices))
            self.windows.append((begun, time.monotonic()))

    # Sources and the sync service.

    def refresh(self, what):
        """Refreshes all feeds; notes the outcome of each, or that there was no answer in time."""
        try:
            with self.stage.server.wire(timeout=PATIENCE) as wire:
                done = wire.call("refresh", feeds=list(FEEDS), force=True)
            self.outcomes.update((what, outcome["outcome"]) for outcome in done["feeds"])
        except WireFault as fault:
            self.outcomes[what, fault.code] += 1
        except (OSError, EOFError) as failure:
            self.outcomes[what, type(failure).__name__] += 1

    def change_versions(self):
        for feed in self.stage.versions:
            self.stage.versions[feed] = self.random.randrange(2)
        self.stage.recover()

    def new_feeds(self):
        self.change_versions()
        self.refresh("new feeds")

    def hung_source(self):
        self.fail("hung source", upstream.silence)

    def failing_source(self):
        body = BODIES["rates"][0]
        self.fail("failing source", self.random.choice([
            upstream.status(500), upstream.html, upstream.truncated(body), upstream.wrong_length(body),
            upstream.hang_up]))

    def fail(self, what, answer):
        self.change_versions()
        self.stage.upstream.answers[f"/{self.random.choice(list(FEEDS))}"] = answer
        self.refresh(what)
        self.stage.recover()

    def hung_sync(self):
        self.stage.sync.process.send_signal(signal.SIGSTOP)
        self.refresh("hung sync")
        self.stage.sync.process.send_signal(signal.SIGCONT)

    def full_disk(self):
        """Not a page is left, so nothing new can be stored."""
        for feed in self.stage.versions:
            self.stage.versions[feed] ^= 1
        self.stage.recover()
        filler = self.stage.state / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(1 << 20)):
                pass
        self.refresh("full disk")
        filler.unlink()


def overlap(start, end, windows):
    """Seconds of a time that lie in windows, which do not overlap each other."""
    return sum(max(0.0, min(end, stop) - max(start, begun)) for begun, stop in windows)


def print_report(reports, disruptor, seconds, kept):
    """Prints the figures; whether all went well."""
    windows = disruptor.windows

    def is_excused(failure):
        """Whether it was answered rightly that there is no data, whatever broke the connection before or after that."""
        subject, begun, ended, reasons = failure
        return subject == "cities" and "unavailable" in reasons and any(
            begun < stop and ended > start for start, stop in windows)

    failed = [failure for report in reports for failure in report.failed]
    lost = [failure for failure in failed if not is_excused(failure)]
    wrong = sorted(one for report in reports for one in report.wrong)
    answers, retries = (sum((getattr(report, name) for report in reports), collections.Counter())
                        for name in ("answers", "retries"))
    pauses = [end - start - overlap(start, end, windows) for report in reports for start, end in report.pauses]

    def listed(counter):
        names = {key: key if isinstance(key, str) else ": ".join(key) for key in sorted(counter)}
        return ", ".join(f"{name} {counter[key]}" for key, name in names.items())

    print(f"requests {sum(answers.values()) + len(wrong) + len(failed)} in {seconds:.0f} s: {listed(answers)}")
    print(f"disruptions {disruptor.done.total()}: {listed(disruptor.done)}")
    print(f"refreshes: {listed(disruptor.outcomes)}")
    print(f"asked again: {listed(retries)}")
    print(f"wrong {len(wrong)}")
    print(f"lost after one retry {len(lost)}")
    print(f"unavailable while no sound file existed {len(failed) - len(lost)}, in {len(windows)} times of"
          f" {sum(stop - start for start, stop in windows):.1f} s together")
    print(f"worst pause {max(pauses, default=0.0) * 1000:.0f} ms outside these times")
    print(f"replaced lists that stayed mapped {kept} at most")
    for moment, what in wrong[:20]:
        print(f"- wrong{since(moment, windows)}: {what}")
    for subject, begun, ended, reasons in lost[:20]:
        print(f"- lost: {subject}: {' and '.join(reasons)} after {ended - begun:.3f} s{since(begun, windows)}")
    for line in disruptor.died:
        print(f"- died: {line}")
    return not (wrong or lost or disruptor.died or kept > LISTS_KEPT)


def since(moment, windows):
    """How long after the start of the last damage a moment was."""
    starts = [start for start, _ in windows if start <= moment]
    return f" {(moment - starts[-1]) * 1000:.1f} ms after the last damage" if starts else ""


class Holdings:
    """The descriptors and the memory of a service, at the start and at the end of the soak."""

    def __init__(self, name, process):
        self.name, self.process, self.seen = name, process, []

    def look(self):
        """Counts what the process that runs now has."""
        process = Path(f"/proc/{self.process().pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        self.seen.append((len(list((process / "fd").iterdir())), int(status["RssAnon"].split()[0]) / 1024))

    def __str__(self):
        (first, before), (last, after) = self.seen
        return (f"{self.name}: descriptors {first} at the start, {last} at the end; memory of its own"
                f" {before:.1f} and {after:.1f} MiB")

    @property
    def has_leaked(self):
        return self.seen[1][0] > self.seen[0][0] + SPARE_DESCRIPTORS


def run_as(user, client, *arguments):
    """Runs a client as `user`, or as the user of this process where that is nobody else."""
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    client.run(*arguments)


def users():
    """A user for each client; `None` for all if this process cannot be them, as in a namespace of one user."""
    ids = [FIRST_USER + number for number in range(CLIENTS)]
    mapped = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    may = os.geteuid() == 0 and any(first <= ids[0] and ids[-1] < first + count for first, _, count in mapped)
    return ids if may else [None] * CLIENTS


class KeptLists(threading.Thread):
    """Counts the lists that the server maps although another one has taken their place."""

    def __init__(self, stage):
        super().__init__(daemon=True)
        self.stage, self.most, self.stopped = stage, 0, threading.Event()

    def run(self):
        while not self.stopped.wait(COUNT_PAUSE):
            # A server that has just ended has no mappings.
            with contextlib.suppress(OSError):
                maps = Path(f"/proc/{self.stage.server.process.pid}/maps").read_text()
                gone = {line.split()[4] for line in maps.splitlines() if DELETED_LIST.search(line)}
                self.most = max(self.most, len(gone))


def soak(stage, seconds, seed):
    feeds = {feed: [] for feed in BANK_FEEDS}
    for feed, body in ((feed, body) for feed in BANK_FEEDS for body in BODIES[feed]):
        path = stage.file.with_name("body.json")
        path.write_bytes(body)
        feeds[feed].append(banks.load(feed, path))
    books = [Book(rates.decode(), sales.decode()) for rates in BODIES["rates"] for sales in BODIES["transactions"]]
    asked = checked.questions(stage.lists, feeds, books)
    holdings = [
        Holdings("server", lambda: stage.server.process), Holdings("sync service", lambda: stage.sync.process)]
    for one in holdings:
        one.look()
    context = multiprocessing.get_context("fork")
    stop, reports = context.Event(), context.Queue()
    who = users()
    clients = [
        context.Process(
            target=run_as, args=(
                who[number], checked.Client(stage.server.socket, asked, DEPTHS[number % len(DEPTHS)], number),
                stop, reports, CLIENT_PAUSE), daemon=True)
        for number in range(CLIENTS)]
    for client in clients:
        client.start()
    begun, disruptor, kept = time.monotonic(), Disruptor(stage, seed), KeptLists(stage)
    kept.start()
    disruptor.run(seconds)
    stop.set()
    kept.stopped.set()
    seen = [reports.get(timeout=30) for _ in clients]
    for client in clients:
        client.join(10)
    stage.recover()
    disruptor.refresh("at the end")
    for one in holdings:
        one.look()
    is_good = print_report(seen, disruptor, time.monotonic() - begun, kept.most)
    print(f"clients {CLIENTS} of {len(set(who))} {'users' if len(set(who)) > 1 else 'user'}")
    for one in holdings:
        print(one)
    return is_good and not any(one.has_leaked for one in holdings)


def main(words):
    seconds, seed = (int(word) for word in (words + ["600", "1"][len(words):]))
    with tempfile.TemporaryDirectory(prefix="cities-soak-") as folder:
        # The users of the clients reach the socket.
        os.chmod(folder, 0o755)
        stage = Stage(Path(folder), disk="CITIES_SOAK_MOUNTS" in os.environ)
        try:
            all_went_well = soak(stage, seconds, seed)
        finally:
            stage.stop()
            if keep := os.environ.get("CITIES_SOAK_LOGS"):
                for log in Path(folder).glob("*.log"):
                    shutil.copy(log, keep)
    return 0 if all_went_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
