"""Commands about installation and configuration that the pages show and no other test runs."""

import os
import shlex
import shutil
import subprocess

import harness
import pytest
from harness import ROOT
from test_private_server import Installation

# From citiesctl-doctor(1).
FINDINGS = "citiesctl doctor --output jsonl | jq 'select(.state == \"wrong\")'"


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_installs_what_was_built_with_the_path_of_sudo(tmp_path):
    """`sudo contrib/build --install`: sudo's path has no compiler, and nothing is built by root."""
    before = {path: path.stat().st_mtime_ns for path in (ROOT / ".build-out").rglob("*")}
    variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DESTDIR": str(tmp_path)}
    done = subprocess.run(
        ["contrib/build", "--install"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120,
        check=False)
    assert done.returncode == 0, done.stderr
    program = tmp_path / "usr/local/bin/citiesctl"
    asked = subprocess.run(
        [program, "search", "reykjav", "--columns", "title"], capture_output=True, text=True, timeout=60, check=False,
        env=harness.environment(XDG_RUNTIME_DIR=tmp_path, CITIES_STATE=tmp_path / "state"))
    assert asked.stdout == "Reykjavík, IS\n", asked.stderr
    assert {path: path.stat().st_mtime_ns for path in (ROOT / ".build-out").rglob("*")} == before
    gone = subprocess.run(
        ["contrib/build", "--uninstall"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120,
        check=False)
    assert gone.returncode == 0, gone.stderr
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_findings_are_chosen_by_jq(tmp_path, small_index):
    installation = Installation(tmp_path / "installed", index=False)
    shutil.copy(small_index, installation.index)
    (installation.bin / "citiesctl-helper").unlink()
    path = f"{installation.bin}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", FINDINGS], capture_output=True, text=True, timeout=60, check=False,
        env=installation.environment(PATH=path))
    assert '"check": "program citiesctl-helper"' in done.stdout, done.stderr


def run_metrics_service(folder, *, path, **variables):
    """The command of the service in monitoring.md, with the words that systemd passes on, in `folder`."""
    text = (ROOT / "contrib/docs/monitoring.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith("    ExecStart="))
    words = [word.replace("$$", "$") for word in shlex.split(line.split("=", 1)[1])]
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": f"{path}:/usr/bin:/bin", **variables})


@pytest.mark.parametrize("status, is_installed", [(0, True), (4, True), (1, False), (69, False), (74, False)])
def test_only_metrics_of_an_answer_are_installed(tmp_path, status, is_installed):
    """With any other file, the age of the metrics would not show that there are none."""
    program = tmp_path / "bin/citiesctl"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf 'new %s' \"$*\"\nexit {status}\n")
    program.chmod(0o755)
    metrics = tmp_path / "cities.prom"
    metrics.write_text("old")
    done = run_metrics_service(tmp_path, path=program.parent)
    assert (done.returncode == 0) == is_installed, done.stderr
    assert metrics.read_text() == ("new status -o prometheus" if is_installed else "old")


def test_metrics_without_a_server_fail_and_leave_the_last_file(tmp_path):
    metrics = tmp_path / "cities.prom"
    metrics.write_text("old")
    server = harness.Server(tmp_path)
    variables = {"CITIES_SOCKET": str(server.socket), "HOME": str(tmp_path)}
    done = run_metrics_service(tmp_path, path=harness.BIN, **variables)
    assert done.returncode != 0 and metrics.read_text() == "old", done.stderr
    server.start()
    try:
        done = run_metrics_service(tmp_path, path=harness.BIN, **variables)
    finally:
        server.stop()
    assert done.returncode == 0 and "citiesd_subject_ready" in metrics.read_text(), done.stderr
