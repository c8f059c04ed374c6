"""
Tells a program of an alert: JSON by POST, signed, to hosts that the settings name, following no redirect.

The signature is HMAC-SHA256 over the time, a full stop, and the body, so that neither can be used again for
another. A delivery may come twice; its id says so.
"""

import hmac
import json
import re
import time
from collections.abc import Mapping
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

TIMEOUT = 5.0  # seconds
_CONNECTIONS = {"https": HTTPSConnection, "http": HTTPConnection}
_PORTS = {"https": 443, "http": 80}
_VISIBLE = re.compile(r"[\x21-\x7e]*")


class NotDelivered(Exception):
    """The other side did not take it; the message says why, without the address's path."""


class RefusedAddress(Exception):
    """Nothing is sent there; the message says why."""


def checked_address(url: str) -> SplitResult:
    """
    Return the parts of an address that may be told.

    Raises:
        RefusedAddress: it is none of http or https, holds what must be percent-encoded, or its host is not
            among the settings' WEBHOOK_HOSTS.
    """
    if not _VISIBLE.fullmatch(url):
        raise RefusedAddress("A webhook's address has visible ASCII characters only; percent-encode others.")
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        raise RefusedAddress("This is no address.") from None
    if parts.scheme not in _CONNECTIONS or not parts.hostname or parts.username is not None:
        raise RefusedAddress("A webhook's address begins with https:// or http:// and names no user.")
    names = {parts.hostname, f"{parts.hostname}:{port}"}
    if not names & set(settings.WEBHOOK_HOSTS):
        raise RefusedAddress(f"{parts.hostname} is not among the hosts of HUBCONSOLE_WEBHOOK_HOSTS.")
    return parts


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return what the receiver compares with the header X-Hubconsole-Signature."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def deliver(url: str, content: Mapping[str, object], *, delivery: int) -> None:
    """
    Send it once.

    Raises:
        NotDelivered: the other side cannot be reached, or answers anything but 2xx.
        RefusedAddress: as checked_address.
    """
    parts = checked_address(url)
    body = json.dumps(content).encode()
    connection = _CONNECTIONS[parts.scheme](parts.hostname, parts.port, timeout=TIMEOUT)
    try:
        connection.request("POST", _path(parts), body=body, headers=_headers(body, delivery))
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        raise NotDelivered(f"{parts.hostname} cannot be reached: {type(error).__name__}.") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotDelivered(f"{parts.hostname} answered {status}.")


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
