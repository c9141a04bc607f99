"""What answers about banks must be, worked out from the source files with Python's own time zones and Unicode tables.

Nothing here is taken from the product: hours are read anew, clocks are those of the module zoneinfo, and holidays those
of the package holidays.
"""

import json
import re
from datetime import timedelta
from functools import cache
from zoneinfo import ZoneInfo

import holidays
from oracle import distance, folded

COUNTRIES = {"BA": "Bosnia and Herzegovina", "EE": "Estonia", "LT": "Lithuania", "LV": "Latvia"}
PLACES = {
    "swedbank-ee": ("EE", "Europe/Tallinn"), "swedbank-lv": ("LV", "Europe/Riga"),
    "swedbank-lt": ("LT", "Europe/Vilnius"), "imaginary": ("BA", "Europe/Sarajevo"),
}
KINDS = {0: "branch", 1: "atm", 2: "bna"}
NUMERALS = "I II III IV V VI VII".split()
DAYS = {
    "EE": "E T K N R L P".split(), "LV": "P. O. T. C. Pk. S. Sv.".split(), "LT": "Pr A T K Pn Š S".split(),
}
PART = re.compile(r"([^\W\d]+\.?)(?:-([^\W\d]+\.?))? (\d+)[.:](\d\d)-(\d+)[.:](\d\d)$")


def load(feed, path):
    """The locations of a file as rows of the wire without `id`, equal ones as often as they stand there."""
    source = json.loads(path.read_bytes().decode("utf-8-sig"))
    rows = [imaginary(tidy(r)) for r in source["data"]] if feed == "imaginary" else [finder(feed, r) for r in source]
    country, zone = PLACES[feed]
    common = {"bank": feed, "country": country, "country_name": COUNTRIES[country], "zone": zone}
    return [{key: value for key, value in (found | common).items() if value is not None} for found in rows]


def finder(feed, record):
    """A record of a finder file."""
    availability = lines(record.get("av"))
    kind = KINDS.get(record["t"], "unknown")
    return {
        "lat": record["lat"], "lon": record["lon"], "kind": kind, "name": line(record.get("n")),
        "code": record["t"] if kind == "unknown" else None, "address": line(record.get("a")) or "",
        "region": line(record.get("r")), "availability": availability, "info": lines(record.get("i")),
        "no_cash": record.get("ncash") in (True, 1, "true"), "coin_station": record.get("cs") in (True, 1, "true"),
        "hours": hours_of_text(availability, PLACES[feed][0]),
    }


def imaginary(record):
    """A record of the other bank, its keys tidied."""
    hours = record.get("working_hours")
    return {
        "lat": record["location"]["lat"], "lon": record["location"]["long"], "kind": record["type"],
        "name": line(record["name"]), "address": line(record["address"]), "phone": line(record.get("phone")),
        "email": line(record["email"]), "website": line(record["website"]), "no_cash": False, "coin_station": False,
        "hours": None if hours is None else [stretch(
            entry["day"], 60 * entry["start_hours"] + entry["start_minutes"],
            60 * entry["end_hours"] + entry["end_minutes"]) for entry in hours],
    }


def tidy(value):
    """The same without blanks around keys, at every depth."""
    if isinstance(value, dict):
        return {key.strip(): tidy(inner) for key, inner in value.items()}
    return [tidy(inner) for inner in value] if isinstance(value, list) else value


def line(text):
    return (text or "").strip() or None


def lines(text):
    return line("\n".join(part.rstrip() for part in (text or "").replace("\r\n", "\n").split("\n")))


def stretch(day, opens, closes):
    return {"day": day, "opens": opens, "closes": closes if closes > opens else closes + 1440}


def hours_of_text(text, country):
    """`24h`, Roman numerals and the days of a country as the test data has them; None for everything else."""
    if (text or "").lower() == "24h":
        return [stretch(day, 0, 1440) for day in range(7)]
    found = []
    for part in re.split("[;\n]", text or ""):
        match = PART.match(part.strip())
        if not match:
            return None
        first, last, *times = match.groups()
        days = NUMERALS if first in NUMERALS else DAYS[country]
        if first not in days or (last or first) not in days:
            return None
        opens, closes = int(times[0]) * 60 + int(times[1]), int(times[2]) * 60 + int(times[3])
        found += [stretch(day, opens, closes) for day in range(days.index(first), days.index(last or first) + 1)]
    return sorted(found, key=lambda entry: entry["day"]) or None


def open_at(row, moment):
    """Whether a row is open at an aware datetime: yes, no or unknown."""
    if "hours" not in row:
        return "unknown"
    local = moment.astimezone(ZoneInfo(row["zone"]))
    minutes = sum(entry["closes"] - entry["opens"] for entry in row["hours"])
    is_staffed = row["kind"] not in ("atm", "bna") and minutes < 7 * 1440
    # Yesterday's hours may go on past midnight; those of a holiday may not be kept.
    found = set()
    for back in (0, 1):
        weekday, minute = (local.weekday() - back) % 7, local.hour * 60 + local.minute + 1440 * back
        if any(entry["day"] == weekday and entry["opens"] <= minute < entry["closes"] for entry in row["hours"]):
            is_doubtful = is_staffed and any(holiday_at(row, moment - timedelta(days=day)) for day in {0, back})
            found.add("unknown" if is_doubtful else "yes")
    return "yes" if "yes" in found else "unknown" if found else "no"


def holiday_at(row, moment):
    """The public holiday at a row at an aware datetime, or None."""
    return calendar(row["country"]).get(moment.astimezone(ZoneInfo(row["zone"])).date())


@cache
def calendar(country):
    return holidays.country_holidays(country, language="en_US")


def alphabetical(text):
    """Base letters first, then the spelling; a missing one comes last."""
    return (text is None, folded(text or "").encode(), (text or "").encode())


def by_title(row):
    return (alphabetical(row.get("name")), alphabetical(row["address"]))


def by_heading(row):
    return (alphabetical(row["country_name"]), alphabetical(row.get("region")), by_title(row))


def holds(row, words):
    text = folded(f"{row.get('name') or ''} {row['address']}")
    return all(folded(word) in text for word in words.split())


def metres(row, origin):
    return round(distance(origin["lat"], origin["lon"], row))
