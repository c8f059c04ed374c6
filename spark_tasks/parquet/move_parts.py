"""
Moves parts of the Parquet archive from a former storage to another one while the console runs.

A part is locked as for a rewrite or a restore. Its files are copied and read back from the new storage, and
only then removed from the former one, so a process that dies leaves each file complete in one of them. Uses
psycopg only, no Django.

Source: docs/howto/object_store.md, "Move an archive".
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_tasks.database import TaskStatements, connect_to_database, init_worker
from spark_tasks.parquet.files import Unreadable, check_digest
from spark_tasks.ranges import schema_of, to_batch
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageFault

statements = TaskStatements("spark_tasks.parquet")

_MOVED = {"files": "long", "bytes": "long", "fault": "string"}
_MAX_WAIT = "30s"
_MAX_TASKS = 8
_PIECE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class MovedFiles:
    """Files of one part that were moved, or the reason why some of them stay in the former storage."""

    files: int
    bytes: int
    fault: str


def move_parts(
    spark: SparkSession, *, dsn: str, new: Storage, former: Storage, parts: Sequence[int]
) -> list[MovedFiles]:
    """Move the files of parts, some parts on each executor."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        with connect_to_database(dsn) as connection:
            for batch in batches:
                for index in batch.column(0).to_pylist():
                    yield to_batch([_move_part(connection, new, former, parts[index])], _MOVED)

    tasks = min(len(parts), _MAX_TASKS)
    rows = spark.range(0, len(parts), 1, tasks).mapInArrow(work, schema_of(_MOVED)).collect()
    return [MovedFiles(**row.asDict()) for row in rows]


def _move_part(
    connection: psycopg.Connection, new: Storage, former: Storage, part_id: int
) -> tuple[int, int, str]:
    moved: list[int] = []
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
            files = list(statements.run_statement(connection, "part_files", {"part_id": part_id}))
            for _, _, path, sha256, _ in files:
                moved += _copy_file(new, former, path, sha256)
        for _, _, path, _, _ in files:
            _remove_former(former, path)
    except psycopg.errors.LockNotAvailable:
        return len(moved), sum(moved), f"part {part_id} is in use"
    except (StorageFault, Unreadable) as error:
        return len(moved), sum(moved), str(error)
    return len(moved), sum(moved), ""


def _copy_file(new: Storage, former: Storage, path: str, sha256: str) -> list[int]:
    """Copy a file unless the new storage has it; return the bytes of a copied one, which was read back."""
    if _is_complete(new, path, sha256):
        return []
    try:
        with former.open_to_read(path) as source, new.open_to_write(path) as target:
            shutil.copyfileobj(source, target, _PIECE)
            size = target.tell()
    except FileNotFoundError as error:
        raise Unreadable(f"The archive's file {path} is missing in both storages.") from error
    check_digest(new, path, sha256)
    return [size]


def _is_complete(storage: Storage, path: str, sha256: str) -> bool:
    try:
        check_digest(storage, path, sha256)
    except Unreadable:
        return False
    return True


def _remove_former(former: Storage, path: str) -> None:
    try:
        former.remove(path)
    except FileNotFoundError:
        return
