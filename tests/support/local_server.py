"""A web server on a free port of this machine, in place of a system that the console talks to."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, TypeVar


class LocalServer(ThreadingHTTPServer):
    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """
        Print an error of a handler in one line, and nothing if the client hung up.

        A traceback would parse source in this thread, and Python 3.11.2 may then fail to compile in another.
        """
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            sys.stderr.write(f"{self.address}: {error!r}\n")


class LocalHandler(BaseHTTPRequestHandler):
    def answer(self, body: bytes) -> None:
        """Answer a request; `body` is empty for GET."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def send_answer(
        self, status: int, content: bytes = b"", *, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def send_json(self, status: int, content: Any) -> None:
        self.send_answer(status, json.dumps(content).encode(), headers={"Content-Type": "application/json"})

    def log_message(self, *_: object) -> None:
        """Print nothing about requests."""


Running = TypeVar("Running", bound=LocalServer)


@contextmanager
def run_server(server: Running) -> Iterator[Running]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
