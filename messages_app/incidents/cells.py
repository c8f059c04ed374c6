"""
Cells: failures that nothing distinguishes except their time, and their counts.

Source: docs/how_it_works/incidents.md, "Rule".
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from django.db import connection
from psycopg import sql

from messages_app.core.statements import Statements
from messages_app.shared.failure_texts import CHARACTERS
from messages_app.shared.system_names import MAX_SYSTEM

statements = Statements("messages_app.incidents")

_DIGITS = 32
# Old counts that one transaction merges.
MINUTES_BATCH = 100_000


class CellValues(NamedTuple):
    """The values that the failures of a cell share; the columns of FailureCell."""

    store: str
    service_name: str
    operation_name: str
    source_system: str
    external_system: str
    error_code: str
    cause: str
    group_id: int | None = None

    @property
    def fingerprint(self) -> str:
        """The values as 32 hexadecimal digits."""
        return sha256("\x1f".join(map(str, self[:7])).encode()).hexdigest()[:_DIGITS]


class Span(NamedTuple):
    """The times of the first and the last failure."""

    first: datetime
    last: datetime


def join_cells(cells: Mapping[CellValues, Span]) -> dict[CellValues, int]:
    """Return the ids of cells with new failures; create the missing ones."""
    by_fingerprint = {cell.fingerprint: cell for cell in cells}
    columns = {
        "fingerprints": list(by_fingerprint),
        "stores": [cell.store for cell in cells],
        "services": [cell.service_name for cell in cells],
        "operations": [cell.operation_name for cell in cells],
        "senders": [cell.source_system for cell in cells],
        "systems": [cell.external_system[:MAX_SYSTEM] for cell in cells],
        "codes": [cell.error_code for cell in cells],
        "causes": [cell.cause[:CHARACTERS] for cell in cells],
        "groups": [cell.group_id for cell in cells],
        "firsts": [span.first for span in cells.values()],
        "lasts": [span.last for span in cells.values()],
    }
    rows = statements.fetch_rows("join_cells", columns)
    return {by_fingerprint[fingerprint]: cell_id for fingerprint, cell_id in rows}


def note_counted() -> None:
    """Note in this transaction that failures were counted, so that the next pass gathers them."""
    statements.count("note_counted", {})


def coarsen_counts(table: str, key: str) -> int:
    """
    Replace some counts of old minutes by counts of hours and days, and return their number.

    Args:
        table, key: the table with the columns `minute` and `failures`, and its column of what is counted.
    """
    names = {"table": sql.Identifier(table), "key": sql.Identifier(key)}
    statement = sql.SQL(statements.read_text("coarsen_minutes")).format(**names)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"most": MINUTES_BATCH})
        (rows,) = cursor.fetchone()
    count: int = rows
    return count
