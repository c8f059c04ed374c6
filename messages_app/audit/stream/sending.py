"""
Sends the audit log to a receiver outside, seal after seal.

A seal names the entries that it covers, late ones included, so each entry is sent with exactly one seal. The
position moves on when the receiver has confirmed all entries of a seal: after an outage the console continues
there, and an entry may come twice, but none is left out.

Source: docs/howto/stream_the_audit_log.md; docs/contributing/decisions/0013-audit-seals.md.
"""

import json
import logging
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import requests
from django.conf import settings
from django.db.models import Q

from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.stream.addresses import HTTPS, Receiver
from messages_app.audit.stream.models import AuditStream
from messages_app.audit.stream.syslog import NotReceived, send_by_syslog
from messages_app.core.deliveries.events import SentEvent
from messages_app.core.deliveries.signatures import signed_headers
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit.stream")
logger = logging.getLogger(__name__)

_COLUMNS = [
    field.attname
    for field in AuditEntry._meta.concrete_fields
    if field.attname not in ("at", "transaction_id")
]
_LEASE_SECONDS = 120
_SECONDS_OF_CALL = 10.0
_MAX_ENTRIES_OF_CALL = 500
ENTRIES = SentEvent(
    "audit entries",
    f"Up to {_MAX_ENTRIES_OF_CALL} entries of the audit log, if [the"
    " stream](../howto/stream_the_audit_log.md) goes"
    " to a web address.",
)
_MAX_SEALS = 100


def stream_entries(*, seconds: float = 20.0) -> int:
    """
    Send the entries of seals that were not sent yet, for up to `seconds`; return the number of entries.

    Returns 0 if no receiver is set up, another worker is sending, or the receiver is away.
    """
    receiver: Receiver | None = settings.AUDIT_STREAM
    if receiver is None:
        return 0
    statements.count("begin", {})
    row = statements.fetch_row("take", {"seconds": _LEASE_SECONDS})
    if row is None:
        return 0
    (position,) = row
    end, sent = time.monotonic() + seconds, 0
    try:
        for seal in AuditSeal.objects.filter(seal_id__gt=position).order_by("seal_id")[:_MAX_SEALS]:
            entries = entries_of(seal)
            _send_seal(receiver, seal, entries)
            if not statements.count("advance", {"before": position, "after": seal.seal_id}):
                return sent  # Another worker has taken over.
            position, sent = seal.seal_id, sent + len(entries)
            if time.monotonic() > end:
                break
    except NotReceived as error:
        logger.warning("the audit log cannot be streamed: %s", error)
        statements.count("fail", {"error": str(error)[:300]})
        return sent
    statements.count("release", {})
    return sent


def entries_of(seal: AuditSeal) -> list[dict[str, Any]]:
    """Return the entries under a seal, by id, as they are sent; removed ones are missing."""
    is_of_seal = Q(entry_id__range=(seal.first_id, seal.last_id)) | Q(entry_id__in=seal.late or ())
    rows = AuditEntry.objects.filter(is_of_seal).order_by("entry_id")
    late = frozenset(seal.late or ())
    gaps = list(zip(seal.gaps_from or (), seal.gaps_to or (), strict=True))
    return [
        write_entry(entry, seal)
        for entry in rows.iterator()
        if entry.pk in late or not _is_in_gap(entry.pk, gaps)
    ]


def read_stream_state() -> tuple[AuditStream | None, int]:
    """Return the state of the stream, None if it has not begun, and the number of seals that are not sent."""
    state = AuditStream.objects.first()
    if state is None:
        return None, 0
    return state, AuditSeal.objects.filter(seal_id__gt=state.seal_id).count()


def write_entry(entry: AuditEntry, seal: AuditSeal) -> dict[str, Any]:
    """Return the JSON of an entry, with the number of its seal."""
    columns = {name: getattr(entry, name) for name in _COLUMNS}
    return {**columns, "at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "seal": seal.seal_id}


def _is_in_gap(entry_id: int, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether an entry came after the seal, which has named its id as one without an entry."""
    place = bisect_right(gaps, entry_id, key=lambda gap: gap[0])
    return place > 0 and entry_id <= gaps[place - 1][1]


def _send_seal(receiver: Receiver, seal: AuditSeal, entries: Sequence[dict[str, Any]]) -> None:
    if receiver.scheme != HTTPS:
        send_by_syslog(receiver, entries)
        return
    for number, part in enumerate(_split_entries(entries)):
        _post_entries(receiver, part, delivery=f"audit-{seal.seal_id}-{number}")


def _split_entries(entries: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(entries), _MAX_ENTRIES_OF_CALL):
        yield entries[start : start + _MAX_ENTRIES_OF_CALL]


def write_content(entries: Sequence[dict[str, Any]]) -> dict[str, object]:
    """Return the JSON that a web address receives."""
    return {"entries": list(entries)}


def _post_entries(receiver: Receiver, entries: Sequence[dict[str, Any]], *, delivery: str) -> None:
    body = json.dumps(write_content(entries)).encode()
    try:
        answer = requests.post(
            receiver.url,
            data=body,
            headers={"Content-Type": "application/json"} | signed_headers(body, delivery=delivery),
            timeout=_SECONDS_OF_CALL,
            allow_redirects=False,
        )
    except requests.RequestException as error:
        raise NotReceived(f"{receiver} cannot be reached: {type(error).__name__}.") from error
    if not 200 <= answer.status_code < 300:
        raise NotReceived(f"{receiver} answered {answer.status_code}.")
