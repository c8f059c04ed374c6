"""
Erases messages from files of the Parquet archive: rewrites a part without them, in one transaction.

The new files are written next to the old ones and read back. The commit puts their names in the manifest, and
only then are the old files removed. A crash leaves either the old or the new files valid, and others that no
reader opens. Uses psycopg only, no Django.

Source: docs/contributing/spec/promises.md, S-57; docs/contributing/decisions/0017-subject-erasure.md.
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from psycopg.types.json import Jsonb
from pyspark.sql import SparkSession

from spark_tasks.database import TaskStatements, connect_to_database, init_worker
from spark_tasks.parquet.files import (
    RowFilter,
    Unreadable,
    Untrue,
    check_digest,
    groups_of_rows,
    read_columns,
    read_rows,
    write_file,
)
from spark_tasks.parquet.parts import expect_rows
from spark_tasks.parquet.restore_rows import Ids
from spark_tasks.ranges import schema_of, to_batch
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageFault
from spark_tasks.tables import MESSAGE, REQUEST, HubTable

statements = TaskStatements("spark_tasks.parquet")


_FOUND = {"part_id": "long", "table": "string", "rows": "long", "fault": "string"}
# A restore from the same part takes seconds.
_MAX_WAIT = "30s"
_MAX_TASKS = 8

# The name of a rewritten file. parts.py, which removes files that no archive job committed, does not
# match such names, because it may run at the same time.
_NAME = re.compile(r"(?P<stem>.*-chunk-\d+-[0-9a-f]+)(?:-erased-[0-9a-f]+)?\.parquet")
_REWRITTEN = re.compile(
    r"(?:.*/)?(?P<run>job-(?P<job_id>\d{1,18})-\d{8}T\d{6})-chunk-\d+-[0-9a-f]+-erased-[0-9a-f]+\.parquet(?:\.tmp)?"
)


@dataclass(frozen=True, kw_only=True)
class Erasing:
    """
    Args:
        tables: all tables that may have files, with their keys.
        actor, reason: for the audit log.
        subject: the digest that represents the subject's key.
        dry_run: only count.
    """

    storage: Storage
    tables: tuple[HubTable, ...]
    actor: str
    reason: str
    subject: str
    dry_run: bool


@dataclass(frozen=True, kw_only=True)
class _File:
    file_id: int
    table: str
    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class ErasedRows:
    """Rows of a table that were or would be erased from a part; or the reason why a part stays unchanged."""

    part_id: int
    table: str
    rows: int
    fault: str


def erase_from_parts(
    spark: SparkSession, *, dsn: str, erasing: Erasing, parts: Sequence[tuple[int, Sequence[int]]]
) -> list[ErasedRows]:
    """
    Erase messages from parts, some parts on each executor, and return the erased rows.

    Args:
        parts: (part, ids of messages that it may contain).
    """
    chosen = [(part_id, list(ids)) for part_id, ids in parts]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        with connect_to_database(dsn) as connection:
            for batch in batches:
                for index in batch.column(0).to_pylist():
                    yield to_batch(list(_outcomes_of_part(connection, erasing, *chosen[index])), _FOUND)

    tasks = min(len(chosen), _MAX_TASKS)
    rows = spark.range(0, len(chosen), 1, tasks).mapInArrow(work, schema_of(_FOUND)).collect()
    return [ErasedRows(**row.asDict()) for row in rows]


def _outcomes_of_part(
    connection: psycopg.Connection, erasing: Erasing, part_id: int, msg_ids: Sequence[int]
) -> Iterator[tuple[int, str, int, str]]:
    try:
        counts, replaced = erase_from_part(connection, erasing, part_id, msg_ids)
        for table, rows in counts.items():
            yield part_id, table, rows, ""
        for reason in erasing.storage.remove_each(replaced).values():
            yield part_id, "", 0, f"it is erased from the archive, but {reason} Remove that file after this"
    except psycopg.errors.LockNotAvailable:
        yield part_id, "", 0, "messages of its file are locked: run this again"
    except StorageFault as error:
        yield part_id, "", 0, f"{error} Run this again when the storage can be used"
    except (Unreadable, Untrue) as error:
        yield part_id, "", 0, f"{error} Bring it back from a backup, then run this again"


def erase_from_part(
    connection: psycopg.Connection, erasing: Erasing, part_id: int, msg_ids: Collection[int]
) -> tuple[Counter[str], list[str]]:
    """
    Erase messages from one part; return the rows by table, and the files to remove, which have new versions.

    Messages of an active job stay.

    Raises:
        Unreadable: a file is missing or damaged.
        Untrue: a file was not written correctly.
        psycopg.errors.LockNotAvailable: another session holds messages of the part.
    """
    rows: Counter[str] = Counter()
    with connection.transaction() as transaction:
        statements.run_statement(connection, "allow_writing")
        connection.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
        files = _files_of_part(connection, part_id)
        going, in_part = _lock_messages(connection, erasing, part_id, files, msg_ids)
        if not going:
            return rows, []
        ids = Ids(messages=going, requests=_requests_of_messages(erasing.storage, files, going))
        replaced = []
        for file in files.values():
            rows[file.table] = _rewrite_file(connection, erasing, file, ids.filter_of(file.table))
            replaced += [file.path] if rows[file.table] else []
        _forget_messages(connection, part_id, going, in_part)
        _record_erasure(connection, erasing, rows)
        if erasing.dry_run:
            raise psycopg.Rollback(transaction)
    return +rows, [] if erasing.dry_run else replaced


def _files_of_part(connection: psycopg.Connection, part_id: int) -> dict[str, _File]:
    names = ("file_id", "table", "path", "sha256", "rows")
    rows = statements.run_statement(connection, "part_files", {"part_id": part_id})
    files = [_File(**dict(zip(names, row, strict=True))) for row in rows]
    return {file.table: file for file in files}


def _lock_messages(
    connection: psycopg.Connection,
    erasing: Erasing,
    part_id: int,
    files: dict[str, _File],
    msg_ids: Collection[int],
) -> tuple[set[int], int]:
    """Lock the part's messages; return the ones to erase, and the number of them not restored before."""
    if MESSAGE not in files:
        return set(), 0
    for file in files.values():
        check_digest(erasing.storage, file.path, file.sha256)
    msg_ids_of_part = _values_of_column(erasing.storage, files[MESSAGE], "msg_id", lambda _: True)
    values = {"ids": msg_ids_of_part, "part_id": part_id}
    jobs: dict[int, int | None] = dict(statements.fetch_rows(connection, "hold_part", values))
    going = {msg_id for msg_id in set(msg_ids_of_part) & set(msg_ids) if jobs.get(msg_id) is None}
    return going, len(going & jobs.keys())


def _requests_of_messages(storage: Storage, files: dict[str, _File], messages: Collection[int]) -> set[int]:
    if REQUEST not in files:
        return set()
    of_messages = RowFilter(("msg_id",), lambda msg_id: msg_id in messages)
    return {row[0] for row in read_rows(storage, files[REQUEST].path, rows=of_messages, names=["req_id"])}


def _values_of_column(storage: Storage, file: _File, name: str, is_met: Callable[[int], bool]) -> list[int]:
    return [row[0] for row in read_rows(storage, file.path, rows=RowFilter((name,), is_met), names=[name])]


def _rewrite_file(connection: psycopg.Connection, erasing: Erasing, file: _File, going: RowFilter) -> int:
    """Rewrite a file without the wanted rows, and return their number; 0: the file stays."""
    key = next(table.key for table in erasing.tables if table.live == file.table)
    gone = sum(1 for _ in read_rows(erasing.storage, file.path, rows=going, names=[key]))
    if not gone or erasing.dry_run:
        return gone
    staying = RowFilter(going.columns, lambda *values: not going.is_met(*values))
    columns = read_columns(erasing.storage, file.path)
    written = write_file(
        erasing.storage,
        _new_path(file.path),
        columns=columns,
        key=key,
        groups=groups_of_rows(read_rows(erasing.storage, file.path, rows=staying), columns),
    )
    keys = written.keys if written else []
    if len(keys) + gone != file.rows:
        raise Untrue(f"{file.path} has {file.rows} rows; {gone} should be erased and {len(keys)} kept.")
    values = {"file_id": file.file_id, "old_path": file.path}
    if written:
        bounds = {"rows": len(keys), "first_id": min(keys), "last_id": max(keys)}
        values |= bounds | {"path": written.path, "bytes": written.bytes, "sha256": written.sha256}
    expect_rows(
        statements.run_statement(connection, "replace_file" if written else "forget_file", values).rowcount,
        1,
    )
    return gone


def _new_path(path: str) -> str:
    return f"{_stem_of_path(path)}-erased-{secrets.token_hex(4)}.parquet"


def _forget_messages(
    connection: psycopg.Connection, part_id: int, going: Collection[int], in_part: int
) -> None:
    values = {"ids": sorted(going), "part_id": part_id}
    expect_rows(statements.run_statement(connection, "forget_erased", values).rowcount, in_part)
    counts = {"part_id": part_id, "erased": len(going), "restored": len(going) - in_part}
    expect_rows(statements.run_statement(connection, "count_erased", counts).rowcount, 1)


def _record_erasure(connection: psycopg.Connection, erasing: Erasing, rows: Counter[str]) -> None:
    details = {"subject": erasing.subject, "rows": {f"cold_{table}": count for table, count in rows.items()}}
    values = {"actor": erasing.actor, "reason": erasing.reason, "details": Jsonb(details)}
    statements.run_statement(connection, "audit_erased", values)


def rewritten_jobs(storage: Storage) -> set[int]:
    """Return the ids of the jobs in the names of rewritten files."""
    matches = (_REWRITTEN.fullmatch(path) for path in storage.list_paths())
    return {int(match["job_id"]) for match in matches if match}


def sweep_rewritten(connection: psycopg.Connection, storage: Storage, *, runs: Collection[str]) -> list[str]:
    """
    Remove rewritten files of a process that died before its commit, and return their paths.

    Call it only while no erasure can run. If the manifest names another file of the same rows that is
    missing, as after a restore of only the database, the rewritten file may be the last copy and stays.

    Args:
        runs: the prefixes of the names of this installation's job files (parts.run_name).
    """
    paths = set(storage.list_paths())
    matches = {path: match for path in paths if (match := _REWRITTEN.fullmatch(path))}
    candidates = {path for path, match in matches.items() if match["run"] in set(runs)}
    values = {"job_ids": [int(matches[path]["job_id"]) for path in candidates]}
    in_manifest = set(statements.fetch_column(connection, "paths_of_jobs", values))
    missing = {_stem_of_path(path) for path in in_manifest - paths}
    leftovers = sorted(path for path in candidates - in_manifest if _stem_of_path(path) not in missing)
    reasons = storage.remove_each(leftovers)
    return [path for path in leftovers if path not in reasons]


def _stem_of_path(path: str) -> str:
    """Return the common beginning of the names of all files written from the same rows."""
    match = _NAME.fullmatch(path.removesuffix(".tmp"))
    return match["stem"] if match else path.removesuffix(".parquet")
