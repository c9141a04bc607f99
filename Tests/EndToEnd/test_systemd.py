"""Runs every scenario of under_systemd.py in a real, throwaway systemd of its own."""

import functools
import os
import subprocess
import sys

import pytest
import under_systemd
from harness import ROOT

RUNNER = ROOT / "contrib" / "with-systemd"


@functools.cache
def obstacle():
    """Why a systemd cannot be booted here; empty if it can."""
    if os.geteuid() != 0:
        return "no root: a throwaway systemd needs CAP_SYS_ADMIN"
    tried = subprocess.run([RUNNER, "--", "true"], capture_output=True, text=True, timeout=60, check=False)
    return "" if tried.returncode == 0 else f"no systemd: {tried.stderr.strip().splitlines()[-1]}"


def scenarios():
    for name in under_systemd.SCENARIOS:
        yield pytest.param(name, marks=[pytest.mark.slow] if name in under_systemd.SLOW else [])


@pytest.mark.parametrize(("command", "message"), [
    ("exit 124", ""), ("sleep 60", "with-systemd: the command was still running after 1 s\n")],
    ids=["its own status", "out of time"])
def test_a_command_that_ran_out_of_time_is_told_from_one_with_that_status(command, message):
    if obstacle():
        pytest.skip(obstacle())
    seconds = "1" if message else "60"
    ran = subprocess.run([RUNNER, "--timeout", seconds, "--", "bash", "-c", command],
        capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (124, message)


@pytest.mark.parametrize("name", list(scenarios()))
def test_under_systemd(name):
    if obstacle():
        pytest.skip(obstacle())
    ran = subprocess.run(
        [RUNNER, f"--project={ROOT}", f"--user={under_systemd.ORDINARY_USER}", "--timeout=300",
         "--setenv=PYTHONDONTWRITEBYTECODE=1", "--", sys.executable, ROOT / "Tests/EndToEnd/under_systemd.py", name],
        capture_output=True, text=True, timeout=360, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
