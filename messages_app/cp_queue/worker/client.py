"""The calls of the CP queue's API that a worker makes, over HTTP with a token."""

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, cast
from urllib.parse import urlsplit

_PATH = "/api/v1/cp-queue/"
# Seconds; the server answers 503 long before.
_TIMEOUT = 30.0
# A connection that was idle for this long is not used again: servers close theirs after a few seconds,
# gunicorn after two, and a call on a closing connection looks like one with a lost answer.
_IDLE = 1.0


class Unreachable(Exception):
    """The server does not answer, or reports that it is unavailable. It may have acted."""


class Refused(Exception):
    """
    The server refused the call; sent again, it would be refused again.

    Args:
        status: the HTTP status.
        code: the problem's code.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code


@dataclass(frozen=True, kw_only=True)
class Message:
    """
    A message that is reserved for this worker.

    Args:
        token: of the reservation; its dispatch brings it.
    """

    guid: str
    queue: str
    object_id: int
    object_type: int
    token: str


class _Object(TypedDict):
    """An object in the body of a call."""

    ObjectID: int
    ObjectType: int


class ObjectInfo(TypedDict):
    """The answer of object-info; what the server does not know, or the token may not see, is missing."""

    return_code: int
    ObjectID: int
    ObjectType: NotRequired[int]
    PageCount: int
    ExternalReference: str
    SystemID: str
    MimeType: str
    MimeTypeGroup: str
    HasVolltextFile: bool
    Hash: NotRequired[str]


class FullText(TypedDict):
    """The answer of object-full-text."""

    return_code: int
    ObjectID: int
    Text: str
    TooLarge: bool
    Metadata: ObjectInfo


class CountedPages(TypedDict):
    """A message with the pages that the server counted; None: the object is unknown."""

    MessageGUID: str
    ObjectID: int
    PageCount: int | None
    outcome: str


class Client:
    """
    One worker's connection to the server.

    Args:
        address: of the console, such as http://127.0.0.1:8000.
        token: of the API, of a user who may pull CP messages.
        service: the worker's own name.

    Raises:
        ValueError: the address is invalid.
    """

    def __init__(self, *, address: str, token: str, service: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{address!r} is not a server address such as http://127.0.0.1:8000.")
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self._connection = kinds[parts.scheme](parts.hostname, parts.port, timeout=_TIMEOUT)
        self._path = parts.path.rstrip("/") + _PATH
        self._headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        self._service = service
        self._used_at = time.monotonic()

    def get_next(self, queues: str) -> Message | None:
        """Return the next message, reserved; None if none is free. Raises Unreachable, Refused."""
        body = {"QueueNames": queues, "ServiceName": self._service, "WantToken": True}
        answer = self._post("get-next/", body)
        if not answer["MessageGUID"]:
            return None
        return Message(
            guid=answer["MessageGUID"],
            queue=answer["QueueName"],
            object_id=answer["ObjectID"],
            object_type=answer["ObjectType"],
            token=answer["Token"],
        )

    def dispatch(self, message: Message, reason: str) -> None:
        """Report the result of a message. Raises Unreachable, Refused."""
        body = {
            "MessageGUID": message.guid,
            "ServiceName": self._service,
            "Reason": reason,
            "Token": message.token,
        }
        self._post("dispatch/", body)

    def reset(self) -> int:
        """Free everything that this service holds, and return how many. Raises Unreachable, Refused."""
        answer = self._post("reset-service/", {"ServiceName": self._service})
        return int(answer["released"])

    def object_info(self, message: Message) -> ObjectInfo:
        """Return the facts about a message's object. Raises Unreachable; Refused: 404, it is unknown."""
        return cast(ObjectInfo, self._post("object-info/", _object_of(message)))

    def full_text(self, message: Message) -> FullText:
        """
        Return the text of a message's object for an index, with the facts about the object.

        Raises:
            Unreachable: the server does not answer.
            Refused: 403, the token does not have the scope payload:read; 404, the object is unknown.
        """
        return cast(FullText, self._post("object-full-text/", _object_of(message)))

    def rendition_changed(self, message: Message, change: str) -> int:
        """
        Report a change of the rendition, TEXT, PAGECOUNT or PREVIEW; return how many messages were created.

        Raises: Unreachable, Refused.
        """
        body = {**_object_of(message), "Reason": change, "ServiceName": self._service}
        return int(self._post("rendition-changed/", body)["created"])

    def process_page_count(self, count: int) -> list[CountedPages]:
        """Let the server count the pages of this many messages; return them. Raises Unreachable, Refused."""
        counted: list[CountedPages] = self._post("process-page-count/", {"Count": count})["counted"]
        return counted

    def close(self) -> None:
        self._connection.close()

    def _post(self, call: str, body: Mapping[str, object]) -> dict[str, Any]:
        if time.monotonic() - self._used_at > _IDLE:
            self.close()
        try:
            self._connection.request("POST", self._path + call, json.dumps(body), self._headers)
            response = self._connection.getresponse()
            status, content = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(f"{type(error).__name__}: {error}") from error
        self._used_at = time.monotonic()
        return _read_answer(status, content)


def _object_of(message: Message) -> _Object:
    return {"ObjectID": message.object_id, "ObjectType": message.object_type}


def _read_answer(status: int, content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except ValueError:
        answer = None
    # Another server, such as a proxy, may answer with anything.
    body: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if status in {200, 201} and body:
        return body
    detail = str(body.get("detail") or content[:200].decode(errors="replace"))
    if status == 429 or status >= 500:
        raise Unreachable(f"{status}: {detail}")
    raise Refused(status, str(body.get("code", "")), detail)
