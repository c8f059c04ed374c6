"""
The calls of a route with their requests and responses; the hub records each in a row, to make it only once.

Source: docs/contributing/spec/cleverbus.md, "External calls", "Requests and responses".
"""

from dataclasses import dataclass

from django.db import IntegrityError

from messages_app.demo import documents, failures
from messages_app.demo.failures import Failure, failed_reason
from messages_app.demo.hub import outcomes
from messages_app.demo.hub.agenda import Steps, retry_while_busy
from messages_app.demo.hub.database import is_duplicate_key
from messages_app.demo.hub.outcomes import Failed, Hung
from messages_app.demo.hub.play import TIMED_OUT, Stage
from messages_app.demo.hub.writes import hub_time
from messages_app.demo.world import OPERATIONS, Target
from messages_app.messages.models import ExternalCall, Message, Request, Response
from messages_app.shared.message_states import ExternalCallState

_BUSY = (ExternalCallState.PROCESSING,)
_THROUGH = (ExternalCallState.OK,)
# As in the loaded demo: the hub sometimes loses the link to the request, never the one to the message.
_UNLINKED = 0.003
# And one failed request in four leaves no response.
_UNANSWERED = 0.25


@dataclass(frozen=True)
class _Begun:
    call: ExternalCall
    request: Request | None


def make_calls(stage: Stage, message: Message) -> Steps:
    """
    Make the calls of a message's route, up to the one that fails.

    Raises:
        Failed: a call, or the route before it, failed.
        Hung: the route never ends.
    """
    failure = outcomes.failure_of_try(stage.play, message)
    operation = OPERATIONS.get(message.operation_name)
    targets = operation.targets if operation else ()
    at_call = _failing_call(failure, targets)
    if failure is not None and at_call is None:
        yield stage.timing.call_seconds(stage.random)
        raise Failed(failure)
    for target in targets:
        yield from _make_one(stage, message, target, failure if target is at_call else None)
    if not targets:
        yield stage.timing.call_seconds(stage.random)


def _failing_call(failure: Failure | None, targets: tuple[Target, ...]) -> Target | None:
    """Return the call that fails, which is the last; None if the route fails before any call."""
    if failure is None or not targets or not (failure.at_call or failure is failures.STUCK):
        return None
    return targets[-1]


def _make_one(stage: Stage, message: Message, target: Target, failure: Failure | None) -> Steps:
    if stage.play.is_skipped(target.uri):
        return
    begun = yield from retry_while_busy(lambda: begin_call(stage, message, target))
    if begun is None:
        return
    yield stage.timing.call_seconds(stage.random)
    if failure is failures.TIMEOUT:
        yield TIMED_OUT / stage.timing.work
    if failure is failures.STUCK:
        raise Hung
    yield from retry_while_busy(lambda: end_call(stage, message, target, begun, failure))
    if failure is not None:
        raise Failed(failure)


def begin_call(stage: Stage, message: Message, target: Target) -> _Begun | None:
    """
    Decide whether to make a call, and record that it is made; None if it is silently skipped.

    Raises:
        Failed: another message is making it now.
    """
    try:
        with stage.book.open_transaction():
            rows = ExternalCall.objects.select_for_update().filter(
                operation_name=target.uri, entity_id=_key_of(message, target)
            )
            call = _make_call(stage, message, target, rows.first())
            if call is None:
                return None
            return _Begun(call, _send_request(stage, message, target))
    except IntegrityError as error:
        if is_duplicate_key(error):
            raise Failed(failures.BUSY_CALL) from error
        raise


def _make_call(
    stage: Stage, message: Message, target: Target, row: ExternalCall | None
) -> ExternalCall | None:
    """
    Decide by the existing row and its message.

    Source: docs/contributing/spec/cleverbus.md, "External calls" (the table).
    """
    if row is None:
        row = new_call(
            stage,
            message,
            operation_name=target.uri,
            entity_id=_key_of(message, target),
            state=ExternalCallState.PROCESSING,
            failed_count=0,
        )
        stage.book.insert(row)
        return row
    if row.state in _BUSY:
        raise Failed(failures.BUSY_CALL)
    is_older = message.msg_timestamp < row.msg_timestamp
    is_newer = message.msg_timestamp > row.msg_timestamp
    if is_older or (row.state in _THROUGH and not is_newer):
        return None
    stage.book.change_row(
        row,
        state=ExternalCallState.PROCESSING,
        msg_id=message.pk,
        msg_timestamp=message.msg_timestamp,
        last_update_timestamp=hub_time(),
    )
    return row


def new_call(stage: Stage, message: Message, **columns: object) -> ExternalCall:
    """Return a new row of external_call of a message, not stored yet."""
    at = hub_time()
    return ExternalCall(
        call_id=stage.book.next_id(),
        msg_id=message.pk,
        msg_timestamp=message.msg_timestamp,
        creation_timestamp=at,
        last_update_timestamp=at,
        **columns,
    )


def _key_of(message: Message, target: Target) -> str:
    if target.keyed_by_object and message.object_id:
        return "_".join(filter(None, (message.entity_type, message.object_id)))
    return f"{message.source_system}_{message.correlation_id}"


def end_call(stage: Stage, message: Message, target: Target, begun: _Begun, failure: Failure | None) -> None:
    """
    Record how a call ended.

    Raises:
        Failed: the row of the call was deleted or repaired in the meantime.
    """
    state = ExternalCallState.OK if failure is None else ExternalCallState.FAILED
    with stage.book.open_transaction():
        # The time of its last change is the row's version. Source: docs/contributing/spec/cleverbus.md,
        # "Table external_call".
        version = begun.call.last_update_timestamp
        rows = ExternalCall.objects.filter(pk=begun.call.pk, last_update_timestamp=version)
        call = rows.filter(state__in=_BUSY).select_for_update().first()
        if call is not None:
            stage.book.change_row(call, state=state, last_update_timestamp=hub_time())
        _store_answer(stage, message, target, begun.request, failure)
    if call is None:
        raise Failed(failures.UNSPECIFIED)


def _send_request(stage: Stage, message: Message, target: Target) -> Request | None:
    operation = OPERATIONS.get(message.operation_name)
    if operation is None or not target.is_tracked:
        return None
    request = Request(
        req_id=stage.book.next_id(),
        msg_id=message.pk,
        res_join_id=message.correlation_id,
        uri=target.uri,
        req_envelope=documents.request_envelope(operation, _fill_documents(stage, message)),
        req_timestamp=hub_time(),
    )
    stage.book.insert(request)
    return request


def _store_answer(
    stage: Stage, message: Message, target: Target, request: Request | None, failure: Failure | None
) -> None:
    random = stage.random
    if request is None or (target.is_one_way and failure is None):
        return
    if failure is not None and random.random() < _UNANSWERED:
        return
    stage.book.insert(
        Response(
            res_id=stage.book.next_id(),
            req_id=None if random.random() < _UNLINKED else request.pk,
            res_timestamp=hub_time(),
            msg_id=message.pk,
            failed=failure is not None,
            **_write_answer(stage, message, failure),
        )
    )


def _write_answer(stage: Stage, message: Message, failure: Failure | None) -> dict[str, str]:
    if failure is not None:
        reason = failed_reason(failure, service=message.service_name, random=stage.random)
        return {"failed_reason": reason}
    operation = OPERATIONS[message.operation_name]
    return {"res_envelope": documents.response_envelope(operation, _fill_documents(stage, message))}


def _fill_documents(stage: Stage, message: Message) -> dict[str, object]:
    return documents.fill_template(
        message, at=message.msg_timestamp.timestamp(), number=message.pk, random=stage.random
    )
