"""
The statements that change the archive tables. Each waits for a lock for half a second at most.

Source: docs/contributing/decisions/0031-archive-by-month.md.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.db import connection, transaction
from psycopg import sql

from messages_app.core.statements import Statements
from messages_app.core.table_locks import TablesBusy, attempt_in_turn
from messages_app.jobs.archive_months.tables import OTHER, Month, owner_of_tables
from spark_tasks.tables import ARCHIVED_AT

statements = Statements("messages_app.jobs.archive_months")


_MAX_WAIT = "500ms"
TRIES = 60
_SECONDS_BETWEEN = 0.5
LIKE = (
    "(LIKE {table} INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING COMMENTS"
    " INCLUDING GENERATED INCLUDING IDENTITY)"
)


class CannotChangeMonths(Exception):
    """The months cannot be changed now; the text says why, and what to do."""


def change_patiently(change: Callable[[], None], *, tries: int = TRIES) -> None:
    """Make a change in its own transaction, and let other sessions pass between attempts."""
    try:
        attempt_in_turn(change, attempts=tries, seconds_between=_SECONDS_BETWEEN)
    except TablesBusy:
        raise CannotChangeMonths(
            "Other sessions kept the archive tables locked; nothing was changed."
        ) from None


@contextmanager
def as_owner() -> Iterator[None]:
    """Run statements in one transaction, as the owner of the tables, that does not wait long for locks."""
    owner = owner_of_tables()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', %s, true), set_config('role', %s, true)",
            [_MAX_WAIT, owner],
        )
        yield


def run_statement(text: str, **parts: str | sql.Composable) -> None:
    """Run a statement; texts of `parts` are names of tables, columns, indexes and constraints."""
    named = {key: sql.Identifier(part) if isinstance(part, str) else part for key, part in parts.items()}
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(text).format(**named).as_string(connection.connection))


def limit_of(name: str) -> str:
    return f"{name}_archived_at_check"


def bounds_of(month: Month, *, lowest: str = "") -> dict[str, sql.Composable]:
    first = sql.Literal(f"{month.first} 00:00:00+00" if month.first else lowest)
    return {
        "archived_at": sql.Identifier(ARCHIVED_AT),
        "first": first if month.first or lowest else sql.SQL("MINVALUE"),
        "end": sql.Literal(f"{month.end} 00:00:00+00"),
    }


def add_key(part: str, like: str) -> None:
    """Give a partition a primary key of its own: a partitioned table's would need the time of archiving."""
    (key,) = statements.only_row("key", {"table": like})
    run_statement("ALTER TABLE {part} ADD PRIMARY KEY ({key})", part=part, key=key)


def attach_part(name: str, month: Month) -> None:
    run_statement(
        "ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES FROM ({first}) TO ({end})",
        table=name,
        part=month.name_table(name),
        first=bounds_of(month)["first"],
        end=bounds_of(month)["end"],
    )


def add_time(name: str) -> None:
    """Give a table the column of the time of archiving; the time of its present rows is now."""
    run_statement(
        "ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {archived_at} timestamptz NOT NULL DEFAULT now()",
        table=name,
        archived_at=sql.Identifier(ARCHIVED_AT),
    )


def add_limit(name: str, past: Month) -> None:
    """Give a table its key of partitions, and a check of the present rows and those of two months."""
    with as_owner():
        add_time(name)
        run_statement(
            "ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {limit},"
            " ADD CONSTRAINT {limit} CHECK ({archived_at} < {end}) NOT VALID",
            table=name,
            limit=limit_of(name),
            **bounds_of(past),
        )


def drop_limit(name: str) -> None:
    with as_owner():
        run_statement(
            "ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {limit}", table=name, limit=limit_of(name)
        )


def replace_tables(names: Sequence[str], *, renamed: Callable[[str], str]) -> None:
    """Put partitioned tables without rows in the place of the present ones, which `renamed` gives names."""
    indexes = {name: statements.fetch_rows("indexes", {"table": name}) for name in names}
    for name in names:
        _create_parent(name, indexes[name])
    (view,) = statements.only_row("relatives_view", {})
    for name in names:
        run_statement("ALTER TABLE {table} RENAME TO {renamed}", table=name, renamed=renamed(name))
        for index, _ in indexes[name]:
            run_statement("ALTER INDEX {index} RENAME TO {past}", index=index, past=f"{index}_past")
            run_statement("ALTER INDEX {new} RENAME TO {index}", index=index, new=f"{index}_new")
        run_statement("ALTER TABLE {new} RENAME TO {table}", new=f"{name}_new", table=name)
        run_statement("ALTER TABLE {other} RENAME TO {to}", other=f"{name}_new_{OTHER}", to=f"{name}_{OTHER}")
    run_statement("CREATE OR REPLACE VIEW archived_relative AS {query}", query=sql.SQL(view))


def _create_parent(name: str, indexes: Sequence[tuple[str, str]]) -> None:
    """Create the partitioned table for a plain one, with indexes, grants and the partition of other rows."""
    new, other = f"{name}_new", f"{name}_new_{OTHER}"
    archived_at = sql.Identifier(ARCHIVED_AT)
    run_statement(
        f"CREATE TABLE {{new}} {LIKE} PARTITION BY RANGE ({{archived_at}})",
        new=new,
        table=name,
        archived_at=archived_at,
    )
    for index, definition in indexes:
        run_statement(
            "CREATE INDEX {index} ON {new} {definition}",
            index=f"{index}_new",
            new=new,
            definition=sql.SQL(definition),
        )
    run_statement("CREATE TABLE {other} PARTITION OF {new} DEFAULT", other=other, new=new)
    add_key(other, name)
    (grants,) = statements.only_row("grants", {"table": name, "copy": new})
    if grants:
        run_statement("{grants}", grants=sql.SQL(grants))
