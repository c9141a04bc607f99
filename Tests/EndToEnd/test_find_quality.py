"""`city.find` of the release server on questions with known answers (find_reference.json.gz), against its marks."""

import gzip
import json
from collections import Counter

import find_answers
import find_quality
import find_questions
import pytest
from find_oracle import GUESS, LIKELY, NONE, SURE, Finder, fold
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
    reference = find_questions.load(finder.cities)
    names = json.loads(gzip.decompress(find_quality.NAMES.read_bytes()))
    kept = [
        find_quality.measure(asker, finder, reference), find_quality.measure_near(asker, reference),
        find_quality.measure_made(asker, finder, names), find_quality.measure_sure(asker, reference),
        find_quality.measure_places(asker, finder, reference)]
    assert all(kept), capsys.readouterr().out


@pytest.mark.slow
def test_the_list_lacks_the_unknown_areas(finder):
    sets = (find_questions.UNKNOWN_AREAS, find_questions.AREAS_WITH_REGIONS_END)
    whole, ending = ([fold(name) for called in areas.values() for name in called] for areas in sets)
    assert not [key for key in whole + ending if key in finder.places]
    assert all(finder.places.get(key.split()[-1], set()) - finder.counties for key in ending)
    assert not [key for key in whole if finder.places.get(key.split()[-1], set()) - finder.counties]


@pytest.fixture(scope="module")
def answers():
    return json.loads(gzip.decompress(find_answers.ANSWERS.read_bytes()))


def test_the_server_says_which_rules_gave_these_answers(asker, answers):
    reply = asker.wire.call("city.get", query="tallinn", provenance=True)
    assert reply["sources"]["rules"] == asker.wire.call("status")["rules"] == answers["rules"]


def test_explained_rows_are_the_same_and_their_parts_add_up(asker, answers):
    seen = Counter()
    for params, expected in answers["find"][::5]:
        reply = asker.wire.call("city.find", explain=True, **params)
        assert [[row["city"]["id"], row["by"], row.get("matched")] for row in reply["rows"]] == expected, params
        scores = [row["score"] for row in reply["rows"]]
        assert scores == [sum(part["points"] for part in row["parts"]) for row in reply["rows"]], params
        # The largest city of an area comes before names with more points.
        ordered = scores[1:] if expected and expected[0][1] == "area" else scores
        assert ordered == sorted(ordered, reverse=True), params
        seen.update(part["part"] for row in reply["rows"] for part in row["parts"])
        seen[reply["attempts"][-1]["attempt"]] += bool(expected)
    assert {"people", "whole name", "areas", "typing errors", "distance", "as typed", "first letter"} <= set(+seen)


def test_every_class_has_its_reason(asker, answers):
    reasons = {
        SURE: {"name"}, LIKELY: {"namesakes", "longer name", "area", "unused name", "number"},
        NONE: {"area", "missing", "unknown area", "nothing"}}
    seen = Counter()
    for params, (_, certainty) in answers["match"][::3]:
        narrow = {key: value for key, value in params.items() if key != "text"}
        reply = asker.wire.call("city.match", names=params["text"] + "\n", rows=True, why=True, **narrow)
        [why] = reply["why"].splitlines()
        assert why in reasons[certainty] if certainty != GUESS else why not in set().union(*reasons.values()), params
        # The second city is named where it comes near.
        second = memoryview(reply["second"].value).cast("I")[0]
        assert second < len(reply["rows"]) if why in ("namesakes", "translated name") else True
        seen[why] += 1
    assert min(seen[why] for why in ("name", "namesakes", "area", "missing", "nothing", "start of a name")) > 0


def differences(answers, found):
    """The questions that are answered differently, with both answers."""
    return [(params, expected, given) for (params, expected), given in zip(answers, found, strict=True)
        if given != expected]


def test_the_rows_are_those_of_the_plain_implementation(asker, answers):
    wrong = differences(answers["find"], asker.rows([params for params, _ in answers["find"]]))
    assert not wrong, f"{len(wrong)} of {len(answers['find'])}, the first: {wrong[0]}"


def test_the_matches_are_those_of_the_plain_implementation(asker, answers):
    wrong = differences(answers["match"], asker.match_each([params for params, _ in answers["match"]]))
    assert not wrong, f"{len(wrong)} of {len(answers['match'])}, the first: {wrong[0]}"
    classes = Counter(certainty for _, (_, certainty) in answers["match"])
    assert min(classes[certainty] for certainty in (NONE, GUESS, LIKELY, SURE)) > 100


@pytest.mark.slow
def test_the_stored_rows_are_up_to_date(finder, answers):
    for params, expected in answers["find"][::200]:
        assert find_answers.answer(finder, params) == expected, params
    for params, expected in answers["match"][::50]:
        assert list(finder.match(**params)) == expected, params
