"""A receiver of webhooks, over HTTP or TLS."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook

from tests.support.local_server import LocalHandler, LocalServer, run_server

# Also what a client must trust.
CERTIFICATE = Path(__file__).parent / "hooks_example.pem"
SECRET = "whsec_" + "c2VjcmV0" * 4
OTHER_SECRET = "whsec_" + "b3RoZXIh" * 4


class Receiver(LocalServer):
    """
    Counts connections, stores requests in `got`, and answers with `status`.

    Args:
        over: "https": with the certificate of hooks.example.
    """

    def __init__(self, over: str = "http") -> None:
        super().__init__(_Handler)
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

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        context.sni_callback = lambda _socket, name, _context: self.asked_for.append(name)
        return context


class _Handler(LocalHandler):
    server: Receiver

    def answer(self, body: bytes) -> None:
        self.server.got.append((dict(self.headers), body))
        if self.server.drips.is_set():
            self._drip()
            return
        self.send_answer(
            self.server.status, headers={"Location": self.server.url} if self.server.status == 302 else None
        )

    def _drip(self) -> None:
        """Answer byte by byte for ten seconds, each byte before the timeout of the client."""
        for _ in range(200):
            if not self.server.drips.is_set():
                return
            self.wfile.write(b"H")
            threading.Event().wait(0.05)


def verify_webhook(headers: Mapping[str, str], body: bytes, *, secret: str = SECRET) -> Any:
    """Return the content of a webhook whose headers are right, as the specification's library judges."""
    return Webhook(secret).verify(body, dict(headers))


@contextmanager
def receiving(over: str = "http") -> Iterator[Receiver]:
    """Run a receiver."""
    with run_server(Receiver(over)) as server:
        yield server
        server.drips.clear()
