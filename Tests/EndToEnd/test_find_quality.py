"""`city.find` of the release server on questions with known answers (find_reference.json.gz), against its marks."""

import gzip
import json

import find_answers
import find_quality
import find_questions
import pytest
from find_oracle import Finder
from harness import SHIPPED_LIST, Server


@pytest.fixture(scope="module")
def finder():
    return Finder.shipped(SHIPPED_LIST.parent)


@pytest.fixture(scope="module")
def asker(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("find"))
    try:
        server.start()
        yield find_quality.ServerAsker(server.socket)
    finally:
        server.stop()


@pytest.mark.slow
def test_people_find_the_city_they_mean(asker, finder, capsys):
    kept = find_quality.measure(asker, finder, find_questions.load(finder.cities))
    assert kept, capsys.readouterr().out


@pytest.fixture(scope="module")
def answers():
    return json.loads(gzip.decompress(find_answers.ANSWERS.read_bytes()))


def test_the_rows_are_those_of_the_plain_implementation(asker, answers):
    found = asker.rows([params for params, _ in answers])
    wrong = [(params, expected, rows)
        for (params, expected), rows in zip(answers, found, strict=True) if rows != expected]
    assert not wrong, f"{len(wrong)} of {len(answers)}, the first: {wrong[0]}"


@pytest.mark.slow
def test_the_stored_rows_are_up_to_date(finder, answers):
    for params, expected in answers[::200]:
        assert find_answers.answer(finder, params) == expected, params
