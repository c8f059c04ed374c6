"""
Reads the Parquet archive for the oracle, without the product's own reader: into a temporary table for each of
the hub's.

Only what counts is read: files of the manifest, and of these the rows of messages and orphans that are still
in the archive.
"""

import datetime as dt
import json
from collections.abc import Collection, Iterator

import pyarrow as pa
from pyarrow import parquet

from messages_app.messages.parquet_archive.place import archive_storage

PREFIX = "parquet_"

_MANIFEST = """
SELECT part.part_id, part.content, part.restored_ids, file.table_name, file.path
  FROM cold_part AS part JOIN cold_file AS file USING (part_id)
"""


def make_tables(cursor, tables: Collection[str]) -> None:
    """Make an empty temporary table for each hub table, with its columns as they are now."""
    for table in tables:
        cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{PREFIX}{table}")
        cursor.execute(f"CREATE TEMP TABLE {PREFIX}{table} (LIKE {table})")


def load(cursor) -> None:
    """Fill the temporary tables with what the archive holds in files, as the cursor's snapshot knows it."""
    cursor.execute("SELECT part_id, array_agg(msg_id) FROM cold_message GROUP BY part_id")
    messages = {part_id: set(found) for part_id, found in cursor}
    cursor.execute(_MANIFEST)
    parts: dict[int, dict] = {}
    for part_id, content, restored, table, path in cursor.fetchall():
        part = parts.setdefault(part_id, {"content": content, "restored": _ids(restored), "files": {}})
        part["files"][table] = path
    for part_id, part in parts.items():
        for table, rows in counting(part, messages.get(part_id, set())):
            _insert(cursor, table, rows)


def counting(part: dict, messages: Collection[int]) -> Iterator[tuple[str, list[dict]]]:
    """
    Yield (table, rows) of a part: the ones that belong to one of the messages, or to orphans not restored.
    """
    files = {table: _read(path) for table, path in part["files"].items()}
    gone = part["restored"]
    requests = files.pop("request", [])
    if part["content"] == "orphan_requests":
        requests = [row for row in requests if row["req_id"] not in gone]
    else:
        requests = [row for row in requests if row["msg_id"] in messages]
    yield "request", requests
    keys = {row["req_id"] for row in requests}
    responses = files.pop("response", [])
    yield "response", [row for row in responses if _counts(row, part["content"], keys, messages, gone)]
    for table, rows in files.items():
        yield table, [row for row in rows if row["msg_id"] in messages]


def _counts(row: dict, content: str, requests: Collection[int], messages: Collection[int], gone) -> bool:
    if row["req_id"] is not None:
        return row["req_id"] in requests
    if content == "orphan_responses":
        return row["res_id"] not in gone
    return row["msg_id"] in messages


def _ids(found: str | list[int]) -> set[int]:
    return set(json.loads(found) if isinstance(found, str) else found)


def _read(path: str) -> list[dict]:
    with archive_storage().open_to_read(path) as file:
        table: pa.Table = parquet.read_table(file)
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            values = [_time(value) for value in table.column(place).cast(pa.int64()).to_pylist()]
            table = table.set_column(place, field.name, pa.array(values, pa.string()))
    return table.to_pylist()


def _time(micros: int | None) -> str | None:
    """Write a time as PostgreSQL reads it: the largest and smallest whole numbers are the infinities."""
    if micros is None or abs(micros) >= 2**63 - 1:
        return {None: None, 2**63 - 1: "infinity", -(2**63): "-infinity"}[micros]
    return str(dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=micros))


def _insert(cursor, table: str, rows: list[dict]) -> None:
    for row in rows:
        names = ", ".join(row)
        marks = ", ".join(["%s"] * len(row))
        cursor.execute(f"INSERT INTO {PREFIX}{table} ({names}) VALUES ({marks})", list(row.values()))
