"""`city.match` on the shipped list: its sure cities are what `city.get` and `city.find` say of each name."""

import contextlib
import gzip
import itertools
import json
import random
import re
import select
import struct
import subprocess

import pytest
from find_oracle import GUESS, LIKELY, MISSING, NONE, SURE, fold
from harness import BIN, ROOT, environment, patient
from wire import WireFault

# Names in one request, which fit its limit; requests of `city.get` and `city.find` that are sent together.
BATCH, TOGETHER = 4_000, 500
NOTHING = 2**32 - 1


@pytest.fixture(scope="module")
def cities():
    with gzip.open(ROOT / "contrib" / "data" / "cities.json.gz") as file:
        return json.load(file)


def untyped(array, tag, layout):
    assert array.tag == tag
    return list(struct.unpack(f"<{len(array.value) // struct.calcsize(layout)}{layout}", array.value))


def matched(reply):
    """Pairs of id and class."""
    return list(zip(untyped(reply["ids"], 71, "Q"), untyped(reply["classes"], 64, "B"), strict=True))


def match(wire, names, **params):
    return matched(wire.call("city.match", names="".join(f"{name}\n" for name in names), **params))


def match_all(wire, names):
    """The pairs of many names, in as few requests as hold them."""
    batches, size = [[]], 0
    for name in names:
        size += len(name.encode()) + 1
        if len(batches[-1]) == BATCH or size > 60_000:
            batches.append([])
            size = len(name.encode()) + 1
        batches[-1].append(name)
    return list(itertools.chain.from_iterable(match(wire, batch) for batch in batches))


def replies(wire, method, questions):
    """The replies to many questions, some of which are sent together."""
    for start in range(0, len(questions), TOGETHER):
        part = questions[start:start + TOGETHER]
        wire.send_all([(method, params) for params in part])
        yield from (wire.receive() for _ in part)


def check_what_is_sure(wire, names):
    """Checks that `city.find` lists a sure city first, and that `city.get` resolves what is sure, and nothing else."""
    found = match_all(wire, names)
    sure = [(name, identifier) for name, (identifier, certainty) in zip(names, found, strict=True) if certainty == SURE]
    rows = replies(wire, "city.find", [{"query": name, "limit": 1} for name, _ in sure])
    firsts = [reply["result"]["rows"][0]["city"]["id"] for reply in rows]
    assert [(*one, first) for one, first in zip(sure, firsts, strict=True) if one[1] != first] == []
    got = [reply.get("result", {}).get("city", {}).get("id", 0)
        for reply in replies(wire, "city.get", [{"query": name} for name in names])]
    # Some cities are called by a number or like a missing value, which in a column mean something else.
    trios = [(name, pair, identifier) for name, pair, identifier in zip(names, found, got, strict=True)
        if not re.fullmatch("[0-9]*", fold(name)) and name not in MISSING]
    assert [trio for trio in trios if trio[2] != (trio[1][0] if trio[1][1] == SURE else 0)] == []
    return found


def some_names(cities, count, seed):
    """Names of seeded cities, a third of them titles, many with areas after them."""
    pick = random.Random(seed)
    for city in pick.choices(cities, k=count):
        name = pick.choice([city["name"], pick.choice([city["name"], *city.get("alternatenames", [])])])
        area = pick.choice(["", "", city["country"], city.get("region_code", "")])
        yield re.sub("\n", " ", f"{name}, {area}" if area else name)


def titles(cities):
    return [f"{city['name']}, {city['country']}" for city in cities]


def test_the_code_of_a_country_is_that_country(shipped_server):
    # Belgium is Bỉ in Vietnamese, and Hong Kong is "Hong Kong (China)".
    with shipped_server.wire() as wire:
        gitega = wire.call("city.find", query="gitega", country="BI")["rows"][0]["city"]["id"]
        assert match(wire, ["Gitega BI", "Gent BE"])[0] == (gitega, SURE)
        assert match(wire, ["Gent BI"])[0][1] < SURE and match(wire, ["Gitega"], country="bi") == [(gitega, SURE)]
        chicago = wire.call("city.get", query="Чикаго, США")["city"]
        assert (chicago["name"], chicago["country"]) == ("Chicago", "US")
        assert wire.call("city.find", query="shanghai china")["rows"][0]["city"]["country"] == "CN"


@pytest.mark.parametrize(("name", "city", "reason", "second"), [
    ("Seoul City", "Seoul, KR", "kind of place", ""),
    ("Munihc", "Munich, DE", "typing errors", ""),
    ("Clay city, KY", "Clay City, US", "kind of place", "Clay, US"),
    ("Garmisch, Germany", "Garmisch-Partenkirchen, DE", "started name", ""),
])
def test_the_reason_names_the_attempt_that_found_the_city(shipped_server, name, city, reason, second):
    row = shipped_server.ctl("match", "--why", input=f"{name}\n").stdout.rstrip("\n").split("\t")
    assert [row[2], *row[-2:]] == [city, second, reason]


def test_a_key_of_digits_is_never_sure(shipped_server):
    names = ["12", " 12", "12.", "#12", "(12)", "１２", "007", "12,"]
    with shipped_server.wire() as wire:
        assert all(certainty < SURE for _, certainty in match(wire, names))


def test_a_sure_city_is_the_first_row_and_what_a_query_means(shipped_server, cities):
    with shipped_server.wire(60) as wire:
        found = check_what_is_sure(wire, list(some_names(cities, 10_000, 7)))
    assert {LIKELY, SURE} <= {certainty for _, certainty in found}


@pytest.mark.slow
def test_all_sure_cities_are_first_rows_and_what_queries_mean(shipped_server, cities):
    with shipped_server.wire(120) as wire:
        found = check_what_is_sure(wire, list(some_names(cities, 100_000, 8)))
        # A name without an area that several cities have is a guess.
        assert sum(certainty >= LIKELY for _, certainty in found) > 0.75 * len(found)
        found = check_what_is_sure(wire, titles(cities) + sorted({city["name"] for city in cities}))
        assert sum(certainty >= LIKELY for _, certainty in found) > 0.99 * len(found)


def test_rows_come_once_and_an_answer_does_not_depend_on_the_other_names(shipped_server):
    names = ["Springfield", "münchen", "", "springfeild", "東京", "Paris, TX", "zzzzzz", "…", "Munich", "x" * 20_000]
    with shipped_server.wire() as wire:
        reply = wire.call("city.match", names="\n".join(names), rows=True, **{"with": ["region"]})
        pairs, index = matched(reply), untyped(reply["index"], 70, "I")
        assert [match(wire, [name])[0] for name in names] == pairs
        assert [reply["rows"][place]["id"] if place != NOTHING else 0 for place in index] == [pair[0] for pair in pairs]
        assert [certainty for _, certainty in pairs] == [LIKELY, SURE, NONE, GUESS, SURE, SURE, NONE, NONE, SURE, NONE]
        assert len(reply["rows"]) == 4 and reply["rows"][index[5]]["region"] == "Texas"
        assert index[8] == index[1] and reply["complete"]
        assert match(wire, ["springfeild"], typos=False) == [(0, NONE)]


def test_a_number_is_never_sure(shipped_server):
    with shipped_server.wire() as wire:
        alppiharju = wire.call("city.get", query="Alppiharju")["city"]["id"]
        # Longer names of other cities start with the number.
        names = ["12", " 12 ", "12 fi", "Alppiharju"]
        assert match(wire, names) == [(alppiharju, certainty) for certainty in (LIKELY, LIKELY, LIKELY, SURE)]
        assert match(wire, ["12"], country="FI") == [(alppiharju, LIKELY)]


def test_areas_narrow_all_names_or_each(shipped_server):
    with shipped_server.wire() as wire:
        assert match(wire, ["paris", "london"], country="us")[0] == match(wire, ["paris, us"])[0]
        each = match(wire, ["paris"] * 4, countries="US\n\nnowhere\nfrance\n", regions="\n\n\n\n")
        assert each == [*match(wire, ["paris us"]), *match(wire, ["paris"]), (0, NONE), *match(wire, ["paris fr"])]
        for params in ({"country": "nowhere"}, {"countries": "US"}, {"country": "US", "countries": "US\nUS"}):
            with pytest.raises(WireFault) as fault:
                match(wire, ["a", "b"], **params)
            assert fault.value.code == "invalid-params"


def test_call_takes_names_as_an_array_and_prints_numbers(shipped_server):
    called = shipped_server.ctl("call", "city.match", '{"names": ["Paris", "?"]}')
    reply = json.loads(called.stdout)
    assert (reply["ids"], reply["classes"]) == ([2988507, 0], [SURE, NONE])


def test_long_requests_of_a_user_leave_room_for_a_short_one(shipped_server):
    pick = random.Random(9)
    # No city is called so: for each name, names with typing errors are looked for.
    names = "".join("".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=14)) + "\n" for _ in range(300))
    with contextlib.ExitStack() as open_wires:
        # As many as may be in progress for one user, and one that waits for a place.
        crowd = [open_wires.enter_context(shipped_server.wire(60)) for _ in range(9)]
        quick = open_wires.enter_context(shipped_server.wire(60))
        for wire in crowd:
            wire.send("city.match", names=names)
        for _ in range(20):
            assert quick.call("city.search", prefix="alb")["rows"]
            assert quick.call("status")["requests"] > 0
        answered, _, _ = select.select([wire.socket for wire in crowd], [], [], 0)
        assert answered == []


def run_match(server, table, *arguments, folder):
    """Runs `citiesctl match` from file to file; the process and its output."""
    (folder / "table").write_bytes(table)
    with (folder / "table").open("rb") as given, (folder / "out").open("wb") as taken:
        done = subprocess.run(
            [BIN / "citiesctl", "match", *patient(*arguments)], stdin=given, stdout=taken, stderr=subprocess.PIPE,
            text=True, env=environment(CITIES_SOCKET=server.socket), timeout=120, check=False)
    return done, (folder / "out").read_bytes()


def test_a_table_gets_the_answers_of_the_wire(shipped_server, cities, tmp_path):
    pick = random.Random(3)
    names = [pick.choice(cities)["name"] for _ in range(20_000)] + ["", "zzzzzzz"]
    done, output = run_match(
        shipped_server, "".join(f"{n}\t{name}\t\r\n" for n, name in enumerate(names)).encode(), "--name", "2",
        folder=tmp_path)
    with shipped_server.wire(60) as wire:
        wanted = match_all(wire, names)
    # Some titles are the name of an area elsewhere, such as Darien.
    missing = sum(certainty == NONE for _, certainty in wanted)
    assert done.returncode == 4 and f"no city in {missing} of 20002 rows" in done.stderr and missing < 120
    by_id = {city["_id"]: city for city in cities}
    words = {GUESS: "guess", LIKELY: "likely", SURE: "sure"}
    lines = output.decode().split("\r\n")
    assert lines.pop() == ""
    for n, (line, name, (number, certainty)) in enumerate(zip(lines, names, wanted, strict=True)):
        if certainty == NONE:
            assert line == f"{n}\t{name}\t" + 7 * "\t"
            continue
        city, values = by_id[number], line.split("\t")
        assert values[:5] == [str(n), name, "", str(number), f"{city['name']}, {city['country']}"]
        assert [float(value) for value in values[7:9]] == pytest.approx([city["coord"]["lat"], city["coord"]["lon"]],
            abs=1e-4)
        assert (values[5], values[9]) == (city["country"], words[certainty])


def test_columns_of_areas_narrow_rows(shipped_server, tmp_path):
    table = b'town,land,state\n"Paris",US,Texas\nParis,,\nParis,nowhere,\nLondon,Canada,\n'
    done, output = run_match(
        shipped_server, table, "--input", "csv", "--name", "town", "--country-column", "land", "--region-column",
        "state",
        folder=tmp_path)
    lines = output.decode().splitlines()
    assert lines[0] == "town,land,state,id,title,country,region,lat,lon,class"
    assert [line.split(",", 4)[4] if line.endswith("sure") else None for line in lines[1:]] == [
        '"Paris, US",US,Texas,33.66094,-95.55551,sure', '"Paris, FR",FR,Île-de-France,48.85341,2.3488,sure', None,
        '"London, CA",CA,Ontario,42.98339,-81.23304,sure']
    assert done.returncode == 4 and "row 4: no city" in done.stderr
    assert done.stderr.endswith("1 row names an area that the list does not have: country 'nowhere' (1)\n")


@pytest.mark.parametrize(("table", "form", "noted"), [
    (b"name,city\nAda,Paris\n", "csv", "'name'"), (b"Paris\tLON\n", "tsv", "'LON'"),
    (b"Namur\tx\nname\ty\n", "tsv", "")])
def test_a_first_row_that_may_name_the_columns_is_mentioned(shipped_server, tmp_path, table, form, noted):
    done, output = run_match(shipped_server, table, "--input", form, folder=tmp_path)
    assert output.count(b"\n") == table.count(b"\n")
    assert done.stderr.count(f"the first row has {noted}: if it names the columns") == bool(noted)
    assert done.stderr.count("names the columns") == bool(noted), "said once, also if that row has no city"


def test_areas_that_are_not_known_are_counted_the_most_frequent_first(shipped_server, tmp_path):
    rows = [("Munich", "Germany", "Bavria"), ("Munich", "Germany", "Bavria"), ("Paris", "France", "Texas"),
            ("Paris", "Frnce", ""), ("zzzzzzz", "France", ""), ("Berlin", "Germany", "")]
    rows += [("Rome", f"country {n}", "") for n in range(30)]
    done, _ = run_match(
        shipped_server, "".join("\t".join(row) + "\n" for row in rows).encode(), "--name", "1", "--country-column", "2",
        "--region-column", "3", folder=tmp_path)
    assert done.returncode == 4
    note = done.stderr.splitlines()[-1]
    # 34 areas are in rows without a city, and one of them is known; 20 are named.
    assert note.startswith("citiesctl: 34 rows name areas that the list does not have: region 'Bavria'")
    assert note.endswith("country 'country 16' (1) and 13 more")
    for part in ("(2), region 'Texas' (1)", "country 'Frnce', perhaps 'France' (1)", "country 'country 0' (1)"):
        assert part in note
    assert "country 'France'" not in note


def test_the_area_after_a_name_is_counted_if_it_is_not_known(shipped_server, tmp_path):
    # The last one is an address that ends with a city.
    names = ["Springfield, Ilinois", "Springfield, Ilinois", "Munihc, Bavaria", "Paris, Texas", "Lyon, Frnace",
        "10 Downing Street, London"]
    done, _ = run_match(shipped_server, "".join(f"{name}\n" for name in names).encode(), folder=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        "citiesctl: 3 rows name areas that the list does not have: region 'Ilinois' (2), region 'Frnace' (1)")


def gibberish(count, seed=5):
    """Names that no city has, and for each of which typing errors are looked for: about a millisecond."""
    pick = random.Random(seed)
    return ["".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=pick.randint(9, 14))) for _ in range(count)]


def test_many_tables_of_names_that_nothing_has_are_answered_at_once(shipped_server, tmp_path):
    """Each request of one waits for those of all others, for about two seconds."""
    tables = [gibberish(1_500, seed) for seed in range(4)]
    # A busy machine may take three times as long once.
    assert any(match_together(shipped_server, tables, tmp_path) for _ in range(3))


def match_together(server, tables, tmp_path):
    """Matches tables at the same time; whether all are answered, each request within six seconds."""
    running = []
    for number, names in enumerate(tables):
        source = tmp_path / f"table{number}"
        source.write_text("".join(f"{name}\n" for name in names))
        with source.open("rb") as given, (tmp_path / f"out{number}").open("wb") as taken:
            running.append(subprocess.Popen(
                [BIN / "citiesctl", "match", "--timeout", "6"], stdin=given, stdout=taken, stderr=subprocess.PIPE,
                text=True, env=environment(CITIES_SOCKET=server.socket)))
    errors = [process.communicate(timeout=300)[1] for process in running]
    if any(process.returncode == 75 for process in running):
        return False
    for number, process in enumerate(running):
        assert process.returncode in (0, 4), errors[number]
        lines = (tmp_path / f"out{number}").read_text().splitlines()
        assert [line.split("\t")[0] for line in lines] == tables[number]
    return True


def test_long_values_are_neither_looked_up_nor_printed_in_whole(shipped_server, tmp_path):
    long, shorter = "x" * 70_000, "y" * 100
    table = f"Foo, {long}\t\nRome\t{shorter}\nRome\t{long}\n"
    done, output = run_match(shipped_server, table.encode(), "--country-column", "2", folder=tmp_path)
    assert done.returncode == 4 and output.count(b"\n") == 3
    assert done.stderr.endswith(f"1 row names an area that the list does not have: country '{shorter[:40]}' (1)\n")
    assert max(map(len, done.stderr.splitlines())) < 200


@pytest.mark.parametrize("option", ["--country-column", "--region-column"])
def test_a_row_whose_area_is_too_long_gets_no_city(shipped_server, tmp_path, option):
    area = b"x" * 20_000
    done, output = run_match(
        shipped_server, b"Paris\t" + area + b"\nParis\t\n", option, "2", folder=tmp_path)
    first, second = output.split(b"\n")[:2]
    assert done.returncode == 4 and first == b"Paris\t" + area + 7 * b"\t" and second.endswith(b"sure")


@pytest.mark.parametrize(("table", "options", "first", "rows"), [
    # As a German spreadsheet saves csv: a mark, semicolons, CRLF, a line break in quotes, a row without values.
    ('\ufeffNr;"Name\nlang";Stadt\r\n1;"a\nb";München\r\n2;x;\r\n;;\r\n'.encode(), ["--name", "Stadt"],
     '\ufeffNr;"Name\nlang";Stadt;id;title;country;region;lat;lon;class', [b"sure", b"", b""]),
    # As one saves "Unicode text": UTF-16 with a mark, and tabs.
    ("id\tStadt\r\n1\tMünchen\r\n".encode("utf-16"), ["--name", "Stadt"],
     "\ufeffid\tStadt\tcity_id\tcity_title\tcity_country\tcity_region\tcity_lat\tcity_lon\tcity_class", [b"sure"]),
    ("Stadt,x\nMünchen,€\n".encode("windows-1252"), ["--name", "Stadt", "--encoding", "windows-1252"],
     "Stadt,x,id,title,country,region,lat,lon,class", [b"sure"]),
    ("x|Stadt\n1|München\n".encode(), ["--separator", "bar", "--header", "--name", "2", "--prefix", "c."],
     "x|Stadt|c.id|c.title|c.country|c.region|c.lat|c.lon|c.class", [b"sure"])],
    ids=["semicolons", "utf-16", "windows-1252", "bars"])
def test_tables_are_read_as_spreadsheets_write_them(shipped_server, tmp_path, table, options, first, rows):
    done, output = run_match(shipped_server, table, *options, folder=tmp_path)
    assert done.returncode == (4 if b"" in rows else 0), done.stderr
    assert output.decode().startswith(first)
    last = output.splitlines()[-len(rows):]
    assert [row.replace(b"\t", b";").replace(b",", b";").replace(b"|", b";").split(b";")[-1] for row in last] == rows


@pytest.mark.parametrize("table", [b"city\nParis\nM\xfcnchen\nRome\n", gzip.compress(b"city\nParis\n", mtime=0)],
    ids=["latin1", "gzip"])
def test_a_table_that_cannot_be_read_is_refused(shipped_server, tmp_path, table):
    done, output = run_match(shipped_server, table, "--input", "csv", "--name", "city", folder=tmp_path)
    assert done.returncode == 65 and done.stderr.count("\n") == 1
    if table.startswith(b"city"):
        assert "row 3 is not UTF-8 at byte 2" in done.stderr and "--encoding" in done.stderr
        assert output.count(b"\n") == 2 and output.endswith(b",sure\n")
    else:
        assert "gzip -dc FILE | citiesctl match" in done.stderr and output == b""
