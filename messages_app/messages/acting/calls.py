"""
What becomes of a message's external calls when it is restarted: skipped, or sent again.

Source: spec/cleverbus.md 2.7 (the hub's decision before a call) and 3.1, points 3 and 4.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from messages_app.messages.hub_columns import ExternalCallColumns, MessageColumns, RequestColumns
from messages_app.messages.hub_defaults import REPAIR_AFTER
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveMessage,
    ArchiveRequest,
    ExternalCall,
    Request,
)
from messages_app.messages.states import CONFIRMATION_OPERATION, ExternalCallState

MAX_CALLS = 200
# So many requests of the message are searched for the last one to each target.
_REQUESTS_READ = 400


class WillBe(StrEnum):
    SKIPPED = "skipped"
    SENT_AGAIN = "sent_again"


@dataclass(frozen=True, kw_only=True)
class LastRequest:
    req_id: int
    req_timestamp: datetime


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """
    One external call, and what becomes of it.

    Args:
        msg_id: whose row it is: the message's own, or that of a newer one that took the call over.
        will_be: what the hub does when it comes to this call.
        why: one sentence.
        is_repeated: it went through before, and is sent again all the same.
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


def will_be(call: ExternalCallColumns, message: MessageColumns, *, total: bool) -> tuple[WillBe, str]:
    """Return what the hub does with a call when `message` is restarted, and why."""
    if call.msg_id == message.msg_id:
        if call.operation_name == CONFIRMATION_OPERATION:
            return (
                WillBe.SENT_AGAIN,
                "Its record is deleted: the hub confirms anew after the end.",
            )
        if total:
            return WillBe.SENT_AGAIN, _why_total(call)
    return _decided(call, message)


def _why_total(call: ExternalCallColumns) -> str:
    if call.state == ExternalCallState.OK:
        return "It went through before. Its record is deleted, so the target gets it a second time."
    return "Its record is deleted, so it is made anew."


def _decided(call: ExternalCallColumns, message: MessageColumns) -> tuple[WillBe, str]:
    """Decide as the hub does: by the state of the row that is there, and by its age."""
    is_older = message.msg_timestamp < call.msg_timestamp
    is_newer = message.msg_timestamp > call.msg_timestamp
    if is_older:
        return WillBe.SKIPPED, f"Message {call.msg_id}, which is newer, has taken it over."
    if call.state == ExternalCallState.PROCESSING:
        return WillBe.SENT_AGAIN, _WHY_BUSY
    if call.state == ExternalCallState.OK and not is_newer:
        return WillBe.SKIPPED, "It went through before."
    if call.state == ExternalCallState.OK:
        return WillBe.SENT_AGAIN, "It went through for an older message."
    if call.state in set(ExternalCallState):
        return WillBe.SENT_AGAIN, "It has not gone through."
    return WillBe.SENT_AGAIN, "Its state is not one that this console knows; take it that it is sent."


_WHY_BUSY = (
    "It is under way, or hangs. Until it has ended, each try fails with E112; "
    f"the hub's repair ends it after {REPAIR_AFTER.seconds // 60} minutes."
)


def _planned(
    call: ExternalCallColumns, message: MessageColumns, requests: dict[str, RequestColumns], *, total: bool
) -> PlannedCall:
    fate, why = will_be(call, message, total=total)
    last = requests.get(call.operation_name)
    return PlannedCall(
        call_id=call.call_id,
        msg_id=call.msg_id,
        operation_name=call.operation_name,
        entity_id=call.entity_id,
        state=call.state,
        will_be=fate,
        why=why,
        is_repeated=fate == WillBe.SENT_AGAIN and call.state == ExternalCallState.OK,
        last_request=last and LastRequest(req_id=last.req_id, req_timestamp=last.req_timestamp),
    )


def _last_requests(table: type[RequestColumns], message: MessageColumns) -> dict[str, RequestColumns]:
    """Return the newest request by its target, which is also the operation of the call."""
    rows = table.objects.filter(msg_id=message.msg_id).only("req_id", "uri", "req_timestamp")
    newest = list(rows.order_by("-req_id")[:_REQUESTS_READ])
    return {row.uri: row for row in reversed(newest)}


def _taken_over(message: MessageColumns, targets: Iterable[str]) -> list[ExternalCallColumns]:
    """
    Return the calls that stand under a newer message now, as far as the rows can tell.

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
