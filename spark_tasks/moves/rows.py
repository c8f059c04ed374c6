"""The statements that move rows of one table from live to archive, and their parameters: a chunk's ids."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import psycopg
from psycopg import sql

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.database import only_row
from spark_tasks.tables import MESSAGE, REQUEST, RESPONSE, HubTable

statements = SqlFiles("spark_tasks")


NONE = "{}"  # An empty array.

# A request that no session has locked is found by its message.
_REQUESTS_OF_MESSAGES = "msg_id = ANY (%(msg_ids)s)"


def choose_rows(*, msg_ids: str = NONE, req_ids: str = NONE, res_ids: str = NONE) -> dict[str, str]:
    """Return the parameters of HubTable.chosen: ids of rows that move with all their dependent rows."""
    return {"msg_ids": msg_ids, "req_ids": req_ids, "res_ids": res_ids}


def walk_families(
    tables: Sequence[HubTable], msg_ids: str, visit: Callable[[HubTable, Mapping[str, str]], tuple[int, str]]
) -> Counter[str]:
    """
    Visit all tables with the rows that depend on messages, parents before children; return rows by table.

    Args:
        tables: children before parents.
        visit: receives a table and the ids that select its rows; returns their number and their keys.
    """
    rows: Counter[str] = Counter()
    ids = choose_rows(msg_ids=msg_ids)
    for table in reversed(tables):
        if table.live != REQUEST:
            rows[table.live], _ = visit(table, ids)
            continue
        rows[REQUEST], requests = visit(replace(table, chosen=_REQUESTS_OF_MESSAGES), ids)
        ids = choose_rows(msg_ids=msg_ids, req_ids=requests)
    return rows


def count_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
    """Return the number of live rows that `ids` select, and their keys as an array."""
    rows, keys = only_row(connection.execute(compose_statement("count_rows", table), ids))
    return rows, keys


def take_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> tuple[int, str]:
    """
    Move the rows that `ids` select by one statement, which stores the same rows that it deletes.

    Use it if a row may change until it is moved. Returns the number of rows and their keys as an array.
    """
    rows, keys = only_row(connection.execute(compose_statement("take_rows", table, columns), ids))
    return rows, keys


def copy_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> int:
    """
    Store the rows that `ids` select without deleting them; return their number.

    For wide rows, copying and then deleting is faster than take_rows, because the rows are not kept in
    between. Use it only for rows that are locked, or that are checked again when they are deleted.
    """
    extra = table.behind.extra if table.behind else ()
    if not extra:
        return connection.execute(compose_statement("copy_rows", table, columns), ids).rowcount
    if table.behind and table.behind.returns:
        count = connection.execute(compose_statement("copy_kept_rows", table, columns), ids).rowcount
        connection.execute(statements.read_text("forget_kept"), ids)
        return count
    connection.execute(compose_statement("keep_columns", table), ids)
    return connection.execute(compose_statement("copy_rows", table, columns), ids).rowcount


def drop_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> int:
    """Delete the rows that `ids` select, after copy_rows has stored them; return their number."""
    return connection.execute(compose_statement("drop_rows", table), ids).rowcount


def compose_statement(name: str, table: HubTable, columns: Sequence[str] = ()) -> sql.Composed:
    """Return a statement that moves or counts rows of the table, on the tables behind views of a hub."""
    behind = table.behind
    return sql.SQL(statements.read_text(name)).format(
        live=sql.SQL(behind.live) if behind else sql.Identifier(table.live),
        archive=sql.SQL(behind.archive) if behind and behind.archive else sql.Identifier(table.archive),
        key=sql.Identifier(table.key),
        chosen=sql.SQL(table.chosen),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        kept=sql.SQL(", ").join(map(sql.Identifier, behind.extra if behind else ())),
    )


# Session settings that make a move cheaper if the database permits them, until the transaction ends. Foreign
# key checks, row by row, are a third of a move's time. With them off, the order of the statements replaces
# them: a parent is deleted first, which prevents new children until the transaction ends, and its children
# are checked afterwards (quick.py). This covers only the hub's own foreign keys, so the catalog is
# checked each time, under a lock that keeps it unchanged.
# The version that added has_parameter_privilege; earlier, only a superuser could do this.
_FIRST_VERSION = 150_000


def hold_tables(connection: psycopg.Connection, tables: Sequence[HubTable]) -> None:
    """
    Lock columns, triggers and foreign keys until the transaction ends; rows may change.

    Raises:
        psycopg.errors.LockNotAvailable: another session is changing them.
    """
    names = [name for table in tables for name in _table_names(table)]
    connection.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.SQL(", ").join(names)))


def reduce_work(connection: psycopg.Connection) -> None:
    """Keep rows in memory between delete and insert, and do not compress page images in the WAL."""
    connection.execute("SET LOCAL work_mem = '32MB'")
    if connection.info.server_version >= _FIRST_VERSION:
        connection.execute(statements.read_text("leave_log_plain"))


def _table_names(table: HubTable) -> tuple[sql.Composable, ...]:
    """Return a table and its archive, or those of an attached hub, on which the role of tasks has rights."""
    behind = table.behind
    if behind is None:
        return sql.Identifier(table.live), sql.Identifier(table.archive)
    return tuple(sql.SQL(name) for name in (behind.live, behind.archive) if name)


def switch_off_checks(connection: psycopg.Connection, tables: Sequence[HubTable]) -> bool:
    """
    Switch triggers off, and so the foreign key checks; return whether that was possible.

    Raises:
        psycopg.errors.LockNotAvailable: another session is changing the tables.
    """
    if connection.info.server_version < _FIRST_VERSION:
        return False
    hold_tables(connection, tables)
    if not only_row(connection.execute(statements.read_text("may_skip_checks"), _catalog_values(tables)))[0]:
        return False
    connection.execute("SET LOCAL session_replication_role = replica")
    return True


def switch_on_checks(connection: psycopg.Connection) -> None:
    connection.execute("SET LOCAL session_replication_role TO DEFAULT")


def _catalog_values(tables: Sequence[HubTable]) -> dict[str, list[str]]:
    """Return the tables, and the foreign keys between them that a move follows: child, its column, parent."""
    hanging = [(table.live, "msg_id", MESSAGE) for table in tables if table.live not in {MESSAGE, RESPONSE}]
    children, columns, parents = zip(*hanging, (RESPONSE, "req_id", REQUEST), strict=True)
    return {
        "live": [table.live for table in tables],
        "archives": [table.archive for table in tables],
        "children": list(children),
        "links": list(columns),
        "parents": list(parents),
    }
