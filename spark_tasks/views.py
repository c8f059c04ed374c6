"""
The tables of an attached hub behind the console's views. Rows move between these tables, without conversions.

Uses psycopg only, no Django. Source: docs/contributing/decisions/0028-attaching.md;
docs/reference/archive.md, "On an attached hub".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import psycopg

from spark_tasks.database import TaskStatements
from spark_tasks.tables import MESSAGE, Behind, HubTable

statements = TaskStatements("spark_tasks")

# The console's table for columns that the archive tables of a hub lack.
EXTRA = "archive_extra"


class ColumnsDiffer(Exception):
    """A table has columns that its archive cannot hold, or lacks some of the archive's. Nothing was moved."""


def tables_behind(connection: psycopg.Connection, tables: Sequence[HubTable]) -> tuple[HubTable, ...]:
    """Return the tables with those behind their views; unchanged if the console has its own tables."""
    names = [name for table in tables for name in (table.live, table.archive)]
    rows = statements.fetch_rows(connection, "tables_behind", {"tables": names})
    behind: dict[str, str] = {name: table for name, table, _ in rows}
    if MESSAGE not in behind:
        return tuple(tables)
    has_archive = any(table.live == MESSAGE and table.archive in behind for table in tables)
    ((zone,),) = {(zone,) for _, _, zone in rows}
    columns = column_types(connection, [*behind.values(), EXTRA])
    return tuple(
        replace(table, behind=_columns_behind(table, behind, columns, zone, has_archive=has_archive))
        for table in tables
    )


def _columns_behind(
    table: HubTable,
    behind: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    zone: str,
    *,
    has_archive: bool,
) -> Behind | None:
    if table.live not in behind:
        return None
    live = behind[table.live]
    if not has_archive:
        return Behind(live=live, archive=None, zone=zone)
    # The console has a table for what the hub does not archive, such as funnel values.
    archive = behind.get(table.archive, table.archive)
    extra: tuple[str, ...] = ()
    if table.live == MESSAGE:
        lacking = columns[live].keys() - columns[archive].keys()
        extra = tuple(name for name in columns[EXTRA] if name in lacking)
    return Behind(live=live, archive=archive, zone=zone, extra=extra)


def column_types(connection: psycopg.Connection, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns of each table in its own order, with the names of their types."""
    types: dict[str, dict[str, str]] = {name: {} for name in names}
    for name, column, kind in statements.run_statement(connection, "columns", {"tables": list(names)}):
        types[name][column] = kind
    return types


def check_seen(connection: psycopg.Connection, tables: Sequence[HubTable]) -> None:
    """
    Check that the views show every column of the hub's tables, because files get the views' columns.

    Raises:
        ColumnsDiffer: names the columns that would be lost.
    """
    names = {"tables": [table.live for table in tables if table.behind]}
    unseen = [f"{table}.{column}" for table, column in statements.run_statement(connection, "unseen", names)]
    if unseen:
        raise ColumnsDiffer(
            f"Files of the archive would lose {', '.join(unseen)}, which this console does not know."
        )
