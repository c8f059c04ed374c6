"""Partitions the archive tables of the test's database, and makes plain tables of them afterwards."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from psycopg import sql

from messages_app.audit.services import Actor
from messages_app.jobs.archive_months import services
from messages_app.jobs.archive_months.tables import Month, archive_names
from messages_app.shared.sql_files import SqlFiles

ADA = Actor(username="ada")


@contextmanager
def by_month() -> Iterator[Month]:
    """Partition the archive tables for a block; give the month of their rows until now."""
    past = services.partition(actor=ADA)
    try:
        yield past
    finally:
        _make_plain(past)


def run(text: str, **names: str) -> None:
    """Run a statement on the tables with these names."""
    with connection.cursor() as cursor:
        named = {key: sql.Identifier(name) for key, name in names.items()}
        cursor.execute(sql.SQL(text).format(**named).as_string(connection.connection))


def end_past_at(past: Month, end: dt.date) -> None:
    """Let the partition of rows until now, which must be empty, end earlier, as if made long ago."""
    earlier = Month(None, end)
    for name in archive_names():
        part = past.table(name)
        run("ALTER TABLE {table} DETACH PARTITION {part}", table=name, part=part)
        run(
            f"ALTER TABLE {{table}} ATTACH PARTITION {{part}} FOR VALUES FROM (MINVALUE) TO ('{end}')",
            table=name,
            part=part,
        )
        run("ALTER TABLE {part} RENAME TO {earlier}", part=part, earlier=earlier.table(name))


def _make_plain(past: Month) -> None:
    names = archive_names()
    with connection.cursor() as cursor:
        cursor.execute("DROP VIEW archived_relative")
        for name in names:
            cursor.execute(
                "SELECT relname, inhrelid IS NOT NULL FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid"
                " WHERE relkind = 'r' AND relname ~ %s",
                [f"^(detached_)?{name}_before_"],
            )
            part, is_attached = cursor.fetchone()
            if is_attached:
                run("ALTER TABLE {table} DETACH PARTITION {part}", table=name, part=part)
            run("DROP TABLE {table}", table=name)
            cursor.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ %s",
                [f"^detached_{name}_[0-9]"],
            )
            for (detached,) in cursor.fetchall():
                run("DROP TABLE {table}", table=detached)
            run("ALTER TABLE {part} RENAME TO {table}", part=part, table=name)
            run("TRUNCATE {table}", table=name)
            run("ALTER TABLE {table} DROP COLUMN archived_at", table=name)
            cursor.execute(
                "SELECT indexrelid::regclass::text FROM pg_index"
                " WHERE indrelid = %s::regclass AND NOT indisprimary",
                [name],
            )
            for (index,) in cursor.fetchall():
                run("ALTER INDEX {index} RENAME TO {past}", index=index, past=index.removesuffix("_past"))
        cursor.execute(SqlFiles("messages_app.migrations").text("archived_relative"))
