"""
Explanations of POSTPONED: the messages that hold its funnel, and its place in the line.

Source: docs/spec/cleverbus.md, "Retries", "Funnels".
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from messages_app.core.formatting import clock, duration, listed, ordinal, quoted
from messages_app.messages.diagnosis.advice import advise
from messages_app.messages.diagnosis.reasons import (
    MOST_BLOCKERS,
    By,
    Explanation,
    Next,
    NextStep,
    Reason,
    explained,
    messages,
    step,
)
from messages_app.messages.diagnosis.retries import OVERDUE_AFTER, explain_overdue, explain_unpollable
from messages_app.messages.diagnosis.subject import LINE_LOOKED_AT, Subject
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import Member
from messages_app.messages.hub_times import POLL_EVERY, POSTPONED_RESTS
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageAction, MessageState


def explain_postponed(subject: Subject) -> Explanation:
    """Explain a message in POSTPONED."""
    return explain_unpollable(subject, rests=POSTPONED_RESTS) or _explain_funnel(subject)


def _explain_funnel(subject: Subject) -> Explanation:
    if not subject.values:
        return _without_cause(subject)
    if blocking.postpones_itself(subject.values):
        return _postpones_itself(subject)
    line = _line(subject)
    return _held(subject, line) or _behind(subject, line) or _perhaps_ordered(subject) or _free(subject)


def _without_cause(subject: Subject) -> Explanation:
    """Explain a message without a recorded cause. If it is also overdue, the next step is another."""
    due_for = subject.overdue(POSTPONED_RESTS)
    is_overdue = due_for > OVERDUE_AFTER
    return explained(
        Reason.POSTPONED_WITHOUT_CAUSE,
        f"{subject.lasting()}: it has no funnel value, and the hub did not record why it was postponed.",
        f"It has been due for {duration(due_for)}, and the hub polls every {duration(POLL_EVERY)} while it "
        "runs: check that it is running."
        if is_overdue
        else _next_look(subject),
        then=step(NextStep.CHECK_HUB, By.OPERATOR) if is_overdue else _poll(subject),
    )


def _postpones_itself(subject: Subject) -> Explanation:
    words = "Cancel it, or remove all its values except one. Only a funnel that keeps order lets it start."
    advice = advise(subject, MessageAction.CANCEL, words=words)
    return explained(
        Reason.POSTPONES_ITSELF,
        f"{subject.lasting()}: it has {len(subject.values)} funnel values ({_values(subject)}), and this hub "
        "counts a message once for each, so it blocks itself at every attempt and can never start.",
        advice.words,
        then=advice.then,
    )


def _held(subject: Subject, line: list[Member]) -> Explanation | None:
    holders = blocking.holders(**_others_at(subject))
    if not holders:
        return None
    ids = [holder.msg_id for holder in holders]
    first = holders[0]
    verb = "holds" if len(ids) == 1 else "hold"
    others = "" if len(ids) == 1 else f"; the oldest, {first.msg_id}, is"
    return explained(
        Reason.HELD_BY_FUNNEL,
        f"{subject.lasting()}: {messages(ids)} {verb} {_funnel(subject)}{others} {_doing(first)}"
        f"{_in_line(subject, line)}.",
        f"It can start when {'that message is' if len(ids) == 1 else 'those messages are'} done, or after "
        f"{clock(_released_at(holders))}, when {duration(FUNNEL_IDLE_AFTER)} have passed since their start; "
        f"{_looks(subject)}.",
        blocked_by=ids,
        then=_poll(subject),
    )


def _doing(holder: Member) -> str:
    return f"({holder.state}, started {clock(_started(holder))})"


def _started(holder: Member) -> datetime:
    """Return when a holder started. Only messages with a start time hold a funnel."""
    return holder.start_process_timestamp or holder.receive_timestamp


def _released_at(holders: list[Member]) -> datetime:
    return max(map(_started, holders)) + FUNNEL_IDLE_AFTER


def _behind(subject: Subject, line: list[Member]) -> Explanation | None:
    if not line or line[0].msg_id == subject.msg_id:
        return None
    head = line[0]
    return explained(
        Reason.BEHIND_IN_LINE,
        f"{subject.lasting()}: nothing holds {_funnel(subject)} now, but message {head.msg_id} is earlier "
        f"and goes first{_in_line(subject, line)}.",
        f"When {head.msg_id} is finished, the next one follows; {_looks(subject)}.",
        blocked_by=[head.msg_id],
        then=_poll(subject),
    )


def _perhaps_ordered(subject: Subject) -> Explanation | None:
    """Explain it by the order of its funnel, if it has an earlier message. No table records that order."""
    # Two members, because the first may be this message.
    order = blocking.funnel_order(**_place_of(subject), at=subject.at, limit=2)
    message = subject.message
    earlier = [
        member
        for member in order
        if member.msg_id != subject.msg_id and member.msg_timestamp < message.msg_timestamp
    ]
    if not earlier:
        return None
    first = earlier[0]
    return explained(
        Reason.PERHAPS_HELD_BY_FUNNEL_ORDER,
        f"{subject.lasting()}: nothing holds {_funnel(subject)} now, and the hub picks it up at its next "
        "poll.",
        f"If that funnel keeps order, which no table records, message {first.msg_id} ({first.state}) has "
        f"to finish first; {_looks(subject)}.",
        names=[first.msg_id],
        then=_poll(subject),
    )


def _free(subject: Subject) -> Explanation:
    if subject.overdue(POSTPONED_RESTS) > OVERDUE_AFTER:
        return explain_overdue(subject, rests=POSTPONED_RESTS)
    stay = blocking.overstayers(**_others_at(subject))
    still = [member.msg_id for member in stay]
    return explained(
        Reason.FREE_TO_GO,
        f"{subject.lasting()}: nothing holds {_funnel(subject)} any longer.",
        _idle_passed(stay),
        _next_look(subject),
        names=still,
        then=_poll(subject, becomes=MessageState.PROCESSING),
    )


def _idle_passed(stay: list[Member]) -> str:
    if not stay:
        return ""
    verb = "runs" if len(stay) == 1 else "run"
    return (
        f"{messages([member.msg_id for member in stay]).capitalize()} still {verb}, but started more than "
        f"{duration(FUNNEL_IDLE_AFTER)} ago and no longer counts."
    )


class _Place(TypedDict):
    """A funnel, as funnels/blocking.py identifies it."""

    values: Sequence[str]
    component_id: str | None


class _Others(_Place):
    """A funnel, without the message itself, at one time."""

    at: datetime
    besides: int
    limit: int


def _others_at(subject: Subject) -> _Others:
    return {**_place_of(subject), "at": subject.at, "besides": subject.msg_id, "limit": MOST_BLOCKERS}


def _place_of(subject: Subject) -> _Place:
    return {"values": subject.values, "component_id": subject.message.funnel_component_id}


def _line(subject: Subject) -> list[Member]:
    """Return the line before its funnel, without messages that can never enter it and so block no one."""
    return [
        member
        for member in blocking.line(**_place_of(subject), limit=LINE_LOOKED_AT)
        if member.last_process_timestamp is not None and not blocking.postpones_itself(member.values)
    ]


def _in_line(subject: Subject, line: list[Member]) -> str:
    ids = [member.msg_id for member in line]
    if subject.msg_id in ids:
        place = ids.index(subject.msg_id) + 1
        return f"; it is {ordinal(place)} in line" if len(ids) > 1 else ""
    return f"; more than {LINE_LOOKED_AT} messages are before it in line"


def _funnel(subject: Subject) -> str:
    component = subject.message.funnel_component_id
    where = f" of {component}" if component else ""
    return f"funnel value {_values(subject)}{where}"


def _values(subject: Subject) -> str:
    return listed([quoted(value, most=50) for value in subject.values])


def _poll(subject: Subject, *, becomes: MessageState | None = None) -> Next:
    earliest, latest = subject.polled(POSTPONED_RESTS)
    return step(NextStep.POLL, By.HUB, at=earliest, latest=latest, becomes=becomes)


def _looks(subject: Subject) -> str:
    return f"the hub polls again by {clock(subject.polled(POSTPONED_RESTS)[1])}"


def _next_look(subject: Subject) -> str:
    return f"The hub picks it up at its next poll, by {clock(subject.polled(POSTPONED_RESTS)[1])}."
