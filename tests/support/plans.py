"""The plans of what is sent to the database: no large table is scanned, and no query reads much of one."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

import pytest
from django.db import connection
from psycopg import sql as composing

from messages_app.core.clock import database_clock
from messages_app.core.pagination import incremental_scan

# The hub's tables and ours that grow with it: none of these may be scanned.
_STORES = ("message", "external_call", "request", "response", "funnel")
LARGE = frozenset(
    {
        *_STORES,
        *(f"archive_{name}" for name in _STORES),
        *("cold_message", "cold_file", "message_rollup", "message_took", "failure_member"),
        *("failure_cell_minute", "failure_item", "incident", "incident_cell", "incident_message"),
        *("polled_message", "counted_call", "call_rollup", "call_took"),
        *("message_event", "audit_entry", "job_chunk", "job_item", "job_refusal", "resent_message"),
        *("document_history", "document_open", "document_in_doubt", "document_outcome", "document_content"),
        # Not cp_reservation, which is as small as the work in progress.
        *("oscpmqueue", "cp_deferred", "cp_retry", "cp_dispatch"),
        "business_key",
        "note",
        "note_mention",
        *("message_store", "message_process", "message_history", "archive_message_history", "message_line"),
        *("target_record", "unresolved_reference", "entity_refresh", "deployment"),
    }
)
# Before version 17 the planner costs each value of a list as a search from the top of the index: it rightly
# reads a table of this few pages from end to end instead.
_CHEAP_LISTS, _FEW_PAGES = 170_000, 200
# No table that a test fills has that few rows.
_FEW_ROWS = 100
# The maximum that one query may read: a small part of the table.
MAX_ROWS = 45_000
# Keys of an index, read to be met with those of another before any row is.
MAX_KEYS = 130_000

_PARTITION = re.compile(r"_(\d{4}_\d{2}|before_\d{4}_\d{2}|other)$")

# A statement that reads, after its comments.
_READING = re.compile(r"(\s|--.*\n)*\(?(SELECT|WITH)\b", re.IGNORECASE)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Keep the steps of an incremental scan small compared with the tables of a test.

    On a fast machine a step grows to 25 000 rows. Of the millions that the steps are made for that is little;
    of a test's 70 000 it is a third, which the planner rightly scans.
    """
    monkeypatch.setattr(incremental_scan, "_MAX_STEP", 2_500)


def reads_of(sent: list[tuple[str, tuple]]) -> Callable:
    """Return a wrapper that keeps every statement that reads."""

    def note(execute, sql, params, many, context):
        if isinstance(sql, composing.Composable):
            sql = sql.as_string(connection.connection)
        # A time limit is set by a statement that reads; run again, it would hold for what comes after.
        if _READING.match(sql) and "set_config" not in sql:
            sent.append((sql, params))
        return execute(sql, params, many, context)

    return note


def is_large(table: str | None) -> bool:
    """Say whether this is a large table, or a partition of one."""
    return _PARTITION.sub("", table or "") in LARGE


def nodes_of(plan: dict) -> Iterator[dict]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes_of(inner)


def rows_read(node: dict) -> float:
    """Return the rows that a node gave or threw away, over all its loops."""
    removed = sum(node[name] for name in node if name.startswith("Rows Removed by"))
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


def is_filled(table: str) -> bool:
    """Whether a test has filled a table: one of a few rows is rightly scanned once ANALYZE has seen it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM {table} OFFSET {_FEW_ROWS})")
        return cursor.fetchone()[0]


def _is_rightly_scanned(table: str) -> bool:
    if not is_filled(table):
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpages <= %s FROM pg_class WHERE oid = %s::regclass", [_FEW_PAGES, table])
        return connection.pg_version < _CHEAP_LISTS and cursor.fetchone()[0]


def faults_of(sql: str, params: tuple, *, most_rows: int = MAX_ROWS) -> list[str]:
    """Return what is wrong with the plan of one query."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {sql}", params)
        found = cursor.fetchone()[0]
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    faults = []
    for node in nodes_of(plan):
        table = node.get("Relation Name")
        if is_large(table) and node["Node Type"] == "Seq Scan" and not _is_rightly_scanned(table):
            faults.append(f"scans {table}")
        if rows_read(node) > (MAX_KEYS if node["Node Type"] == "Bitmap Index Scan" else most_rows):
            faults.append(f"{node['Node Type']} of {table} reads {rows_read(node):.0f} rows")
    return faults


def scans_of_prepared() -> tuple[int, list[str]]:
    """
    Return how many statements the session has prepared, and the large tables that their plans scan.

    The plans are those for all values, which the server keeps.
    """
    scans = []
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("SELECT name, cardinality(parameter_types) FROM pg_prepared_statements")
        prepared = cursor.fetchall()
        for name, parameters in prepared:
            values = f"({', '.join(['NULL'] * parameters)})" if parameters else ""
            cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {name}{values}")
            found = cursor.fetchone()[0]
            plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
            nodes = [node for node in nodes_of(plan) if node["Node Type"] == "Seq Scan"]
            scans += [node["Relation Name"] for node in nodes if is_large(node["Relation Name"])]
        cursor.execute("SET LOCAL plan_cache_mode = auto")
    return len(prepared), scans


def pages_read_in(sent: list[tuple[str, tuple]]) -> int:
    """
    Return the pages of tables and indexes that statements about large tables read, one after the other.

    No count of rows includes what an index scan skips inside the index. Users and their permissions are left
    out: the tests before write them and undo that, which leaves hundreds of dead pages in those small tables.
    """
    pages = 0
    for sql, params in sent:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON, TIMING OFF) {sql}", params)
            found = cursor.fetchone()[0]
        plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
        if any(is_large(node.get("Relation Name")) for node in nodes_of(plan)):
            pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return pages


def index_pages(index: str, work: Callable[[], object]) -> int:
    """Return the pages of an index that `work` reads, also inside functions; only within a transaction."""
    pages = []
    for step in (lambda: None, work):
        step()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_get_xact_blocks_fetched(%s::regclass)", [index])
            pages.append(cursor.fetchone()[0])
    return pages[1] - pages[0]


def minute_of(hours_ago: float) -> tuple[str, str]:
    """Return a start and an end a minute apart, as addresses have them."""
    start = database_clock() - timedelta(hours=hours_ago)
    return tuple(time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in (start, start + timedelta(minutes=1)))


def faults_in(sent: list[tuple[str, tuple]], *, most_rows: int = MAX_ROWS) -> list[tuple[str, str]]:
    """
    Return what is wrong with the plans of statements, each fault with its statement.

    Raises:
        AssertionError: nothing was sent, so nothing is shown; a page may have been answered from a cache.
    """
    assert sent, "No statement was sent to the database."
    return [(fault, sql) for sql, params in sent for fault in faults_of(sql, params, most_rows=most_rows)]


_MET = """
SELECT sum(pg_stat_get_xact_tuples_returned(relation.oid))
  FROM pg_class AS relation
  LEFT JOIN pg_index AS entry ON entry.indexrelid = relation.oid
 WHERE coalesce(entry.indrelid, relation.oid) = ANY (%s::regclass[])
"""


def rows_met(work: Callable[[], object], tables: Iterable[str]) -> int:
    """
    Return how many rows of scanned tables and entries of their indexes a piece of work reads.

    It counts what functions of the database read, whose plans EXPLAIN does not show. Call it in a
    transaction, because the counts begin again at its end.
    """
    counts = []
    for step in (None, work):
        if step:
            step()
        with connection.cursor() as cursor:
            cursor.execute(_MET, [list(tables)])
            counts.append(int(cursor.fetchone()[0]))
    return counts[1] - counts[0]


def join_by_loops() -> None:
    """
    Let the planner run the inner side of a join again for each row, in this transaction.

    It may choose this for a table without statistics; a limit in the inner side then limits each run.
    """
    with connection.cursor() as cursor:
        for way in ("hashagg", "hashjoin", "material", "mergejoin", "sort"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
