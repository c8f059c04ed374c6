"""
The steps that only the owner of the hub's tables may do: their indexes, and missing archive tables.

Source: docs/howto/attach.md, "Archive tables".
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.db import OperationalError, ProgrammingError, connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from messages_app.attach.layouts import ARCHIVED, NOT_ARCHIVED
from messages_app.attach.recognition import ARCHIVE_PREFIX, Hub, statements
from messages_app.attach.views import text_of
from messages_app.shared.hub_names import LOCKED_BY

Cursor = CursorWrapper | psycopg.Cursor

# The description of an archive table that the console has created.
MARK = "created by attach --create-archive of Hub Console"
# No release of a hub archives these tables. The console keeps their rows.
_WITHOUT_TABLES = ("funnel",)
# No row may be archived between the look and the DROP.
_DROP_IF_EMPTY = """
DO $hubconsole_drop$
BEGIN
  SET LOCAL lock_timeout = '2s';
  LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;
  IF NOT EXISTS (SELECT FROM {table}) THEN
    DROP TABLE {table} CASCADE;
  END IF;
END $hubconsole_drop$
"""


class NotTheOwner(Exception):
    """The role is not the owner of the hub's tables, or the owner's address is not accepted."""


@contextmanager
def owner_cursor() -> Iterator[Cursor]:
    """
    Give a cursor of the owner (HUBCONSOLE_OWNER_DATABASE_URL), or of the console's own role.

    Raises:
        NotTheOwner: the server refused the connection or a statement. Finished statements stay.
    """
    try:
        if not settings.OWNER_DATABASE_URL:
            with connection.cursor() as cursor:
                yield cursor
            return
        # As in connections of Django, also to a database without an encoding.
        owner = psycopg.connect(settings.OWNER_DATABASE_URL, autocommit=True, client_encoding="UTF8")
        with owner, owner.cursor() as cursor:
            yield cursor
    except (ProgrammingError, psycopg.ProgrammingError, psycopg.OperationalError) as error:
        raise NotTheOwner(str(error).splitlines()[0]) from error


def archive_statements(hub: Hub, *, place: str, role: str) -> list[str]:
    """
    Return the statements that create the archive tables of the hub's release, and grant their use.

    Args:
        place: their schema.
        role: the role of the console.
    """
    live = [table for table in ARCHIVED if table in hub.family.tables and table not in _WITHOUT_TABLES]
    values = {
        "schema": hub.schema,
        "place": place,
        "prefix": ARCHIVE_PREFIX,
        "tables": live,
        "without": list(NOT_ARCHIVED),
    }
    commands = []
    for table, create, owner in statements.fetch_rows("archive_tables", values):
        name = sql.Identifier(place, f"{ARCHIVE_PREFIX}{table}")
        commands += [
            create,
            text_of(sql.SQL("COMMENT ON TABLE {} IS {}").format(name, sql.Literal(MARK))),
            text_of(sql.SQL("ALTER TABLE {} OWNER TO {}").format(name, sql.Identifier(owner))),
        ]
        if owner != role:
            grant = sql.SQL("GRANT SELECT, INSERT, DELETE, UPDATE ({}) ON {} TO {}")
            locked_by = sql.Identifier(LOCKED_BY[table])
            commands.append(text_of(grant.format(locked_by, name, sql.Identifier(role))))
    return commands


def run_by_owner(all_or_none: Sequence[str]) -> None:
    """
    Run statements in one transaction as the owner.

    Raises:
        NotTheOwner: the role may not. Nothing was changed.
    """
    with owner_cursor() as cursor:
        cursor.execute(";\n".join(all_or_none))


def created_tables(schemas: Sequence[str]) -> dict[str, bool]:
    """
    Return the archive tables that the console created in these schemas, and whether each has rows. One that
    it may not read could have some.
    """
    tables = {}
    with connection.cursor() as cursor:
        for table, may_read in statements.fetch_rows("own_tables", {"schemas": list(schemas), "mark": MARK}):
            if may_read:
                cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.SQL(table)))
            tables[table] = not may_read or bool(cursor.fetchone()[0])
    return tables


def drop_archive(schemas: Sequence[str]) -> list[str]:
    """
    Drop the archive tables that the console created and that are empty, with their views.

    Returns:
        The statements that the role may not run. Tables with rows stay.
    """
    empty = [table for table, has_rows in created_tables(schemas).items() if not has_rows]
    left = [f"DROP TABLE {table}" for table in empty]
    try:
        with owner_cursor() as cursor:
            for table in empty:
                cursor.execute(_DROP_IF_EMPTY.format(table=table))
                left.remove(f"DROP TABLE {table}")
    except (NotTheOwner, OperationalError):
        return left
    return left
