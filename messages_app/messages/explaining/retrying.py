"""
PARTLY_FAILED: the hub will try it again, or says so.

Source: spec/cleverbus.md 2.5, 2.7 (a busy call) and 3.1 points 1 and 2.
"""

from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.codes import code_and_meaning
from messages_app.messages.explaining.looks import along
from messages_app.messages.explaining.polling import OVERDUE_AFTER, explain_overdue, explain_unpollable
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject, acted
from messages_app.messages.hub_defaults import REPAIR_AFTER, TRIES_BEFORE_FAILED
from messages_app.messages.hub_times import PARTLY_FAILED_RESTS, POLL_EVERY, POSTPONED_RESTS
from messages_app.messages.models import ExternalCall, Message
from messages_app.messages.states import ExternalCallState, MessageAction, MessageState
from messages_app.web.formats import duration
from messages_app.web.words import clock, counted

# So many POSTPONED messages are looked at before the text says "at least".
_POSTPONED_LOOKED_AT = 1000
_CALLS_LOOKED_AT = 50
_LOCK_FAILURE = "E112"


def explain_retry(subject: Subject) -> Explanation:
    """Explain a message in PARTLY_FAILED."""
    return explain_unpollable(subject, rests=PARTLY_FAILED_RESTS) or _by_the_poll(subject)


def _by_the_poll(subject: Subject) -> Explanation:
    overdue = subject.overdue(PARTLY_FAILED_RESTS)
    starved = _starved(subject) if overdue > POLL_EVERY and subject.rules.postponed_first else None
    if starved:
        return starved
    if overdue > OVERDUE_AFTER:
        return explain_overdue(subject, rests=PARTLY_FAILED_RESTS)
    return _restarted(subject) or _waits(subject)


def _starved(subject: Subject) -> Explanation | None:
    """Explain it by the POSTPONED messages that the poll takes first, if there is a poll that takes any."""
    # Not OK is the index's own condition.
    rows = Message.objects.exclude(state=MessageState.OK)
    postponed = along(rows, "state", MessageState.POSTPONED, then="msg_id")
    times = list(postponed.values_list("last_process_timestamp", flat=True)[:_POSTPONED_LOOKED_AT])
    ages = [subject.at - time for time in times if time is not None]
    due = sum(age > POSTPONED_RESTS for age in ages)
    hub_polls = any(age <= OVERDUE_AFTER for age in ages)
    if not due or not hub_polls:
        return None
    at_least = "at least " if len(times) == _POSTPONED_LOOKED_AT else ""
    return explained(
        Reason.STARVED_BY_POSTPONED,
        f"PARTLY_FAILED and due for {duration(subject.overdue(PARTLY_FAILED_RESTS))}: this hub takes failed "
        f"messages only when no POSTPONED one is due, and {at_least}{counted(due, 'message')} in POSTPONED "
        f"{'is' if due == 1 else 'are'} due.",
        "It is tried again when those are through, held no longer, or cancelled.",
        then=step(NextStep.POLL, By.HUB, at=subject.at, becomes=MessageState.PROCESSING),
    )


def _restarted(subject: Subject) -> Explanation | None:
    arrival = subject.arrival(MessageState.PARTLY_FAILED)
    if arrival is None or arrival.actor is None:
        return None
    return explained(
        Reason.RESTARTED,
        f"Restarted {acted(arrival)}{subject.reason_given(MessageAction.RESTART)}: it was "
        f"{arrival.from_state}.",
        f"{_pick_up(subject)}, and then {_tries_left(subject)}.",
        then=_poll(subject),
    )


def _waits(subject: Subject) -> Explanation:
    return explained(
        Reason.WAITS_FOR_RETRY,
        f"PARTLY_FAILED since {clock(subject.since)}: {_failure_so_far(subject)}.",
        f"{_pick_up(subject)}; {_tries_left(subject)}.",
        _busy_call(subject),
        then=_poll(subject),
    )


def _poll(subject: Subject) -> dict[str, str | None]:
    earliest, latest = subject.polled(PARTLY_FAILED_RESTS)
    return step(NextStep.POLL, By.HUB, at=earliest, latest=latest, becomes=MessageState.PROCESSING)


def _pick_up(subject: Subject) -> str:
    earliest, latest = subject.polled(PARTLY_FAILED_RESTS)
    return f"The hub tries it again between {clock(earliest)} and {clock(latest)}"


def _failure_so_far(subject: Subject) -> str:
    message = subject.message
    if not message.failed_count:
        return "no failure is counted"
    error = code_and_meaning(message.failed_error_code)
    return f"{counted(message.failed_count, 'try')} failed, last with {error}"


def _tries_left(subject: Subject) -> str:
    left = TRIES_BEFORE_FAILED + 1 - subject.message.failed_count
    if left <= 1:
        return "it has one try left, and fails for good if that fails"
    return f"it has {left} tries left of {TRIES_BEFORE_FAILED + 1}"


def _busy_call(subject: Subject) -> str:
    """Say which of its calls is still marked as running: each try ends in a lock failure until the repair."""
    if subject.message.failed_error_code != _LOCK_FAILURE:
        return ""
    calls = along(ExternalCall.objects, "msg_id", subject.msg_id, then="-call_id")[:_CALLS_LOOKED_AT]
    busy = next((call for call in calls if call.state == ExternalCallState.PROCESSING), None)
    if busy is None:
        return ""
    freed = busy.last_update_timestamp + 2 * REPAIR_AFTER
    return (
        f"Its call {busy.shown_operation} is still PROCESSING: until the repair frees it, by about "
        f"{clock(max(freed, subject.at + REPAIR_AFTER))}, each try ends in {_LOCK_FAILURE}."
    )
