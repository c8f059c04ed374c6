"""
The repair jobs: messages that are stuck in PROCESSING are retried, or fail.

Source: docs/contributing/spec/cleverbus.md, "Repair".

They ignore current workers: a route that takes too long is repaired while it runs, and its worker finally
overwrites the repair.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from itertools import chain, islice

from django.db import IntegrityError

from messages_app.audit.services import Actor
from messages_app.demo import failures
from messages_app.demo.document_intake import IDS
from messages_app.demo.drafts import Draft
from messages_app.demo.hub import attempt_end
from messages_app.demo.hub.agenda import Steps, retry_while_busy
from messages_app.demo.hub.arrivals import new_message, store_message
from messages_app.demo.hub.database import is_duplicate_key
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.poll import operations_of
from messages_app.demo.hub.processing import queue_arrival
from messages_app.demo.hub.writes import DueMessage, calls_in, hub_time, messages_in
from messages_app.demo.world import OPERATIONS
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.complete import complete_patiently
from messages_app.document_history.services.in_doubt import take_resubmitted
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.models import ExternalCall, Message
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import REPAIRED_PER_RUN, TRIES_BEFORE_FAILED
from messages_app.shared.message_states import ExternalCallState, MessageState

_PER_TRANSACTION = 10


def repair_messages(stage: Stage) -> Steps:
    """Do one run of both jobs."""
    began = hub_time() - stage.timing.repair_after
    msg_ids = [one.msg_id for one in islice(_hanging_messages(stage, began), REPAIRED_PER_RUN)]
    for some in _split_ids(msg_ids):
        given_up = yield from retry_while_busy(partial(_try_again, stage, some))
        for message in given_up:
            yield from attempt_end.fail_message(stage, message, failures.STUCK)
    calls = list(islice(calls_in(ExternalCallState.PROCESSING, changed_before=began), REPAIRED_PER_RUN))
    for some in _split_ids(calls):
        yield from retry_while_busy(partial(_free_calls, stage, some))


def _hanging_messages(stage: Stage, began: datetime) -> Iterator[DueMessage]:
    scans = (
        messages_in(state, started_before=began, operations=operations_of(stage))
        for state in sorted(hub_rules().repaired_from)
    )
    return chain.from_iterable(scans)


def _split_ids(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _PER_TRANSACTION):
        yield ids[start : start + _PER_TRANSACTION]


def _try_again(stage: Stage, ids: list[int]) -> list[Message]:
    """
    Retry messages, count a failure without a text for each, and return the ones without attempts left.
    """
    given_up = []
    with stage.book.open_transaction():
        for message in Message.objects.filter(pk__in=ids, state__in=hub_rules().repaired_from).order_by(
            "msg_id"
        ):
            if message.failed_count >= TRIES_BEFORE_FAILED:
                given_up.append(message)
                continue
            stage.write(message, MessageState.PARTLY_FAILED, failed_count=message.failed_count + 1)
    return given_up


def _free_calls(stage: Stage, ids: list[int]) -> None:
    """Allow unfinished calls to be made again."""
    hanging = ExternalCall.objects.select_for_update().filter(pk__in=ids, state=ExternalCallState.PROCESSING)
    with stage.book.open_transaction():
        for call in hanging.order_by("call_id"):
            stage.book.change_row(call, state=ExternalCallState.FAILED, last_update_timestamp=hub_time())


# Keeps the demo's stuck funnel stuck, so that a new user still finds it a week later. See
# docs/reference/demo.md.
#
# By the rules, a message that waits for an answer blocks others only for ten minutes after its start. So in a
# gentle hub the other system answers "not yet": the message starts again, and continues to wait.
KEEP_STUCK_EVERY = 60.0
_MAX_WAITING = 200


def keep_funnels_stuck(stage: Stage) -> Steps:
    """Restart messages that wait for an answer while others wait behind them in a funnel."""
    half = hub_time() - stage.timing.funnel_idle_after / 2
    for msg_id in sorted(set(_holders_of(stage))):
        yield from retry_while_busy(partial(_ask_again, stage, msg_id, half))


def _holders_of(stage: Stage) -> Iterator[int]:
    waiting = messages_in(MessageState.POSTPONED, operations=operations_of(stage))
    for due in islice(waiting, _MAX_WAITING):
        rows = Message.objects.only("funnel_component_id", "funnel_value")
        message = rows.filter(pk=due.msg_id).first()
        if message is None:
            continue
        for member in blocking.messages_with_values(values=funnel_values(message)):
            is_same = member.funnel_component_id == message.funnel_component_id
            if is_same and member.state == MessageState.WAITING_FOR_RES:
                yield member.msg_id


def _ask_again(stage: Stage, msg_id: int, started_before: datetime) -> None:
    with stage.book.open_transaction():
        message = Message.objects.select_for_update().filter(pk=msg_id).first()
        if message is None or message.state != MessageState.WAITING_FOR_RES:
            return
        if message.start_process_timestamp is None or message.start_process_timestamp < started_before:
            stage.write(message, MessageState.PROCESSING, start_process_timestamp=hub_time())
            stage.write(message, MessageState.WAITING_FOR_RES)


TAKE_RESUBMITTED_EVERY = 5.0
_HUB = Actor(username="demo hub")


def process_resubmitted(stage: Stage) -> Steps:
    """Process the resubmitted documents of the intake's triggers."""
    for trigger_id in IDS.values():
        while True:
            resubmission = yield from retry_while_busy(
                partial(take_resubmitted, trigger_id=trigger_id, actor=_HUB)
            )
            if resubmission is None:
                break
            message = yield from retry_while_busy(partial(_store_document, stage, resubmission.line))
            if resubmission.token is not None:
                complete_patiently(
                    trigger_id=trigger_id, uuid=resubmission.line.document_uuid, token=resubmission.token
                )
            if message is not None:
                yield from queue_arrival(stage, message)


def _store_document(stage: Stage, line: DocumentInDoubt) -> Message | None:
    """Store a document as a message; None if the message exists, or the hub does not know its type."""
    operation = OPERATIONS.get(line.document_name)
    if operation is None or not line.document_uuid:
        return None
    at = hub_time().timestamp()
    draft = Draft(operation=operation, received_at=at, msg_at=at)
    draft.correlation_id, draft.process_id = line.document_uuid, None
    draft.source_system, draft.object_id = operation.systems[0], ""
    draft.number = line.pk
    message = new_message(stage, draft, object_id=None)
    if isinstance(line.document, str):
        message.payload = line.document
    try:
        with stage.book.open_transaction():
            store_message(stage, message, ())
    except IntegrityError as error:
        if is_duplicate_key(error):
            return None
        raise
    return message
