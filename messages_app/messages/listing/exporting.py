"""
The list as a file: CSV or JSON lines, in the list's order, without the wide columns.

Read page by page, so that no transaction stays open; a message that changes its place meanwhile may stand in
the file twice or not at all. More rows than MOST_ROWS are work for a bulk job.
"""

import csv
import json
import time
from collections.abc import Callable, Iterator, Sequence

from django.db import OperationalError

from messages_app.messages import queries
from messages_app.messages.filtering.branches import WIDE_COLUMNS
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.listing.cells import cell, text_of
from messages_app.messages.models import Message
from messages_app.web.paging import Page

MOST_ROWS = 10_000
COLUMNS = (
    *(each.name for each in Message._meta.concrete_fields if each.name not in WIDE_COLUMNS),
    "failed_summary",
    "archived",
)
_PAGE_SIZE = 500
# Within the time that the web server gives an answer.
_MOST_SECONDS = 25

_LIMIT_NOTE = "Only the first {} messages are here. Narrow the filter, or use a bulk export."
_TIME_NOTE = "Not all messages are here: reading took too long. Narrow the filter or the time range."


def filtered_rows(
    filters: MessageFilter, *, ordering: str, most: int = MOST_ROWS
) -> Iterator[MessageColumns | str]:
    """
    Yield the list's messages, and a note at the end where not all of them are there.

    Raises:
        Problem: 400, the list has no such order.
    """
    page = queries.message_page(filters=filters, ordering=ordering, page_size=_PAGE_SIZE)
    return _following(page, filters, ordering, most)


def _following(
    page: Page, filters: MessageFilter, ordering: str, most: int
) -> Iterator[MessageColumns | str]:
    end, count = time.monotonic() + _MOST_SECONDS, 0
    while True:
        yield from page.rows[: most - count]
        count += len(page.rows)
        if page.next_cursor is None and count <= most:
            return
        if count >= most:
            yield _LIMIT_NOTE.format(most)
            return
        if time.monotonic() > end:
            yield _TIME_NOTE
            return
        try:
            page = queries.message_page(
                filters=filters, ordering=ordering, page_size=_PAGE_SIZE, cursor=page.next_cursor
            )
        except OperationalError:
            yield _TIME_NOTE
            return


def csv_lines(rows: Iterator[MessageColumns | str], columns: Sequence[str]) -> Iterator[str]:
    """Yield a head and one line a message; the note, where there is one, as a last line of its own."""
    writer = csv.writer(_Echo())
    yield writer.writerow(columns)
    for row in rows:
        cells = [f"# {row}"] if isinstance(row, str) else [cell(getattr(row, name)) for name in columns]
        yield writer.writerow(cells)


def json_lines(rows: Iterator[MessageColumns | str], columns: Sequence[str]) -> Iterator[str]:
    """Yield one object a message; the note, where there is one, as {"note": ...}."""
    for row in rows:
        values = {"note": row} if isinstance(row, str) else {name: getattr(row, name) for name in columns}
        yield json.dumps(values, default=text_of, ensure_ascii=False) + "\n"


class _Echo:
    """A file that hands back what is written to it, as csv.writer needs."""

    def write(self, text: str) -> str:
        return text


FORMATS: dict[str, tuple[str, Callable[..., Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", csv_lines),
    "jsonl": ("application/x-ndjson; charset=utf-8", json_lines),
}
