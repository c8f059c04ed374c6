"""
The tables that hold a message's rows, live and archived, and the one way to find a row in them.

Source: docs/reference/archive.md, "Archive to Parquet".
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypedDict, TypeVar

from django.db.models import Model, QuerySet

from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Message,
    Request,
    Response,
)
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.messages.parquet_archive.reader import cold_message, fill_columns

T = TypeVar("T")


Row = TypeVar("Row", bound=Model)


class Tables(TypedDict):
    """The tables of live messages, or of archived ones."""

    message: type[Message] | type[ArchiveMessage]
    call: type[ExternalCall] | type[ArchiveExternalCall]
    request: type[Request] | type[ArchiveRequest]
    response: type[Response] | type[ArchiveResponse]
    funnel: type[Funnel] | type[ArchiveFunnel]


LIVE: Tables = {
    "message": Message,
    "call": ExternalCall,
    "request": Request,
    "response": Response,
    "funnel": Funnel,
}


ARCHIVE: Tables = {
    "message": ArchiveMessage,
    "call": ArchiveExternalCall,
    "request": ArchiveRequest,
    "response": ArchiveResponse,
    "funnel": ArchiveFunnel,
}


def tables_of(message: MessageColumns) -> Tables:
    """Return the tables with the rows of a message that is in a table."""
    return ARCHIVE if isinstance(message, ArchiveMessage) else LIVE


# Where a row is looked for, in this order.
EVERYWHERE = (LIVE, ARCHIVE)


# Where a message may be found by its narrow columns; those of one in a Parquet file are in a table too.
MESSAGES = (Message, ArchiveMessage, ColdMessage)


class MessageNotFound(Exception):
    """Neither the live table nor the archive has a message with this id."""

    def __init__(self, msg_id: int) -> None:
        super().__init__(f"No message has the id {msg_id}.")


def first_found(
    read: Callable[[Tables], T | None],
    in_file: Callable[[], T | None],
    *,
    places: Sequence[Tables] = EVERYWHERE,
) -> T | None:
    """
    Look for a row in the live tables, in the archive's tables, and in its Parquet files, in this order.

    Nothing else looks for one row by its key, so every caller knows all places and their order.

    Args:
        read: returns the row from some tables, None if they do not have it.
        in_file: returns the row from the Parquet files, None if they do not have it.
        places: the tables to look in before the files.
    """
    for tables in places:
        if (row := read(tables)) is not None:
            return row
    if (row := in_file()) is not None:
        return row
    # A restore may have moved the row between two of these queries.
    return read(places[0])


def locate_message(
    msg_id: int,
    narrow: Callable[[QuerySet[Any]], QuerySet[Any]],
    *,
    from_file: Sequence[str] = (),
    in_file: Callable[[int], ArchiveMessage | None] = cold_message,
    places: Sequence[Tables] = EVERYWHERE,
) -> tuple[MessageColumns, bool]:
    """
    Find a message by its id.

    Args:
        narrow: chooses the columns to read from a table.
        from_file: the wide columns to read from a file.
        in_file: finds a message in the Parquet files.
        places: the tables to look in before the files.

    Returns:
        The message, and whether it is archived.

    Raises:
        MessageNotFound: no table and no file has the id.
        ArchiveUnreadable: the message is in a file that is missing or damaged.
    """

    def in_tables(tables: Tables) -> MessageColumns | None:
        row: MessageColumns | None = narrow(tables["message"].objects.filter(pk=msg_id)).first()
        return row

    def from_files() -> MessageColumns | None:
        cold = in_file(msg_id)
        if cold is not None:
            fill_columns(cold, from_file)
        return cold

    message = first_found(in_tables, from_files, places=places)
    if message is None:
        raise MessageNotFound(msg_id)
    return message, isinstance(message, ArchiveMessage)


def locate_all(
    msg_ids: Collection[int],
    narrow: Callable[[QuerySet[Any]], QuerySet[Row]],
    *,
    tables: Sequence[type[MessageColumns]] = MESSAGES,
) -> dict[int, Row]:
    """
    Find messages by their ids; a message that is live and archived at the same time is the live one.

    Args:
        narrow: chooses the columns to read.
        tables: where to look, in this order.
    """
    rows_by_id: dict[int, Row] = {}
    for table in tables:
        missing = [msg_id for msg_id in msg_ids if msg_id not in rows_by_id]
        if missing:
            rows_by_id |= {row.pk: row for row in narrow(table._default_manager.filter(pk__in=missing))}
    return rows_by_id
