"""The web server of `up` on the tests' database, read by some clients at the same time."""

import hashlib
import http.client
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from itertools import chain
from pathlib import Path

import psutil
from django.conf import settings

from hubconsole.devserver import processes, programs, progress
from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
from messages_app.core.embedded_servers import find_free_port
from tests.support.factories import make_user
from tests.support.memory import limit_memory
from tests.support.page_client import reader_of
from tests.support.workers import database_of_tests

CLIENTS = 4
PROCESSES, THREADS = 2, 4  # of the web server


@dataclass(frozen=True)
class Address:
    path: str
    is_api: bool


@dataclass(frozen=True)
class Answer:
    """The beginning of a body, how many bytes it had, and the digest of all of them."""

    status: int
    beginning: bytes
    length: int
    lines: int
    digest: str


class Web:
    """A running web server, and a user who may read everything, in a session and by a token."""

    def __init__(self, port: int, process: processes.Process) -> None:
        self._port, self._process = port, process
        session = reader_of("admin").cookies[settings.SESSION_COOKIE_NAME].value
        token = create_token(user=make_user("admin", "view_payload", username="bo"), name="t", actor=SYSTEM)[
            1
        ]
        self._page = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"}
        self._call = {"Authorization": f"Token {token}"}

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._port}"

    def get(self, address: Address) -> Answer:
        """Read an answer to its end without keeping it. Raises if it ends early."""
        channel = http.client.HTTPConnection("127.0.0.1", self._port, timeout=300)
        channel.request("GET", address.path, headers=self._call if address.is_api else self._page)
        answer, digest, length, lines, beginning = channel.getresponse(), hashlib.sha256(), 0, 0, b""
        while part := answer.read(1_000_000):
            beginning = beginning or part[:500]
            length, lines = length + len(part), lines + part.count(b"\n")
            digest.update(part)
        channel.close()
        return Answer(answer.status, beginning, length, lines, digest.hexdigest())

    def read_text(self, path: str) -> str:
        """Return the whole answer to a GET of the token."""
        channel = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        channel.request("GET", path, headers=self._call)
        text = channel.getresponse().read().decode()
        channel.close()
        return text

    def call(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Message]:
        """Send a request of the token, and return the status and the headers of the answer."""
        channel = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        channel.request(method, path, body, self._call | dict(headers or {}))
        answer = channel.getresponse()
        answer.read()
        channel.close()
        return answer.status, answer.headers

    def get_all(self, addresses: Sequence[Address]) -> list[Answer]:
        """Read each address, by some clients at the same time."""
        with ThreadPoolExecutor(CLIENTS) as clients:
            return list(clients.map(self.get, addresses))

    def load(self, addresses: Sequence[Address]) -> None:
        """Let every thread of every process answer, so that each has its stack and its connection."""
        with ThreadPoolExecutor(2 * PROCESSES * THREADS) as clients:
            answers = clients.map(self.get, chain.from_iterable([addresses] * 6))
            assert {answer.status for answer in answers} == {200}

    def limit(self, most: int) -> None:
        for worker in psutil.Process(self._process.handle.pid).children():
            limit_memory(worker.pid, most)


@contextmanager
def web_server(home: Path) -> Iterator[Web]:
    """Start the web server as `up` does, with its log in `home`, and log a user in."""
    with web_process(home) as (port, process):
        yield Web(port, process)


@contextmanager
def web_process(home: Path) -> Iterator[tuple[int, processes.Process]]:
    """Start the web server as `up` does; give its port and its process."""
    port = find_free_port()
    unlimited = {"HUBCONSOLE_PAGES_PER_MINUTE": "1000000", "HUBCONSOLE_API_REQUESTS_PER_MINUTE": "1000000"}
    environment = os.environ | database_of_tests() | unlimited
    environment |= {"DJANGO_SETTINGS_MODULE": "hubconsole.settings", "HUBCONSOLE_PROCESS": "web"}
    process = processes.Process(
        programs.web_program(bind="127.0.0.1", port=port, environment=environment), home
    )
    try:
        progress.wait_ready(process)
        yield port, process
    finally:
        processes.end_all([process])
