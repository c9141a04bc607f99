"""`citiesctl locate --jobs` and `match --jobs`: private servers share the rows of a table."""

import gzip
import json
import os
import random
import re
import select
import shutil
import signal
import subprocess
import time

import harness
import pytest
from test_locate import answers, positions, write_table
from test_match import gibberish
from test_private_server import Installation

PREFIX = "citiesctl: "
LIMIT = 120
# Of the client with two servers: 21,000 KiB when this gate was set.
MEMORY_MAXIMUM = 40 * 1_024

pytestmark = pytest.mark.usefixtures("no_system_server")


@pytest.fixture
def installation(tmp_path):
    installation = Installation(tmp_path / "installed")
    yield installation
    harness.until(lambda: not installation.servers(), what="the end of the private servers")


def run(installation, verb, source, *arguments, prefix=(), **variables):
    """Runs a verb on a file; its status, output and standard error."""
    with open(source, "rb") as given:
        done = subprocess.run(
            [*prefix, installation.bin / "citiesctl", verb, *harness.patient(*arguments)], stdin=given,
            capture_output=True, env=installation.environment(**variables), timeout=LIMIT, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def start(installation, jobs, **options):
    """Starts `locate` with jobs; the test feeds it through a pipe."""
    return subprocess.Popen(
        [installation.bin / "citiesctl", "locate", *harness.patient("--jobs", jobs)], stdin=subprocess.PIPE,
        env=installation.environment(), **options)


def feed(process, rows):
    process.stdin.write("".join(f"{row}\n" for row in rows).encode())
    process.stdin.flush()


@pytest.fixture(scope="module")
def cities():
    with gzip.open(harness.SHIPPED_LIST) as file:
        return json.load(file)


def test_positions_of_all_cities_have_the_answers_of_one_request_at_a_time(
        installation, shipped_server, cities, tmp_path):
    rows = [f"{city['coord']['lat'] + 0.01:.5f}\t{city['coord']['lon']:.5f}\t{number}"
            for number, city in enumerate(cities) if city["coord"]["lat"] < 89.9]
    random.Random(1).shuffle(rows)
    source = write_table(tmp_path / "rows", rows)
    expected = "".join(f"{line}\n" for line in answers(shipped_server, rows)).encode()
    for jobs in (1, 2, 3, 0):
        status, output, errors = run(installation, "locate", source, "--jobs", jobs)
        assert (status, errors) == (0, "")
        assert output == expected, f"--jobs {jobs}"


def test_names_of_all_cities_have_the_matches_of_one_server(installation, cities, tmp_path):
    names = [f"{city['name']}\t{city['country']}" for city in cities]
    names[5_000::20_000] = ["Nowhereatall\tEE"] * len(names[5_000::20_000])
    source = write_table(tmp_path / "names", names)
    arguments = ("--country-column", "2", "--jobs")
    one = run(installation, "match", source, *arguments, 1)
    assert one[0] == 4 and one[1].count(b"\n") == len(names) and "row 5001: no city: 'Nowhereatall, EE'" in one[2]
    for jobs in (2, 3):
        assert run(installation, "match", source, *arguments, jobs) == one, f"--jobs {jobs}"


def test_faults_of_rows_are_reported_as_without_jobs(installation, tmp_path):
    rows = positions(30_000)
    rows[9] = rows[20_000] = "no degrees\there"
    for form, separator in (("tsv", "\t"), ("csv", ",")):
        source = write_table(tmp_path / form, [row.replace("\t", separator) for row in rows])
        with source.open("a") as file:
            file.write('1,2,"open\n')
        one = run(installation, "locate", source, "--input", form)
        assert run(installation, "locate", source, "--input", form, "--jobs", 2) == one
        assert "row 10" in one[2] if form == "tsv" else one[0] == 65
    empty = write_table(tmp_path / "empty", [])
    assert run(installation, "locate", empty, "--jobs", 2) == (0, b"", "")


def test_no_socket_is_looked_for_and_other_options_are_refused(installation, tmp_path):
    source = write_table(tmp_path / "rows", positions(10))
    alone = run(installation, "locate", source)
    assert run(installation, "locate", source, "--jobs", 2, CITIES_SOCKET="/nonexistent/socket") == alone
    for option, name in ((["--socket", "/nonexistent"], "--socket"), (["--accept-changes"], "--accept-changes")):
        status, _, errors = run(installation, "match", source, "--jobs", 0, *option)
        assert status == 2 and f"--jobs cannot be combined with {name}" in errors


def test_zero_is_a_server_for_each_processor(installation):
    for prefix, count in ((["taskset", "-c", str(min(os.sched_getaffinity(0)))], 1), ([], os.cpu_count())):
        child = subprocess.Popen(
            [*prefix, installation.bin / "citiesctl", "locate", "-j", "0"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=installation.environment())
        feed(child, positions(10))
        assert child.stdout.readline()
        servers = installation.servers()
        child.communicate(timeout=LIMIT)
        assert child.returncode == 0
        # A container may have a quota below its processors.
        assert len(servers) == count or count > 1 and 1 <= len(servers) < count


# The first server opens the list before the second one starts, which then finds another.
SWAPPING = """#!/bin/sh
folder=${0%/*}
if mkdir "$folder/first" 2>/dev/null; then
  echo $$ >"$folder/first/id.new" && mv "$folder/first/id.new" "$folder/first/id"
else
  until grep -q cities.index "/proc/$(cat "$folder/first/id")/maps"; do sleep 0.01; done
  mv "$CITIES_STATE/cities.index.new" "$CITIES_STATE/cities.index"
fi
exec "$folder/real" "$@"
"""


def test_a_list_that_is_replaced_during_the_start_fails_the_job_before_a_row(installation, tmp_path):
    (installation.bin / "citiesd").rename(installation.bin / "real")
    (installation.bin / "citiesd").write_text(SWAPPING)
    (installation.bin / "citiesd").chmod(0o755)
    shutil.copy(harness.PREBUILT, installation.state / "cities.index")
    other = harness.write_list(tmp_path / "other.json", [harness.record(1, "Elsewhere", "YY", 1, 2)])
    assert harness.build_index(other, tmp_path / "other.index").returncode == 0
    shutil.copy(tmp_path / "other.index", installation.state / "cities.index.new")
    status, output, errors = run(installation, "locate", write_table(tmp_path / "rows", positions(50_000)), "-j", 2)
    assert (status, output) == (75, b"")
    assert errors == f"{PREFIX}a private server has opened other data than the first one, after 0 rows; start again\n"


def test_a_server_that_is_killed_is_replaced_and_loses_no_row(installation, shipped_server, tmp_path):
    rows, part = positions(100_000), 20_000
    with (tmp_path / "out").open("wb") as taken:
        child = start(installation, 2, stdout=taken, stderr=subprocess.PIPE)
        for turn, begin in enumerate(range(0, len(rows), part)):
            if turn:
                # Both have answered by now, and rows may be under way to them.
                harness.until(lambda: len(installation.servers()) == 2, what="two servers")
                os.kill(int(installation.servers()[turn % 2].name), signal.SIGKILL)
            feed(child, rows[begin:begin + part])
            harness.until(
                lambda half=begin + part // 2: (tmp_path / "out").read_bytes().count(b"\n") >= half, 60, "half of them")
        _, errors = child.communicate(timeout=LIMIT)
    assert (child.returncode, errors) == (0, b"")
    assert (tmp_path / "out").read_text().splitlines() == answers(shipped_server, rows)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_servers_end_when_the_client_is_interrupted(installation, number):
    child = start(installation, 3, stdout=subprocess.PIPE)
    feed(child, positions(10))
    assert child.stdout.readline() and len(installation.servers()) == 3
    child.send_signal(number)
    child.communicate(timeout=LIMIT)
    assert child.returncode != 0


def test_a_reader_that_stalls_stops_the_work_and_one_that_leaves_ends_it(installation, tmp_path):
    source = write_table(tmp_path / "rows", positions(200_000))
    with source.open("rb") as given:
        child = subprocess.Popen(
            [installation.bin / "citiesctl", "locate", "--jobs", "2"], stdin=given, stdout=subprocess.PIPE,
            env=installation.environment())
        assert select.select([child.stdout], [], [], LIMIT)[0]
        # A few requests are under way, and the table is not read on.
        taken = -1
        while (now := os.lseek(given.fileno(), 0, os.SEEK_CUR)) != taken:
            taken = now
            time.sleep(0.5)
        assert 0 < taken < 4 << 20 < source.stat().st_size and child.poll() is None
        child.stdout.close()
        child.wait(LIMIT)


def test_memory_does_not_grow_with_the_table(installation, tmp_path):
    peaks = []
    for count in (200_000, 800_000):
        source = write_table(tmp_path / "rows", positions(count))
        with open(source, "rb") as given, open(tmp_path / "out", "wb") as taken:
            child = subprocess.Popen(
                [installation.bin / "citiesctl-helper", "locate", "--jobs", "2"], stdin=given, stdout=taken,
                env=installation.environment())
            peak = 0
            while child.poll() is None:
                peak = max(peak, high_water_mark(installation, child.pid))
                time.sleep(0.005)
        assert child.returncode == 0 and (tmp_path / "out").read_bytes().count(b"\n") == count
        peaks.append(peak)
    print(f"peak of the resident set: {peaks[0]} KiB, {peaks[1]} KiB")
    assert peaks[1] < peaks[0] + 4_096 and peaks[1] < MEMORY_MAXIMUM


def high_water_mark(installation, pid):
    """The peak of the client's resident set so far in KiB; 0 for one that has ended or is still the test's."""
    try:
        if os.readlink(f"/proc/{pid}/exe") != str(installation.bin / "citiesctl-helper"):
            return 0
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            found = re.search(r"VmHWM:\s+(\d+)", status.read())
        return int(found[1]) if found else 0
    except OSError:
        return 0


def test_more_servers_than_processors_answer_names_that_take_long(installation, tmp_path):
    names = gibberish(6_000)
    source = write_table(tmp_path / "names", names)
    one = run(installation, "match", source, "--jobs", 2)
    assert one[0] == 4 and one[1].count(b"\n") == len(names)
    assert run(installation, "match", source, "--jobs", 16) == one


def test_all_servers_end_together_after_an_error(installation, tmp_path):
    source = write_table(tmp_path / "names", gibberish(20_000))
    start = time.monotonic()
    status, _, errors = run(installation, "match", source, "--jobs", 16, "--timeout", "0.001")
    assert status == 75 and "no answer" in errors
    # Each may be waited for a second, but one after the other would take 16.
    assert time.monotonic() - start < 15
