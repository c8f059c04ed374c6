"""
Moves messages with all their rows from the live tables to the archive. Uses psycopg only, no Django.

The quick move does not lock the rows first; concurrent changes are detected afterwards. Messages are copied,
then deleted if they still have the row versions that were picked; the number of deleted rows shows a change.
Parents are deleted first: from then on they cannot get children, and every later statement sees all children.
Foreign key checks must be off (moves/rows.py), because they refuse to delete a parent with children. Messages
that have changed or are locked take the careful way of moves/rows.py.

Source: docs/contributing/spec/design.md, R-5 to R-8, "Moving rows"; docs/contributing/spec/cleverbus.md,
"Archive procedures", "Defects of the archive procedures" (the defects to avoid here).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import psycopg

from messages_app.shared.job_states import Outcome, SkipReason, skipped_outcome
from spark_tasks.contract import Chunk, Decided, Item, JobKey
from spark_tasks.database import TaskStatements, format_array
from spark_tasks.moves.rows import (
    choose_orphans,
    choose_rows,
    copy_rows,
    hold_tables,
    lock_families_to_move,
    move_locked_messages,
    move_rows,
    reduce_work,
    switch_off_checks,
    switch_on_checks,
    take_rows,
    visit_families,
)
from spark_tasks.tables import ARCHIVED_AT, HUB_TABLES, MESSAGE, HubTable
from spark_tasks.views import ColumnsDiffer, column_types

statements = TaskStatements("spark_tasks")


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
    return Picked(*statements.only_row(connection, "pick_messages", values))


def families_apart(items: Sequence[Item], picked: Picked) -> tuple[list[Item], list[Item]]:
    """Return the items of families that were picked whole, and the others."""
    if picked.rows == len(items):
        return list(items), []
    picked_ids = set(map(int, picked.msg_ids.strip("{}").split(","))) if picked.rows else set()
    odd = {item.root_msg_id for item in items if item.msg_id not in picked_ids}
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

    return visit_families(tables, picked.msg_ids, take_table)


def _move_messages(
    connection: psycopg.Connection, picked: Picked, table: HubTable, columns: Sequence[str]
) -> int:
    ids = choose_rows(msg_ids=picked.msg_ids)
    stored = copy_rows(connection, table, columns, ids)
    values = {"msg_ids": picked.msg_ids, "versions": picked.versions, "parents": picked.parents}
    deleted = statements.run_statement(connection, "delete_picked", values).rowcount
    if not stored == deleted == picked.rows:
        raise Changed(f"{picked.rows} picked, {stored} stored, {deleted} deleted.")
    if statements.run_statement(connection, "left_relatives", values).fetchone() is not None:
        raise Changed("A parent or a child is still live.")
    return deleted


# If a session holds a row longer, its family stays. Rows already moved by the chunk are locked meanwhile.
_MAX_WAIT = "500ms"


def shared_columns(
    connection: psycopg.Connection, tables: Sequence[HubTable] = HUB_TABLES
) -> dict[str, tuple[str, ...]]:
    """
    Return the columns of each live table, after checking that its archive has the same.

    Tables of an attached hub without an archive table are left out.

    Raises:
        ColumnsDiffer: names the table and the columns that one side lacks.
    """
    places = {table: _table_names(table) for table in tables if table.behind is None or table.behind.archive}
    types = column_types(connection, [name for pair in places.values() for name in pair])
    columns = {}
    for table, (live, archive) in places.items():
        extra = table.behind.extra if table.behind else ()
        names = [name for name in types[live] if name not in extra]
        missing = set(names) ^ (set(types[archive]) - ({ARCHIVED_AT} - set(names)))
        if table.behind:  # No cast may change a value on its way between a hub and the console.
            missing |= {name for name in names if types[live][name] != types[archive].get(name)}
        if missing or not names:
            raise ColumnsDiffer(
                f"{table.live} and {table.archive} differ in: {', '.join(sorted(missing)) or 'all columns'}."
            )
        columns[table.live] = tuple(names)
    return columns


def _table_names(table: HubTable) -> tuple[str, str]:
    behind = table.behind
    return (behind.live, behind.archive or table.archive) if behind else (table.live, table.archive)


def hold_columns(
    connection: psycopg.Connection, tables: Sequence[HubTable], columns: Mapping[str, tuple[str, ...]]
) -> None:
    """
    Lock the tables' columns until this transaction ends, because values of an added column would be lost.

    Raises:
        ColumnsDiffer: they have changed since the job began. The next attempt reports the difference or uses
            the new columns.
    """
    hold_tables(connection, tables)
    if shared_columns(connection, tables) != columns:
        raise ColumnsDiffer("The tables have other columns than when the job began.")


@dataclass(frozen=True, kw_only=True)
class ArchiveToTables:
    """
    The action of an archive job to tables: moves families inside PostgreSQL.

    Args:
        cutoff: only older messages move; ISO 8601 with offset.
        final_states: the states of finished messages.
        columns: column names by live table, the same in its archive.
        tables: the tables to move, children before parents.
    """

    cutoff: str
    final_states: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    tables: tuple[HubTable, ...] = HUB_TABLES

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Move the families that may be archived. Raises ColumnsDiffer, and as contract.Action."""
        reduce_work(connection)
        hold_columns(connection, self.tables, self.columns)
        connection.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
        moved, left = _move_quickly(connection, self, items)
        if not left:
            return Decided(moved=moved)
        moving, refusals = lock_families_to_move(
            connection, left, cutoff=self.cutoff, final_states=self.final_states
        )
        moved += move_locked_messages(connection, moving, tables=self.tables, columns=self.columns)
        return Decided(refusals=refusals, moved=moved)

    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        """Move requests or responses that belong to no message. Rows that have been given a message stay."""
        reduce_work(connection)
        hold_columns(connection, self.tables, self.columns)
        connection.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
        ids = list(chunk.orphan_ids or ())
        values = {"ids": ids, "cutoff": self.cutoff}
        locked = statements.fetch_column(connection, f"lock_{chunk.content}", values)
        which = choose_orphans(chunk.content, locked)
        moved = move_rows(connection, which, tables=self.tables, columns=self.columns)
        left = len(ids) - len(locked)
        return Counter({Outcome.DONE: len(locked), skipped_outcome(SkipReason.MOVED_ON): left}), moved


def _move_quickly(
    connection: psycopg.Connection, action: ArchiveToTables, items: Sequence[Item]
) -> tuple[Counter[str], Sequence[Item]]:
    """
    Move the messages that are unchanged since the plan; return rows by table, and the items for a careful
    move.
    """
    try:
        with connection.transaction():
            if not switch_off_checks(connection, action.tables):
                return Counter(), items
            pick_old = partial(pick_items, connection, cutoff=action.cutoff, final_states=action.final_states)
            picked = pick_old(items)
            whole, odd = families_apart(items, picked)
            if odd:
                picked = pick_old(whole)
            moved = move_picked(
                connection, picked, expected=len(whole), tables=action.tables, columns=action.columns
            )
            switch_on_checks(connection)
            return moved, odd
    except (Changed, psycopg.errors.LockNotAvailable):
        return Counter(), items
