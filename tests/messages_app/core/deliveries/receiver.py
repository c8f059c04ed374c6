"""A receiver of webhooks, over HTTP or TLS."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook

# Also what a client must trust.
CERTIFICATE = Path(__file__).parent / "hooks_example.pem"
SECRET = "whsec_" + "c2VjcmV0" * 4
OTHER_SECRET = "whsec_" + "b3RoZXIh" * 4


class Receiver(HTTPServer):
    """
    Counts connections, stores requests in `got`, and answers with `status`.

    Args:
        over: "https": with the certificate of hooks.example.
    """

    def __init__(self, over: str = "http") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 204
        self.connections = 0
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.asked_for: list[str | None] = []  # in TLS, before there is a request
        self.url = f"{over}://127.0.0.1:{self.server_port}/hook?team=ops"
        self.drips = threading.Event()
        if over == "https":
            self.socket = self._context().wrap_socket(self.socket, server_side=True)

    def verify_request(self, *_: object) -> bool:
        self.connections += 1
        return True

    def handle_error(self, *_: object) -> None:
        """Write nothing on the terminal when a client hangs up."""

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        context.sni_callback = lambda _socket, name, _context: self.asked_for.append(name)
        return context


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        if self.server.drips.is_set():
            self._drip()
            return
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", self.server.url)
        self.end_headers()

    def _drip(self) -> None:
        """Answer byte by byte for ten seconds, each byte before the timeout of the client."""
        for _ in range(200):
            if not self.server.drips.is_set():
                return
            self.wfile.write(b"H")
            threading.Event().wait(0.05)

    def log_message(self, *_: object) -> None:
        """Write nothing on the terminal."""


def verify_webhook(headers: Mapping[str, str], body: bytes, *, secret: str = SECRET) -> Any:
    """Return the content of a webhook whose headers are right, as the specification's library judges."""
    return Webhook(secret).verify(body, dict(headers))


@contextmanager
def receiving(over: str = "http") -> Iterator[Receiver]:
    """Run a receiver."""
    server = Receiver(over)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield server
    server.drips.clear()
    server.shutdown()
    server.server_close()
