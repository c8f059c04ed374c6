"""
Starts messages whose next attempt is due, and delivers the answers of other systems.

The poll decides at the start of a run what is due, so that a run ends. In an old hub, many POSTPONED messages
are due again before the run is over, and the others never get their turn; that is not simulated.

Answers follow from the rows, so they also arrive after the hub was killed. A message that has waited longer
than Timing.no_answer_after is never answered, and waits until an operator acts.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Transitions", "Repair".
"""

import heapq
from collections.abc import Iterator
from functools import partial
from itertools import chain

from messages_app.demo.hub import outcomes
from messages_app.demo.hub.agenda import Steps
from messages_app.demo.hub.order import is_kept_out
from messages_app.demo.hub.outcomes import Hung
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.processing import resume_message, take_up
from messages_app.demo.hub.writes import DueMessage, hub_time, messages_in
from messages_app.demo.world import OPERATIONS
from messages_app.messages.models import Message
from messages_app.messages.services import hub_rules
from messages_app.shared.message_states import MessageState

# Between two messages, so that others get their turn; longer while the queue is full.
_AT_ONCE = 0.0
_QUEUE_IS_FULL = 0.05
_WIDE = ("payload", "envelope", "failed_desc", "custom_data", "business_error")


def poll_messages(stage: Stage) -> Steps:
    """Start everything that is due, in one run of the hub's job."""
    for due in _due_messages(stage):
        while not stage.workers.has_free_worker:
            yield _QUEUE_IS_FULL
        yield from take_up(stage, due.msg_id)
        yield _AT_ONCE


def _due_messages(stage: Stage) -> Iterator[DueMessage]:
    """Yield the due messages: POSTPONED first, or all by msg_timestamp, depending on the kind of hub."""
    postponed, failed = _postponed_messages(stage), _partly_failed(stage)
    if hub_rules().postponed_first:
        return chain(postponed, failed)
    return heapq.merge(postponed, failed, key=DueMessage.poll_order)


def _partly_failed(stage: Stage) -> Iterator[DueMessage]:
    return messages_in(
        MessageState.PARTLY_FAILED,
        changed_before=hub_time() - stage.timing.partly_failed_rests,
        operations=operations_of(stage),
    )


def _postponed_messages(stage: Stage) -> Iterator[DueMessage]:
    messages = messages_in(
        MessageState.POSTPONED,
        changed_before=hub_time() - stage.timing.postponed_rests,
        operations=operations_of(stage),
    )
    return (one for one in messages if _may_be_tried(stage, one.msg_id)) if stage.play.is_gentle else messages


def _may_be_tried(stage: Stage, msg_id: int) -> bool:
    """Return whether to attempt a message: a gentle hub does not change one that its funnel keeps out."""
    message = Message.objects.defer(*_WIDE).filter(pk=msg_id).first()
    try:
        return message is not None and not is_kept_out(stage, message)
    except Hung:
        return False


def take_left_messages(stage: Stage) -> Steps:
    """
    Start the messages that were received or queued before this hub started, such as the demo's newest ones.

    Only a gentle hub does this. A real one never takes a NEW message that it has not received.
    """
    states = (MessageState.NEW, MessageState.IN_QUEUE)
    left = chain.from_iterable(messages_in(state, operations=operations_of(stage)) for state in states)
    for due in list(left):
        while not stage.workers.has_free_worker:
            yield _QUEUE_IS_FULL
        yield from take_up(stage, due.msg_id, from_states=frozenset(states))
        yield _AT_ONCE


def operations_of(stage: Stage) -> list[str] | None:
    """Return the operations that the hub has routes for; None if it takes any."""
    return sorted(OPERATIONS) if stage.play.is_gentle else None


_ANSWERED = sorted(name for name, operation in OPERATIONS.items() if operation.is_answered_later)


def give_answers(stage: Stage) -> Steps:
    """Deliver the due answers."""
    waiting = messages_in(
        MessageState.WAITING_FOR_RES,
        changed_after=hub_time() - stage.timing.no_answer_after,
        operations=_ANSWERED,
    )
    for due in waiting:
        rows = Message.objects.only("correlation_id", "last_process_timestamp")
        message = rows.filter(pk=due.msg_id).first()
        if message is not None and _has_come(stage, message):
            stage.workers.enqueue(partial(resume_message, stage, due.msg_id))
        yield 0.0


def _has_come(stage: Stage, message: Message) -> bool:
    if not outcomes.is_answered(stage.play, message):
        return False
    delay = stage.timing.answer_delay(outcomes.dice_of_delay(stage.play, message))
    asked_at = message.last_process_timestamp
    return asked_at is not None and asked_at + delay <= hub_time()
