"""What the release programs are made of, and what they do when they are used wrongly."""

import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess

import harness
import pytest
from elftools.elf.elffile import ELFFile

# Bytes of the client: 11.33 million when this was set. What only some commands need belongs into citiesctl-helper.
CLIENT_BYTES = 12_000_000
# System calls and page faults of "citiesctl search alb": 30 and 118 when this was set.
COMMAND_CALLS, COMMAND_FAULTS = 33, 140


def needed_libraries(program):
    """The shared libraries that a program asks for."""
    listing = subprocess.run(["readelf", "-d", harness.BIN / program], capture_output=True, text=True, check=True)
    return sorted(re.findall(r"\(NEEDED\).*\[(.+?)\.so", listing.stdout))


def run(program, *arguments):
    return subprocess.run(
        [harness.BIN / program, *arguments], capture_output=True, text=True, timeout=30, check=False)


def test_the_client_is_fully_static():
    assert needed_libraries("citiesctl") == []


def test_the_client_stays_small():
    size = (harness.BIN / "citiesctl").stat().st_size
    print(f"citiesctl: {size / 1e6:.2f} MB")
    assert size <= CLIENT_BYTES


def test_a_short_command_costs_few_system_calls_and_page_faults(shipped_server, tmp_path):
    """If it has more page faults, contrib/order makes the list by which the linker puts together what is used first."""
    # How the pages of a file lie in the cache depends on how they came there: these are read from the disk.
    program = shutil.copy(harness.BIN / "citiesctl", tmp_path)
    with open(program, "rb", buffering=0) as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(128 * 1024):
            pass
    command, trace, faults = [program, "search", "alb"], tmp_path / "trace", []
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    env = harness.environment(CITIES_SOCKET=shipped_server.socket)
    subprocess.run(["strace", "-f", "-qq", "-o", trace, *command], env=env, **streams, check=True)
    # The last one ends the process.
    calls = trace.read_text().splitlines()[:-1]
    for _ in range(10):
        process = subprocess.Popen(command, env=env, **streams)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        faults.append(used.ru_minflt)
    print(f"{len(calls)} system calls, {min(faults)} page faults")
    assert len(calls) <= COMMAND_CALLS, "\n".join(calls)
    assert min(faults) <= COMMAND_FAULTS


@pytest.mark.slow
def test_the_list_for_the_linker_names_what_a_short_command_uses(tmp_path):
    made = tmp_path / "order.gz"
    subprocess.run([harness.ROOT / "contrib/order", made], check=True, timeout=300)
    used, listed = (
        set(gzip.decompress(path.read_bytes()).split())
        for path in (made, harness.ROOT / "contrib/data/citiesctl.order.gz"))
    print(f"{len(used):,} names used, {len(used - listed):,} of them not in the list")
    assert len(used) > 1_000
    assert len(used - listed) < len(used) / 4


# Only who downloads needs libcurl; citiesd opens libsystemd itself, if systemd has started it.
@pytest.mark.parametrize(("program", "own"), [("citiesd", set()), ("citiesd-sync", {"libcurl", "libsystemd"})])
def test_the_servers_need_system_libraries_alone(program, own):
    assert own <= set(needed_libraries(program)) <= own | {
        "libc", "libm", "libutf8proc", "libz", "ld-linux-x86-64", "ld-linux-aarch64",
    }


def dlopen_notes(path):
    """The notes of the UAPI group's "ELF dlopen metadata" in a program, as pyelftools reads them from its segments."""
    with open(path, "rb") as file:
        segments = [segment for segment in ELFFile(file).iter_segments() if segment["p_type"] == "PT_NOTE"]
        notes = [note for segment in segments for note in segment.iter_notes() if note["n_name"] == "FDO"]
    return [json.loads(note["n_descdata"].rstrip(b"\0")) for note in notes if note["n_type"] == 0x407C0C0A]


def test_the_server_names_the_library_that_it_opens_in_an_elf_note():
    [[library]] = dlopen_notes(harness.BIN / "citiesd")
    assert library["soname"] == ["libsystemd.so.0"]
    assert (library["feature"], library["priority"]) == ("systemd", "recommended")
    assert library["description"]


@pytest.mark.parametrize("program", ["citiesctl", "citiesctl-helper", "citiesd-sync"])
def test_no_other_program_has_such_a_note(program):
    assert dlopen_notes(harness.BIN / program) == []


def test_the_helper_needs_system_libraries_alone():
    assert set(needed_libraries("citiesctl-helper")) <= {
        "libc", "libm", "libutf8proc", "libncursesw", "libtinfo", "ld-linux-x86-64", "ld-linux-aarch64"}


@pytest.mark.parametrize("program", ["citiesd", "citiesd-sync", "citiesctl-helper"])
def test_libraries_are_looked_for_in_the_folders_of_the_system_alone(program):
    listing = subprocess.run(
        ["readelf", "-d", harness.BIN / program], capture_output=True, text=True, check=True).stdout
    assert "RUNPATH" not in listing and "RPATH" not in listing
    assert "(RELR)" in listing


@pytest.mark.parametrize("program", ["citiesctl", "citiesctl-helper", "citiesd", "citiesd-sync"])
def test_version_and_help_go_to_stdout_with_status_0(program):
    for argument in ("--version", "--help"):
        shown = run(program, argument)
        assert (shown.returncode, bool(shown.stdout), shown.stderr) == (0, True, ""), argument


@pytest.mark.parametrize("program", ["citiesctl", "citiesctl-helper", "citiesd", "citiesd-sync"])
def test_an_unknown_option_is_wrong_use_in_a_few_lines_on_stderr(program):
    shown = run(program, "--no-such")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "--no-such" in shown.stderr
    assert len(shown.stderr.splitlines()) <= 4


def test_a_second_server_on_the_same_socket_leaves_the_first_alone(server, tmp_path):
    second = subprocess.run(
        [harness.BIN / "citiesd"], env=harness.environment(**server.variables), capture_output=True, text=True,
        timeout=30, check=False)
    assert second.returncode != 0
    assert str(server.socket) in second.stderr
    assert server.ctl("search", "--count", "alb").stdout == "1\n"


def test_a_server_takes_its_socket_away_when_it_leaves(server):
    assert server.socket.exists()
    assert server.stop() == 0
    assert not server.socket.exists()


def test_a_killed_server_leaves_a_dead_socket_that_its_successor_replaces(server):
    server.stop(signal.SIGKILL)
    assert server.socket.exists()
    server.start()
    assert server.ctl("search", "--count", "alb").stdout == "1\n"


def test_sigterm_answers_what_was_received_and_then_closes(server):
    with server.wire() as wire:
        wire.call("hello", protocols=[1], client="t")
        identifiers = [wire.send("city.search", prefix="a", limit=5) for _ in range(50)]
        server.process.send_signal(signal.SIGTERM)
        assert [wire.receive()["id"] for _ in identifiers] == identifiers
        assert wire.at_end()
    assert server.process.wait(10) == 0


# What bash completes, as it would for a typed line: its last word, with the title that a program in our place prints.
COMPLETED = r"""
source "$1" && shift
compopt() { return 0; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
COMP_POINT=${#COMP_LINE}
_citiesctl
printf '%s\n' "${COMPREPLY[@]}"
"""
TITLE = "Wash$(touch ran)`touch ran`\\\"'x, US"


def completed(folder, *words, program=None):
    """The candidates for the last of the words; by default of a program that always has the one title."""
    if program is None:
        program = folder / "citiesctl"
        program.write_text(f"#!/bin/sh\ncat <<'END'\ntitles\n{TITLE}\nEND\n")
        program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", COMPLETED, "bash", harness.ROOT / "contrib/completions/citiesctl", program, *words],
        cwd=folder, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("words", [["map", "--near", "Wash"], ["pick", "Wash"], ["search", "--limit", "5", "Wash"]],
    ids=" ".join)
def test_completing_a_title_runs_nothing_of_it(tmp_path, words):
    (candidate,) = completed(tmp_path, *words)
    assert "touch" in candidate
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_completed_title_is_one_word_that_runs_nothing(tmp_path, quote):
    (candidate,) = completed(tmp_path, "show", f"{quote}Wash")
    typed = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {candidate}"], cwd=tmp_path, capture_output=True, text=True,
        timeout=30, check=True)
    assert typed.stdout == f"{TITLE}\n"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("typed", "then"), [
    ("show xyzzyq", "show xyzzyq"), ("time xyzzyq", "time xyzzyq"), ("search zzzzq", "search zzzzq"),
    ("show --near xyzzyq", "show --near xyzzyq"), ("near 59.4,24.7", "near 59.4,24.7"), ("show 48.85", "show 48.85"),
    ("show 'xyzzyq", "show 'xyzzyq"), ("show alab", "show Alabama,\\ US "),
])
def test_bash_completes_a_word_or_leaves_it(server, browse, tmp_path, typed, then):
    (tmp_path / "bashrc").write_text(
        f"PATH={harness.BIN}:$PATH HISTFILE= PS1='$ '\n. {harness.ROOT}/contrib/completions/citiesctl\n")
    shell = ["bash", "--rcfile", tmp_path / "bashrc", "-i"]
    screen = browse(server, command=shell, ready="$", INPUTRC="/dev/null")
    for _ in range(5):  # a completion gives up after 200 ms without an answer
        # The sign after the TAB is shown only when the completion has ended.
        screen.type(f"citiesctl {typed}\t#")
        (line, *_) = screen.until(lambda lines: lines[0].endswith("#"), "the completed line")
        if line == f"$ citiesctl {then}#":
            return
        screen.keys("C-u")
    raise AssertionError(line)


@pytest.mark.parametrize(("words", "candidates"), [
    (["search", "--match", "f"], ["folded"]), (["search", "--match", "=", "f"], ["folded"]), (["bank", "n"], ["near"]),
    (["find", "x", "--no"], ["--no-typos", "--no-pager"]),
], ids=" ".join)
def test_fixed_words_and_paths_are_completed(tmp_path, words, candidates):
    (tmp_path / "cities.sock").touch()
    assert completed(tmp_path, *words, program=harness.BIN / "citiesctl") == candidates


@pytest.mark.parametrize("is_abstract", [False, True])
def test_the_service_manager_is_notified(tmp_path, is_abstract):
    name = f"\0cities-{os.getpid()}-notify" if is_abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name)
        manager.settimeout(10)
        server = harness.Server(tmp_path / "server", NOTIFY_SOCKET=name.replace("\0", "@"), WATCHDOG_USEC=200_000)
        server.start()
        try:
            heard = set()
            while not {"READY=1", "WATCHDOG=1"} <= heard:
                heard.add(manager.recv(4_096).decode())
            assert any(line.startswith("STATUS=") for line in heard)
        finally:
            server.stop()
        while "STOPPING=1" not in heard:
            heard.add(manager.recv(4_096).decode())


@pytest.mark.parametrize(("variables", "words"), [
    ({"LISTEN_FDS": "2"}, "expected 1 socket"), ({"LISTEN_FDS": "x"}, "LISTEN_FDS=x: Invalid argument"),
    ({"LISTEN_FDS": "1"}, "not a listening Unix stream socket"),
    ({"LISTEN_FDS": "1", "LISTEN_FDNAMES": "other"}, 'named "citiesd"')])
def test_a_wrong_activation_is_refused(tmp_path, variables, words):
    settings = " ".join(f"{name}={value}" for name, value in variables.items())
    script = f'exec 3</dev/null 4</dev/null; LISTEN_PID=$$ {settings} exec "$1"'
    refused = subprocess.run(
        ["sh", "-c", script, "sh", harness.BIN / "citiesd"], env=harness.environment(CITIES_SOCKET=tmp_path / "a.sock"),
        capture_output=True, text=True, timeout=30, check=False)
    assert refused.returncode == 2
    assert words in refused.stderr


@pytest.fixture
def no_library(tmp_path):
    """Variables with which libsystemd cannot be opened: another kind of file comes before it."""
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries/libsystemd.so.0").write_text("no library")
    return {"LD_LIBRARY_PATH": tmp_path / "libraries"}


MISSING = r"libsystemd\.so\.0: .*; install the package libsystemd0\n"


@pytest.mark.parametrize("required", [None, "required"])
def test_without_the_library_the_server_goes_on_with_a_line_or_exits_with_78_if_its_unit_says_so(
        tmp_path, no_library, required):
    variables = no_library | {"NOTIFY_SOCKET": tmp_path / "notify"} | ({"CITIES_SYSTEMD": required} if required else {})
    server = harness.Server(tmp_path / "server", **variables)
    if required:
        refused = subprocess.run(
            [harness.BIN / "citiesd"], env=harness.environment(**server.variables), capture_output=True, text=True,
            timeout=30, check=False)
        assert refused.returncode == 78
        assert re.fullmatch(f"citiesd: .*{MISSING}", refused.stderr), refused.stderr
        return
    server.start()
    try:
        assert server.ctl("search", "--count", "reykjav").stdout == "1\n"
        assert len(re.findall(f"citiesd: systemd is not notified.*{MISSING}", server.log.read_text())) == 1
    finally:
        assert server.stop() == 0


def test_without_the_library_a_passed_socket_is_refused_with_78(tmp_path, no_library):
    refused = subprocess.run(
        ["sh", "-c", 'exec 3</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec "$1"', "sh", harness.BIN / "citiesd"],
        env=harness.environment(CITIES_SOCKET=tmp_path / "a.sock", **no_library), capture_output=True, text=True,
        timeout=30, check=False)
    assert refused.returncode == 78
    assert re.fullmatch(f"citiesd: .*{MISSING}", refused.stderr), refused.stderr


def test_a_server_that_systemd_has_not_started_needs_no_library(tmp_path, no_library):
    # The variables of a service are inherited by what it starts: they count for the process that they name.
    server = harness.Server(
        tmp_path / "server", LISTEN_PID="1", LISTEN_FDS="1", JOURNAL_STREAM="1:2", CITIES_SYSTEMD="required",
        **no_library)
    server.start()
    assert server.ctl("search", "--count", "reykjav").stdout == "1\n"
    assert server.stop() == 0
    assert "libsystemd" not in server.log.read_text()


def test_another_value_of_the_variable_is_wrong_use(tmp_path):
    variables = {"CITIES_SYSTEMD": "yes", "NOTIFY_SOCKET": tmp_path / "notify", "CITIES_SOCKET": tmp_path / "a.sock"}
    refused = subprocess.run(
        [harness.BIN / "citiesd"], capture_output=True, text=True, timeout=30, check=False,
        env=harness.environment(**variables))
    assert (refused.returncode, refused.stderr) == (2, 'citiesd: CITIES_SYSTEMD=yes: expected "required"\n')
