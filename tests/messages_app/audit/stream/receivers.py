"""Receivers of the audit log: real sockets that read syslog over UDP, TCP and TLS, and a web server."""

import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.certificates import make_certificate
from tests.support.local_server import LocalHandler, LocalServer, run_server

HEAD = re.compile(rb"<(\d+)>1 (\S+) (\S+) hubconsole - (\S+) - ")


class Receiver:
    """
    Attributes:
        entries: all received ones, in their order, also twice.
        heads: the priority, time, host and action before each.
        ends_after: the number of entries after which it breaks the connection, if any.
        is_stopped: whether it does so when everything was sent, with an end of TLS, like a server that stops.
        status: of the answers of a web server.
    """

    def __init__(self, scheme: str, port: int) -> None:
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.entries: list[dict[str, Any]] = []
        self.heads: list[tuple[bytes, ...]] = []
        self.requests: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.ends_after: int | None = None
        self.is_stopped = False
        self.status = 200

    def take(self, message: bytes) -> None:
        head = HEAD.match(message)
        assert head, message[:200]
        self.heads.append(head.groups())
        self.entries.append(json.loads(message[head.end() :]))

    def read(self, stream: socket.socket) -> None:
        """Read messages with their lengths before them until the sender closes its half."""
        with stream, stream.makefile("rb") as file, suppress(OSError):
            taken = 0
            while size := b"".join(iter(lambda: file.read(1).strip(), b"")):
                self.take(file.read(int(size)))
                taken += 1
                if taken == self.ends_after and self.is_stopped:
                    self._stop(stream)
                    return
                if taken == self.ends_after:
                    # A reset instead of an end.
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                    return
            if isinstance(stream, ssl.SSLSocket):
                stream.unwrap()

    def _stop(self, stream: socket.socket) -> None:
        """Say that this is the end, without reading what was sent; closing resets the connection then."""
        time.sleep(0.3)
        stream.settimeout(0)
        if isinstance(stream, ssl.SSLSocket):
            with suppress(ssl.SSLError):
                stream.unwrap()


@contextmanager
def run_syslog(scheme: str, folder: Path | None = None) -> Iterator[Receiver]:
    """Give a server of syslog+udp, +tcp or +tls; the last has a certificate of its own in `folder`."""
    if scheme == "syslog+udp":
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
    else:
        server = socket.create_server(("127.0.0.1", 0))
    context = make_certificate(folder) if folder else None
    receiver = Receiver(scheme, server.getsockname()[1])
    server.settimeout(0.1)
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            with suppress(OSError):  # A refused certificate ends only its connection.
                if scheme == "syslog+udp":
                    receiver.take(server.recv(65_536))
                    continue
                stream, _ = server.accept()
                stream.settimeout(10)
                receiver.read(context.wrap_socket(stream, server_side=True) if context else stream)

    thread = threading.Thread(target=serve)
    thread.start()
    yield receiver
    is_over.set()
    thread.join()
    server.close()


@contextmanager
def run_web() -> Iterator[Receiver]:
    """Give a web server that takes entries."""

    class Handler(LocalHandler):
        def answer(self, body: bytes) -> None:
            if self.command == "GET":
                self.send_answer(200)
                return
            receiver.requests.append(dict(self.headers))
            receiver.bodies.append(body)
            if receiver.status == 200:
                receiver.entries += json.loads(body)["entries"]
            self.send_answer(receiver.status, headers={"Location": "/elsewhere"})

    with run_server(LocalServer(Handler)) as server:
        receiver = Receiver("http", server.server_port)
        yield receiver
