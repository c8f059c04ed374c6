"""
How the hub takes a message: the row is locked, its state looked at again, and only then written.

Source: spec/cleverbus.md 2.3 and 2.5.
"""

from collections.abc import Set as AbstractSet

from messages_app.demo import failures
from messages_app.demo.hub import ending
from messages_app.demo.hub.agenda import Steps
from messages_app.demo.hub.book import now
from messages_app.demo.hub.order import is_first_in_order
from messages_app.demo.hub.play import Stage
from messages_app.messages.models import Message
from messages_app.messages.services import rules
from messages_app.messages.states import MessageState

POLLED = frozenset({MessageState.PARTLY_FAILED, MessageState.POSTPONED})


def take(stage: Stage, msg_id: int) -> Message | None:
    """Take a message that the poll found; None when somebody was faster, or has cancelled it."""
    return reserve(stage, msg_id) if rules().taken_from else begin(stage, msg_id, POLLED)


def reserve(stage: Stage, msg_id: int) -> Message | None:
    """Put a message into the node's queue; the hub that has none does not do this. Source: 2.3, IN_QUEUE."""
    from_states = POLLED | {MessageState.NEW}
    return _moved(stage, msg_id, from_states, state=MessageState.IN_QUEUE, start_in_queue_timestamp=now())


def begin(stage: Stage, msg_id: int, from_states: AbstractSet[MessageState]) -> Message | None:
    """Start a message that is in one of these states."""
    return _moved(stage, msg_id, from_states, state=MessageState.PROCESSING, start_process_timestamp=now())


def _moved(
    stage: Stage, msg_id: int, from_states: AbstractSet[MessageState], **columns: object
) -> Message | None:
    with stage.book.transaction():
        message = Message.objects.select_for_update().filter(pk=msg_id).first()
        if message is None or message.state not in from_states:
            return None
        stage.book.overwrite(message, node_id=stage.play.node, **columns)
    return message


def admit(stage: Stage, message: Message, *, is_polled: bool) -> Steps:
    """
    Return whether a message that was taken may go on; one that is not first in its order is put back, or
    fails when a poll finds that it has waited too long since its receipt.

    Raises:
        Hung: its order cannot be looked at.
    Source: spec/cleverbus.md 2.5 and 6.1.
    """
    if is_first_in_order(message):
        return True
    if is_polled and message.receive_timestamp < now() - stage.timing.order_fails_after:
        yield from ending.fail(stage, message, failures.WAITED_TOO_LONG)
    else:
        yield from ending.put_aside(stage, message, MessageState.POSTPONED)
    return False
