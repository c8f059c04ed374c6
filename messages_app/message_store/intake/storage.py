"""
Storing a message, once: an identifier that exists is dropped.

Source: docs/spec/message_store.md, "Receiving".
"""

from dataclasses import dataclass

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.message_store.intake.parser import NewMessage
from messages_app.message_store.models import MessageStore

statements = Statements("messages_app.message_store")


@dataclass(frozen=True, kw_only=True)
class Stored:
    """
    The outcome of a message that was sent.

    Args:
        is_dropped: its identifier was there before; nothing was stored or changed.
        is_same: of a dropped one: what is stored has the same content.
    """

    identifier: str
    is_dropped: bool
    is_same: bool = False


def store_message(message: NewMessage, *, actor: audit.Actor) -> Stored:
    """
    Store a message with status 0; drop one whose identifier is there, and say so (docs/spec/message_store.md,
    "Hard cases" case 12).

    The effective time is that of storing where none is given. A dropped message leaves an audit entry: a
    correction that is lost in silence would be worse.
    """
    values = {
        "identifier": message.identifier,
        "system": message.system,
        "entity": message.entity,
        "effective": message.effective,
        "user": message.user,
        "refresh": message.refresh,
        "options": message.options,
        "data": message.data,
        "file_path": message.file_path,
    }
    with transaction.atomic():
        if statements.row("store_message", values) is not None:
            return Stored(identifier=message.identifier, is_dropped=False)
        is_same = _is_same(message)
        audit.record(
            actor=actor,
            action="store_message",
            outcome=AuditEntry.Outcome.REFUSED,
            subject_kind="store_message",
            subject=message.identifier,
            details={"refusal": "identifier_exists", "same_content": is_same},
        )
    return Stored(identifier=message.identifier, is_dropped=True, is_same=is_same)


def _is_same(message: NewMessage) -> bool:
    found = MessageStore.objects.filter(
        pk=message.identifier,
        source_system=message.system,
        source_entity=message.entity,
        refresh=message.refresh,
        options=message.options,
        data=message.data,
        file_path=message.file_path,
    )
    return found.exists()
