"""
Moves messages with all that is theirs from the live tables to the archive: psycopg only, no Django.

Source: DESIGN.md rules 5 to 8; spec/cleverbus.md 8.1, 8.2 (the defects that must not happen here).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from messages_app.jobs.states import ChunkContent, Outcome, SkipReason, skipped
from spark_tasks.chunks import Chunk, Decided, Item, JobKey
from spark_tasks.families import judge_families
from spark_tasks.sql import statement
from spark_tasks.tables import HUB_TABLES, HubTable


class ColumnsDiffer(Exception):
    """A live table and its archive do not have the same columns; nothing was moved."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Ids of rows that this transaction has locked and will move, with all that hangs on them."""

    msg_ids: Sequence[int] = ()
    req_ids: Sequence[int] = ()
    res_ids: Sequence[int] = ()


def shared_columns(connection: psycopg.Connection) -> dict[str, tuple[str, ...]]:
    """
    Return the columns of each live table, once they are known to be those of its archive as well.

    Raises:
        ColumnsDiffer: names the table and the columns that one side lacks.
    """
    names = [name for table in HUB_TABLES for name in (table.live, table.archive)]
    found: dict[str, list[str]] = {name: [] for name in names}
    for table_name, column in connection.execute(statement("columns"), {"tables": names}):
        found[table_name].append(column)
    for table in HUB_TABLES:
        missing = set(found[table.live]) ^ set(found[table.archive])
        if missing or not found[table.live]:
            raise ColumnsDiffer(
                f"{table.live} and {table.archive} differ in: {', '.join(sorted(missing)) or 'all columns'}."
            )
    return {table.live: tuple(found[table.live]) for table in HUB_TABLES}


@dataclass(frozen=True, kw_only=True)
class ArchiveToTables:
    """
    The action of an archive job: families move inside PostgreSQL.

    Args:
        cutoff: only what is older moves; ISO 8601 with offset.
        final_states: the states in which a message is done with.
        columns: column names by live table, the same in its archive.
    """

    cutoff: str
    final_states: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]

    new_state = None
    may_be_repeated = True

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Move the families that may go. Raises as chunks.Action.act."""
        moving, refusals = families_to_move(
            connection, items, cutoff=self.cutoff, final_states=self.final_states
        )
        return Decided(refusals=refusals, moved=_move_messages(connection, self, moving))

    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        """Move requests or responses that no message owns; those that found an owner meanwhile stay."""
        ids = list(chunk.orphan_ids)
        values = {"ids": ids, "cutoff": self.cutoff}
        locked = [row[0] for row in connection.execute(statement(f"lock_{chunk.content}"), values)]
        is_request = chunk.content == ChunkContent.ORPHAN_REQUESTS
        chosen = Chosen(req_ids=locked) if is_request else Chosen(res_ids=locked)
        moved = _move_rows(connection, self, chosen)
        left = len(ids) - len(locked)
        return Counter({Outcome.DONE: len(locked), skipped(SkipReason.MOVED_ON): left}), moved


def families_to_move(
    connection: psycopg.Connection, items: Sequence[Item], *, cutoff: str, final_states: Sequence[str]
) -> tuple[list[int], dict[int, str]]:
    """Lock messages, look at them and their relatives again; return who goes, and the others' outcomes."""
    roots = {item.msg_id: item.root_msg_id for item in items}
    ids = list(roots)
    locked = {
        msg_id: (state, is_old)
        for msg_id, _, state, is_old in connection.execute(
            statement("lock_messages"), {"ids": ids, "cutoff": cutoff}
        )
    }
    unlocked = [msg_id for msg_id in ids if msg_id not in locked]
    still_live = {row[0] for row in connection.execute(statement("live_states"), {"ids": unlocked})}
    relatives = connection.execute(statement("relatives"), {"ids": list(locked)}).fetchall()
    reasons = judge_families(
        roots=roots,
        locked=locked,
        still_live=still_live,
        relatives=relatives,
        final_states=final_states,
    )
    moving = [msg_id for msg_id in ids if msg_id not in reasons]
    return moving, {msg_id: skipped(reason) for msg_id, reason in reasons.items()}


def _move_messages(connection: psycopg.Connection, action: ArchiveToTables, ids: list[int]) -> Counter[str]:
    """Move the messages with all that is theirs."""
    if not ids:
        return Counter()
    requests = connection.execute(statement("lock_requests_of_messages"), {"ids": ids}).fetchall()
    return _move_rows(connection, action, Chosen(msg_ids=ids, req_ids=[row[0] for row in requests]))


def _move_rows(connection: psycopg.Connection, action: ArchiveToTables, chosen: Chosen) -> Counter[str]:
    params = {
        "msg_ids": list(chosen.msg_ids),
        "req_ids": list(chosen.req_ids),
        "res_ids": list(chosen.res_ids),
    }
    return Counter(
        {
            table.live: connection.execute(
                _move_statement(table, action.columns[table.live]), params
            ).rowcount
            for table in HUB_TABLES
        }
    )


def _move_statement(table: HubTable, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL(statement("move_rows")).format(
        live=sql.Identifier(table.live),
        archive=sql.Identifier(table.archive),
        chosen=sql.SQL(table.chosen),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
    )
