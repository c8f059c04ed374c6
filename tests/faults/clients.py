"""A client of the API that repeats each request without an answer, with its key."""

import http.client
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Sequence

_SECONDS = 90


def send(
    port: int, token: str, method: str, path: str, body: object = None, key: str = ""
) -> tuple[int, bytes]:
    """Return the status and the body of an answer; 0 without one."""
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


class Client:
    """Cancels messages one after the other, in a thread."""

    def __init__(self, port: int, token: str, messages: Sequence[int]) -> None:
        self._port, self._token, self._messages = port, token, messages
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
                status, _ = send(self._port, self._token, "POST", path, reason, key)
                self.statuses[status] += 1
                if status == http.client.OK:
                    self.answered.append(msg_id)
                    break
                time.sleep(0.2)
