"""A private server if no server is running: `citiesd --private`, connected by a socket pair."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
import weakref

#: The program.
SERVER = "citiesd"
#: Seconds to wait for the program to exit after its socket is closed; then it is killed.
_PATIENCE = 1.0
#: Its exit code for options that it does not know.
_WRONG_USE = 2
#: Bytes of its last message that an error quotes.
_LONGEST_MESSAGE = 2_000


#: Where pip installs the programs of the wheel, seen from this package: below `lib/python3.N/site-packages`, or in the
#: folder of `pip install --target`.
_FOLDERS = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *up, "bin") for up in ([".."] * 4, [".."])]


def program(name: str) -> str | None:
    """A program: that of this package, else that beside the running Python, else the first in PATH."""
    folders = [*map(os.path.normpath, _FOLDERS), os.path.dirname(sys.executable or ""), *os.get_exec_path()]
    return shutil.which(name, path=os.pathsep.join(folder for folder in folders if os.path.isabs(folder)))


def server_program(path: str) -> str:
    """The program `citiesd`; FileNotFoundError names what to install, and `path`, the socket that does not exist."""
    found = program(SERVER)
    if not found:
        raise FileNotFoundError(
            errno.ENOENT, f"no server is running, and there is no program {SERVER} to start: install the package"
            f" {SERVER}, or put the program into a folder of PATH; no such socket", path)
    return found


class PrivateServer:
    """A running `citiesd --private`, which answers on `socket` alone.

    The other socket is its standard input. It inherits nothing else, and Ctrl-C does not reach it. It exits at the end
    of input, however this process ends. `end` waits for it, so that no zombie is left; the garbage collector and the
    exit of the interpreter do the same. A forked child closes its copies, so that the server does not
    outlive the parent.
    """

    def __init__(self, program: str):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        # A pipe would have to be drained continuously. Some builds of Python lack memfd_create.
        self._messages = os.memfd_create(SERVER) if hasattr(os, "memfd_create") else os.open(os.devnull, os.O_RDWR)
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [program, "--private"], stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=self._messages,
                    start_new_session=True)
        except BaseException:
            self.socket.close()
            os.close(self._messages)
            raise
        self._end = weakref.finalize(self, _end, self._process, self.socket, self._messages)
        _running.add(self)

    def end(self) -> None:
        """Closes the socket and waits until the program has exited; after a second it is killed."""
        self._end()

    def failure(self) -> str:
        """Says why the program exited before its first answer, and ends it."""
        self.socket.close()
        message = ""
        status = _exit_status(self._process)
        if self._end.alive:
            message = os.pread(self._messages, _LONGEST_MESSAGE, 0).decode(errors="replace").strip().rpartition("\n")[2]
        self._end()
        if status == _WRONG_USE:
            reason = "it does not accept the options of this package: install the same version of both"
        else:
            reason = f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"
        return f"{reason} ({message})" if message else reason

    def abandon(self) -> None:
        """Closes what a forked child has inherited; the program belongs to its parent."""
        if self._end.detach():
            self.socket.close()
            os.close(self._messages)
            # Not waited for, and not reported as still running.
            self._process.returncode = 0


_running: weakref.WeakSet[PrivateServer] = weakref.WeakSet()


def _end(process: subprocess.Popen[bytes], own: socket.socket, messages: int) -> None:
    try:
        # Reaches the server even if something else has inherited the socket.
        own.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    own.close()
    _exit_status(process)
    os.close(messages)


def _exit_status(process: subprocess.Popen[bytes]) -> int:
    """The exit status of a program whose input has ended, negative for a signal."""
    try:
        return process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _abandon_all() -> None:
    for server in list(_running):
        server.abandon()


os.register_at_fork(after_in_child=_abandon_all)
