"""One user with many connections and expensive requests does not keep others waiting (a short run of fairness.py)."""

import os
import subprocess

import fairness
import fairness_proof
import pytest
from harness import ROOT

# Far above what an idle machine shows, and far below what a queue shared by all connections would need.
LONGEST_WAIT = 2_000  # ms
MEMORY_GROWTH = 128 * 1024  # KiB


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be three users")
def test_a_greedy_user_delays_nobody_else(programs):
    figures = fairness.measure(seconds=5, connections=1_000)
    print(figures)
    greedy, short, root = figures["greedy"], figures["short"], figures["root"]
    assert greedy["ok"] > 0, f"no expensive request was answered: {greedy}"
    assert short["count"] > 10 and short["failures"] == 0 and short["max"] <= LONGEST_WAIT
    assert root["count"] > 1 and root["failures"] == 0 and root["max"] <= LONGEST_WAIT
    before, after = figures["memory"]["before"][1], figures["memory"]["after"][1]
    assert after - before <= MEMORY_GROWTH, f"private dirty memory went from {before} to {after} KiB"


def figures(**changes):
    """Figures of a run in which everything went well, with changes."""
    times = {"first": 2.0, "p50": 1.0, "p99": 9.5, "max": 49.5}
    return {
        "short": {"count": 9, "failures": 0, **times}, "root": {"count": 5, "failures": 0, **times},
        "greedy": {"ok": 7, "busy": 2, "closed": 3, "reopened": 3}, "restarts": (1, 1), "restarted": 0, "watchdog": 0,
        "swaps": 0, "busy": 0.9, "waited": 0.01,
        "memory": {"before": (1, 1, 1), "early": (9, 1, 10 * 1024), "after": (9, 1, 42 * 1024)}} | changes


def test_the_proof_holds_within_its_limits_and_fails_outside_each():
    good = figures()
    lines, failed = fairness_proof.table({"plain": good})
    assert failed == [] and len(lines) == 1 + len(fairness_proof.ROWS)
    bad = {
        "other user: failures": figures(short=good["short"] | {"failures": 1}),
        "other user: p99 ms": figures(short=good["short"] | {"p99": 10.5}),
        "other user: worst ms": figures(short=good["short"] | {"max": 50.5}),
        "root: failures": figures(root=good["root"] | {"failures": 1}),
        "restarts or other processes": figures(restarted=1),
        "watchdog timeouts": figures(watchdog=1),
        "RSS growth since then, MiB": figures(memory=good["memory"] | {"after": (9, 1, 43 * 1024)}),
    }
    assert set(bad) == {name for name, _, limit in fairness_proof.ROWS if limit is not None}
    for name, one in bad.items():
        failed = fairness_proof.table({"plain": good, "replace": one})[1]
        assert [line.split(" (")[0].rpartition(":")[0] for line in failed] == [f"replace: {name}"]


def test_a_wrong_word_is_refused_with_a_hint():
    ran = subprocess.run([ROOT / "contrib/fairness", "long"], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == 'fairness: expected a number of seconds, found "long"; see contrib/fairness --help\n'
