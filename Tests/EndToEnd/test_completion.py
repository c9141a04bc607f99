"""Tab in bash, zsh and fish, with the scripts that citiesctl prints, and the key that inserts a place."""

import contextlib
import json
import re

import harness
import pytest

# How each shell is started with a bare prompt, after a script that is read from FILE.
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SETUP = {
    "bash": "PS1='$ '; bind 'set enable-bracketed-paste off'; eval \"$(citiesctl {script} bash)\"; clear",
    "zsh": "PS1='$ '; autoload -Uz compinit; compinit -D -u; eval \"$(citiesctl {script} zsh)\"; clear",
    "fish": "function fish_prompt; echo -n '$ '; end; citiesctl {script} fish | source; clear",
}


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory):
    """A server on the samples."""
    server = harness.Server(tmp_path_factory.mktemp("samples"))
    yield server.with_samples()
    server.stop()


@pytest.fixture
def prompt(browse, shipped_server, tmp_path):
    """Starts a shell whose first line is a prompt, with the script of a command of citiesctl."""

    def start(shell, script="completion", rows=24, server=shipped_server):
        screen = browse(
            server, rows=rows, ready=None,
            command=["env", f"PATH={harness.BIN}:/usr/bin:/bin", "INPUTRC=/dev/null", *SHELLS[shell]],
            columns=100, HOME=tmp_path, HISTFILE="", XDG_CONFIG_HOME=tmp_path, XDG_DATA_HOME=tmp_path)
        screen.until(lambda lines: lines[0] != "", "a prompt")
        screen.type(SETUP[shell].format(script=script)).keys("Enter")
        screen.until(lambda lines: lines[0] == "$" and not any(lines[1:]), "a bare prompt")
        return screen

    return start


def complete(screen, typed, condition, what, key="Tab"):
    """Types a line and presses a key once; all of it again if nothing comes, as a completion gives up after 200 ms."""
    for _ in range(4):
        screen.type(typed).keys(key)
        with contextlib.suppress(AssertionError):
            return screen.until(condition, what, seconds=2)
        screen.keys("C-u")
    screen.type(typed).keys(key)
    return screen.until(condition, what)


def plain(line):
    """A line without quotes: a shell quotes the blanks and commas of a title as it likes."""
    return re.sub(r"['\\\\\"]", "", line)


COMPLETED = [
    ("show reykjavik,", "show Reykjavík, IS"), ("time reykjavk", "time Reykjavík, IS"),
    ("show --near longyearb", "show --near Longyearbyen, SJ"), ("near san francisco, u", "near san francisco, US"),
    ("map ho chi min", "map ho chi Minh City, VN"),
    ("country icel", "country Iceland"), ("search --columns pop", "search --columns population"),
    ("refresh swedbank-e", "refresh swedbank-ee"), ("shell-init fi", "shell-init fish"),
]


# fish compares letters itself, and leaves a word with other accents or an error: the first two.
@pytest.mark.parametrize(("shell", "typed", "then"), [
    (shell, *case) for shell in SHELLS for case in COMPLETED[2 if shell == "fish" else 0:]],
    ids=lambda value: value.split()[-1])
def test_tab_completes_what_one_candidate_fits(prompt, shell, typed, then):
    screen = prompt(shell)
    complete(screen, f"citiesctl {typed}", lambda lines: plain(lines[0]).startswith(f"$ citiesctl {then}"), then)


@pytest.mark.parametrize("typed", ["~/bin/citiesctl", "$HOME/bin/citiesctl"])
@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_after_a_path_that_the_shell_expands(prompt, tmp_path, shell, typed):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/citiesctl").symlink_to(harness.BIN / "citiesctl")
    screen = prompt(shell)
    complete(
        screen, f"{typed} country icel", lambda lines: plain(lines[0]).startswith(f"$ {typed} country Iceland"),
        "country Iceland")


# What the server alone knows: regions, ids, products, currencies and feeds.
KNOWN = [
    ("find --region bavar", "find --region Bavaria"), ("match --region bavar", "match --region Bavaria"),
    ("match -c eston", "match -c Estonia"), ("bank list --region alyt", "bank list --region Alytus"),
    ("bank show swedbank-lt-2", "bank show swedbank-lt-28648276"),
    ("product show sample-pa", "product show SAMPLE-PARTIAL"),
    ("rate convert 5 us", "rate convert 5 USD"), ("product list --in EUR,us", "product list --in EUR,USD"),
    ("rate list --base gb", "rate list --base GBP"), ("bank list --columns holi", "bank list --columns holiday"),
    ("feed enable trans", "feed enable transactions"), ("feed disab", "feed disable"),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_what_the_server_knows(prompt, sample_server, shell):
    screen = prompt(shell, server=sample_server)
    for typed, then in KNOWN:
        then = f"$ citiesctl {then}"
        complete(screen, f"citiesctl {typed}", lambda lines, then=then: plain(lines[0]).startswith(then), then)
        screen.keys("C-u", "C-l")
        screen.until(lambda lines: lines[0] == "$" and not any(lines[1:]), "a bare prompt")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(("typed", "listed"), [
    ("show New\\ Y", "New York City, US"), ("show sao\\ ", "São Paulo, BR"), ("show 'New Y", "New York City, US"),
    ("near san", "Santiago, CL"),
])
def test_a_word_that_several_titles_fit_is_left_and_they_are_listed_with_regions(prompt, shell, typed, listed):
    screen = prompt(shell, rows=80)
    lines = complete(
        screen, f"citiesctl {typed}\t", lambda lines: any(listed in line for line in lines[1:]), "a list")
    assert lines[0].rstrip() == f"$ citiesctl {typed}".rstrip()
    assert any(re.search(r"[A-Z][a-z]+, [0-9,]+", line) for line in lines[1:])


def test_bash_inserts_what_all_titles_begin_with(prompt):
    screen = prompt("bash")
    start = "$ citiesctl search New\\ York\\"
    complete(screen, "citiesctl search new\\ yor", lambda lines: lines[0] == start, "their start")
    screen.type("#").until(lambda lines: lines[0] == f"{start} #", "the blank after it")


NAMED = "A$(touch${IFS}$HOME/pwned)b"


@pytest.fixture(scope="module")
def named_server(tmp_path_factory):
    """A server whose products have names that shells could execute, and one that is like an option."""
    server = harness.Server(tmp_path_factory.mktemp("named"))
    source = server.folder / "transactions.json"
    source.write_text(json.dumps([{"sku": sku, "amount": "1.00", "currency": "EUR"} for sku in (NAMED, "Abc", "-nx")]))
    made = harness.run_sync(
        "run", "transactions", CITIES_STATE=server.state, CITIES_FEED_TRANSACTIONS=source)
    assert made.returncode == 0, made.stderr
    yield server.start()
    server.stop()


@pytest.mark.parametrize("key", ["C-t", "M-*"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_code_of_a_feed_is_not_executed_when_the_line_is_sent(prompt, named_server, tmp_path, quote, key):
    screen = prompt("bash", server=named_server)
    screen.type("bind '\"\\C-t\": menu-complete'; clear").keys("Enter")
    screen.until(lambda lines: lines[0] == "$" and not any(lines[1:]), "a bare prompt")
    complete(screen, f"citiesctl product show {quote}A", lambda lines: "touch" in lines[0], "the code", key)
    screen.keys("Enter")
    lines = screen.until(lambda lines: "$" in lines[1:], "the answer")
    assert key == "M-*" or any(NAMED in line for line in lines[1:])
    assert not (tmp_path / "pwned").exists()


def test_a_name_like_an_option_is_a_candidate_after_a_double_hyphen_alone(named_server):
    def offered(*words):
        return named_server.ctl("---complete", "product", "show", *words).stdout.splitlines()

    assert sorted(offered("")) == sorted(["titles", NAMED, "Abc"])
    assert sorted(offered("--", "")) == sorted(["titles", NAMED, "Abc", "-nx"])


@pytest.mark.parametrize("shell", SHELLS)
def test_a_key_inserts_a_chosen_place(prompt, shell):
    screen = prompt(shell, script="shell-init")
    screen.type("echo ").keys("C-x", "p")
    screen.until(lambda lines: any("Find:" in line for line in lines), "the screen of pick")
    screen.type("reykjavik,").until(lambda lines: any("Reykjavík, IS" in line for line in lines), "the city")
    screen.keys("Enter")
    screen.until(lambda lines: any(plain(line).startswith("$ echo Reykjavík, IS") for line in lines), "the title")


# A command line of each verb with --columns that prints rows of the samples.
WITH_COLUMNS = {
    "search": ["tallinn"], "find": ["tallinn"], "show": ["tallinn"], "within": ["59,24", "60,25"],
    "near": ["tallinn"], "time": ["tallinn"], "country": ["ee"], "distance": ["tallinn", "riga"],
    "bank regions": [], "bank list": [], "bank search": [""], "bank show": [], "bank near": ["tallinn"],
    "product list": [], "product show": [], "rate list": [], "rate convert": ["5", "USD", "EUR"], "status": [],
    "doctor": [], "feed": ["list"], "introspect": ["--methods"], "pick": ["--select-1", "reykjavik"], "session": [],
}


def test_every_verb_with_columns_is_tried():
    dumped = json.loads(harness.ctl("--experimental-dump-help").stdout)["command"]
    verbs = [("", one) for one in dumped["subcommands"] if not one["subcommands"]]
    verbs += [(f"{group['commandName']} ", one) for group in dumped["subcommands"] for one in group["subcommands"]]
    found = {
        group + one["commandName"] for group, one in verbs
        if any({"kind": "long", "name": "columns"} in argument["names"] for argument in one["arguments"])}
    # A refresh needs the sync service; its columns have a test of their own.
    assert found - {"refresh"} == set(WITH_COLUMNS)


@pytest.mark.parametrize("verb", WITH_COLUMNS)
def test_every_column_that_is_offered_is_accepted(sample_server, verb):
    words = verb.split(" ")
    offered = sample_server.ctl("---complete", *words, "--columns", "").stdout.splitlines()
    assert offered[0] == "words" and len(offered) > 1
    arguments = WITH_COLUMNS[verb]
    if verb in ("bank show", "product show"):
        listed = sample_server.ctl(words[0], "list", "-n", "1", "--columns", "id" if verb == "bank show" else "sku")
        arguments = [listed.stdout.strip()]
    asked = sample_server.ctl(
        *words, "-o", "tsv", "--columns", ",".join(offered[1:]), *arguments,
        input="tallinn\n" if verb == "session" else "")
    assert asked.returncode in (0, 4), asked.stderr
    rows = [line for line in asked.stdout.splitlines() if line and line[0] != "#"]
    assert rows and all(line.count("\t") == len(offered) - 2 for line in rows)
    if verb == "session":
        found = sample_server.ctl(*words, "--find", "--columns", ",".join(offered[1:]), input="tallinn\n")
        assert found.returncode == 0 and found.stdout.startswith("#1\t"), found.stderr
