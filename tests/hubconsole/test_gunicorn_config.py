import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from hubconsole import gunicorn_config
from messages_app.core.embedded_servers import find_free_port, is_listening
from tests.support.eventually import eventually
from tests.support.locks import ROOT

THREADS = 2
_APP = "def application(environ, start):\n" + (
    "    refused = environ['PATH_INFO'] == '/refused'\n"
    "    body = b'too large' if refused else environ['wsgi.input'].read()\n"
    "    start('200 OK', [('Content-Length', str(len(body)))])\n"
    "    return [body]\n"
)


# The console's own, with shorter times.
_CONFIG = """
import hubconsole.gunicorn_config
from hubconsole.gunicorn_config import limit_request_line, logger_class, worker_class
hubconsole.gunicorn_config.HEADER_SECONDS, hubconsole.gunicorn_config.BODY_SECONDS = 2, 5
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve an application that gives a body back."""
    home = tmp_path_factory.mktemp("gunicorn")
    (home / "echoing.py").write_text(_APP)
    (home / "config.py").write_text(_CONFIG)
    port = find_free_port()
    command = [
        *(sys.executable, "-m", "gunicorn", "echoing", "--chdir", str(home)),
        *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", str(THREADS)),
        *("--no-control-socket", "--config", str(home / "config.py")),
    ]
    server = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})
    try:
        eventually(lambda: is_listening(port))
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
        assert (gunicorn_config.HEADER_SECONDS, gunicorn_config.BODY_SECONDS) == (10, 10)

    @pytest.mark.parametrize(
        ("half", "seconds"),
        [
            (b"GET / HT", 2),
            (b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow", 2),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf", 5),
        ],
    )
    def test_serves_others_immediately_and_disconnects_slow_senders(
        self, port: int, half: bytes, seconds: int
    ):
        with contextlib.ExitStack() as open_ones:
            began = time.monotonic()
            slow = [open_ones.enter_context(_send(port, half)) for _ in range(50)]
            answers = [_whole(port) for _ in range(5)]
            took = time.monotonic() - began
            ends = [one.recv(10) for one in slow]
            lasted = time.monotonic() - began

        assert all(answer.endswith(b"ok") for answer in answers)
        assert took < 2
        assert ends == [b""] * 50
        assert seconds - 1 < lasted < seconds + 15

    def test_serves_others_while_large_bodies_do_not_arrive(self, port: int):
        """Half of the threads wait for them, and further ones do not get a thread."""
        half = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + b"x" * 100_000
        chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"
        with contextlib.ExitStack() as open_ones:
            for raw in (half, chunked) * 10:
                open_ones.enter_context(_send(port, raw))
            began = time.monotonic()
            answers = [_whole(port) for _ in range(5)]
            took = time.monotonic() - began
        assert all(answer.endswith(b"ok") for answer in answers)
        assert took < 2

    def test_serves_large_bodies_one_after_another(self, port: int):
        body = b"x" * 300_000
        head = f"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        with contextlib.ExitStack() as open_ones:
            peers = [open_ones.enter_context(_send(port, head.encode() + body)) for _ in range(6)]
            for peer in peers:
                told = b""
                while part := peer.recv(100_000):
                    told += part
                assert told.endswith(body)

    def test_answers_requests_that_were_sent_together(self, port: int):
        one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"
        with _send(port, one + b"a" + one + b"b" + one[:-10]) as peer:
            told = b""
            while told.count(b"200 OK") < 2 or not told.endswith(b"b"):
                told += peer.recv(1000)
            peer.sendall(one[-10:] + b"c")
            while not told.endswith(b"c"):
                told += peer.recv(1000)
        assert [line[-1:] for line in told.split(b"HTTP/1.1")[1:]] == [b"a", b"b", b"c"]

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

    @pytest.mark.parametrize("headers", [{}, {"Connection": "close"}])
    def test_lets_a_sender_of_a_refused_body_read_the_answer(self, port: int, headers: dict[str, str]):
        for _ in range(3):
            channel = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            channel.request("POST", "/refused", b"x" * 5_000_000, headers)
            assert channel.getresponse().read() == b"too large"
            channel.close()

    def test_hangs_up_on_a_refused_body_that_is_larger_than_it_drops(self, port: int):
        size = gunicorn_config.DROPPED_BYTES + 20_000_000
        head = f"POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n"
        with _send(port, head.encode()) as peer, pytest.raises(OSError, match=r"(?i)broken pipe|reset"):
            peer.sendall(b"x" * size)


class TestProblem:
    @pytest.mark.parametrize(
        ("raw", "status", "code"),
        [
            (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "address_too_long"),
            (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 101 + b"\r\n", 431, "headers_too_large"),
            (b"GET / HTTP/1.1\r\nHost: x\r\n<b>: y\r\n\r\n", 400, "bad_request"),
            (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400, "bad_request"),
            (b"nonsense\r\n\r\n", 400, "bad_request"),
        ],
    )
    def test_is_the_answer_to_a_request_that_cannot_be_read(
        self, port: int, raw: bytes, status: int, code: str
    ):
        with _send(port, raw) as peer:
            answer = http.client.HTTPResponse(peer)
            answer.begin()
            told = json.loads(answer.read())
        assert (answer.status, told["status"], told["code"]) == (status, status, code)
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert {"type", "title", "detail", "request_id"} <= set(told)

    def test_of_a_long_address_names_the_limit(self, port: int):
        with _send(port, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n") as peer:
            assert b"at most 8190 bytes" in peer.recv(4096)

    def test_does_not_come_for_the_longest_line(self, port: int):
        line = b"GET /" + b"a" * (gunicorn_config.limit_request_line - len(b"GET / HTTP/1.1")) + b" HTTP/1.1"
        with _send(port, line + b"\r\nHost: x\r\n\r\n") as peer:
            assert peer.recv(100).startswith(b"HTTP/1.1 200")
