"""
Explanations of messages that the guaranteed order of a route blocks, or that FAILED with E121 because of it.

Source: docs/contributing/spec/cleverbus.md, "Retries" (E121), "Guaranteed order".
"""

from datetime import datetime, timedelta

from messages_app.core.formatting import (
    count_of,
    format_duration,
    format_list,
    format_moment,
    format_ordinal,
)
from messages_app.messages.diagnosis.advice import advise_action, blocker_step
from messages_app.messages.diagnosis.error_codes import ORDER_NOT_MET, describe_code
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import MAX_IN_LINE, Subject
from messages_app.messages.funnels.blocking import Member, order_queue, poll_order
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageAction, MessageState

# How many links of a chain are followed from value to value. With one value, the head is the root.
_MAX_LINKS = 10


def explain_order(subject: Subject, *, rest: timedelta) -> Explanation | None:
    """Explain a message that is not first in its guaranteed order; None if the order does not block it."""
    queue = _read_queue(subject)
    if not queue or queue[0].msg_id == subject.msg_id:
        return None
    head = queue[0]
    earliest, latest = subject.next_poll(rest)
    fails_at = subject.message.receive_timestamp + subject.times.order_fails_after
    if fails_at < earliest:
        return _explain_time_over(subject, queue, at=earliest, latest=latest)
    failed = head.state == MessageState.FAILED
    return build_explanation(
        Reason.HELD_BY_FAILED_ORDER if failed else Reason.HELD_BY_ORDER,
        _write_blocker(subject, queue),
        f"{_write_condition(head)}. Otherwise the hub's first check after "
        f"{format_moment(fails_at)} sets it to "
        f"FAILED with {ORDER_NOT_MET}.",
        blocked_by=[head.msg_id],
        next_step=make_step(NextStep.RESTART_BLOCKER, By.OPERATOR, latest=fails_at)
        if failed
        else make_step(NextStep.POLL, By.HUB, at=earliest, latest=latest),
    )


def _read_queue(subject: Subject) -> list[Member]:
    if not subject.message.guaranteed_order or subject.is_archived:
        return []
    excluded = subject.message.exclude_failed_state
    return order_queue(values=subject.values, exclude_failed=excluded, limit=MAX_IN_LINE)


def _explain_time_over(
    subject: Subject, queue: list[Member], *, at: datetime, latest: datetime
) -> Explanation:
    head = queue[0]
    age = subject.at - subject.message.receive_timestamp
    times = subject.times
    return build_explanation(
        Reason.ORDER_TIME_OVER,
        _write_blocker(subject, queue),
        f"Received {format_duration(age)} ago, it has waited longer than "
        f"{format_duration(times.order_fails_after)} "
        f"({times.source_of('order_fails_after')}). The hub's next check, by "
        f"{format_moment(latest)}, sets it to FAILED "
        f"with {ORDER_NOT_MET} unless {head.msg_id} is OK or cancelled by then.",
        blocked_by=[head.msg_id],
        next_step=make_step(NextStep.POLL, By.HUB, at=at, latest=latest, becomes=MessageState.FAILED),
    )


def _write_blocker(subject: Subject, queue: list[Member]) -> str:
    place = _write_place(subject, queue)
    return (
        f"{subject.write_status()}: its order is guaranteed, and {_write_head(queue[0])} is before it{place}."
    )


def _write_head(head: Member) -> str:
    since = f" since {format_moment(head.last_process_timestamp)}" if head.last_process_timestamp else ""
    error = f" with {describe_code(_read_code(head))}" if head.state == MessageState.FAILED else ""
    return f"message {head.msg_id}, {head.state}{since}{error},"


def _write_place(subject: Subject, queue: list[Member]) -> str:
    """Write the place of the message, if other messages are between it and the head."""
    ids = [member.msg_id for member in queue]
    if subject.msg_id in ids:
        place = ids.index(subject.msg_id)
        return f"; it is {format_ordinal(place + 1)} in line" if place > 1 else ""
    return f"; more than {MAX_IN_LINE} messages are before it" if len(ids) == MAX_IN_LINE else ""


def _write_condition(head: Member) -> str:
    if head.state == MessageState.FAILED:
        return f"It continues when {head.msg_id} is restarted and becomes OK or is cancelled"
    return f"It continues when {head.msg_id} is OK or cancelled"


def explain_order_failure(subject: Subject) -> Explanation:
    """Explain a message that FAILED with E121 by the message that it waited for."""
    queue = _read_queue(subject)
    root = _find_root(subject, queue)
    failed = f"FAILED with {describe_code(ORDER_NOT_MET)} at {format_moment(subject.since)}"
    if root is None:
        text = "Restart it, then the messages behind it, oldest first."
        advice = advise_action(subject, MessageAction.RESTART, text=text)
        return build_explanation(
            Reason.FAILED_IN_ORDER,
            f"{failed}: an earlier message in its guaranteed order was not finished by then, and none is "
            "before it now.",
            advice.text,
            next_step=advice.next_step,
        )
    chain = _find_chain(subject, queue)
    repair = (
        f"Restart {root.msg_id} first and wait until it is OK. Then restart the messages behind it, oldest "
        "first"
        if root.state == MessageState.FAILED
        else f"Wait until {root.msg_id} finishes. Then restart the messages behind it, oldest first"
    )
    return build_explanation(
        Reason.FAILED_IN_ORDER,
        f"{failed} because of {_write_head(root)} which is earlier in its guaranteed order.",
        f"{repair}{f': {format_list(chain)} before this one' if chain else ''}.",
        blocked_by=[root.msg_id],
        names=chain,
        next_step=blocker_step(subject, state=root.state, is_archived=False),
    )


def _find_root(subject: Subject, queue: list[Member]) -> Member | None:
    """Follow the heads: a head with several values may have FAILED behind the head of another value."""
    head = _find_head_before(subject.message, queue)
    for _ in range(_MAX_LINKS):
        if head is None or head.state != MessageState.FAILED or _read_code(head) != ORDER_NOT_MET:
            return head
        behind = order_queue(values=head.values, exclude_failed=head.exclude_failed_state, limit=1)
        further = _find_head_before(head, behind)
        if further is None:
            return head
        head = further
    return head


def _find_head_before(message: MessageColumns | Member, queue: list[Member]) -> Member | None:
    """Return the first message of the order, if it is before this message."""
    return queue[0] if queue and poll_order(queue[0]) < poll_order(message) else None


def _read_code(member: Member) -> str | None:
    return Message.objects.filter(pk=member.msg_id).values_list("failed_error_code", flat=True).first()


def _find_chain(subject: Subject, queue: list[Member]) -> list[int]:
    """Return the messages between the head and this one, oldest first."""
    ids = [member.msg_id for member in queue]
    return ids[1 : ids.index(subject.msg_id)] if subject.msg_id in ids else []


def write_followers(subject: Subject) -> str:
    """Write how many messages a FAILED message blocks in its guaranteed order; empty for none."""
    if not subject.message.guaranteed_order or subject.is_archived:
        return ""
    queue = order_queue(values=subject.values, limit=MAX_IN_LINE)
    if len(queue) < 2 or queue[0].msg_id != subject.msg_id:
        return ""
    at_least = "at least " if len(queue) == MAX_IN_LINE else ""
    waiting = count_of(len(queue) - 1, "later message")
    return (
        f"Its order is guaranteed: {at_least}{waiting} with the same value cannot start until it is finished."
    )
