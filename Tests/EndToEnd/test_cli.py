"""citiesctl at the command line: every exit code, every way to lose a server, every format."""

import csv
import io
import json
import os
import pty
import resource
import signal
import socket
import struct
import subprocess
import termios
import time

import cbor2
import harness
import pytest
from prometheus_client.parser import text_string_to_metric_families
from harness import ctl
from wire import WireFault


def answering(answer):
    """A peer that answers each request with what `answer` makes of it: an error or a result."""
    def handle(connection):
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
            while len(received) >= 4 and len(received) >= 4 + (length := struct.unpack(">I", received[:4])[0]):
                asked, received = cbor2.loads(received[4:4 + length]), received[4 + length:]
                payload = cbor2.dumps({"id": asked["id"], **answer(asked)}, canonical=True)
                connection.sendall(struct.pack(">I", len(payload)) + payload)
    return handle


def reply_with(**reply):
    """A peer that answers every request with the same error or result."""
    return answering(lambda asked: reply)


def silent(connection):
    """A peer that reads and never answers."""
    while connection.recv(65536):
        pass


def failure(code):
    return reply_with(error={"code": code, "message": f"a peer that says {code}"})


# -- exit codes ------------------------------------------------------------------------------------------------------


def test_0_something_was_found(server):
    assert server.ctl("search", "alb").returncode == 0


def test_1_nothing_was_found(server):
    found = server.ctl("search", "zzz")
    assert (found.returncode, found.stdout) == (1, "")


@pytest.mark.parametrize("arguments", [
    ["search", "--no-such-option"], ["search", "a", "--limit", "x"], ["sing"], ["search", "a", "--limit", "0"],
    ["near", "91,0"], ["search", "a", "--output", "xml"],
])
def test_2_wrong_use(server, arguments):
    used = server.ctl(*arguments)
    assert (used.returncode, used.stdout) == (2, "")
    assert used.stderr


def test_3_an_ambiguous_title_lists_candidates_on_stderr_alone(server):
    shown = server.ctl("show", "Springfield, US")
    assert (shown.returncode, shown.stdout) == (3, "")
    assert "39.8" in shown.stderr and "42.1" in shown.stderr and "5" in shown.stderr and "6" in shown.stderr


def test_3_is_settled_by_a_place_nearby(server):
    shown = server.ctl("show", "Springfield, US", "--near", "40,-90", "--output", "tsv", "--columns", "id")
    assert (shown.returncode, shown.stdout) == (0, "5\n"), shown.stderr


def test_4_some_feeds_failed(peer):
    outcomes = [{"feed": "cities", "outcome": "unchanged"}, {"feed": "more", "outcome": "failed", "error": "no route"}]
    refreshed = ctl("refresh", socket=peer(reply_with(result={"feeds": outcomes})))
    assert refreshed.returncode == 4
    assert "no route" in refreshed.stdout + refreshed.stderr


def test_65_input_that_is_no_text(server):
    shown = subprocess.run(
        [harness.BIN / "citiesctl", "search", b"\xff\xfe"], env=harness.environment(CITIES_SOCKET=server.socket),
        capture_output=True, timeout=30, check=False)
    assert shown.returncode == 65, shown.stderr


def test_69_no_server_says_which_socket_was_tried_and_how_to_start_one(tmp_path):
    asked = ctl("search", "alb", socket=tmp_path / "absent.sock")
    assert (asked.returncode, asked.stdout) == (69, "")
    assert "absent.sock" in asked.stderr
    assert "citiesd" in asked.stderr


def test_69_a_dead_socket(tmp_path):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead.sock"))
    asked = ctl("search", "alb", socket=tmp_path / "dead.sock")
    assert asked.returncode == 69
    assert "dead.sock" in asked.stderr


def test_69_all_feeds_failed(peer):
    outcomes = [{"feed": "cities", "outcome": "failed", "error": "no route"}]
    assert ctl("refresh", socket=peer(reply_with(result={"feeds": outcomes}))).returncode == 69


def test_69_a_server_that_hangs_up(peer):
    assert ctl("search", "alb", socket=peer(lambda connection: connection.recv(10))).returncode == 69


def test_70_a_fault_of_the_server(peer):
    asked = ctl("search", "alb", socket=peer(failure("internal")))
    assert asked.returncode == 70
    assert "a peer that says internal" in asked.stderr


@pytest.mark.parametrize("arguments", [
    ["search", "a"], ["search", "--all", "a"], ["search", "a", "--output", "json"], ["status"], ["introspect"],
])
def test_74_a_full_disk(server, arguments):
    with open("/dev/full", "w") as full:
        written = server.ctl(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert written.returncode == 74
    assert written.stderr.strip()


@pytest.mark.parametrize("arguments", [["search", "--all", "a"], ["locate"]])
def test_74_a_limit_on_the_size_of_files(server, tmp_path, arguments):
    """`ulimit -f`: a message, and not the end by SIGXFSZ without one."""
    rows = tmp_path / "rows"
    rows.write_text("58.4\t26.7\n" * 20_000)
    with open(rows) as given, open(tmp_path / "out", "wb") as taken:
        written = server.ctl(
            *arguments, stdin=given, stdout=taken, stderr=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
    assert (written.returncode, written.stderr) == (74, "citiesctl: standard output: File too large\n")
    assert (tmp_path / "out").stat().st_size == 10


def test_75_a_silent_server_after_two_seconds(peer):
    begin = time.monotonic()
    asked = ctl("search", "alb", socket=peer(silent))
    assert asked.returncode == 75
    assert 1.9 <= time.monotonic() - begin < 10
    assert "2" in asked.stderr


def test_75_a_subject_without_data(empty_server):
    asked = empty_server.ctl("search", "alb", "--wait", "0")
    assert (asked.returncode, asked.stdout) == (75, "")
    assert "cities" in asked.stderr


def test_75_a_busy_server(peer):
    assert ctl("search", "alb", socket=peer(failure("busy"))).returncode == 75


def test_76_a_server_that_speaks_another_protocol(peer):
    def garbage(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    assert ctl("search", "alb", socket=peer(garbage)).returncode == 76
    assert ctl("search", "alb", socket=peer(failure("unknown-method"))).returncode == 76


def test_77_a_socket_that_may_not_be_opened(server):
    server.socket.chmod(0o000)
    asked = harness.without_rights("citiesctl", "search", "alb", folder=server.folder, CITIES_SOCKET=server.socket)
    assert asked.returncode == 77, asked.stderr
    assert str(server.socket) in asked.stderr


def test_130_left_by_the_user(server):
    child = subprocess.Popen(
        [harness.BIN / "citiesctl", "watch"], env=harness.environment(CITIES_SOCKET=server.socket),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with child:
        harness.until(lambda: status(server)["connections"] > 1, what="the watcher's connection")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30)
    assert child.returncode in (130, -signal.SIGINT)


def status(server):
    with server.wire() as wire:
        return wire.call("status")


# -- the rest of the manners -----------------------------------------------------------------------------------------


def test_a_closed_pipe_is_quiet(shipped_server):
    """`citiesctl … | head -1`: the writer stops without a word, whether SIGPIPE is ignored or not."""
    for ignore in ("", "trap '' PIPE; "):
        run = subprocess.run(
            ["bash", "-c", f'{ignore}set -o pipefail; "$CTL" search --all s | head -n 1'], capture_output=True,
            text=True, timeout=30, check=False,
            env=harness.environment(CTL=harness.BIN / "citiesctl", CITIES_SOCKET=shipped_server.socket))
        assert run.stderr == ""
        assert len(run.stdout.splitlines()) == 1
        assert run.returncode in (0, 141), run.returncode


FORMATS = {
    "tsv": lambda text: [line.split("\t")[0] for line in text.splitlines()],
    "json": lambda text: [row["title"] if "title" in row else row["name"] for row in json.loads(text)["rows"]],
    "jsonl": lambda text: [json.loads(line)["name"] for line in text.splitlines()],
    "csv": lambda text: [row["title"] for row in csv.DictReader(io.StringIO(text))],
    "geojson": lambda text: [feature["properties"]["name"] for feature in json.loads(text)["features"]],
    "table": lambda text: text.splitlines(),
}


@pytest.mark.parametrize("output", FORMATS)
def test_every_format_shows_the_same_cities_in_the_same_order(server, output):
    shown = server.ctl("search", "", "--output", output)
    assert shown.returncode == 0, shown.stderr
    names = ["Alabama", "Albuquerque", "Łódź", "São Paulo", "Springfield", "Springfield", "Straße"]
    expected = sorted(names, key=lambda name: name.casefold())
    parsed = [line for line in FORMATS[output](shown.stdout) if any(name in line for name in names)]
    assert len(parsed) == 7
    assert all(name in line for name, line in zip(expected, parsed, strict=True))


def test_errors_are_objects_where_the_answer_would_be_one(server):
    shown = server.ctl("show", "Springfield, US", "--output", "json")
    assert (shown.returncode, shown.stdout) == (3, "")
    assert "ambiguous" in json.dumps(json.loads(shown.stderr))


def test_rows_do_not_depend_on_what_stdout_is(shipped_server):
    piped = shipped_server.ctl("search", "a", "--output", "tsv").stdout.splitlines()
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [harness.BIN / "citiesctl", "search", "a", "--output", "tsv", "--no-pager"], stdin=follower, stdout=follower,
        stderr=subprocess.PIPE, env=harness.environment(CITIES_SOCKET=shipped_server.socket, TERM="xterm"))
    os.close(follower)
    shown = harness.read_terminal(leader)
    child.communicate(timeout=30)
    assert [line.rstrip("\r") for line in shown.decode().splitlines()] == piped
    assert len(piped) == 20


def test_a_cut_is_told_on_stderr(shipped_server):
    cut = shipped_server.ctl("search", "al")
    assert len(cut.stdout.splitlines()) == 20
    assert "20" in cut.stderr


def test_show_takes_an_id_or_a_title(server):
    by_id = server.ctl("show", "3", "--output", "tsv").stdout
    assert by_id == server.ctl("show", "łódź, pl", "--output", "tsv").stdout
    assert by_id.startswith("Łódź, PL\t")


@pytest.mark.parametrize("place", ["-23.5,-46.6", "geo:-23.5,-46.6", "São Paulo, BR", "4"])
def test_near_takes_coordinates_a_uri_a_title_and_an_id(server, place):
    near = server.ctl("near", place, "--limit", "1", "--output", "tsv")
    assert near.returncode == 0, near.stderr
    assert "São Paulo, BR" in near.stdout


def test_all_starts_over_when_the_list_changes_between_two_pages(peer):
    rows = [{"id": n, "lat": 0.0, "lon": 0.0, "name": f"Town {n}", "country": "XX"} for n in range(1, 2_001)]
    state = {"calls": 0}

    def answer(asked):
        if asked["method"] != "city.search":
            return {"error": {"code": "unknown-method", "message": "only searches"}}
        state["calls"] += 1
        params = asked["params"]
        current = "a" * 16 if state["calls"] <= 1 else "b" * 16
        if params.get("generation", current) != current:
            data = {"subject": "cities", "generation": current}
            return {"error": {"code": "stale-generation", "message": "gone", "data": data}}
        offset, limit = params.get("offset", 0), params.get("limit", 20)
        page = rows[offset:offset + limit]
        return {"result": {"rows": page, "total": len(rows), "common": "town ", "generation": current}}

    listed = ctl("search", "--all", "town", "--output", "tsv", "--columns", "id", socket=peer(answering(answer)))
    assert listed.returncode == 0, listed.stderr
    assert [int(line) for line in listed.stdout.splitlines()] == [row["id"] for row in rows]


def test_an_outdated_generation_is_refused_and_never_silently_shifted(server):
    with server.wire() as wire, pytest.raises(WireFault) as fault:
        wire.call("city.search", prefix="a", offset=1, generation="0123456789abcdef")
    assert fault.value.code == "stale-generation"
    assert fault.value.data["generation"] == server.generation()


def test_watch_tells_of_a_new_list(server, tmp_path):
    child = subprocess.Popen(
        [harness.BIN / "citiesctl", "watch", "--output", "jsonl"], stdout=subprocess.PIPE, text=True,
        env=harness.environment(CITIES_SOCKET=server.socket))
    with child:
        harness.until(lambda: status(server)["connections"] > 1, what="the watcher's connection")
        source = harness.write_list(tmp_path / "other.json", [harness.record(1, "Elsewhere")])
        assert harness.build_index(source, tmp_path / "new.index").returncode == 0
        os.rename(tmp_path / "new.index", server.state / "cities.index")
        while (event := json.loads(child.stdout.readline())).get("event") != "changed":
            pass
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=30)
    assert (event["subject"], event["generation"]) == ("cities", server.generation())


def test_an_empty_result_names_the_next_step_on_a_terminal_only(shipped_server):
    assert shipped_server.ctl("search", "sao p").stderr == ""
    shown = typescript("search", "qqq", socket=shipped_server.socket)
    assert shown.startswith('citiesctl: no city starts with "qqq"')


def test_who_types_need_not_type_accents(shipped_server):
    lines = typescript("search", "sao paulo, br", socket=shipped_server.socket).split("\r\n")
    assert lines[1].startswith("São Paulo, BR"), lines
    assert lines[-2] == 'citiesctl: no city starts with "sao paulo, br"; these do if accents are ignored'
    assert shipped_server.ctl("search", "sao paulo, br", "--output", "table").stdout == ""


def test_prometheus_reads_the_status(shipped_server):
    before = shipped_server.ctl("status", "--output", "prometheus")
    # There is no sync service, which is a fault.
    assert before.returncode in (0, 4), before.stderr
    assert shipped_server.ctl("call", "city.get", '{"id": 1}').returncode == 1
    after = shipped_server.ctl("status", "--output", "prometheus").stdout
    families = [{family.name: family for family in text_string_to_metric_families(text)}
                for text in (before.stdout, after)]

    def value(page, name):
        return families[page][f"citiesd_{name}"].samples[0].value

    assert families[1].keys() == families[0].keys() and len(families[0]) >= 14
    assert all(family.documentation and family.type in ("counter", "gauge") for family in families[0].values())
    assert value(1, "requests") - value(0, "requests") == 2
    assert value(1, "request_errors") - value(0, "request_errors") == 1
    assert value(1, "connections_accepted") - value(0, "connections_accepted") == 2
    assert value(1, "users") == 1 and 1 << 20 < value(1, "memory_bytes") < 1 << 30
    assert families[1]["citiesd_subject_records"].samples[0].labels == {"subject": "cities"}
    assert families[1]["citiesd_subject_generation"].samples[0].labels["generation"] == shipped_server.generation()


def test_the_client_finds_the_socket_of_its_user_before_the_systems(server, tmp_path):
    runtime = tmp_path / "runtime" / "cities"
    runtime.mkdir(parents=True)
    os.symlink(server.socket, runtime / "citiesd.sock")
    shown = ctl("search", "--count", "alb", socket="", variables={"XDG_RUNTIME_DIR": tmp_path / "runtime"})
    assert (shown.returncode, shown.stdout) == (0, "1\n"), shown.stderr


# -- what a server says on a terminal --------------------------------------------------------------------------------

HOSTILE = "x\x1b]0;title\x07\x1b[2J\x9b31m\u202ey\x00"
CITY = {"id": 1, "lat": 1.0, "lon": 2.0, "name": HOSTILE, "country": HOSTILE}


def hostile(connection):
    """A peer that puts control characters into every text."""
    answers = {
        "introspect": {"schema": f"a = 1\n{HOSTILE}", "methods": [HOSTILE], "protocols": [1], "server": HOSTILE},
        "city.search": {"rows": [CITY], "total": 1, "common": "", "generation": "00000000000000aa"}}
    received = b""
    while chunk := connection.recv(65536):
        received += chunk
        while len(received) >= 4 and len(received) >= 4 + (length := struct.unpack(">I", received[:4])[0]):
            asked, received = cbor2.loads(received[4:4 + length]), received[4 + length:]
            refused = (asked["params"].get("prefix") or "").startswith("refuse")
            body = {"error": {"code": HOSTILE, "message": HOSTILE}} if refused else {"result": answers[asked["method"]]}
            payload = cbor2.dumps({"id": asked["id"], **body}, canonical=True)
            connection.sendall(struct.pack(">I", len(payload)) + payload)


def typescript(*arguments, socket, typed="", columns=0):
    """What citiesctl writes to a terminal, whose width is unknown unless it is given."""
    leader, follower = pty.openpty()
    if columns:
        termios.tcsetwinsize(follower, (24, columns))
    ctl(*arguments, socket=socket, input=typed, stdout=follower, stderr=follower, variables={"NO_COLOR": "1"})
    os.close(follower)
    return harness.read_terminal(leader).decode()


def test_words_without_a_command_find_a_city_at_a_terminal(shipped_server):
    leader, follower = pty.openpty()
    asked = {"socket": shipped_server.socket, "stdin": follower, "stdout": follower, "stderr": subprocess.PIPE}
    found = ctl("munchen", **asked)
    refused = [ctl("shwo", "munchen", **asked), ctl("weather", "--limit", "1", **asked)]
    assert ctl("munchen", "--limit", "1", **asked).returncode == 0
    os.close(follower)
    written = os.read(leader, 65536).decode()
    os.close(leader)
    assert found.returncode == 0 and "Munich, DE" in written.split("\r\n")[1], (written, found.stderr)
    assert [(each.returncode, "no such command" in each.stderr) for each in refused] == [(2, True)] * 2
    piped = shipped_server.ctl("munchen")
    assert (piped.returncode, piped.stdout) == (2, "") and "did you mean 'citiesctl find munchen'?" in piped.stderr


def test_a_note_does_not_repeat_what_a_table_says(shipped_server):
    lines = typescript("time", "kiev", socket=shipped_server.socket).split("\r\n")
    assert lines[0].startswith("TITLE") and lines[1].startswith("Kyiv, UA") and lines[2:] == [""], lines
    page = typescript("show", "kiev", socket=shipped_server.socket)
    assert page.startswith("Kyiv, UA\r\n") and "resolved" not in page
    distance = typescript("distance", "kiev", "lviv", socket=shipped_server.socket).split("\r\n")
    assert distance[0].startswith("FROM") and distance[1].startswith("Kyiv, UA") and distance[2:] == [""], distance
    for words in (["show", "kiev"], ["time", "kiev"], ["distance", "kiev", "lviv"]):
        assert "resolved to Kyiv, UA" in shipped_server.ctl(*words).stderr


def test_cities_to_choose_from_are_a_table_on_a_terminal(shipped_server):
    lines = typescript("show", "springfield", socket=shipped_server.socket).split("\r\n")
    assert lines[0].split() == ["TITLE", "REGION", "POPULATION", "ID", "LAT", "LON"]
    assert lines[1].split() == ["Springfield,", "US", "Missouri", "170,188", "4409896", "37.21533", "-93.29824"]
    assert len({line.index(", US") for line in lines[1:11]}) == 1 and "\t" not in "".join(lines)
    # The sentence is below ten rows, not scrolled away.
    assert lines[11].startswith('citiesctl: 34 cities are called "springfield"')
    assert lines[-3:-1] == ["citiesctl: 24 more are not listed", "for example: citiesctl show 4409896"]
    shown = shipped_server.ctl(*lines[-2].split()[3:], "--columns", "title,id")
    assert shown.stdout == "Springfield, US\t4409896\n"


def test_cities_to_choose_from_have_the_name_that_was_found(shipped_server):
    lines = typescript("show", "krasnoarmeysk", socket=shipped_server.socket).split("\r\n")
    assert lines[0].split()[:5] == ["TITLE", "REGION", "POPULATION", "ID", "MATCHED"]
    matched = {line.split(",")[0]: line.count("Krasnoarme") for line in lines[1:7]}
    assert matched["Krasnoarmeysk"] == 1 and matched["Pokrovsk"] == 1, lines


@pytest.mark.parametrize("arguments", [
    ["show", "zzqqx yyqqx zzqqx yyqqx zzqqx yyqqx"], ["show", "springfield"], ["call", "city.get", "{}"],
    ["rate", "convert", "1"], [], ["watch", "--socket", "/nonexistent/a/socket"], ["search", "--limit", "1", "a"]],
    ids=" ".join)
def test_lines_break_between_words_on_a_terminal(shipped_server, arguments):
    narrow, wide = (typescript(*arguments, socket=shipped_server.socket, columns=columns) for columns in (50, 0))
    assert max(map(len, wide.split("\r\n"))) > 50
    lines = narrow.split("\r\n")
    assert [line for line in lines if len(line) > 50 and " " in line.strip()] == []
    # A table has fewer columns where there is less room.
    assert "TITLE" in wide or narrow.split() == wide.split()


@pytest.mark.parametrize("arguments", [["status"], ["status", "-v"], ["doctor"]], ids=" ".join)
def test_so_do_pages_for_people_but_for_commands_to_copy(shipped_server, arguments):
    written = typescript(*arguments, socket=shipped_server.socket, columns=30)
    # A line of progress is drawn over the one before it.
    lines = [line.lstrip("\r") for line in written.replace("\x1b[K", "\r\n").split("\r\n")]
    assert len(lines) > 5
    assert [line for line in lines if len(line) > 30 and " " in line.strip() and "help: " not in line] == []


@pytest.mark.parametrize("arguments, typed", [
    (["introspect"], ""), (["introspect", "--methods"], ""), (["search", "a"], ""), (["search", "a", "-o", "tsv"], ""),
    (["search", "a", "-o", "tsv", "--null"], ""), (["search", "refuse"], ""), (["session"], "a\nrefuse\n")],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_nothing_that_a_server_says_acts_on_a_terminal(peer, arguments, typed):
    written = typescript(*arguments, socket=peer(hostile), typed=typed)
    assert "x\\u001b]0;title" in written
    ends = "\r\n\t" + ("\0" if "--null" in arguments else "")
    assert not {sign for sign in written if not sign.isprintable()} - set(ends), ascii(written)


@pytest.mark.parametrize("words", [["& zzzzqqqx"], ["& ' zzzzqqqx"], ["--country", "ee", "+ zzzzqqqx"]])
def test_words_without_letters_are_not_suggested(shipped_server, words):
    found = shipped_server.ctl("find", *words)
    assert (found.returncode, found.stdout) == (1, "") and "no city is called" in found.stderr


@pytest.mark.parametrize(
    "words", [["-V"], ["find", "-V"], ["find", "-V", "kyiv"], ["bank", "near", "-V"], ["--version"]])
def test_the_version_is_printed_wherever_it_is_asked_for(words):
    printed = harness.ctl(*words)
    assert (printed.returncode, printed.stderr) == (0, "") and printed.stdout.startswith("citiesctl ")


@pytest.mark.parametrize("command", [["near"], ["here"]])
def test_a_position_is_the_same_however_its_numbers_are_divided(shipped_server, tmp_path, command):
    answers = {
        shipped_server.ctl(*command, *words, variables={"HOME": tmp_path, "XDG_CONFIG_HOME": tmp_path}).stdout
        for words in (["59.437", "24.7536"], ["59.437 24.7536"], ["59.437,24.7536"])}
    assert len(answers) == 1
