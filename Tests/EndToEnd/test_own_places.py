"""Lists of banks that people have: OpenStreetMap's, All The Places', spreadsheets', and what citiesctl prints."""

import gzip
import itertools
import json
import os
import random
import re
from datetime import date, datetime, timedelta, timezone

import harness
import pytest
import upstream
from harness import ROOT

POI = next((path for folder in ROOT.parents if (path := folder / "shared" / "data" / "poi").is_dir()), None)
PLACE = {"country": "EG", "zone": "Africa/Cairo"}
SAMPLES = ROOT / "contrib" / "data" / "sample"


def imported(folder, feeds):
    """A server over feeds of the user's own, which are given by name: a path and a format; and the import's output."""
    server = harness.Server(folder)
    entries = {name: {"url": str(path), "format": form} | PLACE | more for name, (path, form, more) in feeds.items()}
    config = folder / "sync.json"
    config.write_text(json.dumps({"feeds": entries}))
    made = harness.run_sync("run", *feeds, CITIES_SYNC_CONFIG=config, CITIES_STATE=server.state)
    assert made.returncode == 0, made.stderr
    return server.start(), made


def rows(server):
    with server.wire() as wire:
        total = wire.call("bank.list", limit=0)["total"]
        pages = [wire.call("bank.list", limit=1000, offset=offset)["rows"] for offset in range(0, total, 1000)]
        return [entry["location"] for page in pages for entry in page]


@pytest.mark.skipif(POI is None, reason="the exports of OpenStreetMap (shared/data/poi) are absent")
def test_exports_of_openstreetmap_are_read_whole(tmp_path):
    files = sorted(POI.glob("*.geojson"))
    features = {f"osm{number}": json.loads(path.read_text())["features"] for number, path in enumerate(files)}
    server, made = imported(tmp_path, {f"osm{number}": (path, "geojson", {}) for number, path in enumerate(files)})
    found = rows(server)
    server.stop()
    assert len(found) == sum(map(len, features.values())) == 4_946
    assert " 0 skipped" in made.stdout and not any(f" {count} skipped" in made.stdout for count in range(1, 10))
    ids = {row["id"] for row in found}
    for bank, list_ in features.items():
        assert {f"{bank}-{feature['id']}" for feature in list_} <= ids
    described = [feature for list_ in features.values() for feature in list_
                 if feature["properties"].get("opening_hours")]
    assert sum("hours" in row for row in found) >= 0.95 * len(described)


def feature(number):
    """A place as All The Places writes it."""
    properties = {
        "ref": f"{number:05}", "@spider": "bank_xx", "amenity": "atm" if number % 3 else "bank",
        "name": f"Bank {number}", "addr:street_address": f"Main street {number}",
        "addr:city": "Cairo", "addr:postcode": "11511",
        "addr:country": "EG", "phone": "+20 2 1234567", "website": f"https://bank.example/{number}",
        "opening_hours": "Su-Th 08:30-15:00", "brand": "Bank", "brand:wikidata": "Q1", "nsi_id": "bank-1"}
    geometry = {"type": "Point", "coordinates": [31 + number / 1e4, 30]} if number else None
    return {"type": "Feature", "id": f"hash/{number}", "properties": properties, "geometry": geometry}


def test_a_packed_list_of_all_the_places_is_read_and_a_place_without_a_position_counted(tmp_path):
    lines = ",\n".join(json.dumps(feature(number)) for number in range(2_000))
    head = '{"type": "FeatureCollection", "dataset_attributes": {"@spider": "bank_xx"}, "features": [\n'
    path = tmp_path / "places.geojson.gz"
    path.write_bytes(gzip.compress((head + lines + "\n]}\n").encode()))
    server, _ = imported(tmp_path, {"places": (path, "geojson", {})})
    with server.wire() as wire:
        reply = wire.call("bank.list", limit=1)
    shown = server.ctl("bank", "list")
    server.stop()
    assert reply["total"] == 1_999 and reply["sources"]["feeds"][0]["left_out"] == 1
    assert shown.returncode == 0 and "1 record cannot be read" in shown.stderr
    row = reply["rows"][0]["location"]
    assert row["address"].endswith(", 11511 Cairo") and row["region"] == "Cairo" and len(row["hours"]) == 5


US = {"country": "US", "zone": "America/New_York"}


def test_a_branch_has_the_zone_of_its_city(tmp_path):
    """New York, Los Angeles, and a place without a city in a country of many zones."""
    path = tmp_path / "us.csv"
    path.write_text("name,kind,lat,lon,hours\n" + "".join(
        f"{name},branch,{where},Mo-Fr 08:00-17:00\n" for name, where in [
            ("east", "40.75,-73.99"), ("west", "34.05,-118.25"), ("middle", "38.2,-116.3")]))
    server, _ = imported(tmp_path, {"own": (path, "csv", US)})
    with server.wire() as wire:
        entries = wire.call("bank.list", filter={"at": "2026-06-10T08:30:00-04:00"})["rows"]
    server.stop()
    assert {entry["location"]["name"]: (entry["open"], entry["location"]["zone"]) for entry in entries} == {
        "east": ("yes", "America/New_York"), "west": ("no", "America/Los_Angeles"),
        "middle": ("unknown", "Etc/Unknown")}


def test_a_new_list_of_cities_changes_zones(tmp_path):
    """Not before the next refresh of a bank, which finds another origin."""
    path, config = tmp_path / "us.csv", tmp_path / "sync.json"
    path.write_text("name,kind,lat,lon,hours\nwest,branch,34.05,-118.25,24/7\n")
    config.write_text(json.dumps({"feeds": {"own": {"url": str(path), "format": "csv"} | US}}))
    server = harness.Server(tmp_path)
    known = {"CITIES_SYNC_CONFIG": config, "CITIES_STATE": server.state}
    assert harness.run_sync("run", "own", **known).returncode == 0
    cities = harness.write_list(tmp_path / "cities.json", [
        harness.record(1, "Nearby", "US", 34.05, -118.25, timezone="America/Denver")])
    assert harness.run_sync("build", cities, server.state / "cities.index").returncode == 0
    assert harness.run_sync("run", "own", **known).returncode == 0
    server.start()
    assert [row["zone"] for row in rows(server)] == ["America/Denver"]
    server.stop()


def test_positions_that_cannot_be_right_are_marked_and_counted(tmp_path):
    path = tmp_path / "ee.csv"
    path.write_text("id,kind,name,lat,lon\n1,atm,right,59.437,24.7535\n2,atm,exchanged,24.7535,59.437\n"
                    "3,atm,riga,56.95,24.1\n4,atm,none,0,0\n")
    place = {"country": "EE", "zone": "Europe/Tallinn"}
    server, made = imported(tmp_path, {"own": (path, "csv", place)})
    found = {row["name"]: row.get("suspicious") for row in rows(server)}
    listed = server.ctl("bank", "list", "-o", "json")
    shown = server.ctl("bank", "show", "own-2", "-o", "table")
    status = server.ctl("status", "-o", "json")
    page = server.ctl("status", "--verbose", "-o", "table").stdout
    server.stop()
    assert found == {"right": None, "exchanged": True, "riga": True}
    assert "latitude and longitude seem to be exchanged" in made.stderr
    assert listed.returncode == 0 and listed.stdout.count('"suspicious":true') == 2
    assert shown.returncode == 0 and "suspicious: far outside Estonia" in shown.stdout
    feed = next(feed for feed in json.loads(status.stdout)["feeds"] if feed["feed"] == "own")
    assert (feed["records"], feed["remarked"], feed["skipped"]) == (3, 2, 1)
    assert "record 4 skipped: the position 0,0 stands for none" in page


def test_a_feed_that_is_off_stays_in_the_list(tmp_path):
    """Also if the running server has never heard of it."""
    path, config = tmp_path / "own.csv", tmp_path / "sync.json"
    path.write_text("kind,lat,lon\natm,30,31\n")
    config.write_text(json.dumps({"feeds": {
        "mine": {"url": str(path), "format": "csv"} | PLACE, "other": {"url": "", "format": "csv"} | PLACE}}))
    server = harness.Server(tmp_path / "server")
    sync = harness.Sync(server, CITIES_SYNC_CONFIG=config).start()
    server.start()
    try:
        harness.until(lambda: server.ctl("refresh", "mine").returncode == 0, what="the first report of the feed")
        listed = server.ctl("feed", "list", variables={"CITIES_SYNC_CONFIG": config}).stdout.splitlines()
        assert [line.split("\t")[:3] for line in listed][-2:] == [["mine", "on", "csv"], ["other", "off", "csv"]]
    finally:
        server.stop()
        sync.stop()


def test_doctor_says_what_to_do_about_records_with_a_remark(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("kind,lat,lon\natm,30,31\natm,31,30\natm,59,25\natm,none,31\n")
    server, _ = imported(tmp_path, {"own": (path, "csv", {})})
    own = {"CITIES_SYNC_CONFIG": tmp_path / "sync.json"}
    found = server.ctl("doctor", "-o", "jsonl", variables=own).stdout.splitlines()
    status = server.ctl("status", "--verbose", "-o", "table").stdout
    server.stop()
    finding = next(row for row in map(json.loads, found) if row["check"] == "feed own")
    assert finding["state"] == "note" and "1 left out, 1 remarked" in finding["message"]
    assert finding["remedy"] == (
        "citiesctl status -v names these records, with the reasons; then correct "
        f"{path}, or the feed's country in the configuration")
    assert "record 3 remarked: the position \"59.0,25.0\" is far outside Egypt" in status, status


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "utf-8-sig"])
def test_a_list_of_a_spreadsheet_is_read_in_its_charset(tmp_path, charset):
    path = tmp_path / "table.csv"
    path.write_bytes("Latitude;Longitude;Type;Name\r\n30,5;31,25;branch;Kõš\r\n".encode(charset))
    server, _ = imported(tmp_path, {"table": (path, "csv", {})})
    found = rows(server)
    server.stop()
    assert [(row["name"], row["lat"], row["lon"]) for row in found] == [("Kõš", 30.5, 31.25)]


@pytest.mark.parametrize(("declared", "charset", "name"), [
    ("windows-1257", "cp1257", "Kõrš ŽĄ"), ("ISO-8859-13", "iso8859-13", "Kõrš ŽĄ"),
    ("iso-8859-4", "iso8859-4", "Kõrš ŽĄ"), ("ISO-8859-15", "iso8859-15", "Köš €"), ("Windows-1251", "cp1251", "Банк"),
    (None, "utf-16-le", "Kõrš €"), (None, "utf-16-be", "Kõrš €")])
def test_a_list_is_read_in_the_charset_that_its_server_or_its_mark_declares(tmp_path, declared, charset, name):
    """In every format; a server that says nothing, another charset or an unknown one has its list refused whole."""
    web = upstream.Upstream()
    place = {"type": "Point", "coordinates": [24.7, 59.4]}
    feature = {"type": "Feature", "geometry": place, "properties": {"kind": "branch", "name": name}}
    texts = {
        "csv": f"lat,lon,kind,name\n59.4,24.7,branch,{name}\n",
        "geojson": json.dumps({"type": "FeatureCollection", "features": [feature]}, ensure_ascii=False),
        "finder": json.dumps([{"lat": 59.4, "lon": 24.7, "t": 0, "n": name}], ensure_ascii=False)}
    bodies = {form: (text if declared else "\ufeff" + text).encode(charset) for form, text in texts.items()}

    def answer(form, charset):
        more = {"Content_Type": f"text/plain; charset={charset}"} if charset else {}
        web.answers[f"/{form}"] = upstream.good(bodies[form], **more)

    for form in bodies:
        answer(form, declared)
    feeds = {f"list-{form}": (web.url(f"/{form}"), form, {}) for form in bodies}
    if declared:
        # Packed, and not as a content encoding.
        web.answers["/csv"] = upstream.good(
            gzip.compress(bodies["csv"]), Content_Type=f"application/gzip; charset={declared}")
    server, _ = imported(tmp_path, feeds)
    assert [row["name"] for row in rows(server)] == [name] * len(bodies)
    for wrong in [None, "utf-8", "x-unknown"] if declared else []:
        for form in bodies:
            answer(form, wrong)
        made = harness.run_sync(
            "run", "--force", *feeds, CITIES_SYNC_CONFIG=tmp_path / "sync.json", CITIES_STATE=server.state)
        assert made.returncode != 0 and made.stderr.count("the text is not UTF-8 at byte ") == len(bodies)
        assert [row["name"] for row in rows(server)] == [name] * len(bodies)
    server.stop()


def test_a_list_in_an_unknown_charset_is_refused_with_the_place(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("lat,lon,kind,name\n30,31,atm,Kõ\n".encode("cp1257"))
    config = tmp_path / "sync.json"
    config.write_text(json.dumps({"feeds": {"table": {"url": str(path), "format": "csv"} | PLACE}}))
    made = harness.run_sync("run", "table", CITIES_SYNC_CONFIG=config, CITIES_STATE=tmp_path / "state")
    assert made.returncode == 65 and "the text is not UTF-8 at byte 29 (line 2)" in made.stderr


def test_what_is_printed_is_read_with_the_same_answers(tmp_path):
    """Both as geojson and as csv: all locations, and their states at moments of two years."""
    (tmp_path / "first").mkdir()
    list_ = [{"lat": 59.4 + n / 100, "lon": 24.7, "t": n % 3, "n": f"Kõ {n}", "a": f"A {n}", "av": text, "i": "x"}
             for n, text in enumerate([
                 "E-R 9.00-17.00", "E-R 9.00-13.00, 14.00-18.00; L 10.00-15.00", "24h", None, "E-P 22.00-4.00",
                 "E-R 9.00-17.00; riigipühadel suletud", "E-R&nbsp;9.00&ndash;17.00<br/>",
                 "R 20.00-2.00; L 10.00-12.00; riigipühad 22.00-4.00"])]
    source = tmp_path / "list.json"
    source.write_text(json.dumps(list_))
    place = {"country": "EE", "zone": "Europe/Tallinn"}
    first, _ = imported(tmp_path / "first", {"own": (source, "finder", place)})
    files = {}
    for form in ("geojson", "csv"):
        files[form] = tmp_path / f"printed.{form}"
        files[form].write_text(first.ctl("bank", "list", "--all", "-o", form).stdout)
    moments = [datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(hours=7 * step, minutes=step % 60)
               for step in range(0, 2 * 365 * 24 // 7, 3)]

    def answers(server):
        with server.wire() as wire:
            replies = [wire.call("bank.list", filter={"at": moment.isoformat()}, limit=100) for moment in moments]
            return [{(entry["location"]["name"], entry["location"]["lat"]): entry["open"] for entry in reply["rows"]}
                    for reply in replies]

    expected = answers(first)
    first.stop()
    assert {state for states in expected for state in states.values()} == {"yes", "no", "unknown"}
    for form, path in files.items():
        (tmp_path / form).mkdir()
        again, _ = imported(tmp_path / form, {"own": (path, form, place)})
        found = answers(again)
        again.stop()
        for moment, states, others in zip(moments, expected, found, strict=True):
            assert states == others, (form, moment)


def test_closed_dates_are_printed_and_read_back(tmp_path):
    hours = "Mo-Fr 09:00-17:00; PH off; Dec 24-26 off; 2026 Jan 02 off"
    text, place = f"kind,name,lat,lon,hours\nbranch,a,59.4,24.7,{hours}\n", {"country": "EE", "zone": "Europe/Tallinn"}
    was = "csv"
    for form in ("csv", "geojson", "csv"):
        folder = tmp_path / f"{form}-{len(text)}"
        folder.mkdir()
        path = folder / f"list.{form}"
        path.write_text(text)
        server, _ = imported(folder, {"own": (path, was, place)})
        assert rows(server)[0]["closed_days"] == ["12-24", "12-25", "12-26", "2026-01-02"]
        states = []
        with server.wire() as wire:
            for at in ("2026-12-24T12:00", "2027-12-24T12:00", "2026-01-02T12:00", "2026-01-05T12:00"):
                states.append(wire.call("bank.list", filter={"at": at})["rows"][0]["open"])
        assert states == ["no", "no", "no", "yes"]
        shown = server.ctl("bank", "show", rows(server)[0]["id"], "-o", "table").stdout
        assert "Dec 24     closed" in shown and "2026 Jan 02 closed" in shown
        text, was = server.ctl("bank", "list", "-o", form).stdout, form
        server.stop()


def test_hours_are_those_of_another_evaluator(tmp_path):
    """Every text of the exports, and of a grid of spellings, against opening-hours-py; unknown in at most 5 %."""
    opening_hours = pytest.importorskip("opening_hours")
    texts = {text: text for text in spellings().values()} | spellings()
    if POI:
        listed = [feature["properties"].get("opening_hours") for path in POI.glob("*.geojson")
                  for feature in json.loads(path.read_text())["features"]]
        texts |= {text: text for text in filter(None, listed)}
    source = tmp_path / "list.geojson"
    names = dict(enumerate(texts))
    source.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": str(number), "geometry": {"type": "Point", "coordinates": [31, 30 + number / 1e4]},
         "properties": {"kind": "atm", "hours": text}} for number, text in names.items()]}))
    server, _ = imported(tmp_path, {"own": (source, "geojson", {})})
    unknown = []
    for row in rows(server):
        text = names[int(row["id"].removeprefix("own-"))]
        if "hours" not in row:
            unknown.append(text)
            continue
        try:
            # For it a comma and a space end a rule, so that "Mo, Tu 10:00-12:00" would be a Monday without times.
            other = opening_hours.OpeningHours(re.sub(r"([A-Z][a-z]),\s+(?=[A-Z][a-z])", r"\1,", texts[text]))
        except Exception:  # noqa: BLE001 - its parser knows fewer spellings
            continue
        start = datetime(2026, 6, 1)
        for minute in range(0, 7 * 1440, 5):
            ours = any(minute in range(1440 * p["day"] + p["opens"] + turn, 1440 * p["day"] + p["closes"] + turn)
                       for p in row["hours"] for turn in (0, -7 * 1440))
            assert ours == other.is_open(start + timedelta(minutes=minute)), (text, row["hours"], minute)
    server.stop()
    assert len(names) >= 400 and len(unknown) <= 0.05 * len(names), unknown


def test_rules_of_holidays_nights_and_dates_are_those_of_another_evaluator(tmp_path):
    """Random rules, 300 or with CITIES_TEST_ALL 900, over three weeks with the holidays of a country; the other
    evaluator has holidays of its own."""
    opening_hours = pytest.importorskip("opening_hours")
    generator = random.Random(48)
    days = ["Mo-Fr", "Mo-Su", "Sa,Su", "Fr", "Mo,PH", "PH", "Tu-Th,PH", "Su", "PH,Su"]
    times = ["09:00-17:00", "10:00-12:00,13:00-15:00", "20:00-02:00", "off", "00:00-24:00"]
    dates = ["", "", "; Dec 24-26 off", "; 2026 Dec 28 off", "; Dec 31-Jan 1 off"]
    texts = sorted({
        "".join(f"{generator.choice(days)} {generator.choice(times)}{link}"
                for link in [generator.choice(["; ", ", "]) for _ in range(generator.choice([0, 1, 1, 2]))] + [""])
        + generator.choice(dates) for _ in range(900 if "CITIES_TEST_ALL" in os.environ else 300)})
    source = tmp_path / "list.csv"
    source.write_text("kind,id,lat,lon,hours\n" + "".join(
        f'branch,{number},59.4,24.7,"{text}"\n' for number, text in enumerate(texts)))
    server, _ = imported(tmp_path, {"own": (source, "csv", {"country": "EE", "zone": "Europe/Tallinn"})})
    known = {int(row["id"].removeprefix("own-")): row for row in rows(server) if "hours" in row}
    start, compared = datetime(2026, 12, 14), 0
    with server.wire() as wire:
        for minute in range(0, 21 * 1440, 97):
            moment = start + timedelta(minutes=minute)
            ours = {entry["location"]["id"]: entry["open"] for entry in wire.call(
                "bank.list", limit=1000, filter={"at": moment.isoformat(timespec="minutes"), "open": True})["rows"]}
            for number, row in known.items():
                if ours.get(row["id"]) != "yes" and "holiday_hours" not in row and moment.date() in HOLIDAYS:
                    continue
                other = opening_hours.OpeningHours(texts[number], country="EE").is_open(moment)
                assert (row["id"] in ours) == other, (texts[number], moment)
                compared += 1
    server.stop()
    assert compared > 50 * len(texts)


# Holidays of Estonia within the three weeks, and the days after them: hours that name no holidays may differ.
HOLIDAYS = {date(2026, 12, day) for day in (24, 25, 26, 27)} | {date(2027, 1, day) for day in (1, 2)}


def spellings():
    """Texts of hours in the spellings of people, with the same in the grammar of OpenStreetMap."""
    days = ["Mo-Fr", "Su-Th", "Mo-Sa", "Sa-Th", "Mo,We,Fr", "Tu-Th,Sa"]
    times = ["09:00-17:00", "08:30-13:00,14:00-18:30", "10:00-24:00"]
    ends = ["", "; Fr off", "; Su 10:00-12:00", "; PH off"]
    found = {}
    for day, time, end in itertools.product(days, times, ends):
        text = f"{day} {time}{end}"
        for spelling in (
                text.replace("-", "–"), text.replace(",", ", ").replace("-", " - "), text.lower() + ";",
                text.replace("off", "closed").replace(" 0", " "),
                text.replace(f"{day} ", f"{day}: ").replace(":00", ".00")):
            found[spelling] = text
    return found
