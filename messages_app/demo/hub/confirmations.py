"""
The answer to the source system after OK and FAILED: no row when it is taken at once.

Source: docs/spec/cleverbus.md, "Confirmations".
"""

from django.db import IntegrityError

from messages_app.demo.hub import outcomes
from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.calls import new_call
from messages_app.demo.hub.database import violates_unique_key
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.writes import calls_in, now
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.hub_defaults import CONFIRMATION_TRIES
from messages_app.shared.message_states import CONFIRMATION_OPERATION, ExternalCallState


def confirm(stage: Stage, message: Message) -> Steps:
    """Confirm a message that has ended; remember it where the source system does not take it."""
    if not outcomes.is_confirmed(stage.play, message.correlation_id, failed_count=0):
        yield from patiently(lambda: _remember(stage, message))


def _remember(stage: Stage, message: Message) -> None:
    try:
        with stage.book.transaction():
            stage.book.insert(_failed_confirmation(stage, message))
    except IntegrityError as error:
        # Two messages with one correlation id, of two systems, collide on it, in the hub too.
        if not violates_unique_key(error):
            raise


def _failed_confirmation(stage: Stage, message: Message) -> ExternalCall:
    return new_call(
        stage,
        message,
        operation_name=CONFIRMATION_OPERATION,
        entity_id=message.correlation_id,
        state=ExternalCallState.FAILED,
        failed_count=1,
    )


def repeat(stage: Stage) -> Steps:
    """Confirm again what was not taken, one run of the hub's job."""
    due = now() - stage.timing.confirmation_every
    found = calls_in(ExternalCallState.FAILED, changed_before=due, operation_name=CONFIRMATION_OPERATION)
    for call_id in found:
        call = yield from patiently(lambda call_id=call_id: _begin(stage, call_id))
        if call is not None:
            yield stage.timing.call_seconds(stage.random)
            yield from patiently(lambda call=call: _end(stage, call))


def _begin(stage: Stage, call_id: int) -> ExternalCall | None:
    with stage.book.transaction():
        call = ExternalCall.objects.select_for_update().filter(pk=call_id).first()
        if call is None or call.state != ExternalCallState.FAILED:
            return None  # a restart has deleted it
        stage.book.change(call, state=ExternalCallState.PROCESSING, last_update_timestamp=now())
    return call


def _end(stage: Stage, begun: ExternalCall) -> None:
    with stage.book.transaction():
        call = ExternalCall.objects.select_for_update().filter(pk=begun.pk).first()
        if call is None:
            return
        if outcomes.is_confirmed(stage.play, call.entity_id, failed_count=call.failed_count):
            stage.book.change(call, state=ExternalCallState.OK, last_update_timestamp=now())
            return
        count = call.failed_count + 1
        is_over = count > CONFIRMATION_TRIES
        state = ExternalCallState.FAILED_END if is_over else ExternalCallState.FAILED
        stage.book.change(call, state=state, failed_count=count, last_update_timestamp=now())
