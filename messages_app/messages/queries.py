"""
What lists, details and counts of messages ask the database.

No list reads a payload or counts. Source: DESIGN.md rule 9; spec/interfaces.md 5.
"""

from collections.abc import Callable, Collection
from datetime import datetime

from django.db.models import F, Func, QuerySet, TextField, Value
from django.db.models.functions import Left, Now

from messages_app.messages.explaining.answer import Explanation
from messages_app.messages.explaining.explain import explain_message
from messages_app.messages.filtering.branches import (
    CONTENT_COLUMNS,
    WIDE_COLUMNS,
    branches,
    narrow,
    planned_rows,
    querysets,
)
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.services import MessageNotFound
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Order, Page, fetch_page, parse_ordering
from messages_app.web.time_limits import time_limit
from messages_app.web.walking import PATIENCE

ORDERS = (
    Order(column="msg_id", key="msg_id", descending=True),
    Order(column="msg_id", key="msg_id"),
    Order(column="receive_timestamp", key="msg_id", descending=True),
    Order(column="receive_timestamp", key="msg_id"),
)

_SUMMARY_CHARACTERS = 200


def message_page(
    *,
    filters: MessageFilter,
    ordering: str | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    patience: float = PATIENCE,
) -> Page:
    """
    Return one page of messages, as narrow rows.

    A row has every column but the wide ones, `archived`, whether it stands in the archive, and
    `failed_summary`: the first line of failed_desc, at most 200 characters, None where there is none. Of
    archived=any each is an instance of Message.

    Args:
        patience: seconds to look for rows that no index finds; the page then says how far it came.

    Raises:
        Problem: 400, the list has no such order, or the cursor is of another list.
    """
    order = parse_ordering(ordering, ORDERS)
    page = fetch_page(
        branches(filters, order),
        order=order,
        cursor=cursor,
        page_size=page_size,
        scope=filters.as_query(),
        patience=patience,
    )
    for table in (Message, ArchiveMessage):
        _add_failed_summaries([row for row in page.rows if row.archived == (table is ArchiveMessage)], table)
    return page


def chosen_messages(msg_ids: Collection[int]) -> list[MessageColumns]:
    """Return the messages with these ids as narrow rows, newest id first, without those that are gone."""
    found: dict[int, MessageColumns] = {}
    for table in (Message, ArchiveMessage):
        rows = list(narrow(table.objects.filter(pk__in=msg_ids)))
        _add_failed_summaries(rows, table)
        found |= {row.pk: row for row in rows if row.pk not in found}
    return [found[key] for key in sorted(found, reverse=True)]


def _add_failed_summaries(rows: list[MessageColumns], table: type[MessageColumns]) -> None:
    """Read the first lines of the page's errors, after paging: sorting must not drag the texts along."""
    if not rows:
        return
    first_line = Func(
        F("failed_desc"), Value("\n"), Value(1), function="split_part", output_field=TextField()
    )
    failed = table.objects.filter(pk__in=[row.pk for row in rows], failed_desc__isnull=False)
    summaries = dict(failed.values_list("pk", Left(first_line, _SUMMARY_CHARACTERS)))
    for row in rows:
        row.failed_summary = summaries.get(row.pk)


def estimated_count(filters: MessageFilter) -> int:
    """Return about how many messages there are: the planner's estimate, which costs no reading."""
    return sum(planned_rows(rows.values("pk")) for rows in querysets(filters))


def exact_count(filters: MessageFilter, *, timeout_ms: int) -> int:
    """
    Return how many messages there are.

    Raises:
        django.db.OperationalError: counting took longer than `timeout_ms`.
    """
    with time_limit(timeout_ms):
        return sum(rows.count() for rows in querysets(filters))


def get_message(msg_id: int) -> tuple[MessageColumns, bool]:
    """
    Return a message without its payload and envelope, and whether it is archived.

    Raises:
        MessageNotFound: neither table has it.
    """
    return _find(msg_id, lambda rows: rows.defer(*CONTENT_COLUMNS))


def explain(msg_id: int, at: datetime | None = None) -> Explanation:
    """
    Return why a message is where it is, what blocks it and what comes next, from the rows alone.

    Args:
        at: the moment at which it is explained; None is now, by the database's clock.

    Raises:
        MessageNotFound: neither table has it.
    """
    message, _ = _find(msg_id, lambda rows: rows.defer(*WIDE_COLUMNS).annotate(database_clock=Now()))
    return explain_message(message, at=at or message.database_clock)


def content(msg_id: int, column: str) -> str | None:
    """
    Return the payload or the envelope of a message, live or archived.

    Raises:
        MessageNotFound: neither table has it.
    """
    row, _ = _find(msg_id, lambda rows: rows.only(column))
    return getattr(row, column)


def _find(msg_id: int, narrow: Callable[[QuerySet], QuerySet]) -> tuple[MessageColumns, bool]:
    # The live table once more at the end: a restore may move the message between the two looks.
    for model in (Message, ArchiveMessage, Message):
        row = narrow(model.objects.filter(pk=msg_id)).first()
        if row is not None:
            return row, model is ArchiveMessage
    raise MessageNotFound(f"No message has the id {msg_id}.")
