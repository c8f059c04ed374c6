"""
The objects of the CP queue, from the console's own stores.

An object is the currently valid record of the message store whose field `object_id` has its number, as in
cp_messages.py; otherwise the newest message of the hub whose object id is that number in digits, live before
archived.

Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

import hashlib
from dataclasses import dataclass

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from messages_app.cp_queue.objects import FullText, ObjectInfo
from messages_app.cp_queue.states import MAX_INT
from messages_app.message_store.models import TargetRecord
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.payloads.content_types import guess_type
from messages_app.payloads.loader import Beginning, ContentNotFound, read_beginning
from messages_app.payloads.text_search import pages_of, words_of
from messages_app.processors.cp_messages import OBJECT_ID, OBJECT_TYPE
from messages_app.shared.xml_parsing import CHECKED_BYTES


@dataclass(frozen=True, kw_only=True)
class _Document:
    """The beginning of an object's content, which is all of it if it is not too large."""

    content: Beginning
    reference: str
    system: str
    object_type: int | None = None
    msg_id: int | None = None
    stored_message: str | None = None

    @property
    def is_too_large(self) -> bool:
        return (self.content.stored_bytes or 0) > CHECKED_BYTES

    @property
    def words(self) -> str:
        return "" if self.is_too_large else words_of(self.content.text or "")


class HubObjects:
    """The source of objects unless the setting CP_OBJECT_SOURCE names another."""

    def object_info(self, osid: int) -> ObjectInfo | None:
        document = _find_document(osid)
        if document is None:
            return None
        content, words = document.content.text or "", document.words
        return ObjectInfo(
            object_type=document.object_type,
            page_count=pages_of(words),
            sha256="" if document.is_too_large else hashlib.sha256(content.encode()).hexdigest(),
            reference=document.reference,
            system=document.system,
            mime_type=guess_type(content),
            has_text=bool(words.strip()),
        )

    def full_text(self, osid: int) -> FullText | None:
        document = _find_document(osid)
        if document is None:
            return None
        return FullText(
            text=document.words,
            is_too_large=document.is_too_large,
            msg_id=document.msg_id,
            stored_message=document.stored_message,
        )


def _find_document(osid: int) -> _Document | None:
    return _find_record(osid) or _find_message(osid)


def _find_record(osid: int) -> _Document | None:
    records = TargetRecord.objects.filter(valid_to=None, **{f"data__{OBJECT_ID}": osid})
    newest = records.order_by("-valid_from", "entity", "record_key")
    columns = ("pk", "entity", "record_key", "source_message", f"data__{OBJECT_TYPE}")
    for pk, entity, key, stored_message, object_type in newest.values_list(*columns)[:1]:
        content = _read_content(
            TargetRecord.objects.filter(pk=pk).annotate(text=Cast("data", TextField())), "text"
        )
        if content is None:
            return None
        return _Document(
            content=content,
            reference=key,
            system=entity,
            object_type=_read_type(object_type),
            stored_message=stored_message,
        )
    return None


def _find_message(osid: int) -> _Document | None:
    for table in (Message, ArchiveMessage):
        newest = table.objects.filter(object_id=str(osid)).order_by("-msg_id")
        for msg_id, system in newest.values_list("msg_id", "source_system")[:1]:
            if content := _read_content(table.objects.filter(pk=msg_id), "payload"):
                return _Document(content=content, reference=str(msg_id), system=system or "", msg_id=msg_id)
    return None


def _read_content(rows: QuerySet, column: str) -> Beginning | None:
    try:
        return read_beginning(rows, column)
    except ContentNotFound:  # replaced or archived meanwhile
        return None


def _read_type(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MAX_INT else None
