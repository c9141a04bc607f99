"""Calls that fail: the tracer does what it says, and a sample of contrib/torture has no bad outcome."""

import errno
import re
import subprocess
from pathlib import Path

import fairness
import harness
import pytest
import torture
import torture_errors
from tracing import Action, Tracer

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void before_main(void) { close(open("/dev/null", O_RDONLY)); }

int main(int argc, char **argv) {
  char bytes[8];
  int file = open(argv[argc - 1], O_RDONLY);
  for (int count = 0; count < 3; count++) {
    ssize_t got = read(file, bytes, sizeof bytes);
    dprintf(1, "read %zd %s\n", got, got < 0 ? strerrorname_np(errno) : "-");
  }
  int closed = close(file);
  dprintf(1, "close %d, then %s\n", closed, fcntl(file, F_GETFD) < 0 ? "closed" : "open");
  return 3;
}
"""
WHOLE = "read 8 -\nread 8 -\nread 4 -\nclose 0, then closed\n"
# The faults that torture has found: scenario, call, a part of its path, error. Each was fixed.
FOUND = [
    # The client took a connect that was interrupted for a server that is not there.
    ("search", "connect", "", "EINTR"),
    # It looked for its helper in the root folder if a folder above its own could not be read.
    ("helper", "readlink", "", "EACCES"),
    # An index was made without names of countries if the file could not be seen.
    ("build json", "access", "names.json.gz", "EACCES"),
    # A temporary file stayed if it could not be locked.
    ("swap rates", "flock", "", "EAGAIN"),
    # A file was refused for good if it could not be opened once.
    ("own socket", "openat", "cities.index", "ENFILE"),
    ("own socket", "mmap", "", "ENOMEM"),
    # A time zone that could not be read once was unknown from then on.
    ("activated", "openat", "zoneinfo", "EMFILE"),
    # The server did not listen any more.
    ("own socket", "epoll_ctl", "", "ENOSPC"),
    # A page that could not be made readable ended it.
    ("own socket", "mprotect", "", "ENOMEM"),
    # A connection to the sync service stayed open.
    ("refresh of a feed", "epoll_ctl", "", "ENOSPC"),
    # A private server did not say why it could not serve.
    ("private search, the server", "epoll_ctl", "", "ENOMEM"),
    # Locations had no zones of their own if the list of cities could not be opened; at its second opening, it trapped.
    ("swap swedbank-ee", "openat", "cities-7.index", "EMFILE"),
    # The same for the rules of zones.
    ("import swedbank-ee", "openat", "zoneinfo/Europe", "ENFILE"),
    # An import that the system had killed was said to have exceeded its time.
    ("swap rates", "renameat", "", "crash"),
]
# Calls of a site that are tried.
CALLS = 4
FAULTS = sorted(Path(__file__).with_name("faults").glob("*.patch"))
# Trials of the sample: each takes a fraction of a second, and a busy machine has a minute for them.
SAMPLE = 48


@pytest.fixture(scope="module", params=["dynamic", "static"])
def traced(request, tmp_path_factory):
    """Runs a small program below the tracer: its status and output; and the tracer."""
    folder = tmp_path_factory.mktemp(request.param)
    tracer, program, data = Tracer(folder), folder / "program", folder / "data"
    data.write_bytes(bytes(20))
    flags = ["-static"] if request.param == "static" else []
    subprocess.run(
        ["gcc", "-O1", "-D_GNU_SOURCE", *flags, "-s", "-x", "c", "-", "-o", program], input=PROGRAM, text=True,
        check=True)

    def run(action):
        done = subprocess.run(
            [*tracer.prefix("program", action), program, data], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout
    return run, tracer


def calls_named(traced, name):
    run, tracer = traced
    assert run(Action()) == (3, WHOLE)
    assert not tracer.has_acted()
    return [call for call in tracer.calls() if call.name == name]


def test_calls_are_listed_from_main_on_with_their_sites(traced):
    run, tracer = traced
    reads = calls_named(traced, "read")
    assert [(call.kind, call.nth, call.arguments[2]) for call in reads] == [("file", n, 8) for n in (1, 2, 3)]
    assert len({call.site for call in reads}) == 1
    assert [call.name for call in tracer.calls()][0] == "openat", "a call before main() is counted"


def test_one_call_of_a_site_fails_and_does_nothing(traced):
    run, tracer = traced
    site = calls_named(traced, "read")[0].site
    status, output = run(Action("fail", site, 2, errno.EIO))
    assert (status, output) == (3, "read 8 -\nread -1 EIO\nread 8 -\nclose 0, then closed\n")
    assert tracer.has_acted()


def test_a_close_that_fails_closes_all_the_same(traced):
    run, _ = traced
    site = calls_named(traced, "close")[0].site
    assert run(Action("fail", site, 1, errno.EIO)) == (3, WHOLE.replace("close 0", "close -1"))


def test_a_short_call_moves_one_byte(traced):
    run, _ = traced
    site = calls_named(traced, "read")[0].site
    assert run(Action("short", site, 1)) == (3, "read 1 -\nread 8 -\nread 8 -\nclose 0, then closed\n")


def test_a_delayed_call_does_what_it_would(traced):
    run, tracer = traced
    site = calls_named(traced, "read")[0].site
    assert run(Action("delay", site, 3, 20)) == (3, WHOLE)
    assert tracer.has_acted()


def test_a_kill_comes_before_the_call(traced):
    run, _ = traced
    site = calls_named(traced, "read")[0].site
    status, output = run(Action("kill", site, 2))
    assert (status, output) == (128 + 9, "read 8 -\n")


def test_a_crash_comes_before_the_call(traced):
    run, _ = traced
    site = calls_named(traced, "read")[0].site
    assert run(Action("crash", site, 3)) == (128 + 9, "read 8 -\nread 8 -\n")


def test_a_loop_comes_after_the_call_and_takes_processor_time(tmp_path):
    tracer = Tracer(tmp_path)
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(
        ["gcc", "-O1", "-D_GNU_SOURCE", tmp_path / "program.c", "-o", tmp_path / "program"], check=True)
    command = [tmp_path / "program", tmp_path / "program.c"]
    subprocess.run([*tracer.prefix("program", Action()), *command], capture_output=True, timeout=60, check=False)
    site = next(call.site for call in tracer.calls() if call.name == "read")
    process = subprocess.Popen([*tracer.prefix("program", Action("loop", site, 2)), *command], stdout=subprocess.PIPE)
    try:
        harness.until(tracer.has_acted, what="the loop")
        program = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        used = fairness.processor_seconds(program)
        harness.until(lambda: fairness.processor_seconds(program) > used + 0.2, what="processor time")
    finally:
        process.kill()
    assert process.stdout.read() == b"read 8 -\n"


def test_a_call_that_is_not_reached_is_reported_as_such(traced):
    run, tracer = traced
    site = calls_named(traced, "read")[0].site
    assert run(Action("fail", site, 4, errno.EIO)) == (3, WHOLE)
    assert not tracer.has_acted()


def test_a_signal_to_the_tracer_reaches_the_command(tmp_path):
    tracer = Tracer(tmp_path)
    process = subprocess.Popen([*tracer.prefix("sleep", Action()), "sleep", "60"])
    harness.until(lambda: any("nanosleep" in line for line in tracer.lines()), what="the call that waits")
    process.terminate()
    assert process.wait(10) == 128 + 15


@pytest.mark.parametrize(("kind", "name", "arguments", "expected"), [
    ("file", "read", (3, 0, 8), ["EIO"]),
    ("file", "write", (3, 0, 8), ["EIO", "ENOSPC", "EDQUOT"]),
    ("pipe", "write", (1, 0, 8), ["EINTR", "EPIPE"]),
    ("stream+", "sendto", (3, 0, 8, 0), ["EINTR", "EAGAIN", "EPIPE", "ECONNRESET"]),
    ("[signalfd]+", "read", (3, 0, 128), []),
    ("-", "openat", (0, 0, 0), ["EACCES", "EMFILE", "ENFILE"]),
    ("-", "openat", (0, 0, 0o100), ["EACCES", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT"]),
    ("-", "mmap", (0, 4096, 3, 0x22), []),
    ("-", "mmap", (0, 4096, 1, 2), ["ENOMEM"]),
    ("-", "getpid", (), []),
])
def test_a_call_fails_as_its_manual_page_and_its_arguments_allow(kind, name, arguments, expected):
    call = torture.Call(name, 1, 1, kind, "", arguments + (0,) * (6 - len(arguments)))
    assert torture_errors.errors(call, "citiesctl") == expected


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    worker = torture.Worker(tmp_path_factory.mktemp("torture"))
    yield worker
    worker.close()


@pytest.mark.parametrize(("scenario", "name", "path", "error"), FOUND)
def test_what_torture_has_found_is_not_found_again(worker, scenario, name, path, error):
    trials = [
        trial for trial in worker.record(scenario)
        if (trial.call.name, trial.name) == (name, error) and path in trial.call.path and trial.call.nth <= CALLS]
    assert trials, "the scenario has no such call any more"
    results = [worker.try_out(trial) for trial in trials]
    assert not [f"{result.trial}: {result.detail}" for result in results if result.outcome == "bad"]


@pytest.mark.parametrize("patch", FAULTS, ids=lambda patch: patch.stem)
def test_a_planted_fault_still_applies(patch):
    """`contrib/torture --faults` would not find a fault that is not there."""
    done = subprocess.run(
        ["git", "apply", "--check", patch], cwd=harness.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_planted_fault_has_a_scenario_that_exists():
    table = (harness.ROOT / "contrib" / "torture").read_text().split("declare -rA scenarios=(")[1].split(")")[0]
    scenarios = dict(re.findall(r"\[([\w-]+)\]='([^']+)'", table))
    assert sorted(scenarios) == [patch.stem for patch in FAULTS]
    assert set(scenarios.values()) <= set(torture.SCENARIOS)


def test_a_seeded_sample_of_failing_calls_has_no_bad_outcome():
    with torture.workers(1) as pool:
        recorded = [trial for trials in pool.imap(torture.record, list(torture.SCENARIOS)) for trial in trials]
        results = pool.map(torture.try_out, torture.choose(recorded, 1, SAMPLE))
    bad = [f"{result.trial}: {result.detail}" for result in results if result.outcome == "bad"]
    assert not bad, "\n".join(bad)
    reached = sum(result.outcome != "not reached" for result in results)
    print(f"{reached} of {len(results)} trials reached their call, of {len({trial.pair for trial in recorded})} pairs")
    assert reached >= SAMPLE // 2
