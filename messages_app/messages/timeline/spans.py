"""What a message's state history means: attempts, and waits with their names. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from messages_app.messages.models import MessageEvent
from messages_app.messages.states import FINAL_STATES, MessageState
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.web.formats import measured


@dataclass(frozen=True, kw_only=True)
class Span:
    """
    The time that a message spent in one state.

    Args:
        since, until: `until` is None while it lasts.
        became: the state after it; empty while it lasts.
    """

    state: str
    since: datetime
    until: datetime | None = None
    became: str = ""


def spans(events: Sequence[MessageEvent], *, begun: datetime | None, is_latest: bool) -> list[Span]:
    """
    Return the spans that these state changes, oldest first, mark off.

    Args:
        begun: when the state before the first of them began; None where that is not known.
        is_latest: no later change is known, so the last state lasts still.
    """
    found = []
    if events and begun is not None:
        first = events[0]
        begun = min(begun, first.at)
        found.append(Span(state=first.from_state, since=begun, until=first.at, became=first.to_state))
    for one, following in pairwise(events):
        found.append(Span(state=one.to_state, since=one.at, until=following.at, became=following.to_state))
    if events and is_latest:
        found.append(Span(state=events[-1].to_state, since=events[-1].at))
    return found


def span_entries(found: Iterable[Span], *, at: datetime, counted: bool) -> Iterator[Entry]:
    """
    Yield what happened in each span: an attempt, or a wait; nothing for a final state, which is no time.

    Args:
        at: now.
        counted: the spans begin with the message, so the attempts have numbers.
    """
    number = 0
    for one in found:
        if one.state == MessageState.PROCESSING:
            number += 1
            yield _attempt(one, f"Attempt {number}" if counted else "Attempt", at)
        elif one.state not in FINAL_STATES:
            yield _wait(one, at)


def _attempt(one: Span, name: str, at: datetime) -> Entry:
    so_far = "" if one.until else f", {measured(at - one.since)} so far"
    return Entry(
        at=one.since,
        until=one.until,
        kind=Kind.ATTEMPT,
        text=f"{name}{so_far}",
        state=one.became,
        is_open=one.until is None,
    )


def _wait(one: Span, at: datetime) -> Entry:
    return Entry(
        at=one.since,
        until=one.until,
        kind=Kind.WAIT,
        text=_name(one, at),
        state=one.state,
        is_open=one.until is None,
    )


def _name(one: Span, at: datetime) -> str:
    """Name a gap: how long, and what it was waited for."""
    lasted = measured((one.until or at) - one.since)
    if one.until is None:
        return f"In {one.state} for {lasted} so far"
    if one.state == MessageState.PARTLY_FAILED and one.became not in FINAL_STATES:
        return f"{lasted} until the next try"
    return f"Waited {lasted} in {one.state}"


def without_short(entries: Iterable[Entry], *, seconds: float) -> list[Entry]:
    """Leave out waits shorter than so many seconds: on a page they are noise."""
    return [
        entry
        for entry in entries
        if entry.kind != Kind.WAIT or entry.is_open or entry.lasted.total_seconds() >= seconds
    ]


def closed(found: Iterable[Span], *, at: datetime) -> list[Span]:
    """Return the spans with an end for the one that lasts."""
    return [one if one.until else replace(one, until=max(at, one.since)) for one in found]
