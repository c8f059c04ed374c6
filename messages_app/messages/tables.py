"""The tables that hold a message's rows, live and archived."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Sum

from messages_app.core.api_schema import CodeField
from messages_app.core.statements import Statements
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
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from messages_app.shared.message_states import ExternalCallState, MessageState, ParentBinding

statements = Statements("messages_app.messages")


LIVE = {
    "message": Message,
    "call": ExternalCall,
    "request": Request,
    "response": Response,
    "funnel": Funnel,
}
ARCHIVE = {
    "message": ArchiveMessage,
    "call": ArchiveExternalCall,
    "request": ArchiveRequest,
    "response": ArchiveResponse,
    "funnel": ArchiveFunnel,
}
# Where a message may be found by its narrow columns; of one in a Parquet file, they are in a table too.
MESSAGES = (Message, ArchiveMessage, ColdMessage)


# States of the hub's tables as fields of the API. The hub may write others, which are shown as they are.


def message_state(**kwargs: object) -> CodeField:
    return CodeField("MessageState", MessageState, is_open=True, **kwargs)


def external_call_state(**kwargs: object) -> CodeField:
    return CodeField("ExternalCallState", ExternalCallState, is_open=True, **kwargs)


def parent_binding(**kwargs: object) -> CodeField:
    return CodeField("ParentBinding", ParentBinding, is_open=True, allow_null=True, **kwargs)


# How full the archive is: what PostgreSQL knows without counting.


@dataclass(frozen=True, kw_only=True)
class TableTotal:
    """
    One archive table, or all Parquet files.

    Args:
        rows: an estimate; None where the table has not been analysed yet.
        stored_bytes: on disk, with indexes and large values.
    """

    table: str
    rows: int | None
    stored_bytes: int


def archive_totals() -> list[TableTotal]:
    """Return one entry a table, in the order of inspecting.tables.ARCHIVE, and one of the Parquet files."""
    index = ColdMessage._meta.db_table
    tables = [model._meta.db_table for model in ARCHIVE.values()]
    with connection.cursor() as cursor:
        cursor.execute(statements.text("table_totals"), {"tables": [*tables, index]})
        found = {table: (rows, size) for table, rows, size in cursor}
    return [
        TableTotal(table=table, rows=found[table][0], stored_bytes=found[table][1])
        for table in tables
        if table in found
    ] + _parquet_total(found[index])


def _parquet_total(index: tuple[int | None, int]) -> list[TableTotal]:
    """Return the Parquet files with the table that finds messages in them; nothing without files."""
    written = ColdFile.objects.aggregate(total=Sum("bytes"))["total"]
    if not written:
        return []
    rows, size = index
    return [TableTotal(table="Parquet files", rows=rows, stored_bytes=written + size)]
