"""
What one executor does to one chunk of an archive job, in one transaction: psycopg only, no Django.

Source: DESIGN.md rules 5 to 8; spec/cleverbus.md 8.1, 8.2 (the defects that must not happen here).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from messages_app.jobs.states import ChunkContent, JobState, Outcome, SkipReason, failed, skipped
from spark_tasks.families import judge_families
from spark_tasks.sql import statement
from spark_tasks.tables import HUB_TABLES, HubTable


class Fenced(Exception):
    """The job has another attempt, or was stopped: this one may commit nothing more."""


class ColumnsDiffer(Exception):
    """A live table and its archive do not have the same columns; nothing was moved."""


@dataclass(frozen=True, kw_only=True)
class ChunkWork:
    """
    What a task needs to know to do chunks of a job.

    Args:
        columns: column names by live table, the same in its archive.
        cutoff: only what is older moves; ISO 8601 with offset.
        final_states: the states in which a message is done with.
    """

    dsn: str
    job_id: int
    attempt: int
    cutoff: str
    final_states: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Ids of rows that this transaction has locked and will move, with all that hangs on them."""

    msg_ids: Sequence[int] = ()
    req_ids: Sequence[int] = ()
    res_ids: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True)
class ChunkResult:
    """Rows of the plan by outcome, and rows moved by live table."""

    outcomes: dict[str, int]
    moved: Counter[str]


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


def archive_chunk(connection: psycopg.Connection, work: ChunkWork, chunk_no: int) -> ChunkResult | None:
    """
    Move one chunk in one transaction; None when it was done before.

    Raises:
        Fenced: the job is no longer running under this attempt.
        psycopg.Error: nothing was changed; the chunk may be tried again.
    """
    key = {"job_id": work.job_id, "chunk_no": chunk_no}
    with connection.transaction():
        # A crash of the server may undo the last chunks, rows and ledger together: they are done again.
        connection.execute("SET LOCAL synchronous_commit = off")
        hold_fence(connection, work, state=JobState.RUNNING)
        content, orphan_ids, is_done = connection.execute(statement("lock_chunk"), key).fetchone()
        if is_done:
            return None
        if content == ChunkContent.MESSAGES:
            result = _archive_messages(connection, work, chunk_no)
        else:
            result = _archive_orphans(connection, work, content, orphan_ids)
        _close_chunk(connection, work, key, result)
    return result


def hold_fence(connection: psycopg.Connection, work: ChunkWork, *, state: str) -> None:
    """
    Keep the job's attempt as it is until this transaction ends.

    Raises:
        Fenced: the job has another attempt or state.
    """
    key = {"job_id": work.job_id, "attempt": work.attempt, "state": state}
    if connection.execute(statement("fence"), key).fetchone() is None:
        raise Fenced(f"Job {work.job_id} is no longer {state} under attempt {work.attempt}.")


def _archive_messages(connection: psycopg.Connection, work: ChunkWork, chunk_no: int) -> ChunkResult:
    key = {"job_id": work.job_id, "chunk_no": chunk_no}
    roots = dict(connection.execute(statement("chunk_items"), key).fetchall())
    reasons = _reasons_to_stay(connection, work, roots)
    families: dict[int, list[int]] = {}
    for msg_id, root in roots.items():
        if msg_id not in reasons:
            families.setdefault(root, []).append(msg_id)
    moved, failures = _move_families(connection, work, list(families.values()))
    outcomes = {msg_id: skipped(reason) for msg_id, reason in reasons.items()}
    for family in families.values():
        outcomes |= {msg_id: failures.get(msg_id, Outcome.DONE) for msg_id in family}
    _write_outcomes(connection, work, outcomes)
    counted = dict(connection.execute(statement("count_outcomes"), key).fetchall())
    return ChunkResult(outcomes=counted, moved=moved)


def _reasons_to_stay(
    connection: psycopg.Connection, work: ChunkWork, roots: dict[int, int]
) -> dict[int, str]:
    """Lock the chunk's messages, look at them and their relatives again, and say which stay and why."""
    ids = list(roots)
    locked = {
        msg_id: (state, is_old)
        for msg_id, _, state, is_old in connection.execute(
            statement("lock_messages"), {"ids": ids, "cutoff": work.cutoff}
        )
    }
    unlocked = [msg_id for msg_id in ids if msg_id not in locked]
    still_live = {row[0] for row in connection.execute(statement("live_states"), {"ids": unlocked})}
    relatives = connection.execute(statement("relatives"), {"ids": list(locked)}).fetchall()
    return judge_families(
        roots=roots,
        locked=locked,
        still_live=still_live,
        relatives=relatives,
        final_states=work.final_states,
    )


def _move_families(
    connection: psycopg.Connection, work: ChunkWork, families: list[list[int]]
) -> tuple[Counter[str], dict[int, str]]:
    """
    Move all families at once or, when a row of one is refused, one by one: a poison row fails alone.

    Returns:
        Rows moved by table, and the outcome of each message that failed.
    """
    everyone = [msg_id for family in families for msg_id in family]
    try:
        return _move_messages(connection, work, everyone), {}
    except (psycopg.DataError, psycopg.IntegrityError):
        moved: Counter[str] = Counter()
        failures: dict[int, str] = {}
        for family in families:
            try:
                moved += _move_messages(connection, work, family)
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                failures |= dict.fromkeys(family, _failure(error))
        return moved, failures


def _failure(error: psycopg.Error) -> str:
    """Return an outcome that names what refused the row: a constraint, or the kind of error."""
    return failed(error.diag.constraint_name or type(error).__name__)[:60]


def _move_messages(connection: psycopg.Connection, work: ChunkWork, ids: list[int]) -> Counter[str]:
    """Move the messages with all that is theirs, in a savepoint."""
    if not ids:
        return Counter()
    with connection.transaction():
        requests = connection.execute(statement("lock_requests_of_messages"), {"ids": ids}).fetchall()
        return _move_rows(connection, work, Chosen(msg_ids=ids, req_ids=[row[0] for row in requests]))


def _move_rows(connection: psycopg.Connection, work: ChunkWork, chosen: Chosen) -> Counter[str]:
    params = {
        "msg_ids": list(chosen.msg_ids),
        "req_ids": list(chosen.req_ids),
        "res_ids": list(chosen.res_ids),
    }
    return Counter(
        {
            table.live: connection.execute(_move_statement(table, work.columns[table.live]), params).rowcount
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


def _archive_orphans(
    connection: psycopg.Connection, work: ChunkWork, content: str, ids: list[int]
) -> ChunkResult:
    """Move requests or responses that no message owns; those that found an owner meanwhile stay."""
    locked = [
        row[0]
        for row in connection.execute(statement(f"lock_{content}"), {"ids": ids, "cutoff": work.cutoff})
    ]
    is_request = content == ChunkContent.ORPHAN_REQUESTS
    chosen = Chosen(req_ids=locked) if is_request else Chosen(res_ids=locked)
    moved = _move_rows(connection, work, chosen)
    outcomes = {Outcome.DONE: len(locked), skipped(SkipReason.MOVED_ON): len(ids) - len(locked)}
    return ChunkResult(outcomes=outcomes, moved=moved)


def _write_outcomes(connection: psycopg.Connection, work: ChunkWork, outcomes: dict[int, str]) -> None:
    """Write the ledger; the count must be that of the items, or the transaction fails."""
    written = connection.execute(
        statement("write_outcomes"),
        {
            "job_id": work.job_id,
            "ids": list(outcomes),
            "outcomes": list(outcomes.values()),
            "new_states": [None] * len(outcomes),
        },
    ).rowcount
    if written != len(outcomes):
        raise Fenced(f"{written} of {len(outcomes)} items of job {work.job_id} were still open.")


def _close_chunk(
    connection: psycopg.Connection, work: ChunkWork, key: dict[str, int], result: ChunkResult
) -> None:
    counts = {
        "outcomes": {outcome: rows for outcome, rows in result.outcomes.items() if rows},
        "moved": {table: rows for table, rows in result.moved.items() if rows},
    }
    connection.execute(
        statement("commit_chunk"),
        key | {"attempt": work.attempt} | {name: Jsonb(value) for name, value in counts.items()},
    )
    details = Jsonb(counts | {"chunk_no": key["chunk_no"]})
    connection.execute(statement("audit_chunk"), {"job_id": work.job_id, "details": details})
