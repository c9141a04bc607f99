"""Recorded command lines: how each ends, what it sends to the server, and what it says.

Status and requests were first recorded with the parser that the present one replaced. `python test_command_lines.py`
runs the lines of the file again and records the results: the difference is what users and scripts would notice.
"""

import itertools
import json
import shutil
import socket
import struct
import subprocess
import threading
from datetime import datetime, timezone

import cbor2
import command_lines
import harness
from wire import frame

RECORD = harness.ROOT / "Tests" / "EndToEnd" / "command_lines.json"


class Refusing:
    """A server that keeps each request and answers with an error."""

    def __init__(self, path):
        self.path, self.requests = path, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                while len(head := stream.read(4)) == 4:
                    asked = cbor2.loads(stream.read(*struct.unpack(">I", head)))
                    self.requests.append([asked["method"], asked["params"]])
                    error = {"code": "not-found", "message": "not here"}
                    connection.sendall(frame(cbor2.dumps({"id": asked["id"], "error": error})))


def without_now(conditions, words):
    """Removes the moment that `--open-now` adds: the present one, unless the line names another."""
    if conditions.get("open") and not any(word.startswith("--at") for word in words):
        moment = datetime.fromisoformat(conditions.pop("at").replace("Z", "+00:00"))
        assert abs((datetime.now(timezone.utc) - moment).total_seconds()) < 60


def run(server, folder, words):
    """The status, the requests and the first line of standard error."""
    variables = {"CITIES_SOCKET": server.path, "HOME": folder, "XDG_CONFIG_HOME": folder}

    def ask():
        server.requests.clear()
        return subprocess.run(
            [harness.BIN / "citiesctl", *words], cwd=folder, env=harness.environment(**variables), input="alb\n",
            capture_output=True, text=True, timeout=60, check=False)

    done = harness.in_time(ask)
    # A value that JSON has no form for is text.
    requests = json.loads(json.dumps(server.requests, default=str))
    for _, params in requests:
        without_now(params.get("filter") or {}, words)
    return {"words": words, "status": done.returncode, "requests": requests, "says": done.stderr.partition("\n")[0]}


def runs(folder):
    """Each recorded line, and how it runs now."""
    server = Refusing(folder / "refusing.sock")
    for line in json.loads(RECORD.read_text()):
        yield line, run(server, folder, line["words"])
    server.listener.close()


def test_command_lines_mean_what_they_always_meant(tmp_path):
    differences = [(line, now) for line, now in runs(tmp_path) if line != now]
    assert not differences, "\n".join(f"{line}\n{now}" for line, now in differences[:10])


def test_changed_lines_depend_on_the_seed_alone():
    first, again, other = (list(command_lines.lines(300, seed)) for seed in (1, 1, 2))
    known = len(command_lines.corpus())
    assert first == again and first != other and len(first) == known + 300 and first[:known] == other[:known]
    unchanged = sum(words in first[:known] for words in first[known:])
    assert unchanged < 60 and {"--", ""} <= set(itertools.chain(*first[known:]))


def test_a_program_does_the_same_as_itself_and_another_one_does_not(tmp_path):
    lines = [["search", "alb", "-n", "3"], ["here", "59.4,24.7"], ["near", "59.4,24.7", "-o", "json"], ["watch"],
        ["find", "-x"], ["search", "--", "--limit"], ["match"]]
    same = command_lines.compare(harness.BIN, harness.BIN, lines)
    assert [differing for _, _, _, differing in same] == [()] * len(lines)
    outcomes = {words[0]: now for words, _, now, _ in same}
    asked = {name: [method for method, _ in now["requests"]] for name, now in outcomes.items() if now["requests"]}
    assert asked == {"search": ["city.search"], "near": ["city.near"], "watch": ["watch"], "match": ["city.match"]}
    assert list(outcomes["here"]["files"]) == ["cities/here"]
    # One that adds an option, writes a file and complains.
    other = shutil.copytree(harness.BIN, tmp_path / "bin")
    (other / "citiesctl").rename(other / "real")
    (other / "citiesctl").write_text('#!/bin/sh\n: >made\necho oh >&2\nexec "${0%/*}/real" "$@" -s population\n')
    (other / "citiesctl").chmod(0o755)
    found = command_lines.compare(other, harness.BIN, lines[:1])
    assert [differing for _, _, _, differing in found] == [("stdout", "requests", "files", "messages")]


def main():
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps(now, ensure_ascii=False) for _, now in runs(pathlib.Path(folder))]
    RECORD.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
