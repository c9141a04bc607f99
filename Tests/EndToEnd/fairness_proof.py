"""Fairness, proved against the installed units: `fairness_proof.py SECONDS`, run by contrib/fairness in a systemd.

Five runs of fairness.py, each against a server that has just started: plain, with refreshes, with replacements, and
with connections of 64 and of 1,000 subordinate user ids of one login.
Prints one table; exits with 1 if a figure is outside its limit.
"""

import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import costs
import fairness
import harness
import under_systemd
import upstream
from harness import until
from under_systemd import SERVICE, SOCKET, STATE, configure, show, systemctl

CONNECTIONS = 1_000
VARIANTS = {"plain": {}, "refresh": {"refresh": True}, "replace": {"replaces": True}, "64 ids": {"ids": 64},
    "1,000 ids": {"ids": 1_000}}
P99_LIMIT, WORST_LIMIT, GROWTH_LIMIT = 10, 50, 32  # ms, ms, MiB
# Seconds that the proof of all rows takes at most on a busy machine, after the start.
SETTLING = 2

# Each row: its name, its figure, and what it is compared with, if anything.
ROWS = [
    ("other user: answers", lambda f: f["short"]["count"] - f["short"]["failures"], None),
    ("other user: failures", lambda f: f["short"]["failures"], 0),
    ("other user: first answer ms", lambda f: f["short"]["first"], None),
    ("other user: p50 ms", lambda f: f["short"]["p50"], None),
    ("other user: p99 ms", lambda f: f["short"]["p99"], P99_LIMIT),
    ("other user: worst ms", lambda f: f["short"]["max"], WORST_LIMIT),
    ("root: attempts", lambda f: f["root"]["count"], None),
    ("root: successes", lambda f: f["root"]["count"] - f["root"]["failures"], None),
    ("root: failures", lambda f: f["root"]["failures"], 0),
    ("root: worst ms", lambda f: f["root"]["max"], None),
    ("greedy: answers", lambda f: f["greedy"]["ok"], None),
    ("greedy: error replies", lambda f: errors(f["greedy"]), None),
    ("greedy: connections closed", lambda f: f["greedy"].get("closed", 0), None),
    ("greedy: connections reopened", lambda f: f["greedy"].get("reopened", 0), None),
    ("greedy: refreshes", lambda f: f.get("refresh", {}).get("asked", 0), None),
    ("index replacements", lambda f: f.get("replace", {}).get("count", 0), None),
    ("swaps, with two before", lambda f: f["swaps"], None),
    ("server: share of time used", lambda f: f["busy"], None),
    ("server: had no processor", lambda f: f["waited"], None),
    ("NRestarts before", lambda f: f["restarts"][0], None),
    ("NRestarts after", lambda f: f["restarts"][1], None),
    ("restarts or other processes", lambda f: f["restarted"], 0),
    ("watchdog timeouts", lambda f: f["watchdog"], 0),
    ("RSS before, MiB", lambda f: f["memory"]["before"][0] / 1024, None),
    ("RSS highest, MiB", lambda f: f["memory"]["after"][2] / 1024, None),
    ("RSS after, MiB", lambda f: f["memory"]["after"][0] / 1024, None),
    ("RSS highest, first tenth", lambda f: f["memory"]["early"][2] / 1024, None),
    ("RSS growth since then, MiB", lambda f: growth(f["memory"]), GROWTH_LIMIT),
]


def errors(greedy):
    """Replies of the server that were errors."""
    others = ("ok", "opened", "closed", "reopened", "refused", "scheduling")
    return sum(count for name, count in greedy.items() if name not in others)


def growth(memory):
    """How much larger the resident set became than it was in the first tenth of the run, in MiB.

    Replacements start with the run: at its first peak the current, the previous and the next index are mapped.
    """
    return (memory["after"][2] - memory["early"][2]) / 1024


def import_data(folder):
    """The banks and the trade of costs.py, in the state folder."""
    made = harness.run_sync(
        "run", "--force", "swedbank-ee", "swedbank-lv", "rates", "transactions", CITIES_STATE=STATE,
        **costs.data(folder))
    assert made.returncode == 0, made.stderr


@contextlib.contextmanager
def started(first_index, **urls):
    """The service, started by its socket, with an index in place and these sources."""
    systemctl("stop", SERVICE, "citiesd-sync.service")
    configure(**urls)
    fairness.replace(STATE, first_index)
    until(under_systemd.generation, 20, "the first answer")
    time.sleep(SETTLING)
    yield SimpleNamespace(socket=SOCKET, state=STATE)


def counters():
    """What the journal and systemd have counted: restarts, watchdog timeouts, swaps of the index."""
    messages = [str(entry["MESSAGE"]).lower() for entry in under_systemd.journal()]
    timeouts = sum("watchdog timeout" in message for message in messages)
    return SimpleNamespace(
        process=show("MainPID"), restarts=int(show("NRestarts")),
        timeouts=max(timeouts, int(show("Result") == "watchdog")),
        swaps=sum(message.startswith("swapped: ") for message in messages))


def observed(seconds, indexes, urls, refresh=False, replaces=False, ids=0):
    """The figures of one run."""
    with started(indexes[1], **(urls if refresh else {})) as server:
        before = counters()
        try:
            figures = fairness.observe(
                server, before.process, seconds, CONNECTIONS, refresh, indexes if replaces else (), ids)
        except FileNotFoundError as error:  # its folder in /proc
            journal = "\n".join(str(entry["MESSAGE"]) for entry in under_systemd.journal()[-20:])
            sys.exit(f"fairness: the server ended during the run: {error}; the end of its journal:\n{journal}")
        after = counters()
        return figures | {
            "restarts": (before.restarts, after.restarts),
            "restarted": max(after.restarts - before.restarts, int(after.process != before.process)),
            "watchdog": after.timeouts - before.timeouts, "swaps": after.swaps - before.swaps}


def table(results):
    """The lines of the table, a run per column, and a line for each figure outside its limit."""
    lines, failed = [f"{'':30}" + "".join(f"{name:>12}" for name in results) + f"{'limit':>8}"], []
    for name, figure, limit in ROWS:
        values = {run_name: figure(figures) for run_name, figures in results.items()}
        cells = "".join(f"{value:12.2f}" if isinstance(value, float) else f"{value:12}" for value in values.values())
        lines.append(f"{name:30}{cells}{'' if limit is None else limit:>8}".rstrip())
        failed += [f"{run_name}: {name}: {value:.6g} (limit {limit})"
                   for run_name, value in values.items() if limit is not None and value > limit]
    return lines, failed


def main(words):
    seconds = int(words[0])
    Path("/etc/subuid").write_text(f"greedy:{fairness.FIRST_ID}:{fairness.IDS}\n")
    under_systemd.install()
    with tempfile.TemporaryDirectory(dir="/scratch") as name, contextlib.ExitStack() as stack:
        source = upstream.Upstream()
        stack.callback(source.stop)
        source.answers["/lt"] = upstream.drip(b"x" * 10_000)
        Path(name).chmod(0o755)  # the import reads as the user of citiesd-sync
        import_data(Path(name))
        indexes = fairness.two_indexes(Path(name))
        os.setpriority(os.PRIO_PROCESS, 0, fairness.GREEDY_NICE)  # this process samples, and serves the source
        results = {}
        for variant, options in VARIANTS.items():
            print(f"fairness: {variant}: {seconds} s", file=sys.stderr, flush=True)
            results[variant] = observed(seconds, indexes, {"swedbank_lt": source.url("/lt")}, **options)
    lines, failed = table(results)
    print("\n".join(lines))
    scheduling = {results[name][client]["scheduling"] for name in results for client in ("short", "root")}
    print(f"observers: {', '.join(sorted(scheduling))}; greedy processes: nice {fairness.GREEDY_NICE}")
    for line in failed:
        print(f"FAILED: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
