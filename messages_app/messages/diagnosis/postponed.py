"""
Explanations of POSTPONED: the messages that hold its funnel, and its place in the line.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Funnels".
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from messages_app.core.formatting import (
    format_duration,
    format_list,
    format_moment,
    format_ordinal,
    quote_text,
)
from messages_app.messages.diagnosis.advice import advise_action
from messages_app.messages.diagnosis.explanation import (
    MAX_BLOCKERS,
    Explanation,
    Next,
    build_explanation,
    make_step,
    name_messages,
)
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.retries import explain_overdue, explain_unpollable, write_period
from messages_app.messages.diagnosis.subject import MAX_IN_LINE, Subject
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import Member
from messages_app.messages.selectors import resend_links
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageAction, MessageState


def explain_postponed(subject: Subject) -> Explanation:
    """Explain a message in POSTPONED."""
    return explain_unpollable(subject, rest=subject.times.postponed_rests) or _explain_funnel(subject)


def _explain_funnel(subject: Subject) -> Explanation:
    if not subject.values:
        return _explain_missing_cause(subject)
    if blocking.is_blocked_by_itself(subject.values):
        return _explain_own_block(subject)
    line = _read_line(subject)
    return (
        _explain_holders(subject, line)
        or _explain_place_in_line(subject, line)
        or _explain_possible_order(subject)
        or _explain_free_funnel(subject)
    )


def _explain_missing_cause(subject: Subject) -> Explanation:
    """Explain a message without a recorded cause. If it is overdue, advise a check of the hub."""
    due_for = subject.time_overdue(subject.times.postponed_rests)
    is_overdue = due_for > subject.times.overdue_after
    return build_explanation(
        Reason.POSTPONED_WITHOUT_CAUSE,
        f"{subject.write_status()}: {_write_missing_cause(subject)}.",
        f"It has been due for {format_duration(due_for)}. {write_period(subject)}"
        if is_overdue
        else _write_pick_up(subject),
        next_step=make_step(NextStep.CHECK_HUB, By.OPERATOR) if is_overdue else _poll_step(subject),
    )


def _write_missing_cause(subject: Subject) -> str:
    corrected = resend_links(subject.msg_id).resent_from
    if corrected is not None:
        return f"it was sent with a corrected payload instead of message {corrected}, as every correction is"
    return "it has no funnel value, and the hub did not record why it was postponed"


def _explain_own_block(subject: Subject) -> Explanation:
    text = (
        "Cancel it, or remove all its values except one in the hub's database. Only a funnel that keeps order"
        " lets it start."
    )
    advice = advise_action(subject, MessageAction.CANCEL, text=text)
    return build_explanation(
        Reason.POSTPONES_ITSELF,
        f"{subject.write_status()}: it has {len(subject.values)} funnel values ({_write_values(subject)}), "
        "and this hub counts a message once for each, so it blocks itself at every attempt and can never "
        "start.",
        advice.text,
        next_step=advice.next_step,
    )


def _explain_holders(subject: Subject, line: list[Member]) -> Explanation | None:
    holders = blocking.find_holders(**_others_in_funnel(subject))
    if not holders:
        return None
    ids = [holder.msg_id for holder in holders]
    first = holders[0]
    verb, them, their = ("holds", "that message is", "its")
    if len(ids) > 1:
        verb, them, their = ("hold", "those messages are", "their")
    others = "" if len(ids) == 1 else f"; the oldest is {first.msg_id}"
    return build_explanation(
        Reason.HELD_BY_FUNNEL,
        f"{subject.write_status()}: {name_messages(ids)} {verb} {_write_funnel(subject)}{others} "
        f"{_describe_holder(first)}{_write_place(subject, line)}.",
        f"It can start when {them} done, or after {format_moment(_release_time(holders))}, when "
        f"{format_duration(FUNNEL_IDLE_AFTER)} have passed since {their} start; {_write_next_poll(subject)}.",
        blocked_by=ids,
        next_step=_poll_step(subject),
    )


def _describe_holder(holder: Member) -> str:
    return f"({holder.state}, started {format_moment(_start_of(holder))})"


def _start_of(holder: Member) -> datetime:
    """Return when a holder started. Only messages with a start time hold a funnel."""
    return holder.start_process_timestamp or holder.receive_timestamp


def _release_time(holders: list[Member]) -> datetime:
    return max(map(_start_of, holders)) + FUNNEL_IDLE_AFTER


def _explain_place_in_line(subject: Subject, line: list[Member]) -> Explanation | None:
    if not line or line[0].msg_id == subject.msg_id:
        return None
    head = line[0]
    return build_explanation(
        Reason.BEHIND_IN_LINE,
        f"{subject.write_status()}: nothing holds {_write_funnel(subject)} now, but message {head.msg_id} is "
        f"earlier and goes first{_write_place(subject, line)}.",
        f"When {head.msg_id} is finished, the next one follows; {_write_next_poll(subject)}.",
        blocked_by=[head.msg_id],
        next_step=_poll_step(subject),
    )


def _explain_possible_order(subject: Subject) -> Explanation | None:
    """Explain it by the order that its funnel may keep; no table records whether it does."""
    # Two members, because the first one may be this message.
    order = blocking.funnel_order(**_funnel_of(subject), at=subject.at, limit=2)
    message = subject.message
    earlier = [
        member
        for member in order
        if member.msg_id != subject.msg_id and member.msg_timestamp < message.msg_timestamp
    ]
    if not earlier:
        return None
    first = earlier[0]
    return build_explanation(
        Reason.PERHAPS_HELD_BY_FUNNEL_ORDER,
        f"{subject.write_status()}: nothing holds {_write_funnel(subject)} now, and the hub picks it up at "
        "its next poll.",
        f"If that funnel keeps order, which no table records, message {first.msg_id} ({first.state}) has "
        f"to finish first; {_write_next_poll(subject)}.",
        names=[first.msg_id],
        next_step=_poll_step(subject),
    )


def _explain_free_funnel(subject: Subject) -> Explanation:
    if subject.time_overdue(subject.times.postponed_rests) > subject.times.overdue_after:
        return explain_overdue(subject, rest=subject.times.postponed_rests)
    overstayers = blocking.find_overstayers(**_others_in_funnel(subject))
    ids = [member.msg_id for member in overstayers]
    return build_explanation(
        Reason.FREE_TO_GO,
        f"{subject.write_status()}: nothing holds {_write_funnel(subject)} any longer.",
        _write_overstayers(overstayers),
        _write_pick_up(subject),
        names=ids,
        next_step=_poll_step(subject, becomes=MessageState.PROCESSING),
    )


def _write_overstayers(overstayers: list[Member]) -> str:
    if not overstayers:
        return ""
    ids = [member.msg_id for member in overstayers]
    runs, counts = ("runs", "counts") if len(ids) == 1 else ("run", "count")
    return (
        f"{name_messages(ids).capitalize()} still {runs}, but started more than "
        f"{format_duration(FUNNEL_IDLE_AFTER)} ago and no longer {counts}."
    )


class _Funnel(TypedDict):
    """A funnel, as funnels/blocking.py identifies it."""

    values: Sequence[str]
    component_id: str | None


class _OthersInFunnel(_Funnel):
    """The other members of a funnel at one time."""

    at: datetime
    excluding: int
    limit: int


def _others_in_funnel(subject: Subject) -> _OthersInFunnel:
    return {**_funnel_of(subject), "at": subject.at, "excluding": subject.msg_id, "limit": MAX_BLOCKERS}


def _funnel_of(subject: Subject) -> _Funnel:
    return {"values": subject.values, "component_id": subject.message.funnel_component_id}


def _read_line(subject: Subject) -> list[Member]:
    """Return the messages that wait for its funnel, except messages that can never enter it."""
    return [
        member
        for member in blocking.waiting_line(**_funnel_of(subject), limit=MAX_IN_LINE)
        if member.last_process_timestamp is not None and not blocking.is_blocked_by_itself(member.values)
    ]


def _write_place(subject: Subject, line: list[Member]) -> str:
    ids = [member.msg_id for member in line]
    if subject.msg_id in ids:
        place = ids.index(subject.msg_id) + 1
        return f"; this message is {format_ordinal(place)} in line" if len(ids) > 1 else ""
    return f"; more than {MAX_IN_LINE} messages are before this message in line"


def _write_funnel(subject: Subject) -> str:
    component = subject.message.funnel_component_id
    where = f" of {component}" if component else ""
    return f"funnel value {_write_values(subject)}{where}"


def _write_values(subject: Subject) -> str:
    return format_list([quote_text(value, most=50) for value in subject.values])


def _poll_step(subject: Subject, *, becomes: MessageState | None = None) -> Next:
    earliest, latest = subject.next_poll(subject.times.postponed_rests)
    return make_step(NextStep.POLL, By.HUB, at=earliest, latest=latest, becomes=becomes)


def _write_next_poll(subject: Subject) -> str:
    _, latest = subject.next_poll(subject.times.postponed_rests)
    return f"the hub polls again by {format_moment(latest)}"


def _write_pick_up(subject: Subject) -> str:
    _, latest = subject.next_poll(subject.times.postponed_rests)
    return f"The hub picks it up at its next poll, by {format_moment(latest)}."
