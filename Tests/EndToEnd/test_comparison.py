"""The command contrib/bench/compare, on a small list and on made-up figures: what it asks, counts and prints."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest
from harness import ROOT, record

BENCH = ROOT / "contrib" / "bench"
sys.path.insert(0, str(BENCH))

import engines  # noqa: E402
import packages  # noqa: E402
import stores  # noqa: E402

pytestmark = pytest.mark.slow

CITIES = [
    record(1, "London", "GB", population=8_961_989, alternatenames=["Londres", "Лондон"]),
    record(2, "London", "CA", population=422_324),
    record(3, "Londrina", "BR", population=575_377),
    record(4, "Lon", "TD", population=900, alternatenames=["Londinium"]),
]
FIGURES = {
    "shares": {part: {"first five": 93.14, "first": 59.0, "asked": 1_000}
        for part in ("3 letters", "languages", "one error")},
    "typed": (98.4, 571.2), "sizes": {"memory": 109_700_000, "disk": 95_000_000}, "first": 0.04251, "prepared": 2e-6,
}


@pytest.fixture(scope="module")
def compare():
    loader = SourceFileLoader("compare", str(BENCH / "compare"))
    module = module_from_spec(spec_from_loader("compare", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def sqlite(tmp_path):
    engine = stores.SQLiteEngine(tmp_path)
    engine.prepare(lambda: CITIES)
    engine.open()
    return engine


@pytest.mark.parametrize(("query", "found"), [
    ("london", [1, 2]), ("lond", [1, 3, 2, 4]), ("lon", [1, 3, 2, 4]), ("лонд", [1]), ("LÓNDRÉS", [1]),
    ("lonbon", [1, 2]),
    ("lon\"d*", []), ("…", []),
])
def test_the_full_text_index_ranks_by_population_and_finds_misspelt_names(sqlite, query, found):
    assert sqlite.find(query) == found


def test_answers_end_with_the_time_that_a_set_may_take(sqlite):
    questions = [[None, "london"]] * 3
    assert engines.ask(sqlite, questions, seconds=60)["answers"] == [[1, 2]] * 3
    assert engines.ask(sqlite, questions, seconds=-1)["answers"] == []


def test_a_row_is_a_city_by_id_or_by_position(compare):
    london = CITIES[0] | {"coord": {"lat": 51.5, "lon": -0.1}}
    assert compare.is_city(1, london) and not compare.is_city(2, london)
    assert compare.is_city(["GB", 51.52, -0.12], london)
    assert not compare.is_city(["GB", 52.5, -0.1], london) and not compare.is_city(["CA", 51.5, -0.1], london)


def test_the_tables_have_a_row_for_each_engine_and_name_those_that_are_missing(compare):
    row = compare.figures(**FIGURES)
    assert row["key: median us"] == 98 and row["first answer ms"] == 0.043 and row["preparation s"] == 0
    assert "| cities | 93.1 | 93.1 | 93.1 | 98 | 110 MB |" in compare.short_table({"cities": row})
    slow = row | {"one error: questions": 18}
    assert "| 93.1 | 93.1 (n = 18) | 98 |" in compare.short_table({"slow": slow})
    report = compare.report({"cities": row}, {"cities": "1.0"}, {"redis": "no such package"}, 1.0, 2.0)
    assert "- redis: no such package" in report and f"| cities | 1.0 | {engines.CitiesEngine.setup} |" in report


def test_a_new_table_takes_the_place_of_the_one_with_its_header(compare):
    table = compare.short_table({"cities": compare.figures(**FIGURES)})
    old = table.replace("93.1", "12.3") + "| redis | 1 |\n"
    assert compare.with_table(f"before\n\n{old}\nafter\n", table) == f"before\n\n{table}\nafter\n"
    with pytest.raises(SystemExit):
        compare.with_table("no table", table)


def test_a_client_that_fails_or_is_absent_is_a_missing_package(tmp_path):
    for words in (["false"], ["/nonexistent/pip"], ["ls", tmp_path / "nothing"]):
        with pytest.raises(packages.Missing):
            packages.run(*words)
