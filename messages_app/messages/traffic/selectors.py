"""
Pages of external calls, requests and responses, and one of these rows.

An index that has exactly the rows of a filter is read in order, and a small number of rows is sorted. Other
rows are scanned with a limit for each request, and the next cursor continues from there
(core/pagination/incremental_scan.py).

Source: docs/contributing/spec/design.md, R-9.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

from django.db import connection
from django.db.models import QuerySet, Value

from messages_app.core.filters.table import (
    make_lookups,
    write_values,
)
from messages_app.core.lists.branches import Indexes, Part, branch_of
from messages_app.core.pagination.incremental_scan import PATIENCE
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import (
    DEFAULT_PAGE_SIZE,
    Page,
    fetch_page,
    parse_ordering,
)
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.messages.models import (
    ArchiveRequest,
    Request,
)
from messages_app.messages.parquet_archive.reader import cold_message
from messages_app.messages.traffic.row_lists import (
    ARCHIVED,
    EXTERNAL_CALLS,
    REQUESTS,
    RESPONSES,
    ListRow,
    RowList,
)
from messages_app.payloads.loader import (
    Beginning,
    ContentNotFound,
    Source,
    StoredText,
    content_in_memory,
    read_beginning,
    size_of,
)
from messages_app.shared.message_states import ExternalCallState

statements = Statements("messages_app.messages.traffic")


# With more operations than this, external calls are scanned instead.
_MAX_OPERATIONS = 500


def row_page(
    rows: RowList,
    values: Mapping[str, object],
    *,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
) -> Page:
    """
    Return one page of a list.

    Each row has `archived`, and <name>_bytes instead of each text in `rows.sized`.

    Args:
        patience: the seconds to search for rows that no index finds.

    Raises:
        Problem: 400, the list does not have this order, or the cursor is of another list.
    """
    order = parse_ordering(ordering, rows.orders)
    if values.get(ARCHIVED) and order.column != order.key:
        raise bad_field("ordering", "invalid_value", f"The archive can be sorted only by {order.key}.")
    return fetch_page(
        branches_of_rows(rows, values, order),
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=urlencode(write_values(rows.filters, values)),
        patience=patience,
    )


@dataclass(frozen=True)
class OneRow:
    """A request or response without its text, and the beginning and the source of that text."""

    row: ListRow
    beginning: Beginning
    source: Source


def get_row(rows: RowList, key: int, *, msg_id: int | None = None) -> OneRow | None:
    """
    Return a request or response, live or archived, or None. Its text is the first of `rows.sized`.

    The row has `archived`, and <name>_bytes for each text in `rows.sized`.

    Args:
        msg_id: the id of its message, which is needed to find it in a file of the archive.

    Raises:
        ArchiveUnreadable: its file in the archive is missing or damaged.
    """
    text = rows.sized[0]
    # The live table is read again at the end: a restore may have moved the row between the two queries.
    for model in (rows.live, rows.archive, rows.live):
        stored = model.objects.filter(pk=key)
        stored_row = stored.defer(text).first()
        if stored_row is None:
            continue
        with suppress(ContentNotFound):  # It was moved after the first query.
            beginning = read_beginning(stored, text)
            source = StoredText(stored, text, beginning.stored_bytes or 0)
            return _one_row(stored_row, rows, beginning, source, archived=model is rows.archive)
    message = None if msg_id is None else cold_message(msg_id)
    if message is None:
        return None
    in_file: Sequence[ListRow] = message.cold.requests if rows is REQUESTS else message.cold.responses
    row = next((row for row in in_file if row.pk == key), None)
    return None if row is None else _one_row(row, rows, *content_in_memory(getattr(row, text)), archived=True)


def _one_row(row: ListRow, rows: RowList, beginning: Beginning, source: Source, *, archived: bool) -> OneRow:
    row.archived = archived
    text, *others = rows.sized
    setattr(row, f"{text}_bytes", beginning.stored_bytes)
    for name in others:
        other = getattr(row, name)
        setattr(row, f"{name}_bytes", None if other is None else len(other.encode()))
    return OneRow(row, beginning, source)


def branches_of_rows(rows: RowList, values: Mapping[str, object], order: Order) -> list[Branch]:
    """Return the filtered list as branches. Every row is in one branch."""
    constants = make_lookups(rows.filters, values)
    bounds = {name: constants.pop(name) for name in list(constants) if "__" in name}
    ranges = {name.partition("__")[0] for name in bounds}
    states = cast(tuple[str, ...], values.get("state", ()))
    sorted_bounds = {name: bounds.pop(name) for name in list(bounds) if name.startswith(f"{order.column}__")}
    indexes = Indexes(
        columns={(rows.live, order.key): rows.indexed}, in_none=frozenset({ExternalCallState.OK})
    )
    return [
        branch_of(
            Part(part.filter(**bounds), {**constants, **state}, sorted_bounds, indexes), order, ranges=ranges
        )
        for part in _filter_parts(rows, values)
        for state in ([{"state": each} for each in states] or [{}])
    ]


def _filter_parts(rows: RowList, values: Mapping[str, object]) -> list[QuerySet]:
    """Return the rows, filtered by the filters that are not plain lookups."""
    archived = bool(values.get(ARCHIVED))
    table = rows.archive if archived else rows.live
    sizes = {f"{name}_bytes": size_of(name) for name in rows.sized}
    queryset = table.objects.defer(*rows.sized).annotate(archived=Value(archived), **sizes)
    if rows is RESPONSES and "msg_id" in values:
        return _responses_of(queryset, cast(int, values["msg_id"]), archived=archived)
    if rows is EXTERNAL_CALLS and "entity_id" in values and not archived:
        return [_narrow_to_known_operations(queryset, values)]
    return [queryset]


def _responses_of(queryset: QuerySet, msg_id: int, *, archived: bool) -> list[QuerySet]:
    """
    Return the responses of a message that its page shows.

    Source: docs/contributing/spec/cleverbus.md, "Requests and responses" (last line).
    """
    requests = (ArchiveRequest if archived else Request).objects.filter(msg_id=msg_id)
    paired = queryset.filter(req_id__in=requests.values("req_id"))
    return [paired, queryset.filter(req_id__isnull=True, msg_id=msg_id)]


def _narrow_to_known_operations(queryset: QuerySet, values: Mapping[str, object]) -> QuerySet:
    """Add all operations to a filter without one: the hub's index starts with the operation."""
    if {"operation_name", "msg_id"} & set(values):
        return queryset
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("operations"), {"limit": _MAX_OPERATIONS + 1})
        operations = [name for (name,) in cursor]
    return queryset if len(operations) > _MAX_OPERATIONS else queryset.filter(operation_name__in=operations)
