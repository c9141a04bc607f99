"""Brings packages into a folder, by name and with the ordinary clients; nothing is installed outside of it.

Debian's packages come with those that they depend on and the machine lacks, unpacked and not configured, which needs no
rights. Python's go into a folder for PYTHONPATH.
"""

import subprocess
import sys
from pathlib import Path


class Missing(Exception):
    """A package that cannot be had, with the client's reason."""


def run(*words, **options):
    """What a client prints; raises Missing with its last line."""
    try:
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    except FileNotFoundError:
        raise Missing(f"no {words[0]} here") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Missing(lines[-1] if lines else f"{words[0]} failed")
    return done.stdout


def python(folder, *requirements, alone=False):
    """Puts packages of PyPI below `folder`, with their dependencies unless `alone`; their names and versions."""
    target = folder / "python"
    versions = dict(requirement.split("==") for requirement in requirements)
    if not all(
            (target / f"{name.replace('-', '_')}-{version}.dist-info").exists() for name, version in versions.items()):
        run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--upgrade", "--target",
            target, *(["--no-deps"] if alone else []), *requirements)
    return versions


def debian(folder, *names, alone=False):
    """Puts packages of Debian below `folder`/root, with their dependencies unless `alone`; their names and versions."""
    wanted = set(names)
    if not alone:
        planned = run("apt-get", "install", "--simulate", "--no-install-recommends", *names)
        wanted |= {line.split()[1] for line in planned.splitlines() if line.startswith("Inst ")}
    archives = folder / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    versions = {}
    for name in sorted(wanted):
        version = run("apt-cache", "show", "--no-all-versions", name).split("\nVersion: ")[1].splitlines()[0]
        if not list(archives.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")):
            run("apt-get", "download", name, cwd=archives)
        (archive,) = archives.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")
        run("dpkg", "--extract", archive, folder / "root")
        versions[name] = version
    return {name: versions[name] for name in names}


def library_path(folder):
    """The folders with the libraries of Debian's packages, as LD_LIBRARY_PATH takes them."""
    return ":".join(str(path) for path in sorted((folder / "root" / "usr" / "lib").glob("*-linux-gnu*")))


def variables(folder):
    """The environment in which the packages work."""
    return {"PYTHONPATH": str(folder / "python"), "LD_LIBRARY_PATH": library_path(folder)}


def root(folder):
    """Below it lie the files of Debian's packages."""
    return Path(folder) / "root"
