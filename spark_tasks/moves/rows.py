"""
The statements that move rows of one table from live to archive, and the careful move: every row is locked
before it is checked, and families are checked one by one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import psycopg
from psycopg import sql

from messages_app.shared.job_states import ChunkContent, SkipReason, skipped_outcome
from spark_tasks.contract import Item
from spark_tasks.database import TaskStatements, format_array, only_row
from spark_tasks.tables import MESSAGE, REQUEST, RESPONSE, HubTable

statements = TaskStatements("spark_tasks")


NONE = "{}"  # An empty array.

# A request that no session has locked is found by its message.
_REQUESTS_OF_MESSAGES = "msg_id = ANY (%(msg_ids)s)"


def choose_rows(*, msg_ids: str = NONE, req_ids: str = NONE, res_ids: str = NONE) -> dict[str, str]:
    """Return the parameters of HubTable.chosen: ids of rows that move with all their dependent rows."""
    return {"msg_ids": msg_ids, "req_ids": req_ids, "res_ids": res_ids}


def choose_orphans(content: str, ids: Sequence[int]) -> dict[str, str]:
    """Return the parameters of HubTable.chosen for requests or responses that belong to no message."""
    name = "req_ids" if content == ChunkContent.ORPHAN_REQUESTS else "res_ids"
    return choose_rows(**{name: format_array(ids)})


def lock_requests(
    connection: psycopg.Connection, msg_ids: Sequence[int], tables: Sequence[HubTable]
) -> list[int]:
    """Return the requests of messages, locked so that no response to them arrives meanwhile."""
    if all(table.live != REQUEST for table in tables):
        return []
    return statements.fetch_column(connection, "lock_requests_of_messages", {"ids": list(msg_ids)})


def visit_families(
    tables: Sequence[HubTable], msg_ids: str, visit: Callable[[HubTable, Mapping[str, str]], tuple[int, str]]
) -> Counter[str]:
    """
    Visit all tables with the rows that depend on messages, parents before children; return rows by table.

    Args:
        tables: children before parents.
        visit: receives a table and the ids that select its rows; returns their number and their keys.
    """
    rows: Counter[str] = Counter()
    ids = choose_rows(msg_ids=msg_ids)
    for table in reversed(tables):
        if table.live != REQUEST:
            rows[table.live], _ = visit(table, ids)
            continue
        rows[REQUEST], requests = visit(replace(table, chosen=_REQUESTS_OF_MESSAGES), ids)
        ids = choose_rows(msg_ids=msg_ids, req_ids=requests)
    return rows


def count_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
    """Return the number of live rows that `ids` select, and their keys as an array."""
    rows, keys = only_row(connection.execute(compose_statement("count_rows", table), ids))
    return rows, keys


def take_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> tuple[int, str]:
    """
    Move the rows that `ids` select by one statement, which stores the same rows that it deletes.

    Use it if a row may change until it is moved. Returns the number of rows and their keys as an array.
    """
    rows, keys = only_row(connection.execute(compose_statement("take_rows", table, columns), ids))
    return rows, keys


def copy_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[str], ids: Mapping[str, str]
) -> int:
    """
    Store the rows that `ids` select without deleting them; return their number.

    For wide rows, copying and then deleting is faster than take_rows, because the rows are not kept in
    between. Use it only for rows that are locked, or that are checked again when they are deleted.
    """
    extra = table.behind.extra if table.behind else ()
    if not extra:
        return connection.execute(compose_statement("copy_rows", table, columns), ids).rowcount
    if table.behind and table.behind.returns:
        count = connection.execute(compose_statement("copy_kept_rows", table, columns), ids).rowcount
        statements.run_statement(connection, "forget_kept", ids)
        return count
    connection.execute(compose_statement("keep_columns", table), ids)
    return connection.execute(compose_statement("copy_rows", table, columns), ids).rowcount


def drop_rows(connection: psycopg.Connection, table: HubTable, ids: Mapping[str, str]) -> int:
    """Delete the rows that `ids` select, after copy_rows has stored them; return their number."""
    return connection.execute(compose_statement("drop_rows", table), ids).rowcount


def compose_statement(name: str, table: HubTable, columns: Sequence[str] = ()) -> sql.Composed:
    """Return a statement that moves or counts rows of the table, on the tables behind views of a hub."""
    behind = table.behind
    return sql.SQL(statements.read_text(name)).format(
        live=sql.SQL(behind.live) if behind else sql.Identifier(table.live),
        archive=sql.SQL(behind.archive) if behind and behind.archive else sql.Identifier(table.archive),
        key=sql.Identifier(table.key),
        chosen=sql.SQL(table.chosen),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        kept=sql.SQL(", ").join(map(sql.Identifier, behind.extra if behind else ())),
    )


# Session settings that make a move cheaper if the database permits them, until the transaction ends. Foreign
# key checks, row by row, are a third of a move's time. With them off, the order of the statements replaces
# them: a parent is deleted first, which prevents new children until the transaction ends, and its children
# are checked afterwards (actions/archive_rows.py). This covers only the hub's own foreign keys, so the
# catalog is checked each time, under a lock that keeps it unchanged.
# The version that added has_parameter_privilege; earlier, only a superuser could do this.
_FIRST_VERSION = 150_000


def hold_tables(connection: psycopg.Connection, tables: Sequence[HubTable]) -> None:
    """
    Lock columns, triggers and foreign keys until the transaction ends; rows may change.

    Raises:
        psycopg.errors.LockNotAvailable: another session is changing them.
    """
    names = [name for table in tables for name in _table_names(table)]
    connection.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.SQL(", ").join(names)))


def reduce_work(connection: psycopg.Connection) -> None:
    """Keep rows in memory between delete and insert, and do not compress page images in the WAL."""
    connection.execute("SET LOCAL work_mem = '32MB'")
    if connection.info.server_version >= _FIRST_VERSION:
        statements.run_statement(connection, "leave_log_plain")


def _table_names(table: HubTable) -> tuple[sql.Composable, ...]:
    """Return a table and its archive, or those of an attached hub, on which the role of tasks has rights."""
    behind = table.behind
    if behind is None:
        return sql.Identifier(table.live), sql.Identifier(table.archive)
    return tuple(sql.SQL(name) for name in (behind.live, behind.archive) if name)


def switch_off_checks(connection: psycopg.Connection, tables: Sequence[HubTable]) -> bool:
    """
    Switch triggers off, and so the foreign key checks; return whether that was possible.

    Raises:
        psycopg.errors.LockNotAvailable: another session is changing the tables.
    """
    if connection.info.server_version < _FIRST_VERSION:
        return False
    hold_tables(connection, tables)
    if not statements.only_row(connection, "may_skip_checks", _catalog_values(tables))[0]:
        return False
    connection.execute("SET LOCAL session_replication_role = replica")
    return True


def switch_on_checks(connection: psycopg.Connection) -> None:
    connection.execute("SET LOCAL session_replication_role TO DEFAULT")


def _catalog_values(tables: Sequence[HubTable]) -> dict[str, list[str]]:
    """Return the tables, and the foreign keys between them that a move follows: child, its column, parent."""
    hanging = [(table.live, "msg_id", MESSAGE) for table in tables if table.live not in {MESSAGE, RESPONSE}]
    children, columns, parents = zip(*hanging, (RESPONSE, "req_id", REQUEST), strict=True)
    return {
        "live": [table.live for table in tables],
        "archives": [table.archive for table in tables],
        "children": list(children),
        "links": list(columns),
        "parents": list(parents),
    }


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


def lock_families_to_move(
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
        for msg_id, _, state, is_old in statements.run_statement(
            connection, "lock_messages", {"ids": ids, "cutoff": cutoff}
        )
    }
    unlocked = [msg_id for msg_id in ids if msg_id not in locked]
    still_live = set(statements.fetch_column(connection, "live_states", {"ids": unlocked}))
    relatives = statements.fetch_rows(connection, "relatives", {"ids": list(locked)})
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
    """Move messages that lock_families_to_move has locked, with all their rows; return rows by table."""
    if not ids:
        return Counter()
    requests = lock_requests(connection, ids, tables)
    which = choose_rows(msg_ids=format_array(ids), req_ids=format_array(requests))
    return move_rows(connection, which, tables=tables, columns=columns)


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
