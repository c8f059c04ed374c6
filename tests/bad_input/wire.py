"""The catalogue's requests as bytes to a real web process, as `up` starts it."""

import contextlib
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from urllib.parse import quote

import psutil

from hubconsole.devserver import programs
from messages_app.core.embedded_servers import find_free_port
from tests.bad_input.scene import Request
from tests.support.eventually import eventually
from tests.support.workers import database_of_tests, kill

_CSRF = "a" * 32
_PLAIN = "".join(map(chr, range(0x21, 0x7F)))  # of a request line, in addition to spaces


class Web:
    """Gunicorn with its processes."""

    def __init__(self) -> None:
        self.port = find_free_port()
        program = programs.web_program(bind="127.0.0.1", port=self.port)
        no_limits = {
            "HUBCONSOLE_PAGES_PER_MINUTE": "1000000",
            "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000",
        }
        self.handle = subprocess.Popen(
            program.command,
            cwd=program.directory,
            env=os.environ | database_of_tests() | program.environment | no_limits,
            start_new_session=True,
        )
        eventually(program.is_ready, 300)

    def processes(self) -> list[psutil.Process]:
        master = psutil.Process(self.handle.pid)
        return [master, *master.children(recursive=True)]

    def send(self, raw: bytes) -> bytes:
        """Send bytes, and return all that is answered; nothing where it hangs up on them."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as peer:
            with contextlib.suppress(OSError):  # it may hang up in the middle
                peer.sendall(raw)
            with contextlib.suppress(ConnectionError):
                return b"".join(iter(lambda: peer.recv(65_536), b""))
        return b""


@contextlib.contextmanager
def serving() -> Iterator[Web]:
    web = Web()
    yield web
    kill(web.handle)


class Scales:
    """Weighs processes all the time, from when it is entered."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._most = dict.fromkeys(processes, 0)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._weigh, daemon=True)

    def __enter__(self) -> "Scales":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def heaviest(self) -> int:
        """Return the bytes that one process had at most; of all, the most."""
        return max(self._most.values())

    def _weigh(self) -> None:
        while not self._is_over.wait(0.02):
            for process in self._most:
                self._most[process] = max(self._most[process], process.memory_info().rss)


def bytes_of(request: Request) -> bytes:
    """Return a request as it is on the wire; its session, if it has one, with the CSRF token."""
    cookies = {morsel.key: morsel.value for morsel in request.client.cookies.values()} | {"csrftoken": _CSRF}
    headers = {
        "Host": "localhost",
        "Connection": "close",
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "X-CSRFToken": _CSRF,
        "Content-Length": str(len(request.raw)),
        "Content-Type": request.content_type,
    } | dict(request.headers)
    address = quote(request.address, safe=_PLAIN)
    lines = [f"{request.method} {address} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace") + request.raw


def status_of(answer: bytes) -> int:
    """Return the status of an answer; 0 of none."""
    found = re.match(rb"HTTP/1\.\d (\d{3})", answer)
    return int(found[1]) if found else 0
