#!/usr/bin/env python3
"""Restarts, kills, reloads and new data under load, inside a throwaway systemd; every answer is checked.

    soak.py INDEX INDEX [RESTARTS [OTHERS]]      (200 and 50)

The units are installed and the server runs; the two INDEX files answer the soak's questions
alike but have different generations. Four clients ask in loops over connections that stay open, and each asks once more
if its connection breaks. A request is in flight at every restart and kill, because the clients never pause. Prints
figures, one a line; exit code 0 if no client saw an error or a wrong answer.
"""
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "contrib" / "integrations" / "python"))
import cities  # noqa: E402

CLIENTS, SETTLE = 4, 0.02
PREFIXES = ["a", "al", "alb", "tall", "san ", "par", "new y", "zzz", "å", "sao"]
STATE = Path("/var/lib/cities/cities.index")


def questions():
    return [("city.search", {"prefix": p, "limit": n}) for p in PREFIXES for n in (1, 20)]


def without_generation(result):
    return {k: v for k, v in result.items() if k != "generation"}


def ask_in_a_loop(expected, stop, results):
    """Asks until stopped; reports (answers, reconnections, the first error)."""
    answers = reconnections = 0
    error = None
    client = cities.connect()
    asked = questions()
    while not stop.is_set() and error is None:
        method, params = asked[answers % len(asked)]
        try:
            before = client.connected
            reply = client.call(method, **params)
            reconnections += client.connected - before
            if without_generation(reply) != expected[answers % len(asked)]:
                error = f"wrong answer to {method} {params}"
            answers += 1
        except Exception as failure:  # any failure that a client would see is reported
            error = f"{type(failure).__name__}: {failure}"
    results.put((answers, reconnections, error))


def systemctl(*words):
    subprocess.run(["systemctl", *words], check=True)


def show(field):
    return subprocess.run(["systemctl", "show", "--value", "-p", field, "citiesd.service"], check=True,
                          capture_output=True, text=True).stdout.strip()


def wait_for(condition, what, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"soak: {what} did not happen within {seconds} s")
        time.sleep(0.005)


def restart():
    systemctl("restart", "citiesd.service")


def kill():
    before = show("MainPID")
    os.kill(int(before), signal.SIGKILL)
    wait_for(lambda: show("MainPID") not in ("0", before) and show("ActiveState") == "active", "the start after a kill")


def reload():
    systemctl("reload", "citiesd.service")


def replace(source):
    """As citiesd-sync does it: a whole file beside the old one, then rename(2)."""
    with cities.connect() as client:
        before = client.call("hello", protocols=[1], client="soak")["generations"]["cities"]
        shutil.copyfile(source, STATE.with_suffix(".new"))
        os.chmod(STATE.with_suffix(".new"), 0o644)
        start = time.monotonic()
        os.replace(STATE.with_suffix(".new"), STATE)
        wait_for(lambda: client.call("hello", protocols=[1], client="soak")["generations"]["cities"] != before,
                 "new data", 1)
        return time.monotonic() - start


def main(words):
    indices = [Path(w) for w in words[:2]]
    restarts, others = (int(w) for w in (words[2:4] + ["200", "50"][len(words[2:4]):]))
    with cities.connect() as client:
        expected = [without_generation(client.call(m, **p)) for m, p in questions()]
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    loops = [multiprocessing.Process(target=ask_in_a_loop, args=(expected, stop, results)) for _ in range(CLIENTS)]
    for loop in loops:
        loop.start()
    invocations, slowest = set(), 0.0
    for _ in range(restarts):
        restart()
        invocations.add(show("InvocationID"))
        time.sleep(SETTLE)
    for _ in range(others):
        kill()
        time.sleep(SETTLE)
    for _ in range(others):
        reload()
    for turn in range(others):
        slowest = max(slowest, replace(indices[(turn + 1) % 2]))
    time.sleep(0.2)
    stop.set()
    reports = [results.get(timeout=20) for _ in loops]
    for loop in loops:
        loop.join(10)
    errors = [error for _, _, error in reports if error]
    print(f"restarts {restarts}, invocations {len(invocations)}")
    print(f"kills {others}, reloads {others}, replacements {others}, the slowest served after {slowest * 1000:.0f} ms")
    print(f"answers {sum(r[0] for r in reports)}, reconnections {sum(r[1] for r in reports)}, errors {len(errors)}")
    for error in errors:
        print(f"error: {error}")
    return 1 if errors or len(invocations) != restarts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
