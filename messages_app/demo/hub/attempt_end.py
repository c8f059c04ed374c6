"""
Ends an attempt: writes the worker's copy of the whole row, settles the parent, and confirms to the source.

The copy overwrites all changes of the row in the meantime. The parent is read again and rewritten, without a
check of its state where the hub has none. A confirmation that the source system accepts immediately leaves no
row.

Source: docs/contributing/spec/cleverbus.md, "Transitions", "Error texts", "Retries", "Parents and children",
"Confirmations".
"""

from collections.abc import Iterable, Iterator
from functools import partial

from django.db import IntegrityError

from messages_app.demo.cp_queue import create_work
from messages_app.demo.failures import Failure, failed_desc
from messages_app.demo.hub import outcomes
from messages_app.demo.hub.agenda import Steps, retry_while_busy
from messages_app.demo.hub.calls import new_call
from messages_app.demo.hub.database import is_duplicate_key
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.writes import calls_in, hub_time
from messages_app.messages.models import ExternalCall, Message
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import CONFIRMATION_TRIES, TRIES_BEFORE_FAILED
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    ExternalCallState,
    MessageState,
    ParentBinding,
)

_WITH_CUSTOM_DATA = 0.1
_CUSTOM_DATA = "step=2"


def succeed_message(stage: Stage, message: Message) -> Steps:
    """Write OK, settle the parent, create CP messages for a document, and confirm to the source system."""
    error = join_errors([message.business_error, outcomes.business_error(stage.play, message)])
    yield from retry_while_busy(lambda: _write_success(stage, message, error))
    yield from confirm_message(stage, message)


def _write_success(stage: Stage, message: Message, business_error: str | None) -> None:
    with stage.book.open_transaction():
        stage.write(message, MessageState.OK, business_error=business_error)
        complete_parent(stage, message)
        if stage.play.is_gentle:
            create_work(message)


def fail_message(stage: Stage, message: Message, failure: Failure) -> Steps:
    """
    Write that an attempt failed, and settle the parent. FAILED if the error is fatal or no attempts are left.

    The count is compared before it is increased.

    Source: docs/contributing/spec/cleverbus.md, "Retries".
    """
    is_final = failure.is_fatal or message.failed_count >= TRIES_BEFORE_FAILED
    columns = {
        "failed_count": message.failed_count + 1,
        "failed_error_code": failure.code,
        "failed_desc": _describe_failure(stage, message, failure),
    } | _report_data(stage, message)
    yield from retry_while_busy(lambda: _write_failure(stage, message, is_final, columns))
    if is_final:
        yield from confirm_message(stage, message)


def _write_failure(stage: Stage, message: Message, is_final: bool, columns: dict[str, object]) -> None:
    with stage.book.open_transaction():
        if not is_final:
            stage.write(message, MessageState.PARTLY_FAILED, **columns)
            return
        stage.write(message, MessageState.FAILED, **columns)
        fail_parent(stage, message)


def _describe_failure(stage: Stage, message: Message, failure: Failure) -> str:
    return failed_desc(failure, service=message.service_name, random=stage.random)


def _report_data(stage: Stage, message: Message) -> dict[str, object]:
    """Return the data that a route sometimes returns with its error."""
    if stage.random.random() >= _WITH_CUSTOM_DATA:
        return {}
    error = join_errors([message.business_error, outcomes.BUSINESS_ERROR])
    return {"custom_data": _CUSTOM_DATA, "business_error": error}


def put_aside(stage: Stage, message: Message, state: MessageState) -> Steps:
    """
    Write POSTPONED if the message must wait for another, or WAITING_FOR_RES if another system will answer.
    """
    yield from retry_while_busy(lambda: _put_aside(stage, message, state))


def _put_aside(stage: Stage, message: Message, state: MessageState) -> None:
    with stage.book.open_transaction():
        stage.write(message, state)


# The business errors of at most this many children are collected.
_CHILDREN_READ = 200
_MAX_BUSINESS_ERROR = 20_000


def complete_parent(stage: Stage, child: Message) -> None:
    """Make the parent OK if this was its last child, and its own parent too if the hub climbs."""
    climbs = hub_rules().parents_climb
    for below, parent in _hard_line(child):
        if _has_another_unfinished(stage, parent, below):
            return
        if not climbs:
            stage.write(parent, MessageState.OK, business_error=_business_errors(parent))
            return
        if parent.state != MessageState.WAITING:
            return
        stage.write(parent, MessageState.OK)


def fail_parent(stage: Stage, child: Message) -> None:
    """Make the parent FAILED in any state, with the child's error, and all ancestors if the hub climbs."""
    copied = {name: getattr(child, name) for name in ("failed_error_code", "failed_desc", "failed_count")}
    for _, parent in _hard_line(child):
        stage.write(parent, MessageState.FAILED, **copied)
        if not hub_rules().parents_climb:
            return


def join_errors(errors: Iterable[str | None]) -> str | None:
    """Join business errors as the hub does. Source: docs/contributing/spec/cleverbus.md, "Table message"."""
    return "||".join(filter(None, errors))[:_MAX_BUSINESS_ERROR] or None


def _hard_line(child: Message) -> Iterator[tuple[Message, Message]]:
    """Yield each child and its parent, upwards through HARD bindings; in a cycle, each once."""
    passed_ids = {child.pk}
    while child.parent_msg_id is not None and child.parent_binding_type == ParentBinding.HARD:
        parent = Message.objects.filter(pk=child.parent_msg_id).first()
        if parent is None or parent.pk in passed_ids:
            return
        passed_ids.add(parent.pk)
        yield child, parent
        child = parent


def _has_another_unfinished(stage: Stage, parent: Message, child: Message) -> bool:
    """
    Return whether any other child, SOFT or HARD, is not OK.

    In a gentle hub, a restarted parent does not wait for the children that failed in its earlier attempts.
    """
    others = Message.objects.filter(parent_msg_id=parent.pk).exclude(pk=child.pk)
    started_at = parent.start_process_timestamp
    if stage.play.is_gentle and started_at is not None:
        others = others.exclude(state=MessageState.FAILED, start_process_timestamp__lt=started_at)
    return others.exclude(state=MessageState.OK).exists()


def _business_errors(parent: Message) -> str | None:
    children = Message.objects.filter(parent_msg_id=parent.pk).order_by("msg_id")
    return join_errors(list(children.values_list("business_error", flat=True)[:_CHILDREN_READ]))


def confirm_message(stage: Stage, message: Message) -> Steps:
    """Confirm a message that has ended; remember it if the source system does not accept it."""
    if not outcomes.is_confirmed(stage.play, message.correlation_id, failed_count=0):
        yield from retry_while_busy(lambda: _remember_confirmation(stage, message))


def _remember_confirmation(stage: Stage, message: Message) -> None:
    try:
        with stage.book.open_transaction():
            stage.book.insert(_failed_confirmation(stage, message))
    except IntegrityError as error:
        # Messages of two systems with one correlation id collide here, as in the hub.
        if not is_duplicate_key(error):
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


def repeat_confirmations(stage: Stage) -> Steps:
    """Repeat confirmations that were not accepted, in one run of the hub's job."""
    due = hub_time() - stage.timing.confirmation_every
    call_ids = calls_in(ExternalCallState.FAILED, changed_before=due, operation_name=CONFIRMATION_OPERATION)
    for call_id in call_ids:
        call = yield from retry_while_busy(partial(_begin_confirmation, stage, call_id))
        if call is not None:
            yield stage.timing.call_seconds(stage.random)
            yield from retry_while_busy(partial(_end_confirmation, stage, call))


def _begin_confirmation(stage: Stage, call_id: int) -> ExternalCall | None:
    with stage.book.open_transaction():
        call = ExternalCall.objects.select_for_update().filter(pk=call_id).first()
        if call is None or call.state != ExternalCallState.FAILED:
            return None  # a restart has deleted it
        stage.book.change_row(call, state=ExternalCallState.PROCESSING, last_update_timestamp=hub_time())
    return call


def _end_confirmation(stage: Stage, begun: ExternalCall) -> None:
    with stage.book.open_transaction():
        call = ExternalCall.objects.select_for_update().filter(pk=begun.pk).first()
        if call is None:
            return
        if outcomes.is_confirmed(stage.play, call.entity_id, failed_count=call.failed_count):
            stage.book.change_row(call, state=ExternalCallState.OK, last_update_timestamp=hub_time())
            return
        count = call.failed_count + 1
        is_over = count > CONFIRMATION_TRIES
        state = ExternalCallState.FAILED_END if is_over else ExternalCallState.FAILED
        stage.book.change_row(call, state=state, failed_count=count, last_update_timestamp=hub_time())
