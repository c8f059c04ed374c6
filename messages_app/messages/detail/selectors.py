"""
The content of the page of one message, live or archived: its columns, calls and exchanges.

Each query is bounded and uses an index, so the page of a message with a million children is as fast as any
other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.core.lists.row_ends import Bounded
from messages_app.messages.field_descriptions import Panel
from messages_app.messages.fields import CONTENT_COLUMNS, FIELDS, LONG_COLUMNS, NARROW_COLUMNS
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.hub_columns import ExternalCallColumns, MessageColumns
from messages_app.messages.models import ArchiveMessage
from messages_app.messages.parquet_archive.reader import ColdRows, cold_rows, sized_cold_message
from messages_app.messages.tables import EVERYWHERE, Tables, locate_message, tables_of
from messages_app.messages.timeline.history import Traffic, read_traffic
from messages_app.messages.traffic.exchanges import (
    Exchange,
    exchanges_of,
    lone_exchanges,
    read_exchanges,
    unpaired_responses,
    with_sizes,
)
from messages_app.payloads.loader import size_of

_LONG_CHARS = 120


# The API returns columns in full.
SHOWN_CHARS = 6000


@dataclass(frozen=True)
class Column:
    name: str
    value: object

    @property
    def is_long(self) -> bool:
        return isinstance(self.value, str) and len(self.value) > _LONG_CHARS

    @property
    def shown_value(self) -> object:
        return self.value[:SHOWN_CHARS] if isinstance(self.value, str) else self.value

    @property
    def is_cut(self) -> bool:
        return isinstance(self.value, str) and len(self.value) > SHOWN_CHARS


@dataclass(frozen=True, kw_only=True)
class Group:
    """A group of columns. Columns without a value are listed only by name."""

    title: str
    filled: list[Column]
    empty: list[str]


def column_groups(message: MessageColumns) -> Iterator[Group]:
    """Yield all columns except payload and envelope, which have their own pages."""
    for panel in Panel:
        columns = [Column(name, getattr(message, name)) for name in _column_names(panel)]
        yield Group(
            title=panel,
            filled=[column for column in columns if not _is_empty(column)],
            empty=[column.name for column in columns if _is_empty(column)],
        )


def _column_names(panel: Panel) -> list[str]:
    """Return the names of a group's columns in their order on the page."""
    names = [name for name in (*NARROW_COLUMNS, *LONG_COLUMNS) if FIELDS[name].panel is panel]
    return sorted(names, key=lambda name: FIELDS[name].panel_place)


def _is_empty(column: Column) -> bool:
    return column.value is None or column.value == ""


# With the longest addresses and errors, a page stays below 200 kB.
CALLS_SHOWN = 30


EXCHANGES_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of a section of the page. There are more after the key `after`; None: no more rows."""

    rows: Sequence[ExternalCallColumns] | Sequence[Exchange]
    after: int | None


@dataclass(frozen=True, kw_only=True)
class MessageDetail:
    """
    One message with its related rows.

    Args:
        message: without payload and envelope, with their sizes as payload_bytes and envelope_bytes.
        archived: whether it is in the archive.
        calls: the first external calls by id.
        exchanges: the first requests by id, each with its responses. Responses without a request follow the
            last request.
        funnel_values: its values in the funnel table; with an older hub, the value in the message itself.
        traffic: the calls and exchanges of its timeline.
    """

    message: MessageColumns
    archived: bool
    calls: Rows
    exchanges: Rows
    funnel_values: list[str]
    traffic: Traffic

    @property
    def cold(self) -> ColdRows | None:
        """Its rows in Parquet files; None if it is in tables."""
        return cold_rows(self.message)

    @cached_property
    def groups(self) -> list[Group]:
        """Every column of the message, grouped."""
        return list(column_groups(self.message))


def message_detail(msg_id: int) -> MessageDetail:
    """
    Return a message with its related rows.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
    """
    message = get_sized_message(msg_id)
    traffic = read_traffic(message)
    return MessageDetail(
        message=message,
        archived=isinstance(message, ArchiveMessage),
        calls=_all_rows(traffic.calls, CALLS_SHOWN) or call_rows(message),
        exchanges=_all_rows(traffic.exchanges, EXCHANGES_SHOWN) or exchange_rows(message),
        funnel_values=list(dict.fromkeys(funnel_values(message))),
        traffic=traffic,
    )


def _all_rows(rows: Bounded[Any], most: int) -> Rows | None:
    """Return all rows, if the page has room for them; else None, because the section has rows of its own."""
    return Rows(rows=list(rows), after=None) if len(rows) <= most else None


def get_sized_message(msg_id: int, *, places: Sequence[Tables] = EVERYWHERE) -> MessageColumns:
    """
    Return a message with the sizes of its payload and envelope instead of the texts, and if it is in a table
    with the time of the database as `database_clock`.

    If the message is in a file that cannot be read, the columns that only the file has are missing, and
    `cold` has the reason.

    Args:
        places: the tables to look in before the files. A message may be live and archived at the same time.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
    """
    message, _ = locate_message(msg_id, _with_sizes, in_file=sized_cold_message, places=places)
    return message


def _with_sizes(rows: QuerySet[Any]) -> QuerySet[Any]:
    sizes = {f"{column}_bytes": size_of(column) for column in CONTENT_COLUMNS}
    return rows.defer(*CONTENT_COLUMNS).annotate(**sizes, database_clock=Now())


def call_rows(message: MessageColumns, *, after: int = -1) -> Rows:
    """Return the next external calls of a message, with a greater call_id than `after`."""
    cold = cold_rows(message)
    if cold is not None:
        rows, following = _next_rows_in_memory(cold.rows_for_page("calls"), after, CALLS_SHOWN)
    else:
        calls = tables_of(message)["call"].objects.filter(msg_id=message.pk)
        rows, following = _next_rows(calls, "call_id", after, CALLS_SHOWN)
    return Rows(rows=rows, after=following)


def exchange_rows(message: MessageColumns, *, after: int = -1) -> Rows:
    """Return the next exchanges of a message, with a greater req_id than `after`."""
    cold = cold_rows(message)
    if cold is not None:
        rows, following = _next_rows_in_memory(cold.rows_for_page("requests"), after, EXCHANGES_SHOWN)
        return Rows(rows=exchanges_of(cold, rows, with_lone=following is None), after=following)
    tables = tables_of(message)
    requests = with_sizes(tables["request"], "req_envelope").filter(msg_id=message.pk)
    rows, following = _next_rows(requests, "req_id", after, EXCHANGES_SHOWN)
    pairs = read_exchanges(tables, rows)
    if following is None:
        pairs += lone_exchanges(unpaired_responses(tables, message.pk).order_by("res_id")[:EXCHANGES_SHOWN])
    return Rows(rows=pairs, after=following)


def _next_rows(rows: QuerySet[Any], key: str, after: int, most: int) -> tuple[list[Any], int | None]:
    """Return the next rows, and the key after which there are more, or None."""
    next_rows = list(rows.filter(**{f"{key}__gt": after}).order_by(key)[: most + 1])
    return next_rows[:most], next_rows[most - 1].pk if len(next_rows) > most else None


def _next_rows_in_memory(rows: Sequence[Any], after: int, most: int) -> tuple[list[Any], int | None]:
    """Do the same with rows in memory."""
    next_rows = [row for row in rows if row.pk > after]
    return next_rows[:most], next_rows[most - 1].pk if len(next_rows) > most else None
