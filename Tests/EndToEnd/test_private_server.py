"""What citiesctl does where no server runs: it starts one for itself, from its own folder."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import harness
import pytest
from wire import frame, request

QUESTION = ["search", "--limit", "3", "paris"]
START = "no server is running; start citiesd.socket"
# Those of a private server that answers one request: 206 and 401 when this was set, and a few more for the libraries of
# another release of Debian.
PRIVATE_CALLS, PRIVATE_FAULTS = 222, 433

pytestmark = pytest.mark.usefixtures("no_system_server")


class Installation:
    """A copy of the installed files in a folder, as `contrib/build --install --prefix` lays them out, and no socket."""

    def __init__(self, folder, programs=("citiesctl", "citiesctl-helper", "citiesd", "citiesd-sync"), index=True):
        self.folder, self.bin, self.share = folder, folder / "bin", folder / "share" / "cities"
        self.bin.mkdir(parents=True)
        self.share.mkdir(parents=True)
        self.index = self.share / harness.PREBUILT.name
        self.state, self.runtime = folder / "state", folder / "runtime"
        self.state.mkdir()
        self.runtime.mkdir()
        for program in programs:
            shutil.copy(harness.BIN / program, self.bin)
        if index:
            shutil.copy(harness.PREBUILT, self.share)

    def environment(self, **variables):
        return harness.environment(**{"XDG_RUNTIME_DIR": self.runtime, "CITIES_STATE": self.state, **variables})

    def ctl(self, *arguments, variables=None, **options):
        is_repeatable = "stdin" not in options
        options = {"stdin": subprocess.DEVNULL, "text": True} | options
        if "input" in options:
            options.pop("stdin")
        return harness.in_time(
            lambda: subprocess.run(
                [self.bin / "citiesctl", *map(str, arguments)], env=self.environment(**(variables or {})),
                capture_output=True, timeout=60, check=False, **options),
            is_repeatable)

    def servers(self):
        """The private servers of this installation that run, zombies included."""
        return [process for process in Path("/proc").iterdir() if process.name.isdigit() and self.is_server(process)]

    def is_server(self, process):
        try:
            return os.readlink(process / "exe") == str(self.bin / "citiesd")
        except OSError:
            return False


def out_of_reach(path):
    """Takes away the rights to a path; the options that run a program as a user without others."""
    if os.geteuid() != 0:
        path.chmod(0)
        return {}
    path.chmod(0o700)
    for folder in path.parents:
        if "pytest" in str(folder):
            folder.chmod(0o755)
    return {"user": harness.NOBODY, "group": harness.NOBODY, "extra_groups": []}


@pytest.fixture
def installation(tmp_path):
    installation = Installation(tmp_path / "installed")
    yield installation
    assert not installation.servers()


def test_a_search_answers_as_a_running_server_does(installation, shipped_server):
    answered = installation.ctl(*QUESTION)
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout == shipped_server.ctl(*QUESTION).stdout
    assert answered.stdout.count("\n") == 3


def test_a_question_takes_few_system_calls_and_reads_little(installation, tmp_path):
    """Time depends on the machine; calls and bytes do not. The list is mapped: another test counts its blocks."""
    trace = tmp_path / "trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-o", trace, installation.bin / "citiesctl", *QUESTION], env=installation.environment(),
        capture_output=True, timeout=60, check=True)
    lines = trace.read_text().splitlines()
    # A call that another thread's interrupts takes two lines, of which the second has the result.
    calls = sum(" resumed>" not in line for line in lines)
    got = sum(
        int(count) for line in lines
        for count in re.findall(r"\b(?:read|pread64|recvfrom|recvmsg)(?:\(| resumed>).* = (\d+)$", line))
    times = []
    for _ in range(20):
        start = time.perf_counter()
        installation.ctl(*QUESTION)
        times.append(time.perf_counter() - start)
    print(f"{calls} system calls, {got} bytes read, median {sorted(times)[10] * 1e3:.1f} ms")
    assert calls < 450 and 0 < got < 32_768


def private_cost(program, folder):
    """The system calls of a private server that answers one request, and its page faults: the least of some runs."""
    calls, faults = [], []
    for number in range(10):
        trace = folder / f"calls-{number}"
        tracer = ["strace", "-f", "-qq", "-o", trace] if number % 2 else []
        ours, theirs = socket.socketpair()
        server = subprocess.Popen(
            [*tracer, program, "--private"], stdin=theirs, env=harness.environment(CITIES_STATE=folder))
        theirs.close()
        with ours:
            ours.sendall(frame(request(1, "city.search", {"prefix": "paris", "limit": 3})))
            assert ours.recv(65_536)
        _, status, used = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
        assert server.returncode == 0
        if tracer:
            lines = trace.read_text().splitlines()
            assert not [line for line in lines if "libsystemd" in line], "a private server opens libsystemd"
            calls.append(sum(" resumed>" not in line for line in lines))
        else:
            faults.append(used.ru_minflt)
    return min(calls), min(faults)


def test_a_private_server_opens_no_libsystemd_and_costs_no_more_for_it(installation, tmp_path):
    """Even if the variables of a service are inherited: a private server belongs to its client."""
    calls, faults = private_cost(installation.bin / "citiesd", tmp_path)
    print(f"{calls} system calls, {faults} page faults")
    assert calls <= PRIVATE_CALLS
    assert faults <= PRIVATE_FAULTS


def test_the_prefix_of_contrib_build_is_such_an_installation(tmp_path):
    prefix = tmp_path / "prefix"
    made = subprocess.run(
        [harness.ROOT / "contrib" / "build", "--install", "--no-build", "--prefix", prefix], capture_output=True,
        text=True, check=False)
    assert made.returncode == 0, made.stderr
    answered = subprocess.run(
        [prefix / "bin" / "citiesctl", *QUESTION], capture_output=True, text=True, check=False,
        env={"PATH": "/nonexistent"})
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout.count("\n") == 3


@pytest.mark.parametrize("words", [
    ["bank", "list"], ["bank", "search", "tallinn"], ["product", "list"], ["rate", "list"], ["call", "refresh"]])
def test_what_only_a_server_can_get_fails_at_once_and_says_how_to_start_it(installation, words):
    answered = installation.ctl(*words)
    assert answered.returncode == 69
    assert START in answered.stderr and "--samples" in answered.stderr
    if words[0] != "call":
        error = json.loads(installation.ctl(*words, "--output", "json").stderr)["error"]
        assert (error["code"], error["exit"]) == ("no-server", 69)


def test_an_installation_without_the_sync_service_says_that_it_lacks_banks_and_trade(tmp_path):
    """Such as the wheel for Python."""
    wheel = Installation(tmp_path / "wheel", programs=("citiesctl", "citiesctl-helper", "citiesd"))
    for words in (["bank", "list"], ["product", "list"], ["rate", "list"], ["call", "refresh"]):
        answered = wheel.ctl(*words)
        assert answered.returncode == 69
        assert "this installation has no citiesd-sync, which downloads banks and trade" in answered.stderr


@pytest.mark.parametrize("verb", ["refresh", "watch"])
def test_a_verb_about_a_running_server_starts_none(installation, verb):
    answered = installation.ctl(verb)
    assert answered.returncode == 69
    assert "no such socket" in answered.stderr


def test_banks_that_are_stored_are_answered(installation):
    source = harness.write_list(
        installation.folder / "banks.json",
        [{"t": 0, "n": "Office", "a": "Long Street", "r": "Harju", "av": "24h", "lat": 59.4, "lon": 24.7}])
    made = harness.run_sync(
        "run", "--force", "swedbank-ee", CITIES_STATE=installation.state, CITIES_FEED_SWEDBANK_EE=source)
    assert made.returncode == 0, made.stderr
    answered = installation.ctl("bank", "list")
    assert answered.returncode == 0, answered.stderr
    assert "Office" in answered.stdout


def test_an_explicit_socket_never_falls_back(installation):
    assert installation.ctl(*QUESTION, "--socket", "/nonexistent/a.sock").returncode == 69
    assert installation.ctl(*QUESTION, variables={"CITIES_SOCKET": "/nonexistent/a.sock"}).returncode == 69
    assert installation.ctl("session", "--socket", "/nonexistent/a.sock").returncode == 69


def test_a_socket_that_refuses_is_an_error(installation):
    folder = installation.runtime / "cities"
    folder.mkdir()
    (folder / "citiesd.sock").write_text("not a socket")
    assert installation.ctl(*QUESTION).returncode == 69


def test_status_says_which_server_answered(installation, shipped_server):
    assert json.loads(installation.ctl("status", "--output", "json").stdout)["private"] is True
    assert installation.ctl("status").returncode == 0
    assert "private" not in json.loads(shipped_server.ctl("status", "--output", "json").stdout)


def test_a_session_keeps_its_server(installation):
    answered = installation.ctl("session", "--limit", "1", input="munich\nparis\n")
    assert answered.returncode == 0, answered.stderr
    assert [line[:2] for line in answered.stdout.splitlines() if line.startswith("#")] == ["#1", "#2"]


class Session:
    """A session that stays open, and its private server."""

    def __init__(self, installation, **options):
        self.child = subprocess.Popen(
            [installation.bin / "citiesctl", "session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=installation.environment(), **options)
        self.child.stdin.write("munich\n")
        self.child.stdin.flush()
        assert self.child.stdout.readline().startswith("#1\t")
        [self.server] = installation.servers()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_when_the_client_dies(installation, number):
    session = Session(installation)
    session.child.send_signal(number)
    session.child.communicate(timeout=30)
    harness.until(lambda: not installation.servers(), what="the end of the private server")


def test_the_server_is_out_of_reach_of_the_terminal_and_inherits_nothing(installation, tmp_path):
    with (tmp_path / "leak").open("w") as leak:
        os.set_inheritable(leak.fileno(), True)
        session = Session(installation, close_fds=False)
        assert os.getsid(int(session.server.name)) == int(session.server.name)
        opened = [os.readlink(entry) for entry in (session.server / "fd").iterdir()]
        assert not [path for path in opened if "leak" in path or path.startswith("pipe:")]
        session.child.communicate(timeout=30)
        assert session.child.returncode == 0


def test_a_server_that_is_killed_is_replaced_once(installation):
    session = Session(installation)
    os.kill(int(session.server.name), signal.SIGKILL)
    output, errors = session.child.communicate("paris\n", timeout=30)
    assert (session.child.returncode, errors) == (0, "")
    assert "#2\t" in output


def test_a_missing_server_is_named(tmp_path):
    alone = Installation(tmp_path / "alone", programs=["citiesctl"])
    answered = alone.ctl(*QUESTION)
    assert answered.returncode == 69
    assert f"{alone.bin}/citiesd: no such program" in answered.stderr


def test_a_server_in_the_path_is_not_taken(tmp_path):
    alone = Installation(tmp_path / "alone", programs=["citiesctl"])
    assert alone.ctl(*QUESTION, variables={"PATH": f"{harness.BIN}:/usr/bin"}).returncode == 69


@pytest.mark.parametrize(("script", "reason"), [
    ('echo "citiesd: unknown argument \\"--private\\"; see citiesd --help" >&2; exit 2', "its version differs"),
    ("exit 127", "status 127"), ("kill -ABRT $$", "signal 6")])
def test_a_server_that_does_not_start_is_explained(tmp_path, script, reason):
    broken = Installation(tmp_path / "broken", programs=["citiesctl"])
    (broken.bin / "citiesd").write_text(f"#!/bin/sh\n{script}\n")
    (broken.bin / "citiesd").chmod(0o755)
    answered = broken.ctl(*QUESTION)
    assert answered.returncode == 69
    assert reason in answered.stderr


def test_a_server_that_hangs_runs_out_of_time_and_is_ended(tmp_path):
    hanging = Installation(tmp_path / "hanging", programs=["citiesctl"])
    (hanging.bin / "citiesd").write_text("#!/bin/sh\nexec sleep 1000\n")
    (hanging.bin / "citiesd").chmod(0o755)
    answered = hanging.ctl(*QUESTION, "--timeout", "0.2")
    assert answered.returncode == 75

    def is_there():
        with contextlib.suppress(OSError):  # a process has ended meanwhile
            return any(entry.read_bytes() == b"sleep\x001000\x00" for entry in Path("/proc").glob("[0-9]*/cmdline"))
        return True

    # The kernel ends a killed process when it comes to it.
    harness.until(lambda: not is_there(), what="the end of the server")


def test_a_state_folder_that_cannot_be_read_leaves_the_installed_list(tmp_path):
    installed = Installation(tmp_path / "installed")
    answered = installed.ctl(*QUESTION, **out_of_reach(installed.state))
    installed.state.chmod(0o700)
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout.count("\n") == 3


def test_a_caller_without_a_home_gets_an_answer(installation):
    answered = subprocess.run(
        [installation.bin / "citiesctl", *QUESTION], env={}, capture_output=True, text=True, timeout=60, check=False)
    assert (answered.returncode, answered.stdout.count("\n")) == (0, 3), answered.stderr


def test_a_damaged_block_is_never_sent(installation):
    """A letter of a name is changed, which no look at the row's form can notice; the installed list answers."""
    whole = harness.PREBUILT.read_bytes()
    sound = installation.ctl(*QUESTION).stdout
    damaged = bytearray(whole)
    damaged[whole.index(b"\x64name\x65Paris") + 6] ^= 1
    (installation.state / "cities.index").write_bytes(damaged)
    os.utime(installation.state / "cities.index", (1, 1))
    for _ in range(2):
        answered = installation.ctl(*QUESTION)
        assert answered.returncode == 0, answered.stderr
        assert answered.stdout == sound
        assert "answered from the installed list" in answered.stderr


def test_it_reads_a_few_blocks_of_the_list_only(installation, tmp_path):
    """A private server that summed all of the list would map all of its pages."""
    session = Session(installation)
    maps = (session.server / "smaps").read_text().split(f"{installation.index.name}\n")[1:]
    resident = sum(int(part.split("Rss:")[1].split()[0]) for part in maps)
    session.child.communicate(timeout=30)
    print(f"{resident} kB of the list are mapped")
    assert 0 < resident < 8_000


def test_notifications_are_not_sent_in_the_name_of_the_caller(installation, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        assert installation.ctl(*QUESTION, variables={"NOTIFY_SOCKET": tmp_path / "notify"}).returncode == 0
        with pytest.raises(BlockingIOError):
            manager.recv(100)


def test_a_private_server_needs_a_socket_as_its_standard_input(installation):
    refused = subprocess.run(
        [installation.bin / "citiesd", "--private"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=30,
        check=False)
    assert refused.returncode == 2
    assert "standard input" in refused.stderr
