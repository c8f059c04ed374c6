"""The columns of an export, and what they are as Arrow has them. Pickled to executors."""

from dataclasses import dataclass

import pyarrow as pa

_ARROW = {
    "long": pa.int64(),
    "int": pa.int32(),
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "flag": pa.bool_(),
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    Args:
        name: of the hub's column.
        kind: long, int, text, time or flag.
        is_wide: a text that may be megabytes.
    """

    name: str
    kind: str
    is_wide: bool = False


Columns = tuple[Column, ...]

# Next to the hub's own: whether the message stood in the archive.
ARCHIVED = Column(name="archived", kind="flag")


def names(columns: Columns) -> list[str]:
    return [column.name for column in columns]


def schema(columns: Columns) -> pa.Schema:
    return pa.schema([(column.name, _ARROW[column.kind]) for column in columns])
