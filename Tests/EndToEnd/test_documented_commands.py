"""Commands about installation and configuration that the pages show and no other test runs."""

import os
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
