"""Has the system calls of all programs fail, one in each run; contrib/torture explains and runs it."""

import argparse
import collections
import contextlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torture_client  # noqa: E402
import torture_errors  # noqa: E402
import torture_scripts  # noqa: E402
import torture_server  # noqa: E402
import torture_sync  # noqa: E402
from torture_base import NOTHING, Bad, Disturbance, Late, Stage  # noqa: E402
from tracing import Call  # noqa: E402

SCENARIOS = (
    torture_client.SCENARIOS | torture_sync.SCENARIOS | torture_server.SCENARIOS | torture_scripts.SCENARIOS)
# Runs per pair of a site and an error, each with another call of the site.
RUNS = 2
# One site in this number of sites is delayed, too, and for one an import hangs.
DELAYED = 8


@dataclass(frozen=True)
class Trial:
    """One run: a scenario, and what happens to one of its calls."""

    scenario: str
    program: str
    call: Call
    name: str

    @property
    def pair(self):
        """The call site and the error, which other calls and scenarios share."""
        return self.program, self.call.site, self.name

    def __str__(self):
        arguments = ", ".join(f"{argument:#x}" for argument in self.call.arguments[:4])
        what = self.call.path or self.call.kind
        return f"{self.scenario}: {self.name} from call {self.call.nth} of {self.call.name}({arguments}) at site " \
               f"{self.call.site}, {what}"


@dataclass(frozen=True)
class Result:
    """What came of a trial: `right`, `refused`, `not reached` or `bad`."""

    trial: Trial
    outcome: str
    detail: str = ""


class Worker:
    """Runs trials in one process, with a stage of its own."""

    def __init__(self, folder):
        self.stage, self.scenarios = Stage(folder), {}

    def scenario(self, name):
        """The scenario, which is made at its first use."""
        if name not in self.scenarios:
            self.scenarios[name] = SCENARIOS[name](name, self.stage)
        return self.scenarios[name]

    def record(self, name):
        """What can happen in a scenario, in the order of its calls."""
        scenario = self.scenario(name)
        scenario.disturbed(NOTHING, patience=6)
        return [
            Trial(name, scenario.program, call, what) for call in self.stage.tracer.calls()
            for what in possible(call, scenario.program)]

    def try_out(self, trial):
        """The result of a trial; one that took too long is repeated, as the machine may be busy."""
        for patience in (1, 3):
            try:
                outcome, is_reached = self.scenario(trial.scenario).disturbed(
                    Disturbance.of(trial.call, trial.name), patience)
                return Result(trial, outcome if is_reached else "not reached")
            except Bad as bad:
                result = Result(trial, "bad", str(bad))
                if not isinstance(bad, Late):
                    break
            except Exception:
                return Result(trial, "bad", f"the scenario fails: {traceback.format_exc()}")
        return result

    def close(self):
        for scenario in self.scenarios.values():
            scenario.close()
        self.stage.close()


def possible(call, program):
    """What can happen to a call, by name."""
    names = torture_errors.errors(call, program)
    names += ["short"] if torture_errors.can_be_short(call, program) else []
    return [*names, "crash"] if is_of_import(call, program) else names


def is_of_import(call, program):
    """Whether a call is one of a process that handles a feed's data for another one."""
    return program == "citiesd-sync" and call.is_child


def choose(recorded, seed, sample=None):
    """The trials of a run, or a sample: some for each pair, delays, endless loops; in the order of their scenarios."""
    generator, pairs = random.Random(seed), collections.defaultdict(list)
    for trial in recorded:
        pairs[trial.pair].append(trial)
    chosen = [trial for trials in pairs.values() for trial in generator.sample(trials, min(RUNS, len(trials)))]
    sites = list({trial.pair[:2]: trial for trial in recorded}.values())
    imports = [trial for trial in sites if is_of_import(trial.call, trial.program)]
    chosen += [
        Trial(trial.scenario, trial.program, trial.call, name) for name, some in (("delay", sites), ("loop", imports))
        for trial in generator.sample(some, -(-len(some) // DELAYED))]
    if sample is not None:
        chosen = generator.sample(chosen, min(sample, len(chosen)))
    order = list(SCENARIOS)
    return sorted(chosen, key=lambda trial: order.index(trial.scenario))


# Processes.

WORKER = None


def start_worker(folder):
    """Makes this process's worker, which ends what it has started when the process ends."""
    global WORKER
    # The servers end with the pool.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    WORKER = Worker(Path(tempfile.mkdtemp(dir=folder)))
    Finalize(None, WORKER.close, exitpriority=10)


def record(name):
    return WORKER.record(name)


def try_out(trial):
    return WORKER.try_out(trial)


@contextlib.contextmanager
def workers(count):
    """A pool of worker processes."""
    # The path of a socket has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        pool = multiprocessing.get_context("fork").Pool(count, start_worker, [folder])
        try:
            yield pool
            pool.close()
        except BaseException:
            pool.terminate()
            raise
        finally:
            pool.join()


# Reports.

COLUMNS = ["program", "scenario", "pairs", "tried", "right", "refused", "not reached", "bad"]


def table(recorded, results):
    """The rows of the table, with the sums of each program, in which a pair of several scenarios counts once."""
    by_scenario = collections.defaultdict(lambda: (set(), []))
    for trial in recorded:
        by_scenario[trial.program, trial.scenario][0].add(trial.pair)
    for result in results:
        by_scenario[result.trial.program, result.trial.scenario][1].append(result)
    rows = []
    for program in dict.fromkeys(trial.program for trial in recorded):
        mine = {key: value for key, value in by_scenario.items() if key[0] == program}
        rows += [row(program, scenario, *value) for (_, scenario), value in mine.items()]
        rows.append(row(
            program, "all", set().union(*(pairs for pairs, _ in mine.values())),
            [result for _, results in mine.values() for result in results]))
    return rows


def row(program, scenario, pairs, results):
    reached = [result for result in results if result.outcome != "not reached"]
    tried = {result.trial.pair for result in reached} & pairs
    counts = collections.Counter(result.outcome for result in results)
    return [program, scenario, len(pairs), len(tried), *(counts[name] for name in COLUMNS[4:])]


def print_table(rows):
    widths = [max(len(str(line[column])) for line in [COLUMNS, *rows]) for column in range(len(COLUMNS))]
    for line in [COLUMNS, *rows]:
        print("  ".join(
            str(value).ljust(width) if column < 2 else str(value).rjust(width)
            for column, (value, width) in enumerate(zip(line, widths, strict=True))))


def main(words):
    parser = argparse.ArgumentParser(prog="torture")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int)
    options = parser.parse_args(words)
    names = [
        name for name in SCENARIOS if not options.scenarios or any(word in name for word in options.scenarios)]
    if not names:
        parser.error(f"no such scenario; expected a part of one of these: {', '.join(SCENARIOS)}")
    begun, results = time.monotonic(), []
    with workers(os.cpu_count()) as pool:
        recorded = [trial for trials in pool.imap(record, names, 1) for trial in trials]
        for result in pool.imap_unordered(try_out, choose(recorded, options.seed, options.sample), 4):
            results.append(result)
            if result.outcome == "bad":
                print(f"bad: {result.trial}: {result.detail}", flush=True)
    print_table(table(recorded, results))
    bad = sum(result.outcome == "bad" for result in results)
    print(f"{len(results)} runs in {time.monotonic() - begun:.0f} s: {bad} with a bad outcome")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
