"""A web server of the tests' own: answers as a test says, well or badly, over HTTP or TLS, and notes what it was asked.
"""

import http.server
import itertools
import socket
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

PIECE = b" " * (1 << 20)


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict
    at: float


class Upstream:
    """Serves every path with what `answers` holds for it: a function that is given the request handler."""

    def __init__(self, context=None, address="127.0.0.1"):
        self.answers, self.asked, self.sent = {}, [], 0
        self.leaving = threading.Event()
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                upstream.asked.append(Asked(self.path, dict(self.headers), time.time()))
                self.close_connection = True
                with suppress(OSError, ssl.SSLError):
                    upstream.answers.get(self.path, missing)(self)

            def log_message(self, *_):
                pass

            def send(self, data):
                self.wfile.write(data)
                upstream.sent += len(data)

            def rest(self, seconds=60):
                """Does nothing for a time, or until the server leaves."""
                upstream.leaving.wait(seconds)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

            def get_request(self):
                connection, peer = super().get_request()
                # The handshake is for the connection's own thread: one that hangs must not keep others waiting.
                return (context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                        if context else connection), peer

        self.server = Server((address, 0), Handler)
        self.scheme = "https" if context else "http"
        self.address = f"{address}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path, host=None):
        where = f"{host}:{self.server.server_port}" if host else self.address
        return f"{self.scheme}://{where}{path}"

    def count(self, path):
        return sum(asked.path == path for asked in self.asked)

    def last(self, path):
        return [asked for asked in self.asked if asked.path == path][-1]

    def stop(self):
        self.leaving.set()
        self.server.shutdown()
        self.server.server_close()


# What an upstream may do. Each is a function that makes an answer.


def missing(handler):
    handler.send_error(404)


def good(body, **headers):
    """A sound answer; `headers` have _ for -."""
    def answer(handler):
        handler.send_response(200)
        for name, value in ({"Content_Length": len(body)} | headers).items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        handler.send(body)
    return answer


def conditional(body, etag='"one"', modified="Mon, 01 Jan 2024 00:00:00 GMT"):
    """A sound answer, or 304 to who has it."""
    def answer(handler):
        if handler.headers.get("If-None-Match") == etag and handler.headers.get("If-Modified-Since") == modified:
            handler.send_response(304)
            handler.send_header("ETag", etag)
            handler.end_headers()
        else:
            good(body, ETag=etag, Last_Modified=modified)(handler)
    return answer


def status(code, **headers):
    """A refusal; `headers` have _ for -."""
    def answer(handler):
        handler.send_response(code)
        for name, value in ({"Content_Length": 5} | headers).items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        handler.send(b"sorry")
    return answer


def redirect(url):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", url)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
    return answer


def html(handler):
    good(b"<!DOCTYPE html><html><body>Please log in to this network</body></html>", Content_Type="text/html")(handler)


def truncated(body):
    """Half of the JSON, with a length that is right."""
    return good(body[:len(body) // 2])


def wrong_length(body):
    """All of the JSON, with a length that promises more."""
    return good(body, Content_Length=len(body) + 100)


def endless(megabytes=1024, told=False):
    """A body of a gigabyte, made while it is sent, with or without its length."""
    def answer(handler):
        handler.send_response(200)
        if told:
            handler.send_header("Content-Length", str(megabytes << 20))
        handler.end_headers()
        for _ in range(megabytes):
            handler.send(PIECE)
    return answer


def packed_bomb(megabytes=1024):
    """A gigabyte of zeros in a megabyte of gzip."""
    import zlib

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        for _ in range(megabytes):
            handler.send(packer.compress(PIECE))
        handler.send(packer.flush())
    return answer


def old_http(handler):
    """HTTP/0.9: a body and nothing before it."""
    handler.send(b"[]")


def packed(body, cut=0, after=b""):
    """The body in gzip, with the last bytes left out or others after it; its length is right."""
    import gzip

    data = gzip.compress(body)
    data = data[:len(data) - cut] + after
    return good(data, Content_Encoding="gzip", Content_Length=len(data))


def silence(handler):
    handler.rest()


def drip(body, count=1):
    """`count` bytes a second."""
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body) * count))
        handler.end_headers()
        for byte in itertools.cycle(body):
            handler.send(bytes([byte]) * count)
            handler.wfile.flush()
            handler.rest(1)
            if handler.server.socket.fileno() < 0:
                return
    return answer


def hang_up(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)


# Certificates, made with the openssl command.


class Authority:
    """A certificate authority of the tests' own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate, self.key = folder / "ca.pem", folder / "ca.key"
        self._openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=tests", "-keyout", self.key, "-out", self.certificate)

    def context(self, name="localhost", names="DNS:localhost,IP:127.0.0.1", days=1, own=False):
        """A server's side of TLS with a certificate for `names`; `days` below 0 have passed; `own` is self-signed."""
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n")
        if own:
            self._openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                f"/CN={name}", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", certificate)
        else:
            request = self.folder / f"{name}.csr"
            self._openssl(
                "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-keyout", key, "-out", request)
            self._openssl(
                "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                "-days", days, "-extfile", extensions, "-out", certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, stdin=subprocess.DEVNULL)
