"""A proxy on a Unix socket that passes on a server's answers after a while, or on request."""

import contextlib
import queue
import socket
import threading
import time

import cbor2


class LateProxy:
    """Requests go on at once and are noted; answers wait."""

    def __init__(self, path, target, seconds):
        self.path, self.target, self.seconds = path, target, seconds
        self.asked = []
        self.open = threading.Event()
        self.open.set()
        self.sockets = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(8)
        self.run(self.accept)

    @staticmethod
    def run(function, *arguments):
        def body():
            with contextlib.suppress(OSError):
                function(*arguments)
        threading.Thread(target=body, daemon=True).start()

    def hold(self):
        """No answer goes on from now."""
        self.open.clear()

    def let_go(self):
        """Answers go on."""
        self.open.set()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.target))
            self.sockets += [client, server]
            answers = queue.Queue()
            self.run(self.requests, client, server)
            self.run(self.receive, server, answers)
            self.run(self.answer, answers, client)

    def requests(self, client, server):
        waiting = b""
        while data := client.recv(65536):
            server.sendall(data)
            waiting += data
            while len(waiting) >= 4 and len(waiting) >= 4 + (length := int.from_bytes(waiting[:4], "big")):
                self.asked.append(cbor2.loads(waiting[4:4 + length]))
                waiting = waiting[4 + length:]
        server.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def receive(server, answers):
        while data := server.recv(65536):
            answers.put((time.monotonic(), data))
        answers.put((0, b""))

    def answer(self, answers, client):
        while True:
            came, data = answers.get()
            if not data:
                client.shutdown(socket.SHUT_RDWR)
                return
            time.sleep(max(0, came + self.seconds - time.monotonic()))
            self.open.wait()
            client.sendall(data)

    def close(self):
        self.open.set()
        for opened in [self.listener, *self.sockets]:
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()
