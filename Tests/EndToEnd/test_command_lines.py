"""Recorded command lines: how each ends, what it sends to the server, and what it says.

Status and requests were first recorded with the parser that the present one replaced. `python test_command_lines.py`
runs the lines of the file again and records the results: the difference is what users and scripts would notice.
"""

import json
import socket
import struct
import subprocess
import threading

import cbor2
import harness
from wire import frame

RECORD = harness.ROOT / "Tests" / "EndToEnd" / "command_lines.json"


class Refusing:
    """A server that keeps each request and answers with an error."""

    def __init__(self, path):
        self.path, self.requests = path, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                while len(head := stream.read(4)) == 4:
                    asked = cbor2.loads(stream.read(*struct.unpack(">I", head)))
                    self.requests.append([asked["method"], asked["params"]])
                    error = {"code": "not-found", "message": "not here"}
                    connection.sendall(frame(cbor2.dumps({"id": asked["id"], "error": error})))


def run(server, folder, words):
    """The status, the requests and the first line of standard error."""
    server.requests.clear()
    variables = {"CITIES_SOCKET": server.path, "HOME": folder, "XDG_CONFIG_HOME": folder}
    done = subprocess.run(
        [harness.BIN / "citiesctl", *words], cwd=folder, env=harness.environment(**variables), input="alb\n",
        capture_output=True, text=True, timeout=60, check=False)
    # A value that JSON has no form for is text.
    requests = json.loads(json.dumps(server.requests, default=str))
    return {"words": words, "status": done.returncode, "requests": requests, "says": done.stderr.partition("\n")[0]}


def runs(folder):
    """Each recorded line, and how it runs now."""
    server = Refusing(folder / "refusing.sock")
    for line in json.loads(RECORD.read_text()):
        yield line, run(server, folder, line["words"])
    server.listener.close()


def test_command_lines_mean_what_they_always_meant(tmp_path):
    differences = [(line, now) for line, now in runs(tmp_path) if line != now]
    assert not differences, "\n".join(f"{line}\n{now}" for line, now in differences[:10])


def main():
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps(now, ensure_ascii=False) for _, now in runs(pathlib.Path(folder))]
    RECORD.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
