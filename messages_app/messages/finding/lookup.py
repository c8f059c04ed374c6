"""From an id of any kind, as somebody pasted it, to what it names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from messages_app.messages.listing.filter_values import MAX_ID
from messages_app.messages.models import ArchiveMessage, Message


@dataclass(frozen=True)
class Found:
    """One message by its id, or else the filters of the list that shows what was found."""

    msg_id: int | None = None
    filters: dict[str, str] = field(default_factory=dict)


def find(text: str) -> Found:
    """
    Return what `text` is: a message's id, a correlation id, a process id; by that order.

    What is none of them becomes the filter by correlation id, whose empty list says so.
    """
    if not text:
        return Found()
    if re.fullmatch(r"[0-9]{1,19}", text) and int(text) <= MAX_ID and _is_message(int(text)):
        return Found(msg_id=int(text))
    return next(_by_text(text), Found(filters={"correlation_id": text}))


def _is_message(msg_id: int) -> bool:
    return any(table.objects.filter(pk=msg_id).exists() for table in (Message, ArchiveMessage))


def _by_text(text: str) -> Iterator[Found]:
    """Yield what has `text` as an id, each look served by an index."""
    looks = (
        (Message, "correlation_id", {}),
        (ArchiveMessage, "correlation_id", {"archived": "true"}),
        (Message, "process_id", {}),
    )
    for table, column, place in looks:
        ids = list(table.objects.filter(**{column: text}).values_list("pk", flat=True)[:2])
        if len(ids) == 1:
            yield Found(msg_id=ids[0])
        if ids:
            yield Found(filters={column: text} | place)
