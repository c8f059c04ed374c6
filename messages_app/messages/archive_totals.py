"""How full the archive is: what PostgreSQL knows without counting."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Sum

from messages_app.messages.cold.models import ColdFile, ColdMessage
from messages_app.messages.inspecting.tables import ARCHIVE
from messages_app.messages.sql import statement


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
        cursor.execute(statement("table_totals"), {"tables": [*tables, index]})
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
