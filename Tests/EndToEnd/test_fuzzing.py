"""What the Python package makes of replies that no server sends: the corpus of guided fuzzing, and a seeded sample."""

import random
import subprocess
import sys
from array import array

import cbor2
import decoder_fuzz
import pytest
from harness import ROOT

from cities._bulk import Answers, Batch
from cities._wire import ProtocolError, decoded, to_typed_array

SAMPLE = 2_000
LOCATED = {"ids": array("Q", [1, 0]), "metres": array("I", [5, 6]), "generation": "00000000000000aa"}


def test_every_input_of_the_corpus_is_read_or_refused():
    stored = decoder_fuzz.stored(decoder_fuzz.CORPUS)
    assert len(stored) >= 10
    for payload in stored:
        decoder_fuzz.run(payload)


def test_a_mutated_reply_is_read_or_refused():
    generator, corpus = random.Random(26), decoder_fuzz.seeds()
    for _ in range(SAMPLE):
        decoder_fuzz.run(decoder_fuzz.mutated(generator, corpus))


@pytest.mark.parametrize("countries", [
    {"countries": "EE\n\n"}, {"countries": 5, "certain": array("B", [1, 0])},
    {"countries": "EE\n\n", "certain": "10"}, {"countries": "EE\n", "certain": array("B", [1, 0])},
    {"countries": "EE\n\n", "certain": array("B", [1])}, {"countries": "EE\n\n", "certain": array("I", [1, 0])}])
def test_countries_that_do_not_belong_to_the_rows_are_refused(countries):
    reply = {
        name: to_typed_array(value) if isinstance(value, array) else value
        for name, value in (LOCATED | countries).items()}
    message = decoded(cbor2.dumps({"id": 1, "result": reply}), 1)
    answers = Answers(2, {"ids": "Q", "metres": "I"}, None, False)
    with pytest.raises(ProtocolError, match="countries|certain"):
        answers.add(Batch(1, b"", 0, 2), message["result"])


@pytest.mark.parametrize("id_", [[], {}, cbor2.CBORTag(71, [])])
def test_a_row_whose_id_cannot_be_a_key_is_refused(id_):
    row = {"id": id_, "name": "A", "country": "EE", "lat": 1.5, "lon": 2}
    answers = Answers(2, {"ids": "Q", "metres": "I"}, None, False)
    with pytest.raises(ProtocolError, match="do not belong together"):
        answers.add(Batch(1, b"", 0, 2), LOCATED | {"rows": [row], "index": array("I", [0, 0])})


def test_the_search_keeps_what_reaches_new_lines(tmp_path):
    ran = subprocess.run(
        [sys.executable, ROOT / "Tests/EndToEnd/decoder_fuzz.py", "1", tmp_path / "corpus.zip", "26"],
        capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(decoder_fuzz.stored(tmp_path / "corpus.zip")) >= len(decoder_fuzz.seeds())
