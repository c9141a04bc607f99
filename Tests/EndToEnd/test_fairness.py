"""One user with many connections and expensive requests does not keep others waiting (a short run of fairness.py)."""

import os

import fairness
import pytest

# Far above what an idle machine shows, and far below what a queue shared by all connections would need.
LONGEST_WAIT = 2_000  # ms
MEMORY_GROWTH = 128 * 1024  # KiB


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
