"""
Check that nothing is lost, duplicated, altered, torn or misreported, whatever happened to a job.

It shares no code with the product: `Oracle()` keeps a hash of every hub row, live and archived, in a
table of its own; `verdict()` is one question to the database, in one snapshot. Changes by a live hub are
subtracted with its log.

Source: docs/contributing/spec/promises.md, I-13 to I-20, I-28 to I-33, I-54.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import permutations

from django.db import connection

from messages_app.shared.sql_files import SqlFiles
from tests.support import parquet_rows
from tests.support.hub import Changes

statements = SqlFiles("tests.support")

KEYS = {
    "message": "msg_id",
    "external_call": "call_id",
    "request": "req_id",
    "response": "res_id",
    "funnel": "funnel_id",
}

# The columns that a restart or a cancel may write.
ACTED = {"message": {"state", "last_process_timestamp"}}

# Rows of one family in two places, by the link that was cut: each query has a row per torn link.
TORN = {
    "call without its message": (
        "SELECT '{what}', '{what}', call_id FROM {p}external_call c WHERE NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = c.msg_id)"
    ),
    "funnel value without its message": (
        "SELECT '{what}', '{what}', funnel_id FROM {p}funnel f WHERE NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = f.msg_id)"
    ),
    "request without its message": (
        "SELECT '{what}', '{what}', req_id FROM {p}request q WHERE q.msg_id IS NOT NULL AND NOT EXISTS"
        " (SELECT FROM {p}message m WHERE m.msg_id = q.msg_id)"
    ),
    "response without its request": (
        "SELECT '{what}', '{what}', res_id FROM {p}response r WHERE r.req_id IS NOT NULL AND NOT EXISTS"
        " (SELECT FROM {p}request q WHERE q.req_id = r.req_id)"
    ),
    "response apart from its message": (
        "SELECT '{what}', '{what}', res_id FROM {p}response r JOIN {o}message m ON m.msg_id = r.msg_id"
        " WHERE r.req_id IS NULL"
    ),
    "child apart from its parent": (
        "SELECT '{what}', '{what}', c.msg_id FROM {p}message c"
        " JOIN {o}message m ON m.msg_id = c.parent_msg_id"
    ),
}

_PLACES = {"live": "", "archive": "archive_"}
# The rows of the Parquet archive are read into temporary tables for each check.
_ALL_PLACES = {**_PLACES, "parquet": parquet_rows.PREFIX}

Key = tuple[str, int]


@dataclass(frozen=True)
class Verdict:
    """Keys (table, id) of rows that are not as promised; all lists are empty if everything is."""

    lost: list = field(default_factory=list)
    doubled: list = field(default_factory=list)
    unexpected: list = field(default_factory=list)
    altered: list = field(default_factory=list)
    torn: list = field(default_factory=list)
    # (what, job, message or chunk): promises of a ledger that are broken.
    wrong_reports: list = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not any(vars(self).values())

    def __str__(self) -> str:
        return ", ".join(
            f"{name}: {len(found)}, such as {found[:3]}" for name, found in vars(self).items() if found
        )


class Oracle:
    """
    Remembers every hub row, live and archived, as it is when this is made.

    Args:
        changes: returns the writes of a live hub so far; called after each check, so that none is missing.
    """

    def __init__(self, changes: Callable[[], Changes] = Changes) -> None:
        self._changes = changes
        with connection.cursor() as cursor:
            parquet_rows.make_tables(cursor, KEYS)
            parquet_rows.load(cursor)
            cursor.execute("DROP SCHEMA IF EXISTS oracle CASCADE; CREATE SCHEMA oracle")
            cursor.execute(
                "CREATE TABLE oracle.before AS SELECT tab, id, digest, rest"
                f" FROM ({_rows()}) AS now (place, tab, id, digest, rest)"
            )
            cursor.execute("ANALYZE oracle.before")
        self._query = statements.read_text("broken_rows").format(rows=_rows(), torn=_torn())

    @property
    def before(self) -> list[Key]:
        """The keys of all rows remembered."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT tab, id FROM oracle.before")
            return cursor.fetchall()

    def verdict(self) -> Verdict:
        """Compare now with then, in one snapshot."""
        with connection.cursor() as cursor:
            parquet_rows.make_tables(cursor, KEYS)
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                parquet_rows.load(cursor)
                cursor.execute(self._query)
                broken = cursor.fetchall()
                cursor.execute(statements.read_text("broken_jobs"))
                wrong_reports = cursor.fetchall()
            finally:
                cursor.execute("ROLLBACK")
        return _sorted_out(broken, wrong_reports, self._changes())


def places(table: str) -> tuple[set[int], set[int]]:
    """Return the ids of the table's live and archived rows."""
    return tuple(_ids(f"{prefix}{table}", KEYS[table]) for prefix in _PLACES.values())


def _ids(table: str, key: str) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key} FROM {table}")
        return {row[0] for row in cursor}


def _sorted_out(broken: Collection[tuple], wrong_reports: Collection[tuple], hub: Changes) -> Verdict:
    found: dict[str, list] = {"lost": [], "doubled": [], "unexpected": [], "altered": []}
    torn = set()
    excused = {"unexpected": hub.inserted, "altered": hub.changed | hub.inserted}
    for what, table, row_id in broken:
        if what not in found:
            torn.add((what, row_id))
        elif (table, row_id) not in excused.get(what, ()):
            found[what].append((table, row_id))
    return Verdict(
        **{name: sorted(keys) for name, keys in found.items()},
        torn=sorted(torn),
        wrong_reports=wrong_reports,
    )


def _rows() -> str:
    """Return SQL for (place, table, key, hash of all columns, hash of the ones that no action may write)."""
    return " UNION ALL ".join(
        f"SELECT '{place}', '{table}', {key}, {_digest(columns)},"
        f" {_digest([name for name in columns if name not in ACTED.get(table, ())])} FROM {prefix}{table}"
        for table, key in KEYS.items()
        for columns in [_columns(table)]
        for place, prefix in _ALL_PLACES.items()
    )


def _digest(columns: Collection[str]) -> str:
    return f"hash_record_extended(ROW({', '.join(columns)}), 0)"


def _columns(table: str) -> list[str]:
    with connection.cursor() as cursor:
        return [column.name for column in connection.introspection.get_table_description(cursor, table)]


def _torn() -> str:
    pairs = permutations(_ALL_PLACES.values(), 2)
    return " UNION ALL ".join(
        query.format(what=what, p=prefix, o=other) for prefix, other in pairs for what, query in TORN.items()
    )
