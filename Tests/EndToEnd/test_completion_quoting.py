"""Names are foreign text: what Tab and Ctrl-X p insert in bash, zsh and fish, the shell reads as one literal word."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import termios

import harness
import pytest

# Stands in for the program: it answers with a file, and records what the shell makes of a line that is sent.
STAND_IN = """#!/bin/sh
home="${0%/*}"
case "$1" in
---complete) printf '%s\\0' "$@" >"$home/new"; mv "$home/new" "$home/asked"; cat "$home/answer" ;;
pick) cat "$home/answer"; touch "$home/asked" ;;
*) printf '%s\\0' "$@" >"$home/new"; mv "$home/new" "$home/sent" ;;
esac
"""
STARTED = {"bash": "bash --norc --noprofile -i", "zsh": "zsh -f -i", "fish": "fish --no-config -i"}
# Each counts its prompts in a file: a key may make the shell write the same prompt again.
SETUP = {
    "bash": "PROMPT_COMMAND='echo >>~/prompts'; PS2='op''en '; set -H; bind 'set enable-bracketed-paste off'; "
            "bind 'set completion-query-items 0'; bind '\"\\C-t\": menu-complete'; source {script}; "
            "eval \"$(declare -f _citiesctl | sed '1s/_citiesctl/recorded/')\"; "
            "_citiesctl() {{ echo $COMP_TYPE >>~/types; recorded; }}; {setting}",
    "zsh": "precmd() {{ echo >>~/prompts }}; PS2='op''en '; autoload -Uz compinit; compinit -D -u; "
           "bindkey '^T' menu-complete; source {script}; {setting}",
    "fish": "function counted --on-event fish_prompt; echo >>~/prompts; end; source {script}; {setting}",
}
SCRIPTS = {
    "bash": ("citiesctl", "key.bash"), "zsh": ("_citiesctl", "key.zsh"), "fish": ("citiesctl.fish", "key.fish")}
TAB, MENU, ALL, LIST = "\t", "\x14", "\x1b*", "\x1b?"
# How bash reports each kind of completion (COMP_TYPE), with a setting and the key.
KINDS = {
    9: ("", TAB), 63: ("", LIST), 33: ("set show-all-if-ambiguous on", TAB),
    64: ("set show-all-if-unmodified on", TAB), 37: ("", MENU), 42: ("", ALL)}
INSERTING = [("bash", TAB), ("bash", MENU), ("bash", ALL), ("zsh", TAB), ("zsh", MENU), ("fish", TAB)]

NAMES = [
    "A$(touch${IFS}pwned)b", "A`touch${IFS}pwned`b", "A;touch pwned", "A'$(touch pwned)'b", 'A"$(touch pwned)"b',
    "A\\$(touch pwned)", "A\\;touch pwned", "'$(touch pwned)", '"$(touch pwned)', "A'", 'A"', "A\\", "A\\\\", "A!touch",
    "A!!b !-1 !$", "=ls", "-x", "#x", "A*?[a-z]", "{a,b}", "A>pwned", "A|touch pwned&", "A<(touch pwned)", "a:b=c@d",
    "São Paulo, BR", "A%s%n", "^a^b", "A$HOME", "A\\'b;touch pwned", 'A\\";touch pwned', "a:`touch pwned`", "~root",
    "a=~/$(touch pwned)", "x\\:y"]
CONTEXTS = ["", "'", '"', "--in=", '--in="', "--in='"]
# Lines in which quotes mean something else, and what ends them. fish knows the first three.
NESTED = [
    ('echo "$(citiesctl show ', ')"'), ('echo $(citiesctl show "', ")"), ('echo "$(citiesctl show "', ')"'),
    ("echo `citiesctl show ", "`"), ('echo `citiesctl show "', "`"), ("echo `citiesctl show '", "`"),
    ("echo $'\\'$(citiesctl show ", ")"), ("citiesctl show $'", "'"), ('citiesctl show $"', '"'),
    ('citiesctl show "$(echo "', ')"')]


def some(names, number):
    """A third of the names, by a number that differs from test to test; all with CITIES_TEST_ALL."""
    return names if "CITIES_TEST_ALL" in os.environ else names[number % 3::3]


class Prompt:
    """A shell on a terminal, in an empty folder."""

    def __init__(self, shell, folder, setting=""):
        self.shell, self.home, self.work, self.shown = shell, folder / "bin", folder / "work", b""
        self.home.mkdir()
        self.work.mkdir()
        (self.home / "citiesctl").write_text(STAND_IN)
        (self.home / "citiesctl").chmod(0o755)
        script = self.home / "script"
        script.write_text("\n".join(
            (harness.ROOT / "contrib/completions" / name).read_text() for name in SCRIPTS[shell]))
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(self.work)
            os.execvpe(STARTED[shell].split()[0], STARTED[shell].split(), {
                "PATH": f"{self.home}:/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm", "INPUTRC": "/dev/null",
                "LANG": "C.UTF-8", "HISTFILE": "", "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.prompts = folder / "prompts"
        self.wait(lambda: self.shown, "a prompt")
        self.type(SETUP[shell].format(script=script, setting=setting) + "\r")
        self.wait(self.prompts.exists, "a prompt")

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait(self, condition, what, seconds=10):
        """Reads what the shell writes until a condition holds."""
        def met():
            if select.select([self.terminal], [], [], 0)[0]:
                self.shown += os.read(self.terminal, 1 << 16)
            return condition()
        harness.until(met, seconds, what)

    def complete(self, typed, keys, answer, seconds=10):
        """Types a line and keys that complete it, which the program answers within some seconds."""
        (self.home / "answer").write_text(answer)
        for name in ("asked", "sent"):
            (self.home / name).unlink(missing_ok=True)
        self.shown = b""
        self.type(typed + keys)
        self.wait((self.home / "asked").exists, f"a question after {typed!r}", seconds)

    def send(self, end=""):
        """Sends the line: the words that the program gets, without its name; None if a quote is open."""
        self.shown, count = b"", self.prompts.stat().st_size
        self.type(f"{end}\r")
        with contextlib.suppress(AssertionError):
            self.wait(lambda: self.prompts.stat().st_size > count or b"open " in self.shown, "a prompt", 3)
        if self.prompts.stat().st_size == count:
            # The terminal drops what is typed before an interrupt is taken; fish reads it as any key.
            for _ in range(5):
                self.type("\x03")
                with contextlib.suppress(AssertionError):
                    self.wait(lambda: self.shell == "fish" or self.prompts.stat().st_size > count, "a prompt", 3)
                    break
            else:
                raise AssertionError("no prompt after five interrupts")
        sent = self.home / "sent"
        return sent.read_text().split("\0")[:-1] if sent.exists() else None

    def is_clean(self):
        """Whether no name was executed: each would make a file."""
        return not list(self.work.iterdir())

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


@pytest.fixture
def prompt(tmp_path):
    """Starts a shell."""
    started = []

    def start(shell, setting=""):
        started.append(Prompt(shell, tmp_path, setting))
        return started[-1]

    yield start
    for one in started:
        one.close()


def candidates(shell, kind, names, start=""):
    """An answer with names, each with a description, and the names; fish leaves out what it would expand."""
    names = [f"{start}{name}" for name in names if shell != "fish" or name[0] != "~"]
    return f"{kind}\n" + "".join(f"{name}\tSome (thing)\n" for name in names), names


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("shell", "key"), INSERTING)
def test_one_candidate_is_inserted_as_one_literal_word(prompt, shell, key, context):
    screen = prompt(shell)
    for name in some(NAMES, CONTEXTS.index(context)):
        for kind in ("titles", "words"):
            answer, names = candidates(shell, kind, [name], context.rstrip("'\""))
            if names:
                screen.complete(f"citiesctl show {context}", key, answer)
                assert (screen.send(), screen.is_clean()) == (["show", *names], True), (name, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_bash_describes_several_candidates_where_it_lists_them_and_inserts_none(prompt, kind):
    setting, key = KINDS[kind]
    screen = prompt("bash", setting and f"bind '{setting}'")
    for name in NAMES:
        for typed in ("B", "'B", '"B', "--in=B"):
            start, names = "--in=" if "=" in typed else "", [f"{name} 1", "Other, XX"]
            answer, _ = candidates("bash", "titles", names, start)
            screen.complete(f"citiesctl show {typed}", key, answer)
            if kind in (63, 33, 64):
                screen.wait(lambda: screen.shown.count(b"(Some (thing))") == 2, "a list")
            [_, *words] = screen.send(typed[0] if typed[0] in "'\"" and kind not in (37, 42) else "")
            words[0] = words[0].removeprefix(start)
            assert screen.is_clean() and (screen.home.parent / "types").read_text().split()[-1] == str(kind)
            assert words in {37: [names[:1], names[1:]], 42: [names, names[::-1]]}.get(kind, [["B"]])


@pytest.mark.parametrize("key", [TAB, MENU, ALL])
def test_a_start_that_candidates_share_is_one_literal_word_too(prompt, key):
    screen = prompt("bash")
    for name in NAMES:
        for quote in ("", "'", '"'):
            screen.complete(f"citiesctl show {quote}", key, candidates("bash", "words", [f"{name}1", f"{name}2"])[0])
            [_, *words] = screen.send()
            assert screen.is_clean()
            assert words == {TAB: [name], MENU: [f"{name}1"], ALL: [f"{name}1", f"{name}2"]}[key]


@pytest.mark.parametrize(("shell", "key", "line", "end"), [
    (shell, key, *case) for shell, key in INSERTING for case in NESTED[:3 if shell == "fish" else None]])
def test_nothing_is_executed_where_quotes_mean_something_else(prompt, shell, key, line, end):
    screen = prompt(shell)
    # fish, which prints no prompt there, takes 3 s for each.
    names = NAMES[::8] if shell == "fish" else some(NAMES, NESTED.index((line, end)))
    for name in names:
        try:
            screen.complete(line, key, candidates(shell, "titles", [name])[0], 2 if name == names[0] else 10)
        except AssertionError:
            assert name == names[0]
            return  # The shell does not ask there.
        screen.send(end)
        assert screen.is_clean(), name


def is_quirk(shell, name, quote):
    """Whether a shell completes a file in its own way: the word is another one, or its quote stays open."""
    return {
        # A user's home, and an event of the history.
        "bash": name[0] == "~" or (quote == '"' and "!" in name),
        "zsh": quote == "'" and "'" in name,
        "fish": quote != "" or name[0] in "-~" or "\n" in name or "\t" in name,
    }[shell]


@pytest.mark.parametrize("quote", ["", "'", '"'])
@pytest.mark.parametrize(("shell", "key"), INSERTING)
def test_a_file_is_inserted_as_one_literal_word(prompt, shell, key, quote):
    screen = prompt(shell)
    for name in [*NAMES, "A\n$(touch pwned)", "A\tb"]:
        if "/" not in name and not is_quirk(shell, name, quote):
            (screen.work / name).touch()
            screen.complete(f"citiesctl show {quote}", key, "files\n")
            words = screen.send()
            (screen.work / name).unlink()
            assert (words, screen.is_clean()) == (["show", name], True), name


@pytest.mark.parametrize("line", ["citiesctl show ", "citiesctl show 'A", 'citiesctl show "A', "citiesctl show A\\'"])
@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_key_inserts_a_title_as_one_literal_word(prompt, shell, line):
    screen = prompt(shell)
    for name in NAMES:
        screen.complete(line, "\x18p", f"{name}\n")
        before = line.removeprefix("citiesctl show ").lstrip("'\"").replace("\\", "")
        assert (screen.send(), screen.is_clean()) == (["show", before + name], True), name


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "line", "end"), [
    (shell, *case) for shell in SCRIPTS for case in NESTED[:3 if shell == "fish" else None]])
def test_the_key_executes_nothing_where_quotes_mean_something_else(prompt, shell, line, end):
    screen = prompt(shell)
    # fish, which prints no prompt there, takes 3 s for each.
    for name in NAMES[::8] if shell == "fish" else NAMES:
        try:
            screen.complete(line, "\x18p", f"{name}\n", 2 if name == NAMES[0] else 10)
        except AssertionError:
            assert name == NAMES[0]
            return  # The shell does not ask there.
        screen.send(end)
        assert screen.is_clean(), name
