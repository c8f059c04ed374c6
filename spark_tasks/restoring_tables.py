"""Moves rows from the archive tables back to the live ones: the archive's moves, the other way round."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import psycopg

from spark_tasks.cold.sql import statement
from spark_tasks.database import array
from spark_tasks.moving.careful import move_rows
from spark_tasks.moving.rows import chosen
from spark_tasks.tables import REQUEST, HubTable

# Column names by live table.
Columns = Mapping[str, Sequence[str]]


def move_messages_back(
    connection: psycopg.Connection, ids: Sequence[int], *, tables: Sequence[HubTable], columns: Columns
) -> Counter[str]:
    """Move archived messages, which this transaction holds, with all that is theirs; return rows by table."""
    if not ids:
        return Counter()
    requests: list[int] = []
    if any(table.live == REQUEST for table in tables):
        found = connection.execute(statement("archived_requests_of_messages"), {"ids": list(ids)})
        requests = [row[0] for row in found]
    which = chosen(msg_ids=array(ids), req_ids=array(requests))
    return move_back(connection, which, tables=tables, columns=columns)


def move_back(
    connection: psycopg.Connection, ids: Mapping[str, str], *, tables: Sequence[HubTable], columns: Columns
) -> Counter[str]:
    """Move what `ids` choose (moving.rows.chosen), parents before children; return rows by live table."""
    mirrored = [replace(table, live=table.archive, archive=table.live) for table in reversed(tables)]
    named = {table.archive: columns[table.live] for table in tables}
    moved = move_rows(connection, ids, tables=mirrored, columns=named)
    return Counter({table.archive: moved[table.live] for table in mirrored if moved[table.live]})
