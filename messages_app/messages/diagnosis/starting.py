"""
Explanations of NEW, IN_QUEUE and PROCESSING: not picked up, in progress, or stuck until the repair.

Source: docs/contributing/spec/cleverbus.md, "Transitions", "Repair", "Guaranteed order" (an order without a
value).
"""

from datetime import datetime

from messages_app.core.formatting import count_of, format_duration, format_moment
from messages_app.messages.diagnosis.advice import advise_action
from messages_app.messages.diagnosis.explanation import Explanation, Next, build_explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.responses import write_call
from messages_app.messages.diagnosis.subject import Subject, filter_by_index
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.hub_defaults import REPAIRED_PER_RUN
from messages_app.shared.message_states import CONFIRMATION_OPERATION, MessageAction, MessageState

_IN_PROGRESS = {
    MessageState.NEW: (Reason.NOT_TAKEN_YET, "the hub has stored it and not picked it up yet"),
    MessageState.IN_QUEUE: (Reason.IN_QUEUE, "a node of the hub has reserved it and will start it"),
    MessageState.PROCESSING: (Reason.PROCESSING, "the hub is processing it"),
}
# How many messages are read to count the stuck ones; if there are more, the text says "more than".
_MAX_STUCK = 1000


def explain_start(subject: Subject) -> Explanation:
    """Explain a message in NEW, IN_QUEUE or PROCESSING."""
    message = subject.message
    if message.state not in subject.rules.repaired_from:
        return _explain_never_picked_up(subject)
    if message.start_process_timestamp is None:
        return _explain_never_repaired(subject)
    if message.guaranteed_order and not subject.values:
        return explain_order_without_value(subject)
    if subject.at - message.start_process_timestamp > subject.times.repair_after:
        return _explain_stuck(subject)
    return _explain_in_progress(subject)


def _explain_never_picked_up(subject: Subject) -> Explanation:
    text = "It will not continue on its own. Cancel it, and restart it if it is still needed."
    advice = advise_action(subject, MessageAction.CANCEL, text=text)
    return build_explanation(
        Reason.NEVER_PICKED_UP,
        f"{subject.write_status()}: this hub ({subject.rules.name}) never picks up a message in this state.",
        advice.text,
        next_step=advice.next_step,
    )


def _explain_never_repaired(subject: Subject) -> Explanation:
    text = "Cancel it, and restart it if it is still needed."
    advice = advise_action(subject, MessageAction.CANCEL, text=text)
    return build_explanation(
        Reason.NEVER_REPAIRED,
        f"{subject.write_status()}, without a start time: if its worker is gone, nothing will pick it up, "
        "because the repair only finds messages with a start time.",
        advice.text,
        next_step=advice.next_step,
    )


def explain_order_without_value(subject: Subject) -> Explanation:
    """Explain a message with a guaranteed order but without the funnel value that the order needs."""
    after_repair = subject.message.state in subject.rules.repaired_from
    return build_explanation(
        Reason.ORDER_WITHOUT_VALUE,
        f"{subject.write_status()}: its order is guaranteed but it has no funnel value, so the hub's check "
        "of the order fails at each attempt.",
        _write_repair(subject) if after_repair else "The next attempts will fail too, until it is FAILED.",
        next_step=_repair_step(subject) if after_repair else make_step(NextStep.CORRECT, By.OPERATOR),
    )


def _explain_in_progress(subject: Subject) -> Explanation:
    message = subject.message
    reason, what = _IN_PROGRESS[MessageState(message.state)]
    return build_explanation(
        reason,
        f"{message.state} since {format_moment(subject.started_at)}: {what}.",
        _write_last_call(subject),
        f"If it is still here at {format_moment(_repair_window(subject)[0])}, the repair "
        "steps in by about "
        f"{format_moment(_repair_window(subject)[1])}.",
        next_step=make_step(NextStep.ROUTE, By.HUB, at=None, latest=_repair_window(subject)[1]),
    )


def _explain_stuck(subject: Subject) -> Explanation:
    message = subject.message
    age = subject.at - subject.started_at
    return build_explanation(
        Reason.STUCK,
        f"{message.state} for {format_duration(age)}, since {format_moment(subject.started_at)}: its worker "
        "has probably stopped or is very slow.",
        _write_last_call(subject),
        _write_repair(subject),
        next_step=_repair_step(subject),
    )


def _repair_window(subject: Subject) -> tuple[datetime, datetime]:
    """Return the earliest and latest time of the repair. No row records when it runs."""
    period = subject.times.repair_after
    earliest = max(subject.started_at + period, subject.at)
    latest = subject.started_at + 2 * period
    return earliest, latest if latest > subject.at else subject.at + period


def _state_after_repair(subject: Subject) -> MessageState:
    if subject.message.failed_count >= subject.times.tries_before_failed:
        return MessageState.FAILED
    return MessageState.PARTLY_FAILED


def _repair_step(subject: Subject) -> Next:
    earliest, latest = _repair_window(subject)
    return make_step(
        NextStep.REPAIR, By.HUB, at=earliest, latest=latest, becomes=_state_after_repair(subject)
    )


def _write_repair(subject: Subject) -> str:
    becomes = _state_after_repair(subject)
    failures = count_of(subject.message.failed_count, "failure")
    outcome = (
        f"sets it to FAILED (E116), because it already has {failures}"
        if becomes == MessageState.FAILED
        else f"sets it to PARTLY_FAILED and counts one more failure, after {failures}"
    )
    return (
        f"The repair {outcome}, by about "
        f"{format_moment(_repair_window(subject)[1])}{_write_backlog(subject)}."
    )


def _write_backlog(subject: Subject) -> str:
    """Write how many messages are stuck, if one run of the repair cannot repair all of them."""
    stuck = sum(_count_stuck(state, subject) for state in subject.rules.repaired_from)
    if stuck <= REPAIRED_PER_RUN:
        return ""
    number = count_of(min(stuck, _MAX_STUCK), "message", more=stuck > _MAX_STUCK)
    return f" or later: {number} are stuck and a run repairs {REPAIRED_PER_RUN}"


def _count_stuck(state: MessageState, subject: Subject) -> int:
    """Count the stuck messages among the first messages in this state."""
    # The index has this condition.
    rows = filter_by_index(Message.objects.exclude(state=MessageState.OK), "state", state, order="msg_id")
    starts = rows.values_list("start_process_timestamp", flat=True)[: _MAX_STUCK + 1]
    latest = subject.at - subject.times.repair_after
    return sum(start is not None and start < latest for start in starts)


def _write_last_call(subject: Subject) -> str:
    """Write the last external call of the message; empty without one."""
    calls = filter_by_index(ExternalCall.objects, "msg_id", subject.msg_id, order="-call_id")
    call = next((call for call in calls[:2] if call.operation_name != CONFIRMATION_OPERATION), None)
    return "" if call is None else write_call(call)
