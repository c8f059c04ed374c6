"""
What a move may do more cheaply where the database lets it; until the transaction ends, and no longer.

The checks of foreign keys, row by row, are a third of a move. Left out, they are made up for by order: a
parent is deleted first, which keeps new children of it out until the transaction ends, and its children are
looked for afterwards (moving/quick.py). That holds for the hub's own links and no others, so the catalog is
asked each time, under a lock that keeps it as it is.
"""

from collections.abc import Sequence

import psycopg
from psycopg import sql

from spark_tasks.sql import statement
from spark_tasks.tables import MESSAGE, REQUEST, RESPONSE, HubTable

# has_parameter_privilege came with it; before, only a superuser could.
_FIRST_VERSION = 150_000


def hold_tables(connection: psycopg.Connection, tables: Sequence[HubTable]) -> None:
    """
    Keep columns, triggers and links as they are until the transaction ends; rows may change.

    Raises:
        psycopg.errors.LockNotAvailable: somebody is changing them.
    """
    names = [sql.Identifier(name) for table in tables for name in (table.live, table.archive)]
    connection.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.SQL(", ").join(names)))


def spare_work(connection: psycopg.Connection) -> None:
    """Keep rows in memory between their delete and their store, and page images uncompressed in the log."""
    connection.execute("SET LOCAL work_mem = '32MB'")
    if connection.info.server_version >= _FIRST_VERSION:
        connection.execute(statement("leave_log_plain"))


def switch_off_checks(connection: psycopg.Connection, tables: Sequence[HubTable]) -> bool:
    """
    Switch triggers off, and so the checks; return whether that could be done.

    Raises:
        psycopg.errors.LockNotAvailable: somebody is changing the tables.
    """
    if connection.info.server_version < _FIRST_VERSION:
        return False
    hold_tables(connection, tables)
    if not connection.execute(statement("may_skip_checks"), _catalog_values(tables)).fetchone()[0]:
        return False
    connection.execute("SET LOCAL session_replication_role = replica")
    return True


def switch_on_checks(connection: psycopg.Connection) -> None:
    connection.execute("SET LOCAL session_replication_role TO DEFAULT")


def _catalog_values(tables: Sequence[HubTable]) -> dict[str, list[str]]:
    """Return the tables, and the links between them that a move follows: child, its column, parent."""
    hanging = [(table.live, "msg_id", MESSAGE) for table in tables if table.live not in {MESSAGE, RESPONSE}]
    children, columns, parents = zip(*hanging, (RESPONSE, "req_id", REQUEST), strict=True)
    return {
        "live": [table.live for table in tables],
        "archives": [table.archive for table in tables],
        "children": list(children),
        "links": list(columns),
        "parents": list(parents),
    }
