"""Maps of the Python package: where signs, names and coasts lie, and what a notebook is given."""

import base64
import math
import re
import sys
import xml.etree.ElementTree

import pytest
from harness import ROOT

sys.path.insert(0, str(ROOT / "contrib" / "integrations" / "python"))

import cities  # noqa: E402
from cities import _map  # noqa: E402

WIDTH, HEIGHT = 720, 400
SVG = "{http://www.w3.org/2000/svg}"
METRES_PER_DEGREE = 6_371_008.8 * math.pi / 180


def city(identifier, name, country, lat, lon, **more):
    return {"id": identifier, "name": name, "country": country, "lat": lat, "lon": lon, **more}


REYKJAVIK = city(1, "Reykjavík", "IS", 64.13548, -21.89541, population=139_875)
AKUREYRI = city(2, "Akureyri", "IS", 65.68353, -18.0878, population=18_191)
SUVA = city(3, "Suva", "FJ", -18.14161, 178.44149, population=77_366)
APIA = city(4, "Apia", "WS", -13.83333, -171.76666, population=40_407)
MUNICH = city(5, "Munich", "DE", 48.13743, 11.57549, population=1_260_391)


def drawn(*rows):
    return xml.etree.ElementTree.fromstring(cities.Map(rows).svg)


def signs(picture):
    """The middle of each sign by the name in its title."""
    return {circle.find(f"{SVG}title").text.split(",")[0]: (float(circle.get("cx")), float(circle.get("cy")))
            for circle in picture.iter(f"{SVG}circle")}


def names(picture):
    """Each name but the length of the scale, with the left and lower end of its text."""
    return {text.text: (float(text.get("x")), float(text.get("y"))) for text in list(picture.iter(f"{SVG}text"))[:-1]}


def points(picture, kind):
    """All points of the coasts or borders."""
    data = "".join(path.get("d") for path in picture.iter(f"{SVG}path") if path.get("class") == kind)
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[0-9.]+) (-?[0-9.]+)", data)]


def metres_in_a_unit(picture):
    *_, bar = (path.get("d") for path in picture.iter(f"{SVG}path") if path.get("class") == "line")
    *_, length = (text.text for text in picture.iter(f"{SVG}text"))
    number, unit = length.split()
    return float(number) * {"km": 1_000, "m": 1}[unit] / float(re.search(r"h([0-9.]+)", bar)[1])


def test_signs_lie_as_the_places_do_and_the_scale_is_true():
    picture = drawn(AKUREYRI, REYKJAVIK)
    found = signs(picture)
    across, down = (found["Akureyri"][axis] - found["Reykjavík"][axis] for axis in (0, 1))
    unit = metres_in_a_unit(picture)
    assert -down * unit == pytest.approx((65.68353 - 64.13548) * METRES_PER_DEGREE, rel=0.01)
    middle = math.cos(math.radians((65.68353 + 64.13548) / 2))
    assert across * unit == pytest.approx((21.89541 - 18.0878) * METRES_PER_DEGREE * middle, rel=0.01)
    # Both lie in the picture with an eighth of it around them.
    assert all(WIDTH / 8 - 1 <= x <= WIDTH * 7 / 8 + 1 and HEIGHT / 8 - 1 <= y <= HEIGHT * 7 / 8 + 1
               for x, y in found.values())


def test_a_single_place_is_in_the_middle_of_400_km():
    picture = drawn(MUNICH)
    assert signs(picture) == {"Munich": (WIDTH / 2, HEIGHT / 2)}
    assert metres_in_a_unit(picture) == pytest.approx(400_000 / WIDTH, rel=0.01)
    assert points(picture, "border") and not points(picture, "coast")


def test_a_port_lies_at_its_coast():
    picture = drawn(REYKJAVIK, AKUREYRI)
    unit, coast = metres_in_a_unit(picture), points(picture, "coast")
    for x, y in signs(picture).values():
        assert min(math.hypot(x - east, y - south) for east, south in coast) * unit < 25_000
    # Every point of it is at most one edge outside of the picture.
    assert all(-WIDTH < x < 2 * WIDTH and -HEIGHT < y < 2 * HEIGHT for x, y in coast)


def test_across_the_date_line_the_map_takes_the_shorter_way():
    picture = drawn(SUVA, APIA)
    assert signs(picture)["Suva"][0] < signs(picture)["Apia"][0]
    assert metres_in_a_unit(picture) * WIDTH < 2_000_000


def test_no_line_runs_across_the_world():
    for rows in ((SUVA, APIA, REYKJAVIK, MUNICH), (REYKJAVIK, city(9, "Auckland", "NZ", -36.85, 174.76))):
        picture = drawn(*rows)
        for path in picture.iter(f"{SVG}path"):
            if path.get("class") != "line":
                for part in path.get("d").split("M")[1:]:
                    across = [float(number) for number in re.findall(r"-?[0-9.]+", part)[::2]]
                    assert all(abs(after - before) < WIDTH / 2 for before, after in zip(across, across[1:]))


def test_within_a_town_there_is_no_coast_that_would_be_wrong():
    picture = drawn(REYKJAVIK, city(6, "Mosfellsbær", "IS", 64.16667, -21.7))
    assert not points(picture, "border") and not points(picture, "coast")
    assert metres_in_a_unit(picture) < 50


def test_names_overlap_neither_signs_nor_each_other_and_the_largest_cities_have_theirs():
    rows = [city(number, f"A place with the number {number}", "DE", 48 + number % 20 / 10, 11 + number // 20 / 4,
                 population=number) for number in range(1, 400)]
    picture = drawn(*rows)
    found = [(x, y - 10, x + 6.6 * len(name), y + 3) for name, (x, y) in names(picture).items()]
    assert 5 < len(found) <= 60 and "A place with the number 399" in names(picture)
    for place, one in enumerate(found):
        assert one[0] >= 0 and one[1] >= 0 and one[2] <= WIDTH and one[3] <= HEIGHT
        for other in found[place + 1:]:
            assert one[0] >= other[2] or one[2] <= other[0] or one[1] >= other[3] or one[3] <= other[1]
        for x, y in signs(picture).values():
            assert not (one[0] < x < one[2] and one[1] < y < one[3])


def test_the_largest_city_has_its_name_among_any_number_of_signs():
    around = [city(number, "", "DE", 48 + number % 30 / 20, 11 + number // 30 / 20) for number in range(10, 910)]
    assert "München" in names(drawn(*around, city(1, "München", "DE", 48.7, 11.7, population=1_260_391)))


def test_a_city_is_drawn_once_and_of_very_many_the_largest():
    assert len(list(drawn(MUNICH, {"city": MUNICH, "by": "name"}).iter(f"{SVG}circle"))) == 1
    many = [city(number, str(number), "DE", number % 50, number % 70, population=number) for number in range(1, 2_501)]
    found = signs(drawn(*many))
    assert len(found) == 2_000 and "2500" in found and "500" not in found


def test_cities_that_share_an_id_are_all_drawn():
    """Lists may have such ids; everything else of the package keeps them apart, too."""
    picture = drawn(MUNICH, {**AKUREYRI, "id": MUNICH["id"]}, {"city": dict(MUNICH)})
    assert set(signs(picture)) == {"Munich", "Akureyri"} and len(list(picture.iter(f"{SVG}circle"))) == 2


def test_rows_without_a_city_are_left_out():
    bank = {"id": "a", "name": "A", "lat": 59.4, "lon": 24.7, "country": "EE"}
    rows = [{"zone": "UTC", "local": "2026-03-01T12:00:00"}, {"city": MUNICH}, {"open": "yes", "location": bank}]
    assert set(signs(drawn(*rows))) == {"Munich"}


def test_a_name_cannot_change_the_picture():
    name = "</text><script>\u202eab\x1b[2J&\"\ud800"
    svg = cities.Map([city(7, name, "", 48.0, 11.0)]).svg
    picture = xml.etree.ElementTree.fromstring(svg)
    assert list(names(picture)) == ["</text><script>ab[2J&\""]
    assert not list(picture.iter(f"{SVG}script"))
    assert re.findall(r"(?:href|url|https?:)[^ ]*", svg) == ["http://www.w3.org/2000/svg\""]
    svg.encode()


def test_the_style_is_that_of_the_picture_alone():
    style = drawn(MUNICH).find(f"{SVG}style").text
    rules = re.findall(r"([^{}]+)\{(?![^{}]*\{)", style.replace("@media (prefers-color-scheme: dark) {", ""))
    assert rules and all(rule.strip().startswith(".cities-map") for rule in rules)


def test_a_notebook_is_given_a_table_with_a_map():
    found = cities.Found([{"by": "name", "city": MUNICH}, {"by": "name", "city": REYKJAVIK}])
    table, image = re.fullmatch(r"(<table>.*</table>)(<img [^>]*>)", found._repr_html_()).groups()
    assert table.count("<tr>") == 3 and "<td>Munich</td><td>DE</td><td></td><td>1,260,391</td>" in table
    svg = base64.b64decode(re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', image)[1]).decode()
    assert svg == found._repr_svg_() == cities.Map(found)._repr_svg_()
    assert set(signs(xml.etree.ElementTree.fromstring(svg))) == {"Munich", "Reykjavík"}


def test_nothing_found_has_no_map():
    assert cities.Found()._repr_svg_() is None and "<img" not in cities.Found()._repr_html_()
    # A map of nothing is the world.
    assert points(drawn(), "coast")


def test_the_outlines_are_those_of_the_programs():
    packaged = ROOT / "contrib" / "integrations" / "python" / "cities" / "outlines.bin"
    assert packaged.read_bytes() == (ROOT / "contrib" / "data" / "outlines.bin").read_bytes()
    coarse, fine = _map._outlines()
    # As many lines as the file says, and each point on the globe.
    assert (len(coarse), len(fine)) == (459, 1_802)
    assert all(-180 <= lon <= 180 and -90 <= lat <= 90 for line in coarse + fine for lon, lat in line.points)
    assert {line.kind for line in coarse} == {line.kind for line in fine} == {0, 1}
