import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from hubconsole import gunicorn
from hubconsole.embedded import endpoint
from tests.support.eventually import eventually
from tests.support.locks import ROOT

# Each thread reads one request at a time: as many slow senders as threads, and no one else is served.
THREADS = 2
_APP = "def application(environ, start):\n" + (
    "    body = environ['wsgi.input'].read()\n"
    "    start('200 OK', [('Content-Length', str(len(body)))])\n"
    "    return [body]\n"
)


# The console's own, with shorter times.
_CONFIG = """
import hubconsole.gunicorn
from hubconsole.gunicorn import logger_class, worker_class
hubconsole.gunicorn.HEADER_SECONDS, hubconsole.gunicorn.BODY_SECONDS = 2, 5
"""


@pytest.fixture
def port(tmp_path) -> Iterator[int]:
    """Serve an application that gives a body back."""
    (tmp_path / "echoing.py").write_text(_APP)
    (tmp_path / "config.py").write_text(_CONFIG)
    port = endpoint.free_port()
    command = [
        *(sys.executable, "-m", "gunicorn", "echoing", "--chdir", str(tmp_path)),
        *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", str(THREADS)),
        *("--no-control-socket", "--config", str(tmp_path / "config.py")),
    ]
    server = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})
    try:
        eventually(lambda: endpoint.answers(port))
        yield port
    finally:
        server.terminate()
        server.wait(30)


def _send(port: int, raw: bytes) -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", port), timeout=60)
    peer.sendall(raw)
    return peer


def _whole(port: int) -> bytes:
    with _send(
        port, b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
    ) as peer:
        told = b""
        while part := peer.recv(1000):
            told += part
        return told


class TestWorker:
    def test_gives_senders_a_limited_number_of_seconds(self):
        assert (gunicorn.HEADER_SECONDS, gunicorn.BODY_SECONDS) == (10, 10)

    @pytest.mark.parametrize(
        ("half", "seconds"),
        [
            (b"GET / HT", 2),
            (b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow", 2),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf", 5),
        ],
    )
    def test_hangs_up_on_slow_senders_and_then_serves_others(self, port: int, half: bytes, seconds: int):
        began = time.monotonic()
        with contextlib.ExitStack() as open_ones:
            for _ in range(THREADS):
                open_ones.enter_context(_send(port, half))
            told = _whole(port)
            took = time.monotonic() - began

        assert told.endswith(b"ok")
        assert seconds - 1 < took < seconds + 15

    def test_serves_one_that_sends_in_pieces(self, port: int):
        with _send(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n") as peer:
            for piece in (b"\r\n", b"ab", b"cd"):
                peer.sendall(piece)
            assert peer.recv(1000).endswith(b"abcd") or peer.recv(1000) == b"abcd"

    def test_serves_many_requests_on_one_connection(self, port: int):
        with _send(port, b"") as peer:
            for _ in range(3):
                peer.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nz")
                told = b""
                while not told.endswith(b"\r\n\r\nz"):
                    told += peer.recv(1000)
