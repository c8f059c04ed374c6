"""Taking documents that an operator resubmitted: they become messages now, and are completed."""

from django.db import IntegrityError

from messages_app.audit.services import Actor
from messages_app.demo.drafts import Draft
from messages_app.demo.hub.agenda import Steps, patiently
from messages_app.demo.hub.arrivals import new_message, store
from messages_app.demo.hub.book import now
from messages_app.demo.hub.database import violates_unique_key
from messages_app.demo.hub.play import Stage
from messages_app.demo.hub.processing import arrive
from messages_app.demo.intake.triggers import IDS
from messages_app.demo.world import OPERATIONS
from messages_app.document_history import services
from messages_app.document_history.models import DocumentInDoubt
from messages_app.messages.models import Message

EVERY = 5.0
_HUB = Actor(username="demo hub")


def process_resubmitted(stage: Stage) -> Steps:
    """Process what waits for the triggers of the intake."""
    for trigger_id in IDS.values():
        while True:
            taken = yield from patiently(
                lambda trigger_id=trigger_id: services.take_resubmitted(trigger_id=trigger_id, actor=_HUB)
            )
            if taken is None:
                break
            message = yield from patiently(lambda line=taken.line: _stored(stage, line))
            if taken.token is not None:
                services.complete_patiently(
                    trigger_id=trigger_id, uuid=taken.line.document_uuid, token=taken.token
                )
            if message is not None:
                yield from arrive(stage, message)


def _stored(stage: Stage, line: DocumentInDoubt) -> Message | None:
    """Store the message that a document is; None where it is there, or the hub does not know its type."""
    operation = OPERATIONS.get(line.document_name)
    if operation is None or not line.document_uuid:
        return None
    at = now().timestamp()
    draft = Draft(operation=operation, received_at=at, msg_at=at)
    draft.correlation_id, draft.process_id = line.document_uuid, None
    draft.source_system, draft.object_id = operation.systems[0], None
    draft.number = line.pk
    message = new_message(stage, draft)
    if isinstance(line.document, str):
        message.payload = line.document
    try:
        with stage.book.transaction():
            store(stage, message, ())
    except IntegrityError as error:
        if violates_unique_key(error):
            return None
        raise
    return message
