"""Text of combining marks, and every place of a request that takes text, as the schema lists them.

Unicode orders the marks of a letter by class before two texts are compared, and a library that sorts them by insertion
needs time that is quadratic in their number.

    python3 Tests/EndToEnd/marks.py       prints the processor time of each place, for the programs of contrib/build
"""

import re
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import cbor2  # noqa: E402
import costs  # noqa: E402
import harness  # noqa: E402
from wire import Wire, request  # noqa: E402

SCHEMA = harness.ROOT / "Protocol" / "cities.cddl"
# The longest text that a request has room for, and the limits of names, codes and words.
SIZES = [64_000, 4_000, 1_000, 256, 128, 64, 32]
TOKEN = re.compile(r'"[^"]*"|#6\.\d+|-?\d[\d.]*?\.\.-?\d[\d.]*|-?\d+(?:\.\d+)?|\.[a-z]+|[A-Za-z_][\w-]*|=>|\S')
# The content of tag 4: an exponent and a mantissa.
DECIMAL = [-2, 1250]
TEXT, WORD, NUMBER, FLAG, BYTES = "text", "word", "number", "flag", "bytes"
BUILT_IN = {"tstr": (TEXT, "x"), "bool": (FLAG, True), "uint": (NUMBER, 1), "int": (NUMBER, 1), "integer": (NUMBER, 1),
            "float": (NUMBER, 1.5), "bstr": (BYTES, b""), "any": (NUMBER, 1), "tdate": (TEXT, "2026-03-01T12:00:00Z")}


def classes():
    """A mark of each class from U+0300 to U+06FF, highest class first."""
    found = {}
    for value in range(0x300, 0x700):
        found.setdefault(unicodedata.combining(chr(value)), chr(value))
    return [found[number] for number in sorted(found, reverse=True) if number]


def marks(size):
    """At most `size` bytes of marks in falling order of their classes."""
    each, count = classes(), size // 2
    run = -(-count // len(each))
    return "".join(mark * run for mark in each)[:count]


class Schema:
    """The rules of the schema, as trees: ("map", entries), ("array", item), ("choice", options), ("tag", number, item),
    ("rule", name), ("word", text), or a built-in type with a value."""

    def __init__(self):
        lines = SCHEMA.read_text(encoding="utf-8").split("\n")
        self.tokens = TOKEN.findall("\n".join(re.sub(r'^([^";]*(?:"[^"]*"[^";]*)*);.*', r'\1', line) for line in lines))
        self.rules = {}
        while self.tokens:
            name = self.take()
            assert self.take() == "=", name
            self.rules[name] = self.choice()

    def take(self):
        return self.tokens.pop(0)

    def skip(self, *wanted):
        if self.tokens and self.tokens[0] in wanted:
            return self.take()
        return None

    def choice(self):
        options = [self.single()]
        while self.skip("/"):
            options.append(self.single())
        return options[0] if len(options) == 1 else ("choice", options)

    def single(self):
        token = self.take()
        if token == "{":
            tree = ("map", self.entries())
        elif token == "[":
            self.occurrence()
            tree = self.choice()
            while not self.skip("]"):
                self.take()
            tree = ("array", tree)
        elif token == "(":
            tree = self.choice()
            assert self.skip(")")
        elif token.startswith("#6."):
            assert self.skip("(")
            tree = ("tag", int(token[3:]), self.choice())
            assert self.skip(")")
        elif token.startswith('"'):
            tree = (WORD, token[1:-1])
        elif token[0].isdigit() or token[0] == "-":
            first = token.split("..")[0]
            tree = (NUMBER, float(first) if "." in first else int(first))
        else:
            tree = BUILT_IN.get(token, ("rule", token))
        while self.tokens and self.tokens[0].startswith("."):
            self.take()
            if self.skip("("):
                while self.take() != ")":
                    pass
            else:
                self.take()
        return tree

    def occurrence(self):
        found = []
        while self.tokens[0] in "?*+" or (self.tokens[0].isdigit() and self.tokens[1] in ("*", "tstr", "[")):
            found.append(self.take())
            if found[-1] == "*" and self.tokens[0].isdigit():
                self.take()
        return found

    def entries(self):
        """Pairs of a map: key, whether it may be left out, and the value; the key None stands for any."""
        found = []
        while not self.skip("}"):
            occurrence = self.occurrence()
            key = self.take()
            separator = self.take()
            assert separator in (":", "=>"), (key, separator)
            is_optional = bool({"?", "*"} & set(occurrence))
            found.append((key.strip('"') if separator == ":" else None, is_optional, self.choice()))
            self.skip(",")
        return found

    def sample(self, tree):
        """A valid value, without what may be left out."""
        kind, what = tree[0], tree[1]
        if kind == "rule":
            return self.sample(self.rules[what])
        if kind == "map":
            return {key: self.sample(value) for key, optional, value in what if not optional}
        if kind == "array":
            return [self.sample(what)]
        if kind == "choice":
            return self.sample(what[0])
        if kind == "tag":
            return cbor2.CBORTag(what, DECIMAL if what == 4 else self.sample(tree[2]))
        return what

    def places(self, tree, text):
        """Each place of text as a path, and the value with `text` in it."""
        kind, what = tree[0], tree[1]
        if kind == "rule":
            yield from self.places(self.rules[what], text)
        elif kind == "map":
            rest = self.sample(tree)
            yield "(key)", {**rest, text: 1}
            for key, _, value in what:
                for path, found in self.places(value, text) if key else ():
                    yield f".{key}{path}", {**rest, key: found}
        elif kind == "array":
            for path, found in self.places(what, text):
                yield f"[]{path}", [found]
        elif kind == "choice":
            for option in what:
                yield from self.places(option, text)
        elif kind in (TEXT, WORD):
            yield "", text

    def methods(self):
        """The public methods, by the rules of their parameters."""
        return {name.removesuffix("-params").replace("-", "."): tree for name, tree in self.rules.items()
                if name.endswith("-params") and not name.startswith(("feed-", "error-"))}


def requests(size):
    """Every place of a request that takes text: its name, and the payload with `size` bytes of marks there."""
    schema, text = Schema(), marks(size)
    yield "method", request(1, text, {})
    yield "(key)", cbor2.dumps({"id": 1, "method": "status", "params": {}, text: 1})
    for method, tree in schema.methods().items():
        seen = set()
        for path, params in schema.places(tree, text):
            if path not in seen:
                seen.add(path)
                yield f"{method}{path}", request(1, method, params)


def attack(path, seconds):
    """Sends the longest text as the name of a feed on three connections at once, again and again."""
    payload, end, seen = request(1, "refresh", {"feeds": [marks(SIZES[0])]}), time.monotonic() + seconds, 0
    wires = [Wire(path, 60) for _ in range(3)]
    while time.monotonic() < end:
        for wire in wires:
            wire.send_payload(payload)
        for wire in wires:
            assert wire.receive()["error"]["code"] == "invalid-params"
            seen += 1
    return {"answered": seen}


def processor_time(server, payload):
    """The processor time of a request in milliseconds, and its reply."""
    with Wire(server.socket, 60) as wire:
        wire.call("hello", protocols=[1], client="marks")
        before = costs.processor_time(server.process)
        wire.send_payload(payload)
        reply = wire.receive()
        return (costs.processor_time(server.process) - before) / 1e6, reply


def main():
    with tempfile.TemporaryDirectory() as name:
        server = harness.Server(Path(name)).with_samples()
        try:
            worst = {}
            for size in SIZES:
                for place, payload in requests(size):
                    used, _ = processor_time(server, payload)
                    worst[place] = max(worst.get(place, (0, 0)), (used, size))
            for place, (used, size) in sorted(worst.items(), key=lambda one: -one[1][0]):
                print(f"{used:10.3f} ms {size:7} B  {place}")
            print(f"{len(worst)} places")
            with server.wire() as wire:
                print("longest step:", wire.call("status")["counters"].get("longest_step"), "us")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
