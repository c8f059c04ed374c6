"""The search for ids of messages by how they begin."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.core.search_results import Hit, Kind
from messages_app.messages import fields
from messages_app.messages.attachment import has_indexes, missing_indexes
from messages_app.messages.distinct_values import list_distinct_values
from messages_app.messages.filters.message_filter import ANYWHERE, ARCHIVED
from messages_app.messages.models import ArchiveMessage, Message

MIN_PREFIX, MAX_PREFIX_HITS = 3, 5


# The ids that are found by how they begin, with the words for them.
PREFIXED = {
    "correlation_id": "Correlation ids that begin with it",
    "process_id": "Process ids that begin with it",
    "object_id": "Object ids that begin with it",
}


# In an order of the database that ignores punctuation, other ids can be between two that begin with a text.
_MAX_STEPS = 30


def find_ids_from(text: str) -> Iterator[Kind]:
    """
    Yield the ids that begin with a text but are longer, by kind, each as a link to the list of its messages.

    Only live messages and those in archive tables are searched. A hub without the console's indexes is not:
    then the only result says so.
    """
    if len(text) < MIN_PREFIX or "\0" in text:
        return
    if not has_indexes():
        yield Kind(
            title="Beginnings of ids were not searched", name="unread", hits=[], note=missing_indexes()
        )
        return
    for column, title in PREFIXED.items():
        if len(text) >= (getattr(fields.MODEL_FIELDS[column], "max_length", 0) or 0):
            continue
        live = _list_ids(Message, column, text)
        archived = _list_ids(ArchiveMessage, column, text)
        values = list(dict.fromkeys([*live, *archived]))
        if values:
            hits = [_make_hit(column, value, is_live=value in live) for value in values[:MAX_PREFIX_HITS]]
            yield Kind(title=title, name=column, hits=hits, more=len(values) > MAX_PREFIX_HITS, order="first")


def _list_ids(table: type[Message] | type[ArchiveMessage], column: str, text: str) -> list[str]:
    values = list_distinct_values(column, start=text, count=_MAX_STEPS, table=table)
    return [value for value in values if value.startswith(text) and value != text]


def _make_hit(column: str, value: str, *, is_live: bool) -> Hit:
    place = {} if is_live else {ARCHIVED: ANYWHERE}
    return Hit(
        url=f"{reverse('message-list')}?{urlencode({column: value} | place)}",
        name=value,
        about="",
        archived=not is_live,
    )
