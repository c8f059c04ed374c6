"""The external calls of a message, and how the hub treats them after a restart.

Source: docs/contributing/spec/cleverbus.md, "External calls".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.messages.hub_columns import ExternalCallColumns, MessageColumns, RequestColumns
from messages_app.messages.hub_times import hub_times
from messages_app.messages.models import (
    ArchiveRequest,
    ExternalCall,
    Request,
)
from messages_app.messages.tables import tables_of
from messages_app.shared.external_calls import WillBe, operations_of, predict_call
from messages_app.shared.message_states import ExternalCallState

MAX_CALLS = 200


# How many of the latest requests are searched for the last one to each target.
_REQUESTS_READ = 400


@dataclass(frozen=True, kw_only=True)
class LastRequest:
    req_id: int
    req_timestamp: datetime


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """
    One external call, and how the hub treats it after the restart.

    Args:
        msg_id: the message that owns the row: this one, or a newer one that has taken over the call.
        why: the reason for `will_be`, in one sentence.
        is_repeated: whether it succeeded before and is sent again anyway.
        last_request: the last recorded request of the message to the same target.
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


def plan_calls(message: MessageColumns, *, total: bool) -> tuple[list[PlannedCall], bool]:
    """Return the calls of the message, then its calls that were taken over, and whether there are more."""
    tables = tables_of(message)
    own = list(tables["call"].objects.filter(msg_id=message.msg_id).order_by("call_id")[: MAX_CALLS + 1])
    requests = _read_last_requests(tables["request"], message)
    lost_calls = _read_taken_over(message, requests)
    planned = [_plan_call(call, message, requests, total=total) for call in [*own[:MAX_CALLS], *lost_calls]]
    return planned, len(own) > MAX_CALLS


def _plan_call(
    call: ExternalCallColumns, message: MessageColumns, requests: Mapping[str, RequestColumns], *, total: bool
) -> PlannedCall:
    treatment, why = predict_call(call, message, total=total, repair_after=hub_times().repair_after)
    last = requests.get(call.operation_name)
    return PlannedCall(
        call_id=call.call_id,
        msg_id=call.msg_id,
        operation_name=call.shown_operation,
        entity_id=call.entity_id,
        state=call.state,
        will_be=treatment,
        why=why,
        is_repeated=treatment == WillBe.SENT_AGAIN and call.state == ExternalCallState.OK,
        last_request=LastRequest(req_id=last.req_id, req_timestamp=last.req_timestamp) if last else None,
    )


def _read_last_requests(
    table: type[Request] | type[ArchiveRequest], message: MessageColumns
) -> Mapping[str, RequestColumns]:
    """Return the newest request to each target, by the operations that the calls to it can have."""
    rows = table.objects.filter(msg_id=message.msg_id).only("req_id", "uri", "req_timestamp")
    newest = list(rows.order_by("-req_id")[:_REQUESTS_READ])
    return {operation: row for row in reversed(newest) for operation in operations_of(row.uri)}


def _read_taken_over(message: MessageColumns, targets: Iterable[str]) -> list[ExternalCallColumns]:
    """
    Return the calls that a newer message has probably taken over.

    Messages share a call only if they have the same object. Only targets that have received a request from
    this message are certainly targets of its calls.
    """
    if not message.object_id:
        return []
    keys = [message.object_id]
    if message.entity_type:
        keys.append(f"{message.entity_type}_{message.object_id}")
    calls = ExternalCall.objects.filter(
        operation_name__in=list(targets), entity_id__in=keys, msg_timestamp__gt=message.msg_timestamp
    )
    return list(calls.exclude(msg_id=message.msg_id).order_by("call_id")[:MAX_CALLS])
