"""`citiesctl doctor` on broken installations: it must find what was broken, and nothing else."""

import json
import os
import re
import shutil
import socket
import subprocess

import harness
import pytest
from chain import FEEDS, variable
from test_private_server import Installation, out_of_reach
from wire import frame


@pytest.fixture
def installation(tmp_path, small_index):
    """Programs, a small list, and no service manager."""
    if harness.accepts("/run/cities/citiesd.sock"):
        pytest.skip("a server of the system's runs here")
    installed = Installation(tmp_path / "installed", index=False)
    shutil.copy(small_index, installed.index)
    return installed


@pytest.fixture
def running(installation):
    """The same with a server that runs."""
    path = installation.runtime / "cities" / "citiesd.sock"
    path.parent.mkdir()
    server = harness.Server(installation.folder / "server", XDG_RUNTIME_DIR=installation.runtime)
    server.binaries, server.socket, server.state = installation.bin, path, installation.state
    server.variables |= {"CITIES_SOCKET": path, "CITIES_STATE": installation.state}
    sync = harness.Sync(server).start()
    installation.server = server.start()
    harness.until(lambda: asked_sync(server), what="an answer of the sync service")
    yield installation
    server.stop()
    sync.stop()


def asked_sync(server):
    with server.wire() as wire:
        return wire.call("status")["sync"] == "ok"


def examine(installation, *words, **options):
    """The findings, in their order."""
    options.setdefault("variables", {}).setdefault("PATH", "/nonexistent")
    done = installation.ctl("doctor", "--output", "jsonl", "--timeout", "20", *words, **options)
    assert done.returncode in (0, 4), done.stderr
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode == 4) == any(finding["state"] == "wrong" for finding in findings)
    assert all(finding["remedy"] for finding in findings if finding["state"] == "wrong")
    return findings


def wrong(installation, **options):
    return {finding["check"]: finding for finding in examine(installation, **options) if finding["state"] == "wrong"}


def only(found, check, words):
    """That there is one thing wrong, the expected one."""
    assert list(found) == [check], found
    assert words in found[check]["message"], found


def test_a_sound_installation_without_a_server_has_nothing_wrong(installation):
    findings = {finding["check"]: finding for finding in examine(installation)}
    assert findings["socket"]["state"] == "note"
    assert findings["program citiesd"]["state"] == "ok"
    assert findings[f"file {installation.index}"]["message"] == "checksums ok"
    deep = {finding["check"]: finding["message"] for finding in examine(installation, "--deep")}
    assert deep[f"file {installation.index}"] == "checksums and records ok"


def test_a_sound_installation_with_a_server_has_nothing_wrong(running):
    assert list(wrong(running)) == []
    table = running.ctl("doctor", variables={"PATH": "/nonexistent"})
    assert table.returncode == 0


def test_1_a_missing_server(installation):
    (installation.bin / "citiesd").unlink()
    found = wrong(installation)
    assert "missing" in found["program citiesd"]["message"]
    assert set(found) == {"program citiesd", "private server"}


def test_2_a_missing_helper(installation):
    (installation.bin / "citiesctl-helper").unlink()
    only(wrong(installation), "program citiesctl-helper", "missing")


def test_3_programs_of_two_versions(installation):
    (installation.bin / "citiesd-sync").unlink()
    (installation.bin / "citiesd-sync").write_text("#!/bin/sh\necho citiesd-sync 9.9.9\n")
    (installation.bin / "citiesd-sync").chmod(0o755)
    assert "9.9.9" in wrong(installation)["program citiesd-sync"]["message"]


def test_4_a_socket_without_a_server(installation):
    folder = installation.runtime / "cities"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "citiesd.sock"))
    only(wrong(installation), "socket", "no program listens")


def test_5_a_file_in_the_place_of_the_socket(installation):
    folder = installation.runtime / "cities"
    folder.mkdir()
    (folder / "citiesd.sock").write_text("")
    only(wrong(installation), "socket", "not a socket")


def test_6_a_variable_that_names_no_socket(installation):
    found = wrong(installation, variables={"CITIES_SOCKET": "/nonexistent/a.sock"})
    only(found, "socket", "CITIES_SOCKET=/nonexistent/a.sock: no such socket")
    assert found["socket"]["remedy"] == "unset CITIES_SOCKET"


def test_7_a_socket_that_the_user_may_not_use(running):
    found = wrong(running, **out_of_reach(running.server.socket))
    assert "you may not use it" in found["socket"]["message"]


def answer(connection, reply):
    connection.recv(65_536)
    if reply:
        connection.sendall(reply)
    connection.recv(65_536)


def fake_server(installation, peer, reply):
    return {"CITIES_SOCKET": peer(lambda connection: answer(connection, reply))}


def test_8_a_server_that_hangs(installation, peer):
    done = installation.ctl(
        "doctor", "--timeout", "1", "--output", "jsonl",
        variables={"PATH": "/nonexistent", **fake_server(installation, peer, b"")})
    found = [json.loads(line) for line in done.stdout.splitlines() if '"wrong"' in line]
    assert done.returncode == 4
    assert [finding["check"] for finding in found] == ["server"]
    assert "does not answer" in found[0]["message"]


def test_9_a_server_of_another_version(installation, peer):
    import cbor2
    result = {
        "server": "citiesd 0.0.9", "pid": 1, "started": cbor2.CBORTag(0, "2026-03-01T12:00:00Z"), "connections": 1,
        "requests": 0, "subjects": [], "feeds": [], "sync": "ok"}
    reply = frame(cbor2.dumps({"id": 1, "result": result}, canonical=True))
    only(wrong(installation, variables=fake_server(installation, peer, reply)), "server", "citiesd 0.0.9 is running")


def test_10_a_damaged_file(installation):
    data = bytearray(installation.index.read_bytes())
    data[-1] ^= 1
    (installation.state / "cities.index").write_bytes(data)
    os.utime(installation.state / "cities.index", (1, 1))
    found = wrong(installation)
    assert set(found) == {"data cities", f"file {installation.state}/cities.index"}
    assert "damaged" in found[f"file {installation.state}/cities.index"]["message"]
    assert found["data cities"]["remedy"] == "citiesd-sync run --force cities"


def test_11_no_list_at_all(installation):
    installation.index.unlink()
    only(wrong(installation), "data cities", "no city list")


def test_12_a_state_folder_without_rights(installation):
    only(wrong(installation, **out_of_reach(installation.state)), "state folder", "cannot be read")
    installation.state.chmod(0o700)


def test_13_a_state_folder_that_the_server_does_not_read(running, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(running.index, other / "cities.index")
    found = wrong(running, variables={"CITIES_STATE": other})
    only(found, "state folder", f"{other} has cities, but the running server reads {running.state}")


def test_14_a_feed_that_failed(installation):
    harness.run_sync(
        "run", "--force", "rates", CITIES_STATE=installation.state,
        CITIES_FEED_RATES=installation.folder / "missing.json")
    found = wrong(installation, variables={"CITIES_FEED_RATES": installation.folder / "missing.json"})
    assert "the last attempt failed" in found["feed rates"]["message"]
    assert found["feed rates"]["remedy"] == "citiesd-sync run rates"


def systemctl(folder, text):
    """A service manager with one state of its units."""
    folder.mkdir()
    (folder / "systemctl").write_text(f'#!/bin/sh\n[ "$1" = --system ] || exit 1\n/bin/cat <<"END"\n{text}\nEND\n')
    (folder / "systemctl").chmod(0o755)
    return {"PATH": folder}


def unit(name, load="loaded", active="active", result="success", reload="no"):
    return (f"Id={name}\nLoadState={load}\nActiveState={active}\nUnitFileState=enabled\nNeedDaemonReload={reload}\n"
            f"Result={result}\n")


def test_15_a_unit_that_failed(running, tmp_path):
    states = [unit("citiesd.socket"), unit("citiesd.service"), unit("citiesd-sync.socket"),
              unit("citiesd-sync.service", active="failed", result="exit-code")]
    found = wrong(running, variables=systemctl(tmp_path / "bin", "\n".join(states)))
    only(found, "unit citiesd-sync.service", "failed: exit-code")
    assert "journalctl -u citiesd-sync.service" in found["unit citiesd-sync.service"]["remedy"]


def test_16_a_socket_unit_that_is_not_started(installation, tmp_path):
    states = [unit("citiesd.socket", active="inactive"), unit("citiesd.service", active="inactive")]
    found = wrong(installation, variables=systemctl(tmp_path / "bin", "\n".join(states)))
    assert set(found) == {"unit citiesd.socket", "socket"}
    assert found["unit citiesd.socket"]["remedy"] == "systemctl enable --now citiesd.socket"


def test_17_a_unit_file_that_was_changed(running, tmp_path):
    states = [unit("citiesd.socket"), unit("citiesd.service", reload="yes")]
    found = wrong(running, variables=systemctl(tmp_path / "bin", "\n".join(states)))
    only(found, "unit citiesd.service", "changed since it was loaded")


def test_18_a_broken_configuration(installation):
    real = installation.bin / "citiesd-sync"
    real.rename(installation.bin / "real")
    real.write_text(
        '#!/bin/sh\n[ "$1" = check ] || exec "${0%/*}/real" "$@"\n'
        'echo "citiesd-sync: /etc/cities/sync.json:3:5: unknown key \'fedes\', did you mean \'feeds\'?" >&2\nexit 65\n')
    real.chmod(0o755)
    only(wrong(installation), "configuration", "did you mean 'feeds'?")


def test_19_a_sync_service_that_cannot_be_reached(running):
    running.server.sync_socket.unlink()

    def noticed():
        # A refresh that was under way may still end well, and the next question finds out.
        with running.server.wire() as wire:
            wire.call("refresh", feeds=["rates"])
        return wrong(running)

    only(harness.until(noticed, what="the loss of the sync service"), "sync service", "No such file or directory")


def states(installation, **options):
    return {finding["check"]: finding for finding in examine(installation, **options)}


def feeds(installation, **sources):
    """Brings feeds up to date from files, with the others switched off."""
    off = {variable(feed): "" for feed in FEEDS}
    return harness.run_sync("run", "--force", CITIES_STATE=installation.state, **{**off, **sources})


def test_20_without_systemd_no_advice_needs_it(installation, peer):
    import cbor2
    result = {
        "server": "citiesd 0.0.9", "pid": 4711, "started": cbor2.CBORTag(0, "2026-03-01T12:00:00Z"), "connections": 1,
        "requests": 0, "subjects": [], "feeds": [], "sync": "Connection refused"}
    reply = frame(cbor2.dumps({"id": 1, "result": result}, canonical=True))
    found = wrong(installation, variables=fake_server(installation, peer, reply))
    assert found["server"]["remedy"] == "kill 4711; citiesd"
    assert found["sync service"]["remedy"] == "citiesd-sync serve"
    assert not [finding for finding in found.values() if "systemctl" in finding["remedy"]]


def test_21_a_stale_socket_of_the_user(installation, tmp_path):
    folder = installation.runtime / "cities"
    folder.mkdir()
    path = folder / "citiesd.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    assert wrong(installation)["socket"]["remedy"] == f"rm {path}"
    # The system's units have nothing to do with it.
    system = systemctl(tmp_path / "bin", "\n".join([unit("citiesd.socket"), unit("citiesd.service")]))
    assert wrong(installation, variables=system)["socket"]["remedy"] == f"rm {path}"
    script = (tmp_path / "bin" / "systemctl").read_text().replace("--system", "--user")
    (tmp_path / "bin" / "systemctl").write_text(script)
    found = wrong(installation, variables=system)
    assert found["socket"]["remedy"] == "systemctl --user restart citiesd.socket"
    named = wrong(installation, variables={"CITIES_SOCKET": path})
    assert named["socket"]["remedy"] == "unset CITIES_SOCKET"
    # No advice removes a file that somebody has named.
    asked = installation.ctl("doctor", "--socket", "/etc/passwd", "--output", "jsonl",
        variables={"PATH": "/nonexistent"})
    [found] = [json.loads(line) for line in asked.stdout.splitlines() if '"check":"socket"' in line.replace(" ", "")]
    assert (found["state"], found["remedy"]) == ("wrong", "leave --socket out")


def test_22_a_feed_that_is_off_is_no_fault(installation):
    source = {"CITIES_FEED_RATES": installation.folder / "missing.json"}
    feeds(installation, **source)
    assert "the last attempt failed" in wrong(installation, variables=source)["feed rates"]["message"]
    # It was switched off, and nothing has been refreshed since.
    found = states(installation)
    assert found["feed rates"]["state"] == "note" and "switched off" in found["feed rates"]["message"]
    assert found["feed rates"]["remedy"] == "citiesctl feed enable rates"
    assert found["data trade"]["state"] == "note"
    assert wrong(installation) == {}


def test_23_a_source_that_nobody_has_asked_for_is_no_fault(installation):
    shutil.copy(installation.index, installation.state / "cities.index")
    server = harness.Server(installation.folder / "server")
    server.state = installation.state
    server.variables |= {"CITIES_STATE": installation.state}
    sync = harness.Sync(server, CITIES_FEED_RATES="https://rates.invalid/").start()
    server.start()
    try:
        harness.until(lambda: (installation.state / "feeds.resident").exists(), what="the reports")
        harness.until(lambda: "https://rates.invalid/" in server.ctl("status", "--output", "json").stdout,
            what="the feed")
        source = {"CITIES_FEED_RATES": "https://rates.invalid/"}
        found = states(installation, variables={"CITIES_SOCKET": server.socket, **source})
        assert found["data trade"]["state"] == "note" and "not requested yet" in found["data trade"]["message"]
        assert found["data trade"]["remedy"] == "citiesctl refresh"
        assert server.ctl("status").returncode == 0
    finally:
        server.stop()
        sync.stop()
    alone = states(installation, variables={"CITIES_FEED_RATES": "https://rates.invalid/"})
    assert alone["data trade"]["state"] == "note" and alone["data trade"]["remedy"] == "citiesd-sync run"


def test_24_an_own_feed_belongs_to_the_banks(installation, tmp_path):
    configuration = tmp_path / "sync.json"
    configuration.write_text(json.dumps({"feeds": {"mybank": {
        "format": "csv", "url": str(tmp_path / "missing.csv"), "country": "FI", "zone": "Europe/Helsinki"}}}))
    feeds(installation, CITIES_SYNC_CONFIG=configuration)
    found = wrong(installation)
    assert set(found) == {"feed mybank", "data banks"}
    assert found["feed mybank"]["remedy"] == "citiesd-sync run mybank"
    assert installation.ctl("status").returncode == 4


def test_25_a_state_folder_that_does_not_exist(installation):
    new = installation.folder / "new" / "state"
    found = states(installation, variables={"CITIES_STATE": new})["state folder"]
    assert (found["state"], found["message"]) == ("note", f"{new} does not exist yet")
    closed = installation.folder / "closed"
    closed.mkdir()
    user = out_of_reach(closed)
    closed.chmod(0o555)
    found = wrong(installation, variables={"CITIES_STATE": closed / "state"}, **user)
    only(found, "state folder", f"does not exist, and cannot be made in {closed}: Permission denied")
    (installation.folder / "file").write_text("")
    found = wrong(installation, variables={"CITIES_STATE": installation.folder / "file"})
    only(found, "state folder", "is not a folder")
    assert found["state folder"]["remedy"] == "unset CITIES_STATE"


def test_26_a_state_folder_that_its_owner_cannot_write(installation):
    user = out_of_reach(installation.state)
    if user:
        os.chown(installation.state, harness.NOBODY, harness.NOBODY)
    installation.state.chmod(0o500)
    only(wrong(installation, **user), "state folder", "cannot be written: Permission denied")
    installation.state.chmod(0o700)


@pytest.mark.parametrize(("name", "value", "words"), [
    ("CITIES_STATE", "state", "not absolute"), ("CITIES_SYNC_SOCKET", "a.sock", "not absolute"),
    ("CITIES_SYNC_CONFIG", "/nonexistent/sync.json", "No such file"),
    ("CITIESD_IDLE_EXIT", "soon", "expected a number"),
    ("CITIES_LIMITS_TOTAL", "0", "expected 1 to 3600 seconds"), ("CITIES_FEED_CITYS", "/a", "unknown variable")])
def test_27_a_variable_that_cannot_be_meant_so(installation, name, value, words):
    found = wrong(installation, variables={name: value}, cwd=installation.folder)
    faults = [finding for finding in found.values() if words in finding["message"] and name in finding["message"]]
    assert faults and all(finding["remedy"] == f"unset {name}" for finding in faults), found


def test_28_an_unreadable_state_folder_is_named_in_the_place_of_a_server(installation):
    user = out_of_reach(installation.state)
    answered = installation.ctl("bank", "list", "--output", "json", **user)
    installation.state.chmod(0o700)
    assert answered.returncode == 77
    error = json.loads(answered.stderr)["error"]
    assert error["code"] == "permission-denied"
    assert f"the state folder {installation.state} cannot be read: Permission denied" in error["message"]


def test_each_finding_is_for_people_too(installation):
    installation.index.unlink()
    shown = subprocess.run(
        ["script", "-qec", f"{installation.bin}/citiesctl doctor", "/dev/null"], capture_output=True, text=True,
        env=installation.environment() | {"NO_COLOR": "1"}, timeout=60, check=False)
    assert shown.returncode == 4
    assert "problem  data cities: there is no city list\n         help: citiesd-sync run --force cities" in shown.stdout


def test_29_units_of_the_user_beside_those_of_the_system(running, tmp_path):
    states = {"system": [unit("citiesd.socket"), unit("citiesd-sync.socket")],
              "user": [unit("citiesd.socket", active="inactive").replace("=enabled", "=disabled")]}
    variables = systemctl(tmp_path / "bin", "")
    script = tmp_path / "bin" / "systemctl"
    script.write_text("#!/bin/sh\n" + "".join(
        f'[ "$1" != --{manager} ] || /bin/cat <<"END"\n{chr(10).join(texts)}\nEND\n'
        for manager, texts in states.items()))
    assert wrong(running, variables=variables) == {}, "the user needs none"
    script.write_text(script.read_text().replace("=disabled", "=enabled"))
    assert wrong(running, variables=variables)["unit citiesd.socket"]["message"] == "inactive, enabled"


def test_30_sources_that_nobody_has_reported_yet_are_as_configured(installation):
    found = states(installation, variables={"CITIES_FEED_RATES": "https://rates.invalid/"})
    assert found["data trade"]["message"] == "no data: not requested yet"
    assert found["data banks"]["message"] == "no data: its sources are off"


def test_31_what_takes_long_is_shown_on_a_terminal(installation):
    real = installation.bin / "citiesd-sync"
    real.rename(installation.bin / "real")
    real.write_text('#!/bin/sh\n[ "$1" != verify ] || /bin/sleep 3\nexec "${0%/*}/real" "$@"\n')
    real.chmod(0o755)
    shown = subprocess.run(
        ["script", "-qec", f"{installation.bin}/citiesctl doctor", "/dev/null"], capture_output=True, text=True,
        env=installation.environment() | {"NO_COLOR": "1"}, timeout=60, check=False)
    assert shown.returncode == 0, shown.stdout
    running = re.escape(f"citiesctl: running 'citiesd-sync verify --checksums {installation.index}', ")
    before, after = re.split(rf"{running}\d+ s", shown.stdout, maxsplit=1)
    assert "ok       data cities" in before, shown.stdout
    end = (
        f"ok       file {installation.index}: checksums ok\n\n"
        "Configuration\nok       configuration: ok\n\nno problems, ")
    assert end in after, shown.stdout
