"""
One part of the Parquet archive: the rows of whole families of one month, in one file for each table.

Everything happens in the caller's transaction: rows are locked and copied out, each file is read back and
compared, the manifest names the files, and only then are the rows deleted. Files that a crash left are in no
manifest: readers never open them, and a sweep removes them. Uses psycopg only, no Django.

Source: docs/contributing/spec/design.md, "Spark".
"""

import datetime as dt
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from messages_app.shared.job_states import ChunkContent
from spark_tasks.database import TaskStatements, format_array
from spark_tasks.parquet.column_types import Column
from spark_tasks.parquet.files import Copied, Written, groups_of_copied, write_file
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import MESSAGE, HubTable

statements = TaskStatements("spark_tasks.parquet")

COLD_MESSAGE = "cold_message"


TableColumns = Mapping[str, Sequence[Column]]


@dataclass(frozen=True, kw_only=True)
class PartKey:
    """
    The identity of a part.

    Args:
        run: identifies the job in paths, across all installations: see run_name.
        month: its first day.
    """

    job_id: int
    run: str
    chunk_no: int
    content: str
    month: dt.date

    def make_path(self, table: HubTable) -> str:
        """Return a path that no other transaction uses, even one that should have ended and has not."""
        name = f"{self.run}-chunk-{self.chunk_no}-{secrets.token_hex(4)}.parquet"
        return f"{table.live}/month={self.month.isoformat()[:7]}/{name}"


def run_name(job_id: int, created_at: dt.datetime) -> str:
    """Return the prefix of the names of a job's files."""
    return f"job-{job_id}-{created_at.astimezone(dt.UTC):%Y%m%dT%H%M%S}"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Ids of rows that this transaction holds and archives, with all their dependent rows."""

    msg_ids: Sequence[int] = ()
    req_ids: Sequence[int] = ()
    res_ids: Sequence[int] = ()

    @property
    def parameters(self) -> dict[str, str]:
        return {name: format_array(getattr(self, name)) for name in ("msg_ids", "req_ids", "res_ids")}


def held_columns(connection: psycopg.Connection, tables: Sequence[HubTable]) -> dict[str, list[Column]]:
    """Return the columns of each live table, locked until the transaction ends."""
    names = [table.live for table in tables]
    lock = sql.SQL(statements.read_text("lock_tables")).format(
        tables=sql.SQL(", ").join(map(sql.Identifier, names))
    )
    connection.execute(lock)
    statements.run_statement(connection, "allow_writing")
    columns: dict[str, list[Column]] = {name: [] for name in names}
    for table, name, kind in statements.run_statement(connection, "columns", {"tables": names}):
        columns[table].append(Column(name, kind))
    return columns


def archive_part(
    connection: psycopg.Connection,
    storage: Storage,
    key: PartKey,
    *,
    tables: Sequence[HubTable],
    columns: TableColumns,
    chosen: Chosen,
) -> tuple[Counter[str], list[str]]:
    """
    Archive the chosen rows; return the number of rows by live table, and the paths of the files.

    Raises:
        files.Untrue: a file reads back differently.
        psycopg.errors.SerializationFailure: the rows to delete are not the copied ones.
        psycopg.errors.DiskFull, OSError: a file could not be written.
    """
    files = {}
    for table in tables:
        of_table = columns[table.live]
        with _copied_rows(connection, table, of_table, chosen) as rows:
            groups = groups_of_copied(rows, of_table)
            written = write_file(
                storage, key.make_path(table), columns=of_table, key=table.key, groups=groups
            )
        if written:
            files[table.live] = written
    part_id = _write_manifest(connection, key, files, chosen)
    if chosen.msg_ids:
        _write_messages(connection, part_id, columns[MESSAGE], chosen.msg_ids)
    for table in tables:
        if table.live in files:
            _delete_copied(connection, table, files[table.live].keys)
    moved = Counter({name: len(written.keys) for name, written in files.items()})
    return moved, [written.path for written in files.values()]


@contextmanager
def _copied_rows(
    connection: psycopg.Connection, table: HubTable, columns: Sequence[Column], chosen: Chosen
) -> Iterator[Iterable[Copied]]:
    """Yield the chosen rows while they come from the connection: memory is bounded by the largest one."""
    query = sql.SQL(statements.read_text("copy_out")).format(
        columns=sql.SQL(", ").join(column.expression for column in columns),
        live=sql.Identifier(table.live),
        chosen=sql.SQL(table.chosen),
    )
    with connection.cursor() as cursor, cursor.copy(query, chosen.parameters) as rows:
        yield rows


def _write_manifest(
    connection: psycopg.Connection, key: PartKey, files: Mapping[str, Written], chosen: Chosen
) -> int:
    """Write the contents and the files of a part to the manifest, and return the part's id."""
    heads = {
        ChunkContent.MESSAGES: chosen.msg_ids,
        ChunkContent.ORPHAN_REQUESTS: chosen.req_ids,
        ChunkContent.ORPHAN_RESPONSES: chosen.res_ids,
    }[ChunkContent(key.content)]
    values = {
        "job_id": key.job_id,
        "chunk_no": key.chunk_no,
        "content": key.content,
        "month": key.month,
        "kept": len(heads),
    }
    part_id: int = statements.only_row(connection, "write_part", values)[0]
    for table_name, written in files.items():
        _write_file_row(connection, part_id, table_name, written)
    return part_id


def _write_messages(
    connection: psycopg.Connection, part_id: int, columns: Sequence[Column], msg_ids: Sequence[int]
) -> None:
    """Write for each message its part, and the columns by which lists find it."""
    names = {
        name for _, name, _ in statements.run_statement(connection, "columns", {"tables": [COLD_MESSAGE]})
    }
    query = sql.SQL(statements.read_text("write_messages")).format(
        columns=sql.SQL(", ").join(sql.Identifier(one.name) for one in columns if one.name in names)
    )
    written = connection.execute(query, {"ids": list(msg_ids), "part_id": part_id}).rowcount
    expect_rows(written, len(msg_ids))


def _write_file_row(connection: psycopg.Connection, part_id: int, table_name: str, written: Written) -> None:
    statements.run_statement(
        connection,
        "write_file",
        {
            "part_id": part_id,
            "table_name": table_name,
            "path": written.path,
            "rows": len(written.keys),
            "first_id": min(written.keys),
            "last_id": max(written.keys),
            "bytes": written.bytes,
            "sha256": written.sha256,
        },
    )


def _delete_copied(connection: psycopg.Connection, table: HubTable, keys: Sequence[int]) -> None:
    query = sql.SQL(statements.read_text("delete_copied")).format(
        live=sql.Identifier(table.live), key=sql.Identifier(table.key)
    )
    expect_rows(connection.execute(query, {"keys": list(keys)}).rowcount, len(keys))


def expect_rows(count: int, expected: int) -> None:
    """Raise an error that undoes the transaction if a statement changed another number of rows."""
    if count != expected:
        raise psycopg.errors.SerializationFailure(f"{count} rows where {expected} are locked.")


_RUN = re.compile(
    r"(?:.*/)?(?P<run>job-(?P<job_id>\d{1,18})-\d{8}T\d{6})-chunk-\d+-[0-9a-f]+\.parquet(?:\.tmp)?"
)


def sweep_leftovers(
    connection: psycopg.Connection, storage: Storage, *, ended: Iterable[tuple[int, dt.datetime]]
) -> list[str]:
    """
    Remove leftover files of ended jobs, and return their paths. Files that a lock of the storage keeps stay.

    Args:
        ended: (job id, created at) of jobs that no longer write. Files of other jobs, and of other
            installations that share the folder, are not touched.
    """
    runs = {run_name(job_id, created_at) for job_id, created_at in ended}
    candidates = [path for path in storage.list_paths() if _is_of(path, runs)]
    in_manifest = set(statements.fetch_column(connection, "known_paths", {"paths": candidates}))
    leftovers = [path for path in candidates if path not in in_manifest]
    reasons = storage.remove_each(leftovers)
    return [path for path in leftovers if path not in reasons]


def job_ids(storage: Storage) -> set[int]:
    """Return the ids of the jobs in the names of files."""
    matches = (_RUN.fullmatch(path) for path in storage.list_paths())
    return {int(match["job_id"]) for match in matches if match}


def _is_of(path: str, runs: Collection[str]) -> bool:
    match = _RUN.fullmatch(path)
    return match is not None and match["run"] in runs
