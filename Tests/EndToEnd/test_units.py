"""The shipped units, as systemd itself judges them."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from harness import BIN, PREBUILT, ROOT

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
    ("contrib/data/README", "data/README"), ("contrib/integrations/python/README.md", "python.md"),
])
def test_no_installed_page_overwrites_another(installed, source, target):
    """Their links differ."""
    one, other = (re.sub(r"\[|\]\(.*?\)|\]", "", path.read_text()) for path in (
        ROOT / source, installed / "share" / "doc" / "cities" / target))
    assert one == other


def links(page):
    """The targets of the links in a page, without those to other sites."""
    return [target.split("#")[0] for target in re.findall(r"\]\(([^()\s]+)\)", page.read_text())
            if "://" not in target and not target.startswith("#")]


def test_every_link_of_the_installed_pages_leads_somewhere(installed):
    folder = installed / "share" / "doc" / "cities"
    pages = sorted(folder.rglob("*.md"))
    names = {page.name for page in pages}
    assert {"README.md", "SECURITY.md", "installing.md", "monitoring.md", "python.md", "recipes.md"} < names
    found = [(page, target) for page in pages for target in links(page)]
    for page, target in found:
        assert (page.parent / target).exists(), f"{page.relative_to(folder)}: {target}"
    # Only pages for contributors are not installed.
    assert len(links(folder / "README.md")) == len(links(ROOT / "README.md")) - 1
    assert len(found) > 60


def test_no_service_takes_the_socket_folder_away():
    for path in [*UNITS.glob("*.service"), *UNITS.glob("user/*.service")]:
        text = path.read_text()
        for key in ("RuntimeDirectory=", "DynamicUser="):
            assert key not in text, f"{path.name} sets {key}"


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def contrib_build(*arguments, **environment):
    return subprocess.run(
        [ROOT / "contrib" / "build", *map(str, arguments)], capture_output=True, text=True, check=False,
        env=os.environ | {name: str(value) for name, value in environment.items()})


def test_uninstalling_removes_what_was_installed_and_nothing_else(tmp_path):
    own = tmp_path / "opt/cities/share/cities/cities.json"
    own.parent.mkdir(parents=True)
    own.write_text("[]")
    where = ["--prefix", "/opt/cities"]
    assert contrib_build("--install", "--no-build", *where, DESTDIR=tmp_path).returncode == 0
    assert (tmp_path / "opt/cities/bin/citiesd").exists()
    done = contrib_build("--uninstall", *where, DESTDIR=tmp_path)
    assert done.returncode == 0, done.stderr
    assert files_below(tmp_path) == {"opt/cities/share/cities/cities.json"}
    assert not (tmp_path / "opt/cities/bin").exists()
    again = contrib_build("--uninstall", *where, DESTDIR=tmp_path)
    assert again.returncode == 1 and "manifest is missing" in again.stderr


def test_folders_that_were_there_stay(tmp_path):
    kept = [tmp_path / "usr/local" / name for name in ("bin", "lib", "share/man")]
    for folder in kept:
        folder.mkdir(parents=True)
    for _ in range(2):
        assert contrib_build("--install", "--no-build", DESTDIR=tmp_path).returncode == 0
    done = contrib_build("--uninstall", DESTDIR=tmp_path)
    assert done.returncode == 0, done.stderr
    assert files_below(tmp_path) == set() and all(folder.is_dir() for folder in kept)
    assert sorted(path.name for path in (tmp_path / "usr/local").iterdir()) == ["bin", "lib", "share"]


def test_a_prefix_in_another_spelling_is_the_same(tmp_path):
    for prefix in ("/opt//cities/", "/opt/./cities", "/opt/cities"):
        done = contrib_build("--install", "--no-build", f"--prefix={prefix}", DESTDIR=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "opt/cities/bin/citiesd").exists(), prefix
    # As an installation before the prefix was read so has left it.
    manifest = tmp_path / "opt/cities/share/cities/manifest"
    manifest.write_text(manifest.read_text().replace("/opt/cities/", "/opt/cities//"))
    assert contrib_build("--install", "--no-build", "--prefix=/opt/cities", DESTDIR=tmp_path).returncode == 0
    assert (tmp_path / "opt/cities/bin/citiesd").exists()
    assert contrib_build("--uninstall", "--prefix=/opt/cities/", DESTDIR=tmp_path).returncode == 0
    assert files_below(tmp_path) == set()


@pytest.mark.parametrize("prefix", ["/opt/my programs", "/opt/R&D", "/opt/100%", "/opt/a|b", "/opt/[a", "/opt/a*"])
def test_a_prefix_that_units_would_read_differently_is_refused(tmp_path, prefix):
    done = contrib_build("--install", "--no-build", "--prefix", prefix, DESTDIR=tmp_path)
    assert done.returncode == 1 and f'found "{prefix}"' in done.stderr
    assert not any(tmp_path.iterdir())


def test_services_see_their_programs_below_opt(tmp_path):
    done = contrib_build("--install", "--no-build", "--prefix", "/opt/cities", DESTDIR=tmp_path)
    assert "systemctl link /opt/cities/lib/systemd/system/*" in done.stderr
    unit = (tmp_path / "opt/cities/lib/systemd/system/citiesd.service").read_text()
    assert "ExecStart=/opt/cities/bin/citiesd\n" in unit
    assert "-/srv" in unit and "-/opt" not in unit


def test_services_of_the_system_are_not_installed_below_a_home_folder(tmp_path):
    prefix = Path("/", "home", "somebody", ".local")
    done = contrib_build("--install", "--no-build", "--prefix", prefix, DESTDIR=tmp_path, HOME="/nonexistent")
    assert done.returncode == 0 and "no units" in done.stderr
    assert not list(tmp_path.rglob("*.service"))
    assert "no units" in contrib_build("--install", "--no-build", "--prefix=/tmp/x", DESTDIR=tmp_path).stderr


def test_the_folders_of_an_installation_without_a_list_of_them_are_removed(tmp_path):
    where = ["--prefix=/usr"]
    assert contrib_build("--install", "--no-build", *where, DESTDIR=tmp_path).returncode == 0
    manifest = tmp_path / "usr/share/cities/manifest"
    manifest.write_text("".join(line for line in manifest.open() if not line.endswith("/\n")))
    for arguments in (["--install", "--no-build"], ["--uninstall"]):
        assert contrib_build(*arguments, *where, DESTDIR=tmp_path).returncode == 0
    assert files_below(tmp_path) == set() and not list(tmp_path.rglob("cities"))


def test_the_root_folder_is_a_prefix(tmp_path):
    for arguments in (["--install", "--no-build"], ["--uninstall"]):
        done = contrib_build(*arguments, "--prefix=/", DESTDIR=tmp_path)
        assert done.returncode == 0, done.stderr
    assert files_below(tmp_path) == set()


def test_a_manifest_that_leads_elsewhere_is_refused(tmp_path):
    manifest = tmp_path / "usr/local/share/cities/manifest"
    manifest.parent.mkdir(parents=True)
    for victim in ("/usr/local/../../victim", "/victim"):
        (tmp_path / "victim").write_text("kept")
        manifest.write_text(f"{victim}\n")
        done = contrib_build("--uninstall", DESTDIR=tmp_path)
        assert done.returncode == 1 and f"not below /usr/local: {victim}" in done.stderr
        assert (tmp_path / "victim").read_text() == "kept"


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
@pytest.mark.skipif(
    not all(folder.stat().st_mode & 0o001 for folder in (ROOT, *ROOT.parents)), reason=f"others cannot enter {ROOT}")
def test_a_user_installs_below_the_home_folder(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    for folder in [home, *home.parents[: len(home.parents) - 2]]:
        folder.chmod(0o755)
    os.chown(home, 65534, 65534)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "DESTDIR", f"HOME={home}",
         ROOT / "contrib/build", "--install", "--no-build", "--prefix", home / ".local"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "as root" not in done.stderr and "systemctl --user enable" in done.stderr
    unit = (home / ".local/share/systemd/user/citiesd.service").read_text()
    assert f"ExecStart={home}/.local/bin/citiesd" in unit
    assert not (home / ".local/lib").exists(), "units of the system's"


def test_installing_another_version_removes_the_files_that_it_does_not_have(tmp_path):
    share = tmp_path / "opt/cities/share/cities"
    share.mkdir(parents=True)
    old = share / "cities-1.index"
    old.write_text("of an older version")
    own = share / "cities-2.index"
    own.write_text("somebody's own")
    (share / "manifest").write_text("/opt/cities/share/cities/cities-1.index\n")
    done = contrib_build("--install", "--no-build", "--prefix", "/opt/cities", DESTDIR=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not old.exists() and own.exists()
    assert [path.name for path in share.glob("cities-*.index") if path != own] == [PREBUILT.name]
