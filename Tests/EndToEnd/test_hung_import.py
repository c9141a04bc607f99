"""An import that hangs harms nobody: it is a child of the sync service, which ends it, and others go on without it.

A child is stopped with SIGSTOP, or the tracer has it loop without any call, at moments of its work.
"""

import contextlib
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import harness
import pytest
import stored
import upstream
from chain import FEEDS, Chain, finder, transactions, variable
from harness import until
from tracing import Action, Tracer

SECONDS = 8
HUNG = "transactions"
LARGE = {HUNG: transactions(60_000), "swedbank-ee": finder("EE", 20_000)}


@pytest.fixture
def chain(tmp_path, small_index):
    chain = Chain(tmp_path, small_index)
    chain.sync.variables["CITIES_LIMITS_TOTAL"] = SECONDS
    chain.start()
    try:
        yield chain.filled()
    finally:
        for child in children(chain):
            os.kill(child, signal.SIGKILL)
        chain.stop()


def children(chain):
    """The children of the sync service, each with its feed."""
    found = {}
    for child in Path("/proc").glob("[0-9]*"):
        try:
            parent = (child / "stat").read_text().rpartition(")")[2].split()[1]
            words = (child / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(parent) == chain.sync.process.pid and words[1:2] == [b"import"]:
            found[int(child.name)] = words[2].decode()
    return found


def is_confined(child):
    """Whether an import has read its job: it ends with its service and has its limit of memory from then on."""
    with contextlib.suppress(OSError):
        limits = Path(f"/proc/{child}/limits").read_text()
        return "unlimited" not in next(line for line in limits.splitlines() if line.startswith("Max data size"))[:40]
    return False


def state(process):
    """The state of a process as ps(1) prints it; that of one which has ended if there is none."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return "Z"


def is_gone(process):
    """Whether a process has ended, even if nobody has asked for its status."""
    return state(process) == "Z"


def refresh(chain, feed):
    """A client that waits for a refresh."""
    return subprocess.Popen(
        [harness.BIN / "citiesctl", "refresh", "--force", feed],
        env=harness.environment(CITIES_SOCKET=chain.server.socket), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def hang(chain, feed=HUNG, pause=0.0):
    """Stops an import of `feed`, `pause` after it has started, or earlier if it is over by then.

    Returns the client that waits for it, and the import.
    """
    chain.upstream.answers[f"/{feed}"] = upstream.good(LARGE[feed])
    for _ in range(20):
        client = refresh(chain, feed)
        until(lambda: client.poll() is not None or any(
            name == feed and is_confined(child) for child, name in children(chain).items()), what="the import")
        time.sleep(pause)
        for child, name in children(chain).items():
            with contextlib.suppress(ProcessLookupError):
                if name == feed and is_confined(child):
                    os.kill(child, signal.SIGSTOP)
                    until(lambda: state(child) in "TZ", what="the stop")
                    if state(child) == "T":
                        return client, child
        client.wait(30)
        pause /= 2
    raise AssertionError("no import could be stopped")


def temporary(chain):
    return [path.name for path in chain.state.rglob(".*.tmp")]


@pytest.mark.parametrize("pause", [0, 0.05, 0.2])
def test_the_others_go_on_and_the_hung_one_is_ended(chain, pause):
    client, child = hang(chain, pause=pause)
    before = chain.copies(), chain.residents()
    others = set(FEEDS) - {HUNG}
    outcomes = chain.refresh(*others, force=True)
    assert {outcome["outcome"] for outcome in outcomes.values()} == {"unchanged"}, outcomes
    until(lambda: {"importing", "last_error"} & set(chain.status()[HUNG]), what="the import in the status")
    if "importing" in chain.status()[HUNG]:
        assert "importing since 20" in chain.server.ctl("status", "-o", "table").stdout
        assert f'citiesd_feed_import_start_time_seconds{{feed="{HUNG}"}}' in chain.server.ctl(
            "status", "-o", "prometheus").stdout
        end = f"unfinished after {SECONDS} s (limits.total)"
    else:
        # A fast machine has it stopped with the lock of the reports, for which the others have waited.
        end = "unfinished, and another one has waited"
    until(lambda: "last_error" in chain.status()[HUNG], 3 * SECONDS, "the end of the import")
    report = chain.status()[HUNG]
    assert end in report["last_error"] and "importing" not in report
    assert not Path(f"/proc/{child}").exists() and not temporary(chain)
    assert (chain.copies()[HUNG], chain.residents()) == (before[0][HUNG], before[1])
    client.wait(30)


@pytest.mark.parametrize(("number", "seconds"), [(signal.SIGTERM, 2), (signal.SIGKILL, 1)])
def test_a_hung_import_ends_with_its_service(chain, number, seconds):
    client, child = hang(chain)
    start = time.monotonic()
    assert chain.sync.stop(number) == (0 if number == signal.SIGTERM else -number)
    assert time.monotonic() - start < seconds
    until(lambda: is_gone(child), what="the end of the import")
    chain.sync.start()
    until(lambda: "importing" not in chain.status()[HUNG] and not temporary(chain), what="what is left is removed")
    client.kill()
    client.wait()


def test_two_imports_run_at_a_time_and_the_older_one_gives_way_to_a_third(chain):
    # A busy machine needs seconds for the second one, while the first one's time passes.
    chain.sync.stop()
    chain.sync.variables["CITIES_LIMITS_TOTAL"] = 3 * SECONDS
    chain.sync.start()
    (older, _), (younger, child) = [hang(chain, feed) for feed in LARGE]
    third, most = refresh(chain, "rates"), 0
    while third.poll() is None:
        most = max(most, len(children(chain)))
    assert (third.returncode, most) == (0, 2)
    assert not is_gone(child)
    os.kill(child, signal.SIGKILL)
    assert older.wait(30) != 0 != younger.wait(30)
    errors = [chain.status()[feed]["last_error"].partition(": the import ")[2] for feed in LARGE]
    assert errors[0].startswith("was ended: unfinished, and another one has waited for a quarter of limits.total")
    assert errors[1].startswith("was killed")


def last(calls, *names, kind="", path=""):
    return [call for call in calls if call.name in names and kind in call.kind and path in call.path][-1]


# The last call before each part of an import that brings new data.
MOMENTS = {
    "parse": lambda calls: last(calls, "read", "pread64", kind="memory"),
    "write": lambda calls: last(calls, "openat", path=f".{HUNG}.source."),
    "verify": lambda calls: last(calls, "openat", path="trade.resident"),
    "build": lambda calls: [call for call in calls if call.name == "fsync"][0],
    "replace": lambda calls: calls[calls.index(last(calls, "renameat", path=f".{HUNG}.source.")) - 1],
}


@pytest.fixture
def looping(chain, tmp_path):
    """Starts the service with an endless loop in the import of a feed from a moment on: the client and the import."""
    tracer, clients = Tracer(tmp_path), []

    def traced(action, count):
        chain.sync.stop()
        chain.upstream.answers[f"/{HUNG}"] = upstream.good(transactions(count))
        chain.sync.prefix = tracer.prefix("citiesd-sync", action)
        chain.sync.start()

    def loop(moment):
        # All calls are traced, which takes a while on a busy machine.
        limit = chain.sync.variables.pop("CITIES_LIMITS_TOTAL")
        traced(Action(), 6)
        assert refresh(chain, HUNG).wait(30) == 0
        call = MOMENTS[moment]([call for call in tracer.calls() if call.is_child])
        chain.sync.variables["CITIES_LIMITS_TOTAL"] = limit
        traced(Action("loop", call.site, call.nth), 7)
        clients.append(refresh(chain, HUNG))
        until(tracer.has_acted, what="the loop")
        service = int(Path(f"/proc/{chain.sync.process.pid}/task/{chain.sync.process.pid}/children").read_text())
        imports = Path(f"/proc/{service}/task").glob("*/children")
        return clients[0], next(int(word) for path in imports for word in path.read_text().split())

    yield loop
    for client in clients:
        client.kill()
        client.wait()


def settled(chain, child, before, error):
    """Asserts that a looping import ends with `error`, and that nothing is lost."""
    until(lambda: "last_error" in chain.status()[HUNG], 20, "the end of the import")
    assert error in chain.status()[HUNG]["last_error"]
    assert not Path(f"/proc/{child}").exists() and not temporary(chain)
    assert (chain.copies()[HUNG], chain.residents()) == before


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_endless_loop_stops_no_other_feed(chain, looping, moment):
    client, child = looping(moment)
    before = chain.copies()[HUNG], chain.residents()
    assert is_confined(child)
    outcomes = chain.refresh(*set(FEEDS) - {HUNG}, force=True)
    assert {outcome["outcome"] for outcome in outcomes.values()} == {"unchanged"}, outcomes
    # After a quarter of that, if it holds a lock for which others wait.
    settled(chain, child, before, "was ended: unfinished")


@pytest.mark.slow
def test_an_endless_loop_with_the_lock_of_the_reports_ends_first(chain, looping):
    chain.sync.variables["CITIES_LIMITS_TOTAL"] = 120
    _, child = looping("replace")
    before, start = (chain.copies()[HUNG], chain.residents()), time.monotonic()
    outcomes = chain.refresh("rates", "swedbank-ee", force=True)
    assert {outcome["outcome"] for outcome in outcomes.values()} == {"unchanged"} and time.monotonic() - start < 15
    settled(chain, child, before, "it did not replace its files within 10 s")


@pytest.mark.parametrize("moment", ["parse", "replace"])
def test_sigterm_ends_the_service_and_an_endless_loop(chain, looping, moment):
    _, child = looping(moment)
    start = time.monotonic()
    assert chain.sync.stop() == 0
    assert time.monotonic() - start < 2
    until(lambda: is_gone(child), what="the end of the import")


def test_an_import_that_needs_too_much_memory_fails_and_the_data_before_stays(tmp_path):
    source, state, least = tmp_path / "source.json", tmp_path / "state", 64 << 20
    variables = {"CITIES_STATE": state, variable(HUNG): source}

    def run(memory):
        return subprocess.run(
            [harness.BIN / "citiesd-sync", "run", HUNG], capture_output=True, text=True, timeout=60, check=False,
            env=harness.environment(**variables),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)))

    source.write_bytes(transactions(5))
    assert run(least).returncode == 0
    before = stored.read(state, HUNG), (state / "trade.resident").read_bytes()
    source.write_bytes(transactions(1_000_000))
    failed = run(least)
    assert failed.returncode == 65, failed
    assert "needs more than 1920 MiB of memory; the data before stays" in failed.stderr
    assert (stored.read(state, HUNG), (state / "trade.resident").read_bytes()) == before
    assert not list(state.rglob(".*.tmp"))
    assert run(resource.RLIM_INFINITY).returncode == 0
