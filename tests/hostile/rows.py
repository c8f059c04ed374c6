"""
Rows as hubs, services and senders can write them: each column at the extremes of its type.

The columns are read from the database, so a new one needs no change here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from django.db import Error, connection, transaction
from psycopg import sql

ORDINARY_TIME = "2026-11-01 12:00:00"
TIMES = (
    "infinity",
    "-infinity",
    "12026-11-27 00:00:00",
    "0044-03-15 00:00:00 BC",
    "9999-12-31 23:59:59.9999999-05:00",  # .NET's DateTime.MaxValue in America
    "0001-01-01 00:00:00+00:57:44",  # its MinValue in Prague
    "9999-12-31 23:59:59.999999",
    "0001-01-01 00:00:00",
    "294276-12-30 23:59:59.999999",
    "4714-11-25 00:00:00 BC",
    # The ends of the type: on an attached hub, PostgreSQL cannot convert one of them from the hub's zone.
    "294276-12-31 23:59:59.999999",
    "4714-11-24 00:00:00 BC",
)
LONG_NUMBERS = (-(2**63), 2**63 - 1, -5, 0, 2**53 + 1)
NUMBERS = (-(2**31), 2**31 - 1, -1, 0)
TEXTS = (
    "",
    " ",
    "\t \n",
    "\x01\x1b[31m\x7f",
    "\\u0000 \\x00 %00",
    '{"a": "\\u0000", "b": "\\ud800", "c": 1e999, "d": NaN}',
    "[{}, null, 1, [[]]]",
    "\u202e\u2028\ufeff",
    "../..//?#&=%2F",
    "..",
    "'\"<>&{{ }}{% %}",
    "null",
    "~2F",
    "\U0001d4b3" * 30_000,
)

_COLUMNS = """
SELECT column_name, data_type, character_maximum_length, is_nullable = 'NO' AND column_default IS NULL
  FROM information_schema.columns
 WHERE table_schema = %s AND table_name = %s AND column_name <> 'archived_at'
 ORDER BY ordinal_position
"""


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    length: int | None
    is_required: bool

    @property
    def is_time(self) -> bool:
        return self.kind.startswith("timestamp")

    @property
    def usual(self) -> object:
        if self.is_time:
            return ORDINARY_TIME
        return False if self.kind == "boolean" else 1 if self._is_number else "x"

    @property
    def extremes(self) -> Sequence[object]:
        if self.is_time:
            return TIMES
        if self.kind == "boolean":
            return (True, False)
        if self._is_number:
            return LONG_NUMBERS if self.kind == "bigint" else NUMBERS
        return [text[: self.length] for text in TEXTS]

    @property
    def _is_number(self) -> bool:
        return self.kind in {"bigint", "integer", "smallint", "numeric"}


@dataclass(frozen=True)
class Table:
    """A table of the hub, or of another writer, in a schema."""

    schema: str
    name: str
    columns: Sequence[Column]

    @property
    def times(self) -> list[str]:
        return [column.name for column in self.columns if column.is_time]

    def usual(self, **values: object) -> dict[str, object]:
        """Return a row with these values; the other columns are ordinary or empty."""
        return {column.name: column.usual for column in self.columns if column.is_required} | values

    def insert(self, row: Mapping[str, object]) -> bool:
        """Store a row; False if the database refuses it, as it would refuse it from others."""
        names = list(row)
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(self.schema, self.name),
            sql.SQL(", ").join(map(sql.Identifier, names)),
            sql.SQL(", ").join(sql.Placeholder() * len(names)),
        )
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, list(row.values()))
        except Error:
            return False
        return True

    def rows_at_extremes(self) -> Iterator[dict[str, object]]:
        """Yield rows of which every column is at an extreme, as many as the most extremes of a column."""
        for place in range(max(len(column.extremes) for column in self.columns)):
            yield {column.name: column.extremes[place % len(column.extremes)] for column in self.columns}

    def rows_of_one_extreme(self) -> Iterator[dict[str, object]]:
        """Yield rows of which one column is at an extreme."""
        for column in self.columns:
            for value in column.extremes:
                yield self.usual(**{column.name: value})


def table_of(name: str, schema: str) -> Table:
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [schema, name])
        columns = [Column(*row) for row in cursor]
    assert columns, f"{schema}.{name} has no columns"
    return Table(schema, name, columns)


NEW_NUMBERS = count(900_000_000)
