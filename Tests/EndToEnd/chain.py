"""The whole chain of a test's own: an upstream, `citiesd-sync serve`, `citiesd` and what asks them; and what tests know
of each feed.
"""

import json
import shutil
from dataclasses import dataclass

import harness
import stored
import upstream
from harness import feeds, until, variable


@dataclass(frozen=True)
class Feed:
    """What the tests know of a feed: a sound body with its records, another one, and a header of its requests."""

    body: bytes
    other: bytes
    records: int
    header: tuple | None
    resident: str


def packed(value):
    return json.dumps(value, ensure_ascii=False).encode()


# South in each country of the finder.
LATITUDES = {"EE": 58.5, "LV": 56.5, "LT": 55}


def finder(country, count):
    return packed([
        {"t": n % 3, "n": f"{country} office {n}", "a": f"Street {n}", "r": "Õismäe", "av": "24h",
         "lat": LATITUDES.get(country, 55) + n / 100, "lon": 24.5} for n in range(count)])


def imaginary(count):
    return packed({"data": [
        {"id": n + 1, "name": f"Poslovnica {n}", "address": "Tuzla 75000", "email": "a@b", "website": "https://b/",
         "type": "branch", "location": {"lat": 44.5, "long": 18.6 + n / 100}} for n in range(count)]})


def rates(*pairs):
    return packed([{"from": one, "to": other, "rate": "1.5"} for one, other in pairs])


def transactions(count):
    return packed([{"sku": "T2006", "amount": f"{n}.50", "currency": "EUR"} for n in range(count)])


COOKIE, ACCEPT = ("Cookie", "Swedbank-Embedded=iphone-app"), ("Accept", "application/json")
BANKS, TRADE = "banks.resident", "trade.resident"
KNOWN = {
    "swedbank-ee": Feed(finder("EE", 4), finder("EE", 5), 4, COOKIE, BANKS),
    "swedbank-lv": Feed(finder("LV", 3), finder("LV", 6), 3, COOKIE, BANKS),
    "swedbank-lt": Feed(finder("LT", 2), finder("LT", 7), 2, COOKIE, BANKS),
    "imaginary": Feed(imaginary(3), imaginary(4), 3, ("Accept", "*/*"), BANKS),
    "rates": Feed(rates(("EUR", "USD"), ("USD", "EUR")), rates(("EUR", "CAD")), 2, ACCEPT, TRADE),
    "transactions": Feed(transactions(5), transactions(6), 5, ACCEPT, TRADE),
}


def sampled(feed):
    """What the sample of a feed says that has no row above: a JSON list whose records are all kept."""
    body = (harness.ROOT / f"contrib/data/sample/{feed}.json").read_bytes()
    return Feed(body, body + b"\n", len(json.loads(body)), None, f"{harness.SUBJECTS[feed]}.resident")


# All but the cities, which the tests have an index of.
FEEDS = {feed: KNOWN.get(feed) or sampled(feed) for feed in feeds("banks", "trade")}
# Short enough for tests, long enough for a busy machine.
# The whole is far longer than a stall, which must be noticed first also on a busy machine.
LIMITS = {"connect": 10, "total": 20, "stall": 6}


class Chain:
    """All programs in a folder; the feeds come from the upstream unless a test configures something else."""

    def __init__(self, folder, index, tls=None):
        self.upstream = upstream.Upstream()
        self.server = harness.Server(folder)
        shutil.copy(index, self.server.state / "cities.index")
        self.state, self.file = self.server.state, folder / "sync.json"
        self.urls = {feed: self.upstream.url(f"/{feed}") for feed in FEEDS}
        self.tls = tls or {}
        self.recover()
        self.sync = harness.Sync(self.server, CITIES_SYNC_CONFIG=self.file)
        for feed in FEEDS:
            # The file sets the URLs, which only a variable overrides.
            self.sync.variables[variable(feed)] = None

    def start(self):
        self.sync.start()
        self.server.start()
        return self

    def stop(self):
        self.server.stop()
        self.sync.stop()
        self.upstream.stop()

    def configure(self, **urls):
        """Says where feeds come from; names have _ for -."""
        chosen = self.urls | {name.replace("_", "-"): url for name, url in urls.items()}
        feeds = {"cities": {"url": ""}} | {feed: {"url": url} for feed, url in chosen.items()}
        self.file.write_text(json.dumps({"feeds": feeds, "limits": LIMITS, "tls": self.tls}))

    def recover(self):
        """Everything works again."""
        self.configure()
        self.upstream.answers = {f"/{name}": upstream.good(feed.body) for name, feed in FEEDS.items()}

    def refresh(self, *feeds, force=False):
        """The outcomes of a refresh, by feed; of all feeds if none is named."""
        with self.server.wire(timeout=30) as wire:
            done = wire.call("refresh", feeds=list(feeds), force=force)
        return {outcome["feed"]: outcome for outcome in done["feeds"]}

    def status(self):
        """What status says of each feed."""
        with self.server.wire() as wire:
            return {feed["feed"]: feed for feed in wire.call("status")["feeds"]}

    def filled(self):
        """The chain, once every feed has delivered: they are asked for, as nothing is stored yet."""
        self.refresh()
        until(lambda: self.records() == {feed: FEEDS[feed].records for feed in FEEDS}, 20, "all data")
        return self

    def records(self):
        status = self.status()
        return {feed: status[feed].get("records") for feed in FEEDS}

    def copies(self):
        return {feed: stored.read(self.state, feed) for feed in FEEDS}

    def has_header(self, feed):
        """Whether the last request for the feed had the header that its server wants."""
        header = FEEDS[feed].header
        return header is None or self.upstream.last(f"/{feed}").headers[header[0]] == header[1]

    def residents(self):
        return {name: (self.state / name).read_bytes() for name in {feed.resident for feed in FEEDS.values()}}
