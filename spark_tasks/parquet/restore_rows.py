"""
Restores rows of a part of the Parquet archive to the live tables, in the caller's transaction.

Uses psycopg only, no Django. A file is used only if it has the SHA-256 of the manifest.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from messages_app.shared.hub_names import base_name
from messages_app.shared.job_states import FailReason
from spark_tasks.database import TaskStatements
from spark_tasks.parquet.column_types import Column, as_copied, as_text
from spark_tasks.parquet.files import (
    RowFilter,
    Unreadable,
    check_digest,
    read_columns,
    read_groups,
    read_rows,
    with_one_of,
)
from spark_tasks.parquet.parts import TableColumns
from spark_tasks.storage.addresses import Storage
from spark_tasks.tables import EXTERNAL_CALL, REQUEST, RESPONSE, Behind, HubTable
from spark_tasks.views import column_types

statements = TaskStatements("spark_tasks.parquet")

# Rows of a file that one statement inserts into a table of an attached hub.
_INSERTED_TOGETHER = 500


@dataclass(frozen=True, kw_only=True)
class PartFile:
    """A file of the manifest."""

    path: str
    sha256: str


# The files of a part, by live table.
PartFiles = Mapping[str, PartFile]


@dataclass(kw_only=True)
class Ids:
    """The wanted rows of a part: rows of messages, or orphan requests or responses."""

    messages: Collection[int] = ()
    requests: Collection[int] = ()
    responses: Collection[int] = ()

    def filter_of(self, table: str) -> RowFilter:
        """Return the filter for one table, equivalent to the SQL of tables.HubTable.chosen."""
        if table == REQUEST:
            return RowFilter(("msg_id", "req_id"), self._is_of_request)
        if table == RESPONSE:
            return RowFilter(("msg_id", "req_id", "res_id"), self._is_of_response)
        return with_one_of("msg_id", self.messages)

    def _is_of_request(self, msg_id: int | None, req_id: int) -> bool:
        return msg_id in self.messages or req_id in self.requests

    def _is_of_response(self, msg_id: int | None, req_id: int | None, res_id: int) -> bool:
        is_unpaired = req_id is None and msg_id in self.messages
        return is_unpaired or req_id in self.requests or res_id in self.responses


def lock_messages_by_part(connection: psycopg.Connection, msg_ids: Sequence[int]) -> dict[int, list[int]]:
    """Lock the messages in parts, except the ones held by another session; return them by part."""
    parts: dict[int, list[int]] = defaultdict(list)
    for msg_id, part_id in statements.run_statement(connection, "hold_messages", {"ids": list(msg_ids)}):
        parts[part_id].append(msg_id)
    return dict(parts)


def files_of_parts(connection: psycopg.Connection, part_ids: Iterable[int]) -> Mapping[int, PartFiles]:
    files: dict[int, dict[str, PartFile]] = {part_id: {} for part_id in part_ids}
    for part_id, table, path, sha256 in statements.run_statement(
        connection, "files_of_parts", {"part_ids": list(files)}
    ):
        files[part_id][table] = PartFile(path=path, sha256=sha256)
    return files


def fault_of(storage: Storage, files: PartFiles, live: TableColumns) -> FailReason | None:
    """
    Return why a part cannot be restored; None if it can.

    A column that the hub added later would get its default; values of one that it dropped would be lost.

    Args:
        live: the columns of each live table.
    """
    try:
        for table, file in files.items():
            check_digest(storage, file.path, file.sha256)
            names = {column.name for column in read_columns(storage, file.path)}
            if names - {column.name for column in live.get(table, ())}:
                return FailReason.COLUMNS_DIFFER
    except Unreadable:
        return FailReason.FILE_UNREADABLE
    return None


def messages_with_live_calls(
    connection: psycopg.Connection, storage: Storage, files: PartFiles, msg_ids: Collection[int]
) -> list[int]:
    """
    Return the messages that have an external call of which the hub has made a new one: a key exists only
    once.
    """
    if EXTERNAL_CALL not in files:
        return []
    names = ("msg_id", "operation_name", "entity_id")
    of_messages = with_one_of("msg_id", frozenset(msg_ids))
    calls = list(read_rows(storage, files[EXTERNAL_CALL].path, rows=of_messages, names=names))
    columns = zip(("msg_ids", "operations", "entities"), zip(*calls, strict=True), strict=True)
    values = {name: list(column) for name, column in columns}
    return statements.fetch_column(connection, "live_calls", values) if calls else []


def keys_of(storage: Storage, files: PartFiles, table: str) -> set[int]:
    """Return the keys of all rows of one table in a part."""
    if table not in files:
        return set()
    key = {REQUEST: "req_id", RESPONSE: "res_id"}[table]
    everything = RowFilter((key,), lambda _: True)
    return {row[0] for row in read_rows(storage, files[table].path, rows=everything, names=[key])}


def put_back(
    connection: psycopg.Connection,
    storage: Storage,
    files: PartFiles,
    *,
    tables: Sequence[HubTable],
    ids: Ids,
) -> Counter[str]:
    """
    Write rows of a part to the live tables, and return their number by table.

    Args:
        tables: children before parents.

    Raises:
        Unreadable: a file cannot be read.
        psycopg.IntegrityError: the hub has such a row again.
    """
    put: Counter[str] = Counter()
    for table in reversed(tables):
        if table.live not in files:
            continue
        keys = _copy_in(connection, storage, files[table.live].path, table, ids.filter_of(table.live))
        put[table.live] = len(keys)
        if table.live == REQUEST:
            ids = replace(ids, requests={*ids.requests, *keys})
    return put


def _copy_in(
    connection: psycopg.Connection, storage: Storage, path: str, table: HubTable, rows: RowFilter
) -> list[int]:
    """Write the wanted rows of a file to its live table, and return their keys."""
    if table.behind:
        return _insert_converted(connection, storage, path, table, table.behind, rows)
    names = [column.name for column in read_columns(storage, path)]
    keys: list[int] = []
    query = sql.SQL(statements.read_text("put_in")).format(
        live=sql.Identifier(table.live), columns=sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for group in read_groups(storage, path, rows=rows):
            copy.write(as_copied(group))
            keys += group.column(table.key).to_pylist()
    return keys


def _insert_converted(
    connection: psycopg.Connection,
    storage: Storage,
    path: str,
    table: HubTable,
    behind: Behind,
    row_filter: RowFilter,
) -> list[int]:
    """Like _copy_in, for a table of an attached hub, which has times of its own time zone."""
    columns = read_columns(storage, path)
    query, places = _insert_query(connection, table.live, behind, columns)
    place, keys = [column.name for column in columns].index(table.key), []
    rows = read_rows(storage, path, rows=row_filter)
    while some := list(islice(rows, _INSERTED_TOGETHER)):
        keys += [row[place] for row in some]
        lists = [
            [None if value is None else str(as_text(column, value)) for value in values]
            for column, values in zip(columns, zip(*some, strict=True), strict=True)
        ]
        if any(value is not None for i, values in enumerate(lists) if i not in places for value in values):
            raise psycopg.DataError(f"{path} has values of columns that the hub's {table.live} lacks.")
        connection.execute(query, [lists[i] for i in places])
    return keys


def _insert_query(
    connection: psycopg.Connection, table: str, behind: Behind, columns: Sequence[Column]
) -> tuple[sql.Composed, list[int]]:
    """Return the statement that inserts arrays of texts, and the places of their columns in the file."""
    types = column_types(connection, [behind.live])[behind.live]
    bases = [base_name(table, column.name) for column in columns]
    places = [place for place, base in enumerate(bases) if base in types]
    values = []
    for place in places:
        value = sql.SQL("{}::{}").format(sql.Identifier(f"c{place}"), sql.SQL(columns[place].type))
        if types[bases[place]] != columns[place].type and columns[place].is_time:
            value = sql.SQL("timezone({}, {})").format(sql.Literal(behind.zone), value)
        values.append(value)
    query = sql.SQL(statements.read_text("insert_rows")).format(
        live=sql.SQL(behind.live),
        columns=sql.SQL(", ").join(sql.Identifier(bases[place]) for place in places),
        values=sql.SQL(", ").join(values),
        arrays=sql.SQL(", ").join([sql.SQL("%s::text[]")] * len(places)),
        names=sql.SQL(", ").join(sql.Identifier(f"c{place}") for place in places),
    )
    return query, places


def forget_restored(
    connection: psycopg.Connection, parts: Mapping[int, Collection[int]], *, are_messages: bool
) -> None:
    """
    Mark restored rows as no longer archived.

    Args:
        parts: ids of messages or orphans, by part.
    """
    if are_messages:
        ids = [msg_id for restored in parts.values() for msg_id in restored]
        statements.run_statement(connection, "forget_messages", {"ids": ids})
    for part_id, restored in sorted(parts.items()):
        restored_ids = [] if are_messages else sorted(restored)
        values = {"part_id": part_id, "restored": len(restored), "restored_ids": Jsonb(restored_ids)}
        statements.run_statement(connection, "count_restored", values)
