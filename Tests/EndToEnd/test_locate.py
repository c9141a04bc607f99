"""`citiesctl locate` from file to file: whatever happens to the server, every row has its answer, once."""

import contextlib
import csv
import gzip
import io
import json
import os
import pty
import random
import re
import select
import shutil
import struct
import subprocess
import threading
import time

import cbor2
import harness
import pytest
from test_instructions import CALLGRIND

# Per 1,000 rows: 1.57 when this gate was set.
SYSTEM_CALLS_MAXIMUM = 5
# Per row: 0.0077 when this gate was set.
ALLOCATIONS_MAXIMUM = 0.05
# Per row, of the client: 3,700 when this gate was set. The server takes about as many, and both work at the same time.
INSTRUCTIONS_MAXIMUM = 4_800
# The same with a header, where all values of a row are counted: 3,795 when this gate was set.
HEADER_INSTRUCTIONS_MAXIMUM = 4_900
# The same of `citiesctl match`: 13,004 when this gate was set, 34,390 with replies decoded as their type.
NAME_INSTRUCTIONS_MAXIMUM = 16_500


def positions(count, seed=7):
    """Rows of a table: degrees on land and sea, and a column that is the caller's."""
    numbers = random.Random(seed)
    return [f"{numbers.uniform(-60, 72):.5f}\t{numbers.uniform(-180, 180):.5f}\trow {n}" for n in range(count)]


def write_table(path, rows):
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def locate(socket, source, target, *arguments, variables=None, timeout=120, **options):
    """Runs `citiesctl locate` from file to file."""
    with open(source, "rb") as given, open(target, "wb") as taken:
        return subprocess.run(
            [harness.BIN / "citiesctl", "locate", *harness.patient(*arguments)], stdin=given, stdout=taken,
            stderr=subprocess.PIPE, text=True,
            env=harness.environment(CITIES_SOCKET=socket, **(variables or {})), timeout=timeout, check=False, **options)


def answers(server, rows):
    """What `locate` must write, asked for by a client that shares nothing with it."""
    lines = []
    with server.wire(60) as wire:
        for start in range(0, len(rows), 1_000):
            part = rows[start:start + 1_000]
            lat, lon = ([float(row.split("\t")[axis]) for row in part] for axis in (0, 1))
            typed = [cbor2.CBORTag(86, struct.pack(f"<{len(part)}d", *axis)) for axis in (lat, lon)]
            reply = wire.call("city.locate", lat=typed[0], lon=typed[1], rows=True)
            index, metres = (struct.unpack(f"<{len(part)}I", reply[key].value) for key in ("index", "metres"))
            cities = [f"{row['id']}\t{row['name']}, {row['country']}" for row in reply["rows"]]
            lines += [f"{row}\t{cities[place]}\t{far}" for row, place, far in zip(part, index, metres, strict=True)]
    return lines


@pytest.fixture(scope="module")
def table(shipped_server, tmp_path_factory):
    """A table, its file, and its rows with answers."""
    rows = positions(40_000)
    return rows, write_table(tmp_path_factory.mktemp("table") / "rows.tsv", rows), answers(shipped_server, rows)


def test_a_table_keeps_its_rows_and_their_order(shipped_server, table, tmp_path):
    done = locate(shipped_server.socket, table[1], tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out").read_text().splitlines() == table[2]


def test_eight_clients_at_once_write_the_bytes_of_one(shipped_server, table, tmp_path):
    outcomes = {}

    def run(name):
        outcomes[name] = locate(shipped_server.socket, table[1], tmp_path / name)

    threads = [threading.Thread(target=run, args=(f"out{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((done.returncode, done.stderr) == (0, "") for done in outcomes.values())
    expected = "".join(f"{line}\n" for line in table[2])
    assert all((tmp_path / name).read_text() == expected for name in outcomes)


@pytest.fixture
def failing_server(tmp_path):
    """A server of the test's own, on the shipped list, to be killed."""
    server = harness.Server(tmp_path / "failing")
    yield server.start()
    server.stop()


class Running:
    """`citiesctl locate` that is fed through a pipe, so that a test decides how far it is."""

    def __init__(self, server, target, *arguments):
        self.target = target
        with target.open("wb") as taken:
            self.process = subprocess.Popen(
                [harness.BIN / "citiesctl", "locate", *harness.patient(*arguments)], stdin=subprocess.PIPE,
                stdout=taken, stderr=subprocess.PIPE,
                env=harness.environment(CITIES_SOCKET=server.socket))

    def feed(self, rows):
        """Gives it rows; it may have ended."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("".join(f"{row}\n" for row in rows).encode())
            self.process.stdin.flush()

    def wait_for(self, rows):
        """Waits until as many rows are written."""
        harness.until(lambda: self.target.read_bytes().count(b"\n") >= rows, 60, f"{rows} rows")

    def end(self):
        """Ends the table; the exit status and standard error."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        errors = self.process.stderr.read().decode()
        return self.process.wait(60), errors


def other_list(server, folder):
    """Gives the server another list: every city of it is called Elsewhere."""
    cities = [harness.record(n + 1, "Elsewhere", "YY", lat, lon) for n, (lat, lon) in enumerate(
        (lat, lon) for lat in range(-60, 73, 10) for lon in range(-180, 180, 10))]
    put_list(server, harness.write_list(folder / "other.json", cities), folder / "other.index")


def put_list(server, cities, index):
    """Builds an index of a list, for a server to use from its next start on."""
    made = harness.build_index(cities, index)
    assert made.returncode == 0, made.stderr
    shutil.copy(index, server.state / "cities.index.new")
    os.replace(server.state / "cities.index.new", server.state / "cities.index")


def test_a_server_that_is_killed_again_and_again_loses_no_row(failing_server, table, tmp_path):
    target = tmp_path / "out"
    running = Running(failing_server, target)
    for part in range(8):
        running.feed(table[0][5_000 * part:5_000 * (part + 1)])
        if part == 0:
            # A client that has not connected yet would find no server.
            running.wait_for(1)
        if part % 2:
            # Once while rows are under way, once after all of them are answered.
            running.wait_for(5_000 * part)
        failing_server.stop(9)
        time.sleep(0.05 * (part % 3))
        failing_server.start()
    assert running.end() == (0, "")
    assert target.read_text().splitlines() == table[2]


@pytest.mark.parametrize("accepts", [False, True])
def test_rows_of_two_lists_are_never_mixed_unseen(failing_server, table, tmp_path, accepts):
    target = tmp_path / "out"
    running = Running(failing_server, target, *(["--accept-changes"] if accepts else []))
    running.feed(table[0][:20_000])
    running.wait_for(10_000)
    failing_server.stop(9)
    other_list(failing_server, tmp_path)
    failing_server.start()
    running.feed(table[0][20_000:])
    status, errors = running.end()
    written = target.read_text().splitlines()
    if accepts:
        first = int(re.fullmatch(
            r"citiesctl: the server's data has changed; rows from (\d+) on come from the new data\n", errors)[1])
        assert status == 0 and 10_000 < first and len(written) == 40_000
        assert written[:first - 1] == table[2][:first - 1]
        assert written[first - 1:] == answers(failing_server, table[0])[first - 1:]
    else:
        last = int(re.fullmatch(
            r"citiesctl: the server's data has changed after row (\d+), the last one written; start again, or use "
            r"--accept-changes\n", errors)[1])
        assert status == 75 and 10_000 <= last < 40_000
        assert written == table[2][:last]


def test_a_server_that_stays_away_ends_the_command_after_its_rows(failing_server, table, tmp_path):
    running = Running(failing_server, tmp_path / "out", "--wait", "0", "--timeout", "5")
    running.feed(table[0][:8_000])
    running.wait_for(8_000)
    failing_server.stop(9)
    running.feed(table[0][8_000:12_000])
    status, errors = running.end()
    assert status == 69 and str(failing_server.socket) in errors
    assert (tmp_path / "out").read_text().splitlines() == table[2][:8_000]


def random_value(chance):
    """A value of csv without what it means: a quote may stand anywhere, a line break and a comma only in quotes."""
    letters = ["a", "1", ";", " ", "é", "\t"]
    quoted = "".join(chance.choices([*letters, '""', ",", "\n", "\r\n"], k=chance.randrange(8)))
    plain = "".join(chance.choices([*letters, '"', '""'], k=chance.randrange(8)))
    return chance.choice(["", "a" + plain, f'"{quoted}"', f'"{quoted}"b{plain}'])


def random_table(chance, count):
    """Rows of csv with their line ends; the degrees are in columns 2 and 4."""
    rows = []
    for _ in range(count):
        lat, lon = (f"{chance.uniform(-60, 72):.5f}", f"{chance.uniform(-180, 180):.5f}")
        lat, lon = (f'"{number}"' if chance.random() < 0.3 else number for number in (lat, lon))
        values = [random_value(chance), lat, random_value(chance), lon, random_value(chance)]
        rows.append(",".join(values) + chance.choice(["\n", "\r\n"]))
    return rows


def csv_answers(server, rows):
    """What `locate --input csv --lat 2 --lon 4` must write, with the values as Python's csv reads them."""
    found = list(csv.reader(io.StringIO("".join(rows), newline="")))
    assert len(found) == len(rows)
    lines = []
    for row, answer in zip(rows, answers(server, [f"{values[1]}\t{values[3]}" for values in found]), strict=True):
        _, _, number, title, far = answer.split("\t")
        end = "\r\n" if row.endswith("\r\n") else "\n"
        quoted = title.replace('"', '""')
        lines.append(f'{row.removesuffix(end)},{number},"{quoted}",{far}{end}')
    return "".join(lines)


def drip(server, pieces, *arguments):
    """Runs `citiesctl locate` on csv that comes in pieces; its status, output and standard error."""
    process = subprocess.Popen(
        [harness.BIN / "citiesctl", "locate", *harness.patient("--input", "csv", *arguments)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=harness.environment(CITIES_SOCKET=server.socket))

    def feed():
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            for piece in pieces:
                pipe.write(piece)
                pipe.flush()

    feeder = threading.Thread(target=feed)
    feeder.start()
    output, errors = process.stdout.read().decode(), process.stderr.read().decode()
    feeder.join()
    return process.wait(60), output, errors


def test_quotes_inside_values_merge_no_rows(shipped_server):
    table = b'1,5" pipe,1,2\n2,3" rod,3,4\n'
    status, output, errors = drip(shipped_server, [table], "--lat", "3", "--lon", "4")
    assert (status, errors) == (0, "") and output.count("\n") == 2
    ends = [line.split("\t")[2:] for line in answers(shipped_server, ["1\t2", "3\t4"])]
    assert [next(csv.reader([line]))[4:] for line in output.splitlines()] == ends


@pytest.mark.parametrize("seed", range(3))
def test_csv_is_read_as_python_reads_it_wherever_it_is_cut(shipped_server, seed):
    chance = random.Random(seed)
    rows = random_table(chance, 5_000)
    table, expected = "".join(rows).encode(), csv_answers(shipped_server, rows)
    ends = sorted({0, len(table), *chance.choices(range(len(table)), k=500)})
    cut = [table[start:end] for start, end in zip(ends, ends[1:], strict=False)]
    assert drip(shipped_server, cut, "--lat", "2", "--lon", "4") == (0, expected, "")
    # A byte at a time.
    few = rows[:100]
    singly = [bytes([byte]) for byte in "".join(few).encode()]
    assert drip(shipped_server, singly, "--lat", "2", "--lon", "4") == (0, csv_answers(shipped_server, few), "")


def spoiled(row, chance):
    """A row of a random table with another number of values; that number."""
    end = "\r\n" if row.endswith("\r\n") else "\n"
    if chance.random() < 0.5:
        return f"{row.removesuffix(end)},x{end}", 6
    return f"{random_value(chance)},1{end}", 2


def test_rows_that_do_not_fit_the_header_get_no_city(shipped_server):
    chance = random.Random(5)
    rows, expected, errors = random_table(chance, 500), ["a,lat,b,lon,c,id,title,distance\n"], []
    for place in range(len(rows)):
        if chance.random() < 0.9:
            expected.append(csv_answers(shipped_server, [rows[place]]))
            continue
        rows[place], count = spoiled(rows[place], chance)
        body = rows[place].rstrip("\r\n")
        expected.append(body + max(5 - count, 0) * "," + ",,," + rows[place][len(body):])
        errors.append(f"citiesctl: row {place + 2} has {count} values and the header 5\n")
    table = "".join(["a,lat,b,lon,c\n", *rows]).encode()
    status, output, written = drip(shipped_server, [table], "--lat", "lat", "--lon", "lon")
    assert (status, output) == (4, "".join(expected))
    last = f"citiesctl: no position in {len(errors)} of 500 rows; only the first 5 are listed\n"
    assert written == "".join(errors[:5]) + last and len(errors) > 5


@pytest.mark.parametrize("head", ["lat,lon", '"lat","lon"', '"lat",lon'])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_and_quotes_are_no_part_of_a_name(shipped_server, head, mark):
    table = f"{mark}{head}\n1,2\n"
    status, output, errors = drip(shipped_server, [table.encode()], "--lat", "lat", "--lon", "lon")
    assert (status, errors) == (0, "") and output.startswith(f"{mark}{head},id,title,distance\n1,2,")


def test_columns_take_angles_and_other_digits(shipped_server):
    rows = ["lat,lon", "52.5,13.4", "52.5N,13.4E", "52°30'N,E 13 24", "\uff15\uff12.5,13.4°", "13.4E,52.5N"]
    table = "".join(f"{row}\n" for row in rows).encode()
    status, output, errors = drip(shipped_server, [table], "--lat", "lat", "--lon", "lon")
    added = {row.split(",", 2)[2] for row in output.splitlines()[1:-1]}
    assert status == 4 and len(added) == 1 and '"Kreuzberg, DE"' in added.pop()
    assert output.endswith("13.4E,52.5N,,,\n") and errors.startswith("citiesctl: row 6: not a position: '13.4E, 52.5N'")


def test_a_quote_that_does_not_end_is_an_error(shipped_server):
    status, output, errors = drip(shipped_server, [b'1,2,"a"\n3,4,"b\n5,6,c\n'])
    assert status == 65 and output.count("\n") == 1
    assert errors == "citiesctl: row 2 has a value in quotes that does not end\n"


def test_decimal_commas_are_read_between_semicolons(shipped_server):
    table = "\ufeffid;lat;lon\r\n1;52,5;13,4\r\n".encode()
    status, output, errors = drip(shipped_server, [bytes([byte]) for byte in table], "--lat", "lat", "--lon", "lon")
    number, title, far = answers(shipped_server, ["52.5\t13.4"])[0].split("\t")[2:]
    head = "\ufeffid;lat;lon;city_id;city_title;city_distance"
    assert (status, output) == (0, f"{head}\r\n1;52,5;13,4;{number};{title};{far}\r\n")
    assert "--separator semicolon" in errors and "the added columns are city_id" in errors


def test_a_first_row_may_declare_the_separator_as_spreadsheets_have_it(shipped_server):
    table = b"sep=;\r\nn;lat;lon\r\n1;52,5;13,4\r\n"
    options = ("--input", "csv", "--lat", "lat", "--lon", "lon")
    status, output, errors = drip(shipped_server, [bytes([byte]) for byte in table], *options)
    number, title, far = answers(shipped_server, ["52.5\t13.4"])[0].split("\t")[2:]
    assert output == f"sep=;\r\nn;lat;lon;id;title;distance\r\n1;52,5;13,4;{number};{title};{far}\r\n"
    assert (status, errors) == (0, "")
    assert drip(shipped_server, [b"sep=;\n"], *options) == (0, "sep=;\n", "")
    marked = [b"\xef\xbb\xbf" + table]
    for more in (["--separator", "semicolon"], []):
        assert drip(shipped_server, marked, *options[2:], *more) == (0, f"\ufeff{output}", "")
    status, _, errors = drip(shipped_server, [b'sep=;\nlat;lon\n"1'], *options)
    assert status == 65 and "row 3 has a value in quotes that does not end" in errors


def test_the_output_of_match_is_a_table_of_positions_and_back(shipped_server, tmp_path):
    table = b"town\nMunich\nParis\n"
    for verb, options in (("match", ["--name", "town"]), ("locate", ["--lat", "lat", "--lon", "lon"]),
                          ("match", ["--name", "city_title"])):
        (tmp_path / "table").write_bytes(table)
        with (tmp_path / "table").open("rb") as given:
            done = subprocess.run(
                [harness.BIN / "citiesctl", verb, *harness.patient("--input", "csv", *options)], stdin=given,
                capture_output=True, env=harness.environment(CITIES_SOCKET=shipped_server.socket), timeout=120,
                check=False)
        assert done.returncode == 0, done.stderr
        table = done.stdout
    head, *rows = csv.reader(io.StringIO(table.decode()))
    assert len(head) == len(set(head)) == 1 + 7 + 3 + 7 and [row[-1] for row in rows] == ["sure", "sure"]
    assert all(row[head.index("title")] == row[head.index("city2_title")] for row in rows)


def test_a_terminal_as_input_is_mentioned_once(shipped_server):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [harness.BIN / "citiesctl", "locate", *harness.patient()], stdin=theirs, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=harness.environment(CITIES_SOCKET=shipped_server.socket))
    os.close(theirs)
    os.write(ours, b"52.5\t13.4\n\x04")
    output, errors = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0 and output.count("\n") == 1
    assert errors == "citiesctl: reading rows with positions from the terminal, one per line; end with Ctrl-D\n"


def test_foreign_names_are_spelled_as_in_other_formats(failing_server, tmp_path):
    name = "Else\\\u009b31m\u202e\x7fwhere"
    cities = harness.write_list(tmp_path / "hostile.json", [harness.record(1, name, "YY", 1, 2)])
    put_list(failing_server, cities, tmp_path / "hostile.index")
    failing_server.stop(9)
    failing_server.start()
    for form in ("tsv", "csv"):
        done = failing_server.ctl("near", "1,2", "-n", "1", "-o", form)
        source = write_table(tmp_path / "rows", ["1,2" if form == "csv" else "1\t2"])
        assert locate(failing_server.socket, source, tmp_path / "out", "--input", form).returncode == 0
        separator = "," if form == "csv" else "\t"
        title = next(csv.reader([done.stdout.splitlines()[-1]], delimiter=separator))[0]
        written = next(csv.reader([(tmp_path / "out").read_text()], delimiter=separator))
        assert written[3] == title and "\\u009b31m" in title and "\\u007f" in title


class Screen:
    """A terminal that a command has as its standard error; what it shows."""

    def __init__(self):
        self.ours, self.theirs = pty.openpty()
        self.shown = b""

    def read(self, seconds):
        """Reads what comes next; `False` at the end, and if nothing comes in time."""
        with contextlib.suppress(OSError):
            if select.select([self.ours], [], [], seconds)[0]:
                chunk = os.read(self.ours, 4_096)
                self.shown += chunk
                return chunk != b""
        return False

    def close(self):
        os.close(self.ours)


def test_a_terminal_shows_progress_and_a_pipe_never(shipped_server, tmp_path):
    screen = Screen()
    with (tmp_path / "out").open("wb") as taken:
        process = subprocess.Popen(
            [harness.BIN / "citiesctl", "locate", *harness.patient()], stdin=subprocess.PIPE, stdout=taken,
            stderr=screen.theirs, env=harness.environment(CITIES_SOCKET=shipped_server.socket))
    os.close(screen.theirs)
    rows, fed, end = positions(1_000), 0, time.monotonic() + 60
    # The line is drawn with the rows that come after half a second.
    while b"\x1b[K" not in screen.shown and time.monotonic() < end:
        process.stdin.write("".join(f"{row}\n" for row in rows).encode())
        process.stdin.flush()
        fed += len(rows)
        screen.read(0.1)
    process.stdin.close()
    while screen.read(60):
        pass
    screen.close()
    assert process.wait(60) == 0 and (tmp_path / "out").read_bytes().count(b"\n") == fed
    first, *lines, last = screen.shown.decode().split("\r")
    assert first == "" and lines and last == "\x1b[K", screen.shown
    found = [re.fullmatch(r"citiesctl: (\d+) rows, \d+ per second\x1b\[K", line) for line in lines]
    assert all(found), screen.shown
    counts = [int(line[1]) for line in found]
    assert 0 < counts[0] and counts == sorted(counts) and counts[-1] <= fed
    source = write_table(tmp_path / "rows", rows)
    assert locate(shipped_server.socket, source, tmp_path / "out").stderr == ""


def high_water_mark(pid):
    """The peak of a process's resident set so far in KiB; 0 for one that has ended or is still the test's."""
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/{pid}/exe").endswith("citiesctl-helper"):
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                found = re.search(r"VmHWM:\s+(\d+)", status.read())
            return int(found[1]) if found else 0
    return 0


def test_memory_does_not_grow_with_the_table(shipped_server, tmp_path):
    peaks = []
    for count in (400_000, 1_600_000):
        source = write_table(tmp_path / "rows", positions(count))
        with open(source, "rb") as given, open(tmp_path / "out", "wb") as taken:
            process = subprocess.Popen(
                [harness.BIN / "citiesctl-helper", "locate"], stdin=given, stdout=taken,
                env=harness.environment(CITIES_SOCKET=shipped_server.socket))
            peak = 0
            # The peak that wait4(2) reports is that of the test's own process before it started the program.
            while process.poll() is None:
                peak = max(peak, high_water_mark(process.pid))
                time.sleep(0.005)
        assert process.returncode == 0
        peaks.append(peak)
    print(f"peak of the resident set: {peaks[0]} KiB, {peaks[1]} KiB")
    # The peak varies by 2 MiB with what of the program's own file is mapped; the added rows take more than 30 MB.
    assert peaks[1] < peaks[0] + 4_096 and peaks[1] < 32 * 1_024


# Gates on counts, which repeat where times do not.


def counted(tool, shipped_server, folder, rows, pattern, verb, *arguments):
    """A number that a tool reports of `citiesctl` with a verb and rows."""
    source = write_table(folder / f"rows{len(rows)}", rows)
    with open(source, "rb") as given, open(folder / "out", "wb") as taken:
        done = subprocess.run(
            [*tool, harness.BIN / "citiesctl-helper", verb, "--timeout", "300", *arguments], stdin=given, stdout=taken,
            stderr=subprocess.PIPE, text=True, env=harness.environment(CITIES_SOCKET=shipped_server.socket),
            timeout=600,
            check=False)
    # Some names mean an area.
    assert done.returncode in ((0, 4) if verb == "match" else (0,)), done.stderr
    return int(re.search(pattern, done.stderr)[1].replace(",", ""))


def per_row(tool, shipped_server, folder, pattern, few=20_000, many=60_000, verb="locate", rows=positions,
        arguments=()):
    """What a row costs: the difference of two tables, so that starting the program does not count."""
    counts = [counted(tool, shipped_server, folder, rows(count), pattern, verb, *arguments) for count in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def test_a_thousand_rows_cost_few_system_calls(shipped_server, tmp_path):
    calls = 1_000 * per_row(["strace", "-f", "-c", "-U", "calls,name"], shipped_server, tmp_path, r"(\d+) total",
        many=220_000)
    print(f"{calls:.2f} system calls per 1,000 rows")
    assert calls <= SYSTEM_CALLS_MAXIMUM


def test_a_row_allocates_nothing(shipped_server, tmp_path):
    tool = ["valgrind", "--tool=memcheck", "--undef-value-errors=no", "--leak-check=no"]
    allocations = per_row(tool, shipped_server, tmp_path, r"total heap usage: ([\d,]+) allocs")
    print(f"{allocations:.4f} allocations per row")
    assert allocations <= ALLOCATIONS_MAXIMUM


def test_a_row_costs_few_instructions(shipped_server, tmp_path):
    tool = ["valgrind", *CALLGRIND[:1], f"--callgrind-out-file={tmp_path}/callgrind.out"]
    instructions = per_row(tool, shipped_server, tmp_path, r"refs:\s+([\d,]+)")
    print(f"{instructions:,.0f} instructions per row")
    assert instructions <= INSTRUCTIONS_MAXIMUM


def test_a_row_below_a_header_costs_few_instructions(shipped_server, tmp_path):
    def rows(count):
        return ["lat\tlon\tx", *positions(count)]

    tool = ["valgrind", *CALLGRIND[:1], f"--callgrind-out-file={tmp_path}/callgrind.out"]
    instructions = per_row(
        tool, shipped_server, tmp_path, r"refs:\s+([\d,]+)", rows=rows, arguments=["--lat", "lat", "--lon", "lon"])
    print(f"{instructions:,.0f} instructions per row below a header")
    assert instructions <= HEADER_INSTRUCTIONS_MAXIMUM


def names(count):
    """Rows of a table with names of cities."""
    with gzip.open(harness.SHIPPED_LIST) as file:
        cities = [city["name"] for city in json.load(file)]
    chance = random.Random(7)
    return [f"{chance.choice(cities)}\t{number}" for number in range(count)]


def test_a_name_costs_few_instructions(shipped_server, tmp_path):
    tool = ["valgrind", *CALLGRIND[:1], f"--callgrind-out-file={tmp_path}/callgrind.out"]
    instructions = per_row(tool, shipped_server, tmp_path, r"refs:\s+([\d,]+)", 5_000, 20_000, "match", names)
    print(f"{instructions:,.0f} instructions per name")
    assert instructions <= NAME_INSTRUCTIONS_MAXIMUM
