"""The files that `citiesctl` keeps for its user: read only if they are files, and replaced whole."""

import os
import re
import subprocess

import harness
import pytest


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cities").mkdir(mode=0o700)
    return tmp_path / "cities"


def here(folder, *words, tool=()):
    return subprocess.run(
        [*tool, harness.BIN / "citiesctl", "here", *words], env=harness.environment(XDG_CONFIG_HOME=folder.parent),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)


def test_a_pipe_in_the_place_of_the_position_is_not_waited_for(folder):
    os.mkfifo(folder / "here")
    done = here(folder)
    assert (done.returncode, done.stdout) == (74, "")
    assert done.stderr == f"citiesctl: {folder}/here: not a regular file; remove it\n"
    assert here(folder, "1.5,2.5").returncode == 0
    assert here(folder).stdout == "1.5,2.5\n"


def test_a_position_is_on_the_disk_before_it_takes_the_name_and_the_name_after(folder, tmp_path):
    log = tmp_path / "calls"
    done = here(folder, "59.4,24.7",
        tool=["strace", "-f", "-y", "-e", "trace=fsync,rename,renameat,renameat2", "-o", log])
    assert done.returncode == 0, done.stderr
    calls = re.findall(r"(fsync|rename)\w*\((?:\d+<([^>]*)>)?", log.read_text())
    temporary, folder_name = re.escape(f"{folder}/here."), str(folder)
    assert [name for name, _ in calls] == ["fsync", "rename", "fsync"]
    assert re.fullmatch(temporary + "[0-9a-f]+", calls[0][1]) and calls[2][1] == folder_name
    assert os.listdir(folder) == ["here"] and (folder / "here").read_text() == "59.4,24.7\n"
