"""
Tells a program of an alert: JSON by POST, signed, to hosts that the settings name, following no redirect.

Of the answer its status alone is read.

The signature is HMAC-SHA256 over the time, a full stop, and the body, so that neither can be used again for
another. A delivery may come twice; its id says so.
"""

import hmac
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from messages_app.messages.alerts.ssrf_guard import (
    CONNECTIONS,
    RefusedAddress,
    Resolve,
    connected,
    look_up,
    refuse_inside,
)
from messages_app.shared.text_safety import MASK

TIMEOUT = 5.0  # seconds to be reached at an address, and again to answer
_PORTS = {"https": 443, "http": 80}
_VISIBLE = re.compile(r"[\x21-\x7e]*")


class NotDelivered(Exception):
    """The other side did not take it; the message says why, without the address's path."""


def checked_address(url: str) -> SplitResult:
    """
    Return the parts of an address that may be told.

    Raises:
        RefusedAddress: it is none of http or https, holds what must be percent-encoded, its host is not
            among the settings' WEBHOOK_HOSTS, or it is an address that may not be called.
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
    if parts.scheme not in CONNECTIONS or not parts.hostname or parts.username is not None:
        raise RefusedAddress(
            "A webhook address must start with https:// or http:// and must not contain a user name."
        )
    names = {parts.hostname, f"{parts.hostname}:{port}"}
    if not names & set(settings.WEBHOOK_HOSTS):
        raise RefusedAddress(f"{parts.hostname} is not listed in HUBCONSOLE_WEBHOOK_HOSTS.")
    refuse_inside(parts.hostname)
    return parts


def masked_webhook(url: str) -> str:
    """Return an address without what follows its host: often that is the only secret of a webhook."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{MASK}" if url else ""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return what the receiver compares with the header X-Hubconsole-Signature."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def deliver(url: str, content: Mapping[str, object], *, delivery: int, resolve: Resolve = look_up) -> None:
    """
    Send it once.

    Args:
        resolve: asked once.

    Raises:
        NotDelivered: the other side cannot be reached, or answers anything but 2xx.
        RefusedAddress: as checked_address, or what the host's name leads to may not be called.
    """
    parts = checked_address(url)
    port = parts.port or _PORTS[parts.scheme]
    try:
        with closing(
            connected(parts.scheme, parts.hostname, port, timeout=TIMEOUT, resolve=resolve)
        ) as connection:
            status = _answer(connection, parts, json.dumps(content).encode(), delivery)
    except (OSError, HTTPException) as error:
        raise NotDelivered(f"{parts.hostname} cannot be reached: {type(error).__name__}.") from error
    if not 200 <= status < 300:
        raise NotDelivered(f"{parts.hostname} answered {status}.")


def _answer(connection: HTTPConnection, parts: SplitResult, body: bytes, delivery: int) -> int:
    with _cut_off(connection.sock):
        connection.request("POST", _path(parts), body=body, headers=_headers(body, delivery))
        return connection.getresponse().status


@contextmanager
def _cut_off(connection: socket.socket) -> Iterator[None]:
    """End a connection that takes long; its own timeout begins again with every byte that comes."""

    def cut() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(TIMEOUT, cut)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _headers(body: bytes, delivery: int) -> dict[str, str]:
    timestamp = str(int(time.time()))
    signed = {"X-Hubconsole-Signature": signature(settings.WEBHOOK_SECRET, timestamp, body)}
    return {
        "Content-Type": "application/json",
        "User-Agent": "hubconsole",
        "X-Hubconsole-Delivery": str(delivery),
        "X-Hubconsole-Timestamp": timestamp,
    } | (signed if settings.WEBHOOK_SECRET else {})
