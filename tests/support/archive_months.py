"""Archive tables of other layouts than those of a new database: plain ones, and ones that were plain."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from psycopg import sql

from messages_app.audit.services import Actor
from messages_app.jobs.archive_months import services
from messages_app.jobs.archive_months.tables import Month, archive_names, is_by_month
from messages_app.shared.sql_files import SqlFiles

ADA = Actor(username="ada")

# One row for each index of the partition that has what no month has: its name, and that of the table's index.
_INDEXES = """
SELECT part.relname, coalesce(whole.relname, %(table)s || '_pkey')
  FROM pg_index
  JOIN pg_class AS part ON part.oid = indexrelid
  LEFT JOIN pg_inherits ON inhrelid = indexrelid
  LEFT JOIN pg_class AS whole ON whole.oid = inhparent
 WHERE indrelid = to_regclass(%(table)s || '_other')
"""
_PARTS = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ %s"


@contextmanager
def plain_archive() -> Iterator[None]:
    """Let the archive tables be plain for a block, as in a database of an earlier version."""
    _make_plain()
    try:
        yield
    finally:
        if is_by_month():
            _make_plain()
        for name in archive_names():
            run("TRUNCATE {table}", table=name)
        assert services.partition_empty()


@contextmanager
def by_month() -> Iterator[Month]:
    """Partition plain archive tables for a block; give the month of their rows until now."""
    with plain_archive():
        yield services.partition_archive(actor=ADA)


def run(text: str, **names: str) -> None:
    """Run a statement on the tables with these names."""
    with connection.cursor() as cursor:
        named = {key: sql.Identifier(name) for key, name in names.items()}
        cursor.execute(sql.SQL(text).format(**named).as_string(connection.connection))


def end_past_at(past: Month, end: dt.date) -> None:
    """Let the partition of rows until now, which must be empty, end earlier, as if made long ago."""
    earlier = Month(None, end)
    for name in archive_names():
        part = past.name_table(name)
        run("ALTER TABLE {table} DETACH PARTITION {part}", table=name, part=part)
        run(
            f"ALTER TABLE {{table}} ATTACH PARTITION {{part}} FOR VALUES FROM (MINVALUE) TO ('{end}')",
            table=name,
            part=part,
        )
        run("ALTER TABLE {part} RENAME TO {earlier}", part=part, earlier=earlier.name_table(name))


def _make_plain() -> None:
    """Keep the partition of what no month has as the only table, with the names of the whole."""
    names = archive_names()
    with connection.cursor() as cursor:
        cursor.execute("DROP VIEW archived_relative")
        for name in names:
            other = f"{name}_other"
            cursor.execute(_INDEXES, {"table": name})
            indexes = cursor.fetchall()
            run("ALTER TABLE {table} DETACH PARTITION {other}", table=name, other=other)
            run("DROP TABLE {table}", table=name)
            cursor.execute(_PARTS, [f"^detached_{name}_(before_)?[0-9]"])
            for (detached,) in cursor.fetchall():
                run("DROP TABLE {table}", table=detached)
            run("ALTER TABLE {other} RENAME TO {table}", other=other, table=name)
            run("ALTER TABLE {table} DROP COLUMN archived_at", table=name)
            for part, whole in indexes:
                run("ALTER INDEX {part} RENAME TO {whole}", part=part, whole=whole)
        cursor.execute(SqlFiles("messages_app.migrations").read_text("archived_relative"))
