"""contrib/build in a checkout that was moved, and the progress of contrib/package, with small stand-ins for tools."""

import gzip
import os
import re
import shutil
import subprocess

import pytest
from harness import OUT, ROOT

# In the place of the compiler: it keeps the path of its module cache, and stops at another one, as swiftc does.
SWIFT = r"""#!/bin/bash
set -eu
programs="citiesd citiesd-sync citiesctl-helper citiesctl"
while [ $# -gt 0 ]; do
  case $1 in
    --scratch-path) folder=$2; shift ;;
    --product) programs=$2; shift ;;
  esac
  shift
done
cache=$folder/x86_64-unknown-linux-gnu/release/ModuleCache
mkdir -p "${cache%/*}" "$folder/release"
printf 'commands:\n  outputs: ["%s"]\n' "$PWD/$folder/release/main" >"$folder/release.yaml"
if [ -e "$cache" ] && [ "$(cat "$cache")" != "$PWD" ]; then
  echo "error: precompiled file 'x.pcm' was compiled with module cache path '$(cat "$cache")', but the path is '$PWD'"
  exit 1
fi
echo "$PWD" >"$cache"
for program in $programs; do
  echo "$program" >>"$folder/built"
  cp program "$folder/release/$program"
done
"""
# In the place of the programs: an index of a few bytes.
PROGRAM = r"""#!/bin/bash
case $1 in
  build) echo index >"$5/cities-1.index" ;;
  translate) echo names >"$3" ;;
esac
"""
# In the place of dpkg-buildpackage: its lines about each package.
BUILDPACKAGE = r"""#!/bin/bash
echo "dpkg-buildpackage: info: source package cities"
for name in cities cities-data; do
  echo "dpkg-deb: building package '$name' in '../${name}_1-1_amd64.deb'."
  echo data >"../${name}_1-1_amd64.deb"
done
exit "${EXIT:-0}"
"""


def script(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def run(folder, name, *arguments, **variables):
    path = f"{folder / 'tools'}:{os.environ['PATH']}"
    return subprocess.run(
        [folder / "contrib" / name, *arguments], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"PATH": path, "SOURCE_DATE_EPOCH": "1000000000"} | variables)


@pytest.fixture
def checkout(tmp_path):
    """A checkout with what contrib/build reads, and a compiler."""
    folder = tmp_path / "checkout"
    script(folder / "tools" / "swift", SWIFT)
    script(folder / "program", PROGRAM)
    script(folder / "contrib" / "dependencies")
    shutil.copy(ROOT / "contrib" / "build", folder / "contrib")
    (folder / "contrib" / "data" / "sample").mkdir(parents=True)
    for name in ("cities.json.gz", "names.json.gz", "sample/rates.json"):
        (folder / "contrib" / "data" / name).write_text("{}")
    (folder / "contrib" / "data" / "citiesctl.order.gz").write_bytes(gzip.compress(b"main\n"))
    return folder


PROGRAMS = ["citiesd", "citiesd-sync", "citiesctl-helper", "citiesctl"]


def built(folder):
    """The programs that were built in the build folder of a checkout."""
    return (folder / ".build-release" / "built").read_text().split()


@pytest.mark.parametrize("move", [shutil.copytree, os.rename], ids=["copied", "moved"])
def test_a_checkout_at_another_path_is_built_from_scratch(checkout, tmp_path, move):
    first = run(checkout, "build")
    assert first.returncode == 0 and "build: clean build" in first.stderr, first.stderr
    assert built(checkout) == PROGRAMS
    # An end of the path that is equal is not the same path.
    other = tmp_path / "other" / checkout.relative_to("/")
    other.parent.mkdir(parents=True)
    move(checkout, other)
    again = run(other, "build")
    assert again.returncode == 0, again.stderr
    assert "build: .build-release was made at another path: removing it, and building from scratch\n" in again.stderr
    assert built(other) == PROGRAMS
    # As an earlier contrib/build, which stopped there, has left it.
    (other / ".build-release" / "x86_64-unknown-linux-gnu" / "release" / "ModuleCache").write_text("elsewhere")
    (other / ".build-release" / "programs.log").write_text("error: it was compiled with module cache path 'elsewhere'")
    stopped = run(other, "build")
    assert (stopped.returncode, stopped.stderr.count("another path")) == (0, 1), stopped.stderr
    assert built(other) == PROGRAMS
    third = run(other, "build")
    assert (third.returncode, third.stderr.count("another path")) == (0, 0), third.stderr
    assert built(other) == 2 * PROGRAMS


@pytest.fixture
def packaged(tmp_path):
    """A checkout with what contrib/package reads, and the programs of this one."""
    folder = tmp_path / "packaged"
    unused = shutil.ignore_patterns("cities.json.gz", "__pycache__")
    shutil.copytree(ROOT / "contrib", folder / "contrib", ignore=unused)
    shutil.copytree(ROOT / "Protocol", folder / "Protocol", ignore=shutil.ignore_patterns("vectors"))
    shutil.copytree(ROOT / ".github", folder / ".github")
    shutil.copy(ROOT / "README.md", folder)
    (folder / ".build-out").mkdir()
    for name in ("bin", "share"):
        (folder / ".build-out" / name).symlink_to(OUT / name)
    script(folder / "contrib" / "dependencies")
    script(folder / "tools" / "dpkg-buildpackage", BUILDPACKAGE)
    script(folder / "tools" / "lintian")
    return folder


def test_the_packages_say_what_takes_so_long(packaged):
    made = run(packaged, "package", "--no-build", "--lint", "--version", "1")
    assert made.returncode == 0, made.stderr
    assert re.sub(r"( +)\S+ +\d+\.\d+ MB\n", "", made.stderr).splitlines() == [
        "package: copying the files of version 1", "package: making the packages; the log is .build-out/packages/log",
        "package: compressing cities", "package: compressing cities-data",
        "package: checking the packages with lintian", "package: in .build-out/packages:"]
    assert "source package" in (packaged / ".build-out" / "packages" / "log").read_text()


def test_packages_of_an_interrupted_run_are_not_taken(packaged):
    (packaged / ".build-out" / "cities-data_0.0.1-1_all.deb").write_text("old")
    made = run(packaged, "package", "--no-build", "--version", "1")
    assert made.returncode == 0, made.stderr
    assert not list((packaged / ".build-out").rglob("*0.0.1*"))


def test_a_wheel_needs_the_programs_of_this_build(packaged, checkout):
    made = run(packaged, "package", "--no-build", "--wheel", "--version", "1")
    assert made.returncode == 1 and "static/citiesd is missing" in made.stderr
    assert run(checkout, "build").returncode == 0
    static = checkout / ".build-out" / "static"
    static.mkdir()
    assert run(checkout, "build").returncode == 0 and static.exists()
    script(checkout / "program", PROGRAM + "# another\n")
    assert run(checkout, "build").returncode == 0 and not static.exists()


def test_packages_that_cannot_be_made_show_the_log(packaged):
    made = run(packaged, "package", "--no-build", "--version", "1", EXIT="7")
    assert made.returncode == 1
    assert "info: source package cities" in made.stderr and "package: the packages could not be made" in made.stderr


def test_files_that_cannot_be_installed_are_reported(packaged):
    script(packaged / "contrib" / "build", "#!/bin/sh\necho 'install: no space left' >&2\nexit 3\n")
    made = run(packaged, "package", "--no-build", "--version", "1")
    assert (made.returncode, made.stderr.splitlines()) == (1, [
        "package: copying the files of version 1", "install: no space left",
        "package: the files could not be installed"])


FAULTS = sorted((ROOT / "Tests" / "Simulation" / "faults").glob("*.patch"))


def test_there_are_planted_faults():
    assert len(FAULTS) >= 10


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.stem)
def test_a_planted_fault_of_the_simulation_applies(fault):
    """contrib/simulate --faults would not find a fault that is not there."""
    applied = subprocess.run(
        ["git", "apply", "--check", fault], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert applied.returncode == 0, applied.stderr
