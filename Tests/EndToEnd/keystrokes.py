"""Counts and times what the full screen writes for a key, through a pseudo-terminal.

    python3 Tests/EndToEnd/keystrokes.py       prints the figures for a server on the shipped list
"""

import codecs
import fcntl
import os
import pty
import select
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import harness  # noqa: E402

# Screens: the smallest, the usual one, and one with a preview.
SIZES = [(10, 40), (24, 80), (40, 120)]
WORDS = ["alb", "sao p", "new york", "san f", "berlin", "x", "tokyo", "lon", "st. ", "zz", "ou", "ma", "le", "vi", "w"]
# Other keys, in an order in which each finds something to do.
KEYS = {"Down": b"\x1b[B", "PgDn": b"\x1b[6~", "End": b"\x1b[F", "Home": b"\x1b[H", "Enter: details": b"\r",
    "m: map": b"m", "+: closer": b"+", "-: farther": b"-", "w: world": b"w", "l: list": b"l",
        "Tab: banks": b"\t", "Tab: trade": b"\t", "Tab: cities": b"\t"}
# Seconds after a key until the preview may be drawn: the browser waits a little longer.
PREVIEW = 0.045


@dataclass
class Stroke:
    """A key: the text typed so far or the key's name, the bytes written, the seconds until the last of them could be
    read.

    The preview, which is drawn after a deliberate pause, counts in the bytes, and has seconds of its own.
    """

    typed: str
    bytes: int
    seconds: float
    preview: float | None
    # Seconds on a processor, and seconds in wait for one.
    browser: tuple[float, float] = (0, 0)
    server: tuple[float, float] = (0, 0)
    reader: tuple[float, float] = (0, 0)


def processor_seconds(pid):
    """The seconds that the threads of a process have been on a processor, and waited for one."""
    total = [0, 0]
    for task in Path(f"/proc/{pid}/task").iterdir():
        numbers = (task / "schedstat").read_text().split()
        total = [total[0] + int(numbers[0]) / 1e9, total[1] + int(numbers[1]) / 1e9]
    return total


class Typist:
    """`citiesctl-helper` on a pseudo-terminal whose output is counted, not shown."""

    # Output that pauses for so long has come to its end.
    pause = 0.1

    def __init__(self, socket, rows, columns, term="xterm-256color", runner=(), patience=1, server=None):
        self.patience, self.server = patience, server
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            variables = harness.environment(CITIES_SOCKET=socket, TERM=term)
            # The size is there before the program looks.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            words = [*map(str, runner), str(harness.BIN / "citiesctl-helper"), "browse"]
            os.execvpe(words[0], words, variables)
        list(self.written(self.patience))

    def written(self, patience):
        """Reads until output pauses; the number of bytes of each part, and when it came."""
        while select.select([self.terminal], [], [], patience)[0]:
            try:
                count = len(os.read(self.terminal, 65536))
            except OSError:  # the program has ended
                break
            yield count, time.perf_counter()
            patience = self.pause

    def until(self, *texts, seconds=20):
        """The output until these texts are in it, at most of `seconds`."""
        written, end = "", time.monotonic() + seconds
        pieces = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while not all(text in written for text in texts) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                written += pieces.decode(os.read(self.terminal, 65536))
        return written

    def press(self, keys, name=""):
        """Presses a key, and waits until output pauses."""
        pids = [self.pid, self.server, os.getpid()] if self.server else []
        before = [processor_seconds(pid) for pid in pids]
        begin = time.perf_counter()
        os.write(self.terminal, keys)
        parts = [(count, came - begin) for count, came in self.written(self.patience)]
        spent = [tuple(now - then for now, then in zip(processor_seconds(pid), earlier, strict=True))
                 for pid, earlier in zip(pids, before, strict=True)]
        at_once = [came for _, came in parts if came < PREVIEW or not pids]
        late = [came for _, came in parts if came >= PREVIEW]
        return Stroke(name, sum(count for count, _ in parts), max(at_once, default=0), max(late, default=None), *spent)

    def strokes(self, words=WORDS):
        for word in words:
            for end in range(1, len(word) + 1):
                yield self.press(word[end - 1].encode(), word[:end])
            self.press(b"\x15")

    def close(self):
        os.write(self.terminal, b"\x03")
        list(self.written(max(0.5, self.patience)))
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = harness.Server(Path(folder)).with_samples()
        try:
            for rows, columns in SIZES:
                typist = Typist(server.socket, rows, columns, server=server.process.pid)
                report(f"{columns}x{rows}, characters", [stroke for _ in range(5) for stroke in typist.strokes()])
                keys = [typist.press(key, name) for _ in range(10) for name, key in KEYS.items()]
                report(f"{columns}x{rows}, other keys", keys)
                typist.close()
        finally:
            server.stop()


def report(title, strokes):
    print(f"{title}: {len(strokes)}")
    rows = {
        "to the last byte": [s.seconds for s in strokes],
        "without the wait for a processor": [
            max(0, s.seconds - s.browser[1] - s.server[1] - s.reader[1]) for s in strokes],
        "the browser's own": [s.browser[0] for s in strokes],
        "the server's own": [s.server[0] for s in strokes],
        "to the end of the preview": [s.preview for s in strokes if s.preview is not None],
    }
    for name, times in rows.items():
        if times:
            print(f"  {name:34} median {share(times, 0.5) * 1e3:6.2f} ms   p99 {share(times, 0.99) * 1e3:6.2f} ms")
    sizes = [s.bytes for s in strokes]
    print(f"  {'bytes':34} median {share(sizes, 0.5):6} {'':6} most {max(sizes):6}")
    by_name = {}
    for stroke in strokes:
        by_name.setdefault(stroke.typed, []).append(stroke.browser[0])
    slowest = sorted(((share(times, 0.5), name) for name, times in by_name.items()), reverse=True)[:5]
    print("  the browser's own, slowest medians: "
        + ", ".join(f"{name!r} {time * 1e3:.2f} ms" for time, name in slowest))


def share(values, part):
    """The value below which a part of all values lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


if __name__ == "__main__":
    main()
