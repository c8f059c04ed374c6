"""
Explanations by the guaranteed order of a route: the messages before one, and a chain of E121 back to its
root.

Source: docs/spec/cleverbus.md, "Retries" (E121), "Guaranteed order".
"""

from datetime import datetime, timedelta

from messages_app.core.formatting import clock, counted, duration, listed, ordinal
from messages_app.messages.diagnosis.advice import ORDER_NOT_MET, advise, after_blocker, code_and_meaning
from messages_app.messages.diagnosis.reasons import By, Explanation, NextStep, Reason, explained, step
from messages_app.messages.diagnosis.subject import LINE_LOOKED_AT, Subject
from messages_app.messages.funnels.blocking import Member, order_queue
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.messages.services import rules
from messages_app.shared.hub_defaults import ORDER_FAILS_AFTER
from messages_app.shared.message_states import MessageAction, MessageState

# How long a chain over messages with several values can be; with one value, the head is the root.
_MOST_LINKS = 10


def explain_order(subject: Subject, *, rests: timedelta) -> Explanation | None:
    """Explain a message that is not first in its guaranteed order; None if the order does not block it."""
    queue = _queue(subject)
    if not queue or queue[0].msg_id == subject.msg_id:
        return None
    head = queue[0]
    earliest, latest = subject.polled(rests)
    fails_at = subject.message.receive_timestamp + ORDER_FAILS_AFTER
    if fails_at < earliest:
        return _time_over(subject, queue, at=earliest, latest=latest)
    failed = head.state == MessageState.FAILED
    return explained(
        Reason.HELD_BY_FAILED_ORDER if failed else Reason.HELD_BY_ORDER,
        _held_back(subject, queue),
        f"{_until(head)}. Otherwise the hub's first check after {clock(fails_at)} sets it to FAILED with "
        f"{ORDER_NOT_MET}.",
        blocked_by=[head.msg_id],
        then=step(NextStep.RESTART_BLOCKER, By.OPERATOR, latest=fails_at)
        if failed
        else step(NextStep.POLL, By.HUB, at=earliest, latest=latest),
    )


def _queue(subject: Subject) -> list[Member]:
    if not subject.message.guaranteed_order or subject.is_archived:
        return []
    excluded = subject.message.exclude_failed_state
    return order_queue(values=subject.values, exclude_failed=excluded, limit=LINE_LOOKED_AT)


def _time_over(subject: Subject, queue: list[Member], *, at: datetime, latest: datetime) -> Explanation:
    head = queue[0]
    age = subject.at - subject.message.receive_timestamp
    return explained(
        Reason.ORDER_TIME_OVER,
        _held_back(subject, queue),
        f"Received {duration(age)} ago, it has waited longer than {duration(ORDER_FAILS_AFTER)}. The hub's "
        f"next check, by {clock(latest)}, sets it to FAILED with {ORDER_NOT_MET} unless {head.msg_id} is OK "
        "or cancelled by then.",
        blocked_by=[head.msg_id],
        then=step(NextStep.POLL, By.HUB, at=at, latest=latest, becomes=MessageState.FAILED),
    )


def _held_back(subject: Subject, queue: list[Member]) -> str:
    place = _place(subject, queue)
    return f"{subject.lasting()}: its order is guaranteed, and {_head(queue[0])} is before it{place}."


def _head(head: Member) -> str:
    since = f" since {clock(head.last_process_timestamp)}" if head.last_process_timestamp else ""
    error = f" with {code_and_meaning(_code_of(head))}" if head.state == MessageState.FAILED else ""
    return f"message {head.msg_id}, {head.state}{since}{error},"


def _place(subject: Subject, queue: list[Member]) -> str:
    """Write its place, if other messages are between it and the head."""
    ids = [member.msg_id for member in queue]
    if subject.msg_id in ids:
        place = ids.index(subject.msg_id)
        return f"; it is {ordinal(place + 1)} in line" if place > 1 else ""
    return f"; more than {LINE_LOOKED_AT} messages are before it" if len(ids) == LINE_LOOKED_AT else ""


def _until(head: Member) -> str:
    if head.state == MessageState.FAILED:
        return f"It continues when {head.msg_id} is restarted and becomes OK or is cancelled"
    return f"It continues when {head.msg_id} is OK or cancelled"


def explain_order_failure(subject: Subject) -> Explanation:
    """Explain a message that FAILED with E121 by the message that it waited for."""
    queue = _queue(subject)
    root = _root(subject, queue)
    failed = f"FAILED with {code_and_meaning(ORDER_NOT_MET)} at {clock(subject.since)}"
    if root is None:
        words = "Restart it, then the messages behind it, oldest first."
        advice = advise(subject, MessageAction.RESTART, words=words)
        return explained(
            Reason.FAILED_IN_ORDER,
            f"{failed}: an earlier message in its guaranteed order was not finished by then, and none is "
            "before it now.",
            advice.words,
            then=advice.then,
        )
    chain = _chain(subject, queue)
    repair = (
        f"Restart {root.msg_id} first and wait until it is OK. Then restart the messages behind it, oldest "
        "first"
        if root.state == MessageState.FAILED
        else f"Wait until {root.msg_id} finishes. Then restart the messages behind it, oldest first"
    )
    return explained(
        Reason.FAILED_IN_ORDER,
        f"{failed} because of {_head(root)} which is earlier in its guaranteed order.",
        f"{repair}{f': {listed(chain)} before this one' if chain else ''}.",
        blocked_by=[root.msg_id],
        names=chain,
        then=after_blocker(subject, state=root.state, is_archived=False),
    )


def _root(subject: Subject, queue: list[Member]) -> Member | None:
    """Follow the heads: one with several values may have failed behind the head of another value."""
    head = _head_before(subject.message, queue)
    for _ in range(_MOST_LINKS):
        if head is None or head.state != MessageState.FAILED or _code_of(head) != ORDER_NOT_MET:
            return head
        behind = order_queue(values=head.values, exclude_failed=head.exclude_failed_state, limit=1)
        further = _head_before(head, behind)
        if further is None:
            return head
        head = further
    return head


def _head_before(message: MessageColumns | Member, queue: list[Member]) -> Member | None:
    """Return the first in the order, if it is before the message."""
    return queue[0] if queue and _key(queue[0]) < _key(message) else None


def _key(message: MessageColumns | Member) -> tuple[datetime, int]:
    tie = -1 if rules().newest_id_first else 1
    return message.msg_timestamp, tie * message.msg_id


def _code_of(member: Member) -> str | None:
    return Message.objects.filter(pk=member.msg_id).values_list("failed_error_code", flat=True).first()


def _chain(subject: Subject, queue: list[Member]) -> list[int]:
    """Return the messages between the head and this one, oldest first."""
    ids = [member.msg_id for member in queue]
    return ids[1 : ids.index(subject.msg_id)] if subject.msg_id in ids else []


def followers(subject: Subject) -> str:
    """Write how many messages a FAILED message blocks in its guaranteed order; empty for none."""
    if not subject.message.guaranteed_order or subject.is_archived:
        return ""
    queue = order_queue(values=subject.values, limit=LINE_LOOKED_AT)
    if len(queue) < 2 or queue[0].msg_id != subject.msg_id:
        return ""
    at_least = "at least " if len(queue) == LINE_LOOKED_AT else ""
    waiting = counted(len(queue) - 1, "later message")
    return (
        f"Its order is guaranteed: {at_least}{waiting} with the same value cannot start until it is finished."
    )
