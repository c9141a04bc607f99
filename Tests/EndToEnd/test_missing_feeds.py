"""Questions about banks while the file of one country never came, is old or is not wanted: the notes and the status."""

import gzip
import json
import re

import pytest
import stored
import upstream
from chain import Chain
from harness import ROOT, until

RIGA, TALLINN = "56.95,24.1", "59.43,24.75"
FAILED = "feed swedbank-lv failed: "
# The reason is the failure, or for a moment the next attempt.
MISSING = "citiesctl: swedbank-lv: no data yet: "
OLD = "citiesctl: swedbank-lv: data of "
ALONE = "citiesctl: banks: no data of swedbank-lv yet: " + FAILED
UNKNOWN = "no country \"LV\""

# The questions, and for each state of the feed of Latvia the status and the start of a line on standard error.
QUESTIONS = {
    f"near {RIGA}": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    f"near {RIGA} --radius 1m": {"all": 1, "never": (4, MISSING), "stale": (1, OLD), "off": 1},
    f"near {TALLINN}": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    f"near {TALLINN} --radius 1m": {"all": 1, "never": 1, "stale": 1, "off": 1},
    f"near {RIGA} -c EE": {"all": 0, "never": 0, "stale": 0, "off": 0},
    f"near {RIGA} -c LV": {"all": 0, "never": (75, ALONE), "stale": (0, OLD), "off": (2, UNKNOWN)},
    "search riga": {"all": 1, "never": (4, MISSING), "stale": (1, OLD), "off": 1},
    "search office": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    "search office -c lithuania": {"all": 0, "never": 0, "stale": 0, "off": 0},
    "search riga -c latvia": {"all": 1, "never": (75, ALONE), "stale": (1, OLD), "off": (2, "no country \"latvia\"")},
    "list": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    "list -c LV": {"all": 0, "never": (75, ALONE), "stale": (0, OLD), "off": (2, UNKNOWN)},
    "list -c EE": {"all": 0, "never": 0, "stale": 0, "off": 0},
    "list --bank swedbank": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    "list --bank swedbank-lv": {"all": 0, "never": (75, ALONE), "stale": (0, OLD), "off": (2, "no bank")},
    "list --bank imaginary": {"all": 0, "never": 0, "stale": 0, "off": 0},
    "list -c LV --bank imaginary": {"all": 1, "never": 1, "stale": 1, "off": (2, UNKNOWN)},
    "list --region Atlantis": {"all": (2, "no region"), "never": (75, ALONE), "stale": (2, "no region"),
                               "off": (2, "no region")},
    "list --count": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    "regions": {"all": 0, "never": (4, MISSING), "stale": (0, OLD), "off": 0},
    "show swedbank-lv-00000000": {"all": (1, "no location"), "never": (75, ALONE), "stale": (1, "no location"),
                                  "off": (1, "no location")},
}


def configure(chain, **keys):
    """Sets keys of the feed of Latvia; the other bank has no source in any file."""
    chain.configure()
    content = json.loads(chain.file.read_text())
    content["feeds"]["swedbank-lv"] |= keys
    del content["feeds"]["imaginary"]
    chain.file.write_text(json.dumps(content))


@pytest.fixture(scope="module", params=["all", "never", "stale", "off"])
def chain(request, tmp_path_factory, small_index):
    """A chain in whose state the feed of Latvia is as the parameter says."""
    chain = Chain(tmp_path_factory.mktemp("missing"), small_index)
    chain.condition = request.param
    if request.param == "never":
        chain.upstream.answers["/swedbank-lv"] = upstream.status(503)
    chain.start()
    try:
        if request.param == "off":
            chain.configure(swedbank_lv="")
        chain.refresh()
        if request.param == "stale":
            make_stale(chain)
        count = {"all": 4, "never": 3, "stale": 4, "off": 3}[request.param]
        until(lambda: len(json.loads(chain.server.ctl("bank", "regions", "-o", "json").stdout or "{}").get("rows", []))
              == count, what="the locations")
        if request.param == "never":
            until(lambda: MISSING + FAILED in chain.server.ctl("bank", "regions").stderr, what="the reason")
        yield chain
    finally:
        chain.stop()


def make_stale(chain):
    """Two hours pass for the stored copy, and the source fails."""
    chain.sync.stop()
    stored.age(chain.state, "swedbank-lv", 7_200)
    content = json.loads(chain.file.read_text())
    for interval, outcome in [(86_400, "reused"), (3_600, "failed")]:
        content["feeds"]["swedbank-lv"]["interval"] = interval
        chain.file.write_text(json.dumps(content))
        chain.upstream.answers["/swedbank-lv"] = upstream.status(503)
        if interval == 86_400:
            chain.sync.start()
        assert chain.refresh("swedbank-lv")["swedbank-lv"]["outcome"] == outcome
    until(lambda: "last_error" in chain.status()["swedbank-lv"], what="the report of the failure")


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_may_be_missing_is_said_with_its_status(chain, question):
    expected = QUESTIONS[question][chain.condition]
    status, line = expected if isinstance(expected, tuple) else (expected, None)
    asked = chain.server.ctl("bank", *question.split())
    print(f"{chain.condition:6} {question:32} {asked.returncode:3} {asked.stderr.strip()}")
    assert asked.returncode == status, asked.stderr
    # Notes of another kind, such as that rows are left out, are none of the matter here.
    lines = [text for text in asked.stderr.splitlines() if "rows shown" not in text]
    if line is None:
        assert lines == []
    else:
        assert len(lines) == 1 and line in lines[0], lines


def test_json_names_the_missing_feeds(chain):
    isMissing = chain.condition == "never"
    for words in (["near", RIGA], ["list"], ["search", "office"], ["regions"], ["list", "--count"]):
        asked = chain.server.ctl("bank", *words, "--output", "json")
        answer = json.loads(asked.stdout)
        assert answer.get("missing") == (["swedbank-lv"] if isMissing else None), words
        sources = {source["feed"]: source for source in answer.get("sources", [])}
        if isMissing:
            assert json.loads(asked.stderr.splitlines()[-1])["note"] == "missing"
            assert not sources or sources["swedbank-lv"]["missing"]
    lines = chain.server.ctl("bank", "near", "-", "-o", "jsonl", input=f"{RIGA}\n{TALLINN}\n")
    named = [json.loads(line).get("missing") for line in lines.stdout.splitlines()]
    assert named == 2 * [["swedbank-lv"] if isMissing else None]
    assert (lines.returncode, "no data yet" in lines.stderr) == ((4, True) if isMissing else (0, False))
    drawn = chain.server.ctl("bank", "map", "--output", "geojson")
    assert drawn.returncode == (4 if isMissing else 0), drawn.stderr


def test_without_a_server_the_reason_is_known_too(chain):
    """A private server reads what the sync service has written down."""
    variables = {"CITIES_SOCKET": None, "CITIES_STATE": chain.state, "XDG_RUNTIME_DIR": chain.state}
    asked = chain.server.ctl("bank", "list", "-c", "LV", variables=variables)
    assert asked.returncode == {"all": 0, "never": 75, "stale": 0, "off": 2}[chain.condition], asked.stderr
    assert (ALONE in asked.stderr) == (chain.condition == "never")


def test_a_feed_that_is_neither_configured_nor_stored_is_no_gap(tmp_path, small_index):
    chain = Chain(tmp_path, small_index)
    configure(chain)
    chain.start()
    try:
        chain.refresh()
        for words, status in [(["near", "43.85,18.42"], 0), (["list"], 0), (["regions"], 0), (["search", "tuzla"], 1),
                              (["list", "-c", "BA"], 2), (["list", "--bank", "imaginary"], 2)]:
            asked = chain.server.ctl("bank", *words)
            assert asked.returncode == status and "no data yet" not in asked.stderr, (words, asked.stderr)
    finally:
        chain.stop()


def test_a_file_that_arrives_ends_the_gap(tmp_path, small_index):
    chain = Chain(tmp_path, small_index)
    chain.upstream.answers["/swedbank-lv"] = upstream.status(503)
    chain.start()
    try:
        chain.refresh()
        assert chain.server.ctl("bank", "list", "-c", "LV").returncode == 75
        chain.recover()
        assert chain.refresh("swedbank-lv", force=True)["swedbank-lv"]["outcome"] == "downloaded"
        until(lambda: chain.server.ctl("bank", "list", "-c", "LV").returncode == 0, what="the locations")
        whole = chain.server.ctl("bank", "list")
        assert (whole.returncode, whole.stderr) == (0, "")
    finally:
        chain.stop()


def test_every_city_lies_in_the_box_of_its_country():
    """The table of boxes against the list from which it was made."""
    source = (ROOT / "Sources" / "Domain" / "Banks" / "Location" / "CountryBox+Table.swift").read_text()
    rows = re.findall(r"\b([A-Z]{2}) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)", source)
    boxes = {code: tuple(map(float, edges)) for code, *edges in rows}
    with gzip.open(ROOT / "contrib" / "data" / "cities.json.gz") as file:
        cities = json.load(file)
    outside = []
    for city in cities:
        box, lat, lon = boxes.get(city["country"]), city["coord"]["lat"], city["coord"]["lon"]
        if box is None:
            continue
        south, west, north, east = box
        inside = west <= lon <= east if west <= east else lon >= west or lon <= east
        if not (inside and south <= lat <= north):
            outside.append(city)
    assert outside == [] and len(boxes) > 240
