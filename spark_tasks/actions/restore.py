"""
Restores archived messages to the live tables with all their rows: from the archive tables, from Parquet
files, or from both. Uses psycopg only, no Django.

A family is restored whole or not at all.

Source: docs/reference/archive.md, "Restore"; docs/contributing/spec/promises.md, I-23.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

import psycopg

from messages_app.shared.job_states import ChunkContent, Outcome, SkipReason, failed_outcome, skipped_outcome
from spark_tasks.actions.archive_rows import hold_columns
from spark_tasks.contract import Chunk, Decided, Item, JobKey
from spark_tasks.database import TaskStatements, format_array
from spark_tasks.moves.rows import choose_orphans, choose_rows, move_rows
from spark_tasks.parquet.parts import held_columns
from spark_tasks.parquet.restore_rows import (
    Ids,
    PartFiles,
    fault_of,
    files_of_parts,
    forget_restored,
    keys_of,
    lock_messages_by_part,
    messages_with_live_calls,
    put_back,
)
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import HUB_TABLES, REQUEST, RESPONSE, HubTable

statements = TaskStatements("spark_tasks.parquet")
task_statements = TaskStatements("spark_tasks")


# Column names by live table.
Columns = Mapping[str, Sequence[str]]


def move_messages_back(
    connection: psycopg.Connection, ids: Sequence[int], *, tables: Sequence[HubTable], columns: Columns
) -> Counter[str]:
    """Move archived messages that this transaction holds, with all their rows; return rows by table."""
    if not ids:
        return Counter()
    requests: list[int] = []
    if any(table.live == REQUEST for table in tables):
        rows = statements.run_statement(connection, "archived_requests_of_messages", {"ids": list(ids)})
        requests = [row[0] for row in rows]
    which = choose_rows(msg_ids=format_array(ids), req_ids=format_array(requests))
    return move_back(connection, which, tables=tables, columns=columns)


def move_back(
    connection: psycopg.Connection, ids: Mapping[str, str], *, tables: Sequence[HubTable], columns: Columns
) -> Counter[str]:
    """
    Move the rows that `ids` select (moving.rows.chosen), parents before children; return rows by live table.
    """
    mirrored = [table.mirror_table() for table in reversed(tables)]
    named = {table.archive: columns[table.live] for table in tables}
    moved = move_rows(connection, ids, tables=mirrored, columns=named)
    return Counter({table.archive: moved[table.live] for table in mirrored if moved[table.live]})


def _parts_with_orphans(
    connection: psycopg.Connection, action: "Restore", content: str, absent: Set[int]
) -> Mapping[int, tuple[PartFiles, frozenset[int]]]:
    """Return the parts that contain some of the orphans, with their files and these ids."""
    values = {"job_id": action.origin_id, "content": content}
    gone: dict[int, list[int]] = dict(statements.fetch_rows(connection, "orphan_parts", values))
    table = REQUEST if content == ChunkContent.ORPHAN_REQUESTS else RESPONSE
    parts = {}
    for part, files in files_of_parts(connection, gone).items():
        of_part = keys_of(action.storage, files, table) & absent - set(gone[part])
        if of_part:
            parts[part] = (files, frozenset(of_part))
    return parts


def _ids_of_content(content: str, ids: frozenset[int]) -> Ids:
    is_request = content == ChunkContent.ORPHAN_REQUESTS
    return Ids(requests=ids) if is_request else Ids(responses=ids)


@dataclass(frozen=True, kw_only=True)
class Restore:
    """
    Args:
        columns: column names by live table, the same in its archive.
        origin_id: of an undo, the archive job that is undone; its orphans are restored too.
    """

    storage: Storage
    columns: dict[str, tuple[str, ...]]
    origin_id: int | None = None
    tables: tuple[HubTable, ...] = HUB_TABLES

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Restore the families that may be restored. Raises as contract.Action."""
        task_statements.run_statement(connection, "say_restoring")
        held = _lock_rows(connection, self, items)
        refusals = _refusals_by_message(connection, items, held)
        going = {item.msg_id for item in items} - refusals.keys()
        moved = move_messages_back(
            connection,
            [msg_id for msg_id in held.in_tables if msg_id in going],
            tables=self.tables,
            columns=self.columns,
        )
        parts = {part: [i for i in ids if i in going] for part, ids in held.in_parts.items()}
        parts = {part: ids for part, ids in parts.items() if ids}
        for part, ids in sorted(parts.items()):
            moved += put_back(
                connection,
                self.storage,
                held.files[part],
                tables=self.tables,
                ids=Ids(messages=frozenset(ids)),
            )
        forget_restored(connection, parts, are_messages=True)
        return Decided(refusals=refusals, moved=moved)

    def act_on_orphans(
        self, connection: psycopg.Connection, key: JobKey, chunk: Chunk
    ) -> tuple[Counter[str], Counter[str]]:
        """
        Restore requests or responses that belong to no message. Live and missing ones are skipped.

        Raises:
            Unreadable: a file of the archive is missing or damaged.
        """
        hold_columns(connection, self.tables, self.columns)
        ids = list(chunk.orphan_ids or ())
        values = {"ids": ids}
        in_tables = statements.fetch_column(connection, f"archived_{chunk.content}", values)
        moved: Counter[str] = Counter()
        if in_tables:
            which = choose_orphans(chunk.content, in_tables)
            moved = move_back(connection, which, tables=self.tables, columns=self.columns)
        absent = set(ids).difference(statements.fetch_column(connection, f"live_{chunk.content}", values))
        parts = _parts_with_orphans(connection, self, chunk.content, absent)
        for files, of_part in parts.values():
            rows = _ids_of_content(chunk.content, of_part)
            moved += put_back(connection, self.storage, files, tables=self.tables, ids=rows)
        restored = {part: of_part for part, (_, of_part) in parts.items()}
        forget_restored(connection, restored, are_messages=False)
        done = len(in_tables) + sum(map(len, restored.values()))
        return Counter({Outcome.DONE: done, skipped_outcome(SkipReason.MOVED_ON): len(ids) - done}), moved


@dataclass(kw_only=True)
class _LockedRows:
    """
    Archived rows of some messages, held until the transaction ends.

    Args:
        in_parts: ids by part of the Parquet archive; `files` are those of the parts.
        faults: why a message in a part cannot be restored, as an outcome.
    """

    in_tables: list[int]
    in_parts: dict[int, list[int]]
    files: Mapping[int, PartFiles]
    faults: dict[int, str] = field(default_factory=dict)

    @cached_property
    def ids(self) -> set[int]:
        return {*self.in_tables, *(msg_id for of_part in self.in_parts.values() for msg_id in of_part)}


def _lock_rows(connection: psycopg.Connection, action: Restore, items: Sequence[Item]) -> _LockedRows:
    ids = [item.msg_id for item in items]
    hold_columns(connection, action.tables, action.columns)
    live = held_columns(connection, action.tables)
    in_tables = statements.fetch_column(connection, "lock_archived_messages", {"ids": ids})
    in_parts = lock_messages_by_part(connection, ids)
    held = _LockedRows(in_tables=in_tables, in_parts=in_parts, files=files_of_parts(connection, in_parts))
    for part, of_part in in_parts.items():
        fault = fault_of(action.storage, held.files[part], live)
        if fault is not None:
            held.faults |= dict.fromkeys(of_part, failed_outcome(fault))
            continue
        conflicting = messages_with_live_calls(connection, action.storage, held.files[part], of_part)
        held.faults |= dict.fromkeys(conflicting, skipped_outcome(SkipReason.CALL_LIVE))
    return held


def live_conflicts(connection: psycopg.Connection, ids: Sequence[int]) -> list[tuple[int, str]]:
    """
    Return (message, SkipReason) of archived messages that exist in the hub again.

    External calls of messages in Parquet files are not checked here: see messages_with_live_calls.
    """
    names = {
        "id_live": SkipReason.MSG_ID_LIVE,
        "correlation_live": SkipReason.CORRELATION_ID_LIVE,
        "call_live": SkipReason.CALL_LIVE,
    }
    return statements.fetch_rows(connection, "live_conflicts", {"ids": list(ids), **names})


def _refusals_by_message(
    connection: psycopg.Connection, items: Sequence[Item], held: _LockedRows
) -> dict[int, str]:
    """Return the outcome of every message that stays, for a reason of its own or of its family."""
    ids = sorted(held.ids)
    own = {item.msg_id: skipped_outcome(reason) for item, reason in _find_missing(connection, items, held)}
    conflicts = {msg_id: skipped_outcome(reason) for msg_id, reason in live_conflicts(connection, ids)}
    stays = held.faults | conflicts
    roots = {item.msg_id: item.root_msg_id for item in items}
    staying_roots = {roots[msg_id] for msg_id in stays} | _kept_by_others(connection, roots, ids)
    staying_roots |= {
        roots[msg_id] for msg_id, why in own.items() if why != skipped_outcome(SkipReason.VANISHED)
    }
    for_kin = {i: skipped_outcome(SkipReason.FAMILY_STAYS) for i in ids if roots[i] in staying_roots}
    return {**for_kin, **own, **stays}


def _find_missing(
    connection: psycopg.Connection, items: Sequence[Item], held: _LockedRows
) -> list[tuple[Item, SkipReason]]:
    """Return the messages that are not in the archive, or are locked there by another session."""
    missing = [item for item in items if item.msg_id not in held.ids]
    if not missing:
        return []
    ids = {"ids": [item.msg_id for item in missing]}
    locked = set(statements.fetch_column(connection, "archived_anywhere", ids))
    live = set(task_statements.fetch_column(connection, "live_states", ids))
    reasons = []
    for item in missing:
        elsewhere = SkipReason.MSG_ID_LIVE if item.msg_id in live else SkipReason.VANISHED
        reasons.append((item, SkipReason.LOCKED if item.msg_id in locked else elsewhere))
    return reasons


def _kept_by_others(connection: psycopg.Connection, roots: Mapping[int, int], ids: Sequence[int]) -> set[int]:
    """Return the families with an archived member that is not in the plan."""
    rows = statements.run_statement(connection, "archived_relatives", {"ids": list(ids)})
    return {roots[msg_id] for msg_id, relative in rows if relative not in roots}
