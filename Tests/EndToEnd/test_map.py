"""Maps: the picture on a terminal, and the files that other programs read."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import unicodedata
import xml.etree.ElementTree as ElementTree

import harness
import pytest
from test_banks import SAMPLES, served

SVG = "{http://www.w3.org/2000/svg}"
PLACES = {
    "Tallinn, EE": (59.43696, 24.75353),
    "Suva, FJ": (-18.13683, 178.42531),  # one and a half degrees from the date line
    "Ushuaia, AR": (-54.81084, -68.31591),
    "Longyearbyen, SJ": (78.22334, 15.64689),
}


def cells(text):
    """The columns that a line takes, by Python's own tables."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text)


def dots(line):
    """How many dots of braille patterns a line has."""
    return sum((ord(character) - 0x2800).bit_count() for character in line if 0x2800 <= ord(character) < 0x2900)


@pytest.mark.parametrize("title", PLACES)
def test_the_mark_stands_in_the_middle_cell_with_coasts_around_it(shipped_server, title):
    shown = shipped_server.ctl("map", title, "--width", 80, "--height", 24)
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert len(lines) == 25  # the scale bar below
    assert lines[12][40] == "●" and lines[12][39] == "[" and lines[12][41] == "]"
    assert title in shown.stdout
    assert sum(map(dots, lines)) > 100
    assert re.fullmatch(r"├─+┤ \d+ km +\d+\.\d+° [NS] \d+\.\d+° [EW]", lines[24])


def test_the_large_cities_of_a_country_are_on_its_map(shipped_server):
    shown = shipped_server.ctl("map", "46.6,2.4", "--zoom", "1200km", "--width", 100, "--height", 40)
    assert shown.returncode == 0
    for city in ("Paris", "Lyon", "Lille", "Strasbourg", "Marseille", "Toulouse"):
        assert city in shown.stdout


def test_a_map_is_sentences_if_the_user_wants_no_drawings(shipped_server):
    plain = {"CITIES_PLAIN": 1}
    lines = shipped_server.ctl("map", "Tallinn, EE", variables=plain).stdout.splitlines()
    assert lines[0] == "Tallinn, EE, 59.43696,24.75353"
    assert "Helsinki, 82.1 km north of Tallinn, EE" in lines
    assert all(re.fullmatch(r".+, [\d.,]+ k?m (north|south|east|west|north-east|north-west|south-east|south-west)"
                            " of Tallinn, EE", line) for line in lines[1:-1])
    assert len(lines) == 21 and re.fullmatch(r"and \d+ more places", lines[-1])
    # A position has no name, and at sea nothing is near.
    lines = shipped_server.ctl("map", "59.9,25.5", variables=plain).stdout.splitlines()
    assert lines[0] == "59.9,25.5" and all(line.endswith(" of 59.9,25.5") for line in lines[1:-1]) and len(lines) > 5
    assert shipped_server.ctl("map", "0,-30", variables=plain).stdout == "0.0,-30.0\n"
    assert shipped_server.ctl("map", "reykjavik", variables=plain | {"LC_ALL": "C"}).stdout.isascii()
    drawn = shipped_server.ctl("map", "Tallinn, EE", variables={"CITIES_PLAIN": 0}).stdout
    assert sum(map(dots, drawn.splitlines())) > 100
    # Files for other programs are what they are.
    assert shipped_server.ctl("map", "Tallinn, EE", "--output", "svg", variables=plain).stdout.startswith("<")


def test_the_world_has_its_largest_cities_on_every_continent(shipped_server):
    drawn = shipped_server.ctl("map", "World", "--width", 120)
    assert drawn.returncode == 0 and drawn.stderr == ""
    for name in ("Tokyo", "Cairo", "São Paulo", "New York City", "Sydney", "Moscow"):
        assert f" {name}" in drawn.stdout, name
    places = json.loads(shipped_server.ctl("map", "world", "--output", "geojson").stdout)["features"]
    assert len(places) == 1_000 and places[0]["properties"]["name"] == "Shanghai"


def test_a_map_of_the_world_names_the_best_known_cities_and_explains_its_signs(shipped_server):
    shown = shipped_server.ctl("map", "world", "--width", 120, "--height", 36).stdout
    for city in ("Paris", "Delhi", "Seoul", "Auckland", "Tokyo", "Los Angeles", "London"):
        assert city in shown, city
    assert re.search(r"^★ capital  ◉ city of a million.*solid land: day$", shown, re.MULTILINE)


def test_the_map_of_each_country_names_its_capital(shipped_server):
    countries = [line.split("\t") for line in (harness.ROOT / "contrib/data/countries.tsv").read_text().splitlines()]
    capitals = {fields[0]: fields[2] for fields in countries if len(fields) == 8 and fields[2]}
    assert len(capitals) > 240
    with shipped_server.wire() as wire:
        named = {code: wire.call("city.get", id=int(number))["city"]["name"] for code, number in capitals.items()}
    for code, capital in named.items():
        picture = shipped_server.ctl("map", "--country", code, "--output", "svg").stdout
        labels = [text.text for text in ElementTree.fromstring(picture).iter(f"{SVG}text")
                  if text.get("class") == "label"]
        assert any(capital == label or label.endswith("…") and capital.startswith(label[:-1]) for label in labels), code


def test_land_sea_lakes_and_the_country_itself_have_a_colour_each(shipped_server):
    picture = shipped_server.ctl("map", "estonia", "--output", "svg").stdout
    kinds = [path.get("class") for path in ElementTree.fromstring(picture).iter(f"{SVG}path")]
    assert kinds[:6] == ["sea", "land", "own", "lake", "border", "coast"]
    # A label has its halo in an element of its own: not all viewers know paint-order.
    assert "paint-order" not in picture and picture.count('class="halo"') == picture.count('class="label"')


def test_wards_far_from_their_city_are_not_on_a_map(shipped_server):
    assert "Shinagawa" not in shipped_server.ctl("map", "japan", "--output", "svg").stdout
    assert "Setagaya" in shipped_server.ctl("map", "setagaya", "--zoom", "20km", "--width", 80).stdout
    near = shipped_server.ctl("map", "33.6,133.0", "--zoom", "100km", "--width", 80).stdout
    assert "Shinagawa" not in near and "Matsuyama" in near


@pytest.mark.parametrize("title", PLACES)
def test_an_independent_reader_finds_the_coordinates_in_every_format(shipped_server, title):
    lat, lon = PLACES[title]
    geo = shipped_server.ctl("map", title, "--output", "geo").stdout
    assert geo == f"geo:{lat},{lon}\n"
    collection = json.loads(shipped_server.ctl("map", title, "--output", "geojson").stdout)
    assert collection["type"] == "FeatureCollection"
    (feature,) = collection["features"]
    assert feature["type"] == "Feature"
    assert feature["geometry"] == {"type": "Point", "coordinates": [lon, lat]}  # RFC 7946: longitude first
    assert f"{feature['properties']['name']}, {feature['properties']['country']}" == title
    # What `geo` prints is a place again.
    shown = json.loads(shipped_server.ctl("near", geo.strip(), "--limit", 1, "--output", "json").stdout)
    assert shown["rows"][0]["name"] == title.split(",")[0]


def test_the_names_around_it_are_cities_of_the_server(shipped_server):
    shown = shipped_server.ctl("map", "Tallinn, EE", "--width", 100, "--height", 40).stdout
    for name in ["Helsinki", "Tartu", "Narva", "Pärnu"]:
        assert name in shown, name
    assert len(re.findall("[★◉●•]", shown)) <= 100 * 40 / 75 + 1


@pytest.mark.parametrize("zoom", ["1km", "20km", "400km", "8000km", "90000km"])
@pytest.mark.parametrize("width", [10, 40, 133, 300])
def test_no_line_is_wider_than_asked_for(shipped_server, width, zoom):
    for title in ["Suva, FJ", "Tōkyō, JP", "Riyadh, SA"]:
        shown = shipped_server.ctl("map", title, "--width", width, "--height", 12, "--zoom", zoom)
        if shown.returncode == 1:
            continue
        lines = shown.stdout.splitlines()
        assert shown.returncode == 0 and lines
        assert max(map(cells, lines)) <= width


def test_closer_than_coasts_are_known_it_says_so(shipped_server):
    far = shipped_server.ctl("map", "Tallinn, EE", "--zoom", "160km", "--width", 80).stdout
    near = shipped_server.ctl("map", "Tallinn, EE", "--zoom", "159km", "--width", 80).stdout
    assert "a plan" not in far
    assert near.splitlines()[-1].startswith("a plan without streets")
    assert len(re.findall(r"^\d+\.\d+° N", near, re.MULTILINE)) >= 1


def test_svg_is_well_formed_and_holds_what_it_must(shipped_server):
    shown = shipped_server.ctl("map", "Tallinn, EE", "--output", "svg")
    assert (shown.returncode, shown.stderr) == (0, "")
    root = ElementTree.fromstring(shown.stdout.encode())
    assert root.tag == f"{SVG}svg" and root.find(f"{SVG}title").text == "Tallinn, EE"
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (left, top) == (0, 0) and (width, height) == (float(root.get("width")), float(root.get("height")))
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "Tallinn, EE" in texts and "100 km" in texts and any("Natural Earth" in text for text in texts)
    # The mark of Tallinn is the one with a ring, in the middle of the map.
    (ring,) = [element for element in root.iter(f"{SVG}circle") if element.get("class") == "ring"]
    assert (float(ring.get("cx")), float(ring.get("cy"))) == (pytest.approx(400, abs=1), pytest.approx(300, abs=1))
    for path in root.iter(f"{SVG}path"):
        if path.get("class") in ("coast", "border") and path.get("d").startswith("M"):
            assert re.fullmatch(r"(M[-\d. ]+L[-\d. ]+|M0 -5h16)+", path.get("d"))
    # Nothing is loaded, and nothing runs.
    assert not re.search(r"script|href|url\(|@import|<image", shown.stdout)


def test_foreign_names_stay_text_in_svg(tmp_path):
    server = harness.Server(tmp_path)
    source = harness.write_list(tmp_path / "list.json", [
        harness.record(1, "</title><script>alert('x')</script>&\"", "XX", 10, 10, population=5),
        harness.record(2, "a]]>\u202e<b", "XX", 10.5, 10.5, population=4),
    ])
    assert harness.build_index(source, server.state / "cities.index").returncode == 0
    server.start()
    try:
        shown = server.ctl("map", 1, "--output", "svg")
        root = ElementTree.fromstring(shown.stdout.encode())
        assert root.find(f"{SVG}title").text == "</title><script>alert('x')</script>&\", XX"
        assert not list(root.iter(f"{SVG}script"))
        assert any("]]>?<b" in (element.text or "") for element in root.iter(f"{SVG}text"))
    finally:
        server.stop()


@pytest.mark.parametrize("variables", [{"LANG": "C"}, {"LANG": "de_DE.ISO-8859-1"}, {"LC_ALL": "POSIX"}, {"LANG": ""}])
def test_a_locale_without_utf8_gets_ascii(shipped_server, variables):
    shown = shipped_server.ctl("map", "Ålesund, NO", variables=variables, text=False)
    assert shown.returncode == 0
    text = shown.stdout.decode("ascii")
    assert "[o] Alesund, NO" in text and "#" in text and "|---" in text


def test_on_a_terminal_it_fills_the_width_and_emphasizes(shipped_server):
    def on_terminal(columns, rows, **variables):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        try:
            process = subprocess.Popen(
                [harness.BIN / "citiesctl", "map", "Suva, FJ"], stdin=subprocess.DEVNULL, stdout=theirs,
                env=harness.environment(CITIES_SOCKET=shipped_server.socket, TERM="xterm", **variables))
            os.close(theirs)
            out = b""
            try:
                while chunk := os.read(ours, 65536):
                    out += chunk
            except OSError:
                pass  # the terminal's other end is closed
            assert process.wait(10) == 0
        finally:
            os.close(ours)
        return out.decode().replace("\r\n", "\n")

    wide = on_terminal(120, 50)
    lines = re.sub("\x1b\\[[0-9;]*m", "", wide).splitlines()
    assert len(lines) == 36 + 1 and cells(lines[-1]) == 120
    assert "\x1b[1m[●] Suva, FJ" in wide
    low = on_terminal(120, 20)
    assert len(low.splitlines()) == 16 + 1
    assert "\x1b" not in on_terminal(120, 50, NO_COLOR="1")


@pytest.mark.parametrize(("arguments", "status", "said"), [
    (["Springfield, US"], 3, "Springfield"),
    (["no such place, XX"], 1, ""),
    (["999999999999"], 1, ""),
    (["91,0"], 2, "latitude"),
    ([], 2, "citiesctl here"),
    (["Suva, FJ", "--output", "png"], 2, "png"),
    (["Suva, FJ", "--width", "5"], 2, "width"),
    (["Suva, FJ", "--zoom", "x"], 2, "a distance such as 500"),
])
def test_what_cannot_be_drawn_has_its_status(shipped_server, arguments, status, said):
    shown = shipped_server.ctl("map", *arguments)
    assert (shown.returncode, shown.stdout) == (status, "")
    assert said in shown.stderr and len(shown.stderr) > 10


def test_near_chooses_among_cities_of_one_title(shipped_server):
    shown = shipped_server.ctl("map", "Springfield, US", "--near", "39.8,-89.6", "--output", "geo")
    assert shown.returncode == 0 and shown.stdout.startswith("geo:39.")


def test_without_a_server_it_is_69():
    assert harness.ctl("map", "Suva, FJ").returncode == 69


def test_without_the_helper_it_says_what_is_missing(tmp_path, shipped_server):
    alone = shutil.copy(harness.BIN / "citiesctl", tmp_path)
    environment = harness.environment(CITIES_SOCKET=shipped_server.socket, PATH=str(harness.BIN))
    shown = subprocess.run([alone, "map", "Suva, FJ"], env=environment, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout) == (69, "")
    assert f"{tmp_path}/citiesctl-helper" in shown.stderr and "missing" in shown.stderr
    assert subprocess.run(
        [alone, "search", "--count", "suva"], env=environment, capture_output=True, check=False).returncode == 0


def test_the_helper_is_found_through_a_link(tmp_path, shipped_server):
    link = tmp_path / "c"
    link.symlink_to(harness.BIN / "citiesctl")
    environment = harness.environment(CITIES_SOCKET=shipped_server.socket)
    shown = subprocess.run(
        [link, "map", "-18.1,178.4", "-o", "geo"], env=environment, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout) == (0, "geo:-18.1,178.4\n")


def test_a_full_disk_is_74_and_a_closed_pipe_is_quiet(shipped_server):
    with open("/dev/full", "wb") as full:
        shown = shipped_server.ctl("map", "Suva, FJ", stdout=full, stderr=subprocess.PIPE)
    assert shown.returncode == 74
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        shown = shipped_server.ctl("map", "Suva, FJ", stdout=closed, stderr=subprocess.PIPE)
    assert (shown.returncode, shown.stderr) in ((0, ""), (-13, ""))


@pytest.fixture(scope="module")
def banks(tmp_path_factory):
    """The samples of the banks, beside the shipped cities."""
    server = served(tmp_path_factory.mktemp("map-banks"), SAMPLES, "--samples", *SAMPLES)
    yield server
    server.stop()


def test_locations_are_where_their_source_says_in_every_format(banks):
    expected = sorted((row["lat"], row["lon"]) for row in banks.rows if row["country"] == "EE")
    geo = banks.ctl("bank", "map", "--country", "EE", "--output", "geo")
    assert geo.returncode == 0
    positions = [tuple(map(float, line.removeprefix("geo:").split(","))) for line in geo.stdout.splitlines()]
    assert sorted(positions) == expected
    collection = json.loads(banks.ctl("bank", "map", "--country", "EE", "--output", "geojson").stdout)
    points = [tuple(feature["geometry"]["coordinates"][::-1]) for feature in collection["features"]]
    assert sorted(points) == expected
    listed = banks.ctl("bank", "list", "--country", "EE", "--output", "geojson").stdout
    assert collection["features"] == json.loads(listed)["features"]


def test_locations_on_a_terminal_have_signs_and_names_that_stay_apart(banks):
    shown = banks.ctl("bank", "map", "--near", "Tallinn, EE", "--limit", 3, "--width", 80, "--height", 24)
    assert shown.returncode == 0
    for sign in "■▲◆":
        assert sign in shown.stdout
    for name in ["Sample branch Tallinn", "Sample machine Balti jaam", "Sample machine Õismäe"]:
        assert name in shown.stdout
    assert "■ branch  ▲ ATM  ◆ BNA" in shown.stdout and "a plan without streets" in shown.stdout
    assert "sample data, not real" in shown.stderr


def test_the_picture_of_locations_has_a_shape_for_every_location(banks):
    root = ElementTree.fromstring(banks.ctl("bank", "map", "--country", "EE", "--output", "svg").stdout.encode())
    kinds = {"branch": "branch", "atm": "atm", "bna": "bna"}
    drawn = [element.get("class") for element in root.iter() if element.get("class") in kinds]
    expected = [row["kind"] for row in banks.rows if row["country"] == "EE"]
    # Each kind once more in the legend.
    assert sorted(drawn) == sorted(expected + list(kinds))
    assert "sample data, not real" in root.find(f"{SVG}title").text


def test_a_map_of_locations_marks_the_saved_position_and_names_the_city(banks, tmp_path):
    home = {"HOME": tmp_path, "XDG_CONFIG_HOME": tmp_path}
    words = ("bank", "map", "--country", "EE", "--width", 80, "--height", 24)
    assert "✚" not in banks.ctl(*words, variables=home).stdout
    assert banks.ctl("here", "58.3111,26.72", variables=home).returncode == 0
    shown = banks.ctl(*words, variables=home).stdout
    assert "✚" in shown and "✚ position" in shown
    picture = banks.ctl("bank", "map", "--country", "EE", "--output", "svg", variables=home).stdout
    assert ">Tallinn</text>" in picture and 'class="here"' in picture
    geo = banks.ctl("bank", "map", "--country", "EE", "--output", "geo", variables=home).stdout
    assert "58.3111" not in geo


def test_one_location_by_its_id(banks):
    shown = banks.ctl("bank", "map", "imaginary-1", "--width", 60, "--height", 15)
    assert shown.returncode == 0 and "[■] Sample branch Sarajevo" in shown.stdout
    assert banks.ctl("bank", "map", "no-such-9").returncode == 1
    assert banks.ctl("bank", "map", "--country", "XX").returncode in (1, 2)
