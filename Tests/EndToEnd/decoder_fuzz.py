#!/usr/bin/env python3
"""Guided fuzzing of what the Python package makes of a server's reply: `_wire.decoded` and the bulk answers.

    decoder_fuzz.py SECONDS ARCHIVE [SEED]     looks for SECONDS of processor time; adds inputs to the corpus in ARCHIVE

SEED is the start of the generator, by default the time.

An input that reaches another pair of lines in the package is kept, as libFuzzer does it. A reply may be refused with
the package's own exceptions; any other one is a finding, which is printed with the input. Exit code 1 if there is one.
"""
import random
import sys
import time
import traceback
import zipfile
from array import array
from pathlib import Path

import cbor2

PACKAGE = Path(__file__).resolve().parents[2] / "contrib" / "integrations" / "python"
sys.path.insert(0, str(PACKAGE))

from cities._bulk import Again, Answers, Batch, _failure  # noqa: E402
from cities._generations import GenerationChanged  # noqa: E402
from cities._wire import ProtocolError, ServerError, decoded, to_typed_array  # noqa: E402

REFUSALS = (ProtocolError, ServerError, GenerationChanged, Again)
ROWS = 2
# Bytes of an input, and pieces of CBOR that mutations insert.
LONGEST = 2_000
PIECES = [b"\xf6", b"\xf5", b"\x80", b"\xa0", b"\x60", b"\x40", b"\x00", b"\x20", b"\xf9\x7e\x00", b"\xd8\x1c\x80",
          b"\xd8\x1d\x00", b"\xd8\x46\x44\x00\x00\x00\x00", b"\xd8\x47\x40", b"\x9f\xff", b"\x61\xff"]
CORPUS = Path(__file__).resolve().parents[1] / "Fuzzing" / "corpus" / "python-decoder.zip"


def seeds():
    """Valid replies of every shape that the bulk calls read."""
    row = {"id": 1, "name": "A", "country": "EE", "lat": 1.5, "lon": 2}
    located = {
        "ids": to_typed_array(array("Q", [1, 0])), "metres": to_typed_array(array("I", [5, 0xFFFFFFFF])),
        "generation": "00000000000000aa"}
    rows = {"rows": [row], "index": to_typed_array(array("I", [0, 0xFFFFFFFF]))}
    countries = {"countries": "EE\n\n", "certain": to_typed_array(array("B", [1, 0]))}
    matched = {"ids": located["ids"], "classes": to_typed_array(array("B", [3, 0])), "complete": False,
               "generation": "00000000000000aa"}
    error = {"code": "unavailable", "message": "later", "data": {"running": False}}
    replies = [{"result": located}, {"result": located | rows | countries}, {"result": matched | rows},
               {"error": error}, {"event": {"event": "changed"}}, {"result": located | {"generation": "other"}}]
    return [cbor2.dumps({"id": 1, **reply}, canonical=True) for reply in replies]


def run(payload):
    """Reads a reply as the calls do; a refusal is an answer."""
    for kind in ("result", "event"):
        try:
            message = decoded(payload, 1, kind)
            if "error" in message:
                raise _failure(message["error"])
            for columns in ({"ids": "Q", "metres": "I"}, {"ids": "Q", "classes": "B"}):
                answers = Answers(ROWS, columns, "00000000000000aa", False)
                try:
                    answers.add(Batch(1, b"", 0, ROWS), message[kind])
                    answers.result()
                except REFUSALS:
                    pass
        except REFUSALS:
            pass


def covered(payload):
    """The pairs of lines of the package that follow each other."""
    pairs, last = set(), 0

    def line(frame, event, _):
        nonlocal last
        pairs.add((frame.f_code.co_filename, last, frame.f_lineno))
        last = frame.f_lineno
        return line

    sys.settrace(lambda frame, event, _: line if str(PACKAGE) in frame.f_code.co_filename else None)
    try:
        run(payload)
    finally:
        sys.settrace(None)
    return pairs


def mutated(generator, corpus):
    data = bytearray(generator.choice(corpus))
    for _ in range(generator.randint(1, 4)):
        start = generator.randrange(len(data) + 1)
        end = min(len(data), start + generator.choice((0, 0, 1, 1, 4, 16)))
        donor = generator.choice(corpus)
        place = generator.randrange(len(donor) + 1)
        data[start:end] = generator.choice(
            (generator.choice(PIECES), generator.randbytes(1), donor[place:place + generator.randint(0, 24)], b""))
    return bytes(data[:LONGEST])


def stored(path):
    """The inputs of a corpus, in the order of their names."""
    with zipfile.ZipFile(path) as archive:
        return [archive.read(name) for name in sorted(archive.namelist())]


def store(path, inputs):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, data in enumerate(inputs):
            archive.writestr(zipfile.ZipInfo(f"{number:04}"), data, zipfile.ZIP_DEFLATED)


def search(seconds, path, seed):
    """Adds what reaches new pairs of lines to the corpus; the finding, if there is one."""
    generator, known, corpus = random.Random(seed), set(), []
    candidates = iter(seeds() + (stored(path) if path.exists() else []))
    end, last, tried = time.process_time() + seconds, 0.0, 0
    while time.process_time() < end:
        data = next(candidates, None) or mutated(generator, corpus)
        tried += 1
        try:
            pairs = covered(data)
        except Exception:  # anything but a refusal
            return data, traceback.format_exc()
        if pairs - known:
            known |= pairs
            corpus.append(data)
            last = time.process_time()
    store(path, corpus)
    print(f"python-decoder: {tried} inputs, {len(corpus)} kept, {len(known)} pairs of lines; the last new one"
          f" {time.process_time() - last:.0f} s of processor time ago")
    return None


if __name__ == "__main__":
    found = search(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns())
    if found:
        print(f"finding: {found[0].hex()}\n{found[1]}")
    sys.exit(1 if found else 0)
