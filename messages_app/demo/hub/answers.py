"""
The other systems: they answer what is answered later, after a while, or never.

They check the rows, so that an answer comes also after the hub was killed; what has waited for longer than
Timing.no_answer_after is never answered, and waits until someone acts.

Source: docs/spec/cleverbus.md, "Transitions", "Repair".
"""

from messages_app.demo.hub import outcomes
from messages_app.demo.hub.agenda import Steps
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.processing import go_on
from messages_app.demo.hub.writes import messages_in, now
from messages_app.demo.world import OPERATIONS
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState

_ANSWERED = sorted(name for name, operation in OPERATIONS.items() if operation.is_answered_later)


def answer(stage: Stage) -> Steps:
    """Give the answers that have become due."""
    waiting = messages_in(
        MessageState.WAITING_FOR_RES,
        changed_after=now() - stage.timing.no_answer_after,
        operations=_ANSWERED,
    )
    for found in waiting:
        rows = Message.objects.only("correlation_id", "last_process_timestamp")
        message = rows.filter(pk=found.msg_id).first()
        if message is not None and _has_come(stage, message):
            stage.workers.enqueue(lambda msg_id=found.msg_id: go_on(stage, msg_id))
        yield 0.0


def _has_come(stage: Stage, message: Message) -> bool:
    if not outcomes.is_answered(stage.play, message):
        return False
    delay = stage.timing.answer_delay(outcomes.dice_of_delay(stage.play, message))
    return message.last_process_timestamp + delay <= now()
