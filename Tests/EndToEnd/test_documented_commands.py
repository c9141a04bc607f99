"""Every command about installation and configuration that a page shows is run by a test, here or in a script that takes longer."""

import os
import re
import shutil
import subprocess

import harness
import pytest
from harness import ROOT
from test_private_server import Installation

PACKAGES, CONTAINER, FRESH = "contrib/test-packages", "contrib/test-container", "contrib/test-fresh-root"
UNITS, HERE = "Tests/EndToEnd/test_units.py", "Tests/EndToEnd/test_documented_commands.py"
CONFIGURATION = "Tests/EndToEnd/test_configuration.py"
# The pages whose commands are meant, and a word that makes a line such a command.
PAGES = ("README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "contrib" / "man").glob("*.[1578]")))
ABOUT = re.compile(
    r"^(sudo|podman|contrib/(quickstart|test|package|build)( |$)|citiesctl (feed|doctor|refresh)\b|citiesd-sync |systemctl|apt)")
# Where a command is run, and the words that run it there.
RUN = {
    "contrib/quickstart": (FRESH, "run contrib/quickstart"),
    "contrib/test": (FRESH, "run contrib/test"),
    "contrib/package": (PACKAGES, 'contrib/package ${build:+"$build"}'),
    "sudo apt install ./.build-out/packages/*.deb": (PACKAGES, "apt_install /scratch/new/*.deb|under_load upgrade /scratch/new"),
    "contrib/build": (FRESH, "run contrib/quickstart"),
    "sudo contrib/build --install": (HERE, "def test_root_installs_what_was_built_with_the_path_of_sudo"),
    "contrib/build --install": (UNITS, '"--install", "--no-build", "--prefix", "/usr"'),
    "contrib/build --install --prefix ~/.local": (UNITS, "def test_a_user_installs_below_the_home_folder"),
    "podman build --tag cities --file contrib/packaging/Containerfile .build-out/packages": (
        CONTAINER, 'podman build --quiet --tag "$image" --file "$file" "$packages"'),
    "podman run --detach --name cities --network none cities": (CONTAINER, 'podman run --detach --network none "$image"'),
    "podman exec cities citiesctl search munich": (CONTAINER, 'podman exec "$container" "${question[@]}"'),
    "citiesctl doctor --output jsonl | jq 'select(.state == \"wrong\")'": (HERE, "def test_findings_are_chosen_by_jq"),
    "citiesd-sync build /srv/cities.json.gz /tmp/cities.index": (
        CONFIGURATION, "def test_commands_of_the_manual_do_what_they_say"),
} | {command: (PACKAGES, f"documented '{command}'") for command in (
    "citiesctl doctor", "citiesctl feed list", "citiesctl feed show swedbank-ee", "citiesd-sync check",
    "citiesd-sync run --samples", "citiesd-sync check /etc/cities/sync.json", "citiesd-sync run",
    "citiesctl refresh", "citiesctl refresh rates",
    "sudo citiesctl feed disable swedbank-ee", "sudo citiesctl feed enable swedbank-ee",
    "sudo citiesctl feed disable --forget cities",
    "sudo citiesctl feed enable cities /srv/cities.json.gz", "sudo citiesd-sync run cities")}


def shown(page):
    """The lines of a page that are commands, each command of its own without the comment after it."""
    text = (ROOT / page).read_text()
    if page.endswith(".md"):
        blocks = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE) + re.findall(r"```(?:bash|console)\n(.*?)```", text, re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", text)
    else:
        for written, meant in ((r"\-", "-"), (r"\(aq", "'"), (r"\e", "\\")):
            text = text.replace(written, meant)
        blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", text, re.MULTILINE | re.DOTALL)
        lines = [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    for line in lines:
        line = re.split(r"\s{2,}#|\s{3,}(?=[a-z])", line.strip().removeprefix("$ "))[0]
        for command in [line] if line in RUN else line.split(" && "):
            if ABOUT.search(command):
                yield command.strip()


def test_every_command_of_the_pages_is_run():
    found = {command for page in PAGES for command in shown(page)}
    assert len(found) > 20
    assert sorted(found - set(RUN)) == [], "say in RUN which test runs them, or write one"
    assert sorted(set(RUN) - found) == [], "no page shows them any more"
    for command, (file, words) in RUN.items():
        text = (ROOT / file).read_text()
        assert any(choice in text for choice in words.split("|")), f"{file} does not run: {command}"


# What no other test runs.


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_installs_what_was_built_with_the_path_of_sudo(tmp_path):
    """`sudo contrib/build --install`: sudo's path has no compiler, and nothing is built by root."""
    before = {path: path.stat().st_mtime_ns for path in (ROOT / ".build-out").rglob("*")}
    variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DESTDIR": str(tmp_path)}
    done = subprocess.run(
        ["contrib/build", "--install"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    program = tmp_path / "usr/local/bin/citiesctl"
    asked = subprocess.run(
        [program, "search", "reykjav", "--columns", "title"], capture_output=True, text=True, timeout=60, check=False,
        env=harness.environment(XDG_RUNTIME_DIR=tmp_path, CITIES_STATE=tmp_path / "state"))
    assert asked.stdout == "Reykjavík, IS\n", asked.stderr
    assert {path: path.stat().st_mtime_ns for path in (ROOT / ".build-out").rglob("*")} == before
    gone = subprocess.run(
        ["contrib/build", "--uninstall"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert gone.returncode == 0, gone.stderr
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_findings_are_chosen_by_jq(tmp_path, small_index):
    installation = Installation(tmp_path / "installed", index=False)
    shutil.copy(small_index, installation.index)
    (installation.bin / "citiesctl-browse").unlink()
    path = f"{installation.bin}:{os.environ['PATH']}"
    [command] = [command for command in RUN if "| jq" in command]
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False,
        env=installation.environment(PATH=path))
    assert '"check": "program citiesctl-browse"' in done.stdout, done.stderr
