"""
Pages of external calls, requests and responses.

A filter is read by an index that holds its rows and no others; rows that are few are sorted; anything else is
walked some way a request, and the next cursor goes on from there (web/walking.py). Source: DESIGN.md rule 9.
"""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.db import connection
from django.db.models import Model, QuerySet, Value

from messages_app.contents.stored import size_of
from messages_app.messages.cold.reading import cold_message
from messages_app.messages.exchanges.lists import ARCHIVED, EXTERNAL_CALLS, REQUESTS, RESPONSES, RowList
from messages_app.messages.exchanges.sql import statement
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.models import ArchiveRequest, Request
from messages_app.messages.states import ExternalCallState
from messages_app.web.filters.table import lookups, words
from messages_app.web.keyset import Branch, Order
from messages_app.web.lists.branches import Indexes, Part, branch_of
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Page, fetch_page, parse_ordering
from messages_app.web.problems import bad_field

# With more operations than this, a call is looked for by walking.
_MOST_OPERATIONS = 500


def row_page(
    rows: RowList,
    values: Mapping[str, object],
    *,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
) -> Page:
    """
    Return one page of a list.

    A row has `archived`, and <name>_bytes in the place of each text of `rows.sized`.

    Raises:
        Problem: 400, the list has no such order, or the cursor is of another list.
    """
    order = parse_ordering(ordering, rows.orders)
    if values.get(ARCHIVED) and order.column != order.key:
        raise bad_field("ordering", "invalid_value", f"The archive is listed by {order.key} alone.")
    return fetch_page(
        branches(rows, values, order),
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=urlencode(words(rows.filters, values)),
    )


def get_row(rows: RowList, key: int, *, msg_id: int | None = None) -> RequestColumns | ResponseColumns | None:
    """
    Return one request or response, live or archived, with its texts; None where there is none.

    It has `archived`, and <name>_bytes for each text of `rows.sized`.

    Args:
        msg_id: the message that it belongs to: only by that it is found in a file of the archive.

    Raises:
        ArchiveUnreadable: the file of the archive that it lies in is missing or damaged.
    """
    # The live table once more at the end: a restore may move the row between the two looks.
    for table in (rows.live, rows.archive, rows.live):
        row = table.objects.filter(pk=key).first()
        if row is not None:
            return _measured(row, rows, archived=table is rows.archive)
    message = None if msg_id is None else cold_message(msg_id)
    if message is None:
        return None
    in_file = message.cold.requests if rows is REQUESTS else message.cold.responses
    row = next((row for row in in_file if row.pk == key), None)
    return row and _measured(row, rows, archived=True)


def _measured(row: Model, rows: RowList, *, archived: bool) -> Model:
    row.archived = archived
    for name in rows.sized:
        text = getattr(row, name)
        setattr(row, f"{name}_bytes", None if text is None else len(text.encode()))
    return row


def branches(rows: RowList, values: Mapping[str, object], order: Order) -> list[Branch]:
    """Return the filtered list as branches that share no row."""
    constants = lookups(rows.filters, values)
    bounds = {name: constants.pop(name) for name in list(constants) if "__" in name}
    ranges = {name.partition("__")[0] for name in bounds}
    states = values.get("state", ())
    sorted_bounds = {name: bounds.pop(name) for name in list(bounds) if name.startswith(f"{order.column}__")}
    indexes = Indexes(
        columns={(rows.live, order.key): rows.indexed}, in_none=frozenset({ExternalCallState.OK})
    )
    return [
        branch_of(
            Part(part.filter(**bounds), {**constants, **state}, sorted_bounds, indexes), order, ranges=ranges
        )
        for part in _parts(rows, values)
        for state in ([{"state": each} for each in states] or [{}])
    ]


def _parts(rows: RowList, values: Mapping[str, object]) -> list[QuerySet]:
    """Return the rows of the filters that are no plain lookup."""
    archived = bool(values.get(ARCHIVED))
    table = rows.archive if archived else rows.live
    sizes = {f"{name}_bytes": size_of(name) for name in rows.sized}
    found = table.objects.defer(*rows.sized).annotate(archived=Value(archived), **sizes)
    if rows is RESPONSES and "msg_id" in values:
        return _responses_of(found, values["msg_id"], archived=archived)
    if rows is EXTERNAL_CALLS and "entity_id" in values and not archived:
        return [_under_known_operations(found, values)]
    return [found]


def _responses_of(found: QuerySet, msg_id: int, *, archived: bool) -> list[QuerySet]:
    """Return the responses of a message as its page shows them. Source: spec/cleverbus.md 7, last line."""
    requests = (ArchiveRequest if archived else Request).objects.filter(msg_id=msg_id)
    paired = found.filter(req_id__in=requests.values("req_id"))
    return [paired, found.filter(req_id__isnull=True, msg_id=msg_id)]


def _under_known_operations(found: QuerySet, values: Mapping[str, object]) -> QuerySet:
    """Name the operations, where the filter does not: the hub's index has them before the entity id."""
    if {"operation_name", "msg_id"} & set(values):
        return found
    with connection.cursor() as cursor:
        cursor.execute(statement("operations"), {"limit": _MOST_OPERATIONS + 1})
        operations = [name for (name,) in cursor]
    return found if len(operations) > _MOST_OPERATIONS else found.filter(operation_name__in=operations)
