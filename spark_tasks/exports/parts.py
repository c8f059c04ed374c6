"""
Writes the messages of a chunk to a file: psycopg only, no Django.

The part is whole and on the disk before the chunk is committed with its name in the ledger: what the ledger
names is there, and what a crash left is named nowhere. Messages are read a few megabytes at a time.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from messages_app.shared.job_states import SkipReason, skipped
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.exports.columns import ARCHIVED, Columns
from spark_tasks.exports.files import PART, write_whole
from spark_tasks.exports.formats import FORMATS, Rows

statements = SqlFiles("spark_tasks")


# What is in memory at once.
_GROUP_BYTES, _GROUP_ROWS = 16 * 1024 * 1024, 2_000


@dataclass(frozen=True, kw_only=True)
class ExportParts:
    """
    The action of an export job.

    Args:
        folder: where parts are written; the same for every executor and the console.
        format: of formats.FORMATS.
        columns: of the message table; whether a message is archived is added as the last one.
    """

    folder: str
    format: str
    columns: Columns

    new_state = None
    may_be_repeated = True

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Write one part with the messages. Raises as actions.Action.act, and OSError."""
        ids = sorted(item.msg_id for item in items)
        found: set[int] = set()
        groups = self._groups(connection, ids, found)
        first = next(groups, None)
        moved = Counter() if first is None else self._write(ids, first, groups)
        gone = {msg_id: skipped(SkipReason.VANISHED) for msg_id in ids if msg_id not in found}
        return Decided(refusals=gone, moved=moved)

    def _write(self, ids: list[int], first: Rows, others: Iterator[Rows]) -> Counter[str]:
        counted: list[int] = []

        def groups() -> Iterator[Rows]:
            yield first
            yield from others

        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        columns = (*self.columns, ARCHIVED)
        name, _ = write_whole(
            folder,
            f"{ids[0]}-{ids[-1]}-{{hash}}.{self.format}",
            lambda file: counted.append(FORMATS[self.format].write_part(file, columns, groups())),
        )
        return Counter({f"{PART}{name}": counted[0]})

    def _groups(self, connection: psycopg.Connection, ids: list[int], found: set[int]) -> Iterator[Rows]:
        """Yield the messages that there are, in the order of ids, and note them."""
        place = [column.name for column in self.columns].index("msg_id")
        for group in _by_size(self._sizes(connection, ids)):
            rows = connection.execute(self._select(), {"ids": group}).fetchall()
            found.update(row[place] for row in rows)
            if rows:
                yield rows

    def _sizes(self, connection: psycopg.Connection, ids: list[int]) -> list[tuple[int, int]]:
        """Return (id, bytes of the wide columns) of each message that there is."""
        wide = [
            sql.SQL("coalesce(octet_length({}), 0)").format(sql.Identifier(column.name))
            for column in self.columns
            if column.is_wide
        ]
        query = sql.SQL(statements.text("export_sizes")).format(
            size=sql.SQL(" + ").join([sql.SQL("0"), *wide])
        )
        return connection.execute(query, {"ids": ids}).fetchall()

    def _select(self) -> sql.Composed:
        listed = sql.SQL(", ").join(sql.Identifier(column.name) for column in self.columns)
        return sql.SQL(statements.text("export_messages")).format(columns=listed)


def _by_size(sizes: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Cut ids into groups of this many bytes, or so many messages; one that is larger is alone."""
    group: list[int] = []
    held = 0
    for msg_id, size in sizes:
        if group and (held + size > _GROUP_BYTES or len(group) == _GROUP_ROWS):
            yield group
            group, held = [], 0
        group.append(msg_id)
        held += size
    if group:
        yield group
