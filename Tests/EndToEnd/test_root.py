"""Root and a state folder that belongs to somebody else: nothing outside it is touched, whatever its owner puts into
it.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import harness
import pytest
from chain import FEEDS, variable

# Numbers without names: no test needs a user to be made.
OWNER, GROUP, OTHER = 47_110, 47_120, 47_130
RATES = FEEDS["rates"].body

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="no root: there are no rights to give up")


@pytest.fixture
def place(tmp_path):
    """A folder that every user may enter, with a source to read and a state folder of another user."""
    for above in [tmp_path, *tmp_path.parents]:
        if "pytest" in str(above):
            above.chmod(0o755)
    (tmp_path / "rates.json").write_bytes(RATES)
    state = tmp_path / "state"
    state.mkdir()
    os.chown(state, OWNER, GROUP)
    return tmp_path


def sync(place, *arguments, state=None, user=None, umask=-1, **variables):
    """`citiesd-sync` with one local source, as root or as `user`, from a folder that everybody may enter."""
    program = place / "citiesd-sync"
    if not program.exists():
        shutil.copy(harness.BIN / "citiesd-sync", program)
    sources = {variable(feed): "" for feed in FEEDS} | {variable("rates"): place / "rates.json"}
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
        check=False, umask=umask,
        env=harness.environment(**{"CITIES_STATE": state or place / "state", **sources, **variables}),
        **({} if user is None else {"user": user, "group": GROUP, "extra_groups": []}))


def owners(folder):
    """The owner of everything below a folder."""
    return {(status.st_uid, status.st_gid) for status in (path.lstat() for path in folder.rglob("*"))}


def described(path):
    """Everything about a file or folder that an attack could change."""
    status = path.lstat()
    content = path.read_bytes() if stat.S_ISREG(status.st_mode) else sorted(os.listdir(path))
    return status.st_uid, status.st_gid, status.st_mode, status.st_nlink, content


@pytest.fixture
def victim(place):
    """A folder and a file of root's, which must stay as they are."""
    folder = place / "victim"
    folder.mkdir()
    (folder / "passwd").write_text("root:x:0:0\n")
    before = described(folder), described(folder / "passwd")
    yield folder
    after = described(folder), described(folder / "passwd")
    assert after[0] == before[0]
    # A hard link of the attacker's own making may stay.
    assert after[1][:3] + after[1][4:] == before[1][:3] + before[1][4:]


def test_what_root_writes_belongs_to_the_owner_of_the_folder(place):
    done = sync(place, "run", "rates")
    assert done.returncode == 0, done.stderr
    assert owners(place / "state") == {(OWNER, GROUP)}
    assert {path.name for path in (place / "state").iterdir()} >= {"sources", "trade.resident", "feeds.resident"}
    # And the owner goes on with it.
    again = sync(place, "run", "--force", "rates", user=OWNER)
    assert again.returncode == 0, again.stderr


def test_other_users_read_what_root_writes_whatever_its_umask(place):
    """The server may be another user; the stored copies stay the owner's."""
    done = sync(place, "run", "rates", umask=0o077)
    assert done.returncode == 0, done.stderr
    source = harness.write_list(place / "list.json", [harness.record(1, "Albany", "US")])
    built = sync(place, "build", source, place / "state/cities.index", umask=0o077)
    assert built.returncode == 0, built.stderr
    for name in ("trade.resident", "feeds.resident", "cities.index"):
        assert stat.S_IMODE((place / "state" / name).stat().st_mode) == 0o644, name
    assert stat.S_IMODE((place / "state/sources/rates.source").stat().st_mode) == 0o600


@pytest.mark.parametrize("owner, group", [(OWNER, GROUP), (0, 0)])
def test_other_users_enter_the_state_folder_that_root_makes(place, owner, group):
    above = place / "above"
    above.mkdir()
    os.chown(above, owner, group)
    state = above / "new/state"
    done = sync(place, "run", "rates", state=state, umask=0o077)
    assert done.returncode == 0, done.stderr
    for folder in (above / "new", state):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755, folder
    assert stat.S_IMODE((state / "sources").stat().st_mode) == 0o700
    assert {user for user, _ in owners(above)} == {owner}


def test_a_users_umask_holds_for_what_the_user_writes(place):
    state = place / "state/below"
    done = sync(place, "run", "rates", state=state, user=OWNER, umask=0o077)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert stat.S_IMODE((state / "trade.resident").stat().st_mode) == 0o600


def test_data_that_cannot_be_removed_is_reported(place):
    assert sync(place, "run", "rates").returncode == 0
    (place / "home").mkdir()
    (place / "home/sync.json").write_text("{}")
    sources = place / "state/sources"
    sources.chmod(0o500)
    done = switch(place, "disable", "--forget", "rates")
    assert done.returncode == 77, done
    assert "sources/rates.source: unlink: Permission denied" in done.stderr
    assert "its data is removed" not in done.stdout
    assert (place / "state/trade.resident").exists()
    sources.chmod(0o700)
    (sources / "rates.source.damaged-1700000000").write_bytes(b"damaged")
    os.chown(sources / "rates.source.damaged-1700000000", OWNER, GROUP)
    done = switch(place, "disable", "--forget", "rates")
    assert done.returncode == 0, done
    assert list(sources.iterdir()) == [] and not (place / "state/trade.resident").exists()


def test_root_has_given_up_every_right_before_it_reads_a_source(place):
    (place / "rates.json").chmod(0o600)
    done = sync(place, "run", "rates")
    assert done.returncode == 77, done.stderr
    assert "rates.json: open: Permission denied" in done.stderr


def test_a_link_in_the_place_of_the_stored_copies_is_not_followed(place, victim):
    (place / "state/sources").symlink_to(victim)
    done = sync(place, "run", "rates")
    assert done.returncode == 77
    assert "state/sources: a symbolic link, which is not followed here; remove it" in done.stderr


@pytest.mark.parametrize("name", [".feeds.lock", "sources/rates.source"])
@pytest.mark.parametrize("kind", ["symbolic link", "hard link"])
def test_a_link_in_the_place_of_a_file_is_refused(place, victim, name, kind):
    path = place / "state" / name
    path.parent.mkdir(exist_ok=True)
    os.chown(path.parent, OWNER, GROUP)
    if kind == "hard link":
        path.hardlink_to(victim / "passwd")
    else:
        path.symlink_to(victim / "passwd")
    done = sync(place, "run", "rates")
    assert done.returncode == 77, done.stdout + done.stderr
    assert name in done.stderr


@pytest.mark.parametrize("name", ["trade.resident", "feeds.resident"])
def test_a_link_in_the_place_of_a_resident_file_leads_nowhere(place, victim, name):
    (place / "state" / name).symlink_to(victim / "passwd")
    done = sync(place, "run", "rates")
    assert done.returncode == 74, done.stdout + done.stderr
    assert f"state/{name}: not a regular file, so it is not replaced" in done.stderr
    assert (place / "state" / name).is_symlink()


@pytest.mark.parametrize("absolute", [True, False])
def test_a_user_cannot_redirect_the_path_to_a_folder_of_root(place, victim, absolute):
    (place / "state").rmdir()
    home = place / "home"
    home.mkdir()
    os.chown(home, OWNER, GROUP)
    (home / "state").symlink_to(victim if absolute else Path("../victim"))
    os.lchown(home / "state", OWNER, GROUP)
    done = sync(place, "run", "rates", state=home / "state")
    assert done.returncode == 77
    assert f"user {OWNER} could redirect this path" in done.stderr


def test_a_link_of_root_is_followed(place):
    (place / "elsewhere").symlink_to(place / "state")
    done = sync(place, "run", "rates", state=place / "elsewhere")
    assert done.returncode == 0, done.stderr
    assert owners(place / "state") == {(OWNER, GROUP)}


def test_a_missing_folder_in_a_users_home_is_made_as_that_user(place):
    home = place / "home"
    home.mkdir()
    os.chown(home, OWNER, GROUP)
    done = sync(place, "run", "rates", state=home / "a/b")
    assert done.returncode == 0, done.stderr
    assert owners(home) == {(OWNER, GROUP)}


def test_a_folder_of_root_stays_roots_and_must_be_closed_to_others(place):
    own = place / "own"
    own.mkdir()
    assert sync(place, "run", "rates", state=own).returncode == 0
    assert owners(own) == {(0, 0)}
    own.chmod(0o777)
    done = sync(place, "run", "--force", "rates", state=own)
    assert done.returncode == 77
    assert f"use chmod go-w {own}" in done.stderr


def test_another_users_folder_is_refused_by_name(place):
    (place / "state").chmod(0o777)
    done = sync(place, "run", "rates", user=OTHER)
    assert done.returncode == 77
    assert f"the folder belongs to user {OWNER}, and this runs as user {OTHER}" in done.stderr


def test_an_index_that_root_builds_belongs_to_the_owner_of_its_folder(place, victim):
    source = harness.write_list(place / "list.json", [harness.record(1, "Albany", "US")])
    source.chmod(0o600)
    # Names like those of other programs' temporary files, which are nobody's remains.
    for name in (".other.tmp", ".cities.index.xyz.tmp"):
        (place / "state" / name).write_text("precious")
    (place / "state/.cities.index.0123456789abcdef.tmp").symlink_to(victim / "passwd")
    done = sync(place, "build", source, place / "state/cities.index")
    assert done.returncode == 0, done.stderr
    made = (place / "state/cities.index").stat()
    assert (made.st_uid, made.st_gid) == (OWNER, GROUP)
    assert (place / "state/.other.tmp").exists() and (place / "state/.cities.index.xyz.tmp").exists()
    assert sync(place, "verify", place / "state/cities.index").returncode == 0


def test_a_service_that_root_starts_becomes_the_owner(place):
    server = harness.Server(place)
    service = harness.Sync(server, CITIES_FEED_RATES=place / "rates.json").start()
    try:
        def ids():
            status = Path(f"/proc/{service.process.pid}/status").read_text()
            return dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)

        harness.until(lambda: ids()["Uid"].split() == [str(OWNER)] * 4, what="another user")
        ids = ids()
        assert ids["Gid"].split() == [str(GROUP)] * 4
        assert ids["Groups"].split() == [] and int(ids["CapEff"], 16) == 0 and int(ids["CapPrm"], 16) == 0
    finally:
        service.stop()


# Reading.


@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "link to a file"])
def test_root_opens_nothing_that_another_user_puts_in_the_place_of_a_file(place, kind, tmp_path):
    victim = place / "victim"
    if kind == "link to a file":
        victim.write_text("secret of root\n")
    for name in ("cities.index", "banks.resident", "trade.resident", "feeds.resident"):
        path = place / "state" / name
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(victim)
            if not victim.exists():
                os.mkfifo(victim)
        os.lchown(path, OWNER, GROUP)
    watched = [victim] if victim.exists() else list((place / "state").iterdir())
    trace = tmp_path / "trace"
    for words in (["search", "alb"], ["bank", "list"], ["doctor"]):
        subprocess.run(
            ["strace", "-f", "-qq", "-y", "-e", "trace=open,openat", "-o", trace, harness.BIN / "citiesctl", *words],
            env=harness.environment(CITIES_STATE=place / "state", XDG_RUNTIME_DIR=place), capture_output=True,
            timeout=60,
            check=False)
        opened = [line for line in trace.read_text().splitlines() if "O_PATH" not in line]
        assert opened, "nothing was traced"
        for path in watched:
            assert not [line for line in opened if f"<{path}>" in line], words


# Configuration.


def switch(place, *words):
    """`citiesd-sync feed` of root for a configuration in another user's folder."""
    own = {variable(feed): None for feed in FEEDS}
    return sync(place, "feed", *words, **own, CITIES_SYNC_CONFIG=place / "home/sync.json")


@pytest.mark.parametrize("words", [["enable", "swedbank-ee"], ["disable", "swedbank-lv"]])
def test_root_changes_nothing_where_a_users_link_leads(place, words):
    home, roots = place / "home", place / "roots"
    for folder in (home, roots):
        folder.mkdir()
    (home / "sync.json").write_text("{}")
    file = roots / "feed-swedbank-ee.json"
    file.write_text('{"feeds": {"swedbank-ee": {"url": ""}}}')
    (home / "sync.d").symlink_to(roots)
    for path in (home, home / "sync.json", home / "sync.d"):
        os.lchown(path, OWNER, GROUP)
    before = described(roots), described(file)
    done = switch(place, *words)
    assert done.returncode == 77, done
    assert f"user {OWNER} could redirect this path" in done.stderr
    assert (described(roots), described(file)) == before
    # In the user's own folder it goes on.
    (home / "sync.d").unlink()
    for feed in ("swedbank-lv", "swedbank-lt"):
        done = switch(place, "disable", feed)
        assert done.returncode == 0, done
    assert (home / "sync.d").stat().st_uid == OWNER
    assert stat.S_IMODE((home / "sync.d/feed-swedbank-lv.json").stat().st_mode) == 0o644


CITIES = 47_140
SECRET = "https://bank.example/r?token=s3cret"


@pytest.mark.parametrize("has_group", [True, False])
def test_a_secret_that_root_writes_is_for_root_and_the_services_alone(place, has_group):
    """The packages make the group; without it, the service is root's or the user's own."""
    groups = place / "group"
    others = [line for line in Path("/etc/group").read_text().splitlines() if not line.startswith("cities:")]
    groups.write_text("\n".join(others + [f"cities:x:{CITIES}:"] * has_group) + "\n")
    shutil.copy(harness.BIN / "citiesd-sync", place)
    (place / "sync.json").write_text("{}")
    own = harness.environment(
        CITIES_SYNC_CONFIG=place / "sync.json", CITIES_STATE=place / "state", CITIES_FEED_RATES=None)
    path = place / "sync.d/feed-rates.json"

    def run(*words):
        mounted = 'mount --bind "$0" /etc/group && exec "$@"'
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", mounted, groups, place / "citiesd-sync", *words], env=own,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, umask=0o077, check=False)

    done = run("feed", "enable", "rates", SECRET)
    assert done.returncode == 0, done.stderr
    status = path.stat()
    expected = (0, CITIES, 0o640) if has_group else (0, 0, 0o600)
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == expected
    for group, may in [(CITIES, has_group), (GROUP, False)]:
        read = subprocess.run(["cat", path], user=OWNER, group=group, extra_groups=[], capture_output=True, check=False)
        assert (read.returncode == 0) == may, read
    # The command that check prints has the same effect.
    path.chmod(0o644)
    os.chown(path, 0, 0)
    fault = run("check").stderr
    command = re.search(r": every user can read .*?; (.*)\n", fault)[1]
    assert command == (f"chgrp cities {path} && chmod 640 {path}" if has_group else f"chmod 600 {path}")
    # Without a secret, everybody may see it again.
    assert run("feed", "disable", "rates").returncode == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


# Sockets.


def served(place, path, program="citiesd", *arguments):
    """Starts a server as root on a socket of its own, and ends it once it listens; its exit status and messages."""
    variables = {"CITIES_SOCKET": path, "CITIES_SYNC_SOCKET": path, "CITIES_STATE": place / "state"}
    process = subprocess.Popen(
        [harness.BIN / program, *arguments], env=harness.environment(**variables), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    harness.until(lambda: harness.accepts(path) or process.poll() is not None, what="a socket or an end")
    if process.poll() is None:
        process.terminate()
    return process.wait(10), process.communicate()[0]


@pytest.mark.parametrize("program", [["citiesd"], ["citiesd-sync", "serve"]], ids=lambda words: words[0])
@pytest.mark.parametrize("mode, owner, reason", [
    (0o777, 0, "other users may change the folder"), (0o775, 0, "other users may change the folder"),
    (0o755, OWNER, f"belongs to user {OWNER}"), (0o1777, OWNER, f"belongs to user {OWNER}")])
def test_root_makes_no_socket_where_another_user_could_exchange_it(place, program, mode, owner, reason):
    folder = place / "open"
    (folder / "below").mkdir(parents=True)
    os.chown(folder, owner, GROUP)
    folder.chmod(mode)
    for path in (folder / "x.sock", folder / "below/x.sock"):
        status, messages = served(place, path, *program)
        assert status == 77, messages
        assert reason in messages and f"folder {folder}" in messages
        assert not path.exists()


def test_root_follows_no_link_of_another_user_to_a_socket(place):
    (place / "link").symlink_to(place / "victim")
    (place / "victim").mkdir()
    os.lchown(place / "link", OWNER, GROUP)
    status, messages = served(place, place / "link/x.sock")
    assert status == 77, messages
    assert f"the link {place}/link belongs to user {OWNER}" in messages
    assert not list((place / "victim").iterdir())


def test_root_makes_a_socket_in_a_folder_like_tmp_and_through_its_own_link(place):
    folder = place / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    (place / "link").symlink_to("tmp")
    for path in (folder / "x.sock", place / "link/x.sock"):
        status, messages = served(place, path)
        assert status == 0, messages


def test_a_stored_copy_is_its_owners_alone(place):
    """It holds the URL that it came from, whose query may be a secret."""
    assert sync(place, "run", "rates").returncode == 0
    assert stat.S_IMODE((place / "state/sources/rates.source").stat().st_mode) == 0o600


# Default paths.


@pytest.fixture
def foreign(place):
    """A server without data in XDG_RUNTIME_DIR, whose folders a test gives away."""
    server = harness.Server(place / "server").without_installed_list()
    (place / "runtime/cities").mkdir(parents=True)
    server.socket = place / "runtime/cities/citiesd.sock"
    server.variables["CITIES_SOCKET"] = server.socket
    yield server.start()
    server.stop()


def ctl(place, *words, **variables):
    """`citiesctl` without a named socket."""
    return harness.ctl(
        *words, variables={"CITIES_SOCKET": None, "XDG_RUNTIME_DIR": place / "runtime", **variables})


@pytest.mark.parametrize(("owned", "kind"), [
    ("runtime", "folder"), ("runtime/cities", "folder"), ("runtime/cities/citiesd.sock", "file")])
def test_a_socket_that_another_user_could_have_made_is_skipped_with_a_note(place, foreign, owned, kind):
    search = ["search", "tallinn", "--wait", "0"]
    assert ctl(place, *search).returncode != 0, "the server in one's own folder is used"
    os.chown(place / owned, OTHER, GROUP)
    reason = f"{foreign.socket}: not used: the {kind} {place / owned} belongs to user {OTHER}"
    done = ctl(place, "search", "tallinn")
    assert (done.returncode, done.stderr) == (0, f"citiesctl: {reason}\n"), done
    assert done.stdout.startswith("Tallinn, EE\t")
    done = ctl(place, "search", "tallinn", "--output", "json")
    assert done.stderr == f'{{"note":"socket","message":"{reason}"}}\n', done
    default = {"CITIES_SOCKET": None, "XDG_RUNTIME_DIR": place / "runtime"}
    done = harness.ctl("match", variables=default, input="Tallinn\n")
    assert done.returncode == 0 and done.stderr.count("not used") == 1, done
    # A path that the user names is used as given.
    for words, variables in [(["--socket", foreign.socket], {}), ([], {"CITIES_SOCKET": foreign.socket})]:
        done = ctl(place, *search, *words, **variables)
        assert done.returncode != 0 and "not used" not in done.stderr, done
    # Nor does a socket without a server, or one that the user may not reach, stop anybody.
    foreign.stop(9)
    assert ctl(place, "search", "tallinn").returncode == 0


def test_a_runtime_folder_that_the_user_may_not_enter_is_skipped_after_su(place, foreign):
    os.chown(place / "runtime", OTHER, GROUP)
    (place / "runtime").chmod(0o700)
    for program in ("citiesctl", "citiesd"):
        shutil.copy(harness.BIN / program, place)
    done = subprocess.run(
        [place / "citiesctl", "search", "tallinn"], user=OWNER, group=GROUP, extra_groups=[], capture_output=True,
        text=True, env=harness.environment(XDG_RUNTIME_DIR=place / "runtime", CITIES_STATE=place / "state"), timeout=30,
        check=False)
    assert done.stderr.startswith(
        f"citiesctl: {foreign.socket}: not used: the folder {place}/runtime belongs to user {OTHER}\n"), done
    assert done.returncode != 77, done


def test_the_python_package_skips_it_too(place, foreign):
    script = "import cities; print(cities.socket_paths()); print(cities.connect(private=False))"
    package = harness.ROOT / "contrib/integrations/python"

    def paths():
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False,
            env=harness.environment(XDG_RUNTIME_DIR=place / "runtime", PYTHONPATH=package))
        return done.stdout.splitlines(), done.stderr

    assert paths()[0][0] == f"['{foreign.socket}', '/run/cities/citiesd.sock']"
    for owned, kind in [("runtime/cities/citiesd.sock", "file"), ("runtime/cities", "folder"), ("runtime", "folder")]:
        os.chown(place / owned, OTHER, GROUP)
        found, messages = paths()
        assert found == ["['/run/cities/citiesd.sock']"], found
        reason = f"{foreign.socket} is not used: the {kind} {place / owned} belongs to user {OTHER}"
        assert f"RuntimeWarning: {reason}" in messages and "No such file" in messages, messages


def test_a_server_makes_no_socket_in_a_runtime_folder_of_somebody_else(place):
    (place / "runtime").mkdir()
    os.chown(place / "runtime", OTHER, GROUP)
    (place / "runtime").chmod(0o777)
    shutil.copy(harness.BIN / "citiesd", place)
    done = subprocess.run(
        [place / "citiesd"], user=OWNER, group=GROUP, extra_groups=[], capture_output=True, text=True, timeout=30,
        env=harness.environment(XDG_RUNTIME_DIR=place / "runtime", CITIES_STATE=place / "state"), check=False)
    assert done.returncode == 77, done
    assert f"the folder {place}/runtime belongs to user {OTHER}, so no socket is made below it" in done.stderr


LISTENER = """
import os, socket, sys
os.setgroups([])
os.setuid(int(sys.argv[2]))
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
while True:
    connection, _ = listener.accept()
    print(len(connection.recv(1_000)), flush=True)
"""


@pytest.mark.parametrize(("user", "is_used"), [(OTHER, False), (CITIES, False), (0, True), (999, True)])
def test_a_sync_service_of_another_user_beside_the_socket_is_not_asked(place, user, is_used):
    """The system's users, among them that of the packages' sync service, have numbers up to 999."""
    shared = place / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    path, received = shared / "sync.sock", place / "received"
    with received.open("w") as output:
        listener = subprocess.Popen(
            [sys.executable, "-c", LISTENER, path, str(user)], stdout=output)
    harness.until(path.exists, what="the listener")
    path.chmod(0o666)
    try:
        for named in (None, path):
            server = harness.Server(place / f"server-{bool(named)}")
            server.socket = shared / "citiesd.sock"
            server.variables |= {"CITIES_SOCKET": server.socket, "CITIES_SYNC_SOCKET": named}
            server.start()
            try:
                if named or is_used:
                    harness.until(lambda: set(received.read_text().split()) - {"0"}, what="a request")
                else:
                    expected = f"{path}: it belongs to user {user}, so it is not used"
                    harness.until(
                        lambda: expected in server.ctl("status", "--output", "json").stdout, what="the reason")
                    # The connections end without a byte.
                    assert set(received.read_text().split()) <= {"0"}
            finally:
                server.stop()
    finally:
        listener.terminate()
        listener.wait(10)


@pytest.mark.parametrize("words", [["here", "1.5,2.5"], ["here"], ["here", "--forget"]])
@pytest.mark.parametrize("link", [True, False])
def test_root_keeps_no_file_where_another_users_variables_lead(place, victim, words, link):
    home = place / "home"
    home.mkdir()
    if link:
        (home / "cities").symlink_to(victim)
        os.lchown(home / "cities", OWNER, GROUP)
    os.chown(home, OWNER, GROUP)
    done = harness.ctl(*words, variables={"XDG_CONFIG_HOME": home})
    assert done.returncode == 74, done
    assert f"the folder {home} belongs to user {OWNER}; use a folder that nobody else can change" in done.stderr
    assert sorted(os.listdir(home)) == ["cities"] * link
