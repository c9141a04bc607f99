"""`citiesctl session`: one process for a script that asks at every keystroke."""

import json
import random
import re
import subprocess

import harness
from oracle import Oracle, prefixes

PREFIXES = 10_000

# Every prefix costs a write and some reads, and no process: `read` and `printf` are built into bash.
SCRIPT = r"""
coproc SESSION { exec "$CTL" session --limit 5; }
while IFS= read -r prefix; do
  printf '%s\n' "$prefix" >&"${SESSION[1]}"
  IFS=$'\t' read -r sequence shown total query <&"${SESSION[0]}"
  rows=0
  while IFS= read -r row <&"${SESSION[0]}" && [ -n "$row" ]; do rows=$((rows + 1)); done
  printf '%s\t%s\t%s\t%s\t%s\n' "$sequence" "$shown" "$rows" "$total" "$query"
done
"""


def some_prefixes(rows):
    titles = [f"{city['name']}, {city['country']}" for city in random.Random(3).sample(rows, 2_000)]
    return [prefix for title in titles for prefix in prefixes(title)][:PREFIXES]


def test_ten_thousand_prefixes_from_pure_bash_without_a_fork_each(real_server, real_rows, real_plain, tmp_path):
    asked = some_prefixes(real_rows)
    trace = tmp_path / "trace"
    # Only the shell itself is followed: what it forks is what a script pays.
    run = subprocess.run(
        ["strace", "--quiet=all", "--seccomp-bpf", "--follow-forks", "--trace=process", "--output", trace, "bash", "-c",
         SCRIPT],
        input="".join(f"{prefix}\n" for prefix in asked), capture_output=True, text=True, timeout=120,
        env=harness.environment(CTL=harness.BIN / "citiesctl", CITIES_SOCKET=real_server.socket), check=False)
    assert run.returncode == 0, run.stderr
    answers = [line.split("\t") for line in run.stdout.splitlines()]
    assert len(answers) == PREFIXES
    expected = real_plain.search_many({real_plain.fold(prefix) for prefix in asked}, 5)
    for number, (prefix, answer) in enumerate(zip(asked, answers, strict=True), start=1):
        total, rows = expected[real_plain.fold(prefix)]
        assert answer == [f"#{number}", str(len(rows)), str(len(rows)), str(total), prefix]
    forks = len(re.findall(r"\b(?:fork|vfork|clone|clone3)\(", trace.read_text()))
    assert forks < 10, f"{forks} processes or threads for {PREFIXES} prefixes"


def session(server, typed, *arguments, **options):
    return server.ctl("session", *arguments, input=typed, **options)


def test_the_form_of_an_answer(server):
    answered = session(server, "spring\nzzz\n\n", "--limit", "2")
    blocks = answered.stdout.split("\n\n")
    assert blocks[0].splitlines()[0] == "#1\t2\t2\tspring"
    assert [line.split("\t")[0] for line in blocks[0].splitlines()[1:]] == ["Springfield, US"] * 2
    assert blocks[1] == "#2\t0\t0\tzzz"
    assert blocks[2].splitlines()[0] == "#3\t2\t7\t"
    assert answered.stdout.endswith("\n\n")
    assert answered.returncode == 0


def test_json_lines_are_one_object_a_query(server):
    answered = session(server, "alb\nspring\n", "--output", "jsonl")
    objects = [json.loads(line) for line in answered.stdout.splitlines()]
    assert [(o["query"], o["total"], len(o["rows"])) for o in objects] == [("alb", 1, 1), ("spring", 2, 2)]


def test_answers_come_one_by_one_without_waiting_for_the_next_question(server):
    child = subprocess.Popen(
        [harness.BIN / "citiesctl", "session", "--timeout", "30"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, bufsize=1, env=harness.environment(CITIES_SOCKET=server.socket))
    with child:
        for number, prefix in enumerate(["a", "al", "alb"], start=1):
            child.stdin.write(f"{prefix}\n")
            child.stdin.flush()
            assert child.stdout.readline().startswith(f"#{number}\t")
            while child.stdout.readline() != "\n":
                pass
        child.stdin.close()
    assert child.returncode == 0


def test_a_line_that_is_no_text_is_answered_as_an_error_and_the_session_goes_on(server):
    answered = session(server, b"\xff\xfe\nalb\n", text=False)
    lines = answered.stdout.split(b"\n")
    assert lines[0].startswith(b"!1\t")
    assert b"#2\t1\t1\talb" in lines


def test_a_session_goes_on_when_the_server_was_restarted(server):
    child = subprocess.Popen(
        [harness.BIN / "citiesctl", "session", "--timeout", "30"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, bufsize=1, env=harness.environment(CITIES_SOCKET=server.socket))
    with child:
        for number in (1, 2):
            child.stdin.write("alb\n")
            child.stdin.flush()
            assert child.stdout.readline() == f"#{number}\t1\t1\talb\n"
            while child.stdout.readline() != "\n":
                pass
            if number == 1:
                server.stop()
                server.start()
        child.stdin.close()
    assert child.returncode == 0


def test_latest_answers_the_last_of_what_is_readable(server):
    answered = session(server, "a\nal\nalb\n", "--latest")
    heads = [line for line in answered.stdout.splitlines() if line.startswith("#")]
    assert heads[-1] == "#3\t1\t1\talb"


def test_folding_in_a_session_equals_the_oracle(shipped_server):
    with shipped_server.wire() as wire:
        rows = wire.call("city.search", prefix="lod", match="folded", limit=1000)["rows"]
    answered = session(shipped_server, "lod\n", "--match", "folded", "--limit", "1000", "--output", "jsonl")
    assert [row["id"] for row in json.loads(answered.stdout)["rows"]] == [row["id"] for row in rows]
    assert [row["id"] for row in Oracle(rows, "folded").search("lod")] == [row["id"] for row in rows]
