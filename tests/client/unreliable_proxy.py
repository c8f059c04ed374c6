"""A proxy in front of a console that loses answers, answers that it is busy, or damages files."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from tests.support.local_server import LocalHandler, LocalServer, run_server

# Headers of a connection, which a proxy does not hand on.
_OWN = {"connection", "content-length", "transfer-encoding", "content-encoding", "keep-alive", "host"}


class Proxy(LocalServer):
    """
    Attributes:
        losing: how many answers are lost, after the console has acted.
        busy: how many requests are answered with 503 and a Retry-After of a second instead.
        damaging: a part of the paths whose answers end with another byte.
        passed: the method and headers of each request that arrived.
    """

    def __init__(self, console: str, *, losing: int, busy: int, damaging: str) -> None:
        super().__init__(_Handler)
        self.console, self.losing, self.busy, self.damaging = console, losing, busy, damaging
        self.passed: list[tuple[str, dict[str, str]]] = []


class _Handler(LocalHandler):
    server: Proxy
    do_PATCH = LocalHandler.do_POST  # noqa: N815 (a name of the library)

    def answer(self, body: bytes) -> None:
        self.server.passed.append((self.command, dict(self.headers)))
        if self.server.busy > 0:
            self.server.busy -= 1
            self.send_answer(503, b"{}", headers={"Retry-After": "1", "Content-Type": "application/json"})
            return
        headers = {name: text for name, text in self.headers.items() if name.lower() not in _OWN}
        answer = httpx2.request(
            self.command, self.server.console + self.path, headers=headers, content=body, timeout=60
        )
        if self.server.losing > 0:
            self.server.losing -= 1
            self.close_connection = True
            return
        content = answer.content
        if self.server.damaging and self.server.damaging in self.path:
            content = content[:-1] + b"x"
        kept = {name: text for name, text in answer.headers.items() if name.lower() not in _OWN}
        self.send_answer(answer.status_code, content, headers=kept)


@contextmanager
def run_proxy(console: str, *, losing: int = 0, busy: int = 0, damaging: str = "") -> Iterator[Proxy]:
    with run_server(Proxy(console, losing=losing, busy=busy, damaging=damaging)) as proxy:
        yield proxy
