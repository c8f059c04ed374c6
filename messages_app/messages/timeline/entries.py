"""The entries of a timeline, and the spans between changes of state, from which attempts and waits follow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from messages_app.core.formatting import measured_duration
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import FINAL_STATES, ExternalCallState, MessageState

AT_THE_END = datetime.max.replace(tzinfo=UTC)
_FAILURES = frozenset(
    {
        MessageState.FAILED,
        MessageState.PARTLY_FAILED,
        ExternalCallState.FAILED,
        ExternalCallState.FAILED_END,
        "failed",
        "refused",
    }
)


class Kind(StrEnum):
    RECEIVED = "received"
    QUEUED = "queued"
    ATTEMPT = "attempt"
    WAIT = "wait"
    STATE_CHANGE = "state_change"
    EXTERNAL_CALL = "external_call"
    REQUEST = "request"
    RESPONSE = "response"
    OPERATOR_ACTION = "operator_action"


KIND_MEANINGS = {
    Kind.RECEIVED: "The hub stored the message.",
    Kind.QUEUED: "A hub node queued it for the last time.",
    Kind.ATTEMPT: "The hub processed it; `state` is the outcome, empty while it is in progress.",
    Kind.WAIT: "It waited; `state` is the state it waited in.",
    Kind.STATE_CHANGE: "`state` is the new state; `actor` is empty for the hub. For an operator's change, "
    "`note` is the action with its reason, and `id` is the job.",
    Kind.EXTERNAL_CALL: "From creation of the call to its last change; `id` is the call_id.",
    Kind.REQUEST: "Until its first response, if there is one; `id` is the req_id.",
    Kind.RESPONSE: "`id` is the res_id; `at` is null where the hub recorded no time.",
    Kind.OPERATOR_ACTION: "By `actor`; `state` is done or refused, `note` is the reason.",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """
    One entry of a timeline.

    Args:
        at: the time, or the start; None if the hub recorded no time.
        until: the end; None for an event without duration, and for an entry that has not ended.
        kind: see KIND_MEANINGS.
        text: a short description.
        state: of the message or call, or `failed`, `done`, `refused`; empty without a state.
        actor: the operator; empty for the hub.
        id: of the row that the entry is about, unless that is the message.
        note: the reason, or other details.
        is_open: whether it has started and not ended.
        placed: the time by which the entry is sorted, if it differs from `at`.
        belongs_to: for a response, the req_id of its request.
        entry_id: the audit entry of an operator's action.
    """

    at: datetime | None
    kind: Kind
    text: str
    until: datetime | None = None
    state: str = ""
    actor: str = ""
    id: int | None = None
    note: str = ""
    is_open: bool = False
    placed: datetime | None = None
    belongs_to: int | None = None
    entry_id: int | None = None

    @property
    def position(self) -> datetime:
        return self.placed or self.at or AT_THE_END

    @property
    def is_failure(self) -> bool:
        return self.kind != Kind.WAIT and self.state in _FAILURES

    @property
    def lasted(self) -> timedelta | None:
        return None if self.until is None or self.at is None else self.until - self.at

    def with_note(self, note: str) -> "Entry":
        return replace(self, note=note)


# From changes of state to attempts and waits. Pure functions.


@dataclass(frozen=True, kw_only=True)
class Span:
    """
    The time that a message spent in one state.

    Args:
        until: None for the current state.
        became: the next state; empty for the current one.
    """

    state: str
    since: datetime
    until: datetime | None = None
    became: str = ""


def find_spans(events: Sequence[MessageEvent], *, start: datetime | None, is_latest: bool) -> list[Span]:
    """
    Return the spans between these changes of state, which are sorted oldest first.

    Args:
        start: the start of the state before the first change; None if that is unknown.
        is_latest: whether no later change is known, so that the last state is the current one.
    """
    result = []
    if events and start is not None:
        first = events[0]
        since = min(start, first.at)
        result.append(Span(state=first.from_state, since=since, until=first.at, became=first.to_state))
    for event, following in pairwise(events):
        result.append(
            Span(state=event.to_state, since=event.at, until=following.at, became=following.to_state)
        )
    if events and is_latest:
        result.append(Span(state=events[-1].to_state, since=events[-1].at))
    return result


def span_entries(spans: Iterable[Span], *, at: datetime, counted: bool) -> Iterator[Entry]:
    """
    Yield an attempt or a wait for each span, and nothing for a final state.

    Args:
        at: the current time.
        counted: whether the spans start with the message, so that attempts have numbers.
    """
    number = 0
    for span in spans:
        if span.state == MessageState.PROCESSING:
            number += 1
            yield _attempt_entry(span, f"Attempt {number}" if counted else "Attempt", at)
        elif span.state not in FINAL_STATES:
            yield _wait_entry(span, at)


def _attempt_entry(span: Span, name: str, at: datetime) -> Entry:
    so_far = "" if span.until else f", {measured_duration(at - span.since)} so far"
    return Entry(
        at=span.since,
        until=span.until,
        kind=Kind.ATTEMPT,
        text=f"{name}{so_far}",
        state=span.became,
        is_open=span.until is None,
    )


def _wait_entry(span: Span, at: datetime) -> Entry:
    return Entry(
        at=span.since,
        until=span.until,
        kind=Kind.WAIT,
        text=_describe_wait(span, at),
        state=span.state,
        is_open=span.until is None,
    )


def _describe_wait(span: Span, at: datetime) -> str:
    """Describe a wait by its duration and its state."""
    lasted = measured_duration((span.until or at) - span.since)
    if span.until is None:
        return f"In {span.state} for {lasted} so far"
    if span.state == MessageState.PARTLY_FAILED and span.became not in FINAL_STATES:
        return f"{lasted} until the next attempt"
    return f"Waited {lasted} in {span.state}"


def without_short_waits(entries: Iterable[Entry], *, seconds: float) -> list[Entry]:
    """Leave out waits shorter than this number of seconds, which would only clutter the page."""
    return [
        entry
        for entry in entries
        if entry.kind != Kind.WAIT or entry.lasted is None or entry.lasted.total_seconds() >= seconds
    ]


def close_spans(spans: Iterable[Span], *, at: datetime) -> list[tuple[Span, datetime]]:
    """Return each span with its end; the current one ends at `at`."""
    return [(span, span.until or max(at, span.since)) for span in spans]
