"""
Maps a document to a message: its ids, its process and its parent.

The rules for UBL documents; other XML documents become messages without a process and a parent:
- correlation_id is the type, the id and the start of the payload's digest, so that a repeated document is
  refused, and two different documents with the same id are not.
- process_id is issuer, receiver and id of the document that opened the conversation (an order; else the first
  one that is referred to), so that the answers share it even if that document was not loaded.
- The parent is the message of the document that is answered. The child has the process_id of its parent.
- HARD if the child changes the order (OrderChange, OrderCancellation: the order is not finished before the
  child is), SOFT if it only answers (responses, despatch advices, invoices...).
- state NEW, with start and last processing set to the time of load, as a hub stores a new message.
  Source: docs/contributing/spec/cleverbus.md, "Transitions" (first row, for OpenHub).
"""

import hashlib
from datetime import datetime

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.importers.documents import Document
from messages_app.shared.message_states import MessageState, ParentBinding

statements = Statements("messages_app.messages")


_CHANGES_ITS_PARENT = frozenset({"OrderChange", "OrderCancellation"})


def load_rank(document: Document) -> int:
    """Return the order in which a document is loaded: a document comes before its answers."""
    if document.answers is None:
        return 0
    return 1 if document.answers.types else 2


def message_row(document: Document, *, loaded_at: datetime) -> dict[str, object]:
    """Return the columns of a document's message. The parent is looked up in the database."""
    parent_msg_id, process_id = _find_parent(document)
    binding = _binding_of_document(document) if parent_msg_id is not None else None
    return {
        "correlation_id": _correlation_id(document),
        "process_id": process_id,
        "msg_timestamp": document.issued or loaded_at,
        "receive_timestamp": loaded_at,
        "start_process_timestamp": loaded_at,
        "last_process_timestamp": loaded_at,
        "service_name": document.service,
        "operation_name": _fit_text(document.type, 100),
        "source_system": document.sender,
        "state": MessageState.NEW,
        "object_id": _object_id(document.document_id),
        "entity_type": _fit_text(document.type, 30),
        "payload": document.payload,
        "parent_msg_id": parent_msg_id,
        "parent_binding_type": binding,
    }


def _correlation_id(document: Document) -> str:
    parts = (document.type, document.document_id, document.digest[:16])
    return _fit_text(":".join(part for part in parts if part), 100)


def _object_id(document_id: str | None) -> str | None:
    return None if document_id is None else _fit_text(document_id, 50)


def _own_process_id(document: Document) -> str | None:
    if document.answers is not None:
        answers = document.answers
        return _fit_text(f"{answers.issuer}-{answers.counterpart}-{answers.document_id}", 100)
    if document.document_id is None or not document.opens_process:
        return None
    return _fit_text(f"{document.sender}-{document.receiver}-{document.document_id}", 100)


def _find_parent(document: Document) -> tuple[int | None, str | None]:
    """Return the msg_id of the parent, or None, and the process of both."""
    own_process_id = _own_process_id(document)
    if document.answers is None:
        return None, own_process_id
    arguments = {
        "object_id": _object_id(document.answers.document_id),
        "source_system": document.answers.issuer,
        "operation_names": list(document.answers.types),
        "issued_until": document.issued_until,
        "process_id": own_process_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("find_answered_message"), arguments)
        parent = cursor.fetchone()
    return (parent[0], parent[1] or own_process_id) if parent else (None, own_process_id)


def _binding_of_document(document: Document) -> ParentBinding:
    return ParentBinding.HARD if document.type in _CHANGES_ITS_PARENT else ParentBinding.SOFT


def _fit_text(text: str, length: int) -> str:
    """Return a text; if it is too long, its start and a digest, so that different texts stay different."""
    if len(text) <= length:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text[: length - 13]}~{digest}"
