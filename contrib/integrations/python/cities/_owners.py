"""Who could change what a default path leads to: the owners of the folders and links on it."""

from __future__ import annotations

import os
import stat

#: The most links to follow, as in the kernel (path_resolution(7)).
_MAXIMUM_LINKS = 40
_KINDS = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def doubt(path: str) -> str | None:
    """Why another user could change what an absolute path leads to; None if only root and this user can.

    The rule of `citiesctl`: each folder and link on the path, and the file at its end, belongs to root or this user,
    and a folder that everybody may write to has the sticky bit; in a process of root also one that a group may write
    to. The owner of `/` counts as root, for user namespaces without root. A path that ends before its last component,
    or cannot be followed, is not doubted: using it fails.
    """
    top = os.lstat("/").st_uid
    folder, rest, links = "", ["", *_components(path)], 0
    while rest:
        name = rest.pop(0)
        here = f"{folder}/{name}"
        try:
            status = os.lstat(here)
        except OSError:
            return None
        kind = stat.S_IFMT(status.st_mode)
        if status.st_uid not in (0, top, os.geteuid()):
            return f"the {_KINDS.get(kind, 'file')} {here} belongs to user {status.st_uid}"
        others = stat.S_IWOTH | (stat.S_IWGRP if os.geteuid() == 0 and status.st_gid else 0)
        if kind == stat.S_IFDIR and status.st_mode & others and not status.st_mode & stat.S_ISVTX:
            return f"other users may change the folder {here} (chmod go-w {here} forbids it)"
        if kind != stat.S_IFLNK:
            folder = here if name else ""
            continue
        links += 1
        if links > _MAXIMUM_LINKS:
            return None
        target = os.readlink(here)
        rest = _components(target) + rest
        if target.startswith("/"):
            folder = ""
    return None


def _components(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]
