"""Commands about installation and configuration that the pages show and no other test runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import harness
import pytest
from harness import ROOT
from test_private_server import Installation

SYNC = ROOT / "Sources" / "Sync" / "FeedSync"
# From citiesctl-doctor(1).
FINDINGS = "citiesctl doctor --output jsonl | jq 'select(.state == \"wrong\")'"


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_installs_what_was_built_with_the_path_of_sudo(tmp_path):
    """`sudo contrib/build --install`: sudo's path has no compiler, and nothing is built by root."""
    def built():
        # The logs are written meanwhile.
        paths = [path for path in (ROOT / ".build-out").rglob("*") if "logs" not in path.parts]
        return {path: path.stat().st_mtime_ns for path in paths}

    before = built()
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
    assert built() == before
    gone = subprocess.run(
        ["contrib/build", "--uninstall"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120,
        check=False)
    assert gone.returncode == 0, gone.stderr
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_an_installation_ends_with_what_to_type_next(tmp_path):
    home = tmp_path / "home"
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(tmp_path), "LC_ALL": "C.UTF-8"}

    def install():
        done = subprocess.run(
            ["contrib/build", "--install", "--no-build", "--prefix", home / ".local"], cwd=ROOT, env=variables,
            capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        said, _, commands = done.stderr.rpartition("build: what to type next")
        assert "systemctl --user enable" in said
        return [line.strip() for line in commands.splitlines()[1:]]

    lines = install()
    assert lines[0] == f"export PATH={home}/.local/bin:$PATH"
    # Completions of bash work in an interactive one.
    typed = subprocess.run(
        ["bash", "--norc", "-ic", "\n".join([*lines, "complete -p citiesctl"])], env=variables, capture_output=True,
        text=True, timeout=60, check=False, start_new_session=True)
    assert typed.stdout.startswith("Munich, DE\t") and "citiesctl\n" in typed.stdout, typed.stderr
    # A folder that PATH has is not added.
    variables["PATH"] += f":{home}/.local/bin"
    assert install() == lines[1:]


def test_the_files_of_a_release_are_installed_as_the_page_says(tmp_path):
    """The line for pip, without network; contrib/test-packages installs the Debian packages."""
    pages = [(ROOT / page).read_text() for page in ("README.md", "contrib/docs/installing.md")]
    lines = [re.findall(r"^    (sha256sum .*?|pip install \S*whl)(?:  +#.*)?$", page, re.MULTILINE) for page in pages]
    assert lines[0] == lines[1] and len(lines[0]) == 2
    check, install = lines[0]
    assert check.partition(" && ")[2] == "sudo apt install ./*.deb"
    programs, data = tmp_path / "bin", tmp_path / "data"
    for folder in (programs, data):
        folder.mkdir()
    for name in ("citiesctl", "citiesctl-helper", "citiesd"):
        shutil.copy("/bin/true", programs / name)
    (data / "cities-1.index").write_bytes(b"index")
    release = tmp_path / "release"
    maker = ROOT / "contrib" / "packaging" / "make-wheel"
    subprocess.run([maker, programs, data, release], check=True, capture_output=True)
    subprocess.run("sha256sum -- *.whl >SHA256SUMS", shell=True, cwd=release, check=True)
    line = f"{check.partition(' && ')[0]} && {sys.executable} -m {install}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=release, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"PIP_TARGET": str(tmp_path / "target"), "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"})
    assert done.returncode == 0 and (tmp_path / "target" / "bin" / "citiesctl").exists(), done.stderr


def test_the_default_sources_are_those_of_the_page_about_security():
    catalogue = (SYNC / "Feeds" / "FeedCatalogue.swift").read_text()
    page = (ROOT / ".github" / "SECURITY.md").read_text()
    named = page.partition("### Default sources\n")[2].partition("\n\nA source")[0]
    hosts = set(re.findall(r'"https://([^/"]+)/', catalogue))
    assert hosts == set(re.findall(r"`([\w-]+(?:\.[\w-]+){2,})`", named)) and len(hosts) == 4


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
