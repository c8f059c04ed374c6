"""
SQL of the values of an export: PostgreSQL writes the rows of a file, and tasks only pass them on.

A row of a format is a row of `COPY ... TO STDOUT (FORMAT csv)`. CSV files and JSON lines have the same bytes
as those of Python's modules csv and json.
"""

import json
from dataclasses import dataclass

from psycopg import sql

from messages_app.shared.text_safety import FORMULA_STARTS


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    Args:
        name: of the hub's column.
        kind: long, int, text, time or flag.
        is_wide: a text that may have megabytes.
    """

    name: str
    kind: str
    is_wide: bool = False


Columns = tuple[Column, ...]


def _require_calendar_time(expression: str) -> str:
    """Return the expression; for a time that is in no calendar, such as infinity, one that fails."""
    fault = "('in no calendar: ' || {name})::timestamptz::text"
    return f"CASE WHEN {{name}} {_TIMES} OR {{name}} IS NULL THEN {expression} ELSE {fault} END"


# The years that a reader of the file can have. A message with another time is refused, as a failed one.
_TIMES = "BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'"
_ISO = "replace(to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"+00:00\"'), '.000000', '')"
_MICROSECONDS = "(extract(epoch FROM {name}) * 1000000)::bigint::text"

# A cell of a text, by the rule of text_safety.cell. NULL and an empty text are both an empty cell.
_CELL = f"""CASE WHEN ascii({{first}}) IN ({", ".join(str(ord(start)) for start in FORMULA_STARTS)})
                 THEN '''' || {{name}} ELSE nullif({{name}}, '') END"""

_CSV = {
    "long": "{name}",
    "int": "{name}",
    "text": _CELL,
    "time": _require_calendar_time(_ISO),
    "flag": "CASE WHEN {name} THEN 'True' WHEN NOT {name} THEN 'False' END",
}
_JSON = {
    "long": "coalesce({name}::text, 'null')",
    "int": "coalesce({name}::text, 'null')",
    "text": "coalesce(to_json({name}), 'null')",
    "time": f"""coalesce('"' || {_require_calendar_time(_ISO)} || '"', 'null')""",
    "flag": "coalesce({name}::text, 'null')",
}
_PARQUET = {
    "long": "{name}",
    "int": "{name}",
    "text": "{name}",
    "time": _require_calendar_time(_MICROSECONDS),
    "flag": "{name}",
}


def csv_row(columns: Columns) -> sql.Composed:
    """Return the cells of a row."""
    return sql.SQL(", ").join(_compose_expression(_CSV, column) for column in columns)


def json_row(columns: Columns) -> sql.Composed:
    """
    Return one text, the JSON object of a row.

    `concat` writes it into one buffer. Operators would copy a large payload once for each column after it.
    """
    parts: list[sql.Composable] = []
    for column in columns:
        parts.append(sql.Literal(f"{', ' if parts else '{'}{json.dumps(column.name)}: "))
        parts.append(_compose_expression(_JSON, column))
    return sql.SQL("concat({}, {})").format(sql.SQL(", ").join(parts), sql.Literal("}"))


def parquet_row(columns: Columns) -> sql.Composed:
    """Return the values as formats.py reads them with Arrow. Times are microseconds since 1970."""
    return sql.SQL(", ").join(_compose_expression(_PARQUET, column) for column in columns)


def _compose_expression(expressions: dict[str, str], column: Column) -> sql.Composed:
    name = sql.Identifier(column.name)
    # ascii() reads all of a text for its first character, left() only the beginning of a large one.
    first = sql.SQL("left({}, 1)").format(name) if column.is_wide else name
    return sql.SQL(expressions[column.kind]).format(name=name, first=first)
