"""Counts and times what the full screen writes for one more character, through a pseudo-terminal.

    python3 Tests/EndToEnd/keystrokes.py       prints the figures for a server on the shipped list
"""

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

# Screens: the usual one, the widest without a preview, and one with a preview.
SIZES = [(24, 80), (30, 99), (40, 120)]
WORDS = ["alb", "sao p", "new york", "san f", "berlin", "x", "tokyo", "lon", "st. ", "zz", "ou", "ma", "le", "vi", "w"]


@dataclass
class Stroke:
    """One more character: the text typed so far, the bytes written, the seconds to the last of them."""

    typed: str
    bytes: int
    seconds: float


class Typist:
    """`citiesctl-browse` on a pseudo-terminal whose output is counted, not shown."""

    # Output that pauses for so long has come to its end.
    pause = 0.1

    def __init__(self, socket, rows, columns, term="xterm-256color", runner=(), patience=1):
        self.patience = patience
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            variables = harness.environment(CITIES_SOCKET=socket, TERM=term)
            # The size is there before the program looks.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            words = [*map(str, runner), str(harness.BIN / "citiesctl-browse"), "browse"]
            os.execvpe(words[0], words, variables)
        self.output(self.patience)

    def output(self, patience):
        """Bytes until output pauses, and when the last of them came."""
        count, last = 0, time.perf_counter()
        while select.select([self.terminal], [], [], patience)[0]:
            try:
                count += len(os.read(self.terminal, 65536))
            except OSError:  # the program has ended
                break
            last = time.perf_counter()
            patience = self.pause
        return count, last

    def text(self, patience=1):
        """The text written until output pauses."""
        written = b""
        while select.select([self.terminal], [], [], patience)[0]:
            written += os.read(self.terminal, 65536)
            patience = self.pause
        return written.decode(errors="replace")

    def press(self, keys):
        begin = time.perf_counter()
        os.write(self.terminal, keys)
        count, last = self.output(self.patience)
        return count, last - begin

    def strokes(self, words=WORDS):
        for word in words:
            for end in range(1, len(word) + 1):
                yield Stroke(word[:end], *self.press(word[end - 1].encode()))
            self.press(b"\x15")

    def close(self):
        os.write(self.terminal, b"\x03")
        self.output(max(0.5, self.patience))
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = harness.Server(Path(folder)).start()
        try:
            for rows, columns in SIZES:
                typist = Typist(server.socket, rows, columns)
                report(f"{columns}x{rows}", [stroke for _ in range(5) for stroke in typist.strokes()])
                typist.close()
        finally:
            server.stop()


def report(size, strokes):
    times, sizes = sorted(s.seconds * 1e3 for s in strokes), sorted(s.bytes for s in strokes)
    for name, values, unit in ("time", times, "ms"), ("bytes", sizes, ""):
        at = {share: values[min(len(values) - 1, int(share * len(values)))] for share in (0.5, 0.99)}
        print(f"{len(values)} keystrokes at {size}, {name}: "
              f"median {at[0.5]:.4g} {unit}, p99 {at[0.99]:.4g} {unit}, most {values[-1]:.4g} {unit}")


if __name__ == "__main__":
    main()
