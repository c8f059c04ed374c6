"""
Sends the notices of alerts: as JSON to webhooks, and by mail. A notice is attempted up to eight times, with
pauses that double.

A sender commits that it takes a notice before it sends it, so two senders never send the same notice at the
same time. A sender that is killed after it sent a notice and before it recorded that sends it again; the
delivery id shows the receiver that it is a repeat.

A webhook is sent by POST, only to hosts that the settings name. Redirects are not followed, and only the
status of the answer is read. Its signature is an HMAC-SHA256 of the time, a full stop and the body, so that
neither can be used again with another.
"""

import hmac
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from smtplib import SMTPException
from typing import TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import send_mail

from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import AlertNotice
from messages_app.messages.alerts.ssrf_guard import (
    CONNECTIONS,
    RefusedAddress,
    Resolve,
    connect,
    look_up_host,
    refuse_internal_address,
)
from messages_app.messages.alerts.states import Channel, Turn
from messages_app.shared.text_safety import MASK

statements = Statements("messages_app.messages.alerts")
logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 8
_FIRST_PAUSE = 30  # seconds
_MOST_TAKEN = 20
TIMEOUT = 5.0  # seconds to connect to an address, and again for the answer
_PORTS = {"https": 443, "http": 80}
_VISIBLE = re.compile(r"[\x21-\x7e]*")


class NotDelivered(Exception):
    """The receiver did not accept a notice. The text says why, without the path of the address."""


class WebhookBody(TypedDict):
    """The JSON that a webhook receives. It does not contain any content of messages."""

    alert_id: int
    turn: str
    rule: str
    measure: str
    limit: float
    value: float
    worst: float
    opened_at: str
    closed_at: str | None


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A checked webhook address. `path` includes the query string."""

    scheme: str
    host: str
    port: int
    path: str


def send_notices() -> int:
    """Send the notices that are due, and return how many of them were sent."""
    values = {"pause": _FIRST_PAUSE, "most": _MOST_TAKEN}
    taken = [notice_id for (notice_id,) in statements.rows("take_notices", values)]
    notices = AlertNotice.objects.filter(pk__in=taken).select_related("alert__rule").order_by("pk")
    return sum(_send(notice) for notice in notices)


def _send(notice: AlertNotice) -> bool:
    try:
        if notice.channel == Channel.MAIL:
            _send_mail(notice)
        else:
            deliver(notice.target, webhook_body(notice), delivery=notice.pk)
    # ValueError: a header that cannot be written. One such notice must not hold up the others.
    except (NotDelivered, RefusedAddress, SMTPException, OSError, ValueError) as error:
        reason = str(error)[:300] or type(error).__name__
        values = {"notice_id": notice.pk, "error": reason, "max_attempts": MAX_ATTEMPTS}
        statements.count("record_failed_attempt", values)
        logger.warning("Notice %s was not sent: %s", notice.pk, error)
        return False
    statements.count("record_sent", {"notice_id": notice.pk})
    return True


def webhook_body(notice: AlertNotice) -> WebhookBody:
    alert, rule = notice.alert, notice.alert.rule
    return {
        "alert_id": alert.pk,
        "turn": notice.turn,
        "rule": rule.name,
        "measure": rule.measure,
        "limit": rule.limit,
        "value": alert.value,
        "worst": alert.worst,
        "opened_at": alert.opened_at.isoformat(),
        "closed_at": alert.closed_at.isoformat() if alert.closed_at else None,
    }


def _send_mail(notice: AlertNotice) -> None:
    alert, rule = notice.alert, notice.alert.rule
    is_closed = notice.turn == Turn.CLOSED
    lines = [
        f"{rule.name}: {alert.value:g}, the limit is {rule.limit:g}.",
        f"Open since {alert.opened_at:%Y-%m-%d %H:%M:%S %Z}.",
    ]
    if is_closed:
        lines.append(
            f"Closed at {alert.closed_at:%Y-%m-%d %H:%M:%S %Z}; the worst value was {alert.worst:g}."
        )
    subject = f"[Hub Console] {'Closed' if is_closed else 'Alert'}: {rule.name}"
    send_mail(subject, "\n".join(lines), None, [notice.target])


# Webhook addresses.


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


def mask_webhook(url: str) -> str:
    """Return an address without the part after its host, which is often the only secret of a webhook."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{MASK}" if url else ""


# Delivery to a webhook.


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the value of the header X-Hubconsole-Signature, which the receiver compares with its own."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def deliver(
    url: str, content: Mapping[str, object], *, delivery: int | str, resolve: Resolve = look_up_host
) -> None:
    """
    Make one attempt to deliver `content` to a webhook.

    Args:
        delivery: its id, which is the same in each attempt.
        resolve: called once.

    Raises:
        NotDelivered: the receiver cannot be reached, or its status is not 2xx.
        RefusedAddress: see check_address; or the host has only addresses that may not be called.
    """
    endpoint = check_address(url)
    body = json.dumps(content).encode()
    try:
        connection = connect(endpoint.scheme, endpoint.host, endpoint.port, timeout=TIMEOUT, resolve=resolve)
        with closing(connection):
            status = _post(connection, endpoint.path, body, delivery)
    except (OSError, HTTPException) as error:
        raise NotDelivered(f"{endpoint.host} cannot be reached: {type(error).__name__}.") from error
    if not 200 <= status < 300:
        raise NotDelivered(f"{endpoint.host} answered {status}.")


def _post(connection: HTTPConnection, path: str, body: bytes, delivery: int | str) -> int:
    with _deadline(connection.sock):
        connection.request("POST", path, body=body, headers=_headers(body, delivery))
        return connection.getresponse().status


@contextmanager
def _deadline(connection: socket.socket) -> Iterator[None]:
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


def _headers(body: bytes, delivery: int | str) -> dict[str, str]:
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "hubconsole",
        "X-Hubconsole-Delivery": str(delivery),
        "Idempotency-Key": f"hubconsole-{delivery}",
        "X-Hubconsole-Timestamp": timestamp,
    }
    if settings.WEBHOOK_SECRET:
        headers["X-Hubconsole-Signature"] = sign(settings.WEBHOOK_SECRET, timestamp, body)
    return headers
