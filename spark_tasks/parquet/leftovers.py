"""
Files that a crash left in the archive: whole or half, and in no manifest. No reader ever checks them.

Source: docs/spec/design.md, "Spark" ("Readers trust only files in the manifest").
"""

import datetime as dt
import re
from collections.abc import Collection, Iterable

import psycopg

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.parquet.parts import run_name
from spark_tasks.parquet.storage import Storage

statements = SqlFiles("spark_tasks.parquet")


_RUN = re.compile(
    r"(?:.*/)?(?P<run>job-(?P<job_id>\d{1,18})-\d{8}T\d{6})-chunk-\d+-[0-9a-f]+\.parquet(?:\.tmp)?"
)


def sweep_leftovers(
    connection: psycopg.Connection, storage: Storage, *, ended: Iterable[tuple[int, dt.datetime]]
) -> list[str]:
    """
    Remove the leftovers of jobs, and return their paths.

    Args:
        ended: (job id, created at) of jobs that write no more. Files of others, and of other installations
            that share the folder, are left alone.
    """
    runs = {run_name(job_id, created_at) for job_id, created_at in ended}
    candidates = [path for path in storage.paths() if _is_of(path, runs)]
    known = {row[0] for row in connection.execute(statements.text("known_paths"), {"paths": candidates})}
    leftovers = [path for path in candidates if path not in known]
    for path in leftovers:
        storage.remove(path)
    return leftovers


def job_ids(storage: Storage) -> set[int]:
    """Return the ids of the jobs that files are named after."""
    found = (_RUN.fullmatch(path) for path in storage.paths())
    return {int(match["job_id"]) for match in found if match}


def _is_of(path: str, runs: Collection[str]) -> bool:
    match = _RUN.fullmatch(path)
    return match is not None and match["run"] in runs
