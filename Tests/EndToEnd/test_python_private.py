"""The Python package where no server runs: it starts one for itself, and every process of it ends."""

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import harness
import pytest
from harness import BIN, ENOUGH, ROOT, environment, until

FOLDER = ROOT / "contrib" / "integrations" / "python"
sys.path.insert(0, str(FOLDER))

import cities  # noqa: E402

TALLINN = 588_409


def children(words=b"--private"):
    """The processes with such an argument that this process has started, and the zombies, which have no arguments."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            arguments = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == os.getpid() and (words in arguments or not arguments):
            found.append(int(process.name))
    return found


@pytest.fixture
def variables(tmp_path):
    """An environment without a socket, in which the programs are in PATH."""
    if harness.accepts("/run/cities/citiesd.sock"):
        pytest.skip("a server of the system's runs here")
    for name in ("runtime", "state"):
        (tmp_path / name).mkdir()
    return {"XDG_RUNTIME_DIR": str(tmp_path / "runtime"), "CITIES_STATE": str(tmp_path / "state"),
            "PATH": f"{BIN}:{os.environ['PATH']}"}


@pytest.fixture
def alone(variables, monkeypatch):
    """This process in that environment, with nothing left of it afterwards."""
    monkeypatch.delenv("CITIES_SOCKET", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    opened = set(os.listdir("/proc/self/fd"))
    yield
    gc.collect()
    assert children() == []
    assert set(os.listdir("/proc/self/fd")) <= opened


def test_a_client_answers_as_that_of_a_running_server_does(alone, shipped_server):
    with cities.connect(str(shipped_server.socket), ENOUGH) as shared, cities.connect(timeout=ENOUGH) as client:
        assert client.city_get(query="tallinn") == shared.city_get(query="tallinn")
        assert client.match(["Reval", "Wien, AT"]).ids == shared.match(["Reval", "Wien, AT"]).ids
        assert client.status()["private"] is True and "private" not in shared.status()
        assert len(children()) == 1


def test_so_do_the_functions_of_the_module(alone):
    """Threads that come and go, as those of an engine do, use one server after the other."""
    found = []
    for _ in range(2):
        thread = threading.Thread(
            target=lambda: found.append([cities.match(["Tallinn"]), cities.generation(), children()]))
        thread.start()
        thread.join()
    for matched, generation, servers in found:
        assert (matched.ids.tolist(), matched.generation, len(servers)) == ([TALLINN], generation, 1)
    assert found[0][2] == found[1][2]
    cities._shared._clients.clear()


def test_a_named_socket_is_never_replaced(alone, server, monkeypatch):
    missing = f"{server.socket}.missing"
    for options in ({"path": missing}, {"private": False}):
        with pytest.raises(FileNotFoundError, match="No such file"):
            cities.connect(**options)
    monkeypatch.setenv("CITIES_SOCKET", missing)
    with pytest.raises(FileNotFoundError, match=missing):
        cities.connect()
    assert children() == []


def test_it_may_be_wanted_in_any_case_and_needs_no_path(alone, server, monkeypatch):
    monkeypatch.setenv("CITIES_SOCKET", str(server.socket))
    with cities.connect(private=True, timeout=ENOUGH) as client:
        assert client.status()["private"] is True
    with pytest.raises(ValueError, match="path"):
        cities.connect(str(server.socket), private=True)


def test_a_shared_server_that_goes_away_is_not_replaced(alone, server, monkeypatch):
    folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "cities"
    folder.symlink_to(server.socket.parent)
    assert (folder / "citiesd.sock").exists()
    with cities.connect(timeout=ENOUGH) as client:
        assert "private" not in client.status()
        server.stop()
        with pytest.raises(FileNotFoundError):
            client.status()
    assert children() == []


def test_without_the_program_the_error_says_what_to_install(alone, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="install the package citiesd") as raised:
        cities.connect()
    assert raised.value.filename.endswith("citiesd.sock")
    # A program of the working folder is not taken.
    monkeypatch.chdir(BIN)
    monkeypatch.setenv("PATH", ":.:")
    with pytest.raises(FileNotFoundError, match="install the package citiesd"):
        cities.connect()


def program(folder, script, monkeypatch):
    """Puts a script in the place of the server."""
    (folder / "citiesd").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "citiesd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.mark.parametrize(("script", "reason"), [
    ("exit 2", "install the same version of both"), ("echo one >&2; echo no data >&2; exit 3", r"status 3 \(no data\)"),
    ("kill -ABRT $$", "signal 6")])
def test_a_server_that_does_not_start_is_explained_at_once(alone, tmp_path, monkeypatch, script, reason):
    program(tmp_path, script, monkeypatch)
    with cities.connect(timeout=ENOUGH) as client:
        for ask in (client.status, lambda: client.locate([1.0], [1.0])):
            with pytest.raises(cities.ProtocolError, match=reason):
                ask()


def test_a_server_that_hangs_is_ended(alone, tmp_path, monkeypatch):
    program(tmp_path, "exec sleep 1000", monkeypatch)
    with cities.connect(timeout=0.2) as client:
        with pytest.raises(TimeoutError):
            client.status()
        assert children(b"1000") == []


def test_a_server_that_is_killed_is_replaced(alone):
    with cities.connect(timeout=ENOUGH) as client:
        for ask in (lambda: client.city_get(TALLINN)["city"]["id"], lambda: client.match(["Tallinn"]).ids[0]):
            client.status()
            [running] = children()
            os.kill(running, signal.SIGKILL)
            assert ask() == TALLINN
            assert children() not in ([], [running])


def test_a_client_that_is_forgotten_ends_its_server(alone):
    client = cities.connect(timeout=ENOUGH)
    client.status()
    assert len(children()) == 1
    del client
    gc.collect()
    assert children() == []


def test_threads_may_share_a_client(alone):
    wrong = []

    def ask():
        try:
            for _ in range(20):
                if client.city_get(TALLINN)["city"]["id"] != TALLINN:
                    wrong.append("another city")
        except Exception as error:  # reported by the assertion
            wrong.append(error)

    with cities.connect(timeout=ENOUGH) as client:
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 <= len(children()) <= 4
    assert wrong == []


def test_there_is_nothing_to_watch(alone):
    with cities.connect(timeout=ENOUGH) as client:
        for ask in (lambda: next(client.watch()), client.refresh):
            with pytest.raises(cities.ServerError) as raised:
                ask()
            assert (raised.value.code, raised.value.data["phase"]) == ("unavailable", "no server")


def test_the_server_inherits_nothing_and_is_out_of_reach_of_the_terminal(alone, tmp_path):
    with (tmp_path / "leak").open("w") as leak, cities.connect(timeout=ENOUGH) as other:
        os.set_inheritable(leak.fileno(), True)
        other.status()
        with cities.connect(timeout=ENOUGH) as client:
            client.status()
            for running in children():
                assert os.getsid(running) == running
                opened = [os.readlink(entry) for entry in Path(f"/proc/{running}/fd").iterdir()]
                assert not [path for path in opened if "leak" in path or path.startswith("pipe:")]
                assert sum(path.startswith("socket:") for path in opened) == 1


def start(text, variables):
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", text], env=environment(PYTHONPATH=FOLDER, **variables),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


SERVERS = """
import cities, os, sys
from pathlib import Path
client = cities.connect(timeout=30)
client.status()
cities.generation()
print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
"""


ENDINGS = {"end": "", "exit": "sys.exit(3)", "_exit": "os._exit(0)", "killed": "sys.stdin.read()"}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_the_end_of_the_interpreter_is_the_end_of_its_servers(variables, ending):
    child = start(SERVERS + ending, variables)
    servers = child.stdout.readline().split()
    assert len(servers) == 2
    if "read" in ending:
        child.kill()
    output, errors = child.communicate(timeout=ENOUGH)
    assert (output, errors) == ("", "")
    until(lambda: not any(Path(f"/proc/{number}").exists() for number in servers), what="the end of the servers")


FORKED = SERVERS + """
child = os.fork()
if child == 0:
    # Its parent's servers are not its own.
    assert client.city_get(588409)["city"]["id"] == 588409 and cities.generation()
    print("asked", flush=True)
    sys.stdin.read()
    sys.exit()
assert client.city_get(588409)["city"]["id"] == 588409 and cities.generation()
"""


def test_a_forked_child_neither_keeps_nor_ends_the_servers_of_its_parent(variables):
    child = start(FORKED, variables)
    servers = child.stdout.readline().split()
    assert len(servers) == 2 and child.stdout.readline() == "asked\n"
    # The child still reads; the parent has ended, and its servers with it.
    assert child.wait(ENOUGH) == 0
    until(lambda: not any(Path(f"/proc/{number}").exists() for number in servers), what="the end of the servers")
    assert child.communicate(timeout=ENOUGH) == ("", "")
