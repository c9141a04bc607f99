"""`city.match` on the shipped list: it is what `city.get` and `city.find` say of each name."""

import contextlib
import gzip
import itertools
import json
import math
import random
import re
import select
import struct
import subprocess

import pytest
from find_oracle import CODE, CODE_FIRST, LANGUAGE, SHORT, SHORT_LETTERS, SHORT_POPULATION, fold
from harness import BIN, ROOT, environment, patient
from wire import WireFault

NONE, GUESS, LIKELY, SURE = range(4)
# Names in one request, which fit its limit; requests of `city.get` and `city.find` that are sent together.
BATCH, TOGETHER = 4_000, 500
NOTHING = 2**32 - 1
KEYS = {}


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


def expected(wire, cities, names):
    """What `city.get` takes each name for, or the best of its candidates, or the first row of `city.find`: the pairs.

    The id is None where the candidates do not show the best: if there are more of them, or areas after the name.
    """
    by_id = {city["_id"]: city for city in cities}
    found = []
    for name, reply in zip(names, replies(wire, "city.get", [{"query": name} for name in names]), strict=True):
        if "result" in reply:
            found.append((reply["result"]["city"]["id"], LIKELY if re.fullmatch("[0-9]+", fold(name)) else SURE))
        elif reply["error"]["code"] == "ambiguous":
            data = reply["error"]["data"]
            if "country" in data:
                # The candidates are the country's largest cities; those that are called so, if there are any, are not
                # shown.
                found.append((None, LIKELY) if is_called(name, cities) else None)
                continue
            candidates = [by_id[row["id"]] for row in data["candidates"]]
            scores = [score(city, name) for city in candidates]
            shown = data["total"] == len(candidates) and None not in scores
            found.append((candidates[scores.index(max(scores))]["_id"] if shown else None, LIKELY))
        else:
            found.append(None)
    missing = [place for place, pair in enumerate(found) if pair is None]
    rows = replies(wire, "city.find", [{"query": names[place]} for place in missing])
    for place, reply in zip(missing, rows, strict=True):
        first = reply.get("result", {}).get("rows", [])[:1]
        found[place] = (first[0]["city"]["id"], GUESS) if first else (0, NONE)
    return found


def is_called(name, cities):
    """Whether a city is called so; a code is not typed in small letters. The keys of all names are made once."""
    if not KEYS:
        for city in cities:
            for other in [city["name"], *city.get("alternatenames", [])]:
                KEYS.setdefault(fold(other), []).append((city, other))
    return any(score(city, name) is not None for city, _ in KEYS.get(fold(name), []))


def score(city, called):
    """The score of a city with the whole name `called`, and its inhabitants; None for any other city."""
    key, name = fold(called), fold(city["name"])
    spelt = [other for other in city.get("alternatenames", []) if fold(other) == key]
    if name != key and not spelt:
        return None
    languages = [number for other, number in city.get("languages", {}).items() if fold(other) == key]
    used = max(languages, default=0) if name != key else 0
    population = city.get("population", 0)
    points = math.floor(100 * math.log10(max(population, 1))) + (100 if name == key or used else 0) + LANGUAGE * used
    if name != key and not used and any(CODE.fullmatch(other) for other in spelt):
        if re.search("[a-z]", called):
            return None
        points += CODE_FIRST * bool(re.fullmatch("[A-Z]{3}", called))
    if (name == key or used) and len(key) <= SHORT_LETTERS and population >= SHORT_POPULATION:
        points += SHORT
    return points, population


def differences(names, found, wanted):
    """The names whose pairs differ, with both."""
    trios = zip(names, found, wanted, strict=True)
    return [trio for trio in trios if trio[1][1] != trio[2][1] or trio[2][0] not in (None, trio[1][0])]


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


def test_a_key_of_digits_is_never_sure(shipped_server):
    names = ["12", " 12", "12.", "#12", "(12)", "１２", "007", "12,"]
    with shipped_server.wire() as wire:
        assert all(certainty < SURE for _, certainty in match(wire, names))


@pytest.mark.slow
def test_every_title_and_every_name_of_a_title_is_matched_as_get_and_find_say(shipped_server, cities):
    names = titles(cities) + sorted({city["name"] for city in cities})
    with shipped_server.wire(120) as wire:
        found = match_all(wire, names)
        wanted = expected(wire, cities, names)
    assert differences(names, found, wanted) == []
    assert sum(certainty >= LIKELY for _, certainty in found) > 0.99 * len(found)


@pytest.mark.slow
def test_other_names_areas_and_typing_errors_are_matched_as_get_and_find_say(shipped_server, cities):
    pick = random.Random(7)
    some = pick.sample(cities, 3_000)
    names = [name for city in some for name in city.get("alternatenames", [])[:3]]
    names += [f"{city['name']} {city['region_code']} {city['country']}" for city in some if "region_code" in city]
    for city in some[:1_000]:
        letters = list(city["name"])
        place = pick.randrange(len(letters))
        letters[place:place + 1] = pick.choice(["", "x", letters[place] * 2])
        names.append("".join(letters))
        names.append(city["name"][:pick.randint(1, 6)])
    names = [name for name in names if "\n" not in name]
    with shipped_server.wire(120) as wire:
        found, wanted = match_all(wire, names), expected(wire, cities, names)
    assert differences(names, found, wanted) == []
    assert {certainty for _, certainty in found} == {NONE, GUESS, LIKELY, SURE}


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
        alppiharju = wire.call("city.get", query="12")["city"]["id"]
        names = ["12", " 12 ", "12 fi", "Alppiharju"]
        assert match(wire, names) == [(alppiharju, certainty) for certainty in (LIKELY, LIKELY, SURE, SURE)]
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
    assert done.returncode == 4 and "no city in 2 of 20002 rows" in done.stderr
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
    names = ["Springfield, Ilinois", "Springfield, Ilinois", "Munihc, Bavaria", "Paris, Texas", "Lyon, Frnace"]
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


@pytest.mark.parametrize("area", [b"\xff", b"x" * 20_000])
@pytest.mark.parametrize("option", ["--country-column", "--region-column"])
def test_a_row_whose_area_cannot_be_read_gets_no_city(shipped_server, tmp_path, area, option):
    done, output = run_match(
        shipped_server, b"Paris\t" + area + b"\nParis\t\n", option, "2", folder=tmp_path)
    first, second = output.split(b"\n")[:2]
    assert done.returncode == 4 and first == b"Paris\t" + area + 7 * b"\t" and second.endswith(b"sure")
