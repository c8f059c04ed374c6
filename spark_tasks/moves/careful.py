"""The careful move: every row is locked before it is checked, and families are checked one by one."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import psycopg

from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Item
from spark_tasks.database import format_array
from spark_tasks.moves.rows import choose_rows, copy_rows, drop_rows, take_rows
from spark_tasks.tables import MESSAGE, REQUEST, HubTable

statements = SqlFiles("spark_tasks")


def judge_families(
    *,
    roots: Mapping[int, int],
    locked: Mapping[int, tuple[str, bool]],
    still_live: Collection[int],
    relatives: Collection[tuple[int, int, str]],
    final_states: Collection[str],
) -> dict[int, str]:
    """
    Return the reason of every message that stays. All others may move.

    A family moves whole or not at all (docs/contributing/spec/design.md, R-8). A member that the hub has
    deleted no longer counts and does not keep the others.

    Args:
        roots: the head of the family, by message of the chunk.
        locked: state and whether it is old enough, by message that could be locked.
        still_live: the messages that could not be locked but still exist.
        relatives: (message of the chunk, its live parent or child, that relative's state), inside or outside
            the chunk.
        final_states: the states of finished messages.
    """
    reasons: dict[int, str] = {}
    holds_up: dict[int, str] = {}
    for msg_id, root in roots.items():
        reason = _own_reason(msg_id, locked, still_live, final_states)
        if reason is None:
            continue
        reasons[msg_id] = reason
        if reason != SkipReason.VANISHED:
            holds_up.setdefault(root, _reason_for_kin(reason, locked.get(msg_id), final_states))
    for msg_id, relative, state in relatives:
        if relative not in roots:
            young_or_open = (
                SkipReason.FAMILY_TOO_YOUNG if state in final_states else SkipReason.FAMILY_NOT_FINAL
            )
            holds_up.setdefault(roots[msg_id], young_or_open)
    for msg_id, root in roots.items():
        if msg_id not in reasons and root in holds_up:
            reasons[msg_id] = holds_up[root]
    return reasons


def _own_reason(
    msg_id: int,
    locked: Mapping[int, tuple[str, bool]],
    still_live: Collection[int],
    final_states: Collection[str],
) -> str | None:
    if msg_id not in locked:
        return SkipReason.LOCKED if msg_id in still_live else SkipReason.VANISHED
    state, is_old = locked[msg_id]
    return None if state in final_states and is_old else SkipReason.MOVED_ON


def _reason_for_kin(reason: str, member: tuple[str, bool] | None, final_states: Collection[str]) -> str:
    """Return the reason that a staying message gives its family."""
    if reason == SkipReason.LOCKED or member is None:
        return SkipReason.LOCKED
    return SkipReason.FAMILY_TOO_YOUNG if member[0] in final_states else SkipReason.FAMILY_NOT_FINAL


def families_to_move(
    connection: psycopg.Connection, items: Sequence[Item], *, cutoff: str, final_states: Sequence[str]
) -> tuple[list[int], dict[int, str]]:
    """
    Lock messages, and check them and their relatives again; return the ones to move, and the others'
    outcomes.
    """
    roots = {item.msg_id: item.root_msg_id for item in items}
    ids = list(roots)
    locked = {
        msg_id: (state, is_old)
        for msg_id, _, state, is_old in connection.execute(
            statements.read_text("lock_messages"), {"ids": ids, "cutoff": cutoff}
        )
    }
    unlocked = [msg_id for msg_id in ids if msg_id not in locked]
    still_live = {
        row[0] for row in connection.execute(statements.read_text("live_states"), {"ids": unlocked})
    }
    relatives = connection.execute(statements.read_text("relatives"), {"ids": list(locked)}).fetchall()
    reasons = judge_families(
        roots=roots,
        locked=locked,
        still_live=still_live,
        relatives=relatives,
        final_states=final_states,
    )
    moving = [msg_id for msg_id in ids if msg_id not in reasons]
    return moving, {msg_id: skipped_outcome(reason) for msg_id, reason in reasons.items()}


def move_locked_messages(
    connection: psycopg.Connection,
    ids: Sequence[int],
    *,
    tables: Sequence[HubTable],
    columns: Mapping[str, Sequence[str]],
) -> Counter[str]:
    """Move messages that families_to_move has locked, with all their rows; return rows by table."""
    if not ids:
        return Counter()
    requests: list[int] = []
    if any(table.live == REQUEST for table in tables):
        rows = connection.execute(statements.read_text("lock_requests_of_messages"), {"ids": list(ids)})
        requests = [row[0] for row in rows]
    return move_rows(
        connection,
        choose_rows(msg_ids=format_array(ids), req_ids=format_array(requests)),
        tables=tables,
        columns=columns,
    )


def move_rows(
    connection: psycopg.Connection,
    ids: Mapping[str, str],
    *,
    tables: Sequence[HubTable],
    columns: Mapping[str, Sequence[str]],
) -> Counter[str]:
    """Move locked rows with their dependent rows, children before parents; return rows by table."""
    moved: Counter[str] = Counter()
    for table in tables:
        named = columns[table.live]
        if table.live == MESSAGE or (table.behind and table.behind.extra):
            copy_rows(connection, table, named, ids)
            moved[table.live] = drop_rows(connection, table, ids)
        else:
            moved[table.live], _ = take_rows(connection, table, named, ids)
    return moved
