"""The soak of everything at once, for a short time: each disruption at least once, and nothing lost."""

import re
import subprocess

import pytest
from harness import ROOT

SECONDS, SEED = 12, 3
DISRUPTIONS = {
    "damage", "failing source", "flip", "hung source", "hung sync", "kill", "new feeds", "reload", "replace", "restart",
    "truncate",
}
METHODS = {"city.search", "city.get", "city.near", "bank.list", "product.get"}


def counted(line):
    """The counts that a line of the report lists, by name."""
    return {name: int(count) for name, count in re.findall(r"([a-z. ]+?) (\d+)(?:,|$)", line.partition(": ")[2])}


@pytest.mark.slow
def test_no_answer_is_wrong_or_lost_while_everything_fails():
    ran = subprocess.run(
        [ROOT / "contrib/soak", str(SECONDS), str(SEED)], capture_output=True, text=True, timeout=300, check=False)
    lines = {line.split(" ", 1)[0]: line for line in ran.stdout.splitlines()}
    done = {name.strip(): count for name, count in counted(lines["disruptions"]).items()}
    assert DISRUPTIONS <= {name for name, count in done.items() if count > 0}
    answers = {name.strip(): count for name, count in counted(lines["requests"]).items()}
    assert METHODS == {name for name, count in answers.items() if count > 0}
    assert (lines["wrong"], lines["lost"]) == ("wrong 0", "lost after one retry 0"), ran.stdout
    for name in ("server", "sync service"):
        found = re.search(rf"^{name}: descriptors (\d+) at the start, (\d+) at the end; .* MiB$", ran.stdout, re.M)
        assert found and int(found[2]) <= int(found[1]) + 8, ran.stdout
    assert re.search(r"^clients 10 of (10 users|1 user)$", ran.stdout, re.M), ran.stdout
    assert ran.returncode == 0, ran.stdout


def test_a_wrong_word_is_refused_with_a_hint():
    ran = subprocess.run([ROOT / "contrib/soak", "long"], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == 'soak: expected a number, found "long"; see contrib/soak --help\n'
