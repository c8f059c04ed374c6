"""
How an attempt ends: the worker writes its whole copy of the row, whatever has become of it meanwhile.

Source: docs/spec/cleverbus.md, "Transitions", "Error texts", "Retries".
"""

from messages_app.demo.cp_queue import leave_work
from messages_app.demo.failures import Failure, failed_desc
from messages_app.demo.hub import confirmations, outcomes, parents
from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.play import Stage
from messages_app.demo.rhythm import unescaped
from messages_app.messages.models import Message
from messages_app.shared.hub_defaults import TRIES_BEFORE_FAILED
from messages_app.shared.message_states import MessageState

_WITH_CUSTOM_DATA = 0.1
_CUSTOM_DATA = "step=2"


def succeed(stage: Stage, message: Message) -> Steps:
    """Write OK, see to the parent and to work that a document leaves, and confirm to the source system."""
    error = parents.joined([message.business_error, outcomes.business_error(stage.play, message)])
    yield from patiently(lambda: _succeed(stage, message, error))
    yield from confirmations.confirm(stage, message)


def _succeed(stage: Stage, message: Message, business_error: str | None) -> None:
    with stage.book.transaction():
        stage.write(message, MessageState.OK, business_error=business_error)
        parents.child_is_ok(stage, message)
        if stage.play.is_gentle:
            leave_work(message)


def fail(stage: Stage, message: Message, failure: Failure) -> Steps:
    """
    Write that an attempt failed: FAILED when the error allows no other try, or after this many; see to the
    parent.

    The count is compared before it grows.

    Source: docs/spec/cleverbus.md, "Retries".
    """
    is_final = failure.is_fatal or message.failed_count >= TRIES_BEFORE_FAILED
    columns = {
        "failed_count": message.failed_count + 1,
        "failed_error_code": failure.code,
        "failed_desc": _description(stage, message, failure),
    } | _reported(stage, message)
    yield from patiently(lambda: _fail(stage, message, is_final, columns))
    if is_final:
        yield from confirmations.confirm(stage, message)


def _fail(stage: Stage, message: Message, is_final: bool, columns: dict[str, object]) -> None:
    with stage.book.transaction():
        if not is_final:
            stage.write(message, MessageState.PARTLY_FAILED, **columns)
            return
        stage.write(message, MessageState.FAILED, **columns)
        parents.child_failed(stage, message)


def _description(stage: Stage, message: Message, failure: Failure) -> str:
    return unescaped(failed_desc(failure, service=message.service_name, random=stage.random))


def _reported(stage: Stage, message: Message) -> dict[str, object]:
    """Return what a route now and then gives with its error."""
    if stage.random.random() >= _WITH_CUSTOM_DATA:
        return {}
    error = parents.joined([message.business_error, outcomes.BUSINESS_ERROR])
    return {"custom_data": _CUSTOM_DATA, "business_error": error}


def put_aside(stage: Stage, message: Message, state: MessageState) -> Steps:
    """Write POSTPONED, as it had to give way, or WAITING_FOR_RES, as another system will answer."""
    yield from patiently(lambda: _put_aside(stage, message, state))


def _put_aside(stage: Stage, message: Message, state: MessageState) -> None:
    with stage.book.transaction():
        stage.write(message, state)
