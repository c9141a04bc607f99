"""contrib/dependencies on made-up machines: what it installs, and what it reports when it cannot."""

import os
import re
import subprocess

import pytest
from harness import ROOT

WANTED_SWIFT = (ROOT / ".swift-version").read_text().strip()

DPKG_QUERY = r"""#!/bin/bash
format=''
for argument; do
  case $argument in
    --showformat=*) format=${argument#*=} ;;
    --*) ;;
    *)
      while read -r name version; do
        [[ $name == $argument ]] || continue
        line=${format//'${db:Status-Status}'/installed}
        line=${line//'${Package}'/$name}
        printf '%b' "${line//'${source:Upstream-Version}'/$version}"
      done <"$MACHINE/installed"
      grep -q "^$argument " "$MACHINE/installed" || status=1
      ;;
  esac
done
exit ${status:-0}
"""

APT_GET = r"""#!/bin/bash
echo "$*" >>"$MACHINE/apt.log"
[[ " $* " == *" install "* ]] || exit 0
for argument; do
  case $argument in
    --* | install) ;;
    *)
      ! grep -qx "$argument" "$MACHINE/unavailable" || { echo "E: Unable to locate package $argument" >&2; exit 100; }
      echo "$argument 1" >>"$MACHINE/installed"
      ;;
  esac
done
"""


class Machine:
    """Programs that answer as those of a Debian machine with the given packages would."""

    def __init__(self, folder, installed=("libgcc-s1 12.2.0",), user=0, unavailable=(), swift=None):
        self.folder = folder
        (folder / "installed").write_text("".join(f"{line}\n" for line in installed))
        (folder / "unavailable").write_text("".join(f"{name}\n" for name in unavailable))
        self.program("dpkg-query", DPKG_QUERY)
        self.program("apt-get", APT_GET)
        self.program("id", f"#!/bin/bash\necho {user}\n")
        self.program("sudo", "#!/bin/bash\nexit 1\n")
        self.program("swift", swift or f"#!/bin/bash\necho 'Swift version {WANTED_SWIFT} (swift-RELEASE)'\n")

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, script, *arguments):
        environment = os.environ | {"PATH": f"{self.folder}:/usr/bin:/bin", "MACHINE": str(self.folder)}
        return subprocess.run(
            [ROOT / "contrib" / script, *arguments], capture_output=True, text=True, env=environment, check=False)

    def installed(self):
        return {line.split()[0] for line in (self.folder / "installed").read_text().splitlines()}

    def apt_calls(self):
        log = self.folder / "apt.log"
        return log.read_text().splitlines() if log.exists() else []


@pytest.mark.parametrize(
    ("installed", "package"),
    [
        (["libgcc-s1 12.2.0"], "libstdc++-12-dev"),
        (["libgcc-s1 14.2.0"], "libstdc++-14-dev"),
        (["libgcc-s1 14.2.0", "libgcc-9-dev 9.5.0", "libgcc-13-dev 13.3.0"], "libstdc++-13-dev"),
    ],
    ids=["Debian 12", "Debian 13", "the newest GCC that is installed"])
def test_the_cxx_library_is_that_of_the_gcc_that_clang_uses(tmp_path, installed, package):
    machine = Machine(tmp_path, installed)
    result = machine.run("dependencies", "build")
    assert result.returncode == 0, result.stderr
    assert {name for name in machine.installed() if name.startswith("libstdc++")} == {package}


def test_what_the_toolchain_needs_is_installed_with_the_build(tmp_path):
    machine = Machine(tmp_path)
    machine.run("dependencies", "build")
    assert {"libxml2", "libsqlite3-0", "binutils", "libc6-dev", "git"} <= machine.installed()


def test_nothing_is_installed_a_second_time(tmp_path):
    machine = Machine(tmp_path)
    machine.run("dependencies", "build", "quickstart")
    calls = machine.apt_calls()
    assert len(calls) == 2  # update, install
    second = machine.run("dependencies", "build", "quickstart")
    assert (second.returncode, second.stderr, machine.apt_calls()) == (0, "", calls)


def test_missing_packages_are_listed_by_name_for_a_user_who_cannot_install_them(tmp_path):
    machine = Machine(tmp_path, user=1000)
    result = machine.run("dependencies", "quickstart", "test")
    assert result.returncode == 1
    assert result.stderr == (
        "dependencies: missing packages; install them as root: "
        "apt-get install --no-install-recommends systemd shellcheck mandoc man-db groff-base\n")
    assert machine.apt_calls() == []


def test_what_apt_did_not_install_is_listed_by_name(tmp_path):
    machine = Machine(tmp_path, unavailable=["libutf8proc-dev"])
    result = machine.run("dependencies", "build")
    assert result.returncode == 1
    assert re.search(r"^dependencies: apt-get did not install: .*\blibutf8proc-dev\b", result.stderr, re.MULTILINE)
    assert "E: Unable to locate package libutf8proc-dev" in result.stderr


@pytest.mark.parametrize(
    ("swift", "message"),
    [
        ("#!/bin/bash\necho 'swift: error while loading shared libraries: libxml2.so.2' >&2\nexit 127\n",
         "swift does not start: swift: error while loading shared libraries: libxml2.so.2"),
        ("#!/bin/bash\necho 'Swift version 5.10.1 (swift-5.10.1-RELEASE)'\n",
         f"swift is version 5.10.1: install Swift {WANTED_SWIFT} or later from https://www.swift.org/install"),
    ],
    ids=["does not start", "too old"])
def test_a_toolchain_that_cannot_be_used_is_reported_before_the_build(tmp_path, swift, message):
    result = Machine(tmp_path, swift=swift).run("dependencies", "build")
    assert (result.returncode, result.stderr.splitlines()[-1]) == (1, f"dependencies: {message}")


def test_an_unknown_purpose_is_refused(tmp_path):
    result = Machine(tmp_path).run("dependencies", "build", "everything")
    assert (result.returncode, result.stderr) == (
        1, 'dependencies: unknown purpose "everything": use build, translations, quickstart, test, e2e, '
            'slow, engines, package or fresh-root\n')


def test_the_quickstart_installs_a_socket_activator_and_nothing_for_tests(tmp_path):
    machine = Machine(tmp_path, [])
    assert machine.run("dependencies", "quickstart").returncode == 0
    assert machine.installed() == {"systemd"}
    calls = re.findall(r"contrib/dependencies +([a-z0-9 -]+)", (ROOT / "contrib" / "quickstart").read_text())
    assert {purpose for call in calls for purpose in call.split()} == {"build", "quickstart"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "must run as root: it makes namespaces and mounts in them"),
        (["--release", "sid"], '--release must be one of: bookworm trixie; found "sid"'),
        (["--only=build"], '--only must be quickstart, test or wheel, found "build"'),
        (["--root"], "--root needs a value"),
    ])
def test_a_fresh_root_is_refused_with_the_reason(tmp_path, arguments, message):
    result = Machine(tmp_path, user=1000).run("test-fresh-root", *arguments)
    assert (result.returncode, result.stderr) == (1, f"test-fresh-root: {message}\n")
