"""Clients that compare every answer with what the oracles say, for a soak in which everything else fails.

A client asks the same questions all the time. The list of cities has two versions and so has every feed; an answer is
right if it is that of one version, for cities that of the generation it names.
"""

import itertools
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import banks
from oracle import Oracle, distance, row
from wire import Wire

PREFIXES = ["a", "al", "alb", "tall", "san ", "par", "new y", "zzz", "å", "sao"]
LIMITS = (1, 20)
CITIES_ASKED, POINTS_ASKED, NEAREST = 40, 8, 5
CURRENCIES = ("EUR", "USD")
SKU = "T2006"
# Seconds before a client asks again that was answered `unavailable`.
RETRY_PAUSE = 0.2
# Seconds between two good answers from which a pause is noted.
NOTED = 0.05
# Metres by which distances may differ: double arithmetic in another order may round the other way.
TOLERANCE = 1


@dataclass
class Question:
    """A request, the subject whose data it needs, and the check of a result."""

    method: str
    params: dict
    check: object

    @property
    def subject(self):
        return {"city": "cities", "bank": "banks"}.get(self.method.split(".")[0], "trade")


def questions(cities, bank_rows, books):
    """All questions.

    `cities` maps generations to lists of records, `bank_rows` has the rows of each version of each feed, and `books`
    are the versions of products and rates.
    """
    lists = {generation: [row(record) for record in records] for generation, records in cities.items()}
    return [*searches(lists), *lookups(lists), *neighbours(lists), locations(bank_rows), *products(books)]


def searches(lists):
    oracles = {generation: Oracle(rows) for generation, rows in lists.items()}
    for prefix, limit in itertools.product(PREFIXES, LIMITS):
        found = {generation: oracle.search(prefix) for generation, oracle in oracles.items()}
        expected = {generation: (len(rows), rows[:limit]) for generation, rows in found.items()}
        yield Question(
            "city.search", {"prefix": prefix, "limit": limit},
            lambda reply, expected=expected: (reply["total"], reply["rows"]) == expected[reply["generation"]])


def lookups(lists):
    by_id = {generation: {city["id"]: city for city in rows} for generation, rows in lists.items()}
    common = sorted(set.intersection(*(set(cities) for cities in by_id.values())))
    for identifier in random.Random(5).sample(common, CITIES_ASKED):
        yield Question(
            "city.get", {"id": identifier},
            # It also says its region, where the list has one.
            lambda reply, wanted=identifier: by_id[reply["generation"]][wanted].items() <= reply["city"].items())


def neighbours(lists):
    generator = random.Random(7)
    for _ in range(POINTS_ASKED):
        lat, lon = round(generator.uniform(-60, 60), 5), round(generator.uniform(-180, 180), 5)
        # Some more than are asked for: within the tolerance the order is open.
        expected = {
            generation: sorted((distance(lat, lon, city), city["id"]) for city in rows)[:NEAREST + 5]
            for generation, rows in lists.items()}
        yield Question(
            "city.near", {"place": {"at": {"lat": lat, "lon": lon}}, "limit": NEAREST},
            lambda reply, expected=expected: is_nearest(reply["rows"], expected[reply["generation"]]))


def is_nearest(rows, expected):
    metres = {identifier: far for far, identifier in expected}
    return len({entry["city"]["id"] for entry in rows}) == NEAREST and all(
        entry["city"]["id"] in metres and abs(entry["distance"] - metres[entry["city"]["id"]]) <= TOLERANCE
        and abs(entry["distance"] - far) <= TOLERANCE for entry, (far, _) in zip(rows, expected))


def locations(bank_rows):
    expected = [
        sorted(itertools.chain(*chosen), key=banks.by_heading) for chosen in itertools.product(*bank_rows.values())]
    return Question(
        "bank.list", {"limit": 1000},
        lambda reply: [
            {key: value for key, value in entry["location"].items() if key != "id"} for entry in reply["rows"]]
        in expected and reply["total"] == len(reply["rows"]))


def products(books):
    for code in CURRENCIES:
        expected = [(book.sales[SKU], *book.total(SKU, code)) for book in books]
        yield Question(
            "product.get", {"sku": SKU, "in": code}, lambda reply, expected=expected: product(reply) in expected)


def product(reply):
    total = reply["total"]
    return (
        [(entry["currency"], entry["amount"]) for entry in reply["rows"]], Fraction(total["amount"]),
        {entry["currency"]: (entry["count"], Fraction(entry["sum"])) for entry in total["remainders"]})


@dataclass
class Report:
    """What a client has seen."""

    answers: Counter = field(default_factory=Counter)
    retries: Counter = field(default_factory=Counter)
    wrong: list = field(default_factory=list)
    # (subject, time of the first attempt, time of the last failure, reasons: the last first)
    failed: list = field(default_factory=list)
    pauses: list = field(default_factory=list)


class Client:
    """Asks `depth` requests at once, and again, once for each reason: a broken connection, data that is unavailable."""

    def __init__(self, path, asked, depth, seed):
        self.path, self.asked, self.depth = path, list(asked), depth
        random.Random(seed).shuffle(self.asked)
        self.report, self.wire, self.last = Report(), None, None

    def run(self, stop, reports, pause):
        rounds = itertools.cycle(self.asked)
        while not stop.is_set():
            self.ask(list(itertools.islice(rounds, self.depth)))
            time.sleep(pause)
        reports.put(self.report)

    def ask(self, asked):
        begun, left, seen = time.monotonic(), [(question, set()) for question in asked], self.report
        while left:
            reasons = {id(question): reasons for question, reasons in left}
            left = []
            for question, reason in self.attempt([question for question in asked if id(question) in reasons]):
                if reason in reasons[id(question)]:
                    others = sorted(reasons[id(question)] - {reason})
                    seen.failed.append((question.subject, begun, time.monotonic(), [reason, *others]))
                else:
                    seen.retries[reason] += 1
                    left.append((question, reasons[id(question)] | {reason}))
            if left and self.wire is not None:
                time.sleep(RETRY_PAUSE)

    def attempt(self, asked):
        """Asks once; the questions that are to be asked again, with the reason."""
        left, done = [], 0
        try:
            self.wire = self.wire or Wire(self.path)
            self.wire.send_all([(question.method, question.params) for question in asked])
            for question in asked:
                reply = self.wire.receive()
                done += 1
                if reply.get("error", {}).get("code") == "unavailable":
                    left.append((question, "unavailable"))
                else:
                    self.judge(question, reply)
        except (OSError, EOFError) as failure:
            if self.wire:
                self.wire.socket.close()
            self.wire = None
            reason = "no answer" if isinstance(failure, TimeoutError) else "connection lost"
            left += [(question, reason) for question in asked[done:]]
        return left

    def judge(self, question, reply):
        try:
            is_right = "result" in reply and question.check(reply["result"])
        except (KeyError, TypeError, ValueError):
            is_right = False
        if not is_right:
            return self.report.wrong.append((time.monotonic(), f"{question.method} {question.params}: {reply!r:.600}"))
        self.report.answers[question.method] += 1
        now = time.monotonic()
        if self.last is not None and now - self.last > NOTED:
            self.report.pauses.append((self.last, now))
        self.last = now
