"""A client of the API that repeats each request without an answer, with its key."""

import contextlib
import http.client
import json
import ssl
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_SECONDS = 90


@dataclass(frozen=True)
class Place:
    """
    Where a console is asked.

    Args:
        headers: of each request.
        tls: the certificates to accept, with `name` as the server's.
    """

    port: int
    headers: Mapping[str, str] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    name: str = "localhost"

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.connect()
        if self.tls:
            connection.sock = self.tls.wrap_socket(connection.sock, server_hostname=self.name)
        return connection


def send(
    place: Place, token: str, method: str, path: str, body: object = None, key: str = ""
) -> tuple[int, bytes]:
    """Return the status and the body of an answer; 0 without one."""
    headers = {**place.headers, "Authorization": f"Token {token}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    try:
        with contextlib.closing(place.connect()) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, b""


class Client:
    """Cancels messages one after the other, in a thread."""

    def __init__(self, place: Place, token: str, messages: Sequence[int]) -> None:
        self._place, self._token, self._messages = place, token, messages
        self.answered: list[int] = []
        self.statuses: Counter[int] = Counter()
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def _work(self) -> None:
        for msg_id in self._messages:
            key = uuid.uuid4().hex
            until = time.monotonic() + _SECONDS
            while time.monotonic() < until:
                path, reason = f"/api/v1/messages/{msg_id}/cancel/", {"reason": "no longer needed"}
                status, _ = send(self._place, self._token, "POST", path, reason, key)
                self.statuses[status] += 1
                if status == http.client.OK:
                    self.answered.append(msg_id)
                    break
                time.sleep(0.2)
