"""What a row of the list marks beside its own columns: that it has children, and its funnel values."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from messages_app.messages.cold.models import ColdMessage
from messages_app.messages.hub_columns import FunnelColumns, MessageColumns
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message

# A message may have any number of funnel values; a page names as many as fit.
_MOST_VALUES = 500


@dataclass(frozen=True, kw_only=True)
class _Place:
    messages: type[MessageColumns]
    # None: they are in a file.
    funnels: type[FunnelColumns] | None
    ids: Sequence[int]


def mark(rows: Sequence[MessageColumns]) -> None:
    """Give each row of a page `is_parent` and `funnel_values`. Source of the values: cleverbus.md 1.5."""
    parents, values = set(), {}
    for place in _places(rows):
        parents |= _parents(place)
        values |= _funnel_values(place)
    for row in rows:
        row.is_parent = row.pk in parents
        row.funnel_values = values.get(row.pk) or ([row.funnel_value] if row.funnel_value else [])


def _places(rows: Sequence[MessageColumns]) -> Iterator[_Place]:
    tables = (
        (False, Message, Funnel),
        (True, ArchiveMessage, ArchiveFunnel),
        (True, ColdMessage, None),
    )
    for archived, messages, funnels in tables:
        ids = [row.pk for row in rows if row.archived == archived]
        if ids:
            yield _Place(messages=messages, funnels=funnels, ids=ids)


def _parents(place: _Place) -> set[int]:
    children = place.messages.objects.filter(parent_msg_id=OuterRef("pk"))
    found = place.messages.objects.filter(Exists(children), pk__in=place.ids)
    return set(found.values_list("pk", flat=True))


def _funnel_values(place: _Place) -> dict[int, list[str]]:
    if place.funnels is None:
        return {}
    found = place.funnels.objects.filter(msg_id__in=place.ids).order_by("msg_id", "funnel_id")
    values = defaultdict(list)
    for msg_id, value in found.values_list("msg_id", "funnel_value")[:_MOST_VALUES]:
        values[msg_id].append(value)
    return values
