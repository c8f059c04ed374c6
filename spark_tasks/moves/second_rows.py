"""
Removes rows that a hub's own `archive_records` archived a second time while a job moved their messages.

The procedure reads messages without locking them, and the archive tables of some hubs have no keys: it can
still copy a message that a chunk is moving. Its copy is equal to the job's, so one of them is removed once
every transaction that may still copy such messages has ended. Uses psycopg only, no Django.
Source: docs/contributing/spec/hub_versions.md, "A running CleverBus 2.1"; docs/reference/archive.md, "On an
attached hub".
"""

import logging
import time
from collections.abc import Sequence

import psycopg
from psycopg import sql

from spark_tasks.database import TaskStatements
from spark_tasks.tables import HubTable

statements = TaskStatements("spark_tasks")

logger = logging.getLogger(__name__)

# Transactions of a hub end within seconds. A longer one, such as a backup, does not keep the job.
_MAX_WAIT = 60.0  # seconds
_PAUSE = 0.2


def remove_second_rows(
    connection: psycopg.Connection,
    *,
    job_id: int,
    tables: Sequence[HubTable],
    longest_wait: float = _MAX_WAIT,
) -> int:
    """
    Remove the second of two equal archived rows of each message that the job has moved; return how many.

    Nothing is read if the hub has no such procedure, or if its archive tables have keys. Tables without an
    index on the id of messages are left out, with a warning in the log.

    Args:
        connection: commits each statement.
        tables: as tables_behind returns them.
    """
    doubtful = _tables_with_second_rows(connection, tables)
    if not doubtful:
        return 0
    _wait_for_others(connection, tables, longest_wait)
    removed = 0
    for (chunk_no,) in statements.fetch_rows(connection, "done_chunks", {"job_id": job_id}):
        values = {"job_id": job_id, "chunk_no": chunk_no}
        removed += sum(
            connection.execute(removal_statement(*each), values).rowcount for each in doubtful.items()
        )
    if removed:
        logger.warning("archive_records of the hub had archived %s rows of job %s too.", removed, job_id)
    return removed


def _tables_with_second_rows(connection: psycopg.Connection, tables: Sequence[HubTable]) -> dict[str, str]:
    """Return the archive tables that can have a row twice, each with the key of its rows."""
    keys = {table.behind.archive: table.key for table in tables if table.behind and table.behind.archive}
    values = {"archives": list(keys), "keys": list(keys.values())}
    doubtful = {}
    for name, is_indexed in statements.run_statement(connection, "archives_without_keys", values):
        if is_indexed:
            doubtful[name] = keys[name]
        else:
            logger.warning(
                "%s has no index on msg_id: it was not searched for rows that are there twice.", name
            )
    return doubtful


def _wait_for_others(connection: psycopg.Connection, tables: Sequence[HubTable], longest_wait: float) -> None:
    """
    Wait for the transactions that have read or written one of the tables so far.

    A transaction keeps its locks until it ends. One that begins now no longer finds the messages of the job.
    """
    places = [table.behind.live for table in tables if table.behind]
    places += [table.behind.archive for table in tables if table.behind and table.behind.archive]
    holders = statements.read_text("transactions_at_tables")
    waited_for = {row[0] for row in connection.execute(holders, {"tables": places})}
    until = time.monotonic() + longest_wait
    while waited_for:
        if time.monotonic() > until:
            logger.warning(
                "Rows that a long transaction at the hub's tables may still archive are not searched."
            )
            return
        time.sleep(_PAUSE)
        waited_for &= {row[0] for row in connection.execute(holders, {"tables": places})}


def removal_statement(archive: str, key: str) -> sql.Composed:
    """Return the statement that removes second rows of a chunk from an archive table with this key."""
    text = statements.read_text("remove_second_rows")
    return sql.SQL(text).format(archive=sql.SQL(archive), key=sql.Identifier(key))
