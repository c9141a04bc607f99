#!/usr/bin/env python3
"""Asks hundreds of questions in machine formats, and compares the answers of two builds; run by
contrib/compare-formats.
"""
import gzip
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import harness

RECORDED = Path(__file__).with_name("formats.json.gz")
# Keys whose values depend on the process, or on when and where the data was imported, or are text for people.
MASKED = {
    "as_of", "counters", "folder", "generation", "last_attempt", "message", "path", "pid", "requests", "server",
    "started", "written",
}
ROWS = ["tsv", "json", "jsonl", "csv"]
PLACED = [*ROWS, "geojson"]
MOMENT = "2026-03-04T10:30:00Z"
AT = ["--at", MOMENT]


def formats(names, *commands):
    """Each command in each format."""
    for command in commands:
        end = command.index("--") if "--" in command else len(command)
        yield from ([*command[:end], "--output", name, *command[end:]] for name in names)


def cities():
    prefixes = ["alb", "new york", "łód", "san ", "zzzz", "paris, f", "東", "o'"]
    yield from formats(PLACED, *(["search", prefix] for prefix in prefixes))
    yield from formats(ROWS, *(["search", "sao", *words] for words in (
        ["-m", "folded"], ["-s", "population"], ["-c", "br"], ["-c", "Brazil", "-n", "3"], ["--offset", "5"],
        ["--count"], ["--columns", "title,region,region_code,zone,alternates"], ["-n", "0"])))
    yield from [["search", "=", "-o", "csv", "--csv-safe"], ["search", "alb", "-0"],
        ["search", "alb", "-c", "nowhere", "-o", "json"]]
    names = ["münchen", "springfield illinois", "san jose cr", "lonbon", "MSK", "東京", "qqqqq", "paris", "new yrok",
        "st petersburg"]
    yield from formats(PLACED, *(["find", *name.split()] for name in names))
    yield from formats(ROWS, *(["find", "springfield", *words] for words in (
        ["--country", "us"], ["--region", "Ohio"], ["--near", "42,-72"], ["--no-typos"], ["-n", "2"],
        ["--region", "nowhere"])))
    shown = ["Paris, FR", "2988507", "lodz", "springfield", "san marino", "france", "0", "no such city anywhere"]
    yield from formats(PLACED, *(["show", name] for name in shown))
    places = ["59.437,24.7536", "-33.9,18.4", "90,0", "0,180", "Paris, FR", "geo:48.85,2.35", "springfield", "91,0"]
    yield from formats(PLACED, *(["near", "-n", "4", "--", place] for place in places))
    yield from formats(ROWS, *(["near", "--rule", "place", "-n", "2", "--", place] for place in places[:4]))
    yield from formats(ROWS, ["near", "--radius", "5km", "59.437,24.7536"], ["near", "--radius", "0", "0,0"])
    boxes = [["40,-74", "41,-73"], ["59,24", "60,26"], ["-10,170", "10,-170"], ["1,1", "0,0"]]
    yield from formats(PLACED, *(["within", *box, "-n", "5"] for box in boxes))
    yield from formats(ROWS, ["within", "59,24", "60,26", "--population", "50000"])
    yield from formats(ROWS,
        *(["time", place, *AT] for place in ("Paris, FR", "Kathmandu, NP", "0,0", "St. John's, CA")))
    yield from [["map", "Tallinn, EE", "-o", name, *words] for name in ("geojson", "geo")
        for words in ([], ["--zoom", "50km"])]


def banks_and_trade():
    yield from formats(ROWS, ["bank", "regions", *AT])
    for words in ([], ["-c", "ee"], ["--kind", "atm"], ["--bank", "swedbank-lv"], ["--region", ""], ["--open-now"],
                  ["--kind", "branch", "-n", "2"], ["-c", "nowhere"], ["--count"], ["--offset", "2"]):
        yield from formats(PLACED, ["bank", "list", *words, *AT])
    yield from formats(PLACED, *(["bank", "search", query, *AT] for query in ("sample", "sarajevo", "a e", "zzz")))
    yield from formats(PLACED, *(["bank", "show", key, *AT] for key in ("imaginary-1", "imaginary-2", "nothing")))
    yield from formats(PLACED, *(["bank", "near", "-n", "3", *AT, place] for place in ("Tallinn, EE", "43.8,18.4")))
    yield from formats(ROWS, *(["product", "list", *words] for words in (
        [], ["--in", "USD,CAD"], ["--rounding", "step"], ["-n", "1"], ["--count"], ["--in", "XXX"])))
    yield from formats(ROWS, *(["product", "show", "T2006", *words] for words in (
        [], ["--in", "USD"], ["--explain"], ["--total"], ["-s", "amount"], ["--rounding", "step"])))
    yield from formats(ROWS, ["product", "show", "nothing"])
    yield from formats(ROWS, ["rate", "list"], ["rate", "list", "--base", "EUR"], ["rate", "list", "--base", "XXX"])
    conversions = [["12.50", "USD", "CAD"], ["--explain", "1", "GBP", "USD"], ["1", "EUR", "XXX"],
        ["--", "-3", "CAD", "EUR"]]
    yield from [["rate", "convert", "-o", name, *words] for words in conversions for name in ROWS]


CALLS = {
    "city.search": [{"prefix": "alb"}, {"prefix": "sao", "match": "folded", "limit": 2}, {"prefix": "", "limit": 0}],
    "city.find": [{"query": "paris"}, {"query": "lonbon", "limit": 1}, {"query": "x", "country": "nowhere"}],
    "city.get": [{"title": "Paris, FR"}, {"title": "springfield"}, {"id": 1}, {"title": "Pariss"}],
    "city.near": [{"place": {"at": {"lat": 59.4, "lon": 24.7}}, "limit": 2}, {"place": {"title": "nowhere at all"}}],
    "city.within": [{"box": {"south": 59, "west": 24, "north": 60, "east": 26}, "limit": 2}],
    "city.time": [{"places": [{"title": "Paris, FR"}], "at": MOMENT}],
    "bank.regions": [{}], "bank.list": [{"limit": 2, "filter": {"at": MOMENT}}, {"filter": {"country": "nowhere"}}],
    "bank.search": [{"query": "sample", "filter": {"at": MOMENT}}],
    "bank.get": [{"id": "imaginary-1", "at": MOMENT}, {"id": "x"}],
    "bank.near": [{"place": {"at": {"lat": 43, "lon": 18}}, "limit": 2, "filter": {"at": MOMENT}}],
    "product.list": [{}, {"in": ["EUR", "USD"]}], "product.get": [{"sku": "T2006"}, {"sku": "x"}],
    "rate.list": [{}, {"base": "EUR"}], "rate.convert": [{"amount": "1", "from": "EUR", "to": "USD"}],
    "no.such": [{}],
}


def others():
    yield from [["call", method, json.dumps(params)] for method, cases in CALLS.items() for params in cases]
    yield from [["status", "--output", "json"], ["status", "--output", "jsonl"]]
    yield from formats(ROWS, ["status", "--columns", "kind,name,ready,records"],
        ["feed", "list", "--columns", "feed,state,format"])


TABLES = [
    (["locate", *words], table) for words in ([], ["--rule", "place"])
    for table in ("59.4\t24.7\n-33.9\t18.4\n", "x\t1\n\t\n91\t0\n", "48.85\t2.35\tkept\n")
] + [
    (["locate", "--input", "csv", "--lat", "lat", "--lon", "lng"], 'lng,lat\n2.35,48.85\n"24.7","59.4"\n'),
    *((["match", *words], "Paris\nmünchen\nspringfield\nqqqqq\nlonbon\n1\n") for words in (
        [], ["--least", "sure"], ["--no-typos"], ["--country", "us"])),
    (["match", "--input", "csv", "--name", "town", "--country-column", "c"], "town,c\nParis,US\nLyon,France\n,\n"),
    *((["session", *words], "alb\n\nzzz\nsao p\n")
    for words in ([], ["-o", "jsonl"], ["--find"], ["--find", "-o", "jsonl"], ["-n", "2"])),
    *((["near", "-", "-o", name], "59.4,24.7\nParis, FR\nnowhere at all\n91,0\n") for name in ("tsv", "jsonl")),
    *((["rate", "convert", "-", "-o", name], "1 EUR USD\nx EUR USD\n2 USD XXX\n") for name in ("tsv", "jsonl")),
]


def questions():
    """All questions: the words and the input of each."""
    plain = [(command, "") for command in itertools.chain(cities(), banks_and_trade(), others())]
    return plain + TABLES


class Build:
    """A server of a build, with the sync service, on the samples."""

    def __init__(self, programs, folder):
        self.bin = programs / "bin" if (programs / "bin").is_dir() else programs
        self.server = harness.Server(folder)
        self.server.binaries = self.bin
        subprocess.run(
            [self.bin / "citiesd-sync", "run", "--samples"], env=harness.environment(CITIES_STATE=self.server.state),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        self.sync = harness.Sync(self.server)
        self.sync.binaries = self.bin

    def __enter__(self):
        self.sync.start()
        self.server.start()
        ready = ("cities", "banks", "trade")
        harness.until(lambda: set(ready) <= set(self.generations()), 60, "data of all subjects")
        return self

    def generations(self):
        with self.server.wire() as wire:
            return wire.call("hello", protocols=[1], client="formats")["generations"]

    def __exit__(self, *_):
        self.server.stop()
        self.sync.stop()

    def answer(self, words, table):
        """Exit status, standard output, and the objects on standard error."""
        done = subprocess.run(
            [self.bin / "citiesctl", *words], input=table.encode(), capture_output=True, timeout=60, check=False,
            env=harness.environment(CITIES_SOCKET=self.server.socket, TZ="UTC"))
        errors = [line for line in done.stderr.splitlines(keepends=True) if line.startswith(b"{")]
        return done.returncode, done.stdout.decode(), b"".join(errors).decode()

    def answers(self):
        return [(words, table, *self.answer(words, table)) for words, table in questions()]


# ---- The comparison ----

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Value:
    """A value of a JSON text, by its place in the text: nothing is written a second time."""

    def __init__(self, start):
        self.start, self.end, self.children = start, start, None

    @classmethod
    def parse(cls, tokens, at):
        """The value that starts at a token, and the number of the token after it."""
        value, opening = cls(tokens[at].start()), tokens[at][0]
        if opening in "{[":
            value.children, at = [], at + 1
            while tokens[at][0] not in "}]":
                at += tokens[at][0] == ","
                start, key = tokens[at].start(), None
                if opening == "{":
                    key, at = json.loads(tokens[at][0]), at + 2
                child, at = cls.parse(tokens, at)
                value.children.append((key, start, child))
        value.end = tokens[at].end()
        return value, at + 1

    @classmethod
    def all(cls, text):
        """The values of a text, as the children of one."""
        tokens, at, values = list(TOKEN.finditer(text)), 0, cls(0)
        values.children, values.end = [], len(text)
        while at < len(tokens):
            child, at = cls.parse(tokens, at)
            values.children.append((None, child.start, child))
        return values

    def masked(self, text, like):
        """The text of this value with masks, without members that the value `like` does not have."""
        if not self.children:
            return text[self.start:self.end]
        others = dict(enumerate(child for _, _, child in like.children or []))
        others |= {key: child for key, _, child in like.children or [] if key is not None}
        parts, end = [], None
        for number, (key, start, child) in enumerate(self.children):
            separator, end = text[end:start] if parts else text[self.start:self.children[0][1]], child.end
            if key is not None and key not in others:
                continue
            shown = child.masked(text, others.get(number if key is None else key, child))
            parts += [separator, f"{json.dumps(key)}: masked" if key in MASKED else text[start:child.start] + shown]
        return "".join(parts) + text[end:self.end] if parts else text[self.start:self.children[0][1]] + text[
            end:self.end]


def same_rows(old, new):
    """Whether lines are equal, but for columns after the old ones."""
    old, new = old.split("\n"), new.split("\n")
    return len(old) == len(new) and all(
        one == other or one and other.startswith((one + "\t", one + ",")) for one, other in zip(old, new, strict=True))


def same_text(old, new):
    """Whether two outputs are equal, but for what is masked or added."""
    if old == new or not old.startswith(("{", "[")) or not new.startswith(("{", "[")):
        return same_rows(old, new)
    olds, news = Value.all(old), Value.all(new)
    return len(olds.children) == len(news.children) and olds.masked(old, olds) == news.masked(new, olds)


def differences(old, new):
    """The questions whose answers differ, with both answers."""
    known = {(tuple(words), table): rest for words, table, *rest in new}
    for words, table, *was in old:
        now = known.get((tuple(words), table))
        if now is None or was[0] != now[0] or not all(map(same_text, was[1:], now[1:])):
            yield words, table, was, now


def recorded(path):
    return json.loads(gzip.decompress(Path(path).read_bytes()))


def ask(programs):
    # A short path: that of a socket has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="formats-") as folder, Build(Path(programs).resolve(),
            Path(folder)) as build:
        return build.answers()


def main(words):
    is_recording = words[:1] == ["--record"]
    words = words[is_recording:]
    if len(words) > 2 or is_recording and not words:
        sys.exit("compare-formats: unexpected arguments; see contrib/compare-formats --help")
    old = words[0] if words else RECORDED
    programs = words[1] if len(words) == 2 else harness.OUT
    if is_recording:
        answers = ask(programs)
        text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
        Path(old).write_bytes(gzip.compress(text.encode(), mtime=0))
        print(f"{len(answers)} answers recorded in {old}")
        return 0
    answers = recorded(old) if Path(old).is_file() else ask(old)
    found = list(differences(answers, ask(programs)))
    for question, table, was, now in found:
        print(f"citiesctl {' '.join(question)}" + (f" < {table!r}" if table else ""), f"  old: {was}", f"  new: {now}",
            sep="\n")
    print(f"{len(answers)} answers, {len(found)} different")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
