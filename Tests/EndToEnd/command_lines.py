#!/usr/bin/env python3
"""Runs changed command lines with two builds of citiesctl, and compares what users and scripts notice.

    .build-venv/bin/python Tests/EndToEnd/command_lines.py OLD [NEW] [--lines N] [--seed N]

OLD and NEW are folders with citiesctl and its helpers, by default the programs that contrib/build has made. Each line
of the tests and of the manual runs as it is, and N lines (20,000 by default) with up to three changes: options added,
repeated, joined, split and misspelt, words cut, swapped and replaced, "--" and hostile values. Both programs ask the
same server, through a socket that records the requests, in the same empty home folder.

Prints how many lines are equal in status, standard output, requests, written files and messages, and the differences
grouped by what they have in common. Exits with 1 if more than messages differ.
"""

import argparse
import collections
import json
import random
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cbor2
import formats
import harness
from test_manual import PAGES, examples
from wire import frame

RECORD = harness.ROOT / "Tests" / "EndToEnd" / "command_lines.json"
INPUT = b"alb\tTallinn\n59.4\t24.7\n"
# A request that the relay refuses: it would last until it is interrupted.
WATCH = b"\x65watch"
# A program that runs for so long, in seconds, does not end.
LONGEST = 20
# What the server counts from one request to the next.
COUNTED = re.compile(r"(memory|longest_step|accepted|refused|displaced|requests|connections|errors|users)\W*\d+")

VALUES = [
    "", " ", "-", "--", "=", "0", "-1", "1", "3", "20", "1e3", "0x10", "99999999999999999999", "-33.9,18.4",
    "91,0", "59.437,24.7536", "Paris, FR", "springfield", "iceland", "münchen", "東京", "'", "\\", "%s", "$(x)",
    "\x1b[1m", "ee", "US", "narnia", "usd", "EUR,USD", "json", "csv", "xml", "title,region", "5km", "5 km",
    "-5", "folded", "population", "main", "place", "atm", "cash machine", "2026-03-04T10:30:00Z", "14:30",
    "always", "T2006", "rates", "cities", "a" * 300,
]
OPTIONS = [
    "--limit", "--offset", "--country", "--region", "--match", "--sort", "--output", "--columns", "--all",
    "--count", "--near", "--rule", "--radius", "--at", "--first", "--strict", "--no-typos", "--typos",
    "--language", "--color", "--json", "--csv", "--csv-safe", "--null", "--no-header", "--timeout", "--wait",
    "--socket", "--private", "--verbose", "--version", "--help", "--kind", "--bank", "--open-now", "--in",
    "--base", "--rounding", "--explain", "--total", "--force", "--population", "--zoom", "--width",
    "--height", "--input", "--name", "--lat", "--lon", "--least", "--find", "--nope", "-n", "-c", "-m", "-s",
    "-o", "-v", "-V", "-h", "-0", "-x", "-1", "-nc", "-vV", "-n5", "-ojson",
]
VERBS = [
    "search", "find", "show", "near", "within", "time", "map", "here", "locate", "match", "browse", "pick", "session",
    "bank", "product", "rate", "status", "feed", "refresh", "watch", "introspect", "call", "help", "list", "convert",
]


# ---- Lines ----

def corpus():
    """The lines of tests and manual, each once."""
    lines = [line["words"] for line in json.loads(RECORD.read_text())]
    lines += [words for words, _ in formats.questions()]
    for command in (command for page in PAGES for block in examples(page) for command in block):
        plain = command.partition(" #")[0]
        if plain.startswith("citiesctl ") and not re.search(r"[|<>$;`]", plain):
            lines.append(shlex.split(plain)[1:])
    return [list(words) for words in dict.fromkeys(map(tuple, lines))]


def misspelt(word, chance):
    """A word with one letter cut, doubled or swapped."""
    if not word:
        return "x"
    at = chance.randrange(len(word))
    return chance.choice([
        word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word[:at] + word[at + 1:at + 2] + word[at] +
        word[at + 2:], word[:at]])


def joined(words, at):
    """An option and the word after it as one word."""
    option, value = words[at], words[at + 1]
    return [*words[:at], f"{option}={value}" if option.startswith("--") else option + value, *words[at + 2:]]


def changed(words, chance):
    """A line with one change."""
    words, at = list(words), chance.randrange(len(words)) if words else 0
    options = [place for place, word in enumerate(words[:-1]) if re.fullmatch(r"--?[a-z-]+", word)]
    match chance.randrange(12):
        case 0 | 1:
            added = [chance.choice(OPTIONS), *([chance.choice(VALUES)] if chance.random() < 0.6 else [])]
            return [*words[:at + 1], *added, *words[at + 1:]]
        case 2 if options:
            place = chance.choice(options)
            return [*words, *words[place:place + 2]]
        case 3 if options:
            return joined(words, chance.choice(options))
        case 4 if any("=" in word for word in words):
            place = next(place for place, word in enumerate(words) if "=" in word)
            return [*words[:place], *words[place].split("=", 1), *words[place + 1:]]
        case 5:
            return [*words[:at], "--", *words[at:]]
        case 6 if words:
            return words[:at] + words[at + 1:]
        case 7 if words:
            return [*words[:at], misspelt(words[at], chance), *words[at + 1:]]
        case 8 if words:
            return [*words[:at], chance.choice(VALUES), *words[at + 1:]]
        case 9 if len(words) > 1:
            other = chance.randrange(len(words))
            words[at], words[other] = words[other], words[at]
            return words
        case 10 if words:
            return [chance.choice(VERBS), *words[1:]]
        case 11 if words:
            return [*words[:at + 1], words[at], *words[at + 1:]]
    return [*words, chance.choice(VALUES)]


def lines(count, seed):
    """The lines of the corpus, then `count` changed ones."""
    known, chance = corpus(), random.Random(seed)
    yield from known
    for _ in range(count):
        words = chance.choice(known)
        for _ in range(chance.choice([1, 1, 2, 3])):
            words = changed(words, chance)
        yield [word.replace("\0", "") for word in words]


# ---- Runs ----

class Relay:
    """A socket that passes bytes to a server and back, and keeps those that clients send."""

    def __init__(self, path, server):
        self.server, self.sent, self.threads, self.lock = str(server), [], [], threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            kept = bytearray()
            threads = [
                threading.Thread(target=self.copy, args=(client, server, kept), daemon=True),
                threading.Thread(target=self.answer, args=(server, client), daemon=True)]
            # A client that has its reply is in the list.
            with self.lock:
                for thread in threads:
                    thread.start()
                self.sent.append(kept)
                self.threads += threads

    @staticmethod
    def copy(client, server, kept):
        try:
            while data := client.recv(1 << 16):
                kept += data
                if WATCH in data:
                    error = {"code": "permission-denied", "message": "no"}
                    client.sendall(frame(cbor2.dumps({"id": cbor2.loads(kept[4:])["id"], "error": error})))
                else:
                    server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except (OSError, ValueError, KeyError):
            pass

    @staticmethod
    def answer(server, client):
        try:
            while data := server.recv(1 << 16):
                client.sendall(data)
        except OSError:
            pass
        for end in (server, client):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def requests(self):
        """What the connections since the last call have sent, after their end."""
        with self.lock:
            sent, threads, self.sent, self.threads = self.sent, self.threads, [], []
        for thread in threads:
            thread.join(LONGEST)
        return [request for bytes_ in sent for request in decoded(bytes(bytes_))]


def decoded(sent):
    """The methods and parameters of frames; a cut or foreign frame as its bytes."""
    while len(sent) >= 4:
        end = 4 + struct.unpack(">I", sent[:4])[0]
        try:
            asked = cbor2.loads(sent[4:end])
            yield [asked["method"], json.loads(json.dumps(asked["params"], default=str))]
        except (ValueError, KeyError, TypeError, cbor2.CBORDecodeError):
            yield ["bytes", sent[4:end].hex()]
        sent = sent[end:]


class Desk:
    """A place to run one line at a time: a home folder, and a relay to the server."""

    def __init__(self, folder, server):
        self.home, self.socket = folder / "home", folder / "relay.sock"
        self.relay = Relay(self.socket, server)

    def run(self, programs, words):
        """The status, standard output, requests, written files and messages."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        (self.home / "sync.json").write_text("{}")
        variables = {
            "CITIES_SOCKET": self.socket, "CITIES_SYNC_CONFIG": self.home / "sync.json", "TZ": "UTC",
            "CITIES_STATE": self.home / "state", "HOME": self.home, "XDG_CONFIG_HOME": self.home,
            "XDG_STATE_HOME": self.home, "XDG_RUNTIME_DIR": self.home, "COLUMNS": "80"}
        try:
            done = subprocess.run(
                [programs / "citiesctl", *words], cwd=self.home, input=INPUT, capture_output=True, timeout=LONGEST,
                env=harness.environment(**variables), check=False)
            status, out, says = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as stopped:
            status, out, says = "no end", stopped.stdout or b"", stopped.stderr or b""
        files = {str(path.relative_to(self.home)): path.read_bytes().decode(errors="replace")
            for path in sorted(self.home.rglob("*")) if path.is_file() and path.name != "sync.json"}
        return {"status": status, "stdout": out.decode(errors="replace"), "requests": self.relay.requests(),
            "files": files, "messages": says.decode(errors="replace")}


def compared(desk, old, new, words):
    """What two programs do with a line: the outcomes, and the parts in which they differ.

    Times pass between two runs: a difference must come a second time.
    """
    for _ in range(2):
        was, now = desk.run(old, words), desk.run(new, words)
        differing = tuple(key for key in was if COUNTED.sub("", str(was[key])) != COUNTED.sub("", str(now[key])))
        if not differing:
            break
    return was, now, differing


# ---- The report ----

def skeleton(text):
    """The first line of a text without names and numbers."""
    line = text.partition("\n")[0]
    return re.sub(r"\d[\d.,:]*", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "…", line))[:100]


def verb(words):
    return next((word for word in words if word in VERBS), "no verb")


def group(words, was, now, differing):
    """What a difference has in common with others."""
    hard = [key for key in differing if key != "messages"]
    asks_help = any(word in ("help", "--help", "-h") for word in words)
    what = "help" if asks_help else verb(words) if hard else ""
    return (", ".join(differing), f"{was['status']} → {now['status']} {what}", skeleton(was["messages"]),
        skeleton(now["messages"]))


def report(results, shown):
    """Prints the differences by group; whether only messages differ."""
    counts, groups = collections.Counter(), collections.defaultdict(list)
    for words, was, now, differing in results:
        counts["equal" if not differing else "messages only" if differing == ("messages",) else "more"] += 1
        if differing:
            groups[group(words, was, now, differing)].append((words, was, now))
    for name, found in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{len(found)} lines: {name[0]}; status {name[1]}", f"  old: {name[2]}", f"  new: {name[3]}", sep="\n")
        for words, was, now in found[:shown]:
            print(f"    citiesctl {shlex.join(words)[:300]}")
            for key in ("stdout", "requests", "files"):
                if was[key] != now[key]:
                    print(f"      {key}: {first_difference(was[key], now[key])}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()) + f", {sum(counts.values())} lines in all")
    return counts["more"] == 0


def first_difference(old, new):
    old, new = (text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in (old, new))
    at = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(new)))
    start = max(0, at - 40)
    return f"{old[start:at + 80]!r} → {new[start:at + 80]!r}"


def compare(old, new, commands, workers=2):
    """Lines with both outcomes and the parts that differ; `new` has a server, too."""
    # A short path: that of a socket has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="lines-") as folder:
        folder = Path(folder)
        with formats.Build(new, folder / "server") as build:
            def work(number):
                place = folder / str(number)
                place.mkdir()
                desk = Desk(place, build.server.socket)
                return [(words, *compared(desk, old, new, words)) for words in commands[number::workers]]

            with ThreadPoolExecutor(workers) as pool:
                return [result for part in pool.map(work, range(workers)) for result in part]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?", default=harness.BIN)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=2, help="examples of each group")
    asked = parser.parse_args()
    results = compare(asked.old.resolve(), asked.new.resolve(), list(lines(asked.lines, asked.seed)))
    return 0 if report(results, asked.shown) else 1


if __name__ == "__main__":
    sys.exit(main())
