"""contrib/release, on a throwaway clone whose packages are made by a script of a few lines."""

import hashlib
import os
import re
import subprocess
from datetime import date, timedelta

import pytest
from harness import ROOT

NUMBER = "Sources/System/System/Program.swift"
CLIENT = "contrib/integrations/python/cities/__init__.py"
LOG = "contrib/docs/CHANGELOG.md"
HOLIDAYS = "contrib/data/holidays.tsv"
PAGES = sorted(path.name for path in (ROOT / "contrib" / "man").glob("*.[1-8]"))
AUTHOR = {
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid", "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid", "GIT_CONFIG_GLOBAL": "/dev/null",
}
# In the place of contrib/package: packages of the version in the sources, dated as they are asked to be.
PACKAGE = r"""#!/bin/bash
set -eu
cd "$(dirname "$0")/.."
version=$(sed -nE 's/.* number = "([0-9.]+)".*/\1/p' Sources/System/System/Program.swift)
rm -rf .build-out/packages
mkdir -p .build-out/packages
for name in cities citiesd; do echo "$SOURCE_DATE_EPOCH" >".build-out/packages/${name}_$version-1_amd64.deb"; done
echo "$SOURCE_DATE_EPOCH" >".build-out/packages/cities-$version-py3-none-any.whl"
"""


class Clone:
    def __init__(self, folder):
        self.folder = folder

    def git(self, *arguments):
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True, env=os.environ | AUTHOR)
        return done.stdout.strip()

    def write(self, path, text):
        (self.folder / path).write_text(text)

    def read(self, path):
        return (self.folder / path).read_text()

    def release(self, *arguments, has_passed=True):
        if has_passed:
            record = self.folder / f".build-out/logs/passed-all-{self.git('rev-parse', 'HEAD')}"
            record.parent.mkdir(parents=True, exist_ok=True)
            record.touch()
        return subprocess.run(
            [self.folder / "contrib/release", *arguments], capture_output=True, text=True, check=False,
            env=os.environ | AUTHOR)

    def state(self):
        return self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A repository of the files that a release reads and changes, as they are in the work tree."""
    clone = Clone(tmp_path_factory.mktemp("release"))
    for path in ("contrib/release", "contrib/generate", HOLIDAYS, LOG, NUMBER, CLIENT, ".gitignore",
                 *(f"contrib/man/{page}" for page in PAGES)):
        target = clone.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / path).read_bytes())
        target.chmod((ROOT / path).stat().st_mode)
    clone.write("contrib/package", PACKAGE)
    (clone.folder / "contrib/package").chmod(0o755)
    text = re.sub(r"## Unreleased\n.*?(?=\n## |\Z)", "## Unreleased\n\n- Something new.\n", clone.read(LOG), flags=re.S)
    clone.write(LOG, text)
    clone.git("init", "--quiet", "--initial-branch=main")
    clone.git("add", "--all")
    clone.git("commit", "--quiet", "--message=all")
    return clone


@pytest.fixture
def clone(committed, tmp_path):
    subprocess.run(["git", "clone", "--quiet", committed.folder, tmp_path / "clone"], check=True)
    return Clone(tmp_path / "clone")


def test_a_release_sets_the_number_the_heading_and_the_dates_and_tags_what_it_packaged(clone):
    done = clone.release("7.8.9")
    assert done.returncode == 0, done.stderr
    assert clone.git("tag") == "v7.8.9" and clone.git("status", "--porcelain") == ""
    assert clone.git("rev-parse", "v7.8.9^{commit}") == clone.git("rev-parse", "HEAD")
    assert clone.git("log", "-1", "--format=%s") == "release: 7.8.9"
    assert 'number = "7.8.9"' in clone.read(NUMBER)
    assert '\n__version__ = "7.8.9"\n' in clone.read(CLIENT)
    day = re.search(r"^## Unreleased\n\n## 7\.8\.9 - (\d{4}-\d\d-\d\d)\n\n- Something new\.$", clone.read(LOG),
        flags=re.M)
    assert day, clone.read(LOG)[:600]
    assert f"\ndate={day[1]}\n" in clone.read("contrib/generate")
    pages = {re.search(r"^\.Dd (.*)$", clone.read(f"contrib/man/{page}"), flags=re.M)[1]
             for page in PAGES}
    assert len(pages) == 1
    packages = clone.folder / ".build-out/packages"
    sums = dict(line.split()[::-1] for line in (packages / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {
        "cities_7.8.9-1_amd64.deb", "citiesd_7.8.9-1_amd64.deb", "cities-7.8.9-py3-none-any.whl", "NOTES.md"}
    assert (packages / "NOTES.md").read_text() == "\n- Something new.\n\n"
    for name, digest in sums.items():
        assert hashlib.sha256((packages / name).read_bytes()).hexdigest() == digest
    # contrib/package dates files by the commit: from the tag it makes the same bytes.
    assert (packages / "cities_7.8.9-1_amd64.deb").read_text().strip() == clone.git("log", "-1", "--format=%ct")


def test_a_dry_run_shows_the_changes_and_makes_none(clone):
    before = clone.state()
    done = clone.release("--dry-run", "7.8.9")
    assert done.returncode == 0, done.stderr
    assert '+  package static let number = "7.8.9"' in done.stdout and "+## 7.8.9 - " in done.stdout
    assert "v7.8.9" in done.stderr
    assert clone.state() == before and not (clone.folder / ".build-out/packages").exists()


@pytest.mark.parametrize(("version", "reason"), [
    ("1.2", "not a version: \"1.2\""), ("v1.2.3", "not a version"), ("1.2.3-rc1", "not a version"),
    ("01.2.3", "not a version"), ("0.0.1", "0.0.1 is lower than"), ("--force", "unknown option \"--force\""),
])
def test_a_version_that_is_none_or_too_low_is_refused(clone, version, reason):
    before = clone.state()
    done = clone.release(version)
    assert done.returncode == 1 and reason in done.stderr
    assert clone.state() == before


def test_a_version_is_needed(clone):
    assert "which version?" in clone.release().stderr
    assert "one version" in clone.release("1.2.3", "1.2.4").stderr


def test_a_dirty_tree_an_existing_tag_and_a_missing_branch_are_refused(clone):
    clone.git("tag", "v7.8.9")
    done = clone.release("7.8.9")
    assert done.returncode == 1 and "the tag v7.8.9 exists" in done.stderr
    clone.write("left-over", "")
    done = clone.release("7.9.0")
    assert done.returncode == 1 and "uncommitted changes" in done.stderr and "left-over" in done.stderr
    (clone.folder / "left-over").unlink()
    clone.git("switch", "--quiet", "--detach")
    done = clone.release("7.9.0")
    assert done.returncode == 1 and "no branch is checked out" in done.stderr


def test_a_commit_that_has_not_passed_every_test_is_refused(clone):
    before = clone.state()
    done = clone.release("7.8.9", has_passed=False)
    assert done.returncode == 1 and "has not passed contrib/test --all" in done.stderr
    assert clone.state() == before


def test_a_release_that_says_nothing_is_refused(clone):
    clone.write(LOG, clone.read(LOG).replace("- Something new.\n", ""))
    clone.git("commit", "--quiet", "--all", "--message=empty")
    done = clone.release("7.8.9")
    assert done.returncode == 1 and "is empty: add what users will notice" in done.stderr


@pytest.mark.parametrize("package",
    ["exit 3\n", "mkdir -p .build-out/packages; touch .build-out/packages/cities_1.0-1.deb\n"])
def test_a_failure_leaves_the_tree_as_it_was(clone, package):
    clone.write("contrib/package", f'#!/bin/bash\ncd "$(dirname "$0")/.."\n{package}')
    clone.git("commit", "--quiet", "--all", "--message=broken")
    before = clone.state()
    assert clone.release("7.8.9").returncode != 0
    assert clone.state() == before


def test_a_tag_that_cannot_be_made_takes_the_commit_back(clone):
    clone.git("config", "tag.gpgSign", "true")
    clone.git("config", "gpg.program", "false")
    before = clone.state()
    done = clone.release("7.8.9")
    assert done.returncode != 0 and "tagged" not in done.stderr
    assert clone.state() == before
    clone.git("config", "tag.gpgSign", "false")
    assert clone.release("7.8.9").returncode == 0


@pytest.mark.parametrize(("days", "status"), [(729, 1), (733, 0)])
def test_public_holidays_must_be_known_for_two_years(clone, days, status):
    last = date.today() + timedelta(days=days)
    clone.write(HOLIDAYS, f"#\t2020-01-01\t{last}\n")
    clone.git("commit", "--quiet", "--all", "--message=holidays")
    before = clone.state()
    done = clone.release("--dry-run", "7.8.9")
    assert done.returncode == status, done.stderr
    assert (f"public holidays are known only until {last}" in done.stderr) == bool(status)
    assert clone.state() == before
