"""
Processes one chunk of any job on an executor: fenced, in slices. Each slice is one transaction with its
changes, refusals, counts and audit entry. The action decides what happens to the messages.

Uses psycopg only, no Django.

Source: docs/contributing/spec/design.md, R-3, R-5, R-6; docs/contributing/spec/promises.md, I-19, I-28 to
I-33.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import psycopg
from psycopg.types.json import Jsonb

from messages_app.shared.corrections import RowsLost
from messages_app.shared.job_states import (
    ChunkContent,
    FailReason,
    JobState,
    Outcome,
    SkipReason,
    failed_outcome,
    skipped_outcome,
)
from spark_tasks.contract import Action, Chunk, Decided, Fenced, Item, JobKey, OrphanAction
from spark_tasks.database import TaskStatements
from spark_tasks.failpoints import Step, pass_failpoint

statements = TaskStatements("spark_tasks")


# Errors that a single row may cause: the row is found and refused. Any other error is a fault of the
# database. Triggers of the hub may raise an exception, or leave out a row.
_OF_A_ROW = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.errors.QueryCanceled,
    psycopg.errors.RaiseException,
    RowsLost,
)
_OF_A_LOCK = (psycopg.errors.LockNotAvailable,)


def do_slice(
    connection: psycopg.Connection,
    key: JobKey,
    chunk_no: int,
    action: Action,
    most: int | None = None,
    until: int | None = None,
) -> int | None:
    """
    Process the next slice of a chunk in one transaction.

    Args:
        most: number of messages; None: all open ones. A family is never split, so it may be more.
        until: number of rows of the chunk that may be decided in total. It is checked under the chunk's lock,
            so that a second attempt does not exceed it. None: all.

    Returns:
        The number of rows of the plan that were decided; None if the chunk was already done, 0 at `until`.

    Raises:
        Fenced: the job is no longer running under this attempt.
        psycopg.Error: nothing was changed; the slice may be retried.
    """
    with connection.transaction():
        pass_failpoint(Step.SLICE_BEGUN)
        if action.may_be_repeated:
            connection.execute("SET LOCAL synchronous_commit = off")
        hold_fence(connection, key, state=JobState.RUNNING)
        chunk = _lock_chunk(connection, key, chunk_no)
        if chunk is None:
            return None
        if until is not None and chunk.decided >= until:
            return 0
        pass_failpoint(Step.SLICE_LOCKED)
        rows = _do_slice(
            connection, key, chunk, action, _smaller_limit(most, until and until - chunk.decided)
        )
        pass_failpoint(Step.SLICE_BOOKED)
    pass_failpoint(Step.SLICE_COMMITTED)
    return rows


def _smaller_limit(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


def _do_slice(
    connection: psycopg.Connection, key: JobKey, chunk: Chunk, action: Action, most: int | None
) -> int:
    if chunk.content != ChunkContent.MESSAGES:
        if not isinstance(action, OrphanAction):
            raise TypeError(f"{type(action).__name__} cannot process a chunk of {chunk.content}.")
        outcomes, moved = action.act_on_orphans(connection, key, chunk)
        pass_failpoint(Step.SLICE_ACTED)
        _close_slice(connection, key, chunk, outcomes, Decided(moved=moved), action, through=None)
        return outcomes.total()
    items = _cut_items(chunk.items, most)
    decided = decide_items(connection, key, action, items)
    pass_failpoint(Step.SLICE_ACTED)
    if decided.refusals:
        refused = [(item, decided.refusals[item.msg_id]) for item in items if item.msg_id in decided.refusals]
        write_refusals(connection, key, refused)
    is_rest = len(items) == len(chunk.items)
    through = None if is_rest else max(item.msg_id for item in items)
    outcomes = Counter(decided.refusals.values())
    outcomes[Outcome.DONE] = len(items) - len(decided.refusals)
    _close_slice(connection, key, chunk, outcomes, decided, action, through=through)
    return len(items)


def hold_fence(connection: psycopg.Connection, key: JobKey, *, state: str) -> None:
    """
    Lock the job's attempt and state until this transaction ends.

    Raises:
        Fenced: the job has another attempt or state.
    """
    values = {"job_id": key.job_id, "attempt": key.attempt, "state": state}
    if statements.run_statement(connection, "fence", values).fetchone() is None:
        raise Fenced(f"Job {key.job_id} is no longer {state} under attempt {key.attempt}.")


def decide_items(
    connection: psycopg.Connection, key: JobKey, action: Action, items: Sequence[Item]
) -> Decided:
    """
    Process the items. If a row is refused, find it by bisection, so that only this row fails
    (docs/contributing/spec/promises.md, I-33).
    """
    if not items:
        return Decided()
    try:
        with connection.transaction():
            return action.process_items(connection, key, items)
    except (*_OF_A_ROW, *_OF_A_LOCK) as error:
        families = _group_by_family(items)
        if len(families) == 1:
            return Decided(refusals=dict.fromkeys((item.msg_id for item in items), _outcome_of(error)))
    middle = len(families) // 2
    return decide_items(connection, key, action, _flatten_families(families[:middle])) + decide_items(
        connection, key, action, _flatten_families(families[middle:])
    )


def _outcome_of(error: psycopg.Error | RowsLost) -> str:
    """Return an outcome that names the cause of a refusal: a constraint, or the kind of error."""
    if isinstance(error, RowsLost | psycopg.errors.RaiseException):
        return failed_outcome(FailReason.TRIGGER)
    if isinstance(error, _OF_A_LOCK):
        return skipped_outcome(SkipReason.LOCKED)
    if isinstance(error, psycopg.errors.QueryCanceled):
        return failed_outcome(FailReason.TOO_SLOW)
    return failed_outcome(error.diag.constraint_name or type(error).__name__)[:60]


def _group_by_family(items: Sequence[Item]) -> list[list[Item]]:
    in_order = sorted(items, key=lambda item: (item.root_msg_id, item.msg_id))
    return [list(family) for _, family in groupby(in_order, key=lambda item: item.root_msg_id)]


def _flatten_families(families: Sequence[Sequence[Item]]) -> list[Item]:
    return [item for family in families for item in family]


def _cut_items(items: Sequence[Item], most: int | None) -> Sequence[Item]:
    """Return the first `most` items; all of them if a family might be split."""
    if most is None or any(item.root_msg_id != item.msg_id for item in items):
        return items
    return items[:most]


def _lock_chunk(connection: psycopg.Connection, key: JobKey, chunk_no: int) -> Chunk | None:
    """Return the chunk, locked so that a second attempt at it waits; None if it is done."""
    values = {"job_id": key.job_id, "chunk_no": chunk_no}
    content, planned, decided, orphan_ids, through, is_done = statements.only_row(
        connection, "lock_chunk", values
    )
    if is_done:
        return None
    items: list[Item] = []
    if content == ChunkContent.MESSAGES:
        rows = statements.run_statement(connection, "chunk_items", values | {"done_through": through})
        items = [Item(*row) for row in rows.fetchall()]
    return Chunk(
        chunk_no=chunk_no,
        content=content,
        planned=planned,
        decided=decided,
        orphan_ids=orphan_ids,
        items=items,
    )


def write_refusals(connection: psycopg.Connection, key: JobKey, refused: Iterable[tuple[Item, str]]) -> None:
    """Write (item, outcome) pairs to the ledger."""
    with connection.cursor() as cursor, cursor.copy(statements.read_text("copy_refusals")) as rows:
        for item, outcome in refused:
            rows.write_row((key.job_id, item.msg_id, item.root_msg_id, item.old_state, outcome))


def _close_slice(
    connection: psycopg.Connection,
    key: JobKey,
    chunk: Chunk,
    outcomes: Counter[str],
    decided: Decided,
    action: Action,
    *,
    through: int | None,
) -> None:
    """
    Count the slice, and close the chunk with its last one. If the count differs from the plan, nothing
    commits.
    """
    counts = {
        "outcomes": {name: rows for name, rows in outcomes.items() if rows},
        "moved": {name: rows for name, rows in decided.moved.items() if rows},
    }
    total = chunk.decided + outcomes.total()
    if through is None and total != chunk.planned:
        raise Fenced(f"Chunk {chunk.chunk_no} of job {key.job_id}: {total} of {chunk.planned} are decided.")
    statements.run_statement(
        connection,
        "commit_slice",
        {
            "job_id": key.job_id,
            "chunk_no": chunk.chunk_no,
            "attempt": key.attempt,
            "done_through": through,
            "new_state": action.new_state,
            "versions": Jsonb(sorted(decided.versions)),
            **{name: Jsonb(value) for name, value in counts.items()},
        },
    )
    details = Jsonb(counts | {"chunk_no": chunk.chunk_no} | dict(decided.details))
    values = {"job_id": key.job_id, "details": details, "after_state": action.new_state or ""}
    statements.run_statement(connection, "audit_chunk", values)
