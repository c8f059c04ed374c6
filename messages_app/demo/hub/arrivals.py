"""
The messages of source systems, and their state in the hub: processed immediately, or NEW if it has a queue.

Source: docs/contributing/spec/cleverbus.md, "Table funnel", "Transitions" (the first two lines), "Duplicate
correlation ids".
"""

from datetime import timedelta

from django.db import IntegrityError

from messages_app.demo import documents
from messages_app.demo.drafts import Draft
from messages_app.demo.hub.database import is_duplicate_key
from messages_app.demo.hub.play import Document, Stage
from messages_app.demo.hub.writes import hub_time
from messages_app.messages.models import Funnel, Message
from messages_app.messages.services import hub_rules
from messages_app.shared.message_states import MessageState


def receive_message(stage: Stage) -> Message | None:
    """Store a message that a source system sends; None if it was sent before, or is in doubt."""
    draft = stage.senders.make_root(stage.senders.choose_operation(), hub_time().timestamp())
    message = new_message(stage, draft)
    try:
        return _take_in(stage, message, draft.funnel_values)
    except IntegrityError as error:
        if is_duplicate_key(error):
            return None
        raise


def _take_in(stage: Stage, message: Message, funnel_values: tuple[str, ...]) -> Message | None:
    def store_row() -> Message:
        with stage.book.open_transaction():
            store_message(stage, message, funnel_values)
        return message

    if not stage.play.is_gentle:
        return store_row()
    document = Document(
        service=message.service_name,
        uuid=message.correlation_id,
        name=message.operation_name,
        content=message.payload,
        store=store_row,
    )
    stored_message = stage.intake.take_in(document)
    if stored_message is not None:
        stage.data_hub.pass_on(stored_message)
    return stored_message


def new_message(stage: Stage, draft: Draft, **columns: object) -> Message:
    """Return a message as the hub stores it, with an id but not stored; `columns` has the differences."""
    at = hub_time()
    sent_ago = timedelta(seconds=draft.received_at - draft.msg_at)
    defaults = {
        "msg_timestamp": at - sent_ago,
        "receive_timestamp": at,
        "guaranteed_order": draft.is_ordered,
        "object_id": draft.object_id,
    }
    return Message(
        msg_id=stage.book.next_id(),
        correlation_id=draft.correlation_id,
        process_id=draft.process_id,
        service_name=draft.operation.service,
        operation_name=draft.operation.name,
        source_system=draft.source_system,
        entity_type=draft.operation.entity_type,
        state=MessageState.NEW if hub_rules().taken_from else MessageState.PROCESSING,
        start_process_timestamp=at,
        last_process_timestamp=at,
        failed_count=0,
        exclude_failed_state=False,
        node_id=None if hub_rules().taken_from else stage.play.node,
        **(defaults | _make_contents(stage, draft) | columns),
    )


def _make_contents(stage: Stage, draft: Draft) -> dict[str, str]:
    reference = draft.parent.object_id if draft.parent else ""
    fill = documents.fill_template(
        draft, at=draft.msg_at, number=draft.number, random=stage.random, reference=reference
    )
    payload = documents.payload_template(draft.operation, stage.random) % fill
    return {
        "payload": payload,
        "envelope": documents.wrap_in_envelope(payload, fill),
    }


def store_message(stage: Stage, message: Message, funnel_values: tuple[str, ...]) -> None:
    """
    Insert a message with its funnel values: one row each, or the first one in the message's own column.

    Raises:
        IntegrityError: its correlation id exists already; nothing is stored.
    """
    if not hub_rules().counts_each_value:
        message.funnel_value = next(iter(funnel_values), None)
        funnel_values = ()
    stage.book.insert(message)
    for value in funnel_values:
        stage.book.insert(Funnel(funnel_id=stage.book.next_id(), msg_id=message.pk, funnel_value=value))
    stage.entered_counts[message.state] += 1
