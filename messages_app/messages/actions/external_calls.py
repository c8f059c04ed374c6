"""
The outcome of a message's external calls when it is restarted: skipped, or sent again.

Source: docs/spec/cleverbus.md, "External calls" (the hub's decision before a call), "Restart and cancel"
(points 3 and 4).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.hub_columns import ExternalCallColumns, MessageColumns, RequestColumns
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveMessage,
    ArchiveRequest,
    ExternalCall,
    Request,
)
from messages_app.shared.external_calls import WillBe, will_be
from messages_app.shared.message_states import ExternalCallState

MAX_CALLS = 200
# The most requests of the message that are searched for the last one to each target.
_REQUESTS_READ = 400


@dataclass(frozen=True, kw_only=True)
class LastRequest:
    req_id: int
    req_timestamp: datetime


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """
    One external call, and the outcome of it.

    Args:
        msg_id: whose row it is: the message's own, or that of a newer one that took the call over.
        will_be: what the hub does when it comes to this call.
        why: one sentence.
        is_repeated: it succeeded before, and is sent again anyway.
        last_request: the last request on record that the message sent to the same target.
    """

    call_id: int
    msg_id: int
    operation_name: str
    entity_id: str
    state: str
    will_be: WillBe
    why: str
    is_repeated: bool
    last_request: LastRequest | None

    @property
    def words(self) -> str:
        return self.will_be.replace("_", " ")


def planned_calls(message: MessageColumns, *, total: bool) -> tuple[list[PlannedCall], bool]:
    """Return the calls as a restart would treat them, its own first, and whether there are more."""
    is_archived = isinstance(message, ArchiveMessage)
    calls = ArchiveExternalCall if is_archived else ExternalCall
    own = list(calls.objects.filter(msg_id=message.msg_id).order_by("call_id")[: MAX_CALLS + 1])
    requests = _last_requests(ArchiveRequest if is_archived else Request, message)
    taken = _taken_over(message, requests)
    planned = [_planned(call, message, requests, total=total) for call in [*own[:MAX_CALLS], *taken]]
    return planned, len(own) > MAX_CALLS


def _planned(
    call: ExternalCallColumns, message: MessageColumns, requests: Mapping[str, RequestColumns], *, total: bool
) -> PlannedCall:
    fate, why = will_be(call, message, total=total)
    last = requests.get(call.operation_name)
    return PlannedCall(
        call_id=call.call_id,
        msg_id=call.msg_id,
        operation_name=call.shown_operation,
        entity_id=call.entity_id,
        state=call.state,
        will_be=fate,
        why=why,
        is_repeated=fate == WillBe.SENT_AGAIN and call.state == ExternalCallState.OK,
        last_request=LastRequest(req_id=last.req_id, req_timestamp=last.req_timestamp) if last else None,
    )


def _last_requests(
    table: type[Request] | type[ArchiveRequest], message: MessageColumns
) -> Mapping[str, RequestColumns]:
    """Return the newest request by its target, which is also the operation of the call."""
    rows = table.objects.filter(msg_id=message.msg_id).only("req_id", "uri", "req_timestamp")
    newest = list(rows.order_by("-req_id")[:_REQUESTS_READ])
    return {row.uri: row for row in reversed(newest)}


def _taken_over(message: MessageColumns, targets: Iterable[str]) -> list[ExternalCallColumns]:
    """
    Return the calls that are under a newer message now, as far as the rows can tell.

    Only a call by object is shared between messages, and only the targets that the message has asked before
    are known to be its own.
    """
    if not message.object_id:
        return []
    keys = [message.object_id]
    if message.entity_type:
        keys.append(f"{message.entity_type}_{message.object_id}")
    found = ExternalCall.objects.filter(
        operation_name__in=list(targets), entity_id__in=keys, msg_timestamp__gt=message.msg_timestamp
    )
    return list(found.exclude(msg_id=message.msg_id).order_by("call_id")[:MAX_CALLS])
