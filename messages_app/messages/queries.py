"""
What lists, details and counts of messages ask the database.

No list reads a payload or counts. Source: DESIGN.md rule 9; spec/interfaces.md 5.
"""

from collections.abc import Callable

from django.db import connection, transaction
from django.db.models import F, Func, QuerySet, TextField, Value
from django.db.models.functions import Left

from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.listing.branches import CONTENT_COLUMNS, branches, planned_rows, querysets
from messages_app.messages.listing.filters import MessageFilter
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.services import MessageNotFound
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Order, Page, fetch_page, parse_ordering

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
) -> Page:
    """
    Return one page of messages, as narrow rows.

    A row has every column but the wide ones, and `failed_summary`: the first line of failed_desc, at most
    200 characters, None where there is none.

    Raises:
        Problem: 400, the list has no such order, or the cursor is of another list.
    """
    order = parse_ordering(ordering, ORDERS)
    page = fetch_page(
        branches(filters, order), order=order, cursor=cursor, page_size=page_size, scope=filters.as_query()
    )
    _add_failed_summaries(page.rows)
    return page


def _add_failed_summaries(rows: list[MessageColumns]) -> None:
    """Read the first lines of the page's errors, after paging: sorting must not drag the texts along."""
    if not rows:
        return
    first_line = Func(
        F("failed_desc"), Value("\n"), Value(1), function="split_part", output_field=TextField()
    )
    failed = type(rows[0]).objects.filter(pk__in=[row.pk for row in rows], failed_desc__isnull=False)
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
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(timeout_ms)])
        return sum(rows.count() for rows in querysets(filters))


def get_message(msg_id: int) -> tuple[MessageColumns, bool]:
    """
    Return a message without its payload and envelope, and whether it is archived.

    Raises:
        MessageNotFound: neither table has it.
    """
    return _find(msg_id, lambda rows: rows.defer(*CONTENT_COLUMNS))


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
