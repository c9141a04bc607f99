"""The command contrib/bench/calibrate: which cities it takes for right, what it counts, and a run of it."""

import gzip
import json
import subprocess
import sys
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest
from harness import ROOT, record, write_list

BENCH = ROOT / "contrib" / "bench"
sys.path.insert(0, str(BENCH))

import calibration  # noqa: E402
from calibration import Kind, Question, Row  # noqa: E402

NEEDS_PACKAGES = {kind.name: bool(kind.debian or kind.python) for kind in calibration.KINDS}

LIST = [
    record(1, "Tallinn", "EE", 59.44, 24.75, population=400_000, alternatenames=["Reval", "Таллин"]),
    record(2, "Maardu", "EE", 59.48, 25.02, population=17_000),
    record(3, "Reval", "US", 40, -90, population=900),
    record(4, "Tartu", "EE", 58.38, 26.72, population=90_000),
    record(5, "Tartu", "EE", 57, 22, population=100),
]


@pytest.fixture(scope="module")
def calibrate():
    loader = SourceFileLoader("calibrate", str(BENCH / "calibrate"))
    module = module_from_spec(spec_from_loader("calibrate", loader))
    sys.modules["calibrate"] = module
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cities(tmp_path_factory):
    folder = tmp_path_factory.mktemp("list")
    names = {"countries": {"EE": ["Estonia", "Eesti"], "US": ["United States", "USA"]}, "regions": {}, "counties": {}}
    (folder / "names.json.gz").write_bytes(gzip.compress(json.dumps(names).encode()))
    return calibration.Cities(write_list(folder / "list.json.gz", LIST))


@pytest.mark.parametrize(("row", "options", "right"), [
    (Row("Nõmme", "EE", 59.41, 24.69), {}, {1}),
    (Row("Reval", "EE", 59.3, 24.5), {}, {1}),
    (Row("Nõmme", "EE", 59.3, 24.5), {}, set()),
    (Row("Таллин", "EE", 59.3, 24.5), {}, {1}),
    (Row("タリン", "EE", 59.3, 24.5, english="Tallinn"), {}, {1}),
    (Row("Maardu", "EE", 59.44, 24.75), {"close": 20_000}, {1, 2}),
    (Row("Tartu", "EE", 59.44, 24.75), {"rough": True}, set()),
    (Row("Nõmme", "EE", 59.44, 24.75), {"rough": True}, {1}),
    (Row("Nõmme", "EE", 59.44, 24.75), {"exact": True}, set()),
    (Row("Maardu", "EE", 59.48, 25.02), {"least": 100_000}, set()),
])
def test_the_cities_at_a_position_are_right_or_farther_ones_of_that_name(cities, row, options, right):
    assert cities.right(row, Kind("", **options)) == right


def test_one_question_in_ten_has_no_right_city_and_a_name_that_none_has(cities, tmp_path):
    def rows(cities, folder):
        for city in LIST:
            for number in range(9):
                yield Row(city["name"], city["country"], city["coord"]["lat"], city["coord"]["lon"], region=str(number))

    kind = Kind("names", rows=rows, write=lambda row: (row.typed, row.code, row.region))
    asked = calibration.load(kind, cities, tmp_path)
    without = [question for question in asked if not question.right]
    assert (len(asked), len(without)) == (40, 4)
    assert not [question for question in without if cities.called.get(calibration.fold(question.text))]
    assert all(question.text in {city["name"] for city in LIST} for question in asked if question.right)
    assert calibration.load(kind, cities, tmp_path) == asked
    first, second = (calibration.half(kind, asked, name) for name in ("first", "second"))
    assert Counter(first) + Counter(second) == Counter(asked)


def test_questions_that_are_wrong_themselves_are_not_asked(cities, tmp_path, monkeypatch):
    (tmp_path / "errors.tsv").write_text("# kind, text, country, region, why\nnames\tTartu\t\t\tanother one is meant\n")
    monkeypatch.setattr(calibration, "ERRORS", tmp_path / "errors.tsv")
    kind = Kind("names", questions=lambda cities, folder: [Question(city["name"]) for city in LIST])
    every = calibration.load(kind, cities, tmp_path)
    halves = [calibration.half(kind, every, name) for name in ("first", "second")]
    assert {question.text for part in halves for question in part} == {"Tallinn", "Maardu", "Reval"}
    assert all(question in every[at::2] for at, part in enumerate(halves) for question in part)


@pytest.mark.parametrize(("wrong", "count", "bounds"), [
    (0, 0, (0, 100)), (0, 100, (0, 3.70)), (1, 200, (0.09, 2.78)), (50, 100, (40.38, 59.62)), (7, 7, (64.57, 100)),
])
def test_the_bounds_are_those_of_wilsons_score_interval(calibrate, wrong, count, bounds):
    assert calibrate.wilson(wrong, count) == pytest.approx(bounds, abs=0.005)


def test_answers_are_counted_by_class_and_a_missed_mark_is_named(calibrate):
    tally = calibrate.Tally("towns")
    answers = [({1}, 1, 3)] * 98 + [({1}, 2, 3)] * 2 + [(set(), 1, 2), ({1}, 1, 2), (set(), 0, 0), ({1}, 0, 0)]
    wrong = [tally.add(Question("", frozenset(right)), *answer) for right, *answer in answers]
    assert sum(wrong) == 3
    assert (tally.classes, tally.wrong[3], tally.wrong[2], tally.right) == (Counter({3: 100, 2: 2, 0: 2}), 2, 1, 100)
    assert calibrate.missed([tally], tally) == [
        "sure of towns: 2.00 % wrong, at most 1", "sure: 2.00 % wrong, at most 0.5",
        "likely: 50.00 % wrong, at most 10"]


@pytest.mark.slow
def test_the_kinds_that_can_be_had_are_asked_and_the_status_says_whether_a_mark_is_missed():
    done = subprocess.run(
        [sys.executable, BENCH / "calibrate"], capture_output=True, text=True, check=False, timeout=3_600)
    rows = {kind.name: line for kind in calibration.KINDS for line in done.stdout.splitlines()
        if line.startswith(f"{kind.name} ")}
    assert rows.keys() == {kind.name for kind in calibration.KINDS}, done.stderr
    assert not [name for name, line in rows.items() if "not available" in line and not NEEDS_PACKAGES[name]]
    assert done.returncode == ("MISSED" in done.stdout), done.stdout
