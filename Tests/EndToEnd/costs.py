"""What the most expensive legal request of each method costs the server, in processor time.

    python3 Tests/EndToEnd/costs.py       prints a table, for the programs that contrib/build has made

The server has the shipped list of cities, 4,000 locations of two banks, 100,000 transactions of 5,000 products, and a
chain of 100 rates. Its processor time is the kernel's own count (/proc/PID/schedstat), so that another program on the
machine changes it little; the time of one request is the median of several.
"""

import itertools
import json
import statistics
import string
import struct
import sys
import tempfile
import time
from pathlib import Path

import cbor2

sys.path.insert(0, str(Path(__file__).parent))

import harness  # noqa: E402
from wire import Wire, request  # noqa: E402

CODES = ["".join(letters) for letters in itertools.product(string.ascii_uppercase, repeat=3)][:101]
LONG = "İ" * 30_000
SPELLINGS = " ".join("aÁáÀàÂâÃãÄ"[n % 10] + "İ" * 3 for n in range(7_000))
PLACE = {"at": {"lat": 58.4, "lon": 26.7}}
OCEAN = {"at": {"lat": -48.9, "lon": -123.4}}


def floats(numbers):
    """A typed array of 64 bits (RFC 8746)."""
    return cbor2.CBORTag(86, struct.pack(f"<{len(numbers)}d", *numbers))


# The world, an empty sea, a strip through many towns, and one over the date line.
BOXES = [
    {"south": -90.0, "west": -180.0, "north": 90.0, "east": 180.0},
    {"south": -50.0, "west": -130.0, "north": -45.0, "east": -100.0},
    {"south": 48.5, "west": -180.0, "north": 48.5001, "east": 180.0},
    {"south": -30.0, "west": 150.0, "north": 0.0, "east": -150.0},
]
DECIMAL = "1234567.89"
# The sync service does its work.
UNMEASURED = ["refresh"]


def requests():
    """For each method the requests that might be its most expensive one: at first those of its golden vectors."""
    found = {}
    for path in sorted((harness.ROOT / "Protocol" / "vectors").glob("*.request*.hex")):
        lines = [line.partition("#")[0] for line in path.read_text(encoding="utf-8").splitlines()]
        frame = cbor2.loads(bytes.fromhex("".join(lines)))
        if not frame["method"].startswith("feed.") and frame["method"] not in UNMEASURED:
            found.setdefault(frame["method"], []).append(frame["params"])
    return {method: worst_requests().get(method, vectors) for method, vectors in found.items()}


def worst_requests():
    """The most expensive requests of the methods of which the vectors have none."""
    from decimal import Decimal
    filters = [{"country": LONG}, {"region": LONG}, {"bank": LONG}, {"open": True}]
    return {
        "city.search": [
            {"prefix": "", "limit": 1000}, {"prefix": "", "sort": "population", "limit": 1000, "match": "folded"},
            {"prefix": "", "sort": "population", "limit": 1000, "offset": 100_000},
            {"prefix": "", "sort": "population", "limit": 1000, "country": "us"},
            {"prefix": LONG, "match": "folded"}, {"prefix": "a" * 60_000}, {"prefix": "," * 40},
            {"prefix": "", "limit": 1000, "with": ["region", "zone", "alternates"]},
            {"prefix": "", "limit": 1000, "with": ["region", "zone", "alternates"], "sort": "population"},
        ],
        "city.find": [
            {"query": LONG}, {"query": "Santiagt de Querétaro"}, {"query": " ".join(["san"] * 400)},
            {"query": "s", "region": "TX"}, {"query": "s", "limit": 100, "near": PLACE},
            {"query": "kalaman t türkiye nowhere", "country": "us"}, {"query": "san s"},
        ],
        "city.get": [{"title": LONG}, {"title": "," * 40}, {"title": "San José", "near": PLACE},
                     {"id": 588_409, "with": ["alternates"]}],
        "city.near": [{"place": PLACE, "limit": 1000}, {"place": OCEAN, "limit": 1000}, {"place": {"title": LONG}},
                      {"place": PLACE, "limit": 1000, "rule": "place"}, {"place": OCEAN, "rule": "place"},
                      {"place": PLACE, "limit": 1000, "with": ["region", "zone", "alternates"]}],
        "city.locate": [
            {"lat": floats(lat), "lon": floats(lon), "rule": rule, "rows": True} for rule in ("nearest", "place")
            for lat, lon in (([n % 180 - 89.5 for n in range(4_000)], [n * 7 % 360 - 179.5 for n in range(4_000)]),
                             ([-48.9] * 4_000, [-123.4] * 4_000))],
        "city.match": [
            {"names": names * (60_000 // len(names.encode())), "rows": True} | rest
            for names in ("San José\n", "Santiagt de Querétaro\n", " ".join(["san"] * 24) + "\n", LONG[:2_000] + "\n",
                "s\n")
            for rest in ({}, {"region": "TX"}, {"with": ["region", "zone", "alternates"]})],
        "city.within": [{"box": box, "limit": 1000} for box in BOXES],
        "city.time": [{"places": [place] * 100} for place in (OCEAN, {"query": "Santiagt de Querétaro"})],
        "bank.list": [{"filter": one, "limit": 1000} for one in filters],
        "bank.regions": [{"filter": one} for one in filters],
        "bank.search": [
            {"query": LONG}, {"query": SPELLINGS}, {"query": " ".join(f"a{n}" for n in range(64))},
            {"query": " ".join("office street"[:n] for n in range(1, 14)), "filter": {"open": True}, "limit": 1000},
        ],
        "bank.near": [{"place": OCEAN, "limit": 1000, "filter": one} for one in filters],
        "bank.get": [{"id": LONG}],
        "product.list": [
            {"in": CODES[85:101], "limit": 1000, "rounding": rounding} for rounding in ("once", "step")],
        "product.get": [{"sku": "BULK", "in": CODES[100], "sort": "amount", "rounding": rounding} | rest
                        for rounding in ("once", "step")
                        for rest in ({"limit": 5000}, {"limit": 2000, "explain": True})],
        "rate.list": [{}, {"base": CODES[100]}],
        "rate.convert": [{"amount": Decimal(DECIMAL), "from": CODES[0], "to": CODES[100], "rounding": rounding}
                         for rounding in ("once", "step")],
        "hello": [{"protocols": [1] * 4_000, "client": "x"}],
        "watch": [{"subjects": ["cities"] * 4_000}],
    }


def data(folder):
    """The environment of an import of everything but the cities."""
    finder = [{"t": n % 3, "n": f"Office {n}", "a": f"Long Street of the Capital {n}", "r": f"Region {n % 60}",
        "av": "24h",
               "lat": 55 + n / 1000, "lon": 24.5} for n in range(2_000)]
    rates = [{"from": one, "to": other, "rate": "1.00123"} for one, other in itertools.pairwise(CODES)]
    sales = [{"sku": "BULK" if n % 2 else f"P{n % 9_998}", "amount": f"{n % 977}.{n % 90 + 10}",
              "currency": CODES[n % 30 * 3]} for n in range(100_000)]
    files = {"CITIES_FEED_SWEDBANK_EE": finder, "CITIES_FEED_SWEDBANK_LV": finder, "CITIES_FEED_RATES": rates,
             "CITIES_FEED_TRANSACTIONS": sales}
    for name, records in files.items():
        (folder / f"{name}.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return {name: folder / f"{name}.json" for name in files}


def processor_time(process):
    """Nanoseconds that all threads of a process have run, those that have ended too."""
    # As clock_getcpuclockid(3) makes the number of the clock.
    return time.clock_gettime_ns((~process.pid << 3) | 2)


def wants_processor(process):
    """Whether a thread of a process runs, waits for a processor, or is stopped by a tracer."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/stat")
    return any(task.read_text().rpartition(")")[2].split()[0] in "RDTt" for task in tasks)


def wait_until_idle(process, pause):
    """Waits until the server has had no work of its own, such as proving rows, for four pauses of `pause` seconds."""
    used, pauses, end = processor_time(process), 0, time.monotonic() + 300
    while pauses < 4:
        assert time.monotonic() < end, "the server works without end"
        time.sleep(pause)
        now = processor_time(process)
        pauses = pauses + 1 if now - used <= 10_000_000 and not wants_processor(process) else 0
        used = now


def cost(server, method, params, rounds=7):
    """The median and the largest time of a request in microseconds, and the reply's bytes, or its error."""
    times, payload = [], b""
    for _ in range(rounds):
        # `watch` may be asked a few times only on one connection, and totals are kept: rounding changes each time.
        with Wire(server.socket, 60) as wire:
            wire.call("hello", protocols=[1], client="costs")
            before = processor_time(server.process)
            wire.send_payload(request(1, method, params))
            payload = wire.receive_payload()
            times.append((processor_time(server.process) - before) / 1000)
    error = cbor2.loads(payload).get("error")
    return statistics.median(times), max(times), error["code"] if error else len(payload)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = harness.Server(folder)
        harness.build_index(harness.ROOT / "contrib" / "data" / "cities.json.gz", server.state / "cities.index")
        made = harness.run_sync(
            "run", "--force", "swedbank-ee", "swedbank-lv", "rates", "transactions", CITIES_STATE=server.state,
            **data(folder))
        assert made.returncode == 0, made.stderr
        server.start()
        try:
            print(f"{'method':14}{'median us':>11}{'largest us':>12}{'reply bytes':>16}  request")
            for method, candidates in requests().items():
                costs = [(*cost(server, method, params), params) for params in candidates]
                median, largest, reply, params = max(costs, key=lambda one: one[0])
                print(f"{method:14}{median:11.0f}{largest:12.0f}{reply:>16}  {str(params)[:60]}", flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
