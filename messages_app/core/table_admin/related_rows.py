"""The rows that belong to a row, on its page in the admin: a short table for each kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import label_for_field
from django.utils.text import capfirst

from messages_app.core.formatting import EMPTY
from messages_app.core.markup import show_time
from messages_app.core.table_admin.source import PATIENCE, ListedTable

MAX_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class RelatedRows:
    """
    Rows of one kind.

    Args:
        headings: of the columns. The first column has the links.
        lines: for each row its address, empty without one, and its cells.
        more: the address of the list of all rows, if some are missing here.
        note: why rows are missing, if they could not be read.
    """

    title: str
    headings: Sequence[str]
    lines: Sequence[tuple[str, Sequence[object]]]
    more: str = ""
    note: str = ""


def rows_with(table: ListedTable, title: str, *, without: str, **values: object) -> RelatedRows:
    """
    Return the first rows of a table with these values of its filters.

    Args:
        without: the column with the link to the row that the page shows.
    """
    key = table.opts.pk.name
    page = table.source.fetch(
        values={**values, **table.source.fixed},
        ordering=key if key in table.source.orders else None,
        cursor=None,
        page_size=MAX_ROWS,
        patience=PATIENCE,
    )
    more = table.list_url(**values) if page.next_cursor else ""
    return related_rows(table, title, page.rows, without=without, more=more)


def related_rows(
    table: ListedTable,
    title: str,
    rows: Iterable[Any],
    *,
    without: str,
    more: str = "",
    note: str = "",
    has_pages: bool = True,
) -> RelatedRows:
    """
    Return rows of a table with the columns of its list.

    Args:
        without: the column with the link to the row that the page shows.
        has_pages: whether the rows have pages in the admin.
    """
    names = [str(name) for name in table.list_display if name != without]
    return RelatedRows(
        title=title,
        headings=[_heading_of_column(table, name) for name in names],
        lines=[
            (table.url_of(row) if has_pages else "", [_cell_of_row(table, name, row) for name in names])
            for row in rows
        ],
        more=more,
        note=note,
    )


def _heading_of_column(table: ListedTable, name: str) -> str:
    label = label_for_field(name, table.model, cast("ModelAdmin[Any]", table), return_attr=False)
    return capfirst(label)


def _cell_of_row(table: ListedTable, name: str, row: Any) -> object:
    """Return a column as the list shows it."""
    value = getattr(table, name)(row) if hasattr(table, name) else getattr(row, name)
    if isinstance(value, datetime):
        return show_time(value)
    return EMPTY if value is None or value == "" else value
