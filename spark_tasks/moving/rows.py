"""The statements that move rows of one table from live to archive, and how a chunk's ids reach them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import psycopg
from psycopg import sql

from spark_tasks.sql import statement
from spark_tasks.tables import REQUEST, HubTable

NONE = "{}"  # an empty array

# A request that nobody has locked is found by its message.
_REQUESTS_OF_MESSAGES = "msg_id = ANY (%(msg_ids)s)"


def chosen(*, msg_ids: str = NONE, req_ids: str = NONE, res_ids: str = NONE) -> dict[str, str]:
    """Return the parameters of HubTable.chosen: ids of rows that go with all that hangs on them."""
    return {"msg_ids": msg_ids, "req_ids": req_ids, "res_ids": res_ids}


def walk_families(
    tables: Sequence[HubTable], msg_ids: str, visit: Callable[[HubTable, Mapping[str, str]], tuple[int, str]]
) -> Counter[str]:
    """
    Visit the tables with all that hangs on messages, parents before children; return rows by table.

    Args:
        tables: children before parents.
        visit: gets a table and the ids that choose its rows; returns how many there are, and their keys.
    """
    rows: Counter[str] = Counter()
    ids = chosen(msg_ids=msg_ids)
    for table in reversed(tables):
        if table.live != REQUEST:
            rows[table.live], _ = visit(table, ids)
            continue
        rows[REQUEST], requests = visit(replace(table, chosen=_REQUESTS_OF_MESSAGES), ids)
        ids = chosen(msg_ids=msg_ids, req_ids=requests)
    return rows


def count_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
    """Return how many live rows `ids` choose, and their keys as an array."""
    return connection.execute(composed("count_rows", table), ids).fetchone()


def take_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> tuple[int, str]:
    """
    Move the rows that `ids` choose by one statement: what it deletes is what it stores.

    Right where a row may change until it is taken. Returns how many went, and their keys as an array.
    """
    return connection.execute(composed("take_rows", table, columns), ids).fetchone()


def copy_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> int:
    """
    Store the rows that `ids` choose, which stay where they are; return how many.

    With a delete after it faster than take_rows where rows are wide, for no wide row waits in between. Only
    for rows that are locked, or looked at again when they are deleted.
    """
    return connection.execute(composed("copy_rows", table, columns), ids).rowcount


def drop_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> int:
    """Delete the rows that `ids` choose, which copy_rows has stored; return how many."""
    return connection.execute(composed("drop_rows", table), ids).rowcount


def composed(name: str, table: HubTable, columns: Sequence[str] = ()) -> sql.Composed:
    """Return take_rows, copy_rows, drop_rows or count_rows as the table has it."""
    return sql.SQL(statement(name)).format(
        live=sql.Identifier(table.live),
        archive=sql.Identifier(table.archive),
        key=sql.Identifier(table.key),
        chosen=sql.SQL(table.chosen),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
    )
