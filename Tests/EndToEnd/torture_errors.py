"""Which error numbers a system call can return, for the tracer that has calls fail (tracer.c).

The numbers are those that the manual page of the call allows and that can occur with its arguments: a file on a disk
has no EPIPE, a call on a descriptor that blocks no EAGAIN. Left out are

- numbers that only a wrong argument causes: they do not come from outside;
- EINTR of calls on files and folders: the programs catch no signal that could interrupt them;
- memory that is not a file's or a thread's stack: a program without memory for its objects ends with a trap of Swift's
  runtime, and Linux promises more than it has;
- a script that the shell cannot read: it takes that for the end;
- EAGAIN and parts from a connection that a server reads: it waits for edges (epoll(7)), and the kernel returns them
  only where another edge follows.
"""

import errno
import os
import signal

# Flags of open(2), mmap(2), recv(2), fcntl(2), flock(2), clone(2) and getrandom(2) as the kernel numbers them.
O_CREAT, O_PATH, MAP_ANONYMOUS, MAP_STACK, MSG_DONTWAIT = 0o100, 0o10000000, 0x20, 0x20000, 0x40
F_DUPFD, F_SETLK, F_SETLKW, F_SETLEASE, F_DUPFD_CLOEXEC, F_UNLCK = 0, 6, 7, 1024, 1030, 2
LOCK_NB, PROT_WRITE = 4, 2
# Memory from which on what becomes writable is a thread's stack, and not a piece of malloc(3)'s.
STACK = 1 << 20

FULL = ["ENOSPC", "EDQUOT"]
TABLE_FULL = ["EMFILE", "ENFILE"]
# What a call on a path can return because of the path.
ON_PATH = ["EACCES"]
# Calls with errors that depend on nothing.
FIXED = {
    "fsync": ["EIO", *FULL], "fdatasync": ["EIO", *FULL], "ftruncate": ["EIO"], "fallocate": ["EIO", *FULL],
    "close": ["EIO", "EINTR", *FULL], "msync": ["EIO"],
    "rename": [*ON_PATH, *FULL], "renameat": [*ON_PATH, *FULL], "renameat2": [*ON_PATH, *FULL],
    "link": [*ON_PATH, "EIO", *FULL], "linkat": [*ON_PATH, "EIO", *FULL],
    "symlink": [*ON_PATH, "EIO", *FULL], "symlinkat": [*ON_PATH, "EIO", *FULL],
    "unlink": [*ON_PATH, "EIO"], "unlinkat": [*ON_PATH, "EIO"], "rmdir": ON_PATH,
    "mkdir": [*ON_PATH, *FULL], "mkdirat": [*ON_PATH, *FULL],
    "chmod": [*ON_PATH, "EIO"], "fchmod": ["EIO"], "fchmodat": [*ON_PATH, "EIO"],
    "chown": [*ON_PATH, "EIO"], "fchown": ["EIO"], "fchownat": [*ON_PATH, "EIO"],
    "access": [*ON_PATH, "EIO"], "faccessat": [*ON_PATH, "EIO"], "faccessat2": [*ON_PATH, "EIO"],
    "stat": ON_PATH, "lstat": ON_PATH, "statfs": [*ON_PATH, "EIO"], "fstatfs": ["EIO"],
    "readlink": [*ON_PATH, "EIO"], "readlinkat": [*ON_PATH, "EIO"], "chdir": [*ON_PATH, "EIO"], "getcwd": ON_PATH,
    # Not on its page, but a damaged disk returns it.
    "getdents64": ["EIO"],
    "socket": [*TABLE_FULL, "EACCES"], "socketpair": TABLE_FULL, "bind": ON_PATH,
    "connect": ["EACCES", "EAGAIN", "EINTR"], "accept": ["EINTR", *TABLE_FULL], "accept4": ["EINTR", *TABLE_FULL],
    "epoll_create1": TABLE_FULL, "eventfd2": TABLE_FULL, "timerfd_create": TABLE_FULL, "signalfd4": TABLE_FULL,
    "inotify_init1": TABLE_FULL, "inotify_add_watch": ["EACCES", "ENOSPC"], "memfd_create": TABLE_FULL,
    "pidfd_open": TABLE_FULL, "pipe": TABLE_FULL, "pipe2": TABLE_FULL, "dup": TABLE_FULL[:1], "dup2": ["EMFILE"],
    "dup3": ["EMFILE"], "poll": ["EINTR"], "ppoll": ["EINTR"], "select": ["EINTR"], "pselect6": ["EINTR"],
    "epoll_wait": ["EINTR"], "epoll_pwait": ["EINTR"], "wait4": ["EINTR"], "waitid": ["EINTR"],
    "nanosleep": ["EINTR"], "clock_nanosleep": ["EINTR"],
    "clone": ["EAGAIN"], "clone3": ["EAGAIN"], "fork": ["EAGAIN"], "vfork": ["EAGAIN"],
    "execve": ["EACCES", "EIO", *TABLE_FULL],
    "mlock": ["ENOMEM", "EAGAIN"], "madvise": ["ENOMEM", "EIO"],
}
READS = {"read", "pread64", "readv", "recvfrom", "recvmsg"}
WRITES = {"write", "pwrite64", "writev", "sendto", "sendmsg"}
MOVES = READS | WRITES | {"sendfile", "copy_file_range"}
DIVISIBLE = {"file", "pipe", "stream", "tty"}


def device(call):
    """The kind of a call's descriptor, whether it blocks or not."""
    return call.kind.rstrip("+")


def blocks(call):
    """Whether a call that moves bytes waits until it can."""
    flags = {"recvfrom": 3, "sendto": 3, "recvmsg": 2, "sendmsg": 2}.get(call.name)
    return not call.kind.endswith("+") and not (flags and call.arguments[flags] & MSG_DONTWAIT)


def errors(call, program):
    """The names of the errors that a call can return in a program."""
    if program == "dash" and call.name == "read":
        return []
    if call.name in MOVES:
        return [name for name in moved(call) if name != "EAGAIN" or not waits_for_edges(call, program)]
    if call.name in ("open", "openat"):
        flags = call.arguments[1 if call.name == "open" else 2]
        return [*ON_PATH, *TABLE_FULL] + (FULL if flags & O_CREAT else [])
    if call.name == "newfstatat":
        # With an empty path, as fstat(2) calls it, there is no path to be denied.
        return [] if call.arguments[3] & 0x1000 else ON_PATH
    if call.name == "fcntl":
        return controlled(call.arguments[1], call.arguments[2])
    if call.name == "flock":
        return ["EAGAIN"] if call.arguments[1] & LOCK_NB else ["EINTR"]
    if call.name == "mmap":
        return mapped(call.arguments[3])
    if call.name == "mprotect":
        return [] if call.arguments[2] & PROT_WRITE and call.arguments[1] < STACK else ["ENOMEM"]
    if call.name == "epoll_ctl":
        return ["ENOSPC", "ENOMEM"] if call.arguments[1] == 1 else []
    if call.name == "connect":
        # Others than Unix sockets do not block, and an address of theirs is short.
        return [name for name in FIXED["connect"] if name != "EINTR" or call.arguments[2] > 28]
    if call.name == "ioctl":
        return ["EIO", "EINTR"] if device(call) == "tty" else []
    if call.name == "getrandom":
        return ["EINTR"]
    return FIXED.get(call.name, [])


def moved(call):
    """Errors of calls that move bytes."""
    is_reading, kind = call.name in READS, device(call)
    # What has its own messages, such as signalfd(2), is always ready when it is read or written.
    if kind not in ("file", "folder", "pipe", "stream", "datagram", "tty", "device"):
        return []
    found = [] if kind in ("file", "folder") else ["EINTR"]
    if not blocks(call) and kind in ("pipe", "stream", "datagram", "tty"):
        found.append("EAGAIN")
    if kind in ("file", "tty"):
        found.append("EIO")
    if kind == "file" and not is_reading:
        found += FULL
    if kind in ("pipe", "stream") and not is_reading:
        found.append("EPIPE")
    if kind == "stream":
        found.append("ECONNRESET")
    return found


def controlled(command, argument):
    """Errors of fcntl(2)."""
    if command in (F_DUPFD, F_DUPFD_CLOEXEC):
        return ["EMFILE"]
    if command == F_SETLEASE and argument != F_UNLCK:
        return ["EAGAIN", "EACCES"]
    return {F_SETLK: ["EAGAIN", "EACCES"], F_SETLKW: ["EINTR"]}.get(command, [])


def mapped(flags):
    """Errors of mmap(2)."""
    return ["ENOMEM"] if not flags & MAP_ANONYMOUS or flags & MAP_STACK else []


def waits_for_edges(call, program):
    """Whether a call reads a client's connection in a server."""
    return program in ("citiesd", "citiesd-sync") and call.name == "recvfrom" and call.arguments[3] & MSG_DONTWAIT


def can_be_short(call, program):
    """Whether a call may move a part of its bytes."""
    if waits_for_edges(call, program):
        return False
    sizes = {"sendfile": 3, "copy_file_range": 4, "recvmsg": None, "sendmsg": None}
    at = sizes.get(call.name, 2)
    return call.name in MOVES and device(call) in DIVISIBLE and (at is None or call.arguments[at] > 1)


def number(name):
    return getattr(errno, name)


def text(name):
    """The system's text, as messages have it."""
    return os.strerror(number(name))


def describe(status):
    """An exit status, by the name of the signal if it was one."""
    return f"signal {signal.Signals(status - 128).name}" if 128 < status < 192 and status != 130 else f"status {status}"
