"""Machine formats are those of the recorded answers (contrib/compare-formats); the comparison sees each difference."""

import formats
import pytest
from harness import OUT


@pytest.mark.slow
def test_answers_in_machine_formats_are_the_recorded_ones():
    old = formats.recorded(formats.RECORDED)
    assert len(old) >= 400
    found = list(formats.differences(old, formats.ask(OUT)))
    assert found == [], f"{len(found)} answers differ, the first: {found[0]}"


@pytest.mark.parametrize(("old", "new"), [
    ('{"a": 1, "b": [1, {"c": 2}]}\n', '{"a": 1, "z": 3, "b": [1, {"q": [1], "c": 2}], "y": {}}\n'),
    ('{"a": 1}', '{"z": 0, "y": 1, "a": 1}'), ("{}", '{"z": 0}'), ('{"a": {}}', '{"a": {"b": 1}}'),
    ('{"as_of": "x", "a": 1}', '{"as_of": "yy", "a": 1}'), ('{"a": 1}\n{"a": 2}\n', '{"a": 1, "b": 1}\n{"a": 2}\n'),
    ("a\tb\n\n", "a\tb\tc\n\n"), ("", ""),
])
def test_what_is_added_or_masked_is_no_difference(old, new):
    assert formats.same_text(old, new)


@pytest.mark.parametrize(("old", "new"), [
    ('{"a": 1}', '{"a": 2}'), ('{"a": 1, "b": 2}', '{"a": 1}'), ('{"a": 1}', '{"a":1}'), ("[1]", "[1, 2]"),
    ("[]", "[1]"),
    ('{"a": "b"}', '{"a": "\\u0062"}'), ('{"a": 1}\n{"a": 2}\n', '{"a": 1}\n'),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
    ("a\tb\n", "a\tbc\n"), ("a\tb\n", "a\n"), ("a\n", "a\nb\n"), ('{"a": 1}', ""),
])
def test_every_other_difference_is_seen(old, new):
    assert not formats.same_text(old, new)


def test_an_answer_that_is_gone_or_has_another_status_is_a_difference():
    old = [(["search", "x"], "", 0, "x\n", ""), (["search", "y"], "", 1, "", "")]
    new = [(["search", "x"], "", 4, "x\n", "")]
    assert [words for words, *_ in formats.differences(old, new)] == [["search", "x"], ["search", "y"]]
