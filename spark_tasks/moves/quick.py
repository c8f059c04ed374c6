"""
The quick move: rows are not locked first; concurrent changes are detected afterwards.

Messages are copied, then deleted if they still have the row versions that were picked; the number of deleted
rows shows a change. Parents are deleted first: from then on they cannot get children, and every later
statement sees all children. Foreign key checks must be off (rows.py), because they refuse to
delete a parent with children. Source: docs/contributing/spec/design.md, "Moving rows".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psycopg

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Item
from spark_tasks.database import format_array, only_row
from spark_tasks.moves.rows import choose_rows, copy_rows, take_rows, walk_families
from spark_tasks.tables import MESSAGE, HubTable

statements = SqlFiles("spark_tasks")


class Changed(Exception):
    """
    Another session changed the messages or their relatives meanwhile. The transaction must be rolled back.
    """


class Picked(NamedTuple):
    """Messages to move, as PostgreSQL arrays: their ids, their row versions (xmin), and their parents."""

    rows: int
    msg_ids: str
    versions: str
    parents: str


def pick_items(
    connection: psycopg.Connection, items: Sequence[Item], *, cutoff: str, final_states: Sequence[str]
) -> Picked:
    """Return the items that are now final and old enough."""
    values = {
        "ids": format_array(item.msg_id for item in items),
        "cutoff": cutoff,
        "final_states": list(final_states),
    }
    return Picked(*only_row(connection.execute(statements.read_text("pick_messages"), values)))


def families_apart(items: Sequence[Item], picked: Picked) -> tuple[list[Item], list[Item]]:
    """Return the items of families that were picked whole, and the others."""
    if picked.rows == len(items):
        return list(items), []
    there = set(map(int, picked.msg_ids.strip("{}").split(","))) if picked.rows else set()
    odd = {item.root_msg_id for item in items if item.msg_id not in there}
    whole = [item for item in items if item.root_msg_id not in odd]
    return whole, [item for item in items if item.root_msg_id in odd]


def move_picked(
    connection: psycopg.Connection,
    picked: Picked,
    *,
    expected: int,
    tables: Sequence[HubTable],
    columns: Mapping[str, Sequence[str]],
) -> Counter[str]:
    """
    Move the messages with all their rows; return rows by table.

    Args:
        expected: the expected number of messages; if fewer were picked, the missing ones would be counted as
            moved.

    Raises:
        Changed: they differ from the picked versions, or have relatives elsewhere.
        psycopg.errors.LockNotAvailable: another session holds one of the rows.
    """

    if picked.rows != expected:
        raise Changed(f"{expected} messages to move, but {picked.rows} were picked.")

    def take_table(table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
        named = columns[table.live]
        if table.live == MESSAGE:
            return _move_messages(connection, picked, table, named), picked.msg_ids
        return take_rows(connection, table, named, ids)

    return walk_families(tables, picked.msg_ids, take_table)


def _move_messages(
    connection: psycopg.Connection, picked: Picked, table: HubTable, columns: Sequence[str]
) -> int:
    ids = choose_rows(msg_ids=picked.msg_ids)
    stored = copy_rows(connection, table, columns, ids)
    values = {"msg_ids": picked.msg_ids, "versions": picked.versions, "parents": picked.parents}
    deleted = connection.execute(statements.read_text("delete_picked"), values).rowcount
    if not stored == deleted == picked.rows:
        raise Changed(f"{picked.rows} picked, {stored} stored, {deleted} deleted.")
    if connection.execute(statements.read_text("left_relatives"), values).fetchone() is not None:
        raise Changed("A parent or a child is still live.")
    return deleted
