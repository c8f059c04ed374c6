"""
Which messages of a plan other active jobs have: of two jobs, the one that wrote first keeps a message
(docs/spec/promises.md, I-32).

Parts of one plan have no message in common, so they may be written at the same time as long as no other job
is about. Where one is, its parts and ours take turns: else two could take a message and neither see it.
"""

from collections.abc import Sequence

import psycopg

from messages_app.shared.job_states import ACTIVE_STATES
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import JobKey

statements = SqlFiles("spark_tasks")


# A part of a plan takes seconds to write, and others may be before us.
_LONGEST_WAIT = "100s"


def taken_by_others(connection: psycopg.Connection, key: JobKey, ids: Sequence[int]) -> set[int]:
    """
    Return those of the messages that other active jobs have; who asks must write until the transaction ends.

    Raises:
        psycopg.errors.LockNotAvailable: other jobs' plans took too long to write.
    """
    if is_alone(connection, key):
        return set()
    connection.execute(statements.text("lock_plans"))
    jobs = _other_jobs(connection, key)
    if not jobs:
        return set()
    values = {"job_ids": jobs, "ids": list(ids)}
    return {row[0] for row in connection.execute(statements.text("items_of_jobs"), values)}


def is_alone(connection: psycopg.Connection, key: JobKey) -> bool:
    """
    Return whether there is no other job; our lock keeps parts of later ones out until the transaction ends.

    A later job knows of ours from its beginning, and so asks for the lock that waits for us.

    Raises:
        psycopg.errors.LockNotAvailable: other jobs' plans took too long to write.
    """
    connection.execute(f"SET LOCAL lock_timeout = '{_LONGEST_WAIT}'")
    with connection.transaction() as attempt:
        connection.execute(statements.text("lock_plans_together"))
        if not _other_jobs(connection, key):
            return True
        raise psycopg.Rollback(attempt)  # gives the lock back
    return False


def _other_jobs(connection: psycopg.Connection, key: JobKey) -> list[int]:
    values = {
        "job_id": key.job_id,
        "active_states": sorted(ACTIVE_STATES),
        "rivals": list(key.rivals),
    }
    return [row[0] for row in connection.execute(statements.text("other_active_jobs"), values)]
