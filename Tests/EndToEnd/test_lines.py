"""Commands whose argument is `-`: thousands of lines through one connection, answered in their order."""

import json
import os
import random
import re
import subprocess

import banks
import harness
import pytest


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory):
    """A server on the samples of banks and trade, beside the shipped cities."""
    server = harness.Server(tmp_path_factory.mktemp("lines"))
    yield server.with_samples(*banks.PLACES, "rates", "transactions", reported=["bank.regions", "rate.list"])
    server.stop()


def answers(text):
    """The answers in a stream of text: header line and rows of each."""
    assert text == "" or text.endswith("\n\n")
    return [answer.split("\n") for answer in text.split("\n\n")[:-1]]


def ask(server, lines, *words, status=0, timeout=120):
    """Runs a command on lines; its answers and standard error."""
    asked = server.ctl(*words, "-", input="".join(f"{line}\n" for line in lines), timeout=timeout)
    assert asked.returncode == status, asked.stderr
    return answers(asked.stdout), asked.stderr


def seeded_places(count):
    numbers = random.Random(3)
    return [f"{numbers.uniform(-60, 70):.4f},{numbers.uniform(-180, 180):.4f}" for _ in range(count)]


def test_thousands_of_places_have_the_answers_of_single_questions(shipped_server):
    places = seeded_places(5_000)
    found, errors = ask(shipped_server, places, "near", "--limit", 2, "--columns", "id,distance")
    assert errors == "" and len(found) == len(places)
    with shipped_server.wire() as wire:
        for number, (place, (head, *rows)) in enumerate(zip(places, found, strict=True), 1):
            assert head == f"#{number}\t2\t-\t{place}"
            if number % 50 == 0:
                lat, lon = map(float, place.split(","))
                expected = wire.call("city.near", place={"at": {"lat": lat, "lon": lon}}, limit=2)["rows"]
                assert rows == [f"{row['city']['id']}\t{row['distance']}" for row in expected]


def test_single_commands_print_the_same_rows(sample_server):
    for words, line in [
        (["near", "--limit", "3"], "Tallinn, EE"), (["show"], "588409"),
        (["show", "--columns", "zone,title"], "springfield illinois"),
        (["rate", "convert"], "12.50 USD EUR"), (["rate", "convert"], "12.50 usd to eur"),
        (["bank", "near", "--limit", "2"], "54.396,24.046"),
    ]:
        single = sample_server.ctl(*words, *(line.split(" ") if words[0] == "rate" else [line]), "--output", "tsv")
        assert single.returncode == 0, single.stderr
        ((head, *rows),), errors = ask(sample_server, [line], *words)
        assert rows == single.stdout.splitlines()
        assert head.split("\t")[0] == "#1" and head.split("\t")[3] == line
        assert errors == single.stderr


def test_names_are_resolved_and_said(shipped_server):
    found, errors = ask(shipped_server, ["kiev", "588409", "Paris, FR"], "show", "--columns", "title")
    assert [rows for _, *rows in found] == [["Kyiv, UA"], ["Tallinn, EE"], ["Paris, FR"]]
    assert [head.split("\t")[2] for head, *_ in found] == ["1", "1", "1"]
    assert errors.startswith('citiesctl: "kiev" resolved to Kyiv, UA')


def test_a_line_without_an_answer_is_named_and_the_others_are_answered(shipped_server):
    lines = ["588409", "", "nowhere at all", "2988507", "Springfield, US", "999999999"]
    found, errors = ask(shipped_server, lines, "show", status=4)
    kinds = [head[0] for head, *_ in found]
    assert kinds == ["#", "!", "!", "#", "!", "!"]
    assert [head.split("\t")[1] for head, *_ in found if head[0] == "!"] == ["usage", "not-found", "ambiguous",
        "not-found"]
    named = [int(number) for number in re.findall(r"^citiesctl: line (\d+): ", errors, re.MULTILINE)]
    assert named == [2, 3, 5, 6]


@pytest.mark.parametrize(("words", "lines", "status"), [
    (["show"], ["nowhere at all"], 1), (["near"], ["91,0", "1,2,3"], 2),
    (["rate", "convert"], ["1 USD", "x USD EUR"], 2),
    (["near"], ["nowhere at all"], 1),
])
def test_without_any_answer_the_status_is_that_of_the_last_error(sample_server, words, lines, status):
    found, errors = ask(sample_server, lines, *words, status=status)
    assert all(head.startswith("!") for head, *_ in found) and errors.count("citiesctl: line ") == len(lines)


def test_bytes_that_are_no_text_are_an_error_of_their_line(shipped_server):
    asked = shipped_server.ctl("show", "-", input=b"588409\n\xff\n" + b"x" * 70_000 + b"\n588409", text=False)
    assert asked.returncode == 4
    found = answers(asked.stdout.decode())
    assert [head.split("\t")[:2] for head, *_ in found] == [["#1", "1"], ["!2", "bad-data"], ["!3", "bad-data"],
        ["#4", "1"]]


def test_json_lines_are_one_object_per_line(sample_server):
    asked = sample_server.ctl(
        "rate", "convert", "--output", "jsonl", "-",
        input="".join(f"{n}.50\tUSD  EUR\n" for n in range(3_000)) + "bad\n")
    assert asked.returncode == 4
    objects = [json.loads(line) for line in asked.stdout.splitlines() if line]
    assert [one["seq"] for one in objects] == list(range(1, 3_002))
    assert objects[-1]["error"]["code"] == "usage"
    assert objects[2]["rows"][0]["amount"] == "2.50" and objects[2]["sample"] is True and objects[2]["total"] == 1
    notes = [json.loads(line) for line in asked.stderr.splitlines()]
    assert notes[0]["message"].startswith("line 3001: ")


def test_banks_near_a_thousand_places(sample_server):
    places = seeded_places(1_000)
    found, _ = ask(sample_server, places, "bank", "near", "--limit", 1, "--columns", "id,distance")
    assert [head.split("\t")[:3] for head, *_ in found] == [[f"#{n}", "1", "-"] for n in range(1, 1_001)]


def test_a_line_that_comes_alone_is_answered_before_the_next(shipped_server):
    process = subprocess.Popen(
        [harness.BIN / "citiesctl", "show", *harness.patient("-")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env=harness.environment(CITIES_SOCKET=shipped_server.socket))
    for number in range(1, 4):
        process.stdin.write("588409\n")
        process.stdin.flush()
        answer = [process.stdout.readline() for _ in range(3)]
        assert answer[0] == f"#{number}\t1\t1\t588409\n" and answer[2] == "\n"
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


def test_lines_survive_a_server_that_is_killed(tmp_path):
    server = harness.Server(tmp_path / "killed")
    server.start()
    process = subprocess.Popen(
        [harness.BIN / "citiesctl", "near", *harness.patient("--limit", "1", "-")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
        env=harness.environment(CITIES_SOCKET=server.socket))
    places = seeded_places(30)
    written = []
    for start in range(0, 30, 10):
        process.stdin.write("".join(f"{place}\n" for place in places[start:start + 10]))
        process.stdin.flush()
        written += [process.stdout.readline() for _ in range(30)]
        server.stop(9)
        server.start()
    process.stdin.close()
    assert process.stdout.read() == "" and process.wait(10) == 0
    process.stdout.close()
    server.stop()
    assert [line.split("\t")[3].strip() for line in written[::3]] == places


def test_a_line_costs_few_system_calls(shipped_server):
    calls = []
    for count in (1_000, 5_000):
        done = subprocess.run(
            ["strace", "-f", "-c", "-U", "calls,name", harness.BIN / "citiesctl", "near",
             *harness.patient("--limit", "1", "-")],
            input="\n".join(seeded_places(count)), capture_output=True, text=True, timeout=120, check=True,
            env=harness.environment(CITIES_SOCKET=shipped_server.socket))
        calls.append(int(re.search(r"(\d+) total", done.stderr)[1]))
    assert (calls[1] - calls[0]) / 4_000 < 1.5


@pytest.mark.parametrize("words", [
    ["near", "--output", "table", "-"], ["near", "--first", "-"], ["show", "--output", "geojson", "-"],
    ["show", "-0", "-"],
    ["rate", "convert", "-o", "json", "-"], ["bank", "near", "--first", "-"], ["near", "--columns", "nothing", "-"],
])
def test_what_lines_have_no_use_for_is_refused(shipped_server, words):
    asked = shipped_server.ctl(*words, input="588409\n")
    assert (asked.returncode, asked.stdout) == (2, "")


def test_without_a_server_the_status_says_so():
    asked = harness.ctl("near", "-", input="1,2\n")
    assert asked.returncode == 69 and os.linesep in asked.stderr


def test_a_line_of_two_numbers_is_a_position(shipped_server):
    found, errors = ask(shipped_server, ["59.437 24.7536", "59.437,24.7536"], "near", "--limit", 1)
    assert errors == "" and found[0][1:] == found[1][1:] and len(found[0]) == 2
