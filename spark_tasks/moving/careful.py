"""The careful way: every row is locked before it is looked at, families are judged one by one."""

from collections import Counter
from collections.abc import Mapping, Sequence

import psycopg

from messages_app.jobs.states import skipped
from spark_tasks.actions import Item
from spark_tasks.database import array
from spark_tasks.families import judge_families
from spark_tasks.moving.rows import chosen, copy_rows, drop_rows, take_rows
from spark_tasks.sql import statement
from spark_tasks.tables import MESSAGE, REQUEST, HubTable


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


def move_locked_messages(
    connection: psycopg.Connection,
    ids: Sequence[int],
    *,
    tables: Sequence[HubTable],
    columns: Mapping[str, Sequence[str]],
) -> Counter[str]:
    """Move messages that families_to_move has locked, with all that is theirs; return rows by table."""
    if not ids:
        return Counter()
    requests: list[int] = []
    if any(table.live == REQUEST for table in tables):
        found = connection.execute(statement("lock_requests_of_messages"), {"ids": list(ids)})
        requests = [row[0] for row in found]
    return move_rows(
        connection,
        chosen(msg_ids=array(ids), req_ids=array(requests)),
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
    """Move locked rows with what hangs on them, children before parents; return rows by table."""
    moved: Counter[str] = Counter()
    for table in tables:
        named = columns[table.live]
        if table.live == MESSAGE:
            copy_rows(connection, table, named, ids)
            moved[table.live] = drop_rows(connection, table, ids)
        else:
            moved[table.live], _ = take_rows(connection, table, named, ids)
    return moved
