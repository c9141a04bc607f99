#!/usr/bin/env python3
"""How often `city.find` finds the place that people mean: asks the questions of find_questions.py, prints a table.

    find_quality.py                     asks the release programs with the shipped list
    find_quality.py --socket PATH       asks a server that runs
    find_quality.py --oracle            asks the plain implementation of find_oracle.py; needs no program
    find_quality.py --reference FILE    takes the questions from another file of find_reference.py

A name that the list does not hold for its city is counted in a line of its own. Exits with 1 if a mark is missed.
"""

import argparse
import contextlib
import gzip
import json
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parent))

import find_questions  # noqa: E402
import harness  # noqa: E402
from find_oracle import Finder, fold  # noqa: E402
from wire import Wire, WireFault, result  # noqa: E402

RANKS = (1, 2, 5, 10)
PIPELINED = 16
NAMES = harness.SHIPPED_LIST.parent / "names.json.gz"
# Names in one request of `city.match`, and its class of a sure answer.
MATCHED, SURE = 500, 3

# Set -> {rank: least share in percent}, for names that the list holds.
MARKS = {
    "names": {2: 98, 10: 99.5},
    "zones": {10: 95},
    "three letters": {5: 92, 10: 97.5},
    "first words": {5: 85, 10: 92},
    "typos": {1: 95, 5: 99},
    "regions": {1: 98},
    "countries": {1: 98},
    "counties": {1: 92},
    "namesakes by county": {1: 80},
    "province codes": {1: 95},
    "airport codes": {1: 95},
}
# Questions with a place that is near: the same.
NEAR_MARKS = {"three letters near": {5: 90}, "same names near": {1: 80, 2: 95}}
# Sets that are made of the list: the same.
MADE_MARKS = {
    "unfinished errors": {5: 70},
    "first letters": {1: 50},
    "word order": {1: 90},
    "country first": {1: 95},
    "other keyboards": {1: 80},
    "addresses": {1: 92},
    "unknown areas": {1: 92},
    "namesakes": {1: 90},
    "titles of namesakes": {1: 55},
}
# Names with marks that carry sound: least share in percent of the right city among the sure ones.
SURE_MARKS = {"signs": 99}
# Set -> least share in percent of the right place first, and least advantage over the nearest.
PLACE_MARKS = {"districts": (85, 25)}


class OracleAsker:
    """The plain implementation."""

    def __init__(self, finder):
        self.finder = finder

    def find(self, queries, **options):
        for query in queries:
            yield [(row.city["_id"], row.by) for row in self.finder.find(query, limit=max(RANKS), **options)]

    def find_near(self, questions):
        for near, query in questions:
            rows = self.finder.find(query, limit=max(RANKS), near=(near["lat"], near["lon"]))
            yield [row.city["_id"] for row in rows]

    def place(self, positions):
        for lat, lon in positions:
            yield self.finder.place(lat, lon)


class ServerAsker:
    """A server, with several requests under way."""

    def __init__(self, socket_path):
        self.wire = Wire(socket_path, timeout=60)

    def find(self, queries, **options):
        asked = [("city.find", {"query": query, "limit": max(RANKS)} | options) for query in queries]
        for found in self._results(asked):
            yield [(row["city"]["id"], row["by"]) for row in found["rows"]]

    def find_near(self, questions):
        asked = [
            ("city.find", {"query": query, "limit": max(RANKS), "near": {"at": near}}) for near, query in questions]
        for found in self._results(asked):
            yield [row["city"]["id"] for row in found["rows"]]

    def match(self, names):
        """(id, class) of each name."""
        yield from map(tuple, self.match_each([{"text": name} for name in names]))

    def match_each(self, questions):
        """Id and class of each text, which may have a country and a region."""
        for start in range(0, len(questions), MATCHED):
            part = questions[start:start + MATCHED]
            names, countries, regions = (
                "".join(f"{params.get(key, '')}\n" for params in part) for key in ("text", "country", "region"))
            [found] = self._results([("city.match", {"names": names, "countries": countries, "regions": regions})])
            identifiers = memoryview(found["ids"].value).cast("Q")
            yield from map(list, zip(identifiers, found["classes"].value, strict=True))

    def rows(self, questions):
        """Id, kind of name, and the name unless it is the title's, for each question in parameters."""
        for found in self._results([("city.find", params) for params in questions]):
            yield [[row["city"]["id"], row["by"], row.get("matched")] for row in found["rows"]]

    def place(self, positions):
        asked = [
            ("city.near", {"place": {"at": {"lat": lat, "lon": lon}}, "limit": 1, "rule": "place"})
            for lat, lon in positions
        ]
        for found in self._results(asked):
            yield found["rows"][0]["city"]["id"]

    def _results(self, asked):
        for start in range(0, len(asked), PIPELINED):
            for identifier in self.wire.send_all(asked[start:start + PIPELINED]):
                yield result(self.wire.receive(), identifier)


def measure_made(asker, finder, names):
    """Prints how often the sets that are made of the list find the right city; whether the marks are kept."""
    all_kept = True
    for name, questions in find_questions.made(finder.cities, names["countries"]).items():
        tally = find_questions.Tally()
        for (_, _, identifier), rows in zip(questions, asker.find([query for _, query, _ in questions]), strict=True):
            tally.add([row[0] for row in rows], identifier)
        text, kept = line(name, tally, MADE_MARKS.get(name, {}))
        all_kept &= kept
        print(text, flush=True)
    return all_kept


def line(name, tally, marks):
    """A line of the table, and whether it keeps the marks."""
    shares = "".join(f"{tally.share(rank):9.2f}" for rank in RANKS)
    kept = all(tally.share(rank) >= least for rank, least in marks.items())
    wanted = ", ".join(f"{rank}: {least} %" for rank, least in marks.items())
    return f"{name:26}{len(tally.ranks):7}{shares}   {wanted and ('kept  ' if kept else 'MISSED ') + wanted}", kept


def measure(asker, finder, reference):
    """Prints the table; whether all marks are kept."""
    positions = {city["_id"]: at for at, city in enumerate(finder.cities)}
    sets = {name: reference[name] for name in MARKS}
    print(f"{'set':26}{'asked':>7}" + "".join(f"{f'in {rank} %':>9}" for rank in RANKS))
    all_kept = True
    for name, questions in sets.items():
        if name == "typos":
            questions, ok = without_hit(asker, questions)
            all_kept &= ok
        tallies = defaultdict(find_questions.Tally)
        for (_, query, identifier), rows in zip(questions, asker.find([q for _, q, _ in questions]), strict=True):
            held = positions[identifier] in finder.entries.get(fold(query), ()) or name not in ("names", "zones")
            tallies[held].add([row[0] for row in rows], identifier)
        for held, tally in sorted(tallies.items(), reverse=True):
            text, kept = line(name if held else f"  not held: {name}", tally, MARKS[name] if held else {})
            all_kept &= kept
            print(text, flush=True)
    return all_kept


def measure_near(asker, reference):
    """Prints how often the right place is found near a position; whether the marks are kept."""
    all_kept = True
    for name, marks in NEAR_MARKS.items():
        tally = find_questions.Tally()
        questions = reference[name]
        found = asker.find_near([(near, query) for near, query, _ in questions])
        for (_, _, identifier), rows in zip(questions, found, strict=True):
            tally.add(rows, identifier)
        text, kept = line(name, tally, marks)
        all_kept &= kept
        print(text, flush=True)
    return all_kept


def measure_sure(asker, reference):
    """Prints how many names `city.match` is sure of, and how many of those are right; whether the marks are kept."""
    all_kept = True
    print(f"\n{'set':26}{'asked':>7}{'sure %':>9}{'right %':>9}")
    for name, least in SURE_MARKS.items():
        questions = reference[name]
        answers = zip(questions, asker.match([query for _, query, _ in questions]), strict=True)
        sure = [identifier == wanted for (_, _, wanted), (identifier, certainty) in answers if certainty == SURE]
        right = percent(sure)
        kept = right >= least
        all_kept &= kept
        shares = f"{100 * len(sure) / len(questions):9.2f}{right:9.2f}"
        print(f"{name:26}{len(questions):7}{shares}   {'kept' if kept else 'MISSED'}  {least} %", flush=True)
    return all_kept


def without_hit(asker, questions):
    """The misspelt names that match nothing as they are, and whether the others got no row by a typing error."""
    queries = [query for _, query, _ in questions]
    exact = list(asker.find(queries, typos=False))
    disturbed = sum(
        bool(hits) and any(by == "typo" for _, by in rows)
        for hits, rows in zip(exact, asker.find(queries), strict=True))
    hit = sum(map(bool, exact))
    print(f"typos: {hit} of {len(questions)} are a name or the start of one; {disturbed} of those got a row by a typo")
    return [question for question, hits in zip(questions, exact, strict=True) if not hits], not disturbed


def measure_places(asker, finder, reference):
    """How often `rule: place` names the right place, beside the nearest; whether the marks are kept."""
    all_kept = True
    print(f"\n{'set':26}{'asked':>7}{'place %':>9}{'nearest':>9}")
    for name in ("districts", "zips", "zips of big cities"):
        questions = reference[name]
        found = list(asker.place([(lat, lon) for lat, lon, *_ in questions]))
        right = percent(place == wanted for place, (_, _, wanted, _) in zip(found, questions, strict=True))
        nearest = percent(finder.nearest(lat, lon) == wanted for lat, lon, wanted, _ in questions)
        least, advantage = PLACE_MARKS.get(name, (0, -100))
        kept = right >= least and right - nearest >= advantage
        all_kept &= kept
        wanted = f"{'kept' if kept else 'MISSED'}  {least} %, {advantage} more" if name in PLACE_MARKS else ""
        print(f"{name:26}{len(questions):7}{right:9.2f}{nearest:9.2f}   {wanted}", flush=True)
    return all_kept


def percent(outcomes):
    outcomes = list(outcomes)
    return 100 * sum(outcomes) / len(outcomes)


def clock_questions(cities, count=200, year=2026):
    """(city, instant, offset in seconds): the biggest city of each zone, on both sides of its clock changes of a year.

    A zone without a change is asked in the middle of the year. The answers are those of Python's zoneinfo.
    """
    biggest = {}
    for city in sorted(cities, key=lambda city: (-city.get("population", 0), city["_id"])):
        if "timezone" in city:
            biggest.setdefault(city["timezone"], city)
    for zone, city in list(biggest.items())[:count]:
        for instant in clock_changes(ZoneInfo(zone), year) or [int(datetime(year, 7, 1, tzinfo=UTC).timestamp())]:
            for moment in (instant - 1, instant):
                yield city, moment, offset(ZoneInfo(zone), moment)


def clock_changes(zone, year):
    """The seconds at which the clock of a zone changes within a year."""
    first, last = (int(datetime(y, 1, 1, tzinfo=UTC).timestamp()) for y in (year, year + 1))
    changes = []
    for start in range(first, last, 86_400):
        low, high = start, start + 86_400
        if offset(zone, low) != offset(zone, high):
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == offset(zone, low) else (low, middle)
            changes.append(high)
    return changes


def offset(zone, moment):
    return int(datetime.fromtimestamp(moment, zone).utcoffset().total_seconds())


@contextlib.contextmanager
def asker_of(options, finder):
    """What the options ask: the plain implementation, a server that runs, or one of its own."""
    if options.oracle:
        yield OracleAsker(finder)
    elif options.socket:
        yield ServerAsker(options.socket)
    else:
        with tempfile.TemporaryDirectory() as folder:
            server = harness.Server(Path(folder))
            try:
                server.start()
                yield ServerAsker(server.socket)
            finally:
                server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket", type=Path)
    parser.add_argument("--oracle", action="store_true")
    parser.add_argument("--reference", type=Path, default=find_questions.REFERENCE)
    options = parser.parse_args()
    finder = Finder.shipped(harness.SHIPPED_LIST.parent)
    reference = find_questions.load(finder.cities, options.reference)
    kept = True
    with asker_of(options, finder) as asker:
        start = time.monotonic()
        try:
            kept &= measure(asker, finder, reference)
            kept &= measure_near(asker, reference)
            kept &= measure_made(asker, finder, json.loads(gzip.decompress(NAMES.read_bytes())))
            if not options.oracle:
                kept &= measure_sure(asker, reference)
            kept &= measure_places(asker, finder, reference)
        except WireFault as fault:
            sys.exit(f"find_quality: the server does not answer: {fault}")
        print(f"{time.monotonic() - start:.1f} s")
    sys.exit(not kept)


if __name__ == "__main__":
    main()
