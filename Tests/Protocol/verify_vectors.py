#!/usr/bin/env python3
"""Checks the golden vectors, and captured frames, against the schema with readers that share nothing with the product.

    verify_vectors.py                     all of Protocol/vectors
    verify_vectors.py --frames FOLDER     captured frames: files RULE.ANYTHING.cbor, or RULE-subfolders of such
    verify_vectors.py --annotate FILE     prints a payload as an annotated vector ('-' for stdin)

Needs cbor2 and cddl-verifier (PyPI). A vector is a whole frame payload in hexadecimal; `#` begins a comment. Its name
says its rule: `METHOD.KIND[.VARIANT].hex` with a KIND of request, reply or event, or `error.CODE[.VARIANT].hex`.

For each vector it checks that the payload is deterministic CBOR (cddl-verifier, and cbor2 writes the same bytes), that
it validates against its rule and against the rule `frame`, and that the comments are those of its bytes; then that it
no longer validates against its rule once a field has any other type, or a field unknown to the schema is added, or a
required one is left out. A rule with fields that may be left out needs a variant named `least`, of which nothing can
be. The JSON forms in Protocol/vectors.jsonl are compared with what this program makes of the vectors by the rules of
Protocol/README.md.

The last line is `N passed, N failed`; the exit status is 0 if none failed, 1 if some did, 2 for wrong use.
"""

import argparse
import base64
import datetime
import decimal
import json
import math
import pathlib
import re
import struct
import sys

import cbor2
from cddl_verifier import Validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "Protocol" / "cities.cddl"
VECTORS = ROOT / "Protocol" / "vectors"
FORMS = ROOT / "Protocol" / "vectors.jsonl"

# Typed arrays (RFC 8746): how struct reads the elements of a tag.
ARRAYS = {64: "<B", 70: "<I", 71: "<Q", 85: "<f", 86: "<d"}

# One value of every kind of item that a message may hold; a field must refuse all but its own kind.
KINDS = {
    "null": None,
    "bool": True,
    "unsigned": 7,
    "negative": -7,
    "float": 1.5,
    "text": "no such word",
    "bytes": b"\x01",
    "array": [[]],
    "map": {"no such key": 1},
    "tag": cbor2.CBORTag(0, "2026-03-01T12:00:00Z"),
}


class Schema:
    """The schema file, with what the mutations must know of it."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        code = re.sub(r";.*", "", self.text)
        self.validator = Validator(self.text)
        self.rules = set(re.findall(r"^([a-z][a-z0-9-]*)\s*=", code, re.MULTILINE))
        self.optional = set(re.findall(r"\?\s*([a-z_]+):", code))
        # Maps from any text to one type: their keys are data, which may be left out and added.
        self.by_name = set(re.findall(r"([a-z_]+):\s*[a-z]+-by-name", code))
        # Integers that may be negative: both kinds are theirs.
        self.signed = set(re.findall(r"([a-z_]+):\s*int\b", code))
        # Rules of which a vector had something to leave out.
        self.loose = set()
        self.anywhere = re.findall(r"^([a-z-]+)\s*=[^\n]*\bany\b", code, re.MULTILINE)

    def problems(self, payload, rule=None):
        """The fault of `payload`; empty if it validates against `rule`, by default `frame`, and is deterministic."""
        result = self.validator.validate(payload, root_type=rule, require_deterministic=True)
        return [] if result.valid else [d.message for d in result.diagnostics] or ["invalid"]


class Tally:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}")
        return ok

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def encode(value):
    return cbor2.dumps(value, canonical=True)


# --- Vectors ----------------------------------------------------------------------------------------------------------


def payload_of(text):
    """The bytes of an annotated vector."""
    return bytes.fromhex("".join(line.split("#")[0] for line in text.splitlines()))


def rule_of(name):
    """The rule of a vector's or a frame's file name, and its variant."""
    parts = name.split(".")
    if parts[0] == "error":
        return f"error-{parts[1]}", ".".join(parts[2:])
    for index, part in enumerate(parts):
        if part in ("request", "reply", "event"):
            return "-".join(parts[: index + 1]), ".".join(parts[index + 1 :])
    raise ValueError(f"{name}: no request, reply, event or error in the name")


def annotated(payload):
    """The items of `payload`, one a line, indented by depth, each with its meaning."""
    lines = []
    end = annotate(payload, 0, 0, lines)
    if end != len(payload):
        raise ValueError(f"bytes follow the item at {end}")
    return "\n".join(f"{'  ' * depth + head:<45} # {meaning}" for depth, head, meaning in lines) + "\n"


def annotate(payload, offset, depth, lines):
    """Appends the lines of the item at `offset`, and gives the offset after it."""
    major, info = payload[offset] >> 5, payload[offset] & 31
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(info, 0)
    after = offset + 1 + size
    argument = int.from_bytes(payload[offset + 1 : after], "big") if size else info
    head = payload[offset:after].hex()
    if major in (2, 3):
        content = payload[after : after + argument]
        meaning = f'"{content.decode()}"'.replace("\n", "\\n") if major == 3 else f"h'{content.hex()}'"
        lines.append((depth, f"{head} {shown(content)}", meaning if len(content) <= 60
            else f"{argument} bytes of text"))
        return after + argument
    if major in (4, 5, 6):
        count = {4: argument, 5: 2 * argument, 6: 1}[major]
        meaning = {4: f"array of {argument}", 5: f"map of {argument}", 6: f"tag {argument}"}[major]
        lines.append((depth, head, meaning))
        for _ in range(count):
            after = annotate(payload, after, depth + 1, lines)
        return after
    lines.append((depth, head, repr(cbor2.loads(payload[offset:after])).replace("None", "null")))
    return after


def shown(content):
    """Long texts are folded, which changes nothing: blanks and line ends mean nothing in a vector."""
    digits = content.hex()
    return digits if len(digits) <= 120 else "\n" + "\n".join(digits[i : i + 96] for i in range(0, len(digits), 96))


# --- Mutations --------------------------------------------------------------------------------------------------------


def places(value, path=()):
    """The paths of all fields and elements in `value`."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield path + (key,)
            yield from places(child, path + (key,))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield path + (index,)
            yield from places(child, path + (index,))


def parent_at(value, path):
    for step in path[:-1]:
        value = value[step]
    return value


def kind_of(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "unsigned" if value >= 0 else "negative"
    names = {type(None): "null", float: "float", str: "text", bytes: "bytes", list: "array", dict: "map"}
    return names.get(type(value), "tag")


def copied(value):
    """A copy whose maps and arrays may be changed; tags of cbor2 cannot be copied, and are not changed."""
    if isinstance(value, dict):
        return {key: copied(child) for key, child in value.items()}
    return [copied(child) for child in value] if isinstance(value, list) else value


def other_tags(value):
    """Items that differ from a typed array in its tag, or in what it encloses."""
    if isinstance(value, cbor2.CBORTag) and isinstance(value.value, bytes):
        # int8, which no message has.
        yield cbor2.CBORTag(72, value.value), "another tag"
        yield cbor2.CBORTag(value.tag, [1, 2]), "an array in its tag"
        yield value.value, "no tag"


def mutations(value, schema):
    """Changed copies of `value` that must not validate, each with a description."""
    for path in places(value):
        parent = parent_at(value, path)
        shown_path = "/".join(map(str, path))
        for kind, replacement in KINDS.items():
            own = {"unsigned", "negative"} if path[-1] in schema.signed else {kind_of(parent[path[-1]])}
            if kind not in own:
                changed = copied(value)
                parent_at(changed, path)[path[-1]] = replacement
                yield changed, f"{shown_path} as {kind}"
        for replacement, what in other_tags(parent[path[-1]]):
            changed = copied(value)
            parent_at(changed, path)[path[-1]] = replacement
            yield changed, f"{shown_path} with {what}"
    for path in [()] + [p for p in places(value) if isinstance(parent_at(value, p)[p[-1]], dict)]:
        if path and path[-1] in schema.by_name:
            continue
        changed = copied(value)
        target = parent_at(changed, path)[path[-1]] if path else changed
        target["no such key"] = 1
        yield changed, f"{'/'.join(map(str, path)) or 'the whole'} with an unknown key"


def omissions(value, schema):
    """Copies of `value` that lack one field, each with the field's name and path; keys that are data are left alone."""
    for path in places(value):
        is_data = len(path) > 1 and path[-2] in schema.by_name
        if isinstance(parent_at(value, path), dict) and not is_data:
            changed = copied(value)
            del parent_at(changed, path)[path[-1]]
            yield changed, path[-1], "/".join(map(str, path))


# --- Runs -------------------------------------------------------------------------------------------------------------


# Keys that were required when the vector was written, which does not change; a later one is without them.
BECAME_OPTIONAL = {("city.time.reply.least.hex", "result/rows/0/city")}


def verify_vector(path, schema, tally):
    rule, variant = rule_of(path.name.removesuffix(".hex"))
    text = path.read_text(encoding="utf-8")
    if not tally.check(rule in schema.rules, f"{path.name}: the schema has no rule {rule}"):
        return
    payload = payload_of(text)
    problems = schema.problems(payload, rule)
    if not tally.check(not problems, f"{path.name}: {'; '.join(problems[:3])}"):
        return
    problems = schema.problems(payload)
    tally.check(not problems, f"{path.name} is no frame: {'; '.join(problems[:3])}")
    value = cbor2.loads(payload)
    tally.check(encode(value) == payload, f"{path.name}: cbor2 writes other bytes")
    tally.check(body_of(text) == annotated(payload),
        f"{path.name}: the comments are not those of its bytes (--annotate)")
    for changed, what in mutations(value, schema):
        tally.check(schema.problems(encode(changed), rule), f"{path.name} still validates with {what}")
    for changed, key, what in omissions(value, schema):
        is_required = bool(schema.problems(encode(changed), rule))
        became_optional = (path.name, what) in BECAME_OPTIONAL
        may_lack = key in schema.optional and ("least" not in variant or became_optional)
        tally.check(is_required or may_lack, f"{path.name} still validates without {what}")
        if not is_required:
            schema.loose.add(rule)


def json_form(value):
    """The JSON form of an item, as Python's values; a number of JSON is its text."""
    match value:
        case bool() | None | str(): return value
        case dict(): return {key: json_form(entry) for key, entry in value.items()}
        case list(): return [json_form(entry) for entry in value]
        case bytes(): return base64.urlsafe_b64encode(value).decode().rstrip("=")
        case decimal.Decimal(): return f"{value:f}"
        case int(): return str(value)
        case float(): return value if math.isfinite(value) else None
        case cbor2.CBORTag(tag=tag) if tag in ARRAYS:
            return [json_form(number) for (number,) in struct.iter_unpack(ARRAYS[tag], value.value)]
        case cbor2.CBORTag(): return json_form(value.value)
        case datetime.datetime(): return value.isoformat().replace("+00:00", "Z")
    raise TypeError(type(value))


def verify_json_forms(tally):
    """Every vector has its JSON form, in the order of names, and no other."""
    lines = FORMS.read_text(encoding="utf-8").splitlines()
    forms = [json.loads(line, parse_int=str) for line in lines]
    names = [path.name.removesuffix(".hex") for path in sorted(VECTORS.glob("*.hex"))]
    advice = "build the tests, then write it: CITIES_WRITE_FORMS=1 swift test --skip-build --disable-xctest"
    if tally.check([form["vector"] for form in forms] == names,
                   f"{FORMS.name} has other names than {VECTORS.name}/; {advice} --filter JSONFormTests"):
        for form in forms:
            payload = payload_of((VECTORS / f"{form['vector']}.hex").read_text(encoding="utf-8"))
            wanted = json_form(cbor2.loads(payload))
            tally.check(form["json"] == wanted, f"{form['vector']}: its JSON form should be {wanted}")


def body_of(text):
    """A vector without the comment on top of it."""
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "".join(lines)


def verify_coverage(schema, tally):
    """Every rule of a frame has a vector, and one of which nothing can be left out if another has more."""
    names = [path.name.removesuffix(".hex") for path in VECTORS.glob("*.hex")]
    variants = {}
    for name in names:
        rule, variant = rule_of(name)
        variants.setdefault(rule, set()).add(variant)
    frames = {r for r in schema.rules if re.search(r"-(request|reply|event)$", r) or r.startswith("error-")}
    for rule in sorted(frames - {"error-reply", "error-data"}):
        tally.check(rule in variants, f"no vector for the rule {rule}")
    for rule in sorted(schema.loose):
        tally.check(any("least" in v for v in variants[rule]), f"no vector 'least' for the rule {rule}")
    tally.check(set(schema.anywhere) <= {"request", "reply", "event"}, f"`any` outside the envelope: {schema.anywhere}")


def verify_all(schema, tally):
    vectors = sorted(VECTORS.glob("*.hex"))
    tally.check(vectors, f"no vectors in {VECTORS}")
    for path in vectors:
        verify_vector(path, schema, tally)
    verify_coverage(schema, tally)
    verify_json_forms(tally)


def verify_frames(folder, schema, tally):
    """Validates captured payloads; the rule is the folder's name below `folder`, or the first part of the file's."""
    frames = sorted(p for p in folder.rglob("*") if p.is_file())
    tally.check(frames, f"no frames in {folder}")
    for path in frames:
        rule = path.parent.name if path.parent != folder else path.name.split(".")[0]
        if tally.check(rule in schema.rules, f"{path}: the schema has no rule {rule}"):
            problems = schema.problems(path.read_bytes(), rule)
            tally.check(not problems, f"{path}: {'; '.join(problems[:3])}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema", type=pathlib.Path, default=SCHEMA, help="the schema (default: the project's)")
    parser.add_argument("--frames", type=pathlib.Path, metavar="FOLDER", help="validate captured frames instead")
    parser.add_argument("--annotate", metavar="FILE", help="print a payload as an annotated vector")
    options = parser.parse_args(arguments)
    if options.annotate:
        source = sys.stdin.buffer if options.annotate == "-" else open(options.annotate, "rb")
        with source:
            sys.stdout.write(annotated(source.read()))
        return 0
    schema, tally = Schema(options.schema), Tally()
    if options.frames:
        verify_frames(options.frames, schema, tally)
    else:
        verify_all(schema, tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
