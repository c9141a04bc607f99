"""Scenarios of contrib/torture in which the maintainer scripts of the Debian packages are disturbed."""

import shutil

import torture_base
import torture_errors
from harness import ROOT
from torture_base import Bad

SCRIPT = ROOT / "contrib" / "packaging" / "debian" / "citiesd.postinst"
SHIPPED = ROOT / "contrib" / "systemd" / "sync.json"


class Configure(torture_base.Scenario):
    """`citiesd.postinst configure`, which installs the configuration below another root."""

    def prepare(self):
        self.program = self.name.split()[-1]
        self.root = self.folder / "root"
        self.installed = self.root / "etc" / "cities" / "sync.json"

    def configure(self, command):
        return self.perform([*command, "configure", ""], {"DPKG_ROOT": self.root})

    def run(self):
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / "usr" / "share" / "cities").mkdir(parents=True)
        shutil.copy(SHIPPED, self.root / "usr" / "share" / "cities")
        status, _, err = self.configure(self.traced("sh", SCRIPT))
        is_there = self.installed.exists()
        if is_there and self.installed.read_bytes() != SHIPPED.read_bytes():
            raise Bad(f"half a configuration, with status {status}")
        if status == 0 and is_there:
            return "right"
        if status == 0:
            raise Bad(f"status 0 without the configuration: {torture_base.last(err)}")
        if status > 128:
            raise Bad(f"{torture_errors.describe(status)}: {torture_base.last(err)}")
        # Other statuses are the shell's and those of the programs that it runs. dpkg runs the script again.
        again = self.configure(["sh", SCRIPT])
        if again[0] != 0 or self.installed.read_bytes() != SHIPPED.read_bytes():
            raise Bad(f"the next run ends with status {again[0]}: {torture_base.last(again[2])}")
        return "refused"


SCENARIOS = dict.fromkeys(["configure: dash", "configure: mkdir", "configure: install", "configure: mv"], Configure)
