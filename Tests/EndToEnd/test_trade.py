"""product.* and rate.* from the JSON text to the wire: real programs, a real socket, fractions as the oracle."""

import itertools
import json
import os
import random
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import harness
import pytest
from cddl_verifier import Validator
from harness import ROOT, SCHEMA, until
from trade import DECIMALS, Book, decimals
from wire import WireFault

SAMPLES = ROOT / "contrib" / "data" / "sample"
FEEDS = ("rates", "transactions")

BAD_RATES = [
    {"from": "", "to": "EUR", "rate": "1"}, {"from": "USD", "to": "EUR", "rate": "0.0.1"},
    {"from": "USD", "to": "EUR", "rate": "-1"}, {"from": "USD", "to": "EUR", "rate": "0"},
    {"from": "USD", "to": "USD", "rate": "1.1"}, {"from": "USD", "to": "EUR", "rate": "2,500"},
    {"from": "USD", "to": "EUR"}, {"to": "EUR", "rate": "1"},
]
BAD_SALES = [
    {"sku": "", "amount": "1", "currency": "EUR"}, {"sku": "A", "amount": "0.0.1", "currency": "EUR"},
    {"sku": "A", "amount": "2,500", "currency": "EUR"}, {"sku": "A", "amount": "1", "currency": ""},
    {"sku": "A", "currency": "EUR"}, {"sku": "A", "amount": "1"}, {"amount": "1", "currency": "EUR"},
]


def run(server, rates=None, transactions=None, *arguments):
    """Makes the trade book of the texts given, as a user would; the completed process."""
    variables = {"CITIES_FEED_RATES": server.folder / "rates.json",
                 "CITIES_FEED_TRANSACTIONS": server.folder / "transactions.json"}
    for path, text in zip(variables.values(), (rates, transactions), strict=True):
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
    return harness.run_sync("run", *arguments, *FEEDS, CITIES_STATE=server.state, **variables)


@pytest.fixture
def served(tmp_path):
    """Makes a server over the texts given; its `made` is the import that it is served from."""
    server = harness.Server(tmp_path)

    def make(rates, transactions):
        made = run(server, rates, transactions, "--force")
        assert made.returncode == 0, made.stderr
        server.made = made
        server.start()
        with server.wire() as wire:
            until(lambda: "as_of" in wire.call("rate.list"), what="the feeds' reports")
        return server

    yield make
    server.stop()


def dataset(seed, currencies=12, products=40, sales=600):
    """Random lists as text, with missing reverses, loops that do not agree, islands, refunds and bad records."""
    generator = random.Random(seed)
    others = generator.sample([f"{a}{b}X" for a in "ABCDEFG" for b in "ABCDEFG"], currencies - len(DECIMALS) - 1)
    codes = ["EUR", *sorted([*DECIMALS, *others])]

    def written(value):
        """As text or as a number; json.dumps would not keep the places of a number."""
        return generator.choice([value, float_text(value)])

    rates = list(BAD_RATES)
    for _ in range(2 * currencies):
        left, right = generator.sample(codes[:-2], 2)
        places = generator.choice([2, 4, 14])
        rate = decimal(generator.randint(1, 3 * 10**places), places)
        rates.append({"from": left, "to": right, "rate": written(rate)})
    rates.append({"from": codes[-2], "to": codes[-1], "rate": written("0.5")})
    for _ in range(currencies // 3):
        left, right = generator.sample(codes, 2)
        rates.append({"from": left, "to": right, "rate": generator.choice(["1,234", "x", None, True, "0"])})
    transactions = list(BAD_SALES)
    for _ in range(sales):
        amount = decimal(generator.randint(-10**6, 10**8), generator.choice([0, 1, 2, 2, 2, 3]))
        transactions.append({"sku": f"{generator.choice('pPé')}{generator.randrange(products)}",
                             "amount": written(amount), "currency": generator.choice([*codes, "XTS"])})
    generator.shuffle(rates)
    generator.shuffle(transactions)
    return text_of(rates), text_of(transactions)


class float_text(str):
    """A number that is written into JSON as it stands, without quotes."""


def text_of(entries):
    """JSON in which `float_text` is a number with its written digits."""
    def field(value):
        return str(value) if isinstance(value, float_text) else json.dumps(value, ensure_ascii=False)

    lines = ("{" + ", ".join(f"{json.dumps(key)}: {field(value)}" for key, value in entry.items()) + "}"
             for entry in entries)
    return "[\n" + ",\n".join(lines) + "\n]"


def decimal(digits, places):
    """Plain notation of digits · 10^−places."""
    return f"{Decimal(digits).scaleb(-places):f}"


def shuffled(text, seed):
    lines = text.removeprefix("[\n").removesuffix("\n]").split(",\n")
    random.Random(seed).shuffle(lines)
    return "[\n" + ",\n".join(lines) + "\n]"


def left_out(total):
    return {entry["currency"]: (entry["count"], Fraction(entry["sum"])) for entry in total["remainders"]}


def check_total(total, expected, code, rounding="once"):
    amount, left = expected
    assert total["currency"] == code
    assert Fraction(total["amount"]) == amount
    assert total["amount"].as_tuple().exponent == -decimals(code, rounding)
    assert left_out(total) == left
    rates = {(rate["from"], rate["to"]) for rate in total.get("left_out_rates", [])}
    assert total["partial"] == bool(left or rates or total.get("left_out"))
    assert all(entry["reason"] == "unreachable" for entry in total["remainders"])
    return rates


def listed(wire, codes, rounding="once"):
    """All products, page by page of one generation."""
    rows, generation = [], {}
    while True:
        page = wire.call(
            "product.list", **{"in": codes, "offset": len(rows), "limit": 17, "rounding": rounding, **generation})
        generation = {"generation": page["generation"]}
        rows += page["rows"]
        if len(rows) >= page["total"]:
            return rows


# The samples.


def test_the_samples_total_what_the_specification_says(tmp_path):
    server = harness.Server(tmp_path).with_samples(*FEEDS, reported=["product.list"])
    try:
        with server.wire() as wire:
            reply = wire.call("product.get", sku="T2006", explain=True)
            assert reply["total"] == {"amount": Decimal("14.99"), "partial": False, "currency": "EUR", "remainders": []}
            assert [str(row["converted"]) for row in reply["rows"]] == ["7.36", "7.63"]
            assert [[str(value) for value in row["trace"]] for row in reply["rows"]] == [["7.36000"], []]
            assert reply["sources"]["sample"] is True
            assert [source["feed"] for source in reply["sources"]["feeds"]] == list(FEEDS)
            path = wire.call("rate.convert", amount=Decimal("10.00"), **{"from": "USD", "to": "CAD"})["path"]
            assert [step["to"] for step in path["steps"]] == ["EUR", "CAD"]
            assert (path["derived"], path["rounded"], str(path["rate"])) == (True, False, "1.005376")
            partial = wire.call("product.get", sku="SAMPLE-PARTIAL")["total"]
            assert (str(partial["amount"]), partial["partial"]) == ("12.50", True)
            assert left_out(partial) == {"XTS": (1, Fraction(100))}
    finally:
        server.stop()


# Every digit.


@pytest.mark.parametrize("amount", [
    "10.00", "0.1", "1.0000000000000002", "-0.07", "0.00", "-12345678901234567890.12345678901234",
    "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001", "18446744073709551616"])
def test_digits_and_places_survive_from_the_text_to_the_client(served, amount):
    entries = [{"sku": "T", "amount": amount, "currency": "XTS"},
               {"sku": "N", "amount": float_text(amount), "currency": "XTS"}]
    rates = [{"from": "EUR", "to": "USD", "rate": "0.1"},
             {"from": "USD", "to": "EUR", "rate": float_text("1.0000000000000002")}]
    with served(text_of(rates), text_of(entries)).wire() as wire:
        for sku in "TN":
            (row,) = wire.call("product.get", sku=sku)["rows"]
            assert f"{row['amount']:f}" == amount
            assert row["amount"].as_tuple().exponent == -len(amount.partition(".")[2])
        assert [str(row["rate"]) for row in wire.call("rate.list")["rows"]] == ["0.1", "1.0000000000000002"]


# Random lists against the oracle.


def test_the_table_of_decimals_is_that_of_the_package(tmp_path):
    table = tmp_path / "CurrencyDecimals.swift"
    text = (ROOT / "Sources/Domain/Money/CurrencyDecimals.swift").read_text()
    table.write_text(text.replace(" JPY", ""))
    subprocess.run([sys.executable, ROOT / "contrib/data/make-currencies", table], check=True)
    assert table.read_text() == text


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_totals_and_rows_are_what_fractions_say(served, seed):
    rates, transactions = dataset(seed)
    book = Book(rates, transactions)
    generator = random.Random(seed)
    with served(rates, transactions).wire() as wire:
        for rounding in ("once", "step"):
            codes = generator.sample(book.codes, 3)
            rows = listed(wire, codes, rounding)
            assert [row["sku"] for row in rows] == book.products()
            for row in rows:
                assert row["count"] == len(book.sales[row["sku"]])
                for total, code in zip(row["totals"], codes, strict=True):
                    rates = check_total(total, book.total(row["sku"], code, rounding), code, rounding)
                    currencies = {currency for currency, _ in book.sales[row["sku"]]}
                    assert rates == {pair for currency in currencies for pair in book.used(currency, code)}
                    assert total.get("left_out", 0) == book.lost_sales[row["sku"]]
            for sku in generator.sample(book.products(), 10):
                check_product(wire, book, sku, codes[0], rounding)


# Graphs in one book, each with currencies and products of its own.
GRAPHS = 16


def graphs(seed):
    """Random small graphs of rates, a quarter of which cannot be read, with sales in their currencies."""
    generator = random.Random(seed)
    rates, sales, wanted = [], [], []
    for number in range(GRAPHS):
        codes = [f"G{number}{letter}" for letter in "ABCDEF"[:generator.randint(2, 6)]]
        wanted.append(generator.choice(codes))
        for _ in range(generator.randint(1, 12)):
            left, right = generator.sample(codes, 2)
            rate = decimal(generator.randint(1, 10**5), generator.choice([2, 4]))
            is_bad = generator.random() < 0.25
            rates.append({"from": left, "to": right,
                          "rate": generator.choice(["1,234", "x", None, True, "0", "-1"]) if is_bad else rate})
        for _ in range(generator.randint(1, 8)):
            sale = {"sku": f"{number}-{generator.randint(0, 2)}", "currency": generator.choice([*codes, "XTS"]),
                    "amount": decimal(generator.randint(-10**5, 10**6), 2)}
            if generator.random() < 0.2:
                key = generator.choice(["amount", "amount", "currency", "sku"])
                sale[key] = generator.choice([None, "", "1,000 x"])
            sales.append(sale)
    generator.shuffle(rates)
    generator.shuffle(sales)
    return text_of(rates), text_of([sale for sale in sales if sale["sku"] != "1,000 x"]), wanted


def test_totals_of_random_graphs_with_lost_records_are_right_or_marked(served):
    """100 graphs; 10,000 with CITIES_TEST_ALL."""
    books = -(-(10_000 if "CITIES_TEST_ALL" in os.environ else 100) // GRAPHS)
    server, marked, whole = None, 0, 0
    for seed in range(books):
        rates, transactions, wanted = graphs(seed)
        book = Book(rates, transactions)
        wanted = [code for code in wanted if code in book.codes]
        if server is None:
            server = served(rates, transactions)
        else:
            assert run(server, rates, transactions, "--force").returncode == 0
        header = (server.state / "trade.resident").read_bytes()[:64]
        generation = f"{int.from_bytes(header[40:48], 'little'):016x}"
        with server.wire() as wire:
            until(lambda: wire.call("product.list", limit=0)["generation"] == generation, what="the new book")
            reply = wire.call("product.list", **{"in": wanted, "limit": 1000})
        assert [row["sku"] for row in reply["rows"]] == book.products()
        assert reply.get("left_out", 0) == book.skipped_sales - sum(book.lost_sales.values())
        for row in reply["rows"]:
            currencies = {currency for currency, _ in book.sales[row["sku"]]}
            for total, code in zip(row["totals"], wanted, strict=True):
                lost = check_total(total, book.total(row["sku"], code), code)
                assert lost == {pair for currency in currencies for pair in book.used(currency, code)}
                assert total.get("left_out", 0) == book.lost_sales[row["sku"]]
                marked, whole = marked + total["partial"], whole + (not total["partial"])
    assert marked > books and whole > books


def check_product(wire, book, sku, code, rounding):
    reply = wire.call("product.get", sku=sku, rounding=rounding, **{"in": code})
    assert [(row["currency"], row["amount"]) for row in reply["rows"]] == book.sales[sku], "not the source's order"
    orders = {"amount": lambda sale: (sale[1], *by_currency(sale)), "currency": lambda sale: by_currency(sale)}
    for sort, key in orders.items():
        found = wire.call("product.get", sku=sku, rounding=rounding, sort=sort, **{"in": code})
        assert [(row["currency"], row["amount"]) for row in found["rows"]] == sorted(book.sales[sku], key=key)
        assert found["total"] == reply["total"]
    for row in reply["rows"]:
        expected = book.convert(row["amount"], row["currency"], code, rounding)
        assert row.get("reason") == (None if expected is not None else "unreachable")
        assert expected is None or Fraction(row["converted"]) == expected
    shown = sum(row["converted"] for row in reply["rows"] if "converted" in row)
    assert shown == reply["total"]["amount"]
    check_total(reply["total"], book.total(sku, code, rounding), code, rounding)
    for path in reply["paths"]:
        assert [path["from"], *(step["to"] for step in path["steps"])] == book.path(path["from"], code)
    reached = {currency for currency, _ in book.sales[sku] if book.path(currency, code)}
    assert [path["from"] for path in reply["paths"]] == sorted(reached)


def by_currency(sale):
    """A sale's place by currency, amount and written places."""
    return (sale[0], sale[1], -sale[1].as_tuple().exponent)


@pytest.mark.parametrize("seed", [4, 5])
def test_rates_and_conversions_are_what_fractions_say(served, seed):
    rates, transactions = dataset(seed)
    book = Book(rates, transactions)
    generator = random.Random(seed)
    with served(rates, transactions).wire() as wire:
        given = wire.call("rate.list")["rows"]
        assert {(row["from"], row["to"]): row["rate"] for row in given} == book.rates
        for base in book.codes:
            reply = wire.call("rate.list", base=base)
            expected = {code: book.path(code, base) for code in book.codes if code != base}
            ways = {row["from"]: [row["from"], *(step["to"] for step in row["steps"])] for row in reply["rows"]}
            assert ways == {code: way for code, way in expected.items() if way}
            assert reply["unreachable"] == [code for code, way in expected.items() if not way]
            for row in reply["rows"]:
                check_steps(row, book)
        for _ in range(50):
            left, right = generator.choices(book.codes, k=2)
            amount = Decimal(generator.randint(-10**20, 10**20)).scaleb(-generator.randint(0, 5))
            for rounding in ("once", "step"):
                asked = {"from": left, "to": right, "amount": amount, "rounding": rounding}
                expected = book.convert(amount, left, right, rounding)
                if expected is None:
                    with pytest.raises(WireFault, match="no-conversion"):
                        wire.call("rate.convert", **asked)
                else:
                    assert Fraction(wire.call("rate.convert", **asked)["result"]) == expected


def check_steps(row, book):
    """The rates of a path to 38 digits."""
    product, start = Fraction(1), row["from"]
    for step in row["steps"]:
        is_reversed, rate = book.ways[start][step["to"]]
        assert (step["from"], step["reversed"]) == (start, bool(is_reversed))
        pair = (step["to"], start) if is_reversed else (start, step["to"])
        assert step["given"] == book.rates[pair]
        assert step["rounded"] == (Fraction(step["rate"]) != rate)
        assert abs(Fraction(step["rate"]) - rate) <= rate / 10**37
        product, start = product * rate, step["to"]
    assert abs(Fraction(row["rate"]) - product) <= product / 10**36
    assert row["derived"] == (len(row["steps"]) > 1 or any(step["reversed"] for step in row["steps"]))
    if not row["rounded"]:
        assert Fraction(row["rate"]) == product


def test_the_order_of_records_changes_no_total_and_that_of_rates_nothing(served):
    rates, transactions = dataset(6)
    server = served(rates, transactions)
    with server.wire() as wire:
        first = wire.call("product.list", limit=1000)
        for seed in (1, 2):
            made = run(server, shuffled(rates, seed), transactions, "--force")
            assert made.returncode == 0, made.stderr
            again = harness.run_sync("verify", server.state / "trade.resident", CITIES_STATE=server.state)
            assert f"generation {first['generation']}" in again.stdout
            made = run(server, rates, shuffled(transactions, seed), "--force")
            assert made.returncode == 0, made.stderr
            until(lambda: wire.call("product.list", limit=0)["generation"] != first["generation"], what="the new order")
            assert wire.call("product.list", limit=1000)["rows"] == first["rows"]


# Faults of lists.


def test_bad_records_are_counted_told_by_position_and_skipped(served):
    rates = text_of([{"from": "USD", "to": "EUR", "rate": "0.5"}, *BAD_RATES])
    transactions = "\ufeff" + text_of([*BAD_SALES, {"sku": "A", "amount": "-1.5", "currency": "USD"}])
    server = served(rates, transactions)
    for position in range(2, 2 + len(BAD_RATES)):
        assert f"rates: record {position} skipped: " in server.made.stderr
    for position in range(1, 1 + len(BAD_SALES)):
        assert f"transactions: record {position} skipped: " in server.made.stderr
    with server.wire() as wire:
        (row,) = wire.call("product.list")["rows"]
        assert (row["sku"], row["count"], str(row["totals"][0]["amount"])) == ("A", 1, "-0.75")
        reports = {feed["feed"]: feed for feed in wire.call("status")["feeds"]}
        assert (reports["rates"]["records"], reports["rates"]["skipped"]) == (1, len(BAD_RATES))
        assert (reports["transactions"]["records"], reports["transactions"]["skipped"]) == (1, len(BAD_SALES))


@pytest.mark.parametrize("broken", [
    "", "[]", "{}", "<!DOCTYPE html><html></html>", '[{"sku": "A", "amount"', '[{"sku": 1}]'])
def test_a_list_that_is_none_is_refused_and_the_last_good_one_stays(served, broken):
    server = served(*(path.read_text() for path in (SAMPLES / "rates.json", SAMPLES / "transactions.json")))
    with server.wire() as wire:
        before = wire.call("product.list")
        made = run(server, (SAMPLES / "rates.json").read_text(), broken, "--force")
        assert made.returncode != 0
        assert "nothing was imported" in made.stderr
        after = until(
            lambda: (found := wire.call("product.list"))["sources"]["feeds"][1].get("last_error") and found,
            what="the failure in the answer")
        assert (after["rows"], after["generation"]) == (before["rows"], before["generation"])


def test_without_rates_all_else_is_a_remainder_and_the_answer_says_whose_fault_it_is(tmp_path):
    server = harness.Server(tmp_path)
    made = run(server, None, (SAMPLES / "transactions.json").read_text())
    assert made.returncode != 0
    server.start()
    try:
        with server.wire() as wire:
            reply = until(lambda: (found := wire.call("product.get", sku="T2006")).get("as_of") and found)
            assert str(reply["total"]["amount"]) == "7.63"
            assert left_out(reply["total"]) == {"USD": (1, Fraction(10))}
            rates, transactions = reply["sources"]["feeds"]
            assert (rates["feed"], rates["stale"], "as_of" in rates) == ("rates", True, False)
            assert "rates.json" in rates["last_error"]
            assert (transactions["feed"], transactions["stale"]) == ("transactions", False)
            assert "as_of" in transactions
    finally:
        server.stop()


# Faults of questions.


def test_unknown_products_and_currencies_are_told_apart(served):
    server = served(*(path.read_text() for path in (SAMPLES / "rates.json", SAMPLES / "transactions.json")))
    with server.wire() as wire:
        for params, code, words in [
            ({"sku": "T2007"}, "not-found", "T2007"), ({"sku": "t2006"}, "not-found", "t2006"),
            ({"sku": "T2006", "in": "XYZ"}, "invalid-params", "CAD, EUR, GBP, USD, XTS"),
        ]:
            with pytest.raises(WireFault) as fault:
                wire.call("product.get", **params)
            assert fault.value.code == code
            assert words in fault.value.message
        with pytest.raises(WireFault) as fault:
            wire.call("rate.convert", amount=Decimal(1), **{"from": "USD", "to": "XTS"})
        assert fault.value.code == "no-conversion"
        with pytest.raises(WireFault) as fault:
            wire.call("rate.convert", amount=Decimal("9" * 38), **{"from": "EUR", "to": "USD"})
        assert (fault.value.code, fault.value.data["param"]) == ("invalid-params", "amount")
        for wrong in (1.5, 7, "seven", None):
            with pytest.raises(WireFault, match="invalid-params"):
                wire.call("rate.convert", amount=wrong, **{"from": "EUR", "to": "USD"})


def test_every_answer_is_what_the_schema_says(served):
    rates, transactions = dataset(7)
    validator = Validator(SCHEMA.read_text())
    book = Book(rates, transactions)
    asked = [
        ("product.list", {"in": book.codes[:16], "limit": 1000}), ("product.list", {"limit": 0}),
        *(("product.get", {"sku": sku, "explain": True}) for sku in book.products()[:20]),
        ("rate.list", {}), *(("rate.list", {"base": code}) for code in book.codes),
        ("rate.convert", {"from": "EUR", "to": "EUR", "amount": Decimal("1.005")}),
    ]
    with served(rates, transactions).wire() as wire:
        for method, params in asked:
            wire.send(method, **params)
            rule = f"{method.replace('.', '-')}-reply"
            result = validator.validate(wire.receive_payload(), root_type=rule, require_deterministic=True)
            assert result.valid, [problem.message for problem in result.diagnostics][:3]


# Large lists.


def test_a_large_book_is_listed_right_while_others_ask(served):
    rates, transactions = dataset(8, currencies=30, products=5_000 // 3, sales=100_000)
    book = Book(rates, transactions)
    server = served(rates, transactions)
    stop, answered = threading.Event(), []

    def ask():
        with server.wire(timeout=60) as wire:
            while not stop.is_set():
                answered.append(wire.call("product.get", sku=book.products()[0])["count"])

    other = threading.Thread(target=ask)
    other.start()
    try:
        with server.wire(timeout=60) as wire:
            rows, generation = [], {}
            while len(rows) < len(book.sales):
                page = wire.call("product.list", limit=1000, offset=len(rows), **generation)
                generation = {"generation": page["generation"]}
                rows += page["rows"]
    finally:
        stop.set()
        other.join()
    assert answered and set(answered) == {len(book.sales[book.products()[0]])}
    assert [row["sku"] for row in rows] == book.products()
    for row in rows:
        check_total(row["totals"][0], book.total(row["sku"], "EUR"), "EUR")


# What a question may cost.


def chain(count):
    """`count` rates in a row between currencies of three letters, and the currencies."""
    codes = ["".join(letters) for letters in itertools.product("ABCDEFGHI", repeat=3)][:count + 1]
    rates = [{"from": one, "to": other, "rate": "1.0012"} for one, other in itertools.pairwise(codes)]
    return codes, json.dumps(rates)


def test_hundreds_of_rates_in_a_row_are_too_expensive_and_many_are_not(served):
    codes, rates = chain(510)
    sales = json.dumps([{"sku": "A", "amount": "10", "currency": code} for code in (codes[0], codes[509])])
    server = served(rates, sales)
    with server.wire() as wire:
        for method, params in [
            ("rate.convert", {"amount": Decimal(1), "from": codes[0], "to": codes[510]}),
            ("rate.convert", {"amount": Decimal(1), "from": codes[510], "to": codes[0], "rounding": "step"}),
            ("rate.list", {"base": codes[510]}), ("product.list", {"in": [codes[510]]}),
            ("product.get", {"sku": "A", "in": codes[510], "explain": True}),
        ]:
            with pytest.raises(WireFault) as fault:
                wire.call(method, **params)
            assert (fault.value.code, fault.value.data) == (
                "too-expensive", {"limit": "conversion-work", "maximum": 8192})
        # A hundred rates are as exact as they always were.
        result = wire.call("rate.convert", amount=Decimal(1000), **{"from": codes[0], "to": codes[100]})
        assert len(result["path"]["steps"]) == 100
        exact = 1000 * Fraction("1.0012") ** 100
        assert abs(Fraction(result["result"]) - exact) <= Fraction(1, 200)
        assert len(wire.call("rate.list")["rows"]) == 510
    shown = server.ctl("rate", "convert", 1, codes[0], codes[510])
    assert (shown.returncode, shown.stdout) == (65, "")
    assert "too many rates" in shown.stderr
