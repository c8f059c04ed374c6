"""
The check of the address of a webhook, and one signed call.

A webhook is sent by POST, only to hosts that the settings name. Redirects are not followed, and only the
status of the answer and its Retry-After are read.
"""

import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException
from math import ceil
from urllib.parse import urlsplit

from django.conf import settings

from messages_app.core.deliveries.causes import describe_cause
from messages_app.core.deliveries.signatures import signed_headers
from messages_app.core.deliveries.ssrf_guard import (
    CONNECTIONS,
    RefusedAddress,
    Resolve,
    connect_guarded,
    look_up_host,
    refuse_internal_address,
)
from messages_app.core.problems import bad_field
from messages_app.shared.text_safety import MASK

TIMEOUT = 5.0  # seconds to connect to an address, and again for the answer
_PORTS = {"https": 443, "http": 80}
MAX_PAUSE = 3600  # seconds
_DIGITS = re.compile(r"[0-9]{1,9}")
_VISIBLE = re.compile(r"[\x21-\x7e]*")


class NotDelivered(Exception):
    """
    The receiver did not accept a call. The text says why, without the path of the address.

    Args:
        pause: the seconds for which the receiver asks not to be called again.
    """

    def __init__(self, text: str, *, pause: int = 0) -> None:
        super().__init__(text)
        self.pause = pause


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A checked webhook address. `path` includes the query string."""

    scheme: str
    host: str
    port: int
    path: str


def check_address(url: str) -> Endpoint:
    """
    Return the parts of an address that a webhook may have.

    Raises:
        RefusedAddress: the address is not http or https, has characters that must be percent-encoded, its
            host is not in the setting WEBHOOK_HOSTS, or it is an IP address that may not be called.
    """
    if not _VISIBLE.fullmatch(url):
        raise RefusedAddress(
            "A webhook address may contain only visible ASCII characters. Percent-encode others."
        )
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        raise RefusedAddress("Not a valid web address.") from None
    if parts.scheme not in CONNECTIONS or port is None or not parts.hostname or parts.username is not None:
        raise RefusedAddress(
            "A webhook address must start with https:// or http:// and must not contain a user name."
        )
    if not {parts.hostname, f"{parts.hostname}:{port}"} & set(settings.WEBHOOK_HOSTS):
        raise RefusedAddress(f"{parts.hostname} is not listed in HUBCONSOLE_WEBHOOK_HOSTS.")
    refuse_internal_address(parts.hostname)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(scheme=parts.scheme, host=parts.hostname, port=port, path=path)


def check_address_field(name: str, url: str) -> None:
    """Raise Problem, 400, if the column `name` has an address that a webhook may not have."""
    try:
        check_address(url)
    except RefusedAddress as error:
        raise bad_field(name, "invalid_value", str(error)) from None


def mask_webhook(url: str) -> str:
    """Return an address without the part after its host, which is often the only secret of a webhook."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{MASK}" if url else ""


def call_webhook(
    url: str,
    content: Mapping[str, object],
    *,
    delivery: str,
    headers: Mapping[str, str] | None = None,
    resolve: Resolve = look_up_host,
) -> None:
    """
    Make one call of a webhook with `content`.

    Args:
        delivery: the id of what is delivered, which is the same in each attempt; empty for a product that
            does not verify webhooks: then the call is not signed.
        headers: further ones.
        resolve: called once.

    Raises:
        NotDelivered: the receiver cannot be reached, or its status is not 2xx.
        RefusedAddress: see check_address; or the host has only addresses that may not be called.
    """
    endpoint = check_address(url)
    body = json.dumps(content).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "hubconsole"} | dict(headers or {})
    if delivery:
        headers |= signed_headers(body, delivery=delivery)
    try:
        connection = connect_guarded(
            endpoint.scheme, endpoint.host, endpoint.port, timeout=TIMEOUT, resolve=resolve
        )
        with closing(connection):
            status, pause = _post_body(connection, endpoint.path, body, headers)
    except (OSError, HTTPException) as error:
        raise NotDelivered(f"{endpoint.host} cannot be reached: {describe_cause(error)}.") from error
    if not 200 <= status < 300:
        raise NotDelivered(f"{endpoint.host} answered {status}.", pause=pause)


def _post_body(
    connection: HTTPConnection, path: str, body: bytes, headers: Mapping[str, str]
) -> tuple[int, int]:
    """Return the status of the answer, and the seconds of its Retry-After."""
    with _close_after_timeout(connection.sock):
        connection.request("POST", path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, _read_pause(answer.headers.get("Retry-After", ""))


def _read_pause(text: str) -> int:
    """Return the seconds of a Retry-After, a number or a time, up to MAX_PAUSE; 0 if it has neither."""
    with suppress(ValueError):
        number = (
            int(text) if _DIGITS.fullmatch(text) else parsedate_to_datetime(text).timestamp() - time.time()
        )
        return max(0, min(ceil(number), MAX_PAUSE))
    return 0


@contextmanager
def _close_after_timeout(connection: socket.socket) -> Iterator[None]:
    """Close a connection after TIMEOUT. The connection's own timeout starts again with every byte."""

    def shut_down() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(TIMEOUT, shut_down)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
