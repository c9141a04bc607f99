"""A store is cut off at every step, and the disk or a file is full at every size: old or new data, never neither, never
a mixture.
"""

import os
import resource
import shutil
import signal
import subprocess

import harness
import pytest
import stored
from chain import FEEDS, finder, variable
from tracing import Action, Tracer

# A feed of each subject.
CUT = [pytest.param("swedbank-ee", marks=pytest.mark.slow), "rates"]
KILLED = 128 + signal.SIGKILL


# The calls that open, change, name and close files.
ON_FILES = {
    "open", "openat", "write", "fsync", "fdatasync", "ftruncate", "close", "flock", "rename", "renameat", "renameat2",
    "unlink", "unlinkat", "mkdir", "mkdirat", "chown", "fchown", "linkat"}


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    return Tracer(tmp_path_factory.mktemp("tracer"))


def of_stores(calls):
    """The calls on files from the first file that is made exclusively (a temporary file) on."""
    on_files = [call for call in calls if call.name in ON_FILES]
    first = next(n for n, call in enumerate(on_files) if call.name == "openat" and call.arguments[2] & os.O_EXCL)
    return on_files[first:]


class Store:
    """A state folder with a feed's old data, and a source with new data."""

    def __init__(self, folder, feed):
        self.folder, self.feed = folder, feed
        self.old, self.source = folder / "old", folder / "source.json"
        self.resident = FEEDS[feed].resident
        self.source.write_bytes(FEEDS[feed].body)
        assert self.run(self.old).returncode == 0
        self.source.write_bytes(FEEDS[feed].other)
        assert self.run(self.copy("new")).returncode == 0
        self.sound = [self.contents(self.old), self.contents(folder / "new")]

    def variables(self, state):
        return {"CITIES_STATE": state, variable(self.feed): self.source}

    def run(self, state):
        return harness.run_sync("run", self.feed, **self.variables(state))

    def copy(self, name):
        return shutil.copytree(self.old, self.folder / name)

    def contents(self, state):
        """The body of the stored copy, and the resident file."""
        return stored.read(state, self.feed)[1], (state / self.resident).read_bytes()

    def check(self, state, what):
        """Old or new, file by file; then the next run leaves new data and nothing else."""
        body, resident = self.contents(state)
        assert body in (self.sound[0][0], self.sound[1][0]), f"{what}: a mixture of a stored copy"
        assert resident in (self.sound[0][1], self.sound[1][1]), f"{what}: a mixture of a resident file"
        assert (body, resident) != (self.sound[0][0], self.sound[1][1]), f"{what}: served, and not stored"
        again = self.run(state)
        assert (again.returncode, again.stderr) == (0, ""), f"{what}: {again.stderr}"
        assert self.contents(state) == self.sound[1], what
        left = [path.name for path in state.rglob("*") if path.name.endswith(".tmp") or "damaged" in path.name]
        assert left == [], f"{what} has left {left}"


@pytest.mark.parametrize("feed", CUT)
def test_a_kill_before_every_call_of_a_store_leaves_old_or_new_data(tmp_path, tracer, feed):
    store = Store(tmp_path, feed)

    def cut(name, action):
        """Stores with a kill before a call; the state folder and the status."""
        state = store.copy(name)
        done = subprocess.run(
            [*tracer.prefix("citiesd-sync", action), harness.BIN / "citiesd-sync", "run", feed], capture_output=True,
            text=True, env=harness.environment(**store.variables(state)), timeout=60, check=False)
        return state, done.returncode

    state, status = cut("whole", Action())
    assert (status, store.contents(state)) == (0, store.sound[1])
    calls = of_stores(tracer.calls())
    names = [call.name for call in calls]
    # Stored copy, resident file and report: each made beside, flushed, renamed, its folder flushed.
    assert (names.count("renameat"), names.count("fsync")) == (3, 6), names
    assert 25 <= len(calls) <= 300, f"{len(calls)} calls: {names}"
    print(f"{feed}: killed before each of {len(calls)} calls")
    for number, call in enumerate(calls, 1):
        state, status = cut(f"cut-{number}", Action("kill", call.site, call.nth))
        assert (status, tracer.has_acted()) == (KILLED, True), f"call {number}, {call.name}, was not reached"
        store.check(state, f"a kill before call {number}, {call.name}")
        shutil.rmtree(state)


FULL = """
set -eu
sync=$1 old=$2 out=$3 feed=$4
mkdir "$out"
for free in $(seq 0 4 88); do
  mkdir "$out/$free" "$out/mount-$free"
  mount -t tmpfs -o size=1m tmpfs "$out/mount-$free"
  state=$out/mount-$free/state
  cp -a "$old" "$state"
  available=$(df --output=avail -k "$state" | tail -n 1)
  dd if=/dev/zero of="$out/mount-$free/filler" bs=1k count=$((available - free)) status=none
  status=0
  CITIES_STATE=$state "$sync" run "$feed" >"$out/$free/stdout" 2>"$out/$free/stderr" || status=$?
  echo $status >"$out/$free/status"
  cp -a "$state" "$out/$free/state"
  umount "$out/mount-$free"
done
"""


@pytest.mark.parametrize("feed", CUT)
def test_a_disk_that_is_full_at_any_moment_leaves_old_or_new_data(tmp_path, feed, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("no root: a small disk cannot be mounted")
    monkeypatch.setitem(FEEDS, "swedbank-ee", FEEDS["swedbank-ee"].__class__(
        FEEDS["swedbank-ee"].body, finder("EE", 60), 4, FEEDS["swedbank-ee"].header, FEEDS["swedbank-ee"].resident))
    store, out = Store(tmp_path, feed), tmp_path / "full"
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", FULL, "full", harness.BIN / "citiesd-sync", store.old, out, feed],
        capture_output=True, text=True, env=harness.environment(**store.variables("")), timeout=120, check=False)
    if "unshare failed" in done.stderr:
        pytest.skip(f"no mount namespace: {done.stderr}")
    assert done.returncode == 0, done.stderr
    codes = {}
    for folder in sorted((path for path in out.iterdir() if path.name.isdigit()), key=lambda path: int(path.name)):
        codes[int(folder.name)] = int((folder / "status").read_text())
        if codes[int(folder.name)]:
            assert "No space left on device" in (folder / "stderr").read_text()
        store.check(folder / "state", f"{folder.name} KiB free")
    print(f"{feed}: exit codes by KiB free {codes}")
    assert set(codes.values()) == {0, 74}, f"the disk was never full, or always: {codes}"


def limited(size):
    """What gives a child a limit on the size of files, with the usual action of SIGXFSZ."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("feed", CUT)
def test_a_limit_on_the_size_of_files_leaves_old_or_new_data(tmp_path, feed):
    store = Store(tmp_path, feed)
    codes = {}
    largest = max(path.stat().st_size for path in (tmp_path / "new").rglob("*") if path.is_file())
    # The last size is enough for all files.
    for size in [*range(0, largest, max(largest // 12, 1)), largest + 4_096]:
        state = store.copy(f"limit-{size}")
        done = subprocess.run(
            [harness.BIN / "citiesd-sync", "run", feed], capture_output=True, text=True, preexec_fn=limited(size),
            env=harness.environment(**store.variables(state)), timeout=60, check=False)
        codes[size] = done.returncode
        if done.returncode:
            assert "File too large" in done.stderr, done.stderr
            assert not list(state.rglob("*.tmp"))
        store.check(state, f"files of {size} bytes")
    print(f"{feed}: exit codes by the limit in bytes {codes}")
    assert set(codes.values()) == {0, 74}, f"the limit was never reached, or always: {codes}"


def test_an_index_beyond_the_limit_on_the_size_of_files_is_not_begun(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [harness.record(n + 1, f"Place {n}") for n in range(2_000)])
    target = tmp_path / "cities.index"
    target.write_bytes(b"old")
    done = subprocess.run(
        [harness.BIN / "citiesd-sync", "build", source, target], capture_output=True, text=True,
        preexec_fn=limited(65_536), env=harness.environment(), timeout=60, check=False)
    assert (done.returncode, done.stdout) == (74, "")
    assert "File too large" in done.stderr and str(target.name) in done.stderr
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock") == ["cities.index", "list.json"]
