"""The configuration of feeds: `citiesd-sync check`, `citiesctl feed`, feeds of one's own, and the manual's examples."""

import json
import os
import re
import stat
import subprocess
import time

import harness
import pytest
from chain import finder, imaginary
from harness import until
from upstream import Upstream, good

MAN = harness.ROOT / "contrib" / "man"
CSV = b"""\xef\xbb\xbfid,lon,lat,kind,name,address,hours,colour\r
7,24.9384,60.1699,branch,Keskusta,"Aleksi ""1"",\nHelsinki",Mo-Fr 09:00-16:30,red\r
\r
8,24.9414,60.1712,ATM,Asema,Asema-aukio 1,24/7,\r
9,24.9,60.2,kiosk,,,sometimes,\r
10,200,60.2,atm,,,,\r
11,24.9,60.2,atm\r
"""
POINTS = json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [18.06, 59.33]},
     "properties": {"kind": "branch", "name": "Centrum", "hours": "Mo-Fr 10:00-16:00; Th 10:00-18:00", "x": [1]}},
    {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[1, 2]]}, "properties": {"kind": "atm"}},
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [18.06, 59.34, 7.5]},
        "properties": {"kind": "bna"}},
]}).encode()


def check(path=None, **variables):
    return harness.run_sync("check", *([path] if path else []), **variables)


def configured(path, value):
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


# What check finds.


def test_a_configuration_without_faults_is_accepted_in_silence(tmp_path):
    shipped = check(harness.ROOT / "contrib" / "systemd" / "sync.json")
    assert (shipped.returncode, shipped.stdout, shipped.stderr) == (0, "", "")
    none = check(HOME=tmp_path, XDG_CONFIG_HOME=tmp_path)
    assert (none.returncode, none.stderr) == (0, "") or os.geteuid() == 0


BROKEN = [
    ('{"feeds":\n  {,}}', ["2:4: the JSON is broken: unexpected \",\""]),
    ("[]", ["1:1: expected a JSON object"]),
    ('{"feeds": {\n "citys": {"url": "/a"}}}',
     ["2:12: feeds.citys.url: unknown key; did you mean feeds.cities.url?"]),
    ('{"feeds": {"rates": {"uri": ""}}}', ["1:22: feeds.rates.uri: unknown key; did you mean feeds.rates.url?"]),
    ('{"limit": {"total": 5}}', ["1:12: limit.total: unknown key; did you mean limits.total?"]),
    ('{"limits": {"total": 0, "bytes": 5}, "loss": {"percent": 101}}',
     ["1:13: limits.total: expected 1 to 3600 seconds, found \"0\"",
      "1:25: limits.bytes: expected 1024 to 536870912 bytes, found \"5\"",
      "1:47: loss.percent: expected 0 to 100 percent, found \"101\""]),
    ('{"feeds": {"rates": {"url": ["/a"], "interval": 5}}}',
     ["1:22: feeds.rates.url: expected text",
      "1:37: interval of feed rates: expected 60 to 31536000 seconds, found \"5\""]),
    ('{"feeds": {"imaginary": {"country": "ba", "timezone": "Europe/Nowhere"}}}',
     ["1:26: feeds.imaginary.country: no country \"ba\": expected two capital letters; such as BA",
      "1:43: feeds.imaginary.timezone: "]),
    ('{"feeds": {"imaginary": {"country": "XX"}, "swedbank-ee": {"country": "UK"}}}',
     ["1:26: feeds.imaginary.country: no country has the code \"XX\"; such as LT",
      "1:60: feeds.swedbank-ee.country: no country has the code \"UK\"; such as GB"]),
    ('{"feeds": {"imaginary": {"zone": "Europe/Nowhere", "timezone": "Europe/Sarajevo"}}}',
     ["1:26: feeds.imaginary.zone: no time zone \"Europe/Nowhere\"",
      "1:52: feeds.imaginary.timezone: the key \"zone\" is set there as well, and takes precedence"]),
    ('{"feeds": []}', ["1:2: feeds: expected an object"]),
    ('{"feeds": {"rates": true}, "limits": 5, "loss": null}',
     ["1:12: feeds.rates: expected an object", "1:28: limits: expected an object", "1:41: loss: expected an object"]),
    ('{"feeds": {"rates": {"headers": ["a"]}}}', ["1:22: feeds.rates.headers: expected an object"]),
    ('{"feeds": {"cities": {"url": "ftp://a/b"}}}', ["1:23: feeds.cities.url: the scheme ftp: is not read"]),
    ('{"feeds": {"cities": {"url": "/nonexistent/list.json"}}}',
     ["1:23: feeds.cities.url: /nonexistent/list.json: open: No such file or directory"]),
    ('{"feeds": {"rates": {"headers": {"Authorization": {"file": "/nonexistent/token"}}}}}',
     ["1:52: feeds.rates.headers.Authorization.file: header Authorization: /nonexistent/token: open: No such file"]),
    ('{"tls": {"caFile": "/nonexistent/ca.pem"}}', ["1:10: tls.caFile: /nonexistent/ca.pem: open: No such file"]),
    ('{"feeds": {"mybank": {"format": "xml", "url": "/dev/null"}}}',
     ["1:23: feeds.mybank.format: expected one of finder, imaginary, geojson, csv, found \"xml\"",
      "1:40: feeds.mybank.url: /dev/null: expected a regular file"]),
    ('{"feeds": {"mybank": {"format": "csv"}}}',
     ["1:23: feeds.mybank.url: missing", "1:23: feeds.mybank.zone: no time zone",
         "1:23: feeds.mybank.country: no country"]),
    ('{"feeds": {"My Bank": {"format": "csv"}}}', ["1:24: feeds.My Bank: not a feed's name"]),
    ('{"feeds": {"rates": {"url": "", "url": "/a"}}}', ["1:33: feeds.rates.url: the key is set twice"]),
]


@pytest.mark.parametrize(("text", "faults"), BROKEN)
def test_every_fault_is_found_with_its_place(tmp_path, text, faults):
    path = configured(tmp_path / "sync.json", text)
    done = check(path)
    assert (done.returncode, done.stdout) == (65, ""), done
    lines = done.stderr.splitlines()
    assert len(lines) == len(faults), done.stderr
    for line, fault in zip(lines, faults, strict=True):
        assert line.startswith(f"citiesd-sync: {path}:{fault}"), done.stderr


def test_variables_missing_files_and_those_in_the_folder_are_checked(tmp_path):
    missing = check(tmp_path / "none.json")
    assert missing.returncode == 74 and "none.json: open: No such file or directory" in missing.stderr
    path = configured(tmp_path / "sync.json", {})
    folder = tmp_path / "sync.d"
    folder.mkdir()
    configured(folder / "b.json", {"limits": {"total": 0}})
    configured(folder / "a.json", "{")
    configured(folder / "ignored.txt", "{")
    done = check(path, CITIES_FEED_CITYS="/a", CITIES_LIMITS_STALL="x")
    assert done.returncode == 65
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [
        f"{folder}/a.json:1:2", f"{folder}/b.json:1:13", "CITIES_FEED_CITYS", "CITIES_LIMITS_STALL"]


def test_a_file_without_certificates_is_found(tmp_path):
    pem = configured(tmp_path / "ca.pem", "no certificate")
    path = configured(tmp_path / "sync.json", {"tls": {"caFile": str(pem)}})
    done = check(path)
    assert done.returncode == 65
    assert f"{path}:1:10: tls.caFile: {pem}: no certificate in the file, which must be PEM" in done.stderr
    configured(pem, "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
    assert check(path).returncode == 0


def test_help_on_a_command_that_does_not_exist_is_wrong_use():
    done = harness.run_sync("help", "nope")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no command 'nope'; there are run, build, " in done.stderr
    assert harness.run_sync("help", "feed", "paint").returncode == 2
    for words in (["help"], ["help", "run"], ["help", "feed", "list"]):
        assert harness.run_sync(*words).returncode == 0, words


@pytest.mark.parametrize("key", ["zone", "timezone"])
def test_the_time_zone_of_a_feed_has_two_names(home, key):
    configured(home["CITIES_SYNC_CONFIG"], {"feeds": {"swedbank-ee": {key: "Europe/Paris"}}})
    assert "time zone: Europe/Paris\n" in feed(home, "show", "swedbank-ee").stdout
    named = {**home, f"CITIES_FEED_SWEDBANK_EE_{key.upper()}": "Europe/Rome"}
    assert "time zone: Europe/Rome\n" in feed(named, "show", "swedbank-ee").stdout


LOCAL = {
    "csv": ("lat,lon,name\n60,24,A\n", "the header row has no column kind"), "geojson": ("{", "the JSON is broken"),
    "rates": ('[{"from": "EUR", "to": "USD", "rate": 1}]', None),
    "transactions": (json.dumps([{"sku": "A", "amount": "1", "currency": "EUR"}] + [{}] * 20),
                     "only 1 of 21 records can be read"), "cities": ("<html>", "expected a JSON array"),
}


@pytest.mark.parametrize("kind", LOCAL)
def test_a_local_source_that_a_refresh_would_refuse_is_found(tmp_path, kind):
    body, problem = LOCAL[kind]
    source, state = tmp_path / "source", tmp_path / "state"
    source.write_text(body)
    name = kind if kind in ("rates", "transactions", "cities") else "mybank"
    own = {"format": kind, "country": "FI", "zone": "Europe/Helsinki"} if name == "mybank" else {}
    path = configured(tmp_path / "sync.json", {"feeds": {name: {"url": str(source), **own}}})
    done = check(path, **{harness.variable(name): None})
    made = harness.run_sync("run", name, CITIES_SYNC_CONFIG=path, CITIES_STATE=state,
                            **{harness.variable(name): None})
    assert (done.returncode == 0) == (made.returncode == 0), (done, made)
    if problem:
        assert done.returncode == 65 and done.stdout == ""
        assert re.match(rf"citiesd-sync: {path}:1:\d+: feeds\.{name}\.url: {source}: .*{problem}", done.stderr), done
        assert problem in made.stderr
    assert not (state / "sources").exists() or not problem


def test_an_invalid_configuration_is_the_answer_of_a_refresh_until_it_is_repaired(tmp_path):
    path = configured(tmp_path / "sync.json", '{"feeds":\n  {,}}')
    rates = configured(tmp_path / "rates.json", [{"from": "EUR", "to": "USD", "rate": "1.1"}])
    fault = f"{path}:2:4: the JSON is broken: unexpected \",\""
    server = harness.Server(tmp_path / "server")
    sync = harness.Sync(server, CITIES_SYNC_CONFIG=path, CITIES_FEED_RATES=None).start()
    server.start()
    try:
        assert check(path).stderr == f"citiesd-sync: {fault}\n"
        for _ in range(2):
            begin = time.monotonic()
            with server.wire() as wire:
                outcomes = wire.call("refresh")["feeds"]
            assert {(outcome["outcome"], outcome["error"]) for outcome in outcomes} == {("failed", fault)}
            assert time.monotonic() - begin < 15, "it waits for nothing"
        done = server.ctl("refresh")
        assert done.returncode == 69 and fault in done.stdout + done.stderr, done
        assert f"invalid configuration: {fault}" in server.ctl("status", "--output", "table").stdout
        assert f"the configuration is invalid: {fault}" in server.ctl("bank", "list").stderr
        assert sync.process.poll() is None
        assert (sync.log.read_text() + server.log.read_text()).count(fault) == 1, "one line, however often it is asked"
        configured(path, {"feeds": {"rates": {"url": str(rates)}}})
        with server.wire() as wire:
            assert wire.call("refresh", feeds=["rates"])["feeds"][0]["outcome"] == "imported"
        assert "sync: ok" in server.ctl("status", "--output", "table").stdout
        # A fault that comes while it runs is answered as well; the data stays.
        configured(path, {"feeds": {"rates": {"interval": 5}}})
        with server.wire() as wire:
            outcome = wire.call("refresh", feeds=["rates"])["feeds"][0]
        assert outcome["error"] == f"{path}:1:22: interval of feed rates: expected 60 to 31536000 seconds, found \"5\""
        assert outcome["records"] == 1 and "as_of" in outcome
    finally:
        server.stop()
        sync.stop()


# citiesctl feed.


@pytest.fixture
def home(tmp_path):
    """Variables of a user with a configuration folder of their own."""
    return {"CITIES_SYNC_CONFIG": configured(tmp_path / "sync.json", {}), "CITIES_STATE": tmp_path / "state"} | {
        harness.variable(feed): None for feed in harness.REMOTE_FEEDS}


def feed(home, *words):
    return harness.ctl("feed", *words, variables=home)


def test_feeds_are_listed_shown_and_switched(home, tmp_path):
    listed = {line.split("\t")[0]: line.split("\t")[1:] for line in feed(home, "list").stdout.splitlines()}
    assert list(listed) == harness.feeds()
    assert listed["swedbank-lv"] == ["on", "finder", "https://ib.swedbank.lv/finder.json"]
    assert listed["cities"] == ["off", "cities", ""]
    dropped = tmp_path / "sync.d" / "feed-swedbank-ee.json"
    assert feed(home, "disable", "swedbank-ee").stdout == f"swedbank-ee: off (wrote {dropped})\n"
    assert json.loads(dropped.read_text()) == {"feeds": {"swedbank-ee": {"url": ""}}}
    assert "state: off\n" in feed(home, "show", "swedbank-ee").stdout
    assert feed(home, "disable", "swedbank-ee").stdout == "swedbank-ee: off already\n"
    assert feed(home, "enable", "swedbank-ee").returncode == 0
    assert not dropped.exists()
    shown = feed(home, "show", "swedbank-ee").stdout
    for line in ("state: on", "format: finder", "source: https://www.swedbank.ee/finder.json", "country: EE",
                 "time zone: Europe/Tallinn", "interval: 3600 s", "header: Cookie: Swedbank-Embedded=iphone-app"):
        assert f"{line}\n" in shown
    assert feed(home, "enable", "imaginary", "https://bank.example/?token=s3cret").returncode == 0
    assert "source: https://bank.example/?…\n" in feed(home, "show", "imaginary").stdout


def test_the_list_of_feeds_has_every_format(home):
    plain = feed(home, "list").stdout
    assert feed(home, "list", "--output", "tsv").stdout == plain
    rows = [json.loads(line) for line in feed(home, "list", "--output", "jsonl").stdout.splitlines()]
    assert rows[0] == {"feed": "cities", "state": "off", "format": "cities"}
    assert rows[2] == {
        "feed": "swedbank-lv", "state": "on", "format": "finder", "source": "https://ib.swedbank.lv/finder.json"}
    assert feed(home, "list", "--output", "csv").stdout.splitlines()[0] == "feed,state,format,source"
    assert feed(home, "list", "--columns", "feed").stdout.splitlines() == harness.feeds()
    assert json.loads(feed(home, "list", "--output", "json").stdout)["total"] == len(rows)
    assert feed(home, "show", "rates", "--output", "json").returncode == 2


WRONG = [
    ([], "missing argument: list, show, enable or disable"), (["paint", "rates"], "unknown argument: 'paint'"),
    (["show"], "'feed show' needs the name of a feed"), (["list", "rates"], "too many arguments for 'feed list'"),
    (["disable", "a", "b"], "too many arguments for 'feed disable'"), (["--forget", "enable", "a"], "--forget is for"),
    (["show", "moons"], "there is no feed \"moons\"; there are cities, "),
    (["show", "--", "-x"], "there is no feed \"-x\""),
    (["enable", "rates", "ftp://a"], "the scheme ftp: is not read"),
    (["enable", "imaginary"], "has no source of its own"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_words_are_the_clients_own_errors(home, words, message):
    done = feed(home, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("citiesctl: ") and message in done.stderr
    assert "citiesd-sync" not in done.stderr
    error = json.loads(feed(home, "list", "moons", "--output", "json").stderr)["error"]
    assert (error["code"], error["exit"]) == ("usage", 2)


def test_what_has_no_effect_is_reported(home):
    overridden = feed({**home, "CITIES_FEED_RATES": "/r"}, "disable", "rates")
    assert overridden.returncode == 4 and "CITIES_FEED_RATES overrides it" in overridden.stderr


def test_a_local_source_must_be_there(home, tmp_path):
    missing = feed(home, "enable", "rates", tmp_path / "rates.json")
    assert missing.returncode == 74 and f"{tmp_path}/rates.json: there is no such file" in missing.stderr
    assert not (tmp_path / "sync.d").exists()
    assert feed(home, "enable", "rates", tmp_path).returncode == 65
    (tmp_path / "rates.json").write_text("[]")
    assert feed(home, "enable", "rates", tmp_path / "rates.json").returncode == 0
    assert feed(home, "enable", "rates").stdout == "rates: on already\n"
    (tmp_path / "rates.json").unlink()
    gone = feed(home, "enable", "rates")
    assert gone.returncode == 74 and "there is no such file" in gone.stderr


@pytest.mark.parametrize("text", ["{", "[]", '{"feeds": {"rates": {"interval": 5}}}', "\x00"])
def test_a_broken_file_does_not_keep_a_feed_from_being_switched(home, tmp_path, text):
    folder = tmp_path / "sync.d"
    folder.mkdir()
    dropped = configured(folder / "feed-rates.json", text)
    assert feed(home, "list").returncode == 65
    assert feed(home, "disable", "cities").returncode == 65, "another feed's switch cannot repair it"
    assert feed(home, "disable", "rates").stdout == f"rates: off (wrote {dropped})\n"
    configured(dropped, text)
    assert feed(home, "enable", "rates").stdout == f"rates: on (removed {dropped})\n"
    configured(dropped, text)
    assert feed(home, "enable", "rates", "https://bank.example/r").returncode == 0
    assert "https://bank.example/r" in feed(home, "list").stdout
    # A fault elsewhere stays a fault, and nothing is written.
    dropped.unlink()
    configured(home["CITIES_SYNC_CONFIG"], text)
    assert feed(home, "disable", "rates").returncode == 65
    assert not dropped.exists()


def test_going_back_to_the_installed_list_is_one_command(tmp_path):
    own = harness.write_list(tmp_path / "own.json", [harness.record(1, "Ys on the Sea")])
    server = harness.Server(tmp_path / "server")
    home = {"CITIES_SYNC_CONFIG": configured(tmp_path / "sync.json", {"feeds": {"cities": {"url": str(own)}}}),
            "CITIES_STATE": server.state}
    sync = harness.Sync(server, **home).start()
    server.start()
    try:
        until(lambda: server.ctl("search", "Ys on the Sea").returncode == 0, what="the own list")
        done = feed(home, "disable", "--forget", "cities")
        assert done.returncode == 0, done.stderr
        until(lambda: server.ctl("search", "Tallinn").returncode == 0, what="the installed list")
        assert server.ctl("search", "Ys on the Sea").returncode == 1
        assert not (server.state / "cities.index").exists()
        assert "own.json" not in server.ctl("status").stdout
    finally:
        server.stop()
        sync.stop()


@pytest.fixture
def served(tmp_path, home):
    """A server whose sync service has the configuration of `home`."""
    server = harness.Server(tmp_path / "server")
    sync = harness.Sync(server, **home | {"CITIES_STATE": server.state}).start()
    server.start()
    until(lambda: server.ctl("status", "--output", "json").stdout.count('"source"') == len(harness.REMOTE_FEEDS),
          what="the reports")
    yield server
    server.stop()
    sync.stop()


def states(server, **variables):
    done = server.ctl("feed", "list", variables=variables)
    assert done.returncode == 0, done
    return {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.splitlines()}


def test_the_list_is_that_of_the_server_that_answers(tmp_path, served):
    own = {"CITIES_SYNC_CONFIG": configured(tmp_path / "own.json", {"feeds": {"imaginary": {"url": "/own"}}})}
    listed = states(served, **own)
    assert list(listed) == harness.feeds()
    assert listed["swedbank-lv"] == ["on", "finder", "https://ib.swedbank.lv/finder.json"]
    assert listed["imaginary"] == ["off", "imaginary", ""]
    # Formats come from the configuration, which may be broken.
    configured(own["CITIES_SYNC_CONFIG"], "{")
    assert states(served, **own)["swedbank-lv"] == ["on", "", "https://ib.swedbank.lv/finder.json"]


def test_a_switch_is_reported_at_once(home, served):
    home = home | {"CITIES_STATE": served.state}
    assert states(served)["rates"][0] == "on"
    assert feed(home, "disable", "rates").stderr == ""
    until(lambda: states(served)["rates"][0] == "off", what="the report of a feed that is off")
    assert feed(home, "enable", "rates", "https://bank.example/r").stderr == ""
    until(lambda: states(served)["rates"][2] == "https://bank.example/r", what="the report of the new source")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users")
def test_a_feed_of_another_users_server_is_not_switched_in_vain(tmp_path, served):
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "citiesd-sync").symlink_to(harness.BIN / "citiesd-sync")
    own = {"HOME": folder, "CITIES_SOCKET": served.socket}
    for words, command in [
        (["disable", "rates"], "disable rates"), (["enable", "imaginary", "/a b"], "enable imaginary '/a b'"),
        (["disable", "--forget", "cities"], "disable cities --forget"),
    ]:
        refused = harness.without_rights("citiesctl", "feed", *words, folder=folder, **own)
        assert (refused.returncode, refused.stdout) == (77, ""), refused
        assert refused.stderr == (
            f"citiesctl: the server on {served.socket} does not have your configuration\n"
            f"to change the one that it has: sudo citiesctl feed {command}\n")
    assert not list(folder.rglob("*.json"))
    listed = harness.without_rights("citiesctl", "feed", "list", folder=folder, **own)
    assert "rates\ton\t" in listed.stdout, listed
    # A file that is named is meant.
    named = configured(folder / "named.json", {})
    (folder / "named.d").mkdir()
    (folder / "named.d").chmod(0o777)
    own |= {"CITIES_SYNC_CONFIG": named}
    words = ["enable", "imaginary", "https://bank.example/"]
    done = harness.without_rights("citiesctl", "feed", *words, folder=folder, **own)
    assert done.stdout == f"imaginary: on (wrote {folder}/named.d/feed-imaginary.json)\n", done


# Secrets.

SECRET = "https://bank.example/r?token=s3cret"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("program", ["citiesctl", "citiesd-sync"])
def test_a_url_is_read_from_standard_input(home, tmp_path, program):
    def enable(text):
        return subprocess.run(
            [harness.BIN / program, "feed", "enable", "rates", "-"], input=text, capture_output=True, text=True,
            env=harness.environment(**home, CITIES_SOCKET="/nonexistent"), timeout=30, check=False)

    dropped = tmp_path / "sync.d/feed-rates.json"
    for text in ("", "\n", f"{SECRET}\n{SECRET}\n"):
        done = enable(text)
        assert done.returncode == 2, done
        assert done.stderr == f"{program}: standard input: expected one line with a URL or a path\n"
    done = enable("ftp://bank.example/?s3cret\n")
    assert done.returncode == 2 and "s3cret" not in done.stderr, done
    assert not dropped.exists()
    for text in (SECRET, SECRET + "\n", SECRET + "\r\n"):
        done = enable(text)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"rates: on (wrote {dropped})\n", ""), done
        assert json.loads(dropped.read_text()) == {"feeds": {"rates": {"url": SECRET}}}
        assert mode(dropped) & 0o007 == 0


def test_no_other_program_sees_a_url_from_standard_input(home, tmp_path):
    """Neither the arguments nor the variables of a process have it, and no file is open to others for a moment."""
    log = tmp_path / "calls"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-s", "999", "-v", "-e", "trace=execve,openat,fchmod,chmod", "-o", log,
         harness.BIN / "citiesctl", "feed", "enable", "rates", "-"], input=SECRET, capture_output=True, text=True,
        env=harness.environment(**home, CITIES_SOCKET="/nonexistent"), timeout=60, check=False)
    assert done.returncode == 0, done
    text = log.read_text()
    assert len(re.findall(r"execve\(.*\) = 0", text)) >= 2 and "s3cret" not in text
    opened = r'"\.feed-rates\.json\.\w+\.tmp", [^,]*O_CREAT[^,]*, (0\d+)\) = \d+\n'
    made = re.findall(opened + r".*fchmod\(\d+, (0\d+)\)", text)
    assert len(made) == 1 and all(int(each, 8) & 0o007 == 0 for each in made[0]), text


@pytest.mark.parametrize("secret", ["url", "token"])
def test_a_file_that_is_too_open_is_named_with_the_command_that_closes_it(home, tmp_path, secret):
    token, path = tmp_path / "a token", home["CITIES_SYNC_CONFIG"]
    token.write_text("Bearer s3cret\n")
    headers = {} if secret == "url" else {"Authorization": {"file": str(token)}}
    configured(path, {"feeds": {"rates": {"url": SECRET if secret == "url" else "/dev/null", "headers": headers}}})
    exposed, closed = (token, path) if secret == "token" else (path, token)
    exposed.chmod(0o644)
    closed.chmod(0o600)
    for _ in range(2):
        faults = [line for line in check(**home).stderr.splitlines() if "every user can read" in line]
        assert len(faults) == 1 and check(**home).returncode == 65, faults
        words, _, command = faults[0].partition(f": every user can read {exposed}; ")
        assert command and words.startswith(f"citiesd-sync: {path}:1:"), faults
        findings = [json.loads(line) for line in feed_doctor(home) if "every user can read" in line]
        assert [(found["state"], found["remedy"]) for found in findings] == [("wrong", command)], findings
        assert "s3cret" not in faults[0] + findings[0]["message"]
    subprocess.run(["sh", "-c", command], check=True, timeout=10)
    assert mode(exposed) == (0o640 if command.startswith("chgrp cities ") else 0o600)
    assert "every user can read" not in check(**home).stderr + "".join(feed_doctor(home))


def feed_doctor(home):
    return harness.ctl("doctor", "--output", "jsonl", variables={**home, "CITIES_SOCKET": None}).stdout.splitlines()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users")
@pytest.mark.parametrize("closed", ["sync.d/feed-rates.json", "sync.d/other.json", "sync.json", "sync.d"])
def test_who_may_not_read_a_file_sees_the_feeds(home, tmp_path, closed):
    configured(home["CITIES_SYNC_CONFIG"], {"feeds": {"cities": {"url": "/srv/cities.json"}}})
    assert feed(home, "enable", "rates", SECRET).returncode == 0
    assert mode(tmp_path / "sync.d/feed-rates.json") & 0o007 == 0
    configured(tmp_path / "sync.d/other.json", {"feeds": {"imaginary": {"url": "/srv/imaginary.json"}}})
    (tmp_path / "sync.d/feed-rates.json").chmod(0o644)
    (tmp_path / closed).chmod(0o700)
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / "citiesd-sync").symlink_to(harness.BIN / "citiesd-sync")
    own = {**home, "HOME": folder, "CITIES_SOCKET": None}
    listed = harness.without_rights("citiesctl", "feed", "list", folder=folder, **own)
    assert (listed.returncode, listed.stderr) == (0, ""), listed
    sources = {line.split("\t")[0]: line.split("\t")[3] for line in listed.stdout.splitlines()}
    assert list(sources) == harness.feeds() and "s3cret" not in listed.stdout
    hidden = {name for name, source in sources.items() if source == "source not readable"}
    known = {"sync.d/feed-rates.json": set(sources) - {"rates"}, "sync.d/other.json": {"rates"},
             "sync.json": {"rates", "imaginary"}, "sync.d": set()}[closed]
    if closed == "sync.d/other.json":
        known = set()  # It comes after the file of the feed, so that it could set any source.
    assert hidden == set(sources) - known
    shown = harness.without_rights("citiesctl", "feed", "show", "rates", folder=folder, **own)
    assert (shown.returncode, shown.stderr) == (0, ""), shown
    expected = "source not readable" if "rates" in hidden else "https://bank.example/r?…"
    assert f"state: on\n" in shown.stdout and f"source: {expected}\n" in shown.stdout
    # A service needs every file.
    refused = harness.without_rights("citiesd-sync", "run", folder=folder / "..", **own)
    assert refused.returncode == 77 and "Permission denied" in refused.stderr, refused


# Feeds of one's own.


@pytest.fixture
def source():
    upstream = Upstream()
    yield upstream
    upstream.stop()


def test_own_feeds_of_every_format_are_served_beside_the_others(tmp_path, source, small_index):
    bodies = {"my-csv": ("csv", CSV), "my-points": ("geojson", POINTS), "my-finder": ("finder", finder("FI", 4)),
              "my-other": ("imaginary", imaginary(3))}
    source.answers = {f"/{name}": good(body) for name, (_, body) in bodies.items()}
    feeds = {name: {"format": kind, "url": source.url(f"/{name}"), "country": "FI", "zone": "Europe/Helsinki"}
             for name, (kind, _) in bodies.items()}
    server = harness.Server(tmp_path / "server")
    (server.state / "cities.index").write_bytes(small_index.read_bytes())
    path = configured(tmp_path / "sync.json", {"feeds": feeds})
    assert check(path).returncode == 0
    sync = harness.Sync(server, CITIES_SYNC_CONFIG=path).start()
    server.start()
    try:
        names = sorted(bodies)
        until(lambda: [line["feed"] for line in reports(server)][-4:] == names, what="the own feeds in the reports")
        assert source.asked == []
        done = server.ctl("bank", "list", "--bank", "my-csv", "--output", "json")
        until(lambda: {asked.path[1:] for asked in source.asked} == set(bodies), what="requests")
        until(lambda: all(report.get("records") for report in reports(server)[-4:]), what="data")
        counts = {report["feed"]: [report[key] for key in ("read", "records", "skipped")]
            for report in reports(server)[-4:]}
        assert counts == {"my-csv": [5, 3, 2], "my-finder": [4, 4, 0], "my-other": [3, 3, 0], "my-points": [3, 3, 0]}
        done = server.ctl("bank", "list", "--bank", "my-csv", "--output", "json")
        assert "Keskusta" in done.stdout and "Europe/Helsinki" in done.stdout, done
        assert {row["country_name"] for row in json.loads(done.stdout)["rows"]} == {"Finland"}
        named = server.ctl("bank", "list", "--bank", "my-csv", "--country", "finland", "--count")
        assert named.stdout == "3\n"
        with server.wire() as wire:
            rows = {row["location"].get("name"): row["location"]
                    for row in wire.call("bank.list", filter={"bank": "my-csv"}, limit=10)["rows"]}
            assert rows["Keskusta"]["address"].startswith('Aleksi "1",')
            assert len(rows["Keskusta"]["hours"]) == 5 and len(rows["Asema"]["hours"]) == 7
            outcome = wire.call("refresh", feeds=["my-points"])["feeds"]
            assert [entry["outcome"] for entry in outcome] == ["reused"]
        assert len(source.asked) == 4
        # A feed that is taken out of the configuration takes its locations along.
        configured(path, {"feeds": {name: feeds[name] for name in ("my-points", "my-finder")}})
        server.ctl("refresh", "--force")
        until(lambda: server.ctl("bank", "list", "--bank", "my-csv").returncode != 0, what="the end of the feed")
        assert [report["feed"] for report in reports(server)][-2:] == ["my-finder", "my-points"]
    finally:
        server.stop()
        sync.stop()


def reports(server):
    with server.wire() as wire:
        return wire.call("status")["feeds"]


def test_more_own_feeds_than_are_asked_for_at_once_are_brought_up_to_date(tmp_path):
    feeds, count = {}, 40
    for n in range(count):
        file = tmp_path / f"{n}.csv"
        file.write_text(f"lat,lon,kind,name\n60.{n:02},24.9,atm,Machine {n}\n")
        feeds[f"bank-{n}"] = {"format": "csv", "url": str(file), "country": "FI", "zone": "Europe/Helsinki"}
    server = harness.Server(tmp_path / "server")
    sync = harness.Sync(server, CITIES_SYNC_CONFIG=configured(tmp_path / "sync.json", {"feeds": feeds})).start()
    server.start()
    try:
        until(lambda: sum(report.get("records", 0) for report in reports(server)) == count, 120, "all locations")
        with server.wire() as wire:
            assert wire.call("bank.list", limit=0)["total"] == count
    finally:
        server.stop()
        sync.stop()


# The manual's examples.


def examples(page):
    """The literal blocks of a page that are marked by a comment, with the mark."""
    text = (MAN / page).read_text()
    return re.findall(r'^\.\\" test: (\S+)\n\.Bd -literal[^\n]*\n(.*?)^\.Ed$', text, re.MULTILINE | re.DOTALL)


def test_every_literal_block_is_marked():
    for page in ("sync.json.5", "cities-formats.5"):
        assert len(examples(page)) == (MAN / page).read_text().count(".Bd -literal") > 0


@pytest.mark.parametrize("example", [text for kind, text in examples("sync.json.5") if kind == "sync.json"])
def test_examples_of_the_configuration_are_right(tmp_path, example):
    for name in ("/srv/mybank.csv", "/etc/cities/rates-token"):
        file = tmp_path / name.rsplit("/", 1)[1]
        file.write_text("lat,lon,kind\n60,24,atm\n" if name.endswith(".csv") else "Bearer 3f9a\n")
        file.chmod(0o600)
        example = example.replace(name, str(file))
    done = check(configured(tmp_path / "sync.json", example))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("kind", "example"), [e for e in examples("cities-formats.5") if e[0] != "commands"])
def test_examples_of_the_formats_are_imported_whole(tmp_path, kind, example):
    file = tmp_path / "example"
    file.write_text(example)
    name = kind if kind in harness.feeds() else "mybank"
    # The countries in which the examples lie.
    country, zone = {"finder": ("EE", "Europe/Tallinn"), "geojson": ("SE", "Europe/Stockholm")}.get(
        kind, ("FI", "Europe/Helsinki"))
    own = {"format": kind, "country": country, "zone": zone} if name == "mybank" else {}
    path = configured(tmp_path / "sync.json", {"feeds": {name: {"url": str(file), **own}}})
    done = harness.run_sync("run", name, CITIES_SYNC_CONFIG=path, CITIES_STATE=tmp_path / "state",
                            **{harness.variable(name): None})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: imported, ") and done.stdout.endswith("0 skipped\n"), done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("example", [text for page in ("sync.json.5", "cities-formats.5")
                                     for kind, text in examples(page) if kind == "commands"])
def test_commands_of_the_manual_do_what_they_say(tmp_path, example, home):
    """With the files of the example in a folder of the test's own, and without sudo, which changes nothing but the
    user.
    """
    path = home["CITIES_SYNC_CONFIG"]
    cities = harness.write_list(tmp_path / "cities.json.gz", [harness.record(1, "Atlantis")])
    for command in example.splitlines():
        command = command.replace("/srv/cities.json.gz", str(cities)).replace("/etc/cities/sync.json", str(path))
        command = command.replace("/tmp/cities.index", str(tmp_path / "out.index")).removeprefix("sudo ")
        done = subprocess.run(
            [harness.BIN / command.split()[0], *command.split()[1:]], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, env=harness.environment(**home), timeout=60, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
