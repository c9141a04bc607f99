"""`python3 -m cities METHOD [JSON]` sends one request and prints the result as JSON.

Exit code 0, 1 with the error as JSON on stderr, 2 for wrong use, or 74 if the result could not be written. If the
reader has closed the pipe, SIGPIPE ends the program, as it ends `citiesctl`.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import signal
import sys
from array import array
from datetime import datetime
from decimal import Decimal
from typing import Any

from . import ProtocolError, ServerError, connect, socket_paths
from ._private import program
from ._wire import ACTING


#: The largest exponent that is written as zeros: a few bytes of a reply must not become gigabytes.
_ZEROS = 100


def _decimal(value: Decimal) -> str:
    """Plain decimals with the scale kept, or with an exponent instead of very many zeros."""
    sign, digits, exponent = value.as_tuple()
    if isinstance(exponent, int) and abs(exponent) > _ZEROS:
        return f"{'-' * sign}{''.join(map(str, digits))}e{exponent}"
    return f"{value:f}"


def _plain(value: Any) -> Any:
    """A JSON value for a type that JSON lacks: RFC 3339 text, decimal text, or a list for a typed array."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, array):
        return value.tolist()
    raise TypeError(f"unexpected {type(value).__name__}")


#: json.dumps escapes the controls below U+0020 itself.
_ESCAPES = {code: f"\\u{code:04x}" for code in ACTING if code >= 0x7F}


def _json(value: Any) -> str:
    """JSON without characters that act on a terminal; in ASCII if standard output is not in UTF-8."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    is_unicode = codecs.lookup(encoding).name == "utf-8"
    return json.dumps(value, ensure_ascii=not is_unicode, default=_plain).translate(_ESCAPES)


def _fail(code: str, message: str, data: dict[str, Any]) -> int:
    print(json.dumps({"code": code, "message": message, "data": data}, default=_plain), file=sys.stderr)
    return 1


def _write(text: str) -> int:
    """Prints a line, and returns the exit code."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        # Python has no object for a standard output that is closed.
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        print(text, flush=True)
    except OSError as error:
        print(f"cities: standard output: {error.strerror}", file=sys.stderr, flush=True)
        # The end of the program writes the rest of the buffer, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return os.EX_IOERR
    return 0


_USAGE = "usage: python3 -m cities METHOD [JSON] | COMMAND [ARGUMENT...]"
_HELP = f"""{_USAGE}

Send one request to citiesd and print the result as JSON.

METHOD is a method of the protocol, such as city.find; 'introspect' lists all of them.
JSON is an object with the parameters (default: {{}}).
COMMAND is a command of citiesctl, such as find, if that program is installed.

If there is no socket, and CITIES_SOCKET names none, a private server answers from stored data.
Exit status: 0, 1 with the error as JSON on standard error, 2 for wrong use.

  python3 -m cities city.find '{{"query": "munchen", "limit": 1}}'
  python3 -m cities city.near '{{"place": {{"query": "tallinn"}}, "limit": 3}}'"""


#: Methods without a dot in their name.
_PLAIN_METHODS = ("hello", "status", "watch", "refresh", "introspect")


def citiesctl(words: list[str]) -> int:
    """Replaces this process with `citiesctl`."""
    path = program("citiesctl")
    if path:
        os.execv(path, ["citiesctl", *words])
    print(f"cities: {words[0]!r:.80} is neither a method nor, without the program citiesctl, a command: install the"
        " wheel for your platform or the package cities, or see --help", file=sys.stderr)
    return os.EX_UNAVAILABLE


def main(words: list[str]) -> int:
    """Sends one request, and returns the exit code."""
    if words in (["--help"], ["-h"]):
        return _write(_HELP)
    if words and words[0] not in _PLAIN_METHODS and "." not in words[0]:
        return citiesctl(words)
    if not 1 <= len(words) <= 2:
        print(f"{_USAGE} (see --help)", file=sys.stderr)
        return 2
    try:
        params = json.loads(words[1]) if len(words) > 1 else {}
        if not isinstance(params, dict):
            raise ValueError("the parameters must be a JSON object")
    except ValueError as error:
        print(f"cities: {words[1]!r:.80}: {error}", file=sys.stderr)
        return 2
    try:
        with connect() as server:
            result = server.call(words[0], **params)
    except ServerError as error:
        return _fail(error.code, str(error), error.data)
    except (OSError, ProtocolError, ValueError) as error:
        return _fail("connection", f"{socket_paths()}: {error}", {})
    return _write(_json(result))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
