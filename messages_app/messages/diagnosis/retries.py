"""
Explanations of PARTLY_FAILED: when the hub retries the message, and why it may not.

Source: docs/contributing/spec/cleverbus.md, "Retries", "External calls" (a busy call), "Restart and cancel"
points 1 and 2.
"""

from datetime import timedelta

from messages_app.core.formatting import count_of, format_duration, format_moment
from messages_app.messages.diagnosis.advice import advise_action
from messages_app.messages.diagnosis.error_codes import describe_code
from messages_app.messages.diagnosis.explanation import Explanation, Next, build_explanation, make_step
from messages_app.messages.diagnosis.order import explain_order
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.starting import explain_order_without_value
from messages_app.messages.diagnosis.subject import Subject, describe_actor_and_time, filter_by_index
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import ExternalCallState, MessageAction, MessageState


def explain_unpollable(subject: Subject, *, rest: timedelta) -> Explanation | None:
    """Explain a message that the poll cannot find, or that its guaranteed order blocks; None for others."""
    message = subject.message
    if message.last_process_timestamp is None:
        return _explain_never_picked_up(subject)
    if message.guaranteed_order and not subject.values:
        return explain_order_without_value(subject)
    return explain_order(subject, rest=rest)


def _explain_never_picked_up(subject: Subject) -> Explanation:
    text = "Cancel it, and restart it if it is still needed: a restart sets the time."
    advice = advise_action(subject, MessageAction.CANCEL, text=text)
    return build_explanation(
        Reason.NEVER_PICKED_UP,
        f"{subject.message.state}, but without the time of its last change: the hub's poll searches by that "
        "time and will never find the message.",
        advice.text,
        next_step=advice.next_step,
    )


def explain_overdue(subject: Subject, *, rest: timedelta) -> Explanation:
    """Explain a message that is not blocked and that the hub should have picked up."""
    return build_explanation(
        Reason.RETRY_OVERDUE,
        f"{subject.message.state} since {format_moment(subject.since)} and due for "
        f"{format_duration(subject.time_overdue(rest))}: nothing blocks it, but the hub has not picked "
        "it up.",
        write_period(subject),
        next_step=make_step(NextStep.CHECK_HUB, By.OPERATOR, becomes=MessageState.PROCESSING),
    )


def write_period(subject: Subject) -> str:
    """Write how often the hub polls, and what to do if it does not."""
    times = subject.times
    return (
        f"The hub polls every {format_duration(times.poll_every)} ({times.source_of('poll_every')}) "
        "while it runs: "
        "check that it is running."
    )


# How many POSTPONED messages are read; if there are more, the text says "at least".
_MAX_POSTPONED = 1000


_MAX_CALLS = 50


_LOCK_FAILURE = "E112"


def explain_retry(subject: Subject) -> Explanation:
    """Explain a message in PARTLY_FAILED."""
    return explain_unpollable(subject, rest=subject.times.partly_failed_rests) or _explain_pollable(subject)


def _explain_pollable(subject: Subject) -> Explanation:
    overdue = subject.time_overdue(subject.times.partly_failed_rests)
    may_starve = overdue > subject.times.poll_every and subject.rules.postponed_first
    if may_starve and (starved := _explain_starved(subject)):
        return starved
    if overdue > subject.times.overdue_after:
        return explain_overdue(subject, rest=subject.times.partly_failed_rests)
    return _explain_restarted(subject) or _explain_wait(subject)


def _explain_starved(subject: Subject) -> Explanation | None:
    """Explain it by due POSTPONED messages, which the poll picks up first, if the hub is polling."""
    # The index has this condition.
    rows = Message.objects.exclude(state=MessageState.OK)
    postponed = filter_by_index(rows, "state", MessageState.POSTPONED, order="msg_id")
    times = list(postponed.values_list("last_process_timestamp", flat=True)[:_MAX_POSTPONED])
    ages = [subject.at - time for time in times if time is not None]
    due = sum(age > subject.times.postponed_rests for age in ages)
    hub_polls = any(age <= subject.times.overdue_after for age in ages)
    if not due or not hub_polls:
        return None
    due_for = subject.time_overdue(subject.times.partly_failed_rests)
    at_least = "at least " if len(times) == _MAX_POSTPONED else ""
    return build_explanation(
        Reason.STARVED_BY_POSTPONED,
        f"PARTLY_FAILED and due for {format_duration(due_for)}: this hub picks up "
        f"failed messages only when no POSTPONED one is due, and {at_least}{count_of(due, 'message')} in "
        f"POSTPONED {'is' if due == 1 else 'are'} due.",
        "It is retried when those are finished, no longer blocked, or cancelled.",
        next_step=make_step(NextStep.POLL, By.HUB, at=subject.at, becomes=MessageState.PROCESSING),
    )


def _explain_restarted(subject: Subject) -> Explanation | None:
    arrival = subject.find_arrival(MessageState.PARTLY_FAILED)
    if arrival is None or arrival.actor is None:
        return None
    return build_explanation(
        Reason.RESTARTED,
        f"Restarted {describe_actor_and_time(arrival)}{subject.write_reason(MessageAction.RESTART)}: it was "
        f"{arrival.from_state}.",
        f"{_write_pick_up(subject)}, and then {_write_attempts_left(subject)}.",
        next_step=_poll_step(subject),
    )


def _explain_wait(subject: Subject) -> Explanation:
    return build_explanation(
        Reason.WAITS_FOR_RETRY,
        f"PARTLY_FAILED since {format_moment(subject.since)}: {_write_failures(subject)}.",
        f"{_write_pick_up(subject)}; {_write_attempts_left(subject)}.",
        _write_busy_call(subject),
        next_step=_poll_step(subject),
    )


def _poll_step(subject: Subject) -> Next:
    earliest, latest = subject.next_poll(subject.times.partly_failed_rests)
    return make_step(NextStep.POLL, By.HUB, at=earliest, latest=latest, becomes=MessageState.PROCESSING)


def _write_pick_up(subject: Subject) -> str:
    earliest, latest = subject.next_poll(subject.times.partly_failed_rests)
    return f"The hub retries it between {format_moment(earliest)} and {format_moment(latest)}"


def _write_failures(subject: Subject) -> str:
    message = subject.message
    if not message.failed_count:
        return "no failure is counted"
    error = describe_code(message.failed_error_code)
    return f"{count_of(message.failed_count, 'attempt')} failed, last with {error}"


def _write_attempts_left(subject: Subject) -> str:
    left = subject.times.attempts - subject.message.failed_count
    if left <= 1:
        return "it has one attempt left, and fails permanently if that fails"
    return f"it has {left} of {subject.times.attempts} attempts left"


def _write_busy_call(subject: Subject) -> str:
    """Write which call is still marked as running: until the repair, each attempt ends in a lock failure."""
    if subject.message.failed_error_code != _LOCK_FAILURE:
        return ""
    calls = filter_by_index(ExternalCall.objects, "msg_id", subject.msg_id, order="-call_id")[:_MAX_CALLS]
    busy = next((call for call in calls if call.state == ExternalCallState.PROCESSING), None)
    if busy is None:
        return ""
    freed = busy.last_update_timestamp + 2 * subject.times.repair_after
    return (
        f"Its call {busy.shown_operation} is still PROCESSING: until the repair frees it, by about "
        f"{format_moment(max(freed, subject.at + subject.times.repair_after))}, each attempt "
        f"ends in {_LOCK_FAILURE}."
    )
