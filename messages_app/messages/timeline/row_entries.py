"""
The timeline of one message: all known events in time order. Pure functions.

Attempts and waits follow from changes of state; without a history, only the last times are known.
Source: docs/contributing/spec/interfaces.md, "Messages"; docs/contributing/spec/cleverbus.md, "Transitions".
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from messages_app.audit.models import AuditEntry
from messages_app.core.formatting import count_of, format_measured_duration
from messages_app.messages.actions.causes import Cause, cause_of
from messages_app.messages.hub_columns import (
    ExternalCallColumns,
    MessageColumns,
    RequestColumns,
    ResponseColumns,
)
from messages_app.messages.models import MessageEvent
from messages_app.messages.timeline.acted_jobs import describe_action
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.spans import Span, span_entries
from messages_app.messages.traffic.exchanges import Exchange
from messages_app.shared.message_states import FINAL_STATES, ExternalCallState, MessageState

_ORDER = {kind: number for number, kind in enumerate(Kind)}


_NOTE_CHARACTERS = 200


_NOT_RECORDED = "The states in between were not recorded. The time is that of the last known change."


def sort_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries in time order; at the same time, in the order of the kinds."""
    return sorted(entries, key=lambda entry: (entry.position, _ORDER[entry.kind]))


def own_entries(message: MessageColumns) -> Iterator[Entry]:
    """Yield the entries that follow from columns of the message, with or without a history."""
    yield Entry(at=message.receive_timestamp, kind=Kind.RECEIVED, text="Received by the hub")
    if message.start_in_queue_timestamp:
        yield Entry(at=message.start_in_queue_timestamp, kind=Kind.QUEUED, text="Last queued")


def find_start(message: MessageColumns, first: MessageEvent | None, *, started_again: bool) -> datetime:
    """
    Return the start of the state before the first change.

    A child copies receive_timestamp from its parent, but its start time is its own until it starts again.

    Source: docs/contributing/spec/cleverbus.md, "Transitions" (child created).
    """
    start = message.start_process_timestamp
    if message.parent_msg_id is None or started_again or start is None or (first and start > first.at):
        return message.receive_timestamp
    return start


def spans_without_history(message: MessageColumns) -> list[Span]:
    """Return the last attempt and the wait after it, from columns of the message."""
    start, end = message.start_process_timestamp, message.last_process_timestamp
    if message.state == MessageState.PROCESSING:
        return [Span(state=MessageState.PROCESSING, since=start or message.receive_timestamp)]
    spans = []
    if start and end and start <= end:
        spans.append(Span(state=MessageState.PROCESSING, since=start, until=end, became=message.state))
    if message.state not in FINAL_STATES:
        spans.append(Span(state=message.state, since=end or start or message.receive_timestamp))
    return spans


def entries_without_history(spans: Iterable[Span], *, at: datetime) -> Iterator[Entry]:
    for entry in span_entries(spans, at=at, counted=False):
        is_attempt = entry.kind == Kind.ATTEMPT
        yield entry.with_note("Earlier attempts were not recorded.") if is_attempt else entry


def event_entries(events: Iterable[MessageEvent], causes: Sequence[Cause] = ()) -> Iterator[Entry]:
    """Yield the changes of state; changes by operators have the action and its reason as a note."""
    for event in events:
        cause = cause_of(event, causes)
        yield Entry(
            at=event.at,
            kind=Kind.STATE_CHANGE,
            text=f"{event.from_state} → {event.to_state}",
            state=event.to_state,
            actor=event.actor or "",
            id=cause.job_id if cause else None,
            note=_describe_change(event, cause),
            entry_id=cause.entry_id if cause else None,
        )


def _describe_change(event: MessageEvent, cause: Cause | None) -> str:
    """Return the action and its reason, like `Restart from scratch: the gateway is back`."""
    if cause is None:
        return _NOT_RECORDED if event.actor == MessageEvent.UNKNOWN else ""
    return ": ".join(filter(None, (describe_action(cause.action, total=cause.total), cause.reason)))


def call_entries(calls: Iterable[ExternalCallColumns]) -> Iterator[Entry]:
    for call in calls:
        is_open = call.state == ExternalCallState.PROCESSING
        yield Entry(
            at=call.creation_timestamp,
            until=None if is_open else max(call.last_update_timestamp, call.creation_timestamp),
            kind=Kind.EXTERNAL_CALL,
            text=call.shown_operation,
            state=call.state,
            id=call.call_id,
            note=f"failed {count_of(call.failed_count, 'time')}" if call.failed_count else "",
            is_open=is_open,
        )


def exchange_entries(exchanges: Iterable[Exchange]) -> Iterator[Entry]:
    for exchange in exchanges:
        if exchange.request:
            yield _request_entry(exchange.request, exchange)
        for response in exchange.responses:
            yield _response_entry(response, exchange)


def _request_entry(request: RequestColumns, exchange: Exchange) -> Entry:
    first = exchange.first_response
    answered = first.res_timestamp if first else None
    if answered and answered < request.req_timestamp:
        answered = None
    return Entry(
        at=request.req_timestamp,
        until=answered,
        kind=Kind.REQUEST,
        text=request.shown_uri,
        state="failed" if exchange.has_failed else "",
        id=request.req_id,
        note=_describe_outcome(exchange, answered - request.req_timestamp if answered else None),
    )


def _describe_outcome(exchange: Exchange, duration: timedelta | None) -> str:
    if not exchange.responses:
        return "no response recorded"
    after = "" if duration is None else f" after {format_measured_duration(duration)}"
    if exchange.has_failed:
        return f"failed{after}: {exchange.failed_line}" if exchange.failed_line else f"failed{after}"
    others = f", {len(exchange.responses)} responses" if len(exchange.responses) > 1 else ""
    return f"answered{after}{others}"


def _response_entry(response: ResponseColumns, exchange: Exchange) -> Entry:
    requested_at = exchange.request.req_timestamp if exchange.request else None
    return Entry(
        at=response.res_timestamp,
        kind=Kind.RESPONSE,
        text="Failed response" if response.failed else "Response",
        state="failed" if response.failed else "",
        id=response.res_id,
        note=first_line(response.failed_reason),
        placed=response.res_timestamp or requested_at,
        belongs_to=response.req_id if exchange.request else None,
    )


def action_entries(entries: Iterable[AuditEntry]) -> Iterator[Entry]:
    for entry in entries:
        is_refused = entry.outcome == AuditEntry.Outcome.REFUSED
        refusal = str(entry.details.get("refusal", "")) if is_refused else ""
        yield Entry(
            at=entry.at,
            kind=Kind.OPERATOR_ACTION,
            text=describe_action(entry.action, total=bool(entry.details.get("total"))),
            state=entry.outcome,
            actor=entry.actor,
            id=entry.job_id,
            note=" ".join(filter(None, (entry.reason, refusal))),
            entry_id=entry.entry_id,
        )


def first_line(text: str | None) -> str:
    """Return the first line of a text, up to 200 characters."""
    line = (text or "").strip().partition("\n")[0]
    return line if len(line) <= _NOTE_CHARACTERS else line[:_NOTE_CHARACTERS] + "…"
