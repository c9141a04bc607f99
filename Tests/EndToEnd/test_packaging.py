"""The configuration in the packages: dpkg itself installs, upgrades and removes a package with the real scripts."""

import hashlib
import re
import shutil
import subprocess

import pytest
from harness import ROOT

SCRIPTS = ROOT / "contrib" / "packaging" / "debian"
SHIPPED = ROOT / "contrib" / "systemd" / "sync.json"
EDITED = '{"limits": {"total": 60}}\n'
# As the packages had it when it was a conffile with a copy of each default; older ones said "timezone".
FORMER = """{
  "feeds": {
    "cities": {"url": "", "interval": 3600},
    "swedbank-ee": {"url": "https://www.swedbank.ee/finder.json", "interval": 3600},
    "swedbank-lv": {"url": "https://ib.swedbank.lv/finder.json", "interval": 3600},
    "swedbank-lt": {"url": "https://ib.swedbank.lt/finder.json", "interval": 3600},
    "imaginary": {"url": "", "interval": 3600, "country": "", "zone": ""},
    "rates": {"url": "https://android-ios-service.herokuapp.com/rates", "interval": 3600, "headers": {}},
    "transactions": {"url": "https://android-ios-service.herokuapp.com/transactions", "interval": 3600, "headers": {}}
  },
  "tls": {"caFile": ""},
  "limits": {"bytes": 67108864, "connect": 10, "total": 120, "stall": 20},
  "loss": {"percent": 50, "records": 20}
}
"""


def committed():
    """The versions of the file in the history; none without a history."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False).stdout

    path = SHIPPED.relative_to(ROOT)
    return [git("show", f"{commit}:{path}") for commit in git("log", "--format=%H", "--", path).split()]


def test_the_script_knows_every_file_that_was_shipped():
    known = set(re.findall(r"\b[0-9a-f]{64}\b", (SCRIPTS / "citiesd.postinst").read_text()))
    for text in {SHIPPED.read_text(), FORMER, FORMER.replace('"zone"', '"timezone"'), *committed()}:
        found = hashlib.sha256(text.encode()).hexdigest()
        assert found in known, (
            f"add {found} to citiesd.postinst (contrib/generate does) and remove none: an upgrade replaces only files "
            f"whose checksum is there, and machines have this version:\n{text}")


class Machine:
    """A root with a database of dpkg's, and nothing else."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        self.file = self.root / "etc/cities/sync.json"
        for name in ("updates", "info", "triggers"):
            (self.root / "var/lib/dpkg" / name).mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()

    def dpkg(self, *arguments):
        # Without a terminal, dpkg fails where it would ask.
        return subprocess.run(
            ["dpkg", f"--root={self.root}", "--force-not-root", "--force-script-chrootless", f"--log={self.folder}/log",
             *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)

    def install(self, version, conffile=None):
        """Installs a package of that version: today's, or an older one whose configuration is a conffile."""
        tree = self.folder / version
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: citiesd\nVersion: {version}\nArchitecture: all\nMaintainer: x <x@x.invalid>\nDescription: x\n")
        if conffile is None:
            for name in ("postinst", "postrm"):
                shutil.copy(SCRIPTS / f"citiesd.{name}", tree / "DEBIAN" / name)
                (tree / "DEBIAN" / name).chmod(0o755)
            target = tree / "usr/share/cities/sync.json"
        else:
            (tree / "DEBIAN/conffiles").write_text("/etc/cities/sync.json\n")
            target = tree / "etc/cities/sync.json"
        target.parent.mkdir(parents=True)
        target.write_text(SHIPPED.read_text() if conffile is None else conffile)
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, f"{tree}.deb"], capture_output=True,
            check=True)
        shutil.rmtree(tree)
        self.dpkg("--install", f"{tree}.deb")


@pytest.fixture
def machine(tmp_path):
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no dpkg")
    return Machine(tmp_path)


def test_a_first_installation_has_the_shipped_file_and_a_purge_removes_it(machine):
    machine.install("2")
    assert machine.file.read_text() == SHIPPED.read_text()
    assert machine.file.stat().st_mode & 0o777 == 0o644
    machine.dpkg("--remove", "citiesd")
    assert machine.file.exists()
    machine.dpkg("--purge", "citiesd")
    assert not machine.file.parent.exists()


@pytest.mark.parametrize("former", [None, FORMER, FORMER.replace('"zone"', '"timezone"')])
@pytest.mark.parametrize("state", ["pristine", "edited", "removed", "a link"])
def test_an_upgrade_replaces_a_pristine_file_and_leaves_all_others(machine, former, state):
    machine.install("1", conffile=former) if former else machine.install("1")
    elsewhere = machine.folder / "own.json"
    if state == "edited":
        machine.file.write_text(EDITED)
    elif state != "pristine":
        elsewhere.write_text(machine.file.read_text())
        machine.file.unlink()
    if state == "a link":
        machine.file.symlink_to(elsewhere)
    machine.install("2")
    if state == "pristine":
        assert machine.file.read_text() == SHIPPED.read_text()
    elif state == "edited":
        assert machine.file.read_text() == EDITED
    else:
        assert machine.file.is_symlink() == (state == "a link") and not (state == "removed" and machine.file.exists())
    assert [path.name for path in machine.file.parent.glob("*")] == ([] if state == "removed" else ["sync.json"])
    machine.dpkg("--purge", "citiesd")
    assert not machine.file.parent.exists()
