"""The marks of the rows of the list: children and funnel values."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from messages_app.messages.hub_columns import FunnelColumns, MessageColumns
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.parquet_archive.models import ColdMessage

# A message may have any number of funnel values; a page reads at most this many.
_MAX_VALUES = 500


@dataclass(frozen=True, kw_only=True)
class _Place:
    messages: type[MessageColumns]
    # None: the values are in a file.
    funnels: type[FunnelColumns] | None
    ids: Sequence[int]


def mark_rows(rows: Sequence[MessageColumns]) -> None:
    """
    Give each row of a page `is_parent` and `funnel_values`.

    Source of the values: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    parents: set[int] = set()
    values: dict[int, list[str]] = {}
    for place in _rows_by_place(rows):
        parents |= _find_parents(place)
        values |= _funnel_values(place)
    for row in rows:
        row.is_parent = row.pk in parents
        row.funnel_values = values.get(row.pk) or ([row.funnel_value] if row.funnel_value else [])


def _rows_by_place(rows: Sequence[MessageColumns]) -> Iterator[_Place]:
    tables = (
        (False, Message, Funnel),
        (True, ArchiveMessage, ArchiveFunnel),
        (True, ColdMessage, None),
    )
    for archived, messages, funnels in tables:
        ids = [row.pk for row in rows if row.archived == archived]
        if ids:
            yield _Place(messages=messages, funnels=funnels, ids=ids)


def _find_parents(place: _Place) -> set[int]:
    children = place.messages._default_manager.filter(parent_msg_id=OuterRef("pk"))
    parents = place.messages._default_manager.filter(Exists(children), pk__in=place.ids)
    return set(parents.values_list("pk", flat=True))


def _funnel_values(place: _Place) -> dict[int, list[str]]:
    if place.funnels is None:
        return {}
    funnels = place.funnels._default_manager.filter(msg_id__in=place.ids).order_by("msg_id", "funnel_id")
    values = defaultdict(list)
    for msg_id, value in funnels.values_list("msg_id", "funnel_value")[:_MAX_VALUES]:
        values[msg_id].append(value)
    return values
