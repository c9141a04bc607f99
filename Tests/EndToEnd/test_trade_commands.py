"""citiesctl product and rate: the shipped samples through the whole chain, against exact fractions in Python."""

import csv
import io
import json
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import harness
import pytest
from harness import ROOT

FOLDER = ROOT / "contrib" / "data" / "sample"
FEEDS = ["rates", "transactions"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on the samples."""
    server = harness.Server(tmp_path_factory.mktemp("trade-commands"))
    yield server.with_samples(*FEEDS, reported=["rate.list"])
    server.stop()


@pytest.fixture(scope="module")
def transactions():
    return json.loads((FOLDER / "transactions.json").read_text(encoding="utf-8"))


def rounded(amount):
    """A fraction with two places, half to even."""
    exact = Decimal(amount.numerator) / Decimal(amount.denominator)
    return exact.quantize(Decimal("0.01"), ROUND_HALF_EVEN)


def totals_in_euro(transactions):
    """By product: the sum of the rounded amounts that a given rate leads from; these need no path."""
    rates = {rate["from"]: Fraction(rate["rate"]) for rate in json.loads((FOLDER / "rates.json").read_text())
             if rate["to"] == "EUR"} | {"EUR": Fraction(1)}
    totals = {}
    for row in transactions:
        totals.setdefault(row["sku"], Decimal("0.00"))
        if row["currency"] in rates:
            totals[row["sku"]] += rounded(Fraction(row["amount"]) * rates[row["currency"]])
    return totals


def ask(server, *words, status=0):
    asked = server.ctl(*words)
    assert asked.returncode == status, asked.stderr
    return asked.stdout


def test_t2006_totals_14_99_euro(server):
    assert ask(server, "product", "show", "T2006", "--total") == "14.99\tEUR\tT2006\tfalse\n"
    shown = json.loads(ask(server, "product", "show", "T2006", "--output", "json"))
    assert (shown["amount"], shown["currency"], shown["partial"], shown["total"]) == ("14.99", "EUR", False, 2)
    assert sum(Decimal(row["converted"]) for row in shown["rows"]) == Decimal("14.99")
    table = ask(server, "product", "show", "T2006", "--output", "table")
    assert table.startswith("T2006\n  total         14.99 EUR\n")


def test_totals_are_those_of_exact_fractions(server, transactions):
    expected = totals_in_euro(transactions)
    listed = [line.split("\t") for line in ask(server, "product", "list", "--all", status=4).splitlines()]
    assert [(sku, Decimal(total)) for sku, _, total, _ in listed] == sorted(expected.items())
    assert {sku: int(count) for sku, count, *_ in listed} == {
        sku: sum(row["sku"] == sku for row in transactions) for sku in expected}


def test_a_total_that_leaves_something_out_is_4_and_says_what(server):
    shown = server.ctl("product", "show", "SAMPLE-PARTIAL")
    assert shown.returncode == 4
    assert "not in the total: 1 transaction, 100.00 XTS" in shown.stderr
    answer = json.loads(ask(server, "product", "show", "SAMPLE-PARTIAL", "--output", "json", status=4))
    assert answer["partial"] is True and answer["amount"] == "12.50"
    assert answer["remainders"] == [{"sum": "100.00", "count": 1, "reason": "unreachable", "currency": "XTS"}]
    rows = [json.loads(line) for line in ask(server, "product", "list", "--output", "jsonl", status=4).splitlines()]
    assert [row["sku"] for row in rows if row["partial"]] == ["SAMPLE-PARTIAL"]


def test_a_column_for_each_currency(server):
    text = ask(server, "product", "list", "--in", "usd,CAD", "--output", "csv", status=4)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["sku", "count", "USD", "CAD", "partial"]
    for row in rows:
        single = ask(server, "product", "show", row["sku"], "--in", "CAD", "--total", "--columns", "amount",
                     status=4 if row["partial"] == "true" else 0)
        assert single == row["CAD"] + "\n"


def test_each_step_is_explained(server):
    shown = ask(server, "rate", "convert", "10", "USD", "CAD", "--explain", "--output", "table")
    assert "USD to EUR: × 0.736 = 7.360 EUR, given" in shown and "EUR to CAD: × 1.366 = 10.053760 CAD, given" in shown
    row = json.loads(ask(server, "rate", "convert", "10", "USD", "CAD", "--output", "json"))["rows"][0]
    assert row["derived"] is True and [step["to"] for step in row["steps"]] == ["EUR", "CAD"]
    exact = Fraction(10) * Fraction("0.736") * Fraction("1.366")
    assert Fraction(row["trace"][-1]) == exact and Decimal(row["result"]) == rounded(exact)


def test_amounts_are_exact_and_may_be_negative(server):
    assert ask(server, "rate", "convert", "-12.50", "USD", "EUR") == "-9.20\tEUR\t-12.50\tUSD\t0.736\tfalse\tUSD>EUR\n"
    same = ask(server, "rate", "convert", "0.1", "EUR", "EUR", "--columns", "amount,result")
    assert same == "0.1\t0.10\n"


def test_rates_are_given_or_derived(server):
    given = [line.split("\t") for line in ask(server, "rate", "list").splitlines()]
    assert len(given) == 5 and all(row[3] == "false" for row in given)
    rows = [line.split("\t") for line in ask(server, "rate", "list", "--base", "USD").splitlines()]
    to_dollars = {row[0]: row for row in rows}
    assert to_dollars["EUR"][3:5] == ["false", "EUR>USD"] and to_dollars["CAD"][3:5] == ["true", "CAD>EUR>USD"]


@pytest.mark.parametrize("words, status, told", [
    (["product", "show", "t20066"], 1, "t20066"), (["product", "list", "--in", "ZZZ"], 2, "EUR"),
    (["rate", "list", "--base", "ZZZ"], 2, "USD"), (["rate", "convert", "1", "EUR", "ZZZ"], 2, "USD"),
    (["rate", "convert", "2,5", "USD", "EUR"], 2, "a point, not a comma"),
    (["rate", "convert", "1e3", "USD", "EUR"], 2, "exponent"), (["rate", "convert", "9" * 39, "USD", "EUR"], 2, "38"),
    (["product", "sing"], 2, "product sing"), (["product", "show", "T2006", "--rounding", "up"], 2, "once or step"),
    (["product", "list", "--output", "geojson"], 2, "geojson"),
])
def test_what_is_wrong_is_said_with_its_status(server, words, status, told):
    asked = server.ctl(*words)
    assert (asked.returncode, asked.stdout) == (status, "")
    assert told in asked.stderr


def test_the_code_of_a_product_may_be_in_small_letters(server):
    asked = server.ctl("product", "show", "t2006", "--total")
    assert (asked.returncode, asked.stdout) == (0, "14.99\tEUR\tT2006\tfalse\n")
    assert '"t2006" resolved to T2006' in asked.stderr


def test_samples_are_told(server):
    assert "sample data, not real" in server.ctl("product", "list").stderr
    assert json.loads(ask(server, "rate", "list", "--output", "json"))["sample"] is True


@pytest.mark.parametrize("amount", ["12.50", "-0.1", "0", "9" * 35, "0." + "0" * 37 + "1"])
def test_call_takes_an_amount_as_a_text(server, amount):
    called = server.ctl("call", "rate.convert", json.dumps({"amount": amount, "from": "USD", "to": "CAD"}))
    assert called.returncode == 0, called.stderr
    reply = json.loads(called.stdout)
    converted = server.ctl("rate", "convert", "-o", "jsonl", "--", amount, "USD", "CAD")
    row = json.loads(converted.stdout)
    assert (reply["amount"], reply["result"]) == (amount, row["result"])


@pytest.mark.parametrize("amount", ["9" * 39, "1e3", "1,5", "", ".5", "5.", "+1", " 1", "٣", 12, 12.5, None])
def test_call_takes_no_other_amount(server, amount):
    called = server.ctl("call", "rate.convert", json.dumps({"amount": amount, "from": "USD", "to": "CAD"}))
    assert (called.returncode, called.stdout) == (2, "") and "amount" in called.stderr
