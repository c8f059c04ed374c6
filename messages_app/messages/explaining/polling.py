"""
What PARTLY_FAILED and POSTPONED have in common: both wait for the hub's poll.

Source: spec/cleverbus.md 2.5 and 6.1.
"""

from datetime import timedelta

from messages_app.messages.explaining.advice import advise
from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.order import explain_order
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.starting import order_without_value
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.hub_times import POLL_EVERY
from messages_app.messages.states import MessageAction, MessageState
from messages_app.web.formats import duration
from messages_app.web.words import clock

# Two polls without the message being taken: something is wrong with the hub, or there is no hub.
OVERDUE_AFTER = 2 * POLL_EVERY


def explain_unpollable(subject: Subject, *, rests: timedelta) -> Explanation | None:
    """Explain a message that the poll cannot find, or that its guaranteed order stops; None for any other."""
    message = subject.message
    if message.last_process_timestamp is None:
        return _never_picked_up(subject)
    if message.guaranteed_order and not subject.values:
        return order_without_value(subject)
    return explain_order(subject, rests=rests)


def _never_picked_up(subject: Subject) -> Explanation:
    """Explain a message that waits for a poll that cannot find it."""
    words = "Cancel it, and restart it if it is still wanted: a restart writes the time."
    advice = advise(subject, MessageAction.CANCEL, words=words)
    return explained(
        Reason.NEVER_PICKED_UP,
        f"{subject.message.state}, but without a time of its last change: the hub's poll looks for that time "
        "and will never find the message.",
        advice.words,
        then=advice.then,
    )


def explain_overdue(subject: Subject, *, rests: timedelta) -> Explanation:
    """Explain a message that nothing holds and that the hub's poll should have taken some polls ago."""
    return explained(
        Reason.RETRY_OVERDUE,
        f"{subject.message.state} since {clock(subject.since)} and due for "
        f"{duration(subject.overdue(rests))}: nothing holds it, but the hub has not taken it.",
        f"The hub looks every {duration(POLL_EVERY)} when it runs: see whether it does.",
        then=step(NextStep.CHECK_HUB, By.OPERATOR, becomes=MessageState.PROCESSING),
    )
