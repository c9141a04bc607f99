"""The scenarios inside a throwaway systemd: `under_systemd.py SCENARIO`, run as its root by test_systemd.py.

Everything written here is thrown away with the system. A scenario installs the release build the way a packager does,
switches the sockets on and asserts; a failed assertion leaves with its traceback and the journal of the units.
"""

import contextlib
import grp
import gzip
import json
import os
import pwd
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import time
import traceback
from pathlib import Path

import chain
import fairness
import harness
import marks
import upstream
from harness import record, until, write_list
from wire import Wire, WireFault, frame, request

SOCKET, SYNC_SOCKET = Path("/run/cities/citiesd.sock"), Path("/run/cities/sync.sock")
STATE = Path("/var/lib/cities")
CTL, SYNC = "/usr/bin/citiesctl", "/usr/bin/citiesd-sync"
SERVICE = "citiesd.service"
ORDINARY_USER = "tester"
NOTICE = 5
CAP_LEASE = 28

SCENARIOS, SLOW = {}, {
    "two_hundred_restarts_fifty_kills_reloads_and_replacements_lose_nothing",
    "a_client_that_reads_nothing_for_half_a_minute_is_closed_and_the_journal_says_whose_it_was",
    "nobody_with_text_of_marks_on_three_connections_delays_no_other_user",
}


def scenario(function):
    """Registers a scenario under its name."""
    SCENARIOS[function.__name__] = function
    return function


def run(*command, check=True, limit=60, **options):
    done = harness.in_time(
        lambda: subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=limit, check=False, **options))
    assert not check or done.returncode == 0, f"{command} left with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def systemctl(*arguments, check=True):
    return run("systemctl", *arguments, check=check).stdout.strip()


def show(name, unit=SERVICE):
    return systemctl("show", "--value", f"--property={name}", unit)


def install():
    """Installs the release build and switches the sockets on, as the installer advises."""
    run(harness.ROOT / "contrib/build", "--install", "--no-build", "--prefix", "/usr")
    run("systemd-sysusers")
    run("systemd-tmpfiles", "--create", "cities.conf")
    systemctl("daemon-reload")
    systemctl("enable", "--now", "citiesd.socket", "citiesd-sync.socket")


def journal(unit=SERVICE, **match):
    """The journal's entries of a unit."""
    run("journalctl", "--sync")
    lines = run("journalctl", "--no-pager", "--output=json", f"--unit={unit}").stdout.splitlines()
    entries = [json.loads(line) for line in lines]
    return [entry for entry in entries if all(entry.get(key) == value for key, value in match.items())]


def sources(**urls):
    """A configuration in which feeds have these sources (names have _ for -), and no other feed has any."""
    feeds = {feed: {"url": ""} for feed in chain.FEEDS} | {
        name.replace("_", "-"): {"url": str(url)} for name, url in urls.items()}
    return json.dumps({"feeds": feeds})


def configure(source="", **urls):
    """Says where the city list, and other feeds, come from."""
    folder = Path("/etc/cities")
    folder.mkdir(exist_ok=True)
    (folder / "sync.json").write_text(sources(cities=f"file:{source}" if source else "", **urls))


def generation(path=SOCKET):
    with Wire(path) as wire:
        return wire.call("hello", protocols=[1], client="t")["generations"].get("cities")


def total(prefix):
    return int(run(CTL, "search", "--count", prefix, check=False).stdout or 0)


def public_list(records):
    """A list where the sync service may read it."""
    folder = Path("/etc/cities")
    folder.mkdir(exist_ok=True)
    return write_list(folder / "list.json", records)


def as_user(*command, check=True):
    return run("as-user", *command, check=check)


@scenario
def the_first_connect_activates_the_server():
    assert show("ActiveState") == "inactive"
    assert stat.S_IMODE(SOCKET.stat().st_mode) == 0o666
    assert stat.S_IMODE(SYNC_SOCKET.stat().st_mode) == 0o660
    assert SYNC_SOCKET.stat().st_gid == pwd.getpwnam("citiesd").pw_gid
    begin = time.monotonic()
    assert run(CTL, "search", "--count", "reykjav").stdout == "1\n"
    print(f"first answer, server started by its socket, after {1000 * (time.monotonic() - begin):.0f} ms")
    assert (show("ActiveState"), show("NRestarts")) == ("active", "0")
    process = Path(f"/proc/{show('MainPID')}")
    assert process.stat().st_uid == pwd.getpwnam("citiesd").pw_uid
    assert show("StatusText"), "the server says nothing about itself to systemctl status"


@scenario
def an_ordinary_user_may_ask_and_refresh_but_neither_force_nor_reach_the_sync_service():
    configure(public_list([record(1, "Albany", "US")]))
    assert as_user(CTL, "search", "--count", "reykjav").stdout == "1\n"
    assert as_user(CTL, "refresh").returncode == 0
    assert as_user(CTL, "refresh", "--force", check=False).returncode == 77
    refused = as_user(CTL, "status", "--socket", SYNC_SOCKET, check=False)
    assert refused.returncode == 77, refused.stderr


@scenario
def an_ordinary_user_finds_no_fault_and_is_told_who_may_switch_a_feed():
    with web(rates=chain.FEEDS["rates"].body) as server:
        configure(rates=server.url("/rates"))
        as_user("systemctl", "--user", "daemon-reload")
        for user in (as_user, run):
            examined = user(CTL, "doctor", "--output", "jsonl", "--timeout", "20")
            findings = {found["check"]: found for found in map(json.loads, examined.stdout.splitlines())}
            assert not [found for found in findings.values() if found["state"] == "wrong"], examined.stdout
            assert findings["data trade"]["message"] == "no data: not requested yet"
            assert findings["data banks"]["message"] == "no data: its sources are off"
            assert examined.stdout.count('"unit citiesd.socket"') == 1, "the user's units are disabled, and count"
        assert f"rates\ton\trates\t{server.url('/rates')}\n" in as_user(CTL, "feed", "list").stdout
        refused = as_user(CTL, "feed", "disable", "rates", check=False)
        assert (refused.returncode, refused.stdout) == (77, ""), refused
        assert refused.stderr.endswith(": sudo citiesctl feed disable rates\n"), refused.stderr
        assert not Path(pwd.getpwnam(ORDINARY_USER).pw_dir, ".config/cities").exists()
        done = run(CTL, "feed", "disable", "rates")
        assert done.stdout == "rates: off (wrote /etc/cities/sync.d/feed-rates.json)\n" and done.stderr == "", done
        until(lambda: "rates\toff\trates\t\n" in as_user(CTL, "feed", "list").stdout,
            what="the report of the feed that is off")
        assert "state: off\n" in as_user(CTL, "feed", "show", "rates").stdout
        assert run(CTL, "feed", "enable", "rates").stdout.endswith("(removed /etc/cities/sync.d/feed-rates.json)\n")
        until(lambda: "rates\ton\t" in as_user(CTL, "feed", "list").stdout, what="the report of the feed that is on")
        assert server.count("/rates") == 0, "the source was contacted"
        owner = pwd.getpwuid((STATE / "feeds.resident").stat().st_uid).pw_name
        assert owner == "cities-sync"


@scenario
def a_new_import_is_served_within_a_second_while_old_connections_go_on():
    with Wire(SOCKET) as old:
        before = old.call("city.search", prefix="a", limit=5)
        delays = []
        while min(delays, default=1) >= 1 and len(delays) < 3:  # a busy machine may be late once
            last = generation()
            configure(public_list([record(n, f"Albany {n}{'!' * len(delays)}", "US") for n in range(1, 101)]))
            run(SYNC, "run", "--force", "cities")
            replaced = (STATE / "cities.index").stat()
            now = until(lambda last=last: generation() != last and time.time(), what="a new generation")
            delays.append(now - replaced.st_ctime)
        print(f"served {1000 * min(delays):.0f} ms after the file was in place")
        assert min(delays) < 1
        assert total("albany") == 100
        rest = old.call("city.search", prefix="a", offset=5, limit=5, generation=before["generation"])
        assert rest["generation"] == before["generation"], "a connection that pages keeps what it began with"
        assert rest["total"] == before["total"]
        assert old.call("city.search", prefix="albany")["total"] == 100
    owner = pwd.getpwuid((STATE / "cities.index").stat().st_uid).pw_name
    assert owner == "cities-sync", f"what root wrote belongs to {owner}: the service could not replace it"
    assert (STATE / "cities.index").stat().st_mode & stat.S_IRGRP, "the server could not read it"
    with contextlib.suppress(WireFault):
        with Wire(SOCKET) as fresh:
            fresh.call("city.search", prefix="a", generation=before["generation"])
            raise AssertionError("a connection that never saw the old list was given it")


@scenario
def the_sync_service_starts_when_it_is_asked_and_leaves_by_itself():
    configure(public_list([record(1, "Albany", "US")]))
    assert run(CTL, "refresh", "--force").returncode == 0
    until(lambda: total("albany") == 1, what="the new list")
    assert show("User", "citiesd-sync.service") == "cities-sync"
    feeds = json.loads(run(CTL, "status", "--output", "json", check=False).stdout)["feeds"]
    assert [(feed["feed"], feed["records"]) for feed in feeds if "records" in feed] == [("cities", 1)]
    until(lambda: show("ActiveState", "citiesd-sync.service") == "inactive", 45, "the sync service leaving")
    assert run(CTL, "refresh", "--force").returncode == 0, "it did not come back"


def ask_retrying(path, prefix, expected):
    """One answer, over a second connection if the first ended without one; as every client may do."""
    for attempt in (1, 2):
        try:
            with Wire(path) as wire:
                assert wire.call("city.search", prefix=prefix, limit=0)["total"] == expected
                return attempt
        except (EOFError, ConnectionResetError, BrokenPipeError):
            assert attempt == 1, "the retry failed too"
    return None


@scenario
def restarts_lose_no_answer():
    expected = total("alb")
    asked, restarts = 0, 25
    for _ in range(restarts):
        restart = subprocess.Popen(["systemctl", "restart", SERVICE])
        while restart.poll() is None:
            ask_retrying(SOCKET, "alb", expected)
            asked += 1
        assert restart.returncode == 0
    ask_retrying(SOCKET, "alb", expected)
    assert show("ActiveState", "citiesd.socket") == "active"
    print(f"{asked} questions during {restarts} restarts")
    assert asked > restarts


@scenario
def a_killed_server_comes_back():
    expected = total("alb")
    for _ in range(5):
        before = int(show("MainPID"))
        os.kill(before, signal.SIGKILL)
        until(lambda old=before: show("MainPID") not in ("0", str(old)), what="a new process")
        ask_retrying(SOCKET, "alb", expected)


@scenario
def reload_keeps_the_process_and_takes_the_new_file():
    total("alb")
    process = show("MainPID")
    with Wire(SOCKET) as wire:
        before = generation()
        source = write_list(Path("/tmp/list.json"), [record(1, "Albany", "US")])
        run(SYNC, "build", source, "/tmp/cities.index")
        (STATE / "cities.index").write_bytes(Path("/tmp/cities.index").read_bytes())
        os.chmod(STATE / "cities.index", 0o644)
        systemctl("reload", SERVICE)
        assert wire.call("city.search", prefix="albany")["total"] == 1
        assert generation() != before
    assert (show("MainPID"), show("ActiveState")) == (process, "active")


@scenario
def stop_leaves_the_socket_and_stopping_the_socket_takes_it_away():
    with Wire(SOCKET) as wire:
        wire.call("status")
        systemctl("stop", SERVICE)
        assert wire.at_end()
    assert (show("ActiveState"), show("Result")) == ("inactive", "success")
    assert total("reykjav") == 1, "it was not activated again"
    systemctl("stop", "citiesd.socket")
    until(lambda: show("ActiveState") == "inactive", what="the server leaving with its socket")
    assert not SOCKET.exists()
    assert run(CTL, "search", "reykjav").stdout, "a private server does not answer"
    absent = run(CTL, "search", "--socket", SOCKET, "a", check=False)
    assert absent.returncode == 69
    assert "citiesd.socket" in absent.stderr, "it does not say how to start the server"


@scenario
def the_log_is_in_the_journal_with_priorities():
    total("alb")
    (STATE / "cities.index").write_bytes(b"no index")
    os.chmod(STATE / "cities.index", 0o644)
    systemctl("reload", SERVICE)
    worse = until(
        lambda: [e for e in journal() if int(e["PRIORITY"]) < NOTICE and "cities.index" in e["MESSAGE"]],
        what="a warning about the refused file")
    assert "citiesd-sync" in worse[0]["MESSAGE"], "the warning says not what to do"
    own = journal(_SYSTEMD_UNIT=SERVICE)
    assert {int(entry["PRIORITY"]) for entry in own} > {int(worse[0]["PRIORITY"])}
    assert not [entry for entry in own if entry["MESSAGE"].startswith("<")], "a priority was printed as text"
    assert total("reykjav") == 1, "a refused file disturbed what is served"


@scenario
def a_hung_server_is_killed_by_the_watchdog():
    total("alb")
    process = int(show("MainPID"))
    os.kill(process, signal.SIGSTOP)
    until(lambda: show("MainPID") not in ("0", str(process)), 30, "a new process")
    assert total("reykjav") == 1


@scenario
def a_hung_sync_service_is_killed_by_the_watchdog_and_comes_back():
    configure(public_list([record(1, "Albany", "US")]))
    assert run(CTL, "refresh").returncode == 0
    unit = "citiesd-sync.service"
    assert 0 < int(show("WatchdogUSec", unit).removesuffix("s")) <= 60
    process = int(show("MainPID", unit))
    os.kill(process, signal.SIGSTOP)
    refresh = subprocess.Popen([CTL, "refresh"])
    until(lambda: show("MainPID", unit) not in (str(process),), 60, "the end of the process that hangs")
    refresh.wait(60)
    assert refresh.returncode in (69, 75)
    assert "watchdog" in run("journalctl", "--no-pager", f"--unit={unit}").stdout.lower()
    until(lambda: run(CTL, "refresh", check=False).returncode == 0, 60, "a new process that answers")


@scenario
def the_sandbox_holds():
    """Probes that enter the running service's namespaces as its user and try what it must not do."""
    total("alb")
    process = show("MainPID")
    user, group = pwd.getpwnam("citiesd").pw_uid, pwd.getpwnam("citiesd").pw_gid
    enter = ["nsenter", f"--target={process}", "--mount", "--net", "--ipc", "--", "setpriv", f"--reuid={user}",
             f"--regid={group}", "--clear-groups", "--no-new-privs"]
    assert "Permission denied" in run(*enter, "/bin/true", check=False).stderr, "it may execute another program"
    status = Path(f"/proc/{process}/status").read_text()
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    only_leases = f"{1 << CAP_LEASE:016x}"
    assert f"CapEff:\t{only_leases}" in status and f"CapBnd:\t{only_leases}" in status
    leases = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "LEASE" in line]
    assert [line for line in leases if process in line], "the served file is not leased"
    interfaces = Path(f"/proc/{process}/net/dev").read_text().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]
    mounts = Path(f"/proc/{process}/mountinfo").read_text().splitlines()
    assert any(line.split()[4] == "/" and "ro" in line.split()[5].split(",") for line in mounts)
    limits = Path(f"/proc/{process}/limits").read_text()
    assert "16384" in next(line for line in limits.splitlines() if line.startswith("Max open files"))


@scenario
def two_hundred_restarts_fifty_kills_reloads_and_replacements_lose_nothing():
    listed = json.loads(gzip.decompress((harness.ROOT / "contrib/data/cities.json.gz").read_bytes()))
    other = write_list(Path("/tmp/list.json"), [*listed, record(4_000_000_000, "Zzyzx Road", "US")])
    run(SYNC, "build", other, "/tmp/cities.index")
    total("alb")
    soaked = run(sys.executable, harness.ROOT / "Tests/EndToEnd/soak.py", harness.PREBUILT, "/tmp/cities.index",
        limit=240)
    print(soaked.stdout)
    assert "errors 0" in soaked.stdout


@contextlib.contextmanager
def web(**bodies):
    """An upstream on loopback that delivers these bodies."""
    server = upstream.Upstream()
    for name, body in bodies.items():
        server.answers[f"/{name}"] = upstream.good(body)
    try:
        yield server
    finally:
        server.stop()


def locations(path=SOCKET):
    """How many locations of banks the server has, and whether it has any."""
    with Wire(path) as wire:
        try:
            return wire.call("bank.search", query="")["total"]
        except WireFault as fault:
            # The question starts the download.
            assert fault.code == "unavailable", fault
            return 0


@scenario
def a_server_without_network_serves_what_the_sync_service_fetches():
    feed = chain.FEEDS["swedbank-lt"]
    with web(lt=feed.body) as server:
        configure(swedbank_lt=server.url("/lt"))
        total("alb")
        interfaces = Path(f"/proc/{show('MainPID')}/net/dev").read_text().splitlines()[2:]
        assert [line.split(":")[0].strip() for line in interfaces] == ["lo"], "citiesd has a network"
        until(lambda: locations() == feed.records, 10, "what was fetched at the start")
        assert server.count("/lt") == 1 and server.last("/lt").headers["Cookie"] == "Swedbank-Embedded=iphone-app"
        server.answers["/lt"] = upstream.good(feed.other)
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0
        until(lambda: locations() == 7, what="the new data")
        # The server is as far from the web as before: its own loopback has nobody listening.
        enter = ["nsenter", f"--target={show('MainPID')}", "--net", "--", sys.executable, "-c"]
        host, port = server.address.split(":")
        reached = run(*enter, f"import socket; socket.create_connection(('{host}', {port}), 1)", check=False)
        assert reached.returncode != 0, "the server's namespace reaches the web"
        assert (STATE / "sources/swedbank-lt.source").stat().st_uid == pwd.getpwnam("cities-sync").pw_uid


@scenario
def a_credential_of_the_manager_reaches_the_source_and_nobody_else():
    feed, token = chain.FEEDS["swedbank-lt"], "Bearer s3cret"
    drop_in = Path("/etc/systemd/system/citiesd-sync.service.d/token.conf")
    kept = Path("/etc/cities/rates-token")
    with web(lt=feed.body) as server:
        configure(swedbank_lt=server.url("/lt"))
        configuration = json.loads(Path("/etc/cities/sync.json").read_text())
        configuration["feeds"]["swedbank-lt"]["headers"] = {"Authorization": {"file": "rates-token"}}
        Path("/etc/cities/sync.json").write_text(json.dumps(configuration))
        kept.write_text(token + "\n")
        kept.chmod(0o600)
        drop_in.parent.mkdir(parents=True, exist_ok=True)
        drop_in.write_text(f"[Service]\nLoadCredential=rates-token:{kept}\n")
        systemctl("daemon-reload")
        total("alb")
        until(lambda: locations() == feed.records, 10, "the feed that needs the token")
        assert server.last("/lt").headers["Authorization"] == token
        assert as_user("cat", kept, check=False).returncode != 0
        shown = run(CTL, "status", "--output", "json").stdout + str(journal("citiesd-sync.service") + journal())
        assert "s3cret" not in shown


@scenario
def a_url_with_a_secret_is_read_by_the_services_and_by_no_other_user():
    feed, written = chain.FEEDS["swedbank-lt"], Path("/etc/cities/sync.d/feed-swedbank-lt.json")
    configure()
    with web(**{"lt?token=s3cret": feed.body}) as server:
        run(CTL, "feed", "enable", "swedbank-lt", server.url("/lt?token=s3cret"))
        status = written.stat()
        owner = (pwd.getpwuid(status.st_uid).pw_name, grp.getgrgid(status.st_gid).gr_name)
        assert (owner, stat.S_IMODE(status.st_mode)) == (("root", "cities"), 0o640)
        total("alb")
        until(lambda: locations() == feed.records, 10, "the feed whose URL has a secret")
        assert server.count("/lt?token=s3cret") == 1
        assert "source not readable" in as_user(CTL, "feed", "show", "swedbank-lt").stdout
        shown = as_user(CTL, "status", "--output", "json").stdout + as_user(CTL, "doctor", check=False).stdout
        assert "swedbank-lt" in shown and "s3cret" not in shown + str(journal("citiesd-sync.service") + journal())
        run(CTL, "feed", "disable", "swedbank-lt")


@scenario
def nobody_with_text_of_marks_on_three_connections_delays_no_other_user():
    assert total("reykjav") == 1
    seconds, nobody, path = 10, pwd.getpwnam("nobody").pw_uid, str(SOCKET)
    attacker = fairness.Client(fairness.yield_to_others, marks.attack, nobody, path, seconds)
    other = fairness.Client(fairness.favour_this_process, fairness.short, fairness.SHORT_USER, path, seconds)
    figures, attack = other.finish(seconds + 60), attacker.finish(seconds + 60)
    print(figures, attack)
    assert figures["failures"] == 0 and figures["p99"] <= 15 and figures["max"] <= 80 and attack["answered"] > 100
    assert show("NRestarts") == "0"


@scenario
def killing_the_sync_service_in_a_download_costs_that_download_alone():
    ee, lt = chain.FEEDS["swedbank-ee"], chain.FEEDS["swedbank-lt"]
    with web(ee=ee.body, lt=lt.body) as server:
        configure(swedbank_ee=server.url("/ee"), swedbank_lt=server.url("/lt"))
        total("alb")
        until(lambda: locations() == ee.records + lt.records, 10, "both feeds")
        before = (STATE / "banks.resident").read_bytes()
        server.answers["/lt"] = upstream.drip(lt.other)
        refresh = subprocess.Popen([CTL, "refresh", "--force", "swedbank-lt"], stdout=subprocess.PIPE, text=True)
        until(lambda: server.count("/lt") == 2, what="the download")
        os.kill(int(show("MainPID", "citiesd-sync.service")), signal.SIGKILL)
        told = refresh.communicate(timeout=30)[0]
        assert refresh.returncode == 69 and "swedbank-lt" in told, told
        assert (STATE / "banks.resident").read_bytes() == before
        assert locations() == ee.records + lt.records and total("reykjav") == 1
        server.answers["/lt"] = upstream.good(lt.other)
        server.answers["/ee"] = upstream.good(ee.other)
        assert run(CTL, "refresh", "--force", "swedbank-ee").returncode == 0, "the other feed was not left alone"
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0, "it did not come back"
        until(lambda: locations() == 5 + 7, what="the new data")
        left = [path.name for path in STATE.rglob("*") if path.name.endswith(".tmp")]
        assert left == [], left


@scenario
def a_feed_that_fails_for_hours_is_one_line_in_the_journal():
    with web() as server:
        configure(swedbank_lt=server.url("/missing"))
        total("alb")
        for _ in range(5):
            assert run(CTL, "refresh", "--force", "swedbank-lt", check=False).returncode == 69
        lines = [
            line["MESSAGE"] for unit in (SERVICE, "citiesd-sync.service") for line in journal(unit)
            if "status 404" in line["MESSAGE"]]
        assert len(lines) == 1, lines


def event_numbers():
    """The kinds of events and their numbers."""
    source = (harness.ROOT / "Sources/Service/FrameService/Manager/JournalEvent.swift").read_text()
    return dict(re.findall(r'static let (\w+) = JournalEvent\(number: "([0-9a-f]{32})"\)', source))


def entry(event, seconds=20, **fields):
    """The first entry of the journal about an event with these fields, as soon as there is one.

    The journal cannot name the unit of a process that has ended before it looks.
    """
    command = ["journalctl", "--no-pager", "--all", "--output=json", f"MESSAGE_ID={event_numbers()[event]}"]

    def found():
        entries = map(json.loads, run(*command, check=False).stdout.splitlines())
        known = [{"_SYSTEMD_UNIT": fields.get("_SYSTEMD_UNIT")} | found for found in entries]
        return [found for found in known if all(found.get(key) == value for key, value in fields.items())]

    first = until(found, seconds, f"an entry of {event} with {fields}")[0]
    print(f"{event}: {first['MESSAGE'][:120]}")
    return first


def drop_in(name, text, unit=SERVICE):
    path = Path(f"/run/systemd/system/{unit}.d/{name}.conf")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[Service]\n{text}\n")
    systemctl("daemon-reload")
    return path


# The events of scenarios of their own: they need a changed file, a bad client or a full table of descriptors.
FAULTS = {"dataWithdrawn", "connectionClosed", "limitReached"}


def assert_explained(*events):
    """The journal has entries about these events, and the catalogue explains each."""
    for event in events:
        entry(event)
        shown = run("journalctl", "--no-pager", "--catalog", f"MESSAGE_ID={event_numbers()[event]}").stdout
        assert " Defined-By: cities" in shown and "@" not in shown.split(" Subject:")[1].split("\n")[0], shown


@scenario
def every_event_has_an_entry_with_its_fields():
    feed, sync = chain.FEEDS["swedbank-lt"], "citiesd-sync.service"
    with web(lt=feed.body) as server:
        configure(public_list([record(1, "Albany", "US")]), swedbank_lt=server.url("/lt"))
        total("alb")
        assert "citiesd.sock (activated)" in entry("started", _SYSTEMD_UNIT=SERVICE, PRIORITY="6")["MESSAGE"]
        assert run(CTL, "refresh", "--force").returncode == 0
        entry("feedUpdated", _SYSTEMD_UNIT=sync, CITIES_FEED="swedbank-lt")
        until(lambda: total("albany") == 1, what="the new list")
        entry("dataChanged", _SYSTEMD_UNIT=SERVICE, CITIES_SUBJECT="cities", CITIES_GENERATION=generation())
        until(lambda: locations() == feed.records, 10, "the locations")
        server.answers["/lt"] = upstream.status(404)
        assert run(CTL, "refresh", "--force", "swedbank-lt", check=False).returncode == 69
        failed = entry("feedFailed", _SYSTEMD_UNIT=sync, CITIES_FEED="swedbank-lt", PRIORITY="3")
        assert "status 404" in failed["CITIES_ERROR"] and failed["CITIES_ERROR"] in failed["MESSAGE"]
        server.answers["/lt"] = upstream.good(feed.body)
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0
        entry("feedRecovered", _SYSTEMD_UNIT=sync, CITIES_FEED="swedbank-lt")
        (STATE / "sources/swedbank-lt.source").write_bytes(b"damaged")
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0
        entry("feedRemark", _SYSTEMD_UNIT=sync, CITIES_FEED="swedbank-lt", PRIORITY="4")
        (STATE / "feeds.resident").write_bytes(b"damaged")
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0
        assert "feeds.resident" in entry("degraded", _SYSTEMD_UNIT=sync)["CITIES_ERROR"]
        Path("/etc/cities/sync.json").write_text("{")
        run(CTL, "refresh", "swedbank-lt", check=False)
        assert "sync.json:1:2" in entry("configurationInvalid", _SYSTEMD_UNIT=sync)["CITIES_ERROR"]
        configure(swedbank_lt=server.url("/lt"))
        systemctl("stop", "citiesd-sync.socket", sync)
        run(CTL, "refresh", "--force", "swedbank-lt", check=False)
        assert entry("syncLost", _SYSTEMD_UNIT=SERVICE)["CITIES_ERROR"]
        systemctl("start", "citiesd-sync.socket")
        assert run(CTL, "refresh", "--force", "swedbank-lt").returncode == 0
        entry("syncFound", _SYSTEMD_UNIT=SERVICE)
    (STATE / "cities.index").write_bytes(b"no index")
    systemctl("reload", SERVICE)
    refused = entry("dataRefused", _SYSTEMD_UNIT=SERVICE, CITIES_SUBJECT="cities")
    assert "cities.index" in refused["CITIES_ERROR"]
    entry("stopping", _SYSTEMD_UNIT=sync)
    systemctl("stop", SERVICE)
    entry("stopping", _SYSTEMD_UNIT=SERVICE)
    entry("stopped", _SYSTEMD_UNIT=SERVICE)
    drop_in("wrong", "Environment=CITIESD_IDLE_EXIT=soon\nRestart=no")
    systemctl("restart", SERVICE, check=False)
    assert "CITIESD_IDLE_EXIT=soon" in entry("startFailed", _SYSTEMD_UNIT=SERVICE, PRIORITY="2")["CITIES_ERROR"]
    run("journalctl", "--update-catalog")
    assert_explained(*event_numbers().keys() - FAULTS)


def served_file(name):
    """The file of this name that the server has mapped, by its device and its inode."""
    lines = Path(f"/proc/{show('MainPID')}/maps").read_text().splitlines()
    return {tuple(line.split()[3:5]) for line in lines if line.endswith(f"/{name}")}


@scenario
def events_that_need_a_fault_have_entries_with_their_fields_too():
    configure(public_list([record(1, "Albany", "US")]))
    assert run(CTL, "refresh", "--force").returncode == 0
    # The server asked for the list at its start, too, so that the file may have come twice; it reads the last one now.
    systemctl("restart", SERVICE)
    until(lambda: total("albany") == 1, what="the new list")
    index = STATE / "cities.index"
    assert [int(inode) for _, inode in served_file(index.name)] == [index.stat().st_ino]
    served = generation()
    os.truncate(index, 64)
    total("albany")
    withdrawn = entry("dataWithdrawn", _SYSTEMD_UNIT=SERVICE, CITIES_SUBJECT="cities", PRIORITY="3")
    assert withdrawn["CITIES_GENERATION"] == served and "cities.index" in withdrawn["CITIES_ERROR"]
    until(lambda: total("reykjav") == 1, what="the installed list")
    drop_in("few", "LimitNOFILE=40")
    systemctl("restart", SERVICE)
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(60)]
    for each in crowd:
        each.connect(str(SOCKET))
    reached = entry("limitReached", _SYSTEMD_UNIT=SERVICE, PRIORITY="4")
    assert "raise LimitNOFILE=" in reached["MESSAGE"]
    for each in crowd:
        each.close()
    # From the installed list, or from the one that the sync service has made again.
    until(lambda: total("a") > 0, what="an answer after the crowd")
    run("journalctl", "--update-catalog")
    assert_explained("dataWithdrawn", "limitReached")


@scenario
def a_range_of_subordinate_ids_is_one_user_and_every_other_id_its_own():
    drop_in("one", "Environment=CITIESD_MAX_CONNECTIONS_PER_UID=1")
    subuid = Path("/etc/subuid")
    subuid.write_text("alice:100000:65536\nnobody's\n1001:165536:65536\n")
    with contextlib.ExitStack() as opened:
        def connect(user):
            with fairness.effective_user(user):
                return opened.enter_context(Wire(SOCKET))

        # Users of a directory and of DynamicUser= services, and one of each range.
        others = [*range(61_184, 61_209), *range(1_234_600_500, 1_234_600_525)]
        for user in (100_000, 231_071, *others):
            assert connect(user).call("city.search", prefix="reykjav", limit=1)["total"] == 1
        for user in (100_001, 165_535, 165_536, 231_070, others[0]):
            assert connect(user).receive()["error"]["data"]["limit"] == "connections-per-user"
        # A login that is added while the server runs, as usermod(8) does it.
        subuid.with_name("subuid+").write_text(subuid.read_text() + "bob:300000:65536\n")
        subuid.with_name("subuid+").rename(subuid)
        users = iter(range(300_000, 310_000))
        until(lambda: select.select([connect(next(users)).socket], [], [], 0.2)[0], what="the range of the new login")
        assert connect(365_535).receive()["error"]["data"]["limit"] == "connections-per-user"
        assert connect(365_536).call("city.search", prefix="reykjav", limit=1)["total"] == 1
    assert show("NRestarts") == "0"


@scenario
def a_client_that_reads_nothing_for_half_a_minute_is_closed_and_the_journal_says_whose_it_was():
    assert total("alb")
    many = b"".join(frame(request(n + 1, "city.search", {"prefix": "a", "limit": 1000})) for n in range(100))
    with Wire(SOCKET) as wire:
        wire.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            wire.socket.sendall(many)
        closed = entry("connectionClosed", 45, _SYSTEMD_UNIT=SERVICE, CITIES_PEER_UID="0", PRIORITY="4")
        assert closed["CITIES_ERROR"] == "it read nothing for 30 s" and closed["CITIES_ERROR"] in closed["MESSAGE"]
    run("journalctl", "--update-catalog")
    assert_explained("connectionClosed")


@scenario
def no_call_of_the_journal_is_denied_not_even_for_a_large_entry():
    # Each TAB of the value is five characters of the message. Where a datagram may not have that many, as is usual, the
    # library passes a memory file.
    value, needs_file = "\t" * 100_000, 2 * int(Path("/proc/sys/net/core/wmem_max").read_text()) < 600_000
    environment = Path("/run/long")
    environment.write_text(f"CITIESD_IDLE_EXIT='{value}x'\n")
    wrong = drop_in("long", f"EnvironmentFile={environment}\nRestart=no")
    # The manager starts the service: both are traced from there.
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/tmp/trace", "-p", "1"], stderr=subprocess.DEVNULL)
    until(lambda: "TracerPid:\t0" not in Path("/proc/1/status").read_text(), what="the tracer")
    systemctl("start", SERVICE, check=False)
    long = entry("startFailed", _SYSTEMD_UNIT=SERVICE)
    wrong.unlink()
    systemctl("daemon-reload")
    systemctl("reset-failed", SERVICE, "citiesd.socket", check=False)
    systemctl("start", "citiesd.socket")
    until(lambda: total("reykjav") == 1, what="an answer of the traced server")
    systemctl("stop", SERVICE)
    tracer.terminate()
    tracer.wait(20)
    assert long["CITIES_ERROR"].count("\t") == 100_000 and len(long["MESSAGE"]) > 500_000
    lines = Path("/tmp/trace").read_text(errors="replace").splitlines()
    starts = [line.split()[0] for line in lines if 'execve("/usr/bin/citiesd"' in line]
    assert len(starts) >= 2
    for process in starts:
        own = [line for line in lines if line.split()[0] == process]
        own = own[next(place for place, line in enumerate(own) if "execve(" in line):]
        assert any("libsystemd.so.0" in line for line in own)
        # The library asks for a larger buffer than users may have, which the kernel refuses, not the filter.
        denied = [line for line in own if re.search(r"= -1 (EPERM|EACCES)", line) and "setsockopt" not in line]
        assert not denied, denied
    used = any("memfd_create" in line and line.split()[0] == starts[0] for line in lines)
    assert used or not needs_file, "no memory file was needed"


@scenario
def without_its_library_the_server_exits_with_78_and_is_not_restarted():
    library = next(Path("/usr/lib").glob("*/libsystemd.so.0")).resolve()
    drop_in("hidden", f"InaccessiblePaths={library}")
    systemctl("stop", "citiesd.socket")
    systemctl("start", SERVICE, check=False)
    until(lambda: show("ExecMainStatus") == "78", what="the exit status")
    lines = [line["MESSAGE"] for line in journal(_SYSTEMD_UNIT=SERVICE) if "libsystemd0" in line["MESSAGE"]]
    assert lines and all("libsystemd.so.0: " in line for line in lines), lines
    assert show("NRestarts") == "0"


@scenario
def an_invalid_configuration_is_the_answer_of_a_refresh_and_the_service_is_not_started_again():
    configure(public_list([record(1, "Albany", "US")]))
    path, unit = Path("/etc/cities/sync.json"), "citiesd-sync.service"
    right = path.read_text()
    path.write_text('{"feeds":\n  {,}}')
    fault = f'{path}:2:4: the JSON is broken: unexpected ","'
    for _ in range(3):
        refused = run(CTL, "refresh", check=False)
        assert refused.returncode == 69 and fault in refused.stdout + refused.stderr, refused
    assert (show("ActiveState", unit), show("NRestarts", unit)) == ("active", "0")
    lines = [entry["MESSAGE"] for unit in (SERVICE, unit) for entry in journal(unit) if fault in entry["MESSAGE"]]
    assert len(lines) == 1, lines
    # Nothing but the file has to change.
    path.write_text(right)
    assert run(CTL, "refresh").returncode == 0
    until(lambda: total("albany") == 1, what="the list")


def open_bus():
    """Something that listens where the system's message bus does, for everyone."""
    path = Path("/run/dbus/system_bus_socket")
    path.parent.mkdir(exist_ok=True)
    bus = socket.socket(socket.AF_UNIX)
    if not path.exists():
        bus.bind(str(path))
        path.chmod(0o666)
        bus.listen(1)
    return bus


def probe(service, kind):
    """Runs probes.c in the place of a service, in the very sandbox of its unit."""
    run("gcc", "-O2", "-static", "-o", "/usr/bin/probes", harness.ROOT / "Tests/EndToEnd/probes.c")
    home = Path(pwd.getpwnam(ORDINARY_USER).pw_dir)
    home.chmod(0o755)
    (home / "file").write_text("private")
    shared = Path("/dev/shm/probe")
    shared.write_text("shared with every process")
    shared.chmod(0o666)
    bus = open_bus()
    unit = re.sub(r"(?m)^(Type|Restart|Requires|Wants|After|Exec\w+|WatchdogSec|StateDirectory.*)=.*\n", "",
        systemctl("cat", service))
    unit = unit.replace("[Service]\n", f"[Service]\nType=oneshot\nExecStart=/usr/bin/probes {kind} {home}/file\n"
                        f"ExecPaths=/usr/bin/probes\nNoExecPaths=/\n")
    Path("/run/systemd/system/probe.service").write_text(unit)
    systemctl("daemon-reload")
    systemctl("start", "probe.service", check=False)
    lines = [entry["MESSAGE"] for entry in journal("probe.service", SYSLOG_IDENTIFIER="probes")]
    print("\n".join(lines))
    bus.close()
    told = dict(line.split(": ", 1) for line in lines if ": " in line)
    for name in ("list shared memory", "open shared memory", "the system's message bus"):
        assert told[f"forbidden {name}"] == "Permission denied", "it is forbidden, not merely absent"
    for name in ("io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup"):
        assert told[f"forbidden {name}"] == "Operation not permitted", name
    return [line for line in lines if line.startswith("forbidden")], [line
        for line in lines if line.startswith("ALLOWED")]


@scenario
def the_sandbox_of_the_server_forbids_every_probe():
    forbidden, allowed = probe("citiesd.service", "server")
    assert not allowed, allowed
    assert len(forbidden) >= 47


@scenario
def the_sandbox_of_the_sync_service_forbids_every_probe_but_the_network():
    forbidden, allowed = probe("citiesd-sync.service", "sync")
    assert not allowed, allowed
    assert len(forbidden) >= 47


@scenario
def user_units_serve_one_user():
    systemctl("stop", "citiesd.socket", "citiesd.service")
    uid = pwd.getpwnam(ORDINARY_USER).pw_uid
    path = Path(f"/run/user/{uid}/cities/citiesd.sock")
    as_user("systemctl", "--user", "daemon-reload")
    as_user("systemctl", "--user", "enable", "--now", "citiesd.socket", "citiesd-sync.socket")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert as_user(CTL, "search", "--count", "reykjav").stdout == "1\n"
    assert as_user("systemctl", "--user", "is-active", "citiesd.service").stdout == "active\n"
    home = Path(pwd.getpwnam(ORDINARY_USER).pw_dir)
    source = write_list(home / "list.json", [record(1, "Albany", "US"), record(2, "Albi", "FR")])
    source.chmod(0o644)
    config = home / ".config/cities"
    as_user("mkdir", "-p", config)
    (config / "sync.json").write_text(sources(cities=f"file:{source}"))
    # An attempt by the old configuration, which has the public URLs, may still be running; a refresh joins it.
    until(lambda: as_user(CTL, "refresh", "--force", check=False).returncode == 0, 20,
        "a refresh of the user's own list")
    until(lambda: as_user(CTL, "search", "--count", "alb", check=False).stdout == "2\n", what="the user's own list")
    assert (home / ".local/state/cities/cities.index").exists()
    with web(rates=chain.FEEDS["rates"].body, lt=chain.FEEDS["swedbank-lt"].body) as server:
        urls = {"swedbank_lt": server.url("/lt"), "rates": server.url("/rates")}
        (config / "sync.json").write_text(sources(cities=f"file:{source}", **urls))
        assert as_user(CTL, "refresh").returncode == 0
        until(lambda: locations(path) == 2, what="what the user's own sync service has fetched")
        assert server.count("/lt") == server.count("/rates") == 1
    before = generation(path)
    as_user("systemctl", "--user", "restart", "citiesd.service")
    assert generation(path) == before
    as_user("systemctl", "--user", "reload", "citiesd.service")
    as_user("systemctl", "--user", "stop", "citiesd.socket", "citiesd.service")
    assert as_user(CTL, "search", "a", "--socket", path, check=False).returncode == 69


@scenario
def what_the_installer_prints_starts_the_server_below_opt():
    done = run(harness.ROOT / "contrib/build", "--install", "--no-build", "--prefix", "/opt/cities")
    commands = [line.strip() for line in done.stderr.splitlines() if line.startswith("  system")]
    assert commands[0].startswith("systemd-sysusers /opt/cities/")
    run("sh", "-e", "-c", "\n".join(commands))
    found = run("/opt/cities/bin/citiesctl", "search", "alb", "--limit", "1", env=os.environ | {"CITIES_SOCKET": ""})
    assert found.stdout.startswith("Alba, ES") and show("ExecStart").count("/opt/cities/bin/citiesd") == 2


def main():
    try:
        install()
        SCENARIOS[sys.argv[1]]()
    except BaseException:
        traceback.print_exc()
        for unit in (SERVICE, "citiesd-sync.service", "citiesd.socket"):
            print(run("systemctl", "status", "--no-pager", "--full", unit, check=False).stdout, file=sys.stderr)
        print(run("journalctl", "--no-pager", "--priority=info", "--lines=60", check=False).stdout, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
