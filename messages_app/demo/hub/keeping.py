"""
Keeps the demo's stuck funnel stuck, so that a new user finds it a week later too. See docs/demo.md.

By the rules a message that waits for an answer keeps others out for ten minutes after its start only. So a
gentle hub lets the other system say "not yet": the message starts anew, and waits on.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.book import now
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.poll import operations_of
from messages_app.demo.hub.walks import messages_in
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.models import Message
from messages_app.messages.states import MessageState

EVERY = 60.0
_MOST_WAITING = 200


def keep(stage: Stage) -> Steps:
    """Start anew whoever waits for an answer while others wait for it in a funnel."""
    half = now() - stage.timing.funnel_idle_after / 2
    for msg_id in sorted(set(_holders(stage))):
        yield from patiently(lambda msg_id=msg_id: _ask_again(stage, msg_id, half))


def _holders(stage: Stage) -> Iterator[int]:
    waiting = messages_in(MessageState.POSTPONED, operations=operations_of(stage))
    for found in islice(waiting, _MOST_WAITING):
        rows = Message.objects.only("funnel_component_id", "funnel_value")
        message = rows.filter(pk=found.msg_id).first()
        if message is None:
            continue
        for member in blocking.present(values=funnel_values(message)):
            is_same = member.funnel_component_id == message.funnel_component_id
            if is_same and member.state == MessageState.WAITING_FOR_RES:
                yield member.msg_id


def _ask_again(stage: Stage, msg_id: int, started_before: datetime) -> None:
    with stage.book.transaction():
        message = Message.objects.select_for_update().filter(pk=msg_id).first()
        if message is None or message.state != MessageState.WAITING_FOR_RES:
            return
        if message.start_process_timestamp is None or message.start_process_timestamp < started_before:
            stage.write(message, MessageState.PROCESSING, start_process_timestamp=now())
            stage.write(message, MessageState.WAITING_FOR_RES)
