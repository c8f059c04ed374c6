"""The spans between changes of state, from which attempts and waits follow. Pure functions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from messages_app.core.formatting import format_measured_duration
from messages_app.messages.models import MessageEvent
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.shared.message_states import FINAL_STATES, MessageState


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
    so_far = "" if span.until else f", {format_measured_duration(at - span.since)} so far"
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
    lasted = format_measured_duration((span.until or at) - span.since)
    if span.until is None:
        return f"In {span.state} for {lasted} so far"
    if span.state == MessageState.PARTLY_FAILED and span.became not in FINAL_STATES:
        return f"{lasted} until the next attempt"
    return f"Waited {lasted} in {span.state}"


def close_spans(spans: Iterable[Span], *, at: datetime) -> list[tuple[Span, datetime]]:
    """Return each span with its end; the current one ends at `at`."""
    return [(span, span.until or max(at, span.since)) for span in spans]
