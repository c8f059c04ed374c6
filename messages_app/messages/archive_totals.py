"""The size of the archive, from what PostgreSQL knows without counting."""

from dataclasses import dataclass

from django.db.models import Sum

from messages_app.core.statements import Statements
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
)
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage

statements = Statements("messages_app.messages")


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
    """Return one entry for each table, in the order of ARCHIVE, and one for the Parquet files."""
    index = ColdMessage._meta.db_table
    tables = [
        model._meta.db_table
        for model in (ArchiveMessage, ArchiveExternalCall, ArchiveRequest, ArchiveResponse, ArchiveFunnel)
    ]
    rows = statements.fetch_rows("table_totals", {"tables": [*tables, index]})
    sizes = {table: (estimate, size) for table, estimate, size in rows}
    return [
        TableTotal(table=table, rows=sizes[table][0], stored_bytes=sizes[table][1])
        for table in tables
        if table in sizes
    ] + _parquet_total(sizes[index])


def _parquet_total(index: tuple[int | None, int]) -> list[TableTotal]:
    """Return the Parquet files with the table that finds messages in them; nothing without files."""
    written = ColdFile.objects.aggregate(total=Sum("bytes"))["total"]
    if not written:
        return []
    rows, size = index
    return [
        TableTotal(
            table=f"Parquet files, with {ColdMessage._meta.db_table}", rows=rows, stored_bytes=written + size
        )
    ]
