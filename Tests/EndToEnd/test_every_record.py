"""Every record counts, or the answer says that it does not: the smallest input of each rule, as a user has it.

Charsets, files, positions and hours are in test_own_places.py, HTTP is in test_upstream.py.
"""

import json
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import harness
import pytest
from test_own_places import imported, rows
from test_trade import text_of

RATES = [{"from": "EUR", "to": "USD", "rate": "1.25"}]


@pytest.fixture
def shown(tmp_path):
    """The answer to `product show` about lists of rates and transactions and its exit status."""
    servers = []

    def ask(rates, transactions, *arguments):
        server = harness.Server(tmp_path / str(len(servers)))
        server.folder.mkdir(exist_ok=True)
        files = {}
        for name, records in (("RATES", rates), ("TRANSACTIONS", transactions)):
            files[f"CITIES_FEED_{name}"] = server.folder / f"{name}.json"
            files[f"CITIES_FEED_{name}"].write_text(records if isinstance(records, str) else text_of(records))
        made = harness.run_sync("run", "rates", "transactions", CITIES_STATE=server.state, **files)
        assert made.returncode == 0, made.stderr
        servers.append(server.start())
        done = server.ctl(*arguments, "-o", "json")
        return json.loads(done.stdout), done.returncode

    yield ask
    for server in servers:
        server.stop()


def sale(amount, currency="EUR", sku="A"):
    return {"sku": sku, "amount": amount, "currency": currency}


@pytest.mark.parametrize(("record", "total"), [
    (sale("1e2"), "110.00"), (sale(" 1.50 "), "11.50"), (sale("10,50"), "20.50"), (sale("1", "eur"), "11.00"),
    (sale(5), "15.00"), ('{"sku":"A","amount":1.5,"currency":" EUR "}', "11.50")])
def test_a_record_with_one_meaning_is_read(shown, record, total):
    text = record if isinstance(record, str) else text_of([record])[1:-1]
    answer, status = shown(RATES, f'[{{"sku":"A","amount":"10.00","currency":"EUR"}},{text}]',
                              "product", "show", "A", "--in", "EUR")
    assert (answer["amount"], answer["partial"], status) == (total, False, 0) and "left_out" not in answer


@pytest.mark.parametrize("record", [sale("1,000"), sale("x"), sale(None), sale("1", "E R"), {"sku": "A"}])
def test_a_record_that_is_left_out_makes_its_total_partial_and_no_other(shown, record):
    records = [sale("10.00"), record, sale("3.00", sku="B")]
    answer, status = shown(RATES, records, "product", "show", "A", "--in", "EUR")
    assert (answer["amount"], answer["partial"], answer["left_out"], status) == ("10.00", True, 1, 4)
    other, status = shown(RATES, records, "product", "show", "B", "--in", "EUR")
    assert (other["amount"], other["partial"], status) == ("3.00", False, 0) and "left_out" not in other


def test_a_record_without_a_product_makes_the_list_partial_once(shown):
    records = [sale("10.00"), {"amount": "1", "currency": "EUR"}]
    answer, status = shown(RATES, records, "product", "list", "--in", "EUR")
    assert (answer["partial"], answer["left_out"], status) == (True, 1, 4)
    assert [row["partial"] for row in answer["rows"]] == [False]


def test_a_rate_that_is_left_out_is_named_by_the_detour(shown):
    rates = [{"from": "EUR", "to": "USD", "rate": "1,085"}, {"from": "EUR", "to": "GBP", "rate": "0.85"},
             {"from": "GBP", "to": "USD", "rate": "1.5"}]
    answer, status = shown(rates, [sale("1")], "rate", "convert", "100", "EUR", "USD")
    (row,) = answer["rows"]
    assert (row["result"], status) == ("127.50", 4)
    assert row["left_out_rates"] == [{"from": "EUR", "to": "USD"}]


@pytest.mark.parametrize(("currency", "amount", "total"), [
    ("KWD", "1.255", "2.510"), ("JPY", "1.5", "4"), ("EUR", "1", "2.00")])
def test_currencies_have_their_decimals(shown, currency, amount, total):
    answer, status = shown(RATES, [sale(amount, currency)] * 2, "product", "show", "A", "--in", currency)
    assert (answer["amount"], status) == (total, 0)


def test_a_wrong_value_of_an_optional_field_never_loses_the_place(tmp_path):
    """In a list of Swedbank, the value of each optional field in turn is one of another type."""
    place = {"lat": "59.43", "lon": "24.75", "t": "0"}
    optional = ["n", "a", "r", "av", "i", "cs", "ncash"]
    records = [place | {key: value} for key in optional for value in (7, ["x"], {"y": 1}, None, True, "yes")]
    source = tmp_path / "list.json"
    source.write_text(json.dumps(records))
    server, made = imported(tmp_path, {"own": (source, "finder", {"country": "EE", "zone": "Europe/Tallinn"})})
    found = rows(server)
    server.stop()
    assert len(found) == len(records) and " 0 skipped" in made.stdout


def spoil_and_restore(server, config, until_stopped):
    """Damages the file of banks again and again; the next refresh replaces it, and the server recovers."""
    path = server.state / "banks.resident"
    whole, generator, turns = path.read_bytes(), random.Random(9), 0
    while not until_stopped.is_set():
        with path.open("r+b") as file:
            if turns % 3 == 0:
                file.truncate(generator.randrange(len(whole)))
            else:
                file.seek(generator.randrange(4_096, len(whole) - 1_000))
                file.write(b"\xff" * 900)
        until_stopped.wait(generator.random() / 10)
        if turns % 2:
            path.unlink()
        harness.run_sync("run", "own", CITIES_SYNC_CONFIG=config, CITIES_STATE=server.state)
        until_stopped.wait(generator.random() * 2)
        turns += 1
    return turns


@pytest.mark.slow
def test_a_list_under_load_and_around_recoveries_is_whole_or_an_error(tmp_path):
    """2,000 lists of 985 locations by six users at once, while their file is damaged and replaced."""
    source = tmp_path / "list.csv"
    source.write_text("kind,id,name,lat,lon\n" + "".join(
        f"branch,{number},Branch {number},{59 + number / 1e4},25\n" for number in range(985)))
    server, _ = imported(tmp_path, {"own": (source, "csv", {"country": "EE", "zone": "Europe/Tallinn"})})
    stop, outcomes = threading.Event(), Counter()

    def ask(_):
        done = server.ctl("bank", "list", "--all", "-o", "json")
        if done.returncode != 0:
            # Nothing of an answer comes before an error.
            stop.wait(0.1)
            return f"status {done.returncode}" if not done.stdout else f"broken: {done.returncode} {done.stdout[:300]}"
        answer = json.loads(done.stdout)
        count = len(answer["rows"])
        return "whole" if (count, answer["total"]) == (985, 985) else f"broken: {count} rows {done.stdout[:300]}"

    with ThreadPoolExecutor(7) as pool:
        spoiling = pool.submit(spoil_and_restore, server, tmp_path / "sync.json", stop)
        try:
            outcomes.update(pool.map(ask, range(2_000)))
        finally:
            stop.set()
        turns = spoiling.result()
    server.stop()
    print(turns, outcomes)
    assert not [outcome for outcome in outcomes if outcome.startswith("broken")], outcomes
    assert outcomes["whole"] >= 500 and turns >= 20, (turns, outcomes)
