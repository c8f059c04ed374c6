"""
The quick way: nothing is locked beforehand, and what changed meanwhile is noticed.

Messages are copied, then deleted if they are still the versions that were picked; the count tells. Parents go
first: from then on no one can give them children, and every later statement sees the children there are. It
needs the checks switched off (moving/liberties.py): they would refuse to delete a parent that has children.
Source: docs/spec/design.md, "Moving rows".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psycopg

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Item
from spark_tasks.database import array, only_row
from spark_tasks.moves.rows import chosen, copy_rows, take_rows, walk_families
from spark_tasks.tables import MESSAGE, HubTable

statements = SqlFiles("spark_tasks")


class Changed(Exception):
    """Someone changed the messages or their relatives in the meantime; what was done must be undone."""


class Picked(NamedTuple):
    """Messages that may go, as arrays in text: their ids, their row versions (xmin), and their parents."""

    rows: int
    msg_ids: str
    versions: str
    parents: str


def pick(
    connection: psycopg.Connection, items: Sequence[Item], *, cutoff: str, final_states: Sequence[str]
) -> Picked:
    """Return those of the items that are final and old now."""
    values = {
        "ids": array(item.msg_id for item in items),
        "cutoff": cutoff,
        "final_states": list(final_states),
    }
    return Picked(*only_row(connection.execute(statements.text("pick_messages"), values)))


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
    wanted: int,
    tables: Sequence[HubTable],
    columns: Mapping[str, Sequence[str]],
) -> Counter[str]:
    """
    Move the messages with all that is theirs; return rows by table.

    Args:
        wanted: how many are to go; had fewer been picked, the others would be taken for moved.

    Raises:
        Changed: they are no longer what was picked, or have relatives elsewhere.
        psycopg.errors.LockNotAvailable: someone holds one of the rows.
    """

    if picked.rows != wanted:
        raise Changed(f"{wanted} are to go, {picked.rows} were picked.")

    def take(table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
        named = columns[table.live]
        if table.live == MESSAGE:
            return _move_messages(connection, picked, table, named), picked.msg_ids
        return take_rows(connection, table, named, ids)

    return walk_families(tables, picked.msg_ids, take)


def _move_messages(
    connection: psycopg.Connection, picked: Picked, table: HubTable, columns: Sequence[str]
) -> int:
    ids = chosen(msg_ids=picked.msg_ids)
    stored = copy_rows(connection, table, columns, ids)
    values = {"msg_ids": picked.msg_ids, "versions": picked.versions, "parents": picked.parents}
    deleted = connection.execute(statements.text("delete_picked"), values).rowcount
    if not stored == deleted == picked.rows:
        raise Changed(f"{picked.rows} picked, {stored} stored, {deleted} deleted.")
    if connection.execute(statements.text("left_relatives"), values).fetchone() is not None:
        raise Changed("A parent or a child is still live.")
    return deleted
