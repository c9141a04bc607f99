"""What answers about products and rates must be, worked out with Python's fractions and a plain search of whole paths.

Nothing here is taken from the product. Records are judged by the feeds' description alone: codes, plain decimals, rates
above zero.
"""

import json
import re
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

CURRENCY = re.compile(r"[A-Z][A-Z0-9]{0,7}")
PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def number(value):
    """The exact decimal in a field, text or number; None if it is none."""
    if isinstance(value, str):
        return Decimal(value) if PLAIN.fullmatch(value) else None
    return value if isinstance(value, Decimal) else None


def records(text):
    """The elements of a list; numbers are decimals with the places that were written."""
    return json.loads(text.removeprefix("\ufeff"), parse_float=Decimal, parse_int=Decimal)


def good_rate(entry):
    """(from, to, rate) of a good record, else None."""
    codes = [entry.get(key) for key in ("from", "to")]
    rate = number(entry.get("rate"))
    if rate is None or rate <= 0 or not all(isinstance(code, str) and CURRENCY.fullmatch(code) for code in codes):
        return None
    left, right = codes
    return None if left == right and rate != 1 else (left, right, rate)


def lost_pair(entry):
    """(from, to) of a record whose rate alone is bad, else None."""
    pair = entry.get("from"), entry.get("to")
    is_pair = all(isinstance(code, str) and CURRENCY.fullmatch(code) for code in pair) and pair[0] != pair[1]
    return pair if is_pair and good_rate(entry) is None else None


def good_sale(entry):
    """(sku, amount, currency) of a good record, else None."""
    sku, amount, code = entry.get("sku"), number(entry.get("amount")), entry.get("currency")
    is_code = isinstance(code, str) and CURRENCY.fullmatch(code)
    return (sku, amount, code) if sku and amount is not None and is_code else None


# Currencies of the tests that do not have two decimals in ISO 4217.
DECIMALS = {"JPY": 0, "KWD": 3, "CLF": 4}


def decimals(code, rounding):
    """The places of amounts in a currency."""
    return 2 if rounding == "step" else DECIMALS.get(code, 2)


def rounded(value, places=2):
    """A fraction rounded half to even."""
    return Fraction(round(value * 10**places), 10**places)


class Book:
    """Both feeds as one pair; either text may be None."""

    def __init__(self, rates, transactions):
        found = [good_rate(entry) for entry in records(rates or "[]")]
        self.skipped_rates = found.count(None)
        self.rates = {}
        for left, right, rate in filter(None, found):
            if left != right:
                known = self.rates.get((left, right))
                self.rates[left, right] = rate if known is None else min(known, rate)
        self.lost = set(filter(None, map(lost_pair, records(rates or "[]"))))
        listed = records(transactions or "[]")
        found = [good_sale(entry) for entry in listed]
        self.skipped_sales = found.count(None)
        bad = [entry for entry, sale in zip(listed, found, strict=True) if sale is None]
        self.lost_sales = Counter(entry["sku"] for entry in bad if entry.get("sku"))
        self.sales = defaultdict(list)
        for sku, amount, code in filter(None, found):
            self.sales[sku].append((code, amount))
        self.codes = sorted({code for pair in self.rates for code in pair}
                            | {code for sales in self.sales.values() for code, _ in sales}
                            | {code for pair in self.lost for code in pair})
        self.ways = defaultdict(dict)
        for (left, right), rate in self.rates.items():
            self.ways[right].setdefault(left, (1, 1 / Fraction(rate)))
            self.ways[left][right] = (0, Fraction(rate))
        # The ways if no rate were lost; the values do not matter.
        self.all_ways = defaultdict(dict, {code: dict(ways) for code, ways in self.ways.items()})
        for left, right in self.lost:
            self.all_ways[right].setdefault(left, (1, None))
            self.all_ways[left][right] = (0, None)
        self.paths = {}

    def products(self):
        """All codes in alphabetical order."""
        return sorted({*self.sales, *self.lost_sales}, key=lambda sku: (sku.encode().upper(), sku.encode()))

    def paths_from(self, start, is_whole=False):
        """The best path to every currency: fewest reversed rates, fewest conversions, first by codes; whole paths are
        improved until none is. With `is_whole`, along lost rates, too."""
        ways = self.all_ways if is_whole else self.ways
        if (start, is_whole) not in self.paths:
            best, changed = {start: (0, 0, (start,))}, [start]
            while changed:
                stop = changed.pop()
                against, count, way = best[stop]
                for other, (is_reversed, _) in ways[stop].items():
                    longer = (against + is_reversed, count + 1, (*way, other))
                    if other not in way and (other not in best or longer < best[other]):
                        best[other] = longer
                        changed.append(other)
            self.paths[start, is_whole] = best
        return self.paths[start, is_whole]

    def used(self, start, end):
        """The lost rates that a conversion would have used."""
        found = self.paths_from(start, is_whole=True).get(end)
        steps = list(zip(found[2], found[2][1:])) if found else []
        given = [step if self.all_ways[step[0]][step[1]][0] == 0 else step[::-1] for step in steps]
        return [pair for pair in given if pair in self.lost]

    def path(self, start, end):
        """The currencies on the way; None if there is none."""
        found = self.paths_from(start).get(end)
        return found and list(found[2])

    def convert(self, amount, start, end, rounding="once"):
        """The amount, rounded; None if there is no way."""
        way = self.path(start, end)
        if way is None:
            return None
        value = Fraction(amount)
        for left, right in zip(way, way[1:]):
            value *= self.ways[left][right][1]
            if rounding == "step":
                value = rounded(value)
        return rounded(value, decimals(end, rounding))

    def total(self, sku, end, rounding="once"):
        """The total, and the amounts left out: {currency: (count, exact sum)}."""
        amount, left = Fraction(0), {}
        for code, sale in self.sales[sku]:
            converted = self.convert(sale, code, end, rounding)
            if converted is None:
                count, total = left.get(code, (0, Fraction(0)))
                left[code] = (count + 1, total + Fraction(sale))
            else:
                amount += converted
        return amount, left
