"""The shipped units, as systemd itself judges them."""

import os
import subprocess

import pytest
from harness import BIN, ROOT

UNITS = ROOT / "contrib" / "systemd"
EXPOSURE = {"citiesd.service": 5, "citiesd-sync.service": 12}  # tenths, at most


def unit_files(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix in (".socket", ".service"))


def systemd_analyze(tmp_path, *arguments):
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_COLORS": "0"}
    return subprocess.run(
        ["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize("scope", ["system", "user"])
def test_verify_has_nothing_to_say(tmp_path, scope):
    folder = UNITS / "user" if scope == "user" else UNITS
    copies = []
    for name in unit_files(folder):
        text = (folder / name).read_text().replace("/usr/bin/citiesd", f"{BIN}/citiesd")
        copies.append(tmp_path / name)
        copies[-1].write_text(text)
    assert len(copies) == 4
    # Its exit status is 0 for an unknown key, too: any output is a finding.
    found = systemd_analyze(tmp_path, f"--{scope}", "verify", "--man=no", "--recursive-errors=no", *copies)
    assert (found.stdout + found.stderr, found.returncode) == ("", 0)


@pytest.mark.parametrize("name", EXPOSURE)
def test_the_exposure_stays_low(tmp_path, name):
    judged = systemd_analyze(
        tmp_path, "security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE[name]}", UNITS / name)
    assert judged.returncode == 0, judged.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """What `contrib/build --install` puts below a folder."""
    root = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [ROOT / "contrib" / "build", "--install", "--no-build", "--prefix", "/usr"], check=True, capture_output=True,
        env=os.environ | {"DESTDIR": str(root)})
    return root / "usr"


@pytest.mark.parametrize("name", unit_files(UNITS) + [f"user/{name}" for name in unit_files(UNITS / "user")])
def test_every_unit_names_pages_that_are_installed(installed, name):
    text = (UNITS / name).read_text()
    pages = next(line for line in text.splitlines() if line.startswith("Documentation=")).partition("=")[2].split()
    assert len(pages) >= 2
    for page in pages:
        kind, _, place = page.partition(":")
        if kind == "man":
            title, _, section = place.rstrip(")").partition("(")
            assert (installed / "share" / "man" / f"man{section}" / f"{title}.{section}").is_file(), page
        else:
            assert (installed / place.removeprefix("/usr/")).is_file(), page


@pytest.mark.parametrize(("source", "target"), [
    ("README.md", "README.md"), ("Protocol/README.md", "protocol/README.md"),
    ("Protocol/cities.cddl", "protocol/cities.cddl"), ("contrib/docs/decisions/README.md", "decisions/README.md"),
    ("contrib/data/README", "data/README"),
])
def test_no_installed_page_overwrites_another(installed, source, target):
    assert (installed / "share" / "doc" / "cities" / target).read_bytes() == (ROOT / source).read_bytes()


def test_no_service_takes_the_socket_folder_away():
    for path in [*UNITS.glob("*.service"), *UNITS.glob("user/*.service")]:
        text = path.read_text()
        for key in ("RuntimeDirectory=", "DynamicUser="):
            assert key not in text, f"{path.name} sets {key}"
